"""Times sections beside trimesh: the polylines in which planes cut a mesh, in one process, alternating.

    python benchmarks/sections.py bunny.obj --planes 100

Each repetition runs both once, on one thread, in changing order. Before anything is timed, the length of
every section is compared with that of trimesh's segments, and on watertight meshes the number of closed
polylines with trimesh's: elsewhere its `section` leaves open ones out.

Without files a sphere and a torus are cut.
"""

import argparse
import statistics
import time

import hitscan
import numpy as np
import trimesh


def made_meshes():
    """Return a sphere and a torus of trimesh."""
    return {
        "sphere": trimesh.creation.icosphere(subdivisions=6),
        "torus": trimesh.creation.torus(1.0, 0.4, major_sections=256, minor_sections=128),
    }


def planes(mesh, n):
    """Return points in the box of a mesh, and unit normals."""
    random = np.random.default_rng(45)
    low, high = mesh.bounds
    points = low + random.uniform(0.2, 0.8, (n, 3)) * (high - low)
    normals = random.normal(size=(n, 3))
    return list(zip(points, normals / np.linalg.norm(normals, axis=1, keepdims=True), strict=True))


def check(bvh, mesh, cuts):
    """Return how many sections differ: in length by more than 1e-5, or in the number of closed lines."""
    n = 0
    for point, normal in cuts:
        found = bvh.section(point, normal)
        segments = trimesh.intersections.mesh_plane(mesh, normal, point)
        length = np.linalg.norm(segments[:, 1] - segments[:, 0], axis=1).sum()
        is_same = np.isclose(found.lengths.sum(), length, rtol=1e-5)
        if mesh.is_watertight:
            other = mesh.section(plane_origin=point, plane_normal=normal)
            lines = [] if other is None else other.discrete
            is_same &= found.closed.sum() == sum(np.allclose(line[0], line[-1]) for line in lines)
        n += not is_same
    return n


def by_turns(calls, cuts, repetitions):
    """Return the seconds of each call for all planes, a number per repetition. A first one does not count."""
    names = list(calls)
    seconds = {name: [] for name in names}
    for repetition in range(repetitions + 1):
        for name in names[repetition % len(names) :] + names[: repetition % len(names)]:
            start = time.process_time()
            for point, normal in cuts:
                calls[name](point, normal)
            if repetition:
                seconds[name].append(time.process_time() - start)
    return seconds


def compare(name, mesh, n, repetitions):
    """Print a row: microseconds of CPU time per section, and how many times as fast hitscan is."""
    bvh = hitscan.Bvh(hitscan.Mesh(mesh.vertices, mesh.faces))
    cuts = planes(mesh, n)
    n_different = check(bvh, mesh, cuts)
    calls = {
        "hitscan": bvh.section,
        "section": lambda point, normal: mesh.section(plane_origin=point, plane_normal=normal),
        "mesh_plane": lambda point, normal: trimesh.intersections.mesh_plane(mesh, normal, point),
    }
    seconds = by_turns(calls, cuts, repetitions)
    cells = [f"{name}, {len(mesh.faces)} triangles", str(n_different)]
    cells.append(f"{1e6 * statistics.median(seconds['hitscan']) / n:.0f}")
    for other in ("section", "mesh_plane"):
        ratios = sorted(b / a for a, b in zip(seconds["hitscan"], seconds[other], strict=True))
        median = 1e6 * statistics.median(seconds[other]) / n
        ratio = f"{statistics.median(ratios):.1f} ({ratios[0]:.1f} to {ratios[-1]:.1f})"
        cells.append(f"{median:.0f}: {ratio}")
    print("| " + " | ".join(cells) + " |", flush=True)


def main():
    """Compare both on all meshes."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", help="mesh files that hitscan and trimesh read")
    parser.add_argument("--planes", type=int, default=50, help="the number of planes")
    parser.add_argument("--repetitions", type=int, default=9, help="timed repetitions")
    arguments = parser.parse_args()
    meshes = {name: trimesh.load(name, force="mesh") for name in arguments.files} or made_meshes()
    print(f"trimesh {trimesh.__version__}, {arguments.planes} planes, {arguments.repetitions} repetitions\n")
    print("Microseconds, and how many times as fast hitscan is. mesh_plane returns segments alone.\n")
    print("| mesh | differ | hitscan | section | mesh_plane |\n|---|--:|--:|--:|--:|")
    for name, mesh in meshes.items():
        compare(name, mesh, arguments.planes, arguments.repetitions)


if __name__ == "__main__":
    main()
