"""Exact and watertight ray casting on triangle meshes, for NumPy arrays.

>>> import numpy as np
>>> import hitscan
>>> mesh = hitscan.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
>>> bvh = hitscan.Bvh(mesh)
>>> hits = bvh.closest_hits([[0.25, 0.25, 1.0]], [[0.0, 0.0, -1.0]])
>>> float(hits.t[0]), int(hits.triangle[0])
(1.0, 0)

The hit of a ray depends on the mesh and the ray alone: the same triangle and the same bits of ``t`` and
``uv`` on every machine, for any number of threads, from any tree, and from the Rust library.
"""

from ._bvh import Bvh
from ._contacts import ContactLists, Contacts, SceneContactLists, SceneContacts
from ._convert import as_mesh
from ._hits import (
    INVALID,
    HitLists,
    Hits,
    InstanceDistances,
    MeshCrossings,
    MeshDistance,
    SceneHitLists,
    SceneHits,
    ScenePoints,
    SceneTriangles,
    SurfacePoints,
)
from ._hitscan import __version__, instruction_sets
from ._mesh import Mesh, Names, load
from ._pictures import Picture
from ._scene import Instance, Scene
from ._sections import ScenePolylines, SectionPolylines
from ._single import Hit, SceneHit, ScenePoint, SurfacePoint
from ._view import Camera, View, png, render

__all__ = [
    "INVALID",
    "Bvh",
    "Camera",
    "ContactLists",
    "Contacts",
    "Hit",
    "HitLists",
    "Hits",
    "Instance",
    "InstanceDistances",
    "Mesh",
    "MeshCrossings",
    "MeshDistance",
    "Names",
    "Picture",
    "Scene",
    "SceneContactLists",
    "SceneContacts",
    "SceneHit",
    "SceneHitLists",
    "SceneHits",
    "ScenePoint",
    "ScenePoints",
    "ScenePolylines",
    "SceneTriangles",
    "SectionPolylines",
    "SurfacePoint",
    "SurfacePoints",
    "View",
    "__version__",
    "as_mesh",
    "instruction_sets",
    "load",
    "png",
    "render",
]
