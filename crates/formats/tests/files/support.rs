//! Files for the tests, and the checks that every file must pass.

use hitscan_formats::{Format, LoadOptions, Loaded, ReadError, parse};
use hitscan_primitives::TriMesh;
use hitscan_primitives::glam::Vec3;
use hitscan_testkit::{Mutants, Rng, effort};

pub(crate) fn read(bytes: &[u8], format: Format) -> Result<Loaded, ReadError> {
    parse(bytes, "test", format, &LoadOptions::default())
}

/// The only mesh of a valid file.
#[track_caller]
pub(crate) fn mesh(bytes: &[u8], format: Format) -> TriMesh {
    let loaded = read(bytes, format).expect("the file is right");
    assert_eq!(loaded.meshes.len(), 1);
    loaded.meshes.into_iter().next().expect("there is one")
}

/// The corners of all triangles.
pub(crate) fn corners(mesh: &TriMesh) -> Vec<[Vec3; 3]> {
    (0..mesh.triangles().len() as u32).map(|triangle| mesh.corners(triangle)).collect()
}

/// Asserts that each file is an error that names the file and says `part`.
#[track_caller]
pub(crate) fn assert_errors<B: AsRef<[u8]>>(format: Format, cases: &[(B, &str)]) {
    assert!(cases.len() >= 20, "{}", cases.len());
    for (bytes, part) in cases {
        let text = match read(bytes.as_ref(), format) {
            Ok(_) => panic!("no error, expected {part:?}"),
            Err(error) => error.to_string(),
        };
        assert!(text.starts_with("test") && text.contains(part), "{text:?}, expected {part:?}");
        assert!(text.len() < 700 && !text.contains(char::is_control), "{text:?}");
    }
}

/// Strings that the formats treat specially.
const WORDS: [&str; 22] = [
    "solid ",
    "endsolid\n",
    "facet ",
    "vertex 0 0 0\n",
    "element face 3\n",
    "property list uchar int x\n",
    "end_header\n",
    "{",
    "}",
    "[",
    "]",
    "\"",
    ":",
    ",",
    "\0",
    "\n",
    "\r",
    "-",
    "nan",
    "1e39",
    "99999999999",
    "\u{7f}",
];

/// Parses hundreds of damaged copies of the files: each is an error or a valid mesh, and none panics.
pub(crate) fn assert_no_damage_panics(format: Format, originals: &[Vec<u8>], seed: u64) {
    let mutants = Mutants::new(originals.to_vec(), &WORDS);
    let n = effort(600 * originals.len() as u64);
    let mut rng = Rng::new(seed);
    let mut n_errors = 0;
    // A low limit keeps the test fast.
    let options = LoadOptions { max_vertices: 1 << 16, ..LoadOptions::default() };
    for i in 0..n {
        let bytes = mutants.next(&mut rng);
        match parse(&bytes, "test", format, &options) {
            Ok(loaded) => {
                assert!(loaded.instances.iter().all(|i| i.mesh < loaded.meshes.len()));
                let _ = loaded.into_mesh();
            }
            Err(error) => {
                n_errors += 1;
                let text = error.to_string();
                assert!(text.starts_with("test"), "mutant {i} of seed {seed}: {text}");
            }
        }
    }
    assert!(n_errors > n / 10, "{n_errors} of {n}");
}
