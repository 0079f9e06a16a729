//! A written file is the mesh that was written, as far as its format allows.

use hitscan_formats::{Format, LoadOptions, Loaded, parse, write};
use hitscan_primitives::glam::{Vec2, Vec3};
use hitscan_primitives::{
    CornerAttributes, FaceRecords, Material, PolygonProperties, TriMesh, generate,
};
use hitscan_testkit::Rng;

use crate::support::corners;

const FORMATS: [Format; 4] = [Format::Obj, Format::Stl, Format::Ply, Format::Gltf];

fn written(mesh: &TriMesh, materials: &[Material], format: Format) -> (Vec<u8>, Vec<String>) {
    let mut bytes = Vec::new();
    let report = write(mesh, materials, format, &mut bytes).expect("memory takes everything");
    (bytes, report.lines().to_vec())
}

/// The mesh as a reader gets it after writing.
fn again(mesh: &TriMesh, materials: &[Material], format: Format) -> Loaded {
    let (bytes, _) = written(mesh, materials, format);
    assert_eq!(Format::of_bytes(&bytes, "a.obj"), Some(format));
    parse(&bytes, "again", format, &LoadOptions::default()).expect("what we write is right")
}

fn bits(points: &[Vec3]) -> Vec<[u32; 3]> {
    points.iter().map(|point| point.to_array().map(f32::to_bits)).collect()
}

fn corner_bits(mesh: &TriMesh) -> Vec<[u32; 3]> {
    bits(corners(mesh).as_flattened())
}

/// A mesh of random bits: vertices without triangles, triangles of zero area, subnormal and huge numbers.
fn random_mesh(rng: &mut Rng) -> TriMesh {
    let n = 3 + rng.bits() % 20;
    let mut number = || loop {
        let number = f32::from_bits(rng.bits());
        if number.is_finite() {
            return number;
        }
    };
    let mut positions: Vec<[f32; 3]> = (0..n).map(|_| [number(), number(), number()]).collect();
    positions[0] = [-0.0, f32::MAX, 1e-45];
    let triangles = (0..rng.bits() % 30).map(|_| [0; 3].map(|_: u32| rng.bits() % n)).collect();
    TriMesh::new(positions, triangles).expect("every index is in range")
}

#[test]
fn positions_and_triangles_come_back_to_the_bit() {
    let mut rng = Rng::new(7);
    let mut meshes: Vec<TriMesh> = (0..200).map(|_| random_mesh(&mut rng)).collect();
    meshes.push(generate::sphere(2.0, 500).expect("it is a sphere"));
    meshes.push(TriMesh::new([[1.0f32; 3]; 0], vec![]).expect("it is empty"));
    for mesh in &meshes {
        for format in FORMATS {
            let found = again(mesh, &[], format).into_mesh().expect("it is one mesh");
            if format == Format::Stl {
                // Equal vertices become one, and so do -0 and 0.
                let plus = |mesh: &TriMesh| corners(mesh).concat().into_iter().map(|p| p + 0.0);
                assert!(plus(&found).eq(plus(mesh)));
                continue;
            }
            assert_eq!(found.triangles(), mesh.triangles(), "{format:?}");
            if format != Format::Gltf || !mesh.triangles().is_empty() {
                assert_eq!(bits(found.positions()), bits(mesh.positions()), "{format:?}");
            }
        }
    }
}

/// Two objects of two materials, with seams, missing attributes, a group, and a polygon of 4 corners.
fn rich() -> (TriMesh, Vec<Material>) {
    let text = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\n\
        vt 0 0\nvt 1 0.25\nvn 0 0 1\nvn 0.6 0 0.8\n\
        o one\ng roof\nusemtl red\nf 1/1/1 2/2/1 3/1/1 4/1/1\nusemtl blue\nf 1/2/2 3/1/1 2/1/1\n\
        o two\ns 1\nf 5//1 6//2 7//1\nusemtl plain\nf 5 7 6\nf 5/1 7 6\n";
    let loaded = parse(text, "a", Format::Obj, &LoadOptions::default());
    let mesh = loaded.and_then(Loaded::into_mesh).expect("the text is right");
    let material = |name: &str, red: f32| Material {
        name: name.into(),
        diffuse: Some([red, 0.5, 0.0]),
        ..Material::default()
    };
    let red =
        Material { opacity: Some(0.5), emissive: Some([0.0, 0.25, 2.0]), ..material("red", 1.0) };
    let blue = Material { map_kd: Some("sky.png".into()), ..material("blue", 0.0) };
    (mesh, vec![material("red", 0.0), red, blue])
}

#[test]
fn attributes_come_back_where_the_format_holds_them() {
    let (mesh, materials) = rich();
    for format in [Format::Obj, Format::Ply, Format::Gltf] {
        let found = again(&mesh, &materials, format).into_mesh().expect("it is small");
        assert_eq!(corner_bits(&found), corner_bits(&mesh), "{format:?}");
        for triangle in 0..mesh.triangles().len() as u32 {
            let normals = |mesh: &TriMesh| mesh.attributes().normals_of(triangle);
            let uvs = |mesh: &TriMesh| mesh.attributes().uvs_of(triangle);
            // PLY has them at every vertex or at none.
            let zero = (format == Format::Ply).then_some([Vec3::ZERO; 3]);
            assert_eq!(normals(&found), normals(&mesh).or(zero), "{format:?} {triangle}");
            // The last triangle has one at a single corner.
            if format != Format::Ply || triangle < 5 {
                let zero = (format == Format::Ply).then_some([Vec2::ZERO; 3]);
                assert_eq!(uvs(&found), uvs(&mesh).or(zero), "{format:?} {triangle}");
            }
        }
    }
}

#[test]
fn names_and_materials_come_back_from_glb() {
    let (mesh, materials) = rich();
    let loaded = again(&mesh, &materials, Format::Gltf);
    assert_eq!(loaded.meshes.len(), 2);
    let red = loaded.material("red").expect("it was written");
    assert_eq!((red.diffuse, red.opacity), (Some([1.0, 0.5, 0.0]), Some(0.5)));
    assert_eq!(red.emissive, Some([0.0, 0.25, 1.0]));
    assert_eq!(loaded.material("blue").and_then(|blue| blue.diffuse), Some([0.0, 0.5, 0.0]));
    assert!(loaded.material("plain").is_some());
    let found = loaded.into_mesh().expect("it is small");
    let names = |mesh: &TriMesh| -> Vec<_> {
        let records = mesh.records().expect("there are some");
        let of = |triangle| {
            let polygon = records.polygon(triangle);
            [records.object(polygon), records.material(polygon)].map(|n| n.map(str::to_owned))
        };
        (0..mesh.triangles().len() as u32).map(of).collect()
    };
    assert_eq!(names(&found), names(&mesh));
}

#[test]
fn the_report_counts_what_a_format_cannot_hold() {
    let (mesh, materials) = rich();
    let polygons = "polygons of more than 3 corners, written as triangles: 1";
    let seams = "vertices at seams of normals or texture coordinates, copied: ";
    let groups = ["names of groups, left out: 1", "smoothing groups, left out: 1", polygons];
    let names = ["names of objects, left out: 2", "names of materials, left out: 3"];
    let expected = |lines: &[&[&'static str]]| lines.concat();
    for (format, lines) in [
        (Format::Obj, expected(&[&[polygons, "properties of materials, left out: 3"]])),
        (
            Format::Stl,
            expected(&[
                &["normals, left out: 2", "texture coordinates, left out: 2"],
                &names,
                &groups,
            ]),
        ),
        (
            Format::Ply,
            expected(&[
                &names,
                &groups,
                &[seams, "corners without a normal", "corners without a texture"],
            ]),
        ),
        (
            Format::Gltf,
            expected(&[
                &groups,
                &[seams, "materials with textures or other properties, those left out: 1"],
            ]),
        ),
    ] {
        let (_, found) = written(&mesh, &materials, format);
        assert_eq!(found.len(), lines.len(), "{format:?}: {found:?}");
        for (found, line) in found.iter().zip(lines) {
            assert!(found.starts_with(line), "{format:?}: {found}, expected {line}");
        }
    }
    let plain = generate::sphere(1.0, 50).expect("it is a sphere");
    for format in FORMATS {
        assert_eq!(written(&plain, &[], format).1, [""; 0], "{format:?}");
    }
}

#[test]
fn what_a_format_cannot_hold_at_all_is_an_error() {
    let mesh = TriMesh::new([[0.0f32; 3]], vec![[0, 0, 0]]).expect("it is right");
    let mut properties =
        PolygonProperties { names: vec!["two\nlines".into()], ..Default::default() };
    properties.objects.push(0, Some(0));
    let records = FaceRecords::one_triangle_each(1).with_properties(properties);
    let records = records.expect("the name is there");
    let mesh = mesh.with_records(records).expect("they fit");
    let error = write(&mesh, &[], Format::Obj, &mut Vec::new()).expect_err("a line break");
    assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput, "{error}");
    let loaded = again(&mesh, &[], Format::Gltf);
    assert_eq!(loaded.instances[0].name.as_deref(), Some("two\nlines"));
}

/// So that no attribute index is out of range where a mesh has only some attributes.
#[test]
fn corners_without_attributes_stay_without_in_glb() {
    let (mesh, materials) = rich();
    let found = again(&mesh, &materials, Format::Gltf).into_mesh().expect("it is small");
    let CornerAttributes { normal_indices, uv_indices, .. } = found.attributes();
    assert_eq!([normal_indices[4], uv_indices[4]], [[CornerAttributes::NONE; 3]; 2]);
}
