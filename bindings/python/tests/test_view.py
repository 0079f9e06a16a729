"""Cameras, pictures and picking."""

import zlib

import hitscan
import numpy as np
import pytest
from hitscan import picking


@pytest.fixture
def camera():
    return hitscan.Camera(eye=(0, 0, 4), target=(0, 0, 0))


@pytest.fixture
def scene(ball_bvh):
    scene = hitscan.Scene()
    scene.insert(ball_bvh, name="ball")
    return scene


def test_rays_go_through_the_centres_of_pixels(camera):
    view = camera.view(5, 3)
    rays = view.rays()
    assert rays.shape == (15, 8) and view.size == (5, 3)
    assert rays[7, 3:6] == pytest.approx([0, 0, -1])
    assert (rays[0] == view.ray((0.5, 0.5))).all()
    assert rays[0, 3] < 0 < rays[0, 4], "the first pixel is on the left, at the top"
    assert np.linalg.norm(rays[:, 3:6], axis=1) == pytest.approx(1)
    assert (rays[:, 6] == 0).all() and np.isinf(rays[:, 7]).all()


def test_points_project_to_the_pixels_of_their_rays(camera, ball_bvh):
    view = camera.view(80, 60)
    hits = ball_bvh.closest_hits(view.rays())
    assert 200 < hits.hit.sum() < 2000
    pixel, depth, distance = view.project(hits.points[hits.hit])
    y, x = np.divmod(np.flatnonzero(hits.hit), 80)
    assert pixel == pytest.approx(np.stack([x + 0.5, y + 0.5], 1), abs=1e-3)
    assert distance == pytest.approx(hits.t[hits.hit], rel=1e-5)
    assert ((depth > 0) & (depth < 1)).all()
    assert np.isnan(view.project([[0, 0, 9]])[0]).all(), "behind the camera"


def test_the_matrix_of_a_camera_is_its_view(camera):
    # The projection of OpenGL with the same angle, times a translation.
    f, near, far = 1 / np.tan(np.deg2rad(45) / 2), 0.1, 100.0
    a, b = (far + near) / (near - far), 2 * far * near / (near - far)
    project = np.array([[f / 2, 0, 0, 0], [0, f, 0, 0], [0, 0, a, b], [0, 0, -1, 0]])
    move = np.eye(4)
    move[2, 3] = -4
    view = hitscan.View.from_matrix(project @ move, 40, 20, convention="three.js")
    ours, theirs = camera.view(40, 20).rays(), view.rays()
    assert theirs[:, 3:6] == pytest.approx(ours[:, 3:6], abs=1e-9)


def test_orthographic_rays_are_parallel():
    rays = hitscan.Camera((0, 0, 5), height=2.0).view(4, 4).rays()
    assert (rays[:, 3:6] == rays[0, 3:6]).all()
    assert sorted(set(rays[:, 1].round(6))) == [-0.75, -0.25, 0.25, 0.75]


def test_framing_sees_everything(scene, ball):
    for subject in (scene, ball):
        camera = hitscan.Camera.framing(subject, azimuth_degrees=200, aspect=1.0)
        pixel, _, _ = camera.view(100, 100).project(ball.positions)
        assert (pixel > 0).all() and (pixel < 100).all()


@pytest.mark.parametrize("mode", ["shaded", "depth", "normal", "face", "object", "heat", "glass"])
def test_pictures_show_the_ball_in_the_middle(scene, camera, mode):
    view = camera.view(32, 24)
    options = {"mode": mode, "legend": False, "ground": False, "samples": 1}
    picture = hitscan.render(scene, view, **options, background=(1, 2, 3, 255))
    assert picture.shape == (24, 32, 4) and picture.dtype == np.uint8
    assert (picture[12, 16] != [1, 2, 3, 255]).any()
    if mode != "heat":
        assert (picture[0, 0] == [1, 2, 3, 255]).all()
    assert (picture == hitscan.render(scene, view, **options, background=(1, 2, 3, 255), threads=1)).all()


def test_materials_have_colors(tmp_path):
    path = tmp_path / "red.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n")
    view = hitscan.Camera((0.3, 0.3, 2), (0.3, 0.3, 0)).view(9, 9)
    red, green, blue, _ = hitscan.render(hitscan.load(path), view, colors={"red": (1, 0, 0)})[4, 4].tolist()
    assert red > 100 and green < 50 and blue < 50


def test_png_files_hold_the_pixels():
    picture = np.arange(2 * 3 * 3, dtype=np.uint8).reshape(2, 3, 3)
    file = hitscan.png(picture)
    assert file.startswith(b"\x89PNG\r\n\x1a\n") and file[16:24] == b"\0\0\0\3\0\0\0\2"
    assert file[25] == 2, "red, green and blue without opacity"
    start = file.index(b"IDAT") + 4
    rows = np.frombuffer(zlib.decompress(file[start:]), np.uint8).reshape(2, 10)
    assert (rows[0, 1:4] == picture[0, 0]).all()


def test_picks(scene, camera, ball):
    view, (id,) = camera.view(200, 200), scene.ids
    found = picking.pick(scene, view, (100, 100))
    assert found.instance == id and found.element == () and found.pixel_distance == 0
    assert found.point[2] == pytest.approx(1, abs=0.01)
    assert found.hit.t == pytest.approx(found.distance) and found.hit.front
    face = picking.pick(scene, view, (103.3, 104.7), kind="face")
    assert face.element == (face.hit.triangle,)
    vertex = picking.pick(scene, view, (100, 100), kind="vertex", radius=20)
    assert ball.positions[vertex.element[0]] == pytest.approx(vertex.point)
    edge = picking.pick(scene, view, (100, 100), kind="edge", radius=20)
    assert len(edge.element) == 2 and edge.hit is None
    assert picking.pick(scene, view, (1, 1)) is None
    assert picking.pick(scene, view, (100, 100), ignore=[id]) is None
    assert len(picking.pick_all(scene, view, (103.3, 104.7), kind="face")) == 2
    snap = picking.snap(scene, view, (100, 100), targets=["edge midpoint", "face"], radius=1)
    assert snap.target in ("edge midpoint", "face") and snap.pick.pixel_distance <= 1


def test_regions_select(scene, camera, ball):
    view, (id,) = camera.view(200, 200), scene.ids
    corners = [[0, 0], [200, 200]]
    assert picking.select(scene, view, marquee=corners) == [picking.Selected(id, ())]
    assert picking.select(scene, view, marquee=[[0, 0], [2, 2]]) == []
    faces = picking.select(scene, view, marquee=corners, kind="face")
    assert [face.element for face in faces] == [(n,) for n in range(len(ball))]
    visible = picking.select(scene, view, marquee=corners, kind="face", visible_only=True)
    assert 0.2 * len(ball) < len(visible) < 0.7 * len(ball)
    lasso = [[100, 100], [150, 100], [100, 150]]
    some = picking.select(scene, view, lasso=lasso, kind="vertex", enclosed=True)
    pixel, _, _ = view.project(ball.positions[[one.element[0] for one in some]])
    assert len(some) > 5 and (pixel > 99.999).all() and (pixel.sum(axis=1) <= 250.001).all()
    points = [[0, 0, 1.01], [0, 0, -1.01], [9, 0, 0]]
    assert picking.is_visible(scene, view, points).tolist() == [True, False, False]


BAD = [
    (lambda s, v: hitscan.Camera((0, 0, 0)).view(4, 4), ValueError, "eye|direction"),
    (lambda s, v: hitscan.Camera((0, 0)).view(4, 4), ValueError, r"eye has shape \(2,\)"),
    (lambda s, v: hitscan.Camera((0, 0, 1), fov_y_degrees=180).view(4, 4), ValueError, "fov_y"),
    (lambda s, v: hitscan.Camera((0, 0, 1)).view(0, 4), ValueError, "width is 0"),
    (lambda s, v: hitscan.Camera((0, 0, 1)).view(4, 4.0), TypeError, "height is 4.0"),
    (lambda s, v: hitscan.Camera.framing(s, up=(0, 0, 0)), ValueError, "up"),
    (lambda s, v: hitscan.Camera.framing(s, elevation_degrees=90), ValueError, "elevation_degrees is 90"),
    (lambda s, v: hitscan.Camera.framing(7), TypeError, "subject is a int"),
    (lambda s, v: hitscan.View.from_matrix(np.eye(3), 4, 4), ValueError, r"world_to_clip.*\(3, 3\)"),
    (lambda s, v: hitscan.View.from_matrix(np.zeros((4, 4)), 4, 4), ValueError, "singular"),
    (lambda s, v: hitscan.View.from_matrix(np.eye(4), 4, 4, convention="x"), ValueError, "convention is 'x'"),
    (lambda s, v: hitscan.render(s, v, mode="x-ray"), ValueError, "mode is 'x-ray'"),
    (lambda s, v: hitscan.render(s, v, samples=0), ValueError, "samples is 0"),
    (lambda s, v: hitscan.render(s, v, background=(1, 2, 3)), ValueError, "background has 3"),
    (lambda s, v: hitscan.render(s, v, light=(1, np.nan, 3)), ValueError, "light"),
    (lambda s, v: hitscan.render(s, 5), TypeError, "view is a int"),
    (lambda s, v: hitscan.png(np.zeros((4, 4), np.uint8)), ValueError, r"\(4, 4\)"),
    (lambda s, v: hitscan.png(np.zeros((4, 4, 3))), TypeError, "float64"),
    (lambda s, v: v.project([[0, 0]]), ValueError, r"points.*\(1, 2\)"),
    (lambda s, v: picking.pick(s, v, (1, 2, 3)), ValueError, "pixel"),
    (lambda s, v: picking.pick(s, v, (1, 2), kind="corner"), ValueError, "kind is 'corner'"),
    (lambda s, v: picking.pick(7, v, (1, 2)), TypeError, "scene is a int"),
    (lambda s, v: picking.snap(s, v, (1, 2), targets=["corner"]), ValueError, "corner"),
    (lambda s, v: picking.snap(s, v, (1, 2), targets="face"), TypeError, "targets"),
    (lambda s, v: picking.select(s, v), TypeError, "marquee or lasso"),
    (lambda s, v: picking.select(s, v, marquee=[[0, 0]]), ValueError, "marquee"),
    (lambda s, v: picking.select(s, v, lasso=[[0, 0], [1, 1]]), ValueError, "lasso"),
    (lambda s, v: picking.select(s, v, marquee=[[0, 0], [np.nan, 1]]), ValueError, "finite"),
]


@pytest.mark.parametrize(("call", "error", "text"), BAD)
def test_bad_arguments_are_named(scene, camera, call, error, text):
    with pytest.raises(error, match=text):
        call(scene, camera.view(20, 20))


def test_clipping_planes_hide_from_rays_picks_and_pictures(ball_bvh):
    scene = hitscan.Scene()
    id = scene.insert(ball_bvh)
    view = hitscan.Camera(eye=(0, 0, 5), target=(0, 0, 0)).view(64, 48)
    # Hides what is in front of z = 0.
    cut = view.with_clipping_planes([[0, 0, 0, 0, 0, -2]])
    whole, inside = (scene.closest_hits(v.rays()) for v in (view, cut))
    assert (whole.points[whole.hit][:, 2] > 0).all() and (inside.points[inside.hit][:, 2] < 1e-12).all()
    assert whole.front[whole.hit].all() and not inside.front[inside.hit].any()
    pick = hitscan.picking.pick(scene, cut, (32, 24))
    assert pick.instance == id and pick.point[2] < 0
    away = view.with_clipping_planes([[0, 0, 9, 0, 0, 1]])
    assert hitscan.picking.pick(scene, away, (32, 24)) is None
    pictures = [hitscan.render(scene, v) for v in (view, cut, away, cut.with_clipping_planes([]))]
    assert (pictures[0] == pictures[3]).all() and (pictures[0] != pictures[1]).any()
    assert len(np.unique(pictures[2].reshape(-1, pictures[2].shape[-1]), axis=0)) < 50
    with pytest.raises(ValueError, match=r"planes\[1\]: the normal of the plane is \(0, 0, 0\)"):
        view.with_clipping_planes([[0, 0, 0, 0, 0, 1], [0] * 6])
    with pytest.raises(ValueError, match="7 clipping planes"):
        view.with_clipping_planes([[0, 0, 0, 0, 0, 1]] * 7)
    with pytest.raises(ValueError, match=r"planes has shape \(4,\), expected \(n, 6\)"):
        view.with_clipping_planes([0, 0, 1, 0])
