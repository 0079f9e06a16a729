//! From boxes to the shape of a wide tree.
//!
//! Builders see boxes, never triangles. The policy, which quality takes which steps, is
//! [`Recipe::of`]; the steps are clusters along a curve, rounds in which neighbours along the curve are
//! joined, binned SAH, reinsertion, and the collapse to eight children.

mod binary;
mod binned_sah;
mod clusters;
mod collapse;
mod ploc;
mod prim_box;
mod progress;
mod radix_sort;
mod reinsertion;

pub(crate) use collapse::{BLOCK, WideTarget, WideTree};
pub(crate) use prim_box::{Box3, PrimBox};
pub(crate) use progress::Progress;

use crate::{BuildQuality, Isa, parallel, simd::Stack};
use binary::PreorderTree;
use binned_sah::BinnedSah;
use clusters::{Clustering, Clusters, forests};
use collapse::{CostModel, collapse};
use ploc::{join_forests, root_boxes};
use reinsertion::Reinsertion;

/// The steps of a quality and their settings.
struct Recipe {
    /// How clusters are made, if they are.
    clustering: Option<Clustering>,
    /// Rounds in which neighbouring clusters are joined; 0: binned SAH starts from the clusters.
    n_rounds: usize,
    binned: BinnedSah,
    reinsertion: Reinsertion,
    cost: CostModel,
}

impl Recipe {
    fn of(quality: BuildQuality, n_prims: usize) -> Self {
        // Clusters of 2 gain nothing over those of 4 but memory and time that they cost; without
        // any, a build takes twice as long for 1 to 3 % faster queries.
        let clustering = match quality {
            // Three digits to sort by, and a fourth where so few bits would put many into one cell.
            BuildQuality::Fast => Some(Clustering {
                longest: 8,
                cost: 0.1,
                axis_bits: if n_prims > 1 << 22 { 14 } else { 11 },
            }),
            BuildQuality::Balanced => Some(Clustering { longest: 4, cost: 0.3, axis_bits: 21 }),
            BuildQuality::High => None,
        };
        // Each round leaves about 0.6 of the nodes. Four take 10 % more time than five for no better
        // tree, six leave binned SAH and reinsertion too little to do in the kitchen.
        let n_rounds = if quality == BuildQuality::Fast { 5 } else { 0 };
        let binned = match quality {
            BuildQuality::Fast => {
                BinnedSah { n_bins: 16, max_leaf: 1, halve_below: 2, sequential: 1 << 10 }
            }
            BuildQuality::Balanced => {
                BinnedSah { n_bins: 32, max_leaf: 1, halve_below: 4, sequential: 1 << 14 }
            }
            BuildQuality::High => {
                BinnedSah { n_bins: 32, max_leaf: 4, halve_below: 0, sequential: 1 << 14 }
            }
        };
        let reinsertion = match quality {
            // Under `Fast` only what is above the rounds; without it rays through the kitchen do a
            // fifth more work, with all of it the build takes half as long again.
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
        Self { clustering, n_rounds, binned, reinsertion, cost }
    }
}

/// A wide tree and the order of its primitives; `None` if the build was cancelled.
///
/// `bounds` gives the boxes of the `n` primitives, at least one, and is asked several times for each:
/// to keep them costs more than to make them. The tree is the same for every `isa`, and needs no more
/// than the traversal stack holds.
pub(crate) fn build(
    n: usize,
    bounds: impl Fn(u32) -> Box3 + Sync + Send,
    quality: BuildQuality,
    isa: Isa,
    progress: &Progress<'_>,
) -> Option<(WideTree, Vec<u32>)> {
    let recipe = Recipe::of(quality, n);
    let (wide, order) = finish(recipe.best(n, &bounds, isa, progress), &recipe.cost, progress)?;
    if stack_needed(wide.depth) <= Stack::CAPACITY {
        return Some((wide, order));
    }
    // Rounds or reinsertion made the tree too deep; without them the builder's bound on the depth
    // holds.
    let plain = recipe.top_down(n, &bounds, isa, false, progress);
    finish(Some(plain), &recipe.cost, progress)
}

impl Recipe {
    /// The best binary tree that the quality may take the time for; `None` if it was cancelled.
    fn best(
        &self,
        n: usize,
        bounds: &(impl Fn(u32) -> Box3 + Sync + Send),
        isa: Isa,
        progress: &Progress<'_>,
    ) -> Option<PreorderTree> {
        match &self.clustering {
            Some(clustering) if self.n_rounds > 0 => {
                let forests = forests(n, bounds, clustering, self.n_rounds, isa, progress);
                if progress.is_cancelled() {
                    return None;
                }
                let mut top = self.binned.build(&mut root_boxes(&forests), progress);
                self.reinsertion.run(&mut top, progress);
                (!progress.is_cancelled()).then(|| join_forests(&top, &forests))
            }
            _ => Some(self.top_down(n, bounds, isa, true, progress)),
        }
    }

    /// The tree that is made from the root down to clusters or primitives.
    fn top_down(
        &self,
        n: usize,
        bounds: &(impl Fn(u32) -> Box3 + Sync + Send),
        isa: Isa,
        reinsert: bool,
        progress: &Progress<'_>,
    ) -> PreorderTree {
        let clusters =
            self.clustering.as_ref().map(|clustering| Clusters::new(n, bounds, clustering, isa));
        progress.advance(clusters.as_ref().map_or(0, |clusters| n - clusters.boxes.len()));
        let mut boxes = match &clusters {
            Some(clusters) => clusters.boxes.clone(),
            None => parallel::collect(n, |i| PrimBox::new(bounds(i as u32), i as u32)),
        };
        let mut tree = self.binned.build(&mut boxes, progress);
        drop(boxes);
        if reinsert {
            self.reinsertion.run(&mut tree, progress);
        }
        let mut preorder = PreorderTree::new(&tree);
        drop(tree);
        if let Some(clusters) = clusters {
            clusters.expand(&mut preorder);
        }
        preorder
    }
}

fn finish(
    tree: Option<PreorderTree>,
    cost: &CostModel,
    progress: &Progress<'_>,
) -> Option<(WideTree, Vec<u32>)> {
    let tree = tree.filter(|_| !progress.is_cancelled())?;
    let wide = collapse(&tree, cost);
    Some((wide, tree.order))
}

/// The most entries that a traversal of a wide tree of that depth keeps: each level leaves at most
/// seven children behind, and up to eight are written before the nearest is taken.
pub(crate) fn stack_needed(depth: usize) -> usize {
    7 * depth + 8
}
