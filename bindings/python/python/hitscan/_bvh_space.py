"""Queries of points, regions, planes and other meshes on trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _arrays, _hitscan
from ._arrays import ArrayLike
from ._hits import MeshCrossings, MeshDistance, SurfacePoints
from ._sections import SectionPolylines, of_core
from ._shapes import of_points
from ._single import SurfacePoint

if TYPE_CHECKING:
    from ._bvh import Bvh


class BvhSpace:
    """The queries of a tree that take no ray."""

    __slots__ = ()

    _core: _hitscan.Bvh

    @property
    def offset(self) -> npt.NDArray[np.float64]:
        """The ``offset`` of the mesh, (3,) float64."""
        return np.array(self._core.offset, dtype=np.float64)

    def _snapshot(self) -> Bvh:
        raise NotImplementedError

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
        point, distance, triangle, uv = answers = _arrays.empty_arrays(
            f"the answers of {n} points", n, (np.float64, 3), np.float64, np.uint32, (np.float32, 2)
        )
        limit = _arrays.limits("max_distance", max_distance, n)
        self._core.closest_points(start, limit, _arrays.threads(threads), answers)
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
            _arrays.check_point(point, max_distance)
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
        return self._core.signed_distances(self._local("points", points), _arrays.threads(threads))

    @of_points
    def is_inside(self, points: ArrayLike, *, threads: int | None = None) -> npt.NDArray[np.bool_]:
        """Return whether each point is inside, (n,) bool: where the winding number is beyond 1/2 or -1/2.

        So a mesh that is inside out has the same inside as one that faces outward.
        """
        return self._core.is_inside(self._local("points", points), _arrays.threads(threads))

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
        error = _arrays.number("tolerance", tolerance, 0)
        return self._core.winding_numbers(start, error, _arrays.threads(threads))

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
            *_other(other, transform), _arrays.number("max_distance", max_distance, 0)
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

    def _local(self, name: str, points: ArrayLike) -> Any:
        """Return points relative to the offset of the mesh, (n, 3) float32."""
        if not self._core.has_offset:
            return _arrays.rows(name, points, 3, np.float32)
        exact = _arrays.rows(name, points, 3, np.float64)
        _arrays.room(f"a copy of {name} of shape {exact.shape}", exact.nbytes)
        return _arrays.contiguous(name, exact - self.offset, np.float32)


def _other(other: Bvh, transform: ArrayLike | None) -> tuple[_hitscan.Bvh, Any]:
    """Return the core of another tree, and the numbers of its transform."""
    if not isinstance(other, BvhSpace):
        raise TypeError(f"other is a {type(other).__name__}, expected a Bvh")
    return other._core, _arrays.matrix("transform", np.eye(4) if transform is None else transform)
