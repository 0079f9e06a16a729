"""Pairs of meshes: overlap, crossings and distance, and the instances around one."""

import hitscan
import numpy as np
import pytest

# A cube from -1 to 1: each face two triangles.
CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float32)
QUADS = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
TRIANGLES = np.array([t for a, b, c, d in QUADS for t in ([a, b, c], [a, c, d])], np.uint32)


@pytest.fixture(scope="module")
def cube():
    return hitscan.Bvh(hitscan.Mesh(CORNERS, TRIANGLES))


def moved(*by):
    matrix = np.eye(4)
    matrix[:3, 3] = by
    return matrix


def test_cubes_overlap_exactly_when_they_touch(cube):
    assert cube.overlaps_mesh(cube)
    assert cube.overlaps_mesh(cube, moved(2, 0.5, 0.25))
    assert not cube.overlaps_mesh(cube, moved(np.nextafter(2, 3), 0.5, 0.25))
    assert len(cube.overlapping_mesh(cube, moved(3, 0, 0))) == 0
    pairs = cube.overlapping_mesh(cube, moved(2, 0.5, 0.25))
    assert pairs.dtype == np.uint32 and pairs.shape[1] == 2
    assert pairs.tolist() == sorted(pairs.tolist())
    # A cube within a larger one touches nothing.
    assert not cube.overlaps_mesh(cube, np.diag([0.5, 0.5, 0.5, 1]))


def test_the_distance_has_its_two_points(cube):
    found = cube.mesh_distance(cube, moved(5, 0.5, 0.25))
    assert isinstance(found, hitscan.MeshDistance) and found.distance == 3
    assert found.points.shape == (2, 3) and found.triangles.shape == (2,)
    assert found.points[:, 0].tolist() == [1, 4]
    assert cube.mesh_distance(cube, moved(5, 0.5, 0.25), max_distance=2.5) is None
    assert cube.mesh_distance(cube, moved(2, 0, 0)).distance == 0
    empty = hitscan.Bvh(hitscan.Mesh(np.empty((0, 3)), np.empty((0, 3), np.uint32)))
    assert cube.mesh_distance(empty) is None and not empty.overlaps_mesh(cube)


def test_a_surface_intersects_itself_only_beyond_its_shared_corners_and_edges(cube):
    assert cube.self_intersections().shape == (0, 2) and not cube.has_self_intersections()
    # Also if the triangles share no index.
    separate = hitscan.Bvh(hitscan.Mesh(CORNERS[TRIANGLES].reshape(-1, 3), np.arange(36).reshape(-1, 3)))
    assert not separate.has_self_intersections()
    doubled = hitscan.Bvh(hitscan.Mesh(CORNERS, np.concatenate([TRIANGLES, TRIANGLES[:, ::-1]])))
    pairs = doubled.self_intersections()
    assert pairs.dtype == np.uint32 and pairs.tolist() == [[i, i + 12] for i in range(12)]
    assert doubled.has_self_intersections()
    two = np.concatenate([CORNERS, CORNERS + np.array([1, 1.25, 0.5])])
    both = hitscan.Bvh(hitscan.Mesh(two, np.concatenate([TRIANGLES, TRIANGLES + 8])))
    expected = cube.overlapping_mesh(cube, moved(1, 1.25, 0.5)) + np.array([0, 12])
    assert both.self_intersections().tolist() == expected.tolist()


def test_crossings_form_closed_lines(cube):
    found = cube.mesh_crossings(cube, moved(1, 1.25, 0.5))
    assert found.segments.shape == (len(found), 2, 3) and len(found) > 6
    ends = [tuple(end) for segment in found.segments.tolist() if segment[0] != segment[1] for end in segment]
    assert all(ends.count(end) % 2 == 0 for end in ends)
    pairs = {tuple(pair) for pair in cube.overlapping_mesh(cube, moved(1, 1.25, 0.5)).tolist()}
    assert {tuple(pair) for pair in found.triangles.tolist()} <= pairs


def test_meshes_with_offsets_meet_in_the_space_of_the_first():
    far, place = 1e7, moved(2.5, 0, 0)
    first, _ = recentred(far)
    second, _ = recentred(2 * far)
    place[0, 3] -= far
    found = first.mesh_distance(second, place)
    assert found.distance == 0.5
    assert found.points[:, 0].tolist() == [far + 1, far + 1.5]


def recentred(x):
    mesh = hitscan.Mesh(CORNERS.astype(np.float64) + np.array([x, 0, 0]), TRIANGLES)
    return hitscan.Bvh(mesh), mesh.offset


def test_bad_arguments_are_errors(cube):
    with pytest.raises(TypeError, match="other is a ndarray, expected a Bvh"):
        cube.overlaps_mesh(CORNERS)
    with pytest.raises(ValueError, match=r"transform has shape \(3, 3\), expected \(4, 4\)"):
        cube.overlaps_mesh(cube, np.eye(3))
    with pytest.raises(ValueError, match="second mesh is not finite: found NaN"):
        cube.overlapping_mesh(cube, moved(np.nan, 0, 0))
    with pytest.raises(ValueError, match="last row"):
        cube.mesh_crossings(cube, np.ones((4, 4)))
    for bad in (-1, np.nan):
        with pytest.raises(ValueError, match="max_distance is"):
            cube.mesh_distance(cube, max_distance=bad)


def test_instances_touch_and_are_near(cube):
    scene = hitscan.Scene()
    one = scene.insert(cube)
    touching = scene.insert(cube, moved(2, 0, 0))
    near = scene.insert(cube, moved(0, 2.5, 0))
    hidden = scene.insert(cube, moved(0, 0, 1), hidden=True)
    scene.insert(None)
    assert scene.instances_touching(one).tolist() == [touching]
    assert scene.instances_touching(one, include_hidden=True).tolist() == [touching, hidden]
    found = scene.instances_near(one, 0.5)
    assert found.instance.tolist() == [touching, near] and found.distance.tolist() == [0, 0.5]
    assert found.points.shape == (2, 2, 3) and found.points[1, :, 1].tolist() == [1, 1.5]
    assert found.triangles.shape == (2, 2) and len(found) == 2
    assert len(scene.instances_near(one, 0.4, ignore=[touching])) == 0
    with pytest.raises(ValueError, match="no instance"):
        scene.instances_touching(12345)
    for bad in (-1, np.nan):
        with pytest.raises(ValueError, match="max_distance is"):
            scene.instances_near(one, bad)
