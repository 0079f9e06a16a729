"""Winding of triangles: equal along edges, and outward by rays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .. import _arrays
from .._arrays import ArrayLike
from .._bvh import Bvh
from .._mesh import Mesh
from ._batches import Floats, Progress, batches, cap_directions, offset_of, uniforms

_Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Reorientation:
    """Triangles of which some were turned over.

    Attributes
    ----------
    triangles : (n, 3) uint32
    flipped : (n,) bool
        The triangles whose corners were reversed.
    patch : (n,) int64
        The patch of each triangle: those that edges of two triangles connect.
    """

    triangles: npt.NDArray[np.uint32]
    flipped: npt.NDArray[np.bool_]
    patch: _Ints


def consistent_winding(triangles: ArrayLike) -> Reorientation:
    """Turn triangles over so that neighbours run along their common edge in opposite directions.

    The first triangle of each patch stays. Edges of more than two triangles connect nothing. On a surface
    that has no two sides, such as a Möbius strip, a seam stays. O(n).

    Parameters
    ----------
    triangles : (n, 3) array_like of int
        Corners that are the same point must have the same index.

    Returns
    -------
    Reorientation
    """
    corners = _arrays.indices("triangles", triangles)
    first, second, same = _neighbours(corners.astype(np.int64))
    n = len(corners)
    # Both ways, sorted by triangle.
    source, target = np.concatenate([first, second]), np.concatenate([second, first])
    order = np.argsort(source, kind="stable")
    target, turned = target[order], np.concatenate([same, same])[order]
    starts = np.searchsorted(source[order], np.arange(n + 1))
    patch, flipped = np.full(n, -1, np.int64), np.zeros(n, np.bool_)
    n_patches, seed = 0, 0
    while True:
        while seed < n and patch[seed] >= 0:
            seed += 1
        if seed == n:
            break
        patch[seed] = n_patches
        front = np.array([seed])
        while len(front):
            counts = starts[front + 1] - starts[front]
            edges = np.repeat(starts[front] - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
            reached, flip = target[edges], np.repeat(flipped[front], counts) ^ turned[edges]
            new = patch[reached] < 0
            front, at = np.unique(reached[new], return_index=True)
            patch[front], flipped[front] = n_patches, flip[new][at]
        n_patches += 1
    return _turned(corners, flipped, patch)


def reorient_facets(
    mesh: Mesh,
    *,
    n_rays: int = 32,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress = False,
) -> Reorientation:
    """Turn the patches of a mesh over so that their fronts look outward, closed or not.

    After :func:`consistent_winding`, rays from random points of each patch go into both hemispheres. The side
    whose rays leave the mesh more often is the front; if equal, the side whose rays go farther. That is the
    visibility vote of Takayama, Jacobson, Kavan and Sorkine-Hornung, "A Simple Method for Correcting Facet
    Orientations in Polygon Meshes Based on Ray Casting", 2014. Unlike there, each triangle has rays in
    proportion to its area, and at least one pair.

    Parameters
    ----------
    mesh : Mesh
    n_rays : int
        The mean number of pairs of rays from a triangle.
    seed : int
    threads, progress
        As in :mod:`hitscan.geometry`; progress counts rays.

    Returns
    -------
    Reorientation
    """
    if not isinstance(mesh, Mesh):
        raise TypeError(f"mesh is a {type(mesh).__name__}, expected a hitscan.Mesh")
    per_triangle = _arrays.integer("n_rays", n_rays, 1, 1 << 20)
    wound = consistent_winding(mesh.triangles)
    n = len(wound.triangles)
    if n == 0:
        return wound
    positions = mesh.positions.astype(np.float64)
    a, b, c = positions[wound.triangles].transpose(1, 0, 2)
    cross = np.cross(b - a, c - a)
    area = np.linalg.norm(cross, axis=1)
    normals = np.divide(cross, area[:, None], out=np.zeros_like(cross), where=area[:, None] > 0)
    share = area / area.sum() if area.sum() > 0 else area
    owner = np.repeat(
        np.arange(n), np.where(area > 0, 1 + np.floor(share * n * (per_triangle - 1)), 0).astype(int)
    )
    bvh = Bvh(mesh, threads=threads)
    skipped = offset_of(bvh, positions)
    n_patches = int(wound.patch.max()) + 1
    # The rays that leave, and the lengths of the others, of the front less the back.
    free, length = np.zeros(n_patches), np.zeros(n_patches)
    size = float(np.linalg.norm(positions.max(axis=0) - positions.min(axis=0)))
    for batch in batches(len(owner), 2, progress):
        of = owner[batch.start : batch.stop]
        points = _on_triangles(a[of], b[of], c[of], uniforms(seed, batch, 1, 2)[:, 0])
        ways = cap_directions(normals[of], seed + 2, batch, 1, 90.0)[:, 0]
        for sign in (1.0, -1.0):
            hits = bvh.closest_hits(points + sign * skipped * normals[of], sign * ways, threads=threads)
            t = np.minimum(np.where(hits.hit, hits.t, 0.0), size)
            np.add.at(free, wound.patch[of], sign * ~hits.hit)
            np.add.at(length, wound.patch[of], sign * t)
    inside_out = np.where(free != 0, free < 0, length < 0)
    return _turned(mesh.triangles, wound.flipped ^ inside_out[wound.patch], wound.patch)


def _neighbours(corners: _Ints) -> tuple[_Ints, _Ints, npt.NDArray[np.bool_]]:
    """Return the pairs of triangles at edges of two, and whether both run along it in one direction."""
    n = len(corners)
    start, end = corners.reshape(-1), np.roll(corners, -1, axis=1).reshape(-1)
    low, high = np.minimum(start, end), np.maximum(start, end)
    order = np.lexsort((high, low))
    edge = np.stack([low[order], high[order]])
    begins = np.flatnonzero(
        np.r_[True, (edge[:, 1:] != edge[:, :-1]).any(axis=0)] if n else np.zeros(0, bool)
    )
    pairs = begins[np.diff(np.r_[begins, 3 * n]) == 2]
    one, two = order[pairs], order[pairs + 1]
    keep = (one // 3 != two // 3) & (low[one] != high[one])
    one, two = one[keep], two[keep]
    return one // 3, two // 3, start[one] == start[two]


def _turned(corners: npt.NDArray[np.uint32], flipped: npt.NDArray[np.bool_], patch: _Ints) -> Reorientation:
    triangles = np.where(flipped[:, None], corners[:, [0, 2, 1]], corners)
    return Reorientation(triangles, flipped, patch)


def _on_triangles(a: Floats, b: Floats, c: Floats, numbers: Floats) -> Floats:
    """Return points with equal density on triangles (Turk, "Generating Random Points in Triangles", 1990)."""
    root, second = np.sqrt(numbers[:, :1]), numbers[:, 1:]
    return (1 - root) * a + root * (1 - second) * b + root * second * c
