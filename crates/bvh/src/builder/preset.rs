//! The policy of the builder: the steps that each quality takes, and why.

use super::{
    binned_sah::BinnedSah, clusters::Clustering, collapse::CostModel, reinsertion::Reinsertion,
};
use crate::{
    options::BuildQuality,
    widths::{BLOCK_TEST_COST, BLOCK_WIDTH, MAX_LEAF_BLOCKS},
};

/// The steps of a quality and their settings.
pub(super) struct Preset {
    /// The settings of clusters; `None`: binned SAH starts from primitives.
    pub(super) clustering: Option<Clustering>,
    /// Rounds that join neighbouring clusters; 0: binned SAH starts from the clusters.
    pub(super) n_rounds: usize,
    pub(super) binned: BinnedSah,
    pub(super) reinsertion: Reinsertion,
    pub(super) cost: CostModel,
}

impl Preset {
    pub(super) fn of(quality: BuildQuality, n_prims: usize) -> Self {
        // Clusters of 2 cost memory and time and gain nothing over clusters of 4. Without any, a build
        // takes twice as long for 1 to 3 % faster queries. An overhead of 0.1 instead of 0.3 makes more and
        // smaller clusters: rays through scans do 2 % less work.
        let clustering = match quality {
            // Three digits to sort by, or four where fewer bits would crowd the cells.
            BuildQuality::Fast => Some(Clustering {
                max_len: 8,
                run_overhead: 0.1,
                axis_bits: if n_prims > 1 << 22 { 14 } else { 11 },
            }),
            BuildQuality::Balanced => {
                Some(Clustering { max_len: 4, run_overhead: 0.1, axis_bits: 21 })
            }
            BuildQuality::High => None,
        };
        // Each round leaves about 0.6 of the nodes. Four take 10 % more time than five for no better
        // tree. Six leave binned SAH and reinsertion too little to do in the kitchen.
        let n_rounds = if quality == BuildQuality::Fast { 5 } else { 0 };
        let binned = match quality {
            BuildQuality::Fast => {
                BinnedSah { n_bins: 16, max_leaf: 1, median_split_below: 2, sequential: 1 << 10 }
            }
            BuildQuality::Balanced => {
                BinnedSah { n_bins: 32, max_leaf: 1, median_split_below: 4, sequential: 1 << 14 }
            }
            BuildQuality::High => {
                BinnedSah { n_bins: 32, max_leaf: 4, median_split_below: 0, sequential: 1 << 14 }
            }
        };
        let reinsertion = match quality {
            // `Fast` reinserts only the nodes above the rounds. Without it rays through the kitchen do a
            // fifth more work; with all nodes the build takes half as long again.
            BuildQuality::Fast => Reinsertion { passes: &[0.05, 0.1, 0.1], min_gain: 0.01 },
            // The last pass is for trees that the second one still made much better, as it does in rooms: it takes
            // a fifth of a build.
            BuildQuality::Balanced => Reinsertion { passes: &[0.05, 0.1, 0.2], min_gain: 0.04 },
            BuildQuality::High => {
                Reinsertion { passes: &[0.05, 0.1, 0.1, 0.3, 0.3, 0.3, 0.3], min_gain: 0.0005 }
            }
        };
        let cost = CostModel {
            block_test_cost: BLOCK_TEST_COST,
            max_blocks: MAX_LEAF_BLOCKS as u32,
            block_width: BLOCK_WIDTH as u32,
        };
        Self { clustering, n_rounds, binned, reinsertion, cost }
    }

    /// The steps for a small part of a tree: the clusters of `Fast`, then binned SAH without reinsertion.
    pub(super) fn of_few() -> Self {
        let fast = Self::of(BuildQuality::Fast, 0);
        let binned = BinnedSah { median_split_below: 4, ..fast.binned };
        let reinsertion = Reinsertion { passes: &[], min_gain: 1.0 };
        Self { n_rounds: 0, binned, reinsertion, ..fast }
    }

    /// The steps for a tree with one primitive in each leaf. Clusters would not be split, and reinsertion gains nothing
    /// that rays through instances notice. A split of four decides little, because the collapse joins them in one wide node:
    /// by the median, a build takes 9 % fewer instructions, and random rays among 20,000 instances 0.1 % more.
    pub(super) fn of_singles() -> Self {
        Self {
            clustering: None,
            n_rounds: 0,
            binned: BinnedSah {
                n_bins: 16,
                max_leaf: 1,
                median_split_below: 4,
                sequential: 1 << 14,
            },
            reinsertion: Reinsertion { passes: &[], min_gain: 1.0 },
            cost: CostModel { block_test_cost: 1.0, max_blocks: 1, block_width: 1 },
        }
    }
}
