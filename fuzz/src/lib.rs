//! The shared part of the fuzz targets: bounds of memory and time, numbers from bytes, and checks of
//! parsed meshes.

#![forbid(unsafe_code)]

#[allow(dead_code, reason = "it belongs to the integration tests, which use all of it")]
#[path = "../../tests/integration/asking.rs"]
mod asking;
mod bytes;
mod edits;
#[path = "../../tests/integration/scene/histories.rs"]
mod histories;
#[allow(dead_code, reason = "it belongs to the integration tests, which use all of it")]
#[path = "../../tests/integration/scene/making.rs"]
mod making;

use std::alloc::System;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use cap::Cap;
use cpu_time::ProcessTime;
use hitscan::scene::{Mesh, QueryOptions, Scene, WorldRay};
use hitscan::{Format, HitMode, LoadOptions, Ray, TriMesh, parse};
use hitscan_testkit::{Rng, Shape, aimed_ray};
use rayon::ThreadPool;

pub use bytes::Bytes;
pub use edits::check_edits;

#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, usize::MAX);

/// The memory that an input may take in addition to 64 times its size.
const FREE_MEMORY: usize = 64 << 20;

/// The maximum processor time of an input; wall time would count other work of the machine.
const LONGEST: Duration = Duration::from_secs(10);

/// Runs `run` for an input of `n_bytes`. Ends the process if it takes more memory than 64 times the
/// input and 64 MB, or more than 10 s.
pub fn bounded(n_bytes: usize, run: impl FnOnce()) {
    // Started before the count, because the threads stay.
    LazyLock::force(&ONE_THREAD);
    LazyLock::force(&FOUR_THREADS);
    let start = ProcessTime::now();
    let limit = MEMORY.allocated() + 64 * n_bytes + FREE_MEMORY;
    MEMORY.set_limit(limit).expect("it is more than is in use");
    run();
    MEMORY.set_limit(usize::MAX).expect("it is more than is in use");
    let took = start.elapsed();
    assert!(took < LONGEST, "{n_bytes} bytes took {took:?} of the processor");
}

/// A pool of one thread, which reads files as a whole.
pub static ONE_THREAD: LazyLock<ThreadPool> = LazyLock::new(|| pool(1));

/// A pool of four threads, which read files in parts.
pub static FOUR_THREADS: LazyLock<ThreadPool> = LazyLock::new(|| pool(4));

fn pool(n_threads: usize) -> ThreadPool {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build();
    pool.expect("a few threads can be started")
}

/// Compares every query of every tree of a mesh with the oracle, for the given rays.
pub fn check_rays(mesh: TriMesh, rays: &[Ray]) {
    asking::check_everything(&Shape { name: "the mesh".into(), mesh }, rays, "from the input");
}

/// [`check_rays`] for a few rays at the mesh.
pub fn check_mesh(mesh: TriMesh, seed: u64) {
    let mut rng = Rng::new(seed);
    let rays: Vec<_> = (0..8).map(|_| aimed_ray(&mesh, &mut rng)).collect();
    check_rays(mesh, &rays);
}

/// Compares a scene with the loop over its instances, for a few rays.
pub fn check_scene(scene: &Scene, seed: u64) {
    let mut rng = Rng::new(seed);
    let options = QueryOptions { include_hidden: true, include_locked: true, ..Default::default() };
    for i in 0..8 {
        let ray = match i {
            0 => WorldRay::line([0.1, 0.2, 0.3], [0.0, 0.0, 1.0]),
            _ => making::random_ray(scene, &mut rng),
        };
        let expected = making::brute_hits(scene, &ray, &options, HitMode::EveryTriangle);
        let found = scene.all_hits(&ray, &options);
        let bits = |hits: &[_]| hits.iter().map(making::bits).collect::<Vec<_>>();
        assert_eq!(bits(&found), bits(&expected), "{ray:?}");
        let closest = scene.closest_hit(&ray, &options);
        assert_eq!(
            closest.as_slice().iter().map(making::bits).next(),
            bits(&expected).first().copied()
        );
    }
}

/// Runs the bytes as a history of at most 64 steps of a scene.
pub fn check_history(data: &[u8]) {
    static MESHES: LazyLock<Vec<Arc<Mesh>>> = LazyLock::new(histories::meshes);
    let n_steps = (data.len() / 4).min(64);
    let mut bytes = Bytes(data);
    histories::run(n_steps, &MESHES, &mut |n| bytes.below(n));
}

/// Parses any bytes as a file of a format. The result is an error that names the file, or meshes that
/// fit their instances and make one mesh. Small meshes also answer rays.
pub fn check_format(data: &[u8], format: Format) {
    // A few bytes of glTF may refer to the same data many times, which costs time and reaches no new
    // code.
    let max_vertices = 1 << 16;
    let options = LoadOptions { max_vertices, max_polygon_corners: 1000, ..Default::default() };
    let loaded = match parse(data, "x", format, &options) {
        Ok(loaded) => loaded,
        Err(error) => return assert!(error.to_string().starts_with("x"), "{error}"),
    };
    let _ = loaded.report.to_string();
    for mesh in &loaded.meshes {
        let records = mesh.records().expect("they are on by default");
        assert_eq!(records.n_triangles(), mesh.triangles().len());
        assert!(mesh.positions().iter().all(|position| position.is_finite()));
    }
    assert!(loaded.instances.iter().all(|instance| instance.mesh < loaded.meshes.len()));
    let seed = seed_of(data);
    // Instances far away have positions that f32 cannot hold, which is an error.
    if let Ok(mesh) = loaded.into_mesh()
        && mesh.triangles().len() <= MOST_TRIANGLES
        && seed.is_multiple_of(16)
    {
        check_mesh(mesh, seed);
    }
}

/// The maximum size of a mesh that answers rays, because the parsers need the time.
const MOST_TRIANGLES: usize = 100;

/// A hash of the input, which chooses the queries.
pub fn seed_of(data: &[u8]) -> u64 {
    // FNV-1a by Fowler, Noll and Vo.
    data.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}
