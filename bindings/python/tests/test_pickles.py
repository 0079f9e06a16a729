"""Pickles: the same bits again, or an error."""

import copy
import pickle

import hitscan
import numpy as np
import pytest
from test_bvh import same_bits


@pytest.mark.parametrize("protocol", [2, 5])
def test_pickles_give_the_same_bits(ball, ball_bvh, rays, protocol):
    again = pickle.loads(pickle.dumps(ball_bvh, protocol))
    assert same_bits(again.closest_hits(*rays), ball_bvh.closest_hits(*rays))
    mesh = pickle.loads(pickle.dumps(ball, protocol))
    assert mesh.positions.tobytes() == ball.positions.tobytes()
    assert (mesh.triangles == ball.triangles).all()
    assert len(copy.deepcopy(ball_bvh)) == len(ball_bvh)


def test_pickles_keep_large_buffers_out_of_band(ball_bvh):
    buffers = []
    small = pickle.dumps(ball_bvh, 5, buffer_callback=buffers.append)
    assert len(small) < 500 and len(buffers) == 1
    assert len(pickle.loads(small, buffers=buffers)) == len(ball_bvh)


def test_a_damaged_pickle_is_an_error(ball_bvh):
    data = bytearray(pickle.dumps(ball_bvh))
    data[len(data) // 2] ^= 4
    with pytest.raises(ValueError, match="pickled tree"):
        pickle.loads(bytes(data))


def damaged(data):
    """Copies of a pickle with one bit turned over, or cut off."""
    random = np.random.default_rng(5)
    for place in random.integers(0, len(data), 60):
        copied = bytearray(data)
        copied[place] ^= 1 << random.integers(8)
        yield bytes(copied)
    for end in random.integers(0, len(data), 20):
        yield data[:end]


@pytest.mark.parametrize("kind", ["bvh", "mesh", "scene"])
def test_damage_never_changes_an_answer(ball, ball_bvh, rays, kind):
    scene = hitscan.Scene()
    scene.insert(ball_bvh, np.diag([2, 3, 4, 1.0]), name="a", layers=7)
    thing = {"bvh": ball_bvh, "mesh": ball, "scene": scene}[kind]
    buffers = []
    head = pickle.dumps(thing, 5, buffer_callback=buffers.append)
    body = buffers[0].raw().tobytes()
    n_errors = 0

    def check(make):
        nonlocal n_errors
        try:
            again = make()
        except Exception:
            n_errors += 1
            return
        if type(again) is not type(thing):
            return
        if kind == "mesh":
            assert again.positions.tobytes() == ball.positions.tobytes()
            assert again.triangles.tobytes() == ball.triangles.tobytes()
        else:
            assert again.closest_hits(*rays).t.tobytes() == thing.closest_hits(*rays).t.tobytes()

    for data in damaged(body):
        check(lambda data=data: pickle.loads(head, buffers=[data]))
    assert n_errors == 80, "each damage of a tree is found"
    if kind == "scene":
        # The rest of the pickle: the matrix and the names have a checksum as well.
        start = head.index(b"[[0, [2.0")
        for place in range(start, start + 60):
            copied = bytearray(head)
            copied[place] ^= 2
            with pytest.raises(ValueError, match="pickled scene"):
                pickle.loads(bytes(copied), buffers=[body])


def test_a_scene_keeps_the_shapes_that_it_has(ball, ball_bvh, rays):
    bvh = hitscan.Bvh(ball)
    scene = hitscan.Scene()
    scene.insert(bvh)
    bvh.refit(ball.positions * 2)
    again = pickle.loads(pickle.dumps(scene))
    assert again.closest_hits(*rays).t.tobytes() == scene.closest_hits(*rays).t.tobytes()


def test_answers_pickle_without_the_tree(ball_bvh, rays):
    scene = hitscan.Scene()
    scene.remove(scene.insert(ball_bvh))
    group = scene.insert(None, np.diag([1, 2, 3, 1.0]) + np.eye(4, k=3) * 0.3)
    scene.insert(ball_bvh, np.diag([1 / 3, 0.7, 0.1, 1.0]) + np.eye(4, k=2) * 0.1, parent=group)
    scene.insert(ball_bvh)
    far = hitscan.Bvh(
        hitscan.Mesh(ball_bvh.mesh.positions + np.array([3e6 + 0.1, 0, 0]), ball_bvh.mesh.triangles)
    )
    few, at = (rays[0][:9], rays[1][:9]), np.array([3e6 + 0.1, 0, 0])
    for query, arguments in (
        (ball_bvh.closest_hits, few),
        (ball_bvh.all_hits, few),
        (scene.closest_hits, few),
        (scene.all_hits, few),
        (far.closest_hits, (few[0] + at, few[1])),
        (ball_bvh.closest_points, few[:1]),
        (scene.closest_points, few[:1]),
    ):
        hits = query(*arguments)
        data = pickle.dumps(hits)
        again = pickle.loads(pickle.dumps(pickle.loads(data)))
        assert len(data) < 6000 and again.triangle.tobytes() == hits.triangle.tobytes()
        assert again.points.tobytes() == hits.points.tobytes()
        assert again.normals.tobytes() == hits.normals.tobytes()
        assert len(pickle.dumps(hits)) == len(data), "points and normals that were asked for stay out"


def test_a_pickle_of_hits_is_little_more_than_their_arrays(ball_bvh):
    view = hitscan.Camera.framing(ball_bvh).view(300, 200)
    hits = ball_bvh.closest_hits(view.rays())
    size = sum(array.nbytes for array in hits.to_dict().values())
    assert len(pickle.dumps(hits)) < size + 36 * len(ball_bvh) + 2000
    assert len(pickle.dumps(hits)) < 1.1 * size
