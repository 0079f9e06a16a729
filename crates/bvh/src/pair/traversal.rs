//! Two trees at once: from both roots to the pairs of leaves that come close enough.

use std::ops::ControlFlow;

use glam::{DVec3, Vec3};
use hitscan_primitives::PairSpace;

use super::placed_boxes::{BoxPlacer, Boxes, PlacedBox, Side};
use crate::{
    layout::{ChildRef, Tree, TriangleBlock},
    simd::{Kernel, LANES, Simd},
};

/// Receives the pairs of triangles whose boxes are within the limit.
pub(super) trait PairSink {
    /// Takes a pair, with its corners in pair space. Returns the next limit on the squared distance of boxes, which never rises,
    /// or breaks to end the traversal.
    fn consider(&mut self, triangles: [u32; 2], corners: [[DVec3; 3]; 2]) -> ControlFlow<(), f32>;
}

/// Passes all pairs of triangles within a limit to a sink, near ones first if the limit is above 0. A split triangle may come
/// several times.
///
/// A mesh with itself gives each pair of triangles in one order only, and no triangle with itself unless it is split.
pub(super) struct PairTraversal<'a> {
    pub(super) trees: [&'a Tree; 2],
    /// Whether both are one tree in one place: a mesh with itself.
    pub(super) is_one: bool,
    pub(super) space: &'a PairSpace,
    /// On the squared distance of boxes, in pair space.
    pub(super) limit: f32,
    pub(super) sink: &'a mut dyn PairSink,
}

/// A node or leaf of each tree, with their boxes.
#[derive(Clone, Copy)]
struct Entry {
    /// The squared distance of the boxes.
    distance_squared: f32,
    children: [ChildRef; 2],
    boxes: [PlacedBox; 2],
}

/// How many times as large as the other a node is that the traversal descends alone.
const MUCH_LARGER: f32 = 2.0;

impl Entry {
    /// Which of the two to descend: both, unless one is a leaf or much smaller than the other.
    #[inline(always)]
    fn descends(&self) -> [bool; 2] {
        let [a, b] = self.children;
        if a.is_leaf() || b.is_leaf() {
            return [!a.is_leaf(), !b.is_leaf()];
        }
        let [a, b] = [self.boxes[0].size(), self.boxes[1].size()];
        let (is_larger, is_smaller) = (a > MUCH_LARGER * b, b > MUCH_LARGER * a);
        [!is_smaller, !is_larger]
    }
}

impl Kernel for PairTraversal<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { trees, is_one, space, limit, sink } = self;
        let placements = space.placements();
        let origin = placements[0].translation;
        let reach = placements[0].translation.abs() + placements[1].translation.abs();
        let placers = [
            BoxPlacer::new(simd, &placements[0], origin, reach),
            BoxPlacer::new(simd, &placements[1], origin, reach),
        ];
        let mut search = Search { simd, trees, is_one, space, placers, limit, sink };
        let all = [PlacedBox::ALL; 2];
        let mut stack =
            vec![Entry { distance_squared: 0.0, children: [ChildRef::ROOT; 2], boxes: all }];
        while let Some(entry) = stack.pop() {
            if entry.distance_squared > search.limit {
                continue;
            }
            if entry.children[0].is_leaf() && entry.children[1].is_leaf() {
                if search.leaves(entry.children).is_break() {
                    return;
                }
            } else {
                search.push_pairs(&entry, &mut stack);
            }
        }
    }
}

struct Search<'a, S: Simd> {
    simd: S,
    trees: [&'a Tree; 2],
    is_one: bool,
    space: &'a PairSpace,
    placers: [BoxPlacer<S>; 2],
    limit: f32,
    sink: &'a mut dyn PairSink,
}

impl<S: Simd> Search<'_, S> {
    /// Pushes the pairs of children within the limit, the nearest last.
    #[inline(always)]
    fn push_pairs(&self, entry: &Entry, stack: &mut Vec<Entry>) {
        let s = self.simd;
        let first = stack.len();
        let descends = entry.descends();
        let sides = [self.side(entry, 0, descends[0]), self.side(entry, 1, descends[1])];
        // A row for each box of one side, with the boxes of the other in its lanes. One box makes one row.
        let (of_rows, of_lanes) = if descends[1] { (0, 1) } else { (1, 0) };
        let row_boxes = sides[of_rows].boxes.rows(s);
        let lane_boxes = sides[of_lanes].boxes.rows(s);
        let is_with_itself = self.is_one && entry.children[0] == entry.children[1];
        let mut rows = sides[of_rows].mask;
        while rows != 0 {
            let row = rows.trailing_zeros() as usize % LANES;
            rows &= rows - 1;
            let row_box = row_boxes.lane(row);
            let distances = Boxes::splat(s, &row_box).distances_squared(s, &sides[of_lanes].boxes);
            let mut lanes = s.movemask(s.le(distances, s.splat(self.limit))) & sides[of_lanes].mask;
            if is_with_itself {
                lanes &= u32::MAX << row;
            }
            let distances = s.store(distances);
            while lanes != 0 {
                let lane = lanes.trailing_zeros() as usize % LANES;
                lanes &= lanes - 1;
                let mut pushed = Entry {
                    distance_squared: distances[lane],
                    children: [sides[of_rows].children[row], sides[of_lanes].children[lane]],
                    boxes: [row_box, lane_boxes.lane(lane)],
                };
                if of_rows == 1 {
                    pushed.children.swap(0, 1);
                    pushed.boxes.swap(0, 1);
                }
                stack.push(pushed);
            }
        }
        if self.limit > 0.0 {
            sort_nearest_last(&mut stack[first..]);
        }
    }

    /// One side of a pair: the children of the node, or the node itself.
    #[inline(always)]
    fn side(&self, entry: &Entry, mesh: usize, descends: bool) -> Side<S> {
        let (child, s) = (entry.children[mesh], self.simd);
        if descends {
            let node = &self.trees[mesh].nodes[child.node_index()];
            let (boxes, mask) = self.placers[mesh].children(node);
            let mut children = [ChildRef::NONE; LANES];
            for lane in 0..LANES {
                children[lane] = node.child(lane);
            }
            Side { boxes, mask, children }
        } else {
            let boxes = Boxes::splat(s, &entry.boxes[mesh]);
            Side { boxes, mask: 1, children: [child; LANES] }
        }
    }

    /// Passes the pairs of triangles of two leaves to the sink, those with near boxes first.
    #[inline(always)]
    fn leaves(&mut self, [a, b]: [ChildRef; 2]) -> ControlFlow<()> {
        let s = self.simd;
        let is_with_itself = self.is_one && a == b;
        let mut scratch = [TriangleBlock::EMPTY; 2];
        let [scratch_a, scratch_b] = &mut scratch;
        for index_a in a.blocks() {
            let block_a = self.trees[0].leaves.block(index_a, scratch_a);
            let (boxes_a, mask_a) = self.placers[0].triangles(&block_a.corners);
            let rows_a = boxes_a.rows(s);
            let first_b = if is_with_itself { index_a } else { b.first_block() };
            for index_b in first_b..b.blocks().end {
                let block_b = self.trees[1].leaves.block(index_b, scratch_b);
                let (boxes_b, mask_b) = self.placers[1].triangles(&block_b.corners);
                let mut rows = mask_a;
                while rows != 0 {
                    let row = rows.trailing_zeros() as usize % LANES;
                    rows &= rows - 1;
                    let distances =
                        Boxes::splat(s, &rows_a.lane(row)).distances_squared(s, &boxes_b);
                    let within = s.movemask(s.le(distances, s.splat(self.limit)));
                    let mut lanes = within & mask_b;
                    if is_with_itself && index_a == index_b {
                        // Those behind the row.
                        lanes &= u32::MAX << row << 1;
                    }
                    if lanes == 0 {
                        continue;
                    }
                    let corners_a = self.space.corners(0, block_a.corners_of(row));
                    while lanes != 0 {
                        let lane = s.least_lane(s.mask_from_bits(lanes), distances);
                        lanes &= !(1 << lane);
                        let triangles = [block_a.triangles[row], block_b.triangles[lane]];
                        let corners_b: [Vec3; 3] = block_b.corners_of(lane);
                        let corners = [corners_a, self.space.corners(1, corners_b)];
                        self.limit = self.sink.consider(triangles, corners)?;
                        lanes &= s.movemask(s.le(distances, s.splat(self.limit)));
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// Out of line, because it has no lanes.
#[inline(never)]
fn sort_nearest_last(entries: &mut [Entry]) {
    entries.sort_unstable_by(|a, b| b.distance_squared.total_cmp(&a.distance_squared));
}
