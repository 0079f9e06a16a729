"""What new users tried: wrong uses with their errors, and conveniences."""

import copy
import pickle
import types

import hitscan
import hitscan.open3d
import numpy as np
import pytest
from conftest import sphere

RAY = [[0.2, 0.2, 1.0]], [[0.0, 0.0, -1.0]]


@pytest.fixture
def bvh():
    return hitscan.Bvh(hitscan.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))


@pytest.fixture
def scene(bvh):
    scene = hitscan.Scene()
    scene.insert(bvh)
    return scene


pinhole = hitscan.open3d.RaycastingScene.create_rays_pinhole


def far():
    """A tree with an offset, whose rays keep their float64 numbers."""
    return hitscan.Bvh(hitscan.Mesh([[1e9, 0, 0], [1e9 + 1, 0, 0], [1e9, 1, 0]], [[0, 1, 2]]))


def rays_at(bvh, **options):
    scene = hitscan.open3d.RaycastingScene()
    scene.add_triangles(bvh.mesh)
    return scene.test_occlusions([[0, 0, 1, 0, 0, 1]], **options)


WRONG = [
    (
        lambda b, s: b.closest_hits(np.ma.masked_array(RAY[0], mask=True), RAY[1]),
        TypeError,
        r"origins is a masked",
    ),
    (lambda b, s: b.closest_hits(*RAY, faces=None), TypeError, r"faces is None, expected 'both'"),
    (lambda b, s: b.all_hits(*RAY, faces=1), TypeError, r"faces is 1, expected 'both'"),
    (lambda b, s: s.is_occluded(*RAY, faces=None), TypeError, r"faces is None, expected 'both'"),
    (lambda b, s: s.closest_hits(*RAY, ignore=[0.7]), TypeError, r"ignore is \[0.7\], expected ids"),
    (lambda b, s: s.closest_hits(*RAY, ignore=3), TypeError, r"ignore is 3, expected ids"),
    (
        lambda b, s: b.closest_points(RAY[0], max_distance=None),
        TypeError,
        r"max_distance is None, expected a number",
    ),
    (
        lambda b, s: s.closest_points(RAY[0], max_distance="a"),
        TypeError,
        r"max_distance is 'a', expected a number",
    ),
    (
        lambda b, s: b.winding_numbers(RAY[0], tolerance="a"),
        TypeError,
        r"tolerance is 'a', expected a number",
    ),
    (lambda b, s: b.sphere_casts(*RAY, radius="a"), TypeError, r"radius is 'a', expected a number"),
    (lambda b, s: hitscan.Bvh.load("x", max_bytes="a"), TypeError, r"max_bytes is 'a', expected an integer"),
    (lambda b, s: s.remove(77), ValueError, r"id is 77, which is no instance of the scene"),
    (lambda b, s: s.remove("a"), TypeError, r"id is 'a', expected an integer"),
    (lambda b, s: s.set_hidden(-1, True), ValueError, r"id is -1, which is no instance"),
    (lambda b, s: s.insert(b, parent=77), ValueError, r"parent is 77, which is no instance"),
    (lambda b, s: s.insert(b, name=5), TypeError, r"name is 5, expected a string or None"),
    (
        lambda b, s: hitscan.Camera((0, 0, 5), fov_y_degrees=200).view(10, 10),
        ValueError,
        r"fov_y_degrees is 200",
    ),
    (lambda b, s: hitscan.Camera((0, 5)), ValueError, r"eye has shape \(2,\), expected \(3,\)"),
    (
        lambda b, s: b.closest_hit((0, 0, 1), (0, 0, 1), t_min="a"),
        TypeError,
        r"t_min is 'a', expected a number",
    ),
    (lambda b, s: s.closest_hit((0, 0, 1), (0, 0, 1), t_max=None), TypeError, r"t_max is None, expected"),
    (lambda b, s: b.closest_point((0, 0, 1), max_distance="a"), TypeError, r"max_distance is 'a', expected"),
    (
        lambda b, s: s.closest_point((0, 0, 1), max_distance=[1]),
        TypeError,
        r"max_distance is \[1\], expected",
    ),
    (lambda b, s: far().closest_hit(None, (0, 0, 1)), TypeError, r"origin has dtype object"),
    (lambda b, s: far().closest_hit((0, 0), (0, 0, 1)), ValueError, r"origin has shape \(2,\)"),
    (
        lambda b, s: b.mesh_distance(b, max_distance=-1),
        ValueError,
        r"max_distance is -1.0, expected a number",
    ),
    (lambda b, s: s.instances_near(s.ids[0], np.nan), ValueError, r"max_distance is nan, expected a number"),
    (lambda b, s: s.instances_near("a", 1), TypeError, r"id is 'a', expected an integer"),
    (lambda b, s: s.instances_touching(77), ValueError, r"id is 77, which is no instance of the scene"),
    (
        lambda b, s: pinhole(np.zeros((3, 3)), np.eye(4), 4, 4),
        ValueError,
        r"intrinsic_matrix is .* no inverse",
    ),
    (lambda b, s: pinhole(np.eye(3), np.eye(4), 4.5, 4), TypeError, r"width_px is 4.5, expected an integer"),
    (lambda b, s: pinhole(0, [0, 0, 0], [0, 0, 1], [0, 1, 0], 4, 4), ValueError, r"fov_deg is 0.0, expected"),
    (lambda b, s: pinhole(9, [0, 0, 0], [0, 0, 1], [0, 1, 0], 4, 0), ValueError, r"height_px is 0, expected"),
    (lambda b, s: rays_at(b, tnear="a"), TypeError, r"tnear is 'a', expected a number"),
    (lambda b, s: rays_at(b, nthreads="a"), TypeError, r"nthreads is 'a', expected an integer"),
    (lambda b, s: hitscan.as_mesh(3), TypeError, r"mesh is a int, expected a mesh of hitscan, trimesh"),
]


@pytest.mark.parametrize(("call", "error", "text"), WRONG)
def test_a_wrong_argument_is_named(bvh, scene, call, error, text):
    with pytest.raises(error, match=text):
        call(bvh, scene)


def test_a_missing_file_and_a_folder_have_their_errno(tmp_path):
    for read in (hitscan.load, hitscan.Bvh.load):
        with pytest.raises(FileNotFoundError) as missing:
            read(tmp_path / "nothing.obj")
        assert missing.value.errno == 2 and missing.value.filename == str(tmp_path / "nothing.obj")
        with pytest.raises(IsADirectoryError) as folder:
            read(tmp_path)
        assert folder.value.filename == str(tmp_path)


def test_paths_of_bytes_are_paths(tmp_path, bvh):
    path = str(tmp_path / "mesh.obj").encode()
    bvh.mesh.save(path)
    assert len(hitscan.load(path)) == 1


def test_one_origin_or_direction_serves_all(bvh, scene):
    for surface in (bvh, scene):
        assert surface.closest_hits([0.2, 0.2, 1], [0, 0, -1]).hit.tolist() == [True]
        assert surface.closest_hits(RAY[0] * 3, [0, 0, -1]).hit.tolist() == [True] * 3
        assert surface.closest_hits(RAY[0] * 3, RAY[1]).t.tolist() == [1] * 3
        assert surface.is_occluded([0.2, 0.2, 1], RAY[1] * 2).tolist() == [True] * 2
        assert surface.closest_hits(np.zeros((0, 3)), np.zeros((0, 3))).hit.shape == (0,)
    with pytest.raises(ValueError, match=r"directions has shape \(2, 3\), expected \(3, 3\) as origins"):
        bvh.closest_hits(RAY[0] * 3, RAY[1] * 2)


def test_a_camera_of_arrays_has_a_hash_and_compares(bvh):
    camera = hitscan.Camera(np.array([0, 0, 5.0]), target=[0, 0, 0])
    assert camera == hitscan.Camera((0, 0, 5)) and len({camera, hitscan.Camera.framing(bvh)}) == 2


def test_the_notes_of_a_mesh_stay_with_its_tree():
    far = [[1e9, 0, 0], [1e9 + 1, 0, 0], [1e9, 1, 0]]
    mesh = hitscan.Mesh(far, [[0, 1, 2]], recentre=False)
    assert mesh.notes and hitscan.Bvh(mesh).mesh.notes == mesh.notes


def test_closest_points_have_hit_primitive_and_normals(bvh, scene):
    for surface in (bvh, scene):
        found = surface.closest_points([[0.2, 0.2, 1], [0.2, 0.2, 9]], max_distance=2)
        assert found.hit.tolist() == [True, False] and found.primitive is found.triangle
        again = pickle.loads(pickle.dumps(found))
        for one in (found, again):
            assert one.normals[0].tolist() == [0, 0, 1] and np.isnan(one.normals[1]).all()


def test_a_damaged_pickle_speaks_of_pickles(bvh):
    data = bytearray(pickle.dumps(bvh, protocol=4))
    data[len(data) // 2] ^= 255
    with pytest.raises(ValueError, match=r"pickle the tree again"):
        pickle.loads(bytes(data))


def test_meshes_of_other_packages_convert(bvh):
    positions, triangles = sphere(6, 8)
    legacy = types.SimpleNamespace(vertices=positions, triangles=triangles)
    tensors = types.SimpleNamespace(vertex={"positions": positions}, triangle={"indices": triangles})
    for other in (legacy, tensors):
        assert (hitscan.as_mesh(other).triangles == triangles).all()
    mesh = bvh.mesh
    assert hitscan.as_mesh(mesh) is mesh


def test_hits_become_a_data_frame(bvh, scene):
    pytest.importorskip("pandas")
    frame = bvh.closest_hits(*RAY).to_dataframe()
    assert frame.columns.tolist() == ["t", "triangle", "front", "u", "v", "x", "y", "z", "nx", "ny", "nz"]
    assert frame.t[0] == 1 and frame.nz[0] == 1
    frame = scene.all_hits(RAY[0] * 2, RAY[1]).to_dataframe()
    assert frame.ray.tolist() == [0, 1] and frame.instance.tolist() == [0, 0]


def test_answers_are_dictionaries_of_arrays(bvh, scene, tmp_path):
    pandas = pytest.importorskip("pandas")
    for hits in (bvh.closest_hits(*RAY), scene.closest_hits(*RAY), bvh.closest_points(RAY[0])):
        np.savez(tmp_path / "hits.npz", **hits.to_dict())
        again = np.load(tmp_path / "hits.npz")
        assert again["triangle"].tolist() == [0] and again["uv"].dtype == np.float32
    frame = bvh.sphere_casts_all(*RAY, radius=0.1).to_dataframe()
    assert isinstance(frame, pandas.DataFrame) and frame.ball.tolist() == [0] and frame.nz[0] == 1


def test_answers_of_open3d_have_the_methods_of_its_tutorial():
    scene = hitscan.open3d.RaycastingScene(nthreads=-1)
    scene.add_triangles(*(np.asarray(part) for part in sphere(6, 8)))
    t = scene.cast_rays([[0, 0, 5, 0, 0, -1], [9, 9, 9, 1, 0, 0]])["t_hit"]
    assert t.isfinite().numpy().tolist() == [True, False] == t.isinf().logical_not().tolist()
    assert t.num_elements() == 2 and not t.isnan().any() and t.T().shape == (2,)
    assert t.to("Float64").dtype == np.float64 and t[:1].to(np.int32, copy=True).dtype == np.int32
    clone = t.clone()
    clone[0] = 7
    assert t[0] != 7 and isinstance(clone.contiguous(), hitscan.open3d.Array)


def test_the_proximity_of_trimesh_is_hitscans():
    trimesh = pytest.importorskip("trimesh")
    pytest.importorskip("rtree")
    import hitscan.trimesh

    mesh = trimesh.creation.icosphere(subdivisions=2)
    mesh.apply_translation([100, 200, 300])
    points = np.random.default_rng(1).uniform(-1.5, 1.5, (200, 3)) + np.array([100, 200, 300])
    closest, distance, _ = mesh.nearest.on_surface(points)
    signed = mesh.nearest.signed_distance(points)
    hitscan.trimesh.enable()
    try:
        for _ in range(2):
            mine = mesh.nearest.on_surface(points)
            np.testing.assert_allclose(mine[0], closest, atol=1e-4)
            np.testing.assert_allclose(mine[1], distance, atol=1e-5)
            assert mine[2].dtype == np.int64
            np.testing.assert_allclose(mesh.nearest.signed_distance(points), signed, atol=1e-5)
            moved = copy.deepcopy(mesh)
            moved.apply_translation([1, 0, 0])
            assert abs(moved.nearest.on_surface(points)[1] - mine[1]).max() > 0.1
    finally:
        hitscan.trimesh.disable()
    assert trimesh.proximity.closest_point is not hitscan.trimesh.closest_point
