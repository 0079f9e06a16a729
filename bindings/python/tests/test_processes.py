"""Forked, spawned and threaded processes: each answers with the bits of one process, and Ctrl-C ends each.

Every case runs in a process of its own with a time limit, because its failure is to wait for ever.
"""

import multiprocessing
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

METHODS = multiprocessing.get_all_start_methods()
has_fork = pytest.mark.skipif("fork" not in METHODS, reason="a system without fork")

# What a child may ask. The batches are so large that they use threads.
WORK = """
import hashlib, multiprocessing, os, queue, signal, sys, tempfile, threading, time
import hitscan, hitscan.open3d, hitscan.picking
import numpy as np

random = np.random.default_rng(5)
k = (np.arange(149)[:, None] * 150 + np.arange(149)).reshape(-1)
grid = np.stack(np.meshgrid(*[np.arange(150.0)] * 2, [0.0]), -1).reshape(-1, 3)
grid[:, 2] = random.uniform(0, 3, len(grid))
faces = np.concatenate([np.stack([k, k + 1, k + 151], 1), np.stack([k, k + 151, k + 150], 1)])
rays = np.concatenate([random.uniform(0, 150, (40_000, 3)), random.normal(size=(40_000, 3))], 1)
rays = rays.astype(np.float32)
points = rays[:6_000, :3]


def digest(*arrays):
    return hashlib.sha256(b"".join(np.ascontiguousarray(a).tobytes() for a in arrays)).hexdigest()


def answers(bvh):
    "Every kind of call that uses threads, on a tree of the parent and on a tree of its own."
    hits = bvh.closest_hits(rays)
    scene = hitscan.Scene()
    scene.insert(bvh)
    scene.insert(bvh, np.diag([1, 1, -1, 1.0]))
    own = hitscan.Bvh(bvh.mesh, quality="fast")
    raycaster = hitscan.open3d.RaycastingScene()
    raycaster.add_triangles(grid.astype(np.float32), faces.astype(np.uint32))
    view = hitscan.Camera.framing(bvh).view(64, 48)
    found = scene.closest_hits(rays)
    with tempfile.TemporaryDirectory() as folder:
        bvh.save(folder + "/a.hitscan")
        loaded = hitscan.Bvh.load(folder + "/a.hitscan")
    assert bvh.nbytes > 0
    return digest(
        hits.t, hits.triangle, hits.points, hits.normals,
        bvh.closest_hits(rays, threads=1).t,
        bvh.closest_hits(rays, threads=2).t,
        bvh.is_occluded(rays), bvh.count_crossings(rays),
        bvh.all_hits(rays[:10_000]).t, bvh.nearest_hits(rays[:10_000], n=3).t,
        bvh.signed_distances(points), bvh.is_inside(points), bvh.winding_numbers(points),
        bvh.closest_points(points).distance,
        found.t, found.instance, found.points, scene.is_occluded(rays), scene.signed_distances(points),
        scene.all_hits(rays[:10_000]).t,
        own.closest_hits(rays).t, loaded.closest_hits(rays).t,
        np.asarray(raycaster.cast_rays(rays)["t_hit"]),
        hitscan.render(bvh, width=64, height=48), view.rays(),
    )


def make():
    return hitscan.Bvh(hitscan.Mesh(grid, faces))
"""

# In a child whose method is the argument; with "again", in a child of that child.
CHILDREN = (
    WORK
    + """
def child(answer, bvh, again):
    if again:
        inner = multiprocessing.get_context("fork").Process(target=child, args=(answer, bvh, False))
        # A pool in the child first, so that the next fork leaves that one behind.
        answers(bvh)
        inner.start()
        inner.join()
    else:
        answer.put(answers(bvh))


if __name__ == "__main__":
    method, when, again = sys.argv[1:]
    context = multiprocessing.get_context(method)
    bvh = make()
    # Before the fork the parent has either made all its threads, or none but those of the build.
    expected = answers(bvh) if when == "after" else None
    answer = context.Queue()
    children = [context.Process(target=child, args=(answer, bvh, again == "again")) for _ in range(2)]
    for one in children:
        one.start()
    found = {answer.get() for _ in children}
    for one in children:
        one.join()
    assert found == {expected or answers(bvh)}, found
    print("equal")
"""
)


def run(tmp_path, code, *arguments, seconds=240):
    # `spawn` imports the program again, so it is a file.
    program = tmp_path / "program.py"
    program.write_text(code)
    command = [sys.executable, program, *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, start_new_session=True) as process:
        try:
            out, error = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            # Its children, too, which may wait for ever.
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            process.kill()
            raise
    assert process.returncode == 0, error
    return out


@pytest.mark.parametrize("when", ["after", "before"])
@pytest.mark.parametrize("method", METHODS)
def test_children_of_every_start_method_answer_with_the_same_bits(tmp_path, method, when):
    assert run(tmp_path, CHILDREN, method, when, "once") == "equal\n"


@has_fork
def test_a_child_that_forks_again_answers_with_the_same_bits(tmp_path):
    assert run(tmp_path, CHILDREN, "fork", "after", "again") == "equal\n"


THREADS = (
    WORK
    + """
from concurrent.futures import ThreadPoolExecutor

bvh = make()
expected = answers(bvh)
with ThreadPoolExecutor(4) as pool:
    assert set(pool.map(answers, [bvh] * 4)) == {expected}
# Also more threads than get a pool of their own.
def ask(n):
    found.append(bvh.closest_hits(rays[:100], threads=1).t.tobytes())
found = []
for n in range(300):
    thread = threading.Thread(target=ask, args=(n,))
    thread.start()
    thread.join()
assert set(found) == {bvh.closest_hits(rays[:100]).t.tobytes()} and len(found) == 300
print("equal")
"""
)


def test_threads_answer_with_the_same_bits(tmp_path):
    assert run(tmp_path, THREADS) == "equal\n"


BUSY = (
    WORK
    + """
bvh = make()
expected = bvh.signed_distances(points).tobytes()
moved, fresh = make(), [make() for _ in range(3)]
done = threading.Event()
def work():
    n = 0
    while not done.is_set():
        bvh.closest_hits(rays)
        moved.refit(grid * (1 + n % 2))
        hitscan.Bvh(hitscan.Mesh(grid, faces[:20_000]))
        n += 1
def first_answers():
    for one in fresh:
        one.signed_distances(points)
threads = [threading.Thread(target=work) for _ in range(2)] + [threading.Thread(target=first_answers)]
for thread in threads:
    thread.start()
for n in range(6):
    time.sleep(0.02)
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        same = bvh.signed_distances(points).tobytes() == expected
        # The locks of these may have been held at the fork.
        moved.closest_hits(rays[:1000])
        moved.refit(grid)
        same &= all(one.signed_distances(points).tobytes() == expected for one in fresh)
        os._exit(0 if same else 1)
    assert os.waitpid(child, 0)[1] == 0, n
done.set()
for thread in threads:
    thread.join()
print("equal")
"""
)


@has_fork
def test_a_fork_during_queries_builds_and_refits_of_other_threads_leaves_a_child_that_answers(tmp_path):
    assert run(tmp_path, BUSY) == "equal\n"


# As torch's DataLoader: workers that are forked, wait for indices in queues, and get the tree by the fork.
LOADER = (
    WORK
    + """
def worker(data, indices, answers):
    while (index := indices.get()) is not None:
        answers.put((index, data[index]))

class Data:
    def __init__(self):
        self.bvh = make()
        self.bvh.closest_hits(rays)
    def __len__(self):
        return 16
    def __getitem__(self, n):
        return self.bvh.closest_hits(rays[n * 1000 : n * 1000 + 20_000]).t
"""
)
QUEUES = (
    LOADER
    + """
data, context = Data(), multiprocessing.get_context("fork")
indices, results = context.Queue(), context.Queue()
workers = [context.Process(target=worker, args=(data, indices, results), daemon=True) for _ in range(4)]
for one in workers:
    one.start()
for n in [*range(len(data)), *[None] * 4]:
    indices.put(n)
for _ in range(len(data)):
    n, t = results.get()
    assert t.tobytes() == data[n].tobytes()
print("equal")
"""
)
TORCH = (
    LOADER
    + """
from torch.utils.data import DataLoader

if __name__ == "__main__":
    data = Data()
    for method in multiprocessing.get_all_start_methods():
        loader = DataLoader(data, batch_size=None, num_workers=4, multiprocessing_context=method)
        batches = list(loader)
        assert len(batches) == len(data)
        for n, batch in enumerate(batches):
            assert batch.numpy().tobytes() == data[n].tobytes(), (method, n)
    print("equal")
"""
)


@has_fork
def test_workers_that_wait_in_queues_answer(tmp_path):
    assert run(tmp_path, QUEUES) == "equal\n"


def test_four_workers_of_a_data_loader_answer(tmp_path):
    pytest.importorskip("torch")
    assert run(tmp_path, TORCH) == "equal\n"


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="reads the names of threads in /proc")
def test_no_call_uses_threads_that_belong_to_no_pool_of_the_process(tmp_path):
    code = (
        WORK
        + """
import hitscan.trimesh
def names():
    return sorted(open(f"/proc/self/task/{n}/comm").read().strip() for n in os.listdir("/proc/self/task"))
before = names()
bvh = make()
answers(bvh)
scene = hitscan.Scene()
scene.insert(bvh)
view = hitscan.Camera.framing(bvh).view(64, 48)
hitscan.picking.select(scene, view, marquee=[(1, 1), (60, 40)], kind="face", visible_only=True)
hitscan.picking.pick(scene, view, (32, 24))
rest = [name for name in names() if not name.startswith("hitscan-")]
assert rest == before, (rest, before)
print("equal")
"""
    )
    assert run(tmp_path, code) == "equal\n"


# Rays with thousands of hits. Each call would last for minutes.
INTERRUPTED = (
    WORK
    + """
square = np.array([[0, 0, 0], [900, 0, 0], [0, 900, 0], [900, 900, 0]])
stack = np.concatenate([square + [0, 0, n] for n in range(5000)])
quads = np.concatenate([np.array([[0, 1, 2], [1, 2, 3]]) + 4 * n for n in range(5000)])
down = np.tile(np.float32([0.5, 0.25, -1, 0, 0, 1]), (1_000_000, 1))


def call(bvh, name, threads):
    if name == "scene":
        scene = hitscan.Scene()
        scene.insert(bvh)
        scene.all_hits(down, threads=threads)
    elif name == "nearest_hits":
        bvh.nearest_hits(down, n=5000, threads=threads)
    else:
        getattr(bvh, name)(down, threads=threads)


def interrupted(bvh, name, answer):
    "The processor time from a signal, which acts as Ctrl-C does, to the interrupt."
    signal.signal(signal.SIGPROF, signal.default_int_handler)
    start = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, 0.5)
    try:
        call(bvh, name, 1)
    except KeyboardInterrupt:
        answer.put(time.process_time() - start - 0.5)


if __name__ == "__main__":
    method, name = sys.argv[1:]
    bvh = hitscan.Bvh(hitscan.Mesh(stack, quads))
    bvh.closest_hits(rays)
    answer = queue.Queue()
    if method == "here":
        interrupted(bvh, name, answer)
    elif method == "thread":
        # A shell starts programs in the background with the signal ignored.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        start = time.monotonic()
        try:
            thread = threading.Thread(target=call, args=(bvh, name, None), daemon=True)
            thread.start()
            thread.join()
        except KeyboardInterrupt:
            answer.put(time.monotonic() - start - 1)
    else:
        context = multiprocessing.get_context(method)
        answer = context.Queue()
        child = context.Process(target=interrupted, args=(bvh, name, answer))
        child.start()
    print(answer.get(timeout=100), flush=True)
    os._exit(0)
"""
)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(
    ("method", "name"),
    [("here", name) for name in ["all_hits", "nearest_hits", "count_crossings", "scene"]]
    + [(method, "all_hits") for method in ["thread", *METHODS]],
)
def test_ctrl_c_ends_calls_with_thousands_of_hits_a_ray_within_a_second(tmp_path, method, name):
    assert -0.1 < float(run(tmp_path, INTERRUPTED, method, name)) < 1.0


FORKED_BY_A_HANDLER = (
    WORK
    + """
def fork(*_):
    if (child := os.fork()) == 0:
        signal.alarm(60)
        is_child.append(True)
    else:
        children.append(child)

is_child, children = [], []
bvh = make()
many = np.concatenate([rays] * 10)
expected = digest(bvh.closest_hits(many, threads=2).t)
signal.signal(signal.SIGPROF, fork)
signal.setitimer(signal.ITIMER_PROF, 0.01)
while not is_child and not children:
    found = digest(bvh.closest_hits(many, threads=2).t)
    assert found == expected
if is_child:
    os._exit(0)
assert os.waitpid(children[0], 0)[1] == 0
print("equal")
"""
)


@has_fork
def test_a_handler_that_forks_in_the_middle_of_a_call_leaves_two_processes_that_finish_it(tmp_path):
    assert run(tmp_path, FORKED_BY_A_HANDLER) == "equal\n"
