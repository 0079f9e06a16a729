"""Horizons of terrain, and the part of the sky that they leave."""

from __future__ import annotations

import numpy as np

from .. import _arrays
from .._arrays import ArrayLike
from ._batches import Floats, Progress, Surface, batches, check_range, frame, offset_of, surface_of, units


def horizon_angles(
    surface: Surface,
    points: ArrayLike,
    *,
    n_azimuths: int = 36,
    up: ArrayLike = (0.0, 0.0, 1.0),
    max_distance: float = np.inf,
    accuracy_degrees: float = 0.1,
    lowest_degrees: float = -90.0,
    threads: int | None = None,
    progress: Progress = False,
) -> Floats:
    """Return the elevation of the horizon around each point, in degrees above the horizontal.

    A bisection over the elevation finds it, as in Steger, Steger and Schär, "HORAYZON v1.2: an efficient and
    flexible ray-tracing algorithm to compute horizon and sky view factor", 2022. It assumes that the terrain
    hides everything below its horizon, as an array of heights does. Under a bridge, the answer is one of the
    edges between ground, bridge and sky.

    Parameters
    ----------
    surface : Bvh or Scene
    points : (n, 3) array_like
        They may lie on the terrain. Rays start a millionth of the terrain's size above.
    n_azimuths : int
        Directions, equally spaced. With ``up`` along z, the first is +x and they run counter-clockwise,
        so ``azimuth[i] = 360 * i / n_azimuths`` from +x towards +y.
    up : (3,) array_like
        The direction of the zenith.
    max_distance : float
        Terrain farther away counts not.
    accuracy_degrees : float
        The maximum error.
    lowest_degrees : float
        The elevation of a direction without terrain, and the lower end of the search.
    threads, progress
        As in :mod:`hitscan.geometry`.

    Returns
    -------
    (n, n_azimuths) float64
        From ``lowest_degrees`` to 90. NaN for points that are not finite.
    """
    surface = surface_of(surface)
    start = _arrays.rows("points", points, 3, np.float64)
    n = _arrays.integer("n_azimuths", n_azimuths, 1, 1 << 20)
    reach = check_range("max_distance", max_distance, 0.0, np.inf)
    accuracy = check_range("accuracy_degrees", accuracy_degrees, 0.0, 90.0)
    lowest = float(lowest_degrees)
    if not -90.0 <= lowest < 90.0:
        raise ValueError(f"lowest_degrees is {lowest_degrees}, expected a number from -90 to below 90")
    zenith, flat = _horizontal(up, n)
    above = start + offset_of(surface, start) * zenith
    _arrays.room(f"the horizons of {len(start)} points", 8 * n * len(start))
    horizon = np.empty((len(start), n))
    n_steps = max(1, int(np.ceil(np.log2((90.0 - lowest) / accuracy))))
    for batch in batches(len(start), n, progress):
        rows = slice(batch.start, batch.stop)
        origins = np.repeat(above[rows], n, axis=0)
        around = np.tile(flat, (len(batch), 1))
        low, high = np.full(len(origins), lowest), np.full(len(origins), 90.0)
        for _ in range(n_steps):
            middle = (low + high) / 2
            angle = np.radians(middle)[:, None]
            ways = np.cos(angle) * around + np.sin(angle) * zenith
            hidden = surface.is_occluded(origins, ways, t_max=reach, threads=threads)
            low, high = np.where(hidden, middle, low), np.where(hidden, high, middle)
        # A direction in which no step met terrain has none.
        found = np.where(low == lowest, lowest, (low + high) / 2)
        horizon[rows] = found.reshape(-1, n)
    horizon[~np.isfinite(above).all(axis=1)] = np.nan
    return horizon


def sky_view_factor(
    surface: Surface,
    points: ArrayLike,
    *,
    normals: ArrayLike | None = None,
    n_azimuths: int = 36,
    up: ArrayLike = (0.0, 0.0, 1.0),
    max_distance: float = np.inf,
    accuracy_degrees: float = 0.1,
    threads: int | None = None,
    progress: Progress = False,
) -> Floats:
    """Return the part of a uniform sky's light that reaches each point, from 0 to 1.

    The integral over the sky above the horizon of :func:`horizon_angles`, by Dozier and Frew, "Rapid
    Calculation of Terrain Parameters for Radiation Modeling from Digital Elevation Data", 1990. Horizontal
    ground without a horizon has 1.

    Parameters
    ----------
    surface : Bvh or Scene
    points : (n, 3) array_like
    normals : (n, 3) array_like, optional
        The normals of the ground, of any length but zero; by default, the ground is horizontal.
    n_azimuths, up, max_distance, accuracy_degrees, threads, progress
        As in :func:`horizon_angles`.

    Returns
    -------
    (n,) float64
    """
    start = _arrays.rows("points", points, 3, np.float64)
    horizon = horizon_angles(
        surface,
        start,
        n_azimuths=n_azimuths,
        up=up,
        max_distance=max_distance,
        accuracy_degrees=accuracy_degrees,
        lowest_degrees=0.0,
        threads=threads,
        progress=progress,
    )
    zenith, flat = _horizontal(up, n_azimuths)
    if normals is None:
        flat_factor: Floats = (np.cos(np.radians(horizon)) ** 2).mean(axis=1)
        return flat_factor
    normal = _arrays.rows("normals", normals, 3, np.float64)
    if normal.shape != start.shape:
        raise ValueError(f"normals has shape {normal.shape}, expected {start.shape} as points")
    normal = units(normal)
    # Over one azimuth, the light is the integral of cos(e) * (cos(e) * a + sin(e) * b) by the elevation e,
    # where the ground does not hide it: from the horizon or from atan2(-a, b), whichever is higher.
    b = (normal * zenith).sum(axis=1)[:, None]
    a = normal @ flat.T
    low = np.maximum(np.radians(horizon), np.arctan2(-a, b))
    low = np.clip(low, 0.0, np.pi / 2)
    light = a * (np.pi / 4 - low / 2 - np.sin(2 * low) / 4) + b * np.cos(low) ** 2 / 2
    factor: Floats = 2 * np.maximum(light, 0.0).mean(axis=1)
    return factor


def _horizontal(up: ArrayLike, n_azimuths: int) -> tuple[Floats, Floats]:
    """Return the zenith, (3,), and the horizontal directions of all azimuths, (n_azimuths, 3)."""
    zenith = units(np.array([_arrays.triple("up", up)]))
    if not np.isfinite(zenith).all():
        raise ValueError(f"up is {up}, expected a finite vector other than zero")
    side, top = frame(zenith)
    azimuth = 2 * np.pi * np.arange(n_azimuths) / n_azimuths
    return zenith[0], np.cos(azimuth)[:, None] * side + np.sin(azimuth)[:, None] * top
