"""A scene answers what a tree answers: inside, winding numbers, regions, single queries, files."""

import hitscan
import numpy as np
import pytest
from conftest import sphere
from hitscan import picking


@pytest.fixture
def street(ball_bvh):
    """A ball, a mirrored and a moved one below a group, and a hidden one."""
    scene = hitscan.Scene()
    scene.insert(ball_bvh, name="first", layers=1)
    group = scene.insert(None, np.diag([1, 1, 1, 1.0]) + np.eye(4, k=3) * 5)
    scene.insert(ball_bvh, np.diag([-2, 2, 2, 1.0]), parent=group, name="mirrored", layers=2)
    scene.insert(ball_bvh, np.eye(4) + np.eye(4, k=3) * 0.5, locked=True)
    scene.insert(ball_bvh, np.eye(4) + np.eye(4, k=3) * -9, hidden=True)
    return scene


def points(n=500):
    return np.random.default_rng(3).uniform([-2, -2, -2], [8, 2, 2], (n, 3))


def methods(kind):
    return {name for name in dir(kind) if not name.startswith("_") and callable(getattr(kind, name))}


def test_a_scene_has_every_query_of_a_tree():
    of_two_meshes = {"mesh_crossings", "mesh_distance", "overlaps_mesh", "overlapping_mesh"}
    of_one = {"self_intersections", "has_self_intersections"}
    # set_mesh and update are the refit of a scene.
    assert methods(hitscan.Bvh) - methods(hitscan.Scene) == of_two_meshes | of_one | {"refit"}


def test_a_scene_of_one_mesh_is_inside_where_its_mesh_is(ball_bvh):
    scene = hitscan.Scene()
    scene.insert(ball_bvh)
    at = points()
    inside = scene.is_inside(at)
    assert 0 < inside.sum() < len(at) and (inside == ball_bvh.is_inside(at)).all()
    assert (inside == (scene.signed_distances(at) < 0)).all()
    np.testing.assert_allclose(scene.winding_numbers(at), ball_bvh.winding_numbers(at), atol=1e-3)


def test_winding_numbers_of_instances_add_up_also_of_mirrored_ones(street):
    at = [[0, 0, 0], [0.4, 0, 0], [5, 0, 0], [6.5, 0, 0], [-9, 0, 0], [20, 0, 0]]
    assert np.rint(street.winding_numbers(at)).tolist() == [1, 1, 1, 1, 0, 0]
    number = street.winding_numbers(at, include_locked=True, include_hidden=True, tolerance=0)
    assert np.rint(number).tolist() == [2, 2, 1, 1, 1, 0]
    assert street.is_inside(at, layers=2).tolist() == [False, False, True, True, False, False]
    with pytest.raises(ValueError, match=r"tolerance is -1.0, expected a number from 0 on"):
        street.winding_numbers(at, tolerance=-1)


@pytest.mark.parametrize("turned", [False, True])
def test_an_inside_out_solid_has_the_same_inside_everywhere(turned):
    positions, triangles = sphere()
    bvh = hitscan.Bvh(hitscan.Mesh(positions, triangles[:, ::-1] if turned else triangles))
    scene = hitscan.Scene()
    scene.insert(bvh)
    at = [[0.2, 0.1, 0.3], [2, 0, 0]]
    for surface in (bvh, scene):
        assert surface.is_inside(at).tolist() == [True, False]
        assert (surface.signed_distances(at) < 0).tolist() == [True, False]
        assert np.rint(surface.winding_numbers(at)).tolist() == [-1 if turned else 1, 0]


def test_the_tolerance_of_winding_numbers_bounds_their_error():
    positions, triangles = sphere()
    bvh = hitscan.Bvh(hitscan.Mesh(positions, np.delete(triangles, np.s_[::5], axis=0)))
    scene = hitscan.Scene()
    for x in (0, 3, 6):
        scene.insert(bvh, np.eye(4) + np.eye(4, k=3) * x)
    at = points(300)
    for surface in (bvh, scene):
        exact = surface.winding_numbers(at, tolerance=0)
        for tolerance in (1e-1, 1e-3, 1e-6):
            assert abs(surface.winding_numbers(at, tolerance=tolerance) - exact).max() <= tolerance


def test_one_ray_and_one_point_answer_as_many_do(street):
    random = np.random.default_rng(11)
    origins, at = random.uniform([-2, -2, -2], [8, 2, 2], (2, 200, 3))
    hits, closest = street.closest_hits(origins, at - origins), street.closest_points(at, max_distance=1)
    assert 50 < hits.hit.sum() < 200 and 50 < closest.hit.sum() < 200
    for i in range(200):
        hit = street.closest_hit(origins[i].tolist(), (at - origins)[i])
        assert (hit is None) == (not hits.hit[i])
        if hit is not None:
            assert (hit.t, hit.instance, hit.triangle) == (hits.t[i], hits.instance[i], hits.triangle[i])
            assert hit.uv == tuple(hits.uv[i]) and hit.front == hits.front[i]
            assert hit.point == hits.points[i].tolist() and hit.normal == hits.normals[i].tolist()
        point = street.closest_point(at[i].tolist(), max_distance=1)
        assert (point is None) == (not closest.hit[i])
        if point is not None:
            assert (point.distance, point.instance) == (closest.distance[i], closest.instance[i])
            assert point.triangle == closest.triangle[i] and point.uv == tuple(closest.uv[i])
            assert point.point == closest.points[i].tolist()
            assert point.normal == closest.normals[i].tolist()
    first, front = street.ids[0], "front"
    assert street.closest_hit((0, 0, 9), (0, 0, -1), ignore=[first], faces=front, t_max=99) is None
    with pytest.raises(ValueError, match=r"origin has shape \(2,\), expected \(3,\)"):
        street.closest_hit((0, 1), (0, 0, 1))
    with pytest.raises(ValueError, match=r"ignore has 77, which is no instance"):
        street.closest_point((0, 1, 2), ignore=[77])


def test_regions_find_the_triangles_of_instances(street, ball_bvh):
    found = street.overlapping_box([[0, 0, 0.875], [7, 1, 3]])
    first, _, mirrored, _, _ = street.ids
    assert sorted(set(found.instance.tolist())) == [first, mirrored] and len(found) > 20
    of_first = found.triangle[found.instance == first]
    assert of_first.tolist() == ball_bvh.overlapping_box([[0, 0, 0.875], [7, 1, 3]]).tolist()
    near = street.overlapping_sphere([0, 0, 1], 0.25)
    assert near.triangle.tolist() == ball_bvh.overlapping_sphere([0, 0, 1], 0.25).tolist()
    assert list(near.to_dict()) == ["instance", "triangle"]
    with pytest.raises(ValueError, match=r"radius is -1, expected a finite number"):
        street.overlapping_sphere([0, 0, 1], -1)


def test_each_point_may_have_its_own_maximum_distance(street, ball_bvh):
    at = [[0, 0, 3], [0, 0, 3], [0, 0, 3]]
    for surface in (ball_bvh, street):
        found = surface.closest_points(at, max_distance=[1, 2.5, np.nan])
        assert found.hit.tolist() == [False, True, False]
        with pytest.raises(ValueError, match=r"max_distance has shape \(2,\), expected a number or \(3,\)"):
            surface.closest_points(at, max_distance=[1, 2])


def test_an_unknown_id_to_ignore_is_named(street):
    first = street.ids[0]
    assert street.closest_hits([[0, 0, 9]], [[0, 0, -1]], ignore=[first]).hit.tolist() == [False]
    removed = street.ids[-1]
    street.remove(removed)
    view = hitscan.Camera(eye=(0, 0, 9)).view(64, 48)
    for id in (99, -1, removed):
        text = rf"ignore has {id}, which is no instance of the scene"
        with pytest.raises(ValueError, match=text):
            street.closest_hits([[0, 0, 9]], [[0, 0, -1]], ignore=[first, id])
        with pytest.raises(ValueError, match=text):
            street.is_inside([[0, 0, 9]], ignore=[id])
        with pytest.raises(ValueError, match=text):
            picking.pick(street, view, (32, 24), ignore=[id])


def test_a_saved_scene_is_the_same_scene(street, rays, tmp_path):
    fast = hitscan.Bvh(hitscan.Mesh(*sphere(6, 8)), quality="fast")
    street.insert(fast, np.eye(4) + np.eye(4, k=3) * 12, name="fast")
    path = tmp_path / "street.hitscan"
    street.save(path)
    again = hitscan.Scene.load(path)
    for old, new in zip(street.ids, again.ids, strict=True):
        a, b = street.instance(old), again.instance(new)
        assert (a.name, a.layers, a.hidden, a.locked) == (b.name, b.layers, b.hidden, b.locked)
        assert a.transform.tobytes() == b.transform.tobytes() and (a.bvh is None) == (b.bvh is None)
        assert a.bvh is None or repr(a.bvh) == repr(b.bvh)
    assert again.instance(again.ids[0]).bvh is again.instance(again.ids[2]).bvh, "one tree, shared"
    mine, its = street.closest_hits(*rays), again.closest_hits(*rays)
    assert mine.t.tobytes() == its.t.tobytes() and mine.triangle.tobytes() == its.triangle.tobytes()
    assert again.update(again.ids[0], move=([0], [[0, 0, 5]])) in (True, False)
    assert again.closest_hit((0, 0, 9), (0, 0, -1)).t == 4


def test_scenes_load_from_the_files_of_others(ball, tmp_path):
    ball.save(tmp_path / "ball.glb")
    scene = hitscan.Scene.load(tmp_path / "ball.glb")
    assert len(scene) == 1 and scene.closest_hit((0, 0, 9), (0, 0, -1)).t == 8
    lines = ["[meshes]", "ball = 'ball.glb'", "[[instances]]", "name = 'a'", "mesh = 'ball'"]
    lines += ["[[instances]]", "name = 'b'", "mesh = 'ball'", "translation = [5.0, 0.0, 0.0]"]
    (tmp_path / "two.toml").write_text("\n".join(lines))
    scene = hitscan.Scene.load(tmp_path / "two.toml")
    assert [scene.instance(id).name for id in scene.ids] == ["a", "b"]
    assert scene.closest_hit((5, 0, 9), (0, 0, -1)).instance == scene.ids[1]
    with pytest.raises(FileNotFoundError):
        hitscan.Scene.load(tmp_path / "nothing.glb")
    hitscan.Bvh(ball).save(tmp_path / "ball.hitscan")
    with pytest.raises(ValueError, match=r"ball.hitscan: a cache file of one mesh; Bvh.load reads it"):
        hitscan.Scene.load(tmp_path / "ball.hitscan")
    scene.save(tmp_path / "two.hitscan")
    data = bytearray((tmp_path / "two.hitscan").read_bytes())
    data[len(data) // 2] ^= 8
    (tmp_path / "two.hitscan").write_bytes(data)
    with pytest.raises(ValueError, match=r"two.hitscan: .*checksum"):
        hitscan.Scene.load(tmp_path / "two.hitscan")
