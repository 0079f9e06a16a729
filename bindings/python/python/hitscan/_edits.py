"""Edits of meshes, from the arguments of ``update`` to what the compiled module takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from . import _arrays
from ._arrays import ArrayLike

#: A name, vertices or triangles, positions relative to the offset of the mesh, and corners of triangles.
Edit: TypeAlias = "tuple[str, Any, Any, Any]"


def edit_of(
    local: Callable[[str, ArrayLike], Any],
    move: tuple[ArrayLike, ArrayLike] | None,
    append: tuple[ArrayLike, ArrayLike] | None,
    remove: ArrayLike | None,
    replace: tuple[range, ArrayLike] | None,
) -> Edit:
    """Return the one edit that is given. ``local`` makes positions relative to the offset of the mesh."""
    edits = {"move": move, "append": append, "remove": remove, "replace": replace}
    given = [name for name, value in edits.items() if value is not None]
    if len(given) != 1:
        found = " and ".join(given) if given else "no edit"
        raise TypeError(f"update takes one of move, append, remove and replace, found {found}")
    none, no_rows, no_corners = np.empty(0, np.uint32), np.empty((0, 3), np.float32), _arrays.indices("", [])
    if move is not None:
        vertices, positions = _pair("move", move, "vertices and positions")
        at = _arrays.index_row("the vertices of move", vertices)
        return "move", at, local("the positions of move", positions), no_corners
    if append is not None:
        positions, triangles = _pair("append", append, "positions and triangles")
        corners = _arrays.indices("the triangles of append", triangles)
        return "append", none, local("the positions of append", positions), corners
    if replace is not None:
        which, triangles = _pair("replace", replace, "a range and triangles")
        if not isinstance(which, range) or which.step != 1:
            raise TypeError(f"the range of replace is {which!r}, expected a range with step 1")
        ends = _arrays.index_row("the range of replace", np.array([which.start, which.stop]))
        return "replace", ends, no_rows, _arrays.indices("the triangles of replace", triangles)
    return "remove", _arrays.index_row("remove", remove), no_rows, no_corners


def _pair(name: str, value: Any, what: str) -> tuple[Any, Any]:
    if not isinstance(value, tuple) or len(value) != 2:
        raise TypeError(f"{name} is a {type(value).__name__}, expected a tuple of {what}")
    return value
