"""One ray and one point, without arrays."""

import hitscan
import numpy as np
import pytest
from conftest import sphere


def test_one_ray_has_the_bits_of_many(ball_bvh, rays):
    origins, directions = rays[0][:500], rays[1][:500]
    hits = ball_bvh.closest_hits(origins, directions, t_max=0.9, faces="front")
    assert 50 < hits.hit.sum() < 490
    for i in range(500):
        hit = ball_bvh.closest_hit(origins[i], directions[i], t_max=0.9, faces="front")
        assert (hit is None) == (not hits.hit[i])
        if hit is not None:
            assert np.float32(hit.t) == hits.t[i] and hit.triangle == hits.triangle[i]
            assert hit.uv == tuple(hits.uv[i].tolist()) and hit.front is bool(hits.front[i])
            assert hit.point == hits.points[i].tolist() and hit.normal == hits.normals[i].tolist()


def test_one_point_has_the_bits_of_many(ball_bvh, rays):
    points = rays[0][:300]
    found = ball_bvh.closest_points(points, max_distance=0.8)
    assert 20 < np.isfinite(found.distance).sum() < 280
    for i in range(300):
        one = ball_bvh.closest_point(points[i], max_distance=0.8)
        assert (one is None) == np.isinf(found.distance[i])
        if one is not None:
            assert one.point == found.points[i].tolist() and one.distance == found.distance[i]
            assert one.triangle == found.triangle[i] and one.uv == tuple(found.uv[i].tolist())


def test_far_from_the_origin_one_ray_has_the_bits_of_many():
    positions, triangles = sphere(8, 12)
    far = np.array([5e6, -4e6, 3e6])
    bvh = hitscan.Bvh(hitscan.Mesh(positions + far, triangles))
    origin, direction = far + np.array([0.1, 0.2, 7.0]), [0.0, 0.0, -1.0]
    hits = bvh.closest_hits([origin], [direction])
    hit = bvh.closest_hit(origin, direction)
    assert hit.t == hits.t[0] and hit.point == hits.points[0].tolist()
    assert bvh.closest_hit(origin, [0.0, 0.0, 1.0]) is None
    assert bvh.closest_point(origin).point == bvh.closest_points([origin]).points[0].tolist()


def test_invalid_rays_and_points_find_nothing(ball_bvh):
    assert ball_bvh.closest_hit((0, 0, 0), (0, 0, 0)) is None
    assert ball_bvh.closest_hit((np.nan, 0, 0), (0, 0, 1)) is None
    assert ball_bvh.closest_hit((0, 0, 0), (0, 0, 1), t_min=3, t_max=2) is None
    assert ball_bvh.closest_point((np.inf, 0, 0)) is None
    assert ball_bvh.closest_point((0, 0, 0), max_distance=np.nan) is None


def test_wrong_arguments_are_named(ball_bvh):
    with pytest.raises(ValueError, match=r"origin has shape \(2,\), expected \(3,\)"):
        ball_bvh.closest_hit((0, 0), (0, 0, 1))
    with pytest.raises(TypeError, match=r"direction has dtype .*, expected real numbers"):
        ball_bvh.closest_hit((0, 0, 0), "abc")
    with pytest.raises(TypeError, match=r"t_max"):
        ball_bvh.closest_hit((0, 0, 0), (0, 0, 1), t_max="a")
    with pytest.raises(ValueError, match=r"faces is 'all', expected 'both'"):
        ball_bvh.closest_hit((0, 0, 0), (0, 0, 1), faces="all")
    with pytest.raises(TypeError, match=r"point has dtype object, expected real numbers"):
        ball_bvh.closest_point(None)
