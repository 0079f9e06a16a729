//! Cache files with changed bytes and corrected checksums: an error, or a mesh and a tree that fit each
//! other. The tree gives the answers of brute force.

#![no_main]

use std::sync::{Arc, LazyLock};

use hitscan::cache::{BuiltMesh, BuiltScene, read, read_scene, write, write_scene};
use hitscan::glam::DAffine3;
use hitscan::scene::{Instance, Mesh, Scene};
use hitscan::{
    BuildOptions, BuildQuality, Faces, Format, Layout, LoadOptions, MeshBvh, generate, parse,
};
use hitscan_fuzz::{Bytes, ONE_THREAD, bounded, seed_of};
use hitscan_testkit::{Oracle, Rng, Tally, aimed_ray, answers_of};
use libfuzzer_sys::fuzz_target;
use xxhash_rust::xxh3::xxh3_64;

/// Where the checksum of the header is, and what it covers.
const SIGNED: usize = 416;

/// Files of every layout, with and without the records of an OBJ file.
static FILES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let text = include_bytes!("../seeds/obj/plain.obj");
    let loaded = parse(text, "plain.obj", Format::Obj, &LoadOptions::default());
    let loaded = loaded.expect("it is an OBJ file").into_mesh().expect("it has one mesh");
    let torus = generate::torus(1.0, 0.3, 100).expect("an ordinary size");
    let mut files = Vec::new();
    for (i, mesh) in [loaded, torus, Default::default()].into_iter().enumerate() {
        for layout in Layout::ALL {
            let quality = BuildQuality::ALL[i];
            let options = BuildOptions { quality, layout, ..Default::default() };
            let bvh = MeshBvh::build(&mesh, &options);
            let mut file = Vec::new();
            write(&BuiltMesh::new(mesh.clone(), bvh), &mut file).expect("memory takes all of it");
            files.push(file);
        }
    }
    files.push(scene());
    files
});

fuzz_target!(|data: &[u8]| {
    LazyLock::force(&FILES);
    bounded(data.len().max(1 << 15), || ONE_THREAD.install(|| check(data)));
});

/// The first byte chooses a file, and the rest describe its changes; or the bytes are the file.
fn check(data: &[u8]) {
    let Some((&which, changes)) = data.split_first() else { return };
    let file = match FILES.get(usize::from(which) % (FILES.len() + 1)) {
        Some(file) => changed(file.clone(), Bytes(changes)),
        None => changes.to_vec(),
    };
    if file.starts_with(b"\x89hitscen") {
        return check_scene(&file);
    }
    let BuiltMesh { mesh, bvh, .. } = match read(&file, "x.hitscan") {
        Ok(built) => built,
        Err(error) => return assert!(error.to_string().starts_with("x.hitscan")),
    };
    bvh.validate(&mesh).unwrap_or_else(|broken| panic!("{broken}"));
    let (oracle, mut tally, mut rng) =
        (Oracle::new(&mesh), Tally::default(), Rng::new(seed_of(data)));
    for _ in 0..4 {
        let ray = aimed_ray(&mesh, &mut rng);
        let found = answers_of!(bvh, &ray, Faces::Both);
        tally.compare(&ray, Faces::Both, &found, &oracle.hits(&ray));
    }
    assert_eq!(tally.first_difference(), None);
}

/// A file of a scene: two instances of a mesh in a group.
fn scene() -> Vec<u8> {
    let mesh = generate::torus(1.0, 0.3, 20).expect("an ordinary size");
    let mesh = Arc::new(Mesh::new(mesh, &BuildOptions::default()));
    let mut scene = Scene::new();
    let group = Instance { name: Some("group".into()), ..Default::default() };
    let parent = Some(scene.insert(group).expect("it is the first"));
    for x in [0.0, 3.0] {
        let transform = DAffine3::from_translation([x, 0.0, 0.0].into());
        let instance = Instance { parent, ..Instance::new(mesh.clone(), transform) };
        scene.insert(instance).expect("the parent exists");
    }
    let mut file = Vec::new();
    write_scene(&BuiltScene::new(scene), &mut file).expect("memory takes all of it");
    file
}

/// Reads a scene, whose trees are valid or an error.
fn check_scene(file: &[u8]) {
    let built = match read_scene(file, "x.hitscan") {
        Ok(built) => built,
        Err(error) => return assert!(error.to_string().starts_with("x.hitscan")),
    };
    for loaded in &built.meshes {
        let mesh = &loaded.mesh;
        mesh.bvh().validate(mesh.tri_mesh()).unwrap_or_else(|broken| panic!("{broken}"));
    }
    for (id, _) in built.scene.iter() {
        assert!(built.scene.world_transform(id).is_some_and(|world| world.is_finite()));
    }
}

fn changed(mut file: Vec<u8>, mut changes: Bytes<'_>) -> Vec<u8> {
    while !changes.0.is_empty() && !file.is_empty() {
        let kind = changes.byte();
        let at = u16::from_le_bytes([changes.byte(), changes.byte()]);
        let at = usize::from(at) % file.len();
        match kind % 8 {
            0 | 1 => file[at] = changes.byte(),
            2 => file[at] = file[at].wrapping_add(changes.byte()),
            3 => {
                let from = usize::from(u16::from_le_bytes([changes.byte(), changes.byte()]));
                let piece: Vec<u8> = file.iter().skip(from % file.len()).take(4).copied().collect();
                let n = piece.len().min(file.len() - at);
                file[at..at + n].copy_from_slice(&piece[..n]);
            }
            4 => {
                // Replaces a number.
                let at = at & !3;
                let number = changes.number().to_bits().to_le_bytes();
                file.iter_mut().skip(at).zip(number).for_each(|(to, byte)| *to = byte);
            }
            5 => {
                let at = at & !3;
                file.iter_mut().skip(at).take(4).for_each(|byte| *byte = 0xff);
            }
            6 => file.truncate(at),
            _ => file.insert(at, changes.byte()),
        }
    }
    sign(&mut file);
    file
}

/// Corrects the checksums of header and sections, if they exist.
fn sign(file: &mut [u8]) {
    if file.starts_with(b"\x89hitscen") {
        return sign_scene(file);
    }
    if file.len() < SIGNED + 8 {
        return;
    }
    for entry in (32..SIGNED).step_by(32) {
        let number = |at: usize| {
            let bytes: [u8; 8] = file[at..at + 8].try_into().expect("eight bytes");
            usize::try_from(u64::from_le_bytes(bytes)).unwrap_or(usize::MAX)
        };
        let (start, len) = (number(entry + 8), number(entry + 16));
        let Some(section) = start.checked_add(len).and_then(|end| file.get(start..end)) else {
            continue;
        };
        // All sections are shorter than a piece.
        let pieces = if len == 0 { vec![] } else { xxh3_64(section).to_le_bytes().to_vec() };
        let checksum = xxh3_64(&pieces).to_le_bytes();
        file[entry + 24..entry + 32].copy_from_slice(&checksum);
    }
    let checksum = xxh3_64(&file[..SIGNED]).to_le_bytes();
    file[SIGNED..SIGNED + 8].copy_from_slice(&checksum);
}

/// Corrects the checksums of the header and of the section about a scene.
fn sign_scene(file: &mut [u8]) {
    const HEADER_LEN: usize = 56;
    let Some(len) = file.get(24..32).and_then(|len| len.try_into().ok()) else { return };
    let len = usize::try_from(u64::from_le_bytes(len)).unwrap_or(usize::MAX);
    let end = HEADER_LEN.checked_add(len);
    let Some(section) = end.and_then(|end| file.get(HEADER_LEN..end)) else { return };
    // The section is shorter than a piece.
    let pieces = if len == 0 { vec![] } else { xxh3_64(section).to_le_bytes().to_vec() };
    file[32..40].copy_from_slice(&xxh3_64(&pieces).to_le_bytes());
    let checksum = xxh3_64(&file[..HEADER_LEN - 8]).to_le_bytes();
    file[HEADER_LEN - 8..HEADER_LEN].copy_from_slice(&checksum);
}
