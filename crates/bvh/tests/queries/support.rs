//! Seeded meshes and points for the tests of this folder.

use glam::Vec3;
use hitscan_bvh::{BuildOptions, BuildQuality, Isa, Layout, MeshBvh};
use hitscan_primitives::{
    TriMesh,
    generate::{self, SplitMix64},
};

/// In `[-1, 1]` on every axis.
pub(crate) fn point(random: &mut SplitMix64) -> Vec3 {
    Vec3::from_array([0; 3].map(|_| random.range(-1.0, 1.0) as f32))
}

/// On a coarse grid in `[-2, 2]`, so that points meet edges, planes and ties exactly.
pub(crate) fn grid_point(random: &mut SplitMix64) -> Vec3 {
    Vec3::from_array([0; 3].map(|_| random.below(5) as f32 - 2.0))
}

/// `n` triangles of any size over shared points, on a coarse grid half of the time; some have zero area.
pub(crate) fn soup(random: &mut SplitMix64, n: usize) -> TriMesh {
    let on_grid = random.below(2) == 0;
    let n_points = n + 2;
    let points: Vec<Vec3> =
        (0..n_points).map(|_| if on_grid { grid_point(random) } else { point(random) }).collect();
    let triangles = (0..n).map(|_| [0; 3].map(|_| random.below(n_points as u64) as u32)).collect();
    TriMesh::new(points, triangles).expect("a valid soup")
}

/// `n` triangles, of which every 20th is a long needle across the axes, or a segment: a mesh whose needles the
/// build splits. On a coarse grid half of the time.
pub(crate) fn needles(random: &mut SplitMix64, n: usize) -> TriMesh {
    let on_grid = random.below(2) == 0;
    let (mut positions, mut triangles) = (vec![], vec![]);
    for i in 0..n {
        let at = if on_grid { grid_point(random) } else { 2.0 * point(random) };
        let size = if on_grid { 0.125 } else { 0.05 };
        let along = if i % 20 == 0 {
            Vec3::new(2.0, [2.0, -2.0][i / 20 % 2], [1.5, -1.75][i / 40 % 2])
        } else {
            size * point(random)
        };
        let across = if i % 60 == 0 { Vec3::ZERO } else { size * grid_point(random) };
        let first = positions.len() as u32;
        positions.extend([at, at + along, at + across]);
        triangles.push([first, first + 1, first + 2]);
    }
    TriMesh::new(positions, triangles).expect("a valid mesh")
}

/// A soup, or needles in every second round.
pub(crate) fn soup_or_needles(random: &mut SplitMix64, n: usize, round: usize) -> TriMesh {
    if round.is_multiple_of(2) { soup(random, n) } else { needles(random, n) }
}

/// The mesh scaled by a power of two.
pub(crate) fn scaled_by(mesh: &TriMesh, exponent: i32) -> TriMesh {
    let scale = 2f64.powi(exponent);
    let positions = mesh.positions().iter().map(|p| (p.as_dvec3() * scale).as_vec3());
    mesh.with_positions(positions).expect("the same number of positions, all finite")
}

/// The tree of a mesh. Quality and layout alternate from round to round.
pub(crate) fn built(mesh: &TriMesh, round: usize) -> MeshBvh {
    let (quality, layout) = (BuildQuality::ALL[round % 3], Layout::ALL[round % 2]);
    let isas = Isa::available();
    let isa = isas[round % isas.len()];
    MeshBvh::build(mesh, &BuildOptions { quality, layout, isa })
}

/// [`hitscan_testkit::effort`] as an index.
pub(crate) fn effort(n: usize) -> usize {
    hitscan_testkit::effort(n as u64) as usize
}

/// Meshes of every kind, also extreme ones; none is empty.
pub(crate) fn shapes(random: &mut SplitMix64) -> Vec<(String, TriMesh)> {
    let n = 200 + random.below(600) as usize;
    let seed = random.next_u64();
    let made = [
        ("sphere", generate::sphere(1.0, n)),
        ("terrain", generate::terrain(n, seed)),
        ("city", generate::city(n, seed)),
        ("cuboid", generate::cuboid(2.0, 1.0, 0.5, 2)),
    ];
    let mut shapes: Vec<(String, TriMesh)> = made
        .into_iter()
        .map(|(name, mesh)| (name.to_owned(), mesh.expect("sizes are usual")))
        .collect();
    for n in [1, 20, 300] {
        shapes.push((format!("soup of {n}"), soup(random, n)));
    }
    for n in [40, 400] {
        shapes.push((format!("{n} needles"), needles(random, n)));
    }
    let (sphere, soup) = (shapes[0].1.clone(), soup(random, 100));
    let needles = needles(random, 100);
    for exponent in [-140, -60, 60, 124] {
        shapes.push((format!("sphere at 2^{exponent}"), scaled_by(&sphere, exponent)));
        shapes.push((format!("soup at 2^{exponent}"), scaled_by(&soup, exponent)));
        shapes.push((format!("needles at 2^{exponent}"), scaled_by(&needles, exponent)));
    }
    let coincident = vec![[0, 1, 2]; 100];
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let coincident = TriMesh::new(corners, coincident).expect("a valid mesh");
    shapes.push(("coincident".to_owned(), coincident));
    shapes
}

/// A point on, near or far from the mesh, and so far in some cases that distances differ only by
/// rounding.
pub(crate) fn point_near(random: &mut SplitMix64, mesh: &TriMesh) -> Vec3 {
    let [a, b, c] = mesh.corners(random.below(mesh.triangles().len() as u64) as u32);
    // Halves first, which do not overflow.
    let on_it = [a, 0.5 * a + 0.5 * b, 0.5 * a + 0.25 * b + 0.25 * c][random.below(3) as usize];
    let away = [0.0, 1e-6, 0.1, 0.5, 1.0, 2.0, 1e8, 1e14][random.below(8) as usize];
    on_it + away * mesh.bounds().max_abs_coordinate() * point(random)
}
