"""The thickness of a solid: along the normal, and the shape diameter."""

from __future__ import annotations

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
    lengths_around,
    offset_of,
    points_and_normals,
    surface_of,
)


@of_surface_points
def thickness(
    surface: Surface, points: ArrayLike, normals: ArrayLike, *, threads: int | None = None
) -> Floats:
    """Return the distance from each point of a surface straight through the solid to the other side.

    Parameters
    ----------
    surface : Bvh or Scene
        A closed surface whose normals point outward.
    points, normals : (n, 3) array_like
        Points of the surface with its normals, of any length but zero.
    threads : int, optional

    Returns
    -------
    (n,) float64
        In units of length; inf where the ray leaves the solid without a hit, NaN without a normal.
    """
    surface = surface_of(surface)
    start, normal = points_and_normals(points, normals)
    skipped = offset_of(surface, start)
    hits = surface.closest_hits(start - skipped * normal, -normal, threads=threads)
    t: Floats = hits.t.astype(np.float64) + skipped
    t[~(np.isfinite(start) & np.isfinite(normal)).all(axis=1)] = np.nan
    return t


@of_surface_points
def shape_diameter(
    surface: Surface,
    points: ArrayLike,
    normals: ArrayLike,
    *,
    n_samples: int = 64,
    half_angle_degrees: float = 60.0,
    reject_outliers: bool = True,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress = False,
) -> Floats:
    """Return the mean length of rays through the solid, in a cone around the inward normal of each point.

    With ``reject_outliers``, this is the function of Shapira, Shamir and Cohen-Or, "Consistent Mesh
    Partitioning and Skeletonisation using the Shape Diameter Function", 2008. Rays count only if they leave
    through a face that looks the other way, and if they are within one standard deviation of the median.
    Their weight is the inverse of the angle to the normal. Without, and with an angle of 90 degrees, it is
    the plain mean of libigl.

    Parameters
    ----------
    surface : Bvh or Scene
        A closed surface whose normals point outward.
    points, normals : (n, 3) array_like
        Points of the surface with its normals, of any length but zero.
    n_samples : int
        Rays for each point.
    half_angle_degrees : float
        The largest angle of a ray to the inward normal, up to 90.
    reject_outliers : bool
    seed : int
    threads, progress
        As in :mod:`hitscan.geometry`.

    Returns
    -------
    (n,) float64
        In units of length; NaN where no ray counts.
    """
    surface = surface_of(surface)
    start, normal = points_and_normals(points, normals)
    samples = _arrays.integer("n_samples", n_samples, 1, 1 << 20)
    angle = check_range("half_angle_degrees", half_angle_degrees, 0.0, 90.0)
    skipped = offset_of(surface, start)
    diameter = np.empty(len(start))
    for batch in batches(len(start), samples, progress):
        rows = slice(batch.start, batch.stop)
        axes = -normal[rows]
        ways = cap_directions(axes, seed, batch, samples, angle)
        # A ray inside of a solid meets the back of a face.
        t = lengths_around(surface, start[rows], ways, skipped, reject_outliers, threads)
        counts = np.isfinite(t)
        weights = np.ones_like(t)
        if reject_outliers:
            counts &= _near_the_median(t, counts)
            cosine = np.clip((ways * axes[:, None]).sum(axis=2), -1.0, 1.0)
            weights = 1 / np.maximum(np.arccos(cosine), 1e-3)
        weights = np.where(counts, weights, 0.0)
        total = weights.sum(axis=1)
        sums = (np.where(counts, t, 0.0) * weights).sum(axis=1)
        diameter[rows] = np.divide(sums, total, out=np.full_like(sums, np.nan), where=total > 0)
    return diameter


def _near_the_median(t: Floats, counts: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> Floats:
    """Return whether each length is within a standard deviation of the median of its row."""
    known = np.where(counts, t, np.nan)
    empty = ~counts.any(axis=1)
    known[empty] = 0.0
    median, deviation = np.nanmedian(known, axis=1), np.nanstd(known, axis=1)
    near: Floats = np.abs(t - median[:, None]) <= deviation[:, None] + 1e-12 * np.abs(median)[:, None]
    return near
