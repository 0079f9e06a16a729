//! The cuboid and the segments of the seed document: known answers, by vertex numbers.

use std::collections::BTreeSet;

use crate::support::{cuboid, hitscan, isas};

/// The triangles where the segment to (2, 3, 4) enters and leaves, both on a shared edge.
const ENTRY: [[u64; 3]; 2] = [[351, 1476, 1479], [351, 1479, 1388]];
const EXIT: [[u64; 3]; 2] = [[85, 1245, 1274], [85, 1274, 1266]];

/// The vertices and t of all hits, by `hitscan cast --format ndjson`.
fn hits(flags: &str) -> (Vec<[u64; 3]>, Vec<f64>) {
    let run = hitscan(&format!("cast {} --format ndjson {flags}", cuboid())).expect_code(0);
    let lines = run.json_lines();
    assert_eq!(lines.len(), 1);
    let hits = lines[0]["hits"].as_array().expect("hits are a list");
    let vertices = hits.iter().map(|hit| {
        let vertices = hit["vertices"].as_array().expect("vertices are a list");
        [0, 1, 2].map(|i| vertices[i].as_u64().expect("a vertex is a number"))
    });
    (vertices.collect(), hits.iter().map(|hit| hit["t"].as_f64().expect("t is a number")).collect())
}

fn set(vertices: impl IntoIterator<Item = [u64; 3]>) -> BTreeSet<[u64; 3]> {
    vertices.into_iter().collect()
}

#[test]
fn make_gives_the_numbering_of_the_seed() {
    let run = hitscan("make cuboid 10 12 4 --level 4").expect_code(0);
    assert!(run.stderr.starts_with("1538 vertices, 3072 triangles, bounds "), "{}", run.stderr);
    let starting = |with: &str| run.text().lines().filter(|l| l.starts_with(with)).count();
    assert_eq!((starting("v "), starting("f ")), (1538, 3072));
    let face = |n: usize| run.text().lines().filter(|l| l.starts_with("f ")).nth(n);
    // 0-based (0,386,388) and (1536,1537,1535).
    assert_eq!(face(0), Some("f 1 387 389"));
    assert_eq!(face(3071), Some("f 1537 1538 1536"));
}

#[test]
fn every_way_finds_the_four_triangles_of_the_seed() {
    let mut ways =
        vec![String::new(), "--brute".into(), "--threads 1".into(), "--threads 3".into()];
    ways.extend(isas().iter().map(|isa| format!("--isa {isa}")));
    for quality in ["fast", "balanced", "high"] {
        ways.extend(isas().iter().map(|isa| format!("--quality {quality} --isa {isa}")));
    }
    for way in ways {
        let aim = format!("--from 4,-7,-4 --to 2,3,4 {way}");
        let (vertices, t) = hits(&format!("{aim} --all"));
        assert_eq!(set(vertices), set(ENTRY.into_iter().chain(EXIT)), "{way}");
        assert_eq!(t, [0.25, 0.25, 0.75, 0.75], "{way}");

        let (vertices, t) = hits(&format!("{aim} --all --once-per-crossing"));
        assert_eq!(t, [0.25, 0.75], "{way}");
        assert!(ENTRY.contains(&vertices[0]) && EXIT.contains(&vertices[1]), "{way}");

        let (vertices, t) = hits(&format!("{aim} --all --faces front"));
        assert_eq!((set(vertices), t), (set(ENTRY), vec![0.25, 0.25]), "{way}");
        let (vertices, t) = hits(&format!("{aim} --all --faces back"));
        assert_eq!((set(vertices), t), (set(EXIT), vec![0.75, 0.75]), "{way}");

        let (vertices, t) = hits(&aim);
        assert_eq!((vertices.as_slice(), t), (&ENTRY[1..], vec![0.25]), "{way}");

        let run = hitscan(&format!("cast {} --format ndjson --count {aim}", cuboid()));
        assert_eq!(run.expect_code(0).text(), "{\"ray\":0,\"crossings\":2}\n", "{way}");

        let (vertices, t) = hits(&format!("--from 4,-7,-4 --to 2,3,2 --all {way}"));
        assert_eq!(vertices[0], [1386, 1387, 1388], "{way}");
        assert_eq!(set(vertices), set([[1386, 1387, 1388], [82, 1195, 1264], [82, 1264, 1271]]));
        assert_eq!(t[1..], [1.0, 1.0], "{way}");
        // 1/3 up to the rounding of the shear.
        assert!((t[0] - 1.0 / 3.0).abs() < 1e-7, "{way}: {}", t[0]);
    }
}

#[test]
fn point_distance_normal_and_side_are_those_of_the_seed() {
    let run = hitscan(&format!(
        "cast {} --from 4,-7,-4 --to 2,3,4 --all --once-per-crossing --format ndjson",
        cuboid()
    ));
    let hits = &run.expect_code(0).json_lines()[0]["hits"];
    let number = |value: &serde_json::Value| value.as_f64().expect("it is a number");
    let known: [([f64; 3], f64, [f64; 3], &str); 2] = [
        ([3.5, -4.5, -2.0], 3.24037034920393, [0.0, 0.0, -1.0], "front"),
        ([2.5, 0.5, 2.0], 9.72111104761179, [0.0, 0.0, 1.0], "back"),
    ];
    for (i, (point, distance, normal, side)) in known.into_iter().enumerate() {
        for axis in 0..3 {
            assert!((number(&hits[i]["point"][axis]) - point[axis]).abs() < 1e-6);
            assert_eq!(number(&hits[i]["normal"][axis]).to_bits(), normal[axis].to_bits());
        }
        assert!((number(&hits[i]["distance"]) - distance).abs() < 1e-12);
        assert_eq!(hits[i]["side"], side);
    }
}

#[test]
fn a_ray_counts_t_in_units_of_its_direction() {
    let (_, t) = hits("--from 4,-7,-4 --dir -1,5,4 --all --once-per-crossing");
    assert_eq!(t, [0.5, 1.5]);
    let (_, t) =
        hits("--from 4,-7,-4 --to 2,3,4 --t-min 0.25 --t-max 0.5 --all --once-per-crossing");
    assert_eq!(t, [0.25]);
    let (_, t) =
        hits("--from 3,-2,0 --dir -2,10,8 --t-min -inf --t-max -0.1 --all --once-per-crossing");
    assert_eq!(t, [-0.25]);
}
