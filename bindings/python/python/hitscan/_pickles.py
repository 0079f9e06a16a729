"""Pickles of trees, scenes and answers: what ``__reduce_ex__`` returns, and what a pickle calls.

A tree is in the cache format, which has checksums. A scene has its trees, and a list of its instances with
a checksum. An answer has the triangles that it refers to in place of its tree or scene, so its points and
normals keep their bits. Functions take the class, so that this module needs none.
"""

from __future__ import annotations

import json
import pickle
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _hitscan

if TYPE_CHECKING:
    from ._bvh import Bvh
    from ._scene import Scene


def reduce_bvh(bvh: Bvh, protocol: int) -> Any:
    """Return the pickle of a tree; out of band from protocol 5 on."""
    data = bvh._core.to_bytes()
    content = pickle.PickleBuffer(data.data) if protocol >= 5 else data.tobytes()
    return read_bvh, (type(bvh), content)


def read_bvh(cls: type[Bvh], content: Any) -> Bvh:
    """Return the tree of a pickle."""
    try:
        return cls._of(_hitscan.Bvh.from_bytes(np.frombuffer(content, np.uint8)))
    except ValueError as error:
        raise ValueError(str(error).replace("run `hitscan build` again", "pickle the tree again")) from None


def reduce_scene(scene: Scene) -> Any:
    """Return the pickle of a scene: each tree once, and the instances in order of their addition."""
    ids = scene.ids
    place = {id: place for place, id in enumerate(ids)}
    bvhs: list[Bvh] = []
    place_of_bvh: dict[int, int] = {}
    rows = []
    for id in ids:
        one = scene.instance(id)
        shape = None
        if one.bvh is not None:
            # The tree of the instance; that of the caller may have been refitted since.
            key, core = scene._core.shape(id, one.bvh._core.quality)
            shape = place_of_bvh.setdefault(key, len(bvhs))
            if shape == len(bvhs):
                bvhs.append(one.bvh._of(core))
        parent = None if one.parent is None else place[one.parent]
        matrix = one.transform.ravel().tolist()
        rows.append([shape, matrix, parent, one.name, one.layers, one.hidden, one.locked])
    data = json.dumps(rows).encode()
    return read_scene, (type(scene), bvhs, data, zlib.crc32(data))


def read_scene(cls: type[Scene], bvhs: list[Bvh], data: bytes, checksum: int) -> Scene:
    """Return the scene of a pickle."""
    found = zlib.crc32(data)
    if found != checksum:
        raise ValueError(f"the pickled scene has the checksum {found}, expected {checksum}; pickle it again")
    scene = cls()
    ids: list[int] = []
    for shape, matrix, parent, name, layers, hidden, locked in json.loads(data):
        bvh = None if shape is None else bvhs[shape]
        above = None if parent is None else ids[parent]
        transform = np.array(matrix, np.float64).reshape(4, 4)
        id = scene.insert(
            bvh, transform, parent=above, name=name, layers=layers, hidden=hidden, locked=locked
        )
        ids.append(id)
    return scene


def state_of(answer: Any, computed: str) -> dict[str, Any]:
    """Return what a pickled answer holds: all but what it computes, with its triangles as its surface."""
    state = {name: value for name, value in answer.__dict__.items() if name != computed}
    return {**state, "_surface": _part_of(answer._surface, answer.flat())}


@dataclass(frozen=True, eq=False)
class _MeshPart:
    """Some triangles of a tree. ``numbers`` are their numbers there, ascending."""

    numbers: npt.NDArray[np.uint32]
    positions: npt.NDArray[np.float32]
    triangles: npt.NDArray[np.uint32]
    offset: tuple[float, float, float]

    def tree(self) -> _hitscan.Bvh:
        mesh = _hitscan.Mesh.with_offset(self.positions, self.triangles, self.offset)
        return _hitscan.Bvh(mesh, "fast", "compact", None, 1)

    def places(self, numbers: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
        # That of a miss lies beyond the last triangle.
        return np.searchsorted(self.numbers, numbers).astype(np.uint32)

    def _describe(self, hits: Any, point: Any, normal: Any) -> None:
        self.tree().describe(self.places(hits.triangle), hits.uv, point, normal)


@dataclass(frozen=True, eq=False)
class _ScenePart:
    """Some triangles of some instances, by the ids of those."""

    instances: dict[int, tuple[npt.NDArray[np.float64], _MeshPart]]

    def _describe(self, hits: Any, point: Any, normal: Any) -> None:
        scene = _hitscan.Scene()
        instance, triangle = np.full(len(hits), -1, np.int64), np.zeros(len(hits), np.uint32)
        for id, rows in _rows_by_instance(hits.instance).items():
            matrix, part = self.instances[id]
            instance[rows] = scene.insert(part.tree(), matrix, None, None, 1, False, False)
            triangle[rows] = part.places(hits.triangle[rows])
        scene.describe(instance, triangle, hits.uv, point, normal)


def _part_of(surface: Any, hits: Any) -> Any:
    """Return the part of a tree or scene that hits refer to."""
    if isinstance(surface, (_MeshPart, _ScenePart)):
        return surface
    if not hasattr(hits, "instance"):
        return _mesh_part(surface._core, hits.triangle)
    instances = {}
    for id, rows in _rows_by_instance(hits.instance).items():
        _, tree = surface._core.shape(id, "fast")
        matrix = surface._core.world_transform(id)
        instances[id] = matrix, _mesh_part(tree, hits.triangle[rows])
    return _ScenePart(instances)


def _mesh_part(tree: _hitscan.Bvh, triangle: npt.NDArray[np.uint32]) -> _MeshPart:
    numbers = np.unique(triangle)
    numbers = numbers[numbers != 0xFFFF_FFFF]
    mesh = tree.part(numbers)
    x, y, z = mesh.offset
    return _MeshPart(numbers, mesh.positions(), mesh.triangles(), (x, y, z))


def _rows_by_instance(instance: npt.NDArray[np.int64]) -> dict[int, npt.NDArray[np.int64]]:
    """Return the rows of each instance, without those of misses."""
    order = np.argsort(instance, kind="stable")
    ids, starts = np.unique(instance[order], return_index=True)
    groups = np.split(order, starts[1:])
    return {int(id): rows for id, rows in zip(ids, groups, strict=True) if id >= 0} if ids.size else {}
