//! Closed meshes that are hard to keep closed: stitched by triangles without area, folded by rounding,
//! flat, thin, far off, huge and tiny.

use hitscan_primitives::glam::Vec3;
use hitscan_primitives::{Ray, TriMesh, generate};

use crate::{Rng, Shape};

/// The difficulty of a closed mesh.
///
/// "Stitched" edges have vertices on one side that the other side lacks; triangles without area lie
/// between the two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StitchedKind {
    /// A tetrahedron, edges stitched at their exact middles.
    TetrahedronMiddles,
    /// A tetrahedron, edges stitched at several points of the line through their ends, exactly.
    TetrahedronFans,
    /// A tetrahedron, edges stitched at points that were rounded: the triangles between are slivers.
    SliverFans,
    /// A sphere, stitched at exact middles.
    SphereMiddles,
    /// A sphere, stitched at several points of an edge, exactly.
    SphereFans,
    /// A sphere, stitched, and the result stitched again: seams within seams.
    Twice,
    /// A sphere, some of whose vertices were moved onto the middle of an edge of a neighbour.
    VertexOnEdge,
    /// A subdivided box, stitched.
    BoxMiddles,
    /// The same, with a height of 1e-4 of its width.
    FlatBox,
    /// A sphere with several vertices in one place, some of them as corners of one triangle.
    RepeatedVertices,
    /// A sphere whose coordinates are rounded to multiples of 1/4, so that most triangles collapse.
    CollapsedGrid,
    /// A stitched sphere of radius 1 at (148376, 1234, -223423), where f32 has steps of 1/64.
    MovedUnit,
    /// The same of radius 0.1: most triangles collapse.
    MovedTenth,
    /// A stitched torus of radius 1 at the same place.
    MovedTorus,
    /// A stitched tetrahedron that is about 10^5 times longer than the ball inside it is wide, along an
    /// axis or not.
    Needle,
    /// A stitched sphere of radius 1e11.
    Huge,
    /// A stitched sphere of radius 1e-11.
    Tiny,
    /// A sphere without a seam, for comparison.
    Plain,
}

impl StitchedKind {
    /// All kinds.
    pub const ALL: [Self; 18] = [
        Self::TetrahedronMiddles,
        Self::TetrahedronFans,
        Self::SliverFans,
        Self::SphereMiddles,
        Self::SphereFans,
        Self::Twice,
        Self::VertexOnEdge,
        Self::BoxMiddles,
        Self::FlatBox,
        Self::RepeatedVertices,
        Self::CollapsedGrid,
        Self::MovedUnit,
        Self::MovedTenth,
        Self::MovedTorus,
        Self::Needle,
        Self::Huge,
        Self::Tiny,
        Self::Plain,
    ];
}

/// A closed mesh of a kind; spheres, boxes and the torus have about `n` triangles before they are
/// stitched. By vertex index, every edge has equal numbers of triangles in both directions.
///
/// # Panics
/// If `n` is less than the 18 triangles of the simplest torus.
// Longer than 60 lines because each kind has an arm in up to four steps, whose order matters.
pub fn stitched(kind: StitchedKind, rng: &mut Rng, n: usize) -> Shape {
    let mut surface = match kind {
        StitchedKind::TetrahedronMiddles
        | StitchedKind::TetrahedronFans
        | StitchedKind::SliverFans => Surface::tetrahedron(rng),
        StitchedKind::Needle => Surface::tetrahedron(rng).lengthened(rng),
        StitchedKind::BoxMiddles => Surface::cuboid(n, rng),
        StitchedKind::FlatBox => Surface::cuboid(n, rng).map(|p| p * Vec3::new(1.0, 1.0, 1e-4)),
        StitchedKind::MovedTorus => {
            Surface::of(generate::torus(1.0, 0.4, n).expect("n triangles make a torus"))
        }
        _ => Surface::of(generate::sphere(1.0, n).expect("n triangles make a sphere")),
    };
    let far = Vec3::new(148_376.0, 1_234.0, -223_423.0);
    match kind {
        StitchedKind::MovedUnit | StitchedKind::MovedTorus => {
            // Half of them were stitched earlier.
            if rng.one_in(2) {
                surface.stitch(rng, Seam::Middles);
            }
            surface = surface.map(|p| p + far);
        }
        StitchedKind::MovedTenth => surface = surface.map(|p| p * 0.1 + far),
        StitchedKind::CollapsedGrid => {
            let radius = rng.pick(&[0.5, 1.0, 1.5, 2.0]);
            surface = surface.map(|p| (p * radius * 4.0).round() / 4.0);
        }
        StitchedKind::Huge => surface = surface.map(|p| p * 1e11),
        StitchedKind::Tiny => surface = surface.map(|p| p * 1e-11),
        _ => {}
    }
    // Thin meshes have few spare bits, and far ones none: there, only some midpoints are exact.
    let is_thin = matches!(kind, StitchedKind::FlatBox | StitchedKind::Needle);
    let is_moved = matches!(
        kind,
        StitchedKind::MovedUnit | StitchedKind::MovedTenth | StitchedKind::MovedTorus
    );
    if !is_moved {
        surface = surface.rounded(if is_thin { 1 } else { 6 });
    }
    let seam = match kind {
        StitchedKind::TetrahedronFans | StitchedKind::SphereFans => Seam::Fans,
        StitchedKind::SliverFans => Seam::RoundedFans,
        StitchedKind::RepeatedVertices => Seam::Repeated,
        _ if is_thin || is_moved => Seam::Middles,
        _ => rng.pick(&[Seam::Middles, Seam::Fans]),
    };
    match kind {
        StitchedKind::Plain | StitchedKind::CollapsedGrid => {}
        StitchedKind::VertexOnEdge => surface.move_vertices_onto_edges(rng),
        StitchedKind::TetrahedronMiddles | StitchedKind::SphereMiddles => {
            surface.stitch(rng, Seam::Middles);
        }
        StitchedKind::Twice => {
            surface.stitch(rng, seam);
            surface.stitch(rng, Seam::Middles);
        }
        StitchedKind::RepeatedVertices => {
            surface.stitch(rng, seam);
            surface.repeat_corners(rng);
        }
        _ => surface.stitch(rng, seam),
    }
    let mesh = surface.mesh();
    Shape { name: format!("{kind:?}, {} triangles", mesh.triangles().len()), mesh }
}

/// One mesh of every kind, from a seed.
pub fn stitched_shapes(n: usize, seed: u64) -> Vec<Shape> {
    let mut rng = Rng::new(seed);
    StitchedKind::ALL.map(|kind| stitched(kind, &mut rng, n)).into()
}

/// The smallest mesh that a triangle without area closes: a tetrahedron whose edge has its midpoint as a
/// vertex on one side. The ray starts inside and misses all other triangles.
pub fn smallest_leak() -> (TriMesh, Ray) {
    let positions = [
        [-0.873, -0.411, -0.537],
        [0.781, -0.569, -0.323],
        [0.117, 0.913, -0.431],
        [-0.213, -0.129, 0.877],
    ];
    let mut surface = Surface {
        positions: positions.map(Vec3::from_array).into(),
        triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
    }
    .rounded(6);
    surface.stitch_edge(0, 0, &[0.5], 0);
    let bits = |bits: [u32; 3]| bits.map(f32::from_bits);
    let origin = bits([0xbf02_c1ce, 0xbe92_9535, 0xbda3_cac4]);
    let direction = bits([0xbdea_f890, 0x3e53_3e6a, 0xbedc_6dcf]);
    (surface.mesh(), Ray::new(origin, direction))
}

/// The positions of a seam's vertices.
#[derive(Clone, Copy, Debug)]
enum Seam {
    /// In the exact middle.
    Middles,
    /// At one to three eighths, exactly.
    Fans,
    /// At one to four points that are rounded.
    RoundedFans,
    /// At the ends.
    Repeated,
}

struct Surface {
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

impl Surface {
    fn of(mesh: TriMesh) -> Self {
        Self { positions: mesh.positions().to_vec(), triangles: mesh.triangles().to_vec() }
    }

    /// With a volume of at least a hundredth of that of its cube.
    fn tetrahedron(rng: &mut Rng) -> Self {
        loop {
            let [a, mut b, c, d] = [0; 4].map(|_| rng.in_cube());
            let volume = (b - a).dot((c - a).cross(d - a));
            if volume.abs() > 0.5 {
                // Wound outwards, whatever the order of the corners.
                let mut c = c;
                if volume < 0.0 {
                    std::mem::swap(&mut b, &mut c);
                }
                return Self {
                    positions: vec![a, b, c, d],
                    triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
                };
            }
        }
    }

    fn cuboid(n: usize, rng: &mut Rng) -> Self {
        let level = (n as f32 / 12.0).log(4.0).round().max(0.0) as u32;
        let [x, y, z] = [0; 3].map(|_| rng.between(0.5, 1.0));
        let cuboid = Self::of(generate::cuboid(x, y, z, level).expect("a low level"));
        // The middle near the origin, so that coordinates differ.
        let offset = rng.in_cube() * 0.25;
        cuboid.map(|p| p + offset)
    }

    /// Stretched along an axis, or made thin across any direction.
    fn lengthened(self, rng: &mut Rng) -> Self {
        const WIDTH: f32 = 6e-5;
        if rng.one_in(2) {
            let mut thin = Vec3::splat(WIDTH);
            thin[rng.below(3)] = 1.0;
            return self.map(|p| p * thin);
        }
        let along = rng.direction();
        self.map(|p| {
            let at = p.dot(along);
            // In f64, because the width is of the size of the rounding.
            let across = p.as_dvec3() - f64::from(at) * along.as_dvec3();
            (f64::from(at) * along.as_dvec3() + f64::from(WIDTH) * across).as_vec3()
        })
    }

    fn map(mut self, f: impl Fn(Vec3) -> Vec3) -> Self {
        for position in &mut self.positions {
            *position = f(*position);
        }
        self
    }

    /// With coordinates of few bits, so that a share of an edge is exact if it is a multiple of
    /// `2^-n_bits`.
    fn rounded(self, n_bits: i32) -> Self {
        let largest = self.positions.iter().map(|p| p.abs().max_element()).fold(0.0, f32::max);
        // f32 has 24 bits, and an edge may be twice as long as the largest coordinate.
        let step = (largest.log2().floor() + (n_bits - 22) as f32).exp2();
        self.map(|p| (p / step).round() * step)
    }

    /// Stitches one edge of about half of the triangles.
    fn stitch(&mut self, rng: &mut Rng, seam: Seam) {
        let mut was_stitched = false;
        let n = self.triangles.len();
        for triangle in 0..n {
            let is_last_chance = !was_stitched && triangle + 1 == n;
            if !is_last_chance && rng.one_in(2) {
                continue;
            }
            was_stitched = true;
            let mut at: Vec<f32> = match seam {
                Seam::Middles => vec![0.5],
                Seam::Fans => (0..=rng.below(3)).map(|_| (1 + rng.below(7)) as f32 / 8.0).collect(),
                Seam::RoundedFans => (0..=rng.below(4)).map(|_| rng.unit()).collect(),
                Seam::Repeated => vec![rng.pick(&[0.0, 1.0])],
            };
            at.sort_by(f32::total_cmp);
            let first = rng.below(at.len() + 2);
            self.stitch_edge(triangle, rng.below(3), &at, first);
        }
    }

    /// Gives the side of a triangle that starts at one of its corners new vertices at shares of its
    /// length, in order. The neighbour keeps its long side; a fan closes the gap, from the `first`
    /// vertex around it.
    fn stitch_edge(&mut self, triangle: usize, corner: usize, at: &[f32], first: usize) {
        let [a, b, c] = [0, 1, 2].map(|i| self.triangles[triangle][(corner + i) % 3]);
        let [from, to] = [a, b].map(|vertex| self.positions[vertex as usize]);
        let mut side = vec![a];
        for &share in at {
            side.push(self.positions.len() as u32);
            self.positions.push(from + share * (to - from));
        }
        side.push(b);
        self.triangles[triangle] = [side[0], side[1], c];
        self.triangles.extend(side[1..].windows(2).map(|pair| [pair[0], pair[1], c]));
        // Around the gap, and back along the new vertices.
        side.reverse();
        side.rotate_left(first % at.len().max(1) + usize::from(first > at.len()));
        let hub = side[0];
        self.triangles.extend(side[1..].windows(2).map(|pair| [hub, pair[0], pair[1]]));
    }

    /// Moves some vertices onto the middle of the opposite side of one of their triangles, which
    /// loses its area. The ends of such a side stay where they are.
    fn move_vertices_onto_edges(&mut self, rng: &mut Rng) {
        let mut is_fixed = vec![false; self.positions.len()];
        for _ in 0..self.triangles.len() / 8 + 1 {
            let corner = rng.below(3);
            let triangle = rng.pick(&self.triangles);
            let [a, b, c] = [0, 1, 2].map(|i| triangle[(corner + i) % 3] as usize);
            if !is_fixed[a] {
                self.positions[a] = 0.5 * self.positions[b] + 0.5 * self.positions[c];
                [a, b, c].into_iter().for_each(|vertex| is_fixed[vertex] = true);
            }
        }
    }

    /// Adds triangles with a repeated vertex.
    fn repeat_corners(&mut self, rng: &mut Rng) {
        for _ in 0..self.triangles.len() / 8 + 1 {
            let [a, b, _] = rng.pick(&self.triangles);
            let repeated = rng.pick(&[[a, a, b], [a, b, a], [b, a, a], [a, a, a]]);
            self.triangles.push(repeated);
        }
    }

    fn mesh(self) -> TriMesh {
        TriMesh::from_vecs(self.positions, self.triangles).expect("finite and in range")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use hitscan_primitives::{Faces, HitOptions, brute_force};

    use super::*;
    use crate::{rays_from_inside, rays_from_outside};

    #[test]
    fn every_kind_is_closed() {
        for seed in 0..50 {
            for shape in stitched_shapes(100, seed) {
                let mut edges = BTreeMap::new();
                for &[a, b, c] in shape.mesh.triangles() {
                    for (from, to) in [(a, b), (b, c), (c, a)].into_iter().filter(|(a, b)| a != b) {
                        *edges.entry((from.min(to), from.max(to))).or_insert(0) +=
                            if from < to { 1 } else { -1 };
                    }
                }
                assert!(edges.values().all(|&n| n == 0), "{}, seed {seed}", shape.name);
            }
        }
    }

    #[test]
    fn kinds_have_triangles_without_area_where_they_say() {
        let mut rng = Rng::new(1);
        for kind in StitchedKind::ALL {
            let n_degenerate: usize =
                (0..20).map(|_| stitched(kind, &mut rng, 100).mesh.n_degenerate()).sum();
            match kind {
                StitchedKind::Plain => assert_eq!(n_degenerate, 0),
                StitchedKind::SliverFans => {}
                _ => assert!(n_degenerate >= 20, "{kind:?}: {n_degenerate}"),
            }
        }
    }

    #[test]
    fn rays_cross_every_kind_as_they_must() {
        for seed in 0..5 {
            for shape in stitched_shapes(60, 100 + seed) {
                let mut rng = Rng::new(seed);
                let both = [
                    (rays_from_inside(&shape.mesh, &mut rng), 1),
                    (rays_from_outside(&shape.mesh, &mut rng), 0),
                ];
                for (rays, parity) in both {
                    for ray in rays {
                        let n = brute_force::count_crossings(&shape.mesh, &ray, Faces::Both);
                        assert_eq!(n % 2, parity, "{}, seed {seed}: {ray:?}", shape.name);
                    }
                }
            }
        }
    }

    #[test]
    fn the_smallest_leak_is_closed_by_a_triangle_without_area_alone() {
        let (mesh, ray) = smallest_leak();
        assert_eq!((mesh.triangles().len(), mesh.n_degenerate()), (6, 1));
        let hits = brute_force::all_hits(&mesh, &ray, &HitOptions::default());
        assert_eq!(hits.len(), 1);
        assert!(mesh.is_degenerate(hits[0].triangle));
    }
}
