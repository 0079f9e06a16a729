//! Writing binary PLY.

use std::io::{self, Write};

use glam::DVec3;
use hitscan_primitives::TriMesh;

use super::{
    losses::{self, Kept},
    vertices::Vertices,
    write_report::WriteReport,
};

pub(super) fn write(
    mesh: &TriMesh,
    out: &mut impl Write,
    report: &mut WriteReport,
) -> io::Result<()> {
    let kept = Kept { attributes: true, names: false, groups: false, unused_vertices: true };
    losses::count(mesh, kept, report);
    let vertices = Vertices::of(mesh, report);
    vertices.report_missing(report);
    let Vertices { positions, normals, uvs, triangles, .. } = &vertices;
    let n = positions.len();
    let has_offset = mesh.offset() != DVec3::ZERO;
    let number = if has_offset { "double" } else { "float" };
    write!(
        out,
        "ply\nformat binary_little_endian 1.0\ncomment written by hitscan\nelement vertex {n}\n\
         property {number} x\nproperty {number} y\nproperty {number} z\n"
    )?;
    if !normals.is_empty() {
        write!(out, "property float nx\nproperty float ny\nproperty float nz\n")?;
    }
    if !uvs.is_empty() {
        write!(out, "property float s\nproperty float t\n")?;
    }
    // Most programs write `int`, and some read nothing else.
    let index = if i32::try_from(n).is_ok() { "int" } else { "uint" };
    write!(
        out,
        "element face {}\nproperty list uchar {index} vertex_indices\nend_header\n",
        triangles.len()
    )?;
    for (vertex, position) in positions.iter().enumerate() {
        if has_offset {
            let position = mesh.to_file(*position).to_array();
            position.iter().try_for_each(|number| out.write_all(&number.to_le_bytes()))?;
        } else {
            write_floats(out, &position.to_array())?;
        }
        if let Some(normal) = normals.get(vertex) {
            write_floats(out, &normal.to_array())?;
        }
        if let Some(uv) = uvs.get(vertex) {
            write_floats(out, &uv.to_array())?;
        }
    }
    for triangle in triangles {
        out.write_all(&[3])?;
        for index in triangle {
            out.write_all(&index.to_le_bytes())?;
        }
    }
    Ok(())
}

fn write_floats(out: &mut impl Write, numbers: &[f32]) -> io::Result<()> {
    numbers.iter().try_for_each(|number| out.write_all(&number.to_le_bytes()))
}
