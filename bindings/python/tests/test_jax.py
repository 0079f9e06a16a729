"""Closest hits for JAX. The tests skip themselves without jax."""

import hitscan
import numpy as np
import pytest
from conftest import sphere

jax = pytest.importorskip("jax")
check_grads = pytest.importorskip("jax.test_util").check_grads

import hitscan.jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402

DTYPES = [np.float32, np.float64]


@pytest.fixture(autouse=True)
def double():
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


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
    arrays = [jnp.asarray(array, dtype) for array in (positions, origins, directions)]
    return arrays[0], jnp.asarray(triangles), *arrays[1:]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("compile", [lambda query: query, jax.jit], ids=["eager", "jit"])
def test_the_hits_are_those_of_the_tree(dtype, compile):
    arrays = rays_at_a_ball(dtype)
    vertices, triangles, origins, directions = map(np.asarray, arrays)
    hits = compile(hitscan.jax.closest_hits)(*arrays)
    plain = hitscan.Bvh(hitscan.Mesh(vertices, triangles)).closest_hits(origins, directions)
    assert hits.hit.sum() > 50 and not hits.hit[0] and hits.triangle[0] == -1
    assert hits.triangle[1:].tolist() == plain.triangle[1:].tolist()
    assert hits.t.dtype == hits.points.dtype == dtype and jnp.isinf(hits.t[0])
    known = plain.hit
    assert hits.hit.tolist() == known.tolist()
    for name, tolerance in (("t", 2e-5), ("uv", 1e-5), ("points", 1e-5), ("normals", 1e-5)):
        found = np.asarray(getattr(hits, name))[known]
        np.testing.assert_allclose(found, getattr(plain, name)[known], atol=tolerance)


def numbers(triangles, **options):
    """A function of vertices and rays to the differentiable numbers of the hits."""

    def query(vertices, origins, directions):
        hits = hitscan.jax.closest_hits(vertices, triangles, origins, directions, **options)
        rows = hits.hit[:, None]
        shown = (jnp.where(rows, values, 0) for values in (hits.uv, hits.points, hits.normals))
        return jnp.where(hits.hit, hits.t, 0), *shown

    return query


def test_gradients_are_finite_differences_to_the_second_order():
    vertices, triangles, origins, directions = rays_at_a_ball(np.float64, 12)
    bvh = hitscan.Bvh(hitscan.Mesh(vertices, triangles))
    with_tree = jax.jit(numbers(triangles, bvh=bvh))
    check_grads(
        with_tree, (vertices, origins, directions), order=2, modes=["rev"], eps=1e-5, rtol=1e-3, atol=1e-3
    )
    check_grads(numbers(triangles), (vertices, origins, directions), order=1, eps=1e-6)


def test_gradients_in_float32():
    vertices, triangles, origins, directions = rays_at_a_ball(np.float32, 12)
    wide = [jnp.asarray(array, np.float64) for array in (vertices, origins, directions)]

    def loss(*arrays):
        return sum((values**2).sum() for values in numbers(triangles)(*arrays))

    gradient = jax.jit(jax.grad(loss, (0, 1, 2)))
    for narrow, exact in zip(gradient(vertices, origins, directions), gradient(*wide), strict=True):
        assert narrow.dtype == np.float32
        np.testing.assert_allclose(narrow, exact, atol=2e-4 * float(jnp.abs(exact).max()))


def test_misses_have_no_gradient_and_no_nan():
    vertices, triangles, origins, directions = rays_at_a_ball(np.float32)
    away = (-directions).at[1].set(jnp.nan)

    def loss(vertices, directions):
        hits = hitscan.jax.closest_hits(vertices, triangles, origins, directions)
        return jnp.where(hits.hit, hits.t + hits.normals.sum(1), 0).sum()

    value, gradients = jax.value_and_grad(loss, (0, 1))(vertices, away)
    assert value == 0 and all((gradient == 0).all() for gradient in gradients)
    assert not hitscan.jax.closest_hits(vertices, triangles[:0], origins, directions).hit.any()


def test_triangles_without_area_give_no_nan_to_others():
    points = jnp.array([[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0], [1, 1, 0]], np.float32)
    triangles = jnp.array([[0, 4, 2], [0, 1, 2], [0, 4, 3], [4, 2, 3]])
    origins = jnp.array([[0.5, 0.5, 1], [1.5, 0.5, 1]], np.float32)
    down = jnp.array([[0, 0, -1]] * 2, np.float32)

    def loss(vertices):
        return hitscan.jax.closest_hits(vertices, triangles, origins, down).t.sum()

    value, gradient = jax.value_and_grad(loss)(points)
    assert value == 2 and jnp.isfinite(gradient).all()
    small = points[:3] * 2.0**-80
    hits = hitscan.jax.closest_hits(small, jnp.array([[0, 1, 2]]), small[1:2] / 2 - down[:1], down[:1])
    assert hits.t.tolist() == [1] and hits.uv.tolist() == [[0.5, 0]]


def test_vmap_over_rays_and_over_meshes():
    vertices, triangles, origins, directions = rays_at_a_ball(np.float32)
    cast = hitscan.jax.closest_hits
    whole = cast(vertices, triangles, origins, directions)
    rows = jax.vmap(lambda o, d: cast(vertices, triangles, o, d))(
        origins.reshape(4, 15, 3), directions.reshape(4, 15, 3)
    )
    assert rows.t.reshape(-1).tolist() == whole.t.tolist()
    sizes = jnp.array([1, 0.5], np.float32)
    both = jax.vmap(lambda size: cast(size * vertices, triangles, origins, directions))(sizes)
    assert both.triangle[0].tolist() == whole.triangle.tolist() and (both.t[1] > both.t[0]).any()


def test_many_rays_do_not_wait_for_each_other():
    # A callback that converts large arrays must not wait for the thread that runs it.
    vertices, triangles, origins, directions = rays_at_a_ball(np.float32)
    many = jnp.tile(origins, (5000, 1)), jnp.tile(directions, (5000, 1))
    hits = jax.jit(lambda *rays: hitscan.jax.closest_hits(vertices, triangles, *rays))(*many)
    assert hits.hit.sum() == 5000 * (len(origins) - 1)


def test_a_compiled_function_follows_a_refit():
    vertices, triangles, origins, directions = rays_at_a_ball(np.float32)
    bvh = hitscan.Bvh(hitscan.Mesh(vertices, triangles))
    cast = jax.jit(lambda v: hitscan.jax.closest_hits(v, triangles, origins, directions, bvh=bvh))
    before = cast(vertices)
    bvh.refit(vertices * 0.5)
    after = cast(vertices * 0.5)
    assert (after.t[after.hit] > before.t[after.hit]).all() and after.hit.any()


def test_wrong_arrays_are_named():
    vertices, triangles, origins, directions = rays_at_a_ball(np.float32)
    cast = hitscan.jax.closest_hits
    with pytest.raises(TypeError, match=r"origins is a str"):
        cast(vertices, triangles, "rays", directions)
    with pytest.raises(TypeError, match=r"directions has dtype float64.*float32"):
        cast(vertices, triangles, origins, directions.astype(np.float64))
    with pytest.raises(TypeError, match=r"vertices has dtype float16"):
        cast(vertices.astype(np.float16), triangles, origins, directions)
    with pytest.raises(TypeError, match=r"triangles has dtype float32"):
        cast(vertices, triangles.astype(np.float32), origins, directions)
    with pytest.raises(ValueError, match=r"directions has shape \(2, 3\).*\(60, 3\)"):
        cast(vertices, triangles, origins, directions[:2])
    with pytest.raises(ValueError, match=r"origins has shape \(3,\)"):
        cast(vertices, triangles, origins[0], directions)
    with pytest.raises(ValueError, match=r"bvh has 1 triangles, expected 90"):
        cast(vertices, triangles, origins, directions, bvh=hitscan.Bvh(hitscan.Mesh(vertices, triangles[:1])))
