//! Options of a build.

use crate::simd::Isa;

/// The options of [`MeshBvh::build`](crate::MeshBvh::build). The answers are the same for every choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BuildOptions {
    /// The time to spend on a better tree.
    pub quality: BuildQuality,
    /// The instruction set of the queries; by default the fastest one of this machine.
    pub isa: Isa,
    /// The layout of the leaves.
    pub layout: Layout,
}

/// The layout of a tree's leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Every triangle with its corners and normal: the fastest. A tree takes 65 to 80 bytes per triangle.
    #[default]
    Full,
    /// Every triangle with the indices of its corners, which neighbours share. Takes about half the memory
    /// on closed meshes, and as much where triangles share no corners. Queries take one and a half times
    /// to twice as long.
    Compact,
}

impl Layout {
    /// All layouts, the fastest first.
    pub const ALL: [Self; 2] = [Self::Full, Self::Compact];
}

/// The time to spend on a better tree.
///
/// A better tree gains much on meshes whose triangles differ in size and shape (rooms, cities, CAD), and
/// little on scans.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BuildQuality {
    /// A tree over clusters of up to eight triangles, whose lower levels join neighbours along a curve. The
    /// build takes about half the time of [`Balanced`](Self::Balanced), and the tree the least memory.
    /// Queries are 5 to 15 % slower. For meshes that change often.
    Fast,
    /// A tree over clusters of up to four triangles, with light reinsertion. For most uses.
    #[default]
    Balanced,
    /// A tree over single triangles, with more reinsertion. The build takes about twice the time of
    /// [`Balanced`](Self::Balanced), and queries are up to 5 % faster. For meshes with many queries.
    High,
}

impl BuildQuality {
    /// All qualities, fastest build first.
    pub const ALL: [Self; 3] = [Self::Fast, Self::Balanced, Self::High];
}
