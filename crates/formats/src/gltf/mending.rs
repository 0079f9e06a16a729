//! Deviations from glTF 2.0 that do not change the geometry.

use std::collections::BTreeSet;

use gltf::{
    Semantic,
    json::{Root, Value, deserialize::from_value, validation::Checked},
};

use crate::LoadReport;

/// Mends what the validation of the crate `gltf` refuses without need, and counts it. The indices of the
/// POSITION accessors must be valid.
pub(super) fn mend(root: &mut Root, report: &mut LoadReport) {
    add_bounds(root, report);
    let n_required = root.extensions_required.len();
    root.extensions_required.retain(|name| !leaves_geometry(name));
    let n_ignored = n_required - root.extensions_required.len();
    report.add_as("required extensions of materials and lights", "ignored", n_ignored as u64);
}

/// Gives `min` and `max` to the accessors of positions that lack them. The reader uses neither.
fn add_bounds(root: &mut Root, report: &mut LoadReport) {
    let positions = Checked::Valid(Semantic::Positions);
    let primitives = root.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let accessors = primitives.filter_map(|primitive| primitive.attributes.get(&positions));
    let accessors: BTreeSet<usize> = accessors.map(|accessor| accessor.value()).collect();
    let is_bound = |bound: &Option<Value>| {
        bound.as_ref().is_some_and(|bound| from_value::<[f32; 3]>(bound.clone()).is_ok())
    };
    let mut n_mended = 0;
    for index in accessors {
        let accessor = &mut root.accessors[index];
        if !is_bound(&accessor.min) || !is_bound(&accessor.max) {
            let bound = Value::from(vec![0.0f32; 3]);
            (accessor.min, accessor.max) = (Some(bound.clone()), Some(bound));
            n_mended += 1;
        }
    }
    report.add_as("accessors of positions without min and max", "read", n_mended);
}

/// Whether an extension describes only materials, lights or metadata.
fn leaves_geometry(extension: &str) -> bool {
    const PREFIXES: [&str; 4] =
        ["KHR_materials_", "EXT_materials_", "ADOBE_materials_", "EXT_lights_"];
    const NAMES: [&str; 6] = [
        "KHR_technique_webgl",
        "KHR_techniques_webgl",
        "KHR_lights_punctual",
        "KHR_texture_transform",
        "KHR_xmp",
        "KHR_xmp_json_ld",
    ];
    NAMES.contains(&extension) || PREFIXES.iter().any(|prefix| extension.starts_with(prefix))
}
