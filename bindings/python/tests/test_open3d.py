"""The drop-in for Open3D."""

import numpy as np
import pytest
from conftest import sphere
from hitscan.open3d import RaycastingScene


@pytest.fixture(params=["hitscan", "open3d"])
def scene_class(request):
    """Both classes: what holds for theirs holds for ours."""
    if request.param == "hitscan":
        return RaycastingScene
    return pytest.importorskip("open3d").t.geometry.RaycastingScene


def two_spheres(scene_class):
    scene = scene_class()
    positions, triangles = sphere()
    assert scene.add_triangles(positions, triangles.astype(np.uint32)) == 0
    moved = positions + np.float32([5, 0, 0])
    assert scene.add_triangles(moved, triangles.astype(np.uint32)) == 1
    return scene


RAYS = np.array(
    [[[0.01, 0.02, 5, 0, 0, -1], [5.01, 0.02, 5, 0, 0, -2]], [[9, 9, 9, 1, 0, 0], [0, 0.01, 0, 1, 0, 0]]],
    dtype=np.float32,
)
DTYPES = {
    "t_hit": np.float32,
    "geometry_ids": np.uint32,
    "primitive_ids": np.uint32,
    "primitive_uvs": np.float32,
    "primitive_normals": np.float32,
    "points": np.float32,
}


def test_cast_rays(scene_class):
    hits = two_spheres(scene_class).cast_rays(RAYS)
    assert sorted(hits) == [
        "geometry_ids", "primitive_ids", "primitive_normals", "primitive_uvs", "t_hit"
    ]  # fmt: skip
    arrays = {name: array.numpy() for name, array in hits.items()}
    assert all(array.dtype == DTYPES[name] for name, array in arrays.items())
    invalid = scene_class.INVALID_ID
    assert arrays["geometry_ids"].tolist() == [[0, 1], [invalid, 0]]
    assert arrays["primitive_ids"][1, 0] == invalid and arrays["primitive_ids"].max() == invalid
    assert arrays["primitive_ids"][0, 0] == arrays["primitive_ids"][0, 1]
    assert arrays["t_hit"][0] == pytest.approx([4, 2], abs=0.01) and np.isinf(arrays["t_hit"][1, 0])
    assert arrays["primitive_uvs"].shape == (2, 2, 2)
    assert (arrays["primitive_normals"][1, 0] == 0).all()
    assert arrays["primitive_normals"][0, 0, 2] == pytest.approx(1, abs=0.1)


def test_other_queries_of_rays(scene_class):
    scene = two_spheres(scene_class)
    occluded = scene.test_occlusions(RAYS).numpy()
    assert occluded.tolist() == [[True, True], [False, True]] and occluded.dtype == np.bool_
    assert scene.test_occlusions(RAYS, tfar=1.5).numpy().tolist() == [[False, False], [False, True]]
    assert scene.test_occlusions(RAYS, tnear=7).numpy().tolist() == [[False] * 2] * 2
    count = scene.count_intersections(RAYS).numpy()
    assert count.tolist() == [[2, 2], [0, 3]] and count.dtype == np.int32
    lists = {name: array.numpy() for name, array in scene.list_intersections(RAYS).items()}
    assert lists["ray_splits"].tolist() == [0, 2, 4, 4, 7]
    assert lists["ray_ids"].tolist() == [0, 0, 1, 1, 3, 3, 3]
    assert lists["geometry_ids"].tolist() == [0, 0, 1, 1, 0, 1, 1]
    assert lists["t_hit"][4:] == pytest.approx([1, 4, 6], abs=0.01)
    assert sorted(lists) == [
        "geometry_ids", "primitive_ids", "primitive_uvs", "ray_ids", "ray_splits", "t_hit"
    ]  # fmt: skip
    assert lists["t_hit"].dtype == np.float32 and lists["primitive_ids"].dtype == np.uint32


def test_queries_of_points(scene_class):
    scene = two_spheres(scene_class)
    points = np.array([[[0, 0, 0.5], [5, 0, 3]]], np.float32)
    found = {name: array.numpy() for name, array in scene.compute_closest_points(points).items()}
    assert all(array.dtype == DTYPES[name] for name, array in found.items())
    assert found["geometry_ids"].tolist() == [[0, 1]]
    assert found["points"][0, 1] == pytest.approx([5, 0, 1])
    assert scene.compute_distance(points).numpy()[0] == pytest.approx([0.5, 2], abs=0.01)
    signed = scene.compute_signed_distance(points).numpy()
    assert signed[0] == pytest.approx([-0.5, 2], abs=0.01) and signed.dtype == np.float32
    occupancy = scene.compute_occupancy(points, nsamples=3).numpy()
    assert occupancy.tolist() == [[1, 0]] and occupancy.dtype == np.float32


def test_random_rays_agree_with_open3d():
    theirs = two_spheres(pytest.importorskip("open3d").t.geometry.RaycastingScene)
    ours = two_spheres(RaycastingScene)
    rays = np.random.default_rng(3).uniform(-1, 1, (20000, 6)).astype(np.float32) * [4, 4, 4, 1, 1, 1]
    rays = rays.astype(np.float32)
    a, b = theirs.cast_rays(rays), ours.cast_rays(rays)
    same = a["primitive_ids"].numpy() == b["primitive_ids"].numpy()
    assert same.mean() > 0.999
    for name in ("t_hit", "primitive_uvs", "primitive_normals"):
        assert np.allclose(a[name].numpy()[same], b[name].numpy()[same], atol=1e-3), name
    assert (a["geometry_ids"].numpy()[same] == b["geometry_ids"].numpy()[same]).all()


def test_rays_of_a_camera(scene_class):
    k = [[100.0, 0, 32], [0, 110, 24], [0, 0, 1]]
    world_to_camera = np.array([[0, 1, 0, 3], [0, 0, 1, 2], [1, 0, 0, 1], [0, 0, 0, 1.0]])
    rays = scene_class.create_rays_pinhole(
        intrinsic_matrix=np.array(k), extrinsic_matrix=world_to_camera, width_px=64, height_px=48
    ).numpy()
    assert rays.shape == (48, 64, 6) and rays.dtype == np.float32
    assert rays[0, 0, :3] == pytest.approx([-1, -3, -2])
    assert rays[24, 32] == pytest.approx([-1, -3, -2, 1, 0.005, 0.5 / 110])
    rays = scene_class.create_rays_pinhole(
        fov_deg=90, center=[0, 0, 0], eye=[0, 0, 4], up=[0, 1, 0], width_px=2, height_px=2
    ).numpy()
    assert rays[0, 0] == pytest.approx([0, 0, 4, 0.5, -0.5, -1], abs=1e-6)
    assert rays[1, 1] == pytest.approx([0, 0, 4, -0.5, 0.5, -1], abs=1e-6)


def test_an_empty_scene_and_meshes_as_objects(ball):
    scene = RaycastingScene(nthreads=2)
    assert np.isinf(scene.cast_rays(RAYS)["t_hit"]).all()
    assert scene.add_triangles(ball) == 0
    assert scene.cast_rays(RAYS)["geometry_ids"][0, 0].numpy() == 0
    trimesh = pytest.importorskip("trimesh")
    assert scene.add_triangles(trimesh.creation.box()) == 1


BAD = [
    (lambda s: s.cast_rays(np.zeros((3, 5))), ValueError, r"rays.*\(3, 5\)"),
    (lambda s: s.compute_distance(np.zeros((3, 2))), ValueError, r"query_points.*\(3, 2\)"),
    (lambda s: s.compute_occupancy(np.zeros((3, 3)), nsamples=2), ValueError, "nsamples is 2"),
    (lambda s: s.cast_rays(RAYS, nthreads=-2), ValueError, "threads is -2"),
    (lambda s: s.add_triangles(np.zeros((3, 3)), [[0, 1, 3]]), ValueError, "3"),
    (lambda s: s.add_triangles(7), TypeError, "int"),
    (lambda s: s.create_rays_pinhole(90, [0, 0, 1], [0, 0, 0], [0, 0, 1], 4, 4), ValueError, "line"),
]


@pytest.mark.parametrize(("call", "error", "text"), BAD)
def test_bad_arguments_are_named(call, error, text):
    with pytest.raises(error, match=text):
        call(two_spheres(RaycastingScene))
