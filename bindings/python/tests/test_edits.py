"""Edits of meshes: trees that follow answer as a fresh tree of the edited mesh."""

import gc
import pickle

import hitscan
import numpy as np
import pytest
from conftest import sphere


class Edited:
    """The arrays of a mesh, edited as ``update`` describes it."""

    def __init__(self, positions, triangles):
        self.positions, self.triangles = positions.copy(), triangles.tolist()

    def update(self, move=None, append=None, remove=None, replace=None):
        if move is not None:
            self.positions[move[0]] = move[1]
        if append is not None:
            added = np.asarray(append[0], self.positions.dtype).reshape(-1, 3)
            self.positions = np.concatenate([self.positions, added])
            self.triangles += np.asarray(append[1]).tolist()
        for triangle in sorted(() if remove is None else np.asarray(remove).tolist(), reverse=True):
            last = self.triangles.pop()
            if triangle < len(self.triangles):
                self.triangles[triangle] = last
        if replace is not None:
            which, triangles = replace[0], np.asarray(replace[1]).tolist()
            n = min(len(which), len(triangles))
            self.triangles[which.start : which.start + n] = triangles[:n]
            self.triangles += triangles[n:]
            self.update(remove=list(which)[n:])

    def bvh(self):
        return hitscan.Bvh(hitscan.Mesh(self.positions, np.array(self.triangles).reshape(-1, 3)))


def edits_of(random, mesh):
    """One edit of each kind."""
    n, v = len(mesh.triangles), len(mesh.positions)
    dab = random.choice(v, 20, replace=False)
    yield {"move": (dab, mesh.positions[dab] * 1.25)}
    new = random.uniform(-1, 1, (6, 3)).astype(mesh.positions.dtype)
    yield {"append": (new, [[v, v + 1, v + 2], [0, v + 3, v + 4], [v + 5, 1, 2]])}
    yield {"remove": random.choice(n, 30, replace=False)}
    start = int(random.integers(n - 200))
    yield {"replace": (range(start, start + 9), [[3, 2, 1], [7, 8, 9]])}
    yield {"replace": (range(start, start + 1), random.integers(0, v, (4, 3)))}


def same_answers(one, other, rays):
    for query in ("closest_hits", "all_hits"):
        a, b = (getattr(bvh, query)(*rays) for bvh in (one, other))
        for name in ("t", "triangle", "uv", "front"):
            assert getattr(a, name).tobytes() == getattr(b, name).tobytes(), name
    points = rays[0][:50]
    a, b = one.closest_points(points), other.closest_points(points)
    assert a.points.tobytes() == b.points.tobytes() and (a.triangle == b.triangle).all()
    assert one.signed_distances(points).tobytes() == other.signed_distances(points).tobytes()
    assert (one.bounds == other.bounds).all()


def test_an_edited_tree_answers_as_a_fresh_one(rays):
    random = np.random.default_rng(3)
    mesh = Edited(*sphere())
    bvh = mesh.bvh()
    for _ in range(3):
        for edit in edits_of(random, mesh):
            assert bvh.update(**edit) in (False, True)
            mesh.update(**edit)
            assert bvh.mesh.triangles.tolist() == mesh.triangles
            assert (bvh.mesh.positions == mesh.positions).all()
            same_answers(bvh, mesh.bvh(), rays)
    same_answers(pickle.loads(pickle.dumps(bvh)), mesh.bvh(), rays)


def test_an_edited_instance_answers_as_a_fresh_one(rays):
    random = np.random.default_rng(4)
    mesh = Edited(*sphere())
    before, scene = mesh.bvh(), hitscan.Scene()
    away = np.eye(4)
    away[:3, 3] = [0.5, 0, 0]
    ids = [scene.insert(before), scene.insert(before, away), scene.insert(None)]
    old = scene.closest_hits(*rays)
    for edit in edits_of(random, mesh):
        scene.update(ids[1], **edit)
        mesh.update(**edit)
    fresh, placed = mesh.bvh(), hitscan.Scene()
    placed.insert(fresh)
    placed.insert(fresh, away)
    found, expected = scene.closest_hits(*rays), placed.closest_hits(*rays)
    assert found.t.tobytes() == expected.t.tobytes() and (found.triangle == expected.triangle).all()
    assert old.t.tobytes() != found.t.tobytes() and np.isfinite(old.points[old.hit]).all()
    for id in ids[:2]:
        same_answers(scene.instance(id).bvh, fresh, rays)
    assert scene.instance(ids[2]).bvh is None
    # The tree that was added keeps its mesh.
    same_answers(before, Edited(*sphere()).bvh(), rays)
    again = pickle.loads(pickle.dumps(scene))
    assert again.closest_hits(*rays).t.tobytes() == expected.t.tobytes()
    scene.set_mesh(ids[0], before)
    assert scene.instance(ids[0]).bvh is before


def test_edits_count_from_the_offset_of_the_mesh():
    far = np.array([1e7 + 0.25, 0, 0])
    corners = far + np.array([[0, 0, 0], [4, 0, 0], [0, 4, 0]], np.float64)
    bvh, scene = hitscan.Bvh(hitscan.Mesh(corners, [[0, 1, 2]])), hitscan.Scene()
    id = scene.insert(bvh)
    up = corners + np.array([0.25, 0, 3])
    assert (bvh.offset != 0).any()
    bvh.update(append=(up, [[3, 4, 5]]))
    scene.update(id, append=(up, [[3, 4, 5]]))
    ray = [far + np.array([1.25, 1, 9])], [[0, 0, -1]]
    assert bvh.closest_hits(*ray).t.tolist() == scene.closest_hits(*ray).t.tolist() == [6.0]
    assert bvh.mesh.positions[3].tolist() == up[0].tolist()


def test_answers_keep_the_mesh_of_their_time():
    mesh = Edited(*sphere())
    bvh = mesh.bvh()
    hits = bvh.all_hits([[0.01, 0.02, 5]], [[0, 0, -1]])
    bvh.update(remove=hits.triangle)
    assert len(bvh.all_hits([[0.01, 0.02, 5]], [[0, 0, -1]])) == 0
    assert hits.points[:, 2] == pytest.approx([1, -1], abs=0.01)


def test_a_scene_holds_one_copy_of_an_edited_mesh():
    scene = hitscan.Scene()
    id = scene.insert(Edited(*sphere(rings=200, sectors=400)).bvh())
    for round in range(20):
        scene.update(id, move=([7], [[0, 0, round]]))
    gc.collect()
    assert type(scene._bvhs[id]).__name__ == "_Edited", "a tree here would be copied by the next edit"


BAD = [
    ({}, TypeError, "update takes one of move, append, remove and replace, found no edit"),
    ({"remove": [1], "append": ([], [])}, TypeError, "found append and remove"),
    ({"move": [3]}, TypeError, "move is a list, expected a tuple of vertices and positions"),
    ({"move": ([1, 2], [[0, 0, 0]])}, ValueError, "move has 2 vertices and 1 positions"),
    ({"move": ([99], [[0, 0, 0]])}, ValueError, "move: the edit names vertex 99, expected less than 4"),
    ({"move": ([1, 1], np.zeros((2, 3)))}, ValueError, "move: the edit names vertex 1 twice"),
    ({"move": ([1], [[0, np.nan, 0]])}, ValueError, r"move: .*vertex 1.*NaN"),
    ({"move": ([1], [[0, 1e300, 0]])}, ValueError, r"move: .*vertex 1.*inf"),
    ({"move": ([1.5], [[0, 0, 0]])}, TypeError, "the vertices of move has dtype float64"),
    ({"move": ([[1]], [[0, 0, 0]])}, ValueError, r"the vertices of move has shape \(1, 1\), expected \(n,\)"),
    ({"move": ([1], [[0, 0]])}, ValueError, r"the positions of move has shape \(1, 2\)"),
    ({"append": ([[0, 0, np.inf]], [])}, ValueError, "append: .*vertex 4"),
    ({"append": ([], [[0, 1, 4]])}, ValueError, "append: .*triangle 2"),
    ({"append": ([], [[0, 1, -1]])}, ValueError, r"the triangles of append\[0, 2\] is -1"),
    ({"remove": [2]}, ValueError, "remove: the edit names triangle 2, expected less than 2"),
    ({"remove": [0, 0]}, ValueError, "remove: the edit names triangle 0 twice"),
    ({"remove": [-1]}, ValueError, r"remove\[0\] is -1, expected an index"),
    ({"replace": ([0, 1], [])}, TypeError, r"the range of replace is \[0, 1\], expected a range"),
    ({"replace": (range(1, 3), [])}, ValueError, r"replace: the edit names triangles 1\.\.3 of 2"),
    ({"replace": (range(0, 2, 2), [])}, TypeError, "a range with step 1"),
    ({"replace": (range(0, 1), [[0, 1, 9]])}, ValueError, "replace: .*9"),
]


@pytest.mark.parametrize(("edit", "error", "text"), BAD, ids=[text for _, _, text in BAD])
def test_bad_edits_name_the_argument_and_change_nothing(edit, error, text):
    corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]
    bvh, scene = hitscan.Bvh(hitscan.Mesh(corners, [[0, 1, 2], [2, 1, 3]])), hitscan.Scene()
    id = scene.insert(bvh)
    with pytest.raises(error, match=text):
        bvh.update(**edit)
    with pytest.raises(error, match=text):
        scene.update(id, **edit)
    for mesh in (bvh.mesh, scene.instance(id).bvh.mesh):
        assert mesh.positions.tolist() == corners and mesh.triangles.tolist() == [[0, 1, 2], [2, 1, 3]]


def test_meshes_of_files_lose_their_polygons_before_triangles_come(tmp_path):
    path = tmp_path / "quad.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n")
    mesh = hitscan.load(path)
    bvh = hitscan.Bvh(mesh)
    assert bvh.update(move=([0], [[0, 0, 1]])) is False
    with pytest.raises(ValueError, match=r"remove: the mesh has polygons.*hitscan\.Mesh\(mesh\.positions"):
        bvh.update(remove=[0])
    plain = hitscan.Bvh(hitscan.Mesh(mesh.positions, mesh.triangles))
    plain.update(remove=[0])
    assert len(plain) == 1


def test_an_edit_of_a_group_or_of_nothing_is_an_error():
    scene = hitscan.Scene()
    group = scene.insert(None)
    for id in (group, 12345):
        with pytest.raises(ValueError, match=f"{id} is no instance with a tree"):
            scene.update(id, remove=[0])
