"""Polylines and points, which are picked within a radius in pixels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from . import _arrays, _hitscan
from ._arrays import ArrayLike
from ._view import View


@dataclass(frozen=True)
class PolylinePick:
    """A polyline or point near the cursor.

    Attributes
    ----------
    item : int
        The index of the polyline or point.
    segment : int
        The index of the segment in the polyline; 0 for a point.
    point : (3,) float64
        The point of the item nearest to the cursor on the screen, in world space.
    pixel : (2,) float64
        Where that point appears.
    pixel_distance : float
        Its distance from the cursor in pixels.
    """

    item: int
    segment: int
    point: npt.NDArray[np.float64]
    pixel: npt.NDArray[np.float64]
    pixel_distance: float


class Polylines:
    """Polylines with a tree, for curves, wires and gizmos; points by :meth:`from_points`.

    A ray cannot hit them, so a pick has a radius in pixels. Surfaces hide no item.

    Parameters
    ----------
    lines : sequence of (n_i, 3) array_like
        The points of each polyline in order, of any number. Positions are rounded to float32.

    Raises
    ------
    ValueError, TypeError
        A line of another shape or type, or a position that is not finite.

    Examples
    --------
    >>> import hitscan
    >>> from hitscan import picking
    >>> wires = picking.Polylines([[[0, 0, 0], [1, 2, 0], [2, 0, 0]], [[0, 5, 0], [1, 5, 0]]])
    >>> view = hitscan.Camera(eye=(1, 1, 9), target=(1, 1, 0)).view(800, 600)
    >>> pixel, _, _ = view.project([[1.5, 1, 0]])
    >>> found = wires.pick(view, pixel[0] + 3)
    >>> found.item, found.segment, len(wires)
    (0, 1, 2)
    """

    __slots__ = ("_core",)

    def __init__(self, lines: Sequence[ArrayLike]) -> None:
        parts = [_arrays.rows(f"lines[{i}]", line, 3, np.float32) for i, line in enumerate(lines)]
        ends = np.cumsum([len(part) for part in parts], dtype=np.int64)
        self._core = _hitscan.Polylines(np.concatenate([np.empty((0, 3), np.float32), *parts]), ends)

    @classmethod
    def from_points(cls, points: ArrayLike) -> Polylines:
        """Return points (n, 3), each an item."""
        cloud = cls.__new__(cls)
        cloud._core = _hitscan.Polylines(_arrays.rows("points", points, 3, np.float32), None)
        return cloud

    def pick(
        self, view: View, pixel: ArrayLike, *, radius: float = 8.0, transform: ArrayLike | None = None
    ) -> PolylinePick | None:
        """Return the item nearest to the cursor on the screen, or None. Ties go to the item in front.

        Parameters
        ----------
        view : View
        pixel : (2,) array_like
        radius : float
            The maximum distance from the cursor in pixels.
        transform : (4, 4) array_like, optional
            From the space of the positions to the world.
        """
        x, y = _arrays.row("pixel", pixel, 2, np.float64).tolist()
        size = _arrays.number("radius", radius)
        found = self._core.pick(_core(view), _matrix(transform), (x, y), size)
        if found is None:
            return None
        item, segment, point, image, distance = found
        return PolylinePick(item, segment, np.array(point), np.array(image), distance)

    def select(
        self,
        view: View,
        *,
        marquee: ArrayLike | None = None,
        lasso: ArrayLike | None = None,
        enclosed: bool = False,
        transform: ArrayLike | None = None,
    ) -> list[int]:
        """Return the indices of the items in a region of the screen, sorted.

        Parameters
        ----------
        marquee, lasso, enclosed
            As in :func:`hitscan.picking.select`.
        view, transform
            As in :meth:`pick`.
        """
        outline = outline_of(marquee, lasso)
        return self._core.select(_core(view), _matrix(transform), outline, bool(enclosed))

    def __len__(self) -> int:
        """Return the number of items."""
        return self._core.n_items

    def __repr__(self) -> str:
        n = len(self)
        return f"Polylines({n} item{'s' * (n != 1)})"


def outline_of(marquee: ArrayLike | None, lasso: ArrayLike | None) -> npt.NDArray[np.float64]:
    """Return the two corners of a marquee, or the corners of a lasso."""
    if (marquee is None) == (lasso is None):
        raise TypeError("select expects either marquee or lasso")
    name, values = ("marquee", marquee) if marquee is not None else ("lasso", lasso)
    outline: npt.NDArray[np.float64] = _arrays.rows(name, values, 2, np.float64)
    if marquee is not None and len(outline) != 2:
        raise ValueError(f"marquee has shape {outline.shape}, expected (2, 2)")
    if marquee is None and len(outline) < 3:
        raise ValueError(f"lasso has shape {outline.shape}, expected (n, 2) with three corners or more")
    return outline


def _core(view: View) -> _hitscan.View:
    if not isinstance(view, View):
        raise TypeError(f"view is a {type(view).__name__}, expected a hitscan.View")
    return view._core


def _matrix(transform: ArrayLike | None) -> npt.NDArray[np.float64]:
    matrix: npt.NDArray[np.float64] = _arrays.matrix(
        "transform", np.eye(4) if transform is None else transform
    )
    return matrix
