//! No ray leaks through a closed mesh, at any target, placement and scale.

use hitscan::primitives::brute_force::BruteForce;
use hitscan::primitives::glam::{Quat, Vec3};
use hitscan::{BuildOptions, Faces, HitOptions, MeshBvh, Ray, TriMesh, generate};
use hitscan_testkit::{
    Rng, Shape, aimed_ray, closed_shapes, rays_from_inside, rays_from_outside, smallest_leak, soup,
    stitched_shapes, surface_points,
};

use crate::asking::{check_everything, effort, every_bvh};

#[test]
fn a_ray_from_inside_a_closed_mesh_always_hits() {
    for shape in closed_shapes(1000) {
        assert_no_leak(&shape.name, &shape.mesh, effort(1), 31);
    }
}

#[test]
fn a_closed_mesh_of_any_size_and_place_does_not_leak() {
    for scale in [1e-30, 1e-6, 3e-3, 1e3, 1e7, 1e30] {
        for offset in [0.0, 3.0, 1e3] {
            for shape in closed_shapes(120) {
                let size = shape.mesh.bounds().extent().max_element();
                let moved = shape.mesh.positions().iter().map(|&p| (p + offset * size) * scale);
                let mesh = shape.mesh.with_positions(moved).unwrap();
                let name = format!("{} * {scale} + {offset}", shape.name);
                assert_no_leak(&name, &mesh, effort(1), 32);
            }
        }
    }
}

#[test]
fn a_mesh_stitched_by_triangles_without_area_does_not_leak() {
    for seed in 0..effort(3) {
        for shape in stitched_shapes(40, 370 + seed) {
            assert_no_leak(&shape.name, &shape.mesh, 1, 370 + seed);
        }
    }
}

#[test]
fn a_tetrahedron_with_a_middle_on_one_side_of_an_edge_does_not_leak() {
    // The triangle of both ends and the midpoint has no area, and this ray meets no other triangle. A
    // definition that never hits such triangles loses the ray.
    let (mesh, ray) = smallest_leak();
    for (name, bvh) in every_bvh(&mesh) {
        let hit = bvh.closest_hit(&ray, Faces::Both).unwrap_or_else(|| panic!("{name}: a leak"));
        assert!(mesh.is_degenerate(hit.triangle), "{name}: {hit:?}");
        assert_eq!(bvh.count_crossings(&ray, Faces::Both), 1, "{name}");
    }
    check_everything(&Shape { name: "the smallest leak".into(), mesh }, &[ray; 64], "none");
    let (mesh, _) = smallest_leak();
    assert_no_leak("the smallest leak", &mesh, effort(50), 38);
}

#[test]
fn rays_from_outside_cross_a_stitched_mesh_an_even_number_of_times() {
    for seed in 390..390 + effort(3) {
        for shape in stitched_shapes(40, seed) {
            let rays = rays_from_outside(&shape.mesh, &mut Rng::new(seed));
            for (name, bvh) in every_bvh(&shape.mesh) {
                for ray in &rays {
                    let crossings = bvh.count_crossings(ray, Faces::Both);
                    assert_eq!(crossings % 2, 0, "{name}, {} (seed {seed}): {ray:?}", shape.name);
                }
            }
        }
    }
}

#[test]
fn a_line_crosses_a_closed_mesh_an_even_number_of_times() {
    for shape in closed_shapes(600) {
        let mut rng = Rng::new(33);
        let size = shape.mesh.bounds().extent().length();
        let targets = surface_points(&shape.mesh, &mut rng);
        for (name, bvh) in every_bvh(&shape.mesh) {
            for &target in &targets {
                let origin = shape.mesh.bounds().center() + rng.direction() * size;
                let line = Ray::line(origin, target - origin);
                let crossings = bvh.count_crossings(&line, Faces::Both);
                assert_eq!(crossings % 2, 0, "{name}, {}: {line:?}", shape.name);
                // Every entry needs an exit.
                let entries = bvh.count_crossings(&line, Faces::Front);
                assert_eq!(2 * entries, crossings, "{name}, {}: {line:?}", shape.name);
            }
        }
    }
}

#[test]
fn rays_in_the_plane_of_a_face_do_not_leak() {
    // From inside a mesh that is not convex, near the plane of a face and along it. Distance from the
    // plane and slope are both noise. If the origin is within the face's box, nothing else decides
    // whether the face is ahead or behind. The proof found this case before any test did.
    let mut n_rays = 0;
    for seed in 0..effort(20) {
        let mut rng = Rng::new(36 + 1000 * seed);
        let n_triangles = rng.pick(&[18, 40, 80, 200]);
        let torus = generate::torus(1.0, 0.4, n_triangles).expect("enough triangles");
        let turn = Quat::from_axis_angle(rng.direction(), rng.between(0.0, 6.0));
        let stretch = rng.pick(&[Vec3::ONE, Vec3::new(1.0, 1.0, 5.0), Vec3::new(1.0, 0.1, 3.0)]);
        let positions = torus.positions().iter().map(|&p| turn * (p * stretch));
        let mesh = torus.with_positions(positions).expect("finite stays finite here");
        let scan = BruteForce::new(&mesh);
        let mut rays = Vec::new();
        for _ in 0..4000 {
            let [a, b, c] = mesh.corners(rng.below(mesh.triangles().len()) as u32);
            let on_plane = |s: f32, r: f32| a + s * (b - a) + r * (c - a);
            let origin = on_plane(rng.between(-3.0, 3.0), rng.between(-3.0, 3.0));
            // Within 2^-14 of the mesh's extent it may lie on either side of the surface.
            if scan.closest_point(origin, 1e-2).is_some() || !scan.winding_sum(origin).is_inside() {
                continue;
            }
            rays.extend((0..5).map(|_| {
                let s = rng.unit();
                Ray::new(origin, on_plane(s, (1.0 - s) * rng.unit()) - origin)
            }));
        }
        n_rays += rays.len();
        for (name, bvh) in every_bvh(&mesh) {
            for ray in &rays {
                let crossings = bvh.count_crossings(ray, Faces::Both);
                assert_eq!(crossings % 2, 1, "{name}, {n_triangles} (seed {seed}): {ray:?}");
                assert!(bvh.closest_hit(ray, Faces::Both).is_some(), "{name}: a leak: {ray:?}");
            }
        }
    }
    assert!(n_rays as u64 > effort(10_000) / 2, "{n_rays}");
}

#[test]
fn a_hit_lies_in_the_interval_on_its_triangle_and_on_the_ray() {
    // The other tests compare with the definition. This one checks the definition itself, in f64, for
    // the properties that users rely on.
    let n_seeds = effort(300);
    let (mut n_measured, mut n_without_area) = (0, 0);
    for seed in 0..n_seeds {
        let mut rng = Rng::new(35 + seed);
        let shape = soup(&mut rng, 100);
        let bvh = MeshBvh::build(&shape.mesh, &BuildOptions::default());
        for _ in 0..100 {
            let ray = aimed_ray(&shape.mesh, &mut rng);
            for hit in bvh.all_hits(&ray, &HitOptions::default()) {
                let context = format!("{hit:?} of {ray:?} on {} (seed {seed})", shape.name);
                assert!(hit.t.is_finite() && hit.t >= ray.t_min && hit.t <= ray.t_max, "{context}");
                assert!(hit.u >= 0.0 && hit.v >= 0.0 && hit.u + hit.v <= 1.000_001, "{context}");
                let Some(error) = distance_from_ray(&shape.mesh, &ray, &hit) else { continue };
                // A contact has the t of the origin and a point of the triangle.
                let allowed = if hit.t == 0.0 { 8.5 } else { 6.0 };
                assert!(error <= allowed, "{error} of {allowed}: {context}");
                n_measured += 1;
                n_without_area += u64::from(shape.mesh.is_degenerate(hit.triangle));
            }
        }
    }
    assert!(n_measured > 50 * n_seeds && n_without_area > n_seeds / 10, "{n_measured}");
}

/// The distance between the point of `u` and `v` and that of `t`, by the maximum component, in units of
/// u D. u is 2^-24, and D the maximum component of a corner minus the origin. `None` if the numbers are
/// so far apart that only one answer is promised, not its accuracy.
fn distance_from_ray(mesh: &TriMesh, ray: &Ray, hit: &hitscan::Hit) -> Option<f64> {
    let (o, d) = (ray.origin.as_dvec3(), ray.direction.as_dvec3());
    let reach = mesh.corners(hit.triangle).map(|p| (p.as_dvec3() - o).abs().max_element());
    let reach = reach.into_iter().fold(0.0, f64::max);
    let limits = 2f64.powi(-60)..=2f64.powi(60);
    let scale = mesh.query_scale();
    let is_ordinary = limits.contains(&(reach * scale))
        && limits.contains(&(d.abs().max_element() * scale))
        && limits.contains(&d.abs().max_element());
    let apart = (mesh.point(hit) - (o + f64::from(hit.t) * d)).abs().max_element();
    is_ordinary.then_some(apart / (reach * 2f64.powi(-24)))
}

#[test]
fn a_ray_from_a_face_touches_it_at_zero_and_one_from_above_does_not() {
    let mut rng = Rng::new(40);
    for scale in (-4..=8).map(|exponent| 10f32.powi(exponent)) {
        for axis in 0..3 {
            let height = rng.between(-1.0, 1.0) * scale;
            // On the axis, and beside it.
            let in_face = |x: f32, y: f32| {
                let mut point = [0.0; 3];
                (point[axis], point[(axis + 1) % 3], point[(axis + 2) % 3]) = (height, x, y);
                Vec3::from_array(point)
            };
            let corners = [[-1.0, -0.9], [0.9, -0.8], [0.1, 1.0]];
            let corners = corners.map(|[x, y]| in_face(x * scale, y * scale));
            let mesh = TriMesh::new(corners, vec![[0, 1, 2]; 9]).unwrap();
            let mut rays = Vec::new();
            for _ in 0..effort(200) {
                let [x, y] = [0; 2].map(|_| rng.between(-0.3, 0.3) * scale);
                rays.push(Ray::new(in_face(x, y), rng.direction() * scale));
            }
            let above = |ray: &Ray| {
                let mut origin = ray.origin;
                origin[axis] += 1e-6 * 2.0 * scale;
                Ray { origin, ..*ray }
            };
            for (name, bvh) in every_bvh(&mesh) {
                for ray in &rays {
                    let hit = bvh.closest_hit(ray, Faces::Both);
                    assert_eq!(hit.map(|hit| hit.t.to_bits()), Some(0), "{name}: {ray:?} {hit:?}");
                    let ray = above(ray);
                    let hit = bvh.closest_hit(&ray, Faces::Both);
                    assert!(hit.is_none_or(|hit| hit.t > 0.0), "{name}: {ray:?} {hit:?}");
                    if ray.direction[axis] > 0.0 {
                        assert_eq!(hit, None, "{name}: {ray:?}");
                    }
                }
            }
        }
    }
}

/// Casts rays from inside at every vertex, and at the midpoint and a random point of every edge, and in
/// random directions. Each must hit, and cross the surface an odd number of times.
pub(crate) fn assert_no_leak(name: &str, mesh: &TriMesh, repeats: u64, seed: u64) {
    for repeat in 0..repeats {
        let rays = rays_from_inside(mesh, &mut Rng::new(seed + 1000 * repeat));
        for (bvh_name, bvh) in every_bvh(mesh) {
            for ray in &rays {
                let context = || format!("{bvh_name}, {name} (seed {seed}, {repeat}): {ray:?}");
                assert!(bvh.is_occluded(ray, Faces::Both), "a leak: {}", context());
                assert!(bvh.closest_hit(ray, Faces::Both).is_some(), "a leak: {}", context());
                let crossings = bvh.count_crossings(ray, Faces::Both);
                assert_eq!(crossings % 2, 1, "{}", context());
            }
        }
    }
}
