//! From boxes to the shape of a wide tree.
//!
//! Builders see boxes, never triangles. The policy, which quality takes which steps, is
//! [`Recipe::of`]; the steps are binned SAH, reinsertion, and the collapse to eight children.

mod binary;
mod binned_sah;
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
use collapse::{CostModel, collapse};
use reinsertion::Reinsertion;

/// The steps of a quality and their settings.
struct Recipe {
    binned: BinnedSah,
    reinsertion: Reinsertion,
    cost: CostModel,
}

impl Recipe {
    fn of(quality: BuildQuality, n_prims: usize) -> Self {
        let (n_bins, halve_below): (_, _) = match quality {
            BuildQuality::Fast => (16, 8),
            BuildQuality::Balanced => (32, 4),
            BuildQuality::High => (32, 0),
        };
        let reinsertion = match quality {
            BuildQuality::Fast => Reinsertion { passes: &[], least_gain: 0.0 },
            BuildQuality::Balanced => Reinsertion { passes: &[0.05, 0.1, 0.1], least_gain: 0.01 },
            BuildQuality::High => {
                Reinsertion { passes: &[0.05, 0.1, 0.1, 0.3, 0.3, 0.3, 0.3], least_gain: 0.0005 }
            }
        };
        // Beyond the caches a leaf costs less than its share of arithmetic: its lines are fetched
        // in one go, a node's are waited for.
        let block = if n_prims > 1_000_000 { 0.3 } else { 0.5 };
        Self {
            binned: BinnedSah { n_bins, max_leaf: 4, halve_below },
            reinsertion,
            cost: CostModel { block, max_blocks: 4 },
        }
    }
}

/// A wide tree and the order of its primitives; `None` if the build was cancelled.
///
/// `prims` makes the boxes, at least one. The tree needs no more than the traversal stack holds.
pub(crate) fn build(
    prims: impl Fn() -> Vec<PrimBox>,
    quality: BuildQuality,
    progress: &Progress<'_>,
) -> Option<(WideTree, Vec<u32>)> {
    let mut boxes = prims();
    let recipe = Recipe::of(quality, boxes.len());
    let mut tree = recipe.binned.build(&mut boxes, progress);
    drop(boxes);
    recipe.reinsertion.run(&mut tree, progress);
    let (wide, order) = finish(tree, &recipe.cost, progress)?;
    if stack_needed(wide.depth) <= Stack::CAPACITY {
        return Some((wide, order));
    }
    // Reinsertion made the tree too deep; without it the builder's bound on the depth holds.
    let tree = recipe.binned.build(&mut prims(), progress);
    finish(tree, &recipe.cost, progress)
}

fn finish(
    tree: BinaryTree,
    cost: &CostModel,
    progress: &Progress<'_>,
) -> Option<(WideTree, Vec<u32>)> {
    let preorder = PreorderTree::new(&tree);
    drop(tree);
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
