"""Queries of rays and of balls that move along them, on trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _arrays, _hitscan, _options
from ._arrays import ArrayLike, LocalRays
from ._contacts import ContactLists, Contacts
from ._hits import HitLists, Hits
from ._options import Faces
from ._shapes import of_rays
from ._single import Hit

if TYPE_CHECKING:
    from ._bvh import Bvh
    from ._scene import Scene


class BvhRays:
    """The queries of a tree that take rays."""

    __slots__ = ()

    _core: _hitscan.Bvh

    def _snapshot(self) -> Bvh:
        raise NotImplementedError

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
            _arrays.check_ray(origin, direction, t_min, t_max)
            hits = self.closest_hits([origin], [direction], t_min=t_min, t_max=t_max, faces=faces)
            if not hits.hit[0]:
                return None
            u, v = hits.uv[0].tolist()
            point, normal = hits.points[0].tolist(), hits.normals[0].tolist()
            return Hit(float(hits.t[0]), int(hits.triangle[0]), (u, v), bool(hits.front[0]), point, normal)
        try:
            found = self._core.closest_hit(origin, direction, t_min, t_max, _options.sides(faces), False)
        except (TypeError, ValueError):
            _arrays.check_ray(origin, direction, t_min, t_max)
            raise
        if found is None:
            return None
        t, triangle, u, v, front, point, normal = found
        return Hit(t, triangle, (u, v), front, point, normal)

    def _closest(self, n: int, rays: LocalRays, faces: Faces, threads: int | None) -> Hits:
        t, triangle, uv, front = answers = _arrays.empty_arrays(
            f"the hits of {n} rays", n, np.float32, np.uint32, (np.float32, 2), np.bool_
        )
        self._core.closest_hits(rays, _options.sides(faces), _arrays.threads(threads), answers)
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
        core, *query = self._query(origins, directions, t_min, t_max, faces, threads)
        hit: npt.NDArray[np.bool_] = core.is_occluded(*query)
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
        core, *query = self._query(origins, directions, t_min, t_max, faces, threads)
        count: npt.NDArray[np.uint32] = core.count_crossings(*query)
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
        _, rays = _arrays.local_rays(origins, directions, t_min, t_max)
        return self._core.signed_crossings(rays, _arrays.threads(threads))

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
        answers = _arrays.empty_arrays(
            f"the contacts of {n} balls", n, np.float64, np.uint32, (np.float64, 3), (np.float64, 3), np.uint8
        )
        self._core.sphere_casts(rays, _arrays.number("radius", radius), _arrays.threads(threads), answers)
        return Contacts(*answers)

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
        t, triangle, points, normals, feature, splits, _ = arrays
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
        _, rays = _arrays.world_rays(origins, directions, t_min, t_max)
        return self._core.sphere_casts_any(rays, _arrays.number("radius", radius), _arrays.threads(threads))

    def _query(
        self,
        origins: ArrayLike,
        directions: ArrayLike | None,
        t_min: Any,
        t_max: Any,
        faces: Faces,
        threads: int | None,
    ) -> tuple[Any, Any, Any, int | None]:
        """Return the compiled object to ask, and rays, options and threads as it takes them."""
        count = _arrays.threads(threads)
        if self._core.has_offset:
            _, scene = self._placed()
            _, world = _arrays.world_rays(origins, directions, t_min, t_max)
            return scene._core, world, _options.of_scene(faces), count
        _, rays = _arrays.local_rays(origins, directions, t_min, t_max)
        return self._core, rays, _options.sides(faces), count

    def _placed(self) -> tuple[Bvh, Scene]:
        """Return the tree as it is now, and a scene of it alone, which takes rays relative to the offset."""
        from ._scene import Scene

        bvh, scene = self._snapshot(), Scene()
        scene.insert(bvh)
        return bvh, scene
