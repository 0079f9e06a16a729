//! Options of a build.

use crate::simd::Isa;

/// The options of [`MeshBvh::build`](crate::MeshBvh::build). The answers are the same for every choice.
///
/// The figures of the choices are from the bench `peers` on five scenes, with one thread of an AMD EPYC and
/// AVX-512 (`benches/record/2026-11-27-amd-epyc-five-scenes`).
///
/// ```
/// use hitscan_bvh::{BuildOptions, BuildQuality, Layout};
///
/// let small = BuildOptions { layout: Layout::Compact, ..BuildOptions::default() };
/// assert_eq!(small.quality, BuildQuality::Balanced);
///
/// // Check the memory before a large build: a system that swaps takes hours.
/// assert!(BuildOptions::default().peak_bytes(100_000_000) < 12_000_000_000);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BuildOptions {
    /// The time to spend on a better tree.
    pub quality: BuildQuality,
    /// The instruction set of the queries; by default the fastest one of this machine.
    pub isa: Isa,
    /// The layout of the leaves.
    pub layout: Layout,
}

impl BuildOptions {
    /// An upper bound of the memory in bytes that a build of `n_triangles` takes at its peak, the tree
    /// included, beside the mesh. Builds of a million triangles or more stay below it by a tenth or more.
    ///
    /// A build does not compare it with the memory that is free. A program should, before it builds a tree
    /// of many millions of triangles, as the commands of `hitscan` do.
    pub fn peak_bytes(&self, n_triangles: usize) -> u64 {
        let n = n_triangles as u64;
        match self.quality {
            BuildQuality::Fast => n.saturating_mul(95),
            BuildQuality::Balanced => n.saturating_mul(110),
            BuildQuality::High => n.saturating_mul(200),
        }
    }
}

/// The layout of a tree's leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Layout {
    /// [`Full`](Self::Full) up to [`Layout::MAX_AUTO_FULL`] triangles, [`Compact`](Self::Compact) beyond. A tree
    /// says which of the two it has ([`MeshBvh::layout`](crate::MeshBvh::layout)).
    #[default]
    Auto,
    /// Every triangle with its corners and normal: the fastest. A tree takes 67 to 76 bytes per triangle.
    Full,
    /// Every triangle with the indices of its corners, which neighbours share. A tree takes 29 to 41 bytes
    /// per triangle, and as many as [`Full`](Self::Full) where triangles share no corners. Queries take 1.5
    /// to 2.8 times as long, batches of random rays among 100 million triangles 3.7 times.
    Compact,
}

impl Layout {
    /// All layouts that a tree may have, the fastest first.
    pub const ALL: [Self; 2] = [Self::Full, Self::Compact];

    /// The maximum number of triangles for which [`Auto`](Self::Auto) is [`Full`](Self::Full): 2^26, a tree
    /// of 5 GB.
    pub const MAX_AUTO_FULL: usize = 1 << 26;

    /// The layout of a tree of `n_triangles`: never [`Auto`](Self::Auto).
    #[must_use]
    pub fn for_size(self, n_triangles: usize) -> Self {
        match self {
            Self::Auto if n_triangles > Self::MAX_AUTO_FULL => Self::Compact,
            Self::Auto => Self::Full,
            chosen => chosen,
        }
    }
}

/// The time to spend on a better tree.
///
/// A better tree gains most on meshes whose triangles differ in size and shape (rooms, cities, CAD), and
/// less on scans. [`BuildOptions`] names the source of the figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BuildQuality {
    /// A tree over clusters of up to eight triangles, whose lower levels join neighbours along a curve. For
    /// meshes that change often. The build takes 0.4 to 0.6 of the time of [`Balanced`](Self::Balanced) and
    /// up to 91 bytes per triangle, the tree 61 to 71. Queries take 1.02 to 1.14 times as long.
    Fast,
    /// A tree over clusters of up to four triangles, with light reinsertion. For most uses. The build takes
    /// up to 101 bytes per triangle, the tree 67 to 76.
    #[default]
    Balanced,
    /// A tree over single triangles, with more reinsertion. For meshes with many queries. The build takes 1.4
    /// to 4 times the time of [`Balanced`](Self::Balanced) and up to 166 bytes per triangle, the tree 65 to 87.
    /// Queries take 0.8 to 1.02 times as long.
    High,
}

impl BuildQuality {
    /// All qualities, fastest build first.
    pub const ALL: [Self; 3] = [Self::Fast, Self::Balanced, Self::High];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_of_memory_never_overflows() {
        for quality in BuildQuality::ALL {
            let bound = |n| BuildOptions { quality, ..BuildOptions::default() }.peak_bytes(n);
            assert_eq!((bound(0), bound(usize::MAX)), (0, u64::MAX));
        }
    }
}
