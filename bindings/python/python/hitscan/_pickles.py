"""Pickles of trees and scenes: what ``__reduce_ex__`` returns, and the functions that a pickle calls.

A tree is in the cache format, which has checksums. A scene has its trees, and a list of its instances with
a checksum. Functions take the class, so that this module needs none.
"""

from __future__ import annotations

import json
import pickle
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

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
