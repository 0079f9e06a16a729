//! Refitting: a tree moved to new positions answers like a tree built for them.

use hitscan::primitives::glam::{Mat3, Vec3};
use hitscan::{BuildOptions, MeshBvh, RefitError, TriMesh, generate};
use hitscan_testkit::{Rng, Shape, closed_shapes, hard_rays, soup};

use crate::asking::{ALL_FACES, Expected, effort, every_bvh};

/// Ways to move the vertices of a mesh, from gentle to absurd.
fn moves(mesh: &TriMesh, rng: &mut Rng) -> Vec<(&'static str, TriMesh)> {
    let size = mesh.bounds().extent().max_element();
    let positions = mesh.positions();
    let each = |f: &mut dyn FnMut(Vec3) -> Vec3| -> Vec<Vec3> {
        positions.iter().map(|&p| f(p)).collect()
    };
    let turn = Mat3::from_axis_angle(rng.direction(), 1.0);
    let twist = |p: Vec3| Mat3::from_rotation_y(p.y / size) * p;
    let mut shuffled = positions.to_vec();
    for i in (1..shuffled.len()).rev() {
        shuffled.swap(i, rng.below(i + 1));
    }
    let moved = [
        ("not at all", positions.to_vec()),
        ("a little", each(&mut |p| p + 1e-3 * size * rng.in_cube())),
        ("a lot", each(&mut |p| p + size * rng.in_cube())),
        ("turned", each(&mut |p| turn * p)),
        ("twisted", each(&mut |p| twist(p))),
        ("mirrored", each(&mut |p| Vec3::new(-p.x, p.y, p.z))),
        ("shifted", each(&mut |p| p + 3.0 * size)),
        ("far away", each(&mut |p| p + Vec3::new(1e6, -2e6, 5e5) * size)),
        ("larger", each(&mut |p| 1000.0 * p)),
        ("2^50 times larger", each(&mut |p| 2f32.powi(50) * p)),
        ("2^50 times smaller", each(&mut |p| 2f32.powi(-50) * p)),
        ("flat", each(&mut |p| Vec3::new(p.x, 0.5, p.z))),
        ("into a line", each(&mut |p| Vec3::splat(p.x))),
        ("into a point", each(&mut |_| Vec3::splat(0.25))),
        ("shuffled", shuffled),
        ("one vertex away", {
            let mut positions = positions.to_vec();
            positions[0] += 100.0 * size;
            positions
        }),
    ];
    let mesh = |positions: Vec<Vec3>| mesh.with_positions(positions).expect("finite positions");
    moved.map(|(name, positions)| (name, mesh(positions))).into()
}

fn check(moved: &TriMesh, bvh: &MeshBvh, rng: &mut Rng, context: &str) {
    bvh.validate(moved).unwrap_or_else(|broken| panic!("{context}: {broken}"));
    assert_eq!(bvh.bounds(), moved.bounds(), "{context}");
    let rays = hard_rays(moved, 200, rng);
    let expected = Expected::new(moved, &rays);
    assert_eq!(expected.single_difference(bvh), None, "{context}");
    for faces in ALL_FACES {
        assert_eq!(expected.batch_difference(bvh, faces), None, "{context}");
    }
}

#[test]
fn a_refitted_hierarchy_answers_like_a_new_one() {
    for seed in 0..effort(12) {
        let mut rng = Rng::new(61 + seed);
        let Shape { name, mesh } = if seed % 2 == 0 {
            closed_shapes(200).swap_remove(rng.below(8))
        } else {
            soup(&mut rng, 500)
        };
        for (how, moved) in moves(&mesh, &mut rng) {
            for (bvh_name, mut bvh) in every_bvh(&mesh) {
                let context = format!("{bvh_name}, {name} moved {how} (seed {seed})");
                bvh.refit(&moved).unwrap_or_else(|error| panic!("{context}: {error}"));
                check(&moved, &bvh, &mut rng, &context);
                // And back again: the second refit leaves no trace of the first.
                bvh.refit(&mesh).unwrap_or_else(|error| panic!("{context}: {error}"));
                check(&mesh, &bvh, &mut rng, &format!("{context} and back"));
            }
        }
    }
}

#[test]
fn a_refit_after_a_refit_answers_like_a_new_one() {
    let mut rng = Rng::new(62);
    let mesh = generate::torus(1.0, 0.4, 600).unwrap();
    let mut bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    let mut current = mesh;
    for step in 0..effort(30) {
        let all_moves = moves(&current, &mut rng);
        let (how, moved) = &all_moves[1 + rng.below(6)];
        bvh.refit(moved).unwrap();
        check(moved, &bvh, &mut rng, &format!("step {step}, {how}"));
        current = moved.clone();
    }
}

#[test]
fn a_large_tree_stays_valid_through_a_refit_there_and_back() {
    let mesh = generate::terrain(300_000, 1).unwrap();
    let moved: Vec<Vec3> =
        mesh.positions().iter().map(|&p| Vec3::new(p.z, 2.0 * p.y, p.x)).collect();
    let moved = mesh.with_positions(moved).unwrap();
    let mut bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    assert!(bvh.stats().n_nodes > 1 << 12, "large enough to be cut");
    bvh.refit(&moved).unwrap();
    bvh.validate(&moved).unwrap();
    let there = bvh.stats().sah_cost;
    let back = bvh.refit(&mesh).unwrap();
    bvh.validate(&mesh).unwrap();
    assert!(there != back.cost_now && back.cost_now <= back.cost_when_built * 1.001, "{back:?}");
}

#[test]
fn a_refit_reports_the_change_of_quality() {
    let mut rng = Rng::new(63);
    let mesh = generate::sphere(1.0, 3000).unwrap();
    let mut bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    let built = bvh.stats().sah_cost;
    let unmoved = bvh.refit(&mesh).unwrap();
    assert!(unmoved.cost_now <= unmoved.cost_when_built * 1.001, "{unmoved:?}");
    let torn = mesh.positions().iter().map(|&p| p + rng.in_cube()).collect::<Vec<_>>();
    let torn = bvh.refit(&mesh.with_positions(torn).unwrap()).unwrap();
    assert_eq!(torn.cost_when_built, built, "the cost when it was built");
    assert!(torn.cost_now > 2.0 * torn.cost_when_built, "{torn:?}");
}

#[test]
fn a_refit_to_another_mesh_is_refused_and_changes_nothing() {
    let mut rng = Rng::new(64);
    let mesh = generate::sphere(1.0, 300).unwrap();
    let other = generate::sphere(2.0, 302).unwrap();
    let empty = TriMesh::new([[0.0f32; 3]; 0], vec![]).unwrap();
    for (name, mut bvh) in every_bvh(&mesh) {
        assert_eq!(bvh.refit(&other), Err(RefitError { found: 302, expected: 300 }), "{name}");
        assert_eq!(bvh.refit(&empty), Err(RefitError { found: 0, expected: 300 }), "{name}");
        check(&mesh, &bvh, &mut rng, &name);
    }
    let mut of_none = MeshBvh::build(&empty, &BuildOptions::default());
    assert!(of_none.refit(&mesh).is_err());
    assert!(of_none.refit(&empty).is_ok());
}
