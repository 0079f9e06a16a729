"""Options of builds and queries, and their types."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any, Literal

from . import _arrays

#: The sides of triangles that a ray may hit.
Faces = Literal["both", "front", "back"]

#: The time that a build may take, for the speed of the queries.
Quality = Literal["fast", "balanced", "high"]

#: The layout of a tree.
Layout = Literal["auto", "full", "compact"]

#: The mask of all layers.
ALL_LAYERS = 0xFFFF_FFFF


def sides(faces: Any) -> str:
    """Check that the sides of triangles are a string; the compiled module knows which."""
    if not isinstance(faces, str):
        raise TypeError(f"faces is {faces!r}, expected 'both', 'front' or 'back'")
    return faces


def mask(layers: int) -> int:
    """Check a mask of layers."""
    return _arrays.integer("layers", layers, 0, ALL_LAYERS)


def of_scene(
    faces: Any,
    layers: int = ALL_LAYERS,
    ignore: Iterable[int] = (),
    hidden: bool = False,
    locked: bool = False,
) -> Any:
    """Return the options of a query of a scene as the compiled module takes them."""
    try:
        ids = [operator.index(id) for id in ignore]
    except TypeError as error:
        raise TypeError(f"ignore is {ignore!r}, expected ids of instances") from error
    which = sides(faces), mask(layers), ids
    try:
        return *which, bool(hidden), bool(locked)
    except (TypeError, ValueError) as error:
        wrong = ("include_hidden", hidden) if _has_no_truth(hidden) else ("include_locked", locked)
        raise TypeError(f"{wrong[0]} is {wrong[1]!r}, expected True or False") from error


def _has_no_truth(value: Any) -> bool:
    try:
        bool(value)
    except (TypeError, ValueError):
        return True
    return False
