//! The compiler compiles a kernel for an instruction set only where it inlines the kernel into the
//! function that enables the set. Code out of line gets baseline instructions, which once made a kernel
//! four times slower without changing an answer. So this test inspects its own binary.

use std::{fs, path::Path};

use hitscan_bvh::{BuildOptions, MeshBvh};
use hitscan_primitives::{Faces, HitMode, HitOptions, Ray, TriMesh};
use object::{Object, ObjectSymbol};

/// Functions, types and modules that must leave no symbol: everything that kernels call per node or block.
const INLINED: [&str; 15] = [
    "kernel::triangle_filter",
    "kernel::triangle_decision",
    "triangle_test::TriangleRay",
    "candidate_in_order",
    "kernel::box_test",
    "QueryRay",
    "PointBound",
    "test_node",
    "test_child",
    "test_boxes",
    "test_block",
    "run_loop",
    "push_children",
    "pop_within",
    "cut_and_pop",
];

/// The trait of all lane operations, as it stands in the symbols of its methods.
const LANE_OPERATIONS: &str = "lanes..Simd";

/// The functions that enable an instruction set.
const CARRIERS: [&str; 2] = ["vectorize", "call"];

/// The cold path that is out of line on purpose: it proves that the test sees symbols.
const OUT_OF_LINE: &str = "filter::Rule::accepts";

/// A path as it stands in symbols: the length of each name before it.
fn mangled(path: &str) -> String {
    path.split("::").map(|name| format!("{}{name}", name.len())).collect()
}

/// All sources of the crates whose code kernels call.
fn sources() -> String {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut folders = vec![crates.join("bvh/src"), crates.join("primitives/src")];
    let mut text = String::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true => folders.push(path),
                false => text += &fs::read_to_string(path).expect("a source is text"),
            }
        }
    }
    text
}

#[test]
fn each_name_that_must_leave_no_symbol_is_in_the_sources() {
    let sources = sources();
    let names = INLINED.iter().chain(&CARRIERS).chain([&OUT_OF_LINE]);
    for name in names.flat_map(|path| path.split("::")).chain(["lanes", "Simd"]) {
        let is_defined = |keyword: &str| {
            let definition = format!("{keyword} {name}");
            let mut found = sources.match_indices(&definition);
            found.any(|(at, _)| {
                sources[at + definition.len()..].starts_with(['(', '<', ' ', ';', ':'])
            })
        };
        let keywords = ["fn", "struct", "trait", "mod"];
        assert!(keywords.into_iter().any(is_defined), "{name} has another name in the sources");
    }
}

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
    assert!(
        !of_ours(&mangled(OUT_OF_LINE)).is_empty(),
        "no symbols to be seen, so none can be missed"
    );
    let carriers = CARRIERS.map(mangled);
    for part in INLINED.map(mangled).iter().map(String::as_str).chain([LANE_OPERATIONS]) {
        let left: Vec<_> = of_ours(part)
            .into_iter()
            .filter(|name| !carriers.iter().any(|carrier| name.contains(carrier)))
            .collect();
        assert!(left.is_empty(), "{part} was left out of line: {left:#?}");
    }
    // No attribute inlines a closure, so kernels must not contain any.
    let kernel = of_ours(&mangled("kernel"));
    let closures: Vec<_> = kernel.iter().filter(|name| name.contains("closure")).collect();
    assert!(closures.is_empty(), "closures were left out of line: {closures:#?}");
}
