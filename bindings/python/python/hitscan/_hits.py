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

from . import _arrays, _pickles
from ._tables import Answer, owners

if TYPE_CHECKING:
    from ._bvh import Bvh
    from ._scene import Scene

#: The triangle of a ray that hits nothing.
INVALID = 0xFFFF_FFFF

#: Points and normals, each (n, 3).
_Details: TypeAlias = "tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]"


def describe(surface: Any, hits: Any) -> _Details:
    """Return the points of hits on a tree or scene, and the unit normals of their triangles."""
    shape, n = hits.triangle.shape, hits.triangle.size
    what = f"the points and normals of {n} hits"
    point, normal = _arrays.empty_arrays(what, n, (np.float64, 3), (np.float64, 3))
    surface._describe(hits.flat(), point, normal)
    return point.reshape(*shape, 3), normal.reshape(*shape, 3)


class _OnSurface(Answer):
    """What all hits share. Points and normals are in world space if the hits are those of a scene."""

    _surface: Any

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
        return describe(self._surface, self)

    def __getstate__(self) -> dict[str, Any]:
        return _pickles.state_of(self, "_details")

    def __len__(self) -> int:
        return len(self.triangle)


class _PerRay(_OnSurface):
    """What answers with one entry per ray share."""

    @property
    def hit(self) -> npt.NDArray[np.bool_]:
        """Whether each ray hits anything, (n,) bool."""
        hit: npt.NDArray[np.bool_] = self.triangle != INVALID
        return hit


class _PerHit(_OnSurface):
    """What answers with one entry per hit share."""

    splits: npt.NDArray[np.int64]

    @property
    def ray(self) -> npt.NDArray[np.int64]:
        """The index of the ray of each hit, (m,) int64."""
        return owners(self.splits)


@dataclass(frozen=True, eq=False)
class Hits(_PerRay):
    """The closest hit of each of n rays.

    Attributes
    ----------
    t : (n,) float32
        The position on the ray, in units of its direction; inf for a miss. float64 if the mesh has an
        ``offset``.
    triangle : (n,) uint32
        The index of the triangle; ``INVALID`` for a miss.
    uv : (n, 2) float32
        The weights of the triangle's second and third corner; 0 for a miss.
    front : (n,) bool
        Whether the ray came from the front side, from which the corners run counter-clockwise.

    Notes
    -----
    The arrays may share one block of memory. Copy an array to keep it without the others.
    """

    t: npt.NDArray[np.floating[Any]]
    triangle: npt.NDArray[np.uint32]
    uv: npt.NDArray[np.float32]
    front: npt.NDArray[np.bool_]
    _surface: Bvh = field(repr=False)


@dataclass(frozen=True, eq=False)
class HitLists(_PerHit):
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

    t: npt.NDArray[np.floating[Any]]
    triangle: npt.NDArray[np.uint32]
    uv: npt.NDArray[np.float32]
    front: npt.NDArray[np.bool_]
    splits: npt.NDArray[np.int64]
    _surface: Bvh = field(repr=False)


class _PerPoint(Answer):
    """What answers with one entry per point share."""

    _surface: Any

    @property
    def hit(self) -> npt.NDArray[np.bool_]:
        """Whether a surface is within the distance of each point, (n,) bool."""
        hit: npt.NDArray[np.bool_] = self.triangle != INVALID
        return hit

    @property
    def primitive(self) -> npt.NDArray[np.uint32]:
        """The same as ``triangle``, by the name that other libraries use."""
        return self.triangle

    @cached_property
    def normals(self) -> npt.NDArray[np.float64]:
        """The unit normals of the triangles, (n, 3) float64; NaN where there is none."""
        return describe(self._surface, self)[1]

    def __getstate__(self) -> dict[str, Any]:
        return _pickles.state_of(self, "normals")

    def __len__(self) -> int:
        return len(self.triangle)


@dataclass(frozen=True, eq=False)
class SurfacePoints(_PerPoint):
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

    Notes
    -----
    The arrays may share memory, as those of :class:`Hits` do.
    """

    points: npt.NDArray[np.float64]
    distance: npt.NDArray[np.float64]
    triangle: npt.NDArray[np.uint32]
    uv: npt.NDArray[np.float32]
    _surface: Bvh = field(repr=False)


@dataclass(frozen=True, eq=False)
class SceneTriangles(Answer):
    """The n triangles of a scene that touch a region.

    Attributes
    ----------
    instance : (n,) int64
        The ids.
    triangle : (n,) uint32
        The triangle of each, in the mesh of its instance.
    """

    instance: npt.NDArray[np.int64]
    triangle: npt.NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.triangle)


@dataclass(frozen=True, eq=False)
class MeshCrossings:
    """The n segments in which triangles of two meshes cross, in the order of the pairs.

    Attributes
    ----------
    triangles : (n, 2) uint32
        The triangle of each mesh.
    segments : (n, 2, 3) float64
        The ends of each segment, in the space of the first mesh; equal where the triangles touch in a point.
    """

    triangles: npt.NDArray[np.uint32]
    segments: npt.NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.triangles)


@dataclass(frozen=True, eq=False)
class MeshDistance:
    """The distance of two meshes, with the nearest points.

    Attributes
    ----------
    distance : float
        0 exactly if the meshes have a point in common.
    points : (2, 3) float64
        The nearest point of each mesh, in the space of the first.
    triangles : (2,) uint32
        The triangle of each point.
    """

    distance: float
    points: npt.NDArray[np.float64]
    triangles: npt.NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class InstanceDistances:
    """The n instances near an instance, nearest first.

    Attributes
    ----------
    instance : (n,) int64
        The ids.
    distance : (n,) float64
        The distances, in world units; 0 exactly where the instances touch.
    points : (n, 2, 3) float64
        The nearest points in the world: first of the instance that was asked about, second of the other.
    triangles : (n, 2) uint32
        The triangle of each point, in the mesh of its instance.
    """

    instance: npt.NDArray[np.int64]
    distance: npt.NDArray[np.float64]
    points: npt.NDArray[np.float64]
    triangles: npt.NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.instance)


@dataclass(frozen=True, eq=False)
class SceneHits(_PerRay):
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
        As in :class:`Hits`, also its notes.
    """

    t: npt.NDArray[np.float64]
    instance: npt.NDArray[np.int64]
    triangle: npt.NDArray[np.uint32]
    uv: npt.NDArray[np.float32]
    front: npt.NDArray[np.bool_]
    _surface: Scene = field(repr=False)


@dataclass(frozen=True, eq=False)
class SceneHitLists(_PerHit):
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
    _surface: Scene = field(repr=False)


@dataclass(frozen=True, eq=False)
class ScenePoints(_PerPoint):
    """The closest surface point of a scene to each of n points.

    Attributes
    ----------
    points : (n, 3) float64
    distance : (n,) float64
    instance : (n,) int64
    triangle : (n,) uint32
    uv : (n, 2) float32
        As in :class:`SurfacePoints` and :class:`SceneHits`.

    Notes
    -----
    The arrays may share memory, as those of :class:`Hits` do.
    """

    points: npt.NDArray[np.float64]
    distance: npt.NDArray[np.float64]
    instance: npt.NDArray[np.int64]
    triangle: npt.NDArray[np.uint32]
    uv: npt.NDArray[np.float32]
    _surface: Scene = field(repr=False)
