"""Ray casts for Blender: ``BVHTree`` in the place of ``mathutils.bvhtree.BVHTree``, and arrays of rays.

>>> from hitscan.blender import BVHTree
>>> square = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
>>> tree = BVHTree.FromPolygons(square, [(0, 1, 2, 3)])
>>> location, normal, index, distance = tree.ray_cast((0.25, 0.5, 2), (0, 0, -1))
>>> tuple(location), tuple(normal), index, distance
((0.25, 0.5, 0.0), (0.0, 0.0, 1.0), 0, 2.0)

The module needs no Blender for ``FromPolygons``. Locations and normals are ``mathutils.Vector`` where
mathutils is present, and tuples elsewhere.
"""

from ._scene import ObjectHit, SceneTree
from ._tree import BVHTree, NearestArrays, RayArrays

__all__ = ["BVHTree", "NearestArrays", "ObjectHit", "RayArrays", "SceneTree"]
