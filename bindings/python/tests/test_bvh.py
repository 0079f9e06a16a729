"""Meshes, trees and their queries."""

import pickle

import hitscan
import numpy as np
import pytest
from conftest import sphere


def same_bits(a, b):
    fields = ("t", "triangle", "uv", "front")
    return all(getattr(a, name).tobytes() == getattr(b, name).tobytes() for name in fields)


def test_a_ray_through_the_middle_hits_twice(ball_bvh):
    lists = ball_bvh.all_hits([[0.01, 0.02, 5.0]], [[0.0, 0.0, -2.0]])
    assert lists.splits.tolist() == [0, 2]
    assert lists.ray.tolist() == [0, 0]
    assert lists.t == pytest.approx([2.0, 3.0], abs=0.01)
    assert lists.front.tolist() == [True, False]
    assert lists.points[:, 2] == pytest.approx([1, -1], abs=0.01)
    assert lists.normals[:, 2] == pytest.approx([1, -1], abs=0.1)


def test_every_tree_and_number_of_threads_gives_the_same_bits(ball, ball_bvh, rays):
    expected = ball_bvh.closest_hits(*rays)
    assert 500 < expected.hit.sum() < 2900
    for quality in ("fast", "high"):
        for layout in ("auto", "full", "compact"):
            for isa in hitscan.instruction_sets:
                bvh = hitscan.Bvh(ball, quality=quality, layout=layout, isa=isa)
                assert ("compact" in repr(bvh)) == (layout == "compact")
                assert same_bits(bvh.closest_hits(*rays, threads=1), expected)
    assert same_bits(ball_bvh.closest_hits(*rays, threads=3), expected)


def test_rays_may_be_strided_of_any_type_and_in_one_array(ball_bvh, rays):
    origins, directions = rays
    expected = ball_bvh.closest_hits(origins, directions)
    six = np.concatenate([origins, directions], axis=1)
    n = len(six)
    eight = np.concatenate([six, np.zeros((n, 1)), np.full((n, 1), np.inf)], axis=1)
    wide = np.zeros((n, 12), np.float32)
    wide[:, ::2] = six
    for array in (six, eight.astype(np.float32), np.asfortranarray(six), wide[:, ::2]):
        assert same_bits(ball_bvh.closest_hits(array), expected)
    assert same_bits(ball_bvh.closest_hits(six.astype(np.float64)), expected)
    misaligned = np.frombuffer(b" " + six.tobytes(), np.uint8)[1:].view(np.float32).reshape(n, 6)
    assert not misaligned.flags.aligned
    assert same_bits(ball_bvh.closest_hits(misaligned), expected)
    six.flags.writeable = False
    assert same_bits(ball_bvh.closest_hits(six), expected)
    assert same_bits(ball_bvh.closest_hits(memoryview(six)), expected)


def test_bounds_of_t_are_closed_and_may_differ_by_ray(ball_bvh):
    origins, directions = np.array([[0, 0, 5.0]] * 3), np.array([[0, 0, -1.0]] * 3)
    t = ball_bvh.closest_hits(origins, directions).t[0]
    hits = ball_bvh.closest_hits(origins, directions, t_max=[t, np.nextafter(t, np.float32(0)), np.inf])
    assert hits.hit.tolist() == [True, False, True]
    hits = ball_bvh.closest_hits(origins, directions, t_min=np.array([t, t + 1e-3, 7]))
    assert hits.hit.tolist() == [True, True, False]


def test_queries_agree_with_each_other(ball_bvh, rays):
    hits = ball_bvh.closest_hits(*rays)
    assert (ball_bvh.is_occluded(*rays) == hits.hit).all()
    lists = ball_bvh.all_hits(*rays)
    first = lists.splits[:-1][np.diff(lists.splits) > 0]
    assert lists.t[first].tobytes() == hits.t[hits.hit].tobytes()
    once = ball_bvh.all_hits(*rays, once_per_crossing=True)
    assert (np.diff(once.splits) == ball_bvh.count_crossings(*rays)).all()
    assert len(once) < len(lists)
    nearest = ball_bvh.nearest_hits(*rays, n=1)
    assert nearest.triangle.tobytes() == lists.triangle[first].tobytes()
    inside = np.linalg.norm(rays[0], axis=1) < 0.98
    assert (ball_bvh.count_crossings(*rays)[inside] % 2 == 1).all()
    signed = ball_bvh.signed_crossings(*rays)
    assert signed.dtype == np.int32 and (signed[inside] == -1).all()
    of_each_side = [ball_bvh.count_crossings(*rays, faces=faces).astype(int) for faces in ("front", "back")]
    assert (signed == of_each_side[0] - of_each_side[1]).all()


def test_points_and_distances(ball_bvh):
    points = np.array([[0, 0, 3.0], [0, 0, 0.5], [0.1, 0.2, 0.3]])
    found = ball_bvh.closest_points(points)
    assert found.distance == pytest.approx([2, 0.5, 0.62], abs=0.02)
    assert found.points[0] == pytest.approx([0, 0, 1])
    assert np.linalg.norm(found.points - points, axis=1) == pytest.approx(found.distance)
    assert ball_bvh.signed_distances(points) == pytest.approx([2, -0.5, -0.62], abs=0.02)
    assert ball_bvh.is_inside(points).tolist() == [False, True, True]
    assert ball_bvh.winding_numbers(points) == pytest.approx([0, 1, 1], abs=1e-2)
    missed = ball_bvh.closest_points(points, max_distance=0.1)
    assert (missed.triangle == hitscan.INVALID).all() and np.isinf(missed.distance).all()


def test_balls_stop_at_the_surface(ball_bvh):
    rays = np.array([[0, 0, 5], [0.3, 0.2, 5], [1.2, 0, 5], [3, 0, 5], [0, 0, 1.2]]), [[0, 0, -2.0]] * 5
    found = ball_bvh.sphere_casts(*rays, radius=0.5)
    assert found.hit.tolist() == [True, True, True, False, True] and len(found) == 5
    assert found.t[[0, 3, 4]].tolist() == [1.75, np.inf, 0] and found.feature[[0, 3]].tolist()[1] == 255
    assert found.feature[0] >= 4 and found.points[0].tolist() == [0, 0, 1]
    assert found.normals[0].tolist() == [0, 0, 1] and np.isnan(found.normals[3]).all()
    centres = rays[0] + np.where(found.hit, found.t, 0)[:, None] * np.array(rays[1])
    touching = found.hit & (found.t > 0)
    away = ball_bvh.closest_points(centres[touching].astype(np.float32)).distance
    assert away == pytest.approx(0.5, abs=1e-6)
    middle = found.points + 0.5 * found.normals
    assert middle[touching] == pytest.approx(centres[touching])
    without = ball_bvh.sphere_casts(*rays, radius=0)
    hits = ball_bvh.closest_hits(*rays)
    assert without.t.tolist() == hits.t.tolist() and (without.triangle == hits.triangle).all()
    assert not ball_bvh.sphere_casts(*rays, radius=0.5, t_max=1).hit[:4].any()


def test_all_contacts_start_with_the_first(ball_bvh, rays):
    rays = rays[0][:300], rays[1][:300]
    for radius in (0.25, 0):
        first, lists = (
            ball_bvh.sphere_casts(*rays, radius=radius),
            ball_bvh.sphere_casts_all(*rays, radius=radius),
        )
        touched = ball_bvh.sphere_casts_any(*rays, radius=radius)
        assert touched.dtype == np.bool_ and (touched == first.hit).all()
        assert lists.splits.shape == (301,) and lists.ball.shape == (len(lists),)
        starts = lists.splits[:-1][touched]
        assert (np.diff(lists.splits) > 0).tolist() == touched.tolist() and len(lists) > 2 * touched.sum()
        for name in ("t", "triangle", "points", "normals", "feature"):
            one, all = getattr(first, name)[touched], getattr(lists, name)[starts]
            assert one.tobytes() == all.tobytes(), name
        order = list(zip(lists.ball.tolist(), lists.t.tolist(), lists.triangle.tolist(), strict=True))
        assert order == sorted(order)


def test_overlapping_triangles(ball_bvh):
    top = ball_bvh.overlapping_sphere([0, 0, 1], 0.01)
    assert len(top) == 48 and (ball_bvh.mesh.triangles[top] == 0).any(axis=1).all()
    assert (ball_bvh.overlapping_box([[-2, -2, -2], [2, 2, 2]]) == np.arange(len(ball_bvh))).all()


def test_a_section_of_a_closed_mesh_is_closed_and_has_a_triangle_for_each_segment(ball_bvh):
    cut = ball_bvh.section([0, 0, 0.25], [0, 0, 2])
    assert len(cut) == 1 and cut.closed.all() and len(cut.points) == len(cut.triangles)
    assert cut.lengths == pytest.approx(2 * np.pi * np.sqrt(1 - 0.25**2), rel=0.01)
    corners = ball_bvh.mesh.positions[ball_bvh.mesh.triangles[cut.triangles]].astype(np.float64)
    ends = cut.segments
    assert ends.shape == (len(cut.triangles), 2, 3) and (ends[:, 1] == np.roll(ends[:, 0], -1, axis=0)).all()
    assert (ends >= corners.min(axis=1)[:, None] - 1e-15).all() and np.abs(ends[:, :, 2] - 0.25).max() < 1e-15
    line = cut.polyline(0)
    assert (line[0] == line[-1]).all() and len(line) == len(cut.points) + 1
    assert len(ball_bvh.section([0, 0, 2], [0, 0, 1])) == 0


def test_a_section_of_an_open_mesh_has_ends_also_far_away():
    far = np.array([4e6, 5e6, 0.0])
    corners = far + np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [3, 0, 0], [4, 0, 0], [3, 1, 0]])
    bvh = hitscan.Bvh(hitscan.Mesh(corners, [[0, 1, 2], [0, 2, 3], [4, 5, 6]]))
    cut = bvh.section(far + np.array([0, 0.25, 0]), [0, 1, 0])
    assert cut.closed.tolist() == [False, False] and cut.point_splits.tolist() == [0, 3, 5]
    assert cut.triangle_splits.tolist() == [0, 2, 3] and cut.lengths.tolist() == [1.0, 0.75]
    assert cut.segments.shape == (3, 2, 3) and (cut.points[:, 1] == far[1] + 0.25).all()
    with pytest.raises(IndexError):
        cut.polyline(2)


def test_refit_moves_the_surface():
    positions, triangles = sphere()
    bvh = hitscan.Bvh(hitscan.Mesh(positions, triangles))
    bvh.refit(positions * 2)
    ray = [[0.01, 0.02, 5]], [[0, 0, -1]]
    assert bvh.closest_hits(*ray).t[0] == pytest.approx(3, abs=0.01)
    with pytest.raises(ValueError, match="position"):
        bvh.refit(positions[:-1])
    with pytest.raises(ValueError, match="finite"):
        bvh.refit(np.full_like(positions, np.nan))
    assert bvh.closest_hits(*ray).t[0] == pytest.approx(3, abs=0.01)


def test_cache_files(ball_bvh, rays, tmp_path):
    path = tmp_path / "ball.hitscan"
    ball_bvh.save(path)
    assert same_bits(hitscan.Bvh.load(path).closest_hits(*rays), ball_bvh.closest_hits(*rays))
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ValueError, match=r"ball\.hitscan"):
        hitscan.Bvh.load(path)
    with pytest.raises(FileNotFoundError, match="missing"):
        hitscan.Bvh.load(tmp_path / "missing.hitscan")


def test_answers_keep_the_surface_of_their_time():
    positions, triangles = sphere()
    bvh = hitscan.Bvh(hitscan.Mesh(positions, triangles))
    ray = [[0.01, 0.02, 5]], [[0, 0, -1]]
    before, lists = bvh.closest_hits(*ray), bvh.all_hits(*ray)
    bvh.refit(positions * 2)
    assert before.points[0, 2] == pytest.approx(1, abs=0.01)
    assert lists.points[:, 2] == pytest.approx([1, -1], abs=0.01)
    assert before.points is before.points, "computed once"
    assert before.primitive is before.triangle


@pytest.mark.parametrize("extension", ["obj", "stl", "ply", "glb"])
def test_files(ball, tmp_path, extension):
    path = tmp_path / f"ball.{extension}"
    ball.save(path)
    again = hitscan.load(path)
    assert len(again) == len(ball)
    assert (again.bounds == ball.bounds).all()


def test_errors_of_files_name_the_place(ball, tmp_path):
    path = tmp_path / "bad.obj"
    path.write_text("v 0 0 0\nv 1 0 zero\n")
    with pytest.raises(ValueError, match=r"bad\.obj:2"):
        hitscan.load(path)
    with pytest.raises(FileNotFoundError, match="missing"):
        hitscan.load(tmp_path / "missing.obj")
    with pytest.raises(ValueError, match=r"expected \.obj"):
        ball.save(tmp_path / "ball.xyz")
    with pytest.raises(OSError, match="nowhere"):
        ball.save(tmp_path / "nowhere" / "ball.obj")


def test_names_of_a_file(tmp_path):
    path = tmp_path / "named.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\no lid\ng top\nusemtl red\nf 1 2 3 4\n")
    mesh = hitscan.load(path)
    names = mesh.names(1)
    assert (names.object, names.group, names.material) == ("lid", "top", "red")
    assert (names.polygon, names.line) == (0, 8)
    assert pickle.loads(pickle.dumps(mesh)).names(1) == names
    with pytest.raises(IndexError, match="below 2"):
        mesh.names(2)


BAD = [
    (
        lambda b: b.closest_hits(np.zeros((3, 2)), np.zeros((3, 3))),
        ValueError,
        r"origins.*\(3, 2\)",
    ),
    (lambda b: b.closest_hits(np.zeros((3, 3)), np.zeros((2, 3))), ValueError, "directions"),
    (lambda b: b.closest_hits(np.zeros((3, 3))), ValueError, r"rays.*\(n, 6\) or \(n, 8\)"),
    (lambda b: b.closest_hits(np.zeros((3, 8)), t_max=1), ValueError, "8 columns"),
    (lambda b: b.closest_hits(np.zeros((3, 6)), t_max=[1, 2]), ValueError, r"t_max.*\(2,\)"),
    (lambda b: b.closest_hits(np.zeros((3, 6)), faces="left"), ValueError, "faces is 'left'"),
    (lambda b: b.closest_hits(np.zeros((3, 6)), threads=0), ValueError, "threads is 0"),
    (lambda b: b.closest_hits(np.zeros((3, 6)), threads="all"), TypeError, "threads"),
    (lambda b: b.closest_hits([["a"] * 6]), TypeError, "rays has dtype"),
    (lambda b: b.closest_hits(np.zeros((3, 6), complex)), TypeError, "complex"),
    (lambda b: b.closest_hits(None), TypeError, "rays has dtype object"),
    (lambda b: b.nearest_hits(np.zeros((1, 6)), n=-1), ValueError, "n is -1"),
    (lambda b: b.closest_points(np.zeros((3, 4))), ValueError, r"points.*\(3, 4\)"),
    (lambda b: b.overlapping_sphere([0, 0], 1), ValueError, r"center.*\(2,\)"),
    (lambda b: b.overlapping_sphere([0, 0, 0], -1), ValueError, "radius is -1"),
    (lambda b: b.sphere_casts(np.zeros((1, 6)), radius=-1), ValueError, "radius is -1"),
    (lambda b: b.sphere_casts(np.zeros((1, 6)), radius=np.nan), ValueError, "radius is NaN"),
    (lambda b: b.sphere_casts(np.zeros((1, 5)), radius=1), ValueError, r"rays.*\(1, 5\)"),
    (lambda b: b.overlapping_box([[0, 0, 0]]), ValueError, r"box.*\(1, 3\)"),
    (lambda b: b.section([0, 0, 0], [0, 0, 0]), ValueError, r"normal of the plane is \(0, 0, 0\)"),
    (lambda b: b.section([0, np.nan, 0], [0, 0, 1]), ValueError, r"point of the plane is \(0, NaN, 0\)"),
    (lambda b: b.section([0, 0], [0, 0, 1]), ValueError, r"point.*\(2,\)"),
    (lambda b: hitscan.Bvh(3), TypeError, "int"),
    (lambda b: hitscan.Bvh(b.mesh, quality="best"), ValueError, "quality is 'best'"),
    (lambda b: hitscan.Bvh(b.mesh, isa="mmx"), ValueError, "isa is 'mmx'"),
    (lambda b: hitscan.Mesh([[0, 0]], [[0, 1, 2]]), ValueError, r"positions.*\(1, 2\)"),
    (lambda b: hitscan.Mesh(np.zeros((3, 3)), [[0, 1, 3]]), ValueError, "3"),
    (
        lambda b: hitscan.Mesh(np.zeros((3, 3)), [[0, 1, -2]]),
        ValueError,
        r"triangles\[0, 2\] is -2",
    ),
    (lambda b: hitscan.Mesh(np.zeros((3, 3)), [[0, 1, 1 << 32]]), ValueError, "4294967296"),
    (lambda b: hitscan.Mesh(np.zeros((3, 3)), [[0, 1, 1.5]]), TypeError, "integers"),
    (lambda b: hitscan.Mesh(np.full((3, 3), np.nan), [[0, 1, 2]]), ValueError, "finite"),
]


@pytest.mark.parametrize(("call", "error", "text"), BAD)
def test_bad_arguments_are_named(ball_bvh, call, error, text):
    with pytest.raises(error, match=text):
        call(ball_bvh)


def test_invalid_rays_hit_nothing(ball_bvh):
    rays = np.array([[0, 0, 5, 0, 0, 0], [np.nan, 0, 5, 0, 0, -1], [0, 0, np.inf, 0, 0, -1]])
    hits = ball_bvh.closest_hits(rays)
    assert not hits.hit.any() and np.isinf(hits.t).all() and (hits.uv == 0).all()
    assert np.isnan(hits.points).all() and np.isnan(hits.normals).all()
    assert not ball_bvh.sphere_casts(rays, radius=9).hit.any()


def test_empty_arrays_and_meshes():
    empty = hitscan.Bvh(hitscan.Mesh([], []))
    assert not empty.closest_hits([[0, 0, 5]], [[0, 0, -1]]).hit.any()
    assert not empty.sphere_casts([[0, 0, 5]], [[0, 0, -1]], radius=1).hit.any()
    assert len(empty.closest_hits([], [])) == 0
    assert np.isnan(empty.signed_distances([[0, 0, 0]])).all()
    assert empty.all_hits([], []).splits.tolist() == [0]


def test_tensors_come_in_by_dlpack(ball_bvh, rays):
    class Tensor:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **kwargs):
            return self.array.__dlpack__(**kwargs)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    hits = ball_bvh.closest_hits(Tensor(rays[0]), Tensor(rays[1]))
    assert same_bits(hits, ball_bvh.closest_hits(*rays))


def test_tensors_of_torch(ball_bvh, rays):
    torch = pytest.importorskip("torch")
    origins, directions = torch.from_numpy(rays[0]), torch.from_numpy(rays[1])
    expected = ball_bvh.closest_hits(*rays)
    assert same_bits(ball_bvh.closest_hits(origins, directions), expected)
    assert same_bits(ball_bvh.closest_hits(origins.double(), directions), expected)
    assert same_bits(ball_bvh.closest_hits(origins.requires_grad_(), directions), expected)


def test_anything_with_an_array_method_is_an_array(ball_bvh, rays):
    class Wrapped:
        def __init__(self, array):
            self.array = array

        def __array__(self, dtype=None, copy=None):
            return self.array

    hits = ball_bvh.closest_hits(Wrapped(rays[0]), Wrapped(rays[1]))
    assert same_bits(hits, ball_bvh.closest_hits(*rays))


@pytest.mark.parametrize("tolerance", [-1.0, -1e-300, float("nan")])
def test_a_tolerance_that_bounds_nothing_is_an_error(ball_bvh, tolerance):
    with pytest.raises(ValueError, match=r"tolerance is .*, expected a number from 0 on"):
        ball_bvh.winding_numbers([[0, 0, 0]], tolerance=tolerance)


def test_a_tolerance_of_zero_sums_all_triangles(ball_bvh):
    numbers = ball_bvh.winding_numbers([[0, 0, 0], [0.3, 0.2, 0.1], [2, 0, 0]], tolerance=0)
    assert np.allclose(numbers, [1, 1, 0], atol=1e-9)
