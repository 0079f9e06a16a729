//! Arguments that are codes: JavaScript checks their names, so any other code is the default.

use hitscan_bvh::{BuildOptions, BuildQuality, Isa, Layout};
use hitscan_primitives::{Faces, HitMode, HitOptions};

pub(crate) fn faces(code: u32) -> Faces {
    match code {
        1 => Faces::Front,
        2 => Faces::Back,
        _ => Faces::Both,
    }
}

pub(crate) fn hit_options(faces_code: u32, once: u32) -> HitOptions {
    let mode = if once == 0 { HitMode::EveryTriangle } else { HitMode::OncePerCrossing };
    HitOptions { faces: faces(faces_code), mode }
}

pub(crate) fn build_options(quality: u32, layout: u32) -> BuildOptions {
    BuildOptions {
        quality: match quality {
            0 => BuildQuality::Fast,
            2 => BuildQuality::High,
            _ => BuildQuality::Balanced,
        },
        layout: if layout == 0 { Layout::Full } else { Layout::Compact },
        isa: Isa::detect(),
    }
}
