//! How to build a hierarchy.

use crate::Isa;

/// How to build a [`MeshBvh`](crate::MeshBvh). The answers are the same for every choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BuildOptions {
    /// How much time to spend on a better tree.
    pub quality: BuildQuality,
    /// The instruction set of the queries; the best of this machine by default.
    pub isa: Isa,
    /// What leaves are made of.
    pub layout: Layout,
}

/// What the leaves of a tree are made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Every triangle with its corners and normal: 65 to 80 bytes per triangle with the nodes, and the
    /// fastest.
    #[default]
    Full,
    /// Triangles by the numbers of corners that they share: about half the memory on closed meshes,
    /// nothing saved where triangles share no corners. Queries take one and a half times to twice as long.
    Compact,
}

impl Layout {
    /// All layouts, the fastest first.
    pub const ALL: [Self; 2] = [Self::Full, Self::Compact];
}

/// How much time to spend on a better tree.
///
/// What a better tree gains depends on the mesh: much where triangles differ in size and shape (rooms,
/// cities, CAD), little on scans.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BuildQuality {
    /// A tree over clusters of up to eight triangles, whose lower levels are made by joining neighbours
    /// along a curve: built about twice as fast as with [`Balanced`](Self::Balanced). Queries are
    /// 5 to 15 % slower, memory is the least. For meshes that change often.
    Fast,
    /// A tree over clusters of up to four triangles, with light reinsertion. For most uses.
    #[default]
    Balanced,
    /// A tree over single triangles, with more reinsertion: up to 5 % faster queries after about twice
    /// the build time. For meshes that are queried for long.
    High,
}

impl BuildQuality {
    /// All qualities, fastest build first.
    pub const ALL: [Self; 3] = [Self::Fast, Self::Balanced, Self::High];
}
