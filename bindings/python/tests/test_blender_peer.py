"""Trees beside ``mathutils.bvhtree``. The tests skip themselves without the package bpy."""

import time

import hitscan.blender
import numpy as np
import pytest

bpy = pytest.importorskip("bpy")

import bmesh  # noqa: E402
from mathutils import Vector  # noqa: E402
from mathutils.bvhtree import BVHTree as Theirs  # noqa: E402

Ours = hitscan.blender.BVHTree
OPS = {
    "cube": lambda: bpy.ops.mesh.primitive_cube_add(),
    "grid": lambda: bpy.ops.mesh.primitive_grid_add(x_subdivisions=9, y_subdivisions=7),
    "monkey": lambda: bpy.ops.mesh.primitive_monkey_add(),
    "torus": lambda: bpy.ops.mesh.primitive_torus_add(),
    "cone": lambda: bpy.ops.mesh.primitive_cone_add(vertices=17),
    "cylinder": lambda: bpy.ops.mesh.primitive_cylinder_add(vertices=31),
    "uv_sphere": lambda: bpy.ops.mesh.primitive_uv_sphere_add(),
    "ico_sphere": lambda: bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=4),
    "smooth_monkey": lambda: (bpy.ops.mesh.primitive_monkey_add(), modifier("SUBSURF")),
    "wavy_array": lambda: (bpy.ops.mesh.primitive_torus_add(), modifier("ARRAY"), modifier("SIMPLE_DEFORM")),
}


def modifier(kind):
    bpy.context.object.modifiers.new(kind, kind)


def fresh():
    bpy.ops.wm.read_factory_settings(use_empty=True)


@pytest.fixture(params=list(OPS))
def subject(request):
    fresh()
    OPS[request.param]()
    subject = bpy.context.object
    subject.location, subject.rotation_euler = (1, 2, 3), (0.3, 0.2, 0.1)
    bpy.context.view_layer.update()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    depsgraph.update()
    return subject, depsgraph


def rays(n, seed=1):
    random = np.random.default_rng(seed)
    origins = random.uniform(-3, 3, (n, 3)).astype(np.float32)
    targets = random.uniform(-1, 1, (n, 3)).astype(np.float32)
    return origins, targets - origins


def test_rays_answer_as_blender_does_and_lose_none(subject):
    n = 4000
    theirs, ours = Theirs.FromObject(*subject), Ours.FromObject(*subject)
    origins, directions = rays(n)
    found, mesh = ours.ray_cast_array(origins, directions), ours.bvh.mesh
    corners = mesh.positions[mesh.triangles]
    other, lost = 0, 0
    for i, (origin, direction) in enumerate(zip(origins.tolist(), directions.tolist(), strict=True)):
        location, normal, index, distance = theirs.ray_cast(origin, direction)
        one = ours.ray_cast(Vector(origin), Vector(direction))
        assert (one[2] is None) == (found.index[i] < 0)
        if index is None:
            lost += one[2] is not None
            continue
        assert isinstance(one[0], Vector) and isinstance(one[1], Vector)
        assert one[2] == found.index[i]
        assert one[3] == pytest.approx(distance, rel=1e-4, abs=1e-5)
        assert (one[0] - location).length < 1e-4
        if one[2] == index:
            # Blender takes the normals of triangles until something has asked for those of polygons.
            a, b, c = corners[ours.bvh.closest_hits([origin], [direction]).triangle[0]].tolist()
            triangle = (Vector(b) - Vector(a)).cross(Vector(c) - Vector(a)).normalized()
            assert min((one[1] - normal).length, (triangle - normal).length) < 1e-3
        else:
            other += 1
    assert (found.index >= 0).sum() > n / 20
    # Rays along edges: both polygons are right, and Blender may find neither.
    assert other <= n / 500 and lost <= n / 500
    print(f"{other} rays hit a neighbour at the same distance, Blender lost {lost} of {n}")


@pytest.mark.parametrize("name", ["cube", "cone", "cylinder", "uv_sphere", "ico_sphere"])
def test_rays_from_inside_at_vertices_and_edges_are_lost_by_blender_alone(name):
    fresh()
    OPS[name]()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    depsgraph.update()
    theirs, ours = (kind.FromObject(bpy.context.object, depsgraph) for kind in (Theirs, Ours))
    mesh = ours.bvh.mesh
    corners = mesh.positions[mesh.triangles]
    targets = np.concatenate([corners[:, 0], (corners[:, 0] + corners[:, 1]) / 2, corners.mean(axis=1)])
    origins = np.full_like(targets, 0) + np.float32([0.013, 0.021, -0.017])
    found = ours.ray_cast_array(origins, targets - origins)
    lost = sum(
        theirs.ray_cast(origin, direction)[2] is None
        for origin, direction in zip(origins.tolist(), (targets - origins).tolist(), strict=True)
    )
    assert (found.index >= 0).all()
    print(f"of {len(targets)} rays from inside of {name}, Blender lost {lost}, hitscan none")


def test_nearest_points_are_blenders(subject):
    theirs, ours = Theirs.FromObject(*subject), Ours.FromObject(*subject)
    points, _ = rays(1500, 4)
    found = ours.find_nearest_array(points)
    for i, point in enumerate(points.tolist()):
        location, _, index, distance = theirs.find_nearest(point)
        one = ours.find_nearest(point)
        assert one[2] == found.index[i]
        assert one[3] == pytest.approx(distance, abs=1e-5) == found.distance[i]
        # Points as near to an edge as to another have several answers.
        assert (
            one[2] == index or (one[0] - location).length > 0 or one[3] == pytest.approx(distance, abs=1e-6)
        )
    for point in points[:50].tolist():
        expected, mine = theirs.find_nearest_range(point, 1.25), ours.find_nearest_range(point, 1.25)
        assert len(expected) == pytest.approx(len(mine), abs=1)
        if len(expected) == len(mine):
            np.testing.assert_allclose(
                sorted(entry[3] for entry in expected), [entry[3] for entry in mine], atol=1e-5
            )


def test_overlaps_are_blenders():
    fresh()
    bpy.ops.mesh.primitive_monkey_add()
    bpy.ops.mesh.primitive_torus_add(location=(0, 0, 0), rotation=(0.4, 0.5, 0.6))
    bpy.ops.object.transform_apply()
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=3, radius=0.9)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    depsgraph.update()
    objects = list(bpy.context.scene.objects)
    theirs, ours = ([kind.FromObject(o, depsgraph) for o in objects] for kind in (Theirs, Ours))
    for i in range(3):
        for j in range(3):
            expected, found = set(theirs[i].overlap(theirs[j])), set(ours[i].overlap(ours[j]))
            assert i == j or len(found) > 20
            # The monkey's eyes are spheres that touch the head at points: Blender leaves these pairs out.
            assert len(expected - found) <= len(expected) / 50, (i, j, expected - found)
            assert i == j or len(found - expected) <= len(expected) / 50, (i, j, found - expected)


def test_a_bmesh_of_edit_mode_has_its_faces():
    fresh()
    bpy.ops.mesh.primitive_monkey_add()
    mesh = bpy.context.object.data
    bpy.ops.object.mode_set(mode="EDIT")
    edited = bmesh.from_edit_mesh(mesh)
    edited.verts.ensure_lookup_table()
    edited.verts[0].co.z += 2
    theirs, ours = Theirs.FromBMesh(edited), Ours.FromBMesh(edited)
    assert len(ours) == len(edited.faces)
    points, ways = rays(300)
    for point, way in zip(points.tolist(), ways.tolist(), strict=True):
        assert ours.find_nearest(point)[3] == pytest.approx(theirs.find_nearest(point)[3], abs=1e-5)
        expected, found = theirs.ray_cast(point, way), ours.ray_cast(point, way)
        assert expected[2] is None or found[3] == pytest.approx(expected[3], rel=1e-4)
    bpy.ops.object.mode_set(mode="OBJECT")
    free = bmesh.new()
    free.free()
    with pytest.raises(ReferenceError, match="freed"):
        Ours.FromBMesh(free)


def test_options_of_objects_say_what_they_cannot_leave_out():
    fresh()
    bpy.ops.mesh.primitive_cube_add(location=(5, 0, 0))
    cube = bpy.context.object
    taper = cube.modifiers.new("taper", "SIMPLE_DEFORM")
    taper.deform_method, taper.factor, taper.deform_axis = "TAPER", 2, "Z"
    cube.shape_key_add(name="basis")
    key = cube.shape_key_add(name="key")
    key.data[0].co, key.value = (-9, -9, -9), 1
    bpy.context.view_layer.update()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    depsgraph.update()

    def far(tree):
        return max(entry[0].length for entry in tree.find_nearest_range((0, 0, 0)))

    for options in ({}, {"cage": True}, {"deform": False}):
        mine, expected = (
            Ours.FromObject(cube, depsgraph, **options),
            Theirs.FromObject(cube, depsgraph, **options),
        )
        assert far(mine) == pytest.approx(far(expected), rel=1e-4), options
    moved = Ours.FromObject(cube, depsgraph, deform=False, world=True)
    assert moved.bvh.bounds.tolist() == [[4, -1, -1], [6, 1, 1]]
    cube.modifiers.new("copies", "ARRAY")
    for options in ({"cage": True}, {"deform": False}):
        with pytest.raises(ValueError, match=r"object 'Cube'.*'copies' changes polygons"):
            Ours.FromObject(cube, depsgraph, **options)
    with pytest.raises(ValueError, match=r"cage=True needs deform=True"):
        Ours.FromObject(cube, depsgraph, deform=False, cage=True)
    with pytest.raises(ValueError, match=r"object 'nothing' of type EMPTY has no mesh"):
        Ours.FromObject(bpy.data.objects.new("nothing", None), depsgraph)
    with pytest.raises(TypeError, match=r"depsgraph is a Object"):
        Ours.FromObject(cube, cube)
    cube.modifiers.clear()
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(ValueError, match=r"object 'Cube' is in edit mode.*FromBMesh"):
        Ours.FromObject(cube, depsgraph, deform=False)
    bpy.ops.object.mode_set(mode="OBJECT")


def world_corners(tree, origin, direction):
    """The corners of the triangle that a ray hits, in world space."""
    hits = tree.scene.closest_hits(origin, direction)
    instance = tree.scene.instance(int(hits.instance[0]))
    mesh, matrix = instance.bvh.mesh, instance.transform
    return mesh.positions[mesh.triangles[hits.triangle[0]]] @ matrix[:3, :3].T + matrix[:3, 3]


def test_a_scene_with_instances_answers_as_scene_ray_cast():
    fresh()
    bpy.ops.mesh.primitive_monkey_add(location=(2, 0, 0), rotation=(0.1, 0.2, 0.3), scale=(1, 2, 0.5))
    bpy.context.object.scale = (1, 2, 0.5)
    bpy.ops.mesh.primitive_torus_add(location=(-2, 0, 0))
    bpy.ops.object.light_add()
    bpy.context.view_layer.update()
    bpy.ops.object.collection_instance_add(
        collection="Collection"
    ) if "Collection" in bpy.data.collections else 0
    depsgraph = bpy.context.evaluated_depsgraph_get()
    depsgraph.update()
    tree = hitscan.blender.SceneTree(depsgraph)
    assert len(tree) >= 2 and "Suzanne" in tree.objects.values()
    origins, directions = rays(800)
    n_hits = 0
    for origin, direction in zip((origins * 2).tolist(), directions.tolist(), strict=True):
        expected, found = (
            bpy.context.scene.ray_cast(depsgraph, origin, direction),
            tree.ray_cast(origin, direction),
        )
        assert expected[0] <= found[0]
        if expected[0]:
            n_hits += 1
            assert (found.location - expected[1]).length < 1e-4
            assert found.object == expected[4].name and found.normal.length == pytest.approx(1)
            if found.index == expected[3]:
                # Blender turns the normals of stretched objects the wrong way: they are not at right angles.
                a, b, c = world_corners(tree, origin, direction)
                normal = np.cross(b - a, c - a)
                assert found.normal @ Vector(normal / np.linalg.norm(normal)) == pytest.approx(1, abs=1e-5)
                assert found.object == "Suzanne" or (found.normal - expected[2]).length < 1e-3
                assert np.allclose(found.matrix, np.array(expected[5]))
    assert n_hits > 50
    assert tree.ray_cast((0, 0, 99), (0, 0, 1)).object is None


def test_one_ray_costs_about_as_much_as_blenders(capsys):
    fresh()
    bpy.ops.mesh.primitive_monkey_add()
    modifier("SUBSURF")
    depsgraph = bpy.context.evaluated_depsgraph_get()
    depsgraph.update()
    trees = [kind.FromObject(bpy.context.object, depsgraph) for kind in (Theirs, Ours)]
    origins, directions = rays(5000)
    vectors = [(Vector(o), Vector(d)) for o, d in zip(origins, directions, strict=True)]

    def seconds(tree):
        start = time.process_time()
        for origin, direction in vectors:
            tree.ray_cast(origin, direction)
        return time.process_time() - start

    theirs, ours = (min(seconds(tree) for _ in range(3)) for tree in trees)
    start = time.process_time()
    trees[1].ray_cast_array(origins, directions, threads=1)
    arrays = time.process_time() - start
    print(f"us a ray: Blender {theirs * 200:.2f}, hitscan {ours * 200:.2f}, arrays {arrays * 200:.3f}")
    assert ours < 10 * theirs and arrays < theirs


def test_the_add_on_drops_objects_onto_each_other():
    import importlib.util
    from pathlib import Path

    import tomllib

    folder = Path(__file__).parent.parent / "examples" / "blender_addon"
    manifest = tomllib.loads((folder / "blender_manifest.toml").read_text())
    assert manifest["type"] == "add-on" and manifest["wheels"][0].startswith("./wheels/hitscan-")
    spec = importlib.util.spec_from_file_location("drop_to_surface", folder / "__init__.py")
    addon = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(addon)
    fresh()
    bpy.ops.mesh.primitive_plane_add(size=20)
    ground = bpy.context.object
    bpy.ops.mesh.primitive_cube_add(location=(0, 0, 9))
    low = bpy.context.object
    bpy.ops.mesh.primitive_cube_add(location=(0.5, 0.5, 20), scale=(0.5, 0.5, 0.5))
    high = bpy.context.object
    ground.select_set(False)
    low.select_set(True)
    addon.register()
    try:
        assert bpy.ops.object.drop_to_surface() == {"FINISHED"}
    finally:
        addon.unregister()
    assert low.location.z == pytest.approx(1) and high.location.z == pytest.approx(2.5)
    assert ground.location.z == 0
