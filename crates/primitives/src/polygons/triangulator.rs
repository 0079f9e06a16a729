//! Triangulation of polygons of any shape.

use glam::Vec3;

use super::{
    ear_clipping::EarClipper,
    projection::{Point, Projection, turn},
};

/// Cuts polygons of n corners into n - 2 triangles each, and reuses its memory for the next polygon.
///
/// - A polygon becomes a fan from the first corner, (0, 1, 2), (0, 2, 3), …, if no triangle of the fan
///   is flipped. This holds for every convex polygon. A polygon without area becomes a fan, too.
/// - A quad whose fan has a flipped triangle is cut along the other diagonal, if that flips none.
/// - Ear clipping cuts all other polygons.
///
/// The triangulator tests triangles in the projection along the largest axis of the polygon's normal
/// (Newell's, as described by Sutherland, Sproull and Schumacker, "A Characterization of Ten
/// Hidden-Surface Algorithms", 1974). This projection keeps every orientation in a plane and rounds
/// nothing. The predicates are exact (Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast
/// Robust Geometric Predicates", 1997).
///
/// If no triangle is flipped, the triangles cover each point as often as the polygon winds around it:
/// once inside a simple polygon, and never outside.
///
/// ```
/// use hitscan_primitives::{Triangulator, glam::Vec3};
///
/// let arrowhead = [[0.0, 0.0], [4.0, 2.0], [0.0, 4.0], [1.0, 2.0]];
/// let corners = arrowhead.map(|[x, y]| Vec3::new(x, y, 0.0));
/// let mut triangles = Vec::new();
/// Triangulator::default().triangulate(&corners, |triangle| triangles.push(triangle));
/// assert_eq!(triangles, [[1, 2, 3], [1, 3, 0]]);
/// ```
#[derive(Debug, Default)]
pub struct Triangulator {
    points: Vec<Point>,
    clipper: EarClipper,
}

impl Triangulator {
    /// Calls `emit` n - 2 times with three indices into `corners`, in the polygon's direction. Fewer than
    /// three corners give no triangle.
    ///
    /// The triangles of a self-intersecting polygon are arbitrary. O(n log n) for polygons that occur in
    /// practice, self-intersecting ones included.
    pub fn triangulate(&mut self, corners: &[Vec3], mut emit: impl FnMut([u32; 3])) {
        let n = corners.len() as u32;
        if n < 3 {
            return;
        }
        let fan = |from: u32, emit: &mut dyn FnMut([u32; 3])| {
            (1..n - 1).for_each(|i| emit([from, (from + i) % n, (from + i + 1) % n]));
        };
        if n < 4 {
            return fan(0, &mut emit);
        }
        let Some(projection) = Projection::of(corners) else { return fan(0, &mut emit) };
        let point = |corner: u32| projection.project(corners[corner as usize]);
        let flips = |a: u32, b: u32, c: u32| turn(point(a), point(b), point(c)) < 0.0;
        if (1..n - 1).all(|i| !flips(0, i, i + 1)) {
            fan(0, &mut emit);
        } else if n > 4 {
            self.points.clear();
            self.points.extend((0..n).map(point));
            self.clipper.clip(&self.points, &mut emit);
        } else if flips(1, 2, 3) || flips(1, 3, 0) {
            fan(0, &mut emit);
        } else {
            fan(1, &mut emit);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::HashMap, f64::consts::TAU};

    use super::*;

    fn flat(outline: &[(f64, f64)]) -> Vec<Vec3> {
        outline.iter().map(|&(x, y)| Vec3::new(x as f32, y as f32, 0.0)).collect()
    }

    fn cut(corners: &[Vec3]) -> Vec<[u32; 3]> {
        let mut triangles = Vec::new();
        Triangulator::default().triangulate(corners, |triangle| triangles.push(triangle));
        assert_eq!(triangles.len(), corners.len() - 2);
        triangles
    }

    /// Twice the area in the xy plane, exact for small integers.
    fn area(corners: &[Vec3], triangle: [u32; 3]) -> f64 {
        let [a, b, c] = triangle.map(|i| corners[i as usize].truncate().as_dvec2());
        (b - a).perp_dot(c - a)
    }

    /// The triangles are cut along diagonals: every side of the polygon is in one triangle, every
    /// other edge in two, in opposite directions.
    fn assert_cut_along_diagonals(n: u32, triangles: &[[u32; 3]]) {
        let mut edges: HashMap<(u32, u32), i32> = HashMap::new();
        for &[a, b, c] in triangles {
            for (from, to) in [(a, b), (b, c), (c, a)] {
                *edges.entry((from.min(to), from.max(to))).or_default() +=
                    if from < to { 1 } else { -1 };
            }
        }
        edges.retain(|_, balance| *balance != 0);
        assert_eq!(edges.len(), n as usize);
        for i in 0..n {
            let j = (i + 1) % n;
            let balance = if i < j { 1 } else { -1 };
            assert_eq!(edges.get(&(i.min(j), i.max(j))), Some(&balance), "side {i}");
        }
    }

    /// Covers a simple polygon in the xy plane once, from every corner that it may start with.
    fn check(outline: &[(f64, f64)], may_have_no_area: bool) {
        let n = outline.len();
        let mut turned = outline.to_vec();
        for start in 0..n.min(24) {
            let corners = flat(&turned);
            let triangles = cut(&corners);
            assert_cut_along_diagonals(n as u32, &triangles);
            let areas = || triangles.iter().map(|&triangle| area(&corners, triangle));
            assert!(areas().all(|area| area >= 0.0), "{start}: {turned:?} {triangles:?}");
            let is_fan = triangles.iter().all(|triangle| triangle[0] == 0);
            let n_without = areas().filter(|&area| area == 0.0).count();
            assert!(may_have_no_area || is_fan || n_without == 0, "{start}: {triangles:?}");
            turned.rotate_left(1);
        }
    }

    #[test]
    fn convex_polygons_are_fanned_from_the_first_corner() {
        for n in 3..40u32 {
            let outline: Vec<_> = (0..n)
                .map(|i| f64::from(i) / f64::from(n) * TAU)
                .map(|angle| (angle.cos(), angle.sin()))
                .collect();
            let fan: Vec<[u32; 3]> = (1..n - 1).map(|i| [0, i, i + 1]).collect();
            assert_eq!(cut(&flat(&outline)), fan);
            let clockwise: Vec<_> = outline.into_iter().rev().collect();
            assert_eq!(cut(&flat(&clockwise)), fan);
        }
    }

    #[test]
    fn a_quad_whose_fan_flips_is_cut_the_other_way() {
        let arrowhead = [(0.0, 0.0), (4.0, 2.0), (0.0, 4.0), (1.0, 2.0)];
        assert_eq!(cut(&flat(&arrowhead)), [[1, 2, 3], [1, 3, 0]]);
        check(&arrowhead, false);
    }

    #[test]
    fn concave_polygons_are_covered_once_from_any_start() {
        let u = [
            (2.0, 1.0),
            (2.0, 3.0),
            (3.0, 3.0),
            (3.0, 0.0),
            (0.0, 0.0),
            (0.0, 3.0),
            (1.0, 3.0),
            (1.0, 1.0),
        ];
        check(&u.map(|(x, y)| (x, -y)), false);
        check(&comb(5, 0.0), false);
        check(&star(7, 3.0), false);
        check(&square_spiral(6), false);
    }

    #[test]
    fn corners_on_straight_sides_give_no_triangle_without_area_unless_fanned() {
        let l: Vec<_> = [
            (0, 0),
            (1, 0),
            (2, 0),
            (3, 0),
            (3, 1),
            (2, 1),
            (1, 1),
            (1, 2),
            (1, 3),
            (0, 3),
            (0, 2),
            (0, 1),
        ]
        .map(|(x, y)| (f64::from(x), f64::from(y)))
        .to_vec();
        check(&l, false);
    }

    #[test]
    fn holes_behind_bridges_stay_empty() {
        for n in [1, 2, 5, 400] {
            let outline = row_of_holes(n);
            let corners = flat(&outline);
            let triangles = cut(&corners);
            assert!(triangles.iter().all(|&triangle| area(&corners, triangle) >= 0.0), "{n}");
            for i in 0..n {
                let hole = Vec3::new(4.0 * i as f32 + 2.1, 2.2, 0.0);
                assert_eq!(n_covering(&corners, &triangles, hole), 0, "{n}: {i}");
                let beside = Vec3::new(4.0 * i as f32 + 0.3, 2.2, 0.0);
                assert_eq!(n_covering(&corners, &triangles, beside), 1, "{n}: {i}");
            }
        }
    }

    #[test]
    fn holes_behind_one_another_stay_empty() {
        for n in [1, 2, 3, 50] {
            let outline = chain_of_holes(n);
            let mut turned = outline.clone();
            for start in 0..outline.len().min(40) {
                let corners = flat(&turned);
                let triangles = cut(&corners);
                let n_flipped = triangles.iter().filter(|&&t| area(&corners, t) < 0.0).count();
                assert_eq!(n_flipped, 0, "{n}, {start}");
                for i in 0..n {
                    let hole = Vec3::new(4.0 * i as f32 + 3.1, 2.2, 0.0);
                    assert_eq!(n_covering(&corners, &triangles, hole), 0, "{n}, {start}: {i}");
                }
                turned.rotate_left(1);
            }
        }
    }

    /// A rectangle with holes in a row, the first reached from a corner and each next from the last.
    fn chain_of_holes(n_holes: u32) -> Vec<(f64, f64)> {
        let left = |i: u32| f64::from(4 * i) + 2.0;
        let right = f64::from(4 * n_holes) + 2.0;
        let mut outline = vec![(0.0, 0.0), (right, 0.0), (right, 4.0), (0.0, 4.0), (0.0, 0.0)];
        for i in 0..n_holes {
            outline.extend([(left(i), 2.0), (left(i) + 1.0, 3.0), (left(i) + 2.0, 2.0)]);
        }
        for i in (0..n_holes).rev() {
            outline.extend([(left(i) + 2.0, 2.0), (left(i) + 1.0, 1.0), (left(i), 2.0)]);
        }
        outline
    }

    fn n_covering(corners: &[Vec3], triangles: &[[u32; 3]], point: Vec3) -> usize {
        let p = point.truncate().as_dvec2();
        let inside = |triangle: &&[u32; 3]| {
            let [a, b, c] = triangle.map(|i| corners[i as usize].truncate().as_dvec2());
            [(a, b), (b, c), (c, a)].iter().all(|&(a, b)| (b - a).perp_dot(p - a) > 0.0)
        };
        triangles.iter().filter(inside).count()
    }

    #[test]
    fn repeated_corners_and_spikes_give_only_triangles_without_area() {
        check(
            &[(0., 0.), (0., 0.), (4., 0.), (4., 4.), (4., 4.), (4., 4.), (1., 1.), (0., 4.)],
            true,
        );
        check(&[(0., 0.), (4., 0.), (6., 0.), (4., 0.), (4., 4.), (3., 1.), (0., 4.)], true);
        check(&[(0., 0.), (4., 0.), (4., 4.), (2., 2.), (2., 1.), (2., 2.), (0., 4.)], true);
    }

    #[test]
    fn any_nonsense_gives_n_minus_two_triangles() {
        let mut state = 1u64;
        let mut next = |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % n
        };
        for n in 3..60 {
            for grid in [1, 2, 3, 5, 100] {
                let corners: Vec<Vec3> =
                    (0..n).map(|_| Vec3::from_array([(); 3].map(|()| next(grid) as f32))).collect();
                assert_cut_along_diagonals(n as u32, &cut(&corners));
            }
        }
        for extreme in [f32::MAX, f32::MIN_POSITIVE, 1e-45] {
            let corners: Vec<Vec3> = comb(9, 0.0)
                .iter()
                .map(|&(x, y)| Vec3::new(x as f32, y as f32, 1.0) * (extreme / 99.0))
                .collect();
            cut(&corners);
        }
    }

    #[test]
    fn tilted_and_distant_polygons_are_cut_like_flat_ones() {
        let flat_comb = comb(6, 0.0);
        let tilted: Vec<Vec3> = flat_comb
            .iter()
            .map(|&(x, y)| Vec3::new(x as f32, y as f32, (3.0 * x + 5.0 * y) as f32))
            .map(|corner| corner + Vec3::new(4096.0, -8192.0, 16384.0))
            .collect();
        assert_cut_along_diagonals(tilted.len() as u32, &cut(&tilted));
        let triangles = cut(&tilted);
        assert!(triangles.iter().all(|&triangle| area(&tilted, triangle) > 0.0));
    }

    #[test]
    fn the_work_for_large_polygons_does_not_grow_with_their_square() {
        // Counts boxes of the tree, because a time would depend on the machine. At this limit 200,000
        // corners take a second or two.
        const MOST_STEPS_PER_CORNER: u64 = 600;
        type Shape = fn(u32) -> Vec<(f64, f64)>;
        let shapes: [(&str, Shape); 11] = [
            ("row of holes", |n| row_of_holes(n / 7)),
            ("staircase", |n| staircase(n / 2)),
            ("notched", |n| notched(n / 6)),
            ("comb", |n| comb(n / 4, 0.0)),
            ("diagonal comb", |n| comb(n / 4, 0.6)),
            ("star", |n| star(n / 2, 2.0)),
            ("jagged circle", |n| star(n / 2, 1.0001)),
            ("square spiral", |n| square_spiral(n / 8)),
            ("round spiral", |n| round_spiral(n / 2, 40.0)),
            ("tight spiral", |n| round_spiral(n / 2, f64::from(n) / 100.0)),
            ("zigzag band", |n| zigzag(n / 2)),
        ];
        for (name, shape) in shapes {
            for n in [1000, 10_000, 100_000] {
                let corners = flat(&shape(n));
                let mut triangulator = Triangulator::default();
                let mut triangles = Vec::new();
                triangulator.triangulate(&corners, |triangle| triangles.push(triangle));
                let n_steps = triangulator.clipper.tree.n_steps;
                println!(
                    "{name}, {} corners: {} steps each",
                    corners.len(),
                    n_steps / u64::from(n)
                );
                assert!(n_steps < MOST_STEPS_PER_CORNER * u64::from(n), "{name}, {n}: {n_steps}");
                assert_cut_along_diagonals(corners.len() as u32, &triangles);
                let n_flipped = triangles.iter().filter(|&&t| area(&corners, t) < 0.0).count();
                assert_eq!(n_flipped, 0, "{name}, {n}");
            }
        }
    }

    #[test]
    fn a_tangle_of_many_corners_ends_soon() {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 40) as f64
        };
        let tangle: Vec<_> = (0..100_000).map(|_| (next(), next())).collect();
        let corners = flat(&tangle);
        let mut triangulator = Triangulator::default();
        let mut n_triangles = 0;
        triangulator.triangulate(&corners, |_| n_triangles += 1);
        assert_eq!(n_triangles, corners.len() - 2);
        let n_steps = triangulator.clipper.tree.n_steps;
        println!("{} steps each", n_steps / 100_000);
        assert!(n_steps < 1000 * 100_000);
    }

    /// Teeth of width 1 and gaps of width 1, a hundred high, turned by an angle.
    fn comb(n_teeth: u32, angle: f64) -> Vec<(f64, f64)> {
        let mut outline = vec![(f64::from(2 * n_teeth), -1.0)];
        for i in (0..n_teeth).rev() {
            let x = f64::from(2 * i);
            outline.extend([(x + 1.0, 0.0), (x + 1.0, 100.0), (x, 100.0), (x, 0.0)]);
        }
        outline.push((-1.0, -1.0));
        let (sin, cos) = angle.sin_cos();
        outline.into_iter().map(|(x, y)| (cos * x - sin * y, sin * x + cos * y)).collect()
    }

    fn star(n_points: u32, ratio: f64) -> Vec<(f64, f64)> {
        (0..2 * n_points)
            .map(|i| {
                let angle = f64::from(i) / f64::from(2 * n_points) * TAU;
                let radius = if i % 2 == 0 { 1e4 } else { 1e4 / ratio };
                (radius * angle.cos(), radius * angle.sin())
            })
            .collect()
    }

    /// A rectangle with square holes in a row, each reached from the lower side and left again.
    fn row_of_holes(n_holes: u32) -> Vec<(f64, f64)> {
        let mut outline = vec![(0.0, 0.0)];
        for i in 0..n_holes {
            let x = f64::from(4 * i) + 1.0;
            outline.extend([(x, 0.0), (x, 1.0), (x, 3.0), (x + 2.0, 3.0), (x + 2.0, 1.0)]);
            outline.extend([(x, 1.0), (x, 0.0)]);
        }
        let right = f64::from(4 * n_holes);
        outline.extend([(right, 0.0), (right, 4.0), (0.0, 4.0)]);
        outline
    }

    fn staircase(n_steps: u32) -> Vec<(f64, f64)> {
        let at = |i: u32| (f64::from(i), f64::from(n_steps - i));
        let step = |i: u32| [(at(i).0, at(i).1 - 1.0), (at(i + 1).0, at(i + 1).1)];
        let mut outline = vec![(f64::from(n_steps), f64::from(n_steps)), at(0)];
        outline.extend((0..n_steps).flat_map(step));
        outline
    }

    /// Corners on a straight line below, and on the line of its teeth above.
    fn notched(n: u32) -> Vec<(f64, f64)> {
        let below = (0..=2 * n).map(|i| (f64::from(i), -1.0));
        let teeth = (0..n).rev().flat_map(|i| {
            let x = f64::from(2 * i);
            [(x + 2.0, 1.0), (x + 1.0, 1.0), (x + 1.0, 0.0), (x, 0.0)]
        });
        below.chain(teeth).collect()
    }

    /// A band of width 1 with a gap of 1 around and around.
    fn square_spiral(n_turns: u32) -> Vec<(f64, f64)> {
        let mut inner = Vec::new();
        let mut outer = Vec::new();
        for i in 0..n_turns {
            let r = f64::from(2 * i) + 2.0;
            outer.extend([(r, -r), (r, r), (-r, r), (-r, -r - 2.0)]);
            let r = r - 1.0;
            inner.extend([(r, -r), (r, r), (-r, r), (-r, -r - 2.0)]);
        }
        inner.reverse();
        outer.extend(inner);
        outer
    }

    fn round_spiral(n_steps: u32, n_turns: f64) -> Vec<(f64, f64)> {
        let at = |i: u32, offset: f64| {
            let turns = f64::from(i) / f64::from(n_steps) * n_turns;
            let radius = 10.0 * (turns + 2.0 + offset);
            (radius * (turns * TAU).cos(), radius * (turns * TAU).sin())
        };
        let outer = (0..n_steps).map(|i| at(i, 0.5));
        let inner = (0..n_steps).rev().map(|i| at(i, 0.0));
        outer.chain(inner).collect()
    }

    fn zigzag(n: u32) -> Vec<(f64, f64)> {
        let at = |i: u32, offset: f64| (f64::from(i), f64::from(i % 2 * 50) + offset);
        (0..n).map(|i| at(i, 0.0)).chain((0..n).rev().map(|i| at(i, 0.75))).collect()
    }
}
