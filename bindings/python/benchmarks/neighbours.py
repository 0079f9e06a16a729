"""Times hitscan beside Blender, MuJoCo, libigl and PyVista, in one process, alternating.

    python benchmarks/neighbours.py bunny.obj --rays 200000

Each repetition runs both once. The figures are medians of microseconds per ray (or per sample) of hitscan and
of the other, and the median ratio with its range: of processor time, with one thread here, and of time, with
all cores here. For PyVista, both have all cores. What is not installed is left out. Blender's module needs an
older NumPy than the others, so give it its own environment.
"""

import argparse
import importlib
import os
import statistics
import time

import hitscan
import hitscan.blender
import hitscan.geometry
import hitscan.mujoco
import numpy as np


def camera_rays(bvh, n):
    """Return the eye of a camera that sees the whole mesh, and the directions of its pixels."""
    side = int(n**0.5)
    camera = hitscan.Camera.framing(bvh, aspect=1.0)
    ways = camera.view(side, side).rays()[:, 3:6]
    return np.asarray(camera.eye), np.ascontiguousarray(ways)


def random_rays(bvh, n):
    """Return random points of the box, and random directions."""
    random = np.random.default_rng(1)
    low, high = bvh.bounds.astype(np.float64)
    return low + random.random((n, 3)) * (high - low), random.normal(size=(n, 3))


def report(name, n, theirs, ours, repetitions):
    """Print the row of a comparison: processor time with one thread here, and time with all cores."""
    clocks = {"one": time.process_time, "all": time.perf_counter}
    calls = {"theirs": theirs, "one": lambda: ours(1), "all": lambda: ours(None)}
    seconds = {(key, kind): [] for key in calls for kind in clocks}
    for repetition in range(repetitions + 1):
        for key, call in calls.items():
            before = {kind: clock() for kind, clock in clocks.items()}
            call()
            if repetition:
                for kind, clock in clocks.items():
                    seconds[key, kind].append(clock() - before[kind])
    cells = [name]
    for kind in clocks:
        own, other = seconds[kind, kind], seconds["theirs", kind]
        ratios = sorted(b / a for a, b in zip(own, other, strict=True))
        micros = [statistics.median(values) / n * 1e6 for values in (own, other)]
        middle, low, high = statistics.median(ratios), ratios[0], ratios[-1]
        cells.append(f"{micros[0]:.3f}, {micros[1]:.3f}: {middle:.1f} ({low:.1f} to {high:.1f})")
    print("| " + " | ".join(cells) + " |", flush=True)


def blender(mesh, bvh, n, repetitions):
    """Rays one by one in Blender, and as arrays here."""
    importlib.import_module("bpy")
    from mathutils import Vector
    from mathutils.bvhtree import BVHTree

    arguments = mesh.positions.tolist(), mesh.triangles.tolist()
    other, own = BVHTree.FromPolygons(*arguments), hitscan.blender.BVHTree.FromPolygons(*arguments)
    eye, ways = camera_rays(bvh, n)
    starts, directions = random_rays(bvh, n)
    for kind, origins, rays in (
        ("camera", np.broadcast_to(eye, ways.shape), ways),
        ("random", starts, directions),
    ):
        vectors = [Vector(row) for row in origins.tolist()], [Vector(row) for row in rays.tolist()]
        origins = np.ascontiguousarray(origins)

        def theirs(vectors=vectors):
            cast = other.ray_cast
            return [cast(start, way) for start, way in zip(*vectors, strict=True)]

        index = [-1 if found[2] is None else found[2] for found in theirs()]
        ours = own.ray_cast_array(origins, rays)
        print(f"Blender, {kind}: {(ours.index == index).mean():.6f} have the same polygon")
        report(
            f"Blender `ray_cast`, {kind}",
            len(rays),
            theirs,
            lambda threads, at=origins, to=rays: own.ray_cast_array(at, to, threads=threads),
            repetitions,
        )


def blender_calls(mesh, bvh, n, repetitions):
    """Compare calls of one ray, point or tree, and nearest points as arrays here."""
    importlib.import_module("bpy")
    from mathutils import Vector
    from mathutils.bvhtree import BVHTree

    def trees(positions):
        arguments = positions.tolist(), mesh.triangles.tolist()
        return BVHTree.FromPolygons(*arguments), hitscan.blender.BVHTree.FromPolygons(*arguments)

    def vectors(rows):
        return [Vector(row) for row in rows.tolist()]

    def compare(name, n_calls, method, *lists):
        theirs, own = (
            lambda tree=tree: [getattr(tree, method)(*arguments) for arguments in zip(*lists, strict=True)]
            for tree in both
        )
        report(f"Blender `{name}, a call", n_calls, theirs, lambda _: own(), repetitions)

    both, n = trees(mesh.positions), min(n, 20_000)
    low, high = bvh.bounds.astype(np.float64)
    reach = float(np.linalg.norm(high - low))
    eye, ways = camera_rays(bvh, n)
    starts, directions = random_rays(bvh, n)
    points = vectors(starts)
    compare("ray_cast`, camera", len(ways), "ray_cast", [Vector(eye)] * len(ways), vectors(ways))
    compare("ray_cast`, random", n, "ray_cast", points, vectors(directions))
    compare("find_nearest`", n, "find_nearest", points)
    for share, few in ((200, n // 10), (50, n // 20), (10, n // 200)):
        distances = [reach / share] * few
        compare(
            f"find_nearest_range`, 1/{share} of the size", few, "find_nearest_range", points[:few], distances
        )
    other = trees(mesh.positions + (high - low) * 0.13)
    report(
        "Blender `overlap` of a moved copy, a call",
        1,
        lambda: both[0].overlap(other[0]),
        lambda _: both[1].overlap(other[1]),
        repetitions,
    )
    report(
        "Blender `overlap` with itself, a call",
        1,
        lambda: both[0].overlap(both[0]),
        lambda _: both[1].overlap(both[1]),
        repetitions,
    )
    report(
        "Blender `find_nearest`, as an array here",
        n,
        lambda: [both[0].find_nearest(point) for point in points],
        lambda threads: both[1].find_nearest_array(starts, threads=threads),
        repetitions,
    )


def mujoco(mesh, bvh, n, repetitions):
    """Rays from a point at one mesh, as those of a LiDAR."""
    module = importlib.import_module("mujoco")
    numbers = [" ".join(str(x) for x in array.ravel().tolist()) for array in (mesh.positions, mesh.triangles)]
    model = module.MjModel.from_xml_string(
        f"""<mujoco><asset>
        <mesh name="mesh" vertex="{numbers[0]}" face="{numbers[1]}" inertia="shell"/>
        </asset><worldbody><geom type="mesh" mesh="mesh"/></worldbody></mujoco>"""
    )
    data = module.MjData(model)
    module.mj_forward(model, data)
    own = hitscan.mujoco.RayScene(model, data)
    eye, ways = camera_rays(bvh, n)
    geom, distance, normal = np.zeros(len(ways), np.int32), np.zeros(len(ways)), np.zeros(ways.size)
    flat = ways.ravel()

    def theirs():
        module.mj_multiRay(model, data, eye, flat, None, True, -1, geom, distance, normal, len(ways), np.inf)

    theirs()
    ours = own.multi_ray(eye, ways)
    print(f"MuJoCo: {(ours.geom == geom).mean():.6f} have the same geom")
    report(
        "MuJoCo `mj_multiRay`", len(ways), theirs, lambda t: own.multi_ray(eye, ways, threads=t), repetitions
    )


def libigl(mesh, bvh, n, repetitions):
    """Ambient occlusion and shape diameter of vertices, 128 samples each; libigl takes all cores."""
    igl = importlib.import_module("igl.embree")
    positions, triangles = mesh.positions.astype(np.float64), mesh.triangles.astype(np.int64)
    corners = positions[triangles]
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = np.zeros_like(positions)
    for k in range(3):
        np.add.at(normals, triangles[:, k], cross)
    at = np.flatnonzero(np.linalg.norm(normals, axis=1) > 0)[: max(1, n // 128)]
    points = positions[at]
    normals = normals[at] / np.linalg.norm(normals[at], axis=1, keepdims=True)
    occlusion = hitscan.geometry.ambient_occlusion
    report(
        "libigl `ambient_occlusion`, a sample",
        len(at) * 128,
        lambda: igl.ambient_occlusion(positions, triangles, points, normals, 128),
        lambda threads: occlusion(bvh, points, normals, n_samples=128, threads=threads),
        repetitions,
    )
    diameter = hitscan.geometry.shape_diameter
    options = {"n_samples": 128, "half_angle_degrees": 90, "reject_outliers": False}
    report(
        "libigl `shape_diameter_function`, a sample",
        len(at) * 128,
        lambda: igl.shape_diameter_function(positions, triangles, points, normals, 128),
        lambda threads: diameter(bvh, points, normals, threads=threads, **options),
        repetitions,
    )


def pyvista(mesh, bvh, n, repetitions):
    """Hits of rays. PyVista asks trimesh with embreex, and builds a tree at each call."""
    module = importlib.import_module("pyvista")
    importlib.import_module("embreex")
    import hitscan.pyvista

    surface = module.PolyData.from_regular_faces(mesh.positions, mesh.triangles)
    starts, ways = random_rays(bvh, n)
    for first in (True, False):
        report(
            f"PyVista `multi_ray_trace`{', first_point' if first else ''}",
            n,
            lambda first=first: surface.multi_ray_trace(starts, ways, first_point=first),
            lambda _, first=first: hitscan.pyvista.multi_ray_trace(surface, starts, ways, first_point=first),
            repetitions,
        )


def main():
    """Run the comparison."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("mesh")
    parser.add_argument("--rays", type=int, default=200_000, help="default: 200000")
    parser.add_argument("--repetitions", type=int, default=5, help="default: 5")
    args = parser.parse_args()
    mesh = hitscan.load(args.mesh)
    bvh = hitscan.Bvh(mesh)
    print(f"hitscan {hitscan.__version__} with {bvh.isa}, {os.cpu_count()} cores, {mesh}\n")
    print("| call | processor time, µs: times (range) | time on all cores, µs: times (range) |")
    print("|---|---|---|")
    for compare in (blender, blender_calls, mujoco, libigl, pyvista):
        try:
            compare(mesh, bvh, args.rays, args.repetitions)
        except ImportError as error:
            print(f"left out {compare.__name__}: {error}")


if __name__ == "__main__":
    main()
