//! A written mesh reads back unchanged.

use hitscan_obj::{LoadOptions, parse, write};
use hitscan_primitives::{CornerAttributes, FaceRecords, PolygonProperties, TriMesh, glam};

use crate::load_text;

fn there_and_back(mesh: &TriMesh) -> TriMesh {
    let mut text = Vec::new();
    write(mesh, &mut text).unwrap();
    parse(&text, "written.obj", &LoadOptions::default()).unwrap().mesh
}

#[test]
fn numbers_come_back_to_the_bit() {
    let mut state = 5u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        f32::from_bits((state >> 32) as u32)
    };
    let mut finite = || loop {
        let x = next();
        if x.is_finite() {
            return x;
        }
    };
    let mut positions: Vec<[f32; 3]> = (0..20_000).map(|_| [(); 3].map(|()| finite())).collect();
    positions.push([f32::MAX, f32::MIN, f32::MIN_POSITIVE]);
    positions.push([0.0, -0.0, 1e-45]);
    let uvs = (0..1000).map(|_| glam::Vec2::new(finite(), finite())).collect();
    let attributes = CornerAttributes {
        uv_indices: vec![[0, 999, CornerAttributes::NONE], [CornerAttributes::NONE; 3]],
        uvs,
        normals: vec![glam::Vec3::new(finite(), finite(), finite())],
        normal_indices: vec![[0, CornerAttributes::NONE, 0], [0; 3]],
    };
    let mesh = TriMesh::new(positions, vec![[0, 1, 2], [7, 7, 20_001]])
        .and_then(|mesh| mesh.with_attributes(attributes))
        .unwrap();
    let back = there_and_back(&mesh);
    let bits = |mesh: &TriMesh| -> Vec<[u32; 3]> {
        mesh.positions().iter().map(|p| p.to_array().map(f32::to_bits)).collect()
    };
    assert_eq!(bits(&back), bits(&mesh));
    assert_eq!(back.triangles(), mesh.triangles());
    assert_eq!(back.attributes(), mesh.attributes());
}

#[test]
fn records_come_back_for_every_triangle() {
    let text = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\no house\ng a b\nusemtl Material #25\ns 2\n\
                f 1 2 3 4\nusemtl\ng\nf 1 3 4\no Böschung\ns off\nf 1 2 4\n";
    let mesh = load_text(text).mesh;
    let back = there_and_back(&mesh);
    let view = |mesh: &TriMesh| -> Vec<_> {
        let records = mesh.records().unwrap();
        (0..5)
            .map(|triangle| {
                let polygon = records.polygon(triangle);
                let text = |name: Option<&str>| name.map(str::to_owned);
                let smoothing = records.smoothing().get(polygon).copied().unwrap_or(0);
                let names =
                    [records.object(polygon), records.group(polygon), records.material(polygon)];
                (names.map(text), smoothing)
            })
            .collect()
    };
    assert_eq!(view(&back), view(&mesh));
    // The records of a mesh of triangles come back unchanged, except for the lines.
    let again = there_and_back(&back);
    assert_eq!(again, back);
}

#[test]
fn names_that_text_cannot_hold_are_refused() {
    for name in ["a\nb", "", " a", "a\\", "a # b", "#a", "a #", "a\tb"] {
        let mut properties =
            PolygonProperties { names: vec![name.to_owned()], ..PolygonProperties::default() };
        properties.objects.push(0, Some(0));
        let records = FaceRecords::one_triangle_each(1).with_properties(properties).unwrap();
        let mesh = TriMesh::new([[0.0; 3]], vec![[0; 3]]).unwrap().with_records(records).unwrap();
        let mut text = Vec::new();
        assert!(write(&mesh, &mut text).is_err(), "{name:?}");
        assert!(text.is_empty());
    }
}

#[test]
fn an_empty_mesh_is_an_empty_text() {
    assert_eq!(there_and_back(&TriMesh::default()).positions().len(), 0);
}
