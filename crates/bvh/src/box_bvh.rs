//! A hierarchy over the caller's boxes: points, lines, instances, anything that has a box.

use std::ops::{ControlFlow, Range};

use glam::Vec3;
use hitscan_primitives::Aabb;

use crate::{
    builder::{BoxSource, Progress, block_sources, encode_nodes, shape, write_boxes},
    layout::{BlockBox, WideNode, fit},
    options::BuildQuality,
    platform::parallel,
    query::{slot_keys, visit_nodes},
    refit::RefitError,
    simd::Isa,
    widths::BLOCK_WIDTH,
};

/// A hierarchy over boxes, for rays at objects of any kind and for traversal by the caller's own tests.
///
/// It identifies a box by its index in the list given to [`build`](Self::build). A box may be flat, a
/// point, or infinite. A box that is [empty](Aabb::is_empty) or has a NaN keeps its index, and no query
/// finds it.
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
    pub(crate) nodes: Vec<WideNode>,
    /// The indices of the boxes in each block; [`BoxBvh::NO_BOX`] in empty lanes.
    pub(crate) blocks: Vec<[u32; BLOCK_WIDTH]>,
    /// The length of the list given to `build`.
    n_boxes: usize,
    bounds: Aabb,
}

impl BoxBvh {
    pub(crate) const NO_BOX: u32 = u32::MAX;

    /// The maximum number of boxes.
    pub const MAX_BOXES: usize = 1 << 29;

    /// Builds the hierarchy of `boxes`, which may be empty. O(n log n), on rayon's current pool with
    /// the feature `parallel`. The tree is the same for any number of threads.
    ///
    /// # Panics
    /// If there are more than [`BoxBvh::MAX_BOXES`].
    pub fn build(boxes: &[Aabb], quality: BuildQuality) -> Self {
        let n_boxes = boxes.len();
        assert!(n_boxes <= Self::MAX_BOXES, "{n_boxes} boxes, expected at most 2^29");
        let indices: Vec<u32> =
            (0..n_boxes as u32).filter(|&index| !boxes[index as usize].is_empty()).collect();
        let mut bvh =
            Self { nodes: vec![WideNode::EMPTY], blocks: vec![], n_boxes, bounds: Aabb::EMPTY };
        if indices.is_empty() {
            return bvh;
        }
        let shrink = shrink_for_build(boxes);
        let write = |prims: &[u32], slots: &mut [_]| {
            write_boxes(prims, slots, |i| shrink(boxes[indices[i as usize] as usize]).into());
        };
        let never = |_| ControlFlow::Continue(());
        let progress = Progress::new(indices.len(), &never);
        let source = BoxSource { n: indices.len(), max_abs: 1.0, write: &write };
        let (wide, order) =
            shape(source, quality, Isa::default(), &progress).expect("the callback never cancels");

        // The shape is that of `wide`. Its boxes are shrunk, so `fit` computes the exact ones.
        bvh.nodes = encode_nodes(&wide, |_, _| 0.0);
        let sources = block_sources(&wide, &order);
        let blocks = sources.into_iter().map(|source| {
            let mut block = [Self::NO_BOX; BLOCK_WIDTH];
            for (lane, &i) in source.iter().enumerate() {
                block[lane] = indices[i as usize];
            }
            block
        });
        bvh.blocks = blocks.collect();
        bvh.fit(boxes);
        bvh
    }

    /// Moves the hierarchy to new boxes of the same objects: O(n), many times cheaper than a build.
    /// Queries get slower as objects of one node move apart. Queries still never find a box that was empty
    /// at the build. They may find a box that becomes empty, along with its neighbours.
    ///
    /// # Errors
    /// Another number of boxes than at the build; the hierarchy is unchanged then.
    pub fn refit(&mut self, boxes: &[Aabb]) -> Result<(), RefitError> {
        let (found, expected) = (boxes.len(), self.n_boxes);
        if found != expected {
            return Err(RefitError { found, expected });
        }
        self.fit(boxes);
        Ok(())
    }

    /// Fits the boxes of all nodes to those of the caller.
    fn fit(&mut self, boxes: &[Aabb]) {
        let blocks = &self.blocks;
        let block_boxes = parallel::collect(blocks.len(), |block| {
            let indices = blocks[block].iter().filter(|&&index| index != Self::NO_BOX);
            let bounds = indices
                .map(|&index| boxes[index as usize])
                .filter(|aabb| !aabb.is_empty())
                .fold(Aabb::EMPTY, Aabb::union);
            BlockBox::new(bounds.into())
        });
        self.bounds = fit(&mut self.nodes, &block_boxes, |_| 0.0).to_aabb();
    }

    /// The length of the list of boxes, empty ones included.
    pub fn n_boxes(&self) -> usize {
        self.n_boxes
    }

    /// The box around all boxes.
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// Visits the caller's boxes in all boxes that the caller enters, in an order that depends on the
    /// tree.
    ///
    /// `enter` decides for each box of the tree whether to look below it. `found` receives the index of
    /// each box below and ends the traversal with [`ControlFlow::Break`]. A box that `found` receives was
    /// not tested itself, only a box around it and up to 31 others.
    ///
    /// Boxes of the tree are exact: the smallest around those below. `enter` sees all boxes of a node
    /// before one of them is entered: about eight calls per entered node.
    pub fn visit<B>(
        &self,
        mut enter: impl FnMut(&Aabb) -> bool,
        mut found: impl FnMut(u32) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.visit_nearest_first(
            0.0,
            |bounds| if enter(bounds) { 0.0 } else { f64::INFINITY },
            |index| found(index).map_continue(|()| 0.0),
        )
    }

    /// [`visit`](Self::visit) in the order of the caller's `distance`, for nearest-neighbour searches.
    ///
    /// A box whose `distance` is greater than the limit, or NaN, is not entered. Nearer children of a
    /// node come first. The limit starts as `limit`; each call of `found` returns the next one, which
    /// should never rise. A search is complete if the distance of a box is at most that of everything in
    /// it.
    pub fn visit_nearest_first<B>(
        &self,
        limit: f64,
        mut distance: impl FnMut(&Aabb) -> f64,
        mut found: impl FnMut(u32) -> ControlFlow<B, f64>,
    ) -> ControlFlow<B> {
        visit_nodes(
            |index| &self.nodes[index],
            limit,
            // A child whose boxes have all become empty has an empty box.
            |node| {
                slot_keys(node, |slot| {
                    let bounds = node.child_bounds(slot);
                    if bounds.is_empty() { f64::NAN } else { distance(&bounds) }
                })
            },
            |blocks: Range<usize>, mut limit| {
                for &index in self.blocks[blocks].iter().flatten() {
                    if index != Self::NO_BOX {
                        limit = found(index)?;
                    }
                }
                ControlFlow::Continue(limit)
            },
        )
    }
}

/// Scales boxes to a range in which the builder's products of lengths neither overflow nor vanish. Clips
/// infinite boxes to the largest finite coordinate.
fn shrink_for_build(boxes: &[Aabb]) -> impl Fn(Aabb) -> Aabb + Sync + Send {
    let corners =
        boxes.iter().filter(|aabb| !aabb.is_empty()).flat_map(|aabb| [aabb.min, aabb.max]);
    let sizes = corners.flat_map(|corner| corner.abs().to_array()).filter(|size| size.is_finite());
    let max_abs = sizes.fold(0f32, f32::max);
    // In f64, because the smallest f32 has no reciprocal in f32.
    let scale = if max_abs > 0.0 { 1.0 / f64::from(max_abs) } else { 1.0 };
    let shrunk = move |corner: Vec3| {
        let corner = corner.clamp(Vec3::splat(-max_abs), Vec3::splat(max_abs));
        (corner.as_dvec3() * scale).as_vec3()
    };
    move |aabb| Aabb { min: shrunk(aabb.min), max: shrunk(aabb.max) }
}
