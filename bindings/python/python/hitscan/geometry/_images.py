"""Images of a camera as arrays: depth, normals, ids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _arrays, _pictures
from .._hits import INVALID, SceneHits
from .._view import View
from ._batches import Floats, Progress, Surface, batches, surface_of, units


@dataclass(frozen=True, eq=False)
class Images:
    """What a camera sees, row by row from the top left.

    Attributes
    ----------
    depth : (height, width) float64
        The distance from the start of the pixel's ray along the direction in which the camera looks; inf for
        the background. Rays start at the near plane, so add its distance for a depth from the eye.
    distance : (height, width) float64
        The distance from the start of the pixel's ray; inf for the background.
    points, normals : (height, width, 3) float64
        In the space of the surface. Normals have length 1 and look towards the camera. NaN for the
        background.
    triangle : (height, width) int64
        -1 for the background.
    instance : (height, width) int64
        The id of the instance, or 0 for a tree; -1 for the background.
    front : (height, width) bool
        Whether the camera sees the front of the triangle.
    """

    depth: Floats
    distance: Floats
    points: Floats
    normals: Floats
    triangle: npt.NDArray[np.int64]
    instance: npt.NDArray[np.int64]
    front: npt.NDArray[np.bool_]

    def _repr_png_(self) -> bytes | None:
        return _pictures.of_depth(self.depth)


def camera_images(
    surface: Surface, view: View, *, threads: int | None = None, progress: Progress = False
) -> Images:
    """Return what a camera sees through the centres of its pixels.

    Parameters
    ----------
    surface : Bvh or Scene
    view : View
    threads, progress
        As in :mod:`hitscan.geometry`; progress counts pixels.

    Returns
    -------
    Images
    """
    surface = surface_of(surface)
    if not isinstance(view, View):
        raise TypeError(f"view is a {type(view).__name__}, expected a hitscan.View")
    width, height = view.size
    n = width * height
    _arrays.room(f"the images of {width} x {height} pixels", 90 * n)
    rays = view.rays()
    depth, distance = np.full(n, np.inf), np.full(n, np.inf)
    points, normals = np.full((n, 3), np.nan), np.full((n, 3), np.nan)
    triangle, instance, front = np.full(n, -1), np.full(n, -1), np.zeros(n, np.bool_)
    axis = units(view.ray((width / 2, height / 2))[None, 3:6])[0]
    for batch in batches(n, 1, progress):
        rows = slice(batch.start, batch.stop)
        hits: Any = surface.closest_hits(rays[rows], threads=threads)
        hit = hits.triangle != INVALID
        found, from_start = hits.points, hits.points - rays[rows, :3]
        points[rows] = found
        normals[rows] = hits.normals * np.where(hits.front, 1.0, -1.0)[:, None]
        distance[rows] = np.where(hit, np.linalg.norm(from_start, axis=1), np.inf)
        depth[rows] = np.where(hit, from_start @ axis, np.inf)
        triangle[rows] = np.where(hit, hits.triangle.astype(np.int64), -1)
        instance[rows] = hits.instance if isinstance(hits, SceneHits) else np.where(hit, 0, -1)
        front[rows] = hits.front
    shape = (height, width)
    return Images(
        depth.reshape(shape),
        distance.reshape(shape),
        points.reshape(*shape, 3),
        normals.reshape(*shape, 3),
        triangle.reshape(shape),
        instance.reshape(shape),
        front.reshape(shape),
    )
