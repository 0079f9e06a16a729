"""What is at a pixel: picking, snapping and selecting.

>>> import numpy as np
>>> import hitscan
>>> from hitscan import picking
>>> scene = hitscan.Scene()
>>> id = scene.insert(hitscan.Bvh(hitscan.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])))
>>> view = hitscan.Camera(eye=(0.3, 0.3, 4), target=(0.3, 0.3, 0)).view(640, 480)
>>> found = picking.pick(scene, view, (320, 240), kind="face")
>>> found.instance == id, found.element, np.round(found.point, 6).tolist()
(True, (0,), [0.3, 0.3, 0.0])

Pixels count from the top left; the centre of the first is (0.5, 0.5). Every function takes the options of
:class:`hitscan.Scene`: ``layers``, ``ignore``, ``include_hidden``, ``include_locked``, and ``faces``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from . import _arrays, _hitscan, _options
from ._arrays import ArrayLike
from ._options import ALL_LAYERS, Faces
from ._polylines import PolylinePick, Polylines, outline_of
from ._scene import Scene
from ._view import View

__all__ = [
    "Pick",
    "PickHit",
    "PolylinePick",
    "Polylines",
    "Selected",
    "Snap",
    "is_visible",
    "pick",
    "pick_all",
    "select",
    "snap",
]

#: What to pick.
Kind = Literal["object", "face", "edge", "vertex"]

#: What to snap to.
Target = Literal["vertex", "edge midpoint", "edge", "face"]

#: The numbers of an element in its instance: none for an object, the index of a face (a polygon of a file)
#: or vertex, the two vertices of an edge.
Element: TypeAlias = "tuple[int, ...]"


@dataclass(frozen=True)
class PickHit:
    """The hit of the cursor's ray.

    Attributes
    ----------
    t : float
        The distance from the near plane.
    triangle : int
    uv : tuple of 2 float
        The weights of the triangle's second and third corner.
    front : bool
        Whether the ray came from the front side.
    """

    t: float
    triangle: int
    uv: tuple[float, float]
    front: bool


@dataclass(frozen=True)
class Pick:
    """An element under or near the cursor.

    Attributes
    ----------
    instance : int
    element : tuple of int
        Empty for an object; the index of a face or vertex; the two vertices of an edge.
    point : (3,) float64
        The point of the element nearest to the cursor, in world space.
    pixel : (2,) float64
        Where that point appears.
    pixel_distance : float
        Its distance from the cursor in pixels; 0 for an element under the cursor.
    distance : float
        Its distance from the near plane along its line of sight.
    hit : PickHit or None
        None unless the element is an object or face under the cursor.
    """

    instance: int
    element: Element
    point: npt.NDArray[np.float64]
    pixel: npt.NDArray[np.float64]
    pixel_distance: float
    distance: float
    hit: PickHit | None


@dataclass(frozen=True)
class Snap:
    """A point to snap to: the kind of target, and the element with the point."""

    target: Target
    pick: Pick


@dataclass(frozen=True, order=True)
class Selected:
    """An element that a region selects: its instance and its numbers, as in :class:`Pick`."""

    instance: int
    element: Element


def pick(
    scene: Scene,
    view: View,
    pixel: ArrayLike,
    *,
    kind: Kind = "object",
    radius: float | None = None,
    x_ray: bool = False,
    faces: Faces = "both",
    layers: int = ALL_LAYERS,
    ignore: Iterable[int] = (),
    include_hidden: bool = False,
    include_locked: bool = False,
) -> Pick | None:
    """Return the element nearest to the cursor on the screen, or None.

    Parameters
    ----------
    scene : Scene
    view : View
    pixel : (2,) array_like
    kind : {"object", "face", "edge", "vertex"}
    radius : float, optional
        The maximum distance from the cursor in pixels: by default 0 for objects and faces, 8 for others.
    x_ray : bool
        Whether to pick elements behind surfaces.

    Raises
    ------
    ValueError, TypeError
        An argument of another shape, type or name.
    """
    options = _options.of_scene(faces, layers, ignore, include_hidden, include_locked)
    found = _hitscan.pick(*_core(scene, view), options, _pixel(pixel), kind, radius, bool(x_ray))
    return None if found is None else _pick_of(found)


def pick_all(
    scene: Scene,
    view: View,
    pixel: ArrayLike,
    *,
    kind: Kind = "object",
    radius: float | None = None,
    faces: Faces = "both",
    layers: int = ALL_LAYERS,
    ignore: Iterable[int] = (),
    include_hidden: bool = False,
    include_locked: bool = False,
) -> list[Pick]:
    """Return all elements under and near the cursor, through all surfaces.

    Those under the cursor come first, in order along its ray. Arguments as in :func:`pick`.
    """
    options = _options.of_scene(faces, layers, ignore, include_hidden, include_locked)
    found = _hitscan.pick_all(*_core(scene, view), options, _pixel(pixel), kind, radius)
    return [_pick_of(one) for one in found]


def snap(
    scene: Scene,
    view: View,
    pixel: ArrayLike,
    *,
    targets: Sequence[Target] = ("vertex", "edge midpoint", "edge", "face"),
    radius: float = 8.0,
    x_ray: bool = False,
    faces: Faces = "both",
    layers: int = ALL_LAYERS,
    ignore: Iterable[int] = (),
    include_hidden: bool = False,
    include_locked: bool = False,
) -> Snap | None:
    """Return the point to snap to, or None: of the first target that has one within the radius.

    Parameters
    ----------
    targets : sequence of {"vertex", "edge midpoint", "edge", "face"}
        In order of priority.
    radius : float
        In pixels.
    ignore : iterable of int
        Put the instances that are dragged here.
    scene, view, pixel, x_ray
        As in :func:`pick`.
    """
    if isinstance(targets, str):
        raise TypeError(f"targets is {targets!r}, expected a sequence of names")
    options = _options.of_scene(faces, layers, ignore, include_hidden, include_locked)
    names: list[Target] = list(targets)
    found = _hitscan.snap(
        *_core(scene, view), options, _pixel(pixel), names, _arrays.number("radius", radius), bool(x_ray)
    )
    return None if found is None else Snap(names[found[0]], _pick_of(found[1]))


def select(
    scene: Scene,
    view: View,
    *,
    marquee: ArrayLike | None = None,
    lasso: ArrayLike | None = None,
    kind: Kind = "object",
    enclosed: bool = False,
    visible_only: bool = False,
    faces: Faces = "both",
    layers: int = ALL_LAYERS,
    ignore: Iterable[int] = (),
    include_hidden: bool = False,
    include_locked: bool = False,
) -> list[Selected]:
    """Return the elements in a region of the screen, sorted by instance and element.

    Parameters
    ----------
    marquee : (2, 2) array_like, optional
        Two opposite corners of a rectangle, in pixels.
    lasso : (n, 2) array_like, optional
        The corners of an outline, instead of a marquee.
    kind : {"object", "face", "edge", "vertex"}
    enclosed : bool
        Whether the region must contain the whole element; otherwise it must touch it.
    visible_only : bool
        Whether to leave out elements that surfaces hide.
    scene, view
        As in :func:`pick`.

    Raises
    ------
    TypeError
        Neither a marquee nor a lasso, or both.
    ValueError
        An outline of another shape, or one that is not finite.
    """
    outline = outline_of(marquee, lasso)
    options = _options.of_scene(faces, layers, ignore, include_hidden, include_locked)
    found = _hitscan.select(*_core(scene, view), options, outline, kind, bool(enclosed), bool(visible_only))
    return [Selected(instance, tuple(element)) for instance, element in found]


def is_visible(
    scene: Scene,
    view: View,
    points: ArrayLike,
    *,
    faces: Faces = "both",
    layers: int = ALL_LAYERS,
    ignore: Iterable[int] = (),
    include_hidden: bool = False,
    include_locked: bool = False,
) -> npt.NDArray[np.bool_]:
    """Return whether each point is in the picture and behind no surface, (n,) bool.

    Parameters
    ----------
    points : (n, 3) array_like
    scene, view
        As in :func:`pick`.
    """
    options = _options.of_scene(faces, layers, ignore, include_hidden, include_locked)
    start = _arrays.rows("points", points, 3, np.float64)
    return _hitscan.points_visible(*_core(scene, view), options, start)


def _core(scene: Any, view: Any) -> tuple[_hitscan.Scene, _hitscan.View]:
    if not isinstance(scene, Scene):
        raise TypeError(f"scene is a {type(scene).__name__}, expected a hitscan.Scene")
    if not isinstance(view, View):
        raise TypeError(f"view is a {type(view).__name__}, expected a hitscan.View")
    return scene._core, view._core


def _pixel(values: ArrayLike) -> tuple[float, float]:
    x, y = _arrays.row("pixel", values, 2, np.float64).tolist()
    return x, y


def _pick_of(found: Any) -> Pick:
    instance, element, point, pixel, pixel_distance, distance, hit = found
    of_ray = None if hit is None else PickHit(hit[0], hit[1], (hit[2], hit[3]), hit[4])
    at, image = np.array(point, np.float64), np.array(pixel, np.float64)
    return Pick(instance, tuple(element), at, image, pixel_distance, distance, of_ray)
