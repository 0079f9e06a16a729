"""Rays in Dask arrays.

>>> import dask.array as da
>>> import numpy as np
>>> import hitscan
>>> from hitscan.distributed.dask import closest_hits
>>> bvh = hitscan.Bvh(hitscan.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))
>>> rays = da.from_array(np.float32([[0.2, 0.2, 1, 0, 0, -1]] * 4), chunks=(2, 6))
>>> closest_hits(bvh, rays)["t"].compute().tolist()
[1.0, 1.0, 1.0, 1.0]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import dask.array
import numpy as np
from dask.base import persist as _persist
from dask.delayed import Delayed
from dask.delayed import delayed as _delayed
from distributed import Future

from .._bvh import Bvh
from .._options import Faces
from . import _parts
from ._parts import HIT, Parts

# The types of Dask's own functions are incomplete.
da: Any = dask.array
delayed: Any = _delayed
persist: Any = _persist

__all__ = ["Placed", "closest_hits", "count_crossings", "is_occluded", "place"]

#: Rays of a chunk, if they are no Dask array.
CHUNK = 1 << 18


def closest_hits(mesh: Any, rays: Any, *, faces: Faces = "both", threads: int | None = 1) -> Any:
    """Find what each ray hits first.

    Parameters
    ----------
    mesh : Bvh, Parts, Placed, or a Bvh that Dask holds
        Each worker gets the tree once. For many queries, place it first, with ``client.scatter(bvh)`` or
        ``dask.delayed(bvh).persist()``. Each part is built on one worker and stays there for the query;
        :func:`place` keeps it for several.
    rays : dask.array.Array or array_like (n, 6) or (n, 8)
        In chunks of whole rows.
    faces : {"both", "front", "back"}
    threads : int, optional
        The threads of a task; Dask runs one task per core itself.

    Returns
    -------
    dask.array.Array
        (n,) of the dtype ``hitscan.distributed.HIT``; ``answer["t"]`` is one of its fields.

    Notes
    -----
    Dask computes a chunk or a part again if its worker dies. A chunk asks one part after the other, those
    first that a sample of its rays meets first. If the rays are a Dask array, the sample is that of the
    first chunk, which is computed for it. A ray asks only parts whose boxes it meets before its best hit so
    far. The tasks of part ``n`` have names that start with ``hitscan-part-n``, so that Dask's errors name
    the part.
    """
    return _map(
        mesh,
        rays,
        HIT,
        lambda bvh, block: _parts.whole(bvh, block, faces, threads),
        _parts.misses,
        lambda built, part, block, best: _parts.advance(built, part, block, best, faces, threads),
        faces,
    )


@dataclass(frozen=True)
class Placed:
    """Parts of a mesh, each with its tree on a worker; made by :func:`place`."""

    parts: Parts
    trees: tuple[Any, ...]


def place(parts: Parts) -> Placed:
    """Build the tree of each part on a worker, for several queries.

    The workers drop the trees with the last reference to the answer. Without a cluster, this process holds
    them.

    Parameters
    ----------
    parts : Parts
    """
    return Placed(parts, tuple(persist(*_builds(parts))))


def is_occluded(mesh: Any, rays: Any, *, faces: Faces = "both", threads: int | None = 1) -> Any:
    """Return whether each ray hits anything, a Dask array (n,) bool; see :func:`closest_hits`."""
    return _map(
        mesh,
        rays,
        np.dtype(np.bool_),
        lambda bvh, block: bvh.is_occluded(block, faces=faces, threads=threads),
        lambda n: np.zeros(n, np.bool_),
        lambda built, part, block, hit: _parts.occluded(built, part, block, hit, faces, threads),
        faces,
    )


def count_crossings(mesh: Any, rays: Any, *, faces: Faces = "both", threads: int | None = 1) -> Any:
    """Return how often each ray crosses the surface, a Dask array (n,) uint32; see :func:`closest_hits`."""
    return _map(
        mesh,
        rays,
        np.dtype(np.uint32),
        lambda bvh, block: bvh.count_crossings(block, faces=faces, threads=threads),
        lambda n: np.zeros(n, np.uint32),
        lambda built, part, block, count: _parts.crossings(built, part, block, count, faces, threads),
        faces,
    )


def _map(
    mesh: Any,
    rays: Any,
    dtype: np.dtype[Any],
    of_whole: Callable[[Bvh, Any], Any],
    first: Callable[[int], Any],
    of_part: Callable[[Any, Any, Any, Any], Any],
    faces: str,
) -> Any:
    _parts.check(mesh, (Delayed, Future, Placed), faces)
    in_memory = None if isinstance(rays, da.Array) else _parts.eight_columns(rays)
    array = rays if in_memory is None else da.from_array(in_memory, chunks=(CHUNK, -1))
    _parts.check_shape(array.shape)
    if array.numblocks[1] != 1:
        array = array.rechunk({1: -1})
    blocks = [row[0] for row in array.to_delayed()]
    if isinstance(mesh, (Parts, Placed)):
        samples = [_sample(array)] * len(blocks) if in_memory is None else _chunks(in_memory)
        answers = _through_parts(mesh, blocks, samples, first, of_part)
    else:
        tree = delayed(mesh, pure=False) if isinstance(mesh, Bvh) else mesh
        task = delayed(of_whole, pure=False)
        answers = [task(tree, block) for block in blocks]
    sizes = array.chunks[0]
    arrays = [
        da.from_delayed(answer, shape=(n,), dtype=dtype) for answer, n in zip(answers, sizes, strict=True)
    ]
    return da.concatenate(arrays) if arrays else da.zeros(0, dtype=dtype)


def _through_parts(
    mesh: Parts | Placed,
    blocks: list[Any],
    samples: list[Any],
    first: Callable[[int], Any],
    of_part: Callable[[Any, Any, Any, Any], Any],
) -> list[Any]:
    """Return the answer of each block, which goes from part to part."""
    task = delayed(of_part, pure=False)
    parts, built = (mesh.parts, mesh.trees) if isinstance(mesh, Placed) else (mesh, _builds(mesh))

    def begin(block: Any) -> Any:
        return first(len(block))

    start = delayed(begin, pure=False)
    query, answers = uuid4().hex, []
    for chunk, (block, sample) in enumerate(zip(blocks, samples, strict=True)):
        best = start(block)
        for number in parts.order(sample):
            name = f"hitscan-part-{number}-{query}-chunk-{chunk}"
            best = task(built[number], parts.parts[number].outline(), block, best, dask_key_name=name)
        answers.append(best)
    return answers


def _builds(parts: Parts) -> list[Any]:
    """Return a task for the tree of each part."""
    build = delayed(_build, pure=False)
    names = [f"hitscan-part-{part.number}-{uuid4().hex}" for part in parts.parts]
    return [build(part, dask_key_name=name) for part, name in zip(parts.parts, names, strict=True)]


def _build(part: _parts.Part) -> Any:
    return part.build()


def _chunks(rays: Any) -> list[Any]:
    return [rays[first : first + CHUNK] for first in range(0, len(rays), CHUNK)]


def _sample(array: Any) -> Any:
    rows = array.blocks[0] if array.numblocks[0] else array
    step = max(1, len(rows) // _parts.SAMPLE) if np.isfinite(len(rows)) else 1
    return _parts.eight_columns(rows[::step].compute())
