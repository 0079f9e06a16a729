//! Overlap with regions against brute force.

use glam::{DVec3, Vec3};
use hitscan_bvh::{BuildOptions, Layout, MeshBvh};
use hitscan_primitives::{
    Aabb, ConvexRegion, Sphere, TriMesh, brute_force::BruteForce, generate::SplitMix64,
};

use crate::support::{built, effort, grid_point, point, point_near, shapes};

fn size(mesh: &TriMesh) -> f32 {
    mesh.bounds().max_abs_coordinate()
}

fn random_box(random: &mut SplitMix64, mesh: &TriMesh) -> Aabb {
    let from = point_near(random, mesh);
    let by = [0.0, 0.01, 0.1, 1.0][random.below(4) as usize] * size(mesh);
    let to = from + by * point(random);
    let aabb = Aabb::from_points([from, to]);
    match random.below(10) {
        0 => Aabb { max: aabb.max.with_x(f32::INFINITY), ..aabb },
        1 => Aabb { min: Vec3::NEG_INFINITY, ..aabb },
        2 => Aabb::EMPTY,
        3 => Aabb { min: aabb.min.with_y(f32::NAN), ..aabb },
        _ => aabb,
    }
}

fn random_region(random: &mut SplitMix64, mesh: &TriMesh) -> ConvexRegion {
    let n = random.below(7);
    ConvexRegion::from_coefficients((0..n).map(|_| {
        let normal = if random.below(2) == 0 { grid_point(random) } else { point(random) };
        let normal = normal.as_dvec3();
        let through = point_near(random, mesh).as_dvec3();
        // Half of the planes leave most of the mesh in front.
        let sign = if random.below(2) == 0 || normal.dot(through) < 0.0 { 1.0 } else { -1.0 };
        let DVec3 { x, y, z } = sign * normal;
        [x, y, z, -sign * normal.dot(through)]
    }))
}

#[test]
fn overlapping_triangles_equal_the_scan() {
    let mut random = SplitMix64::new(30);
    // The number of empty, partial and full results per region.
    let mut counts = [[0; 3]; 3];
    let mut found = vec![];
    for round in 0..effort(4) {
        for (name, mesh) in shapes(&mut random) {
            let bvh = built(&mesh, round);
            let twin = BruteForce::new(&mesh);
            let mut check = |kind: usize, found: &[u32], expected: Vec<u32>, any: bool, what| {
                assert_eq!(found, expected, "{name}, round {round}, {what}");
                assert_eq!(any, !expected.is_empty(), "{name}, round {round}, {what}");
                let share =
                    usize::from(any) + usize::from(any && expected.len() == mesh.triangles().len());
                counts[kind][share] += 1;
            };
            for _ in 0..30 {
                let aabb = random_box(&mut random, &mesh);
                bvh.overlapping_box_into(&aabb, &mut found);
                let any = bvh.overlaps_box(&aabb);
                check(0, &found, twin.overlapping_box(&aabb), any, format!("{aabb:?}"));

                let radius = [0.0, 0.01, 0.3, 3.0][random.below(4) as usize] * size(&mesh);
                let sphere = Sphere::new(point_near(&mut random, &mesh), radius);
                bvh.overlapping_sphere_into(&sphere, &mut found);
                let any = bvh.overlaps_sphere(&sphere);
                check(1, &found, twin.overlapping_sphere(&sphere), any, format!("{sphere:?}"));

                let region = random_region(&mut random, &mesh);
                bvh.overlapping_convex_into(&region, &mut found);
                let any = bvh.overlaps_convex(&region);
                check(2, &found, twin.overlapping_convex(&region), any, format!("{region:?}"));

                let is_within = (0..mesh.triangles().len() as u32)
                    .flat_map(|triangle| mesh.corners(triangle))
                    .all(|corner| region.contains(corner.as_dvec3()));
                assert_eq!(bvh.is_within_convex(&region), is_within, "{name}, {region:?}");
            }
        }
    }
    assert!(counts.iter().flatten().all(|&n| n >= 5 * effort(4)), "{counts:?}");
}

#[test]
fn triangles_of_zero_area_are_found_as_segments_and_points() {
    // A triangle, a segment beside it, and a point beyond.
    let corners = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [2.0, 0.0, 0.0],
        [2.5, 0.5, 0.0],
        [3.0, 1.0, 0.0],
        [5.0, 5.0, 5.0],
    ];
    let mesh = TriMesh::new(corners, vec![[0, 1, 2], [3, 5, 4], [6, 6, 6]]).expect("a valid mesh");
    assert_eq!(mesh.n_degenerate(), 2);
    for layout in Layout::ALL {
        let bvh = MeshBvh::build(&mesh, &BuildOptions { layout, ..BuildOptions::default() });
        let nearest = |point: [f32; 3]| {
            let found = bvh.closest_point(point, f64::INFINITY).expect("there are triangles");
            (found.triangle, found.point.to_array(), found.distance)
        };
        assert_eq!(nearest([2.5, 0.5, 3.0]), (1, [2.5, 0.5, 0.0], 3.0));
        assert_eq!(nearest([9.0, 8.0, 5.0]), (2, [5.0; 3], 5.0));
        let mut found = vec![];
        // On the segment, and in the corner of its box, off it.
        bvh.overlapping_box_into(&Aabb::new([2.25, 0.25, -1.0], [2.5, 0.25, 1.0]), &mut found);
        assert_eq!(found, [1]);
        bvh.overlapping_box_into(&Aabb::new([2.75, 0.0, -1.0], [3.0, 0.25, 1.0]), &mut found);
        assert_eq!(found, [0; 0]);
        bvh.overlapping_sphere_into(&Sphere::new([5.0, 5.0, 4.0], 1.0), &mut found);
        assert_eq!(found, [2]);
        let beyond = ConvexRegion::from_coefficients([[1.0, 0.0, 0.0, -2.875]]);
        bvh.overlapping_convex_into(&beyond, &mut found);
        assert_eq!(found, [1, 2]);
        assert!(!bvh.is_within_convex(&ConvexRegion::from_coefficients([[-1.0, 0.0, 0.0, 2.875]])));
        assert!(bvh.is_within_convex(&ConvexRegion::from_coefficients([[-1.0, 0.0, 0.0, 5.0]])));
    }
}

#[test]
fn bad_spheres_overlap_nothing() {
    let mesh = hitscan_primitives::generate::cuboid(1.0, 1.0, 1.0, 1).expect("a valid cuboid");
    let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    for bad in [f32::NAN, -1.0] {
        assert!(!bvh.overlaps_sphere(&Sphere::new([0.0; 3], bad)));
        assert!(!bvh.overlaps_sphere(&Sphere::new([f32::NAN, 0.0, 0.0], 1.0)));
    }
    assert!(bvh.overlaps_sphere(&Sphere::new([0.0; 3], 0.5)));
    assert!(!bvh.overlaps_sphere(&Sphere::new([0.0; 3], 0.499)));
    assert!(bvh.overlaps_sphere(&Sphere::new([0.0; 3], f32::INFINITY)));
}
