//! Remarks on coordinates that single precision rounds.

use std::convert::Infallible;

use hitscan::formats::Instance;
use hitscan::glam::{DAffine3, DVec3};
use hitscan::primitives::{Recentred, Recentring, recentre};
use hitscan::{Aabb, TriMesh};

/// The steps of single precision, as a share of a mesh's longest side, above which they are worth a remark:
/// a millionth.
const TOLERATED_STEP: f32 = 1.0 / (1 << 20) as f32;

/// The distance from the origin, in longest sides, below which a reader gives no mesh an offset. Beyond, a mesh
/// without an offset has coordinates that f32 holds.
const FAR_SIDES: f32 = 16.0;

/// A sentence about a mesh that has no offset although the steps of f32 are coarse at its coordinates.
pub(super) fn of_mesh(mesh: &TriMesh) -> Option<String> {
    let bounds = mesh.bounds();
    if bounds.is_empty() || mesh.offset() != DVec3::ZERO {
        return None;
    }
    let (farthest, side) = (bounds.max_abs_coordinate(), bounds.extent().max_element());
    let step = farthest.next_up() - farthest;
    let is_coarse = step > TOLERATED_STEP * side && farthest <= FAR_SIDES * side;
    is_coarse.then(|| {
        format!(
            "no offset, because the mesh is larger than a sixteenth of its distance from the origin; \
             single precision has steps of {step} there"
        )
    })
}

/// A sentence about the merged instances of meshes, if an offset would have avoided their rounding.
pub(super) fn of_merged(meshes: &[TriMesh], instances: &[Instance]) -> Option<String> {
    let read = |recentring: &mut Recentring| -> Result<Aabb, Infallible> {
        let mut bounds = Aabb::default();
        for Instance { mesh, transform, .. } in instances {
            let mesh = &meshes[*mesh];
            let to_scene = *transform * DAffine3::from_translation(mesh.offset());
            for &vertex in mesh.triangles().as_flattened() {
                let position = mesh.positions()[vertex as usize].as_dvec3();
                bounds = bounds.grown(recentring.local(to_scene.transform_point3(position)));
            }
        }
        Ok(bounds)
    };
    let Ok(Recentred { rounded_by, .. }) = recentre(false, read, |bounds| *bounds);
    (rounded_by > 0.0)
        .then(|| format!("positions rounded by up to {rounded_by}, because f32 is coarse there"))
}
