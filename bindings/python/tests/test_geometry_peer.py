"""Recipes beside libigl and point-cloud-utils. The tests skip themselves without them."""

import time

import hitscan
import numpy as np
import pytest
from hitscan import geometry


def knot():
    """A closed mesh whose parts hide each other: a trefoil."""
    s = np.linspace(0, 2 * np.pi, 160, endpoint=False)
    line = np.stack([np.sin(s) + 2 * np.sin(2 * s), np.cos(s) - 2 * np.cos(2 * s), -np.sin(3 * s)], 1)
    along = np.roll(line, -1, 0) - np.roll(line, 1, 0)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    side = np.cross(along, [0.0, 0.0, 1.0])
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    up = np.cross(side, along)
    a = np.linspace(0, 2 * np.pi, 24, endpoint=False)[:, None]
    positions = (line[:, None] + 0.6 * (np.cos(a) * side[:, None] + np.sin(a) * up[:, None])).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(160), np.arange(24), indexing="ij")
    i1, j1 = (i + 1) % 160, (j + 1) % 24
    p, q, r, t = (x * 24 + y for x, y in ((i, j), (i1, j), (i1, j1), (i, j1)))
    triangles = np.concatenate([np.stack([p, q, r], -1), np.stack([p, r, t], -1)]).reshape(-1, 3)
    return np.float64(np.float32(positions)), triangles.astype(np.int64)


@pytest.fixture(scope="module")
def subject():
    positions, triangles = knot()
    corners = positions[triangles]
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = np.zeros_like(positions)
    for k in range(3):
        np.add.at(normals, triangles[:, k], cross)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    bvh = hitscan.Bvh(hitscan.Mesh(positions, triangles))
    inside = corners.mean(axis=1)[0] - 0.1 * cross[0] / np.linalg.norm(cross[0])
    assert bvh.winding_numbers([inside])[0] > 0.9, "the knot faces outward"
    return positions, triangles, normals, bvh


def seconds(call):
    start = time.process_time()
    return call(), time.process_time() - start


def test_ambient_occlusion_is_libigls_within_the_noise(subject):
    igl = pytest.importorskip("igl.embree")
    positions, triangles, normals, bvh = subject
    theirs, slow = seconds(lambda: igl.ambient_occlusion(positions, triangles, positions, normals, 128))
    ours, fast = seconds(lambda: geometry.ambient_occlusion(bvh, positions, normals, n_samples=128))
    difference = ours - theirs
    print(
        f"occlusion: mean {difference.mean():+.4f}, deviation {difference.std():.4f}, times {slow / fast:.2f}"
    )
    # Two estimates of 128 samples each differ by sqrt(2) times 0.5 / sqrt(128) at most.
    assert abs(difference.mean()) < 0.006 and difference.std() < np.sqrt(2) * 0.5 / np.sqrt(128)


def test_the_shape_diameter_is_libigls_within_the_noise(subject):
    igl = pytest.importorskip("igl.embree")
    positions, triangles, normals, bvh = subject
    theirs, slow = seconds(lambda: igl.shape_diameter_function(positions, triangles, positions, normals, 128))
    ours, fast = seconds(
        lambda: geometry.shape_diameter(
            bvh, positions, normals, n_samples=128, half_angle_degrees=90, reject_outliers=False
        )
    )
    difference = (ours - theirs) / ours
    print(
        f"diameter: mean {difference.mean():+.4f}, deviation {difference.std():.4f}, times {slow / fast:.2f}"
    )
    assert abs(difference.mean()) < 0.02 and difference.std() < 0.1


def test_facets_turn_as_libigl_turns_them(subject):
    igl = pytest.importorskip("igl.embree")
    positions, triangles, _, _ = subject
    mixed = triangles.copy()
    turned = np.random.default_rng(2).random(len(mixed)) < 0.4
    mixed[turned] = mixed[turned][:, [0, 2, 1]]
    mesh = hitscan.Mesh(positions, mixed)
    ours = geometry.reorient_facets(mesh, n_rays=8)
    assert ours.flipped.tolist() == turned.tolist()
    flipped, patches = igl.reorient_facets_raycast(positions, mixed)
    assert flipped.tolist() == turned.tolist() and len(np.unique(patches)) == 1


def test_rays_and_closest_points_are_those_of_point_cloud_utils(subject):
    pcu = pytest.importorskip("point_cloud_utils")
    positions, triangles, _, bvh = subject
    random = np.random.default_rng(8)
    origins = random.uniform(-5, 5, (3000, 3))
    directions = random.uniform(-2, 2, (3000, 3)) - origins
    face, _, t = pcu.ray_mesh_intersection(positions, triangles, origins, directions)
    hits = bvh.closest_hits(origins, directions)
    missed = face < 0
    assert (missed != ~hits.hit).sum() <= 3
    both = ~missed & hits.hit
    assert (face[both] != hits.triangle[both]).sum() <= 3
    np.testing.assert_allclose(t[both], hits.t[both], rtol=1e-4)
    distance, _, _ = pcu.closest_points_on_mesh(origins, positions, triangles)
    np.testing.assert_allclose(distance, bvh.closest_points(origins).distance, atol=1e-5)
