//! Converting glTF materials to those of MTL.

use hitscan_primitives::Material;

use super::{
    buffers::percent_decoded,
    document::{self, Root, TextureInfo},
    lenient::Index,
};

/// The name of the material with an index, or one made from the index.
pub(super) fn name(root: &Root<'_>, index: usize) -> String {
    let material = root.materials.get(Index(index), "").ok();
    let name = material.and_then(|material| material.name.0.as_deref());
    name.map_or_else(|| format!("material {index}"), str::to_owned)
}

/// The material with an index. One that cannot be parsed has only a name.
pub(super) fn read(root: &Root<'_>, index: usize) -> Material {
    let name = name(root, index);
    let Ok(material) = root.materials.get(Index(index), "") else {
        return Material { name, ..Material::default() };
    };
    let pbr = material.pbr_metallic_roughness.0.as_ref();
    let [r, g, b, alpha] = pbr.and_then(|pbr| pbr.base_color_factor.0).unwrap_or([1.0; 4]);
    let image = base_color(material).and_then(|info| image(root, info));
    let uri = image.and_then(|(_, image)| image.uri.as_deref()).filter(|uri| !is_data(uri));
    let emissive = material.emissive_factor.0.unwrap_or_default();
    let is_opaque = !matches!(material.alpha_mode.0.as_deref(), Some("MASK" | "BLEND"));
    Material {
        name,
        diffuse: Some([r, g, b]),
        emissive: (emissive != [0.0; 3]).then_some(emissive),
        opacity: (!is_opaque).then_some(alpha),
        map_kd: uri.and_then(percent_decoded),
        ..Material::default()
    }
}

pub(super) fn base_color<'r>(material: &'r document::Material<'_>) -> Option<&'r TextureInfo> {
    material.pbr_metallic_roughness.0.as_ref()?.base_color_texture.0.as_ref()
}

/// The image of a texture, if it has one that a decoder of PNG or JPEG may read.
pub(super) fn image<'r, 'a>(
    root: &'r Root<'a>,
    info: &TextureInfo,
) -> Option<(usize, &'r document::Image<'a>)> {
    let index = root.textures.get(info.index, "").ok()?.source?;
    Some((index.0, root.images.get(index, "").ok()?))
}

/// Whether a URI holds its data.
pub(super) fn is_data(uri: &str) -> bool {
    uri.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"))
}
