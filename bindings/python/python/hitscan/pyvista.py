"""Ray traces for PyVista: meshes from and to ``PolyData``, and its two methods by hitscan.

>>> import hitscan.pyvista
>>> hitscan.pyvista.enable()                                    # doctest: +SKIP
>>> mesh = pyvista.Sphere()                                     # doctest: +SKIP
>>> mesh.multi_ray_trace(origins, directions)                   # doctest: +SKIP

PyVista's own ``multi_ray_trace`` needs trimesh and embreex, and builds a tree at each call. Its ``ray_trace``
takes one segment, by an OBB tree of VTK. Both lose some rays through edges and vertices.
"""

# Without PyVista, pyright takes this module for the package of its name.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from . import _arrays, _hitscan
from ._arrays import ArrayLike
from ._bvh import Bvh
from ._mesh import Mesh

__all__ = ["bvh_of", "disable", "enable", "from_polydata", "multi_ray_trace", "ray_trace", "to_polydata"]

_Ints: TypeAlias = npt.NDArray[np.int64]
_Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Built:
    """The tree of a ``PolyData``, as it was at a time of VTK."""

    time: tuple[int, int]
    bvh: Bvh
    #: The cell of each triangle.
    cells: _Ints
    owner: weakref.ref[Any]


#: By the ``id`` of the ``PolyData``, which has no hash.
_built: dict[int, _Built] = {}


def from_polydata(mesh: Any, *, recentre: bool = True) -> tuple[Mesh, _Ints]:
    """Return the polygons of a ``PolyData`` as a mesh, and the cell of each triangle, (n,) int64.

    Polygons may be concave. Cells that are vertices or lines have no triangle. The arrays of points and
    of indices are read where they are.

    Parameters
    ----------
    mesh : pyvista.PolyData
    recentre : bool
        As in :class:`hitscan.Mesh`, for float64 points.

    Raises
    ------
    TypeError
        Another class.
    ValueError
        Triangle strips; call ``mesh.triangulate()`` first.
    """
    if not hasattr(mesh, "GetPolys"):
        raise TypeError(f"mesh is a {type(mesh).__name__}, expected a pyvista.PolyData")
    if mesh.GetNumberOfStrips():
        n = mesh.GetNumberOfStrips()
        raise ValueError(f"mesh has {n} triangle strips, expected polygons; mesh.triangulate() cuts them")
    from vtkmodules.util.numpy_support import vtk_to_numpy

    polygons = mesh.GetPolys()
    corners = vtk_to_numpy(polygons.GetConnectivityArray())
    starts = vtk_to_numpy(polygons.GetOffsetsArray())
    first = mesh.GetNumberOfVerts() + mesh.GetNumberOfLines()
    points = np.asarray(mesh.points).reshape(-1, 3)
    if len(corners) == 3 * (len(starts) - 1) and (np.diff(starts) == 3).all():
        triangles: Any = corners.reshape(-1, 3)
        polygon: Any = np.arange(len(starts) - 1)
    else:
        # VTK checks no index; that of a wrong one must not be read.
        if len(corners) and not 0 <= corners.min() <= corners.max() < len(points):
            wrong = corners.min() if corners.min() < 0 else corners.max()
            raise ValueError(f"mesh has a polygon with point {wrong}, expected an index below {len(points)}")
        around = points - points.mean(axis=0, dtype=np.float64) if points.dtype == np.float64 else points
        triangles, polygon = _hitscan.triangulate(
            np.ascontiguousarray(around, np.float32), corners.astype(np.uint32), starts[1:].astype(np.int64)
        )
    return Mesh(points, triangles, recentre=recentre), polygon.astype(np.int64) + first


def to_polydata(mesh: Mesh) -> Any:
    """Return a mesh as a ``pyvista.PolyData`` of triangles, with its own copy of the positions.

    Parameters
    ----------
    mesh : hitscan.Mesh

    Raises
    ------
    ImportError
        PyVista is not installed.
    """
    if not isinstance(mesh, Mesh):
        raise TypeError(f"mesh is a {type(mesh).__name__}, expected a hitscan.Mesh")
    import pyvista

    return pyvista.PolyData.from_regular_faces(mesh.positions.copy(), mesh.triangles.astype(np.int64))


def bvh_of(mesh: Any) -> Bvh:
    """Return the tree of a ``PolyData``, for the queries of :class:`hitscan.Bvh`.

    The tree is kept with the ``PolyData``, and built again after the points or polygons are modified.
    ``mesh.points[i] = p`` counts; after a change through a plain NumPy array, call ``mesh.Modified()``.

    Parameters
    ----------
    mesh : pyvista.PolyData
    """
    return _tree(mesh).bvh


def _tree(mesh: Any) -> _Built:
    if not hasattr(mesh, "GetPolys"):
        raise TypeError(f"mesh is a {type(mesh).__name__}, expected a pyvista.PolyData")
    points = mesh.GetPoints()
    time = (int(mesh.GetMTime()), 0 if points is None else int(points.GetMTime()))
    key = id(mesh)
    built = _built.get(key)
    if built is None or built.owner() is not mesh or built.time != time:
        converted, cells = from_polydata(mesh)
        owner = weakref.ref(mesh, lambda _: _built.pop(key, None))
        built = _built[key] = _Built(time, Bvh(converted), cells, owner)
    return built


def multi_ray_trace(
    mesh: Any,
    origins: ArrayLike,
    directions: ArrayLike,
    first_point: bool = False,
    retry: bool = False,
) -> tuple[_Floats, _Ints, _Ints]:
    """Return where rays hit a ``PolyData``, as ``PolyData.multi_ray_trace`` does.

    Polygons need not be triangles. The hits of a ray are sorted by distance.

    Parameters
    ----------
    mesh : pyvista.PolyData
    origins, directions : (n, 3) array_like
    first_point : bool
        The first hit of each ray, or every hit.
    retry : bool
        Accepted and ignored: no ray is lost.

    Returns
    -------
    intersection_points : (m, 3) float64
    intersection_rays : (m,) int64
        The ray of each point, ascending.
    intersection_cells : (m,) int64
        The cell of each point.
    """
    built = _tree(mesh)
    start = _arrays.rows("origins", origins, 3, None)
    ways = _arrays.rows("directions", directions, 3, None)
    if start.shape != ways.shape:
        raise ValueError(f"directions has shape {ways.shape}, expected {start.shape} as origins")
    core = built.bvh._core
    if not core.has_offset:
        _, given = _arrays.local_rays(start, ways, 0.0, np.inf)
        return core.hits_at_cells(given, built.cells, bool(first_point), None)
    if first_point:
        hits = built.bvh.closest_hits(start, ways)
        rays = np.flatnonzero(hits.hit)
        return hits.points[rays], rays, built.cells[hits.triangle[rays]]
    lists = built.bvh.all_hits(start, ways, once_per_crossing=True)
    return lists.points, lists.ray, built.cells[lists.triangle]


def ray_trace(
    mesh: Any, origin: ArrayLike, end_point: ArrayLike, first_point: bool = False
) -> tuple[_Floats, _Ints]:
    """Return where a segment hits a ``PolyData``, as ``PolyData.ray_trace`` does, nearest first.

    Parameters
    ----------
    mesh : pyvista.PolyData
    origin, end_point : (3,) array_like
        The ends of the segment. A point on the surface is a hit.
    first_point : bool
        The first point alone, or every point.

    Returns
    -------
    intersection_points : (m, 3) float64
        Or (3,) with ``first_point``, if there is one.
    intersection_cells : (m,) int64
        All cells, also with ``first_point``, as PyVista returns them.
    """
    built = _tree(mesh)
    start, end = np.array(_arrays.triple("origin", origin)), np.array(_arrays.triple("end_point", end_point))
    lists = built.bvh.all_hits(start[None], (end - start)[None], t_max=1.0, once_per_crossing=True)
    points, cells = lists.points, built.cells[lists.triangle]
    return (points[0] if first_point and len(points) else points), cells


#: The methods of PyVista that ``enable`` has replaced.
_replaced: dict[str, Any] = {}


def enable() -> None:
    """Make every ``PolyData`` answer ``multi_ray_trace`` and ``ray_trace`` by hitscan.

    Calling it twice is the same as once. ``ray_trace(plot=True)`` stays PyVista's.

    Raises
    ------
    ImportError
        PyVista is not installed.
    """
    import pyvista

    if _replaced:
        return
    owner: Any = pyvista.PolyDataFilters
    for name in ("multi_ray_trace", "ray_trace"):
        _replaced[name] = getattr(owner, name)
    theirs = _replaced["ray_trace"]

    def traced(
        self: Any,
        origin: ArrayLike,
        end_point: ArrayLike,
        first_point: bool = False,
        plot: bool = False,
        off_screen: Any = None,
    ) -> Any:
        if plot:
            return theirs(self, origin, end_point, first_point=first_point, plot=True, off_screen=off_screen)
        return ray_trace(self, origin, end_point, first_point)

    owner.multi_ray_trace = multi_ray_trace
    owner.ray_trace = traced


def disable() -> None:
    """Undo :func:`enable`."""
    if _replaced:
        import pyvista

        for name, method in _replaced.items():
            setattr(pyvista.PolyDataFilters, name, method)
        _replaced.clear()
