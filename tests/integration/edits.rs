//! Edits: a tree that follows its mesh answers like a tree built for it.

use std::sync::Arc;

use hitscan::primitives::glam::{DAffine3, DVec3};
use hitscan::scene::{Instance, Mesh, QueryOptions, Scene, SceneBruteForce, WorldRay};
use hitscan::{
    BuildOptions, BuildQuality, EditError, Isa, Layout, MeshBvh, MeshEdit, MeshEditor, TriMesh,
    generate,
};
use hitscan_testkit::{Rng, Shape, closed_shapes, hard_rays, soup};

use crate::asking::{ALL_FACES, Expected, effort};
use crate::editing::{edit, other_difference};

/// The mesh is as if it were new, and the tree answers as brute force does.
fn check(mesh: &TriMesh, bvh: &MeshBvh, rng: &mut Rng, context: &str) {
    let new = TriMesh::from_vecs(mesh.positions().to_vec(), mesh.triangles().to_vec());
    assert_eq!(Ok(mesh), new.as_ref(), "{context}");
    bvh.validate(mesh).unwrap_or_else(|broken| panic!("{context}: {broken}"));
    let rays = hard_rays(mesh, 24, rng);
    let expected = Expected::new(mesh, &rays);
    assert_eq!(expected.single_difference(bvh), None, "{context}");
    let faces = rng.pick(&ALL_FACES);
    assert_eq!(expected.batch_difference(bvh, faces), None, "{context}");
    for ray in &rays[..4] {
        assert_eq!(other_difference(mesh, bvh, ray, rng), None, "{context}, {ray:?}");
    }
}

#[test]
fn a_tree_that_follows_edits_answers_like_a_new_one() {
    for seed in 0..effort(24) {
        let mut rng = Rng::new(81 + seed);
        let Shape { name, mesh } = match seed % 3 {
            0 => closed_shapes(600).swap_remove(rng.below(8)),
            1 => soup(&mut rng, 800),
            _ => Shape { name: "city".into(), mesh: generate::city(900, seed).expect("a city") },
        };
        let mut mesh = TriMesh::from_vecs(mesh.positions().to_vec(), mesh.triangles().to_vec())
            .expect("it was a mesh");
        let quality = rng.pick(&BuildQuality::ALL);
        let layout = rng.pick(&[Layout::Full, Layout::Full, Layout::Compact]);
        let isa = rng.pick(&Isa::available());
        let mut bvh = MeshBvh::build(&mesh, &BuildOptions { quality, layout, isa });
        for step in 0..30 {
            let before = mesh.clone();
            let (how, change) = edit(&mut mesh, &mut rng);
            let context =
                format!("{name} {how} (seed {seed}, step {step}, {quality:?}, {layout:?})");
            let report = bvh.update(&mesh, &change).expect(&context);
            let cost = if change.n_after() > 0 { bvh.stats().sah_cost } else { report.cost_now };
            assert!((report.cost_now - cost).abs() <= 1e-3 * cost, "{context}: {report:?}, {cost}");
            check(&mesh, &bvh, &mut rng, &context);
            if rng.one_in(4) {
                mesh = before;
                bvh.update(&mesh, &change.inverse()).expect(&context);
                check(&mesh, &bvh, &mut rng, &format!("{context}, undone"));
            } else if rng.one_in(12) {
                let raw = bvh.raw_parts();
                let lengths = [raw.nodes.len(), raw.blocks.len(), raw.corners.len()];
                assert!(lengths[0] > 0 && raw.layout == bvh.layout());
                bvh.refit(&mesh).expect("the same triangles");
                check(&mesh, &bvh, &mut rng, &format!("{context}, refitted"));
            }
        }
    }
}

/// Some random edits, one after the other.
fn edit_some(editor: &mut MeshEditor<'_>, rng: &mut Rng) -> Result<(), EditError> {
    for _ in 0..1 + rng.below(3) {
        let (n, n_vertices) = (editor.mesh().triangles().len(), editor.mesh().positions().len());
        let near = rng.below(n_vertices) as u32;
        match rng.below(4) {
            0 if n > 100 => editor.swap_remove_triangles((0..20).map(|i| i * (n as u32 / 20)))?,
            1 => {
                let corners =
                    [0; 3].map(|_| editor.mesh().positions()[near as usize] + rng.in_cube());
                let first = n_vertices as u32;
                editor
                    .append(corners, &[[first, first + 1, first + 2], [first, near, first + 1]])?;
            }
            2 if n > 10 => {
                editor.replace_triangles(3..5, &[[near, 0, 1], [0, 1, 2], [near, 1, 2]])?;
            }
            _ => {
                let moved = editor.mesh().positions()[near as usize] + 0.3 * rng.in_cube();
                editor.move_vertices([(near, moved)])?;
            }
        }
    }
    Ok(())
}

#[test]
fn an_error_after_an_edit_leaves_a_mesh_that_its_tree_follows() {
    let mesh = Mesh::new(generate::sphere(1.0, 300).expect("a sphere"), &BuildOptions::default());
    let mut scene = Scene::new();
    let instance = Instance::new(Arc::new(mesh), DAffine3::IDENTITY);
    let id = scene.insert(instance).expect("it can be placed");
    let refused = scene.edit_mesh(id, |editor| {
        editor.move_vertices([(0, [0.0, 0.0, 9.0])])?;
        editor.swap_remove_triangles([300])
    });
    let message = refused.unwrap_err().to_string();
    assert!(message.ends_with("the edit names triangle 300, expected less than 300"), "{message}");
    let mesh = scene.get(id).and_then(|it| it.mesh.clone()).expect("it has one");
    assert_eq!(mesh.tri_mesh().bounds().max.z, 9.0);
    mesh.bvh().validate(mesh.tri_mesh()).expect("the tree followed the first edit");
    assert!(scene.bounds().max.z >= 9.0, "the instance has the new box");
}

#[test]
fn a_scene_passes_an_edit_on_to_all_instances_and_snapshots_keep_the_old_mesh() {
    let mut rng = Rng::new(82);
    let mesh = generate::sphere(1.0, 600).expect("a sphere");
    let shared = Arc::new(Mesh::new(mesh, &BuildOptions::default()));
    let mut scene = Scene::new();
    let at = |x: f64| DAffine3::from_translation(DVec3::new(x, 0.0, 0.0));
    let ids = [0.0, 5.0].map(|x| {
        let instance = Instance::new(shared.clone(), at(x));
        scene.insert(instance).expect("it can be placed")
    });
    drop(shared);
    let before = scene.clone();
    let ray = |x: f64| WorldRay::new(DVec3::new(x, 10.0, 0.0), -DVec3::Y);
    let t = |scene: &Scene, x: f64| {
        scene.closest_hit(&ray(x), &QueryOptions::default()).map(|hit| hit.t)
    };
    let first = [0.0, 5.0].map(|x| t(&scene, x));
    for _ in 0..effort(40) {
        scene.edit_mesh(ids[0], |editor| edit_some(editor, &mut rng)).expect("an edit");
        let meshes =
            ids.map(|id| scene.get(id).and_then(|it| it.mesh.clone()).expect("it has one"));
        assert!(Arc::ptr_eq(&meshes[0], &meshes[1]), "they still share it");
        meshes[0].bvh().validate(meshes[0].tri_mesh()).expect("a valid tree");
        for x in [0.0, 5.0] {
            let expected = SceneBruteForce::new(&scene);
            let found = scene.closest_hit(&ray(x), &QueryOptions::default());
            assert_eq!(found, expected.closest_hit(&ray(x), &QueryOptions::default()));
        }
        assert_eq!([0.0, 5.0].map(|x| t(&before, x)), first, "the snapshot is as it was");
    }
    let unknown = scene.edit_mesh(ids[1], |editor| editor.move_vertices([(u32::MAX, [0.0; 3])]));
    let message = unknown.unwrap_err().to_string();
    assert!(message.contains("the edit names vertex 4294967295, expected less than"), "{message}");
}

#[test]
fn triangles_in_the_origin_may_leave_it() {
    let mut rng = Rng::new(83);
    let mut mesh =
        TriMesh::new([[0.0; 3]; 300], (0..100).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect())
            .expect("a mesh in a point");
    let mut bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    for vertex in 0..20 {
        let edit = mesh.move_vertices([(vertex, rng.in_cube())]).expect("it is there");
        bvh.update(&mesh, &edit).expect("it follows");
        check(&mesh, &bvh, &mut rng, &format!("vertex {vertex} moved"));
    }
}

#[test]
fn an_edit_that_does_not_fit_is_refused_and_changes_nothing() {
    let mut mesh = generate::sphere(1.0, 300).expect("a sphere");
    let old = mesh.clone();
    let n = mesh.triangles().len() as u32;
    let refused = [
        mesh.move_vertices([(0, [0.0; 3]), (0, [1.0; 3])]).unwrap_err().to_string(),
        mesh.move_vertices([(3, [f32::NAN, 0.0, 0.0])]).unwrap_err().to_string(),
        mesh.append([[0.0; 3]; 0], &[[0, 1, 9999]]).unwrap_err().to_string(),
        mesh.swap_remove_triangles([1, n]).unwrap_err().to_string(),
        mesh.replace_triangles(2..n + 1, &[]).unwrap_err().to_string(),
    ];
    let expected = [
        "the edit names vertex 0 twice",
        "vertex 3 is at [NaN, 0.0, 0.0], expected finite coordinates",
        "corner 2 of triangle 300 is vertex 9999, expected less than 152",
        "the edit names triangle 300, expected less than 300",
        "the edit names triangles 2..301 of 300",
    ];
    assert_eq!(refused, expected);
    assert_eq!(mesh, old);

    let mut bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    let other = bvh.update(&mesh, &MeshEdit::new([], 299, 300)).unwrap_err().to_string();
    assert_eq!(other, "an edit of 299 triangles for a hierarchy over 300");
    let short = bvh.update(&mesh, &MeshEdit::new([], 300, 299)).unwrap_err().to_string();
    assert_eq!(short, "an edit that leads to 299 triangles, the mesh has 300");
    bvh.validate(&mesh).expect("it is unchanged");
}

#[test]
fn triangles_at_one_place_and_in_a_row_make_no_deep_tree() {
    for step in [0.0, 1.0] {
        let mut mesh = generate::cuboid(1.0, 1.0, 1.0, 2).expect("a cuboid");
        let mut bvh = MeshBvh::build(&mesh, &BuildOptions::default());
        for i in 0..effort(3000).max(300) as usize {
            let x = step * i as f32;
            let first = mesh.positions().len() as u32;
            let corners = [[x, 0.0, 0.0], [x + 1.0, 0.0, 0.0], [x, 1.0, 0.0]];
            let edit = mesh.append(corners, &[[first, first + 1, first + 2]]).expect("one more");
            bvh.update(&mesh, &edit).expect("it follows");
        }
        bvh.validate(&mesh).expect("a valid tree");
        let fresh = MeshBvh::build(&mesh, &BuildOptions::default()).stats();
        let found = bvh.stats();
        assert!(found.depth <= 2 * fresh.depth + 8, "{} of {}", found.depth, fresh.depth);
        assert!(found.bytes < 4 * fresh.bytes, "{} of {}", found.bytes, fresh.bytes);
    }
}
