"""Ambient occlusion."""

from __future__ import annotations

from typing import Literal

import numpy as np

from .. import _arrays
from .._arrays import ArrayLike
from .._shapes import of_surface_points
from ._batches import (
    Floats,
    Progress,
    Surface,
    batches,
    cap_directions,
    check_range,
    offset_of,
    points_and_normals,
    repeated,
    surface_of,
)


@of_surface_points
def ambient_occlusion(
    surface: Surface,
    points: ArrayLike,
    normals: ArrayLike,
    *,
    n_samples: int = 64,
    max_distance: float = np.inf,
    weighting: Literal["uniform", "cosine"] = "uniform",
    seed: int = 0,
    threads: int | None = None,
    progress: Progress = False,
) -> Floats:
    """Return the part of the hemisphere above each point that the surface hides.

    ``"uniform"`` counts all directions alike, as libigl's ``ambient_occlusion`` does. ``"cosine"`` weighs
    them as a matt surface reflects light (Zhukov, Iones and Kronin, "An Ambient Light Illumination Model",
    1998).

    Parameters
    ----------
    surface : Bvh or Scene
    points, normals : (n, 3) array_like
        Normals of any length but zero. Rays start a millionth of the size of the surface above the points.
    n_samples : int
        Rays for each point. The standard deviation is at most ``0.5 / sqrt(n_samples)``.
    max_distance : float
        Surfaces farther away hide nothing.
    weighting : {"uniform", "cosine"}
    seed : int
    threads, progress
        As in :mod:`hitscan.geometry`.

    Returns
    -------
    (n,) float64
        From 0, free, to 1, closed in. NaN for a point or normal that is not finite or has no length.

    Raises
    ------
    ValueError, TypeError
        An argument of another shape, type or range.
    """
    surface = surface_of(surface)
    start, normal = points_and_normals(points, normals)
    samples = _arrays.integer("n_samples", n_samples, 1, 1 << 20)
    reach = check_range("max_distance", max_distance, 0.0, np.inf)
    if weighting not in ("uniform", "cosine"):
        raise ValueError(f"weighting is '{weighting}', expected 'uniform' or 'cosine'")
    above = start + offset_of(surface, start) * normal
    hidden = np.empty(len(start))
    for batch in batches(len(start), samples, progress):
        rows = slice(batch.start, batch.stop)
        ways = cap_directions(normal[rows], seed, batch, samples, 90.0, weighting == "cosine")
        origins = repeated(surface, above[rows], samples)
        hit = surface.is_occluded(origins, ways.reshape(-1, 3), t_max=reach, threads=threads)
        hidden[rows] = hit.reshape(-1, samples).mean(axis=1)
    hidden[~np.isfinite(above).all(axis=1)] = np.nan
    return hidden
