"""Which points see which."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .. import _arrays
from .._arrays import ArrayLike
from ._batches import Progress, Surface, batches, offset_of, surface_of


def is_visible(
    surface: Surface,
    eyes: ArrayLike,
    points: ArrayLike,
    *,
    tolerance: float | None = None,
    threads: int | None = None,
    progress: Progress = False,
) -> npt.NDArray[np.bool_]:
    """Return whether each eye sees each point: whether the segment between them is free.

    Parameters
    ----------
    surface : Bvh or Scene
    eyes : (m, 3) array_like
    points : (n, 3) array_like
        They may lie on the surface.
    tolerance : float, optional
        The length of each end of the segment that may touch the surface, by default a millionth of the
        surface's size.
    threads, progress
        As in :mod:`hitscan.geometry`; progress counts eyes.

    Returns
    -------
    (m, n) bool
        False for points that are not finite.
    """
    surface = surface_of(surface)
    start, target = _arrays.rows("eyes", eyes, 3, np.float64), _arrays.rows("points", points, 3, np.float64)
    _arrays.room(f"the visibility of {len(target)} points from {len(start)} eyes", len(start) * len(target))
    skipped = offset_of(surface, target) if tolerance is None else float(tolerance)
    if not 0.0 <= skipped < np.inf:
        raise ValueError(f"tolerance is {tolerance}, expected a finite number from 0 on")
    visible = np.zeros((len(start), len(target)), np.bool_)
    for batch in batches(len(start), len(target), progress):
        rows = slice(batch.start, batch.stop)
        ways = target[None] - start[rows, None]
        length = np.linalg.norm(ways, axis=2)
        near = length <= 2 * skipped
        part = np.divide(skipped, length, out=np.zeros_like(length), where=~near)
        origins = np.broadcast_to(start[rows, None], ways.shape).reshape(-1, 3)
        part = np.where(np.isfinite(part), part, 0.0).reshape(-1)
        hidden = surface.is_occluded(
            origins, ways.reshape(-1, 3), t_min=part, t_max=1.0 - part, threads=threads
        )
        visible[rows] = (~hidden.reshape(length.shape) | near) & np.isfinite(length)
    return visible
