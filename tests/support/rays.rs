//! Rays of every kind that has broken a ray caster, aimed at a given mesh.

use hitscan_primitives::glam::Vec3;
use hitscan_primitives::{Ray, TriMesh};

use crate::{Rng, Twin};

/// What a ray is aimed at or runs along.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RayKind {
    /// From anywhere around the mesh in any direction.
    Random,
    /// At a vertex.
    AtVertex,
    /// At a point of an edge, often its middle.
    AtEdge,
    /// At a point of a face.
    AtFace,
    /// In the plane of a triangle, up to rounding.
    InPlane,
    /// 1e-4 out of the plane of a triangle.
    Grazing,
    /// Along an axis through a vertex.
    AxisThroughVertex,
    /// Along an axis, the other coordinates taken from two vertices: on box faces and edges.
    AxisThroughPlanes,
    /// One direction component 0.0 or -0.0, the origin's taken from a vertex: within a box plane.
    ZeroComponent,
    /// From a vertex.
    FromVertex,
    /// From a point of an edge.
    FromEdge,
    /// From a point of a face.
    FromFace,
    /// From 10 to 10^6 extents away at some point of the mesh.
    FarOrigin,
    /// A segment that ends on its target.
    SegmentOnTarget,
    /// One or two direction components of relative size 1e-7.
    TinyComponents,
    /// A segment between two points around the mesh.
    RandomSegment,
    /// From one vertex to another, often along an edge.
    VertexToVertex,
}

impl RayKind {
    /// All kinds.
    pub const ALL: [Self; 17] = [
        Self::Random,
        Self::AtVertex,
        Self::AtEdge,
        Self::AtFace,
        Self::InPlane,
        Self::Grazing,
        Self::AxisThroughVertex,
        Self::AxisThroughPlanes,
        Self::ZeroComponent,
        Self::FromVertex,
        Self::FromEdge,
        Self::FromFace,
        Self::FarOrigin,
        Self::SegmentOnTarget,
        Self::TinyComponents,
        Self::RandomSegment,
        Self::VertexToVertex,
    ];

    /// A ray of this kind, with the direction and the interval that its construction gives.
    ///
    /// A mesh without triangles is treated as a triangle of unit size.
    pub fn ray(self, mesh: &TriMesh, rng: &mut Rng) -> Ray {
        let target = Target::new(mesh, rng);
        let [a, b, c] = target.corners;
        let outside = target.outside(rng);
        match self {
            Self::Random => Ray::new(outside, rng.direction()),
            Self::AtVertex => Ray::new(outside, a - outside),
            Self::AtEdge => Ray::new(outside, target.on_edge(rng) - outside),
            Self::AtFace => Ray::new(outside, target.on_face(rng) - outside),
            Self::InPlane => {
                let (origin, along) = target.in_plane(rng);
                Ray::new(origin, along)
            }
            Self::Grazing => {
                let (origin, along) = target.in_plane(rng);
                let up = (b - a).normalize_or_zero().cross((c - a).normalize_or_zero());
                let tilt = along + up.normalize_or_zero() * along.length() * 1e-4;
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
            Self::FromVertex => Ray::new(a, rng.direction()),
            Self::FromEdge => Ray::new(target.on_edge(rng), rng.direction()),
            Self::FromFace => Ray::new(target.on_face(rng), rng.direction()),
            Self::FarOrigin => {
                let point = target.any_point(rng);
                let away = rng.direction() * target.size * 10f32.powf(rng.between(1.0, 6.0));
                Ray::new(point + away, point - (point + away))
            }
            Self::SegmentOnTarget => Ray::segment(outside, target.any_point(rng)),
            Self::TinyComponents => {
                let mut direction = target.any_point(rng) - outside;
                let (axis, tiny) = (rng.below(3), 1e-7 * direction.abs().max_element());
                direction[axis] = tiny * rng.between(-1.0, 1.0);
                if rng.one_in(2) {
                    direction[(axis + 1) % 3] = tiny * rng.between(-1.0, 1.0);
                }
                Ray::new(outside, direction)
            }
            Self::RandomSegment => Ray::segment(outside, target.outside(rng)),
            Self::VertexToVertex => {
                let other = target.other_vertex(rng);
                Ray::segment(a, rng.pick(&[b, other]))
            }
        }
    }
}

/// A ray of a random kind, with its direction rescaled and its interval narrowed at random: half keep
/// the interval, the rest start past 0, are short, reach behind the origin, or are lines.
pub fn aimed_ray(mesh: &TriMesh, rng: &mut Rng) -> Ray {
    let mut ray = rng.pick(&RayKind::ALL).ray(mesh, rng);
    let length = ray.direction.length();
    let factor = match rng.below(4) {
        0 => 10f32.powf(rng.between(-3.0, 3.0)),
        1 if length > 0.0 => 1.0 / length,
        _ => 1.0,
    };
    ray.direction *= factor;
    ray.t_max /= factor;

    let reach = size_of(mesh) / ray.direction.length();
    let (start, length) = (reach * rng.between(0.0, 2.0), reach * rng.power_of_two(-8.0, 1.0));
    match rng.below(16) {
        0..=7 => ray,
        8..=10 => ray.with_range(start, start + length),
        11 => ray.with_range(start, f32::INFINITY),
        12 => ray.with_range(0.0, start),
        13 => ray.with_range(-start, length),
        14 => ray.with_range(-start - length, -start),
        _ => ray.with_range(f32::NEG_INFINITY, ray.t_max),
    }
}

/// Rays that can hit nothing by definition, each with what is wrong with it. They aim at `target`
/// from `origin` but for the one thing that is wrong.
pub fn invalid_rays(origin: Vec3, target: Vec3) -> Vec<(String, Ray)> {
    let good = Ray::new(origin, target - origin);
    let mut rays = Vec::new();
    for zero in [Vec3::ZERO, -Vec3::ZERO, Vec3::new(0.0, -0.0, 0.0)] {
        rays.push((format!("direction {zero}"), Ray { direction: zero, ..good }));
    }
    for bad in [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for axis in 0..3 {
            let (mut at_origin, mut at_direction) = (good, good);
            at_origin.origin[axis] = bad;
            at_direction.direction[axis] = bad;
            rays.push((format!("origin[{axis}] = {bad}"), at_origin));
            rays.push((format!("direction[{axis}] = {bad}"), at_direction));
        }
    }
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    let ranges =
        [(2.0, 0.5), (0.0, -1.0), (0.0, -inf), (inf, 0.0), (nan, 1.0), (0.0, nan), (nan, nan)];
    for (t_min, t_max) in ranges {
        rays.push((format!("t in [{t_min}, {t_max}]"), good.with_range(t_min, t_max)));
    }
    rays
}

/// The triangle that a ray has to do with, and the mesh around it.
struct Target<'a> {
    mesh: &'a TriMesh,
    corners: [Vec3; 3],
    size: f32,
}

impl<'a> Target<'a> {
    fn new(mesh: &'a TriMesh, rng: &mut Rng) -> Self {
        let corners = if mesh.triangles().is_empty() {
            [Vec3::ZERO, Vec3::X, Vec3::Y]
        } else {
            let [a, b, c] = mesh.corners(rng.below(mesh.triangles().len()) as u32);
            // Any corner may come first.
            rng.pick(&[[a, b, c], [b, c, a], [c, a, b]])
        };
        Self { mesh, corners, size: size_of(mesh) }
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

    /// A point within about one extent of the mesh's box.
    fn outside(&self, rng: &mut Rng) -> Vec3 {
        let middle =
            if self.mesh.triangles().is_empty() { Vec3::ZERO } else { self.mesh.bounds().center() };
        middle + rng.in_cube() * self.size
    }

    /// A point of the triangle's plane and a direction in it.
    fn in_plane(&self, rng: &mut Rng) -> (Vec3, Vec3) {
        let [a, b, c] = self.corners;
        let along = (b - a) * rng.between(-1.0, 1.0) + (c - a) * rng.between(-1.0, 1.0);
        (self.on_face(rng) - along * rng.between(0.0, 4.0), along)
    }
}

/// About the diameter of a mesh, positive and finite.
fn size_of(mesh: &TriMesh) -> f32 {
    let bounds = mesh.bounds();
    if bounds.is_empty() {
        return 1.0;
    }
    let extent = bounds.extent().max_element();
    let size = if extent > 0.0 { extent } else { bounds.max_abs_coordinate().max(1e-30) };
    size.min(f32::MAX / 16.0)
}

fn along_axis(axis: usize, rng: &mut Rng) -> Vec3 {
    let zero = rng.pick(&[0.0, -0.0]);
    let mut direction = Vec3::splat(zero);
    direction[axis] = rng.pick(&[1.0, -1.0]);
    direction
}

/// Rays of all kinds; one in eight is a second ray whose interval starts or ends exactly on a hit of
/// the one before.
///
/// At most `n`, and fewer where a ray meets a whole stack of triangles: there may be about ten hits
/// per ray asked for, or a test would spend its time on lists.
pub fn hard_rays(mesh: &TriMesh, n: usize, rng: &mut Rng) -> Vec<Ray> {
    let twin = Twin::new(mesh);
    let mut rays = Vec::with_capacity(n);
    let mut n_hits = 0;
    while rays.len() < n && n_hits < 10 * n {
        let ray = aimed_ray(mesh, rng);
        rays.push(ray);
        let hits = twin.answers(&ray).closed;
        n_hits += hits.len();
        if !hits.is_empty() && rng.one_in(4) {
            let t = rng.pick(&hits).t;
            rays.push(rng.pick(&[
                ray.with_range(ray.t_min, t),
                ray.with_range(t, ray.t_max),
                ray.with_range(t, t),
                ray.with_range(ray.t_min, t.next_down()),
            ]));
        }
    }
    rays.truncate(n);
    rays
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SoupKind, Twin, soup_of};

    #[test]
    fn every_kind_of_ray_hits_often_enough_to_test_something() {
        let mut rng = Rng::new(5);
        let mesh = soup_of(SoupKind::HeightField, &mut rng, 200).mesh;
        let twin = Twin::new(&mesh);
        for kind in RayKind::ALL {
            let rays = (0..1000).map(|_| kind.ray(&mesh, &mut rng));
            let n_hits = rays.filter(|ray| !twin.answers(ray).closed.is_empty()).count();
            assert!(n_hits > 30, "{kind:?}: {n_hits} of 1000");
        }
    }

    #[test]
    fn invalid_rays_are_invalid() {
        for (what, ray) in invalid_rays(Vec3::new(0.1, 0.2, 3.0), Vec3::ZERO) {
            assert!(ray.checked().is_err(), "{what}");
        }
    }

    #[test]
    fn a_mesh_without_triangles_can_be_aimed_at() {
        let mesh = TriMesh::new([[0.0; 3]; 0], vec![]).unwrap();
        let mut rng = Rng::new(6);
        let n_valid = (0..1000).filter(|_| aimed_ray(&mesh, &mut rng).is_valid()).count();
        assert!(n_valid > 900, "{n_valid}");
    }
}
