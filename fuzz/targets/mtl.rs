//! Any bytes as a material library: the geometry stays complete, and all numbers of materials are
//! finite.

#![no_main]

use hitscan::{Format, LoadOptions, parse_with_files};
use hitscan_fuzz::{ONE_THREAD, bounded};
use libfuzzer_sys::fuzz_target;

const OBJ: &[u8] = b"mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl a\nf 1 2 3\n";

fuzz_target!(|data: &[u8]| bounded(data.len(), || ONE_THREAD.install(|| check(data))));

fn check(data: &[u8]) {
    let mut library = |name: &str| {
        assert_eq!(name, "a.mtl");
        Ok(data.to_vec())
    };
    let loaded = parse_with_files(OBJ, "x.obj", Format::Obj, &LoadOptions::default(), &mut library);
    let loaded = loaded.expect("a library costs no geometry");
    assert_eq!(loaded.meshes[0].triangles().len(), 1);
    let _ = loaded.report.to_string();
    for material in &loaded.materials {
        assert!(!material.name.is_empty());
        let colours = [material.ambient, material.diffuse, material.specular, material.emissive];
        let numbers = [material.shininess, material.opacity, material.refraction_index];
        let mut all = colours.into_iter().flatten().flatten().chain(numbers.into_iter().flatten());
        assert!(all.all(f32::is_finite), "{material:?}");
        assert_eq!(loaded.material(&material.name).map(|m| &m.name), Some(&material.name));
    }
}
