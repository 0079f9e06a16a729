//! Segments of cut triangles, joined to polylines.

use glam::{DVec3, Vec3};

use super::plane::SectionPlane;

/// A part of a section: a line along which a plane cuts a surface.
///
/// It runs so that the inside of the surface lies to its left, seen from above the plane, where the normal points. Around
/// a solid it runs counter-clockwise, around a hole clockwise. Where triangles are turned over, it runs along the
/// direction of most of them.
#[derive(Clone, Debug, PartialEq)]
pub struct SectionPolyline {
    /// The points in order. A closed polyline starts with the segment of its least triangle and does not repeat its first
    /// point at the end.
    pub points: Vec<DVec3>,
    /// The triangle of each segment: entry `i` has the segment from point `i` to point `i + 1`, and the last entry of a
    /// closed polyline that from the last point to the first. No triangle occurs twice in a section.
    pub triangles: Vec<u32>,
    /// Whether the last point is joined to the first.
    pub is_closed: bool,
}

impl SectionPolyline {
    /// The length of the polyline.
    pub fn length(&self) -> f64 {
        self.segments().map(|[from, to]| from.distance(to)).sum()
    }

    /// The segments in order, each with its two ends.
    pub fn segments(&self) -> impl Iterator<Item = [DVec3; 2]> {
        let ends = self.points.iter().skip(1).chain(self.points.first());
        self.points.iter().zip(ends).map(|(&from, &to)| [from, to]).take(self.triangles.len())
    }
}

/// Collects the segments in which a plane cuts triangles, and joins them.
///
/// The rules of every section:
///
/// - A corner in the plane counts as above it ([`SectionPlane::is_above`]). The plane cuts a triangle with corners on both
///   sides. So a plane through the bottom face of a solid cuts nothing there, and one through its top face cuts its outline.
/// - An edge is a pair of positions, not of indices; 0.0 equals -0.0. Its crossing is computed in f64 from the end below to
///   the end above, and is exactly the end above if that lies in the plane. So all triangles at an edge have the same point.
/// - At an edge the segments that end there continue with those that start there, both in the order of their triangles. If
///   only one kind remains, because triangles are turned over, it is paired in order. A segment without a partner is an end.
/// - So a section has ends only at edges of an odd number of triangles: a closed mesh has closed polylines.
/// - A triangle whose two crossings are on the same edge has no segment: two of its corners are at one position. A segment
///   whose ends are one point is left out, because there the plane only touches an edge or a corner.
/// - Polylines are in the order of their least triangles.
#[derive(Clone, Debug)]
pub struct SectionSegments<'a> {
    plane: &'a SectionPlane,
    segments: Vec<Segment>,
}

/// The segment of a triangle, from the edge that goes down to the one that goes up.
#[derive(Clone, Copy, Debug)]
struct Segment {
    triangle: u32,
    points: [DVec3; 2],
    edges: [EdgeKey; 2],
}

/// The bits of an edge's end below and end above.
type EdgeKey = (u128, u64);

/// No end of a segment.
const NONE: u32 = u32::MAX;

impl<'a> SectionSegments<'a> {
    /// No segments yet.
    pub fn new(plane: &'a SectionPlane) -> Self {
        Self { plane, segments: Vec::new() }
    }

    /// Adds the segment of a triangle, if the plane cuts it. Its corners, counter-clockwise seen from the front, are at
    /// `corners` in the space of the plane. `positions` tell which corners of other triangles are the same: equal
    /// positions must have equal corners. A triangle may be added twice.
    #[inline]
    pub fn add(&mut self, triangle: u32, positions: [Vec3; 3], corners: [DVec3; 3]) {
        let heights = corners.map(|corner| self.plane.height(corner));
        let n_above = heights.iter().filter(|&&height| height >= 0.0).count();
        if n_above % 3 != 0 {
            self.add_cut(triangle, positions, corners, heights);
        }
    }

    fn add_cut(
        &mut self,
        triangle: u32,
        positions: [Vec3; 3],
        corners: [DVec3; 3],
        heights: [f64; 3],
    ) {
        // The corner that is alone on its side. The edges to and from it cross the plane.
        let is_above = heights.map(|height| height >= 0.0);
        let lone = (0..3).find(|&i| (0..3).all(|j| i == j || is_above[i] != is_above[j]));
        let lone = lone.expect("one corner of three is alone on its side");
        let (next, last) = ((lone + 1) % 3, (lone + 2) % 3);
        let crossing = |other: usize| {
            let [below, above] = if is_above[lone] { [other, lone] } else { [lone, other] };
            let point =
                crossing([corners[below], corners[above]], [heights[below], heights[above]]);
            (point, edge_key(positions[below], positions[above]))
        };
        // The boundary goes up to a corner above and then down.
        let (after, before) = (crossing(next), crossing(last));
        let [down, up] = if is_above[lone] { [after, before] } else { [before, after] };
        if down.1 != up.1 {
            let (points, edges) = ([down.0, up.0], [down.1, up.1]);
            self.segments.push(Segment { triangle, points, edges });
        }
    }

    /// Joins the segments. The points are divided by `scale`, a power of two.
    pub fn join(self, scale: f64) -> Vec<SectionPolyline> {
        let segments = in_order(&self.segments);
        let mates = mates(&segments);
        let mut is_used = vec![false; segments.len()];
        let mut polylines = Vec::new();
        for first in 0..segments.len() {
            if is_used[first] {
                continue;
            }
            let (start, is_closed) = start_of(first as u32, &mates);
            let ends = walk(start, &mates, &mut is_used);
            let n_reversed = ends.iter().filter(|&&end| end & 1 == 1).count();
            let is_first_reversed = ends.contains(&(2 * first as u32 + 1));
            let is_reversed = match (2 * n_reversed).cmp(&ends.len()) {
                std::cmp::Ordering::Equal => is_first_reversed,
                order => order.is_gt(),
            };
            polylines.extend(polyline(&segments, ends, is_reversed, is_closed, scale));
        }
        let least = |polyline: &SectionPolyline| polyline.triangles.iter().copied().min();
        polylines.sort_by_cached_key(least);
        polylines
    }
}

/// The point in which an edge from below to above crosses the plane, in the edge's own box.
fn crossing([below, above]: [DVec3; 2], heights: [f64; 2]) -> DVec3 {
    // A sum of -0.0 and 0.0 is 0.0.
    if heights[1] == 0.0 {
        return above + 0.0;
    }
    let weight = heights[0] / (heights[0] - heights[1]);
    let point = below + weight * (above - below);
    point.clamp(below.min(above), below.max(above)) + 0.0
}

fn edge_key(below: Vec3, above: Vec3) -> EdgeKey {
    let [[a, b, c], [d, e, f]] = [below, above].map(|p| (p + 0.0).to_array().map(f32::to_bits));
    let wide = |x: u32| u128::from(x);
    (wide(a) << 96 | wide(b) << 64 | wide(c) << 32 | wide(d), u64::from(e) << 32 | u64::from(f))
}

/// The segments in the order of their triangles, each once.
fn in_order(segments: &[Segment]) -> Vec<Segment> {
    let place = |(i, segment): (usize, &Segment)| u64::from(segment.triangle) << 32 | i as u64;
    let mut order: Vec<u64> = segments.iter().enumerate().map(place).collect();
    order.sort_unstable();
    order.dedup_by_key(|place| *place >> 32);
    order.into_iter().map(|place| segments[place as u32 as usize]).collect()
}

/// The end that each end of a segment is joined to. The start of segment `i` is end `2 i`, its other one `2 i + 1`.
fn mates(segments: &[Segment]) -> Vec<u32> {
    // Sorted, because only a random hash table withstands a hostile mesh.
    let of_segment = |(i, segment): (usize, &Segment)| {
        [0, 1].map(|end| (segment.edges[end], 2 * i as u32 + end as u32))
    };
    let mut ends: Vec<(EdgeKey, u32)> = segments.iter().enumerate().flat_map(of_segment).collect();
    ends.sort_unstable();
    let mut mates = vec![NONE; ends.len()];
    let mut join = |a: u32, b: u32| (mates[a as usize], mates[b as usize]) = (b, a);
    let mut kinds = [Vec::new(), Vec::new()];
    for at_edge in ends.chunk_by(|a, b| a.0 == b.0) {
        kinds.iter_mut().for_each(Vec::clear);
        for &(_, end) in at_edge {
            kinds[(end & 1) as usize].push(end);
        }
        let [starts, stops] = &kinds;
        let n = starts.len().min(stops.len());
        starts.iter().zip(stops).for_each(|(&start, &stop)| join(start, stop));
        for pair in starts[n..].chunks_exact(2).chain(stops[n..].chunks_exact(2)) {
            join(pair[0], pair[1]);
        }
    }
    mates
}

/// The end from which a walk passes all segments that are joined to a segment, and whether they form a ring.
fn start_of(first: u32, mates: &[u32]) -> (u32, bool) {
    let mut end = 2 * first;
    loop {
        match mates[end as usize] {
            NONE => return (end, false),
            mate if mate >> 1 == first => return (2 * first, true),
            mate => end = mate ^ 1,
        }
    }
}

/// The ends at which a walk from `start` enters segments.
fn walk(start: u32, mates: &[u32], is_used: &mut [bool]) -> Vec<u32> {
    let mut ends = Vec::new();
    let mut end = start;
    while end != NONE && !is_used[(end >> 1) as usize] {
        is_used[(end >> 1) as usize] = true;
        ends.push(end);
        end = mates[(end ^ 1) as usize];
    }
    ends
}

/// The polyline of a walk; `None` if it is a single point.
fn polyline(
    segments: &[Segment],
    mut ends: Vec<u32>,
    is_reversed: bool,
    is_closed: bool,
    scale: f64,
) -> Option<SectionPolyline> {
    if is_reversed {
        ends.reverse();
        ends.iter_mut().for_each(|end| *end ^= 1);
    }
    let points = |end: u32| {
        let [from, to] = segments[(end >> 1) as usize].points;
        if end & 1 == 0 { [from, to] } else { [to, from] }
    };
    ends.retain(|&end| points(end)[0] != points(end)[1]);
    // Ends are in the order of their triangles.
    let least = (0..ends.len()).min_by_key(|&i| ends[i])?;
    if is_closed {
        ends.rotate_left(least);
    }
    let last = ends.last().filter(|_| !is_closed).map(|&end| points(end)[1]);
    let starts = ends.iter().map(|&end| points(end)[0]);
    Some(SectionPolyline {
        points: starts.chain(last).map(|point| point / scale).collect(),
        triangles: ends.iter().map(|&end| segments[(end >> 1) as usize].triangle).collect(),
        is_closed,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SameVertex, Topology, TriMesh, brute_force, generate};

    fn at_z(mesh: &TriMesh, z: f64) -> Vec<SectionPolyline> {
        let plane = SectionPlane::new([0.0, 0.0, z], [0.0, 0.0, 1.0]).expect("it has a normal");
        brute_force::section(mesh, &plane)
    }

    /// Twice the area that the polylines enclose, seen from above.
    fn area(polylines: &[SectionPolyline]) -> f64 {
        let segments = polylines.iter().flat_map(SectionPolyline::segments);
        segments.map(|[from, to]| from.cross(to).z).sum::<f64>() / 2.0
    }

    fn turned_over(mesh: &TriMesh, which: impl Fn(usize) -> bool) -> TriMesh {
        let turn = |(i, [a, b, c]): (usize, [u32; 3])| if which(i) { [a, c, b] } else { [a, b, c] };
        let triangles = mesh.triangles().iter().copied().enumerate().map(turn).collect();
        TriMesh::new(mesh.positions().to_vec(), triangles).expect("the same triangles")
    }

    #[test]
    fn a_solid_lies_to_the_left_and_every_segment_has_its_triangle() {
        let cube = generate::cuboid(2.0, 2.0, 2.0, 0).expect("a cube");
        let [outline] = at_z(&cube, 0.25).try_into().expect("one polyline");
        assert!(outline.is_closed);
        assert_eq!((outline.points.len(), outline.triangles.len()), (8, 8));
        assert_eq!((outline.length(), area(std::slice::from_ref(&outline))), (8.0, 4.0));
        assert_eq!(outline.triangles.iter().min(), Some(&outline.triangles[0]));
        for ([from, to], &triangle) in outline.segments().zip(&outline.triangles) {
            let corners = cube.corners(triangle).map(Vec3::as_dvec3);
            for end in [from, to] {
                let nearest = crate::closest_point_on_triangle(corners, end);
                assert!(nearest.distance_squared < 1e-30 && end.z == 0.25);
            }
        }
        // From below the same lines run the other way round.
        let below = SectionPlane::new([0.0, 0.0, 0.25], [0.0, 0.0, -1.0]).expect("a normal");
        assert_eq!(area(&brute_force::section(&cube, &below)), -4.0);
        // The axis of the torus is y.
        let torus = generate::torus(3.0, 1.0, 2000).expect("a torus");
        let plane = SectionPlane::new([0.0, 0.1, 0.0], [0.0, 1.0, 0.0]).expect("a normal");
        let rings = brute_force::section(&torus, &plane);
        assert!(rings.len() == 2 && rings.iter().all(|ring| ring.is_closed));
        let area_y = |ring: &SectionPolyline| -> f64 {
            ring.segments().map(|[from, to]| from.cross(to).y / 2.0).sum()
        };
        let [a, b] = [&rings[0], &rings[1]].map(area_y);
        assert!(a.max(b) > 48.0 && a.min(b) < -11.0, "{a} {b}");
    }

    #[test]
    fn a_plane_through_the_top_face_cuts_and_one_through_the_bottom_does_not() {
        let cube = generate::cuboid(2.0, 2.0, 2.0, 2).expect("a cube");
        let top = at_z(&cube, 1.0);
        assert!(top.len() == 1 && top[0].is_closed);
        assert_eq!((top[0].length(), area(&top)), (8.0, 4.0));
        assert_eq!(at_z(&cube, -1.0), []);
        // Vertices and edges in the plane, and nothing beside them.
        let [middle] = at_z(&cube, 0.0).try_into().expect("one polyline");
        assert_eq!((middle.length(), middle.points.len()), (8.0, 16));
        assert!(middle.points.iter().all(|point| point.z.to_bits() == 0));
    }

    #[test]
    fn a_plane_that_touches_a_corner_cuts_nothing_there() {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let triangles = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
        let solid = TriMesh::new(corners, triangles).expect("a tetrahedron");
        assert!(Topology::new(&solid, SameVertex::ByIndex).is_closed());
        assert_eq!(at_z(&solid, 1.0), []);
        let below = SectionPlane::new([0.0; 3], [1.0, 1.0, 1.0]).expect("a normal");
        assert_eq!(brute_force::section(&solid, &below), []);
        assert_eq!(at_z(&solid, 0.5)[0].points.len(), 3);
    }

    #[test]
    fn an_open_mesh_has_polylines_with_ends() {
        let grid = generate::grid(2.0, 2.0, 8).expect("a grid");
        let plane = SectionPlane::new([0.3, 0.0, 0.0], [1.0, 0.0, 0.0]).expect("a normal");
        let [line] = brute_force::section(&grid, &plane).try_into().expect("one polyline");
        assert!(!line.is_closed && line.points.len() == line.triangles.len() + 1);
        assert_eq!(line.length(), 2.0);
        // Its front, y, is to the right, seen from above the plane at x = 0.3.
        assert!(line.points[0].z < line.points[line.points.len() - 1].z);
        assert_eq!(grid.unit_normal(0), Some(DVec3::Y));
        let in_it = SectionPlane::new([0.0; 3], [0.0, 1.0, 0.0]).expect("a normal");
        assert_eq!(brute_force::section(&grid, &in_it), []);
    }

    #[test]
    fn triangles_that_are_turned_over_keep_the_loop_closed() {
        let sphere = generate::sphere(1.0, 500).expect("a sphere");
        let whole = at_z(&sphere, 0.1);
        for (which, sign) in [(7, 1.0), (1, -1.0)] {
            let polylines = at_z(&turned_over(&sphere, |i| i % which == 0), 0.1);
            assert!(polylines.len() == 1 && polylines[0].is_closed, "{which}");
            assert_eq!(polylines[0].triangles.len(), whole[0].triangles.len());
            assert!((area(&polylines) - sign * area(&whole)).abs() < 1e-12, "{which}");
        }
    }

    #[test]
    fn corners_at_one_position_are_one_and_a_triangle_with_two_of_them_has_no_segment() {
        let cube = generate::cuboid(2.0, 2.0, 2.0, 1).expect("a cube");
        let whole = at_z(&cube, 0.25);
        // No triangles share a vertex, one vertex has -0.0, and some triangles are degenerate.
        let corners = (0..cube.triangles().len() as u32).flat_map(|i| cube.corners(i));
        let mut positions: Vec<Vec3> = corners.collect();
        positions.iter_mut().step_by(2).for_each(|p| *p = -(-*p + 0.0));
        let n = positions.len() as u32;
        let mut triangles: Vec<[u32; 3]> =
            (0..n / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        triangles.extend((0..n / 3).map(|i| [3 * i, 3 * i + 1, 3 * i]));
        let soup = TriMesh::new(positions, triangles).expect("a mesh");
        assert_eq!(at_z(&soup, 0.25), whole);
    }

    #[test]
    fn solids_that_share_an_edge_have_closed_loops_of_their_own() {
        let cube = generate::cuboid(2.0, 2.0, 2.0, 0).expect("a cube");
        let mut positions = cube.positions().to_vec();
        let n = positions.len() as u32;
        positions.extend(cube.positions().iter().map(|&p| p + Vec3::new(2.0, 2.0, 0.0)));
        let mut triangles = cube.triangles().to_vec();
        triangles.extend(cube.triangles().iter().map(|t| t.map(|i| i + n)));
        let both = TriMesh::new(positions, triangles).expect("a mesh");
        let polylines = at_z(&both, 0.5);
        assert_eq!(polylines.len(), 2);
        assert!(polylines.iter().all(|p| p.is_closed && p.length() == 8.0));
    }

    #[test]
    fn a_triangle_with_two_equal_corners_has_no_say_in_the_direction() {
        let corners =
            [[0.0, 0.0, 1.0], [0.5, 0.0, -1.0], [1.0, 0.0, 1.0], [1.5, 0.0, -1.0], [2.0, 0.0, 1.0]];
        // The first triangle is turned over, and the other two decide.
        let strip = [[0, 2, 1], [1, 3, 2], [3, 4, 2]];
        let with = |more: &[[u32; 3]]| {
            let triangles = [&strip[..], more].concat();
            at_z(&TriMesh::new(corners, triangles).expect("a mesh"), 0.0)
        };
        let expected = with(&[]);
        assert_eq!((expected.len(), expected[0].triangles.len()), (1, 3));
        for degenerate in [[2, 1, 2], [1, 2, 1], [2, 2, 1]] {
            assert_eq!(with(&[degenerate]), expected, "{degenerate:?}");
        }
    }

    #[test]
    fn a_crossing_is_computed_from_the_end_below_to_the_end_above() {
        let mut random = generate::SplitMix64::new(3);
        let plane = SectionPlane::new([0.0, 0.0, 0.1], [0.0, 0.0, 1.0]).expect("it has a normal");
        for _ in 0..200 {
            let mut corner =
                |z: f64| [random.range(-1.0, 1.0) as f32, random.range(-1.0, 1.0) as f32, z as f32];
            let corners = [corner(0.9), corner(0.7), corner(-0.3)];
            let [a, b, below] = corners.map(|corner| Vec3::from_array(corner).as_dvec3());
            let height = |end: DVec3| end.z - 0.1;
            let expected = [a, b].map(|above| {
                let weight = height(below) / (height(below) - height(above));
                below + weight * (above - below)
            });
            for triangle in [[0, 1, 2], [1, 0, 2], [2, 0, 1], [0, 2, 1]] {
                let mesh = TriMesh::new(corners, vec![triangle]).expect("a mesh");
                let mut found = brute_force::section(&mesh, &plane)[0].points.clone();
                found.sort_by(|p, q| p.x.total_cmp(&q.x));
                let mut expected = expected;
                expected.sort_by(|p, q| p.x.total_cmp(&q.x));
                let bits = |p: &DVec3| p.to_array().map(f64::to_bits);
                assert!(found.iter().map(bits).eq(expected.iter().map(bits)), "{corners:?}");
            }
        }
    }
}
