//! Writing meshes as OBJ text.

use std::{
    fmt::{Display, LowerExp},
    io::{self, BufWriter, Write},
};

use hitscan_primitives::{CornerAttributes, FaceRecords, TriMesh};

/// Writes a mesh as OBJ text: positions, texture coordinates, normals, and one face per triangle.
///
/// Numbers are the shortest decimals that parse to the same bits, so [`parse`](crate::parse)
/// returns the same positions, triangles and attributes. Positions are in the coordinates of the file
/// ([`TriMesh::file_position`]). Records become `o`, `g`, `usemtl` and `s`
/// statements. Each triangle of a polygon becomes a polygon, and the text names no library.
///
/// # Errors
/// An error of `out`, or `InvalidInput` for a name that OBJ text cannot hold, such as one with a
/// line break. In that case nothing is written.
///
/// ```
/// use hitscan_obj::{LoadOptions, parse, write};
/// use hitscan_primitives::TriMesh;
///
/// let mesh = TriMesh::new([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.1, 0.0]], vec![[0, 1, 2]])?;
/// let mut text = Vec::new();
/// write(&mesh, &mut text)?;
/// assert_eq!(text, b"v 0 0 0\nv 1 0 0\nv 0 0.1 0\nf 1 2 3\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write(mesh: &TriMesh, out: impl Write) -> io::Result<()> {
    let records = mesh.records();
    if let Some(records) = records {
        check_names(records)?;
    }
    let mut out = BufWriter::new(out);
    let CornerAttributes { normals, normal_indices, uvs, uv_indices } = mesh.attributes();
    if mesh.needs_f64() {
        for vertex in 0..mesh.positions().len() as u32 {
            write_numbers(&mut out, "v", &mesh.file_position(vertex).to_array())?;
        }
    } else {
        for position in mesh.positions() {
            write_numbers(&mut out, "v", &position.to_array())?;
        }
    }
    for uv in uvs {
        write_numbers(&mut out, "vt", &uv.to_array())?;
    }
    for normal in normals {
        write_numbers(&mut out, "vn", &normal.to_array())?;
    }
    let mut state = State::default();
    for (triangle, corners) in mesh.triangles().iter().enumerate() {
        if let Some(records) = records {
            state.change(&mut out, records, triangle as u32)?;
        }
        write!(out, "f")?;
        let uvs = uv_indices.get(triangle).copied().unwrap_or([CornerAttributes::NONE; 3]);
        let normals = normal_indices.get(triangle).copied().unwrap_or([CornerAttributes::NONE; 3]);
        for ((&v, uv), normal) in corners.iter().zip(uvs).zip(normals) {
            // 64 bits, because the last index plus one may not fit in 32.
            let [v, vt, vn] = [v, uv, normal].map(|index| u64::from(index) + 1);
            match (uv == CornerAttributes::NONE, normal == CornerAttributes::NONE) {
                (true, true) => write!(out, " {v}")?,
                (false, true) => write!(out, " {v}/{vt}")?,
                (true, false) => write!(out, " {v}//{vn}")?,
                (false, false) => write!(out, " {v}/{vt}/{vn}")?,
            }
        }
        writeln!(out)?;
    }
    out.flush()
}

fn write_numbers<T: Copy + Into<f64> + Display + LowerExp>(
    out: &mut impl Write,
    keyword: &str,
    numbers: &[T],
) -> io::Result<()> {
    write!(out, "{keyword}")?;
    for &number in numbers {
        // An exponent, because 1e-40 would take 40 digits.
        match (number.into() as f32).abs() {
            0.0 | 1e-5..1e9 => write!(out, " {number}")?,
            _ => write!(out, " {number:e}")?,
        }
    }
    writeln!(out)
}

/// The settings of the faces written last.
#[derive(Default)]
struct State<'r> {
    polygon: Option<u32>,
    object: Option<&'r str>,
    group: Option<&'r str>,
    material: Option<&'r str>,
    smoothing: u32,
}

impl<'r> State<'r> {
    fn change(
        &mut self,
        out: &mut impl Write,
        records: &'r FaceRecords,
        triangle: u32,
    ) -> io::Result<()> {
        let polygon = records.polygon(triangle);
        if self.polygon.replace(polygon) == Some(polygon) {
            return Ok(());
        }
        for (keyword, last, name) in [
            ("o", &mut self.object, records.object(polygon)),
            ("g", &mut self.group, records.group(polygon)),
            ("usemtl", &mut self.material, records.material(polygon)),
        ] {
            if *last != name {
                *last = name;
                match name {
                    Some(name) => writeln!(out, "{keyword} {name}")?,
                    None => writeln!(out, "{keyword}")?,
                }
            }
        }
        let smoothing = records.smoothing().get(polygon).copied().unwrap_or(0);
        if self.smoothing != smoothing {
            self.smoothing = smoothing;
            writeln!(out, "s {smoothing}")?;
        }
        Ok(())
    }
}

/// Refuses names that cannot be read back.
fn check_names(records: &FaceRecords) -> io::Result<()> {
    let is_writable = |name: &str| {
        let trimmed = name.trim_matches([' ', '\t', '\x0b', '\x0c']);
        let has_comment = name.starts_with('#')
            || name.match_indices(" #").any(|(at, _)| name[at + 2..].is_empty())
            || name.contains(" # ");
        let breaks = name.contains(['\n', '\r', '\t', '\x0b', '\x0c']) || name.ends_with('\\');
        !name.is_empty() && trimmed.len() == name.len() && !has_comment && !breaks
    };
    match records.names().iter().find(|name| !is_writable(name)) {
        None => Ok(()),
        Some(name) => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("the name {name:?} cannot be written as OBJ text"),
        )),
    }
}
