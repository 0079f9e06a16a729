"""Answers of queries: small classes of arrays.

Points and normals are computed when they are first asked for, on the surface as it was at the time of the
query.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from ._bvh import Bvh
    from ._scene import Scene

#: The triangle of a ray that hits nothing.
INVALID = 0xFFFF_FFFF

#: Points and normals, each (n, 3).
_Details: TypeAlias = "tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]"


@dataclass(frozen=True, eq=False)
class Hits:
    """The closest hit of each of n rays.

    Attributes
    ----------
    t : (n,) float32
        The position on the ray, in units of its direction; inf for a miss.
    triangle : (n,) uint32
        The index of the triangle; ``INVALID`` for a miss.
    uv : (n, 2) float32
        The weights of the triangle's second and third corner; 0 for a miss.
    front : (n,) bool
        Whether the ray came from the front side, from which the corners run counter-clockwise.
    """

    t: npt.NDArray[np.float32]
    triangle: npt.NDArray[np.uint32]
    uv: npt.NDArray[np.float32]
    front: npt.NDArray[np.bool_]
    _bvh: Bvh = field(repr=False)

    @property
    def hit(self) -> npt.NDArray[np.bool_]:
        """Whether each ray hits anything, (n,) bool."""
        hit: npt.NDArray[np.bool_] = self.triangle != INVALID
        return hit

    @property
    def points(self) -> npt.NDArray[np.float64]:
        """The points of the hits, (n, 3) float64, computed on the triangle; NaN for misses."""
        return self._details[0]

    @property
    def normals(self) -> npt.NDArray[np.float64]:
        """The unit normals of the triangles, (n, 3) float64; NaN for misses and triangles without area."""
        return self._details[1]

    @property
    def primitive(self) -> npt.NDArray[np.uint32]:
        """The same as ``triangle``, by the name that other ray casters use."""
        return self.triangle

    @cached_property
    def _details(self) -> _Details:
        details: _Details = self._bvh._describe(self.triangle, self.uv)
        return details

    def __getstate__(self) -> dict[str, Any]:
        return _without(self, "_bvh")

    def __len__(self) -> int:
        return len(self.t)


@dataclass(frozen=True, eq=False)
class HitLists:
    """The hits of n rays, m in all, sorted by ray, then by ``(t, triangle)``.

    Attributes
    ----------
    t : (m,) float32
    triangle : (m,) uint32
    uv : (m, 2) float32
    front : (m,) bool
        As in :class:`Hits`.
    splits : (n + 1,) int64
        The hits of ray ``i`` are those from ``splits[i]`` to ``splits[i + 1]``.
    """

    t: npt.NDArray[np.float32]
    triangle: npt.NDArray[np.uint32]
    uv: npt.NDArray[np.float32]
    front: npt.NDArray[np.bool_]
    splits: npt.NDArray[np.int64]
    _bvh: Bvh = field(repr=False)

    @property
    def ray(self) -> npt.NDArray[np.int64]:
        """The index of the ray of each hit, (m,) int64."""
        return _rays_of(self.splits)

    @property
    def points(self) -> npt.NDArray[np.float64]:
        """The points of the hits, (m, 3) float64."""
        return self._details[0]

    @property
    def normals(self) -> npt.NDArray[np.float64]:
        """The unit normals of the triangles, (m, 3) float64; NaN for triangles without area."""
        return self._details[1]

    @property
    def primitive(self) -> npt.NDArray[np.uint32]:
        """The same as ``triangle``, by the name that other ray casters use."""
        return self.triangle

    @cached_property
    def _details(self) -> _Details:
        details: _Details = self._bvh._describe(self.triangle, self.uv)
        return details

    def __getstate__(self) -> dict[str, Any]:
        return _without(self, "_bvh")

    def __len__(self) -> int:
        return len(self.t)


@dataclass(frozen=True, eq=False)
class SurfacePoints:
    """The closest point of the surface to each of n points.

    Attributes
    ----------
    points : (n, 3) float64
        The points; NaN where no surface is within the distance.
    distance : (n,) float64
        The distances; inf where there is none.
    triangle : (n,) uint32
        The triangles; ``INVALID`` where there is none.
    uv : (n, 2) float32
        The weights of the triangle's second and third corner.
    """

    points: npt.NDArray[np.float64]
    distance: npt.NDArray[np.float64]
    triangle: npt.NDArray[np.uint32]
    uv: npt.NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.distance)


@dataclass(frozen=True, eq=False)
class SceneHits:
    """The closest hit of each of n rays in a scene.

    Attributes
    ----------
    t : (n,) float64
        The position on the world ray, in units of its direction; inf for a miss.
    instance : (n,) int64
        The id of the instance; -1 for a miss.
    triangle : (n,) uint32
        The index of the triangle in the instance's mesh; ``INVALID`` for a miss.
    uv : (n, 2) float32
    front : (n,) bool
        As in :class:`Hits`.
    """

    t: npt.NDArray[np.float64]
    instance: npt.NDArray[np.int64]
    triangle: npt.NDArray[np.uint32]
    uv: npt.NDArray[np.float32]
    front: npt.NDArray[np.bool_]
    _scene: Scene = field(repr=False)

    @property
    def hit(self) -> npt.NDArray[np.bool_]:
        """Whether each ray hits anything, (n,) bool."""
        hit: npt.NDArray[np.bool_] = self.triangle != INVALID
        return hit

    @property
    def points(self) -> npt.NDArray[np.float64]:
        """The points of the hits in world space, (n, 3) float64; NaN for misses."""
        return self._details[0]

    @property
    def normals(self) -> npt.NDArray[np.float64]:
        """The unit normals of the triangles in world space, (n, 3) float64; NaN for misses."""
        return self._details[1]

    @property
    def primitive(self) -> npt.NDArray[np.uint32]:
        """The same as ``triangle``, by the name that other ray casters use."""
        return self.triangle

    @cached_property
    def _details(self) -> _Details:
        details: _Details = self._scene._describe(self)
        return details

    def __getstate__(self) -> dict[str, Any]:
        return _without(self, "_scene")

    def __len__(self) -> int:
        return len(self.t)


@dataclass(frozen=True, eq=False)
class SceneHitLists:
    """The hits of n rays in a scene, m in all, sorted by ray, then by ``(t, instance, triangle)``.

    Attributes
    ----------
    t : (m,) float64
    instance : (m,) int64
    triangle : (m,) uint32
    uv : (m, 2) float32
    front : (m,) bool
        As in :class:`SceneHits`.
    splits : (n + 1,) int64
        The hits of ray ``i`` are those from ``splits[i]`` to ``splits[i + 1]``.
    """

    t: npt.NDArray[np.float64]
    instance: npt.NDArray[np.int64]
    triangle: npt.NDArray[np.uint32]
    uv: npt.NDArray[np.float32]
    front: npt.NDArray[np.bool_]
    splits: npt.NDArray[np.int64]
    _scene: Scene = field(repr=False)

    @property
    def ray(self) -> npt.NDArray[np.int64]:
        """The index of the ray of each hit, (m,) int64."""
        return _rays_of(self.splits)

    @property
    def points(self) -> npt.NDArray[np.float64]:
        """The points of the hits in world space, (m, 3) float64."""
        return self._details[0]

    @property
    def normals(self) -> npt.NDArray[np.float64]:
        """The unit normals of the triangles in world space, (m, 3) float64."""
        return self._details[1]

    @property
    def primitive(self) -> npt.NDArray[np.uint32]:
        """The same as ``triangle``, by the name that other ray casters use."""
        return self.triangle

    @cached_property
    def _details(self) -> _Details:
        details: _Details = self._scene._describe(self)
        return details

    def __getstate__(self) -> dict[str, Any]:
        return _without(self, "_scene")

    def __len__(self) -> int:
        return len(self.t)


@dataclass(frozen=True, eq=False)
class ScenePoints:
    """The closest surface point of a scene to each of n points.

    Attributes
    ----------
    points : (n, 3) float64
    distance : (n,) float64
    instance : (n,) int64
    triangle : (n,) uint32
    uv : (n, 2) float32
        As in :class:`SurfacePoints` and :class:`SceneHits`.
    """

    points: npt.NDArray[np.float64]
    distance: npt.NDArray[np.float64]
    instance: npt.NDArray[np.int64]
    triangle: npt.NDArray[np.uint32]
    uv: npt.NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.distance)


def _rays_of(splits: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return np.repeat(np.arange(len(splits) - 1, dtype=np.int64), np.diff(splits))


def _without(hits: Any, surface: str) -> dict[str, Any]:
    """Return the state to pickle: points and normals in place of the surface, which may be large."""
    return {**hits.__dict__, "_details": hits._details, surface: None}
