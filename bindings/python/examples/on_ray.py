"""Casts rays on the workers of Ray, on a whole tree, on a mesh in parts, and on a Ray Data set.

    python examples/on_ray.py

For a cluster of machines, pass ``--address auto`` on one of them.
"""

import argparse

import hitscan
import numpy as np
import ray
from gallery import knot
from hitscan.distributed import split
from hitscan.distributed.ray import Caster, closest_hits


def main():
    """Cast rays, and compare the answers with those of one process."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--address", help="default: three workers on this machine")
    parser.add_argument("--rays", type=int, default=200_000)
    args = parser.parse_args()
    where = {"address": args.address} if args.address else {"num_cpus": 3, "include_dashboard": False}
    ray.init(**where, log_to_driver=False)
    mesh = hitscan.Mesh(*knot())
    bvh = hitscan.Bvh(mesh)
    rays = np.random.default_rng(1).uniform(-4, 4, (args.rays, 6)).astype(np.float32)

    tree = ray.put(bvh)
    hits = closest_hits(tree, rays, chunk=args.rays // 10)
    by_parts = closest_hits(split(mesh, 3), rays, chunk=args.rays // 10)
    print(f"{int((hits['triangle'] != hitscan.INVALID).sum())} of {args.rays} rays hit")

    ray.data.DataContext.get_current().execution_options.preserve_order = True
    rows = ray.data.from_numpy(rays[:1000]).rename_columns({"data": "rays"})
    cast = rows.map_batches(Caster, fn_constructor_args=[tree], concurrency=1, batch_size=250)
    t = np.array([row["t"] for row in cast.take_all()], np.float32)

    one = bvh.closest_hits(rays)
    same = (hits == by_parts).all() and by_parts["t"].tobytes() == one.t.tobytes()
    print(f"equal bits: {same and t.tobytes() == one.t[:1000].tobytes()}")
    ray.shutdown()


if __name__ == "__main__":
    main()
