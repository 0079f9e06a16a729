"""A mesh with its tree."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _arrays, _files, _hitscan, _options, _pickles, _pictures
from ._arrays import ArrayLike, LocalRays
from ._convert import as_mesh
from ._edits import edit_of
from ._hits import ContactLists, Contacts, HitLists, Hits, MeshCrossings, MeshDistance, SurfacePoints
from ._mesh import Mesh
from ._options import Faces, Layout, Quality
from ._sections import SectionPolylines, of_core
from ._shapes import of_points, of_rays
from ._single import Hit, SurfacePoint

if TYPE_CHECKING:
    from ._scene import Scene


class Bvh:
    """A mesh with its tree, ready for queries.

    Rays and points are in the coordinates of the mesh's file or array. Their numbers are rounded to float32.
    If the mesh has an ``offset``, that is subtracted first, in float64, and ``t`` is in float64. Every answer
    is the same to the last bit on any machine, with any tree and any number of threads. Do not change the
    arrays of a query while it runs in another thread.

    Every query takes ``threads``, the number of threads, all cores by default. It releases the
    interpreter's lock, and Ctrl-C ends it. Rays are either two arrays (n, 3), or one array (n, 6) of
    origins and directions, or one array (n, 8) with ``t_min`` and ``t_max`` behind them. A contiguous
    float32 or float64 array is not copied. Directions have any length but zero, and ``t`` is in their
    units. A ray that is not finite, has no direction, or has ``t_min > t_max`` hits nothing.

    Rays and points may also have the shape of an image or of any other grid, (h, w, 3) in place of (n, 3).
    Each answer then has that shape, (h, w) in place of (n,). Lists of hits stay in rows: ray ``i`` is that of
    ``numpy.unravel_index(i, (h, w))``. The same holds for scenes, views, and recipes of points with normals.

    Parameters
    ----------
    mesh : Mesh, or (v, 3) array_like
        Or a mesh of another library that :func:`as_mesh` takes. An array holds positions, with ``triangles``
        beside it: ``Bvh(V, F)`` is ``Bvh(Mesh(V, F))``.
    triangles : (n, 3) array_like of int, optional
        The triangles or polygons of positions, as :class:`Mesh` takes them.
    quality : {"fast", "balanced", "high"}
        The time that the build may take, for the speed of the queries.
    layout : {"auto", "full", "compact"}
        ``"compact"`` takes half the memory; queries are slower. ``"auto"`` is ``"full"`` up to 2^26
        triangles, and ``"compact"`` beyond.
    isa : str, optional
        One of ``hitscan.instruction_sets``; the best by default.
    threads : int, optional
        The number of threads of the build.

    Examples
    --------
    >>> import hitscan
    >>> mesh = hitscan.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    >>> bvh = hitscan.Bvh(mesh)
    >>> hits = bvh.closest_hits([[0.25, 0.25, 2], [5, 5, 2]], [[0, 0, -1], [0, 0, -1]])
    >>> hits.t.tolist(), hits.hit.tolist()
    ([2.0, inf], [True, False])
    >>> hits.points[0].tolist()
    [0.25, 0.25, 0.0]
    """

    __slots__ = ("__weakref__", "_colors", "_core", "_notes")

    def __init__(
        self,
        mesh: Any,
        triangles: ArrayLike | None = None,
        *,
        quality: Quality = "balanced",
        layout: Layout = "auto",
        isa: str | None = None,
        threads: int | None = None,
    ) -> None:
        mesh = as_mesh(mesh) if triangles is None else Mesh(mesh, triangles)
        self._notes, self._colors = mesh.notes, mesh.colors
        self._core = _hitscan.Bvh(mesh._core, quality, layout, isa, _arrays.threads(threads))

    @classmethod
    def _of(cls, core: _hitscan.Bvh) -> Bvh:
        bvh = cls.__new__(cls)
        bvh._core, bvh._notes, bvh._colors = core, (), {}
        return bvh

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, max_bytes: int | None = None) -> Bvh:
        """Read a cache file, which ``save`` or ``hitscan build`` wrote.

        Parameters
        ----------
        path : path
        max_bytes : int, optional
            The maximum length of the file, 16 GiB by default. The tree takes about as much memory.

        Raises
        ------
        OSError
            A file that cannot be read.
        MemoryError
            A file longer than the available memory.
        ValueError
            A damaged file, one of another version, or one longer than ``max_bytes``.
        """
        limit = None if max_bytes is None else _arrays.integer("max_bytes", max_bytes, 0, (1 << 64) - 1)
        return cls._of(_hitscan.Bvh.load(_files.to_read(path), limit))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write mesh and tree to a cache file, whole or not at all.

        Raises
        ------
        OSError
            A file that cannot be written.
        """
        self._core.save(os.fsdecode(path))

    @property
    def mesh(self) -> Mesh:
        """The mesh, as a copy."""
        return Mesh._of(self._core.mesh, self._notes, self._colors)

    @property
    def offset(self) -> npt.NDArray[np.float64]:
        """The ``offset`` of the mesh, (3,) float64."""
        return np.array(self._core.offset, dtype=np.float64)

    @property
    def bounds(self) -> npt.NDArray[Any]:
        """The minimum and the maximum corner, (2, 3) float32; +inf and -inf for an empty mesh.

        float64 if the mesh has an ``offset``.
        """
        return np.array(self._core.bounds, dtype=np.float64 if self._core.has_offset else np.float32)

    @property
    def isa(self) -> str:
        """The instruction set of the queries."""
        return self._core.isa

    @property
    def nbytes(self) -> int:
        """The bytes of the tree, with its copy of the triangles."""
        return self._core.nbytes

    def __len__(self) -> int:
        """Return the number of triangles."""
        return self._core.n_triangles

    def __repr__(self) -> str:
        core = self._core
        n = core.n_triangles
        return f"Bvh({n} triangle{'s' * (n != 1)}, {core.quality}, {core.layout}, {core.isa})"

    def _repr_png_(self) -> bytes | None:
        return _pictures.of_subject(self)

    def __sizeof__(self) -> int:
        # Dask places a tree by its size.
        return object.__sizeof__(self) + self._core.nbytes + self._core.mesh_nbytes

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _pickles.reduce_bvh(self, protocol)

    def refit(self, positions: ArrayLike) -> bool:
        """Move the vertices to new positions; the triangles stay the same. O(n).

        Queries that run meanwhile in other threads answer by the old positions.

        Parameters
        ----------
        positions : (v, 3) array_like

        Returns
        -------
        bool
            Whether the triangles have moved apart so far that a new build would pay.

        Raises
        ------
        ValueError
            Another number of positions, or one that is not finite; nothing has changed then.
        """
        return self._core.refit(self._local("positions", positions))

    def update(
        self,
        *,
        move: tuple[ArrayLike, ArrayLike] | None = None,
        append: tuple[ArrayLike, ArrayLike] | None = None,
        remove: ArrayLike | None = None,
        replace: tuple[range, ArrayLike] | None = None,
    ) -> bool:
        """Edit the mesh, and let the tree follow at the cost of what changed.

        Answers are those of a fresh tree of the edited mesh, to the last bit. A call takes one of the
        arguments. Answers that exist, scenes, and queries in other threads keep the old mesh. If one of them
        still holds it, the call copies mesh and tree first.

        Parameters
        ----------
        move : (vertices, positions), optional
            Vertices (m,) and their new positions (m, 3).
        append : (positions, triangles), optional
            New vertices (v, 3), which follow the old ones, and new triangles (n, 3) of old and new ones.
        remove : (m,) array_like, optional
            Triangles to remove, the largest index first: the last triangle takes the place of each. Vertices
            stay.
        replace : (range, triangles), optional
            Triangles in place of a range of triangles. Fewer remove the end of the range as ``remove`` does,
            and more are appended.

        Returns
        -------
        bool
            Whether the triangles have moved apart so far that a new build would pay.

        Raises
        ------
        ValueError, TypeError
            Not one edit; a vertex or triangle that does not exist or stands twice; a position that is not
            finite. Triangles come or go in a mesh of a file that has polygons or names; ``Mesh`` of its
            arrays has none. Nothing has changed then.

        Examples
        --------
        >>> import hitscan
        >>> bvh = hitscan.Bvh(hitscan.Mesh([[0, 0, 0], [4, 0, 0], [0, 4, 0]], [[0, 1, 2]]))
        >>> bvh.update(append=([[0, 0, 1], [4, 0, 1], [0, 4, 1]], [[3, 4, 5]]))
        False
        >>> bvh.update(move=([3], [[0, 0, 3]]))
        False
        >>> bvh.closest_hits([[0, 0, 9]], [[0, 0, -1]]).t.tolist()
        [6.0]
        >>> bvh.update(remove=[0])
        False
        >>> len(bvh), len(bvh.mesh.positions)
        (1, 6)
        """
        return self._core.update(edit_of(self._local, move, append, remove, replace))

    @of_rays
    def closest_hits(
        self,
        origins: ArrayLike,
        directions: ArrayLike | None = None,
        *,
        t_min: ArrayLike = 0.0,
        t_max: ArrayLike = np.inf,
        faces: Faces = "both",
        threads: int | None = None,
    ) -> Hits:
        """Find what each ray hits first: the minimum ``(t, triangle)``.

        Parameters
        ----------
        origins : (n, 3), (n, 6) or (n, 8) array_like
        directions : (n, 3) array_like, optional
        t_min, t_max : float or (n,) array_like
            The closed interval of ``t``.
        faces : {"both", "front", "back"}
            The sides of triangles that count.
        threads : int, optional

        Returns
        -------
        Hits

        Raises
        ------
        ValueError, TypeError
            An argument of another shape or type.
        MemoryError
            Answers that do not fit into memory.
        """
        if self._core.has_offset:
            bvh, scene = self._placed()
            found = scene.closest_hits(
                origins, directions, t_min=t_min, t_max=t_max, faces=faces, threads=threads
            )
            return Hits(found.t, found.triangle, found.uv, found.front, bvh)
        n, rays = _arrays.local_rays(origins, directions, t_min, t_max)
        return self._closest(n, rays, faces, threads)

    def closest_hit(
        self,
        origin: Sequence[float],
        direction: Sequence[float],
        *,
        t_min: float = 0.0,
        t_max: float = np.inf,
        faces: Faces = "both",
    ) -> Hit | None:
        """Find what one ray hits first, in about two microseconds; None for a miss.

        For many rays, :meth:`closest_hits` is faster. Both give the same bits.

        Parameters
        ----------
        origin, direction : (3,) sequence of float
        t_min, t_max : float
            The closed interval of ``t``.
        faces : {"both", "front", "back"}
            The sides of triangles that count.

        Examples
        --------
        >>> import hitscan
        >>> bvh = hitscan.Bvh(hitscan.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))
        >>> bvh.closest_hit((0.25, 0.5, 2), (0, 0, -1)).point
        [0.25, 0.5, 0.0]
        """
        if self._core.has_offset:
            # The position on the ray is in float64 there.
            hits = self.closest_hits(
                [tuple(origin)], [tuple(direction)], t_min=t_min, t_max=t_max, faces=faces
            )
            if not hits.hit[0]:
                return None
            u, v = hits.uv[0].tolist()
            point, normal = hits.points[0].tolist(), hits.normals[0].tolist()
            return Hit(float(hits.t[0]), int(hits.triangle[0]), (u, v), bool(hits.front[0]), point, normal)
        try:
            found = self._core.closest_hit(origin, direction, t_min, t_max, _options.sides(faces), False)
        except (TypeError, ValueError):
            # These name the argument with its shape.
            _arrays.triple("origin", origin)
            _arrays.triple("direction", direction)
            raise
        if found is None:
            return None
        t, triangle, u, v, front, point, normal = found
        return Hit(t, triangle, (u, v), front, point, normal)

    def _closest(self, n: int, rays: LocalRays, faces: Faces, threads: int | None) -> Hits:
        t, triangle, uv, front = _arrays.empty_arrays(
            f"the hits of {n} rays", n, np.float32, np.uint32, (np.float32, 2), np.bool_
        )
        self._core.closest_hits(rays, _options.sides(faces), _arrays.threads(threads), t, triangle, uv, front)
        return Hits(t, triangle, uv, front, self._snapshot())

    @of_rays
    def is_occluded(
        self,
        origins: ArrayLike,
        directions: ArrayLike | None = None,
        *,
        t_min: ArrayLike = 0.0,
        t_max: ArrayLike = np.inf,
        faces: Faces = "both",
        threads: int | None = None,
    ) -> npt.NDArray[np.bool_]:
        """Return whether each ray hits anything, (n,) bool.

        Cheaper than :meth:`closest_hits`, with the same arguments.

        Examples
        --------
        Whether a segment from ``a`` to ``b`` is free: a direction ``b - a``, and ``t`` up to 1.

        >>> import hitscan
        >>> mesh = hitscan.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> bvh = hitscan.Bvh(mesh)
        >>> bvh.is_occluded([[0.2, 0.2, 1]], [[0, 0, -0.5]], t_max=1).tolist()
        [False]
        """
        return self._any(*self._rays(origins, directions, t_min, t_max, faces), threads)

    def _any(self, core: Any, n: int, rays: Any, options: Any, threads: int | None) -> npt.NDArray[np.bool_]:
        hit: npt.NDArray[np.bool_] = _arrays.empty_answers(n, "rays", np.bool_)
        core.is_occluded(rays, options, _arrays.threads(threads), hit)
        return hit

    @of_rays
    def count_crossings(
        self,
        origins: ArrayLike,
        directions: ArrayLike | None = None,
        *,
        t_min: ArrayLike = 0.0,
        t_max: ArrayLike = np.inf,
        faces: Faces = "both",
        threads: int | None = None,
    ) -> npt.NDArray[np.uint32]:
        """Return how often each ray crosses the surface, (n,) uint32.

        A shared edge or vertex counts once. For a closed mesh the number is odd exactly for rays that start
        inside. Arguments as in :meth:`closest_hits`.
        """
        core, n, rays, options = self._rays(origins, directions, t_min, t_max, faces)
        count: npt.NDArray[np.uint32] = _arrays.empty_answers(n, "rays", np.uint32)
        core.count_crossings(rays, options, _arrays.threads(threads), count)
        return count

    @of_rays
    def signed_crossings(
        self,
        origins: ArrayLike,
        directions: ArrayLike | None = None,
        *,
        t_min: ArrayLike = 0.0,
        t_max: ArrayLike = np.inf,
        threads: int | None = None,
    ) -> npt.NDArray[np.int32]:
        """Return the crossings from the front of the surface, less those from the back, (n,) int32.

        For a closed mesh, the negative of the winding number: -1 for rays that start inside, 0 outside.
        Arguments as in :meth:`closest_hits`.
        """
        if self._core.has_offset:
            _, scene = self._placed()
            return scene.signed_crossings(origins, directions, t_min=t_min, t_max=t_max, threads=threads)
        n, rays = _arrays.local_rays(origins, directions, t_min, t_max)
        count: npt.NDArray[np.int32] = _arrays.empty_answers(n, "rays", np.int32)
        self._core.signed_crossings(rays, _arrays.threads(threads), count)
        return count

    @of_rays
    def all_hits(
        self,
        origins: ArrayLike,
        directions: ArrayLike | None = None,
        *,
        t_min: ArrayLike = 0.0,
        t_max: ArrayLike = np.inf,
        faces: Faces = "both",
        once_per_crossing: bool = False,
        threads: int | None = None,
    ) -> HitLists:
        """Find all hits of each ray, sorted by ``(t, triangle)``.

        Parameters
        ----------
        once_per_crossing : bool
            Whether a shared edge or vertex that a ray passes is one hit; without, each of its triangles is
            one.
        origins, directions, t_min, t_max, faces, threads
            As in :meth:`closest_hits`.

        Returns
        -------
        HitLists

        Raises
        ------
        ValueError, TypeError
            An argument of another shape or type.
        MemoryError
            Hits that do not fit into memory.
        """
        return self._all(origins, directions, t_min, t_max, faces, once_per_crossing, None, threads)

    @of_rays
    def nearest_hits(
        self,
        origins: ArrayLike,
        directions: ArrayLike | None = None,
        *,
        n: int,
        t_min: ArrayLike = 0.0,
        t_max: ArrayLike = np.inf,
        faces: Faces = "both",
        once_per_crossing: bool = False,
        threads: int | None = None,
    ) -> HitLists:
        """Find the first hits of each ray, cheaper than all of them.

        Parameters
        ----------
        n : int
            The maximum number of hits of a ray.
        origins, directions, t_min, t_max, faces, once_per_crossing, threads
            As in :meth:`all_hits`.

        Returns
        -------
        HitLists
        """
        most = _arrays.integer("n", n, 0, _arrays.MAX_HITS)
        return self._all(origins, directions, t_min, t_max, faces, once_per_crossing, most, threads)

    def _all(
        self,
        origins: ArrayLike,
        directions: ArrayLike | None,
        t_min: ArrayLike,
        t_max: ArrayLike,
        faces: Faces,
        once_per_crossing: bool,
        n: int | None,
        threads: int | None,
    ) -> HitLists:
        if self._core.has_offset:
            bvh, scene = self._placed()
            _, world = _arrays.world_rays(origins, directions, t_min, t_max)
            found = scene._lists(world, _options.of_scene(faces), once_per_crossing, n, threads)
            return HitLists(found.t, found.triangle, found.uv, found.front, found.splits, bvh)
        _, rays = _arrays.local_rays(origins, directions, t_min, t_max)
        return self._lists(rays, faces, once_per_crossing, n, threads)

    def _lists(
        self, rays: LocalRays, faces: Faces, once_per_crossing: bool, n: int | None, threads: int | None
    ) -> HitLists:
        count = _arrays.threads(threads)
        t, triangle, uv, front, splits = self._core.hit_lists(
            rays, _options.sides(faces), bool(once_per_crossing), n, count
        )
        return HitLists(t, triangle, uv.reshape(-1, 2), front, splits, self._snapshot())

    @of_rays
    def sphere_casts(
        self,
        origins: ArrayLike,
        directions: ArrayLike | None = None,
        *,
        radius: float,
        t_min: ArrayLike = 0.0,
        t_max: ArrayLike = np.inf,
        threads: int | None = None,
    ) -> Contacts:
        """Find where balls that move along rays first touch the surface: the minimum ``(t, triangle)``.

        A ball that touches at ``t_min`` has its contact there. Balls touch both sides of a surface. A ball
        with an invalid ray touches nothing. The rays keep their float64 numbers.

        Parameters
        ----------
        origins, directions, t_min, t_max, threads
            The rays of the centres, as in :meth:`closest_hits`.
        radius : float
            The radius of all balls. With 0 they are the rays.

        Returns
        -------
        Contacts

        Raises
        ------
        ValueError, TypeError
            An argument of another shape or type, a radius that is negative or not finite.
        MemoryError
            Answers that do not fit into memory.

        Examples
        --------
        >>> import hitscan
        >>> mesh = hitscan.Mesh([[0, 0, 0], [4, 0, 0], [0, 4, 0]], [[0, 1, 2]])
        >>> found = hitscan.Bvh(mesh).sphere_casts([[1, 1, 9], [2, -3, 9]], [[0, 0, -1]] * 2, radius=5)
        >>> found.t.tolist(), found.feature.tolist()
        ([4.0, 5.0], [0, 1])
        """
        n, rays = _arrays.world_rays(origins, directions, t_min, t_max)
        t, triangle, point, normal, feature = _arrays.empty_arrays(
            f"the contacts of {n} balls", n, np.float64, np.uint32, (np.float64, 3), (np.float64, 3), np.uint8
        )
        count = _arrays.threads(threads)
        self._core.sphere_casts(
            rays, _arrays.number("radius", radius), count, t, triangle, point, normal, feature
        )
        return Contacts(t, triangle, point, normal, feature)

    @of_rays
    def sphere_casts_all(
        self,
        origins: ArrayLike,
        directions: ArrayLike | None = None,
        *,
        radius: float,
        t_min: ArrayLike = 0.0,
        t_max: ArrayLike = np.inf,
        threads: int | None = None,
    ) -> ContactLists:
        """Find the first contact of each ball with each triangle it touches, sorted by ``(t, triangle)``.

        Arguments as in :meth:`sphere_casts`.

        Examples
        --------
        >>> import hitscan
        >>> mesh = hitscan.Mesh([[0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, -4]], [[0, 1, 2], [1, 0, 3]])
        >>> found = hitscan.Bvh(mesh).sphere_casts_all([[1, -1, 9]], [[0, 0, -1]], radius=1)
        >>> found.t.tolist(), found.triangle.tolist(), found.splits.tolist()
        ([9.0, 9.0], [0, 1], [0, 2])
        """
        _, rays = _arrays.world_rays(origins, directions, t_min, t_max)
        arrays = self._core.sphere_cast_lists(
            rays, _arrays.number("radius", radius), _arrays.threads(threads)
        )
        t, triangle, points, normals, feature, splits = arrays
        return ContactLists(t, triangle, points.reshape(-1, 3), normals.reshape(-1, 3), feature, splits)

    @of_rays
    def sphere_casts_any(
        self,
        origins: ArrayLike,
        directions: ArrayLike | None = None,
        *,
        radius: float,
        t_min: ArrayLike = 0.0,
        t_max: ArrayLike = np.inf,
        threads: int | None = None,
    ) -> npt.NDArray[np.bool_]:
        """Return whether each ball that moves along a ray touches anything, (n,) bool.

        Cheaper than :meth:`sphere_casts`, with the same arguments.
        """
        n, rays = _arrays.world_rays(origins, directions, t_min, t_max)
        hit: npt.NDArray[np.bool_] = _arrays.empty_answers(n, "balls", np.bool_)
        self._core.sphere_casts_any(rays, _arrays.number("radius", radius), _arrays.threads(threads), hit)
        return hit

    @of_points
    def closest_points(
        self, points: ArrayLike, *, max_distance: ArrayLike = np.inf, threads: int | None = None
    ) -> SurfacePoints:
        """Find the point of the surface closest to each point: the minimum ``(distance, triangle)``.

        Parameters
        ----------
        points : (n, 3) array_like
        max_distance : float or (n,) array_like
            Surfaces farther away do not count. NaN or a negative number finds nothing.
        threads : int, optional

        Returns
        -------
        SurfacePoints
        """
        start = self._local("points", points)
        n = len(start)
        point, distance, triangle, uv = _arrays.empty_arrays(
            f"the answers of {n} points", n, (np.float64, 3), np.float64, np.uint32, (np.float32, 2)
        )
        count = _arrays.threads(threads)
        limit = _arrays.limits("max_distance", max_distance, n)
        self._core.closest_points(start, limit, count, point, distance, triangle, uv)
        return SurfacePoints(point, distance, triangle, uv, self._snapshot())

    def closest_point(self, point: Sequence[float], *, max_distance: float = np.inf) -> SurfacePoint | None:
        """Find the point of the surface closest to one point; None if it is farther than ``max_distance``.

        Parameters
        ----------
        point : (3,) sequence of float
        max_distance : float
        """
        try:
            found = self._core.closest_point(point, max_distance)
        except (TypeError, ValueError):
            _arrays.triple("point", point)
            raise
        if found is None:
            return None
        nearest, distance, triangle, u, v, normal = found
        return SurfacePoint(nearest, distance, triangle, (u, v), normal)

    @of_points
    def signed_distances(self, points: ArrayLike, *, threads: int | None = None) -> npt.NDArray[np.float64]:
        """Return the distance of each point to the surface, (n,) float64, negative inside.

        The winding number decides what is inside, so meshes may have holes. NaN for points that are not
        finite, and if the mesh has no triangles.
        """
        start = self._local("points", points)
        distance: npt.NDArray[np.float64] = _arrays.empty_answers(len(start), "points", np.float64)
        self._core.signed_distances(start, _arrays.threads(threads), distance)
        return distance

    @of_points
    def is_inside(self, points: ArrayLike, *, threads: int | None = None) -> npt.NDArray[np.bool_]:
        """Return whether each point is inside, (n,) bool: where the winding number is beyond 1/2 or -1/2.

        So a mesh that is inside out has the same inside as one that faces outward.
        """
        start = self._local("points", points)
        inside: npt.NDArray[np.bool_] = _arrays.empty_answers(len(start), "points", np.bool_)
        self._core.is_inside(start, _arrays.threads(threads), inside)
        return inside

    @of_points
    def winding_numbers(
        self, points: ArrayLike, *, tolerance: float = 1e-3, threads: int | None = None
    ) -> npt.NDArray[np.float64]:
        """Return how often the surface surrounds each point.

        Parameters
        ----------
        points : (n, 3) array_like
        tolerance : float
            The maximum difference from the sum of the solid angles of all triangles, from 0 on.
            0 takes that sum.
        threads : int, optional

        Returns
        -------
        (n,) float64
            1 inside of a closed mesh, -1 if it is inside out, and 0 outside, up to the tolerance.
            Near holes it lies between them.

        Raises
        ------
        ValueError
            A tolerance that is negative or NaN.
        """
        start = self._local("points", points)
        number: npt.NDArray[np.float64] = _arrays.empty_answers(len(start), "points", np.float64)
        self._core.winding_numbers(start, _options.tolerance(tolerance), _arrays.threads(threads), number)
        return number

    def overlapping_box(self, box: ArrayLike) -> npt.NDArray[np.uint32]:
        """Find the triangles that share a point with a box, sorted, (m,) uint32.

        Parameters
        ----------
        box : (2, 3) array_like
            The minimum and the maximum corner, as ``bounds`` has them.
        """
        corners = self._local("box", box)
        if corners.shape != (2, 3):
            raise ValueError(f"box has shape {corners.shape}, expected (2, 3)")
        return self._core.overlapping_box(corners[0].tolist(), corners[1].tolist())

    def overlapping_sphere(self, center: ArrayLike, radius: float) -> npt.NDArray[np.uint32]:
        """Find the triangles that share a point with a ball, sorted, (m,) uint32.

        Parameters
        ----------
        center : (3,) array_like
        radius : float
        """
        middle = self._local("center", _arrays.row("center", center, 3, None)[None])[0]
        return self._core.overlapping_sphere(middle.tolist(), _arrays.number("radius", radius))

    def overlaps_mesh(self, other: Bvh, transform: ArrayLike | None = None) -> bool:
        """Return whether two meshes have a point in common. Touching counts.

        A mesh is its surface, so a ball within another one touches nothing. The answer is exact for the
        corners in float64, each the image of a float32 corner.

        Parameters
        ----------
        other : Bvh
        transform : (4, 4) array_like, optional
            From the space of ``other`` to the space of this mesh. It may be singular.

        Raises
        ------
        ValueError
            A transform of another shape, that is not finite, not affine, or takes the mesh too far away.

        Examples
        --------
        >>> import numpy as np, hitscan
        >>> part = hitscan.Bvh(hitscan.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))
        >>> up = np.eye(4)
        >>> up[2, 3] = 0.5
        >>> part.overlaps_mesh(part), part.overlaps_mesh(part, up), part.mesh_distance(part, up).distance
        (True, False, 0.5)
        """
        return self._core.overlaps_mesh(*_other(other, transform))

    def overlapping_mesh(self, other: Bvh, transform: ArrayLike | None = None) -> npt.NDArray[np.uint32]:
        """Find the pairs of triangles of two meshes that have a point in common, sorted, (n, 2) uint32.

        Parameters
        ----------
        other : Bvh
        transform : (4, 4) array_like, optional
            As in :meth:`overlaps_mesh`.
        """
        return self._core.overlapping_mesh(*_other(other, transform)).reshape(-1, 2)

    def mesh_crossings(self, other: Bvh, transform: ArrayLike | None = None) -> MeshCrossings:
        """Find the segments in which triangles of two meshes cross. Pairs in one plane have none.

        The segments of neighbouring triangles have equal ends, to the last bit.

        Parameters
        ----------
        other : Bvh
        transform : (4, 4) array_like, optional
            As in :meth:`overlaps_mesh`.
        """
        triangles, segments = self._core.mesh_crossings(*_other(other, transform))
        return MeshCrossings(triangles.reshape(-1, 2), segments.reshape(-1, 2, 3))

    def self_intersections(self) -> npt.NDArray[np.uint32]:
        """Find the pairs of triangles that intersect beyond the corners and edges they share.

        They are sorted, of shape (n, 2), in uint32. Corners are shared by position, without a tolerance.
        Touching counts, and so do doubled triangles, triangles folded onto each other, and a corner on an
        edge that has no corner there. The answer is exact.

        Examples
        --------
        >>> import hitscan
        >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        >>> bvh = hitscan.Bvh(hitscan.Mesh(corners, [[0, 1, 2], [0, 2, 3], [2, 1, 0]]))
        >>> bvh.self_intersections().tolist()
        [[0, 2]]
        """
        return self._core.self_intersections().reshape(-1, 2)

    def has_self_intersections(self) -> bool:
        """Return whether :meth:`self_intersections` has a pair. Ends at the first one."""
        return self._core.has_self_intersections()

    def mesh_distance(
        self, other: Bvh, transform: ArrayLike | None = None, *, max_distance: float = np.inf
    ) -> MeshDistance | None:
        """Return the distance of two meshes with the nearest points: the minimum ``(distance, triangles)``.

        Parameters
        ----------
        other : Bvh
        transform : (4, 4) array_like, optional
            As in :meth:`overlaps_mesh`.
        max_distance : float
            Points farther apart do not count. A smaller maximum is faster.

        Returns
        -------
        MeshDistance or None
            None if the distance is greater than the maximum, or a mesh has no triangles.

        Raises
        ------
        ValueError
            A maximum that is negative or NaN; a transform as in :meth:`overlaps_mesh`.
        """
        found = self._core.mesh_distance(
            *_other(other, transform), _arrays.number("max_distance", max_distance)
        )
        if found is None:
            return None
        distance, (triangles, points) = found
        return MeshDistance(distance, points.reshape(2, 3), triangles)

    def section(self, point: ArrayLike, normal: ArrayLike) -> SectionPolylines:
        """Find the polylines in which a plane cuts the surface, closed where the surface is closed.

        A corner in the plane counts as above it, on the side to which the normal points. So the plane through
        the top of a solid cuts it, and the plane through its bottom does not. There is no tolerance.

        Parameters
        ----------
        point : (3,) array_like
            A point of the plane, in float64.
        normal : (3,) array_like
            Its normal, of any length but zero.

        Returns
        -------
        SectionPolylines

        Raises
        ------
        ValueError
            A normal that is zero or not finite, or a point that is not finite.

        Examples
        --------
        >>> import hitscan
        >>> mesh = hitscan.Mesh(
        ...     [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]
        ... )
        >>> cut = hitscan.Bvh(mesh).section([0, 0, 0.5], [0, 0, 1])
        >>> len(cut), cut.closed.tolist(), cut.triangles.tolist(), cut.lengths.round(3).tolist()
        (1, [True], [1, 2, 3], [1.707])
        """
        plane = _arrays.triple("point", point), _arrays.triple("normal", normal)
        return SectionPolylines(*of_core(self._core.section(*plane)))

    def _rays(
        self, origins: ArrayLike, directions: ArrayLike | None, t_min: Any, t_max: Any, faces: Faces
    ) -> tuple[Any, int, Any, Any]:
        """Return the compiled object to ask, the number of rays, and rays and options as it takes them."""
        if self._core.has_offset:
            _, scene = self._placed()
            n, world = _arrays.world_rays(origins, directions, t_min, t_max)
            return scene._core, n, world, _options.of_scene(faces)
        n, rays = _arrays.local_rays(origins, directions, t_min, t_max)
        return self._core, n, rays, _options.sides(faces)

    def _placed(self) -> tuple[Bvh, Scene]:
        """Return the tree as it is now, and a scene of it alone, which takes rays relative to the offset."""
        from ._scene import Scene

        bvh, scene = self._snapshot(), Scene()
        scene.insert(bvh)
        return bvh, scene

    def _local(self, name: str, points: ArrayLike) -> Any:
        """Return points relative to the offset of the mesh, (n, 3) float32."""
        if not self._core.has_offset:
            return _arrays.rows(name, points, 3, np.float32)
        exact = _arrays.rows(name, points, 3, np.float64)
        _arrays.room(f"a copy of {name} of shape {exact.shape}", exact.nbytes)
        return _arrays.contiguous(name, exact - self.offset, np.float32)

    def _snapshot(self) -> Bvh:
        """Return the same tree, which later changes do not reach."""
        return Bvh._of(self._core.snapshot())

    def _describe(self, hits: Hits | HitLists | SurfacePoints, point: Any, normal: Any) -> None:
        self._core.describe(hits.triangle, hits.uv, point, normal)


def _other(other: Bvh, transform: ArrayLike | None) -> tuple[_hitscan.Bvh, Any]:
    """Return the core of another tree, and the numbers of its transform."""
    if not isinstance(other, Bvh):
        raise TypeError(f"other is a {type(other).__name__}, expected a Bvh")
    return other._core, _arrays.matrix("transform", np.eye(4) if transform is None else transform)
