"""All objects of a dependency graph as one scene, in world space."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .._bvh import Bvh
from .._mesh import Mesh
from .._scene import Scene
from . import _meshes
from ._meshes import Polygons
from ._tree import _vector_type


class ObjectHit(NamedTuple):
    """What ``bpy.types.Scene.ray_cast`` returns, in the same order.

    Attributes
    ----------
    result : bool
        Whether anything is hit.
    location, normal : Vector
        In world space; zeros for a miss. As in Blender, the normal is that of the triangle.
    index : int
        The polygon of the object's evaluated mesh; -1 for a miss.
    object : str or None
        The name of the object. Blender returns the object, which a later undo may free.
    matrix : (4, 4) float64
        The matrix of the instance.
    """

    result: bool
    location: Any
    normal: Any
    index: int  # type: ignore[assignment]
    object: str | None
    matrix: Any


class SceneTree:
    """The visible objects of a dependency graph, with those that instancers and geometry nodes make.

    Objects with the same evaluated mesh share one tree.

    Parameters
    ----------
    depsgraph : bpy.types.Depsgraph
        ``bpy.context.evaluated_depsgraph_get()``, up to date.

    Attributes
    ----------
    scene : hitscan.Scene
        The instances, for all queries of arrays.
    objects : dict of int to str
        The name of the object of each instance.
    """

    __slots__ = ("_polygons", "_vector", "objects", "scene")

    def __init__(self, depsgraph: Any) -> None:
        if not hasattr(depsgraph, "object_instances"):
            raise TypeError(f"depsgraph is a {type(depsgraph).__name__}, expected a Depsgraph of bpy.types")
        self.scene, self._vector = Scene(), _vector_type()
        self.objects: dict[int, str] = {}
        self._polygons: dict[int, Polygons] = {}
        trees: dict[int, tuple[Polygons, Bvh] | None] = {}
        for instance in depsgraph.object_instances:
            owner = instance.object
            key = 0 if owner.data is None else owner.data.as_pointer()
            if key not in trees:
                trees[key] = _tree_of(owner)
            built = trees[key]
            matrix = np.array(instance.matrix_world, np.float64)
            # An object that is scaled to nothing has no surface, and no inverse.
            if built is None or np.linalg.det(matrix[:3, :3]) == 0.0 or not instance.show_self:
                continue
            id = self.scene.insert(built[1], matrix, name=owner.name)
            self.objects[id], self._polygons[id] = owner.name, built[0]

    def ray_cast(
        self, origin: Sequence[float], direction: Sequence[float], distance: float = sys.float_info.max
    ) -> ObjectHit:
        """Return what a ray of the world hits first.

        Parameters
        ----------
        origin, direction : Vector or sequence of three floats
            The direction may have any length but zero.
        distance : float
            The maximum distance.

        Returns
        -------
        ObjectHit
        """
        way = np.array([tuple(direction)], np.float64)
        length = float(np.linalg.norm(way))
        limit = distance / length if length > 0 else 0.0
        hits = self.scene.closest_hits([tuple(origin)], way, t_max=min(limit, sys.float_info.max))
        if not hits.hit[0]:
            zero = self._vector((0.0, 0.0, 0.0))
            return ObjectHit(False, zero, zero, -1, None, np.eye(4))
        id = int(hits.instance[0])
        polygons, matrix = self._polygons[id], self.scene.world_transform(id)
        index = int(polygons.polygon[hits.triangle[0]])
        location = self._vector(hits.points[0].tolist())
        a, b, c = polygons.vertices[polygons.triangles[hits.triangle[0]]].astype(np.float64)
        # The inverse moves normals, which stand in its rows.
        normal = np.cross(b - a, c - a) @ np.linalg.inv(matrix[:3, :3])
        normal = normal / (np.linalg.norm(normal) or 1.0)
        return ObjectHit(True, location, self._vector(normal.tolist()), index, self.objects[id], matrix)

    def __len__(self) -> int:
        """Return the number of instances."""
        return len(self.scene)

    def __repr__(self) -> str:
        n = len(self)
        return f"SceneTree({n} instance{'s' * (n != 1)})"


def _tree_of(owner: Any) -> tuple[Polygons, Bvh] | None:
    """Return the mesh of an evaluated object with its tree; None for lamps, cameras and empty meshes."""
    try:
        mesh = owner.to_mesh()
    except RuntimeError:
        return None
    try:
        polygons = None if mesh is None else _meshes.of_mesh(mesh)
    finally:
        owner.to_mesh_clear()
    if polygons is None or len(polygons.triangles) == 0:
        return None
    return polygons, Bvh(Mesh(polygons.vertices, polygons.triangles))
