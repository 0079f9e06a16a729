"""Rays on many machines, and meshes larger than one, by Dask or Ray.

:mod:`hitscan.distributed.dask` takes rays as a Dask array, :mod:`hitscan.distributed.ray` in arrays or Ray
Data sets. Both take a :class:`hitscan.Bvh`, which each worker gets once, or :class:`Parts` of a mesh.

The answers are those of one machine, to the last bit. A hit is the minimum ``(t, triangle)`` over all
triangles, and the ``t`` of a triangle does not depend on the other triangles. So the minimum over parts is
the minimum over the mesh.
"""

from ._parts import HIT, Parts, split

__all__ = ["HIT", "Parts", "split"]
