//! Cuts triangles where a spatial split of a large node costs less than any split of its whole triangles.
//!
//! After Stich, Friedrich and Dietrich, "Spatial Splits in Bounding Volume Hierarchies" (2009). They split
//! during the build. Here a search from the root comes before it, in large nodes alone. The builder, which knows
//! nothing of splits, gets its parts as references. Flat triangles stay whole, because a wall that is
//! whole in a leaf near the root ends rays early.

use glam::{Vec3, Vec3A};

use super::polygon::{Part, Polygon};
use crate::{
    box3::Box3, error_bounds::CUT_SLACK, options::MAX_SPATIALLY_SPLIT, platform::parallel,
    scaled_mesh::ScaledMesh,
};

/// The half area of the smallest node that is searched, as a share of the root's. Rays rarely visit a
/// smaller one.
const LEAST_NODE: f32 = 1e-2;

/// The half area of a large triangle's box, as a share of the root's. A node without one is not searched.
const LEAST_TRIANGLE: f32 = 1e-3;

/// The maximum number of further parts, as a share of the triangles. A truck of 4770 triangles takes 0.14.
const MAX_FURTHER_SHARE: f64 = 0.2;

/// The maximum number of pieces that slabs cut triangles into, on average. It bounds the time of the search: models
/// take 3 to 100, a soup of triangles as large as itself would take 800.
const MAX_PIECES: usize = 128;

/// The smallest number of references in a node that is searched. Fewer fit a leaf.
const LEAST_REFERENCES: usize = 5;

/// The references of a node before whose split the search asks whether it is cancelled.
const LARGE_NODE: usize = 1 << 13;

/// The maximum depth of the search.
const MAX_DEPTH: usize = 40;

/// The slabs of a node along each axis.
const N_SLABS: usize = 32;

/// The parts of the triangles that spatial splits cut. Those of one triangle follow each other, by rising
/// triangles. The search asks `is_cancelled` before it splits a large node, and ends early if so.
pub(super) fn parts_of_straddlers(
    mesh: &ScaledMesh<'_>,
    is_cancelled: &(dyn Fn() -> bool + Sync),
) -> Vec<Part> {
    let n = mesh.n_triangles();
    if n > MAX_SPATIALLY_SPLIT {
        return vec![];
    }
    let Some((search, root)) = root_of(mesh, is_cancelled) else { return vec![] };
    let allowance = Allowance {
        further_parts: (n as f64 * MAX_FURTHER_SHARE) as usize,
        pieces: MAX_PIECES * n,
    };
    let mut parts = search.cut(root, 0, allowance);
    parts.sort_by_key(|part| part.triangle);
    parts
}

/// The search in a mesh, and the node of all triangles; `None` if no triangle is large.
fn root_of<'a>(
    mesh: &'a ScaledMesh<'a>,
    is_cancelled: &'a (dyn Fn() -> bool + Sync),
) -> Option<(Search<'a>, Node)> {
    let boxes = || (0..mesh.n_triangles() as u32).map(|triangle| mesh.triangle_box(triangle));
    let bounds = boxes().fold(Box3::EMPTY, Box3::union);
    let search = Search { mesh, root_area: bounds.half_area(), is_cancelled };
    if !boxes().any(|bounds| search.is_large(&bounds)) {
        return None;
    }
    let references = boxes().zip(0..).map(|(bounds, triangle)| Reference {
        part: Part { bounds, triangle },
        is_cut: false,
        is_flat: is_flat(&bounds),
        is_large: search.is_large(&bounds),
    });
    let root = Node { references: references.collect(), bounds };
    Some((search, root))
}

/// A triangle or a part of one in a node.
#[derive(Clone, Copy)]
struct Reference {
    part: Part,
    is_cut: bool,
    /// Whether the triangle lies in a plane across an axis, or almost.
    is_flat: bool,
    /// Whether the whole triangle is large and not flat.
    is_large: bool,
}

struct Node {
    references: Vec<Reference>,
    bounds: Box3,
}

/// What the search below a node may add and do.
#[derive(Clone, Copy)]
struct Allowance {
    /// The number of parts beyond one of each reference.
    further_parts: usize,
    /// The number of pieces that slabs cut triangles into.
    pieces: usize,
}

impl Allowance {
    /// The shares of two children, in proportion to their references.
    fn shared(self, [below, above]: [usize; 2]) -> [Self; 2] {
        let share = |n: usize| (n as u64 * below as u64 / (below + above) as u64) as usize;
        let of_below =
            Self { further_parts: share(self.further_parts), pieces: share(self.pieces) };
        let of_above = Self {
            further_parts: self.further_parts - of_below.further_parts,
            pieces: self.pieces - of_below.pieces,
        };
        [of_below, of_above]
    }
}

/// A way to part the references of a node: those in slabs up to `last` along the axis, and the others.
#[derive(Clone, Copy)]
struct Split {
    axis: usize,
    last: usize,
    cost: f32,
    below: Side,
    above: Side,
}

/// The references on one side of a split.
#[derive(Clone, Copy)]
struct Side {
    bounds: Box3,
    len: u32,
}

impl Side {
    const EMPTY: Self = Self { bounds: Box3::EMPTY, len: 0 };

    fn joined(self, other: Self) -> Self {
        Self { bounds: self.bounds.union(other.bounds), len: self.len + other.len }
    }

    fn cost(&self) -> f32 {
        self.bounds.half_area() * self.len as f32
    }
}

/// The slabs along three axes. A slab counts the references that begin in it and those that end in it.
struct Slabs {
    boxes: [[Box3; N_SLABS]; 3],
    n_first: [[u32; N_SLABS]; 3],
    n_last: [[u32; N_SLABS]; 3],
}

impl Slabs {
    const EMPTY: Self = Self {
        boxes: [[Box3::EMPTY; N_SLABS]; 3],
        n_first: [[0; N_SLABS]; 3],
        n_last: [[0; N_SLABS]; 3],
    };

    /// The cheapest split by the surface area heuristic; the first of equal ones.
    fn best_split(&self) -> Option<Split> {
        let mut best: Option<Split> = None;
        for axis in 0..3 {
            let slab =
                |n: &[[u32; N_SLABS]; 3], i| Side { bounds: self.boxes[axis][i], len: n[axis][i] };
            let mut aboves = [Side::EMPTY; N_SLABS];
            for last in (0..N_SLABS - 1).rev() {
                aboves[last] = aboves[last + 1].joined(slab(&self.n_last, last + 1));
            }
            let mut below = Side::EMPTY;
            for (last, &above) in aboves[..N_SLABS - 1].iter().enumerate() {
                below = below.joined(slab(&self.n_first, last));
                let cost = below.cost() + above.cost();
                if below.len > 0
                    && above.len > 0
                    && best.as_ref().is_none_or(|best| cost < best.cost)
                {
                    best = Some(Split { axis, last, cost, below, above });
                }
            }
        }
        best
    }
}

/// Slabs of one thickness along each axis of a box.
struct Grid {
    min: Vec3A,
    thickness: Vec3A,
    per_length: Vec3A,
}

impl Grid {
    fn new(min: Vec3A, max: Vec3A) -> Self {
        let extent = max - min;
        let per_length = N_SLABS as f32 / extent;
        let per_length = Vec3A::select(per_length.is_finite_mask(), per_length, Vec3A::ZERO);
        Self { min, thickness: extent / N_SLABS as f32, per_length }
    }

    /// The slabs of a point along the axes.
    fn slabs(&self, point: Vec3A) -> [usize; 3] {
        let slabs =
            ((point - self.min) * self.per_length).clamp(Vec3A::ZERO, Vec3A::splat(LAST_SLAB));
        slabs.to_array().map(|slab| slab as usize)
    }

    /// The plane between a slab and the next.
    fn plane_after(&self, axis: usize, slab: usize) -> f32 {
        self.min[axis] + self.thickness[axis] * (slab + 1) as f32
    }

    /// The first and the last slab of a reference along the axes. A flat one is whole in the slab of its
    /// centre.
    fn range(&self, reference: &Reference) -> [[usize; 3]; 2] {
        let bounds = &reference.part.bounds;
        if reference.is_flat {
            return [self.slabs(0.5 * bounds.center2()); 2];
        }
        [self.slabs(bounds.min), self.slabs(bounds.max)]
    }

    /// The number of pieces that the slabs along the three axes cut a reference into; 0 along an axis if it lies
    /// in one slab.
    fn n_pieces(&self, reference: &Reference) -> usize {
        let [first, last] = self.range(reference);
        let spans = std::iter::zip(first, last).map(|(first, last)| last - first);
        spans.filter(|&span| span > 0).map(|span| span + 1).sum()
    }
}

const LAST_SLAB: f32 = (N_SLABS - 1) as f32;

/// The search in one mesh.
struct Search<'a> {
    mesh: &'a ScaledMesh<'a>,
    root_area: f32,
    is_cancelled: &'a (dyn Fn() -> bool + Sync),
}

impl Search<'_> {
    fn is_large(&self, bounds: &Box3) -> bool {
        bounds.half_area() > LEAST_TRIANGLE * self.root_area && !is_flat(bounds)
    }

    /// Splits a node, and so on below it. Returns the parts of cut triangles.
    fn cut(&self, node: Node, depth: usize, mut allowance: Allowance) -> Vec<Part> {
        let children = if self.is_searched(&node, depth, &allowance) {
            self.children(&node, &mut allowance)
        } else {
            None
        };
        let Some(children) = children else {
            let cut = node.references.iter().filter(|reference| reference.is_cut);
            return cut.map(|reference| reference.part).collect();
        };
        drop(node);
        let [for_below, for_above] =
            allowance.shared(children.each_ref().map(|child| child.references.len()));
        let [below, above] = children;
        let (mut parts, others) = parallel::join(
            || self.cut(below, depth + 1, for_below),
            || self.cut(above, depth + 1, for_above),
        );
        parts.extend(others);
        parts
    }

    fn is_searched(&self, node: &Node, depth: usize, allowance: &Allowance) -> bool {
        node.references.len() >= LEAST_REFERENCES
            && depth < MAX_DEPTH
            && allowance.further_parts > 0
            && node.bounds.half_area() > LEAST_NODE * self.root_area
            && node.references.iter().any(|reference| reference.is_large)
            && !(node.references.len() >= LARGE_NODE && (self.is_cancelled)())
    }

    /// The children by the best split, for which the allowance pays. `None` if there is none, or if the allowance
    /// does not suffice.
    fn children(&self, node: &Node, allowance: &mut Allowance) -> Option<[Node; 2]> {
        let centers = node
            .references
            .iter()
            .fold(Box3::EMPTY, |centers, reference| centers.grown(reference.part.bounds.center2()));
        let grid = Grid::new(centers.min, centers.max);
        let object_split = object_slabs(node, &grid).best_split()?;
        let overlap = overlap(&object_split.below.bounds, &object_split.above.bounds);
        if overlap > LEAST_NODE * self.root_area {
            let grid = Grid::new(node.bounds.min, node.bounds.max);
            let pieces = node.references.iter().map(|reference| grid.n_pieces(reference)).sum();
            allowance.pieces = allowance.pieces.checked_sub(pieces)?;
            let split = self.spatial_slabs(node, &grid).best_split();
            if let Some(split) = split.filter(|split| split.cost < object_split.cost) {
                let n_cut = (split.below.len + split.above.len) as usize - node.references.len();
                if n_cut > allowance.further_parts {
                    return None;
                }
                if let Some(children) = self.cut_at(node, &grid, &split) {
                    let n: usize = children.iter().map(|child| child.references.len()).sum();
                    allowance.further_parts -= n - node.references.len();
                    return Some(children);
                }
            }
        }
        let Split { axis, last, below, above, .. } = object_split;
        let mut children =
            [below, above].map(|side| Node { bounds: side.bounds, ..Node::with_room_for(side) });
        for &reference in &node.references {
            let is_above = grid.slabs(reference.part.bounds.center2())[axis] > last;
            children[usize::from(is_above)].references.push(reference);
        }
        Some(children)
    }

    /// The slabs for spatial splits. A slab's box holds the pieces of triangles in it, or a little more.
    fn spatial_slabs(&self, node: &Node, grid: &Grid) -> Slabs {
        let mut slabs = Slabs::EMPTY;
        for reference in &node.references {
            let [first, last] = grid.range(reference);
            let corners = self.mesh.corners(reference.part.triangle);
            for axis in 0..3 {
                let (first, last) = (first[axis], last[axis]);
                slabs.n_first[axis][first] += 1;
                slabs.n_last[axis][last] += 1;
                let boxes = &mut slabs.boxes[axis][first..=last];
                if let [only] = boxes {
                    *only = only.union(reference.part.bounds);
                } else {
                    let mut pieces = [Box3::EMPTY; N_SLABS];
                    grow_by_edges(corners, grid, axis, &mut pieces);
                    for (whole, piece) in boxes.iter_mut().zip(&pieces[first..=last]) {
                        let piece = piece.intersection(reference.part.bounds);
                        if piece.has_points() {
                            *whole = whole.union(piece);
                        }
                    }
                }
            }
        }
        slabs
    }

    /// The children by a spatial split. A triangle that straddles the plane is cut, unless it is cheaper to
    /// give it whole to one child. `None` if a child gets as many references as the node has.
    fn cut_at(&self, node: &Node, grid: &Grid, split: &Split) -> Option<[Node; 2]> {
        let &Split { axis, last, below, above, .. } = split;
        let plane = grid.plane_after(axis, last);
        let mut children = [below, above].map(Node::with_room_for);
        let mut straddlers = Vec::new();
        for &reference in &node.references {
            let [first_slab, last_slab] = grid.range(&reference).map(|slabs| slabs[axis]);
            if first_slab <= last && last_slab > last {
                straddlers.push(reference);
            } else {
                children[usize::from(first_slab > last)].push(reference);
            }
        }
        let without = |side: Side| side.bounds.half_area() * (side.len - 1) as f32;
        let with = |side: Side, bounds| side.bounds.union(bounds).half_area() * side.len as f32;
        for reference in straddlers {
            let bounds = reference.part.bounds;
            let whole =
                [with(below, bounds) + without(above), without(below) + with(above, bounds)];
            match self.halves(&reference, axis, plane) {
                Some(halves) if split.cost <= whole[0].min(whole[1]) => {
                    for (child, half) in children.iter_mut().zip(halves) {
                        child.push(half);
                    }
                }
                _ => children[usize::from(whole[1] < whole[0])].push(reference),
            }
        }
        let parts_any = children.iter().all(|child| child.references.len() < node.references.len());
        parts_any.then_some(children)
    }

    /// The parts of a reference on the two sides of a plane. `None` if one side has none of it.
    fn halves(&self, reference: &Reference, axis: usize, at: f32) -> Option<[Reference; 2]> {
        let Part { bounds, triangle } = reference.part;
        let reach = self.mesh.triangle_box(triangle).reach();
        let mut part = Polygon::of_triangle(self.mesh.corners(triangle));
        if reference.is_cut {
            // Cuts round, and a box may touch its part or have no thickness: without slack they would lose some.
            let slack = CUT_SLACK * f64::from(reach);
            part = part.within(bounds.min.as_dvec3() - slack, bounds.max.as_dvec3() + slack)?;
        }
        let halves = part.cut(axis, f64::from(at))?;
        if halves.iter().any(Polygon::is_empty) {
            return None;
        }
        let halves = halves.map(|half| {
            let bounds = half.bounds(reach).intersection(bounds);
            Reference { part: Part { bounds, triangle }, is_cut: true, ..*reference }
        });
        // A half within the slack alone may lie outside the box.
        halves.iter().all(|half| half.part.bounds.has_points()).then_some(halves)
    }
}

impl Node {
    /// A node without references, with room for those of a side.
    fn with_room_for(side: Side) -> Self {
        Self { references: Vec::with_capacity(side.len as usize), bounds: Box3::EMPTY }
    }

    fn push(&mut self, reference: Reference) {
        self.bounds = self.bounds.union(reference.part.bounds);
        self.references.push(reference);
    }
}

/// The slabs for splits of whole references, by their centres. The grid is that of doubled centres.
fn object_slabs(node: &Node, grid: &Grid) -> Slabs {
    let mut slabs = Slabs::EMPTY;
    for Reference { part: Part { bounds, .. }, .. } in &node.references {
        for (axis, slab) in grid.slabs(bounds.center2()).into_iter().enumerate() {
            slabs.n_first[axis][slab] += 1;
            slabs.n_last[axis][slab] += 1;
            slabs.boxes[axis][slab] = slabs.boxes[axis][slab].union(*bounds);
        }
    }
    slabs
}

/// Grows the boxes of the slabs along an axis by the pieces of a triangle's edges in them.
fn grow_by_edges(corners: [Vec3; 3], grid: &Grid, axis: usize, boxes: &mut [Box3; N_SLABS]) {
    let corners = corners.map(Vec3A::from);
    for (i, &corner) in corners.iter().enumerate() {
        let mut ends = [corner, corners[(i + 1) % 3]];
        ends.sort_by(|a, b| a[axis].total_cmp(&b[axis]));
        let [from, to] = ends;
        let [first, last] = ends.map(|end| grid.slabs(end)[axis]);
        boxes[first] = boxes[first].grown(from);
        boxes[last] = boxes[last].grown(to);
        let per_height = (to - from) / (to[axis] - from[axis]);
        for slab in first..last {
            let crossing = from + per_height * (grid.plane_after(axis, slab) - from[axis]);
            // Of an edge that is almost flat along the axis, rounding would put it anywhere.
            let crossing = crossing.max(from.min(to)).min(from.max(to));
            boxes[slab] = boxes[slab].grown(crossing);
            boxes[slab + 1] = boxes[slab + 1].grown(crossing);
        }
    }
}

/// Whether the largest side of a box holds almost all of its half area.
fn is_flat(bounds: &Box3) -> bool {
    const FLAT: f32 = 0.02;
    let extent = bounds.max - bounds.min;
    let largest = (extent * Vec3A::new(extent.y, extent.z, extent.x)).max_element();
    let area = bounds.half_area();
    area - largest <= FLAT * area
}

/// The half area of the intersection of two boxes; 0 if they are apart.
fn overlap(a: &Box3, b: &Box3) -> f32 {
    let common = a.intersection(*b);
    if common.has_points() { common.half_area() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use hitscan_primitives::{TriMesh, generate::SplitMix64};

    use super::*;
    use crate::split::check_cover;

    #[test]
    fn a_node_pays_for_its_search_and_is_not_searched_beyond_its_allowance() {
        let mut random = SplitMix64::new(8);
        let mut point = || Vec3::from_array([(); 3].map(|()| random.range(-1.0, 1.0) as f32));
        // A few plates among many small triangles.
        let positions: Vec<Vec3> = (0..400)
            .flat_map(|i| {
                let (at, size) = (point(), if i % 40 == 0 { 1.0 } else { 0.01 });
                [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| at + size * axis)
            })
            .collect();
        let triangles = (0..400).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let mesh = TriMesh::new(positions, triangles).expect("a valid mesh");
        let mesh = ScaledMesh::new(&mesh);
        let (search, root) = root_of(&mesh, &|| false).expect("some triangles are large");
        let ample = Allowance { further_parts: 80, pieces: 1 << 20 };
        let mut left = ample;
        let children = search.children(&root, &mut left).expect("a split was found");
        let n: usize = children.iter().map(|child| child.references.len()).sum();
        assert!(n > 400, "the root is cut");
        assert_eq!(ample.further_parts - left.further_parts, n - 400);
        let n_pieces = ample.pieces - left.pieces;
        assert!((400..4000).contains(&n_pieces), "{n_pieces}");

        let least = Allowance { further_parts: 80, pieces: n_pieces };
        assert!(search.children(&root, &mut least.clone()).is_some());
        for too_little in [
            Allowance { pieces: n_pieces - 1, ..least },
            Allowance { further_parts: n - 400 - 1, ..least },
        ] {
            assert!(search.children(&root, &mut too_little.clone()).is_none());
        }
        let [below, above] = ample.shared([3, 1]);
        assert_eq!((below.further_parts, above.further_parts), (60, 20));
        assert_eq!(below.pieces + above.pieces, ample.pieces);
    }

    #[test]
    fn parts_of_parts_cover_a_triangle_even_one_in_a_plane_across_an_axis() {
        let mut random = SplitMix64::new(7);
        let mut number = |min, max| random.range(min, max) as f32;
        for round in 0..300 {
            let plane = number(-3.0, 3.0);
            let corners = [(); 3].map(|()| {
                let mut corner = Vec3::from_array([(); 3].map(|()| number(-4.0, 4.0)));
                // In turn: any triangle, three flat ones, and three that are almost flat.
                match round % 7 {
                    0 => {}
                    flat @ 1..4 => corner[flat - 1] = plane,
                    almost => corner[almost - 4] = plane + 1e-6 * corner[almost - 4],
                }
                corner
            });
            let mesh = TriMesh::new(corners.to_vec(), vec![[0, 1, 2]]).expect("a valid mesh");
            let mesh = ScaledMesh::new(&mesh);
            let bounds = mesh.triangle_box(0);
            let root_area = bounds.half_area();
            let search = Search { mesh: &mesh, root_area, is_cancelled: &|| false };
            let part = Part { bounds, triangle: 0 };
            let mut parts = vec![Reference { part, is_cut: false, is_flat: false, is_large: true }];
            for _ in 0..40 {
                let chosen = (number(0.0, 1.0) * parts.len() as f32) as usize % parts.len();
                let Box3 { min, max } = parts[chosen].part.bounds;
                let axis = number(0.0, 3.0) as usize % 3;
                let at = min[axis] + number(0.0, 1.0) * (max[axis] - min[axis]);
                if let Some([below, above]) = search.halves(&parts[chosen], axis, at) {
                    parts[chosen] = below;
                    parts.push(above);
                }
            }
            let boxes: Vec<_> = parts
                .iter()
                .map(|Reference { part: Part { bounds: Box3 { min, max }, .. }, .. }| {
                    // The leaves have larger boxes as well.
                    [min.as_dvec3() - 1e-6, max.as_dvec3() + 1e-6]
                })
                .collect();
            assert!(boxes.len() > 10, "round {round}");
            let tolerance = CUT_SLACK * f64::from(mesh.max_abs);
            assert_eq!(check_cover(mesh.corners(0), &boxes, tolerance), Ok(()), "round {round}");
        }
    }
}
