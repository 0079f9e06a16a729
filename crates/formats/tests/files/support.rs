//! Files made for the tests, and what must hold of any.

use hitscan_formats::{Format, FormatError, LoadOptions, Loaded, parse};
use hitscan_primitives::TriMesh;
use hitscan_primitives::glam::Vec3;
use hitscan_testkit::Rng;

pub(crate) fn read(bytes: &[u8], format: Format) -> Result<Loaded, FormatError> {
    parse(bytes, "test", format, &LoadOptions::default())
}

/// The one mesh of a file that is right.
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
        assert!(text.starts_with("test:") && text.contains(part), "{text:?}, expected {part:?}");
        assert!(text.len() < 700 && !text.contains(char::is_control), "{text:?}");
    }
}

/// Damages a file in hundreds of ways: each is an error or a mesh, and takes no panic to tell.
pub(crate) fn assert_no_damage_panics(format: Format, original: &[u8], seed: u64) {
    let n = hitscan_testkit::effort(600) as usize;
    let mut rng = Rng::new(seed);
    let mut n_errors = 0;
    // What one file may be turned into is kept small, so that the test is.
    let options = LoadOptions { max_vertices: 1 << 16, ..LoadOptions::default() };
    for i in 0..n {
        let mut bytes = original.to_vec();
        for _ in 0..1 + rng.below(3) {
            let at = rng.below(bytes.len().max(1)).min(bytes.len().saturating_sub(1));
            match rng.below(6) {
                _ if bytes.is_empty() => {}
                0 => bytes.truncate(at),
                1 => bytes[at] ^= 1 << rng.below(8),
                2 => bytes[at] = rng.pick(b"0192-.eE{}[]\",: \n\0\x7f\xff"),
                3 => {
                    let len = rng.below(16).min(bytes.len() - at);
                    bytes.drain(at..at + len);
                }
                4 => {
                    let piece: Vec<u8> = bytes[at..].iter().copied().take(rng.below(40)).collect();
                    let to = rng.below(bytes.len());
                    bytes.splice(to..to, piece);
                }
                _ => {
                    let digits = rng.pick(&["4294967295", "-1", "1e39", "nan", "99999999999", ""]);
                    bytes.splice(at..at, digits.bytes());
                }
            }
        }
        match parse(&bytes, "test", format, &options) {
            Ok(loaded) => {
                let _ = loaded.flattened(&options);
                assert!(loaded.instances.iter().all(|i| i.mesh < loaded.meshes.len()));
            }
            Err(error) => {
                n_errors += 1;
                let text = error.to_string();
                assert!(text.starts_with("test:"), "mutant {i} of seed {seed}: {text}");
            }
        }
    }
    assert!(n_errors > n / 10, "{n_errors}");
}
