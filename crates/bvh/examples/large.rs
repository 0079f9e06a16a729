//! How far one machine goes: builds trees of millions of triangles, and measures time, memory and rays.
//!
//! ```text
//! cargo run --release -p hitscan-bvh --example large -- terrain 1000000 16000000
//! cargo run --release -p hitscan-bvh --example large -- city 100000000 compact
//! ```
//!
//! The first argument is the shape. Then come numbers of triangles, and names of a quality or a layout. Each
//! number gives a row of a table in Markdown. `RAYON_NUM_THREADS` sets the number of threads.

use std::{env, error::Error, fs, hint::black_box, time::Instant};

use glam::Vec3;
use hitscan_bvh::{BuildOptions, BuildQuality, Layout, MeshBvh};
use hitscan_primitives::{
    Aabb, Faces, Ray, TriMesh,
    generate::{self, SplitMix64},
};

/// Rays of each kind.
const N_RAYS: usize = 1 << 18;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = env::args().skip(1);
    let shape = args.next().ok_or("expected terrain or city, then numbers of triangles")?;
    let mut options = BuildOptions::default();
    println!(
        "| {shape} | layout | mesh B/tri | build s | Mtri/s | peak B/tri | bound B/tri | tree B/tri | camera ns | camera batch ns | random ns | random batch ns |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for arg in args {
        match arg.as_str() {
            "fast" => options.quality = BuildQuality::Fast,
            "balanced" => options.quality = BuildQuality::Balanced,
            "high" => options.quality = BuildQuality::High,
            "full" => options.layout = Layout::Full,
            "compact" => options.layout = Layout::Compact,
            n_triangles => measure(&shape, n_triangles.parse()?, &options)?,
        }
    }
    Ok(())
}

/// Prints the row of one mesh.
fn measure(shape: &str, n: usize, options: &BuildOptions) -> Result<(), Box<dyn Error>> {
    let mesh = match shape {
        "terrain" => generate::terrain(n, 1)?,
        "city" => generate::city(n, 1)?,
        _ => return Err(format!("{shape}: no such shape; pass terrain or city").into()),
    };
    let n = mesh.triangles().len();
    let per_triangle = |bytes: u64| bytes as f64 / n as f64;
    let of_mesh = size_of_val(mesh.positions()) + size_of_val(mesh.triangles());
    let before = memory("VmRSS")?;
    let start = Instant::now();
    let bvh = MeshBvh::build(&mesh, options);
    let seconds = start.elapsed().as_secs_f64();
    // The peak memory of the process may be that of an earlier and larger mesh.
    let peak = memory("VmHWM")?.saturating_sub(before);
    let stats = bvh.stats();
    print!(
        "| {n} | {:?} | {:.1} | {seconds:.2} | {:.2} | {:.0} | {:.0} | {:.1} |",
        bvh.layout(),
        per_triangle(of_mesh as u64),
        n as f64 / seconds / 1e6,
        per_triangle(peak),
        per_triangle(options.peak_bytes(n)),
        stats.bytes_per_triangle(),
    );
    for rays in [camera_rays(&mesh), random_rays(mesh.bounds())] {
        let start = Instant::now();
        let n_hits = rays.iter().filter(|ray| bvh.closest_hit(ray, Faces::Both).is_some()).count();
        print!(" {:.0} |", start.elapsed().as_secs_f64() * 1e9 / rays.len() as f64);
        let mut hits = vec![None; rays.len()];
        let start = Instant::now();
        bvh.closest_hit_batch(&rays, Faces::Both, &mut hits);
        print!(" {:.0} |", start.elapsed().as_secs_f64() * 1e9 / rays.len() as f64);
        assert_eq!(black_box(hits).iter().flatten().count(), n_hits, "a batch answers alike");
    }
    println!();
    Ok(())
}

/// The rays of a pinhole camera above a corner of the mesh, row by row.
fn camera_rays(mesh: &TriMesh) -> Vec<Ray> {
    let Aabb { min, max } = mesh.bounds();
    let extent = max - min;
    let eye = min + extent * Vec3::new(0.02, 1.0, 0.02) + 0.1 * Vec3::Y * extent.max_element();
    let forward = (min + 0.5 * extent - eye).normalize();
    let right = forward.cross(Vec3::Y).normalize();
    let up = right.cross(forward);
    let width = (N_RAYS as f32).sqrt() as usize;
    let at = |i: usize| 2.0 * (i as f32 + 0.5) / width as f32 - 1.0;
    let pixels = (0..width * width).map(|pixel| (pixel % width, pixel / width));
    pixels
        .map(|(x, y)| Ray::new(eye, (forward + 0.6 * (at(x) * right - at(y) * up)).normalize()))
        .collect()
}

/// Segments between random points of the box.
fn random_rays(Aabb { min, max }: Aabb) -> Vec<Ray> {
    let mut random = SplitMix64::new(2);
    let mut point = || {
        let share = Vec3::from_array([0; 3].map(|_| random.unit() as f32));
        min + share * (max - min)
    };
    (0..N_RAYS).map(|_| Ray::segment(point(), point())).collect()
}

/// A line of what Linux says about this process, in bytes.
fn memory(line: &str) -> Result<u64, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let found = status.lines().find_map(|text| text.strip_prefix(line)?.strip_prefix(':'));
    let kilobytes = found.and_then(|text| text.trim().strip_suffix(" kB"));
    Ok(kilobytes.ok_or("no such line")?.trim().parse::<u64>()? * 1024)
}
