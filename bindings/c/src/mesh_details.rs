//! What a hit of a mesh is: its point, normal, polygon and names.

use std::{ffi::c_char, ptr, slice};

use engine::TriMesh;

use crate::{
    call::entry,
    memory::{plain, zeros},
    mesh::hitscan_mesh,
    rays::hitscan_hit,
    status::{hitscan_status, invalid},
};

/// Text in UTF-8 of this length, without a zero at its end. NULL if there is none.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hitscan_text {
    /// The bytes.
    pub data: *const c_char,
    /// The number of bytes.
    pub length: usize,
}

/// What a hit of a mesh is. Texts are valid until the mesh is released.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hitscan_hit_details {
    /// sizeof(hitscan_hit_details), which the caller sets.
    pub size: usize,
    /// The point, on the triangle.
    pub point: [f64; 3],
    /// The unit normal of the triangle by its winding; zeros for a triangle without area.
    pub normal: [f64; 3],
    /// The texture coordinates; NAN if there are none.
    pub uv: [f64; 2],
    /// The three vertices.
    pub vertices: [u32; 3],
    /// The polygon that the triangle was cut from; without records, the triangle.
    pub polygon: u32,
    /// The line of the polygon in its file; 0 if it is not known.
    pub line: u64,
    /// The object of the polygon.
    pub object: hitscan_text,
    /// The group of the polygon.
    pub group: hitscan_text,
    /// The material of the polygon.
    pub material: hitscan_text,
}

plain!(hitscan_hit_details);
zeros!(hitscan_hit_details);

/// Writes what a hit of this mesh is: its point, normal, polygon and names. The caller sets details->size.
///
/// HITSCAN_INVALID_ARGUMENT: a triangle that the mesh does not have, such as that of a miss.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_mesh_describe(
    mesh: *const hitscan_mesh,
    hit: *const hitscan_hit,
    details: *mut hitscan_hit_details,
) -> hitscan_status {
    entry!("hitscan_mesh_describe", |caller| {
        let mesh = caller.get(mesh, "mesh")?;
        let tri_mesh = mesh.tri_mesh();
        let hit = caller.read(hit, "hit")?.to_hit("hit")?;
        let n_triangles = tri_mesh.triangles().len();
        if hit.triangle as usize >= n_triangles {
            let found = format_args!("triangle {}", hit.triangle).to_string();
            return Err(invalid("hit", found, format_args!("less than {n_triangles}")));
        }
        let normal = tri_mesh.unit_normal(hit.triangle);
        let value = hitscan_hit_details {
            point: tri_mesh.point(&hit).to_array(),
            normal: normal.map_or([0.0; 3], |normal| normal.to_array()),
            uv: uv(tri_mesh, &hit),
            ..names(tri_mesh, hit.triangle)
        };
        caller.write_sized(details, &value, "details")
    })
}

/// The texture coordinates of a hit, as `scene::Mesh::uv` computes them.
fn uv(mesh: &TriMesh, hit: &engine::Hit) -> [f64; 2] {
    let Some(corners) = mesh.attributes().uvs_of(hit.triangle) else { return [f64::NAN; 2] };
    let [a, b, c] = corners.map(|uv| uv.as_dvec2());
    (a + f64::from(hit.u) * (b - a) + f64::from(hit.v) * (c - a)).to_array()
}

/// The details of a triangle that its mesh knows; the others are zeros.
pub(crate) fn names(mesh: &TriMesh, triangle: u32) -> hitscan_hit_details {
    let polygon = mesh.polygon_of(triangle);
    let records = mesh.records();
    hitscan_hit_details {
        vertices: mesh.triangles()[triangle as usize],
        polygon,
        line: records.and_then(|records| records.lines().get(polygon)).unwrap_or(0),
        object: hitscan_text::new(records.and_then(|records| records.object(polygon))),
        group: hitscan_text::new(records.and_then(|records| records.group(polygon))),
        material: hitscan_text::new(records.and_then(|records| records.material(polygon))),
        ..hitscan_hit_details::default()
    }
}

impl hitscan_text {
    fn new(text: Option<&str>) -> Self {
        match text {
            None => Self { data: ptr::null(), length: 0 },
            Some(text) => Self { data: text.as_ptr().cast(), length: text.len() },
        }
    }

    /// The text; `None` if there is none.
    ///
    /// # Safety
    /// The mesh that the text is from is not released.
    pub unsafe fn as_bytes(&self) -> Option<&[u8]> {
        // SAFETY: the promise of the caller.
        (!self.data.is_null())
            .then(|| unsafe { slice::from_raw_parts(self.data.cast(), self.length) })
    }
}
