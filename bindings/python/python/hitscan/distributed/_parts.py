"""Meshes in parts, and rays against one part after the other."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _arrays
from .._bvh import Bvh
from .._hits import INVALID
from .._mesh import Mesh
from .._options import Faces

#: The rays from which an order of the parts is found.
SAMPLE = 1024

#: The closest hit of a ray, as an element of an array: the fields of :class:`hitscan.Hits`.
HIT = np.dtype([("t", np.float32), ("triangle", np.uint32), ("uv", np.float32, (2,)), ("front", np.bool_)])


@dataclass(frozen=True)
class Part:
    """Some triangles of a mesh, as their own mesh.

    Attributes
    ----------
    number : int
        The place among the parts.
    bounds : (2, 3) float32
    ids : (n,) uint32
        The indices of the triangles in the whole mesh, ascending.
    positions : (v, 3) float32, or None if the part is in files
    triangles : (n, 3) uint32, or None if the part is in files
    path : str or None
        The cache file of the tree; the ids are beside it.
    """

    number: int
    bounds: npt.NDArray[np.float32]
    ids: npt.NDArray[np.uint32] | None
    positions: npt.NDArray[np.float32] | None
    triangles: npt.NDArray[np.uint32] | None
    path: str | None

    def build(self) -> tuple[Bvh, npt.NDArray[np.uint32]]:
        """Build or load the tree of the part.

        Raises
        ------
        MemoryError
            The part does not fit; the message names it.
        OSError, ValueError
            A file of the part that is missing or damaged.
        """
        try:
            if self.path is None:
                assert self.ids is not None
                return Bvh(Mesh(self.positions, self.triangles)), self.ids
            bvh, ids = Bvh.load(self.path), np.load(self.path + ".npy", allow_pickle=False)
        except MemoryError as error:
            size = os.path.getsize(self.path) if self.path else 0
            where = f" ({self.path}, {size} bytes)" if self.path else ""
            raise MemoryError(
                f"part {self.number}{where} does not fit into the worker's memory: {error}; cut the mesh "
                "into more parts"
            ) from error
        if len(ids) != len(bvh) or ids.dtype != np.uint32:
            raise ValueError(
                f"{self.path}.npy has {len(ids)} numbers of {ids.dtype}, expected {len(bvh)} of uint32; "
                "split the mesh again"
            )
        return bvh, ids

    def outline(self) -> Part:
        """Return the part without its triangles, which stay with the tree."""
        return Part(self.number, self.bounds, None, None, None, self.path)


@dataclass(frozen=True)
class Parts:
    """A mesh in parts; made by :func:`split`."""

    parts: tuple[Part, ...]
    n_triangles: int

    def __len__(self) -> int:
        """Return the number of parts."""
        return len(self.parts)

    def order(self, rays: npt.NDArray[np.float32]) -> list[int]:
        """Return the numbers of the parts, those first that a sample of the rays meets first."""
        rays = rays[:: max(1, len(rays) // SAMPLE)]
        enters = [entering(part.bounds, rays) for part in self.parts]
        means = [np.where(np.isfinite(enter), enter, 1e30).mean() if len(enter) else 0 for enter in enters]
        return [int(number) for number in np.argsort(means, kind="stable")]


def split(mesh: Mesh, n: int, folder: str | os.PathLike[str] | None = None) -> Parts:
    """Cut a mesh into parts of equal size along a Morton curve.

    Parameters
    ----------
    mesh : Mesh
    n : int
        The number of parts; fewer if there are fewer triangles.
    folder : path, optional
        Builds the tree of each part, and writes it to this folder, which every worker must reach. Workers
        then load their parts from there. Without it, parts travel with the tasks.

    Raises
    ------
    ValueError
        ``n`` is not positive, or the mesh has an ``offset``.
    OSError
        A folder that cannot be written.
    """
    _check_offset(mesh)
    if n < 1:
        raise ValueError(f"n is {n}, expected a number of parts from 1 on")
    positions, triangles = mesh.positions, mesh.triangles
    order = np.argsort(_morton(positions, triangles), kind="stable")
    made: list[Part] = []
    for piece in np.array_split(order, max(1, min(n, len(order)))):
        ids = np.sort(piece).astype(np.uint32)
        used, local = np.unique(triangles[ids], return_inverse=True)
        own = positions[used]
        corners = local.reshape(-1, 3).astype(np.uint32)
        number = len(made)
        low = own.min(axis=0) if len(own) else np.full(3, np.inf, np.float32)
        high = own.max(axis=0) if len(own) else np.full(3, -np.inf, np.float32)
        bounds = np.stack([low, high])
        if folder is None:
            made.append(Part(number, bounds, ids, own, corners, None))
            continue
        path = os.path.join(os.fspath(folder), f"part-{number:04}.hitscan")
        Bvh(Mesh(own, corners)).save(path)
        np.save(path + ".npy", ids)
        made.append(Part(number, bounds, None, None, None, path))
    return Parts(tuple(made), len(triangles))


def _morton(positions: Any, triangles: Any) -> npt.NDArray[np.uint64]:
    """Return the place of each triangle's middle along the curve, from 30 bits."""
    if len(triangles) == 0:
        return np.zeros(0, np.uint64)
    middles = positions[triangles].mean(axis=1, dtype=np.float64)
    low, high = middles.min(axis=0), middles.max(axis=0)
    cells = ((middles - low) / np.maximum(high - low, 1e-300) * 1023).astype(np.uint64)
    for shift, mask in ((16, 0x030000FF), (8, 0x0300F00F), (4, 0x030C30C3), (2, 0x09249249)):
        cells = (cells | (cells << np.uint64(shift))) & np.uint64(mask)
    codes: npt.NDArray[np.uint64] = (
        cells[:, 0] | (cells[:, 1] << np.uint64(1)) | (cells[:, 2] << np.uint64(2))
    )
    return codes


def eight_columns(rays: Any) -> npt.NDArray[np.float32]:
    """Return rays as (n, 8) float32: origins, directions, ``t_min``, ``t_max``."""
    array = _arrays.rows("rays", rays, (6, 8), np.float32)
    if array.shape[1] == 8:
        return array  # type: ignore[no-any-return]
    full = np.empty((len(array), 8), np.float32)
    full[:, :6], full[:, 6], full[:, 7] = array, 0, np.inf
    return full


def entering(bounds: Any, rays: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """Return a lower bound on the ``t`` at which each ray enters a box; inf for rays that miss it."""
    origins, directions = rays[:, :3].astype(np.float64), rays[:, 3:6].astype(np.float64)
    low, high = bounds.astype(np.float64)
    # A hit lies within some units in the last place of its triangle.
    far = np.abs(origins).max(axis=1, initial=0) + np.abs(bounds).max(initial=0)
    pad = (2.0**-18 * far)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        a, b = (low - pad - origins) / directions, (high + pad - origins) / directions
        # 0 / 0: the ray runs in a side of the box.
        near = np.nan_to_num(np.minimum(a, b), nan=-np.inf, posinf=np.inf, neginf=-np.inf).max(axis=1)
        exit = np.nan_to_num(np.maximum(a, b), nan=np.inf, posinf=np.inf, neginf=-np.inf).min(axis=1)
        enter = near - 2.0**-18 * np.where(np.isfinite(near), np.abs(near), 0)
        leave = exit + 2.0**-18 * np.where(np.isfinite(exit), np.abs(exit), 0)
    return np.where((leave < enter) | (leave < rays[:, 6]), np.inf, enter)


def misses(n: int) -> npt.NDArray[Any]:
    """Return ``n`` rays that have hit nothing so far."""
    best = np.zeros(n, HIT)
    best["t"], best["triangle"] = np.inf, INVALID
    return best


def whole(bvh: Bvh, rays: Any, faces: Faces, threads: int | None) -> npt.NDArray[Any]:
    """Return the closest hits of rays on a whole mesh, as an array of ``HIT``."""
    _check_offset(bvh)
    hits = bvh.closest_hits(rays, faces=faces, threads=threads)
    best = np.empty(len(hits), HIT)
    best["t"], best["triangle"], best["uv"], best["front"] = hits.t, hits.triangle, hits.uv, hits.front
    return best


def advance(
    built: tuple[Bvh, Any], part: Part, rays: Any, best: Any, faces: Faces, threads: int | None
) -> npt.NDArray[Any]:
    """Return the better of ``best`` and the closest hits on a part, by ``(t, triangle)``."""
    bvh, ids = built
    full = eight_columns(rays)
    asked = np.flatnonzero(entering(part.bounds, full) <= np.minimum(full[:, 7], best["t"]))
    some = full[asked]
    some[:, 7] = np.minimum(some[:, 7], best["t"][asked])
    hits = bvh.closest_hits(some, faces=faces, threads=threads)
    triangle = np.full(len(some), INVALID, np.uint32)
    triangle[hits.hit] = ids[hits.triangle[hits.hit]]
    old = best[asked]
    better = hits.hit & ((hits.t < old["t"]) | (triangle < old["triangle"]))
    best = best.copy()
    places = asked[better]
    best["t"][places], best["triangle"][places] = hits.t[better], triangle[better]
    best["uv"][places], best["front"][places] = hits.uv[better], hits.front[better]
    return best  # type: ignore[no-any-return]


def occluded(
    built: tuple[Bvh, Any], part: Part, rays: Any, hit: Any, faces: Faces, threads: int | None
) -> npt.NDArray[np.bool_]:
    """Return ``hit``, with the rays that a part stops."""
    full = eight_columns(rays)
    asked = np.flatnonzero(~hit & (entering(part.bounds, full) <= full[:, 7]))
    found = hit.copy()
    found[asked] = built[0].is_occluded(full[asked], faces=faces, threads=threads)
    return found  # type: ignore[no-any-return]


def crossings(
    built: tuple[Bvh, Any], part: Part, rays: Any, count: Any, faces: Faces, threads: int | None
) -> npt.NDArray[np.uint32]:
    """Return ``count`` plus the crossings of a part."""
    full = eight_columns(rays)
    asked = np.flatnonzero(entering(part.bounds, full) <= full[:, 7])
    total = count.copy()
    total[asked] += built[0].count_crossings(full[asked], faces=faces, threads=threads)
    return total  # type: ignore[no-any-return]


def check(mesh: Any, held: tuple[type, ...], faces: str) -> None:
    """Check the arguments that tasks would only report from a worker.

    ``held`` are the types of a tree that the engine holds already.
    """
    if not isinstance(mesh, (Bvh, Parts, *held)):
        names = ", ".join(one.__name__ for one in held)
        raise TypeError(f"mesh is a {type(mesh).__name__}, expected a hitscan.Bvh, Parts or {names}")
    if isinstance(mesh, Bvh):
        _check_offset(mesh)
    if faces not in ("both", "front", "back"):
        raise ValueError(f"faces is {faces!r}, expected 'both', 'front' or 'back'")


def _check_offset(mesh: Mesh | Bvh) -> None:
    """Refuse a mesh far from the origin, because rays are float32 here."""
    if mesh.offset.any():
        raise ValueError(
            f"the mesh has the offset {mesh.offset.tolist()}, expected none, because rays are float32 here; "
            "move the positions near the origin"
        )


def check_shape(shape: Sequence[Any]) -> None:
    """Check the shape of rays."""
    if len(shape) != 2 or shape[1] not in (6, 8):
        raise ValueError(f"rays have shape {tuple(shape)}, expected (n, 6) or (n, 8)")
