//! Sections against brute force.

use glam::DVec3;
use hitscan_bvh::{BuildOptions, MeshBvh};
use hitscan_primitives::{
    SameVertex, SectionPlane, SectionPolyline, Topology, TriMesh,
    brute_force::{self, BruteForce},
    generate::{self, SplitMix64},
};

use crate::support::{built, effort, grid_point, needles, point, point_near, scaled_by, shapes};

/// Through corners and edges or beside them, along the axes or not.
fn random_plane(random: &mut SplitMix64, mesh: &TriMesh) -> SectionPlane {
    let triangle = random.below(mesh.triangles().len() as u64) as u32;
    let [a, b, c] = mesh.corners(triangle).map(|corner| corner.as_dvec3());
    let on_it = match random.below(4) {
        0 => a,
        1 => 0.5 * (a + b),
        2 => (a + b + c) / 3.0,
        _ => point_near(random, mesh).as_dvec3(),
    };
    let on_it = if on_it.is_finite() { on_it } else { a };
    let normal = match random.below(4) {
        0 => [DVec3::X, DVec3::Y, DVec3::Z][random.below(3) as usize],
        1 => grid_point(random).as_dvec3() + DVec3::new(0.0, 0.0, 0.25),
        // In the plane of the triangle, or through one of its edges.
        2 => (b - a).cross(if random.below(2) == 0 { c - a } else { DVec3::ONE }),
        _ => point(random).as_dvec3(),
    };
    let normal = if normal == DVec3::ZERO { DVec3::NEG_X } else { normal };
    SectionPlane::new(on_it, normal).expect("finite, with a normal")
}

type Bits = Vec<(Vec<[u64; 3]>, Vec<u32>, bool)>;

fn bits(polylines: &[SectionPolyline]) -> Bits {
    let of = |polyline: &SectionPolyline| {
        let points = polyline.points.iter().map(|point| point.to_array().map(f64::to_bits));
        (points.collect(), polyline.triangles.clone(), polyline.is_closed)
    };
    polylines.iter().map(of).collect()
}

#[test]
fn a_section_equals_the_scan_to_the_last_bit_and_is_closed_where_the_mesh_is() {
    let mut random = SplitMix64::new(60);
    let (mut n_polylines, mut n_closed, mut n_empty) = (0, 0, 0);
    for round in 0..effort(4) {
        for (name, mesh) in shapes(&mut random) {
            let bvh = built(&mesh, round);
            let scan = BruteForce::new(&mesh);
            let is_closed = Topology::new(&mesh, SameVertex::ByPosition).is_closed();
            let planes: Vec<_> = (0..20).map(|_| random_plane(&mut random, &mesh)).collect();
            let batch = bvh.section_batch(&planes);
            for (plane, of_batch) in planes.iter().zip(&batch) {
                let found = bvh.section(plane);
                assert_eq!(bits(&found), bits(&scan.section(plane)), "{name}, {plane:?}");
                assert_eq!(&found, of_batch, "{name}, {plane:?}");
                for polyline in &found {
                    assert!(polyline.is_closed || !is_closed, "{name}, {plane:?}");
                    let n_segments = polyline.points.len() - usize::from(!polyline.is_closed);
                    assert_eq!(n_segments, polyline.triangles.len());
                    assert!(polyline.segments().all(|[from, to]| from != to));
                    n_closed += usize::from(polyline.is_closed);
                }
                n_polylines += found.len();
                n_empty += usize::from(found.is_empty());
            }
        }
    }
    let n = effort(4);
    assert!(n_closed > 50 * n && n_polylines > n_closed + 50 * n && n_empty > 5 * n);
}

#[test]
fn every_point_lies_in_the_plane_and_on_its_triangle_up_to_rounding() {
    let mut random = SplitMix64::new(61);
    for (name, mesh) in shapes(&mut random) {
        let size = f64::from(mesh.bounds().max_abs_coordinate());
        let bvh = built(&mesh, 0);
        for _ in 0..20 {
            let plane = random_plane(&mut random, &mesh);
            let reach = size + plane.point().abs().max_element();
            for polyline in bvh.section(&plane) {
                for ([from, to], &triangle) in polyline.segments().zip(&polyline.triangles) {
                    let corners = mesh.corners(triangle).map(|corner| corner.as_dvec3() / size);
                    for end in [from, to] {
                        let height = plane.normal().normalize().dot(end - plane.point());
                        assert!(height.abs() < 1e-14 * reach, "{name}: {height:e}");
                        let on_it =
                            hitscan_primitives::closest_point_on_triangle(corners, end / size);
                        assert!(on_it.distance_squared.sqrt() < 1e-14, "{name}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_refitted_tree_has_the_section_of_the_moved_mesh() {
    let mut random = SplitMix64::new(62);
    for round in 0..3 {
        let mesh = if round == 0 {
            generate::sphere(1.0, 500).expect("a sphere")
        } else {
            needles(&mut random, 300)
        };
        let mut bvh = built(&mesh, round);
        let moved = mesh.positions().iter().map(|&p| p + 0.2 * point(&mut random));
        let moved = mesh.with_positions(moved).expect("the same number of positions");
        bvh.refit(&moved).expect("the same triangles");
        for _ in 0..20 {
            let plane = random_plane(&mut random, &moved);
            let expected = brute_force::section(&moved, &plane);
            assert_eq!(bits(&bvh.section(&plane)), bits(&expected), "{plane:?}");
        }
    }
}

#[test]
fn scaling_by_a_power_of_two_scales_the_section() {
    let mut random = SplitMix64::new(63);
    let sphere = generate::sphere(1.0, 500).expect("a sphere");
    for exponent in [-100, -20, 30, 120] {
        let scale = 2f64.powi(exponent);
        let scaled = scaled_by(&sphere, exponent);
        let bvhs = [&sphere, &scaled].map(|mesh| MeshBvh::build(mesh, &BuildOptions::default()));
        for _ in 0..10 {
            let plane = random_plane(&mut random, &sphere);
            let mut expected = bvhs[0].section(&plane);
            let points = expected.iter_mut().flat_map(|polyline| &mut polyline.points);
            points.for_each(|point| *point *= scale);
            assert_eq!(bvhs[1].section(&plane.scaled(scale)), expected);
        }
    }
}
