"""Cameras, and their pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from . import _arrays, _hitscan, _pictures
from ._arrays import ArrayLike
from ._bvh import Bvh
from ._mesh import Mesh
from ._options import Faces
from ._scene import Scene
from ._shapes import of_points

#: Three numbers.
Triple: TypeAlias = "tuple[float, float, float]"

#: What a picture shows.
Mode = Literal["shaded", "depth", "normal", "face", "object", "material", "uv", "heat", "glass"]

#: The depths and the direction of rows that a matrix produces, by the name of an engine.
Convention = Literal["wgpu", "bevy", "vulkan", "opengl", "three.js"]

_MAX_SIZE = 1 << 16


class View:
    """A camera with the size of its picture; made by :meth:`Camera.view` or :meth:`from_matrix`.

    Pixels count from the top left. The first covers 0 to 1, and its centre is at 0.5.
    """

    __slots__ = ("__weakref__", "_core")

    _core: _hitscan.View

    @classmethod
    def _of(cls, core: _hitscan.View) -> View:
        view = cls.__new__(cls)
        view._core = core
        return view

    @classmethod
    def from_matrix(
        cls,
        world_to_clip: ArrayLike,
        width: int,
        height: int,
        *,
        convention: Convention = "opengl",
        origin: ArrayLike = (0.0, 0.0, 0.0),
    ) -> View:
        """Return the view of the matrix that draws a picture.

        Parameters
        ----------
        world_to_clip : (4, 4) array_like of float64
            Projection times view, for column vectors.
        width, height : int
            The size in pixels.
        convention : {"wgpu", "bevy", "vulkan", "opengl", "three.js"}
            The depths and the direction of rows that the matrix produces.
        origin : (3,) array_like
            The matrix takes positions relative to this point. Far from the origin of the world, use the
            position of the camera.

        Raises
        ------
        ValueError
            A matrix that is singular, not finite, or of another convention.
        """
        matrix = _arrays.matrix("world_to_clip", world_to_clip)
        size = _size(width, height)
        return cls._of(_hitscan.View.of_matrix(matrix, _arrays.triple("origin", origin), convention, size))

    def with_clipping_planes(self, planes: ArrayLike) -> View:
        """Return the same view of a scene that planes clip, in place of the view's planes.

        It shows what lies above all planes or in them, where their normals point. Rays, picks, snaps,
        selections, visibility and pictures honour the planes: what is hidden is neither found nor in the
        way. Nothing closes the cut. ``View`` without planes is ``view.with_clipping_planes([])``.

        Parameters
        ----------
        planes : (n, 6) array_like
            At most six planes: a point of each and its normal, of any length but zero.

        Raises
        ------
        ValueError
            More than six planes; a normal that is zero or not finite, or a point that is not finite.

        Examples
        --------
        >>> import hitscan
        >>> view = hitscan.Camera(eye=(0, 0, 5), target=(0, 0, 0)).view(64, 48)
        >>> cut = view.with_clipping_planes([[0, 0, 0.5, 0, 0, -1]])
        >>> bvh = hitscan.Bvh(hitscan.Mesh([[-1, -1, 1], [1, -1, 1], [0, 1, 1]], [[0, 1, 2]]))
        >>> [bool(bvh.is_occluded(v.ray((32, 24))[None])[0]) for v in (view, cut)]
        [True, False]
        """
        return View._of(self._core.with_clipping_planes(_arrays.rows("planes", planes, 6, np.float64)))

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        width, height = self._core.size
        return width, height

    def rays(self) -> npt.NDArray[np.float64]:
        """Return the rays through the centres of all pixels, row by row from the top left.

        Returns
        -------
        (height * width, 8) float64
            Origins on the near plane, directions of unit length, ``t_min`` and ``t_max``.
        """
        width, height = self.size
        what = f"the rays of {width} by {height} pixels"
        rays: npt.NDArray[np.float64] = _arrays.empty_arrays(what, width * height, (np.float64, 8))[0]
        self._core.rays(rays)
        return rays

    def ray(self, pixel: ArrayLike) -> npt.NDArray[np.float64]:
        """Return the ray through a position in pixels, (8,) float64, as a row of :meth:`rays`."""
        x, y = _arrays.row("pixel", pixel, 2, np.float64).tolist()
        return np.array(self._core.ray((x, y)), np.float64)

    @of_points
    def project(
        self, points: ArrayLike
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return where points appear in the picture.

        Parameters
        ----------
        points : (n, 3) array_like

        Returns
        -------
        pixel : (n, 2) float64
            Inside the picture or not; NaN for points that are not between the near and far planes.
        depth : (n,) float64
            As in a depth buffer of the view's convention; of a :class:`Camera`, from 0 to 1.
        distance : (n,) float64
            From the near plane along the pixel's ray.
        """
        start = _arrays.rows("points", points, 3, np.float64)
        n = len(start)
        pixel, depth, distance = _arrays.empty_arrays(
            f"the pixels of {n} points", n, (np.float64, 2), np.float64, np.float64
        )
        self._core.project(start, pixel, depth, distance)
        return pixel, depth, distance

    def __repr__(self) -> str:
        return f"View({self.size[0]} by {self.size[1]} pixels)"


@dataclass(frozen=True)
class Camera:
    """A camera that looks from ``eye`` to ``target``, in a right-handed world.

    Parameters
    ----------
    eye, target : (3,) of float
    up : (3,) of float
        The direction that is up in the picture, of any length.
    fov_y_degrees : float
        The vertical field of view of a perspective camera.
    height : float, optional
        The height of the picture in world units: makes the camera orthographic.
    near, far : float, optional
        The distances of the planes between which rays run; by default, close to the eye, and as far as the
        projection allows.

    Examples
    --------
    >>> import hitscan
    >>> view = hitscan.Camera(eye=(0, 0, 5), target=(0, 0, 0)).view(640, 480)
    >>> pixel, _, _ = view.project([[0, 0, 0]])
    >>> pixel.round(6).tolist()
    [[320.0, 240.0]]
    """

    eye: ArrayLike
    target: ArrayLike = (0.0, 0.0, 0.0)
    up: ArrayLike = (0.0, 1.0, 0.0)
    fov_y_degrees: float = 45.0
    height: float | None = None
    near: float | None = None
    far: float | None = None

    def __post_init__(self) -> None:
        # Tuples, which have a hash and compare as one.
        for name in ("eye", "target", "up"):
            object.__setattr__(self, name, _arrays.triple(name, getattr(self, name)))

    @classmethod
    def framing(
        cls,
        subject: Scene | Bvh | Mesh,
        *,
        azimuth_degrees: float = 35.0,
        elevation_degrees: float = 25.0,
        up: ArrayLike = (0.0, 1.0, 0.0),
        fov_y_degrees: float = 45.0,
        height: float | None = None,
        aspect: float = 4 / 3,
    ) -> Camera:
        """Return a camera that sees all of a scene, tree or mesh.

        Parameters
        ----------
        subject : Scene, Bvh or Mesh
        azimuth_degrees : float
            From the front (+z if y is up, -y if z is up) towards the right.
        elevation_degrees : float
            Above the horizontal, between -90 and 90.
        up, fov_y_degrees, height
            As in :class:`Camera`.
        aspect : float
            Width divided by height.

        Raises
        ------
        ValueError
            An ``up`` that is zero or not finite, or another number out of its range.
        """
        _check_number("azimuth_degrees", azimuth_degrees, -np.inf, np.inf)
        _check_number("elevation_degrees", elevation_degrees, -90, 90)
        _check_number("fov_y_degrees", fov_y_degrees, 0, 180)
        _check_number("aspect", aspect, 0, np.inf)
        if height is not None:
            _check_number("height", height, 0, np.inf)
        top = _arrays.triple("up", up)
        scene = scene_of(subject)._core
        eye, target, top = _hitscan.frame(
            scene, top, fov_y_degrees, height, azimuth_degrees, elevation_degrees, aspect
        )
        return cls(eye, target, top, fov_y_degrees, height)

    def view(self, width: int, height: int) -> View:
        """Return the view of a picture of this size in pixels.

        Raises
        ------
        ValueError
            Equal ``eye`` and ``target``, an ``up`` along the view, or a number out of its range.
        """
        eye, target, up = (
            _arrays.triple(name, value)
            for name, value in (("eye", self.eye), ("target", self.target), ("up", self.up))
        )
        size = _size(width, height)
        if self.height is None:
            _check_number("fov_y_degrees", self.fov_y_degrees, 0, 180)
        numbers = (float(self.fov_y_degrees), self.height, self.near, self.far)
        return View._of(_hitscan.View.of_camera(eye, target, up, *numbers, size))


def render(
    subject: Scene | Bvh | Mesh,
    view: View | None = None,
    *,
    width: int = 640,
    height: int = 480,
    mode: Mode = "shaded",
    samples: int = 4,
    seed: int = 1,
    background: tuple[int, int, int, int] = (240, 242, 245, 255),
    legend: bool = True,
    ground: bool = True,
    up: ArrayLike = (0.0, 1.0, 0.0),
    light: ArrayLike | None = None,
    faces: Faces = "both",
    smooth_degrees: float | None = None,
    colors: Mapping[str, tuple[float, float, float]] | None = None,
    threads: int | None = None,
) -> npt.NDArray[np.uint8]:
    """Render a picture.

    Parameters
    ----------
    subject : Scene, Bvh or Mesh
        Hidden instances are not in the picture.
    view : View, optional
        By default, that of :meth:`Camera.framing`.
    width, height : int
        The size in pixels, if there is no view.
    mode : {"shaded", "depth", "normal", "face", "object", "material", "uv", "heat", "glass"}
        What the picture shows. ``"heat"`` is the work of each ray.
    samples : int
        Rays per pixel; a single one goes through its centre.
    seed : int
        Of the random sample points. Equal seeds give equal pictures, with any number of threads.
    background : 4 int
        Red, green, blue and opacity, from 0 to 255.
    legend : bool
        Whether to draw the key to the colours.
    ground : bool
        Whether ``"shaded"`` shows the shadows on a ground below the scene.
    up : (3,) array_like
        The direction of the sky.
    light : (3,) array_like, optional
        The position of the lamp; by default, behind the camera.
    faces : {"both", "front", "back"}
        The sides of triangles that are visible.
    smooth_degrees : float, optional
        Rounds edges where triangles meet at this angle or less, if the mesh has no normals.
    colors : mapping of str to 3 float, optional
        Red, green and blue of materials by name, from 0 to 1 in linear light.
    threads : int, optional

    Returns
    -------
    (height, width, 4) uint8
        sRGB and opacity, from the top left. Notebooks show it as a picture.

    Raises
    ------
    ValueError, TypeError
        An argument of another shape, type or range.
    MemoryError
        A picture that does not fit into memory.

    Examples
    --------
    >>> import hitscan
    >>> mesh = hitscan.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    >>> hitscan.render(mesh, width=64, height=48, mode="normal").shape
    (48, 64, 4)
    """
    scene = scene_of(subject)
    sky = _arrays.triple("up", up)
    if view is None:
        columns, rows = _size(width, height)
        view = Camera.framing(scene, up=sky, aspect=columns / rows).view(columns, rows)
    elif not isinstance(view, View):
        raise TypeError(f"view is a {type(view).__name__}, expected a hitscan.View")
    lamp = None if light is None else _arrays.triple("light", light)
    back = tuple(_arrays.integer("background", byte, 0, 255) for byte in background)
    if len(back) != 4:
        raise ValueError(f"background has {len(back)} numbers, expected 4")
    count = _arrays.integer("samples", samples, 1, 1 << 16)
    style = (mode, count, _arrays.integer("seed", seed, 0, (1 << 64) - 1), back, legend, ground, sky, lamp)
    by_name = {name: _arrays.triple(f"the color of {name}", color) for name, color in (colors or {}).items()}
    picture = _hitscan.render(
        scene._core, view._core, style, faces, smooth_degrees, by_name, _arrays.threads(threads)
    )
    return picture.view(_pictures.Picture)


def png(picture: ArrayLike) -> bytes:
    """Return a picture as the bytes of a PNG file.

    Parameters
    ----------
    picture : (height, width, 3) or (height, width, 4) array_like of uint8

    Raises
    ------
    ValueError, TypeError
        An array of another shape or dtype, or one without pixels.
    """
    array = _arrays.numbers("picture", picture)
    if array.dtype != np.uint8:
        raise TypeError(f"picture has dtype {array.dtype}, expected uint8")
    if array.ndim != 3 or array.shape[2] not in (3, 4) or array.size == 0:
        raise ValueError(f"picture has shape {array.shape}, expected (height, width, 3 or 4)")
    return _hitscan.png(_arrays.contiguous("picture", array, np.uint8))


def scene_of(subject: Any) -> Scene:
    """Return a scene as it is, and a tree or mesh as the only instance of one."""
    if isinstance(subject, Scene):
        return subject
    if isinstance(subject, Mesh):
        subject = Bvh(subject)
    if not isinstance(subject, Bvh):
        raise TypeError(f"subject is a {type(subject).__name__}, expected a hitscan.Scene, Bvh or Mesh")
    scene = Scene()
    scene.insert(subject)
    return scene


def _size(width: Any, height: Any) -> tuple[int, int]:
    columns = _arrays.integer("width", width, 1, _MAX_SIZE)
    return columns, _arrays.integer("height", height, 1, _MAX_SIZE)


def _check_number(name: str, value: float, low: float, high: float) -> None:
    if not low < value < high:
        raise ValueError(f"{name} is {value}, expected a number between {low} and {high}")
