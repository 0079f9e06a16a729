//! Single rays of every kind that has broken a ray caster, aimed at a given mesh.

use hitscan_primitives::glam::Vec3;
use hitscan_primitives::{Aabb, Ray, TriMesh};

use crate::rng::Rng;

/// The feature that a ray is aimed at, starts from or runs along.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RayKind {
    /// From anywhere around the mesh in any direction.
    Random,
    /// From a point of the bounds at a point of a face or in any direction.
    FromInside,
    /// At a vertex.
    AtVertex,
    /// At a point of an edge, often its middle.
    AtEdge,
    /// At a point of a face.
    AtFace,
    /// In the plane of a triangle, up to rounding.
    InPlane,
    /// In the plane of a triangle, at one of its vertices.
    InPlaneAtVertex,
    /// 1e-4 out of the plane of a triangle, or between 1e-9 and 1e-2.
    Grazing,
    /// Along an axis through a vertex.
    AxisThroughVertex,
    /// Along an axis, the other coordinates taken from two vertices: on box faces and edges.
    AxisThroughPlanes,
    /// One direction component 0.0 or -0.0, the origin's taken from a vertex: within a box plane.
    ZeroComponent,
    /// In a face of the bounds.
    InBoundsFace,
    /// Each coordinate of the origin and of the target taken from a different vertex: on corners of boxes.
    MixedCoordinates,
    /// From a vertex.
    FromVertex,
    /// From a point of an edge.
    FromEdge,
    /// From a point of a face.
    FromFace,
    /// From 10 to 10^6 extents away at some point of the mesh, sometimes from 10^7.
    FarOrigin,
    /// A segment that ends on its target.
    SegmentOnTarget,
    /// A segment whose interval is its target, or a few roundings wider.
    ShortInterval,
    /// An interval behind the origin, with a target in it or at its end.
    Behind,
    /// One or two direction components of relative size 1e-7.
    TinyComponents,
    /// A direction scaled by a power of two between 2^-60 and 2^60.
    ExtremeLength,
    /// A segment between two points around the mesh.
    RandomSegment,
    /// From one vertex to another, often along an edge.
    VertexToVertex,
    /// Along the line of an edge, from its start or a point before it.
    AlongEdge,
}

impl RayKind {
    /// All kinds.
    pub const ALL: [Self; 25] = [
        Self::Random,
        Self::FromInside,
        Self::AtVertex,
        Self::AtEdge,
        Self::AtFace,
        Self::InPlane,
        Self::InPlaneAtVertex,
        Self::Grazing,
        Self::AxisThroughVertex,
        Self::AxisThroughPlanes,
        Self::ZeroComponent,
        Self::InBoundsFace,
        Self::MixedCoordinates,
        Self::FromVertex,
        Self::FromEdge,
        Self::FromFace,
        Self::FarOrigin,
        Self::SegmentOnTarget,
        Self::ShortInterval,
        Self::Behind,
        Self::TinyComponents,
        Self::ExtremeLength,
        Self::RandomSegment,
        Self::VertexToVertex,
        Self::AlongEdge,
    ];

    /// A ray of this kind, with the direction and the interval that its construction gives.
    ///
    /// A mesh without triangles is treated as a triangle of unit size.
    // Longer than 60 lines because each kind has one arm.
    pub fn ray(self, mesh: &TriMesh, rng: &mut Rng) -> Ray {
        let target = Target::new(mesh, rng);
        let [a, b, _] = target.corners;
        let outside = target.outside(rng);
        match self {
            Self::Random => Ray::new(outside, rng.direction()),
            Self::FromInside => {
                let origin = target.inside(rng);
                let towards = [target.on_face(rng) - origin, rng.direction()];
                Ray::new(origin, rng.pick(&towards))
            }
            Self::AtVertex => at(outside, a),
            Self::AtEdge => at(outside, target.on_edge(rng)),
            Self::AtFace => at(outside, target.on_face(rng)),
            Self::InPlane => {
                let (origin, along) = target.in_plane(rng);
                Ray::new(origin, along)
            }
            Self::InPlaneAtVertex => {
                let (origin, along) = target.in_plane(rng);
                at(origin + along * rng.between(-4.0, 4.0), a)
            }
            Self::Grazing => {
                let (origin, along) = target.in_plane(rng);
                let exponent = if rng.one_in(2) { -4.0 } else { rng.between(-9.0, -2.0) };
                let tilt = along + target.normal() * along.length() * 10f32.powf(exponent);
                Ray::new(origin - tilt, tilt)
            }
            Self::AxisThroughVertex => {
                let axis = rng.below(3);
                let mut origin = a;
                origin[axis] = outside[axis];
                Ray::new(origin, along_axis(axis, rng))
            }
            Self::AxisThroughPlanes => {
                let axis = rng.below(3);
                let mut origin = target.other_vertex(rng);
                origin[(axis + 1) % 3] = a[(axis + 1) % 3];
                origin[axis] = outside[axis];
                Ray::new(origin, along_axis(axis, rng))
            }
            Self::ZeroComponent => {
                let axis = rng.below(3);
                let mut origin = outside;
                origin[axis] = a[axis];
                let mut direction = target.on_face(rng) - origin;
                direction[axis] = rng.pick(&[0.0, -0.0]);
                Ray::new(origin, direction)
            }
            Self::InBoundsFace => {
                let (axis, bounds) = (rng.below(3), target.bounds);
                let plane = rng.pick(&[bounds.min, bounds.max])[axis];
                let (mut origin, mut through) = (outside, target.inside(rng));
                (origin[axis], through[axis]) = (plane, plane);
                at(origin, through)
            }
            Self::MixedCoordinates => at(target.mixed(rng), target.mixed(rng)),
            Self::FromVertex => Ray::new(a, rng.direction()),
            Self::FromEdge => Ray::new(target.on_edge(rng), rng.direction()),
            Self::FromFace => Ray::new(target.on_face(rng), rng.direction()),
            Self::FarOrigin => {
                let point = target.any_point(rng);
                let exponent = far_exponent(rng);
                let away = rng.direction() * target.size * 10f32.powf(exponent);
                at(point + away, point)
            }
            Self::SegmentOnTarget => Ray::segment(outside, target.any_point(rng)),
            Self::ShortInterval => {
                let n_ulps = rng.below(4) as u32;
                let one = 1.0f32.to_bits();
                let [low, high] = [one - n_ulps, one + n_ulps].map(f32::from_bits);
                at(outside, target.any_point(rng)).with_range(low, high)
            }
            Self::Behind => {
                let t_min = rng.pick(&[f32::NEG_INFINITY, -2.0, -1.0]);
                let t_max = rng.pick(&[f32::INFINITY, -0.5, -1.0]);
                Ray::new(outside, outside - target.any_point(rng)).with_range(t_min, t_max)
            }
            Self::TinyComponents => {
                let mut direction = target.any_point(rng) - outside;
                let (axis, tiny) = (rng.below(3), 1e-7 * direction.abs().max_element());
                direction[axis] = tiny * rng.between(-1.0, 1.0);
                if rng.one_in(2) {
                    direction[(axis + 1) % 3] = tiny * rng.between(-1.0, 1.0);
                }
                Ray::new(outside, direction)
            }
            Self::ExtremeLength => {
                let scale = 2f32.powi(rng.below(121) as i32 - 60);
                Ray::new(outside, (target.any_point(rng) - outside) * scale)
            }
            Self::RandomSegment => Ray::segment(outside, target.outside(rng)),
            Self::VertexToVertex => {
                let other = target.other_vertex(rng);
                Ray::segment(a, rng.pick(&[b, other]))
            }
            Self::AlongEdge => {
                let before = rng.pick(&[0.0, 1.0, 3.0]) * rng.between(0.0, 1.0);
                Ray::new(a - before * (b - a), b - a)
            }
        }
    }
}

/// The half-line from `origin` through `target`, which is at t = 1.
fn at(origin: Vec3, target: Vec3) -> Ray {
    Ray::new(origin, target - origin)
}

fn along_axis(axis: usize, rng: &mut Rng) -> Vec3 {
    let zero = rng.pick(&[0.0, -0.0]);
    let mut direction = Vec3::splat(zero);
    direction[axis] = rng.pick(&[1.0, -1.0]);
    direction
}

/// The power of ten of a distance in extents. From beyond 10^4 rounding makes a ray about as wide as
/// the mesh: it meets thousands of triangles, and takes as long as a thousand other rays.
fn far_exponent(rng: &mut Rng) -> f32 {
    match rng.below(16) {
        0 => 7.0,
        1..=4 => rng.between(1.0, 6.0),
        _ => rng.between(1.0, 4.0),
    }
}

/// The triangle that a ray is aimed at, and the mesh around it.
struct Target<'a> {
    mesh: &'a TriMesh,
    /// The bounds of the mesh; of the unit triangle if the mesh has none.
    bounds: Aabb,
    corners: [Vec3; 3],
    size: f32,
}

impl<'a> Target<'a> {
    fn new(mesh: &'a TriMesh, rng: &mut Rng) -> Self {
        let size = size_of(mesh);
        if mesh.triangles().is_empty() {
            let corners = [Vec3::ZERO, Vec3::X, Vec3::Y];
            return Self { mesh, bounds: Aabb::from_points(corners), corners, size };
        }
        let [a, b, c] = mesh.corners(rng.below(mesh.triangles().len()) as u32);
        // Any corner may come first.
        let corners = rng.pick(&[[a, b, c], [b, c, a], [c, a, b]]);
        Self { mesh, bounds: mesh.bounds(), corners, size }
    }

    fn normal(&self) -> Vec3 {
        let [a, b, c] = self.corners;
        let edges = [b - a, c - a].map(Vec3::normalize_or_zero);
        edges[0].cross(edges[1]).normalize_or_zero()
    }

    fn on_edge(&self, rng: &mut Rng) -> Vec3 {
        let [a, b, _] = self.corners;
        if rng.one_in(3) { 0.5 * a + 0.5 * b } else { a.lerp(b, rng.unit()) }
    }

    fn on_face(&self, rng: &mut Rng) -> Vec3 {
        let [a, b, c] = self.corners;
        let (mut u, mut v) = (rng.unit(), rng.unit());
        if u + v > 1.0 {
            (u, v) = (1.0 - u, 1.0 - v);
        }
        (1.0 - u - v) * a + u * b + v * c
    }

    fn any_point(&self, rng: &mut Rng) -> Vec3 {
        match rng.below(3) {
            0 => self.corners[0],
            1 => self.on_edge(rng),
            _ => self.on_face(rng),
        }
    }

    fn other_vertex(&self, rng: &mut Rng) -> Vec3 {
        if self.mesh.triangles().is_empty() {
            return self.corners[1];
        }
        rng.pick(self.mesh.positions())
    }

    /// A point with each coordinate of a different vertex.
    fn mixed(&self, rng: &mut Rng) -> Vec3 {
        let [x, y, z] = [(); 3].map(|()| self.other_vertex(rng));
        Vec3::new(x.x, y.y, z.z)
    }

    /// A point within about one extent of the mesh's box.
    fn outside(&self, rng: &mut Rng) -> Vec3 {
        let center =
            if self.mesh.triangles().is_empty() { Vec3::ZERO } else { self.bounds.center() };
        center + rng.in_cube() * self.size
    }

    /// A point in the bounds.
    fn inside(&self, rng: &mut Rng) -> Vec3 {
        // Halves first, which do not overflow.
        let Aabb { min, max } = self.bounds;
        self.bounds.center() + rng.in_cube() * (0.5 * max - 0.5 * min)
    }

    /// A point of the triangle's plane and a direction in it.
    fn in_plane(&self, rng: &mut Rng) -> (Vec3, Vec3) {
        let [a, b, c] = self.corners;
        let along = (b - a) * rng.between(-1.0, 1.0) + (c - a) * rng.between(-1.0, 1.0);
        (self.on_face(rng) - along * rng.between(0.0, 4.0), along)
    }
}

/// About the diameter of a mesh, positive and finite.
pub(crate) fn size_of(mesh: &TriMesh) -> f32 {
    let bounds = mesh.bounds();
    if bounds.is_empty() {
        return 1.0;
    }
    let extent = bounds.extent().max_element();
    let size = if extent > 0.0 { extent } else { bounds.max_abs_coordinate().max(1e-30) };
    size.min(f32::MAX / 16.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::Oracle;
    use hitscan_primitives::generate;

    #[test]
    fn every_kind_of_ray_hits_often_enough_to_test_something() {
        for mesh in [generate::terrain(200, 1), generate::cuboid(2.0, 3.0, 4.0, 2)] {
            let mesh = mesh.expect("an ordinary size");
            let (oracle, mut rng) = (Oracle::new(&mesh), Rng::new(5));
            for kind in RayKind::ALL {
                let rays = (0..1000).map(|_| kind.ray(&mesh, &mut rng));
                let n_hits = rays.filter(|ray| !oracle.hits(ray).every_triangle.is_empty()).count();
                assert!(n_hits > 30, "{kind:?}: {n_hits} of 1000");
            }
        }
    }
}
