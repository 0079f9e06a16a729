"""A drop-in for ``open3d.t.geometry.RaycastingScene`` that does not need Open3D.

>>> import numpy as np
>>> from hitscan.open3d import RaycastingScene
>>> scene = RaycastingScene()
>>> scene.add_triangles([[0, 0, 0], [1, 0, 0], [1, 1, 0]], [[0, 1, 2]])
0
>>> rays = np.array([[0.2, 0.1, 1, 0, 0, -1], [10, 10, 10, 1, 0, 0]], dtype=np.float32)
>>> scene.cast_rays(rays)["t_hit"].tolist()
[1.0, inf]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _arrays, _pinhole
from ._arrays import ArrayLike
from ._bvh import Bvh
from ._hits import INVALID, describe
from ._mesh import Mesh

__all__ = ["Array", "RaycastingScene"]


#: The dtypes of Open3D, by name.
_DTYPES = (
    "float32",
    "float64",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "bool",
)


class Array(np.ndarray[Any, Any]):
    """A NumPy array with the methods of an Open3D tensor that scripts call on answers."""

    def numpy(self) -> npt.NDArray[Any]:
        """Return the same numbers as a plain array."""
        return self.view(np.ndarray)

    def cpu(self) -> Array:
        """Return the array, which is in main memory."""
        return self

    def clone(self) -> Array:
        """Return a copy."""
        return self.copy().view(Array)

    def to(self, dtype: Any, copy: bool = False) -> Array:
        """Return the numbers in another dtype of NumPy, or of Open3D by its name; a device is ignored."""
        name = str(dtype).lower()
        found = next((known for known in _DTYPES if name == known), None)
        target = self.dtype if found is None and "pu" in name else np.dtype(found or dtype)
        return self.astype(target, copy=copy).view(Array)

    def contiguous(self) -> Array:
        """Return the array in C order."""
        return np.ascontiguousarray(self).view(Array)

    def num_elements(self) -> int:
        """Return the number of elements."""
        return int(self.size)

    def isfinite(self) -> Array:
        """Return whether each number is finite."""
        return np.isfinite(self).view(Array)

    def isinf(self) -> Array:
        """Return whether each number is infinite."""
        return np.isinf(self).view(Array)

    def isnan(self) -> Array:
        """Return whether each number is NaN."""
        return np.isnan(self).view(Array)

    def logical_not(self) -> Array:
        """Return whether each element is false."""
        return np.logical_not(self).view(Array)

    def to_dlpack(self) -> Any:
        """Return a capsule of DLPack."""
        return self.numpy().__dlpack__()

    def __call__(self) -> Array:
        """Return the array, so that ``tensor.T()`` works, which is a method in Open3D."""
        return self

    def __getitem__(self, key: Any) -> Any:
        # A single element keeps the methods, as that of a tensor does.
        return np.asarray(super().__getitem__(key)).view(Array)


class RaycastingScene:
    """Triangle meshes, and rays and points against all of them.

    The scene builds its tree at the first query after a mesh was added. Rays are arrays (..., 6) of origins
    and directions, points are arrays (..., 3). Answers keep the leading dimensions. An Open3D tensor, a
    torch tensor or anything that NumPy converts is accepted.

    Parameters
    ----------
    nthreads : int
        The number of threads of the build; 0 for all.
    device : optional
        Accepted and ignored.
    """

    #: The id of a ray that hits nothing.
    INVALID_ID = INVALID

    def __init__(self, nthreads: int = 0, device: Any = None) -> None:
        self._nthreads = _threads(nthreads)
        self._positions: list[npt.NDArray[np.float32]] = []
        self._triangles: list[npt.NDArray[np.uint32]] = []
        self._bvh: Bvh | None = None
        self._starts = np.zeros(1, np.int64)

    def add_triangles(
        self,
        vertex_positions: Any = None,
        triangle_indices: ArrayLike | None = None,
        *,
        mesh: Any = None,
    ) -> int:
        """Add a mesh and return its id.

        Parameters
        ----------
        vertex_positions : (v, 3) array_like, or a mesh
            A mesh of Open3D, of trimesh, or of hitscan stands for both arguments.
        triangle_indices : (n, 3) array_like of int
        """
        if mesh is not None:
            vertex_positions = mesh
        if triangle_indices is None:
            vertex_positions, triangle_indices = _arrays_of(vertex_positions)
        positions = _arrays.rows("vertex_positions", _plain(vertex_positions), 3, np.float32)
        triangles = _arrays.indices("triangle_indices", _plain(triangle_indices))
        # The constructor of a mesh checks both.
        Mesh(positions, triangles)
        self._positions.append(positions)
        self._triangles.append(triangles)
        self._bvh = None
        return len(self._positions) - 1

    def _tree(self) -> Bvh:
        if self._bvh is None:
            counts = [len(positions) for positions in self._positions]
            offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
            if offsets[-1] > INVALID:
                raise ValueError(f"the scene has {offsets[-1]} vertices, expected fewer than 2^32")
            parts = [t.astype(np.int64) + o for t, o in zip(self._triangles, offsets, strict=False)]
            positions = np.concatenate([np.zeros((0, 3), np.float32), *self._positions])
            triangles = np.concatenate([np.zeros((0, 3), np.int64), *parts])
            self._starts = np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)
            self._bvh = Bvh(Mesh(positions, triangles), threads=self._nthreads)
        return self._bvh

    def _ids(self, triangle: npt.NDArray[np.uint32]) -> tuple[Any, Any]:
        """Return the ids of meshes, and the triangles as numbers in their meshes."""
        if len(self._starts) <= 2:
            return np.where(triangle == INVALID, np.uint32(INVALID), np.uint32(0)), triangle
        mesh = np.searchsorted(self._starts, triangle, side="right") - 1
        missed = triangle == INVALID
        mesh[missed] = 0
        own = (triangle - self._starts[mesh]).astype(np.uint32)
        own[missed] = INVALID
        ids = mesh.astype(np.uint32)
        ids[missed] = INVALID
        return ids, own

    def cast_rays(self, rays: ArrayLike, nthreads: int = 0) -> dict[str, Array]:
        """Find what each ray hits first.

        Returns
        -------
        dict
            ``t_hit`` (...) float32, inf for a miss; ``geometry_ids`` and ``primitive_ids`` (...) uint32,
            ``INVALID_ID`` for a miss; ``primitive_uvs`` (..., 2) and ``primitive_normals`` (..., 3) float32,
            0 for a miss.
        """
        array, shape = _leading("rays", rays, 6)
        bvh, n = self._tree(), len(array)
        answers = _arrays.empty_arrays(
            f"the hits of {n} rays", n, np.float32, np.uint32, np.uint32, (np.float32, 2), (np.float32, 3)
        )
        _, rows = _arrays.local_rays(array, None, 0.0, np.inf)
        bvh._core.cast_rays(rows, _threads(nthreads), self._starts, answers)
        t, geometry, primitive, uv, normals = answers
        return {
            "t_hit": _shaped(t, shape),
            "geometry_ids": _shaped(geometry, shape),
            "primitive_ids": _shaped(primitive, shape),
            "primitive_uvs": _shaped(uv, (*shape, 2)),
            "primitive_normals": _shaped(normals, (*shape, 3)),
        }

    def test_occlusions(
        self, rays: ArrayLike, tnear: float = 0.0, tfar: float = np.inf, nthreads: int = 0
    ) -> Array:
        """Return whether anything is on each ray.

        Parameters
        ----------
        rays : (..., 6) array_like
        tnear, tfar : float
            The closed interval of ``t``.
        nthreads : int
            0 for all.

        Returns
        -------
        (...) bool
        """
        array, shape = _leading("rays", rays, 6)
        hit = self._tree().is_occluded(
            array,
            t_min=_arrays.number("tnear", tnear),
            t_max=_arrays.number("tfar", tfar),
            threads=_threads(nthreads),
        )
        return _shaped(hit, shape)

    def count_intersections(self, rays: ArrayLike, nthreads: int = 0) -> Array:
        """Return how often each ray crosses surfaces, (...) int32. A shared edge counts once."""
        array, shape = _leading("rays", rays, 6)
        count = self._tree().count_crossings(array, threads=_threads(nthreads))
        return _shaped(count.astype(np.int32), shape)

    def list_intersections(self, rays: ArrayLike, nthreads: int = 0) -> dict[str, Array]:
        """Find all crossings of each ray, sorted by ``t``.

        Returns
        -------
        dict
            ``ray_splits`` (n + 1,) int64; ``ray_ids`` (m,) int64; ``t_hit`` (m,) float32; ``geometry_ids``
            and ``primitive_ids`` (m,) uint32; ``primitive_uvs`` (m, 2) float32.
        """
        array, _ = _leading("rays", rays, 6)
        lists = self._tree().all_hits(array, once_per_crossing=True, threads=_threads(nthreads))
        geometry, primitive = self._ids(lists.triangle)
        return {
            "ray_splits": lists.splits.view(Array),
            "ray_ids": lists.ray.view(Array),
            "t_hit": lists.t.view(Array),
            "geometry_ids": geometry.view(Array),
            "primitive_ids": primitive.view(Array),
            "primitive_uvs": lists.uv.view(Array),
        }

    def compute_closest_points(self, query_points: ArrayLike, nthreads: int = 0) -> dict[str, Array]:
        """Find the closest surface point.

        Returns
        -------
        dict
            ``points`` (..., 3) float32; ``geometry_ids`` and ``primitive_ids`` (...) uint32;
            ``primitive_uvs`` (..., 2) and ``primitive_normals`` (..., 3) float32.
        """
        array, shape = _leading("query_points", query_points, 3)
        bvh = self._tree()
        found = bvh.closest_points(array, threads=_threads(nthreads))
        geometry, primitive = self._ids(found.triangle)
        normals = np.nan_to_num(describe(bvh, found)[1]).astype(np.float32)
        return {
            "points": _shaped(found.points.astype(np.float32), (*shape, 3)),
            "geometry_ids": _shaped(geometry, shape),
            "primitive_ids": _shaped(primitive, shape),
            "primitive_uvs": _shaped(found.uv, (*shape, 2)),
            "primitive_normals": _shaped(normals, (*shape, 3)),
        }

    def compute_distance(self, query_points: ArrayLike, nthreads: int = 0) -> Array:
        """Return the distance to the closest surface, (...) float32."""
        array, shape = _leading("query_points", query_points, 3)
        return _shaped(self._tree()._core.distances(array, _threads(nthreads)), shape)

    def compute_signed_distance(self, query_points: ArrayLike, nthreads: int = 0, nsamples: int = 1) -> Array:
        """Return the distance to the closest surface, (...) float32, negative inside.

        A point is inside if a ray from it crosses surfaces an odd number of times; for closed meshes every
        ray agrees.

        Parameters
        ----------
        query_points : (..., 3) array_like
        nthreads : int
            0 for all.
        nsamples : int
            How many rays vote, an odd number; more than one matters for meshes with holes only.

        Returns
        -------
        (...) float32
        """
        return self._vote(self._tree()._core.signed_distances_by_rays, query_points, nthreads, nsamples)

    def compute_occupancy(self, query_points: ArrayLike, nthreads: int = 0, nsamples: int = 1) -> Array:
        """Return 1 for points inside and 0 for others, (...) float32.

        Arguments as in :meth:`compute_signed_distance`.
        """
        return self._vote(self._tree()._core.occupancy, query_points, nthreads, nsamples)

    def _vote(self, query: Any, query_points: ArrayLike, nthreads: int, nsamples: int) -> Array:
        array, shape = _leading("query_points", query_points, 3)
        return _shaped(query(array, _ways(nsamples), _threads(nthreads)), shape)

    @staticmethod
    def create_rays_pinhole(*args: Any, **kwargs: Any) -> Array:
        """Create the rays of a pinhole camera through the centres of its pixels.

        Call it with ``intrinsic_matrix`` (3, 3), ``extrinsic_matrix`` (4, 4, world to camera), ``width_px``
        and ``height_px``; or with ``fov_deg`` (horizontal), ``center``, ``eye``, ``up``, ``width_px`` and
        ``height_px``. As in Open3D, the last row of the picture is the one in the direction of ``up``.

        Returns
        -------
        (height_px, width_px, 6) float32
        """
        make = _pinhole.by_fov if len(args) + len(kwargs) == 6 else _pinhole.by_matrices
        named = {name: _plain(value) for name, value in kwargs.items()}
        return make(*map(_plain, args), **named).view(Array)


def _ways(n: int) -> npt.NDArray[np.float32]:
    """Return directions spread over half the sphere; always the same, so that answers never change."""
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1 or n % 2 == 0:
        raise ValueError(f"nsamples is {n!r}, expected an odd number from 1 on")
    sample = np.arange(n)
    z = 0.31 + 0.6 * ((sample * 0.754877666) % 1.0)
    angle, flat = 1.1 + 2.399963229728653 * sample, np.sqrt(1 - z * z)
    return np.stack([flat * np.cos(angle), flat * np.sin(angle), z], axis=1).astype(np.float32)


def _threads(nthreads: int) -> int | None:
    # Open3D takes 0 and, in some of its examples, -1 for all threads.
    return (
        None if isinstance(nthreads, int) and nthreads in (0, -1) else _arrays.threads(nthreads, "nthreads")
    )


def _plain(values: Any) -> Any:
    """Return an Open3D or torch tensor as a NumPy array, and anything else as it is."""
    if isinstance(values, np.ndarray) or not hasattr(values, "numpy"):
        return values
    return (values.cpu() if hasattr(values, "cpu") else values).numpy()


def _arrays_of(mesh: Any) -> tuple[Any, Any]:
    """Return the positions and triangles of a mesh of Open3D, trimesh or hitscan."""
    if isinstance(mesh, Mesh):
        if mesh.offset.any():
            raise ValueError(
                f"the mesh has the offset {mesh.offset.tolist()}, expected none, because rays are float32 "
                "here; use hitscan.Scene, or move the positions near the origin"
            )
        return mesh.positions, mesh.triangles
    if hasattr(mesh, "vertex") and hasattr(mesh, "triangle"):
        return mesh.vertex.positions, mesh.triangle.indices
    if hasattr(mesh, "vertices"):
        faces = mesh.faces if hasattr(mesh, "faces") else mesh.triangles
        return np.asarray(mesh.vertices), np.asarray(faces)
    raise TypeError(f"add_triangles got a {type(mesh).__name__}, expected two arrays or a mesh")


def _leading(name: str, values: Any, columns: int) -> tuple[Any, tuple[int, ...]]:
    """Return the rows of an array (..., columns), and its leading dimensions."""
    array = _arrays.numbers(name, _plain(values))
    if array.ndim < 1 or array.shape[-1] != columns:
        raise ValueError(f"{name} has shape {array.shape}, expected (..., {columns})")
    rows = _arrays.contiguous(name, array.reshape(-1, columns), np.float32)
    return rows, array.shape[:-1]


def _shaped(values: Any, shape: Sequence[int]) -> Array:
    return values.reshape(shape).view(Array)  # type: ignore[no-any-return]


#: The class of Open3D that ``enable`` has replaced.
_replaced: list[Any] = []


def enable() -> None:
    """Make ``open3d.t.geometry.RaycastingScene`` that of hitscan. Calling it twice is the same as once.

    Raises
    ------
    ImportError
        Open3D is not installed.
    """
    if not _replaced:
        geometry = _geometry()
        _replaced.append(geometry.RaycastingScene)
        geometry.RaycastingScene = RaycastingScene


def disable() -> None:
    """Undo :func:`enable`."""
    while _replaced:
        _geometry().RaycastingScene = _replaced.pop()


def _geometry() -> Any:
    """Open3D's module, without types: a class of a typed one cannot be assigned to."""
    import open3d

    return open3d.t.geometry
