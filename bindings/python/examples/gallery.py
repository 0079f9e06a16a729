"""Writes pictures of a mesh: what the package sees and measures.

    python examples/gallery.py --mesh bunny.obj --output pictures

Without a mesh, the subject is a knot.
"""

import argparse
from pathlib import Path

import hitscan
import numpy as np


def knot(around=400, across=40):
    """Return a trefoil knot, as arrays of positions and triangles."""
    s = np.linspace(0, 2 * np.pi, around, endpoint=False)
    line = np.stack([np.sin(s) + 2 * np.sin(2 * s), np.cos(s) - 2 * np.cos(2 * s), -np.sin(3 * s)], 1)
    along = np.roll(line, -1, 0) - np.roll(line, 1, 0)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    side = np.cross(along, [0.0, 0.0, 1.0])
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    up = np.cross(side, along)
    a = np.linspace(0, 2 * np.pi, across, endpoint=False)[:, None]
    ring = np.cos(a) * side[:, None] + np.sin(a) * up[:, None]
    positions = (line[:, None] + 0.6 * ring).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(around), np.arange(across), indexing="ij")
    i1, j1 = (i + 1) % around, (j + 1) % across
    p, q, r, t = (a * across + b for a, b in ((i, j), (i1, j), (i1, j1), (i, j1)))
    triangles = np.concatenate([np.stack([p, q, r], -1), np.stack([p, r, t], -1)]).reshape(-1, 3)
    return positions, triangles


def to_colors(values):
    """Return numbers from 0 to 1 as a picture, dark blue to yellow; NaN is white."""
    x = np.clip(np.nan_to_num(values), 0, 1)[..., None]
    low, middle, high = np.array([[40, 30, 90]]), np.array([[200, 70, 90]]), np.array([[250, 220, 110]])
    colors = np.where(x < 0.5, low + 2 * x * (middle - low), middle + (2 * x - 1) * (high - middle))
    colors[np.isnan(values)] = 255
    return colors.astype(np.uint8)


def occlusion(bvh, view, samples=64):
    """Return how much of the sky each visible point sees, by ``is_occluded``."""
    hits = bvh.closest_hits(view.rays())
    points, normals = hits.points[hits.hit], hits.normals[hits.hit]
    normals *= np.where(hits.front[hits.hit], 1, -1)[:, None]
    size = np.linalg.norm(bvh.bounds[1] - bvh.bounds[0])
    random, free = np.random.default_rng(1), np.zeros(len(points))
    for _ in range(samples):
        ways = random.normal(size=points.shape)
        ways /= np.linalg.norm(ways, axis=1, keepdims=True)
        # A sum of the normal and a point of the unit sphere has the distribution of light from the sky.
        ways += normals
        free += ~bvh.is_occluded(points + 1e-4 * size * normals, ways, t_max=0.5 * size)
    answer = np.full(len(hits), np.nan)
    answer[hits.hit] = free / samples
    return answer


def thickness(bvh, view):
    """Return the length of each ray inside the mesh, by ``all_hits``."""
    lists = bvh.all_hits(view.rays(), once_per_crossing=True)
    signed = np.where(lists.front, -lists.t, lists.t).astype(np.float64)
    sums = np.bincount(lists.ray, signed, minlength=len(lists.splits) - 1)
    sums[np.diff(lists.splits) == 0] = np.nan
    return sums / np.nanmax(sums)


def slice_of_distances(bvh, width, height):
    """Return signed distances in a plane through the middle."""
    low, high = bvh.bounds.astype(np.float64)
    margin = 0.1 * (high - low)
    x, y = np.meshgrid(
        np.linspace(low[0] - margin[0], high[0] + margin[0], width),
        np.linspace(high[1] + margin[1], low[1] - margin[1], height),
    )
    z = np.full_like(x, (low[2] + high[2]) / 2)
    distances = bvh.signed_distances(np.stack([x, y, z], -1).reshape(-1, 3))
    stripes = 0.5 + 0.5 * np.cos(distances / np.abs(distances).max() * 60)
    return np.where(distances < 0, 0.5 + 0.5 * stripes, 0.4 * stripes)


def main():
    """Write all pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--mesh", help="OBJ, STL, PLY or glTF; default: a knot")
    parser.add_argument("--output", default="pictures", help="default: pictures")
    parser.add_argument("--size", default="640x480", help="default: 640x480")
    args = parser.parse_args()
    width, height = (int(n) for n in args.size.split("x"))
    bvh = hitscan.Bvh(hitscan.load(args.mesh) if args.mesh else hitscan.Mesh(*knot()))
    folder = Path(args.output)
    folder.mkdir(parents=True, exist_ok=True)
    view = hitscan.Camera.framing(bvh, aspect=width / height).view(width, height)

    def write(name, picture):
        (folder / f"{name}.png").write_bytes(hitscan.png(picture))
        print(folder / f"{name}.png")

    for mode in ("shaded", "depth", "normal", "glass", "heat"):
        write(mode, hitscan.render(bvh, view, mode=mode))
    write("occlusion", to_colors(occlusion(bvh, view)).reshape(height, width, 3))
    write("thickness", to_colors(thickness(bvh, view)).reshape(height, width, 3))
    write("distance", to_colors(slice_of_distances(bvh, width, height)).reshape(height, width, 3))


if __name__ == "__main__":
    main()
