//! Meshes: from arrays, files and memory; their properties.

use std::{ffi::c_char, sync::Arc};

use engine::{LoadOptions, ReadError, TriMesh, glam::Vec3, load, parse_any, scene};

use crate::{
    call::entry,
    handle::kind,
    memory::{Caller, plain, zeros},
    options::flag,
    status::{Failure, HITSCAN_READ, failure, hitscan_status, invalid, refused},
};

/// A triangle mesh. Immutable, so threads may share it.
pub struct hitscan_mesh {
    _opaque: [u8; 0],
}

/// The triangles of a mesh: of itself, or of a tree.
pub(crate) enum MeshValue {
    Own(TriMesh),
    OfTree(Arc<scene::Mesh>),
}

kind!(hitscan_mesh, MeshValue, *b"hs_mesh_");

impl MeshValue {
    pub(crate) fn tri_mesh(&self) -> &TriMesh {
        match self {
            Self::Own(mesh) => mesh,
            Self::OfTree(mesh) => mesh.tri_mesh(),
        }
    }
}

/// The type of the numbers of an array.
pub type hitscan_number = u32;

/// float
pub const HITSCAN_F32: hitscan_number = 0;
/// double
pub const HITSCAN_F64: hitscan_number = 1;
/// uint32_t
pub const HITSCAN_U32: hitscan_number = 2;
/// uint16_t
pub const HITSCAN_U16: hitscan_number = 3;

/// The positions of vertices: three numbers each. The arrays are only read, and not kept.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hitscan_positions {
    /// sizeof(hitscan_positions)
    pub size: usize,
    /// The x of the first vertex; y and z follow it.
    pub data: *const std::ffi::c_void,
    /// The number of vertices.
    pub n: usize,
    /// The distance in bytes from one vertex to the next. 0 stands for three numbers.
    pub stride: usize,
    /// HITSCAN_F32 or HITSCAN_F64.
    pub number: hitscan_number,
    /// 1 to round positions in double to float. 0 to make a mesh far from the origin relative to an offset
    /// instead, if float would lose detail; see hitscan_mesh_info.
    pub keep_origin: u32,
}

/// The corners of triangles: three indices of vertices each, counter-clockwise seen from the front. The
/// arrays are only read, and not kept.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hitscan_triangles {
    /// sizeof(hitscan_triangles)
    pub size: usize,
    /// The first corner of the first triangle; the other two follow it.
    pub data: *const std::ffi::c_void,
    /// The number of triangles.
    pub n: usize,
    /// The distance in bytes from one triangle to the next. 0 stands for three indices.
    pub stride: usize,
    /// HITSCAN_U32 or HITSCAN_U16; 0 stands for HITSCAN_U32.
    pub number: hitscan_number,
    /// 0.
    pub reserved: u32,
}

/// The options of reading a file. All zeros but the size are the defaults, and so is NULL.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hitscan_load_options {
    /// sizeof(hitscan_load_options)
    pub size: usize,
    /// 1 to keep no polygons, names and source lines.
    pub skip_records: u32,
    /// 1 to keep no texture coordinates and normals.
    pub skip_attributes: u32,
    /// 1 to round positions to float even where that loses detail; see hitscan_positions.
    pub keep_origin: u32,
    /// 0.
    pub reserved: u32,
    /// The maximum size of the file in bytes. 0 stands for 16 GiB.
    pub max_file_bytes: u64,
}

/// The properties of a mesh.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hitscan_mesh_info {
    /// sizeof(hitscan_mesh_info), which the caller sets.
    pub size: usize,
    /// The number of vertices.
    pub n_positions: usize,
    /// The number of triangles, those without area included.
    pub n_triangles: usize,
    /// The number of polygons that the triangles were cut from; without records, that of triangles.
    pub n_polygons: usize,
    /// The least corner of the box around all triangles, INFINITY without triangles.
    pub min: [f32; 3],
    /// The greatest corner of the box, -INFINITY without triangles.
    pub max: [f32; 3],
    /// The origin of the mesh in the coordinates of its file or array; zeros for most meshes. Positions, rays
    /// and answers are relative to it, but scenes apply it.
    pub offset: [f64; 3],
    /// The vertices: n_positions times x, y and z. Valid until the mesh is released.
    pub positions: *const f32,
    /// The triangles: n_triangles times three indices. Valid until the mesh is released.
    pub triangles: *const u32,
}

plain!(hitscan_positions, hitscan_triangles, hitscan_load_options, hitscan_mesh_info);

zeros!(hitscan_positions, hitscan_triangles, hitscan_load_options, hitscan_mesh_info);

/// Makes a mesh from arrays.
///
/// triangles may be NULL: each three vertices are then a triangle. The mesh is a copy, which the caller
/// releases with hitscan_mesh_release.
///
/// HITSCAN_INVALID_ARGUMENT: a position that is not finite, an index out of range, a stride that overlaps
/// or is not a multiple of the number's size, more than 2^29 triangles. The message names the first one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_mesh_new(
    positions: *const hitscan_positions,
    triangles: *const hitscan_triangles,
    mesh: *mut *mut hitscan_mesh,
) -> hitscan_status {
    entry!("hitscan_mesh_new", |caller| {
        let mesh = caller.out_handle(mesh, "mesh")?;
        let positions = caller.required(positions, "positions")?;
        let triangles = match triangles.is_null() {
            true => consecutive(positions.n)?,
            false => read_triangles(caller, &caller.options(triangles, "triangles")?)?,
        };
        mesh.write(MeshValue::Own(new_mesh(caller, &positions, triangles)?));
        Ok(())
    })
}

/// Triangles of three consecutive vertices each.
fn consecutive(n_positions: usize) -> Result<Vec<[u32; 3]>, Failure> {
    if n_positions > crate::memory::MAX_COUNT || !n_positions.is_multiple_of(3) {
        let expected = "a multiple of 3 below 2^32, because triangles is NULL";
        return Err(invalid("positions.n", n_positions, expected));
    }
    Ok((0..n_positions as u32 / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect())
}

pub(crate) fn read_triangles(
    caller: &Caller,
    triangles: &hitscan_triangles,
) -> Result<Vec<[u32; 3]>, Failure> {
    let &hitscan_triangles { data, n, stride, number, .. } = triangles;
    let name = "triangles.data";
    if n > TriMesh::MAX_TRIANGLES {
        let expected = format_args!("at most {}", TriMesh::MAX_TRIANGLES).to_string();
        return Err(invalid("triangles.n", n, expected));
    }
    match number {
        0 | HITSCAN_U32 => {
            Ok(caller.strided::<[u32; 3]>(data.cast(), n, stride, name)?.iter().collect())
        }
        HITSCAN_U16 => {
            let narrow = caller.strided::<[u16; 3]>(data.cast(), n, stride, name)?;
            Ok(narrow.iter().map(|corners| corners.map(u32::from)).collect())
        }
        other => Err(invalid("triangles.number", other, "HITSCAN_U32 or HITSCAN_U16")),
    }
}

fn new_mesh(
    caller: &Caller,
    positions: &hitscan_positions,
    triangles: Vec<[u32; 3]>,
) -> Result<TriMesh, Failure> {
    let &hitscan_positions { data, n, stride, number, .. } = positions;
    let is_recentred = !flag(positions.keep_origin, "positions.keep_origin")?;
    let name = "positions.data";
    let mesh = match number {
        HITSCAN_F32 => {
            let positions = caller.strided::<[f32; 3]>(data.cast(), n, stride, name)?;
            TriMesh::from_vecs(positions.iter().map(Vec3::from_array).collect(), triangles)
        }
        HITSCAN_F64 => {
            let positions = caller.strided::<[f64; 3]>(data.cast(), n, stride, name)?;
            TriMesh::from_f64(positions.iter(), triangles, is_recentred).map(|mesh| mesh.value)
        }
        other => return Err(invalid("positions.number", other, "HITSCAN_F32 or HITSCAN_F64")),
    };
    mesh.map_err(|error| refused("mesh", error))
}

/// New positions for a mesh, in its own space.
pub(crate) fn read_positions(
    caller: &Caller,
    positions: *const hitscan_positions,
) -> Result<Vec<[f32; 3]>, Failure> {
    let positions = caller.required(positions, "positions")?;
    let hitscan_positions { data, n, stride, number, .. } = positions;
    match number {
        HITSCAN_F32 => Ok(caller
            .strided::<[f32; 3]>(data.cast(), n, stride, "positions.data")?
            .iter()
            .collect()),
        HITSCAN_F64 => {
            let wide = caller.strided::<[f64; 3]>(data.cast(), n, stride, "positions.data")?;
            Ok(wide.iter().map(|position| position.map(|x| x as f32)).collect())
        }
        other => Err(invalid("positions.number", other, "HITSCAN_F32 or HITSCAN_F64")),
    }
}

/// Reads a mesh file: OBJ, STL, PLY, glTF or GLB, plain or compressed by gzip or Zstandard. Instances of a
/// glTF file are merged into one mesh.
///
/// path is UTF-8. options may be NULL. The caller releases the mesh with hitscan_mesh_release.
///
/// HITSCAN_READ: a file that cannot be read or is not valid; the message has the line or the byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_mesh_load(
    path: *const c_char,
    options: *const hitscan_load_options,
    mesh: *mut *mut hitscan_mesh,
) -> hitscan_status {
    entry!("hitscan_mesh_load", |caller| {
        let mesh = caller.out_handle(mesh, "mesh")?;
        let path = caller.text(path, "path")?;
        let loaded =
            load(path, &load_options(caller, options)?).and_then(|loaded| loaded.into_mesh());
        mesh.write(MeshValue::Own(loaded.map_err(|error| unreadable("path", &error))?));
        Ok(())
    })
}

/// Reads a mesh file from memory, as hitscan_mesh_load does. No other file is opened.
///
/// name is UTF-8: messages call the file so, and its extension counts where the bytes do not show the format.
/// The bytes are only read, and not kept.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_mesh_parse(
    bytes: *const u8,
    n_bytes: usize,
    name: *const c_char,
    options: *const hitscan_load_options,
    mesh: *mut *mut hitscan_mesh,
) -> hitscan_status {
    entry!("hitscan_mesh_parse", |caller| {
        let mesh = caller.out_handle(mesh, "mesh")?;
        let bytes = caller.array(bytes, n_bytes, "bytes")?;
        let name = caller.text(name, "name")?;
        let loaded = parse_any(bytes, name, &load_options(caller, options)?);
        let loaded = loaded.and_then(|loaded| loaded.into_mesh());
        mesh.write(MeshValue::Own(loaded.map_err(|error| unreadable("bytes", &error))?));
        Ok(())
    })
}

fn unreadable(argument: &str, error: &ReadError) -> Failure {
    failure(HITSCAN_READ, format_args!("{argument}: {error}"))
}

pub(crate) fn load_options(
    caller: &Caller,
    options: *const hitscan_load_options,
) -> Result<LoadOptions, Failure> {
    let options = caller.options(options, "options")?;
    let defaults = LoadOptions::default();
    Ok(LoadOptions {
        records: !flag(options.skip_records, "options.skip_records")?,
        attributes: !flag(options.skip_attributes, "options.skip_attributes")?,
        recentre: !flag(options.keep_origin, "options.keep_origin")?,
        max_file_bytes: match options.max_file_bytes {
            0 => defaults.max_file_bytes,
            n => n,
        },
        ..defaults
    })
}

/// Releases a mesh. NULL does nothing. Trees of the mesh stay valid.
///
/// HITSCAN_INVALID_HANDLE: a mesh that is released already.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_mesh_release(mesh: *mut hitscan_mesh) -> hitscan_status {
    entry!("hitscan_mesh_release", |caller| caller.release(mesh, "mesh"))
}

/// Writes the properties of a mesh. The caller sets info->size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_mesh_get_info(
    mesh: *const hitscan_mesh,
    info: *mut hitscan_mesh_info,
) -> hitscan_status {
    entry!("hitscan_mesh_get_info", |caller| {
        let mesh = caller.get(mesh, "mesh")?.tri_mesh();
        let (bounds, n_triangles) = (mesh.bounds(), mesh.triangles().len());
        let value = hitscan_mesh_info {
            size: 0,
            n_positions: mesh.positions().len(),
            n_triangles,
            n_polygons: mesh.records().map_or(n_triangles, |records| records.n_polygons()),
            min: bounds.min.to_array(),
            max: bounds.max.to_array(),
            offset: mesh.offset().to_array(),
            positions: mesh.positions().as_ptr().cast(),
            triangles: mesh.triangles().as_ptr().cast(),
        };
        caller.write_sized(info, &value, "info")
    })
}
