"""Closest hits for PyTorch, with gradients by rays and vertices.

>>> import hitscan.torch                                                   # doctest: +SKIP
>>> hits = hitscan.torch.closest_hits(vertices, triangles, origins, directions)    # doctest: +SKIP
>>> hits.t[hits.hit].sum().backward()                                      # doctest: +SKIP

hitscan finds the triangle of each ray. torch then computes ``t``, ``u`` and ``v`` of that triangle in the
dtype of the tensors. So gradients of any order exist. They hold the triangle fixed: the jump of ``t`` at a
silhouette has no gradient.
"""

# torch may be absent, and its types unknown.
# Without it, pyright takes this module for the package of its name.
# pyright: reportUnknownParameterType=false, reportAttributeAccessIssue=false

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from ._bvh import Bvh
from ._gradients import hit_numbers
from ._hits import INVALID
from ._mesh import Mesh
from ._options import Faces

__all__ = ["HitTensors", "closest_hits", "tree"]


@dataclass(frozen=True, eq=False)
class HitTensors:
    """The closest hit of each of n rays, as tensors.

    Attributes
    ----------
    t : (n,)
        The position on the ray, in units of its direction; inf for a miss.
    uv : (n, 2)
        The weights of the triangle's second and third corner; 0 for a miss.
    points : (n, 3)
        The points on the triangles; NaN for a miss.
    normals : (n, 3)
        The unit normals of the triangles; NaN for a miss and for a triangle without area.
    triangle : (n,) int64
        The index of the triangle; -1 for a miss.
    hit : (n,) bool
    """

    t: torch.Tensor
    uv: torch.Tensor
    points: torch.Tensor
    normals: torch.Tensor
    triangle: torch.Tensor
    hit: torch.Tensor


def tree(vertices: torch.Tensor, triangles: torch.Tensor) -> Bvh:
    """Return a tree of tensors, to be passed to :func:`closest_hits` more than once.

    Parameters
    ----------
    vertices : (v, 3) tensor of float32 or float64
    triangles : (m, 3) tensor of integers
    """
    return Bvh(Mesh(vertices, triangles))


def closest_hits(
    vertices: torch.Tensor,
    triangles: torch.Tensor,
    origins: torch.Tensor,
    directions: torch.Tensor,
    *,
    bvh: Bvh | None = None,
    t_min: float = 0.0,
    t_max: float = float("inf"),
    faces: Faces = "both",
    threads: int | None = None,
) -> HitTensors:
    """Find what each ray hits first, with gradients by ``vertices``, ``origins`` and ``directions``.

    Contiguous tensors in main memory are not copied. Misses have no gradient.

    Parameters
    ----------
    vertices : (v, 3) tensor of float32 or float64
    triangles : (m, 3) tensor of integers
    origins, directions : (n, 3) tensors of the dtype of ``vertices``
    bvh : hitscan.Bvh, optional
        The tree of these triangles, by :func:`tree`; without, one is built. After the vertices have moved,
        call ``bvh.refit(vertices)``.
    t_min, t_max : float
        The closed interval of ``t``.
    faces : {"both", "front", "back"}
        The sides of triangles that count.
    threads : int, optional

    Returns
    -------
    HitTensors

    Raises
    ------
    TypeError
        Something else than a tensor, or tensors of different or other dtypes.
    ValueError
        A tensor of another shape or device, or a tree of another number of triangles.
    """
    _check(vertices, triangles, origins, directions)
    if bvh is None:
        bvh = tree(vertices, triangles)
    if len(bvh) != len(triangles):
        raise ValueError(f"bvh has {len(bvh)} triangles, expected {len(triangles)} as triangles")
    found = bvh.closest_hits(origins, directions, t_min=t_min, t_max=t_max, faces=faces, threads=threads)
    triangle = torch.from_numpy(np.where(found.triangle == INVALID, -1, found.triangle.astype(np.int64)))
    hit = triangle >= 0
    (at,) = torch.nonzero(hit, as_tuple=True)
    dtype = vertices.dtype
    known_t, known_uv = (torch.from_numpy(array)[at].to(dtype) for array in (found.t, found.uv))
    corners = vertices[triangles[triangle[at]].long()].unbind(1)
    known = known_t, known_uv[:, 0], known_uv[:, 1]
    t, uv, points, normals = hit_numbers(torch, corners, origins[at], directions[at], known)
    n = len(origins)
    return HitTensors(
        torch.full((n,), float("inf"), dtype=dtype).index_put((at,), t),
        torch.zeros((n, 2), dtype=dtype).index_put((at,), uv),
        torch.full((n, 3), float("nan"), dtype=dtype).index_put((at,), points),
        torch.full((n, 3), float("nan"), dtype=dtype).index_put((at,), normals),
        triangle,
        hit,
    )


def _check(vertices: Any, triangles: Any, origins: Any, directions: Any) -> None:
    """Check classes, shapes, devices and dtypes."""
    named = {"vertices": vertices, "triangles": triangles, "origins": origins, "directions": directions}
    for name, tensor in named.items():
        if not isinstance(tensor, torch.Tensor):
            raise TypeError(f"{name} is a {type(tensor).__name__}, expected a torch.Tensor")
        if tensor.device.type != "cpu":
            raise ValueError(f"{name} is on {tensor.device}, expected a tensor in main memory; call .cpu()")
        if tensor.ndim != 2 or tensor.shape[1] != 3:
            raise ValueError(f"{name} has shape {tuple(tensor.shape)}, expected (n, 3)")
    if triangles.is_floating_point() or triangles.is_complex() or triangles.dtype == torch.bool:
        raise TypeError(f"triangles has dtype {triangles.dtype}, expected integers")
    if vertices.dtype not in (torch.float32, torch.float64):
        raise TypeError(f"vertices has dtype {vertices.dtype}, expected torch.float32 or torch.float64")
    for name in ("origins", "directions"):
        if named[name].dtype != vertices.dtype:
            raise TypeError(f"{name} has dtype {named[name].dtype}, expected {vertices.dtype} as vertices")
    if len(origins) != len(directions):
        shape = tuple(directions.shape)
        raise ValueError(f"directions has shape {shape}, expected {tuple(origins.shape)} as origins")
