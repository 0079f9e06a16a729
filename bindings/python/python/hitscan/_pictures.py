"""Pictures that notebooks show for meshes, trees, scenes and images."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from . import _hitscan

#: A notebook shows no picture of a larger mesh, because the build of its tree would take some seconds.
MAX_TRIANGLES = 5_000_000


class Picture(np.ndarray[Any, np.dtype[np.uint8]]):
    """An array (height, width, 3 or 4) uint8, which notebooks show as a picture.

    ``render`` returns one. ``array.view(hitscan.Picture)`` makes one of another array, without a copy.
    """

    def _repr_png_(self) -> bytes | None:
        is_picture = self.ndim == 3 and self.shape[2] in (3, 4) and self.size and self.dtype == np.uint8
        return _hitscan.png(np.ascontiguousarray(self)) if is_picture else None


def of_subject(subject: Any) -> bytes | None:
    """Return a small picture of a mesh, tree or scene as a PNG file; None if there is nothing to see."""
    from ._view import png, render

    if not np.isfinite(subject.bounds).all() or len(subject) > MAX_TRIANGLES:
        return None
    return png(render(subject, width=480, height=360, legend=False))


def of_depth(depth: npt.NDArray[np.float64]) -> bytes | None:
    """Return depths as a PNG file, near ones bright, the background white."""
    is_hit = np.isfinite(depth)
    if not depth.size:
        return None
    near, far = (depth[is_hit].min(), depth[is_hit].max()) if is_hit.any() else (0.0, 1.0)
    share = (far - np.where(is_hit, depth, far)) / max(far - near, np.finfo(np.float64).tiny)
    grey = np.where(is_hit, 30 + 200 * share, 255).astype(np.uint8)
    return _hitscan.png(np.repeat(grey[..., None], 3, axis=2))
