//! Loading against raw tobj on a generated file. Run with
//! `cargo test --release -p hitscan-obj --test files -- --ignored --nocapture speed`.

use std::{
    fmt::Write,
    path::Path,
    time::{Duration, Instant},
};

use hitscan_obj::{LoadOptions, load};

/// A hilly grid of about a million triangles with texture coordinates and normals.
fn grid(n: usize) -> String {
    let mut text = String::new();
    let height = |x: f64, y: f64| (0.37 * x).sin() * (0.21 * y).cos() * 3.0;
    let points: Vec<(f64, f64)> =
        (0..=n).flat_map(|j| (0..=n).map(move |i| (0.1 * i as f64, 0.1 * j as f64))).collect();
    for &(x, y) in &points {
        writeln!(text, "v {:.6} {:.6} {:.6}", x - 30.0, height(x, y), y - 30.0).unwrap();
    }
    for &(x, y) in &points {
        writeln!(text, "vt {:.6} {:.6}", 10.0 * x / n as f64, 10.0 * y / n as f64).unwrap();
    }
    for &(x, y) in &points {
        writeln!(text, "vn {:.4} {:.4} {:.4}", (3.0 * x).sin(), 0.5, (2.0 * y).cos()).unwrap();
    }
    for (j, i) in (0..n).flat_map(|j| (0..n).map(move |i| (j, i))) {
        let a = j * (n + 1) + i + 1;
        let (b, c, d) = (a + 1, a + n + 1, a + n + 2);
        writeln!(text, "f {a}/{a}/{a} {b}/{b}/{b} {d}/{d}/{d}").unwrap();
        writeln!(text, "f {a}/{a}/{a} {d}/{d}/{d} {c}/{c}/{c}").unwrap();
    }
    text
}

fn by_tobj(path: &Path) -> usize {
    let options =
        tobj::LoadOptions { triangulate: false, single_index: false, ..Default::default() };
    let (models, _) = tobj::load_obj(path, &options).unwrap();
    models.iter().map(|model| model.mesh.indices.len() / 3).sum()
}

#[test]
#[ignore = "a measurement: needs an idle machine and a release build"]
fn speed_of_a_million_triangles_against_tobj() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let text = grid(707);
    std::fs::write(file.path(), &text).unwrap();
    let ours = || load(file.path(), &LoadOptions::default()).unwrap().mesh.triangles().len();
    assert_eq!(ours(), by_tobj(file.path()));

    let time = |run: &dyn Fn() -> usize| {
        let start = Instant::now();
        std::hint::black_box(run());
        start.elapsed()
    };
    let mut best =
        [("tobj", Duration::MAX), ("ours, 1 thread", Duration::MAX), ("ours, 2", Duration::MAX)];
    for _ in 0..7 {
        let mut note = |i: usize, time: Duration| best[i].1 = best[i].1.min(time);
        note(0, time(&|| by_tobj(file.path())));
        #[cfg(feature = "parallel")]
        for n_threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
            note(n_threads, pool.install(|| time(&ours)));
        }
        #[cfg(not(feature = "parallel"))]
        note(1, time(&ours));
    }
    for (name, time) in best {
        let seconds = time.as_secs_f64();
        let ratio = best[0].1.as_secs_f64() / seconds;
        println!(
            "{name}: {seconds:.3} s, {:.0} MB/s, {ratio:.1} x",
            text.len() as f64 / 1e6 / seconds
        );
    }
}
