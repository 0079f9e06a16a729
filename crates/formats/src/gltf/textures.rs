//! Base-colour pictures inside a glTF file, and the count of textures that nothing reads.

use std::{collections::HashMap, sync::Arc};

use gltf::{Document, Material, image::Source};
use hitscan_files::LoadOptions;

use super::buffers::{Buffers, decode};
use crate::LoadReport;

/// The base-colour pictures that the file holds: the index of the material and the bytes of the PNG or
/// JPEG file. Materials share the bytes of one image.
pub(super) fn embedded(
    document: &Document,
    buffers: &Buffers<'_>,
    options: &LoadOptions,
    report: &mut LoadReport,
) -> Vec<(usize, Arc<[u8]>)> {
    let mut n_bytes_left = options.max_file_bytes;
    let mut by_image: HashMap<usize, Option<Arc<[u8]>>> = HashMap::new();
    let mut found = vec![];
    for material in document.materials() {
        let Some(info) = material.pbr_metallic_roughness().base_color_texture() else { continue };
        let image = info.texture().source();
        let is_side_file =
            matches!(image.source(), Source::Uri { uri, .. } if !uri.starts_with("data:"));
        let (Some(index), false) = (material.index(), is_side_file) else { continue };
        let bytes = by_image.entry(image.index()).or_insert_with(|| {
            let bytes = bytes_of(image.source(), buffers)?;
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

fn bytes_of(source: Source<'_>, buffers: &Buffers<'_>) -> Option<Arc<[u8]>> {
    match source {
        Source::View { view, .. } => {
            let buffer = buffers.get(view.buffer().index())?;
            let end = view.offset().checked_add(view.length())?;
            buffer.get(view.offset()..end).map(Arc::from)
        }
        Source::Uri { uri, .. } => decode(uri.strip_prefix("data:")?).map(Arc::from),
    }
}

/// Counts the textures that hitscan does not show, and base colours with other coordinates than the
/// first.
pub(super) fn count_what_is_left_out(document: &Document, report: &mut LoadReport) {
    let n_others = |material: &Material<'_>| {
        let pbr = material.pbr_metallic_roughness();
        let other = [
            pbr.metallic_roughness_texture().is_some(),
            material.normal_texture().is_some(),
            material.occlusion_texture().is_some(),
            material.emissive_texture().is_some(),
        ];
        other.into_iter().filter(|&is| is).count() as u64
    };
    let n_others = document.materials().map(|material| n_others(&material)).sum();
    report.add("textures of roughness, normals, occlusion and emission", n_others);
    let n_second = document.materials().filter(|material| {
        let info = material.pbr_metallic_roughness().base_color_texture();
        info.is_some_and(|info| info.tex_coord() > 0)
    });
    report.add("texture coordinates after the first set", n_second.count() as u64);
    let is_transform = |name: &&str| *name == "KHR_texture_transform";
    report
        .add("texture transforms", document.extensions_used().filter(is_transform).count() as u64);
}
