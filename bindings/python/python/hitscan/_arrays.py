"""Conversion of arguments to contiguous NumPy arrays, with errors that name the argument."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from . import _hitscan

#: Anything that NumPy or DLPack turns into an array of numbers.
ArrayLike: TypeAlias = Any
#: What the compiled module takes as rays of a tree: rows, directions, bounds for all rays, bounds for each
#: ray, and the point that is the origin of the tree.
LocalRays: TypeAlias = "tuple[Any, Any, float, float, Any, Any, tuple[float, float, float]]"
#: What it takes as rays of a scene.
WorldRays: TypeAlias = "tuple[Any, Any, float, float, Any, Any]"


def numbers(name: str, values: ArrayLike) -> npt.NDArray[Any]:
    """Return ``values`` as an array of real numbers."""
    if not isinstance(values, np.ndarray):
        values = _plain(name, values)
    elif isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        n = np.count_nonzero(values.mask)
        raise TypeError(f"{name} is a masked array with {n} masked numbers, expected an array; call filled()")
    try:
        array = np.asarray(values)
    except (ValueError, TypeError) as error:
        raise TypeError(f"{name} cannot be converted to an array of numbers: {error}") from error
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{name} has dtype {array.dtype}, expected real numbers")
    return array


def _plain(name: str, values: Any) -> Any:
    """Return a tensor as an array, without a copy if it is in main memory; anything else as it is."""
    if hasattr(values, "detach"):
        # torch refuses to export tensors that record gradients.
        values = values.detach()
    if not hasattr(values, "__dlpack__") or hasattr(values, "__array_interface__"):
        return values
    try:
        return np.from_dlpack(values)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        if hasattr(values, "__array__"):
            return values
        raise TypeError(f"{name} cannot be converted to an array by DLPack: {error}") from error


def rows(name: str, values: ArrayLike, columns: int | tuple[int, ...], dtype: Any) -> Any:
    """Return ``values`` as a C-contiguous array (n, columns) of ``dtype``, without a copy if it is one.

    A dtype of None keeps float32 and float64, and converts everything else to float64.
    """
    array = numbers(name, values)
    allowed = (columns,) if isinstance(columns, int) else columns
    if array.ndim == 1 and array.size == 0:
        array = array.reshape(0, allowed[0])
    if array.ndim != 2 or array.shape[1] not in allowed:
        expected = " or ".join(f"(n, {n})" for n in allowed)
        raise ValueError(f"{name} has shape {array.shape}, expected {expected}")
    return contiguous(name, array, dtype)


def contiguous(name: str, array: npt.NDArray[Any], dtype: Any) -> Any:
    """Return an array in C order, aligned and in the machine's byte order, without a copy if it is so."""
    if dtype is None:
        dtype = array.dtype.newbyteorder("=")
        if dtype != np.float32:
            dtype = np.dtype(np.float64)
    if array.dtype != dtype or not array.flags.c_contiguous or not array.flags.aligned:
        room(f"a copy of {name} of shape {array.shape}", array.size * np.dtype(dtype).itemsize)
    with np.errstate(over="ignore"):
        return np.require(array, dtype, ["C_CONTIGUOUS", "ALIGNED"])


def room(what: str, n_bytes: int) -> None:
    """Raise ``MemoryError`` with ``what`` if ``n_bytes`` are not available."""
    _hitscan.check_memory(what, n_bytes)


# From 8 MB on, the C library returns the memory of separate arrays to the system after each call. It keeps a
# block, unless that is larger than 32 MB.
_MIN_BLOCK = 8 << 20
_MAX_BLOCK = 28 << 20
# NumPy asks the system for large pages, which start at multiples of 2 MB.
_LARGE_PAGE = 1 << 21
_CACHE_LINE = 64


def empty_arrays(what: str, n: int, *dtypes: Any) -> tuple[Any, ...]:
    """Return an array of ``n`` rows of each dtype, in one block of memory where that is faster.

    Their values are arbitrary. In a loop of calls with a million camera rays each, separate arrays had 2,600
    page faults a call, and the call took 1.36 times as long.

    Raises
    ------
    MemoryError
        With ``what``, if they do not fit into memory.
    """
    types = [np.dtype(dtype) for dtype in dtypes]
    n_bytes = n * sum(dtype.itemsize for dtype in types)
    room(what, n_bytes)
    if not _MIN_BLOCK <= n_bytes < _MAX_BLOCK:
        return tuple([np.empty(n, dtype) for dtype in types])
    block = np.empty(n_bytes + _LARGE_PAGE + len(types) * _CACHE_LINE, np.uint8)
    start = -block.ctypes.data % _LARGE_PAGE
    arrays = []
    for dtype in types:
        arrays.append(np.ndarray((n, *dtype.shape), dtype.base, block, start))
        start += -(-n * dtype.itemsize // _CACHE_LINE) * _CACHE_LINE
    return tuple(arrays)


def row(name: str, values: ArrayLike, columns: int, dtype: Any) -> Any:
    """Return ``values`` as an array (columns,) of ``dtype``."""
    array = numbers(name, values)
    if array.shape != (columns,):
        raise ValueError(f"{name} has shape {array.shape}, expected ({columns},)")
    return contiguous(name, array, dtype)


def triple(name: str, values: ArrayLike) -> tuple[float, float, float]:
    """Return ``values`` as three numbers."""
    x, y, z = row(name, values, 3, np.float64).tolist()
    return x, y, z


def matrix(name: str, values: ArrayLike) -> Any:
    """Return the 16 numbers of a (4, 4) matrix, row by row, float64."""
    array = numbers(name, values)
    if array.shape != (4, 4):
        raise ValueError(f"{name} has shape {array.shape}, expected (4, 4)")
    return contiguous(name, array, np.float64).reshape(16)


def indices(name: str, values: ArrayLike) -> npt.NDArray[np.uint32]:
    """Return ``values`` as a C-contiguous array (n, 3) of uint32."""
    array = numbers(name, values)
    if array.ndim == 1 and array.size == 0:
        array = array.reshape(0, 3).astype(np.uint32)
    if array.ndim != 2 or array.shape[1] != 3:
        raise ValueError(f"{name} has shape {array.shape}, expected (n, 3)")
    return _indices(name, array)


def polygons(name: str, values: ArrayLike) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64] | None]:
    """Return triangles (n, 3) and None, or the corners of all polygons in a row and where each ends."""
    if isinstance(values, np.ndarray) and values.dtype == object:
        values = values.tolist()
    is_list = isinstance(values, (list, tuple)) and all(hasattr(row, "__len__") for row in values)
    lengths = np.array([len(row) for row in values] if is_list else [], np.int64)
    if len(np.unique(lengths)) <= 1:
        array = numbers(name, values)
        if array.ndim != 2 or array.shape[1] <= 3:
            return indices(name, array), None
        ends = np.arange(1, len(array) + 1, dtype=np.int64) * array.shape[1]
        return _indices(name, array).reshape(-1), ends
    if lengths.min() < 3:
        wrong = int(lengths.argmin())
        raise ValueError(f"{name}[{wrong}] has {lengths[wrong]} corners, expected 3 or more")
    ends = np.cumsum(lengths)
    corners = np.concatenate([numbers(f"{name}[{i}]", row) for i, row in enumerate(values)])
    if corners.ndim == 1 and corners.dtype.kind in "iu":
        outside = np.flatnonzero((corners < 0) | (corners > 0xFFFF_FFFE))
        if outside.size:
            wrong = int(np.searchsorted(ends, outside[0], side="right"))
            found = corners[outside[0]]
            raise ValueError(
                f"{name}[{wrong}] has the corner {found}, expected an index from 0 to 4294967294"
            )
    return index_row(name, corners), ends


def index_row(name: str, values: ArrayLike) -> npt.NDArray[np.uint32]:
    """Return ``values`` as a C-contiguous array (n,) of uint32."""
    array = numbers(name, values)
    if array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}, expected (n,)")
    return _indices(name, array if array.size else array.astype(np.uint32))


def _indices(name: str, array: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} has dtype {array.dtype}, expected integers")
    if array.dtype != np.uint32 and array.size:
        low, high = array.min(), array.max()
        if low < 0 or high > 0xFFFF_FFFE:
            wrong = low if low < 0 else high
            place = ", ".join(str(n) for n in np.argwhere(array == wrong)[0])
            raise ValueError(f"{name}[{place}] is {wrong}, expected an index from 0 to 4294967294")
    checked: npt.NDArray[np.uint32] = contiguous(name, array, np.uint32)
    return checked


def _bound(name: str, values: ArrayLike, n: int, dtype: Any) -> tuple[float, Any]:
    """Split a bound into a number for all rays and an array for each."""
    array = numbers(name, values)
    if array.ndim == 0:
        return float(array), None
    if array.shape != (n,):
        raise ValueError(f"{name} has shape {array.shape}, expected a number or ({n},)")
    return 0.0, contiguous(name, array, dtype)


def local_rays(
    origins: ArrayLike,
    directions: ArrayLike | None,
    t_min: Any,
    t_max: Any,
    center: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> tuple[int, LocalRays]:
    """Return the number of rays, and the rays in float32 or float64 as the compiled module takes them.

    The compiled module rounds float64 to float32 ray by ray. With a ``center``, it subtracts that point
    from the origins first, in float64.
    """
    first = numbers("rays" if directions is None else "origins", origins)
    second = None if directions is None else numbers("directions", directions)
    single = first.dtype == np.float32 and (second is None or second.dtype == np.float32)
    dtype = np.float32 if single and center == (0.0, 0.0, 0.0) else np.float64
    n, rays = world_rays(first, second, t_min, t_max, dtype)
    return n, (*rays, center)


def world_rays(
    origins: ArrayLike, directions: ArrayLike | None, t_min: Any, t_max: Any, dtype: Any = np.float64
) -> tuple[int, WorldRays]:
    """Return the number of rays, and the rays of one dtype as the compiled module takes them."""
    if directions is None:
        array = rows("rays", origins, (6, 8), dtype)
        if array.shape[1] == 8 and not (_is(t_min, 0.0) and _is(t_max, np.inf)):
            raise ValueError("rays have 8 columns and hold t_min and t_max, so both must be left out")
        ways = None
    else:
        array = rows("origins", _one_or_many(origins), 3, dtype)
        ways = rows("directions", _one_or_many(directions), 3, dtype)
        n = max(len(array), len(ways))
        if len(array) not in (1, n) or len(ways) not in (1, n):
            raise ValueError(f"directions has shape {ways.shape}, expected {array.shape} as origins")
        if len(array) != len(ways):
            room(f"a copy of one row in {n}", n * array.itemsize * 3)
            array, ways = (np.repeat(one, n // len(one), axis=0) for one in (array, ways))
    n = len(array)
    low, each_low = _bound("t_min", t_min, n, dtype)
    high, each_high = _bound("t_max", t_max, n, dtype)
    return n, (array, ways, low, high, each_low, each_high)


def _one_or_many(values: Any) -> Any:
    """Return one point or direction as an array of one."""
    array = np.asarray(values) if isinstance(values, (list, tuple)) else values
    return array[None] if getattr(array, "shape", None) == (3,) else values


def _is(value: Any, number: float) -> bool:
    return np.ndim(value) == 0 and float(value) == number


#: The largest number of hits of a ray that a query takes.
MAX_HITS = (1 << 63) - 1


def threads(value: int | None, name: str = "threads") -> int | None:
    """Check a number of threads."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} is {value!r}, expected an integer or None")
    if not 1 <= value <= 1024:
        raise ValueError(f"{name} is {value}, expected a number from 1 to 1024")
    return int(value)


def number(name: str, value: Any, low: float | None = None) -> float:
    """Check a number; with a minimum, NaN is wrong, too."""
    try:
        checked = float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise TypeError(f"{name} is {value!r}, expected a number") from error
    if low is not None and not checked >= low:
        raise ValueError(f"{name} is {checked}, expected a number from {low} on")
    return checked


def check_ray(origin: Any, direction: Any, t_min: Any, t_max: Any) -> None:
    """Raise an error that names the wrong argument of one ray, if there is one."""
    triple("origin", origin)
    triple("direction", direction)
    number("t_min", t_min)
    number("t_max", t_max)


def check_point(point: Any, max_distance: Any) -> None:
    """Raise an error that names the wrong argument of one point, if there is one."""
    triple("point", point)
    number("max_distance", max_distance)


def limits(name: str, values: Any, n: int) -> npt.NDArray[np.float64]:
    """Return a maximum for all of ``n`` items as an array of one, or one for each as an array."""
    if np.ndim(values) == 0:
        return np.array([number(name, values)])
    array = numbers(name, values)
    if array.shape != (n,):
        raise ValueError(f"{name} has shape {array.shape}, expected a number or ({n},)")
    checked: npt.NDArray[np.float64] = contiguous(name, array, np.float64)
    return checked


def integer(name: str, value: Any, low: int, high: int) -> int:
    """Check an integer of a range."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} is {value!r}, expected an integer")
    if not low <= value <= high:
        raise ValueError(f"{name} is {value}, expected an integer from {low} to {high}")
    return int(value)
