//! Exact predicates on points, segments and polygons of the screen.

use glam::DVec2;
use robust::{Coord, orient2d};

/// An outline without spikes (corners where it reverses on itself) and without repeated corners.
pub(crate) fn without_spikes(outline: &[DVec2]) -> Vec<DVec2> {
    let is_spike = |a: DVec2, b: DVec2, c: DVec2| {
        b == c || (orientation(a, b, c) == 0.0 && (b - a).dot(c - b) < 0.0)
    };
    let mut kept: Vec<DVec2> = vec![];
    for &corner in outline {
        while let [.., a, b] = kept[..] {
            if !is_spike(a, b, corner) {
                break;
            }
            kept.pop();
        }
        if kept.last() != Some(&corner) {
            kept.push(corner);
        }
    }
    // Also where the end joins the start.
    let mut rest = &kept[..];
    loop {
        rest = match *rest {
            [.., a, b] if rest.len() > 2 && is_spike(a, b, rest[0]) => &rest[..rest.len() - 1],
            [a, b, ..] if rest.len() > 2 && is_spike(rest[rest.len() - 1], a, b) => &rest[1..],
            _ => return rest.to_vec(),
        };
    }
}

/// Positive if `a`, `b`, `c` turn from x towards y. The sign is exact.
pub(crate) fn orientation(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    let coord = |p: DVec2| Coord { x: p.x, y: p.y };
    orient2d(coord(a), coord(b), coord(c))
}

pub(crate) fn edges_of(corners: &[DVec2]) -> impl Iterator<Item = (DVec2, DVec2)> {
    (0..corners.len()).map(|i| (corners[i], corners[(i + 1) % corners.len()]))
}

pub(crate) fn bounds_of(corners: &[DVec2]) -> (DVec2, DVec2) {
    let empty = (DVec2::INFINITY, DVec2::NEG_INFINITY);
    corners.iter().fold(empty, |(min, max), &corner| (min.min(corner), max.max(corner)))
}

/// Whether `p` lies on the closed segment.
pub(crate) fn on_segment(p: DVec2, a: DVec2, b: DVec2) -> bool {
    let in_box = p.cmpge(a.min(b)).all() && p.cmple(a.max(b)).all();
    in_box && orientation(a, b, p) == 0.0
}

/// Whether two closed segments have a point in common.
pub(crate) fn segments_meet(a: DVec2, b: DVec2, c: DVec2, d: DVec2) -> bool {
    if a.max(b).cmplt(c.min(d)).any() || c.max(d).cmplt(a.min(b)).any() {
        return false;
    }
    let apart = |p: f64, q: f64| (p > 0.0 && q > 0.0) || (p < 0.0 && q < 0.0);
    // For collinear segments the boxes have decided.
    !apart(orientation(a, b, c), orientation(a, b, d))
        && !apart(orientation(c, d, a), orientation(c, d, b))
}

/// The minimum and maximum orientation of a convex polygon's edges with a point.
fn orientation_range(polygon: &[DVec2], p: DVec2) -> (f64, f64) {
    edges_of(polygon).fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), (a, b)| {
        let value = orientation(a, b, p);
        (min.min(value), max.max(value))
    })
}

/// Whether a convex polygon has an area and contains a point.
pub(crate) fn convex_contains(polygon: &[DVec2], p: DVec2) -> bool {
    let (min, max) = orientation_range(polygon, p);
    !is_flat(polygon) && (min >= 0.0 || max <= 0.0)
}

pub(crate) fn is_flat(polygon: &[DVec2]) -> bool {
    polygon.iter().all(|&corner| edges_of(polygon).all(|(a, b)| orientation(a, b, corner) == 0.0))
}

/// Whether a segment meets the interior of a convex polygon with an area. They are apart if an edge's line
/// or the segment's line separates them (the separating axes of two convex sets).
pub(crate) fn segment_enters_convex(a: DVec2, b: DVec2, polygon: &[DVec2]) -> bool {
    let of_segment = polygon.iter().map(|&corner| orientation(a, b, corner));
    let (min, max) = of_segment.fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), value| {
        (min.min(value), max.max(value))
    });
    if min >= 0.0 || max <= 0.0 {
        return false;
    }
    let center = polygon.iter().sum::<DVec2>() / polygon.len() as f64;
    !edges_of(polygon).any(|(c, d)| {
        let inner = orientation(c, d, center).signum();
        c != d && inner * orientation(c, d, a) <= 0.0 && inner * orientation(c, d, b) <= 0.0
    })
}

/// Whether a closed segment meets a closed rectangle.
pub(crate) fn segment_meets_rectangle(a: DVec2, b: DVec2, min: DVec2, max: DVec2) -> bool {
    if a.max(b).cmplt(min).any() || a.min(b).cmpgt(max).any() {
        return false;
    }
    let corners = [min, DVec2::new(max.x, min.y), max, DVec2::new(min.x, max.y)];
    let sides = corners.map(|corner| orientation(a, b, corner));
    !(sides.iter().all(|&side| side > 0.0) || sides.iter().all(|&side| side < 0.0))
}
