//! Converting glTF materials to those of MTL.

use gltf::{image::Source, material::AlphaMode};
use hitscan_primitives::Material;

use super::buffers::percent_decoded;

/// The name of a material, or one made from its index.
pub(super) fn name(material: &gltf::Material<'_>) -> Option<String> {
    let index = material.index()?;
    Some(material.name().map_or_else(|| format!("material {index}"), str::to_owned))
}

pub(super) fn read(material: &gltf::Material<'_>) -> Material {
    let pbr = material.pbr_metallic_roughness();
    let [r, g, b, alpha] = pbr.base_color_factor();
    let texture =
        pbr.base_color_texture().and_then(|info| match info.texture().source().source() {
            Source::Uri { uri, .. } if !uri.starts_with("data:") => percent_decoded(uri),
            _ => None,
        });
    let emissive = material.emissive_factor();
    Material {
        name: name(material).unwrap_or_default(),
        diffuse: Some([r, g, b]),
        emissive: (emissive != [0.0; 3]).then_some(emissive),
        opacity: (material.alpha_mode() != AlphaMode::Opaque).then_some(alpha),
        map_kd: texture,
        ..Material::default()
    }
}
