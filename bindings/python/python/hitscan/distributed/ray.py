"""Rays on a Ray cluster.

>>> import hitscan.distributed.ray as rays_on_ray    # doctest: +SKIP
>>> hits = rays_on_ray.closest_hits(bvh, rays)       # doctest: +SKIP
>>> hits["t"]                                        # doctest: +SKIP
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import ray

from .._bvh import Bvh, Faces
from . import _parts
from ._parts import HIT, Parts

__all__ = ["Caster", "any_hits", "closest_hits", "count_crossings"]

#: Rays of a task.
CHUNK = 1 << 18


def closest_hits(
    mesh: Bvh | Parts, rays: Any, *, faces: Faces = "both", threads: int | None = 1, chunk: int = CHUNK
) -> npt.NDArray[Any]:
    """Find what each ray hits first.

    Parameters
    ----------
    mesh : Bvh or Parts
        Goes to the object store once.
    rays : (n, 6) or (n, 8) array_like
    faces : {"both", "front", "back"}
    threads : int, optional
        The threads of a task; Ray runs one task per core itself.
    chunk : int
        The number of rays of a task.

    Returns
    -------
    (n,) array of the dtype ``hitscan.distributed.HIT``

    Notes
    -----
    Ray runs a task again if its worker dies. Each chunk asks the parts that its rays meet first, first.
    """
    answers = _run(mesh, rays, faces, threads, chunk, "closest")
    return np.concatenate([np.zeros(0, HIT), *answers])


def any_hits(
    mesh: Bvh | Parts, rays: Any, *, faces: Faces = "both", threads: int | None = 1, chunk: int = CHUNK
) -> npt.NDArray[np.bool_]:
    """Return whether each ray hits anything, (n,) bool; see :func:`closest_hits`."""
    return np.concatenate([np.zeros(0, np.bool_), *_run(mesh, rays, faces, threads, chunk, "any")])


def count_crossings(
    mesh: Bvh | Parts, rays: Any, *, faces: Faces = "both", threads: int | None = 1, chunk: int = CHUNK
) -> npt.NDArray[np.uint32]:
    """Return how often each ray crosses the surface, (n,) uint32; see :func:`closest_hits`."""
    return np.concatenate([np.zeros(0, np.uint32), *_run(mesh, rays, faces, threads, chunk, "count")])


def _run(mesh: Any, rays: Any, faces: str, threads: Any, chunk: int, query: str) -> list[Any]:
    _parts.check(mesh, faces)
    array = np.asarray(rays)
    _parts.check_shape(array.shape)
    if chunk < 1:
        raise ValueError(f"chunk is {chunk}, expected a number of rays from 1 on")
    full = _parts.eight_columns(array)
    blocks = [full[first : first + chunk] for first in range(0, len(full), chunk)]
    if isinstance(mesh, Bvh):
        tree = ray.put(mesh)
        return list(ray.get([_whole.remote(tree, block, faces, threads, query) for block in blocks]))
    trees = [_build.remote(part) for part in mesh.parts]
    answers = []
    for block in blocks:
        stored, best = ray.put(block), None
        for number in mesh.order(block[:: max(1, len(block) // 1024)]):
            part = mesh.parts[number]
            outline = _parts.Part(part.number, part.bounds, None, None, None, part.path)
            best = _part.remote(trees[number], outline, stored, best, faces, threads, query)
        answers.append(best)
    return list(ray.get(answers))


@ray.remote  # type: ignore[untyped-decorator]
def _build(part: _parts.Part) -> Any:
    return part.build()


@ray.remote  # type: ignore[untyped-decorator]
def _whole(bvh: Bvh, rays: Any, faces: Faces, threads: int | None, query: str) -> Any:
    if query == "closest":
        return _parts.whole(bvh, rays, faces, threads)
    ask = bvh.any_hits if query == "any" else bvh.count_crossings
    return ask(rays, faces=faces, threads=threads)


@ray.remote  # type: ignore[untyped-decorator]
def _part(
    built: Any, part: _parts.Part, rays: Any, best: Any, faces: Faces, threads: int | None, query: str
) -> Any:
    n = len(rays)
    if query == "closest":
        so_far = _parts.misses(n) if best is None else best
        return _parts.advance(built, part, rays, so_far, faces, threads)
    if query == "any":
        hit = np.zeros(n, np.bool_) if best is None else best
        return _parts.occluded(built, part, rays, hit, faces, threads)
    count = np.zeros(n, np.uint32) if best is None else best
    return _parts.crossings(built, part, rays, count, faces, threads)


class Caster:
    """Adds the closest hits to the batches of a Ray Data set.

    ``dataset.map_batches(Caster, fn_constructor_args=[ray.put(bvh)], concurrency=3)``

    A batch has the column ``rays``, (n, 6) or (n, 8). The result has ``t``, ``triangle``, ``uv`` and
    ``front`` beside it.

    Parameters
    ----------
    bvh : Bvh, or a reference to one in the object store
    faces : {"both", "front", "back"}
    """

    def __init__(self, bvh: Any, faces: Faces = "both") -> None:
        self._bvh: Bvh = ray.get(bvh) if isinstance(bvh, ray.ObjectRef) else bvh
        self._faces = faces

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        """Return the batch with the columns of its hits."""
        if "rays" not in batch:
            raise ValueError(f"the batch has the columns {sorted(batch)}, expected rays")
        rays = np.stack(list(batch["rays"]))
        hits = self._bvh.closest_hits(rays, faces=self._faces, threads=1)
        return {**batch, "t": hits.t, "triangle": hits.triangle, "uv": hits.uv, "front": hits.front}
