"""The nearest point of each of many triangles to one point."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

_Floats = npt.NDArray[np.float64]


def closest_on_triangles(point: _Floats, corners: Any) -> tuple[_Floats, _Floats]:
    """Return the nearest point of each triangle, (n, 3), and its distance, (n,).

    The nearest point is that of the plane if it is within the triangle, and else the nearest of the edges.

    Parameters
    ----------
    point : (3,) float64
    corners : (n, 3, 3) float64
    """
    edges = np.roll(corners, -1, axis=1) - corners
    to_point = point - corners
    squares = (edges**2).sum(axis=2)
    along = np.divide((to_point * edges).sum(axis=2), squares, out=np.zeros_like(squares), where=squares > 0)
    on_edges = corners + np.clip(along, 0.0, 1.0)[:, :, None] * edges
    distances = np.linalg.norm(point - on_edges, axis=2)
    nearest = distances.argmin(axis=1)
    rows = np.arange(len(corners))
    points, distance = on_edges[rows, nearest], distances[rows, nearest]

    normals = np.cross(edges[:, 0], edges[:, 1])
    square = (normals**2).sum(axis=1)
    sides = (np.cross(edges, to_point) * normals[:, None]).sum(axis=2)
    within = (sides >= 0).all(axis=1) & (square > 0)
    height = (to_point[within, 0] * normals[within]).sum(axis=1)
    points[within] = point - (height / square[within])[:, None] * normals[within]
    distance[within] = abs(height) / np.sqrt(square[within])
    return points, distance
