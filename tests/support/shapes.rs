//! Meshes with a purpose: closed ones, boxes on the integer lattice, and input that degenerates trees.

use std::collections::BTreeMap;

use hitscan_primitives::TriMesh;
use hitscan_primitives::glam::Vec3;

use crate::Rng;

/// A mesh and what to call it when a test fails.
#[derive(Clone, Debug)]
pub struct Shape {
    /// What it is.
    pub name: String,
    /// The mesh.
    pub mesh: TriMesh,
}

/// Meshes on which careless builders recurse without end, overrun a stack or take quadratic time,
/// each of about `n` triangles: coincident triangles, equal centroids, exponential spacing, no area
/// at all, and all on a line.
pub fn degenerate_shapes(n: usize) -> Vec<Shape> {
    let mut rng = Rng::new(17);
    let triangle = [Vec3::ZERO, Vec3::X, Vec3::Y];
    let coincident = vec![triangle; n];
    let concentric = (0..n)
        .map(|_| {
            // The box of the three corners is centred on the origin, exactly.
            let s = rng.in_cube() * rng.power_of_two(-20.0, 0.0);
            [s, -s, Vec3::new(s.x, -s.y, 0.0)]
        })
        .collect();
    let exponential = (0..n)
        .map(|i| {
            let size = (i as f32 * (240.0 / n as f32) - 120.0).exp2();
            triangle.map(|p| (p + Vec3::ONE) * size)
        })
        .collect();
    let point = (0..n).map(|_| [rng.in_cube(); 3]).collect();
    let same_point = vec![[Vec3::ONE; 3]; n];
    let in_a_line = (0..n).map(|i| triangle.map(|p| p + Vec3::X * i as f32)).collect();
    let one_far_away = std::iter::repeat_n(triangle, n - 1)
        .chain([triangle.map(|p| p + Vec3::splat(1e6))])
        .collect();
    [
        ("coincident triangles", coincident),
        ("equal centroids", concentric),
        ("exponential spacing", exponential),
        ("points", point),
        ("the same point", same_point),
        ("triangles in a line", in_a_line),
        ("coincident but one", one_far_away),
    ]
    .map(|(name, corners)| Shape { name: format!("{name}, {n}"), mesh: unshared(&corners) })
    .into()
}

/// A closed box from the origin to `size`, all of whose vertices are integer points: every unit
/// square of its faces is two triangles, wound outwards.
pub fn integer_box(size: [u32; 3]) -> TriMesh {
    let mut builder = Lattice::default();
    for axis in 0..3 {
        let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
        for (y, x) in (0..size[k]).flat_map(|y| (0..size[j]).map(move |x| (y, x))) {
            for (height, outwards) in [(0, false), (size[axis], true)] {
                let corner = |dx: u32, dy: u32| {
                    let mut point = [0; 3];
                    point[axis] = height;
                    point[j] = x + dx;
                    point[k] = y + dy;
                    point
                };
                builder.square([corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)], outwards);
            }
        }
    }
    builder.finish()
}

#[derive(Default)]
struct Lattice {
    ids: BTreeMap<[u32; 3], u32>,
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

impl Lattice {
    fn square(&mut self, corners: [[u32; 3]; 4], counter_clockwise: bool) {
        let [a, b, c, d] = corners.map(|corner| self.vertex(corner));
        if counter_clockwise {
            self.triangles.extend([[a, b, c], [a, c, d]]);
        } else {
            self.triangles.extend([[a, c, b], [a, d, c]]);
        }
    }

    fn vertex(&mut self, point: [u32; 3]) -> u32 {
        let next = self.positions.len() as u32;
        let id = *self.ids.entry(point).or_insert(next);
        if id == next {
            self.positions.push(Vec3::from_array(point.map(|x| x as f32)));
        }
        id
    }

    fn finish(self) -> TriMesh {
        TriMesh::from_vecs(self.positions, self.triangles).expect("lattice points are finite")
    }
}

/// A mesh of triangles that share no vertex.
pub(crate) fn unshared(corners: &[[Vec3; 3]]) -> TriMesh {
    let triangles = (0..corners.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    TriMesh::from_vecs(corners.as_flattened().to_vec(), triangles)
        .expect("the caller makes finite corners")
}
