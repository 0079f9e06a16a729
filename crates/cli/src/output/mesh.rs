//! Writing meshes in any format.

use hitscan::{Format, Material, TriMesh, formats};

use super::target::Target;
use crate::messages;

/// Writes a mesh, and prints a note for each kind of part that the format cannot hold.
///
/// # Errors
/// An output that cannot be written, or a mesh that the format cannot hold.
pub(crate) fn write_mesh(
    mesh: &TriMesh,
    materials: &[Material],
    format: Format,
    target: &mut Target,
) -> anyhow::Result<()> {
    let report = formats::write(mesh, materials, format, target)?;
    for line in report.lines() {
        messages::note(format_args!("{} output: {line}", format.name()));
    }
    Ok(())
}
