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
///
/// Memory is about the same for all. What a better tree gains depends on the mesh: much where triangles
/// differ in size and shape (rooms, cities, CAD), next to nothing on scans.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BuildQuality {
    /// Binned SAH with 16 bins. For meshes that change often.
    Fast,
    /// Binned SAH with 32 bins, and light reinsertion as long as it pays. For most uses: a room is
    /// queried a fifth faster than with [`Fast`](Self::Fast), after half as much time again.
    #[default]
    Balanced,
    /// As [`Balanced`](Self::Balanced), with more reinsertion: some per cent faster queries after about
    /// one and a half times the build time. For meshes that are queried for long.
    High,
}

impl BuildQuality {
    /// All qualities, fastest build first.
    pub const ALL: [Self; 3] = [Self::Fast, Self::Balanced, Self::High];
}
