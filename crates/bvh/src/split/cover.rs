//! Whether boxes cover a triangle: the check that no part of a split triangle is lost.

use glam::{DVec3, Vec3};

use super::polygon::Polygon;

/// A box, minimum and maximum.
pub(crate) type Bounds = [DVec3; 2];

/// Why boxes are not the leaves of a split triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CoverFault {
    /// A piece of the triangle lies in no box.
    Uncovered,
    /// The box at an index does not meet the triangle.
    Beside(usize),
    /// The boxes cut the triangle into more pieces than those of a build.
    TooManyPieces,
}

/// The maximum number of pieces for one box, on average. It bounds the time that hostile trees cost.
const PIECES_OF_BOX: usize = 64;

/// Checks that all boxes meet a triangle and together cover it, up to `tolerance`.
///
/// Takes a box away from every piece of the triangle that is left, then the next box.
pub(crate) fn check_cover(
    corners: [Vec3; 3],
    boxes: &[Bounds],
    tolerance: f64,
) -> Result<(), CoverFault> {
    let whole = Polygon::of_triangle(corners);
    let mut pieces = vec![whole];
    let mut left = Vec::new();
    let mut budget = PIECES_OF_BOX * boxes.len();
    for (index, bounds) in boxes.iter().enumerate() {
        let [min, max] = *bounds;
        if whole.within(min, max).is_none_or(|part| part.is_empty()) {
            return Err(CoverFault::Beside(index));
        }
        for piece in pieces.drain(..) {
            budget = budget.checked_sub(1).ok_or(CoverFault::TooManyPieces)?;
            subtract(piece, bounds, tolerance, &mut left).ok_or(CoverFault::TooManyPieces)?;
        }
        std::mem::swap(&mut pieces, &mut left);
    }
    if pieces.is_empty() { Ok(()) } else { Err(CoverFault::Uncovered) }
}

/// Appends the parts of a piece outside of a box. `None` if a part has too many vertices.
fn subtract(
    mut piece: Polygon,
    [min, max]: &Bounds,
    tolerance: f64,
    outside: &mut Vec<Polygon>,
) -> Option<()> {
    let before = outside.len();
    let whole = piece;
    for axis in 0..3 {
        for (at, is_outside_below) in [(min[axis], true), (max[axis], false)] {
            let reach = |vertex: f64| if is_outside_below { at - vertex } else { vertex - at };
            let far =
                piece.vertices().iter().any(|vertex| reach(vertex.position[axis]) > tolerance);
            if !far {
                continue;
            }
            let [below, above] = piece.cut(axis, at)?;
            let (out, within) = if is_outside_below { (below, above) } else { (above, below) };
            if within.is_empty() {
                // The box takes nothing away.
                outside.truncate(before);
                outside.push(whole);
                return Some(());
            }
            outside.push(out);
            piece = within;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRIANGLE: [Vec3; 3] =
        [Vec3::new(0.0, 0.0, 0.0), Vec3::new(8.0, 8.0, 1.0), Vec3::new(0.0, 1.0, 0.0)];

    fn slab(from: f64, to: f64) -> Bounds {
        [DVec3::new(from, -1.0, -1.0), DVec3::new(to, 9.0, 9.0)]
    }

    fn check(boxes: &[Bounds]) -> Result<(), CoverFault> {
        check_cover(TRIANGLE, boxes, 1e-12)
    }

    #[test]
    fn slabs_cover_a_triangle_in_any_order_and_a_gap_is_found() {
        let slabs = [slab(5.0, 8.0), slab(0.0, 2.0), slab(2.0, 3.5), slab(3.0, 5.5)];
        assert_eq!(check(&slabs), Ok(()));
        for lost in 0..slabs.len() {
            let mut others = slabs.to_vec();
            others.remove(lost);
            assert_eq!(check(&others), Err(CoverFault::Uncovered), "{lost}");
        }
        assert_eq!(check(&[slab(0.0, 3.999), slab(4.0, 8.0)]), Err(CoverFault::Uncovered));
        assert_eq!(check(&[]), Err(CoverFault::Uncovered));
    }

    #[test]
    fn a_lost_corner_is_found() {
        let [a, b, c] = TRIANGLE.map(|corner| corner.as_dvec3());
        let boxes = [
            [a.min(b).min(c), DVec3::new(4.0, 9.0, 1.0)],
            [DVec3::new(4.0, 0.0, 0.0), DVec3::new(8.0, 7.999, 1.0)],
        ];
        assert_eq!(check(&boxes), Err(CoverFault::Uncovered));
    }

    #[test]
    fn a_box_beside_the_triangle_is_found() {
        let beside = [DVec3::new(6.0, 0.0, 0.0), DVec3::new(8.0, 1.0, 1.0)];
        assert_eq!(check(&[slab(0.0, 8.0), beside]), Err(CoverFault::Beside(1)));
    }

    #[test]
    fn a_segment_and_a_point_are_covered_or_not() {
        let (a, b) = (Vec3::ZERO, Vec3::new(4.0, 0.0, 0.0));
        let [left, right] = [slab(0.0, 2.0), slab(2.0, 4.0)];
        assert_eq!(check_cover([a, b, a], &[left, right], 1e-12), Ok(()));
        assert_eq!(check_cover([a, b, a], &[left], 1e-12), Err(CoverFault::Uncovered));
        assert_eq!(check_cover([a; 3], &[left], 1e-12), Ok(()));
    }

    #[test]
    fn a_triangle_in_hundreds_of_scattered_boxes_ends_in_time() {
        let boxes: Vec<Bounds> = (0..2000)
            .map(|i| {
                let x = f64::from(i * 37 % 801) / 100.0;
                [DVec3::new(x, x, -1.0), DVec3::new(x + 0.001, x + 0.001, 2.0)]
            })
            .collect();
        assert!(check(&boxes).is_err());
    }
}
