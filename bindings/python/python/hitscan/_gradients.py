"""The numbers of a hit by its triangle, which torch and jax differentiate."""

from __future__ import annotations

from typing import Any


def hit_numbers(
    xp: Any, corners: Any, origins: Any, directions: Any, known: Any
) -> tuple[Any, Any, Any, Any]:
    """Return ``t`` (n,), ``uv`` (n, 2), points and unit normals (n, 3) of rays at one triangle each.

    By the formula of Möller and Trumbore, "Fast, Minimum Storage Ray/Triangle Intersection", 1997.

    Parameters
    ----------
    xp : module
        ``torch`` or ``jax.numpy``.
    corners : three (n, 3)
    origins, directions : (n, 3)
    known : three (n,)
        hitscan's ``t``, ``u`` and ``v``. It also hits triangles that are so small that the products of their
        edges vanish. Those have these numbers, and no gradient.
    """
    a, b, c = corners
    e1, e2 = b - a, c - a
    p, s = xp.linalg.cross(directions, e2), origins - a
    q = xp.linalg.cross(s, e1)
    determinant = (e1 * p).sum(1)
    flat = determinant == 0
    inverse = 1 / xp.where(flat, xp.ones_like(determinant), determinant)
    products = (e2 * q).sum(1), (s * p).sum(1), (directions * q).sum(1)
    t, u, v = (
        xp.where(flat, number, product * inverse) for number, product in zip(known, products, strict=True)
    )
    points = a + u[:, None] * e1 + v[:, None] * e2
    normal = xp.linalg.cross(e1, e2)
    square = (normal * normal).sum(1)
    # The gradient of a root has no value at zero, so the root of NaN stands there.
    length = xp.where(square == 0, xp.full_like(square, float("nan")), square) ** 0.5
    return t, xp.stack([u, v], 1), points, normal / length[:, None]
