"""Meshes from arrays of heights."""

from __future__ import annotations

import numpy as np

from .. import _arrays
from .._arrays import ArrayLike
from .._mesh import Mesh


def height_mesh(
    heights: ArrayLike,
    *,
    spacing: float | tuple[float, float] = 1.0,
    origin: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> Mesh:
    """Return a mesh of an array of heights, two triangles to each cell, facing up.

    Vertex ``row * columns + column`` is at ``origin + (column * dx, row * dy, heights[row, column])``. For a
    raster with its first row in the north, pass a negative ``dy``. A cell with a corner that is not finite
    has no triangle.

    Parameters
    ----------
    heights : (rows, columns) array_like
    spacing : float or (float, float)
        The steps ``dx`` and ``dy``, of which either may be negative.
    origin : (3,) float
        The position of ``heights[0, 0]`` at height 0. A mesh far from the origin gets an ``offset``.

    Returns
    -------
    hitscan.Mesh
    """
    z = _arrays.numbers("heights", heights)
    if z.ndim != 2 or min(z.shape) < 2:
        raise ValueError(f"heights has shape {z.shape}, expected (rows, columns) with at least 2 of each")
    steps = np.broadcast_to(_arrays.numbers("spacing", spacing), (2,)).astype(np.float64)
    if not (np.isfinite(steps).all() and (steps != 0).all()):
        raise ValueError(f"spacing is {spacing}, expected one or two finite numbers other than 0")
    corner = np.array(_arrays.triple("origin", origin))
    n_rows, n_columns = z.shape
    _arrays.room(f"a mesh of {n_rows} x {n_columns} heights", z.size * 72)
    known = np.isfinite(z)
    positions = np.empty((n_rows, n_columns, 3))
    positions[..., 0] = corner[0] + steps[0] * np.arange(n_columns)
    positions[..., 1] = corner[1] + steps[1] * np.arange(n_rows)[:, None]
    # Unknown heights have no triangle, but their vertices have to be finite.
    positions[..., 2] = corner[2] + np.where(known, z, z[known].min() if known.any() else 0.0)
    index = np.arange(z.size).reshape(z.shape)
    a, b, c, d = index[:-1, :-1], index[:-1, 1:], index[1:, 1:], index[1:, :-1]
    triangles = np.stack([a, b, c, a, c, d], axis=-1).reshape(-1, 6)
    whole = known[:-1, :-1] & known[:-1, 1:] & known[1:, 1:] & known[1:, :-1]
    triangles = triangles[whole.reshape(-1)].reshape(-1, 3)
    if steps[0] * steps[1] < 0:
        triangles = triangles[:, ::-1]
    return Mesh(positions.reshape(-1, 3), triangles)
