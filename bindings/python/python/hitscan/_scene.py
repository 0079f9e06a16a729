"""Scenes: many instances of trees in one world."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _arrays, _files, _hitscan, _options, _pickles, _pictures
from ._arrays import ArrayLike
from ._bvh import Bvh
from ._edits import edit_of
from ._hits import SceneHitLists, SceneHits
from ._options import ALL_LAYERS
from ._scene_rays import SceneRays
from ._scene_space import SceneSpace


@dataclass(frozen=True)
class _Edited:
    """In place of a tree: the scene has edited the mesh."""

    quality: str


@dataclass(frozen=True)
class Instance:
    """An instance of a scene, as it stood when it was asked for.

    Attributes
    ----------
    id : int
    bvh : Bvh or None
        None for a group.
    transform : (4, 4) float64
        From the instance's space to its parent's.
    parent : int or None
    name : str or None
    layers : int
        A mask of 32 bits.
    hidden, locked : bool
    """

    id: int
    bvh: Bvh | None
    transform: npt.NDArray[np.float64]
    parent: int | None
    name: str | None
    layers: int
    hidden: bool
    locked: bool


class Scene(SceneRays, SceneSpace):
    """Instances of trees, each with a transform, in a world of float64 coordinates.

    Rays and points are in world space. A hit's ``t`` is in units of the world ray's direction. Every query
    takes ``layers`` (a mask; only instances that share a bit take part), ``ignore`` (ids of instances that
    take no part, with their descendants), ``include_hidden`` and ``include_locked``. The rest is as in
    :class:`Bvh`. A query answers by the scene as it is when the query starts; other threads may edit it
    meanwhile.

    An instance keeps the shape that its tree has when it is added. After :meth:`Bvh.refit` or
    :meth:`Bvh.update`, call :meth:`set_mesh`; :meth:`update` edits the mesh where it stands. A pickled
    scene has its instances in the same order, with new ids.

    Examples
    --------
    >>> import numpy as np
    >>> import hitscan
    >>> bvh = hitscan.Bvh(hitscan.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))
    >>> scene = hitscan.Scene()
    >>> first = scene.insert(bvh)
    >>> moved = np.eye(4)
    >>> moved[:3, 3] = [10, 0, 0]
    >>> second = scene.insert(bvh, moved, name="second")
    >>> hits = scene.closest_hits([[10.2, 0.2, 5]], [[0, 0, -1]])
    >>> int(hits.instance[0]) == second, float(hits.t[0])
    (True, 5.0)
    """

    __slots__ = ("__weakref__", "_bvhs", "_core", "notes")

    #: The lines of the reader's report after :meth:`load`: what it skipped or mended.
    notes: tuple[str, ...]

    def __init__(self) -> None:
        self._core = _hitscan.Scene()
        self._bvhs: dict[int, Bvh | _Edited | None] = {}
        self.notes = ()

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], *, recentre: bool = True, max_bytes: int | None = None
    ) -> Scene:
        """Read a scene: a cache file, a glTF file with its nodes, a scene in TOML, or any mesh file.

        A cache file is what :meth:`save` or ``hitscan build`` of a scene wrote. Instances keep names,
        parents, layers and order, and share their trees. ``notes`` lists what the readers skipped or mended.

        Parameters
        ----------
        path : path
        recentre : bool
            As in :class:`Mesh`; a cache file has its offsets already.
        max_bytes : int, optional
            The maximum length of a cache file, 16 GiB by default.

        Raises
        ------
        OSError
            A file that cannot be read.
        MemoryError
            A file longer than the available memory.
        ValueError
            A broken file, or a cache file of a single mesh, which :meth:`Bvh.load` reads.
        """
        limit = None if max_bytes is None else _arrays.integer("max_bytes", max_bytes, 0, (1 << 64) - 1)
        core, trees, instances, notes = _hitscan.Scene.load(_files.to_read(path), bool(recentre), limit)
        bvhs = [Bvh._of(tree) for tree in trees]
        scene = cls.__new__(cls)
        scene._core, scene.notes = core, tuple(notes)
        scene._bvhs = {id: None if place is None else bvhs[place] for id, place in instances}
        return scene

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the scene with its trees to a cache file, whole or not at all.

        Raises
        ------
        OSError
            A file that cannot be written.
        """
        trees = ((id, self._tree(id)) for id in self.ids)
        self._core.save(os.fsdecode(path), {id: bvh._core.quality for id, bvh in trees if bvh is not None})

    def insert(
        self,
        bvh: Bvh | None,
        transform: ArrayLike | None = None,
        *,
        parent: int | None = None,
        name: str | None = None,
        layers: int = ALL_LAYERS,
        hidden: bool = False,
        locked: bool = False,
    ) -> int:
        """Add an instance and return its id.

        Parameters
        ----------
        bvh : Bvh or None
            None makes a group, to be the parent of others. The ``offset`` of a mesh applies before the
            transform, so without a transform the instance stands where its file says.
        transform : (4, 4) array_like, optional
            From the instance's space to its parent's, or to the world; the identity by default.
        parent : int, optional
        name : str, optional
        layers : int
        hidden, locked : bool
            Hidden and locked instances take no part in queries, unless a query includes them.

        Raises
        ------
        ValueError
            A transform that is singular or not finite, or an unknown parent.
        """
        _check_bvh(bvh)
        if parent is not None:
            self._check(parent, "parent")
        if name is not None and not isinstance(name, str):
            raise TypeError(f"name is {name!r}, expected a string or None")
        core = None if bvh is None else bvh._core
        matrix = _arrays.matrix("transform", np.eye(4) if transform is None else transform)
        mask = _options.mask(layers)
        id = self._core.insert(core, matrix, parent, name, mask, bool(hidden), bool(locked))
        self._bvhs[id] = bvh
        return id

    def remove(self, id: int) -> None:
        """Remove an instance with its descendants. Their ids are never used again."""
        self._check(id)
        for removed in self._core.remove(id):
            del self._bvhs[removed]

    def set_transform(self, id: int, transform: ArrayLike) -> None:
        """Replace the transform to the parent's space, a (4, 4) array_like."""
        self._check(id)
        self._core.set_transform(id, _arrays.matrix("transform", transform))

    def set_world_transform(self, id: int, transform: ArrayLike) -> None:
        """Replace the transform to world space, a (4, 4) array_like."""
        self._check(id)
        self._core.set_world_transform(id, _arrays.matrix("transform", transform))

    def set_mesh(self, id: int, bvh: Bvh | None) -> None:
        """Replace the tree of an instance."""
        self._check(id)
        _check_bvh(bvh)
        self._core.set_mesh(id, None if bvh is None else bvh._core)
        self._bvhs[id] = bvh

    def update(
        self,
        id: int,
        *,
        move: tuple[ArrayLike, ArrayLike] | None = None,
        append: tuple[ArrayLike, ArrayLike] | None = None,
        remove: ArrayLike | None = None,
        replace: tuple[range, ArrayLike] | None = None,
    ) -> bool:
        """Edit the mesh of an instance, and of all other instances with the same mesh.

        The trees follow at the cost of what changed. The :class:`Bvh` that was added keeps its mesh, and the
        first edit copies it. From then on ``instance(id).bvh`` is the edited one.

        Parameters
        ----------
        id : int
        move, append, remove, replace
            The edit, as in :meth:`Bvh.update`.

        Returns
        -------
        bool
            Whether the triangles have moved apart so far that a new build would pay.

        Raises
        ------
        ValueError, TypeError
            An id that is not in the scene or that of a group, or an edit that the mesh does not take. Nothing
            has changed then.

        Examples
        --------
        >>> import hitscan
        >>> scene = hitscan.Scene()
        >>> id = scene.insert(hitscan.Bvh(hitscan.Mesh([[0, 0, 0], [4, 0, 0], [0, 4, 0]], [[0, 1, 2]])))
        >>> scene.update(id, move=([0, 1, 2], [[0, 0, 1], [4, 0, 1], [0, 4, 1]]))
        False
        >>> scene.closest_hits([[1, 1, 9]], [[0, 0, -1]]).t.tolist()
        [8.0]
        """
        tree = self._tree(id)
        if tree is None:
            raise ValueError(f"{id} is no instance with a tree")
        edit, quality = edit_of(tree._local, move, append, remove, replace), tree._core.quality
        # A tree that this method holds would have to be copied.
        del tree
        pays, ids = self._core.update(id, edit)
        self._bvhs.update(dict.fromkeys(ids, _Edited(quality)))
        return pays

    def _tree(self, id: int) -> Bvh | None:
        bvh = self._bvhs.get(id)
        return Bvh._of(self._core.shape(id, bvh.quality)[1]) if isinstance(bvh, _Edited) else bvh

    def set_hidden(self, id: int, hidden: bool) -> None:
        """Hide or show an instance with its descendants."""
        self._check(id)
        self._core.set_hidden(id, bool(hidden))

    def set_locked(self, id: int, locked: bool) -> None:
        """Lock or unlock an instance."""
        self._check(id)
        self._core.set_locked(id, bool(locked))

    def set_layers(self, id: int, layers: int) -> None:
        """Replace the layers of an instance."""
        self._check(id)
        self._core.set_layers(id, _options.mask(layers))

    @property
    def ids(self) -> list[int]:
        """The ids of all instances, in order of their addition."""
        return self._core.ids()

    def instance(self, id: int) -> Instance:
        """Return an instance with its properties."""
        self._check(id)
        matrix, parent, name, layers, hidden, locked = self._core.record(id)
        transform = matrix.reshape(4, 4)
        return Instance(id, self._tree(id), transform, parent, name, layers, hidden, locked)

    def world_transform(self, id: int) -> npt.NDArray[np.float64]:
        """Return the transform from the instance's space to the world, (4, 4) float64."""
        self._check(id)
        return self._core.world_transform(id).reshape(4, 4)

    @property
    def bounds(self) -> npt.NDArray[np.float64]:
        """The minimum and the maximum of the vertices in the world, hidden or not, (2, 3) float64.

        Exact: each vertex by its instance's transform in float64. +inf and -inf for an empty scene.
        """
        return np.array(self._core.bounds, dtype=np.float64)

    def __len__(self) -> int:
        """Return the number of instances."""
        return len(self._bvhs)

    def __repr__(self) -> str:
        n = len(self)
        return f"Scene({n} instance{'s' * (n != 1)})"

    def _repr_png_(self) -> bytes | None:
        return _pictures.of_subject(self)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _pickles.reduce_scene(self)

    def _check(self, id: Any, name: str = "id") -> None:
        if isinstance(id, bool) or not isinstance(id, (int, np.integer)):
            raise TypeError(f"{name} is {id!r}, expected an integer")
        if id not in self._bvhs:
            raise ValueError(f"{name} is {id}, which is no instance of the scene")

    def _snapshot(self) -> Scene:
        """Return the scene as it is now, which later edits do not change."""
        scene = Scene.__new__(Scene)
        scene._core, scene._bvhs, scene.notes = self._core.snapshot(), dict(self._bvhs), self.notes
        return scene

    def _describe(self, hits: SceneHits | SceneHitLists, point: Any, normal: Any) -> None:
        self._core.describe(hits.instance, hits.triangle, hits.uv, point, normal)


def _check_bvh(bvh: Any) -> None:
    if bvh is not None and not isinstance(bvh, Bvh):
        raise TypeError(f"bvh is a {type(bvh).__name__}, expected a hitscan.Bvh or None")
