//! Regions of the screen: the rectangle of a marquee and the outline of a lasso.

use glam::DVec2;
use robust::{Coord, orient2d};
use thiserror::Error;

/// A region of the screen, in pixels, its boundary included.
#[derive(Clone, Debug, PartialEq)]
pub struct ScreenRegion {
    /// The corners of the outline in order; the last is joined to the first.
    outline: Vec<DVec2>,
    /// The same without the strokes that only go there and back: it surrounds the same points.
    unfolded: Vec<DVec2>,
    min: DVec2,
    max: DVec2,
    is_rectangle: bool,
}

impl ScreenRegion {
    /// The rectangle between two opposite corners, in any order. It may be a line or a point.
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
        Ok(Self { unfolded: outline.clone(), outline, min, max, is_rectangle: true })
    }

    /// What a closed outline surrounds: the points from which a line to infinity crosses it an odd
    /// number of times, and the outline itself. It may be concave and may cross itself; the last
    /// corner is joined to the first.
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
        // A mouse that rests repeats its position; edges without length only cost time.
        outline.dedup();
        let (min, max) = bounds_of(&outline);
        Ok(Self { unfolded: unfolded(&outline), outline, min, max, is_rectangle: false })
    }

    /// The corner of the bounding rectangle with the least coordinates.
    pub fn min(&self) -> DVec2 {
        self.min
    }

    /// The corner of the bounding rectangle with the greatest coordinates.
    pub fn max(&self) -> DVec2 {
        self.max
    }

    /// Whether a pixel position lies in the region or on its boundary. O(corners), exact.
    pub fn contains(&self, pixel: impl Into<[f64; 2]>) -> bool {
        self.holds(DVec2::from(pixel.into()))
    }

    fn holds(&self, p: DVec2) -> bool {
        let in_bounds = p.cmpge(self.min).all() && p.cmple(self.max).all();
        if !in_bounds || self.is_rectangle {
            return in_bounds;
        }
        let mut inside = false;
        for (a, b) in self.edges() {
            if on_segment(p, a, b) {
                return true;
            }
            // Each edge owns its lower end, so that a ray along +x crosses a corner once or not.
            if (a.y > p.y) != (b.y > p.y) {
                inside ^= (turn(a, b, p) > 0.0) == (b.y > a.y);
            }
        }
        inside
    }

    /// Whether the region and a convex polygon have a point in common. The polygon may have one
    /// corner or two, be flat, and run either way.
    pub(crate) fn touches(&self, polygon: &[DVec2]) -> bool {
        let (min, max) = bounds_of(polygon);
        if max.cmplt(self.min).any() || min.cmpgt(self.max).any() {
            return false;
        }
        if polygon.iter().any(|&corner| self.holds(corner)) {
            return true;
        }
        // No corner is inside: they meet in a crossing of their edges, or the region lies inside.
        edges_of(polygon).any(|(a, b)| self.edges().any(|(c, d)| segments_meet(a, b, c, d)))
            || convex_holds(polygon, self.outline[0])
    }

    /// Whether the region holds the whole of a convex polygon, as in [`touches`](Self::touches).
    pub(crate) fn encloses(&self, polygon: &[DVec2]) -> bool {
        if !polygon.iter().all(|&corner| self.holds(corner)) {
            return false;
        }
        if self.is_rectangle || polygon.len() < 2 {
            return true;
        }
        if is_flat(polygon) {
            return edges_of(polygon).all(|(a, b)| self.encloses_segment(a, b));
        }
        // The outline must not enter the polygon but to turn round; then any inner point tells for all.
        let center = polygon.iter().sum::<DVec2>() / polygon.len() as f64;
        !edges_of(&self.unfolded).any(|(a, b)| enters(a, b, polygon)) && self.holds(center)
    }

    /// Whether the region holds the whole of a segment: every piece between its meetings with the
    /// outline has its middle in the region.
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
            .all(|cut| cut[0] == cut[1] || self.holds(a.lerp(b, 0.5 * (cut[0] + cut[1]))))
    }

    /// Where an axis-parallel rectangle lies. `Crossing` is always safe to answer.
    pub(crate) fn classify(&self, min: DVec2, max: DVec2) -> Placement {
        if max.cmplt(self.min).any() || min.cmpgt(self.max).any() {
            return Placement::Outside;
        }
        let in_bounds = min.cmpge(self.min).all() && max.cmple(self.max).all();
        if self.is_rectangle {
            return if in_bounds { Placement::Inside } else { Placement::Crossing };
        }
        let meets = |(a, b): (DVec2, DVec2)| segment_meets_rectangle(a, b, min, max);
        if self.edges().any(meets) {
            return Placement::Crossing;
        }
        // The outline stays out of the rectangle, so all of it is on one side.
        if self.holds(min) { Placement::Inside } else { Placement::Outside }
    }

    fn edges(&self) -> impl Iterator<Item = (DVec2, DVec2)> {
        edges_of(&self.outline)
    }
}

/// How something lies to a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placement {
    Outside,
    Crossing,
    Inside,
}

/// Why an outline is none.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ScreenRegionError {
    /// An outline that surrounds nothing.
    #[error("a lasso of {found} corners, expected three or more")]
    TooFewCorners {
        /// The number found.
        found: usize,
    },
    /// A coordinate that is NaN or infinite.
    #[error("corner {corner} of the region is at {pixel:?}, expected finite coordinates")]
    NotFinite {
        /// The first such corner.
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

/// An outline without the corners at which it goes back on itself, and without repeated ones.
fn unfolded(outline: &[DVec2]) -> Vec<DVec2> {
    let is_fold =
        |a: DVec2, b: DVec2, c: DVec2| b == c || (turn(a, b, c) == 0.0 && (b - a).dot(c - b) < 0.0);
    let mut kept: Vec<DVec2> = vec![];
    for &corner in outline {
        while let [.., a, b] = kept[..] {
            if !is_fold(a, b, corner) {
                break;
            }
            kept.pop();
        }
        if kept.last() != Some(&corner) {
            kept.push(corner);
        }
    }
    // And where the end is joined to the start.
    let mut rest = &kept[..];
    loop {
        rest = match *rest {
            [.., a, b] if rest.len() > 2 && is_fold(a, b, rest[0]) => &rest[..rest.len() - 1],
            [a, b, ..] if rest.len() > 2 && is_fold(rest[rest.len() - 1], a, b) => &rest[1..],
            _ => return rest.to_vec(),
        };
    }
}

/// Positive where `a`, `b`, `c` turn from x towards y; the sign is exact.
fn turn(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    let coord = |p: DVec2| Coord { x: p.x, y: p.y };
    orient2d(coord(a), coord(b), coord(c))
}

fn edges_of(corners: &[DVec2]) -> impl Iterator<Item = (DVec2, DVec2)> {
    (0..corners.len()).map(|i| (corners[i], corners[(i + 1) % corners.len()]))
}

fn bounds_of(corners: &[DVec2]) -> (DVec2, DVec2) {
    let empty = (DVec2::INFINITY, DVec2::NEG_INFINITY);
    corners.iter().fold(empty, |(min, max), &corner| (min.min(corner), max.max(corner)))
}

/// Whether `p` lies on the closed segment.
fn on_segment(p: DVec2, a: DVec2, b: DVec2) -> bool {
    let in_box = p.cmpge(a.min(b)).all() && p.cmple(a.max(b)).all();
    in_box && turn(a, b, p) == 0.0
}

/// Whether two closed segments have a point in common.
fn segments_meet(a: DVec2, b: DVec2, c: DVec2, d: DVec2) -> bool {
    if a.max(b).cmplt(c.min(d)).any() || c.max(d).cmplt(a.min(b)).any() {
        return false;
    }
    let apart = |p: f64, q: f64| (p > 0.0 && q > 0.0) || (p < 0.0 && q < 0.0);
    // On one line the boxes have decided.
    !apart(turn(a, b, c), turn(a, b, d)) && !apart(turn(c, d, a), turn(c, d, b))
}

/// The turns of a convex polygon's edges with a point: the least and the greatest.
fn turns_around(polygon: &[DVec2], p: DVec2) -> (f64, f64) {
    edges_of(polygon).fold((f64::INFINITY, f64::NEG_INFINITY), |(least, greatest), (a, b)| {
        let turn = turn(a, b, p);
        (least.min(turn), greatest.max(turn))
    })
}

/// Whether a convex polygon with an area holds a point.
pub(crate) fn convex_holds(polygon: &[DVec2], p: DVec2) -> bool {
    let (least, greatest) = turns_around(polygon, p);
    !is_flat(polygon) && (least >= 0.0 || greatest <= 0.0)
}

fn is_flat(polygon: &[DVec2]) -> bool {
    polygon.iter().all(|&corner| edges_of(polygon).all(|(a, b)| turn(a, b, corner) == 0.0))
}

/// Whether a segment meets the inside of a convex polygon with an area. They are apart if they lie on
/// two sides of an edge's line or of the segment's (the separating axes of two convex sets).
fn enters(a: DVec2, b: DVec2, polygon: &[DVec2]) -> bool {
    let of_segment = polygon.iter().map(|&corner| turn(a, b, corner));
    let (least, greatest) = of_segment
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, g), turn| (l.min(turn), g.max(turn)));
    if least >= 0.0 || greatest <= 0.0 {
        return false;
    }
    let center = polygon.iter().sum::<DVec2>() / polygon.len() as f64;
    !edges_of(polygon).any(|(c, d)| {
        let inner = turn(c, d, center).signum();
        c != d && inner * turn(c, d, a) <= 0.0 && inner * turn(c, d, b) <= 0.0
    })
}

/// Whether a closed segment meets a closed rectangle.
fn segment_meets_rectangle(a: DVec2, b: DVec2, min: DVec2, max: DVec2) -> bool {
    if a.max(b).cmplt(min).any() || a.min(b).cmpgt(max).any() {
        return false;
    }
    let corners = [min, DVec2::new(max.x, min.y), max, DVec2::new(min.x, max.y)];
    let sides = corners.map(|corner| turn(a, b, corner));
    !(sides.iter().all(|&side| side > 0.0) || sides.iter().all(|&side| side < 0.0))
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
    fn a_stroke_there_and_back_parts_nothing() {
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
                assert!(unfolded(&corners).len() <= 5, "{:?}", unfolded(&corners));
            }
        }
        // A stroke with an inside of its own does.
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
    fn a_gap_between_the_corners_is_seen() {
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
    fn a_rectangle_is_placed_as_its_points_are() {
        let lasso = horseshoe();
        let placed = |min: [f64; 2], max: [f64; 2]| lasso.classify(min.into(), max.into());
        assert_eq!(placed([1.0, 1.0], [3.0, 9.0]), Placement::Inside);
        assert_eq!(placed([4.5, 3.0], [5.5, 9.0]), Placement::Outside);
        assert_eq!(placed([3.0, 3.0], [5.5, 9.0]), Placement::Crossing);
        assert_eq!(placed([-3.0, -3.0], [-1.0, 9.0]), Placement::Outside);
    }

    #[test]
    fn a_lasso_that_crosses_itself_has_a_hole_where_it_winds_twice() {
        let star = [[5.0, 0.0], [8.0, 9.0], [0.0, 3.0], [10.0, 3.0], [2.0, 9.0]];
        let lasso = ScreenRegion::lasso(star).unwrap();
        assert!(!lasso.contains([5.0, 4.5]));
        assert!(lasso.contains([5.0, 1.0]));
    }

    #[test]
    fn what_is_no_region_is_told() {
        let few = ScreenRegion::lasso([[0.0, 0.0], [1.0, 1.0]]).unwrap_err();
        assert_eq!(few.to_string(), "a lasso of 2 corners, expected three or more");
        let nan = ScreenRegion::rectangle([0.0, 0.0], [f64::NAN, 1.0]).unwrap_err();
        assert!(matches!(nan, ScreenRegionError::NotFinite { corner: 1, .. }));
    }
}
