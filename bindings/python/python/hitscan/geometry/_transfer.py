"""Values of one surface at the points of another."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from .. import _arrays
from .._arrays import ArrayLike
from .._bvh import Bvh
from .._hits import INVALID


def transfer_attributes(
    source: Bvh,
    values: ArrayLike,
    points: ArrayLike,
    *,
    on: Literal["vertices", "triangles"] = "vertices",
    max_distance: float = np.inf,
    fill: float = np.nan,
    threads: int | None = None,
) -> npt.NDArray[Any]:
    """Return the values of a mesh at the points of its surface that are closest to given points.

    Values of vertices, such as colours, weights or texture coordinates, are interpolated in the triangle;
    values of triangles are copied.

    Parameters
    ----------
    source : Bvh
    values : (m,) or (m, k) array_like
        A number, or k of them, for each vertex or triangle of the source.
    points : (n, 3) array_like
        The vertices of another mesh, for example.
    on : {"vertices", "triangles"}
        What the values belong to.
    max_distance : float
        Points farther from the source get ``fill``.
    fill : float
        The value where there is none.
    threads : int, optional

    Returns
    -------
    (n,) or (n, k) array
        float64 for values of vertices. Values of triangles keep their dtype, unless ``fill`` is needed and is
        not of that dtype.
    """
    if not isinstance(source, Bvh):
        raise TypeError(f"source is a {type(source).__name__}, expected a hitscan.Bvh")
    if on not in ("vertices", "triangles"):
        raise ValueError(f"on is '{on}', expected 'vertices' or 'triangles'")
    table = _arrays.numbers("values", values)
    mesh = source.mesh
    n_expected = len(mesh.positions) if on == "vertices" else len(mesh)
    if table.ndim not in (1, 2) or len(table) != n_expected:
        raise ValueError(
            f"values has shape {table.shape}, expected ({n_expected},) or ({n_expected}, k), "
            f"one row for each of the {on}"
        )
    found = source.closest_points(points, max_distance=max_distance, threads=threads)
    near = found.triangle != INVALID
    triangle = found.triangle[near]
    if on == "triangles":
        taken: npt.NDArray[Any] = table[triangle]
    else:
        u, v = found.uv[near].T.astype(np.float64)
        weights = np.stack([1 - u - v, u, v], axis=1)
        taken = np.einsum("nc,nc...->n...", weights, table[mesh.triangles[triangle]].astype(np.float64))
    if near.all():
        return taken
    dtype = np.result_type(taken.dtype, np.min_scalar_type(fill))
    answer = np.full((len(near), *table.shape[1:]), fill, dtype)
    answer[near] = taken
    return answer
