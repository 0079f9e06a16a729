"""Recipes over many rays: occlusion, thickness, visibility, sky, orientation, transfer, images and LiDAR.

>>> import numpy as np, hitscan
>>> from hitscan import geometry
>>> bvh = hitscan.Bvh(geometry.height_mesh(np.zeros((3, 3)), spacing=1.0))
>>> geometry.ambient_occlusion(bvh, [[1, 1, 0]], [[0, 0, 1]], n_samples=16).tolist()
[0.0]

Every function takes a tree or a scene, and answers with arrays. Lengths are in the units of the mesh. What is
random depends on ``seed`` alone: equal arguments give equal bits, with any number of threads and any size of
batch. Functions that cast many rays work in batches, and take

- ``threads``: the number of threads of each batch, all cores by default;
- ``progress``: True for a bar of tqdm where that is installed, or a function that is called with the numbers
  of points done and in all. Where it returns False, the recipe raises :class:`Cancelled`.

Ctrl-C ends each of them within a second.
"""

from ._batches import Cancelled
from ._heights import height_mesh
from ._images import Images, camera_images
from ._lidar import LidarPattern, LidarScan, raster_pattern, rosette_pattern, scan, spinning_pattern
from ._occlusion import ambient_occlusion
from ._orientation import Reorientation, consistent_winding, reorient_facets
from ._sky import horizon_angles, sky_view_factor
from ._thickness import shape_diameter, thickness
from ._transfer import transfer_attributes
from ._visibility import is_visible

__all__ = [
    "Cancelled",
    "Images",
    "LidarPattern",
    "LidarScan",
    "Reorientation",
    "ambient_occlusion",
    "camera_images",
    "consistent_winding",
    "height_mesh",
    "horizon_angles",
    "is_visible",
    "raster_pattern",
    "reorient_facets",
    "rosette_pattern",
    "scan",
    "shape_diameter",
    "sky_view_factor",
    "spinning_pattern",
    "thickness",
    "transfer_attributes",
]
