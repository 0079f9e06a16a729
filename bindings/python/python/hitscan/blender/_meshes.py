"""Triangles and polygons of Blender's meshes, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _arrays, _hitscan

#: The modifiers that move vertices and keep the polygons.
_DEFORMS = frozenset(
    "ARMATURE CAST CLOTH COLLISION CORRECTIVE_SMOOTH CURVE DISPLACE HOOK LAPLACIANDEFORM LAPLACIANSMOOTH "
    "LATTICE MESH_CACHE MESH_DEFORM NORMAL_EDIT SHRINKWRAP SIMPLE_DEFORM SMOOTH SOFT_BODY SURFACE "
    "SURFACE_DEFORM UV_PROJECT UV_WARP VERTEX_WEIGHT_EDIT VERTEX_WEIGHT_MIX VERTEX_WEIGHT_PROXIMITY WARP "
    "WAVE WEIGHTED_NORMAL".split()
)


@dataclass(frozen=True, eq=False)
class Polygons:
    """A mesh of polygons, cut into triangles.

    Attributes
    ----------
    vertices : (v, 3) float32
    triangles : (n, 3) uint32
    polygon : (n,) uint32
        The polygon of each triangle.
    normals : (p, 3) float32
        The unit normals of the polygons; 0 without area.
    """

    vertices: npt.NDArray[np.float32]
    triangles: npt.NDArray[np.uint32]
    polygon: npt.NDArray[np.uint32]
    normals: npt.NDArray[np.float32]

    def moved(self, matrix: Any) -> Polygons:
        """Return the mesh in another space, by a (4, 4) matrix."""
        m = _arrays.matrix("matrix_world", np.array(matrix)).reshape(4, 4)
        vertices = self.vertices @ m[:3, :3].T + m[:3, 3]
        # The cofactors are the inverse transpose but for a factor, and also defined for a flat object.
        linear = m[:3, :3]
        cofactors = np.stack([np.cross(linear[(i + 1) % 3], linear[(i + 2) % 3]) for i in range(3)])
        normals = _units(self.normals @ cofactors.T * (1 if np.linalg.det(linear) >= 0 else -1))
        return Polygons(vertices.astype(np.float32), self.triangles, self.polygon, normals)


def of_polygons(
    vertices: Any, polygons: Sequence[Sequence[int]] | Any, all_triangles: bool = False
) -> Polygons:
    """Return polygons as their vertices and the indices of their corners."""
    points = _arrays.rows("vertices", _floats(vertices), 3, np.float32)
    if isinstance(polygons, np.ndarray) and polygons.ndim == 2:
        corners, counts = _integers(polygons), np.full(len(polygons), polygons.shape[1])
    else:
        lists = [_integers(polygon, index) for index, polygon in enumerate(polygons)]
        counts = np.array([len(one) for one in lists], np.int64)
        corners = np.concatenate(lists) if lists else np.zeros(0, np.int64)
    starts = np.concatenate([[0], np.cumsum(counts)])
    wrong = np.flatnonzero((corners < 0) | (corners >= len(points)))
    if len(wrong):
        polygon = np.searchsorted(starts, wrong[0], "right") - 1
        raise ValueError(
            f"polygons[{polygon}][{wrong[0] - starts[polygon]}] is {corners[wrong[0]]}, "
            f"expected an index from 0 to {len(points) - 1}"
        )
    if all_triangles and (counts != 3).any():
        polygon = np.flatnonzero(counts != 3)[0]
        raise ValueError(
            f"polygons[{polygon}] has {counts[polygon]} corners, expected 3: all_triangles is set"
        )
    indices = corners.astype(np.uint32)
    # Blender cuts a convex quad from its second corner to the fourth; the triangulator from the first.
    rolled, quads = indices.copy(), starts[:-1][counts == 4]
    for k in range(4):
        rolled[quads + k] = indices[quads + (k + 1) % 4]
    triangles, polygon_of = _hitscan.triangulate(points, rolled, starts[1:].astype(np.int64))
    return Polygons(points, triangles, polygon_of, _newell(points.astype(np.float64), indices, starts))


def of_mesh(mesh: Any) -> Polygons:
    """Return a ``bpy.types.Mesh``, as Blender cuts it into triangles."""
    mesh.calc_loop_triangles()
    n, v, p = len(mesh.loop_triangles), len(mesh.vertices), len(mesh.polygons)
    vertices, normals = np.empty(3 * v, np.float32), np.empty(3 * p, np.float32)
    triangles, polygon = np.empty(3 * n, np.int32), np.empty(n, np.int32)
    mesh.vertices.foreach_get("co", vertices)
    mesh.polygon_normals.foreach_get("vector", normals)
    mesh.loop_triangles.foreach_get("vertices", triangles)
    mesh.loop_triangles.foreach_get("polygon_index", polygon)
    return Polygons(
        vertices.reshape(-1, 3),
        triangles.reshape(-1, 3).view(np.uint32),
        polygon.view(np.uint32),
        normals.reshape(-1, 3),
    )


def of_bmesh(bmesh: Any) -> Polygons:
    """Return a ``bmesh.types.BMesh``, as Blender cuts it into triangles.

    Its faces count in the order of ``bmesh.faces``.
    """
    if not hasattr(bmesh, "calc_loop_triangles"):
        raise TypeError(f"bmesh is a {type(bmesh).__name__}, expected a bmesh.types.BMesh")
    if not bmesh.is_valid:
        raise ReferenceError("bmesh has been freed")
    bmesh.verts.index_update()
    bmesh.faces.index_update()
    bmesh.normal_update()
    vertices = np.array([vertex.co for vertex in bmesh.verts], np.float32).reshape(-1, 3)
    normals = np.array([face.normal for face in bmesh.faces], np.float32).reshape(-1, 3)
    loops = bmesh.calc_loop_triangles()
    triangles = np.array([[loop.vert.index for loop in three] for three in loops], np.uint32).reshape(-1, 3)
    polygon = np.array([three[0].face.index for three in loops], np.uint32)
    return Polygons(vertices, triangles, polygon, normals)


def of_object(object: Any, depsgraph: Any, deform: bool, cage: bool) -> Polygons:
    """Return a ``bpy.types.Object`` in its own space, with the modifiers that the options ask for."""
    for name, value, has in (
        ("object", object, "evaluated_get"),
        ("depsgraph", depsgraph, "object_instances"),
    ):
        if not hasattr(value, has):
            kind = "an Object" if name == "object" else "a Depsgraph"
            raise TypeError(f"{name} is a {type(value).__name__}, expected {kind} of bpy.types")
    if cage and not deform:
        raise ValueError("cage=True needs deform=True: the cage is the deformed mesh")
    if (cage or not deform) and (blocker := _changes_polygons(object)):
        option = "cage=True" if cage else "deform=False"
        raise ValueError(
            f"object '{object.name}': {option} cannot leave out the modifiers, because '{blocker}' changes "
            "polygons; hide that modifier, or take the evaluated mesh"
        )
    if not deform:
        if object.type != "MESH":
            raise ValueError(
                f"object '{object.name}' is of type {object.type}, expected MESH for deform=False"
            )
        if object.mode == "EDIT":
            raise ValueError(
                f"object '{object.name}' is in edit mode, where its mesh is out of date; "
                "take FromBMesh(bmesh.from_edit_mesh(object.data))"
            )
        return of_mesh(object.data)
    evaluated = object.evaluated_get(depsgraph)
    try:
        mesh = evaluated.to_mesh()
    except RuntimeError as error:
        raise ValueError(f"object '{object.name}' of type {object.type} has no mesh: {error}") from error
    if mesh is None:
        raise ValueError(f"object '{object.name}' of type {object.type} has no mesh")
    try:
        return of_mesh(mesh)
    finally:
        evaluated.to_mesh_clear()


def _changes_polygons(object: Any) -> str | None:
    """Return the name of an enabled modifier that changes polygons."""
    for modifier in object.modifiers:
        if modifier.show_viewport and modifier.type not in _DEFORMS:
            name: str = modifier.name
            return name
    return None


def _floats(vertices: Any) -> Any:
    """Return vertices as an array; a list of ``Vector`` is one of sequences."""
    if isinstance(vertices, np.ndarray) or hasattr(vertices, "__dlpack__"):
        return vertices
    try:
        return np.array([tuple(vertex) for vertex in vertices], np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"vertices cannot be converted to an array (n, 3): {error}") from error


def _integers(corners: Any, polygon: int | None = None) -> npt.NDArray[np.int64]:
    """Return the corners of a polygon, or of all of them."""
    name = "polygons" if polygon is None else f"polygons[{polygon}]"
    array = _arrays.numbers(name, corners)
    if array.dtype.kind not in "iu" and array.size:
        raise TypeError(f"{name} has dtype {array.dtype}, expected integers")
    if polygon is not None and array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}, expected (n,)")
    return array.astype(np.int64).reshape(-1)


def _newell(
    points: npt.NDArray[np.float64], corners: npt.NDArray[np.uint32], starts: npt.NDArray[np.int64]
) -> npt.NDArray[np.float32]:
    """Return the unit normals of polygons by Newell's sum over the edges."""
    counts = np.diff(starts)
    following = np.arange(1, len(corners) + 1)
    full = counts > 0
    following[starts[1:][full] - 1] = starts[:-1][full]
    # Relative to a corner of each polygon, so that the products lose nothing far from the origin.
    first = np.repeat(points[corners[starts[:-1][full]]], counts[full], axis=0)
    at = points[corners] - first
    products = np.cross(at, at[following])
    sums = np.zeros((len(counts), 3))
    if full.any():
        sums[full] = np.add.reduceat(products, starts[:-1][full], axis=0)
    return _units(sums)


def _units(vectors: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    divided = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    single: npt.NDArray[np.float32] = divided.astype(np.float32)
    return single
