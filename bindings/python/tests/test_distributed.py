"""Parts of meshes, Dask and Ray: the bits of one machine."""

import os
import signal
import threading
import time

import hitscan
import numpy as np
import pytest
from hitscan.distributed import HIT, _parts, split


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
    assert (hit == ball_bvh.is_occluded(asked)).all()
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

    with monkeypatch.context() as patch:
        patch.setattr(_parts.Bvh, "load", fail)
        with pytest.raises(MemoryError, match=r"part 2 .*part-0002"):
            part.build()
    np.save(part.path + ".npy", np.arange(3, dtype=np.uint32))
    with pytest.raises(ValueError, match=r"part-0002.*3 numbers"):
        part.build()
    os.truncate(part.path, 1000)
    with pytest.raises(ValueError, match=r"part-0002"):
        part.build()


def test_dask_without_a_cluster(ball, ball_bvh, asked, expected):
    da = pytest.importorskip("dask.array")
    from hitscan.distributed import dask as on_dask

    chunked = da.from_array(asked, chunks=(700, 3))
    for mesh in (ball_bvh, split(ball, 5), on_dask.place(split(ball, 3))):
        for rays in (chunked, asked):
            hits = on_dask.closest_hits(mesh, rays)
            assert hits.dtype == HIT and hits.shape == (len(asked),)
            assert hits.compute(scheduler="sync").tobytes() == expected.tobytes()
        hit = on_dask.is_occluded(mesh, chunked).compute(scheduler="sync")
        assert (hit == ball_bvh.is_occluded(asked)).all()
        count = on_dask.count_crossings(mesh, chunked).compute(scheduler="sync")
        assert (count == ball_bvh.count_crossings(asked)).all()
    with pytest.raises(ValueError, match=r"\(3, 5\)"):
        on_dask.closest_hits(ball_bvh, np.zeros((3, 5)))
    with pytest.raises(TypeError, match="int"):
        on_dask.closest_hits(3, asked)
    with pytest.raises(ValueError, match="faces is 'left'"):
        on_dask.is_occluded(ball_bvh, asked, faces="left")


def count_reads():
    """Count, in a worker, how often it reads a tree."""
    import hitscan._pickles as module

    module.n_reads, module.uncounted = 0, module.read_bvh
    read = module.read_bvh

    def counted(cls, content):
        module.n_reads += 1
        return read(cls, content)

    module.read_bvh = counted


def count_reads_no_more():
    """Undo it: trees that a worker pickles would call the counter on workers that do not count."""
    import hitscan._pickles as module

    module.read_bvh = module.uncounted


def n_reads():
    import hitscan._pickles as module

    return module.n_reads


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def test_dask_sends_a_tree_once_to_each_worker(client, ball_bvh, asked, expected):
    da = pytest.importorskip("dask.array")
    from hitscan.distributed import dask as on_dask

    client.run(count_reads)
    try:
        tree = client.scatter(ball_bvh)
        chunked = da.from_array(np.tile(asked, (10, 1)), chunks=(500, 8))
        for mesh in (tree, ball_bvh):
            before = client.run(n_reads)
            hits = on_dask.closest_hits(mesh, chunked).compute()
            assert hits.tobytes() == np.tile(expected, 10).tobytes()
            after = client.run(n_reads)
            # The scheduler's process may hand it on, so a worker may read it twice, but not in each of 60
            # tasks.
            assert len(chunked.chunks[0]) == 60
            assert all(0 <= after[worker] - before[worker] <= 2 for worker in after), (before, after)
        assert min(after.values()) > 0
    finally:
        client.run(count_reads_no_more)


def test_dask_keeps_the_trees_of_placed_parts(client, ball, ball_bvh, asked, expected, tmp_path):
    from distributed import futures_of, wait
    from hitscan.distributed import dask as on_dask

    parts = split(ball, 3, tmp_path)
    placed = on_dask.place(parts)
    wait(futures_of(placed.trees))
    for part in parts.parts:
        # Nothing can build the part again.
        os.remove(part.path)
    assert on_dask.closest_hits(placed, asked).compute().tobytes() == expected.tobytes()
    assert (on_dask.is_occluded(placed, asked).compute() == ball_bvh.is_occluded(asked)).all()


def test_dask_names_a_part_that_fails(client, ball, asked, tmp_path):
    from hitscan.distributed import dask as on_dask

    parts = split(ball, 3, tmp_path)
    os.remove(parts.parts[1].path)
    with pytest.raises(FileNotFoundError, match="part-0001"):
        on_dask.closest_hits(parts, asked).compute()


def three_workers(client, killed):
    """Return the processes of the workers, when those that were killed have been replaced."""
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        pids = set(client.run(os.getpid, on_error="ignore").values())
        if len(pids - {os.getpid(), *killed}) == 3:
            return sorted(pids)
        time.sleep(0.1)
    raise AssertionError(f"{len(pids)} workers after five minutes, expected 3")


def test_dask_workers_and_the_death_of_one(client, ball, ball_bvh, asked, expected):
    da = pytest.importorskip("dask.array")
    from hitscan.distributed import dask as on_dask

    many = np.tile(asked, (60, 1))
    chunked = da.from_array(many, chunks=(2000, 8))
    killed = []
    for mesh in (ball_bvh, split(ball, 4)):
        pids = three_workers(client, killed)
        hits = on_dask.closest_hits(mesh, chunked).persist()
        time.sleep(0.05)
        killed.append(pids.pop())
        os.kill(killed[-1], signal.SIGKILL)
        assert hits.compute().tobytes() == np.tile(expected, 60).tobytes()


def actor_processes():
    """The worker processes of parts, which Ray names by their actors."""
    psutil = pytest.importorskip("psutil")
    children = psutil.Process().children(recursive=True)
    for process in [*children, *psutil.process_iter()]:
        try:
            title = " ".join(process.cmdline())
            if "hitscan part" in title or "_Holder" in title:
                yield process.pid
        except psutil.Error:
            continue


def kill_soon(find):
    """Kill the first worker that ``find`` yields, as soon as there is one."""
    killed = []

    def watch():
        for _ in range(2000):
            for pid in find():
                time.sleep(0.1)
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
                return
            time.sleep(0.01)

    thread = threading.Thread(target=watch)
    thread.start()
    return thread, killed


@pytest.fixture(scope="module")
def ray():
    ray = pytest.importorskip("ray")
    # Ray runs workers at the lowest priority, so on a machine with other work they would hardly run.
    os.environ["RAY_worker_niceness"] = "0"
    for attempt in range(4):
        try:
            ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False, configure_logging=False)
            break
        except Exception as error:
            # Ray gives up after half a minute, which is too short on a machine with other work.
            if "timed out during startup" not in str(error) or attempt == 3:
                raise
            ray.shutdown()
    yield ray
    ray.shutdown()


def test_ray_workers_and_the_death_of_one(ray, ball, ball_bvh, asked, expected):
    from hitscan.distributed import ray as on_ray

    @ray.remote
    def pid():
        time.sleep(0.2)
        return os.getpid()

    pids, deadline = set(), time.monotonic() + 120
    while len(pids) < 3 and time.monotonic() < deadline:
        # A worker that has started may take the task of one that has not.
        pids.update(ray.get([pid.remote() for _ in range(6)]))
    assert len(pids) >= 3 and os.getpid() not in pids
    many = np.tile(asked, (60, 1))
    for mesh, find in ((ball_bvh, lambda: iter(pids)), (split(ball, 3), actor_processes)):
        thread, killed = kill_soon(find)
        hits = on_ray.closest_hits(mesh, many, chunk=2000)
        thread.join()
        assert killed, "no worker was found"
        assert hits.tobytes() == np.tile(expected, 60).tobytes()


def test_queries_on_ray(ray, ball, ball_bvh, asked, expected):
    from hitscan.distributed import ray as on_ray

    for mesh in (ball_bvh, ray.put(ball_bvh), on_ray.place(split(ball, 2))):
        assert on_ray.closest_hits(mesh, asked, chunk=1000).tobytes() == expected.tobytes()
        assert (on_ray.is_occluded(mesh, asked) == ball_bvh.is_occluded(asked)).all()
        assert (on_ray.count_crossings(mesh, asked) == ball_bvh.count_crossings(asked)).all()
    assert on_ray.closest_hits(ball_bvh, np.zeros((0, 6))).shape == (0,)
    with pytest.raises(ValueError, match="chunk is 0"):
        on_ray.closest_hits(ball_bvh, asked, chunk=0)
    with pytest.raises(ValueError, match=r"\(3, 5\)"):
        on_ray.closest_hits(ball_bvh, np.zeros((3, 5)))
    with pytest.raises(TypeError, match="int"):
        on_ray.closest_hits(3, asked)


def test_ray_names_a_part_that_fails(ray, ball, asked, tmp_path):
    from hitscan.distributed import ray as on_ray

    parts = split(ball, 2, tmp_path)
    os.remove(parts.parts[1].path)
    with pytest.raises(ray.exceptions.RayActorError, match="part-0001"):
        on_ray.closest_hits(parts, asked)


def test_ray_data(ray, ball_bvh, asked, expected):
    pytest.importorskip("pyarrow")
    from hitscan.distributed import ray as on_ray

    ray.data.DataContext.get_current().execution_options.preserve_order = True
    dataset = ray.data.from_numpy(asked).rename_columns({"data": "rays"})
    cast = dataset.map_batches(
        on_ray.Caster, fn_constructor_args=[ray.put(ball_bvh)], concurrency=1, batch_size=500
    )
    rows = cast.take_all()
    for name in ("t", "triangle", "uv", "front"):
        found = np.array([row[name] for row in rows], expected[name].dtype)
        assert found.tobytes() == expected[name].tobytes(), name
