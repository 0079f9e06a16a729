//! The compiler compiles a kernel for an instruction set only where it inlines the kernel into the
//! function that enables the set. Code out of line gets baseline instructions, which once made a kernel
//! four times slower without changing an answer. So this test inspects its own binary.

use std::{fs, path::Path};

use hitscan_bvh::{BuildOptions, MeshBvh};
use hitscan_primitives::{Faces, HitMode, HitOptions, Ray, TriMesh};
use object::{Object, ObjectSymbol};

/// Functions and modules that must leave no symbol: the lane operations, and everything that kernels
/// call per node or block.
const INLINED: [&str; 11] = [
    "6kernel15triangle_filter",
    "6kernel17triangle_decision",
    "13triangle_test11TriangleRay",
    "18candidate_in_order",
    "6kernel8box_test",
    "9QueryRay",
    "10PointBound",
    "9test_node",
    "10test_child",
    "10test_boxes",
    "lanes..Simd",
];

/// The functions that enable an instruction set: `vectorize` and `call`.
const CARRIERS: [&str; 2] = ["9vectorize", "4call"];

/// The cold path that is out of line on purpose: it proves that the test sees symbols.
const OUT_OF_LINE: &str = "6filter4Rule7accepts";

/// Prefixes of lane operations in the standard library. Baseline code calls them as functions.
const INTRINSICS: [&str; 2] = ["_mm256_", "_mm512_"];

fn symbols(path: &Path) -> Vec<String> {
    let bytes = fs::read(path).expect("a program that can be read");
    let file = object::File::parse(&*bytes).expect("a program is an object file");
    file.symbols().filter_map(|symbol| symbol.name().ok().map(str::to_owned)).collect()
}

/// Only intrinsics on floats: libraries that search text leave some on integers.
fn assert_no_intrinsics(symbols: &[String]) {
    let is_intrinsic = |name: &str| {
        INTRINSICS.iter().any(|prefix| name.contains(prefix))
            && (name.contains("_ps") || name.contains("_pd"))
    };
    let left: Vec<_> = symbols.iter().filter(|name| is_intrinsic(name)).collect();
    assert!(left.is_empty(), "intrinsics were left out of line: {left:#?}");
}

/// The optimiser inlines other functions in a release than in a test. `HITSCAN_PROGRAM` names a released
/// program to inspect, as CI does.
#[test]
fn the_program_leaves_no_intrinsic_out_of_line() {
    let Some(program) = std::env::var_os("HITSCAN_PROGRAM") else { return };
    let symbols = symbols(Path::new(&program));
    assert!(symbols.iter().any(|name| name.contains("hitscan_bvh")), "a program with symbols");
    assert_no_intrinsics(&symbols);
}

#[test]
fn kernels_leave_nothing_out_of_line() {
    // Without these calls the binary would not contain the kernels.
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let mesh = TriMesh::new(corners, vec![[0, 1, 2]]).expect("a valid mesh");
    let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    let ray = Ray::new([0.25, 0.25, 1.0], [0.0, 0.0, -1.0]);
    assert!(bvh.closest_hit(&ray, Faces::Both).is_some());
    assert!(bvh.is_occluded(&ray, Faces::Both));
    assert_eq!(
        bvh.all_hits(&ray, &HitOptions { faces: Faces::Both, mode: HitMode::OncePerCrossing })
            .len(),
        1
    );
    assert!(bvh.closest_hit_where(&ray, Faces::Both, |_| true).is_some());
    assert!(bvh.closest_hit_with_work(&ray, Faces::Both).0.is_some());
    assert!(bvh.closest_point([0.25, 0.25, 1.0], 1.0).is_some());
    let mut hits = vec![None; 64];
    bvh.closest_hit_batch(&[ray; 64], Faces::Both, &mut hits);
    assert!(hits.iter().all(Option::is_some));

    let path = std::env::current_exe().expect("a test knows its own path");
    let symbols = symbols(&path);
    assert_no_intrinsics(&symbols);
    let of_ours = |part: &str| -> Vec<&String> {
        symbols.iter().filter(|name| name.contains("hitscan_") && name.contains(part)).collect()
    };
    assert!(!of_ours(OUT_OF_LINE).is_empty(), "no symbols to be seen, so none can be missed");
    for part in INLINED {
        let left: Vec<_> = of_ours(part)
            .into_iter()
            .filter(|name| !CARRIERS.iter().any(|c| name.contains(c)))
            .collect();
        assert!(left.is_empty(), "{part} was left out of line: {left:#?}");
    }
    // No attribute inlines a closure, so kernels must not contain any.
    let kernel = of_ours("6kernel");
    let closures: Vec<_> = kernel.iter().filter(|name| name.contains("closure")).collect();
    assert!(closures.is_empty(), "closures were left out of line: {closures:#?}");
}
