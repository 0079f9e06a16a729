"""Meshes of other packages."""

from __future__ import annotations

from typing import Any

from ._mesh import Mesh


def as_mesh(mesh: Any, *, recentre: bool = True) -> Mesh:
    """Return a mesh of trimesh, Open3D, PyVista or Blender as a :class:`Mesh`.

    Parameters
    ----------
    mesh : Mesh, trimesh.Trimesh, open3d TriangleMesh, pyvista.PolyData or bpy.types.Mesh
        Of Open3D, both the legacy class and that of ``open3d.t``. Polygons are cut into triangles.
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
    if hasattr(mesh, "vertex") and hasattr(mesh, "triangle"):
        return Mesh(_array(mesh.vertex["positions"]), _array(mesh.triangle["indices"]), recentre=recentre)
    for name in ("faces", "triangles"):
        if hasattr(mesh, "vertices") and hasattr(mesh, name):
            return Mesh(_array(mesh.vertices), _array(getattr(mesh, name)), recentre=recentre)
    raise TypeError(
        f"mesh is a {type(mesh).__name__}, expected a mesh of hitscan, trimesh, Open3D, PyVista or Blender"
    )


def _array(values: Any) -> Any:
    # A tensor of Open3D may be on another device; vectors of its old classes convert themselves.
    return values.cpu().numpy() if hasattr(values, "cpu") else values
