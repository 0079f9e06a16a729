//! Edits, balls along rays, pairs of meshes and sections through C, against the engine.

mod support;

use std::{ptr, slice, sync::Arc};

use engine::{
    BuildOptions, MeshBvh, MeshPair, SectionPlane, SphereCast, TriMesh,
    glam::DAffine3,
    primitives::generate,
    scene::{Instance, Mesh, QueryOptions, Scene},
};
use hitscan::*;
use support::{Numbers, bvh_handle, c_world_ray, message, ok, rays, world_rays};

fn ball() -> TriMesh {
    generate::sphere(3.0, 2_000).expect("a size")
}

fn positions_of(positions: &[[f32; 3]]) -> hitscan_positions {
    let data = positions.as_ptr().cast();
    hitscan_positions { data, n: positions.len(), number: HITSCAN_F32, ..Default::default() }
}

fn triangles_of(triangles: &[[u32; 3]]) -> hitscan_triangles {
    let data = triangles.as_ptr().cast();
    hitscan_triangles { data, n: triangles.len(), ..Default::default() }
}

/// The closest hits of a tree through C, as bits.
fn hits(bvh: *const hitscan_bvh) -> Vec<[u32; 5]> {
    let rays: Vec<hitscan_ray> = rays(3_000, 5).iter().map(support::c_ray).collect();
    let none = hitscan_hit { t: 0.0, u: 0.0, v: 0.0, triangle: 0, side: 0 };
    let mut hits = vec![none; rays.len()];
    // SAFETY: the arrays have these lengths.
    unsafe {
        let to = hits.as_mut_ptr();
        ok(hitscan_bvh_closest_hit_batch(bvh, rays.as_ptr(), rays.len(), 0, ptr::null(), to, 0));
    }
    hits.iter().map(support::bits).collect()
}

/// One edit of each kind, by C and by the engine.
fn edit_all(mesh: &mut TriMesh, update: &mut dyn FnMut(&hitscan_edit)) {
    let mut numbers = Numbers(11);
    let mut point = || numbers.point(3.0).map(|x| x as f32);
    let vertices = [3, 40, 77];
    let moved = [point(), point(), point()];
    let positions = positions_of(&moved);
    let edit = hitscan_edit {
        kind: HITSCAN_EDIT_MOVE,
        indices: vertices.as_ptr(),
        n_indices: 3,
        positions: &positions,
        ..Default::default()
    };
    update(&edit);
    mesh.move_vertices(vertices.into_iter().zip(moved)).expect("a valid edit");

    let (added, n) = ([point(), point()], mesh.positions().len() as u32);
    let corners = [[n, n + 1, 5], [7, n, 9]];
    let (positions, triangles) = (positions_of(&added), triangles_of(&corners));
    let edit = hitscan_edit {
        kind: HITSCAN_EDIT_APPEND,
        positions: &positions,
        triangles: &triangles,
        ..Default::default()
    };
    update(&edit);
    mesh.append(added, &corners).expect("a valid edit");

    let removed = [10, 4, 900];
    let edit = hitscan_edit {
        kind: HITSCAN_EDIT_REMOVE,
        indices: removed.as_ptr(),
        n_indices: 3,
        ..Default::default()
    };
    update(&edit);
    mesh.swap_remove_triangles(removed).expect("a valid edit");

    let corners = [[1, 2, 30]];
    let triangles = triangles_of(&corners);
    let edit = hitscan_edit {
        kind: HITSCAN_EDIT_REPLACE,
        first: 20,
        n_replaced: 3,
        triangles: &triangles,
        ..Default::default()
    };
    update(&edit);
    mesh.replace_triangles(20..23, &corners).expect("a valid edit");
}

#[test]
fn an_edited_tree_has_the_hits_of_a_fresh_one() {
    let mut mesh = ball();
    let bvh = bvh_handle(&mesh);
    let before = hits(bvh);
    // SAFETY: the handle is alive, and the edits have their arrays.
    edit_all(&mut mesh, &mut |edit| unsafe {
        let mut pays = 7;
        ok(hitscan_bvh_update(bvh, edit, &mut pays));
        assert!(pays <= 1);
    });
    let fresh = bvh_handle(&mesh);
    assert_eq!(hits(bvh), hits(fresh));
    assert_ne!(hits(bvh), before);
    // SAFETY: the handles are alive.
    unsafe {
        ok(hitscan_bvh_release(bvh));
        ok(hitscan_bvh_release(fresh));
    }
}

#[test]
fn an_edited_instance_leaves_its_tree_and_snapshots_alone() {
    let mut mesh = ball();
    let (bvh, mut scene, mut snapshot) = (bvh_handle(&mesh), ptr::null_mut(), ptr::null_mut());
    let before = hits(bvh);
    let instance = hitscan_instance { bvh, ..Default::default() };
    let mut id = HITSCAN_NO_INSTANCE;
    // SAFETY: the handles are alive.
    unsafe {
        ok(hitscan_scene_new(&mut scene));
        ok(hitscan_scene_insert(scene, &instance, &mut id));
        ok(hitscan_scene_clone(scene, &mut snapshot));
    }
    // SAFETY: as above.
    edit_all(&mut mesh, &mut |edit| unsafe {
        ok(hitscan_scene_update(scene, id, edit, ptr::null_mut()));
    });
    assert_eq!(hits(bvh), before);
    let mesh = Arc::new(Mesh::new(mesh, &BuildOptions::default()));
    let mut expected = Scene::new();
    expected.insert(Instance::new(mesh, DAffine3::IDENTITY)).expect("a valid instance");
    let (mut n_changed, null) = (0, ptr::null());
    for ray in world_rays(1_000, 6).iter().filter(|ray| ray.is_valid()) {
        let mut found = [hitscan_scene_hit {
            t: 0.0,
            instance: HITSCAN_NO_INSTANCE,
            insertion_order: 0,
            local: hitscan_hit { t: 0.0, u: 0.0, v: 0.0, triangle: 0, side: 0 },
            reserved: 0,
        }; 2];
        // SAFETY: as above.
        unsafe {
            ok(hitscan_scene_closest_hit(scene, &c_world_ray(ray), null, &mut found[0]));
            ok(hitscan_scene_closest_hit(snapshot, &c_world_ray(ray), null, &mut found[1]));
        }
        let hit = expected.closest_hit(ray, &QueryOptions::default());
        assert_eq!(found[0].t.to_bits(), hit.map_or(f64::INFINITY, |hit| hit.t).to_bits());
        n_changed += usize::from(found[0].t != found[1].t);
    }
    assert!(n_changed > 0);
    // SAFETY: as above.
    unsafe {
        ok(hitscan_scene_release(scene));
        ok(hitscan_scene_release(snapshot));
        ok(hitscan_bvh_release(bvh));
    }
}

#[test]
fn contacts_of_trees_and_scenes_are_those_of_the_engine() {
    let mesh = ball();
    let (bvh, mut scene) = (bvh_handle(&mesh), ptr::null_mut());
    let tree = MeshBvh::build(&mesh, &BuildOptions::default());
    let shared = Arc::new(Mesh::new(mesh, &BuildOptions::default()));
    let mut expected_scene = Scene::new();
    expected_scene.insert(Instance::new(shared, DAffine3::IDENTITY)).expect("a valid instance");
    let instance = hitscan_instance { bvh, ..Default::default() };
    let mut id = HITSCAN_NO_INSTANCE;
    // SAFETY: the handles are alive.
    unsafe {
        ok(hitscan_scene_new(&mut scene));
        ok(hitscan_scene_insert(scene, &instance, &mut id));
    }
    let (mut n_touching, null) = (0, ptr::null());
    for ray in world_rays(300, 7).iter().filter(|ray| ray.is_valid()) {
        let cast = SphereCast::new(*ray, 0.75).expect("a valid ray");
        let (from, expected) = (c_world_ray(ray), tree.sphere_cast_all(&cast));
        let (mut list, mut n, mut touches) = (vec![hitscan_contact::default(); 64], 0, 7);
        let (mut first, mut in_scene) = (list[0], hitscan_scene_contact::default());
        let mut touches_scene = 7;
        // SAFETY: as above, and the list has this capacity.
        unsafe {
            ok(hitscan_bvh_sphere_cast(bvh, &from, 0.75, &mut first));
            ok(hitscan_bvh_sphere_cast_all(bvh, &from, 0.75, list.as_mut_ptr(), 64, &mut n));
            ok(hitscan_bvh_sphere_cast_any(bvh, &from, 0.75, &mut touches));
            ok(hitscan_scene_sphere_cast(scene, &from, 0.75, null, &mut in_scene));
            ok(hitscan_scene_sphere_cast_any(scene, &from, 0.75, null, &mut touches_scene));
            let mut n_in_scene = 0;
            let to = ptr::null_mut();
            ok(hitscan_scene_sphere_cast_all(scene, &from, 0.75, null, to, 0, &mut n_in_scene));
            assert_eq!(n_in_scene, n);
        }
        assert_eq!(n, expected.len());
        for (found, contact) in list.iter().zip(&expected) {
            assert_eq!(*found, (*contact).into());
        }
        assert_eq!(first.triangle, expected.first().map_or(HITSCAN_NO_TRIANGLE, |c| c.triangle));
        let of_scene = expected_scene.sphere_cast(&cast, &QueryOptions::default());
        let of_scene = of_scene.map_or(hitscan_scene_contact::default(), |found| found.into());
        let id = if n > 0 { id } else { HITSCAN_NO_INSTANCE };
        assert_eq!(in_scene, hitscan_scene_contact { instance: id, ..of_scene });
        assert_eq!([touches, touches_scene], [u8::from(n > 0); 2]);
        n_touching += usize::from(n > 0);
    }
    assert!(n_touching > 5, "{n_touching}");
    // SAFETY: as above.
    unsafe {
        ok(hitscan_scene_release(scene));
        ok(hitscan_bvh_release(bvh));
    }
}

#[test]
fn pairs_of_meshes_are_those_of_the_engine() {
    let (mesh, cube) = (ball(), generate::cuboid(4.0, 4.0, 4.0, 2).expect("a size"));
    let handles = [bvh_handle(&mesh), bvh_handle(&cube)];
    let trees = [&mesh, &cube].map(|mesh| MeshBvh::build(mesh, &BuildOptions::default()));
    for x in [0.0, 2.5, 9.0] {
        let place = DAffine3::from_translation([x, 0.5, 0.25].into());
        let pair = MeshPair::new(&trees[0], &trees[1], place).expect("a valid place");
        let (columns, [first, second]) = (place.to_cols_array(), handles);
        let to_first = columns.as_ptr();
        let (mut overlaps, mut n, mut n_crossings) = (7, 0, 0);
        let mut distance =
            hitscan_mesh_distance { distance: 0.0, points: [[0.0; 3]; 2], triangles: [0; 2] };
        let mut pairs = vec![hitscan_triangle_pair { triangles: [0; 2] }; 4_000];
        let mut crossings =
            vec![hitscan_mesh_crossing { triangles: [0; 2], segment: [[0.0; 3]; 2] }; 4_000];
        // SAFETY: the handles are alive, and the lists have these capacities.
        unsafe {
            ok(hitscan_bvh_overlaps_mesh(first, second, to_first, &mut overlaps));
            let to = pairs.as_mut_ptr();
            ok(hitscan_bvh_overlapping_mesh(first, second, to_first, to, 4_000, &mut n));
            let to = crossings.as_mut_ptr();
            ok(hitscan_bvh_mesh_crossings(first, second, to_first, to, 4_000, &mut n_crossings));
            ok(hitscan_bvh_mesh_distance(first, second, to_first, 4.0, &mut distance));
        }
        assert_eq!(overlaps, u8::from(pair.overlaps()));
        let found: Vec<[u32; 2]> = pairs[..n].iter().map(|pair| pair.triangles).collect();
        assert_eq!(found, pair.overlapping_triangles());
        let found: Vec<_> = crossings[..n_crossings].iter().map(|found| found.segment).collect();
        let expected = pair.crossings();
        let expected = expected.iter().map(|found| found.segment.map(|end| end.to_array()));
        assert!(expected.eq(found));
        let expected = pair.distance(4.0).expect("a valid distance");
        let expected = expected.map_or(f64::INFINITY, |found| found.distance);
        assert_eq!(distance.distance.to_bits(), expected.to_bits());
        assert_eq!(distance.distance == 0.0, overlaps == 1);
    }
    for bvh in handles {
        // SAFETY: the handle is alive.
        ok(unsafe { hitscan_bvh_release(bvh) });
    }
}

#[test]
fn self_intersections_and_signed_crossings_of_a_scene_are_those_of_the_engine() {
    let corners: [[f32; 3]; 6] =
        [[0., 0., 0.], [4., 0., 0.], [0., 4., 0.], [1., 1., -1.], [1., 1., 1.], [2., 1., 1.]];
    let crossing = TriMesh::new(corners, vec![[0, 1, 2], [3, 4, 5]]).expect("a mesh");
    let sphere = generate::sphere(2.0, 500).expect("a size");
    for (mesh, n_expected) in [(&crossing, 1), (&sphere, 0)] {
        let tree = MeshBvh::build(mesh, &BuildOptions::default());
        let (bvh, mut intersects) = (bvh_handle(mesh), 7);
        let (mut pairs, mut n) = ([hitscan_triangle_pair { triangles: [9; 2] }; 4], 0);
        let mut scene = ptr::null_mut();
        let instance = hitscan_instance { bvh, ..Default::default() };
        // SAFETY: the handles are alive, and the list has this capacity.
        unsafe {
            ok(hitscan_bvh_has_self_intersections(bvh, &mut intersects));
            ok(hitscan_bvh_self_intersections(bvh, pairs.as_mut_ptr(), 4, &mut n));
            ok(hitscan_scene_new(&mut scene));
            ok(hitscan_scene_insert(scene, &instance, ptr::null_mut()));
        }
        let found: Vec<[u32; 2]> = pairs[..n].iter().map(|pair| pair.triangles).collect();
        assert_eq!(
            (&found, n, intersects),
            (&tree.self_intersections(), n_expected, u8::from(n > 0))
        );
        for (height, direction) in [(9.0, -1.0), (-9.0, 1.0), (0.5, 1.0)] {
            let (origin, direction) = ([0.3, 0.2, height], [0.0, 0.0, direction]);
            let ray = hitscan_world_ray { origin, direction, t_min: 0.0, t_max: f64::INFINITY };
            let narrow =
                engine::Ray::new(origin.map(|x: f64| x as f32), direction.map(|x: f64| x as f32));
            let mut crossings = 77;
            // SAFETY: the handle is alive.
            ok(unsafe { hitscan_scene_signed_crossings(scene, &ray, ptr::null(), &mut crossings) });
            assert_eq!(crossings, tree.signed_crossings(&narrow));
        }
        // SAFETY: the handles are alive.
        unsafe {
            ok(hitscan_scene_release(scene));
            ok(hitscan_bvh_release(bvh));
        }
    }
}

#[test]
fn sections_of_trees_and_scenes_are_those_of_the_engine() {
    let mesh = generate::torus(3.0, 1.0, 2_000).expect("a size");
    let (bvh, mut scene) = (bvh_handle(&mesh), ptr::null_mut());
    let (point, normal) = ([0.1, 0.2, 0.3], [0.0, 1.0, 0.5]);
    let plane = SectionPlane::new(point, normal).expect("it has a normal");
    let expected = MeshBvh::build(&mesh, &BuildOptions::default()).section(&plane);
    let instance = hitscan_instance { bvh, ..Default::default() };
    let (mut of_tree, mut of_scene, mut id) =
        (ptr::null_mut(), ptr::null_mut(), HITSCAN_NO_INSTANCE);
    // SAFETY: the handles are alive.
    unsafe {
        ok(hitscan_scene_new(&mut scene));
        ok(hitscan_scene_insert(scene, &instance, &mut id));
        let (point, normal) = (point.as_ptr(), normal.as_ptr());
        ok(hitscan_bvh_section(bvh, point, normal, &mut of_tree));
        ok(hitscan_scene_section(scene, point, normal, ptr::null(), &mut of_scene));
        for (section, instance) in [(of_tree, HITSCAN_NO_INSTANCE), (of_scene, id)] {
            let mut view = hitscan_section_view::default();
            ok(hitscan_section_get(section, &mut view));
            assert_eq!(view.n_polylines, expected.len());
            let n = view.n_polylines;
            let starts = slice::from_raw_parts(view.point_starts, n + 1);
            let triangle_starts = slice::from_raw_parts(view.triangle_starts, n + 1);
            let points = slice::from_raw_parts(view.points.cast::<[f64; 3]>(), view.n_points);
            let triangles = slice::from_raw_parts(view.triangles, view.n_triangles);
            for (i, polyline) in expected.iter().enumerate() {
                let found = &points[starts[i]..starts[i + 1]];
                if section == of_tree {
                    assert!(
                        polyline
                            .points
                            .iter()
                            .map(|point| point.to_array())
                            .eq(found.iter().copied())
                    );
                }
                assert_eq!(found.len(), polyline.points.len());
                let found = &triangles[triangle_starts[i]..triangle_starts[i + 1]];
                assert_eq!(found, &polyline.triangles[..]);
                assert_eq!(*view.closed.add(i), u8::from(polyline.is_closed));
                assert_eq!(*view.instances.add(i), instance);
            }
            ok(hitscan_section_release(section));
        }
        assert_eq!(hitscan_section_release(of_tree), HITSCAN_INVALID_HANDLE);
        ok(hitscan_scene_release(scene));
        ok(hitscan_bvh_release(bvh));
    }
}

#[test]
fn mistakes_in_solids_say_what_is_wrong_and_change_nothing() {
    let mesh = ball();
    let bvh = bvh_handle(&mesh);
    let before = hits(bvh);
    let one = [5u32, 5];
    let update = |edit: hitscan_edit, text: &str| {
        // SAFETY: the handle is alive.
        let status = unsafe { hitscan_bvh_update(bvh, &edit, ptr::null_mut()) };
        assert_eq!(status, HITSCAN_INVALID_ARGUMENT);
        assert_eq!(message(), format!("hitscan_bvh_update: {text}"));
    };
    let edit =
        |kind| hitscan_edit { kind, indices: one.as_ptr(), n_indices: 2, ..Default::default() };
    update(edit(0), "edit.kind: 0; expected HITSCAN_EDIT_MOVE, _APPEND, _REMOVE or _REPLACE");
    update(edit(HITSCAN_EDIT_MOVE), "edit.positions.n: 0; expected 2 as edit.indices");
    update(edit(HITSCAN_EDIT_REMOVE), "edit: the edit names triangle 5 twice");
    let far = hitscan_edit { first: 1 << 20, n_replaced: 1, ..edit(HITSCAN_EDIT_REPLACE) };
    let n = mesh.triangles().len();
    update(far, &format!("edit: the edit names triangles 1048576..1048577 of {n}"));
    let positions = positions_of(&[[f32::NAN, 0.0, 0.0]]);
    let nan = hitscan_edit { positions: &positions, ..edit(HITSCAN_EDIT_APPEND) };
    // SAFETY: the handle is alive.
    assert_eq!(unsafe { hitscan_bvh_update(bvh, &nan, ptr::null_mut()) }, HITSCAN_INVALID_ARGUMENT);
    assert_eq!(hits(bvh), before);
    let ray = c_world_ray(&world_rays(1, 1)[0]);
    let (mut contact, mut distance, mut section) = (
        hitscan_contact::default(),
        hitscan_mesh_distance { distance: 0.0, points: [[0.0; 3]; 2], triangles: [0; 2] },
        ptr::null_mut(),
    );
    // SAFETY: the handle is alive.
    unsafe {
        let status = hitscan_bvh_sphere_cast(bvh, &ray, -1.0, &mut contact);
        assert_eq!(status, HITSCAN_INVALID_ARGUMENT);
        assert!(
            message().starts_with("hitscan_bvh_sphere_cast: radius: radius -1"),
            "{}",
            message()
        );
        let status = hitscan_bvh_mesh_distance(bvh, bvh, ptr::null(), f64::NAN, &mut distance);
        assert_eq!(status, HITSCAN_INVALID_ARGUMENT);
        assert!(message().starts_with("hitscan_bvh_mesh_distance: max_distance"), "{}", message());
        let zeros = [0.0; 3];
        let status = hitscan_bvh_section(bvh, zeros.as_ptr(), zeros.as_ptr(), &mut section);
        assert_eq!(status, HITSCAN_INVALID_ARGUMENT);
        assert!(
            message().contains("normal: the normal of the plane is (0, 0, 0)"),
            "{}",
            message()
        );
        ok(hitscan_bvh_release(bvh));
    }
}
