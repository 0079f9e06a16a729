"""Answers for one ray and one point, as plain numbers."""

from __future__ import annotations

from typing import NamedTuple


class Hit(NamedTuple):
    """The closest hit of one ray.

    Attributes
    ----------
    t : float
        The position on the ray, in units of its direction.
    triangle : int
    uv : (float, float)
        The weights of the triangle's second and third corner.
    front : bool
        Whether the ray came from the front side.
    point, normal : list of 3 float
        The point on the triangle and its unit normal; NaN for a triangle without area.
    """

    t: float
    triangle: int
    uv: tuple[float, float]
    front: bool
    point: list[float]
    normal: list[float]


class SurfacePoint(NamedTuple):
    """The point of the surface closest to one point.

    Attributes
    ----------
    point : list of 3 float
    distance : float
    triangle : int
    uv : (float, float)
        The weights of the triangle's second and third corner.
    normal : list of 3 float
        The unit normal of the triangle; NaN for one without area.
    """

    point: list[float]
    distance: float
    triangle: int
    uv: tuple[float, float]
    normal: list[float]


class SceneHit(NamedTuple):
    """The closest hit of one ray in a scene.

    Attributes
    ----------
    t : float
        The position on the ray, in units of its direction.
    instance : int
        The id of the instance.
    triangle, uv, front
        As in :class:`Hit`.
    point, normal : list of 3 float
        The point on the triangle and its unit normal in world space; NaN for a triangle without area.
    """

    t: float
    instance: int
    triangle: int
    uv: tuple[float, float]
    front: bool
    point: list[float]
    normal: list[float]


class ScenePoint(NamedTuple):
    """The surface point of a scene closest to one point.

    Attributes
    ----------
    point : list of 3 float
        In world space, as ``distance`` and ``normal``.
    distance : float
    instance : int
        The id of the instance.
    triangle, uv, normal
        As in :class:`SurfacePoint`.
    """

    point: list[float]
    distance: float
    instance: int
    triangle: int
    uv: tuple[float, float]
    normal: list[float]
