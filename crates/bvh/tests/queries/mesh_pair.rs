//! Pairs of placed meshes against brute force.

use glam::{DAffine3, DMat3, DQuat, DVec3, Vec3Swizzles};
use hitscan_bvh::{BuildOptions, MeshBvh, MeshPair};
use hitscan_primitives::{
    MeshDistance, MeshPairError, PairBruteForce, TriMesh, TriangleCrossing,
    generate::{self, SplitMix64},
};

use crate::support::{built, effort, needles, point, scaled_by, soup};

/// A small mesh of any kind, and the exponent of its size.
fn mesh(random: &mut SplitMix64) -> (TriMesh, i32) {
    let mesh = match random.below(8) {
        0 => generate::sphere(1.0, 60).expect("a valid sphere"),
        1 => generate::cuboid(2.0, 2.0, 2.0, 1).expect("a valid cuboid"),
        2 => TriMesh::new([[1.0, 0.0, 0.0], [0.0; 3], [0.0, 1.0, 0.0]], vec![[0, 1, 2]; 20])
            .expect("a valid mesh"),
        3 | 4 => needles(random, 60),
        5 => soup(random, 1),
        _ => soup(random, 40),
    };
    // A build splits no smaller meshes.
    let exponent = [0, 0, 0, 0, -140, -60, 60, 124][random.below(8) as usize];
    (scaled_by(&mesh, exponent), exponent)
}

/// A transform of any kind that takes a mesh of size 2^exponent to about the size 2^to.
fn transform(random: &mut SplitMix64, exponent: i32, to: i32) -> DAffine3 {
    let mut unit = || point(random).as_dvec3();
    let (axis, stretch, shift) = (unit(), unit(), unit());
    let kind = random.below(8);
    let linear = match kind {
        0..3 => DMat3::IDENTITY,
        3 => DMat3::from_diagonal(DVec3::new(1.0, -2.0, 0.5)),
        4 => DMat3::from_diagonal(DVec3::new(1.0, 1.0, 0.0)),
        5 => DMat3::from_diagonal(stretch),
        _ => DMat3::from_quat(DQuat::from_axis_angle(axis.normalize(), 1.0)),
    };
    let grid = (2.0 * shift).round();
    let away = match random.below(6) {
        0 => DVec3::ZERO,
        1 | 2 => grid,
        3 => 3.0 * shift,
        4 => 1e9 * grid,
        _ => shift,
    };
    let scale = |exponent: i32| 2f64.powi(exponent);
    DAffine3 { matrix3: linear * scale(to - exponent), translation: away * scale(to) }
}

fn bits_of(points: [DVec3; 2]) -> [[u64; 3]; 2] {
    points.map(|point| point.to_array().map(f64::to_bits))
}

fn crossing_bits(crossings: &[TriangleCrossing]) -> Vec<([u32; 2], [[u64; 3]; 2])> {
    crossings.iter().map(|found| (found.triangles, bits_of(found.segment))).collect()
}

fn distance_bits(found: Option<MeshDistance>) -> Option<([u32; 2], [[u64; 3]; 2], u64)> {
    found.map(|found| (found.triangles, bits_of(found.points), found.distance.to_bits()))
}

#[test]
fn pairs_of_meshes_equal_the_scan_to_the_last_bit() {
    let mut random = SplitMix64::new(45);
    let (mut n_overlapping, mut n_crossing, mut n_near, mut n_rounds) = (0, 0, 0, 0);
    for round in 0..effort(250) {
        let (first, exponent) = mesh(&mut random);
        let (second, other_exponent) = mesh(&mut random);
        let to = [0, exponent, other_exponent, 300, -200][random.below(5) as usize];
        let transforms = match random.below(3) {
            0 => [DAffine3::IDENTITY, transform(&mut random, other_exponent, exponent)],
            _ => [transform(&mut random, exponent, to), transform(&mut random, other_exponent, to)],
        };
        let size = 2f64.powi(if transforms[0] == DAffine3::IDENTITY { exponent } else { to });
        let bvhs = [built(&first, round), built(&second, round / 3)];
        let pair = MeshPair::placed([&bvhs[0], &bvhs[1]], transforms).expect("finite");
        let scan = PairBruteForce::new([&first, &second], transforms).expect("finite");
        let context = format!("round {round}: 2^{exponent}, 2^{other_exponent}, {transforms:?}");

        let expected = scan.overlapping_triangles();
        assert_eq!(pair.overlapping_triangles(), expected, "{context}");
        assert_eq!(pair.overlaps(), !expected.is_empty(), "{context}");
        assert_eq!(scan.overlaps(), !expected.is_empty(), "{context}");
        let crossings = scan.crossings();
        assert_eq!(crossing_bits(&pair.crossings()), crossing_bits(&crossings), "{context}");
        for share in [f64::INFINITY, 1.0, 0.1, 0.0] {
            let found = pair.distance(share * size).expect("a valid maximum");
            let nearest = scan.distance(share * size).expect("a valid maximum");
            assert_eq!(distance_bits(found), distance_bits(nearest), "{context}, {share}");
            assert!(nearest.is_some() || expected.is_empty(), "{context}");
            assert!(found.is_some() || share.is_finite(), "{context}");
            n_near += usize::from(found.is_some() && share < 2.0);
        }
        // A distance is within itself, however its square is rounded.
        let whole = scan.distance(f64::INFINITY).expect("a valid maximum");
        let max = whole.map_or(0.0, |whole| whole.distance);
        for found in [pair.distance(max), scan.distance(max)] {
            let found = found.expect("a valid maximum");
            assert_eq!(distance_bits(found), distance_bits(whole), "{context}, {max}");
        }
        n_rounds += 1;
        n_overlapping += usize::from(!expected.is_empty());
        n_crossing += usize::from(!crossings.is_empty());
    }
    assert!(4 * n_overlapping > n_rounds && 10 * n_overlapping < 9 * n_rounds, "{n_overlapping}");
    assert!(6 * n_crossing > n_rounds && n_near > n_rounds, "{n_crossing} {n_near}");
}

#[test]
fn a_refitted_tree_asks_about_its_new_place() {
    let mut random = SplitMix64::new(46);
    for round in 0..effort(12) {
        let (first, second) = (needles(&mut random, 60), soup(&mut random, 40));
        let mut bvh = built(&first, round);
        let other = built(&second, round + 1);
        let moved = first.positions().iter().map(|p| p.yzx() * 1.5 + 0.25);
        let moved = first.with_positions(moved).expect("finite positions");
        bvh.refit(&moved).expect("the same triangles");
        let pair = MeshPair::new(&bvh, &other, DAffine3::IDENTITY).expect("finite");
        let scan = PairBruteForce::new([&moved, &second], [DAffine3::IDENTITY; 2]).expect("finite");
        assert_eq!(pair.overlapping_triangles(), scan.overlapping_triangles(), "round {round}");
        assert_eq!(pair.distance(9.0), scan.distance(9.0), "round {round}");
    }
}

#[test]
fn touching_is_exact_and_counts() {
    let cube = generate::cuboid(2.0, 2.0, 2.0, 2).expect("a valid cuboid");
    let bvh = MeshBvh::build(&cube, &BuildOptions::default());
    let beside = |x: f64| {
        let to_first = DAffine3::from_translation(DVec3::new(x, 0.5, 0.25));
        MeshPair::new(&bvh, &bvh, to_first).expect("finite")
    };
    let distance = |x: f64| beside(x).distance(f64::INFINITY).expect("valid").expect("not empty");
    assert!(beside(2.0).overlaps());
    assert_eq!(distance(2.0).distance, 0.0);
    let next = 2f64.next_up();
    assert!(!beside(next).overlaps());
    assert!(beside(next).overlapping_triangles().is_empty() && beside(next).crossings().is_empty());
    assert_eq!(distance(next).distance, next - 2.0);
    assert_eq!(beside(3.0).distance(0.999), Ok(None));
    assert_eq!(beside(3.0).distance(1.0), Ok(Some(distance(3.0))));
    // One in the other touches nothing.
    let small = DAffine3::from_scale(DVec3::splat(0.5));
    let inside = MeshPair::new(&bvh, &bvh, small).expect("finite");
    assert!(!inside.overlaps());
    assert_eq!(inside.distance(9.0).expect("valid").map(|found| found.distance), Some(0.5));
}

#[test]
fn bad_transforms_and_maxima_are_errors_and_empty_meshes_touch_nothing() {
    let cube = generate::cuboid(1.0, 1.0, 1.0, 0).expect("a valid cuboid");
    let bvh = MeshBvh::build(&cube, &BuildOptions::default());
    let message = |transforms: [DAffine3; 2]| {
        let pair = MeshPair::placed([&bvh, &bvh], transforms);
        pair.expect_err("a bad transform").to_string()
    };
    let at = DAffine3::from_translation;
    let nan = message([at(DVec3::new(0.0, f64::NAN, 0.0)), DAffine3::IDENTITY]);
    assert_eq!(nan, "the transform of the first mesh is not finite: found NaN; use finite numbers");
    let infinite = message([DAffine3::IDENTITY, at(DVec3::splat(f64::INFINITY))]);
    assert!(infinite.contains("second mesh is not finite: found inf"), "{infinite}");
    let far = message([DAffine3::IDENTITY, at(DVec3::splat(1e200))]);
    assert!(far.contains("second mesh reaches beyond 1e120 units"), "{far}");
    let huge = DAffine3::from_scale(DVec3::splat(1e300));
    assert!(message([huge, huge]).contains("first mesh reaches beyond"));
    // No corner of a mesh in a plane is moved by the axis across the plane.
    let flat = TriMesh::new([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], vec![[0, 1, 2]]);
    let flat = MeshBvh::build(&flat.expect("a valid mesh"), &BuildOptions::default());
    let across = DAffine3::from_scale(DVec3::new(1e-110, 1e-110, 1e300));
    let pair = MeshPair::placed([&flat, &flat], [across, across]).expect("finite");
    assert!(pair.overlaps());

    let pair = MeshPair::new(&bvh, &bvh, DAffine3::IDENTITY).expect("finite");
    assert_eq!(pair.distance(-1.0), Err(MeshPairError::MaxDistance(-1.0)));
    let error = pair.distance(f64::NAN).expect_err("a bad maximum").to_string();
    assert_eq!(error, "the maximum distance is NaN; expected 0 or more");

    let empty = TriMesh::new([[0.0; 3]; 0], vec![]).expect("a valid mesh");
    let empty = MeshBvh::build(&empty, &BuildOptions::default());
    for pair in [[&empty, &bvh], [&bvh, &empty], [&empty, &empty]] {
        let pair = MeshPair::placed(pair, [DAffine3::IDENTITY; 2]).expect("finite");
        assert!(!pair.overlaps() && pair.overlapping_triangles().is_empty());
        assert_eq!(pair.distance(f64::INFINITY), Ok(None));
    }
}
