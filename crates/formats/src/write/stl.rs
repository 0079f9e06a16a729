//! Writing STL: binary, or text for a mesh with an offset, because binary STL holds f32.

use std::io::{self, Write};

use glam::{DVec3, Vec3};
use hitscan_primitives::TriMesh;

use super::{
    losses::{self, Kept},
    write_report::WriteReport,
};

pub(super) fn write(
    mesh: &TriMesh,
    out: &mut impl Write,
    report: &mut WriteReport,
) -> io::Result<()> {
    let kept = Kept { attributes: false, names: false, groups: false, unused_vertices: false };
    losses::count(mesh, kept, report);
    if mesh.offset() != DVec3::ZERO {
        return write_text(mesh, out);
    }
    // It must not start with `solid`, by which readers recognise text.
    const TITLE: &[u8] = b"binary STL, written by hitscan";
    let mut header = [0; 80];
    header[..TITLE.len()].copy_from_slice(TITLE);
    out.write_all(&header)?;
    let n = mesh.triangles().len();
    out.write_all(&u32::try_from(n).expect("a mesh has at most 2^29 triangles").to_le_bytes())?;
    for triangle in 0..n as u32 {
        let normal = mesh.unit_normal(triangle).unwrap_or(DVec3::ZERO).as_vec3();
        let [a, b, c] = mesh.corners(triangle);
        let mut facet = [0; 50];
        for (bytes, number) in facet.chunks_exact_mut(4).zip(numbers([normal, a, b, c])) {
            bytes.copy_from_slice(&number.to_le_bytes());
        }
        out.write_all(&facet)?;
    }
    Ok(())
}

fn write_text(mesh: &TriMesh, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "solid")?;
    for (triangle, corners) in mesh.triangles().iter().enumerate() {
        let normal = mesh.unit_normal(triangle as u32).unwrap_or(DVec3::ZERO).as_vec3();
        writeln!(out, "facet normal {} {} {}\nouter loop", normal.x, normal.y, normal.z)?;
        for &vertex in corners {
            let p = mesh.file_position(vertex);
            writeln!(out, "vertex {} {} {}", p.x, p.y, p.z)?;
        }
        writeln!(out, "endloop\nendfacet")?;
    }
    writeln!(out, "endsolid")
}

fn numbers(vectors: [Vec3; 4]) -> impl Iterator<Item = f32> {
    vectors.into_iter().flat_map(|vector| vector.to_array())
}
