//! A hierarchy over boxes of the caller: points, lines, instances, anything that has a box.

use std::ops::{ControlFlow, Range};

use glam::Vec3;
use hitscan_primitives::Aabb;

use crate::{
    BuildQuality, Isa, RefitError,
    build::{self, BLOCK, Box3, Progress, WideTarget},
    parallel,
    visit::{keys_of, walk},
    wide::{ChildRef, WideNode},
};

/// A hierarchy over boxes, walked by the caller's own tests.
///
/// It knows boxes by their number in the list it was built from, and nothing of what is in them. A box
/// may be flat or a point, and may reach to infinity; one that is [empty](Aabb::is_empty), or has a
/// NaN, keeps its number and is never found.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use hitscan_bvh::{BoxBvh, BuildQuality};
/// use hitscan_primitives::Aabb;
///
/// let points: Vec<[f32; 3]> = (0..1000u16).map(|i| [f32::from(i), 0.0, 0.0]).collect();
/// let boxes: Vec<Aabb> = points.iter().map(|&point| Aabb::new(point, point)).collect();
/// let bvh = BoxBvh::build(&boxes, BuildQuality::Fast);
///
/// // The point nearest to x = 700.4.
/// let mut nearest = (f64::INFINITY, None);
/// let _: ControlFlow<()> = bvh.visit_nearest_first(
///     f64::INFINITY,
///     |bounds| f64::from((bounds.min.x - 700.4).max(700.4 - bounds.max.x).max(0.0)),
///     |point| {
///         let distance = f64::from((points[point as usize][0] - 700.4).abs());
///         if distance < nearest.0 {
///             nearest = (distance, Some(point));
///         }
///         ControlFlow::Continue(nearest.0)
///     },
/// );
/// assert_eq!(nearest.1, Some(700));
/// ```
#[derive(Clone, Debug)]
pub struct BoxBvh {
    nodes: Vec<WideNode>,
    /// The numbers of the boxes in each block of a leaf; [`BoxBvh::NO_BOX`] fills the last one up.
    blocks: Vec<[u32; BLOCK as usize]>,
    /// The length of the list that it was built from.
    n_boxes: usize,
    bounds: Aabb,
}

impl BoxBvh {
    const NO_BOX: u32 = u32::MAX;

    /// The most boxes of a hierarchy.
    pub const MAX_BOXES: usize = 1 << 29;

    /// Builds the hierarchy of `boxes`, which may be none. O(n log n), on rayon's current pool with
    /// the feature `parallel`; the tree is the same for any number of threads.
    ///
    /// # Panics
    /// If there are more than [`BoxBvh::MAX_BOXES`].
    pub fn build(boxes: &[Aabb], quality: BuildQuality) -> Self {
        let n_boxes = boxes.len();
        assert!(n_boxes <= Self::MAX_BOXES, "{n_boxes} boxes, expected at most 2^29");
        let numbers: Vec<u32> =
            (0..n_boxes as u32).filter(|&number| !boxes[number as usize].is_empty()).collect();
        let mut bvh =
            Self { nodes: vec![WideNode::EMPTY], blocks: vec![], n_boxes, bounds: Aabb::EMPTY };
        if numbers.is_empty() {
            return bvh;
        }
        let shrink = shrink_for_build(boxes);
        let bounds = |i: u32| shrink(boxes[numbers[i as usize] as usize]).into();
        let never = |_| ControlFlow::Continue(());
        let progress = Progress::new(numbers.len(), &never);
        let (wide, order) = build::build(numbers.len(), bounds, quality, Isa::default(), &progress)
            .expect("the callback never cancels");

        // The shape is that of `wide`; the boxes are taken anew by `fit`, without any rounding.
        bvh.nodes = Vec::with_capacity(wide.n_nodes());
        for ends in wide.starts.windows(2) {
            let mut node = WideNode::EMPTY;
            let children = &wide.children[ends[0] as usize..ends[1] as usize];
            for (place, child) in children.iter().enumerate() {
                let reference = match child.target {
                    WideTarget::Node(number) => ChildRef::node(number),
                    WideTarget::Leaf { first, count, block } => {
                        let leaf = &order[first as usize..(first + count) as usize];
                        for chunk in leaf.chunks(BLOCK as usize) {
                            let mut block = [Self::NO_BOX; BLOCK as usize];
                            for (place, &i) in chunk.iter().enumerate() {
                                block[place] = numbers[i as usize];
                            }
                            bvh.blocks.push(block);
                        }
                        ChildRef::leaf(block, count.div_ceil(BLOCK))
                    }
                };
                node.set(place, Box3::EMPTY, 0.0, reference);
            }
            bvh.nodes.push(node);
        }
        bvh.fit(boxes);
        bvh
    }

    /// Moves the hierarchy to new boxes of the same things: O(n), many times cheaper than a build.
    /// Walks get slower as things move apart that the tree holds together. A box that was empty at the
    /// build is still never found; one that becomes empty may be found along with its neighbours.
    ///
    /// # Errors
    /// Another number of boxes than that of the build; nothing is changed then.
    pub fn refit(&mut self, boxes: &[Aabb]) -> Result<(), RefitError> {
        let (found, expected) = (boxes.len(), self.n_boxes);
        if found != expected {
            return Err(RefitError { found, expected });
        }
        self.fit(boxes);
        Ok(())
    }

    /// Takes the boxes of all nodes from those of the things in them.
    fn fit(&mut self, boxes: &[Aabb]) {
        let blocks = &self.blocks;
        let block_bounds = parallel::collect(blocks.len(), |block| {
            let numbers = blocks[block].iter().filter(|&&number| number != Self::NO_BOX);
            numbers
                .map(|&number| boxes[number as usize])
                .filter(|aabb| !aabb.is_empty())
                .fold(Aabb::EMPTY, Aabb::union)
        });
        // Children have higher numbers than their parents, so the last node comes first.
        let mut node_bounds = vec![Aabb::EMPTY; self.nodes.len()];
        for index in (0..self.nodes.len()).rev() {
            let node = &mut self.nodes[index];
            for place in 0..8 {
                let child = node.child(place);
                if child == ChildRef::NONE {
                    continue;
                }
                let bounds = if child.is_leaf() {
                    block_bounds[child.blocks()].iter().copied().fold(Aabb::EMPTY, Aabb::union)
                } else {
                    node_bounds[child.node_index()]
                };
                let boxed = Box3 { min: bounds.min.into(), max: bounds.max.into() };
                node.set(place, boxed, 0.0, child);
                node_bounds[index] = node_bounds[index].union(bounds);
            }
        }
        self.bounds = node_bounds[0];
    }

    /// The length of the list of boxes, empty ones included.
    pub fn n_boxes(&self) -> usize {
        self.n_boxes
    }

    /// The box around all boxes.
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// Walks the tree by the caller's own tests, in an order that depends on the tree: `enter` says of
    /// a box around several of the caller's whether to look below it, `found` takes the number of each
    /// box below and ends the walk with [`ControlFlow::Break`].
    ///
    /// Boxes are exact: the smallest around those below. All boxes of a node are asked about before
    /// one of them is entered. What is found was not tested itself, only a box around it and up to 31
    /// others. About eight box tests per node entered.
    pub fn visit<B>(
        &self,
        mut enter: impl FnMut(&Aabb) -> bool,
        mut found: impl FnMut(u32) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.visit_nearest_first(
            0.0,
            |bounds| if enter(bounds) { 0.0 } else { f64::INFINITY },
            |number| found(number).map_continue(|()| 0.0),
        )
    }

    /// [`visit`](Self::visit) in the order of a distance of the caller's choice, for searches that
    /// need only what is nearest.
    ///
    /// Boxes whose `distance` is greater than the limit, or NaN, are not entered; of the children of a
    /// node those with less distance come first. The limit is `limit` at first, then whatever `found`
    /// last answered, which should never rise. A search loses nothing if the distance of a box is at
    /// most that of everything in it.
    pub fn visit_nearest_first<B>(
        &self,
        limit: f64,
        mut distance: impl FnMut(&Aabb) -> f64,
        mut found: impl FnMut(u32) -> ControlFlow<B, f64>,
    ) -> ControlFlow<B> {
        walk(
            &self.nodes,
            limit,
            // A child whose boxes have all become empty has an empty box.
            |node| {
                keys_of(node, |place| {
                    let bounds = node.child_bounds(place);
                    if bounds.is_empty() { f64::NAN } else { distance(&bounds) }
                })
            },
            |blocks: Range<usize>, mut limit| {
                for &number in self.blocks[blocks].iter().flatten() {
                    if number != Self::NO_BOX {
                        limit = found(number)?;
                    }
                }
                ControlFlow::Continue(limit)
            },
        )
    }
}

/// Brings boxes into the range where the builder's products of lengths neither overflow nor vanish,
/// infinite ones cut off where the others end.
fn shrink_for_build(boxes: &[Aabb]) -> impl Fn(Aabb) -> Aabb + Sync + Send {
    let corners =
        boxes.iter().filter(|aabb| !aabb.is_empty()).flat_map(|aabb| [aabb.min, aabb.max]);
    let sizes = corners.flat_map(|corner| corner.abs().to_array()).filter(|size| size.is_finite());
    let reach = sizes.fold(0f32, f32::max);
    // A quotient in f64: the least f32 has no reciprocal in f32.
    let scale = if reach > 0.0 { 1.0 / f64::from(reach) } else { 1.0 };
    let shrunk = move |corner: Vec3| {
        let corner = corner.clamp(Vec3::splat(-reach), Vec3::splat(reach));
        (corner.as_dvec3() * scale).as_vec3()
    };
    move |aabb| Aabb { min: shrunk(aabb.min), max: shrunk(aabb.max) }
}
