"""Queries of arrays with more than two dimensions, such as the rays of an image."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np

from . import _arrays
from ._tables import Answer

P = ParamSpec("P")
R = TypeVar("R")


def of_rays(query: Callable[P, R]) -> Callable[P, R]:
    """Let a query of rays (n, 3), (n, 6) or (n, 8) take an image of rays, and answer by images."""

    @functools.wraps(query)
    def shaped(subject: Any, origins: Any, directions: Any = None, **options: Any) -> Any:
        if directions is None:
            return _ask(query, subject, {"rays": origins}, (6, 8), options)
        return _ask(query, subject, {"origins": origins, "directions": directions}, (3,), options)

    return cast("Callable[P, R]", shaped)


def of_points(query: Callable[P, R]) -> Callable[P, R]:
    """Let a query of points (n, 3) take an image of points, and answer by images."""

    @functools.wraps(query)
    def shaped(subject: Any, points: Any, **options: Any) -> Any:
        return _ask(query, subject, {"points": points}, (3,), options)

    return cast("Callable[P, R]", shaped)


def of_surface_points(query: Callable[P, R]) -> Callable[P, R]:
    """Let a function of points and normals (n, 3) take images of them, and answer by images."""

    @functools.wraps(query)
    def shaped(surface: Any, points: Any, normals: Any, **options: Any) -> Any:
        return _ask(query, surface, {"points": points, "normals": normals}, (3,), options)

    return cast("Callable[P, R]", shaped)


def _ask(
    query: Any, subject: Any, arrays: dict[str, Any], columns: tuple[int, ...], options: dict[str, Any]
) -> Any:
    """Call a query with rows, and return the answers in the shape of the arrays."""
    arrays = {name: _as_array(name, values) for name, values in arrays.items()}
    images = [name for name, array in arrays.items() if array.ndim > 2]
    if not images:
        return query(subject, *arrays.values(), **options)
    first = arrays[images[0]].shape
    *shape, width = first
    if width not in columns:
        expected = " or ".join(f"(..., {n})" for n in columns)
        raise ValueError(f"{images[0]} has shape {tuple(first)}, expected {expected}")
    for name, array in arrays.items():
        if array.shape != first and tuple(array.shape) not in ((3,), (1, 3)):
            raise ValueError(f"{name} has shape {tuple(array.shape)}, expected {tuple(first)} as {images[0]}")
    n = math.prod(shape)
    rows = [array.reshape(n, width) if name in images else array for name, array in arrays.items()]
    for name in options.keys() & {"t_min", "t_max", "max_distance"}:
        limit = options[name]
        if np.ndim(limit) > 0:
            if np.shape(limit) != tuple(shape):
                raise ValueError(f"{name} has shape {np.shape(limit)}, expected a number or {tuple(shape)}")
            options[name] = np.reshape(limit, n)
    return _in_shape(query(subject, *rows, **options), tuple(shape))


def _as_array(name: str, values: Any) -> Any:
    # Tensors stay tensors, which the query converts without a copy.
    return values if hasattr(values, "ndim") and hasattr(values, "reshape") else _arrays.numbers(name, values)


def _in_shape(answer: Any, shape: tuple[int, ...]) -> Any:
    """Return answers with the leading dimensions ``shape``. Lists of hits stay in the order of the rows."""
    if isinstance(answer, tuple):
        return tuple(_in_shape(one, shape) for one in answer)
    if isinstance(answer, np.ndarray):
        return answer.reshape(shape + answer.shape[1:])
    return answer.reshaped(shape) if isinstance(answer, Answer) and not hasattr(answer, "splits") else answer
