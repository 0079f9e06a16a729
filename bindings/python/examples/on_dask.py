"""Casts rays on three worker processes of Dask, on a whole tree and on a mesh in parts.

    python examples/on_dask.py

For a cluster of machines, pass its address: ``--scheduler tcp://scheduler:8786``.
"""

import argparse
import tempfile

import dask.array as da
import hitscan
import numpy as np
from distributed import Client, LocalCluster
from gallery import knot
from hitscan.distributed import split
from hitscan.distributed.dask import closest_hits


def main():
    """Cast rays, and compare the answers with those of one process."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--scheduler", help="default: three processes on this machine")
    parser.add_argument("--rays", type=int, default=200_000)
    args = parser.parse_args()
    mesh = hitscan.Mesh(*knot())
    bvh = hitscan.Bvh(mesh)
    local = {"n_workers": 3, "threads_per_worker": 1, "dashboard_address": None}
    cluster = args.scheduler or LocalCluster(**local)
    with Client(cluster) as client, tempfile.TemporaryDirectory() as folder:
        # Rays that never exist in one place: each worker makes its own chunks.
        random = da.random.default_rng(1)
        rays = random.uniform(-4, 4, (args.rays, 6), chunks=(args.rays // 10, 6)).astype(np.float32)
        tree = client.scatter(bvh)
        hits = closest_hits(tree, rays).persist()
        print(f"{int((hits['triangle'] != hitscan.INVALID).sum().compute())} of {args.rays} rays hit")

        # Workers on other machines need a folder that all of them reach.
        parts = split(mesh, 6, folder)
        by_parts = closest_hits(parts, rays).compute()

        one = bvh.closest_hits(rays.compute())
        same = (hits.compute() == by_parts).all() and by_parts["t"].tobytes() == one.t.tobytes()
        print(f"{len(parts)} parts, {len(client.scheduler_info()['workers'])} workers, equal bits: {same}")
    if not args.scheduler:
        cluster.close()


if __name__ == "__main__":
    main()
