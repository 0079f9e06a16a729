//! hitscan

#![forbid(unsafe_code)]

pub use glam;
pub use hitscan_bvh::{
    BuildOptions, BuildQuality, BvhStats, Cancelled, HitLists, Isa, MeshBvh, RefitError,
    RefitReport, scan,
};
pub use hitscan_obj as obj;
pub use hitscan_primitives as primitives;
pub use hitscan_primitives::*;
