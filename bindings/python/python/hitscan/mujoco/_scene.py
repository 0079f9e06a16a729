"""The geoms of a model, ready for rays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _arrays, _options
from .._arrays import ArrayLike
from .._bvh import Bvh
from .._mesh import Mesh
from .._scene import Scene
from . import _shapes

_Floats = npt.NDArray[np.float64]
_Ints = npt.NDArray[np.int64]

#: ``mjtGeom``: the numbers are part of MuJoCo's file format.
_PLANE, _HFIELD, _SPHERE, _CAPSULE, _ELLIPSOID, _CYLINDER, _BOX, _MESH = range(8)
_SMOOTH = {
    _SPHERE: _shapes.sphere,
    _CAPSULE: _shapes.capsule,
    _ELLIPSOID: _shapes.ellipsoid,
    _CYLINDER: _shapes.cylinder,
}
_N_GROUPS = 6


class RayAnswers(NamedTuple):
    """What each of n rays hits first.

    Attributes
    ----------
    distance : (n,) float64
        In units of the ray's vector; -1 for a miss.
    geom : (n,) int32
        The id of the geom; -1 for a miss.
    normal : (n, 3) float64
        The unit normal of the surface, outward whichever side the ray hits; zeros for a miss.
    """

    distance: _Floats
    geom: npt.NDArray[np.int32]
    normal: _Floats


class RayScene:
    """The geoms of an ``MjModel`` at the poses of an ``MjData``.

    Parameters
    ----------
    model : mujoco.MjModel
        Meshes are shared between geoms. Changes of meshes, sizes and types need a new scene; poses and
        visibility do not. Geoms of type SDF are refused; flexes and skins take no part, as in ``mj_ray``.
    data : mujoco.MjData, optional
        The poses, as :meth:`update` takes them; without, :meth:`update` has to come before the first ray.

    Attributes
    ----------
    scene : hitscan.Scene
        The meshes, height fields and boxes alone, for all other queries.
    geoms : dict of int to int
        The geom of each instance of that scene.
    """

    def __init__(self, model: Any, data: Any = None) -> None:
        if not hasattr(model, "geom_type"):
            raise TypeError(f"model is a {type(model).__name__}, expected a mujoco.MjModel")
        self._model = model
        self.scene = Scene()
        self.geoms: dict[int, int] = {}
        # The boxes around smooth shapes: a ray that misses the box misses the shape.
        self._boxes = Scene()
        self._box_geoms: dict[int, int] = {}
        self._instances: dict[int, tuple[Scene, int, _Floats]] = {}
        self._types = np.array(model.geom_type, np.int64)
        self._sizes = np.array(model.geom_size, np.float64)
        self._static = np.array(model.body_weldid)[np.array(model.geom_bodyid)] == 0
        self._placed = False
        trees: dict[Any, Bvh | None] = {}
        cube = Bvh(_cube())
        for geom, kind in enumerate(self._types.tolist()):
            if kind == _PLANE:
                continue
            scale = np.ones(3)
            if kind in (_HFIELD, _MESH):
                key = (kind, int(model.geom_dataid[geom]))
                if key not in trees:
                    mesh = _mesh(model, key[1]) if kind == _MESH else _height_field(model, key[1])
                    trees[key] = Bvh(mesh) if len(mesh) else None
                bvh = trees[key]
            elif kind == _BOX or kind in _SMOOTH:
                bvh, scale = cube, _half_extents(kind, self._sizes[geom])
            else:
                raise ValueError(
                    f"geom {geom} is of type {kind}, expected plane, hfield, sphere, capsule, ellipsoid, "
                    "cylinder, box or mesh"
                )
            if bvh is not None:
                owner, ids = (self._boxes, self._box_geoms) if kind in _SMOOTH else (self.scene, self.geoms)
                id = owner.insert(bvh, layers=self._layer(geom))
                ids[id] = geom
                self._instances[geom] = (owner, id, scale)
        # One row more, for the misses, whose instance is -1.
        self._geom_of = _table(self.geoms)
        self._box_geom_of = _table(self._box_geoms)
        if data is not None:
            self.update(data)

    def update(self, data: Any) -> None:
        """Take the poses of all geoms, and whether they are visible, as after ``mj_kinematics``.

        The first call places static geoms, too; later ones move those of moving bodies alone.

        Parameters
        ----------
        data : mujoco.MjData
        """
        if not hasattr(data, "geom_xpos"):
            raise TypeError(f"data is a {type(data).__name__}, expected a mujoco.MjData")
        n = len(self._types)
        if len(data.geom_xpos) != n:
            raise ValueError(f"data has {len(data.geom_xpos)} geoms, expected {n} as the model")
        self._positions = np.array(data.geom_xpos, np.float64)
        self._turns = np.array(data.geom_xmat, np.float64).reshape(-1, 3, 3)
        self._visible = _visible(self._model)
        for geom, (owner, id, scale) in self._instances.items():
            owner.set_hidden(id, not self._visible[geom])
            if self._placed and self._static[geom]:
                continue
            matrix = np.eye(4)
            # MuJoCo has geoms of no extent, which a scene cannot turn back.
            matrix[:3, :3] = self._turns[geom] * np.maximum(scale, 1e-12)
            matrix[:3, 3] = self._positions[geom]
            owner.set_world_transform(id, matrix)
        self._placed = True

    def multi_ray(
        self,
        points: ArrayLike,
        vectors: ArrayLike,
        *,
        geomgroup: ArrayLike | None = None,
        flg_static: bool = True,
        bodyexclude: int = -1,
        cutoff: float = np.inf,
        threads: int | None = None,
    ) -> RayAnswers:
        """Return what each ray hits first, as ``mj_multiRay`` does.

        A height field is a solid. For rays from its inside, MuJoCo also has a face at its height 0.

        Parameters
        ----------
        points : (3,) or (n, 3) array_like
            The origin of all rays, or of each.
        vectors : (n, 3) array_like
            The directions, of any length but zero.
        geomgroup : (6,) array_like of bool, optional
            Whether geoms of each group take part; all by default.
        flg_static : bool
            Whether geoms of static bodies take part.
        bodyexclude : int
            The body whose geoms take no part, or -1.
        cutoff : float
            Hits farther from the point, in units of length, do not count. MuJoCo leaves out geoms whose
            bounding sphere is farther, and returns farther hits of the others.
        threads : int, optional

        Returns
        -------
        RayAnswers
        """
        if not self._placed:
            raise RuntimeError("the geoms have no poses yet; call update(data)")
        ways = _arrays.rows("vectors", vectors, 3, np.float64)
        start = _arrays.contiguous("points", _arrays.numbers("points", points), np.float64)
        if start.shape not in ((3,), (1, 3), ways.shape):
            raise ValueError(f"points has shape {start.shape}, expected (3,) or {ways.shape} as vectors")
        taking_part = self._taking_part(geomgroup, flg_static, bodyexclude)
        layers, ignore = self._options(geomgroup, flg_static, bodyexclude)
        planes = np.flatnonzero((self._types == _PLANE) & taking_part)
        # Of meshes alone, the compiled module gives the whole answer.
        is_whole = not self._box_geoms and len(planes) == 0 and cutoff == np.inf
        n = len(ways)
        t, geom, normal = answers = _arrays.empty_arrays(
            f"the hits of {n} rays", n, np.float64, np.int32, (np.float64, 3)
        )
        options = _options.of_scene("both", layers, ignore(self.geoms))
        self.scene._core.rays_at_geoms(
            start.reshape(-1, 3),
            ways,
            options,
            self._geom_of,
            -1.0 if is_whole else np.inf,
            _arrays.threads(threads),
            answers,
        )
        if is_whole:
            return RayAnswers(t, geom, normal)
        origins = np.broadcast_to(start, ways.shape)
        if self._box_geoms:
            self._smooth(origins, ways, layers, ignore(self._box_geoms), t, geom, normal, threads)
        for plane in planes:
            rays = np.arange(n)
            self._test(_shapes.plane, rays, np.full(n, plane), origins, ways, t, geom, normal)
        far = ~np.isfinite(t)
        if cutoff != np.inf:
            with np.errstate(invalid="ignore"):
                far |= ~(t * np.linalg.norm(ways, axis=1) <= cutoff)
        t[far], geom[far], normal[far] = -1.0, -1, 0.0
        return RayAnswers(t, geom, normal)

    def _smooth(
        self,
        origins: _Floats,
        ways: _Floats,
        layers: int,
        ignore: list[int],
        t: _Floats,
        geom: npt.NDArray[np.int32],
        normal: _Floats,
        threads: int | None,
    ) -> None:
        """Test smooth shapes whose box a ray meets, and keep what is nearer."""
        lists = self._boxes.all_hits(origins, ways, layers=layers, ignore=ignore, threads=threads)
        pairs = np.unique(lists.ray * (len(self._types) + 1) + self._box_geom_of[lists.instance])
        rays, shapes = np.divmod(pairs, len(self._types) + 1)
        for kind, intersect in _SMOOTH.items():
            of_kind = self._types[shapes] == kind
            self._test(intersect, rays[of_kind], shapes[of_kind], origins, ways, t, geom, normal)

    def _test(
        self,
        intersect: Any,
        rays: _Ints,
        shapes: _Ints,
        origins: _Floats,
        ways: _Floats,
        t: _Floats,
        geom: npt.NDArray[np.int32],
        normal: _Floats,
    ) -> None:
        """Intersect each ray with its shape, and keep the nearest, of equal ones the least geom."""
        if len(rays) == 0:
            return
        turn = self._turns[shapes]
        local = np.einsum("nji,nj->ni", turn, origins[rays] - self._positions[shapes])
        found, outward = intersect(local, np.einsum("nji,nj->ni", turn, ways[rays]), self._sizes[shapes])
        order = np.lexsort((shapes, found, rays))
        rays, shapes, found = rays[order], shapes[order], found[order]
        best = np.r_[True, rays[1:] != rays[:-1]] & np.isfinite(found)
        rays, shapes, found = rays[best], shapes[best], found[best]
        nearer = (found < t[rays]) | ((found == t[rays]) & (shapes < geom[rays]))
        at = rays[nearer]
        t[at], geom[at] = found[nearer], shapes[nearer]
        normal[at] = np.einsum("nij,nj->ni", self._turns[shapes[nearer]], outward[order][best][nearer])

    def _layer(self, geom: int) -> int:
        """Return the layer of a geom: its group, and six higher for a static one."""
        group = min(max(int(self._model.geom_group[geom]), 0), _N_GROUPS - 1)
        return 1 << (group + _N_GROUPS * bool(self._static[geom]))

    def _options(
        self, geomgroup: Any, flg_static: bool, bodyexclude: int
    ) -> tuple[int, Callable[[dict[int, int]], list[int]]]:
        """Return the layers that take part, and a function of the instances that do not."""
        groups = _groups(geomgroup)
        mask = sum(1 << group for group in range(_N_GROUPS) if groups[group])
        layers = mask | (mask << _N_GROUPS if flg_static else 0)
        bodies = np.array(self._model.geom_bodyid)

        def excluded(geoms: dict[int, int]) -> list[int]:
            return [id for id, geom in geoms.items() if bodies[geom] == bodyexclude]

        return layers, excluded

    def _taking_part(self, geomgroup: Any, flg_static: bool, bodyexclude: int) -> npt.NDArray[np.bool_]:
        groups = _groups(geomgroup)[np.clip(np.array(self._model.geom_group), 0, _N_GROUPS - 1)]
        bodies = np.array(self._model.geom_bodyid)
        part: npt.NDArray[np.bool_] = groups & self._visible & (bodies != bodyexclude)
        return part if flg_static else part & ~self._static

    def __repr__(self) -> str:
        n = len(self._types)
        return f"RayScene({n} geom{'s' * (n != 1)})"


def _groups(geomgroup: Any) -> npt.NDArray[np.bool_]:
    if geomgroup is None:
        return np.ones(_N_GROUPS, np.bool_)
    return _arrays.row("geomgroup", geomgroup, _N_GROUPS, np.float64) != 0  # type: ignore[no-any-return]


def _table(geoms: dict[int, int]) -> _Ints:
    """Return the geom by the id of the instance, with -1 at the end for -1."""
    table = np.full(max(geoms, default=-1) + 2, -1, np.int64)
    for id, geom in geoms.items():
        table[id] = geom
    return table


def _visible(model: Any) -> npt.NDArray[np.bool_]:
    """Return whether each geom has any opacity, by its material or else by itself."""
    alpha = np.array(model.geom_rgba)[:, 3]
    material = np.array(model.geom_matid)
    if model.nmat:
        alpha = np.where(material >= 0, np.array(model.mat_rgba)[material, 3], alpha)
    visible: npt.NDArray[np.bool_] = alpha != 0
    return visible


def _half_extents(kind: int, size: _Floats) -> _Floats:
    """Return half the edges of the box around a shape."""
    radius, half = size[0], size[1]
    if kind == _SPHERE:
        return np.full(3, radius) * (1 + 1e-6)
    if kind == _CAPSULE:
        return np.array([radius, radius, radius + half]) * (1 + 1e-6)
    if kind == _CYLINDER:
        return np.array([radius, radius, half]) * (1 + 1e-6)
    return size * (1 + 1e-6 * (kind == _ELLIPSOID))


def _cube() -> Mesh:
    corners = [[x, y, z] for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)]
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    return Mesh(corners, [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])


def _mesh(model: Any, index: int) -> Mesh:
    first, n = int(model.mesh_vertadr[index]), int(model.mesh_vertnum[index])
    face, n_faces = int(model.mesh_faceadr[index]), int(model.mesh_facenum[index])
    return Mesh(
        np.array(model.mesh_vert[first : first + n]), np.array(model.mesh_face[face : face + n_faces])
    )


def _height_field(model: Any, index: int) -> Mesh:
    """Return a height field as a solid: its surface, its sides, and its bottom."""
    n_rows, n_columns = int(model.hfield_nrow[index]), int(model.hfield_ncol[index])
    half_x, half_y, height, base = np.array(model.hfield_size[index], np.float64)
    first = int(model.hfield_adr[index])
    heights = np.array(model.hfield_data[first : first + n_rows * n_columns], np.float64) * height
    x, y = np.meshgrid(np.linspace(-half_x, half_x, n_columns), np.linspace(-half_y, half_y, n_rows))
    top = np.stack([x.ravel(), y.ravel(), heights], axis=1)
    index_of = np.arange(n_rows * n_columns).reshape(n_rows, n_columns)
    a, b, c, d = index_of[:-1, :-1], index_of[:-1, 1:], index_of[1:, 1:], index_of[1:, :-1]
    surface = np.stack([a, b, c, a, c, d], axis=-1).reshape(-1, 3)
    # Around the edge, counter-clockwise from above.
    edge = np.concatenate([index_of[0, :-1], index_of[:-1, -1], index_of[-1, :0:-1], index_of[:0:-1, 0]])
    bottom = top[edge] * [1, 1, 0] - [0, 0, base]
    low, high = len(top) + np.arange(len(edge)), edge
    next_low, next_high = np.roll(low, -1), np.roll(high, -1)
    walls = np.stack([low, next_low, next_high, low, next_high, high], axis=-1).reshape(-1, 3)
    fan = np.stack([np.full(len(edge) - 2, low[0]), low[2:], low[1:-1]], axis=-1)
    return Mesh(np.concatenate([top, bottom]), np.concatenate([surface, walls, fan]))
