//! Parts of a triangle: convex polygons, cut by planes across an axis.
//!
//! All sums are in f64. A cut rounds by some 2^-52 of the largest coordinate, and [`Polygon::bounds`] covers
//! that (docs/proof.md, "Split triangles").

use glam::{DVec2, DVec3, Vec3, Vec3A};

use crate::{box3::Box3, error_bounds::CUT_SLACK};

/// The box of a part, and its triangle.
#[derive(Clone, Copy)]
pub(super) struct Part {
    pub(super) bounds: Box3,
    pub(super) triangle: u32,
}

/// A vertex of a part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartVertex {
    pub(crate) position: DVec3,
    /// The weights of the triangle's second and third corner.
    pub(crate) weights: DVec2,
}

impl PartVertex {
    const ORIGIN: Self = Self { position: DVec3::ZERO, weights: DVec2::ZERO };
}

/// A triangle, or a convex part of it. It may be a segment or a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Polygon {
    len: usize,
    vertices: [PartVertex; MAX_VERTICES],
}

/// The maximum number of vertices. A triangle cut by the six sides of a box has nine; rounding may add some.
const MAX_VERTICES: usize = 16;

impl Polygon {
    const EMPTY: Self = Self { len: 0, vertices: [PartVertex::ORIGIN; MAX_VERTICES] };

    /// A whole triangle.
    pub(crate) fn of_triangle(corners: [Vec3; 3]) -> Self {
        let mut whole = Self::EMPTY;
        for (corner, weights) in corners.into_iter().zip([DVec2::ZERO, DVec2::X, DVec2::Y]) {
            whole.vertices[whole.len] = PartVertex { position: corner.as_dvec3(), weights };
            whole.len += 1;
        }
        whole
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(crate) fn vertices(&self) -> &[PartVertex] {
        &self.vertices[..self.len]
    }

    /// The parts at or below and at or above a plane. Either may be empty. Both hold what lies on the
    /// plane. `None` if a part has too many vertices.
    pub(crate) fn cut(&self, axis: usize, at: f64) -> Option<[Self; 2]> {
        let [mut below, mut above] = [Self::EMPTY; 2];
        for (i, &to) in self.vertices().iter().enumerate() {
            let from = self.vertices[(i + self.len - 1) % self.len];
            let (height_from, height_to) = (from.position[axis] - at, to.position[axis] - at);
            if (height_from < 0.0 && height_to > 0.0) || (height_from > 0.0 && height_to < 0.0) {
                let share = height_from / (height_from - height_to);
                let mut crossing = PartVertex {
                    position: from.position.lerp(to.position, share),
                    weights: from.weights.lerp(to.weights, share),
                };
                crossing.position[axis] = at;
                below.push(crossing)?;
                above.push(crossing)?;
            }
            if height_to <= 0.0 {
                below.push(to)?;
            }
            if height_to >= 0.0 {
                above.push(to)?;
            }
        }
        Some([below, above])
    }

    fn push(&mut self, vertex: PartVertex) -> Option<()> {
        *self.vertices.get_mut(self.len)? = vertex;
        self.len += 1;
        Some(())
    }

    /// The part within a box. `None` if it has too many vertices.
    pub(crate) fn within(&self, min: DVec3, max: DVec3) -> Option<Self> {
        let mut part = *self;
        for axis in 0..3 {
            let [_, above] = part.cut(axis, min[axis])?;
            let [below, _] = above.cut(axis, max[axis])?;
            part = below;
        }
        Some(part)
    }

    /// A box in f32 that holds the exact part, whatever the cuts have rounded. `reach` is the largest
    /// coordinate of the whole triangle, in absolute value.
    pub(crate) fn bounds(&self, reach: f32) -> Box3 {
        bounds_of(self.vertices().iter().map(|vertex| vertex.position), reach)
    }

    /// Half of the sum of the normal's components in size: the area of the part's shadows along the axes. No
    /// set of boxes that covers the part has a smaller half area.
    pub(crate) fn projected_area(&self) -> f32 {
        let mut normal = DVec3::ZERO;
        let a = self.vertices[0].position;
        for edge in self.vertices().windows(2) {
            normal += (edge[0].position - a).cross(edge[1].position - a);
        }
        (0.5 * normal.abs().element_sum()) as f32
    }
}

/// The largest coordinate of a triangle, in absolute value.
pub(crate) fn reach_of([a, b, c]: [Vec3; 3]) -> f32 {
    a.abs().max(b.abs()).max(c.abs()).max_element()
}

/// The box around computed points of a triangle with this reach, widened by [`CUT_SLACK`] and rounded outward. Empty without points.
pub(crate) fn bounds_of(points: impl Iterator<Item = DVec3>, reach: f32) -> Box3 {
    let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for point in points {
        (min, max) = (min.min(point), max.max(point));
    }
    if min.x > max.x {
        return Box3::EMPTY;
    }
    let slack = CUT_SLACK * f64::from(reach);
    let down = |x: f64| {
        let rounded = x as f32;
        if f64::from(rounded) > x { rounded.next_down() } else { rounded }
    };
    let up = |x: f64| -down(-x);
    let [min, max] = [(min - slack).to_array().map(down), (max + slack).to_array().map(up)];
    Box3 { min: Vec3A::from_array(min), max: Vec3A::from_array(max) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triangle() -> [Vec3; 3] {
        [Vec3::new(0.0, 0.0, 0.0), Vec3::new(8.0, 1.0, 0.0), Vec3::new(0.0, 4.0, 2.0)]
    }

    #[test]
    fn a_cut_has_both_parts_with_the_plane_in_each() {
        let [below, above] = Polygon::of_triangle(triangle()).cut(0, 2.0).expect("few vertices");
        assert_eq!((below.vertices().len(), above.vertices().len()), (4, 3));
        let bounds = above.bounds(8.0).to_aabb();
        assert!(bounds.min.x <= 2.0 && bounds.min.x > 1.99 && bounds.max.x >= 8.0);
        let area = |part: &Polygon| f64::from(part.projected_area());
        let whole = area(&Polygon::of_triangle(triangle()));
        assert!((area(&below) + area(&above) - whole).abs() < 1e-5);
    }

    #[test]
    fn weights_give_the_positions() {
        let [a, b, c] = triangle().map(|corner| corner.as_dvec3());
        let part = Polygon::of_triangle(triangle())
            .within(DVec3::new(1.0, 0.5, 0.25), DVec3::new(5.0, 3.0, 1.0))
            .expect("few vertices");
        assert!(part.vertices().len() > 3);
        for vertex in part.vertices() {
            let DVec2 { x: u, y: v } = vertex.weights;
            let by_weights = a + u * (b - a) + v * (c - a);
            assert!(by_weights.distance(vertex.position) < 1e-14, "{vertex:?}");
        }
    }

    #[test]
    fn a_part_beside_the_plane_is_empty_and_a_point_stays() {
        let [below, above] = Polygon::of_triangle(triangle()).cut(2, 2.0).expect("few vertices");
        assert_eq!((below.vertices().len(), above.vertices().len()), (3, 1));
        let [below, _] = Polygon::of_triangle(triangle()).cut(0, -1.0).expect("few vertices");
        assert!(below.is_empty() && below.bounds(8.0).min.x > below.bounds(8.0).max.x);
        let point = [Vec3::ONE; 3];
        let [below, above] = Polygon::of_triangle(point).cut(1, 1.0).expect("few vertices");
        assert!(!below.is_empty() && !above.is_empty());
    }
}
