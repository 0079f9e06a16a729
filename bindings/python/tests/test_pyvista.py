"""Ray traces for PyVista. The tests skip themselves without it."""

import hitscan
import hitscan.pyvista
import numpy as np
import pytest

pyvista = pytest.importorskip("pyvista")


@pytest.fixture
def ball():
    return pyvista.Sphere(theta_resolution=20, phi_resolution=20)


def rays(n, seed=1):
    random = np.random.default_rng(seed)
    origins = random.uniform(-2, 2, (n, 3))
    return origins, random.uniform(-0.4, 0.4, (n, 3)) - origins


def by_distance(origin, points, cells):
    """VTK returns the hits of a segment in no order."""
    order = np.argsort(np.linalg.norm(points - origin, axis=1))
    return points[order], cells[order]


def test_segments_answer_as_vtk_does(ball):
    origins, ways = rays(300)
    n_hits, n_unsorted = 0, 0
    for origin, way in zip(origins, ways, strict=True):
        end = origin + 3 * way
        points, cells = by_distance(origin, *ball.ray_trace(origin, end))
        found, indices = hitscan.pyvista.ray_trace(ball, origin, end)
        assert found.shape == points.shape and indices.tolist() == cells.tolist()
        np.testing.assert_allclose(found, points, atol=1e-5)
        first, all_cells = hitscan.pyvista.ray_trace(ball, origin, end, first_point=True)
        expected, expected_cells = ball.ray_trace(origin, end, first_point=True)
        assert first.shape == expected.shape and sorted(all_cells) == sorted(expected_cells)
        n_hits += len(found)
        n_unsorted += len(found) > 1 and not np.allclose(first, expected, atol=1e-5)
    assert n_hits > 400
    print(f"the first point of VTK is not the nearest for {n_unsorted} of {len(origins)} segments")


def test_many_rays_answer_as_segments_do(ball):
    origins, ways = rays(500)
    points, index, cells = hitscan.pyvista.multi_ray_trace(ball, origins, ways)
    assert points.dtype == np.float64 and index.dtype == cells.dtype == np.int64
    for i in range(500):
        expected, expected_cells = by_distance(
            origins[i], *ball.ray_trace(origins[i], origins[i] + 9 * ways[i])
        )
        mine = index == i
        np.testing.assert_allclose(points[mine], expected, atol=1e-5)
        assert cells[mine].tolist() == expected_cells.tolist()
    first, first_index, first_cells = hitscan.pyvista.multi_ray_trace(ball, origins, ways, first_point=True)
    at = np.unique(index, return_index=True)[1]
    assert first_index.tolist() == index[at].tolist() and first_cells.tolist() == cells[at].tolist()
    np.testing.assert_allclose(first, points[at], atol=1e-6)


@pytest.mark.parametrize("moved", [0.0, 1e6])
def test_many_rays_have_the_hits_of_the_tree(ball, moved):
    corners = np.asarray(ball.points, np.float64) + np.array([moved, 0, 0])
    surface = pyvista.PolyData.from_regular_faces(corners, ball.regular_faces)
    bvh, cells = hitscan.pyvista.bvh_of(surface), np.arange(surface.n_cells)
    assert bvh.offset.any() == (moved > 0)
    origins, ways = rays(3000)
    origins += [moved, 0, 0]
    for given in ((origins, ways), (origins.astype(np.float32), ways.astype(np.float32))):
        hits = bvh.closest_hits(*given)
        points, index, found = hitscan.pyvista.multi_ray_trace(surface, *given, first_point=True)
        assert len(points) > 1000 and index.tolist() == np.flatnonzero(hits.hit).tolist()
        assert (points == hits.points[index]).all() and (found == cells[hits.triangle[index]]).all()
        lists = bvh.all_hits(*given, once_per_crossing=True)
        points, index, found = hitscan.pyvista.multi_ray_trace(surface, *given)
        assert (points == lists.points).all() and (index == lists.ray).all()
        assert (found == cells[lists.triangle]).all()
    for part in hitscan.pyvista.multi_ray_trace(surface, np.zeros((0, 3)), np.zeros((0, 3))):
        assert len(part) == 0


def test_rays_at_vertices_of_a_ball_are_never_lost(ball):
    targets = np.asarray(ball.points)
    origins = np.zeros_like(targets) + np.float32(0.01)
    _, index, _ = hitscan.pyvista.multi_ray_trace(ball, origins, targets - origins, first_point=True)
    lost = sum(len(ball.ray_trace(o, o + 3 * (t - o))[0]) == 0 for o, t in zip(origins, targets, strict=True))
    print(f"of {len(targets)} segments at vertices, VTK lost {lost}")
    assert index.tolist() == list(range(len(targets)))


def test_cells_count_vertices_and_lines_and_polygons_may_be_concave():
    points = np.array([[0, 0, 0], [4, 2, 0], [0, 4, 0], [1, 2, 0], [9, 9, 0]], float)
    mesh = pyvista.PolyData(points, verts=[1, 4], lines=[2, 0, 1], faces=[4, 0, 1, 2, 3, 3, 1, 4, 2])
    down = [[0, 0, -1]] * 3
    _, index, cells = hitscan.pyvista.multi_ray_trace(mesh, [[2, 2, 5], [0.5, 2, 5], [4, 4, 5]], down)
    assert index.tolist() == [0, 2] and cells.tolist() == [2, 3]
    converted, cells = hitscan.pyvista.from_polydata(mesh)
    assert len(converted) == 3 and cells.tolist() == [2, 2, 3]


def test_a_tree_is_kept_until_the_points_are_modified(ball):
    bvh = hitscan.pyvista.bvh_of(ball)
    assert hitscan.pyvista.bvh_of(ball) is bvh
    ball.points[:] *= 2
    again = hitscan.pyvista.bvh_of(ball)
    assert again is not bvh and again.bounds[1, 2] == 2 * bvh.bounds[1, 2]


def test_meshes_go_there_and_back(ball):
    mesh, _ = hitscan.pyvista.from_polydata(ball)
    back = hitscan.pyvista.to_polydata(mesh)
    assert (back.points == ball.points).all() and (back.regular_faces == ball.regular_faces).all()
    back.points[0] = 9
    assert (mesh.positions[0] == ball.points[0]).all()


def test_enable_replaces_both_methods_and_disable_brings_them_back(ball):
    before = pyvista.PolyData.multi_ray_trace, pyvista.PolyData.ray_trace
    origins, ways = rays(50)
    expected = hitscan.pyvista.multi_ray_trace(ball, origins, ways)
    hitscan.pyvista.enable()
    hitscan.pyvista.enable()
    try:
        for part, same in zip(ball.multi_ray_trace(origins, ways, retry=True), expected, strict=True):
            assert (part == same).all()
        points, cells = ball.ray_trace([0, 0, 0], [9, 0.1, 0.2])
        assert points.dtype == np.float64 and len(cells) == 1
    finally:
        hitscan.pyvista.disable()
    assert (pyvista.PolyData.multi_ray_trace, pyvista.PolyData.ray_trace) == before


def test_pyvistas_own_multi_ray_trace_works_through_trimesh(ball):
    pytest.importorskip("trimesh")
    import hitscan.trimesh

    origins, ways = rays(200)
    points, index, cells = hitscan.pyvista.multi_ray_trace(ball, origins, ways)
    hitscan.trimesh.enable()
    try:
        theirs = ball.multi_ray_trace(origins, ways)
    finally:
        hitscan.trimesh.disable()
    order = np.lexsort((np.linalg.norm(theirs[0] - origins[theirs[1]], axis=1), theirs[1]))
    assert theirs[1][order].tolist() == index.tolist() and theirs[2][order].tolist() == cells.tolist()
    np.testing.assert_allclose(theirs[0][order], points, atol=1e-5)


def test_wrong_arguments_are_named(ball):
    with pytest.raises(TypeError, match=r"mesh is a list, expected a pyvista.PolyData"):
        hitscan.pyvista.multi_ray_trace([], [[0, 0, 0]], [[0, 0, 1]])
    with pytest.raises(ValueError, match=r"directions has shape \(2, 3\), expected \(1, 3\)"):
        hitscan.pyvista.multi_ray_trace(ball, [[0, 0, 0]], np.ones((2, 3)))
    with pytest.raises(ValueError, match=r"end_point has shape \(2,\)"):
        hitscan.pyvista.ray_trace(ball, [0, 0, 0], [1, 1])
    with pytest.raises(ValueError, match=r"1 triangle strips.*triangulate"):
        hitscan.pyvista.from_polydata(pyvista.PolyData(np.eye(4)[:, :3], strips=[4, 0, 1, 2, 3]))
    with pytest.raises(TypeError, match=r"mesh is a PolyData, expected a hitscan.Mesh"):
        hitscan.pyvista.to_polydata(ball)
    empty = pyvista.PolyData()
    assert hitscan.pyvista.multi_ray_trace(empty, [[0, 0, 0]], [[0, 0, 1]])[0].shape == (0, 3)
