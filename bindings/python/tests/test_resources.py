"""Memory, threads and interrupts."""

import os
import signal
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
    (lambda b: b.any_hits([[0, 0, 0]], np.broadcast_to(ONE_RAY[:3], (1 << 37, 3))), "directions"),
    (lambda b: b.closest_points(np.broadcast_to(ONE_RAY[:3], (1 << 38, 3))), "points of shape"),
    (lambda b: hitscan.Camera((0, 0, 1)).view(1 << 16, 1 << 16).rays(), "65536 by 65536 pixels"),
    (lambda b: hitscan.render(b, width=1 << 16, height=1 << 16), "65536 by 65536 pixels"),
]


@pytest.mark.parametrize(("call", "text"), BEYOND)
def test_requests_beyond_the_memory_are_errors(ball_bvh, call, text):
    with pytest.raises(MemoryError, match=text + r".* bytes do not fit into the \d+ bytes"):
        call(ball_bvh)


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
    scene.add(moving)
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


# A shell that starts the tests in the background makes them, and so this program, ignore Ctrl-C.
HEAD = """
import hitscan, numpy as np, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
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
    while True: bvh.closest_hits(rays, threads=1)
""",
    "all_hits": """
stack = np.concatenate([grid[:4] * [900, 900, 1] + [0, 0, n] for n in range(2000)])
quads = np.concatenate([np.array([[0, 1, 2], [1, 2, 3]]) + 4 * n for n in range(2000)])
bvh = hitscan.Bvh(hitscan.Mesh(stack, quads))
def call():
    while True: bvh.all_hits(np.tile([0.5, 0, -1, 0, 0, 1], (20_000, 1)), threads=1)
""",
    "signed_distances": """
bvh = hitscan.Bvh(mesh, quality="fast")
points = np.random.default_rng(1).uniform(0, 700, (1_000_000, 3))
def call():
    while True: bvh.signed_distances(points, threads=1)
""",
    "build": """
big = hitscan.Mesh(np.tile(grid, (4, 1)), np.concatenate([faces + n * len(grid) for n in range(4)]))
def call():
    while True: hitscan.Bvh(big, quality="high", threads=1)
""",
    "render": """
bvh = hitscan.Bvh(mesh, quality="fast")
def call():
    while True: hitscan.render(bvh, width=2000, height=2000, samples=16, threads=1)
""",
}
TAIL = """
print("ready", flush=True)
try:
    call()
except KeyboardInterrupt:
    sys.exit(5)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("work", LONG)
def test_ctrl_c_ends_long_work_within_a_second(work):
    code = HEAD + LONG[work] + TAIL
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout.readline() == b"ready\n"
            time.sleep(0.5)
            start, spent = time.perf_counter(), cpu_seconds(process.pid)
            process.send_signal(signal.SIGINT)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        finally:
            process.kill()
    assert process.returncode == 5
    elapsed = time.perf_counter() - start
    if spent is not None:
        # On a machine with other work, the time of the processor counts; the work runs on one thread.
        elapsed = min(elapsed, usage.ru_utime + usage.ru_stime - spent)
    assert elapsed < 1


def cpu_seconds(pid):
    """The processor time of a process so far, where the system says it."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / 100
