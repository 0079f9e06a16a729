//! Which mutants are drawn.

use crate::mutant::{Mutant, read, write};

/// What is mutated: intersection, traversal, build and loader. Not what only machines of another kind
/// compile, nor test data.
fn is_mutated(mutant: &Mutant) -> bool {
    const BVH: [&str; 10] = [
        "batch.rs",
        "build/",
        "interleave.rs",
        "kernel/",
        "mesh_bvh.rs",
        "packet.rs",
        "refit.rs",
        "simd/",
        "traverse.rs",
        "wide/",
    ];
    const PRIMITIVES: [&str; 12] = [
        "aabb.rs",
        "axis.rs",
        "ear_clipping.rs",
        "face_records.rs",
        "hit.rs",
        "planar_polygon.rs",
        "plane.rs",
        "ray.rs",
        "tri_mesh.rs",
        "triangle.rs",
        "triangulate.rs",
        "watertight.rs",
    ];
    let starts = |folder: &str, names: &[&str]| {
        mutant
            .file
            .strip_prefix(folder)
            .is_some_and(|rest| names.iter().any(|name| rest.starts_with(name)))
    };
    !mutant.file.ends_with("simd/neon.rs")
        && (starts("crates/bvh/src/", &BVH)
            || starts("crates/primitives/src/", &PRIMITIVES)
            || starts("crates/obj/src/", &[""]))
}

/// Draws so many mutants of each package, in `shares` as `package=n,package=n`, and numbers them.
pub(crate) fn sample(list: &str, seed: &str, shares: &str, sample: &str) -> Result<(), String> {
    let all: Vec<Mutant> = read(list)?;
    let mut state: u64 = seed.parse().map_err(|_| format!("the seed is no number: {seed}"))?;
    let mut drawn = Vec::new();
    for share in shares.split(',') {
        let (package, n) = share.split_once('=').ok_or("shares are package=n,package=n")?;
        let n: usize = n.parse().map_err(|_| format!("{n} is no number"))?;
        let mut of_package: Vec<Mutant> = all
            .iter()
            .filter(|mutant| mutant.package == package && is_mutated(mutant))
            .cloned()
            .collect();
        println!("{package}: {n} of {}", of_package.len());
        for i in (1..of_package.len()).rev() {
            of_package.swap(i, (random(&mut state) % (i as u64 + 1)) as usize);
        }
        drawn.extend(of_package.into_iter().take(n));
    }
    drawn.iter_mut().zip(1..).for_each(|(mutant, id)| mutant.id = id);
    write(sample, &drawn)
}

/// SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014).
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
