//! How to build a hierarchy.

use crate::Isa;

/// How to build a [`MeshBvh`](crate::MeshBvh). The answers are the same for every choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BuildOptions {
    /// How much time to spend on a better tree.
    pub quality: BuildQuality,
    /// The instruction set of the queries; the best of this machine by default.
    pub isa: Isa,
}

/// How much time to spend on a better tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BuildQuality {
    /// For meshes that change often.
    Fast,
    /// For most uses.
    #[default]
    Balanced,
    /// For meshes that are queried for long.
    High,
}

impl BuildQuality {
    /// All qualities, fastest build first.
    pub const ALL: [Self; 3] = [Self::Fast, Self::Balanced, Self::High];
}
