//! Kernels are compiled for an instruction set only as far as they are inlined into the function that
//! carries it. What is left out of line is compiled for the baseline, which once made the whole kernel
//! four times slower without any answer changing. So this looks into its own binary.

use std::fs;

use hitscan_bvh::{BuildOptions, MeshBvh};
use hitscan_primitives::{Faces, HitMode, Ray, TriMesh};
use object::{Object, ObjectSymbol};

/// Functions and modules that must leave no symbol: the lane operations and all that kernels call per
/// node or block.
const INLINED: [&str; 10] = [
    "6kernel15triangle_filter",
    "6kernel17triangle_decision",
    "13triangle_test11TriangleRay",
    "18candidate_in_order",
    "6kernel8box_test",
    "9QueryRay",
    "9test_node",
    "10test_child",
    "10test_boxes",
    "lanes..Simd",
];

/// The functions that carry an instruction set: what is inlined into them is what this is about.
const CARRIER: &str = "9vectorize";

/// The cold path that is kept out of line on purpose: it shows that the symbols can be seen.
const OUT_OF_LINE: &str = "6filter7accepts";

fn symbols() -> Vec<String> {
    let path = std::env::current_exe().expect("a test knows its own path");
    let bytes = fs::read(path).expect("a test can read itself");
    let file = object::File::parse(&*bytes).expect("a test is an object file");
    file.symbols().filter_map(|symbol| symbol.name().ok().map(str::to_owned)).collect()
}

#[test]
fn kernels_leave_nothing_out_of_line() {
    // Without calls the kernels would not be in this binary at all.
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let mesh = TriMesh::new(corners, vec![[0, 1, 2]]).expect("a valid mesh");
    let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    let ray = Ray::new([0.25, 0.25, 1.0], [0.0, 0.0, -1.0]);
    assert!(bvh.closest_hit(&ray, Faces::Both).is_some());
    assert!(bvh.is_occluded(&ray, Faces::Both));
    assert_eq!(bvh.all_hits(&ray, Faces::Both, HitMode::Once).len(), 1);
    assert!(bvh.closest_hit_where(&ray, Faces::Both, |_| true).is_some());
    assert!(bvh.closest_hit_with_work(&ray, Faces::Both).0.is_some());
    let mut hits = vec![None; 64];
    bvh.closest_hits(&[ray; 64], Faces::Both, &mut hits);
    assert!(hits.iter().all(Option::is_some));

    let symbols = symbols();
    let of_ours = |part: &str| -> Vec<&String> {
        symbols.iter().filter(|name| name.contains("hitscan_") && name.contains(part)).collect()
    };
    assert!(!of_ours(OUT_OF_LINE).is_empty(), "no symbols to be seen, so none can be missed");
    for part in INLINED {
        let left: Vec<_> =
            of_ours(part).into_iter().filter(|name| !name.contains(CARRIER)).collect();
        assert!(left.is_empty(), "{part} was left out of line: {left:#?}");
    }
    // Closures cannot be marked to be inlined; none may be left in the kernels.
    let kernel = of_ours("6kernel");
    let closures: Vec<_> = kernel.iter().filter(|name| name.contains("closure")).collect();
    assert!(closures.is_empty(), "closures were left out of line: {closures:#?}");
}
