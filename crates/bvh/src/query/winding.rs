//! Winding numbers: whether a point is inside, also of a surface with holes.
//!
//! After Martens, Trettner and Bessmeltsev, "The Antipodal Method" (2026): a winding number is the signed crossings of one
//! ray, and a term of the boundary alone. They integrate along the boundary for each point and ray. We span the boundary
//! by triangles once ([`caps`](super::caps)), and add their winding number. So distant caps are one cluster, and no
//! integral jumps where a ray passes close to the boundary.

use std::{
    borrow::Cow,
    cmp::Ordering,
    sync::{Arc, OnceLock},
};

use glam::{DVec3, Vec3};
use hitscan_primitives::{MAX_WINDING_COORDINATE, Ray};

use super::{boundary::boundary, caps::caps, far_field::FarField, surface::Surface};
use crate::{
    error_bounds::{CROSSING_CLEARANCE, SOLID_ANGLE_ROUNDING},
    mesh_bvh::MeshBvh,
    options::BuildOptions,
};

/// Winding numbers and signed distances of a mesh, in O(log n).
///
/// The winding number is 1 inside a closed surface whose front faces outward, -1 if its front faces inward, and 0
/// outside. Around a surface with holes, turned or doubled parts it takes other values. A point is inside where the number
/// is greater than 1/2 or less than -1/2. So a surface that is inside out has the same inside as its turned copy, a shell in a
/// turned shell is hollow, doubled faces count as one, and two solids have all points inside that either has.
///
/// Its memory is that of the boundary: some 50 bytes for each open edge, nothing for a closed surface. If the edges need
/// as many caps as half of the triangles, it holds about 30 bytes for each triangle of the surface instead. It also
/// does so once a point lies within rounding of the surface.
///
/// ```
/// use std::sync::Arc;
///
/// use hitscan_bvh::{BuildOptions, MeshBvh, WindingTree};
/// use hitscan_primitives::generate;
///
/// let mesh = generate::sphere(1.0, 2000)?;
/// let tree = WindingTree::new(Arc::new(MeshBvh::build(&mesh, &BuildOptions::default())));
/// assert!(tree.is_inside([0.5, 0.3, -0.6]) && !tree.is_inside([0.7, 0.7, -0.6]));
/// let distance = tree.signed_distance([0.0, 0.0, 0.25]).expect("there is a surface");
/// assert!((distance + 0.75).abs() < 0.01);
/// # Ok::<(), hitscan_primitives::generate::GenerateError>(())
/// ```
#[derive(Clone, Debug)]
pub struct WindingTree {
    surface: Surface,
    /// The triangles that close the surface; `None` if there are too many, or the tree is scaled.
    caps: Option<Caps>,
    /// The far field of the whole surface, once a point needs it.
    whole: OnceLock<Arc<FarField>>,
}

/// What decides winding numbers from a distance of the surface.
#[derive(Clone, Debug)]
struct Caps {
    field: FarField,
    /// [`Surface::sum_of_squares`] of the surface and of the caps.
    sums_of_squares: [f64; 2],
    /// The distance from surface and caps beyond which crossings count.
    clearance: f64,
}

/// A winding number by a [`WindingTree`]. The default is that around a point without a surface.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WindingNumber {
    /// The number, near an integer unless the surface has holes.
    pub value: f64,
    /// The maximum difference from
    /// [`brute_force::winding_number`](hitscan_primitives::brute_force::winding_number), which is at most the tolerance.
    /// The actual error is typically ten times smaller.
    pub max_error: f64,
}

impl WindingTree {
    /// Finds the boundary of a surface and spans it by triangles. O(n log n).
    pub fn new(bvh: Arc<MeshBvh>) -> Self {
        // Clusters add up from the last node to the first, so children must follow their parents.
        let ordered = match bvh.in_order() {
            Cow::Borrowed(_) => None,
            Cow::Owned(ordered) => Some(Arc::new(ordered)),
        };
        let surface = Surface::new(ordered.unwrap_or(bvh));
        let caps = Caps::of(&surface);
        let tree = Self { surface, caps, whole: OnceLock::new() };
        if tree.caps.is_none() {
            tree.whole();
        }
        tree
    }

    /// The hierarchy.
    pub fn bvh(&self) -> &Arc<MeshBvh> {
        &self.surface.bvh
    }

    /// The winding number of the surface around `point`, in the mesh's own space. 0 for a point that is
    /// not finite.
    ///
    /// `tolerance` is the maximum error. 1e-3 suits most uses. 0 sums all triangles, as does any
    /// tolerance that rounding exceeds. On the surface itself the number jumps, and is the mean of both sides.
    pub fn winding_number(&self, point: impl Into<[f32; 3]>, tolerance: f64) -> WindingNumber {
        let point = Vec3::from_array(point.into()).as_dvec3();
        if !point.is_finite() {
            return WindingNumber::default();
        }
        // In this form a NaN is rejected.
        if tolerance > 0.0 {
            let by_caps = self.caps.as_ref().and_then(|caps| {
                let place = caps.place(&self.surface.bvh, point, None, tolerance / 4.0)?;
                let is_enough = |found| place.with_caps(found).1 <= tolerance;
                Some(place.with_caps(caps.field.winding_around(point, is_enough)))
            });
            let is_enough = |(_, max_error): &(f64, f64)| *max_error <= tolerance;
            let found = by_caps.filter(is_enough).or_else(|| {
                let found =
                    self.whole().winding_around(self.scaled(point), |found| is_enough(&found));
                Some(found).filter(is_enough)
            });
            if let Some((value, max_error)) = found {
                return WindingNumber { value, max_error };
            }
        }
        let sum = self.surface.winding_sum(self.scaled(point));
        WindingNumber { value: sum.winding_number(), max_error: 0.0 }
    }

    /// Whether the winding number around `point` is greater than 1/2 or less than -1/2: for a closed surface, whether
    /// the point is inside. `false` for a point that is not finite.
    ///
    /// The answer is that of
    /// [`brute_force::is_inside`](hitscan_primitives::brute_force::is_inside), whatever the tree. A ray counts crossings, and
    /// the caps of the boundary add their share. Where the bound on the error leaves a doubt, solid angles of all
    /// triangles decide: on the surface, and near a winding number of 1/2 around a surface with holes.
    pub fn is_inside(&self, point: impl Into<[f32; 3]>) -> bool {
        self.is_inside_f64(Vec3::from_array(point.into()).as_dvec3())
    }

    /// [`is_inside`](Self::is_inside) for a point in f64, which nothing rounds to f32.
    ///
    /// The answer is that of
    /// [`brute_force::is_inside_f64`](hitscan_primitives::brute_force::is_inside_f64), whatever the tree. `false` for
    /// a point that is not finite. Far from the origin of a mesh, f32 would move the point by more than the size of
    /// a small mesh.
    pub fn is_inside_f64(&self, point: impl Into<[f64; 3]>) -> bool {
        self.encloses(DVec3::from_array(point.into()), None)
    }

    /// The distance of `point` from the surface, in the mesh's own space. Negative for a point
    /// [inside](Self::is_inside), never -0.0. `None` for a mesh without surface, and for a point that is
    /// not finite.
    pub fn signed_distance(&self, point: impl Into<[f32; 3]>) -> Option<f64> {
        self.signed_distance_near(Vec3::from_array(point.into()), &mut None)
    }

    /// [`signed_distance`](Self::signed_distance), given a point of the surface as for `closest_point_near`.
    pub(super) fn signed_distance_near(
        &self,
        point: Vec3,
        near: &mut Option<DVec3>,
    ) -> Option<f64> {
        let closest = self.surface.bvh.closest_point_near(point, f64::INFINITY, near)?;
        let distance = closest.distance;
        let is_inside = distance > 0.0 && self.encloses(point.as_dvec3(), Some(distance));
        Some(if is_inside { -distance } else { distance })
    }

    /// Whether a point is inside. The distance from the surface is known or not.
    fn encloses(&self, point: DVec3, distance: Option<f64>) -> bool {
        // Of a NaN the comparison is false.
        if !point.abs().cmple(DVec3::splat(MAX_WINDING_COORDINATE)).all() {
            return false;
        }
        if let Some(caps) = &self.caps {
            let place = caps.place(&self.surface.bvh, point, distance, caps.max_rounding());
            let settled = place.and_then(|place| {
                let is_enough = |found| settles(place.with_caps(found)).is_some();
                settles(place.with_caps(caps.field.winding_around(point, is_enough)))
            });
            if let Some(is_inside) = settled {
                return is_inside;
            }
        }
        let from = self.scaled(point);
        let found = self.whole().winding_around(from, |found| settles(found).is_some());
        settles(found).unwrap_or_else(|| self.surface.winding_sum(from).is_inside())
    }

    fn scaled(&self, point: DVec3) -> DVec3 {
        point * self.surface.bvh.tree.scale
    }

    /// The far field of the surface. Several threads that ask first at once may each compute it, and keep one.
    fn whole(&self) -> &FarField {
        if let Some(field) = self.whole.get() {
            return field;
        }
        // Not within the cell: a thread of a pool that computes takes up other work meanwhile, and that may ask for
        // this field. It would wait for itself.
        let field = Arc::new(FarField::new(self.surface.clone()));
        self.whole.get_or_init(|| field)
    }
}

/// Whether a winding number is inside, if the bound on its error leaves no doubt.
fn settles((value, max_error): (f64, f64)) -> Option<bool> {
    let magnitude = value.abs();
    ((magnitude - 0.5).abs() > max_error).then_some(magnitude > 0.5)
}

/// A point at a distance from surface and caps.
struct Place {
    /// How often the surface and the turned caps wind around it.
    n_around: f64,
    /// The bound on the rounding of solid angles, those of the reference and of the caps.
    rounding: f64,
}

impl Place {
    /// The winding number of the surface, given that of the caps. Each comes with its bound on the error.
    fn with_caps(&self, (of_caps, error): (f64, f64)) -> (f64, f64) {
        (self.n_around + of_caps, error + self.rounding)
    }
}

impl Caps {
    fn of(surface: &Surface) -> Option<Self> {
        let tree = &surface.bvh.tree;
        if tree.is_scaled() {
            return None;
        }
        let max_caps = surface.bvh.n_triangles / LEAST_TRIANGLES_PER_CAP;
        let mesh = caps(&boundary(tree, &surface.copies), max_caps)?;
        let options = BuildOptions { isa: surface.bvh.isa, ..BuildOptions::default() };
        let closing = Surface::new(Arc::new(MeshBvh::build(&mesh, &options)));
        if closing.bvh.tree.is_scaled() {
            return None;
        }
        Some(Self {
            sums_of_squares: [surface.sum_of_squares(), closing.sum_of_squares()],
            clearance: f64::from(CROSSING_CLEARANCE * surface.bvh.bounds.extent().max_element()),
            field: FarField::new(closing),
        })
    }

    /// The rounding that [`WindingTree::is_inside`] allows. The winding numbers of a closed surface are whole.
    fn max_rounding(&self) -> f64 {
        if self.field.surface.bvh.n_triangles == 0 { 0.25 } else { 1e-3 }
    }

    /// What holds for a point at any tolerance; `None` if surface or caps are so close that it would round by more than
    /// `max_rounding`. The distance from the surface is known or not.
    fn place(
        &self,
        bvh: &MeshBvh,
        point: DVec3,
        distance: Option<f64>,
        max_rounding: f64,
    ) -> Option<Place> {
        let rounded = point.as_vec3();
        if !rounded.is_finite() {
            return None;
        }
        // No surface lies between the point and the rounded one, if none is within their distance.
        let moved = 1.000_001 * (point - rounded.as_dvec3()).length();
        let mut rounding = 0.0;
        let mut surfaces = [bvh, &self.field.surface.bvh].into_iter().zip(self.sums_of_squares);
        let mut distance = distance;
        let is_clear = surfaces.all(|(bvh, sum_of_squares)| {
            if bvh.n_triangles == 0 {
                return true;
            }
            // A fourth for the distance from each surface, and the rest for the numbers of triangles.
            let (n, share) = (bvh.n_triangles as f64, max_rounding / 4.0);
            // Solid angles round by `SOLID_ANGLE_ROUNDING (n + sum_of_squares / distance^2)`.
            let enough = (SOLID_ANGLE_ROUNDING * sum_of_squares / share).sqrt().max(self.clearance);
            let found = distance.take().unwrap_or_else(|| {
                let closest = bvh.closest_point(rounded, enough + moved);
                closest.map_or(enough + moved, |closest| closest.distance)
            });
            let distance = (found - moved).min(enough);
            rounding += SOLID_ANGLE_ROUNDING * (n + sum_of_squares / (distance * distance));
            distance >= self.clearance
        });
        // In this form a NaN is rejected.
        let is_exact = rounding <= max_rounding;
        (is_clear && is_exact)
            .then(|| Place { n_around: self.n_around(bvh, rounded) as f64, rounding })
    }

    /// How often the surface and the turned caps, which are closed together, wind around a point: as a ray leaves them
    /// more often than it enters.
    fn n_around(&self, bvh: &MeshBvh, point: Vec3) -> i64 {
        // The caps are between vertices of the surface.
        if !bvh.bounds.contains(point) {
            return 0;
        }
        let (to_min, to_max) = (point - bvh.bounds.min, bvh.bounds.max - point);
        // The shortest way out of the box, which meets the fewest triangles.
        let (way, axis) = match to_min.min_element().total_cmp(&to_max.min_element()) {
            Ordering::Less => (-1.0, to_min.min_position()),
            _ => (1.0, to_max.min_position()),
        };
        let mut direction = Vec3::ZERO;
        direction[axis] = way;
        let ray = Ray::new(point, direction);
        self.field.surface.bvh.signed_crossings(&ray) - bvh.signed_crossings(&ray)
    }
}

/// The least number of triangles of a surface for each of its caps. With more caps, the far field of the surface itself is
/// faster.
const LEAST_TRIANGLES_PER_CAP: usize = 2;
