//! Winding numbers, and whether points are inside, against the sum of all solid angles.

use std::sync::Arc;

use hitscan::brute_force::BruteForce;
use hitscan::glam::Vec3;
use hitscan::{BuildOptions, MeshBvh, TriMesh, WindingTree};
use hitscan_testkit::{Rng, SoupKind, closed_shapes, soup_of};
use rayon::prelude::*;

use crate::meshes::meshes;
use crate::tally::{Part, Tally};

/// Powers of two, which change no rounding.
const SCALES: [i32; 3] = [-60, 0, 60];
const TOLERANCES: [f64; 3] = [1e-2, 1e-3, 1e-6];
const MAX_POINTS: u64 = 100_000;
/// The most solid angles that a unit sums.
const MAX_ANGLES: u64 = 300_000_000;
const LARGEST_MESH: usize = 20_000;
const BLOCKS: u64 = 100;

/// Closed, opened, doubled and loose meshes, each at a scale.
pub(crate) fn inside() -> Part {
    let subjects = subjects();
    Part {
        name: "inside",
        promise: "inside where the sum of solid angles says so, and a winding number within its bound, for \
                  points anywhere, beside vertices and edges, and on the surface; scales 2^-60 to 2^60; seeds from \
                  70,000,000 on",
        n_units: SCALES.len() * subjects.len(),
        run: Box::new(move |unit| {
            let (name, mesh) = &subjects[unit / SCALES.len()];
            let scale = 2f32.powi(SCALES[unit % SCALES.len()]);
            let scaled = mesh.with_positions(mesh.positions().iter().map(|&p| p * scale));
            let mesh = scaled.expect("scaled positions are finite");
            let n_triangles = mesh.triangles().len() as u64;
            let n_points = MAX_POINTS.min(MAX_ANGLES / n_triangles.max(1));
            let bvh = Arc::new(MeshBvh::build(&mesh, &BuildOptions::default()));
            let (tree, scan) = (WindingTree::new(bvh.clone()), BruteForce::new(&mesh));
            let check = |block: u64| {
                let seed = 70_000_000 + unit as u64 * BLOCKS + block;
                let (mut rng, mut tally) = (Rng::new(seed), Tally::default());
                for _ in 0..n_points.div_ceil(BLOCKS) {
                    let point = point(&mesh, &mut rng);
                    ask(&tree, &scan, point, &mut tally, || format!("{name} (seed {seed})"));
                }
                tally
            };
            let tally: Tally = (0..BLOCKS).into_par_iter().map(check).sum();
            Tally::of_mesh([&*bvh]).plus(&tally)
        }),
    }
}

fn ask(
    tree: &WindingTree,
    scan: &BruteForce<'_>,
    point: Vec3,
    tally: &mut Tally,
    name: impl Fn() -> String,
) {
    let sum = scan.winding_sum(point);
    tally.n_rays += 1;
    tally.n_hits += u64::from(sum.is_inside());
    if tree.is_inside(point) != sum.is_inside() {
        tally.wrong(|| format!("{}: {point:?} is inside: {}", name(), sum.is_inside()));
    }
    let exact = sum.winding_number();
    let tolerance = TOLERANCES[tally.n_rays as usize % TOLERANCES.len()];
    let found = tree.winding_number(point, tolerance);
    let is_bounded = (found.value - exact).abs() <= found.max_error && found.max_error <= tolerance;
    if !is_bounded {
        tally.wrong(|| format!("{}: {point:?}, {tolerance}: {found:?}, exact {exact}", name()));
    }
}

/// A point: mostly anywhere about the mesh, or beside a vertex or an edge at any distance, or on the surface.
fn point(mesh: &TriMesh, rng: &mut Rng) -> Vec3 {
    let bounds = mesh.bounds();
    let anywhere = bounds.center() + 0.6 * rng.in_cube() * bounds.extent();
    let [a, b, c] = mesh.corners(rng.below(mesh.triangles().len()) as u32);
    let on = match rng.below(8) {
        0 => a,
        1 => a.lerp(b, rng.unit()),
        2 => a.lerp(b, rng.unit()).lerp(c, rng.unit()),
        _ => return anywhere,
    };
    // A third stays on the surface.
    match rng.below(3) {
        0 => on,
        _ => on.lerp(anywhere, 10f32.powf(-8.0 * rng.unit())),
    }
}

fn subjects() -> Vec<(String, TriMesh)> {
    let mut rng = Rng::new(8);
    let mut subjects = Vec::new();
    for shape in closed_shapes(600) {
        for share in [0.01, 0.1, 0.5] {
            let opened = opened(&shape.mesh, share, &mut rng);
            subjects.push((format!("{}, {share} of it removed", shape.name), opened));
        }
        subjects.push((shape.name, shape.mesh));
    }
    for kind in [SoupKind::Random, SoupKind::Slivers, SoupKind::LongThin] {
        let shape = soup_of(kind, &mut rng, 600);
        subjects.push((shape.name, shape.mesh));
    }
    let files = meshes().into_iter();
    subjects.extend(files.filter(|(_, mesh)| mesh.triangles().len() <= LARGEST_MESH));
    subjects
}

/// The mesh without a share of its triangles, at random.
fn opened(mesh: &TriMesh, share: f32, rng: &mut Rng) -> TriMesh {
    let kept = mesh.triangles().iter().copied().filter(|_| rng.unit() >= share).collect();
    TriMesh::from_vecs(mesh.positions().to_vec(), kept).expect("the triangles of a mesh")
}
