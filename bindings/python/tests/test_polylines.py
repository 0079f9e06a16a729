"""Polylines and points, which are picked within a radius."""

import hitscan
import numpy as np
import pytest
from hitscan import picking

VIEW = hitscan.Camera(eye=(0, 0, 9), near=0.1).view(640, 480)


def pixel(point):
    return VIEW.project([point])[0][0]


def test_a_pick_finds_the_segment_nearest_to_the_cursor():
    random = np.random.default_rng(4)
    lines = [random.uniform(-3, 3, (n, 3)) for n in (1, 0, 2, 30, 5)]
    wires = picking.Polylines(lines)
    assert len(wires) == 5
    n_found = 0
    for cursor in random.uniform([0, 0], [640, 480], (200, 2)):
        best = (8.0, None)
        for item, line in enumerate(lines):
            image, _, _ = VIEW.project(line)
            ends = np.stack([image[:-1], image[1:]], 1) if len(line) > 1 else image[:, None].repeat(2, 1)
            for segment, (a, b) in enumerate(ends):
                length = (b - a) @ (b - a)
                s = np.clip((cursor - a) @ (b - a) / length, 0, 1) if length else 0.0
                best = min(best, (np.linalg.norm(cursor - a - s * (b - a)), (item, segment)))
        found = wires.pick(VIEW, cursor)
        if best[1] is None:
            assert found is None
            continue
        n_found += 1
        assert (found.item, found.segment) == best[1] and abs(found.pixel_distance - best[0]) < 1e-3
        assert abs(pixel(found.point) - found.pixel).max() < 1e-6
    assert n_found > 20


def test_points_are_items_and_a_transform_moves_them():
    cloud = picking.Polylines.from_points([[0, 0, 0], [1, 0, 0], [1, 0, -5]])
    assert cloud.pick(VIEW, pixel([1, 0, 0])).item == 1
    moved = np.eye(4)
    moved[:3, 3] = [0, 2, 0]
    assert cloud.pick(VIEW, pixel([1, 0, 0]), transform=moved) is None
    found = cloud.pick(VIEW, pixel([1, 2, 0]), transform=moved)
    assert found.item == 1 and found.point.tolist() == [1, 2, 0]
    assert cloud.pick(VIEW, pixel([0, 0, 0]) + np.array([20, 0])) is None
    assert cloud.pick(VIEW, pixel([0, 0, 0]) + np.array([20, 0]), radius=21).item == 0


def test_a_marquee_touches_or_encloses_lines():
    wires = picking.Polylines([[[-3, 0, 0], [3, 0, 0]], [[0, 1, 0], [0.5, 1, 0]]])
    box = [pixel([-1, -1, 0]), pixel([1, 2, 0])]
    assert wires.select(VIEW, marquee=box) == [0, 1]
    assert wires.select(VIEW, marquee=box, enclosed=True) == [1]
    lasso = [pixel(p) for p in ([2, -1, 0], [4, -1, 0], [4, 1, 0], [2, 1, 0])]
    assert wires.select(VIEW, lasso=lasso) == [0]


def test_wrong_lines_are_named():
    with pytest.raises(ValueError, match=r"lines\[1\] has shape \(2, 2\), expected \(n, 3\)"):
        picking.Polylines([[[0, 0, 0]], [[0, 1], [2, 3]]])
    with pytest.raises(ValueError, match=r"point 1: position .*is not finite"):
        picking.Polylines.from_points([[0, 0, 0], [np.nan, 0, 0]])
    with pytest.raises(TypeError, match=r"view is a int, expected a hitscan.View"):
        picking.Polylines([]).pick(3, (0, 0))
    with pytest.raises(TypeError, match=r"select expects either marquee or lasso"):
        picking.Polylines([]).select(VIEW)
