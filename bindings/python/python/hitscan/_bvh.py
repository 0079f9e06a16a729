"""A mesh with its tree."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _arrays, _files, _hitscan, _pickles, _pictures
from ._arrays import ArrayLike
from ._bvh_rays import BvhRays
from ._bvh_space import BvhSpace
from ._convert import as_mesh
from ._edits import edit_of
from ._hits import HitLists, Hits, SurfacePoints
from ._mesh import Mesh
from ._options import Layout, Quality


class Bvh(BvhRays, BvhSpace):
    """A mesh with its tree, ready for queries.

    Rays and points are in the coordinates of the mesh's file or array. Their numbers are rounded to float32.
    If the mesh has an ``offset``, that is subtracted first, in float64, and ``t`` is in float64. Every answer
    is the same to the last bit on any machine, with any tree and any number of threads. Do not change the
    arrays of a query while it runs in another thread.

    Every query takes ``threads``, the number of threads, all cores by default. It releases the
    interpreter's lock, and Ctrl-C ends it. Rays are either two arrays (n, 3), or one array (n, 6) of
    origins and directions, or one array (n, 8) with ``t_min`` and ``t_max`` behind them. A contiguous
    float32 or float64 array is not copied. Directions have any length but zero, and ``t`` is in their
    units. A ray that is not finite, has no direction, or has ``t_min > t_max`` hits nothing.

    Rays and points may also have the shape of an image or of any other grid, (h, w, 3) in place of (n, 3).
    Each answer then has that shape, (h, w) in place of (n,). Lists of hits stay in rows: ray ``i`` is that of
    ``numpy.unravel_index(i, (h, w))``. The same holds for scenes, views, and recipes of points with normals.

    Parameters
    ----------
    mesh : Mesh, or (v, 3) array_like
        Or a mesh of another library that :func:`as_mesh` takes. An array holds positions, with ``triangles``
        beside it: ``Bvh(V, F)`` is ``Bvh(Mesh(V, F))``.
    triangles : (n, 3) array_like of int, optional
        The triangles or polygons of positions, as :class:`Mesh` takes them.
    quality : {"fast", "balanced", "high"}
        The time that the build may take, for the speed of the queries.
    layout : {"auto", "full", "compact"}
        ``"compact"`` takes half the memory; queries are slower. ``"auto"`` is ``"full"`` up to 2^26
        triangles, and ``"compact"`` beyond.
    isa : str, optional
        One of ``hitscan.instruction_sets``; the best by default.
    threads : int, optional
        The number of threads of the build.

    Examples
    --------
    >>> import hitscan
    >>> mesh = hitscan.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    >>> bvh = hitscan.Bvh(mesh)
    >>> hits = bvh.closest_hits([[0.25, 0.25, 2], [5, 5, 2]], [[0, 0, -1], [0, 0, -1]])
    >>> hits.t.tolist(), hits.hit.tolist()
    ([2.0, inf], [True, False])
    >>> hits.points[0].tolist()
    [0.25, 0.25, 0.0]
    """

    __slots__ = ("__weakref__", "_colors", "_core", "_notes")

    def __init__(
        self,
        mesh: Any,
        triangles: ArrayLike | None = None,
        *,
        quality: Quality = "balanced",
        layout: Layout = "auto",
        isa: str | None = None,
        threads: int | None = None,
    ) -> None:
        mesh = as_mesh(mesh) if triangles is None else Mesh(mesh, triangles)
        self._notes, self._colors = mesh.notes, mesh.colors
        self._core = _hitscan.Bvh(mesh._core, quality, layout, isa, _arrays.threads(threads))

    @classmethod
    def _of(cls, core: _hitscan.Bvh) -> Bvh:
        bvh = cls.__new__(cls)
        bvh._core, bvh._notes, bvh._colors = core, (), {}
        return bvh

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, max_bytes: int | None = None) -> Bvh:
        """Read a cache file, which ``save`` or ``hitscan build`` wrote.

        Parameters
        ----------
        path : path
        max_bytes : int, optional
            The maximum length of the file, 16 GiB by default. The tree takes about as much memory.

        Raises
        ------
        OSError
            A file that cannot be read.
        MemoryError
            A file longer than the available memory.
        ValueError
            A damaged file, one of another version, or one longer than ``max_bytes``.
        """
        limit = None if max_bytes is None else _arrays.integer("max_bytes", max_bytes, 0, (1 << 64) - 1)
        return cls._of(_hitscan.Bvh.load(_files.to_read(path), limit))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write mesh and tree to a cache file, whole or not at all.

        Raises
        ------
        OSError
            A file that cannot be written.
        """
        self._core.save(os.fsdecode(path))

    @property
    def mesh(self) -> Mesh:
        """The mesh, as a copy."""
        return Mesh._of(self._core.mesh, self._notes, self._colors)

    @property
    def bounds(self) -> npt.NDArray[Any]:
        """The minimum and the maximum corner, (2, 3) float32; +inf and -inf for an empty mesh.

        float64 if the mesh has an ``offset``.
        """
        return np.array(self._core.bounds, dtype=np.float64 if self._core.has_offset else np.float32)

    @property
    def isa(self) -> str:
        """The instruction set of the queries."""
        return self._core.isa

    @property
    def nbytes(self) -> int:
        """The bytes of the tree, with its copy of the triangles."""
        return self._core.nbytes

    def __len__(self) -> int:
        """Return the number of triangles."""
        return self._core.n_triangles

    def __repr__(self) -> str:
        core = self._core
        n = core.n_triangles
        return f"Bvh({n} triangle{'s' * (n != 1)}, {core.quality}, {core.layout}, {core.isa})"

    def _repr_png_(self) -> bytes | None:
        return _pictures.of_subject(self)

    def __sizeof__(self) -> int:
        # Dask places a tree by its size.
        return object.__sizeof__(self) + self._core.nbytes + self._core.mesh_nbytes

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _pickles.reduce_bvh(self, protocol)

    def refit(self, positions: ArrayLike) -> bool:
        """Move the vertices to new positions; the triangles stay the same. O(n).

        Queries that run meanwhile in other threads answer by the old positions.

        Parameters
        ----------
        positions : (v, 3) array_like

        Returns
        -------
        bool
            Whether the triangles have moved apart so far that a new build would pay.

        Raises
        ------
        ValueError
            Another number of positions, or one that is not finite; nothing has changed then.
        """
        return self._core.refit(self._local("positions", positions))

    def update(
        self,
        *,
        move: tuple[ArrayLike, ArrayLike] | None = None,
        append: tuple[ArrayLike, ArrayLike] | None = None,
        remove: ArrayLike | None = None,
        replace: tuple[range, ArrayLike] | None = None,
    ) -> bool:
        """Edit the mesh, and let the tree follow at the cost of what changed.

        Answers are those of a fresh tree of the edited mesh, to the last bit. A call takes one of the
        arguments. Answers that exist, scenes, and queries in other threads keep the old mesh. If one of them
        still holds it, the call copies mesh and tree first.

        Parameters
        ----------
        move : (vertices, positions), optional
            Vertices (m,) and their new positions (m, 3).
        append : (positions, triangles), optional
            New vertices (v, 3), which follow the old ones, and new triangles (n, 3) of old and new ones.
        remove : (m,) array_like, optional
            Triangles to remove, the largest index first: the last triangle takes the place of each. Vertices
            stay.
        replace : (range, triangles), optional
            Triangles in place of a range of triangles. Fewer remove the end of the range as ``remove`` does,
            and more are appended.

        Returns
        -------
        bool
            Whether the triangles have moved apart so far that a new build would pay.

        Raises
        ------
        ValueError, TypeError
            Not one edit; a vertex or triangle that does not exist or stands twice; a position that is not
            finite. Triangles come or go in a mesh of a file that has polygons or names; ``Mesh`` of its
            arrays has none. Nothing has changed then.

        Examples
        --------
        >>> import hitscan
        >>> bvh = hitscan.Bvh(hitscan.Mesh([[0, 0, 0], [4, 0, 0], [0, 4, 0]], [[0, 1, 2]]))
        >>> bvh.update(append=([[0, 0, 1], [4, 0, 1], [0, 4, 1]], [[3, 4, 5]]))
        False
        >>> bvh.update(move=([3], [[0, 0, 3]]))
        False
        >>> bvh.closest_hits([[0, 0, 9]], [[0, 0, -1]]).t.tolist()
        [6.0]
        >>> bvh.update(remove=[0])
        False
        >>> len(bvh), len(bvh.mesh.positions)
        (1, 6)
        """
        return self._core.update(edit_of(self._local, move, append, remove, replace))

    def _snapshot(self) -> Bvh:
        """Return the same tree, which later changes do not reach."""
        return Bvh._of(self._core.snapshot())

    def _describe(self, hits: Hits | HitLists | SurfacePoints, point: Any, normal: Any) -> None:
        self._core.describe(hits.triangle, hits.uv, point, normal)
