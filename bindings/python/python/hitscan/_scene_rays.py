"""Queries of rays and of balls that move along them, on scenes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _arrays, _hitscan, _options
from ._arrays import ArrayLike, WorldRays
from ._contacts import SceneContactLists, SceneContacts
from ._hits import SceneHitLists, SceneHits
from ._options import ALL_LAYERS, Faces
from ._shapes import of_rays
from ._single import SceneHit


class SceneRays:
    """The queries of a scene that take rays."""

    __slots__ = ()

    _core: _hitscan.Scene

    def _snapshot(self) -> Any:
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
        layers: int = ALL_LAYERS,
        ignore: Iterable[int] = (),
        include_hidden: bool = False,
        include_locked: bool = False,
        threads: int | None = None,
    ) -> SceneHits:
        """Find what each ray hits first: the minimum ``(t, instance, triangle)``.

        Instances count in order of their addition.

        Parameters
        ----------
        origins : (n, 3), (n, 6) or (n, 8) array_like
            As in :class:`Bvh`, in world space.
        directions : (n, 3) array_like, optional
        t_min, t_max : float or (n,) array_like
            The closed interval of ``t``.
        faces : {"both", "front", "back"}
            The sides of triangles that count.
        layers, ignore, include_hidden, include_locked
            The instances that take part, as in :class:`Scene`.
        threads : int, optional

        Returns
        -------
        SceneHits

        Raises
        ------
        ValueError, TypeError
            An argument of another shape or type.
        MemoryError
            Answers that do not fit into memory.
        """
        n, rays = _arrays.world_rays(origins, directions, t_min, t_max)
        options = _options.of_scene(faces, layers, ignore, include_hidden, include_locked)
        t, instance, triangle, uv, front = _arrays.empty_arrays(
            f"the hits of {n} rays", n, np.float64, np.int64, np.uint32, (np.float32, 2), np.bool_
        )
        answers = instance, (t, triangle, uv, front)
        self._core.closest_hits(rays, options, _arrays.threads(threads), answers)
        return SceneHits(t, instance, triangle, uv, front, self._snapshot())

    def closest_hit(
        self,
        origin: Sequence[float],
        direction: Sequence[float],
        *,
        t_min: float = 0.0,
        t_max: float = np.inf,
        faces: Faces = "both",
        layers: int = ALL_LAYERS,
        ignore: Iterable[int] = (),
        include_hidden: bool = False,
        include_locked: bool = False,
    ) -> SceneHit | None:
        """Find what one ray hits first, in some microseconds; None for a miss.

        For many rays, :meth:`closest_hits` is faster. Both give the same bits, and have the same arguments.
        """
        options = _options.of_scene(faces, layers, ignore, include_hidden, include_locked)
        try:
            found = self._core.closest_hit(origin, direction, t_min, t_max, options)
        except (TypeError, ValueError):
            _arrays.check_ray(origin, direction, t_min, t_max)
            raise
        if found is None:
            return None
        t, instance, triangle, u, v, front, point, normal = found
        return SceneHit(t, instance, triangle, (u, v), front, point, normal)

    @of_rays
    def is_occluded(
        self,
        origins: ArrayLike,
        directions: ArrayLike | None = None,
        *,
        t_min: ArrayLike = 0.0,
        t_max: ArrayLike = np.inf,
        faces: Faces = "both",
        layers: int = ALL_LAYERS,
        ignore: Iterable[int] = (),
        include_hidden: bool = False,
        include_locked: bool = False,
        threads: int | None = None,
    ) -> npt.NDArray[np.bool_]:
        """Return whether each ray hits anything, (n,) bool. Arguments as in :meth:`closest_hits`."""
        _, rays = _arrays.world_rays(origins, directions, t_min, t_max)
        options = _options.of_scene(faces, layers, ignore, include_hidden, include_locked)
        return self._core.is_occluded(rays, options, _arrays.threads(threads))

    @of_rays
    def count_crossings(
        self,
        origins: ArrayLike,
        directions: ArrayLike | None = None,
        *,
        t_min: ArrayLike = 0.0,
        t_max: ArrayLike = np.inf,
        faces: Faces = "both",
        layers: int = ALL_LAYERS,
        ignore: Iterable[int] = (),
        include_hidden: bool = False,
        include_locked: bool = False,
        threads: int | None = None,
    ) -> npt.NDArray[np.uint32]:
        """Return how often each ray crosses surfaces, (n,) uint32. Arguments as in :meth:`closest_hits`.

        A shared edge or vertex of a mesh counts once.
        """
        _, rays = _arrays.world_rays(origins, directions, t_min, t_max)
        options = _options.of_scene(faces, layers, ignore, include_hidden, include_locked)
        return self._core.count_crossings(rays, options, _arrays.threads(threads))

    @of_rays
    def signed_crossings(
        self,
        origins: ArrayLike,
        directions: ArrayLike | None = None,
        *,
        t_min: ArrayLike = 0.0,
        t_max: ArrayLike = np.inf,
        layers: int = ALL_LAYERS,
        ignore: Iterable[int] = (),
        include_hidden: bool = False,
        include_locked: bool = False,
        threads: int | None = None,
    ) -> npt.NDArray[np.int32]:
        """Return the crossings from the front of surfaces, less those from the back, (n,) int32.

        Arguments as in :meth:`closest_hits`.
        """
        _, rays = _arrays.world_rays(origins, directions, t_min, t_max)
        options = _options.of_scene("both", layers, ignore, include_hidden, include_locked)
        return self._core.signed_crossings(rays, options, _arrays.threads(threads))

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
        layers: int = ALL_LAYERS,
        ignore: Iterable[int] = (),
        include_hidden: bool = False,
        include_locked: bool = False,
        threads: int | None = None,
    ) -> SceneHitLists:
        """Find all hits of each ray, sorted by ``(t, instance, triangle)``.

        Parameters
        ----------
        once_per_crossing : bool
            Whether a shared edge or vertex that a ray passes is one hit; without, each of its triangles is
            one.
        origins, directions, t_min, t_max, faces, layers, ignore, include_hidden, include_locked, threads
            As in :meth:`closest_hits`.

        Returns
        -------
        SceneHitLists

        Raises
        ------
        ValueError, TypeError
            An argument of another shape or type.
        MemoryError
            Answers that do not fit into memory.
        """
        _, rays = _arrays.world_rays(origins, directions, t_min, t_max)
        options = _options.of_scene(faces, layers, ignore, include_hidden, include_locked)
        return self._lists(rays, options, once_per_crossing, None, threads)

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
        layers: int = ALL_LAYERS,
        ignore: Iterable[int] = (),
        include_hidden: bool = False,
        include_locked: bool = False,
        threads: int | None = None,
    ) -> SceneHitLists:
        """Find the first hits of each ray, cheaper than all of them.

        Parameters
        ----------
        n : int
            The maximum number of hits of a ray.
        origins, directions, t_min, t_max, faces, once_per_crossing
            As in :meth:`all_hits`.
        layers, ignore, include_hidden, include_locked, threads
            As in :meth:`closest_hits`.

        Returns
        -------
        SceneHitLists
        """
        _, rays = _arrays.world_rays(origins, directions, t_min, t_max)
        options = _options.of_scene(faces, layers, ignore, include_hidden, include_locked)
        most = _arrays.integer("n", n, 0, _arrays.MAX_HITS)
        return self._lists(rays, options, once_per_crossing, most, threads)

    def _lists(
        self, rays: WorldRays, options: Any, once_per_crossing: bool, n: int | None, threads: int | None
    ) -> SceneHitLists:
        lists = self._core.hit_lists(rays, options, bool(once_per_crossing), n, _arrays.threads(threads))
        t, instance, triangle, uv, front, splits = lists
        return SceneHitLists(t, instance, triangle, uv.reshape(-1, 2), front, splits, self._snapshot())

    @of_rays
    def sphere_casts(
        self,
        origins: ArrayLike,
        directions: ArrayLike | None = None,
        *,
        radius: float,
        t_min: ArrayLike = 0.0,
        t_max: ArrayLike = np.inf,
        layers: int = ALL_LAYERS,
        ignore: Iterable[int] = (),
        include_hidden: bool = False,
        include_locked: bool = False,
        threads: int | None = None,
    ) -> SceneContacts:
        """Find where balls that move along rays first touch a surface: the least ``(t, instance, triangle)``.

        The balls are round in the world, also beside stretched instances. A ball that touches at ``t_min``
        has its contact there. Balls touch both sides of a surface.

        Parameters
        ----------
        origins, directions, t_min, t_max
            The rays of the centres, as in :meth:`closest_hits`.
        radius : float
            The radius of all balls, in world units. With 0 they are the rays.
        layers, ignore, include_hidden, include_locked
            The instances that take part, as in :class:`Scene`.
        threads : int, optional

        Returns
        -------
        SceneContacts

        Raises
        ------
        ValueError, TypeError
            An argument of another shape or type, a radius that is negative or not finite.
        MemoryError
            Answers that do not fit into memory.
        """
        n, rays = _arrays.world_rays(origins, directions, t_min, t_max)
        options = _options.of_scene("both", layers, ignore, include_hidden, include_locked)
        dtypes = (np.float64, np.uint32, (np.float64, 3), (np.float64, 3), np.uint8, np.int64)
        answers = _arrays.empty_arrays(f"the contacts of {n} balls", n, *dtypes)
        size, count = _arrays.number("radius", radius), _arrays.threads(threads)
        self._core.sphere_casts(rays, size, options, count, (answers[-1], answers[:-1]))
        return SceneContacts(*answers)

    @of_rays
    def sphere_casts_all(
        self,
        origins: ArrayLike,
        directions: ArrayLike | None = None,
        *,
        radius: float,
        t_min: ArrayLike = 0.0,
        t_max: ArrayLike = np.inf,
        layers: int = ALL_LAYERS,
        ignore: Iterable[int] = (),
        include_hidden: bool = False,
        include_locked: bool = False,
        threads: int | None = None,
    ) -> SceneContactLists:
        """Find the first contact of each ball with each triangle, sorted by ``(t, instance, triangle)``.

        Arguments as in :meth:`sphere_casts`.
        """
        _, rays = _arrays.world_rays(origins, directions, t_min, t_max)
        options = _options.of_scene("both", layers, ignore, include_hidden, include_locked)
        arrays = self._core.sphere_cast_lists(
            rays, _arrays.number("radius", radius), options, _arrays.threads(threads)
        )
        t, triangle, points, normals, feature, splits, instance = arrays
        rows = points.reshape(-1, 3), normals.reshape(-1, 3)
        return SceneContactLists(t, triangle, *rows, feature, splits, instance)

    @of_rays
    def sphere_casts_any(
        self,
        origins: ArrayLike,
        directions: ArrayLike | None = None,
        *,
        radius: float,
        t_min: ArrayLike = 0.0,
        t_max: ArrayLike = np.inf,
        layers: int = ALL_LAYERS,
        ignore: Iterable[int] = (),
        include_hidden: bool = False,
        include_locked: bool = False,
        threads: int | None = None,
    ) -> npt.NDArray[np.bool_]:
        """Return whether each ball that moves along a ray touches anything, (n,) bool.

        Cheaper than :meth:`sphere_casts`, with the same arguments.
        """
        _, rays = _arrays.world_rays(origins, directions, t_min, t_max)
        options = _options.of_scene("both", layers, ignore, include_hidden, include_locked)
        return self._core.sphere_casts_any(
            rays, _arrays.number("radius", radius), options, _arrays.threads(threads)
        )
