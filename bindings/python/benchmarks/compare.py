"""Times hitscan beside trimesh with embreex, trimesh alone, and Open3D, in one process by turns.

    python benchmarks/compare.py bunny.obj kitchen.obj --rays 1000000

Each repetition runs every engine once, in changing order. The figures are medians of million rays (or
points) a second on all cores, and the median ratio of hitscan to each with its range. Answers are compared
before anything is timed: the part of the rays on which both name the same triangle.
"""

import argparse
import statistics
import time

import numpy as np

import hitscan
import hitscan.open3d
import hitscan.trimesh


def camera_rays(bounds, n):
    """Rays of a camera that sees all of a box, row by row."""
    side = int(n**0.5)
    low, high = bounds.astype(np.float64)
    middle, size = (low + high) / 2, np.linalg.norm(high - low)
    eye = middle + size * np.array([0.5, 0.4, 0.9])
    forward = (middle - eye) / np.linalg.norm(middle - eye)
    right = np.cross(forward, [0, 1, 0])
    right /= np.linalg.norm(right)
    up = np.cross(right, forward)
    x, y = np.meshgrid(np.linspace(-0.5, 0.5, side), np.linspace(0.5, -0.5, side))
    ways = forward + x[..., None] * right + y[..., None] * up
    return np.broadcast_to(eye, ways.shape).reshape(-1, 3).astype(np.float32), ways.reshape(-1, 3).astype(
        np.float32
    )


def random_rays(bounds, n):
    """Rays from random points of a box in random directions."""
    random = np.random.default_rng(1)
    low, high = bounds
    origins = low + random.random((n, 3)) * (high - low)
    return origins.astype(np.float32), random.normal(size=(n, 3)).astype(np.float32)


def by_turns(calls, repetitions):
    """Seconds of each call, in lists of one number per repetition."""
    names = list(calls)
    seconds = {name: [] for name in names}
    for repetition in range(repetitions + 1):
        for name in names[repetition % len(names) :] + names[: repetition % len(names)]:
            start = time.perf_counter()
            calls[name]()
            if repetition:
                seconds[name].append(time.perf_counter() - start)
    return seconds


def report(title, n, seconds):
    """Print the row of a query."""
    ours = seconds["hitscan"]
    parts = [f"hitscan {n / statistics.median(ours) / 1e6:.2f} M/s"]
    for name, theirs in seconds.items():
        if name != "hitscan":
            ratios = sorted(b / a for a, b in zip(ours, theirs, strict=True))
            middle = statistics.median(ratios)
            speed = n / statistics.median(theirs) / 1e6
            parts.append(f"{name} {speed:.2f} M/s, {middle:.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})")
    print(f"| {title} | " + " | ".join(parts) + " |", flush=True)


def main():
    """Run the comparison."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("meshes", nargs="+")
    parser.add_argument("--rays", type=int, default=1_000_000)
    parser.add_argument("--repetitions", type=int, default=9)
    args = parser.parse_args()
    import open3d
    import trimesh
    from trimesh.ray import ray_pyembree, ray_triangle

    print(f"hitscan {hitscan.__version__} with {hitscan.instruction_sets[0]}")
    for path in args.meshes:
        mesh = hitscan.load(path)
        bvh = hitscan.Bvh(mesh)
        theirs = trimesh.Trimesh(mesh.positions, mesh.triangles.astype(np.int64), process=False)
        ours = hitscan.trimesh.RayMeshIntersector(theirs)
        embree = ray_pyembree.RayMeshIntersector(theirs)
        slow = ray_triangle.RayMeshIntersector(theirs)
        scene = open3d.t.geometry.RaycastingScene()
        scene.add_triangles(open3d.core.Tensor(mesh.positions), open3d.core.Tensor(mesh.triangles))
        twin = hitscan.open3d.RaycastingScene()
        twin.add_triangles(mesh)
        for kind, rays_of in (("camera", camera_rays), ("random", random_rays)):
            origins, ways = rays_of(bvh.bounds, args.rays)
            n = len(origins)
            rays = np.concatenate([origins, ways], axis=1)
            tensor = open3d.core.Tensor(rays)
            few = slice(0, None, max(1, n // 2000))
            first = ours.intersects_first(origins, ways)
            same = {
                "embreex": (first == embree.intersects_first(origins, ways)).mean(),
                "trimesh": (first[few] == slow.intersects_first(origins[few], ways[few])).mean(),
                "Open3D": (first == scene.cast_rays(tensor)["primitive_ids"].numpy().view(np.int32)).mean(),
            }
            print(f"\n{path}, {len(mesh)} triangles, {n} {kind} rays; same triangle: {same}")
            for query in ("intersects_first", "intersects_location"):
                calls = {
                    "hitscan": lambda q=query: getattr(ours, q)(origins, ways),
                    "embreex": lambda q=query: getattr(embree, q)(origins, ways),
                }
                report(query, n, by_turns(calls, args.repetitions))
            small = origins[few], ways[few]
            start = time.perf_counter()
            slow.intersects_first(*small)
            rate = len(small[0]) / (time.perf_counter() - start)
            print(f"| intersects_first by trimesh alone, {len(small[0])} rays | {rate / 1e6:.4f} M/s |")
            for query in ("cast_rays", "test_occlusions"):
                calls = {
                    "hitscan": lambda q=query: getattr(twin, q)(rays),
                    "Open3D": lambda q=query: getattr(scene, q)(tensor),
                }
                report(query, n, by_turns(calls, args.repetitions))
            points = origins[: n // 10] if kind == "random" else None
            if points is not None:
                tensor = open3d.core.Tensor(points)
                calls = {
                    "hitscan": lambda: twin.compute_signed_distance(points),
                    "Open3D": lambda: scene.compute_signed_distance(tensor),
                }
                report("compute_signed_distance", len(points), by_turns(calls, 5))


if __name__ == "__main__":
    main()
