//! The smallest case of each fixed bug, named by what went wrong. A comment gives the class of the bug
//! and the test that should have found it.

use hitscan::{Ray, TriMesh};
use hitscan_testkit::{Rng, Shape};

use crate::asking::check_everything;

/// Class: a bound on the reference's accepted hits that ignored underflow. The proof of one answer found
/// it; soups with `t_max` 0 and extremely long directions should have.
#[test]
fn a_t_that_rounds_to_zero_is_within_an_interval_that_ends_at_zero() {
    let height = 2f32.powi(-100);
    let corners = [[-1.0, -1.0, height], [1.0, -1.0, height], [0.0, 2.0, height]];
    let mesh = TriMesh::new(corners, vec![[0, 1, 2]; 9]).expect("a valid mesh");
    let ray = Ray::new([0.0; 3], [0.0, 0.0, 2f32.powi(60)]);
    let rays: Vec<Ray> = [0.0, f32::from_bits(1), f32::MIN_POSITIVE, 1.0]
        .into_iter()
        .flat_map(|t_max| [ray.with_range(0.0, t_max), ray.with_range(-1.0, t_max)])
        .cycle()
        .take(64)
        .collect();
    check_everything(&Shape { name: "a plane at 2^-100".into(), mesh }, &rays, "none");
}

/// Class: infinity minus infinity. A shifted origin and the planes of a node's empty slots were both
/// infinite, and the traversal entered a node that does not exist. A property test found it.
#[test]
fn a_ray_from_the_end_of_f32_meets_no_empty_place() {
    let ends = [0.0, f32::MAX, f32::MIN, 1.0];
    let triples = || (0..64).map(move |i| [ends[i % 4], ends[i / 4 % 4], ends[i / 16]]);
    let interval = [(f32::NEG_INFINITY, f32::INFINITY), (0.0, f32::INFINITY), (f32::MIN, f32::MAX)];
    let rays: Vec<Ray> = triples()
        .flat_map(|origin| triples().map(move |direction| Ray::new(origin, direction)))
        .zip(interval.into_iter().cycle())
        .map(|(ray, (t_min, t_max))| ray.with_range(t_min, t_max))
        .collect();
    let corners = [[4.0, 3.0, 1.0], [5.0, 3.0, 1.0], [4.0, 4.0, 2.0]];
    let point = TriMesh::new([corners[0]], vec![[0; 3]]).expect("a valid mesh");
    let one = TriMesh::new(corners, vec![[0, 1, 2]]).expect("a valid mesh");
    for (name, mesh) in [("a point", point), ("a triangle", one)] {
        check_everything(&Shape { name: name.into(), mesh }, &rays, "none");
    }
    // Alternating, as in packets, all in one direction.
    let mesh = TriMesh::new(corners, vec![[0, 1, 2]; 40]).expect("a valid mesh");
    let along = |ray: &Ray| [ray.direction.x, ray.direction.y, ray.direction.z].map(f32::to_bits);
    let mut sorted = rays;
    sorted.sort_by_key(along);
    check_everything(&Shape { name: "a stack".into(), mesh }, &sorted, "none");
}

/// Class: an interval that is open to minus infinity on one side of a comparison only. A line met the
/// box of a triangle at a `t` of minus infinity, and rounding put the triangle itself at the minimum
/// finite number. The definition accepted that, but the traversal entered no node for it. A second
/// reading of the proof found it; lines with tiny directions from origins far beyond the mesh should
/// have.
#[test]
fn a_line_whose_t_overflows_at_a_box_has_one_answer() {
    let corners = [
        [153_427.48, 376_232.0, -195_943.89],
        [-589_705.8, -205_452.86, -195_943.89],
        [-243_887.47, 118_284.37, 115_842.91],
    ];
    let mesh = TriMesh::new(corners, vec![[0, 1, 2]]).expect("a valid mesh");
    let origin = [893_778_050.0, 966_926_800.0, 1_073_859_300.0f32];
    let unit = 2f32.powi(-99);
    // Mantissas of 24 bits: 0x1.aa4d5e, 0x1.cd0270, and twice 0x1.000002.
    let direction =
        [0x00d5_26af_u32, 0x00e6_8138, 0x0100_0002].map(|m| m as f32 / 2f32.powi(23) * unit);
    let mut rays = vec![];
    for i in 0..4096u32 {
        let nudged = |value: f32, by: u32| f32::from_bits(value.to_bits() + by);
        let direction = [
            nudged(direction[0], i % 16),
            nudged(direction[1], i / 16 % 16),
            nudged(direction[2], i / 256),
        ];
        rays.push(Ray::line(origin, direction));
    }
    check_everything(&Shape { name: "at the end of t".into(), mesh }, &rays, "none");
}

/// Class: a product of the box test that underflows. Along a huge direction the origin times the
/// reciprocal is subnormal, and its rounding exceeds the inflation of a small mesh's boxes.
#[test]
fn a_huge_direction_through_a_small_mesh_has_one_answer() {
    let mut rng = Rng::new(91);
    for size in [-10, -20, -30, -38].map(|exponent| 2f32.powi(exponent)) {
        let positions: Vec<[f32; 3]> = (0..60).map(|_| (rng.in_cube() * size).to_array()).collect();
        let triangles = (0..20).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let mesh = TriMesh::new(positions, triangles).expect("a valid mesh");
        let rays: Vec<Ray> = (0..2000)
            .map(|i| {
                let [a, b, c] = mesh.corners(i % 20);
                let origin = rng.in_cube() * (1.5 * size);
                let towards = (a + b + c) / 3.0 - origin;
                let length = rng.power_of_two(90.0, 127.0);
                Ray::new(origin, towards / towards.abs().max_element() * length)
            })
            .collect();
        check_everything(&Shape { name: format!("a soup of size {size}"), mesh }, &rays, "none");
    }
}

/// Class: a filter's product that overflows. A ray's slope towards a stored plane was infinite, and its
/// product with a `t_min` of zero was NaN, which fails every comparison. Numbers at the ends of f32
/// found it.
#[test]
fn a_direction_whose_slope_to_a_plane_overflows_has_one_answer() {
    let (m, z) = (f32::MAX, 0.0);
    let corners = [[-2.0, -1.0, -1.0], [0.0, -1.0, 1.0], [-1.0, 2.0, 0.0]];
    let mesh = TriMesh::new(corners, vec![[0, 1, 2]; 9]).expect("a valid mesh");
    let rays: Vec<Ray> = [[m, z, -m], [-m, z, m], [m, m, -m], [m / 2.0, z, -m / 2.0]]
        .into_iter()
        .flat_map(|d| [-1.0, -1.5, -0.5].map(|x| Ray::new([x, 0.0, 0.0], d)))
        .cycle()
        .take(96)
        .collect();
    check_everything(&Shape { name: "an oblique stack".into(), mesh }, &rays, "none");
}
