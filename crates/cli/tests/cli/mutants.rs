//! Damaged ray and scene files: the readers return valid results or errors, and never panic.

use std::io::Cursor;
use std::panic::catch_unwind;
use std::path::Path;
use std::sync::Arc;
use std::{fs, str};

use hitscan::generate;
use hitscan::scene::{Mesh, QueryOptions, WorldRay};
use hitscan::scene_file::parse;
use hitscan::{BuildOptions, Ray};
use hitscan_cli::rays::{DefaultRange, from_reader};
use hitscan_cli::table::TableFormat;
use hitscan_testkit::{Mutants, Rng, effort};

/// The files of `fuzz/seeds` and `assets` that have this extension.
fn corpus(folder: &str, extension: &str) -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths: Vec<_> = [root.join("fuzz/seeds").join(folder), root.join("assets")]
        .into_iter()
        .flat_map(|folder| fs::read_dir(&folder).unwrap_or_else(|e| panic!("{folder:?}: {e}")))
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "no {extension} files");
    paths.into_iter().map(|path| fs::read(path).expect("it can be read")).collect()
}

fn read(bytes: &[u8], format: TableFormat, max_rays: usize) -> anyhow::Result<Vec<Ray>> {
    let range = DefaultRange::from_zero();
    let input = Cursor::new(bytes.to_vec());
    let mut reader = from_reader(input, "mutant".into(), Some(format), range)?;
    let mut rays = Vec::new();
    loop {
        let n_before = rays.len();
        reader.read(&mut rays, max_rays)?;
        if rays.len() == n_before {
            return Ok(rays);
        }
    }
}

/// Words of ray files.
const WORDS: [&str; 28] = [
    "ox,oy,oz,dx,dy,dz\n",
    "ox,oy,oz,dx,dy,dz,t_min,t_max\n",
    ",",
    "\n",
    "\r\n",
    "\"",
    "nan",
    "inf",
    "-Infinity",
    "NaN",
    "null",
    "{",
    "}",
    "[",
    "]",
    "\"origin\":[0,0,9]",
    ":",
    "\\",
    "\"t_max\":1",
    "\u{feff}",
    "\0",
    "'<f8'",
    "'>f4'",
    "True",
    "False",
    "(3, 6)",
    "(1, 8)",
    "'shape':",
];

#[test]
fn mutants_of_ray_files_give_the_same_rays_in_any_chunks_or_fail_cleanly() {
    let formats =
        [("csv", TableFormat::Csv), ("ndjson", TableFormat::Ndjson), ("npy", TableFormat::Npy)];
    for (extension, format) in formats {
        // In the seeds of the fuzz target a byte before the file chooses its format.
        let corpus = corpus("rays", extension).into_iter().map(|file| file[1..].to_vec()).collect();
        let mutants = Mutants::new(corpus, &WORDS);
        let (mut n_read, mut n_refused) = (0, 0);
        for seed in 0..effort(3000) {
            let bytes = mutants.next(&mut Rng::new(seed));
            let read = |max_rays| {
                catch_unwind(|| read(&bytes, format, max_rays)).unwrap_or_else(|_| {
                    panic!("{extension}, seed {seed}: {:?}", bytes.escape_ascii().to_string())
                })
            };
            match (read(1000), read(1)) {
                (Ok(at_once), Ok(one_by_one)) => {
                    n_read += 1;
                    // Compared as text, because a ray may contain NaN.
                    let text = format!("{at_once:?}");
                    assert_eq!(text, format!("{one_by_one:?}"), "{extension}, seed {seed}");
                }
                (Err(at_once), Err(_)) => {
                    n_refused += 1;
                    let message = format!("{at_once:#}");
                    assert!(message.starts_with("mutant"), "{extension}, seed {seed}: {message}");
                }
                (at_once, one_by_one) => {
                    panic!(
                        "{extension}, seed {seed}: {at_once:?} at once, {one_by_one:?} one by one"
                    )
                }
            }
        }
        assert!(
            n_read > effort(100) && n_refused > effort(100),
            "{extension}: {n_read}, {n_refused}"
        );
    }
}

#[test]
fn mutants_of_scene_files_are_scenes_with_one_answer_or_fail_cleanly() {
    let words = [
        "[meshes]\n",
        "[[instances]]\n",
        "name = \"a\"\n",
        "mesh = \"house\"\n",
        "parent = \"left\"\n",
        "translation = [1, 2, 3]\n",
        "rotation = [0, 0, 0, 0]\n",
        "scale = -2\n",
        "scale = [1, 0, 1]\n",
        "layers = [32]\n",
        "inf",
        "nan",
        "-",
        "1e308",
        "1e-308",
        "\"",
        "=",
        "[",
        "]",
        "\n",
        "\\u0000",
        "#",
        "hidden = false\n",
        "matrix = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]\n",
    ];
    let mutants = Mutants::new(corpus("scene", "toml"), &words);
    let cuboid = generate::cuboid(1.0, 2.0, 3.0, 0).expect("an ordinary size");
    let mesh = Arc::new(Mesh::new(cuboid, &BuildOptions::default()));
    let (mut n_read, mut n_refused) = (0, 0);
    for seed in 0..effort(3000) {
        let mut rng = Rng::new(seed);
        let text = String::from_utf8_lossy(&mutants.next(&mut rng)).into_owned();
        let read = || parse(&text, "mutant.toml", &mut |_| Ok(mesh.clone()));
        match catch_unwind(std::panic::AssertUnwindSafe(read))
            .unwrap_or_else(|_| panic!("seed {seed}: {text}"))
        {
            Ok(scene) => {
                n_read += 1;
                for (id, _) in scene.iter() {
                    let world = scene.world_transform(id).expect("it is in the scene");
                    assert!(world.is_finite(), "seed {seed}: {text}");
                    let target = world.translation + rng.in_cube().as_dvec3();
                    let ray = WorldRay::line(target, rng.direction().as_dvec3());
                    let hits = scene.all_hits(&ray, &QueryOptions::default());
                    let closest = scene.closest_hit(&ray, &QueryOptions::default());
                    assert_eq!(hits.first(), closest.as_ref(), "seed {seed}: {text}");
                    assert!(hits.iter().all(|hit| hit.t.is_finite()), "seed {seed}: {text}");
                }
            }
            Err(error) => {
                n_refused += 1;
                let message = format!("{error:#}");
                assert!(message.starts_with("mutant.toml"), "seed {seed}: {message}");
            }
        }
    }
    assert!(n_read > effort(100) && n_refused > effort(100), "{n_read} read, {n_refused} refused");
}
