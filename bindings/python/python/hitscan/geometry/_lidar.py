"""Patterns of LiDAR sensors, and their scans."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _arrays
from .._arrays import ArrayLike
from .._hits import INVALID, SceneHits
from ._batches import Floats, Progress, Surface, batches, check_range, surface_of, uniforms


@dataclass(frozen=True, eq=False)
class LidarPattern:
    """The directions in which a sensor measures, x ahead, y to the left and z up.

    Attributes
    ----------
    directions : (n, 3) float64
        Unit vectors, in the order of time.
    times : (n,) float64
        Seconds from the start of the scan.
    channel : (n,) int64
        The beam or the row of each direction.
    """

    directions: Floats
    times: Floats
    channel: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.times)


@dataclass(frozen=True, eq=False)
class LidarScan:
    """The m echoes of a scan of n directions.

    Attributes
    ----------
    points : (m, 3) float64
        In world space, at the measured range.
    range : (m,) float64
        With noise, if that was asked for.
    direction : (m,) int64
        The index in the pattern, ascending.
    times : (m,) float64
    channel : (m,) int64
    triangle, instance : (m,) int64
        The id of the instance is 0 for a tree.
    incidence_degrees : (m,) float64
        The angle between the beam and the normal of the surface, from 0 to 90.
    """

    points: Floats
    range: Floats
    direction: npt.NDArray[np.int64]
    times: Floats
    channel: npt.NDArray[np.int64]
    triangle: npt.NDArray[np.int64]
    instance: npt.NDArray[np.int64]
    incidence_degrees: Floats

    def __len__(self) -> int:
        return len(self.range)


def spinning_pattern(
    elevations_degrees: ArrayLike | None = None, *, n_azimuths: int = 1800, rate_hz: float = 10.0
) -> LidarPattern:
    """Return one turn of a sensor whose column of beams spins.

    Parameters
    ----------
    elevations_degrees : (k,) array_like, optional
        The elevation of each beam above the horizontal; by default 16 beams from -15 to 15.
    n_azimuths : int
        The columns of a turn, counter-clockwise from ahead.
    rate_hz : float
        Turns a second.

    Returns
    -------
    LidarPattern
        All beams of a column are at one time.
    """
    given = np.linspace(-15.0, 15.0, 16) if elevations_degrees is None else elevations_degrees
    beams = _arrays.numbers("elevations_degrees", given).astype(np.float64)
    if beams.ndim != 1 or not (np.abs(beams) <= 90).all():
        raise ValueError(f"elevations_degrees has shape {beams.shape}, expected (k,) numbers from -90 to 90")
    n, rate = (
        _arrays.integer("n_azimuths", n_azimuths, 1, 1 << 24),
        check_range("rate_hz", rate_hz, 0.0, np.inf),
    )
    azimuth = np.repeat(2 * np.pi * np.arange(n) / n, len(beams))
    times = np.repeat(np.arange(n) / (n * rate), len(beams))
    channel = np.tile(np.arange(len(beams)), n)
    return LidarPattern(_directions(azimuth, np.radians(np.tile(beams, n))), times, channel)


def raster_pattern(
    width: int,
    height: int,
    *,
    fov_x_degrees: float = 120.0,
    fov_y_degrees: float = 25.0,
    rate_hz: float = 10.0,
) -> LidarPattern:
    """Return one frame of a solid-state sensor: rows from top to bottom, columns from left to right.

    Parameters
    ----------
    width, height : int
        The number of columns and rows.
    fov_x_degrees, fov_y_degrees : float
        The angles between the first and the last column and row.
    rate_hz : float
        Frames a second.

    Returns
    -------
    LidarPattern
    """
    columns, rows = _arrays.integer("width", width, 1, 1 << 16), _arrays.integer("height", height, 1, 1 << 16)
    half_x = np.radians(check_range("fov_x_degrees", fov_x_degrees, 0.0, 360.0)) / 2
    half_y = np.radians(check_range("fov_y_degrees", fov_y_degrees, 0.0, 180.0)) / 2
    rate = check_range("rate_hz", rate_hz, 0.0, np.inf)
    across = np.linspace(half_x, -half_x, columns) if columns > 1 else np.zeros(1)
    down = np.linspace(half_y, -half_y, rows) if rows > 1 else np.zeros(1)
    n = columns * rows
    times = np.arange(n) / (n * rate)
    return LidarPattern(
        _directions(np.tile(across, rows), np.repeat(down, columns)),
        times,
        np.repeat(np.arange(rows), columns),
    )


def rosette_pattern(
    n: int,
    *,
    half_angle_degrees: float = 35.0,
    prisms_hz: tuple[float, float] = (121.6, -77.8),
    duration: float = 0.1,
    start: float = 0.0,
) -> LidarPattern:
    """Return the flower of a sensor with two turning prisms, which does not repeat from scan to scan.

    Each prism bends the beam by half of the angle, and turns at its rate. Two thin prisms add up as vectors
    (Marshall, "Risley Prism Scan Patterns", 1999).

    Parameters
    ----------
    n : int
        The number of directions, equally spaced in time.
    half_angle_degrees : float
        The largest angle from ahead, up to 90.
    prisms_hz : (float, float)
        Turns of the prisms a second; the sign is the sense.
    duration, start : float
        Seconds. The next scan starts at ``start + duration``.

    Returns
    -------
    LidarPattern
    """
    count = _arrays.integer("n", n, 0, 1 << 32)
    half = np.radians(check_range("half_angle_degrees", half_angle_degrees, 0.0, 90.0)) / 2
    seconds = check_range("duration", duration, 0.0, np.inf)
    first, second = (float(rate) for rate in prisms_hz)
    times = seconds * np.arange(count) / max(count, 1)
    at = 2 * np.pi * (float(start) + times)
    left = half * (np.cos(first * at) + np.cos(second * at))
    up = half * (np.sin(first * at) + np.sin(second * at))
    angle = np.hypot(left, up)
    part = np.divide(np.sin(angle), angle, out=np.ones_like(angle), where=angle > 0)
    directions = np.stack([np.cos(angle), left * part, up * part], axis=1)
    return LidarPattern(directions, times, np.zeros(count, np.int64))


def scan(
    surface: Surface,
    pattern: LidarPattern,
    pose: ArrayLike | None = None,
    *,
    min_range: float = 0.0,
    max_range: float = np.inf,
    noise: float = 0.0,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress = False,
) -> LidarScan:
    """Return the echoes of a sensor: the first surface in each direction of a pattern.

    Parameters
    ----------
    surface : Bvh or Scene
    pattern : LidarPattern
    pose : (4, 4) or (n, 4, 4) array_like, optional
        From the space of the sensor to the world: rotation and translation, for the whole scan or for each
        direction of a moving sensor. The identity by default.
    min_range, max_range : float
        Surfaces nearer than the minimum are passed through.
    noise : float
        The standard deviation of the range, in units of length, normally distributed.
    seed : int
    threads, progress
        As in :mod:`hitscan.geometry`; progress counts directions.

    Returns
    -------
    LidarScan
    """
    surface = surface_of(surface)
    if not isinstance(pattern, LidarPattern):
        raise TypeError(f"pattern is a {type(pattern).__name__}, expected a LidarPattern")
    low, deviation = float(min_range), float(noise)
    if not 0.0 <= low < np.inf or not 0.0 <= deviation < np.inf:
        raise ValueError(f"min_range is {min_range} and noise {noise}, expected finite numbers from 0 on")
    high = check_range("max_range", max_range, low, np.inf)
    poses = _poses(pose, len(pattern))
    echoes: list[tuple[npt.NDArray[Any], ...]] = []
    for batch in batches(len(pattern), 1, progress):
        rows = slice(batch.start, batch.stop)
        at = poses[rows] if len(poses) > 1 else poses
        ways = np.einsum(
            "nij,nj->ni", np.broadcast_to(at[:, :3, :3], (len(batch), 3, 3)), pattern.directions[rows]
        )
        origins = np.broadcast_to(at[:, :3, 3], ways.shape)
        hits: Any = surface.closest_hits(origins, ways, t_min=low, t_max=high, threads=threads)
        hit = np.flatnonzero(hits.triangle != INVALID)
        measured = hits.t[hit].astype(np.float64)
        if deviation:
            # Box and Muller, "A Note on the Generation of Random Normal Deviates", 1958.
            u, v = uniforms(seed, batch, 1, 2)[hit, 0].T
            measured += deviation * np.sqrt(-2 * np.log1p(-u)) * np.cos(2 * np.pi * v)
        cosine = np.abs((ways[hit] * hits.normals[hit]).sum(axis=1))
        instance = hits.instance[hit] if isinstance(hits, SceneHits) else np.zeros(len(hit), np.int64)
        echoes.append(
            (
                origins[hit] + measured[:, None] * ways[hit],
                measured,
                hit + batch.start,
                hits.triangle[hit].astype(np.int64),
                instance,
                np.degrees(np.arccos(np.clip(cosine, 0.0, 1.0))),
            )
        )
    empty = np.zeros(0, np.int64)
    columns: Any = (
        zip(*echoes, strict=True) if echoes else [(np.zeros((0, 3)),), *[(empty,)] * 4, (np.zeros(0),)]
    )
    points, measured, direction, triangle, instance, incidence = (
        np.concatenate(column) for column in columns
    )
    times, channel = pattern.times[direction], pattern.channel[direction]
    return LidarScan(points, measured, direction, times, channel, triangle, instance, incidence)


def _poses(pose: ArrayLike | None, n: int) -> Floats:
    """Return one pose or one for each direction, (1, 4, 4) or (n, 4, 4)."""
    poses: Floats = np.eye(4)[None] if pose is None else _arrays.numbers("pose", pose).astype(np.float64)
    if poses.shape == (4, 4):
        poses = poses[None]
    if poses.shape not in ((1, 4, 4), (n, 4, 4)):
        raise ValueError(f"pose has shape {poses.shape}, expected (4, 4) or ({n}, 4, 4)")
    turn = poses[:, :3, :3]
    if not np.allclose(turn @ turn.transpose(0, 2, 1), np.eye(3), atol=1e-6):
        raise ValueError("pose has a part that is no rotation; a sensor cannot be scaled or sheared")
    return poses


def _directions(azimuth: Floats, elevation: Floats) -> Floats:
    flat = np.cos(elevation)
    directions: Floats = np.empty((len(azimuth), 3))
    directions[:, 0], directions[:, 1] = flat * np.cos(azimuth), flat * np.sin(azimuth)
    directions[:, 2] = np.sin(elevation)
    return directions
