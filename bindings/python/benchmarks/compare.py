"""Times hitscan beside trimesh with embreex, trimesh alone, and Open3D, in one process, alternating.

    python benchmarks/compare.py bunny.obj kitchen.obj --rays 1000000

Each repetition runs every engine once, in changing order. The figures are medians of million rays (or
points) a second on all cores, and the median ratio of hitscan to each with its range. Answers are compared
before anything is timed. Lost rays are rays from inside a closed mesh, aimed at vertices, edges and faces,
that hit nothing.
"""

import argparse
import statistics
import time

import hitscan
import hitscan.open3d
import hitscan.trimesh
import numpy as np
import open3d
import trimesh
from trimesh.ray import ray_pyembree, ray_triangle


def camera_rays(bvh, n):
    """Return rays of a camera that sees the whole mesh, row by row."""
    side = int(n**0.5)
    rays = hitscan.Camera.framing(bvh, aspect=1.0).view(side, side).rays()
    return rays[:, :6].astype(np.float32)


def random_rays(bvh, n):
    """Return rays from random points of the box in random directions."""
    random = np.random.default_rng(1)
    low, high = bvh.bounds
    origins = low + random.random((n, 3)) * (high - low)
    return np.concatenate([origins, random.normal(size=(n, 3))], axis=1).astype(np.float32)


def aimed_rays(mesh, n):
    """Return rays from the middle of the box to vertices, edges and faces."""
    random = np.random.default_rng(2)
    corners = mesh.positions[mesh.triangles[random.integers(0, len(mesh), n)]].astype(np.float64)
    weights = random.dirichlet((1, 1, 1), n)
    weights[: n // 3] = [1, 0, 0]
    weights[n // 3 : 2 * n // 3, 2] = 0
    weights /= weights.sum(axis=1, keepdims=True)
    origin = mesh.bounds.mean(axis=0).astype(np.float64)
    ways = np.einsum("ni,nij->nj", weights, corners) - origin
    return np.concatenate([np.broadcast_to(origin, ways.shape), ways], axis=1).astype(np.float32)


def seconds_of(call):
    """Return the seconds of a call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def by_turns(calls, repetitions):
    """Return the seconds of each call, one number per repetition, after one that does not count."""
    names = list(calls)
    seconds = {name: [] for name in names}
    for repetition in range(repetitions + 1):
        for name in names[repetition % len(names) :] + names[: repetition % len(names)]:
            elapsed = seconds_of(calls[name])
            if repetition:
                seconds[name].append(elapsed)
    return seconds


def report(title, n, seconds):
    """Print the row of a query: speeds, and ratios with their range."""
    ours = seconds["hitscan"]
    cells = [title, f"{n / statistics.median(ours) / 1e6:.2f}"]
    for name, theirs in seconds.items():
        if name != "hitscan":
            ratios = sorted(b / a for a, b in zip(ours, theirs, strict=True))
            speed = n / statistics.median(theirs) / 1e6
            middle = statistics.median(ratios)
            cells.append(f"{name} {speed:.3g}: {middle:.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})")
    print("| " + " | ".join(cells) + " |", flush=True)


class Engines:
    """A mesh in all engines."""

    def __init__(self, mesh):
        self.mesh, self.bvh = mesh, hitscan.Bvh(mesh)
        faces = mesh.triangles.astype(np.int64)
        self.trimesh = trimesh.Trimesh(mesh.positions, faces, process=False)
        self.ours = hitscan.trimesh.RayMeshIntersector(self.trimesh)
        self.embree = ray_pyembree.RayMeshIntersector(self.trimesh)
        self.slow = ray_triangle.RayMeshIntersector(self.trimesh)
        self.scene = open3d.t.geometry.RaycastingScene()
        self.scene.add_triangles(open3d.core.Tensor(mesh.positions), open3d.core.Tensor(mesh.triangles))
        self.twin = hitscan.open3d.RaycastingScene()
        self.twin.add_triangles(mesh)

    def first(self, rays):
        """Return the first triangle of each ray, or -1, by each fast engine."""
        return {
            "hitscan": self.ours.intersects_first(rays[:, :3], rays[:, 3:]),
            "embreex": self.embree.intersects_first(rays[:, :3], rays[:, 3:]),
            "Open3D": self.scene.cast_rays(rays)["primitive_ids"].numpy().view(np.int32),
        }

    def lost(self, n):
        """Print how many aimed rays each engine loses."""
        if self.trimesh.is_watertight:
            found = self.first(aimed_rays(self.mesh, n))
            lost = {name: int((triangle < 0).sum()) for name, triangle in found.items()}
            print(f"\nLost rays of {n} from inside: {lost}")

    def compare(self, kind, rays, repetitions):
        """Time all queries on rays."""
        n = len(rays)
        # trimesh takes float64; each engine gets the arrays that suit it.
        origins, ways = rays[:, :3].astype(np.float64), rays[:, 3:].astype(np.float64)
        tensor = open3d.core.Tensor(rays)
        few = slice(0, None, max(1, n // 200))
        found = self.first(rays)
        same = {name: f"{(found[name] == found['hitscan']).mean():.5f}" for name in ("embreex", "Open3D")}
        print(f"\n{n} {kind} rays; share with the same triangle as hitscan: {same}\n")
        print("| query | hitscan, M/s | others, M/s: speedup of hitscan (range) |")
        print("|---|---|---|")
        for query, options in (
            ("intersects_first", {}),
            ("intersects_location", {"multiple_hits": False}),
            ("intersects_location", {}),
        ):
            calls = {
                "hitscan": lambda q=query, o=options: getattr(self.ours, q)(origins, ways, **o),
                "embreex": lambda q=query, o=options: getattr(self.embree, q)(origins, ways, **o),
            }
            title = query if not options else f"{query}, first hit"
            report(title, n, by_turns(calls, repetitions))
        elapsed = seconds_of(lambda: self.slow.intersects_first(origins[few], ways[few]))
        n_few = len(origins[few])
        print(f"| intersects_first by trimesh's own engine, {n_few} rays | {n_few / elapsed / 1e6:.5f} | |")
        for query in ("cast_rays", "test_occlusions"):
            calls = {
                "hitscan": lambda q=query: getattr(self.twin, q)(rays),
                "Open3D": lambda q=query: getattr(self.scene, q)(tensor),
            }
            report(query, n, by_turns(calls, repetitions))
        if kind == "random":
            points = np.ascontiguousarray(rays[: n // 10, :3])
            of_points = open3d.core.Tensor(points)
            calls = {
                "hitscan": lambda: self.twin.compute_signed_distance(points),
                "Open3D": lambda: self.scene.compute_signed_distance(of_points),
            }
            report(
                f"compute_signed_distance, {len(points)} points", len(points), by_turns(calls, repetitions)
            )


def main():
    """Run the comparison."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("meshes", nargs="+")
    parser.add_argument("--rays", type=int, default=1_000_000, help="default: 1000000")
    parser.add_argument("--repetitions", type=int, default=5, help="default: 5")
    parser.add_argument("--kind", choices=["camera", "random"], help="default: both")
    args = parser.parse_args()
    print(f"hitscan {hitscan.__version__} with {hitscan.instruction_sets[0]}, trimesh {trimesh.__version__},")
    print(f"Open3D {open3d.__version__}")
    for path in args.meshes:
        engines = Engines(hitscan.load(path))
        print(f"\n{path.rsplit('/')[-1]}, {len(engines.mesh)} triangles")
        for kind, rays_of in (("camera", camera_rays), ("random", random_rays)):
            if args.kind in (None, kind):
                engines.compare(kind, rays_of(engines.bvh, args.rays), args.repetitions)
        engines.lost(args.rays)


if __name__ == "__main__":
    main()
