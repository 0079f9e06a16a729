//! Meshes with a purpose: closed ones, boxes on the integer lattice, and input that degenerates trees.

use std::collections::BTreeMap;

use hitscan_primitives::glam::Vec3;
use hitscan_primitives::{TriMesh, generate};

use crate::Rng;

/// A mesh with its name for failing tests.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The name.
    pub name: String,
    /// The mesh.
    pub mesh: TriMesh,
}

/// Closed meshes of about `n` triangles, wound outwards, without triangles of zero area. They are round,
/// have a hole or flat faces, are flattened or stretched a thousandfold, or lie far from the origin.
///
/// # Panics
/// If `n` is less than the 18 triangles of the simplest torus, or so large that far ones would lose
/// their area.
pub fn closed_shapes(n: usize) -> Vec<Shape> {
    let sphere = generate::sphere(1.0, n).expect("n triangles make a sphere");
    let torus = generate::torus(1.0, 0.4, n).expect("n triangles make a torus");
    let level = (n as f32 / 12.0).log(4.0).round().max(0.0) as u32;
    let cuboid = generate::cuboid(10.0, 12.0, 4.0, level).expect("a low level");
    let cells = ((n as f32 / 12.0).sqrt() as u32).max(1);
    let moved = |mesh: &TriMesh, f: &dyn Fn(Vec3) -> Vec3| {
        let positions = mesh.positions().iter().map(|&p| f(p));
        mesh.with_positions(positions).expect("finite stays finite here")
    };
    let far = Vec3::new(148_376.0, 1_234.0, -223_423.0);
    let shapes = [
        ("flat sphere", moved(&sphere, &|p| p * Vec3::new(1.0, 1e-3, 1.0))),
        ("long sphere", moved(&sphere, &|p| p * Vec3::new(1.0, 1.0, 1e3))),
        ("far sphere", moved(&sphere, &|p| p * 50.0 + far)),
        ("far torus", moved(&torus, &|p| p * 50.0 - far)),
        ("sphere", sphere),
        ("torus", torus),
        ("cuboid", cuboid),
        ("integer box", integer_box([cells, 2 * cells, cells])),
    ];
    let named = |(name, mesh): (&str, TriMesh)| {
        assert_eq!(mesh.n_degenerate(), 0, "{name}");
        Shape { name: format!("{name}, {} triangles", mesh.triangles().len()), mesh }
    };
    shapes.map(named).into()
}

/// Meshes of about `n` triangles that make careless builders recurse without end, overflow a stack or
/// take quadratic time. The triangles coincide, have equal centroids, exponential spacing or no area, or
/// lie on one line.
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
    let as_large_as_all = (0..n).map(|_| [(); 3].map(|()| rng.in_cube())).collect();
    [
        ("coincident triangles", coincident),
        ("equal centroids", concentric),
        ("exponential spacing", exponential),
        ("points", point),
        ("the same point", same_point),
        ("triangles in a line", in_a_line),
        ("coincident but one", one_far_away),
        ("triangles as large as all", as_large_as_all),
    ]
    .map(|(name, corners)| Shape { name: format!("{name}, {n}"), mesh: unshared(&corners) })
    .into()
}

/// A closed box from the origin to `size`, with a vertex at every integer point of its faces. Two
/// triangles make each unit square, wound outwards.
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

/// A flat grid of unit squares in the plane z = 0 from the origin to `(width, height)`: two triangles
/// a square, facing +z.
pub fn integer_grid(width: u32, height: u32) -> TriMesh {
    let mut builder = Lattice::default();
    for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
        builder.square([[x, y, 0], [x + 1, y, 0], [x + 1, y + 1, 0], [x, y + 1, 0]], true);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether every edge occurs equally often in both directions.
    fn is_closed(mesh: &TriMesh) -> bool {
        let mut edges = BTreeMap::new();
        for [a, b, c] in mesh.triangles() {
            for (from, to) in [(a, b), (b, c), (c, a)] {
                *edges.entry((from.min(to), from.max(to))).or_insert(0) +=
                    if from < to { 1 } else { -1 };
            }
        }
        edges.values().all(|&n| n == 0)
    }

    #[test]
    fn closed_shapes_are_closed() {
        for shape in closed_shapes(300) {
            assert!(is_closed(&shape.mesh), "{}", shape.name);
        }
    }

    #[test]
    fn an_integer_box_is_wound_outwards() {
        let mesh = integer_box([2, 3, 4]);
        assert_eq!(mesh.triangles().len(), 2 * 2 * (2 * 3 + 3 * 4 + 4 * 2));
        let middle = Vec3::new(1.0, 1.5, 2.0).as_dvec3();
        for triangle in 0..mesh.triangles().len() as u32 {
            let outwards = mesh.corners(triangle)[0].as_dvec3() - middle;
            assert!(
                mesh.unit_normal(triangle).expect("it has an area").dot(outwards) > 0.0,
                "triangle {triangle}"
            );
        }
    }

    #[test]
    fn degenerate_shapes_have_the_size_asked_for() {
        for shape in degenerate_shapes(50) {
            assert_eq!(shape.mesh.triangles().len(), 50, "{}", shape.name);
        }
    }
}
