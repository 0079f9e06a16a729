//! Base-colour pictures inside a glTF file, and the count of textures that nothing reads.

use std::{collections::HashMap, sync::Arc};

use super::{
    accessor::Source,
    buffers::decode,
    document::{Image, Material, Root},
    extensions::TEXTURE_TRANSFORM,
    materials::{base_color, image, is_data},
};
use crate::LoadReport;

/// The base-colour pictures that the file holds: the index of the material and the bytes of the PNG or
/// JPEG file. Materials share the bytes of one image.
pub(super) fn embedded(source: Source<'_>, report: &mut LoadReport) -> Vec<(usize, Arc<[u8]>)> {
    let root = source.root;
    let mut n_bytes_left = source.options.max_file_bytes;
    let mut by_image: HashMap<usize, Option<Arc<[u8]>>> = HashMap::new();
    let mut found = vec![];
    for (index, material) in root.materials.iter() {
        let Some(info) = base_color(material) else { continue };
        let Some((image_index, image)) = image(root, info) else {
            report.add("base-colour textures without an image that can be read", 1);
            continue;
        };
        if image.uri.as_deref().is_some_and(|uri| !is_data(uri)) {
            continue;
        }
        let bytes = by_image.entry(image_index).or_insert_with(|| {
            let bytes = bytes_of(image, image_index, source)?;
            // Many images may name the same part of a buffer.
            n_bytes_left = n_bytes_left.checked_sub(bytes.len() as u64)?;
            Some(bytes)
        });
        match bytes {
            Some(bytes) => found.push((index, bytes.clone())),
            None => report.add("unreadable embedded textures", 1),
        }
    }
    found
}

fn bytes_of(image: &Image<'_>, index: usize, source: Source<'_>) -> Option<Arc<[u8]>> {
    match (image.buffer_view, &image.uri) {
        (Some(view), _) => {
            source.view(view, &format!("images[{index}].bufferView")).ok().map(Arc::from)
        }
        (None, Some(uri)) => decode(uri.get(5..)?).map(Arc::from),
        (None, None) => None,
    }
}

/// Counts the textures that hitscan does not show, and base colours with other coordinates than the
/// first.
pub(super) fn count_what_is_left_out(root: &Root<'_>, report: &mut LoadReport) {
    let n_others = |material: &Material<'_>| {
        let pbr = material.pbr_metallic_roughness.0.as_ref();
        let other = [
            pbr.is_some_and(|pbr| pbr.metallic_roughness_texture.0.is_some()),
            material.normal_texture.0.is_some(),
            material.occlusion_texture.0.is_some(),
            material.emissive_texture.0.is_some(),
        ];
        other.into_iter().filter(|&is| is).count() as u64
    };
    let materials = || root.materials.iter().map(|(_, material)| material);
    report.add(
        "textures of roughness, normals, occlusion and emission",
        materials().map(n_others).sum(),
    );
    let n_second = materials()
        .filter_map(base_color)
        .filter(|info| info.tex_coord.is_some_and(|set| set.0 > 0));
    report.add("texture coordinates after the first set", n_second.count() as u64);
    let mut used = root.extensions_used.0.iter().flatten();
    report.add("texture transforms", u64::from(used.any(|name| name == TEXTURE_TRANSFORM)));
}
