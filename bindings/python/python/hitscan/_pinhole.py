"""Rays of pinhole cameras as Open3D creates them, (height_px, width_px, 6)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from . import _arrays
from ._arrays import ArrayLike

_MAX_SIZE = 1 << 16


def by_matrices(
    intrinsic_matrix: ArrayLike, extrinsic_matrix: ArrayLike, width_px: int, height_px: int
) -> npt.NDArray[np.float32]:
    """Return the rays of a camera from its matrices, the second from the world to the camera."""
    intrinsic = _arrays.rows("intrinsic_matrix", intrinsic_matrix, 3, np.float64)
    extrinsic = _arrays.rows("extrinsic_matrix", extrinsic_matrix, 4, np.float64)
    if intrinsic.shape != (3, 3) or extrinsic.shape != (4, 4):
        raise ValueError(
            f"the matrices have shapes {intrinsic.shape} and {extrinsic.shape}, expected (3, 3) and (4, 4)"
        )
    width, height = _size(width_px, height_px)
    try:
        to_camera = np.linalg.inv(intrinsic)
    except np.linalg.LinAlgError:
        raise ValueError(f"intrinsic_matrix is {intrinsic.tolist()}, which has no inverse") from None
    to_world = extrinsic[:3, :3].T
    x, y = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    pixels = np.stack([x, y, np.ones_like(x)], axis=-1)
    rays = np.empty((height, width, 6), np.float32)
    rays[..., :3] = -to_world @ extrinsic[:3, 3]
    rays[..., 3:] = pixels @ (to_world @ to_camera).T
    return rays


def by_fov(
    fov_deg: float, center: ArrayLike, eye: ArrayLike, up: ArrayLike, width_px: int, height_px: int
) -> npt.NDArray[np.float32]:
    """Return the rays of a camera at ``eye`` that looks at ``center``, by its horizontal angle."""
    middle = _arrays.row("center", center, 3, np.float64)
    start = _arrays.row("eye", eye, 3, np.float64)
    top = _arrays.row("up", up, 3, np.float64)
    forward = middle - start
    # In Open3D, rows of the picture run along `up`.
    right = np.cross(top, forward)
    if not np.linalg.norm(right) > 0:
        raise ValueError("eye, center and up lie on a line, expected a direction of view beside up")
    forward, right = forward / np.linalg.norm(forward), right / np.linalg.norm(right)
    extrinsic = np.eye(4)
    extrinsic[:3, :3] = [right, np.cross(forward, right), forward]
    extrinsic[:3, 3] = -extrinsic[:3, :3] @ start
    width, height = _size(width_px, height_px, 1)
    angle = _arrays.number("fov_deg", fov_deg)
    if not 0 < angle < 180:
        raise ValueError(f"fov_deg is {angle}, expected an angle between 0 and 180")
    focal = 0.5 * width / np.tan(0.5 * np.deg2rad(angle))
    intrinsic = [[focal, 0, 0.5 * width], [0, focal, 0.5 * height], [0, 0, 1]]
    return by_matrices(intrinsic, extrinsic, width, height)


def _size(width_px: int, height_px: int, low: int = 0) -> tuple[int, int]:
    sizes = ("width_px", width_px), ("height_px", height_px)
    width, height = (_arrays.integer(name, value, low, _MAX_SIZE) for name, value in sizes)
    return width, height
