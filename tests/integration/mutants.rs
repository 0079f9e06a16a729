//! Damaged files: every loaded mesh is valid and has one answer, and nothing panics.
//!
//! The corpus is the files in `assets` and `fuzz/seeds`, generated meshes, odd texts, and the odd files of the
//! folder `shared` if it exists. Rays and scenes have the same test in `crates/cli`.

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

use hitscan::obj::write;
use hitscan::{
    Format, HitOptions, LoadOptions, Loaded, Ray, TriMesh, brute_force, generate, parse,
    parse_with_files,
};
use hitscan_testkit::{Mutants, Rng, Shape, SoupKind, aimed_ray, soup_of};

use crate::asking::{check_everything, effort};
use crate::bad_obj;
use crate::shared::shared;

/// The strings that OBJ and MTL treat specially.
const WORDS: [&str; 40] = [
    "v ",
    "vt ",
    "vn ",
    "f ",
    "l ",
    "p ",
    "o ",
    "g ",
    "s off\n",
    "usemtl ",
    "mtllib a.mtl\n",
    "newmtl ",
    "\nf 1 2 3\n",
    "\nf -1 -2 -3\n",
    "\nv 0 0 0\n",
    "/",
    "//",
    "\\\n",
    "\\\r\n",
    "\r",
    "\n",
    "#",
    " # ",
    "\u{feff}",
    "\u{1a}",
    "\0",
    "nan",
    "-inf",
    "1.#IND",
    ".",
    "e",
    "-",
    "Kd ",
    "d -halo ",
    "illum ",
    "map_Kd ",
    "\u{2003}",
    "curv 0 1 1 2\n",
    "cstype bezier\n",
    "\u{e9}",
];

/// A file longer than this slows the test more than it adds.
const LONGEST: u64 = 4096;

fn corpus(extension: &str) -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let seeds = root.join("fuzz/seeds").join(extension);
    let folders = [Some(root.join("assets")), Some(seeds), shared("bad-obj")];
    let mut paths: Vec<_> = folders
        .into_iter()
        .flatten()
        .flat_map(|folder| fs::read_dir(&folder).unwrap_or_else(|e| panic!("{folder:?}: {e}")))
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .filter(|path| path.metadata().is_ok_and(|found| found.len() <= LONGEST))
        .collect();
    // The order of a folder differs between machines, but a seed must mean the same case everywhere.
    paths.sort();
    paths.into_iter().map(|path| fs::read(path).expect("it can be read")).collect()
}

/// Generated meshes as text.
fn written() -> Vec<Vec<u8>> {
    let mut rng = Rng::new(301);
    let soups = [SoupKind::Fan, SoupKind::Wild, SoupKind::ZeroArea]
        .map(|kind| soup_of(kind, &mut rng, 12).mesh);
    let shapes = [generate::cuboid(1.0, 2.0, 3.0, 0), generate::torus(1.0, 0.3, 32)];
    let shapes = shapes.map(|shape| shape.expect("an ordinary size"));
    soups.iter().chain(&shapes).map(text_of).collect()
}

fn text_of(mesh: &TriMesh) -> Vec<u8> {
    let mut text = Vec::new();
    write(mesh, &mut text).expect("memory takes all of it");
    text
}

#[test]
fn mutants_of_obj_files_load_valid_meshes_or_fail_cleanly() {
    let corpus = [corpus("obj"), written(), bad_obj::texts()].concat();
    assert!(corpus.len() >= 8, "the repository's own files are missing");
    let mutants = Mutants::new(corpus, &WORDS);
    let options = LoadOptions::default();
    let (mut n_loaded, mut n_refused) = (0, 0);
    let n = effort(12_000);
    for seed in 0..n {
        let mut rng = Rng::new(302_000_000 + seed);
        let text = mutants.next(&mut rng);
        let shown = || String::from_utf8_lossy(&text).into_owned();
        let parsed = catch_unwind(|| parse(&text, "mutant.obj", Format::Obj, &options));
        match parsed.unwrap_or_else(|_| panic!("seed {seed} panics on {:?}", shown())) {
            Ok(loaded) => {
                n_loaded += 1;
                check_loaded(&loaded, seed, &mut rng);
            }
            Err(error) => {
                n_refused += 1;
                let message = error.to_string();
                assert!(message.starts_with("mutant.obj"), "seed {seed}: {message}");
            }
        }
    }
    assert!(n_loaded > n / 10 && n_refused > n / 10, "{n_loaded} loaded, {n_refused} refused");
}

fn check_loaded(loaded: &Loaded, seed: u64, rng: &mut Rng) {
    let mesh = &loaded.meshes[0];
    let report = loaded.report.obj.as_ref().expect("the format is OBJ");
    let n_triangles = mesh.triangles().len();
    assert!(mesh.positions().iter().all(|p| p.is_finite()), "seed {seed}");
    let n_vertices = mesh.positions().len();
    assert!(mesh.triangles().iter().flatten().all(|&i| (i as usize) < n_vertices), "seed {seed}");
    let records = mesh.records().expect("they are on by default");
    assert_eq!(records.n_triangles(), n_triangles, "seed {seed}");
    assert_eq!(report.n_triangles as usize, n_triangles, "seed {seed}: {report}");
    assert_eq!(report.n_polygons, records.n_polygons() as u64, "seed {seed}: {report}");
    for ray in [[0.5, 0.5], [0.1, 1.8]].map(|[x, y]| Ray::line([x, y, 5.0], [0.0, 0.0, -1.0])) {
        let hits = brute_force::all_hits(mesh, &ray, &HitOptions::default());
        assert!(hits.iter().all(|hit| hit.t.is_finite()), "seed {seed}");
    }

    let mut text = Vec::new();
    // The reader accepts a name with a tab, and the writer refuses it.
    if write(mesh, &mut text).is_ok() {
        let again = parse(&text, "again.obj", Format::Obj, &LoadOptions::default());
        let again = again.and_then(Loaded::into_mesh);
        let again = again.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert_eq!(again.triangles(), mesh.triangles(), "seed {seed}");
        let bits = |mesh: &TriMesh| -> Vec<[u32; 3]> {
            mesh.positions().iter().map(|p| p.to_array().map(f32::to_bits)).collect()
        };
        assert_eq!(bits(&again), bits(mesh), "seed {seed}");
    }

    if seed.is_multiple_of(16) && n_triangles <= 200 {
        let rays: Vec<_> = (0..10).map(|_| aimed_ray(mesh, rng)).collect();
        check_everything(&Shape { name: "a mutant".into(), mesh: mesh.clone() }, &rays, seed);
    }
}

#[test]
fn mutants_of_material_libraries_cost_no_geometry() {
    let corpus = corpus("mtl");
    assert!(!corpus.is_empty(), "the repository's own files are missing");
    let mutants = Mutants::new(corpus, &WORDS);
    let text = b"mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl a\nf 1 2 3\n";
    let mut n_materials = 0;
    for seed in 0..effort(6000) {
        let library = mutants.next(&mut Rng::new(303_000_000 + seed));
        let load = || {
            let mut provide = |_: &str| Ok(library.clone());
            parse_with_files(text, "x.obj", Format::Obj, &LoadOptions::default(), &mut provide)
        };
        let shown = || String::from_utf8_lossy(&library).into_owned();
        let loaded = catch_unwind(load).unwrap_or_else(|_| panic!("seed {seed}: {:?}", shown()));
        let loaded = loaded.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert_eq!(loaded.meshes[0].triangles().len(), 1, "seed {seed}");
        n_materials += loaded.materials.len() as u64;
        for material in &loaded.materials {
            let colours =
                [material.ambient, material.diffuse, material.specular, material.emissive];
            let numbers = [material.shininess, material.opacity, material.refraction_index];
            let colours = colours.into_iter().flatten().flatten();
            let mut all = colours.chain(numbers.into_iter().flatten());
            assert!(all.all(f32::is_finite), "seed {seed}: {material:?}");
            assert!(!material.name.is_empty(), "seed {seed}: {material:?}");
        }
    }
    assert!(n_materials > effort(6000), "most libraries still have materials: {n_materials}");
}
