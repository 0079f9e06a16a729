"""Closest hits for PyTorch. The tests skip themselves without torch."""

import hitscan
import numpy as np
import pytest
from conftest import sphere

torch = pytest.importorskip("torch")

import hitscan.torch  # noqa: E402


def rays_at_a_ball(dtype, n=60):
    """Rays from outside at points well inside of triangles, and one that misses."""
    positions, triangles = sphere(6, 9)
    random = np.random.default_rng(3)
    weights = random.dirichlet((4, 4, 4), n)
    corners = positions[triangles[random.integers(0, len(triangles), n)]]
    targets = (weights[:, :, None] * corners).sum(1)
    origins = targets * 3 + random.uniform(-0.2, 0.2, (n, 3))
    directions = targets - origins
    directions[0] = [9, 9, 9]
    tensors = [torch.tensor(array, dtype=dtype) for array in (positions, origins, directions)]
    return tensors[0], torch.tensor(triangles), *tensors[1:]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_hits_are_those_of_the_tree(dtype):
    vertices, triangles, origins, directions = rays_at_a_ball(dtype)
    hits = hitscan.torch.closest_hits(vertices, triangles, origins, directions)
    plain = hitscan.Bvh(hitscan.Mesh(vertices.numpy(), triangles.numpy())).closest_hits(
        origins.numpy(), directions.numpy()
    )
    assert hits.hit.sum() > 50 and not hits.hit[0] and hits.triangle[0] == -1
    assert hits.hit.tolist() == plain.hit.tolist()
    assert hits.triangle[1:].tolist() == plain.triangle[1:].tolist()
    assert hits.t.dtype == hits.points.dtype == dtype and torch.isinf(hits.t[0])
    known = plain.hit
    np.testing.assert_allclose(hits.t.numpy()[known], plain.t[known], rtol=1e-5)
    np.testing.assert_allclose(hits.uv.numpy()[known], plain.uv[known], atol=1e-5)
    np.testing.assert_allclose(hits.points.numpy()[known], plain.points[known], atol=1e-5)
    np.testing.assert_allclose(hits.normals.numpy()[known], plain.normals[known], atol=1e-5)


def test_gradcheck_passes_to_the_second_order():
    vertices, triangles, origins, directions = rays_at_a_ball(torch.float64, 12)
    bvh = hitscan.torch.tree(vertices, triangles)
    inputs = [tensor.requires_grad_() for tensor in (vertices, origins, directions)]

    def query(v, o, d):
        hits = hitscan.torch.closest_hits(v, triangles, o, d, bvh=bvh)
        at = hits.hit
        return hits.t[at], hits.uv[at], hits.points[at], hits.normals[at]

    assert torch.autograd.gradcheck(query, inputs)
    assert torch.autograd.gradgradcheck(query, inputs, atol=1e-4)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_step_along_the_gradient_moves_the_hit(dtype):
    # On the plane z = 0, t is the height. Its gradient by the heights of the corners is minus their weights.
    vertices = torch.tensor([[0, 0, 0], [4, 0, 0], [0, 4, 0]], dtype=dtype, requires_grad=True)
    origins = torch.tensor([[1, 2, 5]], dtype=dtype, requires_grad=True)
    down = torch.tensor([[0, 0, -1]], dtype=dtype)
    hits = hitscan.torch.closest_hits(vertices, torch.tensor([[0, 1, 2]]), origins, down)
    hits.t.sum().backward()
    assert hits.t.tolist() == [5] and origins.grad.tolist() == [[0, 0, 1]]
    assert vertices.grad[:, 2].tolist() == [-0.25, -0.25, -0.5]


def test_misses_have_no_gradient_and_no_nan():
    vertices, triangles, origins, directions = rays_at_a_ball(torch.float32)
    vertices.requires_grad_()
    hits = hitscan.torch.closest_hits(vertices, triangles, origins, -directions)
    assert not hits.hit.any()
    torch.where(hits.hit, hits.t, torch.zeros_like(hits.t)).sum().backward()
    assert vertices.grad is None or (vertices.grad == 0).all()


def test_a_triangle_without_area_gives_no_nan_to_its_neighbours():
    # The middle triangle closes the gap between the two others and has no area.
    points = [[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0], [1, 1, 0]]
    vertices = torch.tensor(points, dtype=torch.float32, requires_grad=True)
    triangles = torch.tensor([[0, 4, 2], [0, 1, 2], [0, 4, 3], [4, 2, 3]])
    origins = torch.tensor([[0.5, 0.5, 1], [1.5, 0.5, 1]])
    hits = hitscan.torch.closest_hits(vertices, triangles, origins, torch.tensor([[0.0, 0, -1]] * 2))
    hits.t.sum().backward()
    assert hits.t.tolist() == [1, 1] and torch.isfinite(vertices.grad).all()


def test_a_triangle_too_small_for_the_formula_has_the_numbers_of_the_tree():
    # The products of its edges are below the smallest float32.
    small = 2.0**-80
    vertices = (torch.tensor([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]) * small).requires_grad_()
    origins, down = torch.tensor([[0.25, 0.5, 1]]) * small, torch.tensor([[0.0, 0, -1]]) * small
    hits = hitscan.torch.closest_hits(vertices, torch.tensor([[0, 1, 2]]), origins, down)
    hits.t.sum().backward()
    assert hits.t.tolist() == [1] and hits.uv.tolist() == [[0.25, 0.5]]
    assert torch.isfinite(vertices.grad).all()


def test_wrong_tensors_are_named():
    vertices, triangles, origins, directions = rays_at_a_ball(torch.float32)
    cast = hitscan.torch.closest_hits
    with pytest.raises(TypeError, match=r"origins is a list"):
        cast(vertices, triangles, [[0, 0, 0]], directions)
    with pytest.raises(TypeError, match=r"directions has dtype torch.float64.*torch.float32"):
        cast(vertices, triangles, origins, directions.double())
    with pytest.raises(TypeError, match=r"vertices has dtype torch.float16"):
        cast(vertices.half(), triangles, origins, directions)
    with pytest.raises(TypeError, match=r"triangles has dtype torch.float32"):
        cast(vertices, triangles.float(), origins, directions)
    with pytest.raises(ValueError, match=r"directions has shape \(2, 3\).*\(60, 3\)"):
        cast(vertices, triangles, origins, directions[:2])
    with pytest.raises(ValueError, match=r"bvh has 1 triangles, expected 90"):
        one = hitscan.torch.tree(vertices, triangles[:1])
        cast(vertices, triangles, origins, directions, bvh=one)
