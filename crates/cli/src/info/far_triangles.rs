//! The few triangles of a mesh that lie far from the rest.

use hitscan::TriMesh;
use hitscan::glam::DVec3;
use serde::Serialize;

/// The number of triangles that lie far from the rest, and how far.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct FarTriangles {
    pub(crate) triangles: usize,
    /// The largest distance of their centres from the box of the rest.
    pub(crate) distance: f64,
    /// The diagonal of that box.
    pub(crate) rest_size: f64,
}

/// The share of the triangles on each side that the box of the rest leaves out: one of this number.
const SHARE: usize = 100;

/// The number of sizes of the rest from which on a triangle is far away.
const FAR: f64 = 10.0;

/// The minimum number of triangles, below which none is the rest.
const FEWEST: usize = 8;

impl FarTriangles {
    /// The triangles whose centre lies farther than ten sizes from the rest: the box between the 1 % and 99 %
    /// quantiles of all centres, on each axis. `None` without any, or if more than 1 % of all would be far.
    /// O(n).
    pub(crate) fn of(mesh: &TriMesh) -> Option<Self> {
        let n = mesh.triangles().len();
        if n < FEWEST {
            return None;
        }
        let center = |triangle| {
            let [a, b, c] = mesh.corners(triangle).map(|corner| corner.as_dvec3());
            (a + b + c) / 3.0
        };
        let left_out = (n / SHARE).max(1);
        let (mut min, mut max) = (DVec3::ZERO, DVec3::ZERO);
        let mut coordinates = Vec::with_capacity(n);
        for axis in 0..3 {
            coordinates.clear();
            coordinates.extend((0..n as u32).map(|triangle| center(triangle)[axis]));
            min[axis] = *coordinates.select_nth_unstable_by(left_out, f64::total_cmp).1;
            max[axis] = *coordinates.select_nth_unstable_by(n - 1 - left_out, f64::total_cmp).1;
        }
        let rest_size = min.distance(max);
        let (mut triangles, mut distance) = (0, 0.0f64);
        for triangle in 0..n as u32 {
            let center = center(triangle);
            let away = center.distance(center.clamp(min, max));
            if away > FAR * rest_size {
                triangles += 1;
                distance = distance.max(away);
            }
        }
        let are_few = (1..=left_out).contains(&triangles) && rest_size > 0.0;
        are_few.then_some(Self { triangles, distance, rest_size })
    }
}

#[cfg(test)]
mod tests {
    use hitscan::generate;
    use hitscan::glam::Vec3;

    use super::*;

    fn with_strays(mesh: &TriMesh, strays: &[f32]) -> TriMesh {
        let (mut positions, mut triangles) = (mesh.positions().to_vec(), mesh.triangles().to_vec());
        for &x in strays {
            let first = positions.len() as u32;
            positions.extend([Vec3::X * x, Vec3::X * x + Vec3::Y, Vec3::X * x + Vec3::Z]);
            triangles.push([first, first + 1, first + 2]);
        }
        TriMesh::from_vecs(positions, triangles).unwrap()
    }

    #[test]
    fn a_stray_triangle_is_counted_and_ordinary_meshes_have_none() {
        let sphere = generate::sphere(1.0, 200).unwrap();
        let found = FarTriangles::of(&with_strays(&sphere, &[1e6])).unwrap();
        assert_eq!(found.triangles, 1);
        assert!((found.distance - 1e6).abs() < 10.0 && found.rest_size < 4.0, "{found:?}");
        let found = FarTriangles::of(&with_strays(&sphere, &[1e6, -300.0])).unwrap();
        assert_eq!(found.triangles, 2);
        let cube = generate::cuboid(0.1, 0.1, 0.1, 0).unwrap();
        assert_eq!(FarTriangles::of(&with_strays(&cube, &[1e4])).unwrap().triangles, 1);
        for mesh in [
            sphere.clone(),
            cube,
            generate::city(2000, 1).unwrap(),
            generate::terrain(2000, 1).unwrap(),
            generate::soup(500, 1).unwrap(),
            TriMesh::default(),
            // Another object is not a stray.
            with_strays(&sphere, &[1e6; 20]),
        ] {
            assert_eq!(FarTriangles::of(&mesh), None);
        }
    }
}
