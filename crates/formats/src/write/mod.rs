//! Writing meshes.

#[cfg(feature = "gltf")]
mod glb;
mod losses;
#[cfg(feature = "ply")]
mod ply;
#[cfg(feature = "stl")]
mod stl;
#[cfg(any(feature = "ply", feature = "gltf"))]
mod vertices;
mod write_report;

use std::io::{self, BufWriter, Write};

use hitscan_primitives::{Material, TriMesh};

use crate::Format;
pub use write_report::WriteReport;

/// Writes a mesh: OBJ as text, STL and PLY in binary, glTF as one GLB file.
///
/// Reading the result gives the same triangles in the same order, and their corners have the same bits. For
/// STL, 0 and -0 become one. The positions keep their order in OBJ and PLY, and in GLB for a mesh of at most
/// one object. PLY and GLB append a vertex for each further normal or texture coordinate at a vertex.
///
/// | | OBJ | STL | PLY | GLB |
/// |---|---|---|---|---|
/// | normals and texture coordinates | yes | no | yes | yes |
/// | names of objects and materials | yes | no | no | yes |
/// | groups and smoothing groups | yes | no | no | no |
/// | colours of materials | no | no | no | diffuse, emissive, opacity |
///
/// A mesh with an [offset](TriMesh::offset) keeps the coordinates of its file: as decimals in OBJ and STL,
/// which is text then, in double precision in PLY, and as the translation of a node in GLB.
///
/// No format keeps polygons of more than three corners. The report counts everything that is lost.
///
/// # Errors
/// An error of `out`, and `InvalidInput` for a mesh that the format cannot hold: a name with a line break in
/// OBJ, or more than 4 GiB in GLB. `Unsupported` for a format that is switched off.
///
/// ```
/// use hitscan_formats::{Format, LoadOptions, parse, write};
/// use hitscan_primitives::TriMesh;
///
/// let mesh = TriMesh::new([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.1, 0.0]], vec![[0, 1, 2]])?;
/// # #[cfg(feature = "ply")] {
/// let mut bytes = Vec::new();
/// let report = write(&mesh, &[], Format::Ply, &mut bytes)?;
/// assert!(report.lines().is_empty());
/// let again = parse(&bytes, "a.ply", Format::Ply, &LoadOptions::default())?.into_mesh()?;
/// assert_eq!(again.positions(), mesh.positions());
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write(
    mesh: &TriMesh,
    materials: &[Material],
    format: Format,
    out: impl Write,
) -> io::Result<WriteReport> {
    let mut report = WriteReport::default();
    let mut out = BufWriter::new(out);
    match format {
        Format::Obj => {
            losses::count(mesh, losses::Kept::OBJ, &mut report);
            report.add("properties of materials", "left out", materials.len() as u64);
            hitscan_obj::write(mesh, &mut out)?;
        }
        #[cfg(feature = "stl")]
        Format::Stl => stl::write(mesh, &mut out, &mut report)?,
        #[cfg(feature = "ply")]
        Format::Ply => ply::write(mesh, &mut out, &mut report)?,
        #[cfg(feature = "gltf")]
        Format::Gltf => glb::write(mesh, materials, &mut out, &mut report)?,
        #[cfg(not(feature = "stl"))]
        Format::Stl => return Err(left_out(format)),
        #[cfg(not(feature = "ply"))]
        Format::Ply => return Err(left_out(format)),
        #[cfg(not(feature = "gltf"))]
        Format::Gltf => return Err(left_out(format)),
    }
    out.flush()?;
    Ok(report)
}

/// The error for a format that a Cargo feature switches off.
#[cfg(not(all(feature = "stl", feature = "ply", feature = "gltf")))]
fn left_out(format: Format) -> io::Error {
    let text = format!("this build does not write {}; enable its Cargo feature", format.name());
    io::Error::new(io::ErrorKind::Unsupported, text)
}
