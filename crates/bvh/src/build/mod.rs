//! From boxes to the shape of a wide tree.
//!
//! Builders see boxes, never triangles. The policy, which quality takes which steps, is
//! [`Recipe::of`]; the steps are clusters along a curve, binned SAH, reinsertion, and the collapse to
//! eight children.

mod binary;
mod binned_sah;
mod clusters;
mod collapse;
mod prim_box;
mod progress;
mod reinsertion;

use hitscan_primitives::Aabb;

pub(crate) use collapse::{BLOCK, WideTarget, WideTree};
pub(crate) use prim_box::{Box3, PrimBox};
pub(crate) use progress::Progress;

use crate::{BuildQuality, simd::Stack};
use binary::{BinaryTree, PreorderTree};
use binned_sah::BinnedSah;
use clusters::Clusters;
use collapse::{CostModel, collapse};
use reinsertion::Reinsertion;

/// The steps of a quality and their settings.
struct Recipe {
    /// The most primitives of a cluster; 1: none are made.
    longest_cluster: usize,
    binned: BinnedSah,
    reinsertion: Reinsertion,
    cost: CostModel,
}

impl Recipe {
    fn of(quality: BuildQuality, n_prims: usize) -> Self {
        // Clusters of 2 gain nothing over those of 4 but memory and time that they cost; without
        // any, a build takes twice as long for 1 to 3 % faster queries.
        let (longest_cluster, binned) = match quality {
            BuildQuality::Fast => (8, BinnedSah { n_bins: 16, max_leaf: 1, halve_below: 2 }),
            BuildQuality::Balanced => (4, BinnedSah { n_bins: 32, max_leaf: 1, halve_below: 4 }),
            BuildQuality::High => (1, BinnedSah { n_bins: 32, max_leaf: 4, halve_below: 0 }),
        };
        let reinsertion = match quality {
            BuildQuality::Fast | BuildQuality::Balanced => {
                Reinsertion { passes: &[0.05, 0.1, 0.1], least_gain: 0.01 }
            }
            BuildQuality::High => {
                Reinsertion { passes: &[0.05, 0.1, 0.1, 0.3, 0.3, 0.3, 0.3], least_gain: 0.0005 }
            }
        };
        // Beyond the caches a leaf costs less than its share of arithmetic: its lines are fetched
        // in one go, a node's are waited for.
        let block = if n_prims > 1_000_000 { 0.3 } else { 0.5 };
        let cost = CostModel { block, max_blocks: 4 };
        Self { longest_cluster, binned, reinsertion, cost }
    }
}

/// A wide tree and the order of its primitives; `None` if the build was cancelled.
///
/// `prims` makes the `n` boxes, at least one. The tree needs no more than the traversal stack holds.
pub(crate) fn build(
    n: usize,
    prims: impl Fn() -> Vec<PrimBox>,
    quality: BuildQuality,
    progress: &Progress<'_>,
) -> Option<(WideTree, Vec<u32>)> {
    let recipe = Recipe::of(quality, n);
    let longest = recipe.longest_cluster;
    let clusters = (longest > 1).then(|| Clusters::new(&prims(), longest));
    let boxes = || clusters.as_ref().map_or_else(&prims, |clusters| clusters.boxes.clone());
    progress.advance(clusters.as_ref().map_or(0, |clusters| n - clusters.boxes.len()));

    let mut tree = recipe.binned.build(&mut boxes(), progress);
    recipe.reinsertion.run(&mut tree, progress);
    let (wide, order) = finish(tree, clusters.as_ref(), &recipe.cost, progress)?;
    if stack_needed(wide.depth) <= Stack::CAPACITY {
        return Some((wide, order));
    }
    // Reinsertion made the tree too deep; without it the builder's bound on the depth holds.
    let tree = recipe.binned.build(&mut boxes(), progress);
    finish(tree, clusters.as_ref(), &recipe.cost, progress)
}

fn finish(
    tree: BinaryTree,
    clusters: Option<&Clusters>,
    cost: &CostModel,
    progress: &Progress<'_>,
) -> Option<(WideTree, Vec<u32>)> {
    let mut preorder = PreorderTree::new(&tree);
    drop(tree);
    if let Some(clusters) = clusters {
        clusters.expand(&mut preorder);
    }
    if progress.is_cancelled() {
        return None;
    }
    let wide = collapse(&preorder, cost);
    Some((wide, preorder.order))
}

/// The most entries that a traversal of a wide tree of that depth keeps: each level leaves at most
/// seven children behind, and up to eight are written before the nearest is taken.
pub(crate) fn stack_needed(depth: usize) -> usize {
    7 * depth + 8
}

/// The boxes of `n` primitives as the builders take them, made in parallel.
pub(crate) fn prim_boxes(n: usize, bounds: impl Fn(u32) -> Aabb + Sync + Send) -> Vec<PrimBox> {
    crate::parallel::collect(n, |i| PrimBox::new(&bounds(i as u32), i as u32))
}
