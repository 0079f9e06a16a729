//! What a call through C costs beside the same call in Rust:
//!
//!     RAYON_NUM_THREADS=1 cargo bench --bench overhead -- [MESH]
//!
//! Rays of a camera, one by one and in a batch, in one process. Rust and C take turns, and their answers are compared
//! before anything is timed.

use std::{env, hint::black_box, mem::MaybeUninit, ptr, time::Instant};

use engine::{
    BuildOptions, Faces, Hit, LoadOptions, MeshBvh, Ray, TriMesh, glam::Vec3, load,
    primitives::generate,
};
use hitscan::*;

/// The pixels of the picture in one direction.
const SIDE: usize = 512;
/// The rays of a turn: some rows.
const TURN: usize = SIDE * 8;
/// The rays of a batch. So few that most turns end before the machine runs another program.
const BATCH: usize = SIDE * 32;
/// The pictures that each takes.
const ROUNDS: usize = 31;

fn mesh() -> TriMesh {
    match env::args().skip(1).find(|argument| !argument.starts_with("--")) {
        None => generate::sphere(3.0, 70_000).expect("a size"),
        Some(path) => {
            let loaded = load(&path, &LoadOptions::default());
            loaded.and_then(|loaded| loaded.into_mesh()).expect("a mesh file")
        }
    }
}

/// The rays of a picture that shows all of a mesh, from its front.
fn camera_rays(mesh: &TriMesh) -> Vec<Ray> {
    let bounds = mesh.bounds();
    let (middle, size) = ((bounds.min + bounds.max) / 2.0, (bounds.max - bounds.min).length());
    let eye = middle + Vec3::new(0.3, 0.2, 1.0).normalize() * size;
    let pixel = |at: usize| at as f32 / SIDE as f32 - 0.5;
    let target = |i: usize| middle + size * Vec3::new(pixel(i % SIDE), -pixel(i / SIDE), 0.0);
    (0..SIDE * SIDE).map(|i| Ray::new(eye, target(i) - eye)).collect()
}

fn c_ray(ray: &Ray) -> hitscan_ray {
    let (origin, direction) = (ray.origin.to_array(), ray.direction.to_array());
    hitscan_ray { origin, direction, t_min: ray.t_min, t_max: ray.t_max }
}

fn handle(mesh: &TriMesh) -> *mut hitscan_bvh {
    let (data, n) = (mesh.positions().as_ptr().cast(), mesh.positions().len());
    let positions = hitscan_positions { data, n, number: HITSCAN_F32, ..Default::default() };
    let (data, n) = (mesh.triangles().as_ptr().cast(), mesh.triangles().len());
    let triangles = hitscan_triangles { data, n, ..Default::default() };
    let (mut made, mut bvh) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: the arrays are those of the mesh.
    unsafe {
        assert_eq!(hitscan_mesh_new(&positions, &triangles, &mut made), HITSCAN_OK);
        assert_eq!(hitscan_bvh_build(made, ptr::null(), &mut bvh), HITSCAN_OK);
        assert_eq!(hitscan_mesh_release(made), HITSCAN_OK);
    }
    bvh
}

type Answers = [MaybeUninit<hitscan_hit>];

fn ask_rust(tree: &MeshBvh, rays: &[Ray], hits: &mut [Option<Hit>]) {
    for (ray, hit) in rays.iter().zip(hits) {
        *hit = tree.closest_hit(black_box(ray), Faces::Both);
    }
}

fn ask_c(bvh: *const hitscan_bvh, rays: &[hitscan_ray], hits: &mut Answers) {
    for (ray, hit) in rays.iter().zip(hits) {
        // SAFETY: the handle is alive, and the answer has its memory.
        let status =
            unsafe { hitscan_bvh_closest_hit(bvh, black_box(ray), ptr::null(), hit.as_mut_ptr()) };
        assert_eq!(status, HITSCAN_OK);
    }
}

fn ask_c_batch(bvh: *const hitscan_bvh, rays: &[hitscan_ray], hits: &mut Answers) {
    let (from, n, to) = (rays.as_ptr(), rays.len(), hits.as_mut_ptr().cast());
    // SAFETY: the handle is alive, and the arrays have these lengths.
    let status = unsafe { hitscan_bvh_closest_hit_batch(bvh, from, n, 0, ptr::null(), to, 0) };
    assert_eq!(status, HITSCAN_OK);
}

/// Runs both by turns over pieces of `0..n`. Returns the median nanoseconds per item of each.
fn by_turns(
    n: usize,
    piece: usize,
    mut one: impl FnMut(usize, usize),
    mut other: impl FnMut(usize, usize),
) -> [f64; 2] {
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..=ROUNDS {
        for start in (0..n).step_by(piece) {
            let end = (start + piece).min(n);
            for turn in 0..2 {
                let which = (turn + round + start / piece) % 2;
                let begin = Instant::now();
                if which == 0 {
                    one(start, end);
                } else {
                    other(start, end);
                }
                let elapsed = begin.elapsed().as_nanos() as f64 / (end - start) as f64;
                if round > 0 {
                    times[which].push((start, elapsed));
                }
            }
        }
    }
    // The pieces differ, so each has its own median.
    times.map(|times| {
        let starts: Vec<usize> = (0..n).step_by(piece).collect();
        let of = |start: &usize| {
            let mut own: Vec<f64> =
                times.iter().filter(|(at, _)| at == start).map(|&(_, t)| t).collect();
            own.sort_by(f64::total_cmp);
            own[own.len() / 2]
        };
        starts.iter().map(of).sum::<f64>() / starts.len() as f64
    })
}

fn main() {
    let mesh = mesh();
    let (tree, bvh) = (MeshBvh::build(&mesh, &BuildOptions::default()), handle(&mesh));
    let rays = camera_rays(&mesh);
    let packed: Vec<hitscan_ray> = rays.iter().map(c_ray).collect();
    let n = rays.len();
    let mut own: Vec<Option<Hit>> = vec![None; n];
    let mut other = vec![MaybeUninit::<hitscan_hit>::uninit(); n];
    for batch in [false, true] {
        match batch {
            false => {
                ask_rust(&tree, &rays, &mut own);
                ask_c(bvh, &packed, &mut other);
            }
            true => {
                tree.closest_hit_batch(&rays, Faces::Both, &mut own);
                ask_c_batch(bvh, &packed, &mut other);
            }
        }
        let same = own.iter().zip(&other).all(|(own, other)| {
            // SAFETY: the calls have written all answers.
            let other = unsafe { other.assume_init_ref() };
            let (t, triangle) =
                own.map_or((f32::INFINITY, HITSCAN_NO_TRIANGLE), |hit| (hit.t, hit.triangle));
            (t.to_bits(), triangle) == (other.t.to_bits(), other.triangle)
        });
        assert!(same, "Rust and C differ");
    }
    let hits = own.iter().flatten().count();
    println!("{} triangles, {n} rays of a camera, {hits} hits", mesh.triangles().len());
    let [rust, c] = by_turns(
        n,
        TURN,
        |start, end| ask_rust(&tree, &rays[start..end], &mut own[start..end]),
        |start, end| ask_c(bvh, &packed[start..end], &mut other[start..end]),
    );
    println!("one by one: Rust {rust:.1} ns, C {c:.1} ns, {:+.1} ns", c - rust);
    let [rust, c] = by_turns(
        n,
        BATCH,
        |start, end| tree.closest_hit_batch(&rays[start..end], Faces::Both, &mut own[start..end]),
        |start, end| ask_c_batch(bvh, &packed[start..end], &mut other[start..end]),
    );
    println!("in batches: Rust {rust:.2} ns, C {c:.2} ns, {:+.1} %", 100.0 * (c / rust - 1.0));
    // SAFETY: the handle is alive.
    assert_eq!(unsafe { hitscan_bvh_release(bvh) }, HITSCAN_OK);
}
