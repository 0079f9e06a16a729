//! Meshes to store, their files, and their answers.

use std::time::Duration;

use hitscan_bvh::{BuildOptions, BuildQuality, Layout, MeshBvh};
use hitscan_cache::{BuiltMesh, Source, SourceFile, write};
use hitscan_primitives::glam::{DVec3, Vec2, Vec3};
use hitscan_primitives::{
    CornerAttributes, FaceRecords, Faces, Material, PolygonProperties, TriMesh, generate,
};
use hitscan_testkit::{Oracle, Rng, Tally, aimed_ray, answers_of, soup};

/// The options of a build.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Kind {
    pub(crate) quality: BuildQuality,
    pub(crate) layout: Layout,
}

pub(crate) const KINDS: [Kind; 6] = {
    let mut kinds = [Kind { quality: BuildQuality::Fast, layout: Layout::Full }; 6];
    let mut i = 0;
    while i < 6 {
        kinds[i] = Kind { quality: BuildQuality::ALL[i / 2], layout: Layout::ALL[i % 2] };
        i += 1;
    }
    kinds
};

pub(crate) fn built(mesh: TriMesh, kind: Kind) -> BuiltMesh {
    let Kind { quality, layout } = kind;
    let bvh = MeshBvh::build(&mesh, &BuildOptions { quality, layout, ..Default::default() });
    BuiltMesh { quality, ..BuiltMesh::new(mesh, bvh) }
}

pub(crate) fn bytes_of(built: &BuiltMesh) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(built, &mut bytes).expect("memory takes all");
    bytes
}

/// A mesh with every record that a file can hold.
pub(crate) fn rich(kind: Kind) -> BuiltMesh {
    let plain = generate::torus(2.0, 0.5, 600).expect("it is a torus");
    let n = plain.triangles().len() as u32;
    let attributes = CornerAttributes {
        normals: vec![Vec3::X, Vec3::NAN, Vec3::Z],
        normal_indices: (0..n).map(|i| [i % 3, CornerAttributes::NONE, 2]).collect(),
        uvs: vec![Vec2::ZERO, Vec2::new(0.25, -7.0)],
        uv_indices: (0..n).map(|i| [0, 1, i % 2]).collect(),
    };
    let n_quads = (n - 10) / 2;
    let counts = (0..n_quads).map(|_| 2).chain([0, 10 + n % 2]);
    let records = FaceRecords::from_triangle_counts(counts);
    let mut properties = PolygonProperties {
        names: vec!["böx".to_owned(), String::new(), "a name of seventeen".to_owned()],
        ..PolygonProperties::default()
    };
    properties.objects.push(0, Some(0));
    properties.objects.push(40, None);
    properties.groups.push(7, Some(2));
    properties.materials.push(0, Some(2));
    properties.materials.push(9, Some(1));
    properties.smoothing.push(0, 3);
    for polygon in 0..records.n_polygons() as u32 {
        properties.lines.push(polygon, 1000 + 2 * u64::from(polygon / 5) + u64::from(polygon));
    }
    let mesh = plain
        .with_attributes(attributes)
        .and_then(|mesh| mesh.with_records(records.with_properties(properties)?))
        .expect("the parts fit")
        .with_offset(DVec3::new(507_965.0, -5_039_563.5, 0.1));
    let materials = vec![
        Material {
            name: "a name of seventeen".to_owned(),
            diffuse: Some([0.25, 0.5, f32::INFINITY]),
            opacity: Some(0.5),
            illumination: Some(2),
            map_kd: Some("wood -s 1 1 1.png".to_owned()),
            other: [("Pr".to_owned(), "0.3".to_owned())].into(),
            ..Material::default()
        },
        Material::default(),
    ];
    let file = |path: &str, modified| SourceFile {
        path: path.into(),
        len: 12,
        checksum: 0x0123_4567_89ab_cdef,
        modified,
    };
    let source = Source {
        reader: "a test".to_owned(),
        files: vec![
            file("torus.obj", Some(Duration::new(1_700_000_000, 123_456_789))),
            file("/far/away/torus.mtl", None),
        ],
    };
    let remarks = vec!["1 line element left out (line 4)".to_owned()];
    BuiltMesh { materials, n_ignored: 3, remarks, source: Some(source), ..built(mesh, kind) }
}

/// Five different files.
pub(crate) fn samples() -> Vec<(&'static str, BuiltMesh)> {
    let mut rng = Rng::new(5);
    let ball = generate::sphere(1.0, 2500).expect("it is a sphere");
    let city = generate::city(400, 3).expect("it is a city");
    let compact = Kind { layout: Layout::Compact, ..Kind::default() };
    vec![
        ("empty", built(TriMesh::default(), Kind::default())),
        ("sphere", built(ball, Kind::default())),
        ("soup", built(soup(&mut rng, 150).mesh, compact)),
        ("city", built(city, Kind { quality: BuildQuality::High, layout: Layout::Full })),
        ("rich", rich(compact)),
    ]
}

/// Asserts that rays at a mesh have the answers of brute force, and that its records are readable.
pub(crate) fn assert_right(what: &str, built: &BuiltMesh, n_rays: usize) {
    let mesh = &built.mesh;
    let (oracle, mut tally, mut rng) = (Oracle::new(mesh), Tally::default(), Rng::new(11));
    for _ in 0..n_rays {
        let ray = match mesh.triangles() {
            [] => hitscan_primitives::Ray::new([0.0; 3], [1.0, 0.0, 0.0]),
            _ => aimed_ray(mesh, &mut rng),
        };
        let found = answers_of!(built.bvh, &ray, Faces::Both);
        tally.compare(&ray, Faces::Both, &found, &oracle.hits(&ray));
        assert_eq!(tally.first_difference(), None, "{what}");
    }
    if let Some(records) = mesh.records() {
        for triangle in 0..mesh.triangles().len() as u32 {
            let polygon = records.polygon(triangle);
            assert!(records.triangles_of(polygon).contains(&triangle), "{what}");
            let _ = (records.object(polygon), records.group(polygon), records.material(polygon));
            let _ = (records.smoothing().get(polygon), records.lines().get(polygon));
        }
    }
}

/// Asserts that two built meshes are the same in every bit.
pub(crate) fn assert_same(what: &str, found: &BuiltMesh, expected: &BuiltMesh) {
    // NaN differs from itself, so this compares the written text of the mesh.
    assert!(bytes_of(found) == bytes_of(expected), "{what}");
    assert_eq!(found.mesh.records(), expected.mesh.records(), "{what}");
    assert_eq!(found.materials, expected.materials, "{what}");
    assert_eq!(found.source, expected.source, "{what}");
    assert_eq!(found.bvh.stats(), expected.bvh.stats(), "{what}");
    assert_eq!(found.bvh.bounds(), expected.bvh.bounds(), "{what}");
}
