"""Batches with progress, directions by seed, and checks that all recipes share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias, TypeGuard

import numpy as np
import numpy.typing as npt

from .. import _arrays
from .._arrays import ArrayLike
from .._bvh import Bvh
from .._scene import Scene

#: A tree, or a scene in world space.
Surface: TypeAlias = "Bvh | Scene"
#: True for a bar, or a function of the numbers of items done and in all.
Progress: TypeAlias = "bool | Callable[[int, int], object]"
Floats: TypeAlias = npt.NDArray[np.float64]

#: The rays of a batch: their arrays take some megabytes.
RAYS_PER_BATCH = 1 << 18


class Cancelled(Exception):
    """The function that was passed as ``progress`` has returned False."""


def surface_of(surface: Any) -> Surface:
    """Check that an argument answers queries."""
    if not isinstance(surface, (Bvh, Scene)):
        raise TypeError(f"surface is a {type(surface).__name__}, expected a hitscan.Bvh or a hitscan.Scene")
    return surface


def points_and_normals(points: ArrayLike, normals: ArrayLike) -> tuple[Floats, Floats]:
    """Return points and unit normals, (n, 3) float64 each. A normal without length is NaN."""
    start, normal = (
        _arrays.rows("points", points, 3, np.float64),
        _arrays.rows("normals", normals, 3, np.float64),
    )
    if start.shape != normal.shape:
        raise ValueError(f"normals has shape {normal.shape}, expected {start.shape} as points")
    return start, units(normal)


def units(vectors: Floats) -> Floats:
    """Return vectors of length 1; NaN for those without a length."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    divided: Floats = np.divide(vectors, length, out=np.full_like(vectors, np.nan), where=length > 0)
    return divided


def offset_of(surface: Surface, points: Floats) -> float:
    """Return a distance that is safely more than the rounding of points on a surface to float32."""
    low, high = np.asarray(surface.bounds, np.float64)
    if not np.isfinite(low).all():
        return 0.0
    # A tree rounds relative to its offset, and a scene not at all.
    middle = surface.offset if isinstance(surface, Bvh) else (low + high) / 2
    reach = max(np.abs(low - middle).max(), np.abs(high - middle).max())
    return float(max(1e-6 * np.linalg.norm(high - low), 8 * np.finfo(np.float32).eps * reach))


def batches(n: int, per_item: int, progress: Progress) -> Iterator[range]:
    """Split ``range(n)`` into batches of about :data:`RAYS_PER_BATCH` rays, and report progress after each.

    Raises
    ------
    Cancelled
        If the function returns False.
    """
    size = max(1, RAYS_PER_BATCH // max(1, per_item))
    report, close = _reporter(progress, n)
    try:
        for first in range(0, n, size):
            batch = range(first, min(n, first + size))
            yield batch
            if report(batch.stop, n) is False:
                raise Cancelled(f"cancelled after {batch.stop} of {n}")
    finally:
        close()


def _reporter(progress: Progress, n: int) -> tuple[Callable[[int, int], object], Callable[[], object]]:
    if callable(progress):
        return progress, lambda: None
    if not progress:
        return lambda done, total: None, lambda: None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return lambda done, total: None, lambda: None
    bar = tqdm(total=n)
    return lambda done, total: bar.update(done - bar.n) and None, bar.close


def uniforms(seed: int, batch: range, n_samples: int, n_numbers: int) -> Floats:
    """Return numbers in [0, 1) for each item of a batch, (len(batch), n_samples, n_numbers).

    Each depends on the seed and its own indices alone, whatever the batches. A counter is hashed by the
    finalizer of SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
    """
    per_item = n_samples * n_numbers
    counter = np.arange(batch.start * per_item, batch.stop * per_item, dtype=np.uint64)
    key = np.uint64(_arrays.integer("seed", seed, 0, (1 << 64) - 2))
    with np.errstate(over="ignore"):
        x = (counter + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15) + _mix(np.atleast_1d(key))
    numbers: Floats = (_mix(x) >> np.uint64(11)).astype(np.float64) * 2.0**-53
    return numbers.reshape(len(batch), n_samples, n_numbers)


def _mix(x: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    with np.errstate(over="ignore"):
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def cap_directions(
    axes: Floats, seed: int, batch: range, n_samples: int, half_angle_degrees: float, cosine: bool = False
) -> npt.NDArray[np.float32]:
    """Return unit vectors around axes, (n, n_samples, 3), stratified along the angle from the axis.

    Some thousand random vectors are made once. Each item takes some of them, turned around its axis by a
    random angle: to make others for each item took longer than to cast them.

    Parameters
    ----------
    axes : (n, 3) float64
        Unit vectors.
    batch : range
        The indices of the items.
    half_angle_degrees : float
        The largest angle from the axis, up to 180.
    cosine : bool
        Whether directions are as dense as the cosine to the axis, rather than uniform.
    """
    n_patterns = max(64, 4096 // n_samples)
    numbers = uniforms(seed, range(n_patterns), n_samples, 2)
    u = (np.arange(n_samples) + numbers[..., 0]) / n_samples
    smallest = np.cos(np.radians(half_angle_degrees))
    height = np.sqrt(1 - u * (1 - smallest**2)) if cosine else 1 - u * (1 - smallest)
    radius, turn = np.sqrt(np.maximum(0.0, 1 - height**2)), 2 * np.pi * numbers[..., 1]
    patterns = np.stack([radius * np.cos(turn), radius * np.sin(turn), height], axis=2).astype(np.float32)
    choice, turned = uniforms(seed + 1, batch, 1, 2)[:, 0].T
    side, top = frame(axes)
    cos, sin = np.cos(2 * np.pi * turned)[:, None], np.sin(2 * np.pi * turned)[:, None]
    frames = np.stack([cos * side + sin * top, cos * top - sin * side, axes], axis=1).astype(np.float32)
    directions: npt.NDArray[np.float32] = patterns[(choice * n_patterns).astype(np.int64)] @ frames
    return directions


def repeated(surface: Surface, points: Floats, n_samples: int) -> npt.NDArray[np.floating[Any]]:
    """Return each point ``n_samples`` times, in float32 if the surface rounds it so anyway."""
    return np.repeat(points.astype(np.float32) if _rounds(surface) else points, n_samples, axis=0)


def lengths_around(
    surface: Surface,
    points: Floats,
    ways: npt.NDArray[np.float32],
    t_min: float,
    backs_only: bool,
    threads: int | None,
) -> Floats:
    """Return the ``t`` of what rays (n, n_samples, 3) from points (n, 3) hit first, (n, n_samples).

    It is inf for a miss, and with ``backs_only`` also for the front of a triangle.
    """
    rows = ways.reshape(-1, 3)
    if _rounds(surface):
        t: npt.NDArray[Any] = surface._core.lengths_around(
            (points, rows, t_min), backs_only, _arrays.threads(threads)
        )
    else:
        origins = repeated(surface, points, ways.shape[1])
        hits = surface.closest_hits(origins, rows, t_min=t_min, threads=threads)
        t = np.where(hits.front, np.inf, hits.t) if backs_only else hits.t
    return t.reshape(ways.shape[:2]).astype(np.float64)


def _rounds(surface: Surface) -> TypeGuard[Bvh]:
    """Return whether the surface is a tree that rounds points to float32 as they are."""
    return isinstance(surface, Bvh) and not surface.offset.any()


def frame(axes: Floats) -> tuple[Floats, Floats]:
    """Return two unit vectors that are at right angles to each axis and to each other.

    By Duff et al., "Building an Orthonormal Basis, Revisited", 2017.
    """
    x, y, z = axes.T
    sign = np.copysign(1.0, z)
    a = -1.0 / (sign + z)
    b = x * y * a
    side = np.stack([1.0 + sign * x * x * a, sign * b, -sign * x], axis=1)
    return side, np.stack([b, sign + y * y * a, -y], axis=1)


def check_range(name: str, value: float, low: float, high: float) -> float:
    """Check a number that lies above ``low`` and is at most ``high``."""
    number = float(value)
    if not low < number <= high:
        raise ValueError(f"{name} is {value}, expected a number above {low:g} and up to {high:g}")
    return number
