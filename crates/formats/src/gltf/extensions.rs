//! The policy about extensions: which the reader honours, which it may skip, and which it refuses.

use std::collections::BTreeSet;

use hitscan_files::ReadErrorKind;

use super::{
    document::Root,
    lenient::{Extensions, printable},
};
use crate::LoadReport;

pub(super) const GPU_INSTANCING: &str = "EXT_mesh_gpu_instancing";
pub(super) const NODE_VISIBILITY: &str = "KHR_node_visibility";
pub(super) const RTC: &str = "CESIUM_RTC";
pub(super) const TEXTURE_TRANSFORM: &str = "KHR_texture_transform";
const QUANTIZATION: &str = "KHR_mesh_quantization";
pub(super) const DRACO: &str = "KHR_draco_mesh_compression";
const MESHOPT: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];

/// The effect of an extension on positions, topology and visibility.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// The reader applies it where it stands, or refuses what it compresses.
    Read,
    /// It describes materials, textures, lights, sounds, behaviour or metadata.
    None,
    Unknown,
}

fn effect(name: &str) -> Effect {
    /// The starts of names after the prefix of the vendor.
    const SUBJECTS: [&str; 10] = [
        "animation_",
        "audio_",
        "interactivity",
        "lights_",
        "materials_",
        "packing_",
        "physics_",
        "technique",
        "texture_",
        "xmp",
    ];
    const NAMES: [&str; 18] = [
        "CESIUM_primitive_outline",
        "EXT_feature_metadata",
        "EXT_image_based_lighting",
        "EXT_instance_features",
        "EXT_mesh_features",
        "EXT_mesh_manifold",
        "EXT_mesh_primitive_edge_visibility",
        "EXT_structural_metadata",
        "FB_geometry_metadata",
        "GODOT_single_root",
        "KHR_implicit_shapes",
        "KHR_node_hoverability",
        "KHR_node_selectability",
        "MAXAR_image_ortho",
        "MAXAR_temporal_light_traits",
        "MOZ_lightmap",
        // The node itself has the highest level of detail.
        "MSFT_lod",
        "MPEG_audio_spatial",
    ];
    match name {
        GPU_INSTANCING | NODE_VISIBILITY | RTC | QUANTIZATION | DRACO => Effect::Read,
        _ if MESHOPT.contains(&name) => Effect::Read,
        _ if NAMES.contains(&name) => Effect::None,
        // Articulations, and humans with their expressions and springs, which rest.
        _ if name.starts_with("AGI_") || name.starts_with("VRM") => Effect::None,
        _ => {
            let subject = name.split_once('_').map_or("", |(_, subject)| subject);
            match SUBJECTS.iter().any(|start| subject.starts_with(start)) {
                true => Effect::None,
                false => Effect::Unknown,
            }
        }
    }
}

/// The compression of an element.
pub(super) fn meshopt(extensions: &Extensions<'_>) -> Option<&'static str> {
    MESHOPT.into_iter().find(|name| extensions.has(name))
}

/// The error for data that only a decoder could read.
pub(super) fn compressed(extension: &str) -> ReadErrorKind {
    let tool = match extension {
        DRACO => "gltf-transform copy in.glb out.glb",
        _ => "gltfpack -noq -i in.glb -o out.glb",
    };
    let found = format!("compressed with {extension}, which hitscan does not read");
    ReadErrorKind::syntax(found, format!("a file without it, as `{tool}` writes it"))
}

/// Refuses required extensions that may change the geometry, and counts the others that nothing reads.
pub(super) fn check(root: &Root<'_>, report: &mut LoadReport) -> Result<(), ReadErrorKind> {
    let required = root.extensions_required.iter().flatten();
    for (index, name) in required.clone().enumerate() {
        if effect(name) == Effect::Unknown {
            let name = printable(name);
            let found = format!(
                "extensionsRequired[{index}]: the extension \"{name}\", which may change positions, \
                 triangles or visibility"
            );
            return Err(ReadErrorKind::syntax(found, "only extensions that hitscan knows"));
        }
    }
    let used = root.extensions_used.0.iter().flatten();
    let declared: BTreeSet<&str> = required.chain(used).map(|name| &**name).collect();
    let n_skipped = declared.iter().filter(|name| effect(name) == Effect::None).count() as u64;
    report.add_as("extensions without effect on the geometry", "ignored", n_skipped);

    let mut found = BTreeSet::new();
    for (level, extensions) in by_level(root) {
        for name in extensions.names().filter(|name| effect(name) == Effect::Unknown) {
            report.add_as(&unknown(name, level), "ignored", 1);
            found.insert(name);
        }
    }
    for name in declared.difference(&found).filter(|name| effect(name) == Effect::Unknown) {
        report.add_as(&unknown(name, "the document"), "ignored", 1);
    }
    Ok(())
}

fn unknown(name: &str, level: &str) -> String {
    format!("unknown extension \"{}\" of {level}", printable(name))
}

/// The extensions of all elements that can have some, with the name of the level.
fn by_level<'r, 'a>(
    root: &'r Root<'a>,
) -> impl Iterator<Item = (&'static str, &'r Extensions<'a>)> {
    macro_rules! of {
        ($list:expr, $name:literal) => {
            $list.iter().map(|(_, element)| ($name, &element.extensions))
        };
    }
    let primitives = root.meshes.iter().flat_map(|(_, mesh)| mesh.primitives.iter());
    std::iter::once(("the document", &root.extensions))
        .chain(of!(root.scenes, "scenes"))
        .chain(of!(root.nodes, "nodes"))
        .chain(of!(root.meshes, "meshes"))
        .chain(primitives.map(|(_, primitive)| ("primitives", &primitive.extensions)))
        .chain(of!(root.skins, "skins"))
        .chain(of!(root.accessors, "accessors"))
        .chain(of!(root.buffer_views, "buffer views"))
        .chain(of!(root.buffers, "buffers"))
        .chain(of!(root.materials, "materials"))
        .chain(of!(root.textures, "textures"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_of_materials_and_metadata_leave_the_geometry() {
        for name in [
            "KHR_materials_unlit",
            "KHR_texture_basisu",
            "EXT_texture_webp",
            "MSFT_texture_dds",
            "GOOGLE_texture_basis",
            "KHR_lights_punctual",
            "KHR_animation_pointer",
            "KHR_xmp_json_ld",
            "VRMC_vrm",
            "EXT_mesh_features",
        ] {
            assert_eq!(effect(name), Effect::None, "{name}");
        }
        for name in ["KHR_materials", "EXT_mesh", "MAXAR_mesh_variants", ""] {
            assert_eq!(effect(name), Effect::Unknown, "{name}");
        }
    }
}
