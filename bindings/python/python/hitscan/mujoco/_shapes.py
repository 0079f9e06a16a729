"""Exact intersections of rays with smooth shapes, each ray in the space of its shape."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

_Floats: TypeAlias = npt.NDArray[np.float64]
#: The distance of each ray, inf for a miss, and its outward normal.
_Found: TypeAlias = "tuple[_Floats, _Floats]"


def plane(origins: _Floats, ways: _Floats, size: _Floats) -> _Found:
    """Intersect planes z = 0 from above. A size of 0 is an infinite one."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(ways[:, 2] < 0, -origins[:, 2] / ways[:, 2], np.inf)
        at = origins[:, :2] + t[:, None] * ways[:, :2]
        inside = ((size[:, :2] <= 0) | (np.abs(at) <= size[:, :2])).all(axis=1)
    t = np.where((t >= 0) & inside, t, np.inf)
    return t, np.broadcast_to([0.0, 0.0, 1.0], origins.shape)


def ellipsoid(origins: _Floats, ways: _Floats, size: _Floats) -> _Found:
    """Intersect ellipsoids with the half axes ``size``."""
    o, d = origins / size, ways / size
    t = _first(*_roots((d * d).sum(1), (o * d).sum(1), (o * o).sum(1) - 1))
    at = _at(origins, ways, t)
    return t, _units(at / size**2)


def sphere(origins: _Floats, ways: _Floats, size: _Floats) -> _Found:
    """Intersect spheres with the radius ``size[0]``."""
    return ellipsoid(origins, ways, np.repeat(size[:, :1], 3, axis=1))


def cylinder(origins: _Floats, ways: _Floats, size: _Floats) -> _Found:
    """Intersect cylinders along z with the radius ``size[0]`` and half the length ``size[1]``."""
    radius, half = size[:, 0], size[:, 1]
    t, normal = _side(origins, ways, radius, half)
    for sign in (1.0, -1.0):
        with np.errstate(divide="ignore", invalid="ignore"):
            cap = (sign * half - origins[:, 2]) / ways[:, 2]
            on_cap = ((origins[:, :2] + cap[:, None] * ways[:, :2]) ** 2).sum(1) <= radius**2
        nearer = (cap >= 0) & on_cap & (cap < t)
        t = np.where(nearer, cap, t)
        normal[nearer] = [0.0, 0.0, sign]
    return t, normal


def capsule(origins: _Floats, ways: _Floats, size: _Floats) -> _Found:
    """Intersect capsules along z: cylinders with half spheres at both ends."""
    radius, half = size[:, 0], size[:, 1]
    t, normal = _side(origins, ways, radius, half)
    for sign in (1.0, -1.0):
        center = np.zeros_like(origins)
        center[:, 2] = sign * half
        o = origins - center
        roots = _roots((ways * ways).sum(1), (o * ways).sum(1), (o * o).sum(1) - radius**2)
        # Only the outer half of the sphere is on the surface.
        cap = _first(*(np.where(sign * (origins[:, 2] + r * ways[:, 2]) >= half, r, np.inf) for r in roots))
        nearer = cap < t
        t = np.where(nearer, cap, t)
        normal[nearer] = _units(_at(o, ways, cap))[nearer]
    return t, normal


def _side(origins: _Floats, ways: _Floats, radius: _Floats, half: _Floats) -> _Found:
    """Intersect the round side of a cylinder."""
    o, d = origins[:, :2], ways[:, :2]
    roots = _roots((d * d).sum(1), (o * d).sum(1), (o * o).sum(1) - radius**2)
    t = _first(*(np.where(np.abs(origins[:, 2] + r * ways[:, 2]) <= half, r, np.inf) for r in roots))
    normal = _at(origins, ways, t)
    normal[:, 2] = 0.0
    return t, _units(normal)


def _roots(a: _Floats, b: _Floats, c: _Floats) -> tuple[_Floats, _Floats]:
    """Return the roots of ``a t^2 + 2 b t + c``, smaller first; NaN where there is none.

    Without cancellation, by Press et al., "Numerical Recipes", section 5.6, 1992.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        q = -(b + np.copysign(np.sqrt(b * b - a * c), b))
        first, second = q / a, c / q
        low, high = np.minimum(first, second), np.maximum(first, second)
    flat = a == 0
    return np.where(flat, np.nan, low), np.where(flat, np.nan, high)


def _first(low: _Floats, high: _Floats) -> _Floats:
    """Return the smaller root that is not negative; inf for none."""
    low, high = np.where(low >= 0, low, np.inf), np.where(high >= 0, high, np.inf)
    return np.minimum(low, high)


def _at(origins: _Floats, ways: _Floats, t: _Floats) -> _Floats:
    points: _Floats = origins + np.where(np.isfinite(t), t, 0.0)[:, None] * ways
    return points


def _units(vectors: _Floats) -> _Floats:
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    units: _Floats = np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0)
    return units
