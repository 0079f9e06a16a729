"""A tree with the methods of ``mathutils.bvhtree.BVHTree``, and the same over arrays."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from .. import _arrays
from .._arrays import ArrayLike
from .._bvh import Bvh
from .._hits import INVALID
from .._mesh import Mesh
from . import _meshes
from ._meshes import Polygons

#: Location, normal, index of the polygon and distance; all None where nothing is found.
Found: TypeAlias = "tuple[Any, Any, int | None, float | None]"

_NOTHING: Found = (None, None, None, None)
#: Blender's default of a distance between a point and the surface, the root of the largest float32.
_FARTHEST = 1.84467e19


@dataclass(frozen=True, eq=False)
class RayArrays:
    """What each of n rays hits first.

    Attributes
    ----------
    locations : (n, 3) float64
        The points; NaN for a miss.
    normals : (n, 3) float32
        The unit normals of the polygons; NaN for a miss.
    index : (n,) int64
        The polygons; -1 for a miss.
    distance : (n,) float32
        The distances from the origins, whatever the lengths of the directions; inf for a miss. float64 of a
        tree with an ``epsilon``.

    Notes
    -----
    The arrays may share memory, as those of :class:`hitscan.Hits` do.
    """

    locations: npt.NDArray[np.float64]
    normals: npt.NDArray[np.float32]
    index: npt.NDArray[np.int64]
    distance: npt.NDArray[np.floating[Any]]

    def __len__(self) -> int:
        return len(self.index)


@dataclass(frozen=True, eq=False)
class NearestArrays:
    """The point of the surface closest to each of n points.

    Attributes
    ----------
    locations : (n, 3) float64
    normals : (n, 3) float32
    index : (n,) int64
    distance : (n,) float64
        As in :class:`RayArrays`.
    """

    locations: npt.NDArray[np.float64]
    normals: npt.NDArray[np.float32]
    index: npt.NDArray[np.int64]
    distance: npt.NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.index)


class BVHTree:
    """A tree of polygons in the space of one object.

    Make one by :meth:`FromPolygons`, :meth:`FromBMesh` or :meth:`FromObject`. The methods without
    ``_array`` take and return what Blender's do. A ray through an edge or a vertex always hits. Of several
    polygons at the same distance, that of the first triangle is the answer. Normals are those of polygons;
    Blender takes those of triangles until something has asked the mesh for its own. The tree is a copy, which
    later changes of the object do not reach.
    """

    __slots__ = ("_epsilon", "_normal", "_normals", "_polygon", "_polygons", "_vector", "bvh")

    #: The tree of the triangles, for the queries of :class:`hitscan.Bvh`.
    bvh: Bvh
    _polygons: Polygons
    _epsilon: float
    _vector: Any
    _normals: npt.NDArray[np.float32]
    _polygon: Any
    _normal: Any

    def __init__(self) -> None:
        raise TypeError("use BVHTree.FromPolygons, BVHTree.FromBMesh or BVHTree.FromObject")

    @classmethod
    def FromPolygons(
        cls,
        vertices: Sequence[Sequence[float]] | ArrayLike,
        polygons: Sequence[Sequence[int]] | ArrayLike,
        *,
        all_triangles: bool = False,
        epsilon: float = 0.0,
    ) -> BVHTree:
        """Make a tree of polygons.

        Parameters
        ----------
        vertices : (v, 3) array_like or sequence of Vector
        polygons : sequence of sequences of int
            The corners of each polygon; an array (n, k) is accepted. Polygons may be concave. One of fewer
            than three corners counts as a polygon and is never hit.
        all_triangles : bool
            Whether anything but triangles is an error.
        epsilon : float
            The radius of the ball that :meth:`ray_cast` moves in place of a ray.

        Raises
        ------
        ValueError, TypeError
            An index that is no vertex, or anything that is no number. Blender 5.0 ends the process at some.
        """
        return cls._of(_meshes.of_polygons(vertices, polygons, all_triangles), epsilon)

    @classmethod
    def FromBMesh(cls, bmesh: Any, *, epsilon: float = 0.0) -> BVHTree:
        """Make a tree of a ``bmesh.types.BMesh``, as in edit mode.

        Parameters
        ----------
        bmesh : bmesh.types.BMesh
            Its indices and normals are brought up to date.
        epsilon : float
            As in :meth:`FromPolygons`.

        Raises
        ------
        TypeError, ReferenceError
            No BMesh, or one that has been freed.
        """
        return cls._of(_meshes.of_bmesh(bmesh), epsilon)

    @classmethod
    def FromObject(
        cls,
        object: Any,
        depsgraph: Any,
        *,
        deform: bool = True,
        cage: bool = False,
        epsilon: float = 0.0,
        world: bool = False,
    ) -> BVHTree:
        """Make a tree of an object, evaluated by a dependency graph.

        Parameters
        ----------
        object : bpy.types.Object
            A mesh, or anything that Blender converts to one, such as text.
        depsgraph : bpy.types.Depsgraph
            ``bpy.context.evaluated_depsgraph_get()``, up to date.
        deform : bool
            Whether modifiers and shape keys take part. Without, the mesh is as it is stored.
        cage : bool
            Whether only modifiers that move vertices take part.
        epsilon : float
            As in :meth:`FromPolygons`.
        world : bool
            Whether the tree is in world space, by the object's ``matrix_world``. Blender has no such option.

        Raises
        ------
        ValueError
            An object without a mesh, or a modifier that ``deform`` or ``cage`` should leave out and that
            Blender leaves out for its own trees only.
        """
        polygons = _meshes.of_object(object, depsgraph, deform, cage)
        if world:
            polygons = polygons.moved(object.evaluated_get(depsgraph).matrix_world)
        return cls._of(polygons, epsilon)

    @classmethod
    def _of(cls, polygons: Polygons, epsilon: float) -> BVHTree:
        radius = float(epsilon)
        if not 0.0 <= radius < np.inf:
            raise ValueError(f"epsilon is {epsilon}, expected a finite number from 0 on")
        tree = cls.__new__(cls)
        tree.bvh = Bvh(Mesh(polygons.vertices, polygons.triangles))
        tree._polygons, tree._epsilon, tree._vector = polygons, radius, _vector_type()
        # Python reads one number of a memoryview in a third of the time that an array takes.
        tree._polygon = np.ascontiguousarray(polygons.polygon).data
        tree._normals = np.ascontiguousarray(polygons.normals)
        tree._normal = tree._normals.reshape(-1).data
        return tree

    def ray_cast(
        self, origin: Sequence[float], direction: Sequence[float], distance: float = sys.float_info.max, /
    ) -> Found:
        """Return what a ray hits first: location, normal, index of the polygon, and distance.

        All four are None for a miss.

        Parameters
        ----------
        origin, direction : Vector or sequence of three floats
            The direction may have any length but zero.
        distance : float
            Only nearer hits count.
        """
        if self._epsilon:
            found = self.ray_cast_array([tuple(origin)], [tuple(direction)], distance)
            return self._entry(found, 0)
        try:
            hit = self.bvh._core.closest_hit(origin, direction, 0.0, distance, "both", True)
        except (TypeError, ValueError):
            # These name the argument with its shape.
            _arrays.triple("origin", tuple(origin))
            _arrays.triple("direction", tuple(direction))
            raise
        if hit is None or hit[0] >= distance:
            return _NOTHING
        polygon = self._polygon[hit[1]]
        vector, at = self._vector, 3 * polygon
        return vector(hit[5]), vector(self._normal[at : at + 3]), polygon, hit[0]

    def ray_cast_array(
        self,
        origins: ArrayLike,
        directions: ArrayLike,
        distance: ArrayLike = np.inf,
        *,
        threads: int | None = None,
    ) -> RayArrays:
        """Return what each ray hits first.

        Parameters
        ----------
        origins : (n, 3) or (1, 3) array_like
        directions : (n, 3) array_like
            Of any length but zero.
        distance : float or (n,) array_like
            Only nearer hits count.
        threads : int, optional
            The number of threads, all cores by default.

        Returns
        -------
        RayArrays
        """
        start, ways = (
            _arrays.rows("origins", origins, 3, np.float64),
            _arrays.rows("directions", directions, 3, np.float64),
        )
        if len(start) not in (1, len(ways)):
            raise ValueError(f"origins has shape {start.shape}, expected {ways.shape} as directions")
        if self._epsilon:
            return self._balls(start, ways, distance, threads)
        n = len(ways)
        locations, normals, index, t = _arrays.empty_arrays(
            f"the hits of {n} rays", n, (np.float64, 3), (np.float32, 3), np.int64, np.float32
        )
        limit, polygons = _arrays.limits("distance", distance, n), (self._polygon.obj, self._normals)
        count = _arrays.threads(threads)
        self.bvh._core.rays_at_polygons(start, ways, limit, polygons, count, locations, normals, index, t)
        return RayArrays(locations, normals, index, t)

    def _balls(
        self,
        start: npt.NDArray[np.float64],
        ways: npt.NDArray[np.float64],
        distance: Any,
        threads: int | None,
    ) -> RayArrays:
        """Return what balls of the radius ``epsilon`` touch first along rays."""
        length = np.linalg.norm(ways, axis=1, keepdims=True)
        units = np.divide(ways, length, out=np.zeros_like(ways), where=length > 0)
        balls = self.bvh.sphere_casts(start, units, radius=self._epsilon, t_max=distance, threads=threads)
        near = (balls.triangle != INVALID) & (balls.t < np.asarray(distance))
        with np.errstate(invalid="ignore"):
            locations = np.where(near[:, None], start + units * balls.t[:, None], np.nan)
        return RayArrays(locations, *self._polygons_of(balls.triangle, near), np.where(near, balls.t, np.inf))

    def find_nearest(self, origin: Sequence[float], distance: float = _FARTHEST, /) -> Found:
        """Return the nearest point of the surface: location, normal, index of the polygon, and distance.

        All four are None if no surface is nearer than ``distance``.

        Parameters
        ----------
        origin : Vector or sequence of three floats
        distance : float
        """
        try:
            found = self.bvh._core.closest_point(origin, distance)
        except (TypeError, ValueError):
            _arrays.triple("origin", tuple(origin))
            raise
        if found is None or found[1] >= distance:
            return _NOTHING
        polygon = self._polygon[found[2]]
        vector, at = self._vector, 3 * polygon
        return vector(found[0]), vector(self._normal[at : at + 3]), polygon, found[1]

    def find_nearest_array(
        self, points: ArrayLike, distance: float = np.inf, *, threads: int | None = None
    ) -> NearestArrays:
        """Return the point of the surface nearest to each point.

        Parameters
        ----------
        points : (n, 3) array_like
        distance : float
            Only nearer surfaces count.
        threads : int, optional

        Returns
        -------
        NearestArrays
        """
        found = self.bvh.closest_points(points, max_distance=distance, threads=threads)
        near = (found.triangle != INVALID) & (found.distance < distance)
        locations = np.where(near[:, None], found.points, np.nan)
        return NearestArrays(
            locations, *self._polygons_of(found.triangle, near), np.where(near, found.distance, np.inf)
        )

    def find_nearest_range(
        self, origin: Sequence[float], distance: float = _FARTHEST, /
    ) -> list[tuple[Any, Any, int, float]]:
        """Return the nearest point of each triangle that is nearer than a distance, nearest first.

        As in Blender, a polygon has an entry for each of its triangles.

        Parameters
        ----------
        origin : Vector or sequence of three floats
        distance : float
        """
        try:
            points, triangles, distances = self.bvh._core.triangles_near(origin, distance)
        except (TypeError, ValueError):
            _arrays.triple("origin", tuple(origin))
            raise
        vector, normals, entries, first = self._vector, self._normal, [], 0
        for polygon, d in zip([self._polygon[triangle] for triangle in triangles], distances, strict=True):
            at = 3 * polygon
            entries.append((vector(points[first : first + 3]), vector(normals[at : at + 3]), polygon, d))
            first += 3
        return entries

    def overlap(self, other_tree: BVHTree, /) -> list[tuple[int, int]]:
        """Return the pairs of polygons that cross or touch, each once, sorted.

        Polygons in one plane do not count. In a tree against itself, neither do polygons with a common edge,
        nor those that have only a common corner.

        Parameters
        ----------
        other_tree : BVHTree
        """
        return [(a, b) for a, b in self.overlap_array(other_tree).tolist()]

    def overlap_array(self, other_tree: BVHTree, transform: ArrayLike | None = None) -> npt.NDArray[np.int64]:
        """Return the pairs of :meth:`overlap` as an array (n, 2) int64.

        Parameters
        ----------
        other_tree : BVHTree
        transform : (4, 4) array_like, optional
            From the space of the other tree to that of this one, such as
            ``a.matrix_world.inverted() @ b.matrix_world``.
        """
        if not isinstance(other_tree, BVHTree):
            raise TypeError(f"other_tree is a {type(other_tree).__name__}, expected a BVHTree")
        if other_tree is self and transform is None:
            triangles = self._self_crossings()
        else:
            matrix = None if transform is None else np.array(transform)
            triangles = self.bvh.mesh_crossings(other_tree.bvh, matrix).triangles
        pairs = np.stack(
            [self._polygons.polygon[triangles[:, 0]], other_tree._polygons.polygon[triangles[:, 1]]], axis=1
        )
        return np.unique(pairs.astype(np.int64), axis=0)

    def _self_crossings(self) -> npt.NDArray[np.uint32]:
        """Return the pairs of triangles that cross beyond what they share by index, in both orders."""
        vertices = self._polygons.vertices
        if len(np.unique(vertices, axis=0)) == len(vertices):
            flat, ends = self.bvh._core.self_crossings()
            triangles, segments = flat.reshape(-1, 2), ends.reshape(-1, 2, 3)
            triangles = np.concatenate([triangles, triangles[:, ::-1]])
            segments = np.concatenate([segments, segments])
        else:
            # Triangles that share a position, but no index, count as crossing.
            found = self.bvh.mesh_crossings(self.bvh)
            triangles, segments = found.triangles, found.segments
        mine = self._polygons.triangles
        first, second = mine[triangles[:, 0]], mine[triangles[:, 1]]
        common = (first[:, :, None] == second[:, None, :]).sum(axis=(1, 2))
        length = np.linalg.norm(segments[:, 0] - segments[:, 1], axis=1)
        crossing: npt.NDArray[np.uint32] = triangles[
            (common == 0) | ((common == 1) & (length**2 > self._epsilon))
        ]
        return crossing

    def __len__(self) -> int:
        """Return the number of polygons."""
        return len(self._normals)

    def __repr__(self) -> str:
        n = len(self)
        return f"BVHTree({n} polygon{'s' * (n != 1)}, {len(self.bvh)} triangles)"

    def _polygons_of(
        self, triangle: npt.NDArray[np.uint32], near: npt.NDArray[np.bool_]
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
        """Return the normals and the indices of the polygons of triangles that count."""
        index = np.full(len(triangle), -1, np.int64)
        index[near] = self._polygons.polygon[triangle[near]]
        normals = np.full((len(triangle), 3), np.nan, np.float32)
        normals[near] = self._normals[index[near]]
        return normals, index

    def _entry(self, found: RayArrays, at: int) -> Found:
        index = int(found.index[at])
        if index < 0:
            return _NOTHING
        vector = self._vector
        location, normal = found.locations[at].tolist(), found.normals[at].tolist()
        return vector(location), vector(normal), index, float(found.distance[at])


def _vector_type() -> Any:
    """Return ``mathutils.Vector``, or tuple where Blender is absent."""
    try:
        from mathutils import Vector
    except ImportError:
        return tuple
    return Vector
