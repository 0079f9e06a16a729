"""Triangle meshes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import _arrays, _files, _hitscan, _pictures
from ._arrays import ArrayLike


@dataclass(frozen=True)
class Names:
    """What a file says about a triangle.

    Attributes
    ----------
    object, group, material : str or None
    polygon : int
        The index of the polygon that the triangle was cut from.
    line : int or None
        The line of the file that holds the polygon.
    """

    object: str | None
    group: str | None
    material: str | None
    polygon: int
    line: int | None


class Mesh:
    """A triangle mesh, which never changes.

    Parameters
    ----------
    positions : (v, 3) array_like
        The vertices. They are stored as float32, relative to ``offset``.
    triangles : (n, 3) array_like of int
        The indices of the corners of each triangle. Polygons are cut into triangles: an array (n, 4) or with
        more columns, or a list of lists of corners. ``polygon_ids`` has the polygon of each triangle.
    recentre : bool
        Whether a mesh gets an ``offset`` if float32 would move a coordinate by more than a millionth of the
        mesh's size. Without, ``notes`` says by how much float32 moves them.

    Raises
    ------
    ValueError
        An array of another shape, an index beyond the vertices, or a position that is not finite.
    TypeError
        An array of something else than numbers, or indices that are no integers.

    Examples
    --------
    >>> import hitscan
    >>> mesh = hitscan.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    >>> mesh
    Mesh(1 triangle, 3 vertices)
    >>> house = hitscan.Mesh(
    ...     [[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0], [1, 3, 0]], [[0, 1, 2, 3], [3, 2, 4]]
    ... )
    >>> house.polygon_ids.tolist()
    [0, 0, 1]

    float32 has steps of 0.5 at 5,000,000; an offset keeps what they would lose.

    >>> far = hitscan.Mesh([[5e6 + 0.1, 0, 0], [5e6 + 1, 0, 0], [5e6, 1, 0]], [[0, 1, 2]])
    >>> far.offset.tolist(), far.bounds.tolist()
    ([5000000.5, 0.5, 0.0], [[5000000.0, 0.0, 0.0], [5000001.0, 1.0, 0.0]])
    """

    __slots__ = ("__weakref__", "_core", "_positions", "_triangles", "colors", "notes")

    #: Red, green and blue of the materials of the file, by name, as ``render`` takes them.
    colors: dict[str, tuple[float, float, float]]

    #: The lines of the reader's report: what it skipped or mended.
    notes: tuple[str, ...]

    def __init__(self, positions: ArrayLike, triangles: ArrayLike, *, recentre: bool = True) -> None:
        vertices = _arrays.rows("positions", positions, 3, None)
        corners, ends = _arrays.polygons("triangles", triangles)
        is_single = vertices.dtype == np.float32
        if ends is not None:
            exact = _arrays.contiguous("positions", vertices, np.float64)
            core, rounded_by = _hitscan.Mesh.from_polygons(
                exact, corners, ends, bool(recentre) and not is_single
            )
        elif is_single:
            core, rounded_by = _hitscan.Mesh(vertices, corners), 0.0
        else:
            core, rounded_by = _hitscan.Mesh.from_f64(vertices, corners, bool(recentre))
        note = f"positions rounded by up to {rounded_by}, because float32 has too few digits there"
        self._set(core, (note,) if rounded_by > 0 else ())

    def _set(
        self, core: _hitscan.Mesh, notes: tuple[str, ...] = (), colors: Mapping[str, Any] | None = None
    ) -> None:
        self._core = core
        self.colors = dict(colors or {})
        self._positions: npt.NDArray[Any] | None = None
        self._triangles: npt.NDArray[np.uint32] | None = None
        self.notes = notes

    @classmethod
    def _of(
        cls, core: _hitscan.Mesh, notes: tuple[str, ...] = (), colors: Mapping[str, Any] | None = None
    ) -> Mesh:
        mesh = cls.__new__(cls)
        mesh._set(core, notes, colors)
        return mesh

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, recentre: bool = True) -> Mesh:
        """Read an OBJ, STL, PLY or glTF file; also compressed by gzip or Zstandard.

        A compressed file may expand to 100 times its size and 64 MiB more; decompress others first.
        The instances of a glTF scene are merged into one mesh. ``notes`` lists what the reader skipped or
        mended. ``recentre`` is that of :class:`Mesh`.

        Raises
        ------
        OSError
            A file that cannot be read.
        ValueError
            A broken file, with line or byte, what was found and what was expected.
        """
        core, notes, colors = _hitscan.Mesh.load(_files.to_read(path), bool(recentre))
        return cls._of(core, tuple(notes), {name: tuple(color) for name, color in colors.items()})

    def save(self, path: str | os.PathLike[str]) -> list[str]:
        """Write the mesh as OBJ, STL, PLY or GLB, by the extension of ``path``.

        Returns
        -------
        list of str
            What the format cannot hold.

        Raises
        ------
        OSError
            A file that cannot be written; an existing file is then unchanged.
        ValueError
            Another extension.
        """
        return self._core.save(os.fsdecode(path))

    @property
    def positions(self) -> npt.NDArray[Any]:
        """The vertices, (v, 3) float32, read-only; with an ``offset`` float64.

        They are in the coordinates of the file or the array.
        """
        if self._positions is None:
            local = self._core.positions()
            self._positions = local + self.offset if self._core.has_offset else local
            self._positions.flags.writeable = False
        return self._positions

    @property
    def triangles(self) -> npt.NDArray[np.uint32]:
        """The indices of the corners, (n, 3) uint32, read-only."""
        if self._triangles is None:
            self._triangles = self._core.triangles()
            self._triangles.flags.writeable = False
        return self._triangles

    @property
    def offset(self) -> npt.NDArray[np.float64]:
        """The point that the stored float32 positions are relative to, (3,) float64; zeros for most meshes.

        ``positions``, ``bounds``, rays, points and answers are in the coordinates of the file or the array:
        those of the stored positions plus the offset.
        """
        return np.array(self._core.offset, dtype=np.float64)

    @property
    def bounds(self) -> npt.NDArray[Any]:
        """The minimum and the maximum corner, (2, 3) float32; +inf and -inf for an empty mesh.

        float64 with an ``offset``.
        """
        return np.array(self._core.bounds, dtype=np.float64 if self._core.has_offset else np.float32)

    @property
    def corner_normals(self) -> npt.NDArray[np.float32] | None:
        """The normals of a file at the corners of each triangle, (n, 3, 3) float32, of any length.

        NaN where a corner has none; None if no corner has one.
        """
        values = self._core.corner_normals()
        return None if values is None else values.reshape(-1, 3, 3)

    @property
    def corner_uvs(self) -> npt.NDArray[np.float32] | None:
        """The texture coordinates of a file at the corners of each triangle, (n, 3, 2) float32.

        (0, 0) is the lower left corner of the picture. NaN where a corner has none; None if no corner has.
        """
        values = self._core.corner_uvs()
        return None if values is None else values.reshape(-1, 3, 2)

    @property
    def polygon_ids(self) -> npt.NDArray[np.uint32]:
        """The index of the polygon that each triangle was cut from, (n,) uint32."""
        return self._core.polygons()

    def labels(self, kind: Literal["object", "group", "material"]) -> tuple[list[str], npt.NDArray[np.int32]]:
        """Return the names that a file gives to triangles, as arrays.

        Parameters
        ----------
        kind : {"object", "group", "material"}

        Returns
        -------
        names : list of str
            All names of the file.
        index : (n,) int32
            The place in ``names`` of the name of each triangle; -1 for none.
        """
        return self._core.labels(kind)

    def names(self, triangle: int) -> Names:
        """Return what the file says about a triangle.

        Raises
        ------
        IndexError
            A triangle that the mesh does not have.
        """
        if not 0 <= triangle < self._core.n_triangles:
            raise IndexError(f"triangle is {triangle}, expected an index below {self._core.n_triangles}")
        return Names(*self._core.names(triangle))

    def __len__(self) -> int:
        """Return the number of triangles."""
        return self._core.n_triangles

    def __repr__(self) -> str:
        n, v = self._core.n_triangles, self._core.n_vertices
        return f"Mesh({n} triangle{'s' * (n != 1)}, {v} vertices)"

    def _repr_png_(self) -> bytes | None:
        return _pictures.of_subject(self)

    def __reduce_ex__(self, protocol: Any) -> Any:
        # The cache format checks the mesh, with all of its names, and holds a tree beside it.
        from ._bvh import Bvh

        return _mesh_of, (Bvh(self, quality="fast", layout="compact"), self.notes, self.colors)

    def __copy__(self) -> Mesh:
        return self

    def __deepcopy__(self, memo: Any) -> Mesh:
        return self


def _mesh_of(bvh: Any, notes: tuple[str, ...], colors: dict[str, tuple[float, float, float]]) -> Mesh:
    mesh: Mesh = bvh.mesh
    mesh.notes, mesh.colors = notes, colors
    return mesh


def load(path: str | os.PathLike[str], *, recentre: bool = True) -> Mesh:
    """Read a mesh; the same as :meth:`Mesh.load`."""
    return Mesh.load(path, recentre=recentre)
