//! Corner normals for meshes that have none: smooth within an angle, sharp beyond it.

use hitscan::TriMesh;
use hitscan::glam::{Vec2, Vec3};
use rayon::prelude::*;

/// A vertex of more triangles is shaded flat unless all of them lie within the angle of their mean,
/// because comparing all pairs would take quadratic time.
const MAX_PAIRED: usize = 64;

/// Corner normals of a mesh, 12 bytes per triangle.
#[derive(Clone, Debug, Default)]
pub(crate) struct SmoothNormals {
    triangles: Vec<[Packed; 3]>,
}

impl SmoothNormals {
    /// Averages at each corner the normals of the triangles around its vertex that differ by at
    /// most `max_degrees`, weighted by their angles there. Vertices of equal position count as one.
    /// O(n log n), on rayon's current pool.
    pub(crate) fn new(mesh: &TriMesh, max_degrees: f32) -> Self {
        let min_cosine = max_degrees.to_radians().cos();
        let n_triangles = mesh.triangles().len();
        let faces: Vec<Vec3> = (0..n_triangles as u32)
            .into_par_iter()
            .map(|triangle| mesh.unit_normal(triangle).map_or(Vec3::ZERO, |n| n.as_vec3()))
            .collect();
        let (starts, corners) = corners_by_vertex(mesh);
        let normals: Vec<Packed> = starts
            .par_windows(2)
            .flat_map_iter(|ends| {
                let corners = &corners[ends[0] as usize..ends[1] as usize];
                normals_around(mesh, &faces, corners, min_cosine)
            })
            .collect();
        let mut triangles = vec![[Packed::NONE; 3]; n_triangles];
        for (corner, normal) in corners.into_iter().zip(normals) {
            triangles[corner as usize / 3][corner as usize % 3] = normal;
        }
        Self { triangles }
    }

    /// The unit normals of a triangle's corners; `None` for a triangle of zero area.
    pub(crate) fn of(&self, triangle: u32) -> Option<[Vec3; 3]> {
        let [a, b, c] = self.triangles.get(triangle as usize)?.map(Packed::unpacked);
        Some([a?, b?, c?])
    }
}

/// For each vertex, the first index in the list of its corners; and that list. Corner `3 t + k` is
/// corner `k` of triangle `t`.
fn corners_by_vertex(mesh: &TriMesh) -> (Vec<u32>, Vec<u32>) {
    let position = |corner: u32| {
        let vertex = mesh.triangles()[corner as usize / 3][corner as usize % 3];
        // `+ 0.0` turns -0.0 into 0.0.
        (mesh.positions()[vertex as usize] + 0.0).to_array().map(f32::to_bits)
    };
    let mut corners: Vec<u32> = (0..3 * mesh.triangles().len() as u32).collect();
    corners.par_sort_unstable_by_key(|&corner| (position(corner), corner));
    let mut starts = vec![0];
    for equal in corners.chunk_by(|&a, &b| position(a) == position(b)) {
        starts.push(starts[starts.len() - 1] + equal.len() as u32);
    }
    (starts, corners)
}

/// The normals at the corners around one vertex.
fn normals_around(mesh: &TriMesh, faces: &[Vec3], corners: &[u32], min_cosine: f32) -> Vec<Packed> {
    let face = |corner: &u32| faces[*corner as usize / 3];
    let weights: Vec<f32> = corners.iter().map(|&corner| angle_at(mesh, corner)).collect();
    let weighted = || corners.iter().map(face).zip(&weights);
    let sum: Vec3 = weighted().map(|(normal, &weight)| weight * normal).sum();
    let mean = sum.normalize_or_zero();
    let is_near = |a: Vec3, b: Vec3| a.dot(b) >= min_cosine;
    // Half the angle to the mean keeps any two within the whole angle, and spares the pairs.
    let half = (0.5 * (1.0 + min_cosine)).sqrt();
    let is_smooth = corners.iter().map(face).all(|n| n == Vec3::ZERO || n.dot(mean) >= half);
    let normal = |corner: &u32| {
        let own = face(corner);
        if own == Vec3::ZERO {
            return Packed::NONE;
        }
        if is_smooth {
            return Packed::new(mean);
        }
        if corners.len() > MAX_PAIRED {
            return Packed::new(if is_near(own, mean) { mean } else { own });
        }
        let near = weighted().filter(|(other, _)| is_near(own, *other));
        let sum: Vec3 = near.map(|(other, &weight)| weight * other).sum();
        Packed::new(sum.try_normalize().unwrap_or(own))
    };
    corners.iter().map(normal).collect()
}

/// The angle of a triangle at a corner, in radians.
fn angle_at(mesh: &TriMesh, corner: u32) -> f32 {
    let corners = mesh.corners(corner / 3);
    let [a, b, c] = [0, 1, 2].map(|step| corners[(corner as usize % 3 + step) % 3]);
    let angle = (b - a).normalize_or_zero().dot((c - a).normalize_or_zero());
    angle.clamp(-1.0, 1.0).acos()
}

/// A unit vector in four bytes: the octahedral map (Cigolle et al., "A Survey of Efficient
/// Representations for Independent Unit Vectors", 2014), precise to 0.004 degrees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Packed([i16; 2]);

impl Packed {
    const NONE: Self = Self([i16::MIN; 2]);

    fn new(unit: Vec3) -> Self {
        let sum = unit.abs().element_sum();
        let flat = Vec2::new(unit.x, unit.y) / sum;
        let folded = if unit.z < 0.0 { fold(flat) } else { flat };
        Self((32767.0 * folded).round().to_array().map(|side| side as i16))
    }

    fn unpacked(self) -> Option<Vec3> {
        if self == Self::NONE {
            return None;
        }
        let flat = Vec2::from(self.0.map(f32::from)) / 32767.0;
        let z = 1.0 - flat.abs().element_sum();
        let unfolded = if z < 0.0 { fold(flat) } else { flat };
        Some(unfolded.extend(z).normalize_or_zero())
    }
}

/// Mirrors a point of the octahedron's lower half outwards, or back.
fn fold(flat: Vec2) -> Vec2 {
    (1.0 - Vec2::new(flat.y, flat.x).abs()) * Vec2::ONE.copysign(flat)
}

#[cfg(test)]
mod tests {
    use hitscan::generate;

    use super::*;

    #[test]
    fn a_ball_is_smooth_and_a_box_keeps_its_edges() {
        let ball = generate::sphere(2.0, 3000).unwrap();
        let normals = SmoothNormals::new(&ball, 40.0);
        for triangle in 0..ball.triangles().len() as u32 {
            let corners = normals.of(triangle).unwrap().into_iter().zip(ball.corners(triangle));
            for (normal, corner) in corners {
                let expected = corner.normalize();
                assert!(normal.dot(expected) > 0.995, "{normal} {expected}");
            }
        }
        let cube = generate::cuboid(1.0, 2.0, 3.0, 3).unwrap();
        let normals = SmoothNormals::new(&cube, 40.0);
        for triangle in 0..cube.triangles().len() as u32 {
            let face = cube.unit_normal(triangle).unwrap().as_vec3();
            let found = normals.of(triangle).unwrap();
            assert!(found.iter().all(|normal| normal.dot(face) > 0.99999), "{found:?} {face}");
        }
    }

    #[test]
    fn vertices_of_equal_position_are_smooth_across_a_seam() {
        let corners = [
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.1],
            [0.0, 1.0, 0.0],
            [0.0, 1.0, 0.0],
            [0.0, -0.0, 0.0],
            [-1.0, 0.0, 0.1],
        ];
        let mesh = TriMesh::new(corners, vec![[0, 1, 2], [3, 5, 4]]).unwrap();
        let smooth = SmoothNormals::new(&mesh, 40.0);
        let [a, b] = [smooth.of(0).unwrap()[0], smooth.of(1).unwrap()[2]];
        assert!(a.distance(b) < 1e-3 && a.distance(Vec3::Z) < 0.02, "{a} {b}");
        let sharp = SmoothNormals::new(&mesh, 5.0);
        assert!(sharp.of(0).unwrap()[0].distance(sharp.of(1).unwrap()[2]) > 0.1);
    }

    #[test]
    fn a_fan_of_many_triangles_is_fast_and_a_flat_triangle_has_no_normals() {
        let n = 200_000;
        let rim = (0..n).map(|k| {
            let angle = std::f32::consts::TAU * k as f32 / n as f32;
            [angle.cos(), angle.sin(), -0.1]
        });
        let corners: Vec<[f32; 3]> = [[0.0; 3]].into_iter().chain(rim).collect();
        let triangles = (0..n).map(|k| [0, 1 + k, 1 + (k + 1) % n]).chain([[0, 0, 1]]).collect();
        let mesh = TriMesh::new(corners, triangles).unwrap();
        let normals = SmoothNormals::new(&mesh, 40.0);
        assert!(normals.of(0).unwrap()[0].distance(Vec3::Z) < 1e-3);
        assert_eq!(normals.of(n), None);
    }

    #[test]
    fn packing_is_precise() {
        for n in 0..5000 {
            let (a, b) = (n as f32 * 0.37, n as f32 * 0.011);
            let unit = Vec3::new(a.sin() * b.cos(), b.sin(), a.cos() * b.cos()).normalize();
            let packed = Packed::new(unit).unpacked().unwrap();
            assert!(packed.distance(unit) < 1e-4, "{unit} {packed}");
        }
        for axis in Vec3::AXES.into_iter().flat_map(|axis| [axis, -axis]) {
            assert!(Packed::new(axis).unpacked().unwrap().distance(axis) < 1e-6);
        }
    }
}
