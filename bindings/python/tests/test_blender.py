"""Trees of polygons without Blender."""

import hitscan
import numpy as np
import pytest
from conftest import sphere
from hitscan.blender import BVHTree

SQUARE = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
NOTHING = (None, None, None, None)


@pytest.fixture
def square():
    return BVHTree.FromPolygons(SQUARE, [(0, 1, 2, 3)])


def plain(found):
    return tuple(found[0]), tuple(found[1]), *found[2:]


def test_a_ray_finds_the_polygon_with_its_distance(square):
    assert plain(square.ray_cast((0.25, 0.5, 2), (0, 0, -5))) == ((0.25, 0.5, 0), (0, 0, 1), 0, 2)
    assert square.ray_cast((0.25, 0.5, 2), (0, 0, 5)) == NOTHING
    # As in Blender, a hit at the very distance does not count.
    assert square.ray_cast((0.25, 0.5, 2), (0, 0, -5), 2.0) == NOTHING
    assert square.ray_cast((0.25, 0.5, 2), (0, 0, -5), 2.001)[3] == 2
    assert square.ray_cast((0.25, 0.5, 2), (0, 0, 0)) == NOTHING
    assert square.ray_cast((np.nan, 0.5, 2), (0, 0, -1)) == NOTHING


def test_a_ray_through_the_diagonal_of_a_quad_hits(square):
    assert square.ray_cast((0.5, 0.5, 2), (0, 0, -1))[2] == 0
    assert square.ray_cast((0, 0, 2), (0, 0, -1))[2] == 0


def test_the_nearest_point_and_those_in_range(square):
    assert plain(square.find_nearest((0.25, 0.5, 2))) == ((0.25, 0.5, 0), (0, 0, 1), 0, 2)
    assert square.find_nearest((0.25, 0.5, 2), 2.0) == NOTHING
    both = square.find_nearest_range((0.25, 0.5, 2))
    assert [(entry[2], round(entry[3], 4)) for entry in both] == [(0, 2), (0, 2.0078)]
    assert square.find_nearest_range((0.25, 0.5, 2), 2.0) == []
    assert square.find_nearest_range((0.25, 0.5, 2), -1.0) == []
    assert square.find_nearest_range((np.nan, 0.5, 2)) == []


def test_the_nearest_points_in_range_are_those_of_single_triangles():
    positions, triangles = sphere(6, 9)
    tree = BVHTree.FromPolygons(positions, triangles)
    alone = [hitscan.Bvh(hitscan.Mesh(positions, triangles[i : i + 1])) for i in range(len(triangles))]
    for point in np.random.default_rng(5).uniform(-2, 2, (20, 3)).astype(np.float32):
        expected = {i: bvh.closest_points([point]).distance[0] for i, bvh in enumerate(alone)}
        found = tree.find_nearest_range(point, 1.5)
        assert [entry[3] for entry in found] == sorted(entry[3] for entry in found)
        if found:
            assert found[0] == tree.find_nearest(point)
            assert tree.find_nearest_range(point, found[0][3]) == []
        assert {entry[2] for entry in found} == {i for i, d in expected.items() if d < 1.5}
        for location, _, index, distance in found:
            assert distance == pytest.approx(expected[index], abs=1e-6)
            assert np.linalg.norm(np.array(location) - point) == pytest.approx(distance, abs=1e-6)


def test_arrays_answer_as_single_calls_do():
    tree = BVHTree.FromPolygons(*sphere(6, 9))
    random = np.random.default_rng(2)
    origins = random.uniform(-2, 2, (300, 3)).astype(np.float32)
    directions = random.normal(size=(300, 3)).astype(np.float32)
    for limit in (np.inf, 0.7):
        arrays, nearest = (
            tree.ray_cast_array(origins, directions, limit),
            tree.find_nearest_array(origins, limit),
        )
        assert 10 < (arrays.index >= 0).sum() < 280 and (nearest.index >= 0).any()
        for i in range(300):
            for found, one in (
                (arrays, tree.ray_cast(origins[i], directions[i], limit)),
                (nearest, tree.find_nearest(origins[i], limit)),
            ):
                if one[2] is None:
                    assert found.index[i] == -1 and np.isinf(found.distance[i])
                    assert np.isnan(found.locations[i]).all() and np.isnan(found.normals[i]).all()
                else:
                    assert found.index[i] == one[2]
                    np.testing.assert_allclose(found.locations[i], one[0], atol=1e-6)
                    np.testing.assert_allclose(found.normals[i], one[1])
                    assert found.distance[i] == pytest.approx(one[3], rel=1e-6)


def test_polygons_may_be_concave_and_mixed_and_far_away():
    arrow = np.array([[0, 0, 0], [4, 2, 0], [0, 4, 0], [1, 2, 0], [5, 5, 0], [6, 5, 0], [5, 6, 0]], float)
    for shift in (0, 1000):
        tree = BVHTree.FromPolygons(arrow + shift, [(0, 1, 2, 3), (), (4, 5, 6), (4, 6)])
        hits = tree.ray_cast_array(
            np.array([[0.5, 2, 9], [1.5, 2, 9], [5.2, 5.2, 9]]) + shift, [[0, 0, -1]] * 3
        )
        assert hits.index.tolist() == [-1, 0, 2] and len(tree) == 4
        assert hits.normals[1:].tolist() == [[0, 0, 1]] * 2


def test_a_bent_quad_is_cut_from_its_second_corner_to_its_fourth():
    # Between the corners 1 and 3, at height 0; the other diagonal would be at height 1.
    bent = BVHTree.FromPolygons([(0, 0, 1), (1, 0, 0), (1, 1, 1), (0, 1, 0)], [(0, 1, 2, 3)])
    assert bent.ray_cast((0.5, 0.5, 9), (0, 0, -1))[3] == 9


def test_a_ball_in_place_of_a_ray_stops_at_epsilon():
    tree = BVHTree.FromPolygons(SQUARE, [(0, 1, 2, 3)], epsilon=0.1)
    location, normal, index, distance = tree.ray_cast((0.2, 0.3, 2), (0, 0, -5))
    assert index == 0 and distance == pytest.approx(1.9) and tuple(normal) == (0, 0, 1)
    assert tuple(location) == pytest.approx((0.2, 0.3, 0.1))
    assert tree.ray_cast((0.2, 0.3, 0.05), (0, 0, 1))[3] == 0
    assert tree.ray_cast((1.2, 0.3, 2), (0, 0, -5)) == NOTHING


def test_overlaps_are_pairs_of_polygons(square):
    wall = BVHTree.FromPolygons([(0.5, -1, -1), (0.5, 2, -1), (0.5, 2, 1), (0.5, -1, 1)], [(0, 1, 2, 3)])
    assert square.overlap(wall) == [(0, 0)] and wall.overlap(square) == [(0, 0)]
    assert square.overlap(square) == []
    # The second face crosses two of the others. All others share a corner or an edge.
    corners = [(0, 0, 0), (4, 0, 0), (0, 4, 0), (1, 1, -1), (1, 1, 3), (1, 5, -1), (4, 4, 1)]
    faces = [(0, 1, 2), (3, 4, 5), (1, 6, 2), (0, 1, 3)]
    both = BVHTree.FromPolygons(corners, faces)
    assert both.overlap(both) == [(0, 1), (1, 0), (1, 2), (2, 1)]
    # Corners at one place that share no index touch.
    apart = BVHTree.FromPolygons([corners[i] for face in faces for i in face], np.arange(12).reshape(4, 3))
    assert apart.overlap(apart) == [(a, b) for a in range(4) for b in range(4) if a != b]
    flat = BVHTree.FromPolygons([(0.1, 0.1, 0), (0.5, 0.1, 0), (0.5, 0.5, 0)], [(0, 1, 2)])
    assert square.overlap(flat) == []
    away = np.eye(4)
    away[0, 3] = 9
    assert square.overlap_array(wall, away).shape == (0, 2)


def test_a_matrix_moves_vertices_and_turns_normals():
    from hitscan.blender import _meshes

    polygons = _meshes.of_polygons(SQUARE, [(0, 1, 2, 3)])
    mirrored = np.diag([1.0, -2.0, 3.0, 1.0])
    assert polygons.moved(mirrored).normals.tolist() == [[0, 0, 1]]
    turned = np.array([[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 5], [0, 0, 0, 1]], float)
    moved = polygons.moved(turned)
    assert moved.normals.tolist() == [[0, -1, 0]] and moved.vertices[2].tolist() == [1, 0, 6]


def test_empty_trees_find_nothing():
    for tree in (BVHTree.FromPolygons([], []), BVHTree.FromPolygons(SQUARE, [])):
        assert tree.ray_cast((0, 0, 1), (0, 0, -1)) == NOTHING
        assert tree.find_nearest((0, 0, 1)) == NOTHING
        assert tree.find_nearest_range((0, 0, 1)) == []
        assert tree.overlap(tree) == [] and len(tree) == 0


@pytest.mark.parametrize(
    ("polygons", "error", "text"),
    [
        ([(0, 1, 9)], ValueError, r"polygons\[0\]\[2\] is 9, expected an index from 0 to 3"),
        # Blender 5.0.1 ends the process at these two.
        ([(0, 1, 2), (0, 1, -1)], ValueError, r"polygons\[1\]\[2\] is -1"),
        ([(0, 1, 2.5)], TypeError, r"polygons\[0\] has dtype float64, expected integers"),
        ([(0, "a", 2)], TypeError, r"polygons\[0\]"),
        ([((0, 1), (2, 3))], ValueError, r"polygons\[0\] has shape \(2, 2\)"),
    ],
)
def test_wrong_polygons_are_named(polygons, error, text):
    with pytest.raises(error, match=text):
        BVHTree.FromPolygons(SQUARE, polygons)


def test_other_wrong_arguments_are_named(square):
    with pytest.raises(ValueError, match=r"polygons\[0\] has 4 corners, expected 3"):
        BVHTree.FromPolygons(SQUARE, [(0, 1, 2, 3)], all_triangles=True)
    with pytest.raises(ValueError, match=r"epsilon is -1, expected a finite number"):
        BVHTree.FromPolygons(SQUARE, [(0, 1, 2, 3)], epsilon=-1)
    with pytest.raises(ValueError, match=r"vertices has shape \(1, 2\)"):
        BVHTree.FromPolygons([(0, 0)], [])
    with pytest.raises(TypeError, match=r"vertices cannot be converted"):
        BVHTree.FromPolygons(["abc"], [])
    with pytest.raises(TypeError, match=r"BVHTree\.FromPolygons"):
        BVHTree()
    with pytest.raises(TypeError, match=r"other_tree is a list, expected a BVHTree"):
        square.overlap([])
    with pytest.raises(TypeError, match=r"bmesh is a int"):
        BVHTree.FromBMesh(4)
    with pytest.raises(TypeError, match=r"object is a int, expected an Object"):
        BVHTree.FromObject(4, 5)
    with pytest.raises((TypeError, ValueError), match=r"origin"):
        square.ray_cast((0, 0), (0, 0, 1))
    with pytest.raises((TypeError, ValueError), match=r"direction"):
        square.ray_cast((0, 0, 0), "abc")
    with pytest.raises(ValueError, match=r"directions has shape \(2, 2\)"):
        square.ray_cast_array(np.zeros((2, 3)), np.zeros((2, 2)))


def test_arrays_of_rays_have_the_bits_of_single_ones():
    tree = BVHTree.FromPolygons(*sphere(12, 20))
    random = np.random.default_rng(8)
    origins, ways = random.uniform(-2, 2, (500, 3)), random.uniform(-3, 3, (500, 3))
    ways[7], ways[8] = 0, np.nan
    limits = random.uniform(0, 4, 500)
    found = tree.ray_cast_array(origins, ways, limits)
    assert 50 < (found.index >= 0).sum() < 450
    for i, (origin, way) in enumerate(zip(origins.tolist(), ways.tolist(), strict=True)):
        location, normal, index, distance = tree.ray_cast(origin, way, limits[i])
        if index is None:
            assert found.index[i] == -1 and found.distance[i] == np.inf
            assert np.isnan(found.locations[i]).all() and np.isnan(found.normals[i]).all()
        else:
            assert (index, distance) == (found.index[i], found.distance[i])
            # Where Blender is loaded, these are its vectors of float32.
            vectors = [tree._vector(rows[i].tolist()) for rows in (found.locations, found.normals)]
            assert [location, normal] == vectors
    one = tree.ray_cast_array([[0, 0, 0]], ways)
    assert one.index.tolist() == tree.ray_cast_array(np.zeros((500, 3)), ways).index.tolist()
    with pytest.raises(ValueError, match=r"origins has shape \(2, 3\), expected \(500, 3\) as directions"):
        tree.ray_cast_array([[0, 0, 0]] * 2, ways)
    with pytest.raises(ValueError, match=r"distance has shape \(2,\), expected a number or \(500,\)"):
        tree.ray_cast_array([[0, 0, 0]], ways, [1, 2])
