"""Meshes for the tests: made from formulas, so that no file is needed."""

import hitscan
import numpy as np
import pytest


def sphere(rings=24, sectors=48, radius=1.0):
    """A closed sphere as arrays of positions and triangles."""
    latitude = np.linspace(0, np.pi, rings + 1)[1:-1]
    longitude = np.linspace(0, 2 * np.pi, sectors, endpoint=False)
    a, b = np.meshgrid(latitude, longitude, indexing="ij")
    ring = np.stack([np.sin(a) * np.cos(b), np.sin(a) * np.sin(b), np.cos(a)], -1).reshape(-1, 3)
    positions = radius * np.concatenate([[[0, 0, 1]], ring, [[0, 0, -1]]]).astype(np.float32)
    triangles = []
    last = len(positions) - 1
    for s in range(sectors):
        t = (s + 1) % sectors
        triangles.append([0, 1 + s, 1 + t])
        triangles.append([last, last - sectors + t, last - sectors + s])
        for r in range(rings - 2):
            p, q = 1 + r * sectors, 1 + (r + 1) * sectors
            triangles += [[p + s, q + s, q + t], [p + s, q + t, p + t]]
    return positions, np.array(triangles, np.int64)


@pytest.fixture(scope="session")
def ball():
    return hitscan.Mesh(*sphere())


@pytest.fixture(scope="session")
def ball_bvh(ball):
    return hitscan.Bvh(ball)


@pytest.fixture(scope="session")
def rays():
    """Rays at corners, along edges and at random, in float32."""
    random = np.random.default_rng(7)
    positions, _ = sphere()
    origins = random.uniform(-2, 2, (3000, 3)).astype(np.float32)
    targets = random.uniform(-1, 1, (3000, 3)).astype(np.float32)
    targets[:1000] = positions[random.integers(0, len(positions), 1000)]
    return origins, targets - origins
