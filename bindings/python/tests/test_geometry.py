"""Recipes over many rays, against formulas."""

import hitscan
import numpy as np
import pytest
from conftest import sphere
from hitscan import geometry
from hitscan.geometry import _batches


@pytest.fixture(scope="module")
def pit():
    """The inside of a box without a lid, 2 by 2 and 1 deep, as a tree."""
    p = [[x, y, z] for z in (0, 1) for y in (-1, 1) for x in (-1, 1)]
    quads = [(0, 1, 3, 2), (0, 4, 5, 1), (1, 5, 7, 3), (3, 7, 6, 2), (2, 6, 4, 0)]
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    return hitscan.Bvh(hitscan.Mesh(p, triangles))


UP = [[0.0, 0.0, 1.0]]


def test_occlusion_at_the_bottom_of_a_pit_is_its_solid_angle(pit):
    # A square opening of half side 1 at distance 1 has the solid angle 4 asin(1 / 2) = 2 pi / 3.
    hidden = geometry.ambient_occlusion(pit, [[0, 0, 0]], UP, n_samples=1 << 14)
    assert hidden[0] == pytest.approx(1 - (2 * np.pi / 3) / (2 * np.pi), abs=0.01)
    # By the cosine: the form factor from a point to a square above its centre.
    factor = 4 / np.pi * (1 / np.sqrt(2)) * np.arctan(1 / np.sqrt(2))
    hidden = geometry.ambient_occlusion(pit, [[0, 0, 0]], UP, n_samples=1 << 14, weighting="cosine")
    assert hidden[0] == pytest.approx(1 - factor, abs=0.01)
    assert geometry.ambient_occlusion(pit, [[0, 0, 0]], UP, max_distance=0.5)[0] == 0
    assert geometry.ambient_occlusion(pit, [[0, 0, 0]], [[0, 0, -5]])[0] == 0


def test_batches_threads_and_scenes_change_no_bit(pit, monkeypatch):
    points = np.random.default_rng(1).uniform(-0.9, 0.9, (300, 3)) * [1, 1, 0]
    normals = np.tile(UP, (300, 1))
    whole = geometry.ambient_occlusion(pit, points, normals, seed=7)
    calls = []
    monkeypatch.setattr("hitscan.geometry._batches.RAYS_PER_BATCH", 1000)
    again = geometry.ambient_occlusion(
        pit, points, normals, seed=7, threads=1, progress=lambda done, total: calls.append((done, total))
    )
    assert whole.tolist() == again.tolist() and len(calls) == 20 and calls[-1] == (300, 300)
    assert geometry.ambient_occlusion(pit, points, normals, seed=8).tolist() != whole.tolist()
    scene = hitscan.Scene()
    scene.insert(pit)
    assert np.abs(geometry.ambient_occlusion(scene, points, normals, seed=7) - whole).max() < 0.05
    with pytest.raises(geometry.Cancelled, match="cancelled after 15 of 300"):
        geometry.ambient_occlusion(pit, points, normals, progress=lambda done, total: False)


def test_points_and_normals_without_a_place_are_nan(pit):
    points, normals = [[0, 0, 0], [np.nan, 0, 0], [0, 0, 0]], [[0, 0, 2], [0, 0, 1], [0, 0, 0]]
    found = geometry.ambient_occlusion(pit, points, normals)
    assert np.isnan(found).tolist() == [False, True, True]
    assert np.isnan(geometry.thickness(pit, points, normals)).tolist() == [False, True, True]
    assert np.isnan(geometry.shape_diameter(pit, points, normals)).tolist()[1:] == [True, True]
    assert np.isnan(geometry.horizon_angles(pit, points)[:, 0]).tolist() == [False, True, False]
    assert geometry.ambient_occlusion(pit, np.zeros((0, 3)), np.zeros((0, 3))).shape == (0,)


def test_thickness_and_shape_diameter_of_a_ball_are_those_of_the_formula(ball_bvh, ball):
    points = ball.positions[:200].astype(float)
    normals = points / np.linalg.norm(points, axis=1, keepdims=True)
    assert geometry.thickness(ball_bvh, points, normals) == pytest.approx(2.0, abs=0.01)
    # A chord at an angle a to the diameter has the length 2 cos a, so the mean over a hemisphere is 1. At a
    # vertex of the mesh, rays of the largest angles start outside of its flat triangles.
    plain = geometry.shape_diameter(
        ball_bvh, points, normals, n_samples=256, half_angle_degrees=90, reject_outliers=False
    )
    assert plain == pytest.approx(1.0, abs=0.07)
    # Over a cone of half angle h, it is 1 + cos h.
    cone = geometry.shape_diameter(
        ball_bvh, points, normals, n_samples=256, half_angle_degrees=60, reject_outliers=False
    )
    assert cone == pytest.approx(1.5, abs=0.02)
    shapira = geometry.shape_diameter(ball_bvh, points, normals)
    assert (shapira > 1.5).all() and (shapira < 2).all()
    outward = geometry.thickness(ball_bvh, points, -normals)
    assert np.isinf(outward).all()


def test_rays_far_from_the_median_do_not_count():
    # The bottom of a deep hole: most rays meet its wall, and a few the lid far above.
    near = geometry._thickness._near_the_median(
        np.array([[1.0, 1.1, 0.9, 1.0, 9.0], [2.0, 2.0, np.inf, 2.0, 2.0]]),
        np.array([[True] * 5, [True, True, False, True, True]]),
    )
    assert near[0].tolist() == [True, True, True, True, False]
    shaft = hitscan.Bvh(geometry.height_mesh([[0, 0, 0], [0, -50, 0], [0, 0, 0.0]]))
    point, normal = [[1, 1, 1.0]], [[0, 0, 1.0]]
    kept = geometry.shape_diameter(shaft, point, normal, half_angle_degrees=30)
    assert np.isnan(kept)[0], "these rays meet fronts"


def test_visibility_is_symmetric_and_stops_at_walls(pit):
    inside, above, outside = [0.5, 0.5, 0.5], [0, 0, 5], [3, 0, 0.5]
    points = [inside, above, outside, [0.5, 0.5, 0.0]]
    seen = geometry.is_visible(pit, points, points)
    assert (seen == seen.T).all() and seen.diagonal().all()
    assert seen[0].tolist() == [True, True, False, True]
    assert not geometry.is_visible(pit, [[np.nan, 0, 0]], points).any()


def test_the_horizon_in_a_pit_is_that_of_its_walls(pit):
    horizon = geometry.horizon_angles(pit, [[0, 0, 0.0]], n_azimuths=8, accuracy_degrees=0.01)[0]
    # The walls stand at 1 along the axes and at sqrt(2) along the diagonals, and are 1 high.
    expected = [45.0, np.degrees(np.arctan(1 / np.sqrt(2)))] * 4
    assert horizon == pytest.approx(expected, abs=0.02)
    open_sky = geometry.horizon_angles(pit, [[0, 0, 3.0]], n_azimuths=4, lowest_degrees=0)[0]
    assert open_sky.tolist() == [0] * 4


def test_azimuths_run_counter_clockwise_from_x():
    wall = hitscan.Bvh(hitscan.Mesh([[-9, 1, 0], [9, 1, 0], [9, 1, 1], [-9, 1, 1]], [[0, 1, 2], [0, 2, 3]]))
    horizon = geometry.horizon_angles(wall, [[0, 0, 0]], n_azimuths=4, lowest_degrees=0)[0]
    assert horizon[1] == pytest.approx(45, abs=0.1) and horizon[[0, 2, 3]].tolist() == [0, 0, 0]


def test_the_sky_view_of_a_cone_and_of_a_slope_is_that_of_the_formula():
    # A round wall up to 30 degrees leaves cos(30)^2 of the sky.
    angle = np.linspace(0, 2 * np.pi, 361)[:-1]
    ring = np.stack([np.cos(angle), np.sin(angle), 0 * angle], 1)
    positions = np.concatenate([ring, ring + np.array([0, 0, np.tan(np.radians(30))])])
    i = np.arange(360)
    j = (i + 1) % 360
    triangles = np.concatenate([np.stack([i, j, j + 360], 1), np.stack([i, j + 360, i + 360], 1)])
    bvh = hitscan.Bvh(hitscan.Mesh(positions, triangles))
    assert geometry.sky_view_factor(bvh, [[0, 0, 0]])[0] == pytest.approx(0.75, abs=0.005)
    # Without a horizon, a plane that is tilted by a sees (1 + cos a) / 2.
    tilted = [[np.sin(np.radians(40)), 0, np.cos(np.radians(40))]]
    found = geometry.sky_view_factor(bvh, [[0, 0, 2]], normals=tilted, n_azimuths=720)[0]
    assert found == pytest.approx((1 + np.cos(np.radians(40))) / 2, abs=0.002)
    assert geometry.sky_view_factor(bvh, [[0, 0, 2]], normals=UP)[0] == pytest.approx(1)


def test_heights_become_a_mesh_that_faces_up_and_leaves_holes():
    heights = np.arange(12.0).reshape(3, 4)
    for spacing in (2.0, (2.0, -2.0)):
        bvh = hitscan.Bvh(geometry.height_mesh(heights, spacing=spacing, origin=(10, 20, 100)))
        hits = bvh.closest_hits([[11, 20 + np.sign(np.broadcast_to(spacing, 2)[1]), 999]], [[0, 0, -1]])
        assert len(bvh) == 12 and hits.front[0] and hits.points[0, 2] == pytest.approx(102.5)
    heights[1, 1] = np.nan
    mesh = geometry.height_mesh(heights)
    assert len(mesh) == 4 and len(mesh.positions) == 12
    far = geometry.height_mesh(np.zeros((2, 2)), origin=(5e6 + 0.25, 4e6, 0))
    assert far.bounds[0, 0] == 5e6 + 0.25


def test_the_winding_is_made_consistent_from_any_start():
    _, triangles = sphere(10, 15)
    random = np.random.default_rng(4)
    mixed = triangles.copy()
    turned = random.random(len(mixed)) < 0.5
    mixed[turned] = mixed[turned][:, [0, 2, 1]]
    both = np.concatenate([mixed, mixed + mixed.max() + 1])
    found = geometry.consistent_winding(both)
    assert found.patch.tolist() == [0] * len(mixed) + [1] * len(mixed)
    outward = turned if not turned[0] else ~turned
    assert found.flipped.tolist() == np.tile(outward, 2).tolist()
    assert geometry.consistent_winding(np.zeros((0, 3), int)).triangles.shape == (0, 3)


def test_facets_of_open_and_inside_out_patches_turn_outward():
    positions, triangles = sphere(10, 15)
    # A ball that is inside out, and far away one without its top, half of whose triangles are turned.
    cap = triangles[(positions[triangles][:, :, 2] < 0.6).all(axis=1)]
    mixed = cap.copy()
    turned = np.random.default_rng(4).random(len(cap)) < 0.5
    mixed[turned] = mixed[turned][:, [0, 2, 1]]
    both = np.concatenate([triangles[:, [0, 2, 1]], mixed + len(positions)])
    mesh = hitscan.Mesh(np.concatenate([positions, positions + np.array([9, 0, 0])]), both)
    found = geometry.reorient_facets(mesh, n_rays=16)
    assert found.flipped.tolist() == [True] * len(triangles) + turned.tolist()
    assert (found.triangles[: len(triangles)] == np.roll(triangles, 0, 1)).all()
    assert geometry.reorient_facets(mesh, n_rays=16, seed=3).flipped.tolist() == found.flipped.tolist()


def test_attributes_of_the_closest_point_are_interpolated():
    mesh = hitscan.Mesh([[0, 0, 0], [4, 0, 0], [0, 4, 0], [4, 4, 0]], [[0, 1, 2], [1, 3, 2]])
    bvh = hitscan.Bvh(mesh)
    values = mesh.positions[:, :2] * 10
    points = [[1, 2, 5], [3, 3, -1], [9, 0, 0]]
    found = geometry.transfer_attributes(bvh, values, points)
    np.testing.assert_allclose(found, [[10, 20], [30, 30], [40, 0]], atol=1e-5)
    one = geometry.transfer_attributes(bvh, values[:, 0], points, max_distance=2.0)
    assert np.isnan(one).tolist() == [True, False, True] and one[1] == pytest.approx(30)
    ids = geometry.transfer_attributes(bvh, np.array([7, 8], np.uint8), points, on="triangles")
    assert ids.tolist()[:2] == [7, 8] and ids.dtype == np.uint8
    ids = geometry.transfer_attributes(bvh, [7, 8], points, on="triangles", max_distance=2, fill=-1)
    assert ids.tolist() == [-1, 8, -1] and ids.dtype.kind == "i"


def test_camera_images_are_depth_normals_and_ids(ball_bvh):
    view = hitscan.Camera(eye=(0, 0, 5), target=(0, 0, 0)).view(41, 31)
    images = geometry.camera_images(ball_bvh, view)
    assert images.depth.shape == (31, 41) and images.normals.shape == (31, 41, 3)
    assert images.depth[15, 20] == images.distance[15, 20] == pytest.approx(4, abs=0.01)
    seen = images.triangle >= 0
    assert (images.depth[seen] <= images.distance[seen]).all() and np.isinf(images.depth[~seen]).all()
    # The depth is the distance along z from the near plane.
    near = view.rays()[0, 2]
    np.testing.assert_allclose(images.depth[seen], near - images.points[seen][:, 2], atol=1e-5)
    assert images.normals[15, 20] == pytest.approx([0, 0, 1], abs=0.1)
    assert (images.instance[seen] == 0).all() and (images.instance[~seen] == -1).all()
    scene = hitscan.Scene()
    scene.insert(None)
    id = scene.insert(ball_bvh)
    again = geometry.camera_images(scene, view)
    assert (again.instance[seen] == id).all() and (again.triangle == images.triangle).all()


def test_lidar_patterns_have_their_angles_and_times():
    spin = geometry.spinning_pattern([-10.0, 0.0, 10.0], n_azimuths=4, rate_hz=5)
    assert len(spin) == 12 and spin.times.tolist() == [0.0] * 3 + [0.05] * 3 + [0.1] * 3 + [0.15] * 3
    np.testing.assert_allclose(spin.directions[[1, 4]], [[1, 0, 0], [0, 1, 0]], atol=1e-12)
    assert np.degrees(np.arcsin(spin.directions[:3, 2])) == pytest.approx([-10, 0, 10])
    raster = geometry.raster_pattern(3, 2, fov_x_degrees=90, fov_y_degrees=20)
    azimuth = np.degrees(np.arctan2(raster.directions[:, 1], raster.directions[:, 0]))
    assert azimuth == pytest.approx([45, 0, -45] * 2) and raster.channel.tolist() == [0] * 3 + [1] * 3
    rosette = geometry.rosette_pattern(5000, half_angle_degrees=30)
    angle = np.degrees(np.arccos(rosette.directions[:, 0]))
    assert 29.5 < angle.max() <= 30 + 1e-9 and angle.min() < 1
    later = geometry.rosette_pattern(5000, half_angle_degrees=30, start=0.1)
    assert not np.allclose(later.directions, rosette.directions)
    for pattern in (spin, raster, rosette):
        assert np.linalg.norm(pattern.directions, axis=1) == pytest.approx(1)


def test_a_scan_has_the_echoes_of_the_room():
    box = np.array([[x, y, z] for z in (-2, 2) for y in (-3, 3) for x in (-5, 5)], float)
    quads = [(0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5)]
    room = hitscan.Bvh(hitscan.Mesh(box, [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]))
    pattern = geometry.spinning_pattern(n_azimuths=90)
    scan = geometry.scan(room, pattern)
    assert len(scan) == len(pattern) and scan.direction.tolist() == list(range(len(pattern)))
    on_a_wall = np.isclose(abs(scan.points), [5, 3, 2], atol=1e-5).any(axis=1)
    assert on_a_wall.all() and scan.range.min() >= 2
    assert scan.incidence_degrees.min() < 16 and scan.incidence_degrees.max() < 90
    near = geometry.scan(room, pattern, max_range=4.0)
    assert 0 < len(near) < len(scan) and near.range.max() <= 4
    noisy = geometry.scan(room, pattern, noise=0.02, seed=5)
    error = noisy.range - scan.range
    assert error.std() == pytest.approx(0.02, rel=0.1) and abs(error.mean()) < 0.003
    assert geometry.scan(room, pattern, noise=0.02, seed=5).range.tolist() == noisy.range.tolist()
    pose = np.eye(4)
    pose[:3, 3] = [1, 0, 0]
    moved = geometry.scan(room, pattern, np.tile(pose, (len(pattern), 1, 1)))
    assert moved.range.tolist() == geometry.scan(room, pattern, pose).range.tolist()
    assert moved.points[0, 0] == pytest.approx(5, abs=1e-5)
    assert len(geometry.scan(room, geometry.rosette_pattern(0))) == 0


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda b: geometry.ambient_occlusion(5, [[0, 0, 0]], UP), TypeError, r"surface is a int"),
        (
            lambda b: geometry.ambient_occlusion(b, [[0, 0, 0]], UP * 2),
            ValueError,
            r"normals has shape \(2, 3\)",
        ),
        (lambda b: geometry.ambient_occlusion(b, [[0, 0]], UP), ValueError, r"points has shape \(1, 2\)"),
        (lambda b: geometry.ambient_occlusion(b, UP, UP, n_samples=0), ValueError, r"n_samples is 0"),
        (lambda b: geometry.ambient_occlusion(b, UP, UP, seed=-1), ValueError, r"seed is -1"),
        (lambda b: geometry.ambient_occlusion(b, UP, UP, weighting="x"), ValueError, r"weighting is 'x'"),
        (lambda b: geometry.ambient_occlusion(b, UP, UP, max_distance=0), ValueError, r"max_distance is 0"),
        (
            lambda b: geometry.shape_diameter(b, UP, UP, half_angle_degrees=91),
            ValueError,
            r"half_angle_degrees is 91",
        ),
        (lambda b: geometry.is_visible(b, UP, UP, tolerance=-1), ValueError, r"tolerance is -1"),
        (lambda b: geometry.horizon_angles(b, UP, up=(0, 0, 0)), ValueError, r"up is \(0, 0, 0\)"),
        (lambda b: geometry.horizon_angles(b, UP, lowest_degrees=90), ValueError, r"lowest_degrees is 90"),
        (lambda b: geometry.height_mesh([1, 2]), ValueError, r"heights has shape \(2,\)"),
        (lambda b: geometry.height_mesh(np.zeros((2, 2)), spacing=0), ValueError, r"spacing is 0"),
        (lambda b: geometry.reorient_facets(b), TypeError, r"mesh is a Bvh"),
        (
            lambda b: geometry.transfer_attributes(b, [1, 2], UP),
            ValueError,
            r"values has shape \(2,\), expected \(8,\)",
        ),
        (lambda b: geometry.transfer_attributes(b, [1], UP, on="edges"), ValueError, r"on is 'edges'"),
        (lambda b: geometry.camera_images(b, 3), TypeError, r"view is a int"),
        (lambda b: geometry.spinning_pattern([99]), ValueError, r"elevations_degrees"),
        (lambda b: geometry.rosette_pattern(-1), ValueError, r"n is -1"),
        (lambda b: geometry.scan(b, 3), TypeError, r"pattern is a int"),
        (
            lambda b: geometry.scan(b, geometry.raster_pattern(2, 2), 2 * np.eye(4)),
            ValueError,
            r"pose has a part that is no rotation",
        ),
        (
            lambda b: geometry.scan(b, geometry.raster_pattern(2, 2), np.zeros((3, 4, 4))),
            ValueError,
            r"pose has shape \(3, 4, 4\), expected \(4, 4\) or \(4, 4, 4\)",
        ),
    ],
)
def test_wrong_arguments_are_named(pit, call, error, text):
    with pytest.raises(error, match=text):
        call(pit)


@pytest.mark.parametrize("n_samples", [1, 7, 40])
def test_rays_around_points_have_the_lengths_of_single_batches(ball_bvh, ball, n_samples):
    points = np.vstack([ball.positions[:60] * 0.9, [[np.nan, 0, 0]]]).astype(np.float64)
    ways = np.random.default_rng(8).normal(size=(len(points), n_samples, 3)).astype(np.float32)
    ways[3, 0] = [0, np.nan, 1]
    hits = ball_bvh.closest_hits(np.repeat(points, n_samples, axis=0), ways.reshape(-1, 3), t_min=0.05)
    for threads in (1, 2):
        for backs_only in (False, True):
            t = _batches.lengths_around(ball_bvh, points, ways, 0.05, backs_only, threads)
            expected = np.where(backs_only & hits.front, np.inf, hits.t).reshape(t.shape)
            assert t.shape == ways.shape[:2] and (t == expected).all()
    assert np.isfinite(t[:-1]).sum() > 50 and np.isinf(t[-1]).all()
