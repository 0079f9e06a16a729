"""The engine for trimesh."""

import copy
import pickle

import hitscan.trimesh
import numpy as np
import pytest
from hitscan.trimesh import RayMeshIntersector

trimesh = pytest.importorskip("trimesh")


@pytest.fixture
def box():
    mesh = trimesh.creation.box(extents=[2, 2, 2])
    mesh.ray = RayMeshIntersector(mesh)
    return mesh


def test_a_shared_edge_is_one_hit(box):
    # Along the diagonals of two faces.
    locations, rays, triangles = box.ray.intersects_location([[0, 0, 5.0]], [[0, 0, -1.0]])
    assert locations.tolist() == [[0, 0, 1], [0, 0, -1]] and locations.dtype == np.float64
    assert rays.tolist() == [0, 0] and len(triangles) == 2


def test_corners_are_hit_from_inside(box):
    directions = np.asarray(box.vertices)
    origins = np.zeros_like(directions)
    assert box.ray.intersects_any(origins, directions).all()
    assert (box.ray.intersects_first(origins, directions) >= 0).all()
    _, rays, _ = box.ray.intersects_location(origins, directions)
    assert (np.bincount(rays, minlength=8) == 1).all()


def test_an_origin_on_the_surface_is_a_hit_at_zero(box):
    triangles, rays, locations = box.ray.intersects_id(
        [[0.3, 0.2, 1.0]], [[0, 0, -1.0]], return_locations=True
    )
    assert rays.tolist() == [0, 0] and locations[:, 2].tolist() == [1, -1]
    assert triangles.dtype == np.int64


def test_empty_answers_have_the_shapes_of_trimesh(box):
    miss = [[9.0, 9, 9]], [[1.0, 0, 0]]
    locations, rays, triangles = box.ray.intersects_location(*miss)
    assert locations.shape == (0, 3) and rays.shape == (0,) and triangles.shape == (0,)
    assert [len(part) for part in box.ray.intersects_id(*miss, multiple_hits=False)] == [0, 0]
    assert box.ray.intersects_first(*miss).tolist() == [-1]
    nothing = np.zeros((0, 3))
    assert box.ray.intersects_any(nothing, nothing).shape == (0,)
    assert box.ray.contains_points(nothing).shape == (0,)


def test_max_hits_bounds_the_hits_of_a_ray(box):
    ray = [[0.1, 0.2, 5.0]], [[0, 0, -1.0]]
    assert len(box.ray.intersects_id(*ray)[0]) == 2
    assert len(box.ray.intersects_id(*ray, max_hits=1)[0]) == 1


def test_locations_are_exact_far_from_the_origin(box):
    box.apply_translation([1e6, -2e6, 3e6])
    origin = np.array([[1e6 + 0.123456789, -2e6 + 0.2, 3e6 + 5]])
    locations, _, _ = box.ray.intersects_location(origin, [[0, 0, -1.0]])
    assert locations[:, 0] == pytest.approx([1e6 + 0.123456789] * 2, abs=1e-8)
    assert locations[:, 2] == pytest.approx([3e6 + 1, 3e6 - 1], abs=1e-8)


def test_a_mesh_changed_in_place_is_noticed(box):
    ray = [[0.1, 0.2, 5.0]], [[0, 0, -1.0]]
    assert box.ray.intersects_location(*ray)[0][0, 2] == 1
    box.vertices[:, 2] *= 2
    assert box.ray.intersects_location(*ray)[0][0, 2] == 2


def test_meshes_copy_and_pickle_after_a_query(box):
    ray = [[0.1, 0.2, 5.0]], [[0, 0, -1.0]]
    box.ray.intersects_any(*ray)
    for again in (copy.deepcopy(box), pickle.loads(pickle.dumps(box)), box.copy()):
        assert again.ray.intersects_any(*ray).tolist() == [True]
    assert copy.copy(box.ray).intersects_any(*ray).tolist() == [True]


def test_contains_points(box):
    points = [[0, 0, 0], [0.99, 0.99, 0.99], [1.01, 0, 0], [0, 0, 50]]
    assert box.ray.contains_points(points).tolist() == [True, True, False, False]
    box.invert()
    assert box.ray.contains_points(points).tolist() == [True, True, False, False]
    box.update_faces(np.arange(len(box.faces)) != 3)
    assert box.ray.contains_points([[0, 0, 0], [0, 0, 50]]).tolist() == [True, False]


def test_enable_and_disable():
    hitscan.trimesh.enable()
    hitscan.trimesh.enable()
    try:
        assert isinstance(trimesh.creation.icosphere().ray, RayMeshIntersector)
        from trimesh.ray.ray_pyembree import RayMeshIntersector as named

        assert named is RayMeshIntersector
    finally:
        hitscan.trimesh.disable()
    assert not isinstance(trimesh.creation.icosphere().ray, RayMeshIntersector)


def test_bad_arguments_are_named(box):
    with pytest.raises(ValueError, match=r"ray_directions.*\(2, 3\)"):
        box.ray.intersects_any(np.zeros((1, 3)), np.zeros((2, 3)))
    with pytest.raises(ValueError, match=r"ray_origins.*\(2, 2\)"):
        box.ray.intersects_any(np.zeros((2, 2)), np.zeros((2, 2)))
    with pytest.raises(ValueError, match=r"points.*\(3,\)"):
        box.ray.contains_points([0, 0, 0])
