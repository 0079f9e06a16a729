"""Queries of points, regions and planes on scenes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _arrays, _hitscan, _options
from ._arrays import ArrayLike
from ._hits import InstanceDistances, ScenePoints, SceneTriangles
from ._options import ALL_LAYERS
from ._sections import ScenePolylines, of_core
from ._shapes import of_points
from ._single import ScenePoint


class SceneSpace:
    """The queries of a scene that take no ray."""

    __slots__ = ()

    _core: _hitscan.Scene

    def _snapshot(self) -> Any:
        raise NotImplementedError

    def _check(self, id: Any, name: str = "id") -> None:
        raise NotImplementedError

    @of_points
    def closest_points(
        self,
        points: ArrayLike,
        *,
        max_distance: ArrayLike = np.inf,
        layers: int = ALL_LAYERS,
        ignore: Iterable[int] = (),
        include_hidden: bool = False,
        include_locked: bool = False,
        threads: int | None = None,
    ) -> ScenePoints:
        """Find the closest surface point: the minimum ``(distance, instance, triangle)``.

        Parameters
        ----------
        points : (n, 3) array_like
            In world space.
        max_distance : float or (n,) array_like
            Surfaces farther away do not count. NaN or a negative number finds nothing.
        layers, ignore, include_hidden, include_locked
            The instances that take part, as in :class:`Scene`.
        threads : int, optional

        Returns
        -------
        ScenePoints

        Raises
        ------
        ValueError, TypeError
            An argument of another shape or type.
        MemoryError
            Answers that do not fit into memory.
        """
        start = _arrays.rows("points", points, 3, np.float64)
        options = _options.of_scene("both", layers, ignore, include_hidden, include_locked)
        n = len(start)
        dtypes = ((np.float64, 3), np.float64, np.int64, np.uint32, (np.float32, 2))
        arrays = _arrays.empty_arrays(f"the answers of {n} points", n, *dtypes)
        point, distance, instance, triangle, uv = arrays
        answers = instance, (point, distance, triangle, uv)
        limit = _arrays.limits("max_distance", max_distance, n)
        self._core.closest_points(start, limit, options, _arrays.threads(threads), answers)
        return ScenePoints(point, distance, instance, triangle, uv, self._snapshot())

    def instances_touching(
        self,
        id: int,
        *,
        layers: int = ALL_LAYERS,
        ignore: Iterable[int] = (),
        include_hidden: bool = False,
        include_locked: bool = False,
    ) -> npt.NDArray[np.int64]:
        """Find the instances whose surfaces have a point in common with that of an instance, (n,) int64.

        In order of their addition, without the instance itself. Touching counts, exactly for the world
        corners in float64. Groups touch nothing.

        Parameters
        ----------
        id : int
        layers, ignore, include_hidden, include_locked
            The instances that take part, as in :class:`Scene`.

        Raises
        ------
        ValueError
            An id that is not in the scene.
        """
        options = _options.of_scene("both", layers, ignore, include_hidden, include_locked)
        self._check(id)
        return self._core.instances_touching(id, options)

    def instances_near(
        self,
        id: int,
        max_distance: float,
        *,
        layers: int = ALL_LAYERS,
        ignore: Iterable[int] = (),
        include_hidden: bool = False,
        include_locked: bool = False,
    ) -> InstanceDistances:
        """Find the instances within a distance of an instance, nearest first, with the nearest points.

        Parameters
        ----------
        id : int
        max_distance : float
            In world units; instances at exactly this distance count.
        layers, ignore, include_hidden, include_locked
            The instances that take part, as in :class:`Scene`.

        Returns
        -------
        InstanceDistances

        Raises
        ------
        ValueError
            An id that is not in the scene; a distance that is negative or NaN.
        """
        options = _options.of_scene("both", layers, ignore, include_hidden, include_locked)
        self._check(id)
        found = self._core.instances_near(id, _arrays.number("max_distance", max_distance, 0), options)
        instance, distance, triangles, points = found
        return InstanceDistances(instance, distance, points.reshape(-1, 2, 3), triangles.reshape(-1, 2))

    @of_points
    def signed_distances(
        self,
        points: ArrayLike,
        *,
        layers: int = ALL_LAYERS,
        ignore: Iterable[int] = (),
        include_hidden: bool = False,
        include_locked: bool = False,
        threads: int | None = None,
    ) -> npt.NDArray[np.float64]:
        """Return the distance to the closest surface, (n,) float64, negative inside of any instance.

        Arguments as in :meth:`closest_points`. NaN for points that are not finite, and in an empty scene.
        """
        start = _arrays.rows("points", points, 3, np.float64)
        options = _options.of_scene("both", layers, ignore, include_hidden, include_locked)
        return self._core.signed_distances(start, options, _arrays.threads(threads))

    @of_points
    def is_inside(
        self,
        points: ArrayLike,
        *,
        layers: int = ALL_LAYERS,
        ignore: Iterable[int] = (),
        include_hidden: bool = False,
        include_locked: bool = False,
        threads: int | None = None,
    ) -> npt.NDArray[np.bool_]:
        """Return whether any instance contains each point, (n,) bool.

        An instance contains a point by the rule of :meth:`Bvh.is_inside`, in its own space in float64.
        Beyond its bounds it contains none. Arguments as in :meth:`closest_points`.
        """
        start = _arrays.rows("points", points, 3, np.float64)
        options = _options.of_scene("both", layers, ignore, include_hidden, include_locked)
        return self._core.is_inside(start, options, _arrays.threads(threads))

    @of_points
    def winding_numbers(
        self,
        points: ArrayLike,
        *,
        tolerance: float = 1e-3,
        layers: int = ALL_LAYERS,
        ignore: Iterable[int] = (),
        include_hidden: bool = False,
        include_locked: bool = False,
        threads: int | None = None,
    ) -> npt.NDArray[np.float64]:
        """Return how often the instances surround each point, in sum.

        Each instance counts in its own space, as in :meth:`Bvh.winding_numbers`. So a mirrored solid counts
        1, too. Near the holes of a stretched instance the number is that of the mesh before it was stretched.

        Parameters
        ----------
        points : (n, 3) array_like
            In world space.
        tolerance : float
            The maximum error of the sum, from 0 on.
        layers, ignore, include_hidden, include_locked
            The instances that take part, as in :class:`Scene`.
        threads : int, optional

        Returns
        -------
        (n,) float64

        Raises
        ------
        ValueError
            A tolerance that is negative or NaN.
        """
        start = _arrays.rows("points", points, 3, np.float64)
        options = _options.of_scene("both", layers, ignore, include_hidden, include_locked)
        error = _arrays.number("tolerance", tolerance, 0)
        return self._core.winding_numbers(start, error, options, _arrays.threads(threads))

    def closest_point(
        self,
        point: Sequence[float],
        *,
        max_distance: float = np.inf,
        layers: int = ALL_LAYERS,
        ignore: Iterable[int] = (),
        include_hidden: bool = False,
        include_locked: bool = False,
    ) -> ScenePoint | None:
        """Find the surface point closest to one point; None if it is farther than ``max_distance``.

        For many points, :meth:`closest_points` is faster. Both give the same bits, and have the same
        arguments.
        """
        options = _options.of_scene("both", layers, ignore, include_hidden, include_locked)
        try:
            found = self._core.closest_point(point, max_distance, options)
        except (TypeError, ValueError):
            _arrays.check_point(point, max_distance)
            raise
        if found is None:
            return None
        at, distance, instance, triangle, u, v, normal = found
        return ScenePoint(at, distance, instance, triangle, (u, v), normal)

    def overlapping_box(
        self,
        box: ArrayLike,
        *,
        layers: int = ALL_LAYERS,
        ignore: Iterable[int] = (),
        include_hidden: bool = False,
        include_locked: bool = False,
    ) -> SceneTriangles:
        """Find the triangles that share a point with a box, sorted by instance, then by triangle.

        Parameters
        ----------
        box : (2, 3) array_like
            The minimum and the maximum corner in world space, as ``bounds`` has them.
        layers, ignore, include_hidden, include_locked
            The instances that take part, as in :class:`Scene`.

        Returns
        -------
        SceneTriangles
        """
        corners = _arrays.rows("box", box, 3, np.float64)
        if corners.shape != (2, 3):
            raise ValueError(f"box has shape {corners.shape}, expected (2, 3)")
        options = _options.of_scene("both", layers, ignore, include_hidden, include_locked)
        return SceneTriangles(*self._core.overlapping_box(corners[0].tolist(), corners[1].tolist(), options))

    def overlapping_sphere(
        self,
        center: ArrayLike,
        radius: float,
        *,
        layers: int = ALL_LAYERS,
        ignore: Iterable[int] = (),
        include_hidden: bool = False,
        include_locked: bool = False,
    ) -> SceneTriangles:
        """Find the triangles that share a point with a ball, sorted by instance, then by triangle.

        Parameters
        ----------
        center : (3,) array_like
            In world space.
        radius : float
        layers, ignore, include_hidden, include_locked
            The instances that take part, as in :class:`Scene`.

        Returns
        -------
        SceneTriangles
        """
        middle, size = _arrays.triple("center", center), _arrays.number("radius", radius)
        options = _options.of_scene("both", layers, ignore, include_hidden, include_locked)
        return SceneTriangles(*self._core.overlapping_sphere(middle, size, options))

    def section(
        self,
        point: ArrayLike,
        normal: ArrayLike,
        *,
        layers: int = ALL_LAYERS,
        ignore: Iterable[int] = (),
        include_hidden: bool = False,
        include_locked: bool = False,
    ) -> ScenePolylines:
        """Find the polylines in which a plane cuts the instances, in world space.

        The rules are those of :meth:`Bvh.section`, for each instance.

        Parameters
        ----------
        point, normal : (3,) array_like
            A point of the plane and its normal, of any length but zero.
        layers, ignore, include_hidden, include_locked
            The instances that take part, as in :class:`Scene`.

        Returns
        -------
        ScenePolylines

        Raises
        ------
        ValueError
            A normal that is zero or not finite, or a point that is not finite.
        """
        plane = _arrays.triple("point", point), _arrays.triple("normal", normal)
        options = _options.of_scene("both", layers, ignore, include_hidden, include_locked)
        arrays, instance = self._core.section(*plane, options)
        return ScenePolylines(*of_core(arrays), instance)
