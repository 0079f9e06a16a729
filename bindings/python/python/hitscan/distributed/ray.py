"""Rays on a Ray cluster.

>>> import hitscan.distributed.ray as rays_on_ray    # doctest: +SKIP
>>> hits = rays_on_ray.closest_hits(bvh, rays)       # doctest: +SKIP
>>> hits["t"]                                        # doctest: +SKIP
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import numpy as np
import numpy.typing as npt
import ray as _ray

from .._bvh import Bvh
from .._options import Faces
from . import _parts
from ._parts import HIT, Parts

# The types of Ray's own functions are incomplete.
ray: Any = _ray

__all__ = ["Caster", "Placed", "closest_hits", "count_crossings", "is_occluded", "place"]

#: Rays of a task.
CHUNK = 1 << 18


def closest_hits(
    mesh: Any, rays: Any, *, faces: Faces = "both", threads: int | None = 1, chunk: int = CHUNK
) -> npt.NDArray[Any]:
    """Find what each ray hits first.

    Parameters
    ----------
    mesh : Bvh, Parts, Placed, or a reference to a Bvh
        The tree goes to the object store once, and each worker process reads it once. For many queries, pass
        ``ray.put(bvh)``. Each part is an actor, which builds its tree; :func:`place` keeps the actors.
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
    Ray runs a task again if its worker dies, and starts the actor of a part again. A chunk asks one part
    after the other, those first that a sample of its rays meets first. A ray asks only parts whose boxes it
    meets before its best hit so far.
    """
    answers = _run(mesh, rays, faces, threads, chunk, "closest")
    return np.concatenate([np.zeros(0, HIT), *answers])


@dataclass(frozen=True)
class Placed:
    """Parts of a mesh, each with the actor that holds its tree; made by :func:`place`."""

    parts: Parts
    holders: tuple[Any, ...]


def place(parts: Parts) -> Placed:
    """Start an actor for each part, for several queries.

    The actors end with the last reference to the answer.

    Parameters
    ----------
    parts : Parts
    """
    named = [(part, f"hitscan part {part.number} {uuid4().hex}") for part in parts.parts]
    return Placed(parts, tuple(_holder.options(name=name).remote(part) for part, name in named))


def is_occluded(
    mesh: Any, rays: Any, *, faces: Faces = "both", threads: int | None = 1, chunk: int = CHUNK
) -> npt.NDArray[np.bool_]:
    """Return whether each ray hits anything, (n,) bool; see :func:`closest_hits`."""
    return np.concatenate([np.zeros(0, np.bool_), *_run(mesh, rays, faces, threads, chunk, "any")])


def count_crossings(
    mesh: Any, rays: Any, *, faces: Faces = "both", threads: int | None = 1, chunk: int = CHUNK
) -> npt.NDArray[np.uint32]:
    """Return how often each ray crosses the surface, (n,) uint32; see :func:`closest_hits`."""
    return np.concatenate([np.zeros(0, np.uint32), *_run(mesh, rays, faces, threads, chunk, "count")])


def _run(mesh: Any, rays: Any, faces: str, threads: Any, chunk: int, query: str) -> list[Any]:
    _parts.check(mesh, (ray.ObjectRef, Placed), faces)
    full = _parts.eight_columns(rays)
    if chunk < 1:
        raise ValueError(f"chunk is {chunk}, expected a number of rays from 1 on")
    blocks = [full[first : first + chunk] for first in range(0, len(full), chunk)]
    if not isinstance(mesh, (Parts, Placed)):
        tree = ray.put(mesh) if isinstance(mesh, Bvh) else mesh
        # In a list, the reference itself reaches the worker, which reads the tree once for all chunks.
        return list(ray.get([_whole.remote([tree], block, faces, threads, query) for block in blocks]))
    placed = place(mesh) if isinstance(mesh, Parts) else mesh
    answers = []
    for block in blocks:
        stored, best = ray.put(block), None
        for number in placed.parts.order(block):
            best = placed.holders[number].advance.remote(stored, best, query, faces, threads)
        answers.append(best)
    return list(ray.get(answers))


#: The trees that this worker process has read, by the id of their object, the latest last.
_held: OrderedDict[str, Bvh] = OrderedDict()
_MAX_HELD = 2


def _tree(reference: Any) -> Bvh:
    key = reference.hex()
    if key not in _held:
        while len(_held) >= _MAX_HELD:
            _held.popitem(last=False)
        tree = ray.get(reference)
        if not isinstance(tree, Bvh):
            raise TypeError(f"mesh refers to a {type(tree).__name__}, expected a hitscan.Bvh")
        _held[key] = tree
    _held.move_to_end(key)
    return _held[key]


def _ask(reference: list[Any], rays: Any, faces: Faces, threads: int | None, query: str) -> Any:
    bvh = _tree(reference[0])
    if query == "closest":
        return _parts.whole(bvh, rays, faces, threads)
    ask = bvh.is_occluded if query == "any" else bvh.count_crossings
    return ask(rays, faces=faces, threads=threads)


class _Holder:
    """The worker of a part."""

    def __init__(self, part: _parts.Part) -> None:
        self._built = part.build()
        self._part = part.outline()

    def advance(self, rays: Any, best: Any, query: str, faces: Faces, threads: int | None) -> Any:
        """Return the answers so far with those of the part."""
        n = len(rays)
        options: tuple[Faces, int | None] = (faces, threads)
        if query == "closest":
            so_far = _parts.misses(n) if best is None else best
            return _parts.advance(self._built, self._part, rays, so_far, *options)
        if query == "any":
            so_far = np.zeros(n, np.bool_) if best is None else best
            return _parts.occluded(self._built, self._part, rays, so_far, *options)
        so_far = np.zeros(n, np.uint32) if best is None else best
        return _parts.crossings(self._built, self._part, rays, so_far, *options)


_whole: Any = ray.remote(_ask)

# Ray starts a holder again and repeats its calls if its worker dies.
_holder: Any = ray.remote(max_restarts=-1, max_task_retries=-1)(_Holder)


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
        self._faces: Faces = faces

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        """Return the batch with the columns of its hits."""
        if "rays" not in batch:
            raise ValueError(f"the batch has the columns {sorted(batch)}, expected rays")
        rays = np.stack(list(batch["rays"]))
        hits = self._bvh.closest_hits(rays, faces=self._faces, threads=1)
        return {**batch, "t": hits.t, "triangle": hits.triangle, "uv": hits.uv, "front": hits.front}
