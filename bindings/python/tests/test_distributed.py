"""Parts of meshes, Dask and Ray: the bits of one machine."""

import os
import signal
import threading
import time

import hitscan
import numpy as np
import pytest
from hitscan.distributed import HIT, Parts, _parts, split


def hostile(rays):
    """The rays, with bounds, zeros and invalid ones among them, in 8 columns."""
    array = _parts.eight_columns(np.concatenate(rays, axis=1))
    array[::7, 6], array[::5, 7] = -1, 1
    array[3::50, 3:5] = 0
    array[4::60, 3:6] = 0
    array[5::70, 0] = np.nan
    return array


@pytest.fixture(scope="session")
def asked(rays):
    return hostile(rays)


@pytest.fixture(scope="session")
def expected(ball_bvh, asked):
    hits = ball_bvh.closest_hits(asked)
    best = np.empty(len(hits), HIT)
    best["t"], best["triangle"], best["uv"], best["front"] = hits.t, hits.triangle, hits.uv, hits.front
    return best


def test_parts_hold_every_triangle_once(ball):
    parts = split(ball, 7)
    ids = np.concatenate([part.ids for part in parts.parts])
    assert len(parts) == 7 and sorted(ids) == list(range(len(ball)))
    assert len(split(hitscan.Mesh([], []), 3)) == 1
    with pytest.raises(ValueError, match="n is 0"):
        split(ball, 0)


@pytest.mark.parametrize("n", [1, 2, 9])
def test_parts_give_the_bits_of_the_whole(ball, ball_bvh, asked, expected, n):
    parts = split(ball, n)
    best, hit = _parts.misses(len(asked)), np.zeros(len(asked), bool)
    count = np.zeros(len(asked), np.uint32)
    for number in parts.order(asked):
        part = parts.parts[number]
        built = part.build()
        best = _parts.advance(built, part, asked, best, "both", None)
        hit = _parts.occluded(built, part, asked, hit, "both", None)
        count = _parts.crossings(built, part, asked, count, "both", None)
    assert best.tobytes() == expected.tobytes()
    assert (hit == ball_bvh.any_hits(asked)).all()
    assert (count == ball_bvh.count_crossings(asked)).all()


def test_parts_in_files(ball, asked, expected, tmp_path):
    best = _parts.misses(len(asked))
    for part in split(ball, 4, tmp_path).parts:
        assert part.positions is None
        best = _parts.advance(part.build(), part, asked, best, "both", None)
    assert best.tobytes() == expected.tobytes()


def test_a_part_that_does_not_fit_is_named(ball, tmp_path, monkeypatch):
    part = split(ball, 3, tmp_path).parts[2]

    def fail(path):
        raise MemoryError

    monkeypatch.setattr(_parts.Bvh, "load", fail)
    with pytest.raises(MemoryError, match=r"part 2 .*part-0002"):
        part.build()


def test_dask_without_a_cluster(ball, ball_bvh, asked, expected):
    da = pytest.importorskip("dask.array")
    from hitscan.distributed import dask as on_dask

    chunked = da.from_array(asked, chunks=(700, 3))
    for mesh in (ball_bvh, split(ball, 5)):
        for rays in (chunked, asked):
            hits = on_dask.closest_hits(mesh, rays)
            assert hits.dtype == HIT and hits.shape == (len(asked),)
            assert hits.compute(scheduler="sync").tobytes() == expected.tobytes()
        hit = on_dask.any_hits(mesh, chunked).compute(scheduler="sync")
        assert (hit == ball_bvh.any_hits(asked)).all()
        count = on_dask.count_crossings(mesh, chunked).compute(scheduler="sync")
        assert (count == ball_bvh.count_crossings(asked)).all()
    with pytest.raises(ValueError, match=r"\(3, 5\)"):
        on_dask.closest_hits(ball_bvh, np.zeros((3, 5)))
    with pytest.raises(TypeError, match="int"):
        on_dask.closest_hits(3, asked)
    with pytest.raises(ValueError, match="faces is 'left'"):
        on_dask.any_hits(ball_bvh, asked, faces="left")


def test_dask_workers_and_the_death_of_one(ball, ball_bvh, asked, expected):
    distributed = pytest.importorskip("distributed")
    da = pytest.importorskip("dask.array")
    from hitscan.distributed import dask as on_dask

    many = np.tile(asked, (60, 1))
    chunked = da.from_array(many, chunks=(2000, 8))
    with (
        distributed.LocalCluster(
            n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        pids = client.run(os.getpid)
        assert len(set(pids.values()) | {os.getpid()}) == 4
        for mesh in (ball_bvh, split(ball, 4)):
            hits = on_dask.closest_hits(mesh, chunked).persist()
            time.sleep(0.05)
            os.kill(client.run(os.getpid).popitem()[1], signal.SIGKILL)
            assert hits.compute().tobytes() == np.tile(expected, 60).tobytes()


def test_ray_workers_and_the_death_of_one(ball, ball_bvh, asked, expected):
    ray = pytest.importorskip("ray")
    from hitscan.distributed import ray as on_ray

    ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False, configure_logging=False)
    try:

        @ray.remote
        def pid():
            time.sleep(0.2)
            return os.getpid()

        pids = set(ray.get([pid.remote() for _ in range(3)]))
        assert len(pids) == 3
        many = np.tile(asked, (60, 1))
        for mesh in (ball_bvh, split(ball, 4)):
            victim = ray.get(pid.remote())
            killer = threading.Timer(0.05, os.kill, (victim, signal.SIGKILL))
            killer.start()
            hits = on_ray.closest_hits(mesh, many, chunk=2000)
            killer.join()
            assert hits.tobytes() == np.tile(expected, 60).tobytes()
        assert (on_ray.any_hits(ball_bvh, asked) == ball_bvh.any_hits(asked)).all()
        parts = split(ball, 2)
        assert isinstance(parts, Parts)
        assert (on_ray.any_hits(parts, asked) == ball_bvh.any_hits(asked)).all()
        assert (on_ray.count_crossings(parts, asked) == ball_bvh.count_crossings(asked)).all()
        pytest.importorskip("pyarrow")
        dataset = ray.data.from_numpy(asked).rename_columns({"data": "rays"})
        cast = dataset.map_batches(
            on_ray.Caster, fn_constructor_args=[ray.put(ball_bvh)], concurrency=1, batch_size=500
        )
        rows = cast.take_all()
        assert np.array([row["t"] for row in rows], np.float32).tobytes() == expected["t"].tobytes()
    finally:
        ray.shutdown()
