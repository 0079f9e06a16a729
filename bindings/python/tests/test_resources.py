"""Memory, threads and interrupts."""

import subprocess
import sys
import sysconfig
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import hitscan
import numpy as np
import pytest
from test_bvh import same_bits

ONE_RAY = np.zeros(6, np.float32)


BEYOND = [
    (lambda b: b.closest_hits(np.broadcast_to(ONE_RAY, (1 << 36, 6))), r"rays of shape \(68719476736, 6\)"),
    (lambda b: b.is_occluded([[0, 0, 0]], np.broadcast_to(ONE_RAY[:3], (1 << 37, 3))), "directions"),
    (lambda b: b.closest_points(np.broadcast_to(ONE_RAY[:3], (1 << 38, 3))), "points of shape"),
    (lambda b: hitscan.Camera((0, 0, 1)).view(1 << 16, 1 << 16).rays(), "65536 by 65536 pixels"),
    (lambda b: hitscan.render(b, width=1 << 16, height=1 << 16), "65536 by 65536 pixels"),
]


@pytest.mark.parametrize(("call", "text"), BEYOND)
def test_requests_beyond_the_memory_are_errors(ball_bvh, call, text):
    with pytest.raises(MemoryError, match=text + r".* bytes do not fit into the \d+ bytes"):
        call(ball_bvh)


def test_a_cache_file_beyond_the_limit_or_full_of_holes_is_an_error(ball_bvh, tmp_path):
    path = tmp_path / "ball.hitscan"
    ball_bvh.save(path)
    size = path.stat().st_size
    assert hitscan.Bvh.load(path, max_bytes=size).nbytes == ball_bvh.nbytes
    with pytest.raises(ValueError, match=rf"{size} bytes; expected at most {size - 1}; max_bytes raises"):
        hitscan.Bvh.load(path, max_bytes=size - 1)
    with pytest.raises(ValueError, match="max_bytes is -1, expected an integer from 0"):
        hitscan.Bvh.load(path, max_bytes=-1)
    with path.open("r+b") as file:
        file.truncate(1 << 30)
    with pytest.raises(ValueError, match="has 1073741824 bytes, expected"):
        hitscan.Bvh.load(path)
    with path.open("r+b") as file:
        file.truncate(17 << 30)
    with pytest.raises(ValueError, match="expected at most 17179869184; max_bytes raises"):
        hitscan.Bvh.load(path)


def test_other_threads_run_meanwhile(ball_bvh):
    rays = np.random.default_rng(1).normal(size=(400_000, 6)).astype(np.float32)
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.perf_counter()
    ball_bvh.all_hits(rays, threads=1)
    end = time.perf_counter()
    done.set()
    thread.join()
    assert sum(start < tick < end for tick in ticks) >= 3


def test_queries_and_edits_of_many_threads(ball, ball_bvh, rays):
    expected = ball_bvh.closest_hits(*rays)
    moving = hitscan.Bvh(ball)
    scene = hitscan.Scene()
    scene.insert(moving)
    both = [ball.positions.copy(), ball.positions * 2]
    possible = [
        expected.t.tobytes(),
        hitscan.Bvh(hitscan.Mesh(both[1], ball.triangles)).closest_hits(*rays).t,
    ]
    possible[1] = possible[1].tobytes()

    def work(n):
        for k in range(20):
            assert same_bits(ball_bvh.closest_hits(*rays, threads=1 + n % 3), expected)
            if n == 0:
                moving.refit(both[k % 2])
                scene.set_transform(scene.ids[0], np.diag([1, 1, 1 + k, 1.0]))
            assert moving.closest_hits(*rays).t.tobytes() in possible
            assert len(scene.closest_hits(*rays)) == len(rays[0])
        return True

    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(work, range(6)))


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="needs free-threaded Python")
def test_free_threaded_python_stays_without_the_lock():
    program = "import hitscan, sys; sys.exit(sys._is_gil_enabled())"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


HEAD = """
import hitscan, numpy as np, signal, sys, time
grid = np.stack(np.meshgrid(*[np.arange(700.0)] * 2, [0.0]), -1).reshape(-1, 3)
k = (np.arange(699)[:, None] * 700 + np.arange(699)).reshape(-1)
faces = np.concatenate([np.stack([k, k + 1, k + 701], 1), np.stack([k, k + 701, k + 700], 1)])
mesh = hitscan.Mesh(grid, faces)
"""
LONG = {
    "closest_hits": """
bvh = hitscan.Bvh(mesh, quality="fast")
random = np.random.default_rng(1)
rays = np.concatenate([random.uniform(0, 700, (3_000_000, 3)), random.normal(size=(3_000_000, 3))], 1)
rays = rays.astype(np.float32)
def call():
    bvh.closest_hits(rays, threads=1)
""",
    "all_hits": """
stack = np.concatenate([grid[:4] * [900, 900, 1] + [0, 0, n] for n in range(2000)])
quads = np.concatenate([np.array([[0, 1, 2], [1, 2, 3]]) + 4 * n for n in range(2000)])
bvh = hitscan.Bvh(hitscan.Mesh(stack, quads))
def call():
    bvh.all_hits(np.tile([0.5, 0, -1, 0, 0, 1], (20_000, 1)), threads=1)
""",
    "signed_distances": """
bvh = hitscan.Bvh(mesh, quality="fast")
points = np.random.default_rng(1).uniform(0, 700, (300_000, 3))
def call():
    bvh.signed_distances(points, threads=1)
""",
    "build": """
big = hitscan.Mesh(np.tile(grid, (4, 1)), np.concatenate([faces + n * len(grid) for n in range(4)]))
def call():
    hitscan.Bvh(big, quality="high", threads=1)
""",
    "render": """
bvh = hitscan.Bvh(mesh, quality="fast")
def call():
    hitscan.render(bvh, width=1000, height=1000, samples=4, threads=1)
""",
}
# The signal comes after a tenth of the processor time that the whole call takes, and acts as Ctrl-C does.
TAIL = """
start = time.process_time()
call()
whole = time.process_time() - start
signal.signal(signal.SIGPROF, signal.default_int_handler)
start = time.process_time()
signal.setitimer(signal.ITIMER_PROF, whole / 10)
try:
    call()
except KeyboardInterrupt:
    print((time.process_time() - start) / whole)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("work", LONG)
def test_ctrl_c_ends_long_work_long_before_its_end(work):
    code = HEAD + LONG[work] + TAIL
    share = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert 0 < float(share) < 0.5


def test_memory_that_the_system_refuses_is_an_error(ball_bvh, monkeypatch):
    def refuse(*_):
        raise MemoryError("refused")

    scene = hitscan.Scene()
    scene.insert(ball_bvh)
    points = np.ones((2, 3))
    # The compiled module takes it from here.
    core = np.core if np.__version__.startswith("1.") else np._core
    monkeypatch.setattr(core.multiarray, "zeros", refuse)
    for query in (ball_bvh.is_occluded, scene.is_occluded):
        with pytest.raises(MemoryError, match="refused"):
            query(points, points)
    for surface in (ball_bvh, scene):
        with pytest.raises(MemoryError, match="refused"):
            surface.winding_numbers(points)
