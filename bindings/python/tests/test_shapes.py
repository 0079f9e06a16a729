"""Images of rays and points: the answers are those of the rows, in the shape of the image."""

import pickle

import hitscan
import hitscan.geometry
import numpy as np
import pytest
from conftest import sphere

SHAPE = (6, 8)


@pytest.fixture
def bvh():
    return hitscan.Bvh(*sphere())


@pytest.fixture
def scene(bvh):
    scene = hitscan.Scene()
    scene.insert(bvh)
    scene.insert(bvh, np.eye(4) + np.eye(4, k=3) * 0.7)
    return scene


@pytest.fixture
def rays(bvh):
    """Rows of rays that hit and rays that miss, of a camera."""
    rays = hitscan.Camera.framing(bvh).view(SHAPE[1], SHAPE[0]).rays()
    rays[:, 7] = np.linspace(1, 5, len(rays))
    return rays


def arrays_of(answer):
    """The arrays of an answer by name, with points and normals."""
    if isinstance(answer, np.ndarray):
        return {"": answer}
    if isinstance(answer, tuple):
        return dict(enumerate(answer))
    more = {name: getattr(answer, name) for name in ("points", "normals", "hit") if hasattr(answer, name)}
    return answer.to_dict() | more


def check(rows, image):
    rows, image = arrays_of(rows), arrays_of(image)
    assert rows.keys() == image.keys()
    for name, array in rows.items():
        assert image[name].shape == SHAPE + array.shape[1:], name
        assert image[name].reshape(array.shape).tobytes() == array.tobytes(), name


PER_RAY = [
    "closest_hits",
    "is_occluded",
    "count_crossings",
    "signed_crossings",
    "sphere_casts",
    "sphere_casts_any",
]
PER_POINT = ["closest_points", "signed_distances", "is_inside", "winding_numbers"]


@pytest.mark.parametrize("name", PER_RAY)
@pytest.mark.parametrize("surface", ["bvh", "scene"])
def test_an_image_of_rays_has_images_of_answers(name, surface, rays, request):
    query = getattr(request.getfixturevalue(surface), name)
    more = {"radius": 0.1} if name.startswith("sphere") else {}
    rows = query(rays, **more)
    check(rows, query(rays.reshape(*SHAPE, 8), **more))
    check(query(rays[:, :6], **more), query(rays[:, :6].reshape(*SHAPE, 6), **more))
    image = rays.reshape(*SHAPE, 8)
    bounds = {"t_min": image[..., 6], "t_max": image[..., 7]}
    check(rows, query(image[..., :3], directions=image[..., 3:6], **bounds, **more))
    one = rays[0, :3]
    for start in (one, one[None], one.tolist()):
        check(query(one, rays[:, 3:6], **more), query(start, image[..., 3:6].tolist(), **more))


@pytest.mark.parametrize("name", PER_POINT)
@pytest.mark.parametrize("surface", ["bvh", "scene"])
def test_an_image_of_points_has_images_of_answers(name, surface, request):
    query = getattr(request.getfixturevalue(surface), name)
    points = np.random.default_rng(1).uniform(-2, 2, (*SHAPE, 3))
    check(query(points.reshape(-1, 3)), query(points))
    if name == "closest_points":
        limit = np.linspace(0, 1, 48)
        check(
            query(points.reshape(-1, 3), max_distance=limit), query(points, max_distance=limit.reshape(SHAPE))
        )


@pytest.mark.parametrize("surface", ["bvh", "scene"])
def test_lists_of_hits_stay_in_rows(surface, rays, request):
    surface = request.getfixturevalue(surface)
    image = rays.reshape(*SHAPE, 8)
    for name, more in (("all_hits", {}), ("nearest_hits", {"n": 1}), ("sphere_casts_all", {"radius": 0.1})):
        rows, found = (getattr(surface, name)(one, **more) for one in (rays, image))
        assert found.splits.tolist() == rows.splits.tolist() and found.t.tobytes() == rows.t.tobytes()
    assert set(np.unravel_index(found.ball, SHAPE)[0]) <= set(range(SHAPE[0]))


def test_views_and_recipes_take_images(bvh, rays):
    hits = bvh.closest_hits(rays.reshape(*SHAPE, 8))
    view = hitscan.Camera.framing(bvh).view(SHAPE[1], SHAPE[0])
    check(view.project(hits.points.reshape(-1, 3)), view.project(hits.points))
    for recipe in (hitscan.geometry.thickness, hitscan.geometry.ambient_occlusion):
        flat = recipe(bvh, hits.points.reshape(-1, 3), hits.normals.reshape(-1, 3))
        check(flat, recipe(bvh, hits.points, hits.normals))


@pytest.mark.parametrize("surface", ["bvh", "scene"])
def test_images_of_hits_pickle_and_become_tables(surface, rays, request):
    surface = request.getfixturevalue(surface)
    rows, image = surface.closest_hits(rays), surface.closest_hits(rays.reshape(*SHAPE, 8))
    check(rows, pickle.loads(pickle.dumps(image)))
    pandas = pytest.importorskip("pandas")
    pandas.testing.assert_frame_equal(rows.to_dataframe(), image.to_dataframe())


def test_more_dimensions_and_none(bvh, rays):
    assert bvh.closest_hits(rays.reshape(2, 3, 8, 8)).points.shape == (2, 3, 8, 3)
    assert bvh.closest_hits(np.zeros((0, 5, 6))).t.shape == (0, 5)


def test_tensors_may_be_images(bvh, rays):
    torch = pytest.importorskip("torch")
    image = torch.from_numpy(rays).reshape(*SHAPE, 8)
    check(bvh.closest_hits(rays), bvh.closest_hits(image))


def test_wrong_images_are_named(bvh):
    start = np.zeros((2, 4, 3))
    wrong = [
        (lambda: bvh.closest_hits(start), r"rays has shape \(2, 4, 3\), expected \(..., 6\) or \(..., 8\)"),
        (
            lambda: bvh.closest_hits(start, np.ones((8, 3))),
            r"directions has shape \(8, 3\), expected \(2, 4, 3\) as origins",
        ),
        (
            lambda: bvh.is_occluded(start, start[:1]),
            r"directions has shape \(1, 4, 3\), expected \(2, 4, 3\)",
        ),
        (
            lambda: bvh.closest_hits(start, [0, 0, 1], t_max=np.ones(8)),
            r"t_max has shape \(8,\), expected a number or \(2, 4\)",
        ),
        (lambda: bvh.is_inside(np.zeros((2, 4, 2))), r"points has shape \(2, 4, 2\), expected \(..., 3\)"),
        (
            lambda: bvh.closest_points(start, max_distance=np.ones((4, 2))),
            r"max_distance has shape \(4, 2\), expected a number or \(2, 4\)",
        ),
    ]
    for call, text in wrong:
        with pytest.raises(ValueError, match=text):
            call()


def test_two_arrays_make_a_tree():
    positions, triangles = sphere()
    bvh = hitscan.Bvh(positions, triangles, quality="fast")
    assert len(bvh) == len(triangles) and "fast" in repr(bvh)
    assert len(hitscan.Bvh(positions.tolist(), [[0, 1, 2, 3]])) == 2
    with pytest.raises(TypeError, match=r"mesh is an array, expected a mesh; Bvh\(positions, triangles\)"):
        hitscan.Bvh(positions)
    with pytest.raises(ValueError, match=r"triangle 0 is vertex 9999"):
        hitscan.Bvh(positions, [[0, 1, 9999]])
