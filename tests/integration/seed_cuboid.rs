//! The cuboid of the seed, `CuboidMesh(10, 12, 4, level 4)`, and its two segments, whose hits are known
//! by vertex ids. Both run through shared edges, where the classic wrong answer has three hits instead
//! of four.

use hitscan::{Faces, Hit, HitMode, HitOptions, Ray, Side, TriMesh, brute_force, generate};
use serde_json::Value;

use crate::asking::every_bvh;
use crate::shared::{read_json, shared, vector};

fn cuboid() -> TriMesh {
    generate::cuboid(10.0, 12.0, 4.0, 4).expect("level 4 is small")
}

/// A hit by the ids of its vertices.
struct Expected {
    vertices: [u32; 3],
    t: f32,
    side: Side,
}

const FROM: [f32; 3] = [4.0, -7.0, -4.0];

fn through_four() -> (Ray, Vec<Expected>) {
    let hit = |vertices, t, side| Expected { vertices, t, side };
    let hits = vec![
        hit([351, 1479, 1388], 0.25, Side::Front),
        hit([351, 1476, 1479], 0.25, Side::Front),
        hit([85, 1245, 1274], 0.75, Side::Back),
        hit([85, 1274, 1266], 0.75, Side::Back),
    ];
    (Ray::segment(FROM, [2.0, 3.0, 4.0]), hits)
}

fn through_three() -> (Ray, Vec<Expected>) {
    let hit = |vertices, t, side| Expected { vertices, t, side };
    let hits = vec![
        hit([1386, 1387, 1388], 1.0 / 3.0, Side::Front),
        hit([82, 1195, 1264], 1.0, Side::Back),
        hit([82, 1264, 1271], 1.0, Side::Back),
    ];
    (Ray::segment(FROM, [2.0, 3.0, 2.0]), hits)
}

#[test]
fn both_segments_meet_exactly_the_known_triangles() {
    let mesh = cuboid();
    let mut bvhs = every_bvh(&mesh);
    let brute =
        |ray: &Ray, faces, mode| brute_force::all_hits(&mesh, ray, &HitOptions { faces, mode });
    for (ray, expected) in [through_four(), through_three()] {
        let check = |name: &str, hits: &dyn Fn(Faces, HitMode) -> Vec<Hit>| {
            let all = hits(Faces::Both, HitMode::EveryTriangle);
            assert_hits(&mesh, &all, &expected.iter().collect::<Vec<_>>(), name);
            for (faces, side) in [(Faces::Front, Side::Front), (Faces::Back, Side::Back)] {
                let seen: Vec<_> = expected.iter().filter(|hit| hit.side == side).collect();
                assert_hits(&mesh, &hits(faces, HitMode::EveryTriangle), &seen, name);
                assert_eq!(hits(faces, HitMode::OncePerCrossing).len(), 1, "{name}, {faces:?}");
            }
            let once: Vec<f32> =
                hits(Faces::Both, HitMode::OncePerCrossing).iter().map(|hit| hit.t).collect();
            let ends = [expected[0].t, expected[expected.len() - 1].t];
            assert!(once.len() == 2 && is_t(once[0], ends[0]) && is_t(once[1], ends[1]), "{name}");
        };
        check("brute force", &|faces, mode| brute(&ray, faces, mode));
        for (name, bvh) in &mut bvhs {
            check(name, &|faces, mode| bvh.all_hits(&ray, &HitOptions { faces, mode }));
            assert_eq!(bvh.count_crossings(&ray, Faces::Both), 2, "{name}");
            let closest = bvh.closest_hit(&ray, Faces::Both).expect("four are met");
            assert_eq!(mesh.triangles()[closest.triangle as usize], expected[0].vertices, "{name}");
        }
    }
}

#[test]
fn the_weights_of_the_second_segment_are_thirds_and_ninths() {
    let hit = brute_force::closest_hit(&cuboid(), &through_three().0, Faces::Both).expect("three");
    assert!((hit.u - 1.0 / 3.0).abs() < 1e-6 && (hit.v - 5.0 / 9.0).abs() < 1e-6, "{hit:?}");
}

#[test]
fn the_box_of_the_cuboid_is_crossed_where_its_triangles_are() {
    let bounds = cuboid().bounds();
    assert_eq!(bounds.intersect(&through_four().0), Some((0.25, 0.75)));
    assert_eq!(bounds.intersect(&through_three().0), Some((1.0 / 3.0, 1.0)));
}

#[test]
fn the_shared_file_of_exact_answers_agrees() {
    let Some(path) = shared("meshes/seed-cuboid-expected.json") else { return };
    let answers = read_json(&path);
    let mesh = cuboid();
    assert_eq!(answers["vertices"], mesh.positions().len());
    assert_eq!(answers["triangles"], mesh.triangles().len());
    let queries = answers["queries"].as_array().expect("a list of queries");
    assert_eq!(queries.len(), 2);
    for query in queries {
        let ray = Ray::segment(vector(&query["origin"]), vector(&query["target"]));
        let expected = query["hits"].as_array().expect("a list of hits");
        for (name, bvh) in every_bvh(&mesh) {
            let hits = bvh.all_hits(&ray, &HitOptions::default());
            assert_eq!(query["closed_triangle_hits"], hits.len(), "{name}");
            let crossings = bvh.count_crossings(&ray, Faces::Both);
            assert_eq!(query["surface_crossings"], crossings, "{name}");
            for (hit, expected) in hits.iter().zip(expected) {
                let context = format!("{name}: {hit:?}, expected {expected}");
                assert_eq!(expected["face"], hit.triangle, "{context}");
                assert_near(hit.t, fraction(&expected["t_segment"]), &context);
                assert_near(hit.u, fraction(&expected["uv"][0]), &context);
                assert_near(hit.v, fraction(&expected["uv"][1]), &context);
                let point = mesh.point(hit).as_vec3();
                for (axis, x) in vector(&expected["point"]).into_iter().enumerate() {
                    assert!((point[axis] - x).abs() < 1e-6, "{context}: {point}");
                }
            }
        }
    }
}

fn assert_hits(mesh: &TriMesh, hits: &[Hit], expected: &[&Expected], name: &str) {
    let found: Vec<_> =
        hits.iter().map(|hit| (mesh.triangles()[hit.triangle as usize], hit.side)).collect();
    let sides: Vec<_> = expected.iter().map(|hit| (hit.vertices, hit.side)).collect();
    assert_eq!(found, sides, "{name}");
    for (hit, expected) in hits.iter().zip(expected) {
        assert!(is_t(hit.t, expected.t), "{name}: {hit:?}, expected {}", expected.t);
    }
}

/// Whether a `t` is the expected one: 1/3 within a unit in the last place, because its shear is rounded,
/// all others exactly.
fn is_t(found: f32, expected: f32) -> bool {
    found == expected || expected == 1.0 / 3.0 && (found - expected).abs() <= 3e-8
}

/// A fraction such as `"1/3"`, in f64.
fn fraction(value: &Value) -> f64 {
    let text = value.as_str().expect("a fraction in quotes");
    let (p, q) = text.split_once('/').unwrap_or((text, "1"));
    p.parse::<f64>().expect("a numerator") / q.parse::<f64>().expect("a denominator")
}

/// Exact if the fraction is a dyadic number. Otherwise as near as the weights permit, because the shear
/// of this ray is not exact.
fn assert_near(found: f32, expected: f64, context: &str) {
    let is_dyadic = (expected * 1024.0).fract() == 0.0;
    let tolerance = if is_dyadic { 0.0 } else { 8.0 * f64::from(f32::EPSILON) };
    assert!((f64::from(found) - expected).abs() <= tolerance, "{found} for {expected}: {context}");
}
