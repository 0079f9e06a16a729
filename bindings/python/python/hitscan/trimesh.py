"""Rays and nearest points for trimesh: ``mesh.ray`` and ``mesh.nearest`` by hitscan.

>>> import hitscan.trimesh
>>> hitscan.trimesh.enable()            # doctest: +SKIP
>>> mesh = trimesh.load("bunny.obj")    # doctest: +SKIP
>>> mesh.ray.intersects_first(origins, directions)    # doctest: +SKIP

The class takes the place of ``trimesh.ray.ray_pyembree.RayMeshIntersector``, with the same methods, shapes
and dtypes. Unlike that one, it loses no ray at edges and vertices, reports a shared edge once along a ray,
and counts an origin on the surface as a hit.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from . import _arrays, _hitscan
from ._arrays import ArrayLike
from ._bvh import Bvh
from ._mesh import Mesh

__all__ = ["RayMeshIntersector", "closest_point", "disable", "enable", "signed_distance"]

_Ints = npt.NDArray[np.int64]
_Floats = npt.NDArray[np.float64]
_Triple: TypeAlias = "tuple[float, float, float]"


class RayMeshIntersector:
    """Ray queries on a trimesh mesh.

    The tree is built at the first query, and again after the mesh has changed. Copies and pickles hold the
    mesh alone.

    Parameters
    ----------
    geometry : trimesh.Trimesh
    scale_to_box : bool
        Accepted and ignored: hitscan is exact at every scale.
    """

    def __init__(self, geometry: Any, scale_to_box: bool = True) -> None:
        self.mesh = geometry
        self._scale_to_box = scale_to_box
        self._built: tuple[int, Bvh, _Triple] | None = None

    def _tree(self) -> tuple[Bvh, _Triple]:
        """Return the tree and the point of the mesh that is its origin."""
        key = hash(self.mesh)
        built = self._built
        if built is None or built[0] != key:
            vertices = np.asarray(self.mesh.vertices, dtype=np.float64)
            # float32 has most digits near the origin.
            empty = len(vertices) == 0 or len(self.mesh.faces) == 0
            middle = np.zeros(3) if empty else self.mesh.bounds.mean(axis=0)
            bvh = Bvh(Mesh(vertices - middle, np.asarray(self.mesh.faces), recentre=False))
            built = self._built = (key, bvh, _arrays.triple("the middle of the mesh", middle))
        return built[1:]

    def _rays(self, ray_origins: ArrayLike, ray_directions: ArrayLike) -> tuple[_Floats, _Floats]:
        origins = _arrays.numbers("ray_origins", ray_origins)
        directions = _arrays.numbers("ray_directions", ray_directions)
        if origins.shape != directions.shape:
            raise ValueError(
                f"ray_directions has shape {directions.shape}, expected {origins.shape} as ray_origins"
            )
        return (
            _arrays.rows("ray_origins", origins, 3, np.float64),
            _arrays.rows("ray_directions", directions, 3, np.float64),
        )

    def intersects_location(
        self, ray_origins: ArrayLike, ray_directions: ArrayLike, multiple_hits: bool = True
    ) -> tuple[_Floats, _Ints, _Ints]:
        """Return where rays hit.

        Parameters
        ----------
        ray_origins, ray_directions : (n, 3) float
        multiple_hits : bool
            Every hit of a ray, or only the first.

        Returns
        -------
        locations : (m, 3) float64
        index_ray : (m,) int64
            The ray of each location, ascending.
        index_tri : (m,) int64
            The face of each location.
        """
        triangles, rays, locations = self._hits(ray_origins, ray_directions, multiple_hits, None, True)
        return locations, rays, triangles

    def intersects_id(
        self,
        ray_origins: ArrayLike,
        ray_directions: ArrayLike,
        multiple_hits: bool = True,
        max_hits: int = 100,
        return_locations: bool = False,
    ) -> Any:
        """Return the faces that rays hit.

        Parameters
        ----------
        ray_origins, ray_directions : (n, 3) float
        multiple_hits : bool
            Every hit of a ray, or only the first.
        max_hits : int
            The maximum number of hits of a ray.
        return_locations : bool

        Returns
        -------
        index_tri : (m,) int64
        index_ray : (m,) int64
        locations : (m, 3) float64
            Only with ``return_locations``.
        """
        found = self._hits(ray_origins, ray_directions, multiple_hits, max_hits, return_locations)
        return found if return_locations else found[:2]

    def _hits(
        self,
        ray_origins: ArrayLike,
        ray_directions: ArrayLike,
        multiple: bool,
        n: int | None,
        locate: bool,
    ) -> tuple[_Ints, _Ints, _Floats]:
        origins, directions = self._rays(ray_origins, ray_directions)
        bvh, center = self._tree()
        _, rays = _arrays.local_rays(origins, directions, 0.0, np.inf, center)
        if multiple:
            lists = bvh._lists(rays, "both", True, n, None)
            index_ray, index_tri, uv = lists.ray, lists.triangle.astype(np.int64), lists.uv
        else:
            hits = bvh._closest(len(origins), rays, "both", None)
            index_ray = np.flatnonzero(hits.hit)
            index_tri, uv = hits.triangle[index_ray].astype(np.int64), hits.uv[index_ray]
        locations = np.empty((len(index_ray) if locate else 0, 3), np.float64)
        if locate:
            vertices = _arrays.rows("vertices", self.mesh.vertices, 3, np.float64)
            faces = _arrays.rows("faces", self.mesh.faces, 3, np.int64)
            _hitscan.plane_points(vertices, faces, origins, directions, index_ray, index_tri, uv, locations)
        return index_tri, index_ray, locations

    def intersects_first(self, ray_origins: ArrayLike, ray_directions: ArrayLike) -> _Ints:
        """Return the first face that each ray hits, (n,) int64, or -1."""
        origins, directions = self._rays(ray_origins, ray_directions)
        bvh, center = self._tree()
        n, rays = _arrays.local_rays(origins, directions, 0.0, np.inf, center)
        # The triangle of a miss is the largest number of 32 bits: -1 if it has a sign.
        return bvh._closest(n, rays, "both", None).triangle.view(np.int32).astype(np.int64)

    def intersects_any(self, ray_origins: ArrayLike, ray_directions: ArrayLike) -> npt.NDArray[np.bool_]:
        """Return whether each ray hits the mesh, (n,) bool."""
        origins, directions = self._rays(ray_origins, ray_directions)
        bvh, center = self._tree()
        _, rays = _arrays.local_rays(origins, directions, 0.0, np.inf, center)
        return bvh._core.is_occluded(rays, "both", None)

    def contains_points(self, points: ArrayLike) -> npt.NDArray[np.bool_]:
        """Return whether the mesh contains each point, (n,) bool.

        For a closed mesh, whether a ray from the point crosses the surface an odd number of times; the
        direction of the ray does not matter. For a mesh with holes, whether its winding number is nearer to
        1 than to 0.
        """
        start = _arrays.rows("points", points, 3, np.float64)
        bvh, center = self._tree()
        inside = np.zeros(len(start), np.bool_)
        if len(self.mesh.faces) == 0:
            return inside
        low, high = self.mesh.bounds
        near = np.flatnonzero(((start >= low) & (start <= high)).all(axis=1))
        local = start[near] - center
        if self.mesh.is_watertight:
            ways = np.broadcast_to([0.4395064455, 0.617598629942, 0.652231566745], local.shape)
            inside[near] = bvh.count_crossings(local, ways) % 2 == 1
        else:
            inside[near] = bvh.is_inside(local)
        return inside

    def __getstate__(self) -> dict[str, Any]:
        return {"mesh": self.mesh, "_scale_to_box": self._scale_to_box, "_built": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __copy__(self, *args: Any) -> RayMeshIntersector:
        return RayMeshIntersector(self.mesh, self._scale_to_box)

    def __deepcopy__(self, *args: Any) -> RayMeshIntersector:
        return self.__copy__()


def closest_point(mesh: Any, points: ArrayLike) -> tuple[_Floats, _Floats, _Ints]:
    """Return the nearest point of a mesh to each point, as ``trimesh.proximity.closest_point`` does.

    Parameters
    ----------
    mesh : trimesh.Trimesh
    points : (n, 3) float

    Returns
    -------
    closest : (n, 3) float64
    distance : (n,) float64
    triangle_id : (n,) int64
    """
    bvh, center, local = _tree_and_points(mesh, points)
    found = bvh.closest_points(local)
    return found.points + center, found.distance, found.triangle.astype(np.int64)


def signed_distance(mesh: Any, points: ArrayLike) -> _Floats:
    """Return the distance of each point, positive inside, as ``trimesh.proximity.signed_distance`` does.

    The winding number decides what is inside, so the mesh may have holes.

    Parameters
    ----------
    mesh : trimesh.Trimesh
    points : (n, 3) float

    Returns
    -------
    (n,) float64
    """
    bvh, _, local = _tree_and_points(mesh, points)
    return -bvh.signed_distances(local)


def _tree_and_points(mesh: Any, points: ArrayLike) -> tuple[Bvh, _Triple, _Floats]:
    """Return the tree of a mesh, the point that is its origin, and points relative to that."""
    start = _arrays.rows("points", points, 3, np.float64)
    bvh, center = _engine(mesh)._tree()
    if len(bvh) == 0 and len(start):
        raise ValueError("mesh has no faces, expected at least one")
    return bvh, center, start - np.array(center)


def _engine(mesh: Any) -> RayMeshIntersector:
    """Return the engine of a mesh with its tree."""
    for engine in (mesh.ray, mesh.__dict__.get("_hitscan_ray")):
        # A copied mesh has the attributes of the original.
        if isinstance(engine, RayMeshIntersector) and engine.mesh is mesh:
            return engine
    engine = mesh._hitscan_ray = RayMeshIntersector(mesh)
    return engine


#: What ``enable`` has replaced, for ``disable``: the attributes of ``trimesh.ray``, and its module.
_replaced: list[tuple[Any, Any, Any]] = []


def enable() -> None:
    """Make every trimesh mesh from now on answer ``mesh.ray`` by hitscan, and all meshes ``mesh.nearest``.

    So do ``closest_point`` and ``signed_distance`` of ``trimesh.proximity``. The rays of a mesh that exists
    already change by ``mesh.ray = RayMeshIntersector(mesh)``. Calling it twice is the same as once.

    Raises
    ------
    ImportError
        trimesh is not installed.
    """
    try:
        import trimesh.proximity
        import trimesh.ray
    except ImportError as error:
        raise ImportError(f"{error}; pip install 'hitscan[trimesh]' installs it", name=error.name) from error

    if _replaced:
        return
    for function in (closest_point, signed_distance):
        name = function.__name__
        _replaced.append((trimesh.proximity, name, getattr(trimesh.proximity, name)))
        setattr(trimesh.proximity, name, function)
    name = "trimesh.ray.ray_pyembree"
    module = ModuleType(name)
    module.RayMeshIntersector = RayMeshIntersector  # type: ignore[attr-defined]
    for attribute, value in (("ray_pyembree", module), ("has_embree", True)):
        _replaced.append((trimesh.ray, attribute, getattr(trimesh.ray, attribute)))
        setattr(trimesh.ray, attribute, value)
    _replaced.append((None, name, sys.modules.get(name)))
    sys.modules[name] = module


def disable() -> None:
    """Undo :func:`enable`."""
    while _replaced:
        owner, name, value = _replaced.pop()
        if owner is not None:
            setattr(owner, name, value)
        elif value is None:
            del sys.modules[name]
        else:
            sys.modules[name] = value
