"""Rays for MuJoCo: ``multi_ray`` answers as ``mj_multiRay`` does, from one point or from many.

>>> from hitscan.mujoco import RayScene                            # doctest: +SKIP
>>> rays = RayScene(model, data)                                   # doctest: +SKIP
>>> rays.update(data)                                              # doctest: +SKIP
>>> distance, geom, normal = rays.multi_ray(point, directions)     # doctest: +SKIP

Meshes, height fields and boxes are triangles in a scene. Planes, spheres, capsules, ellipsoids and cylinders
are exact, in float64.
"""

from ._scene import RayAnswers, RayScene

__all__ = ["RayAnswers", "RayScene"]
