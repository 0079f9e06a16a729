//! Conservative tests of boxes against a rectangle or a region of the screen.

use std::ops::ControlFlow;

use glam::{DVec2, DVec3, DVec4, Vec4Swizzles};
use hitscan_bvh::MeshBvh;
use hitscan_primitives::Aabb;

use crate::{
    screen_map::{MAX_CLIPS, ScreenMap},
    screen_region::{Containment, ScreenRegion},
};

/// A relative bound that exceeds the rounding of the sums here by far. A box test answers `Inside` or
/// `Outside` only if no change of this relative size could alter the answer. The exact tests decide the rest.
const SLACK: f64 = 1e-12;

/// The frustum of a rectangle of the screen, for tests of boxes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScreenFrustum {
    /// Linear forms that are nonnegative inside. Each has a bound on the magnitude of its coefficients
    /// before any cancellation.
    planes: [(DVec4, DVec4); Self::N_SIDES + MAX_CLIPS],
    /// The number of planes that count: the six sides, then the clipping planes.
    n_planes: usize,
}

impl ScreenFrustum {
    /// The sides of the rectangle, and the near and far planes.
    const N_SIDES: usize = 6;

    /// The frustum of the rectangle between two corners, in pixels.
    pub(crate) fn new(map: &ScreenMap, min: DVec2, max: DVec2) -> Self {
        let ScreenMap { x, y, w, near, far, clips, n_clips } = *map;
        let from = |a: DVec4, at: f64| (a - at * w, a.abs() + at.abs() * w.abs());
        let until = |a: DVec4, at: f64| (at * w - a, a.abs() + at.abs() * w.abs());
        let [a, b, c, d, e, f] = clips.map(|clip| (clip, clip.abs()));
        Self {
            planes: [
                from(x, min.x),
                until(x, max.x),
                from(y, min.y),
                until(y, max.y),
                (near, near.abs()),
                (far, far.abs()),
                a,
                b,
                c,
                d,
                e,
                f,
            ],
            n_planes: Self::N_SIDES + n_clips,
        }
    }

    /// Whether a box is certainly outside the frustum. `false` is always safe.
    pub(crate) fn misses(&self, min: DVec3, max: DVec3) -> bool {
        lies_behind(&self.planes[..self.n_planes], min, max)
    }

    /// Whether a clipping plane certainly hides a whole box.
    pub(crate) fn clips_away(&self, bounds: &Aabb) -> bool {
        let clips = &self.planes[Self::N_SIDES..self.n_planes];
        lies_behind(clips, bounds.min.as_dvec3(), bounds.max.as_dvec3())
    }

    /// [`misses`](Self::misses) of a box in f32.
    pub(crate) fn misses_box(&self, bounds: &Aabb) -> bool {
        self.misses(bounds.min.as_dvec3(), bounds.max.as_dvec3())
    }

    /// Visits the triangles of a mesh below the boxes that meet the frustum.
    pub(crate) fn visit_triangles(&self, bvh: &MeshBvh, mut on_triangle: impl FnMut(u32)) {
        let _: ControlFlow<()> = bvh.visit(
            |bounds| !self.misses_box(bounds),
            |triangle| {
                on_triangle(triangle);
                ControlFlow::Continue(())
            },
        );
    }
}

/// Whether a box certainly lies behind one of the planes.
#[inline]
fn lies_behind(planes: &[(DVec4, DVec4)], min: DVec3, max: DVec3) -> bool {
    let size = min.abs().max(max.abs()).extend(1.0);
    planes.iter().any(|(plane, bound)| {
        let max = (plane.xyz() * min).max(plane.xyz() * max);
        max.element_sum() + plane.w < -SLACK * bound.dot(size)
    })
}

/// The containment of a box in a region. `Outside` and `Inside` are certain for every point of the box.
/// `Inside` also means that no plane clips a part of it.
pub(crate) fn box_containment(
    map: &ScreenMap,
    frustum: &ScreenFrustum,
    region: &ScreenRegion,
    bounds: &Aabb,
) -> Containment {
    if frustum.misses_box(bounds) {
        return Containment::Outside;
    }
    let (low, high) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
    let size = low.abs().max(high.abs()).extend(1.0);
    let slack = |form: DVec4| SLACK * form.abs().dot(size);
    let (near, far) = (slack(map.near), slack(map.far));
    let (mut min, mut max) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
    let mut min_w = f64::INFINITY;
    for corner in 0..8 {
        let pick = |bit: usize, axis: usize| if corner & bit == 0 { low[axis] } else { high[axis] };
        let image = map.project(DVec3::new(pick(1, 0), pick(2, 1), pick(4, 2)));
        let is_shown = map.clips().iter().all(|clip| image.side(clip) > slack(*clip));
        if !(image.near > near && image.far > far && image.w > 0.0 && is_shown) {
            return Containment::Crossing;
        }
        (min, max) = (min.min(image.pixel()), max.max(image.pixel()));
        min_w = min_w.min(image.w);
    }
    let max_abs_pixel = min.abs().max(max.abs()).max_element();
    let margin = (slack(map.x).max(slack(map.y)) + max_abs_pixel * slack(map.w)) / min_w;
    region.classify(min - margin, max + margin)
}
