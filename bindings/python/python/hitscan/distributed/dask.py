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
from typing import Any

import dask
import dask.array as da
import numpy as np

from .._bvh import Bvh, Faces
from . import _parts
from ._parts import HIT, Parts

__all__ = ["any_hits", "closest_hits", "count_crossings"]


def closest_hits(mesh: Bvh | Parts, rays: Any, *, faces: Faces = "both", threads: int | None = 1) -> Any:
    """Find what each ray hits first.

    Parameters
    ----------
    mesh : Bvh or Parts
        Each worker gets the tree, or its parts, once.
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
    Dask computes a chunk again if its worker dies. Parts follow one another, those first that the rays of
    the first chunk meet first; a ray asks only parts whose boxes it meets before its best hit so far.
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


def any_hits(mesh: Bvh | Parts, rays: Any, *, faces: Faces = "both", threads: int | None = 1) -> Any:
    """Return whether each ray hits anything, a Dask array (n,) bool; see :func:`closest_hits`."""
    return _map(
        mesh,
        rays,
        np.dtype(np.bool_),
        lambda bvh, block: bvh.any_hits(block, faces=faces, threads=threads),
        lambda n: np.zeros(n, np.bool_),
        lambda built, part, block, hit: _parts.occluded(built, part, block, hit, faces, threads),
        faces,
    )


def count_crossings(mesh: Bvh | Parts, rays: Any, *, faces: Faces = "both", threads: int | None = 1) -> Any:
    """Return how often each ray crosses the surface, a Dask array (n,) uint32."""
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
    mesh: Bvh | Parts,
    rays: Any,
    dtype: np.dtype[Any],
    of_whole: Callable[[Bvh, Any], Any],
    first: Callable[[int], Any],
    of_part: Callable[[Any, Any, Any, Any], Any],
    faces: str,
) -> Any:
    _parts.check(mesh, faces)
    array = rays if isinstance(rays, da.Array) else da.from_array(np.asarray(rays), chunks=(1 << 18, -1))
    _parts.check_shape(array.shape)
    if array.numblocks[1] != 1:
        array = array.rechunk({1: -1})
    blocks = [row[0] for row in array.to_delayed()]
    if isinstance(mesh, Bvh):
        tree = dask.delayed(mesh, pure=False)
        task = dask.delayed(of_whole, pure=False)
        answers = [task(tree, block) for block in blocks]
    else:
        steps = mesh.parts if isinstance(rays, da.Array) else _sorted(mesh, rays)
        built = [dask.delayed(_build, pure=False)(part) for part in steps]
        start = dask.delayed(lambda block: first(len(block)), pure=False)
        task = dask.delayed(of_part, pure=False)
        answers = []
        for block in blocks:
            best = start(block)
            for part, tree in zip(steps, built, strict=True):
                best = task(tree, _outline(part), block, best)
            answers.append(best)
    sizes = array.chunks[0]
    arrays = [
        da.from_delayed(answer, shape=(n,), dtype=dtype) for answer, n in zip(answers, sizes, strict=True)
    ]
    return da.concatenate(arrays) if arrays else da.zeros(0, dtype=dtype)


def _build(part: _parts.Part) -> Any:
    return part.build()


def _sorted(mesh: Parts, rays: Any) -> list[_parts.Part]:
    sample = _parts.eight_columns(np.asarray(rays)[:: max(1, len(rays) // 1024)])
    return [mesh.parts[number] for number in mesh.order(sample)]


def _outline(part: _parts.Part) -> _parts.Part:
    """Return a part without its triangles, which stay on the worker that built the tree."""
    return _parts.Part(part.number, part.bounds, None, None, None, part.path)
