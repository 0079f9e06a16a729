//! A mesh under a camera: which of its boxes and triangles are where on the screen.

use glam::{DVec2, DVec3, DVec4, Vec4Swizzles};
use hitscan_bvh::MeshBvh;
use hitscan_primitives::{Aabb, TriMesh};

use crate::{
    clip::Clipped,
    region::{Placement, ScreenRegion},
    screen_map::{ScreenMap, ScreenPoint},
};

/// A mesh with its hierarchy, and the way from its own space to the screen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part<'a> {
    pub(crate) mesh: &'a TriMesh,
    pub(crate) bvh: &'a MeshBvh,
    pub(crate) map: ScreenMap,
}

impl Part<'_> {
    /// The image of a vertex.
    pub(crate) fn vertex(&self, vertex: u32) -> ScreenPoint {
        self.map.of(self.mesh.positions()[vertex as usize].as_dvec3())
    }

    /// The images of a triangle's corners.
    pub(crate) fn triangle(&self, triangle: u32) -> [ScreenPoint; 3] {
        self.mesh.triangles()[triangle as usize].map(|vertex| self.vertex(vertex))
    }

    /// What is seen of a triangle.
    pub(crate) fn clipped(&self, triangle: u32) -> Clipped {
        Clipped::new(&self.triangle(triangle))
    }
}

/// Rounding of sums over coordinates, with room to spare: a box is called inside or outside only if it
/// would be so after any change of this relative size. What is nearer goes to the exact tests.
const SLACK: f64 = 1e-12;

/// The part of space that is seen in a rectangle of the screen, for tests of boxes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    /// Forms that are not negative inside, each with a bound of its coefficients in size before
    /// anything was subtracted.
    planes: [(DVec4, DVec4); 6],
}

impl Window {
    /// What `map` shows between two corners.
    pub(crate) fn new(map: &ScreenMap, min: DVec2, max: DVec2) -> Self {
        let ScreenMap { x, y, w, near, far } = *map;
        let from = |a: DVec4, at: f64| (a - at * w, a.abs() + at.abs() * w.abs());
        let until = |a: DVec4, at: f64| (at * w - a, a.abs() + at.abs() * w.abs());
        Self {
            planes: [
                from(x, min.x),
                until(x, max.x),
                from(y, min.y),
                until(y, max.y),
                (near, near.abs()),
                (far, far.abs()),
            ],
        }
    }

    /// Whether nothing of a box is in the window. `false` is always safe.
    pub(crate) fn misses(&self, min: DVec3, max: DVec3) -> bool {
        let size = min.abs().max(max.abs()).extend(1.0);
        self.planes.iter().any(|(plane, bound)| {
            let greatest = (plane.xyz() * min).max(plane.xyz() * max);
            greatest.element_sum() + plane.w < -SLACK * bound.dot(size)
        })
    }

    /// [`misses`](Self::misses) of a box in f32.
    pub(crate) fn misses_box(&self, bounds: &Aabb) -> bool {
        self.misses(bounds.min.as_dvec3(), bounds.max.as_dvec3())
    }
}

/// Where a box lies to a region: `Outside` and `Inside` are certain for all that is in it, and
/// `Inside` also means that nothing of it is cut off.
pub(crate) fn placement(
    map: &ScreenMap,
    window: &Window,
    region: &ScreenRegion,
    bounds: &Aabb,
) -> Placement {
    if window.misses_box(bounds) {
        return Placement::Outside;
    }
    let (low, high) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
    let size = low.abs().max(high.abs()).extend(1.0);
    let slack = |form: DVec4| SLACK * form.abs().dot(size);
    let (near, far) = (slack(map.near), slack(map.far));
    let (mut min, mut max) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
    let mut least_w = f64::INFINITY;
    for corner in 0..8 {
        let pick = |bit: usize, axis: usize| if corner & bit == 0 { low[axis] } else { high[axis] };
        let seen = map.of(DVec3::new(pick(1, 0), pick(2, 1), pick(4, 2)));
        if !(seen.near > near && seen.far > far && seen.w > 0.0) {
            return Placement::Crossing;
        }
        (min, max) = (min.min(seen.pixel()), max.max(seen.pixel()));
        least_w = least_w.min(seen.w);
    }
    let largest = min.abs().max(max.abs()).max_element();
    let margin = (slack(map.x).max(slack(map.y)) + largest * slack(map.w)) / least_w;
    region.classify(min - margin, max + margin)
}
