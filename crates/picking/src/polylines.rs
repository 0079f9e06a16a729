//! Polylines and points, which have no surface for a ray to hit.

use std::ops::{ControlFlow, Range};

use glam::{DAffine3, DVec2, DVec3, Vec3};
use hitscan_bvh::{BoxBvh, BuildQuality};
use hitscan_primitives::Aabb;
use thiserror::Error;

use crate::{
    clip::ClippedPolygon,
    in_region::RegionMode,
    near_pixel::nearest_on_segment,
    screen_frustum::ScreenFrustum,
    screen_map::{ScreenMap, ScreenPoint},
    screen_region::ScreenRegion,
    view::View,
};

/// Polylines or points with a hierarchy, for point clouds, curves and gizmos. A pick has a radius in pixels,
/// because they have no surface that a ray could hit.
///
/// Each polyline or point is an *item*, with its index in the order given. Positions are f32 in a space of
/// the caller's choice; each query takes the transform from it to the world.
///
/// ```
/// use hitscan_picking::{Camera, Viewport, Polylines};
/// use hitscan_primitives::glam::DAffine3;
///
/// let zigzag = [[0.0, 0.0, 0.0], [1.0, 2.0, 0.0], [2.0, 0.0, 0.0]];
/// let wires = Polylines::new([zigzag.to_vec()])?;
/// let view = Camera::look_at([1.0, 1.0, 9.0], [1.0, 1.0, 0.0]).view(Viewport::from_size(800.0, 600.0))?;
///
/// let on_second_segment = view.project([1.5, 1.0, 0.0]).expect("the point is before the camera").pixel;
/// let pick = wires.pick(&view, &DAffine3::IDENTITY, on_second_segment + 3.0, 8.0);
/// assert_eq!(pick.map(|pick| (pick.item, pick.segment)), Some((0, 1)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Polylines {
    positions: Vec<Vec3>,
    /// Indices of the ends of each segment; a point is a segment from itself to itself.
    segments: Vec<[u32; 2]>,
    /// The first segment of each item, then the number of segments.
    starts: Vec<u32>,
    bvh: BoxBvh,
}

/// A polyline or point near the cursor; see [`Polylines::pick`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PolylinePick {
    /// The index of the polyline or point, in the order given.
    pub item: u32,
    /// The index of the segment in the polyline; 0 for a point.
    pub segment: u32,
    /// The point of the item nearest to the cursor on the screen, in world space.
    pub point: DVec3,
    /// The image of that point, in pixels.
    pub pixel: DVec2,
    /// The distance from the cursor, in pixels.
    pub pixel_distance: f64,
}

/// The reason why [`Polylines`] rejected positions.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum PolylineError {
    /// A position is NaN or infinite.
    #[error("point {point}: position {position:?} is not finite; use finite coordinates")]
    NotFinite {
        /// The index of the first such point, counted over all polylines.
        point: usize,
        /// Its position.
        position: [f32; 3],
    },
    /// The hierarchy cannot index this number of points.
    #[error("points: {found}, at most {}; split them", BoxBvh::MAX_BOXES)]
    TooMany {
        /// The number of points.
        found: usize,
    },
}

impl Polylines {
    /// Points, each an item. The positions are in any space. O(n log n).
    ///
    /// # Errors
    /// A position that is not finite, or more than [`BoxBvh::MAX_BOXES`] points.
    pub fn from_points<P: Into<[f32; 3]>>(
        positions: impl IntoIterator<Item = P>,
    ) -> Result<Self, PolylineError> {
        let positions: Vec<Vec3> = positions.into_iter().map(|p| Vec3::from(p.into())).collect();
        check(&positions)?;
        let n = positions.len() as u32;
        Ok(Self::build(positions, (0..n).map(|i| [i, i]).collect(), (0..=n).collect()))
    }

    /// Polylines, each an item with its points in order. A polyline of one point is a point. A polyline
    /// without points is an item that no query returns. The positions are in any space. O(n log n).
    ///
    /// # Errors
    /// A position that is not finite, or more than [`BoxBvh::MAX_BOXES`] points.
    pub fn new<P: Into<[f32; 3]>, L: IntoIterator<Item = P>>(
        lines: impl IntoIterator<Item = L>,
    ) -> Result<Self, PolylineError> {
        let (mut positions, mut ends) = (Vec::<Vec3>::new(), vec![0]);
        for line in lines {
            positions.extend(line.into_iter().map(|p| Vec3::from(p.into())));
            ends.push(positions.len());
        }
        check(&positions)?;
        let (mut segments, mut starts) = (vec![], vec![0]);
        for line in ends.windows(2) {
            let points = line[0] as u32..line[1] as u32;
            match points.len() {
                1 => segments.push([points.start, points.start]),
                _ => segments.extend(points.clone().zip(points.skip(1)).map(|(a, b)| [a, b])),
            }
            starts.push(segments.len() as u32);
        }
        Ok(Self::build(positions, segments, starts))
    }

    fn build(positions: Vec<Vec3>, segments: Vec<[u32; 2]>, starts: Vec<u32>) -> Self {
        let boxes: Vec<Aabb> = segments
            .iter()
            .map(|ends| Aabb::from_points(ends.map(|end| positions[end as usize])))
            .collect();
        let bvh = BoxBvh::build(&boxes, BuildQuality::Balanced);
        Self { positions, segments, starts, bvh }
    }

    /// The number of items.
    pub fn n_items(&self) -> usize {
        self.starts.len() - 1
    }

    /// The item nearest to the cursor on the screen, within `radius` pixels. Ties go to the item in front,
    /// then to the first. `transform` maps the positions to world space. Surfaces hide no item. `None` if
    /// the pixel is not finite, or the radius is negative or NaN.
    pub fn pick(
        &self,
        view: &View,
        transform: &DAffine3,
        pixel: impl Into<[f64; 2]>,
        radius: f64,
    ) -> Option<PolylinePick> {
        self.pick_where(view, transform, pixel, radius, |_| true)
    }

    /// [`pick`](Self::pick) among the items for which `accept` returns `true`. The search calls `accept`
    /// once per candidate, nearest first, until it returns `true`.
    ///
    /// To skip items that surfaces hide, call [`Picker::is_visible`](crate::Picker::is_visible) in `accept`.
    pub fn pick_where(
        &self,
        view: &View,
        transform: &DAffine3,
        pixel: impl Into<[f64; 2]>,
        radius: f64,
        mut accept: impl FnMut(&PolylinePick) -> bool,
    ) -> Option<PolylinePick> {
        let cursor = DVec2::from(pixel.into());
        let (map, to_view) = local(view, transform);
        let frustum = ScreenFrustum::new(&map, cursor - radius, cursor + radius);
        let mut near: Vec<(ScreenPoint, u32)> = vec![];
        let _: ControlFlow<()> = self.bvh.visit(
            |bounds| !frustum.misses_box(bounds),
            |segment| {
                let clipped = self.clipped(&map, segment);
                let nearest = match clipped.points() {
                    [] => None,
                    [only] => Some(*only),
                    [a, b, ..] => Some(nearest_on_segment(a, b, cursor)),
                };
                let within = |at: &ScreenPoint| at.pixel().distance(cursor) <= radius;
                near.extend(nearest.filter(within).map(|at| (at, segment)));
                ControlFlow::Continue(())
            },
        );
        near.sort_unstable_by(|(a, s), (b, t)| {
            let distance = |at: &ScreenPoint| at.pixel().distance(cursor);
            let by_distance = distance(a).total_cmp(&distance(b)).then(a.near.total_cmp(&b.near));
            by_distance.then(s.cmp(t))
        });
        let picks = near.into_iter().map(|(at, segment)| {
            let item = self.item_of(segment);
            PolylinePick {
                item,
                segment: segment - self.starts[item as usize],
                point: view.origin() + to_view.transform_point3(at.point),
                pixel: at.pixel(),
                pixel_distance: at.pixel().distance(cursor),
            }
        });
        picks.into_iter().find(|pick| accept(pick))
    }

    /// The indices of the items that a region touches or encloses, sorted. `transform` maps the positions to
    /// world space. Surfaces hide no item; see [`Picker::select`](crate::Picker::select) for the region.
    pub fn select(
        &self,
        view: &View,
        transform: &DAffine3,
        region: &ScreenRegion,
        mode: RegionMode,
    ) -> Vec<u32> {
        let (map, _) = local(view, transform);
        let frustum = ScreenFrustum::new(&map, region.min(), region.max());
        let mut segments = vec![];
        let _: ControlFlow<()> = self.bvh.visit(
            |bounds| !frustum.misses_box(bounds),
            |segment| {
                let clipped = self.clipped(&map, segment);
                let pixels = clipped.pixels();
                let selected = !pixels.is_empty()
                    && match mode {
                        RegionMode::Touch => region.touches(&pixels),
                        RegionMode::Enclose => !clipped.is_cut && region.encloses(&pixels),
                    };
                segments.extend(selected.then_some(segment));
                ControlFlow::Continue(())
            },
        );
        segments.sort_unstable();
        let items = segments.chunk_by(|&a, &b| self.item_of(a) == self.item_of(b));
        let selected = items.filter_map(|item_segments| {
            let item = self.item_of(item_segments[0]);
            let is_whole = item_segments.len() == self.segments_of(item).len();
            (mode == RegionMode::Touch || is_whole).then_some(item)
        });
        selected.collect()
    }

    fn clipped(&self, map: &ScreenMap, segment: u32) -> ClippedPolygon {
        let [a, b] = self.segments[segment as usize];
        let point = |i: u32| map.project(self.positions[i as usize].as_dvec3());
        if a == b {
            ClippedPolygon::new(map, &[point(a)])
        } else {
            ClippedPolygon::new(map, &[point(a), point(b)])
        }
    }

    fn item_of(&self, segment: u32) -> u32 {
        (self.starts.partition_point(|&start| start <= segment) - 1) as u32
    }

    fn segments_of(&self, item: u32) -> Range<u32> {
        self.starts[item as usize]..self.starts[item as usize + 1]
    }
}

/// The map from the space of the positions to the screen, and the transform to the space of the view.
fn local(view: &View, transform: &DAffine3) -> (ScreenMap, DAffine3) {
    let translation = transform.translation - view.origin();
    let to_view = DAffine3 { translation, ..*transform };
    (view.map().in_local_space(&to_view), to_view)
}

fn check(positions: &[Vec3]) -> Result<(), PolylineError> {
    if positions.len() > BoxBvh::MAX_BOXES {
        return Err(PolylineError::TooMany { found: positions.len() });
    }
    match positions.iter().position(|position| !position.is_finite()) {
        None => Ok(()),
        Some(point) => {
            Err(PolylineError::NotFinite { point, position: positions[point].to_array() })
        }
    }
}
