"""Coordinates that float32 cannot hold: the answers are those of the Rust library, to the last bit."""

import json
import pickle
from pathlib import Path

import hitscan
import hitscan.open3d
import hitscan.picking
import numpy as np
import pytest

#: Made by the Rust library: tests/integration/recentred_bindings.rs.
EXPECTED = json.loads((Path(__file__).parents[2] / "recentred.json").read_text())
RAYS = np.array(EXPECTED["rays"])
POINTS = np.array(EXPECTED["points"])


def rows(kind, convert):
    """The numbers of the lines of an OBJ text that start with a word."""
    lines = [line.split() for line in EXPECTED["obj"].splitlines()]
    return np.array([[convert(word) for word in line[1:]] for line in lines if line[0] == kind])


POSITIONS, TRIANGLES = rows("v", float), rows("f", int) - 1


def of_file(tmp_path):
    path = tmp_path / "ball.obj"
    path.write_text(EXPECTED["obj"])
    return hitscan.load(path)


@pytest.fixture(params=["array", "file", "mesh pickle", "bvh pickle", "cache file", "saved"])
def bvh(request, tmp_path):
    mesh = of_file(tmp_path) if request.param == "file" else hitscan.Mesh(POSITIONS, TRIANGLES)
    if request.param == "mesh pickle":
        mesh = pickle.loads(pickle.dumps(mesh))
    if request.param == "saved":
        mesh.save(tmp_path / "again.ply")
        mesh = hitscan.load(tmp_path / "again.ply")
    bvh = hitscan.Bvh(mesh)
    if request.param == "bvh pickle":
        return pickle.loads(pickle.dumps(bvh))
    if request.param == "cache file":
        bvh.save(tmp_path / "ball.hitscan")
        return hitscan.Bvh.load(tmp_path / "ball.hitscan")
    return bvh


def column(hits, name, dtype):
    return np.array([hit[name] for hit in hits], dtype)


def same_bits(found, expected):
    assert found.dtype == expected.dtype and found.tobytes() == expected.tobytes()


def assert_hits(found, expected):
    """Compare the rows of an answer with the hits that Rust found."""
    assert len(expected) > 30
    same_bits(found.t, column(expected, "t", np.float64))
    same_bits(found.triangle, column(expected, "triangle", np.uint32))
    same_bits(found.uv, np.stack([column(expected, name, np.float32) for name in "uv"], axis=1))
    same_bits(found.front, column(expected, "front", np.bool_))
    same_bits(found.points, column(expected, "point", np.float64))


def some(hits, which):
    """The rows of an answer that hit something, as another answer."""
    return hitscan.Hits(hits.t[which], hits.triangle[which], hits.uv[which], hits.front[which], hits._surface)


def assert_rays(surface, rays):
    closest = EXPECTED["closest"]
    hits = surface.closest_hits(*rays)
    assert hits.hit.tolist() == [hit is not None for hit in closest]
    which = np.flatnonzero(hits.hit)
    same_bits(hits.points[which], column([closest[i] for i in which], "point", np.float64))
    same_bits(hits.t[which], column([closest[i] for i in which], "t", np.float64))
    assert np.isinf(hits.t[~hits.hit]).all() and np.isnan(hits.points[~hits.hit]).all()
    for once, name in ((False, "all"), (True, "once")):
        lists = surface.all_hits(*rays, once_per_crossing=once)
        assert np.diff(lists.splits).tolist() == [len(hits) for hits in EXPECTED[name]]
        assert_hits(lists, [hit for hits in EXPECTED[name] for hit in hits])
    nearest = surface.nearest_hits(*rays, n=1)
    same_bits(nearest.t, np.array([hits[0]["t"] for hits in EXPECTED["all"] if hits]))
    assert surface.is_occluded(*rays).tolist() == EXPECTED["occluded"]
    assert surface.count_crossings(*rays).tolist() == EXPECTED["crossings"]
    front = [[hit["front"] for hit in hits] for hits in EXPECTED["once"]]
    assert surface.signed_crossings(*rays).tolist() == [2 * sum(sides) - len(sides) for sides in front]


def test_rays_have_the_answers_of_rust(bvh):
    assert_rays(bvh, (RAYS,))
    hits = bvh.closest_hits(RAYS)
    expected = [hit for hit in EXPECTED["closest"] if hit is not None]
    assert_hits(some(hits, hits.hit), expected)
    apart = (np.ascontiguousarray(RAYS[:, :3]), np.ascontiguousarray(RAYS[:, 3:6]))
    bounds = {"t_min": RAYS[:, 6], "t_max": RAYS[:, 7]}
    same_bits(bvh.closest_hits(*apart, **bounds).t, hits.t)


def test_a_scene_has_the_answers_of_its_mesh(bvh):
    scene = hitscan.Scene()
    scene.insert(bvh)
    for one in (scene, pickle.loads(pickle.dumps(scene))):
        assert_rays(one, (RAYS,))
        assert one.world_transform(one.ids[0]).tolist() == np.eye(4).tolist()


def test_points_and_boxes_are_in_the_coordinates_of_the_file(bvh):
    found, expected = bvh.closest_points(POINTS), EXPECTED["nearest"]
    same_bits(found.points, column(expected, "point", np.float64))
    same_bits(found.distance, column(expected, "distance", np.float64))
    same_bits(found.triangle, column(expected, "triangle", np.uint32))
    above = POSITIONS[0] + np.array([0, 0, 1e3])
    ball = bvh.sphere_casts([above], [[0, 0, -1]], radius=0.5)
    assert np.linalg.norm(ball.points + 0.5 * ball.normals - above + [[0, 0, ball.t[0]]]) < 1e-6
    assert bvh.is_inside(POINTS).tolist() == EXPECTED["inside"]
    assert 0 < sum(EXPECTED["inside"]) < len(POINTS)
    signs = np.where(EXPECTED["inside"], -1.0, 1.0)
    assert (bvh.signed_distances(POINTS) == signs * found.distance).all()
    assert (np.round(bvh.winding_numbers(POINTS)) == EXPECTED["inside"]).all()
    low, high = bvh.bounds
    assert len(bvh.overlapping_box([low, high])) == len(bvh)
    assert bvh.overlapping_box([high + 0.01, high + 1]).size == 0
    assert bvh.overlapping_sphere(POSITIONS[0], 1e-3).size > 2


def test_positions_and_bounds_are_in_the_coordinates_of_the_file(bvh):
    for mesh in (bvh.mesh, bvh):
        assert mesh.offset.tolist() == EXPECTED["offset"]
        same_bits(mesh.bounds, np.array(EXPECTED["bounds"]))
    positions = bvh.mesh.positions
    assert positions.dtype == np.float64 and not positions.flags.writeable
    assert np.abs(positions - POSITIONS).max() < 1e-6
    assert (np.stack([positions.min(axis=0), positions.max(axis=0)]) == bvh.bounds).all()
    again = hitscan.Bvh(hitscan.Mesh(positions, bvh.mesh.triangles))
    assert_rays(again, (RAYS,))


def test_a_refit_keeps_the_offset(bvh):
    bvh.refit(POSITIONS + np.array([1, 0, 0]))
    assert bvh.offset.tolist() == EXPECTED["offset"]
    moved = RAYS + np.array([1, 0, 0, 0, 0, 0, 0, 0])
    assert (bvh.is_occluded(moved) == EXPECTED["occluded"]).all()
    bvh.refit(POSITIONS)
    assert_rays(bvh, (RAYS,))


def test_rays_in_float32_are_those_numbers(bvh):
    single = RAYS.astype(np.float32)
    same_bits(bvh.closest_hits(single).t, bvh.closest_hits(single.astype(np.float64)).t)


def test_invalid_rays_hit_nothing(bvh):
    rays = np.repeat(RAYS[:1], 4, axis=0)
    rays[0, 3:6], rays[1, 0], rays[2, 4], rays[3, 6:] = 0, np.nan, np.inf, [2, 1]
    assert not bvh.closest_hits(rays).hit.any() and not bvh.is_occluded(rays).any()
    assert bvh.all_hits(rays).splits.tolist() == [0] * 5


def test_without_recentring_a_note_tells_the_loss(tmp_path):
    mesh = hitscan.Mesh(POSITIONS, TRIANGLES, recentre=False)
    assert not mesh.offset.any() and mesh.positions.dtype == np.float32
    assert (mesh.positions == POSITIONS.astype(np.float32)).all()
    assert mesh.notes[0].startswith("positions rounded by up to 0.2")
    (tmp_path / "ball.obj").write_text(EXPECTED["obj"])
    loaded = hitscan.load(tmp_path / "ball.obj", recentre=False)
    assert not loaded.offset.any() and any("rounded by up to 0.2" in note for note in loaded.notes)


def test_near_meshes_have_no_offset_and_keep_their_bits(ball):
    double = hitscan.Mesh(ball.positions.astype(np.float64), ball.triangles)
    for mesh in (ball, double):
        assert not mesh.offset.any() and mesh.notes == ()
        assert mesh.positions.dtype == np.float32 and mesh.bounds.dtype == np.float32
    assert double.positions.tobytes() == ball.positions.tobytes()
    zero = hitscan.Bvh(hitscan.Mesh([[-0.0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))
    assert np.signbit(zero.mesh.positions[0, 0])


def test_modules_for_float32_refuse_an_offset(bvh):
    from hitscan.distributed import _parts, split

    with pytest.raises(ValueError, match=r"the mesh has the offset \[507965.*float32"):
        hitscan.open3d.RaycastingScene().add_triangles(bvh.mesh)
    with pytest.raises(ValueError, match=r"the mesh has the offset \[507965.*float32"):
        split(bvh.mesh, 2)
    for refused in (lambda: _parts.check(bvh, (), "both"), lambda: _parts.whole(bvh, RAYS, "both", None)):
        with pytest.raises(ValueError, match=r"the mesh has the offset \[507965.*float32"):
            refused()


def test_pictures_and_picks_see_the_mesh(bvh):
    camera = hitscan.Camera.framing(bvh)
    picture = hitscan.render(bvh, camera.view(32, 24))
    assert len(np.unique(picture[..., :3].reshape(-1, 3), axis=0)) > 4
    scene = hitscan.Scene()
    scene.insert(bvh)
    found = hitscan.picking.pick(scene, camera.view(32, 24), (16, 12), kind="face")
    assert found is not None and np.linalg.norm(found.point - POSITIONS.mean(axis=0)) < 4.1
