//! Regions of the screen: marquee rectangles and lasso outlines.

use glam::DVec2;
use thiserror::Error;

use crate::polygon2d::{
    bounds_of, convex_contains, edges_of, is_flat, on_segment, orientation, segment_enters_convex,
    segment_meets_rectangle, segments_meet, without_spikes,
};

/// A closed region of the screen, in pixels: a marquee rectangle or a lasso. The boundary belongs to it.
///
/// ```
/// use hitscan_picking::ScreenRegion;
///
/// let lasso = ScreenRegion::lasso([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]])?;
/// assert!(lasso.contains([5.0, 5.0]) && !lasso.contains([5.0, 6.0]));
/// # Ok::<(), hitscan_picking::ScreenRegionError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ScreenRegion {
    /// The corners of the closed outline, in order.
    outline: Vec<DVec2>,
    /// The outline without spikes: it surrounds the same points.
    without_spikes: Vec<DVec2>,
    min: DVec2,
    max: DVec2,
    is_rectangle: bool,
}

impl ScreenRegion {
    /// The rectangle between two opposite corners, in any order. It may be flat. O(1).
    ///
    /// # Errors
    /// A coordinate that is not finite.
    pub fn rectangle(
        corner: impl Into<[f64; 2]>,
        opposite: impl Into<[f64; 2]>,
    ) -> Result<Self, ScreenRegionError> {
        let (a, b) = (DVec2::from(corner.into()), DVec2::from(opposite.into()));
        check_finite(&[a, b])?;
        let (min, max) = (a.min(b), a.max(b));
        let outline = vec![min, DVec2::new(max.x, min.y), max, DVec2::new(min.x, max.y)];
        Ok(Self { without_spikes: outline.clone(), outline, min, max, is_rectangle: true })
    }

    /// The region within an outline, by the even-odd rule, with the outline itself. The last corner joins
    /// the first. The outline may be concave and may cross itself. O(corners).
    ///
    /// # Errors
    /// Fewer than three corners, or a coordinate that is not finite.
    pub fn lasso<P: Into<[f64; 2]>>(
        outline: impl IntoIterator<Item = P>,
    ) -> Result<Self, ScreenRegionError> {
        let mut outline: Vec<DVec2> =
            outline.into_iter().map(|corner| DVec2::from(corner.into())).collect();
        check_finite(&outline)?;
        let found = outline.len();
        if found < 3 {
            return Err(ScreenRegionError::TooFewCorners { found });
        }
        // Drop edges without length, which a resting mouse produces, because they only cost time.
        outline.dedup();
        let (min, max) = bounds_of(&outline);
        Ok(Self {
            without_spikes: without_spikes(&outline),
            outline,
            min,
            max,
            is_rectangle: false,
        })
    }

    /// The corner of the bounding rectangle with the minimum coordinates, in pixels.
    pub fn min(&self) -> DVec2 {
        self.min
    }

    /// The corner of the bounding rectangle with the maximum coordinates, in pixels.
    pub fn max(&self) -> DVec2 {
        self.max
    }

    /// Whether a pixel position lies in the region or on its boundary. Exact. O(corners). `false` if a
    /// coordinate is NaN.
    pub fn contains(&self, pixel: impl Into<[f64; 2]>) -> bool {
        self.contains_point(DVec2::from(pixel.into()))
    }

    fn contains_point(&self, p: DVec2) -> bool {
        let in_bounds = p.cmpge(self.min).all() && p.cmple(self.max).all();
        if !in_bounds || self.is_rectangle {
            return in_bounds;
        }
        let mut inside = false;
        for (a, b) in self.edges() {
            if on_segment(p, a, b) {
                return true;
            }
            // Each edge owns its lower end, so that a ray along +x crosses a corner once or never.
            if (a.y > p.y) != (b.y > p.y) {
                inside ^= (orientation(a, b, p) > 0.0) == (b.y > a.y);
            }
        }
        inside
    }

    /// Whether the region and a convex polygon have a point in common. The polygon may be a point, a
    /// segment or flat, with either winding.
    pub(crate) fn touches(&self, polygon: &[DVec2]) -> bool {
        let (min, max) = bounds_of(polygon);
        if max.cmplt(self.min).any() || min.cmpgt(self.max).any() {
            return false;
        }
        if polygon.iter().any(|&corner| self.contains_point(corner)) {
            return true;
        }
        // No corner is inside, so their edges cross or the region lies in the polygon.
        edges_of(polygon).any(|(a, b)| self.edges().any(|(c, d)| segments_meet(a, b, c, d)))
            || convex_contains(polygon, self.outline[0])
    }

    /// Whether the region contains a whole convex polygon, of the kinds of [`touches`](Self::touches).
    pub(crate) fn encloses(&self, polygon: &[DVec2]) -> bool {
        if !polygon.iter().all(|&corner| self.contains_point(corner)) {
            return false;
        }
        if self.is_rectangle || polygon.len() < 2 {
            return true;
        }
        if is_flat(polygon) {
            return edges_of(polygon).all(|(a, b)| self.encloses_segment(a, b));
        }
        // If the outline enters the polygon only as spikes, one inner point decides for all.
        let center = polygon.iter().sum::<DVec2>() / polygon.len() as f64;
        !edges_of(&self.without_spikes).any(|(a, b)| segment_enters_convex(a, b, polygon))
            && self.contains_point(center)
    }

    /// Whether the region contains a whole segment: the middle of every piece between its intersections
    /// with the outline.
    fn encloses_segment(&self, a: DVec2, b: DVec2) -> bool {
        let mut cuts = vec![0.0, 1.0];
        for (c, d) in self.edges() {
            let (along, edge) = (b - a, d - c);
            let determinant = along.perp_dot(edge);
            if segments_meet(a, b, c, d) && determinant != 0.0 {
                cuts.push(((c - a).perp_dot(edge) / determinant).clamp(0.0, 1.0));
            }
        }
        cuts.sort_unstable_by(f64::total_cmp);
        cuts.windows(2)
            .all(|cut| cut[0] == cut[1] || self.contains_point(a.lerp(b, 0.5 * (cut[0] + cut[1]))))
    }

    /// The containment of an axis-aligned rectangle in the region. `Crossing` is always a safe answer.
    pub(crate) fn classify(&self, min: DVec2, max: DVec2) -> Containment {
        if max.cmplt(self.min).any() || min.cmpgt(self.max).any() {
            return Containment::Outside;
        }
        let in_bounds = min.cmpge(self.min).all() && max.cmple(self.max).all();
        if self.is_rectangle {
            return if in_bounds { Containment::Inside } else { Containment::Crossing };
        }
        let meets = |(a, b): (DVec2, DVec2)| segment_meets_rectangle(a, b, min, max);
        if self.edges().any(meets) {
            return Containment::Crossing;
        }
        // The outline does not meet the rectangle, so the whole rectangle is on one side.
        if self.contains_point(min) { Containment::Inside } else { Containment::Outside }
    }

    fn edges(&self) -> impl Iterator<Item = (DVec2, DVec2)> {
        edges_of(&self.outline)
    }
}

/// The containment of an object in a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Containment {
    Outside,
    Crossing,
    Inside,
}

/// The reason why an outline is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ScreenRegionError {
    /// The outline has fewer than three corners.
    #[error("lasso: {found} corners; use three or more")]
    TooFewCorners {
        /// The number of corners.
        found: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("region corner {corner}: position {pixel:?} is not finite; use finite coordinates")]
    NotFinite {
        /// The index of the first such corner.
        corner: usize,
        /// Its position.
        pixel: [f64; 2],
    },
}

fn check_finite(corners: &[DVec2]) -> Result<(), ScreenRegionError> {
    match corners.iter().position(|corner| !corner.is_finite()) {
        None => Ok(()),
        Some(corner) => {
            Err(ScreenRegionError::NotFinite { corner, pixel: corners[corner].to_array() })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points<const N: usize>(points: [[f64; 2]; N]) -> [DVec2; N] {
        points.map(DVec2::from)
    }

    /// Open to the top between x = 4 and x = 6, down to y = 2.
    fn horseshoe() -> ScreenRegion {
        let outline = [[0., 0.], [10., 0.], [10., 10.], [6., 10.], [6., 2.], [4., 2.], [4., 10.]];
        ScreenRegion::lasso(outline.into_iter().chain([[0., 10.]])).unwrap()
    }

    #[test]
    fn a_spike_of_the_outline_encloses_as_without_it() {
        let square = [[0., 0.], [100., 0.], [100., 100.], [0., 100.]];
        let face = points([[10., 10.], [90., 10.], [50., 90.]]);
        // From a side into the face, straight and round a corner; at the start of the outline as well.
        let strokes = [vec![[20., 50.]], vec![[20., 50.], [30., 60.], [20., 50.]]];
        for stroke in strokes {
            let mut outline = square[..2].to_vec();
            outline.push([100., 50.]);
            outline.extend(&stroke);
            outline.push([100., 50.]);
            outline.extend(&square[2..]);
            for start in 0..outline.len() {
                outline.rotate_left(1);
                let lasso = ScreenRegion::lasso(outline.clone()).unwrap();
                assert!(lasso.encloses(&face), "{start}, {outline:?}");
                let corners = outline.iter().copied().map(DVec2::from).collect::<Vec<_>>();
                assert!(without_spikes(&corners).len() <= 5, "{:?}", without_spikes(&corners));
            }
        }
        // A slit with an area excludes the face.
        let slit = [[100., 50.], [20., 50.], [100., 51.]];
        let outline = square[..2].iter().chain(&slit).chain(&square[2..]).copied();
        assert!(!ScreenRegion::lasso(outline).unwrap().encloses(&face));
    }

    #[test]
    fn the_boundary_belongs_to_a_region() {
        let rectangle = ScreenRegion::rectangle([5.0, 1.0], [1.0, 3.0]).unwrap();
        for pixel in [[1.0, 1.0], [5.0, 3.0], [3.0, 1.0], [2.0, 2.0]] {
            assert!(rectangle.contains(pixel));
        }
        assert!(!rectangle.contains([5.0 + 1e-12, 2.0]));
        let lasso = horseshoe();
        for pixel in [[4.0, 2.0], [5.0, 2.0], [0.0, 0.0], [10.0, 10.0], [6.0, 5.0], [5.0, 1.0]] {
            assert!(lasso.contains(pixel), "{pixel:?}");
        }
        for pixel in [[5.0, 2.5], [4.5, 10.0], [-0.1, 0.0], [5.0, 9.0]] {
            assert!(!lasso.contains(pixel), "{pixel:?}");
        }
    }

    #[test]
    fn a_gap_between_the_corners_is_outside() {
        let lasso = horseshoe();
        let bridge = points([[3.0, 8.0], [7.0, 8.0], [5.0, 1.5]]);
        assert!(lasso.touches(&bridge) && !lasso.encloses(&bridge));
        assert!(!lasso.encloses(&bridge[..2]));
        assert!(lasso.encloses(&bridge[2..]));
        let in_the_gap = points([[4.5, 3.0], [5.5, 3.0], [5.0, 9.0]]);
        assert!(!lasso.touches(&in_the_gap));
        let below = points([[1.0, 0.0], [9.0, 0.0], [9.0, 2.0], [1.0, 2.0]]);
        assert!(lasso.encloses(&below));
        let around = points([[-50.0, -50.0], [50.0, -50.0], [0.0, 90.0]]);
        assert!(lasso.touches(&around) && !lasso.encloses(&around));
    }

    #[test]
    fn flat_polygons_are_segments_and_points() {
        let lasso = horseshoe();
        let flat = points([[3.0, 8.0], [7.0, 8.0], [5.0, 8.0]]);
        assert!(lasso.touches(&flat) && !lasso.encloses(&flat));
        let floor = points([[1.0, 1.0], [5.0, 1.0], [9.0, 1.0]]);
        assert!(lasso.encloses(&floor));
        assert!(!lasso.touches(&points([[5.0, 5.0], [5.0, 5.0], [5.0, 5.0]])));
        assert!(lasso.encloses(&points([[4.0, 2.0]])));
    }

    #[test]
    fn a_rectangle_is_classified_as_its_points_are() {
        let lasso = horseshoe();
        let placed = |min: [f64; 2], max: [f64; 2]| lasso.classify(min.into(), max.into());
        assert_eq!(placed([1.0, 1.0], [3.0, 9.0]), Containment::Inside);
        assert_eq!(placed([4.5, 3.0], [5.5, 9.0]), Containment::Outside);
        assert_eq!(placed([3.0, 3.0], [5.5, 9.0]), Containment::Crossing);
        assert_eq!(placed([-3.0, -3.0], [-1.0, 9.0]), Containment::Outside);
    }

    #[test]
    fn a_lasso_that_crosses_itself_has_a_hole_where_it_winds_twice() {
        let star = [[5.0, 0.0], [8.0, 9.0], [0.0, 3.0], [10.0, 3.0], [2.0, 9.0]];
        let lasso = ScreenRegion::lasso(star).unwrap();
        assert!(!lasso.contains([5.0, 4.5]));
        assert!(lasso.contains([5.0, 1.0]));
    }

    #[test]
    fn an_invalid_region_is_an_error() {
        let few = ScreenRegion::lasso([[0.0, 0.0], [1.0, 1.0]]).unwrap_err();
        assert_eq!(few.to_string(), "lasso: 2 corners; use three or more");
        let nan = ScreenRegion::rectangle([0.0, 0.0], [f64::NAN, 1.0]).unwrap_err();
        assert!(matches!(nan, ScreenRegionError::NotFinite { corner: 1, .. }));
    }
}
