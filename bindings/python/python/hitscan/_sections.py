"""Polylines along which a plane cuts a surface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt


@dataclass(frozen=True, eq=False)
class SectionPolylines:
    """The m polylines in which a plane cuts a mesh, in the order of their least triangles.

    The inside of the surface lies to the left of a polyline, seen from the side to which the normal points.

    Attributes
    ----------
    points : (n, 3) float64
        The points of all polylines, one after the other. A closed polyline does not repeat its first.
    triangles : (k,) uint32
        The triangle of each segment. A closed polyline has one for each point, the last one for the segment
        back to the first point; an open polyline has one less.
    point_splits, triangle_splits : (m + 1,) int64
        Polyline ``i`` has the points from ``point_splits[i]`` to ``point_splits[i + 1]``; triangles alike.
    closed : (m,) bool
        Whether the last point is joined to the first. All are closed if the mesh is.
    """

    points: npt.NDArray[np.float64]
    triangles: npt.NDArray[np.uint32]
    point_splits: npt.NDArray[np.int64]
    triangle_splits: npt.NDArray[np.int64]
    closed: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.closed)

    def polyline(self, i: int) -> npt.NDArray[np.float64]:
        """Return the points of polyline ``i``, (n_i, 3). A closed one ends with its first point."""
        # An index out of range is an error of this line.
        first = range(len(self))[i]
        points = self.points[self.point_splits[first] : self.point_splits[first + 1]]
        return np.concatenate([points, points[:1]]) if self.closed[first] else points

    @property
    def segments(self) -> npt.NDArray[np.float64]:
        """The ends of all segments, (k, 2, 3) float64, in the order of ``triangles``."""
        start = np.ones(len(self.points), np.bool_)
        start[self.point_splits[1:][~self.closed] - 1] = False
        following = np.arange(1, len(self.points) + 1)
        following[self.point_splits[1:] - 1] = self.point_splits[:-1]
        return np.stack([self.points[start], self.points[following[start]]], axis=1)

    @property
    def lengths(self) -> npt.NDArray[np.float64]:
        """The length of each polyline, (m,) float64."""
        ends = self.segments
        sums = np.concatenate([[0.0], np.cumsum(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1))])
        return np.diff(sums[self.triangle_splits])


@dataclass(frozen=True, eq=False)
class ScenePolylines(SectionPolylines):
    """The m polylines in which a plane cuts a scene, in world space.

    Sorted by instance, then by least triangle. Instances are not joined.

    Attributes
    ----------
    instance : (m,) int64
        The id of the instance of each polyline.

    Notes
    -----
    The other attributes are those of :class:`SectionPolylines`.
    """

    instance: npt.NDArray[np.int64]


def of_core(arrays: Any) -> tuple[Any, Any, Any, Any, Any]:
    """Return the fields of polylines from the arrays of the compiled module."""
    points, triangles, point_splits, triangle_splits, closed = arrays
    return points.reshape(-1, 3), triangles, point_splits, triangle_splits, closed
