//! Shaded pictures: textures, ground, round edges and grain.

use std::io::Cursor;

use image::{ImageFormat, RgbImage, RgbaImage};

use crate::support::{Run, file, folder, hitscan};

const QUAD: &str = "mtllib q.mtl\nv -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\nvt 0 0\nvt 1 0\nvt 1 1\n\
                    vt 0 1\nusemtl m\nf 1/1 2/2 3/3 4/4\n";

/// A camera before the square, which covers the middle 40 by 40 pixels of 60 by 60.
const CAMERA: &str = "--eye 0,0,9 --target 0,0,0 --ortho 3 --size 60x60";

fn picture(run: &Run) -> RgbaImage {
    image::load_from_memory(&run.stdout).expect("it is a picture").into_rgba8()
}

/// A PNG of two by two texels: red, green, blue, white from the top left.
fn png() -> Vec<u8> {
    let bytes = vec![255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255];
    let mut file = Cursor::new(vec![]);
    let picture = RgbImage::from_raw(2, 2, bytes).expect("four texels");
    picture.write_to(&mut file, ImageFormat::Png).expect("memory takes it");
    file.into_inner()
}

/// The brightest channel at the middle of each quarter of the square, row by row.
fn strongest(picture: &RgbaImage) -> [usize; 4] {
    [(20, 20), (40, 20), (20, 40), (40, 40)].map(|(x, y)| {
        let channels = picture[(x, y)].0;
        (0..3).max_by_key(|&channel| channels[channel]).expect("three channels")
    })
}

#[test]
fn textures_colour_obj_files_and_missing_ones_are_reported() {
    let folder = folder();
    let quad = file(folder.path(), "q.obj", QUAD);
    file(folder.path(), "q.mtl", "newmtl m\nKd 1 1 1\nmap_Kd -clamp on q.png\n");
    let run = hitscan(&format!("render {quad} {CAMERA}")).expect_code(0);
    assert!(
        run.stderr.contains("cannot show texture \"q.png\" of material \"m\""),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("plain colour"), "{}", run.stderr);
    file(folder.path(), "q.png", png());
    let run = hitscan(&format!("render {quad} {CAMERA}")).expect_code(0);
    assert_eq!(run.stderr, "");
    assert_eq!(strongest(&picture(&run))[..3], [0, 1, 2]);
    file(folder.path(), "q.png", "no picture");
    let run = hitscan(&format!("render {quad} {CAMERA}")).expect_code(0);
    assert!(run.stderr.contains("not a PNG, JPEG, TGA or BMP"), "{}", run.stderr);
    file(folder.path(), "q.mtl", "newmtl m\nmap_Kd ../q.png\n");
    let run = hitscan(&format!("render {quad} {CAMERA}")).expect_code(0);
    assert!(run.stderr.contains("cannot show texture \"../q.png\""), "{}", run.stderr);
}

#[test]
fn textures_inside_gltf_files_are_shown() {
    let mut buffer: Vec<u8> = vec![];
    for number in [-1.0f32, -1.0, 0.0, 1.0, -1.0, 0.0, 1.0, 1.0, 0.0, -1.0, 1.0, 0.0] {
        buffer.extend(number.to_le_bytes());
    }
    for number in [0.0f32, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0] {
        buffer.extend(number.to_le_bytes());
    }
    for index in [0u16, 1, 2, 0, 2, 3] {
        buffer.extend(index.to_le_bytes());
    }
    buffer.extend(png());
    let n_picture = png().len();
    let json = format!(
        r#"{{"asset": {{"version": "2.0"}}, "scene": 0, "scenes": [{{"nodes": [0]}}],
        "nodes": [{{"mesh": 0}}],
        "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0, "TEXCOORD_0": 1}},
            "indices": 2, "material": 0}}]}}],
        "materials": [{{"pbrMetallicRoughness": {{"baseColorTexture": {{"index": 0}}}},
            "normalTexture": {{"index": 0}}}}],
        "textures": [{{"source": 0}}], "images": [{{"bufferView": 3, "mimeType": "image/png"}}],
        "accessors": [
            {{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3",
                "min": [-1, -1, 0], "max": [1, 1, 0]}},
            {{"bufferView": 1, "componentType": 5126, "count": 4, "type": "VEC2"}},
            {{"bufferView": 2, "componentType": 5123, "count": 6, "type": "SCALAR"}}],
        "bufferViews": [
            {{"buffer": 0, "byteLength": 48}},
            {{"buffer": 0, "byteOffset": 48, "byteLength": 32}},
            {{"buffer": 0, "byteOffset": 80, "byteLength": 12}},
            {{"buffer": 0, "byteOffset": 92, "byteLength": {n_picture}}}],
        "buffers": [{{"byteLength": {}}}]}}"#,
        buffer.len()
    );
    let padded = |mut bytes: Vec<u8>, byte: u8| {
        bytes.resize(bytes.len().next_multiple_of(4), byte);
        bytes
    };
    let (json, buffer) = (padded(json.into_bytes(), b' '), padded(buffer, 0));
    let chunk = |kind: &[u8; 4], bytes: &[u8]| {
        [&(bytes.len() as u32).to_le_bytes()[..], kind, bytes].concat()
    };
    let chunks = [chunk(b"JSON", &json), chunk(b"BIN\0", &buffer)].concat();
    let length = (chunks.len() as u32 + 12).to_le_bytes();
    let glb = [&b"glTF"[..], &2u32.to_le_bytes(), &length, &chunks].concat();
    let folder = folder();
    let glb = file(folder.path(), "q.glb", glb);
    let run = hitscan(&format!("render {glb} {CAMERA}")).expect_code(0);
    assert_eq!(strongest(&picture(&run))[..3], [0, 1, 2]);
    // Other textures are not silently dropped.
    assert!(run.stderr.contains("textures of roughness, normals"), "{}", run.stderr);
}

#[test]
fn the_ground_shows_shadows_and_nothing_else() {
    let folder = folder();
    let ball = format!("{}/ball.obj", folder.path().display());
    hitscan(&format!("make sphere --triangles 2000 -o {ball}")).expect_code(0);
    let args = format!("render {ball} --size 160x120 --background white");
    let with = picture(&hitscan(&args).expect_code(0));
    let without = picture(&hitscan(&format!("{args} --no-ground")).expect_code(0));
    let mut n_darker = 0;
    for (with, without) in with.pixels().zip(without.pixels()) {
        if with != without {
            assert!(with.0[..3].iter().zip(&without.0[..3]).all(|(a, b)| a <= b));
            n_darker += usize::from(with.0[0].saturating_add(20) < without.0[0]);
        }
    }
    assert!(n_darker > 200, "{n_darker}");
    assert_eq!(with[(1, 1)].0, [255; 4]);
}

#[test]
fn facets_look_round_unless_asked_for() {
    let folder = folder();
    let ball = format!("{}/ball.obj", folder.path().display());
    hitscan(&format!("make sphere --triangles 300 -o {ball}")).expect_code(0);
    let args = format!("render {ball} --size 120x120 --no-ground --samples 16");
    let steepest = |flags: &str| {
        let picture = picture(&hitscan(&format!("{args} {flags}")).expect_code(0));
        let row: Vec<i32> = (35..85).map(|x| i32::from(picture[(x, 60)].0[1])).collect();
        row.windows(2).map(|pair| (pair[0] - pair[1]).abs()).max()
    };
    assert!(steepest("") < steepest("--smooth 0"));
    hitscan(&format!("{args} --smooth 200")).expect_error(&["0 to 180"]);
}

/// A white floor with a wall has no noise beyond a few levels of grey at the default samples.
#[test]
fn the_default_samples_show_little_grain() {
    let folder = folder();
    let corner = "v -5 0 -5\nv 5 0 -5\nv 5 0 5\nv -5 0 5\nv -5 5 -5\nv 5 5 -5\n\
                  f 4 3 2 1\nf 1 2 6 5\n";
    let mesh = file(folder.path(), "corner.obj", corner);
    let args = format!("render {mesh} --eye 0,9,9 --target 0,1,-3 --size 200x150 --no-ground");
    let of = |flags: &str| picture(&hitscan(&format!("{args} {flags}")).expect_code(0));
    let (default, smooth) = (of(""), of("--samples 256"));
    let square = |(a, b): (&image::Rgba<u8>, &image::Rgba<u8>)| {
        (f64::from(a.0[1]) - f64::from(b.0[1])).powi(2)
    };
    let sum: f64 = default.pixels().zip(smooth.pixels()).map(square).sum();
    let noise = (sum / (200.0 * 150.0)).sqrt();
    assert!(noise < 3.0, "{noise}");
}
