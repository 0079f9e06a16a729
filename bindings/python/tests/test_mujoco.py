"""Rays for MuJoCo, beside ``mj_multiRay``. The tests skip themselves without mujoco."""

import time

import numpy as np
import pytest
from conftest import sphere
from hitscan.mujoco import RayScene

mujoco = pytest.importorskip("mujoco")


def numbers(array):
    return " ".join(str(x) for x in np.asarray(array).ravel())


def model_of(n_bodies=12):
    """A floor, a height field, and bodies of all shapes in free fall."""
    random = np.random.default_rng(6)
    positions, triangles = sphere(10, 16, 0.4)
    heights = random.uniform(0, 1, (7, 9))
    shapes = ["sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh"]
    bodies = []
    for i in range(n_bodies):
        kind = shapes[i % 6]
        size = "" if kind == "mesh" else f'size="{numbers(random.uniform(0.2, 0.6, 3))}"'
        mesh = 'mesh="ball"' if kind == "mesh" else ""
        free = "" if i % 4 == 3 else "<freejoint/>"
        place, turn = random.uniform(-2, 2, 3) + np.array([0, 0, 3]), random.uniform(0, 90, 3)
        bodies.append(
            f'<body pos="{numbers(place)}" euler="{numbers(turn)}">'
            f'{free}<geom type="{kind}" {size} {mesh} group="{i % 3}" rgba="1 1 1 {int(i != 5)}"/></body>'
        )
    return mujoco.MjModel.from_xml_string(f"""<mujoco><asset>
      <mesh name="ball" vertex="{numbers(positions)}" face="{numbers(triangles)}"/>
      <hfield name="land" nrow="7" ncol="9" size="2 1.5 0.7 0.2" elevation="{numbers(heights)}"/>
      </asset><worldbody><geom type="plane" size="4 4 .1"/>
      <geom type="plane" size="0 0 .1" pos="0 0 -1" euler="0 0 20"/>
      <geom type="hfield" hfield="land" pos="0 0 1" euler="0 0 30" group="1"/>
      {"".join(bodies)}</worldbody></mujoco>""")


def theirs(model, data, point, vectors, geomgroup=None, flg_static=True, bodyexclude=-1, cutoff=np.inf):
    n = len(vectors)
    geom, distance, normal = np.zeros(n, np.int32), np.zeros(n), np.zeros(3 * n)
    mujoco.mj_multiRay(
        model,
        data,
        point,
        vectors.ravel(),
        geomgroup,
        flg_static,
        bodyexclude,
        geom,
        distance,
        normal,
        n,
        cutoff,
    )
    return distance, geom, normal.reshape(-1, 3)


@pytest.fixture(scope="module")
def world():
    model = model_of()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


def compare(world, rays, point, vectors, allowed=0, **options):
    expected = theirs(*world, point, vectors, **options)
    found = rays.multi_ray(point, vectors, **options)
    other = found.geom != expected[1]
    assert other.sum() <= allowed, (np.flatnonzero(other)[:5], found.geom[other][:5], expected[1][other][:5])
    same = ~other & (found.geom >= 0)
    np.testing.assert_allclose(found.distance[same], expected[0][same], atol=2e-5)
    # Near an edge, two faces are at one distance.
    turned = np.linalg.norm(found.normal[same] - expected[2][same], axis=1) > 1e-3
    assert turned.sum() <= allowed + len(vectors) / 500
    miss = found.geom < 0
    assert (found.distance[miss] == -1).all() and (found.normal[miss] == 0).all()
    return found, other.sum()


def test_rays_from_many_points_answer_as_mj_multi_ray_does(world):
    rays = RayScene(*world)
    random, n_other, n, seen = np.random.default_rng(1), 0, 0, set()
    for _ in range(30):
        point = random.uniform(-4, 4, 3) + np.array([0, 0, 5])
        vectors = random.uniform(-2, 2, (400, 3)) + np.array([0, 0, 2]) - point
        found, other = compare(world, rays, point, vectors, allowed=2)
        n_other, n, seen = n_other + other, n + len(vectors), seen | set(found.geom.tolist())
    # All geoms but the invisible one.
    assert seen == set(range(-1, world[0].ngeom)) - {8} or seen == set(range(world[0].ngeom)) - {8}
    print(f"of {n} rays, {n_other} have another geom than MuJoCo's")


@pytest.mark.parametrize(
    "options",
    [
        {"geomgroup": np.array([1, 0, 0, 0, 0, 0], np.uint8)},
        {"geomgroup": np.array([0, 1, 1, 0, 0, 0], np.uint8)},
        {"flg_static": False},
        {"bodyexclude": 3},
        {"bodyexclude": 0},
    ],
)
def test_groups_flags_and_exclusions_are_mujocos(world, options):
    rays = RayScene(*world)
    random = np.random.default_rng(2)
    point = np.array([0.5, -3.0, 7.0])
    vectors = random.uniform(-2, 2, (1500, 3)) + np.array([0, 0, 2]) - point
    compare(world, rays, point, vectors, allowed=2, **options)


def test_the_cutoff_leaves_out_farther_hits_where_mujoco_leaves_out_geoms(world):
    rays = RayScene(*world)
    point = np.array([0.5, -3.0, 7.0])
    vectors = np.random.default_rng(2).uniform(-2, 2, (1500, 3)) + np.array([0, 0, 2]) - point
    whole, part = rays.multi_ray(point, vectors), rays.multi_ray(point, vectors, cutoff=5.0)
    near = whole.distance * np.linalg.norm(vectors, axis=1) <= 5
    assert 100 < near.sum() < 1400
    assert (part.geom == np.where(near, whole.geom, -1)).all()
    expected = theirs(*world, point, vectors, cutoff=5.0)
    assert (expected[1][near] == part.geom[near]).all()


def test_poses_follow_each_step():
    model = model_of()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    rays = RayScene(model, data)
    random = np.random.default_rng(3)
    point = np.array([3.0, -3.0, 6.0])
    vectors = random.uniform(-2, 2, (500, 3)) + np.array([0, 0, 2]) - point
    before = rays.multi_ray(point, vectors).distance
    for _ in range(5):
        mujoco.mj_step(model, data, 20)
        mujoco.mj_kinematics(model, data)
        rays.update(data)
        found, _ = compare((model, data), rays, point, vectors, allowed=2)
    assert (found.distance != before).any()
    model.geom_rgba[:, 3] = 0
    rays.update(data)
    assert (rays.multi_ray(point, vectors).geom == -1).all()


def test_each_ray_may_have_its_own_point(world):
    rays = RayScene(*world)
    random = np.random.default_rng(4)
    points, vectors = random.uniform(-3, 3, (40, 3)) + np.array([0, 0, 5.5]), random.normal(size=(40, 3))
    found = rays.multi_ray(points, vectors)
    for i in range(40):
        expected = theirs(*world, points[i], vectors[i : i + 1])
        assert found.geom[i] == expected[1][0]
        assert found.distance[i] == pytest.approx(expected[0][0], abs=2e-5)


@pytest.mark.parametrize("n_bodies", [1, 9])
def test_rays_at_meshes_alone_have_the_hits_of_the_scene(n_bodies):
    positions, triangles = sphere(10, 16, 0.4)
    bodies = "".join(
        f'<body pos="{i % 3} {i // 3} 0.{i}" euler="{20 * i} 0 10"><geom type="mesh" mesh="ball"/></body>'
        for i in range(n_bodies)
    )
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><asset><mesh name="ball" vertex="{numbers(positions)}" face="{numbers(triangles)}"/>'
        f"</asset><worldbody>{bodies}</worldbody></mujoco>"
    )
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    rays = RayScene(model, data)
    x, y = np.meshgrid(np.linspace(-1, 1, 80), np.linspace(-1, 1, 60))
    vectors = np.stack([x, y, np.full_like(x, -3.0)], -1).reshape(-1, 3)
    point = np.array([0.3, 0.3, 3.0])
    points = np.broadcast_to(point, vectors.shape)
    hits = rays.scene.closest_hits(points, vectors)
    expected = np.where(hits.hit, hits.t, -1), np.where(hits.hit[:, None], hits.normals, 0)
    geoms = np.array([rays.geoms.get(i, -1) for i in hits.instance.tolist()])
    assert hits.hit.any() and not hits.hit.all()
    for start in (point, point[None], points):
        for cutoff in (np.inf, 1e9):
            found = rays.multi_ray(start, vectors, cutoff=cutoff)
            assert (found.distance == expected[0]).all() and (found.normal == expected[1]).all()
            assert found.geom.dtype == np.int32 and (found.geom == geoms).all()


def test_rays_from_inside_meet_the_outer_surface_of_smooth_shapes():
    from hitscan.mujoco import _shapes

    size = np.array([[0.5, 2.0, 3.0]])
    inside, across = np.array([[0.0, 0.0, 1.9]]), np.array([[2.0, 0.0, 0.0]])
    for shape, expected in ((_shapes.capsule, 0.25), (_shapes.cylinder, 0.25), (_shapes.sphere, np.inf)):
        t, normal = shape(inside, across, size)
        assert t[0] == pytest.approx(expected)
        assert t[0] == np.inf or normal[0].tolist() == [1, 0, 0]
    up = np.array([[0.0, 0.0, 1.0]])
    assert _shapes.capsule(inside, up, size)[0][0] == pytest.approx(0.6)
    assert _shapes.cylinder(inside, up, size)[0][0] == pytest.approx(0.1)
    assert _shapes.ellipsoid(inside, up, size)[0][0] == pytest.approx(1.1)
    assert _shapes.plane(inside, up, size)[0][0] == np.inf == _shapes.plane(-inside, -up, size)[0][0]


def test_wrong_arguments_are_named(world):
    rays = RayScene(world[0])
    with pytest.raises(RuntimeError, match=r"call update\(data\)"):
        rays.multi_ray([0, 0, 0], [[0, 0, 1]])
    rays.update(world[1])
    with pytest.raises(TypeError, match=r"model is a int, expected a mujoco.MjModel"):
        RayScene(3)
    with pytest.raises(TypeError, match=r"data is a MjModel"):
        rays.update(world[0])
    with pytest.raises(ValueError, match=r"vectors has shape \(2, 2\)"):
        rays.multi_ray([0, 0, 0], np.zeros((2, 2)))
    with pytest.raises(ValueError, match=r"points has shape \(2, 3\), expected \(3,\) or \(5, 3\)"):
        rays.multi_ray(np.zeros((2, 3)), np.zeros((5, 3)))
    with pytest.raises(ValueError, match=r"geomgroup has shape \(2,\), expected \(6,\)"):
        rays.multi_ray([0, 0, 0], [[0, 0, 1]], geomgroup=[1, 0])
    other = mujoco.MjModel.from_xml_string("<mujoco/>")
    with pytest.raises(ValueError, match=r"data has 0 geoms, expected 15"):
        rays.update(mujoco.MjData(other))
    # MuJoCo ends the process at a vector without length.
    assert rays.multi_ray([0, 0, 9], [[0, 0, 0], [0, 0, np.nan]]).geom.tolist() == [-1, -1]


def test_meshes_take_a_fraction_of_mujocos_time():
    positions, triangles = sphere(100, 160)
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><asset><mesh name="m" vertex="{numbers(positions)}" face="{numbers(triangles)}"/></asset>'
        '<worldbody><geom type="mesh" mesh="m"/></worldbody></mujoco>'
    )
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    rays = RayScene(model, data)
    point = np.array([0.0, 0.0, 3.0])
    vectors = np.random.default_rng(5).uniform(-1, 1, (20000, 3)) - point
    start = time.process_time()
    expected = theirs(model, data, point, vectors)
    middle = time.process_time()
    found = rays.multi_ray(point, vectors, threads=1)
    end = time.process_time()
    print(f"us a ray: MuJoCo {(middle - start) * 50:.2f}, hitscan {(end - middle) * 50:.2f}")
    assert (found.geom != expected[1]).sum() <= 5 and end - middle < middle - start
