"""Meshes of other packages."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._mesh import Mesh


def as_mesh(mesh: Any, *, recentre: bool = True) -> Mesh:
    """Return a mesh of trimesh, Open3D, PyVista, meshio or Blender as a :class:`Mesh`.

    Parameters
    ----------
    mesh : Mesh, trimesh.Trimesh, open3d TriangleMesh, pyvista.PolyData, meshio.Mesh or bpy.types.Mesh
        Of Open3D, both the legacy class and that of ``open3d.t``. Polygons are cut into triangles. Of meshio,
        the triangles, quads and polygons; other cells have no surface.
    recentre : bool
        As in :class:`Mesh`, for positions in float64.

    Raises
    ------
    TypeError
        Another class.

    Examples
    --------
    >>> import hitscan, types
    >>> other = types.SimpleNamespace(vertices=[[0, 0, 0], [1, 0, 0], [0, 1, 0]], faces=[[0, 1, 2]])
    >>> hitscan.as_mesh(other)
    Mesh(1 triangle, 3 vertices)
    """
    if isinstance(mesh, Mesh):
        return mesh
    if hasattr(mesh, "GetPolys"):
        from .pyvista import from_polydata

        return from_polydata(mesh, recentre=recentre)[0]
    if hasattr(mesh, "calc_loop_triangles") and hasattr(mesh, "polygons"):
        from .blender._meshes import of_mesh

        polygons = of_mesh(mesh)
        return Mesh(polygons.vertices, polygons.triangles)
    if hasattr(mesh, "cells_dict") and hasattr(mesh, "points"):
        return Mesh(_with_z(mesh.points), _surface_cells(mesh.cells), recentre=recentre)
    if hasattr(mesh, "vertex") and hasattr(mesh, "triangle"):
        return Mesh(_array(mesh.vertex["positions"]), _array(mesh.triangle["indices"]), recentre=recentre)
    for name in ("faces", "triangles"):
        if hasattr(mesh, "vertices") and hasattr(mesh, name):
            return Mesh(_array(mesh.vertices), _array(getattr(mesh, name)), recentre=recentre)
    if np.ndim(mesh) == 2:
        raise TypeError("mesh is an array, expected a mesh; Bvh(positions, triangles) takes two arrays")
    raise TypeError(
        f"mesh is a {type(mesh).__name__}, expected a mesh of hitscan, trimesh, Open3D, PyVista, "
        "meshio or Blender; hitscan.load reads files"
    )


def _with_z(points: Any) -> Any:
    array = np.asarray(points)
    return np.pad(array, ((0, 0), (0, 1))) if array.ndim == 2 and array.shape[1] == 2 else array


def _surface_cells(cells: Any) -> Any:
    """Return the polygons of the cells of meshio: an array of triangles alone, or lists."""
    blocks = [(str(getattr(block, "type", block)), block) for block in cells]
    surface = [
        np.asarray(block.data)
        for kind, block in blocks
        if kind in ("triangle", "quad") or kind.startswith("polygon")
    ]
    if not surface:
        found = sorted({kind for kind, _ in blocks})
        raise TypeError(f"mesh has cells of {found}, expected triangles, quads or polygons")
    if all(block.shape[1] == 3 for block in surface):
        return np.concatenate(surface)
    return [row for block in surface for row in block.tolist()]


def _array(values: Any) -> Any:
    # A tensor of Open3D may be on another device; vectors of its old classes convert themselves.
    return values.cpu().numpy() if hasattr(values, "cpu") else values
