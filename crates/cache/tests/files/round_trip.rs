//! A saved mesh loads unchanged to the last bit.

use hitscan_cache::read;
use hitscan_primitives::{TriMesh, generate};
use hitscan_testkit::{Rng, closed_shapes, degenerate_shapes, soup};

use crate::support::{KINDS, assert_right, assert_same, built, bytes_of, rich, samples};

#[test]
fn every_quality_and_layout_comes_back_and_answers_like_brute_force() {
    for kind in KINDS {
        let mesh = generate::torus(2.0, 0.5, 900).expect("it is a torus");
        for (what, original) in [("torus", built(mesh, kind)), ("rich", rich(kind))] {
            let what = format!("{what}, {kind:?}");
            let again = read(&bytes_of(&original), "memory").expect(&what);
            assert_same(&what, &again, &original);
            assert_eq!(again.quality, kind.quality, "{what}");
            assert_eq!(again.bvh.layout(), kind.layout, "{what}");
            assert_right(&what, &again, 40);
        }
    }
}

#[test]
fn hard_meshes_come_back() {
    let mut rng = Rng::new(3);
    let shapes = closed_shapes(300).into_iter().chain(degenerate_shapes(300));
    let soups = (0..30).map(|i| soup(&mut rng, 1 + 10 * i));
    for (i, shape) in shapes.chain(soups).enumerate() {
        let original = built(shape.mesh, KINDS[i % KINDS.len()]);
        let again = read(&bytes_of(&original), "memory").expect(&shape.name);
        assert_same(&shape.name, &again, &original);
        assert_right(&shape.name, &again, 20);
    }
}

#[test]
fn an_empty_mesh_and_points_alone_come_back() {
    let points = TriMesh::new([[1.0, 2.0, 3.0]], vec![]).expect("points are no mistake");
    for mesh in [TriMesh::default(), points] {
        for kind in KINDS {
            let original = built(mesh.clone(), kind);
            let again = read(&bytes_of(&original), "memory").expect("it is whole");
            assert_same("nothing", &again, &original);
            assert_right("nothing", &again, 1);
        }
    }
}

/// A loaded tree supports every change and extension that a built one does.
#[test]
fn a_loaded_tree_can_be_refitted() {
    for (what, original) in samples() {
        let mut again = read(&bytes_of(&original), "memory").expect(what);
        let moved = original.mesh.positions().iter().map(|p| *p * 2.0);
        again.mesh = again.mesh.with_positions(moved).expect("finite stays finite");
        again.bvh.refit(&again.mesh).expect("it has the same number of triangles");
        assert_eq!(again.bvh.validate(&again.mesh), Ok(()), "{what}");
        assert_right(what, &again, 20);
    }
}
