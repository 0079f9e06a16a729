"""Closest hits for JAX, with gradients by rays and vertices, under ``jit``, ``grad`` and ``vmap``.

>>> import hitscan.jax                                                     # doctest: +SKIP
>>> def loss(vertices):                                                    # doctest: +SKIP
...     hits = hitscan.jax.closest_hits(vertices, triangles, origins, directions)
...     return jax.numpy.where(hits.hit, hits.t, 0).sum()
>>> jax.jit(jax.grad(loss))(vertices)                                      # doctest: +SKIP

hitscan finds the triangle of each ray, on the processor, by ``jax.pure_callback``. JAX then computes ``t``,
``u`` and ``v`` of that triangle in the dtype of the arrays. So gradients of any order exist, forward and
backward. They hold the triangle fixed: the jump of ``t`` at a silhouette has no gradient.
"""

# jax may be absent. Without it, pyright takes this module for the package of its name.
# pyright: reportUnknownParameterType=false, reportAttributeAccessIssue=false

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from ._bvh import Bvh
from ._gradients import hit_numbers
from ._hits import INVALID
from ._mesh import Mesh
from ._options import Faces

__all__ = ["HitArrays", "closest_hits"]


class HitArrays(NamedTuple):
    """The closest hit of each of n rays, as arrays of JAX.

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
    triangle : (n,) int32
        The index of the triangle; -1 for a miss.
    hit : (n,) bool
    """

    t: jax.Array
    uv: jax.Array
    points: jax.Array
    normals: jax.Array
    triangle: jax.Array
    hit: jax.Array


def closest_hits(
    vertices: jax.Array,
    triangles: jax.Array,
    origins: jax.Array,
    directions: jax.Array,
    *,
    bvh: Bvh | None = None,
    t_min: float = 0.0,
    t_max: float = float("inf"),
    faces: Faces = "both",
    threads: int | None = None,
) -> HitArrays:
    """Find what each ray hits first, with gradients by ``vertices``, ``origins`` and ``directions``.

    Misses have no gradient. ``vmap`` casts the rays of one row after the other, so one call with many rays is
    faster.

    Parameters
    ----------
    vertices : (v, 3) array of float32 or float64
        float64 needs ``jax.config.update("jax_enable_x64", True)``.
    triangles : (m, 3) array of integers
    origins, directions : (n, 3) arrays of the dtype of ``vertices``
    bvh : hitscan.Bvh, optional
        The tree of these triangles; without, each call builds one. A compiled function keeps the tree of its
        first call, and answers by its positions as they are at each call: after the vertices have moved,
        call ``bvh.refit(vertices)``.
    t_min, t_max : float
        The closed interval of ``t``.
    faces : {"both", "front", "back"}
        The sides of triangles that count.
    threads : int, optional

    Returns
    -------
    HitArrays

    Raises
    ------
    TypeError
        Arrays of different or other dtypes.
    ValueError
        An array of another shape, or a tree of another number of triangles.

    Notes
    -----
    Numbers are checked when the compiled function runs. JAX then raises its own error with the message, for
    example of an index beyond the vertices.
    """
    named = {"vertices": vertices, "triangles": triangles, "origins": origins, "directions": directions}
    arrays = {name: _checked(name, values) for name, values in named.items()}
    _check(arrays, bvh)
    vertices, triangles, origins, directions = arrays.values()
    dtype, n = vertices.dtype, len(origins)

    def cast(corners: Any, indices: Any, starts: Any, ways: Any) -> tuple[Any, ...]:
        tree = Bvh(Mesh(np.asarray(corners), np.asarray(indices))) if bvh is None else bvh
        bounds: dict[str, Any] = {"t_min": t_min, "t_max": t_max}
        found = tree.closest_hits(
            np.asarray(starts), np.asarray(ways), **bounds, faces=faces, threads=threads
        )
        triangle = np.where(found.triangle == INVALID, -1, found.triangle.astype(np.int64))
        return triangle.astype(np.int32), found.t.astype(dtype), *found.uv.astype(dtype).T

    numbers = jax.ShapeDtypeStruct((n,), dtype)
    answers = jax.ShapeDtypeStruct((n,), np.int32), numbers, numbers, numbers
    fixed = jax.lax.stop_gradient((vertices, triangles, origins, directions))
    triangle, *known = jax.pure_callback(cast, answers, *fixed, vmap_method="sequential")
    hits: HitArrays = _compiled(vertices, triangles, origins, directions, triangle, known)
    return hits


def _numbers(
    vertices: Any, triangles: Any, origins: Any, directions: Any, triangle: Any, known: Any
) -> HitArrays:
    """Return the hits of rays whose triangles are known."""
    hit = triangle >= 0
    # A miss takes numbers whose gradients are finite, because zero times infinity would be NaN.
    wide, unit = hit[:, None], jnp.eye(3, dtype=vertices.dtype)
    if len(triangles) == 0:
        corners = jnp.broadcast_to(unit[:, None], (3, *origins.shape))
    else:
        ids = triangles[jnp.where(hit, triangle, 0)]
        corners = jnp.where(wide, vertices[ids.T], unit[:, None])
    rays = jnp.where(wide, origins, 0), jnp.where(wide, directions, 1)
    t, uv, points, normals = hit_numbers(jnp, corners, *rays, known)
    return HitArrays(
        jnp.where(hit, t, jnp.inf),
        jnp.where(wide, uv, 0),
        jnp.where(wide, points, jnp.nan),
        jnp.where(wide, normals, jnp.nan),
        triangle,
        hit,
    )


_compiled: Any = jax.jit(_numbers)


def _checked(name: str, values: Any) -> Any:
    """Return an array of three columns."""
    try:
        array = jnp.asarray(values)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} is a {type(values).__name__}, expected an array of JAX: {error}") from error
    if array.ndim != 2 or array.shape[1] != 3:
        raise ValueError(f"{name} has shape {array.shape}, expected (n, 3)")
    return array


def _check(arrays: dict[str, Any], bvh: Bvh | None) -> None:
    """Check dtypes and lengths."""
    dtype, triangles = arrays["vertices"].dtype, arrays["triangles"]
    if dtype not in (np.float32, np.float64):
        raise TypeError(f"vertices has dtype {dtype}, expected float32 or float64")
    if not jnp.issubdtype(triangles.dtype, jnp.integer):
        raise TypeError(f"triangles has dtype {triangles.dtype}, expected integers")
    for name in ("origins", "directions"):
        if arrays[name].dtype != dtype:
            raise TypeError(f"{name} has dtype {arrays[name].dtype}, expected {dtype} as vertices")
    origins, directions = arrays["origins"].shape, arrays["directions"].shape
    if origins != directions:
        raise ValueError(f"directions has shape {directions}, expected {origins} as origins")
    if bvh is not None and len(bvh) != len(triangles):
        raise ValueError(f"bvh has {len(bvh)} triangles, expected {len(triangles)} as triangles")
