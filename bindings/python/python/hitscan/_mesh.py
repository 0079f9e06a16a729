"""Triangle meshes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _arrays, _hitscan
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
    positions : (v, 3) array_like of float32
        The vertices. Numbers of other types are converted to float32.
    triangles : (n, 3) array_like of int
        The indices of the corners of each triangle.

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
    """

    __slots__ = ("__weakref__", "_core", "_positions", "_triangles", "notes")

    #: The lines of the reader's report: what it skipped or mended.
    notes: tuple[str, ...]

    def __init__(self, positions: ArrayLike, triangles: ArrayLike) -> None:
        vertices = _arrays.rows("positions", positions, 3, np.float32)
        self._set(_hitscan.Mesh(vertices, _arrays.indices("triangles", triangles)))

    def _set(self, core: _hitscan.Mesh, notes: tuple[str, ...] = ()) -> None:
        self._core = core
        self._positions: npt.NDArray[np.float32] | None = None
        self._triangles: npt.NDArray[np.uint32] | None = None
        self.notes = notes

    @classmethod
    def _of(cls, core: _hitscan.Mesh, notes: tuple[str, ...] = ()) -> Mesh:
        mesh = cls.__new__(cls)
        mesh._set(core, notes)
        return mesh

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Mesh:
        """Read an OBJ, STL, PLY or glTF file; also compressed by gzip or Zstandard.

        A compressed file may expand to 100 times its size and 64 MiB more; decompress others first.
        The instances of a glTF scene are merged into one mesh. ``notes`` lists what the reader skipped or
        mended.

        Raises
        ------
        OSError
            A file that cannot be read.
        ValueError
            A broken file, with line or byte, what was found and what was expected.
        """
        core, notes = _hitscan.Mesh.load(os.fspath(path))
        return cls._of(core, tuple(notes))

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
        return self._core.save(os.fspath(path))

    @property
    def positions(self) -> npt.NDArray[np.float32]:
        """The vertices, (v, 3) float32, read-only."""
        if self._positions is None:
            self._positions = self._core.positions()
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
    def bounds(self) -> npt.NDArray[np.float32]:
        """The minimum and the maximum corner, (2, 3) float32; +inf and -inf for an empty mesh."""
        return np.array(self._core.bounds, dtype=np.float32)

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

    def __reduce_ex__(self, protocol: Any) -> Any:
        # The cache format checks the mesh, with all of its names, and holds a tree beside it.
        from ._bvh import Bvh

        return _mesh_of, (Bvh(self, quality="fast", layout="compact"), self.notes)

    def __copy__(self) -> Mesh:
        return self

    def __deepcopy__(self, memo: Any) -> Mesh:
        return self


def _mesh_of(bvh: Any, notes: tuple[str, ...]) -> Mesh:
    mesh: Mesh = bvh.mesh
    mesh.notes = notes
    return mesh


def load(path: str | os.PathLike[str]) -> Mesh:
    """Read a mesh; the same as :meth:`Mesh.load`."""
    return Mesh.load(path)
