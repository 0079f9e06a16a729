"""Scenes of instances."""

import pickle

import hitscan
import numpy as np
import pytest


def moved(x, y, z):
    matrix = np.eye(4)
    matrix[:3, 3] = [x, y, z]
    return matrix


@pytest.fixture
def scene(ball_bvh):
    scene = hitscan.Scene()
    group = scene.insert(None, moved(100, 0, 0), name="group")
    scene.insert(ball_bvh, moved(0, 0, 0), parent=group, name="near", layers=1)
    scene.insert(ball_bvh, moved(0, 0, -10), parent=group, name="far", layers=2)
    return scene


RAY = [[100.01, 0.02, 5.0]], [[0.0, 0.0, -1.0]]


def test_hits_are_in_world_space(scene):
    group, near, far = scene.ids
    hits = scene.closest_hits(*RAY)
    assert hits.instance.tolist() == [near]
    assert hits.t == pytest.approx([4], abs=0.01)
    assert hits.points[0] == pytest.approx([100.01, 0.02, 1], abs=0.01)
    assert hits.normals[0] == pytest.approx([0, 0, 1], abs=0.1)
    lists = scene.all_hits(*RAY)
    assert lists.instance.tolist() == [near, near, far, far]
    assert lists.splits.tolist() == [0, 4]
    assert scene.nearest_hits(*RAY, n=1).t.tobytes() == hits.t.tobytes()
    assert scene.count_crossings(*RAY).tolist() == [4]
    assert [scene.signed_crossings(*RAY, t_max=t).tolist() for t in (3, 5, 16)] == [[0], [1], [0]]
    assert scene.closest_hits(*RAY, layers=2).instance.tolist() == [far]
    assert scene.closest_hits(*RAY, ignore=[near]).instance.tolist() == [far]
    assert not scene.is_occluded(*RAY, ignore=[group]).any()


def test_balls_are_round_in_the_world(scene):
    _, near, far = scene.ids
    found = scene.sphere_casts([[101.2, 0, 5]], [[0, 0, -1]], radius=0.5)
    assert found.instance.tolist() == [near] and found.hit.all()
    assert found.points + 0.5 * found.normals == pytest.approx(np.array([[101.2, 0, 5 - found.t[0]]]))
    assert scene.sphere_casts(*RAY, radius=0.5, layers=2).instance.tolist() == [far]
    nothing = scene.sphere_casts(*RAY, radius=0.5, ignore=[near, far])
    assert nothing.instance.tolist() == [-1] and nothing.feature.tolist() == [255]
    lists = scene.sphere_casts_all(*RAY, radius=0.5)
    assert lists.splits.tolist() == [0, len(lists)] and set(lists.instance.tolist()) == {near, far}
    first = scene.sphere_casts(*RAY, radius=0.5)
    assert lists.t[0] == first.t[0] and lists.points[0].tolist() == first.points[0].tolist()
    assert scene.sphere_casts_any(*RAY, radius=0.5, layers=2).tolist() == [True]
    assert scene.sphere_casts_any(*RAY, radius=0.5, ignore=[near, far]).tolist() == [False]
    without = scene.sphere_casts(*RAY, radius=0)
    assert without.t.tobytes() == scene.closest_hits(*RAY).t.tobytes()
    scene.set_transform(near, np.diag([4.0, 1, 1, 1]))
    stretched = scene.sphere_casts([[100, 0, 5]], [[0, 0, -1]], radius=0.5)
    assert stretched.t.tolist() == [3.5] and stretched.normals.tolist() == [[0, 0, 1]]


def test_points_of_the_surface(scene):
    _, near, _ = scene.ids
    found = scene.closest_points([[103.0, 0, 0], [100.0, 0, 0.5]])
    assert found.instance.tolist() == [near, near]
    assert found.distance == pytest.approx([2, 0.5], abs=0.02)
    assert scene.signed_distances([[103, 0, 0], [100, 0, 0.5]]) == pytest.approx([2, -0.5], abs=0.02)


def test_edits(scene, ball_bvh):
    group, near, far = scene.ids
    scene.set_hidden(near, True)
    assert scene.closest_hits(*RAY).instance.tolist() == [far]
    assert scene.closest_hits(*RAY, include_hidden=True).instance.tolist() == [near]
    scene.set_hidden(near, False)
    scene.set_transform(near, moved(50, 0, 0))
    assert scene.world_transform(near)[:3, 3].tolist() == [150, 0, 0]
    assert scene.closest_hits(*RAY).instance.tolist() == [far]
    scene.set_world_transform(near, moved(100, 0, 0))
    assert scene.closest_hits(*RAY).instance.tolist() == [near]
    scene.set_mesh(near, None)
    assert scene.instance(near).bvh is None
    scene.remove(group)
    assert len(scene) == 0 and scene.ids == [] and not scene.is_occluded(*RAY).any()
    with pytest.raises(ValueError, match="instance"):
        scene.set_hidden(far, True)


def test_one_instance_at_the_origin_answers_like_its_tree(ball_bvh, rays):
    scene = hitscan.Scene()
    scene.insert(ball_bvh)
    expected = ball_bvh.closest_hits(*rays)
    hits = scene.closest_hits(*rays)
    assert (hits.hit == expected.hit).mean() > 0.999
    assert hits.t[hits.hit] == pytest.approx(expected.t[hits.hit], rel=1e-4)


def test_pickles_share_trees(scene, rays):
    data = pickle.dumps(scene)
    again = pickle.loads(data)
    _, near, far = again.ids
    assert again.instance(near).bvh is again.instance(far).bvh
    assert again.instance(far).name == "far" and again.instance(far).layers == 2
    origins = rays[0] * 10 + [100, 0, 0]
    a, b = scene.closest_hits(origins, rays[1]), again.closest_hits(origins, rays[1])
    assert a.t.tobytes() == b.t.tobytes() and a.uv.tobytes() == b.uv.tobytes()


BAD = [
    (lambda s, b: s.insert(b, np.eye(3)), ValueError, r"transform.*\(3, 3\)"),
    (lambda s, b: s.insert(b, np.zeros((4, 4))), ValueError, "last row"),
    (lambda s, b: s.insert(b, np.diag([1, 0, 1, 1])), ValueError, "transform|singular"),
    (lambda s, b: s.insert(b, np.diag([1, np.nan, 1, 1])), ValueError, "finite|NaN"),
    (lambda s, b: s.insert(3), TypeError, "int"),
    (lambda s, b: s.insert(b, parent=77), ValueError, "77"),
    (lambda s, b: s.insert(b, layers=-1), ValueError, "layers is -1"),
    (lambda s, b: s.remove(-5), ValueError, "-5"),
    (lambda s, b: s.closest_hits(*RAY, ignore=[-1]), ValueError, "-1"),
    (lambda s, b: s.nearest_hits(*RAY, n=-1), ValueError, "n is -1"),
]


@pytest.mark.parametrize(("call", "error", "text"), BAD)
def test_bad_arguments_are_named(scene, ball_bvh, call, error, text):
    with pytest.raises(error, match=text):
        call(scene, ball_bvh)


def test_bounds_are_those_of_the_vertices(ball, ball_bvh):
    scene = hitscan.Scene()
    assert np.isinf(scene.bounds).all()
    scene.insert(ball_bvh, moved(0, 0, 0))
    positions = ball.positions.astype(np.float64)
    assert scene.bounds.tolist() == [positions.min(axis=0).tolist(), positions.max(axis=0).tolist()]
    angle = np.pi / 4
    turn = np.eye(4)
    turn[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    scene.set_transform(scene.ids[0], turn)
    images = positions @ turn[:3, :3].T
    expected = [images.min(axis=0), images.max(axis=0)]
    assert scene.bounds == pytest.approx(np.array(expected), abs=1e-15)


def test_insides_keep_float64_where_the_coordinates_of_a_mesh_are_large():
    """A cube of 4 m in metres of a map, whose instance moves it home. float32 has steps of 0.5 there."""
    away = np.array([5e6, 5e6, 0.0])
    corners = np.array([[x, y, z] for x in (0, 4) for y in (0, 4) for z in (0, 4)]) + away
    faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    triangles = [t for a, b, c, d in faces for t in ([a, b, c], [a, c, d])]
    scene = hitscan.Scene()
    scene.insert(hitscan.Bvh(hitscan.Mesh(corners.astype(np.float32), triangles)), moved(*-away))
    assert scene.bounds.tolist() == [[0, 0, 0], [4, 4, 4]]
    distances = scene.signed_distances([[0.2, 2, 2], [-0.2, 2, 2], [3.9, 2, 2]])
    assert distances == pytest.approx([-0.2, 0.2, -0.1], abs=1e-8)


@pytest.mark.parametrize("name", ["include_hidden", "include_locked"])
def test_a_flag_without_a_truth_value_is_named(scene, name):
    flag = {name: np.array([1, 2])}
    for call in (scene.closest_hits, scene.is_occluded, scene.all_hits):
        with pytest.raises(TypeError, match=rf"{name} is array\(\[1, 2\]\), expected True or False"):
            call(*RAY, **flag)
    with pytest.raises(TypeError, match=name):
        scene.closest_hit((0, 0, 5), (0, 0, -1), **flag)
    assert scene.closest_hits(*RAY, **{name: np.array([1])}).hit.all()


def test_a_picture_of_few_instances_has_the_hits_of_single_rays(ball_bvh):
    scene = hitscan.Scene()
    for x in (0.0, 0.7, 0.0):
        matrix = np.diag([1.0, 0.8, 1.2, 1.0])
        matrix[0, 3] = x
        scene.insert(ball_bvh, matrix)
    x, y = np.meshgrid(np.linspace(-0.3, 0.4, 90), np.linspace(-0.3, 0.3, 60))
    ways = np.stack([x, y, np.full_like(x, -1.0)], -1).reshape(-1, 3)
    origins = np.broadcast_to([0.1, 0.2, 5.0], ways.shape)
    hits, occluded = scene.closest_hits(origins, ways), scene.is_occluded(origins, ways)
    assert 1000 < hits.hit.sum() < 4400 and (occluded == hits.hit).all()
    for i in range(0, len(ways), 17):
        single = scene.closest_hit(origins[i], ways[i])
        assert (single is None) == (not hits.hit[i])
        if single:
            found = hits.t[i], hits.instance[i], hits.triangle[i], tuple(hits.uv[i].tolist())
            assert found == (single.t, single.instance, single.triangle, single.uv)
