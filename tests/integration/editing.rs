//! Random edits of a mesh, and queries after each.

use hitscan::primitives::glam::{DVec3, Vec3};
use hitscan::scene::WorldRay;
use hitscan::{Aabb, MeshBvh, MeshEdit, Ray, SectionPlane, SphereCast, TriMesh, brute_force};
use hitscan_testkit::Rng;

/// One random edit of a mesh, and its name.
pub(crate) fn edit(mesh: &mut TriMesh, rng: &mut Rng) -> (&'static str, MeshEdit) {
    let size = mesh.bounds().extent().max_element().clamp(1e-30, 1e30);
    let n = mesh.triangles().len();
    let n_vertices = mesh.positions().len();
    match rng.below(if n > 0 { 8 } else { 1 }) {
        0 => ("extruded", extrude(mesh, size, rng)),
        1 => {
            let n_removed = rng.below(1 + n.min(40));
            let mut removed: Vec<u32> = (0..n_removed).map(|_| rng.below(n) as u32).collect();
            removed.sort_unstable();
            removed.dedup();
            ("removed", mesh.swap_remove_triangles(removed).expect("they are there"))
        }
        2 => {
            let start = rng.below(n);
            let end = (start + rng.below(30)).min(n);
            let vertex = |rng: &mut Rng| rng.below(n_vertices) as u32;
            let others: Vec<[u32; 3]> =
                (0..rng.below(30)).map(|_| [0; 3].map(|_| vertex(rng))).collect();
            let replaced = mesh.replace_triangles(start as u32..end as u32, &others);
            ("replaced", replaced.expect("they are there"))
        }
        3 => {
            // One vertex far away, so that boxes must widen by more, or the scale changes.
            let away = size * rng.pick(&[3.0, 1e3, 1e7, 0.0]);
            let moves = [(rng.below(n_vertices) as u32, away * rng.direction())];
            ("one away", mesh.move_vertices(moves).expect("it is there"))
        }
        4 => ("scattered", dab(mesh, 8, |p, rng| p + size * rng.in_cube(), rng)),
        5 => ("flattened", dab(mesh, 40, |p, _| Vec3::new(p.x, 0.0, p.z), rng)),
        _ => ("dabbed", dab(mesh, 60, |p, rng| p + 0.02 * size * rng.in_cube(), rng)),
    }
}

/// Moves the vertices around one of them.
fn dab(
    mesh: &mut TriMesh,
    most: usize,
    moved: impl Fn(Vec3, &mut Rng) -> Vec3,
    rng: &mut Rng,
) -> MeshEdit {
    let center = mesh.positions()[rng.below(mesh.positions().len())];
    let mut near: Vec<(f32, u32)> =
        mesh.positions().iter().map(|p| p.distance(center)).zip(0..).collect();
    near.sort_by(|a, b| a.0.total_cmp(&b.0));
    near.truncate(1 + rng.below(most));
    let moves: Vec<(u32, Vec3)> = near
        .iter()
        .map(|&(_, vertex)| (vertex, moved(mesh.positions()[vertex as usize], rng)))
        .collect();
    mesh.move_vertices(moves).expect("the vertices are there and stay finite")
}

/// Copies some triangles in a row to a place beside them.
fn extrude(mesh: &mut TriMesh, size: f32, rng: &mut Rng) -> MeshEdit {
    let (n, first) = (mesh.triangles().len(), mesh.positions().len() as u32);
    if n == 0 {
        let positions = [[0.0; 3], [size, 0.0, 0.0], [0.0, size, 0.0]];
        return mesh.append(positions, &[[first, first + 1, first + 2]]).expect("three more");
    }
    let start = rng.below(n);
    let away = 0.05 * size * rng.direction();
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for triangle in start..(start + 1 + rng.below(40)).min(n) {
        let vertex = first + positions.len() as u32;
        positions.extend(mesh.corners(triangle as u32).map(|corner| corner + away));
        triangles.push([vertex, vertex + 1, vertex + 2]);
    }
    mesh.append(positions, &triangles).expect("they are finite")
}

/// The query without a ray, or with more than a ray, that differs.
pub(crate) fn other_difference(
    mesh: &TriMesh,
    bvh: &MeshBvh,
    ray: &Ray,
    rng: &mut Rng,
) -> Option<&'static str> {
    let from = ray.origin;
    let closest = brute_force::closest_point(mesh, from, f64::INFINITY);
    if bvh.closest_point(from, f64::INFINITY) != closest {
        return Some("closest point");
    }
    let size = mesh.bounds().extent().max_element();
    let half = Vec3::splat(0.2 * size);
    if half.is_finite() {
        let region = Aabb::new(from - half, from + half);
        let mut found = Vec::new();
        bvh.overlapping_box_into(&region, &mut found);
        if found != brute_force::overlapping_box(mesh, &region) {
            return Some("overlapping box");
        }
    }
    let world = WorldRay::new(from.as_dvec3(), ray.direction.as_dvec3());
    if let Ok(cast) = SphereCast::new(world, f64::from(0.1 * rng.unit() * size))
        && bvh.sphere_cast(&cast) != brute_force::sphere_cast(mesh, &cast)
    {
        return Some("sphere cast");
    }
    let normal: DVec3 = rng.direction().as_dvec3();
    if let Ok(plane) = SectionPlane::new(mesh.bounds().center().as_dvec3(), normal)
        && bvh.section(&plane) != brute_force::section(mesh, &plane)
    {
        return Some("section");
    }
    None
}
