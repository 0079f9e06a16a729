//! Outline of a subject in a picture. Tiles outside it are background and need no rays.

use hitscan::glam::{DVec2, DVec3};
use hitscan::picking::View;

use crate::subject::Subject;

/// Larger numbers of boxes are merged into one.
const MAX_BOXES: usize = 256;

/// Corners projected beyond this many pixels are too close to the eye's plane to be exact.
const MAX_PIXEL: f64 = 1e6;

/// Exceeds the rounding of a projected corner, in pixels of the view.
const MARGIN: f64 = 0.5;

/// Convex outline around everything that a view shows of a subject.
#[derive(Clone, Debug)]
pub(crate) struct Silhouette {
    /// Corners in pixels of the view. Points inside have positive cross products with each side.
    outline: Vec<DVec2>,
}

impl Silhouette {
    /// The outline of the culling boxes of all instances and of further points in world space. A
    /// culling box contains every point that a ray can hit. `None` if any of it crosses the near or far
    /// plane.
    pub(crate) fn new(subject: &Subject, view: &View, points: &[DVec3]) -> Option<Self> {
        let boxes = subject.instances().iter().filter_map(|&id| subject.scene().culling_box(id));
        let mut boxes: Vec<_> = boxes.filter(|bounds| !bounds.is_empty()).collect();
        if boxes.len() > MAX_BOXES {
            boxes = boxes.into_iter().reduce(|a, b| a.union(b)).into_iter().collect();
        }
        let corners = boxes.iter().flat_map(|bounds| {
            let ends = [bounds.min, bounds.max];
            (0..8).map(move |corner: usize| {
                let [x, y, z] = [0, 1, 2].map(|axis| ends[corner >> axis & 1][axis]);
                DVec3::new(x, y, z)
            })
        });
        let corners = corners.chain(points.iter().copied());
        let pixel = |corner| {
            let pixel = view.project(corner)?.pixel;
            (pixel.abs().max_element() < MAX_PIXEL).then_some(pixel)
        };
        Some(Self { outline: convex_hull(corners.map(pixel).collect::<Option<_>>()?) })
    }

    /// Whether the rectangle between two pixels of the view shows only background.
    pub(crate) fn misses(&self, min: DVec2, max: DVec2) -> bool {
        let (min, max) = (min - MARGIN, max + MARGIN);
        let corners = [min, DVec2::new(max.x, min.y), max, DVec2::new(min.x, max.y)];
        let outline = &self.outline;
        let is_beyond_a_side = (0..outline.len()).any(|n| {
            let (a, b) = (outline[n], outline[(n + 1) % outline.len()]);
            corners.iter().all(|&corner| (b - a).perp_dot(corner - a) < 0.0)
        });
        let all = |is: &dyn Fn(&DVec2) -> bool| outline.iter().all(is);
        is_beyond_a_side
            || all(&|p| p.x < min.x)
            || all(&|p| p.x > max.x)
            || all(&|p| p.y < min.y)
            || all(&|p| p.y > max.y)
    }
}

/// Corners of the convex hull, each once, by Andrew's monotone chain ("Another efficient algorithm
/// for convex hulls in two dimensions", 1979).
fn convex_hull(mut points: Vec<DVec2>) -> Vec<DVec2> {
    points.sort_unstable_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let chain = |points: &mut dyn Iterator<Item = DVec2>| {
        let mut chain: Vec<DVec2> = vec![];
        for point in points {
            while let [.., a, b] = chain[..]
                && (b - a).perp_dot(point - a) <= 0.0
            {
                chain.pop();
            }
            chain.push(point);
        }
        // The last point starts the other chain.
        chain.pop();
        chain
    };
    let mut hull = chain(&mut points.iter().copied());
    hull.extend(chain(&mut points.iter().rev().copied()));
    hull
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(points: &[[f64; 2]]) -> Vec<DVec2> {
        points.iter().copied().map(DVec2::from).collect()
    }

    #[test]
    fn a_hull_has_the_corners_and_nothing_else() {
        let square = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]];
        let with_more = [&square[..], &[[2.0, 0.0], [1.0, 3.0], [4.0, 4.0], [0.0, 1.0]]].concat();
        assert_eq!(convex_hull(points(&with_more)), points(&square));
        let line = [[0.0, 0.0], [1.0, 1.0], [3.0, 3.0]];
        assert_eq!(convex_hull(points(&line)), points(&[line[0], line[2]]));
        assert_eq!(convex_hull(points(&[[1.0, 2.0]; 3])), points(&[[1.0, 2.0]]));
        assert_eq!(convex_hull(vec![]), []);
    }

    #[test]
    fn rectangles_that_miss_an_outline_are_detected() {
        let diamond = [[0.0, 10.0], [10.0, 0.0], [20.0, 10.0], [10.0, 20.0]];
        let silhouette = Silhouette { outline: convex_hull(points(&diamond)) };
        let misses = |min: [f64; 2], max: [f64; 2]| silhouette.misses(min.into(), max.into());
        for (min, max) in [([0.0; 2], [4.0; 2]), ([16.0; 2], [20.0; 2]), ([21.0, 0.0], [30.0, 9.0])]
        {
            assert!(misses(min, max), "{min:?} {max:?}");
        }
        for (min, max) in [([0.0; 2], [5.0; 2]), ([9.0; 2], [11.0; 2]), ([-9.0; 2], [99.0; 2])] {
            assert!(!misses(min, max), "{min:?} {max:?}");
        }
        assert!(Silhouette { outline: vec![] }.misses(DVec2::ZERO, DVec2::ONE));
    }
}
