//! Meshes: from arrays, from files, and their arrays.

use std::sync::Arc;

use hitscan_cache::records_from_bytes;
use hitscan_primitives::{Hit, Recentred, Side, TriMesh, glam::DVec3};

use crate::{
    failure::{fail, fail_with},
    objects::{self, Object, with_triangles},
    output, staging,
};

/// A mesh of the staged positions, relative to an offset, and the staged triangles. Returns its handle, or 0 and
/// an error. `has_records` is 1 if the staged bytes are the records of a file's polygons.
#[unsafe(no_mangle)]
extern "C" fn mesh_new(has_records: u32, x: f64, y: f64, z: f64) -> u32 {
    let mesh = match TriMesh::from_vecs(staging::positions(), staging::triangles()) {
        Ok(mesh) => mesh.with_offset(DVec3::new(x, y, z)),
        Err(error) => return fail_with(&error),
    };
    if has_records == 0 {
        return objects::insert(Object::Plain(Arc::new(mesh)));
    }
    let Some(records) = records_from_bytes(&staging::bytes()) else {
        return fail("the records of the file's polygons are not those of this version");
    };
    match mesh.with_records(records) {
        Ok(mesh) => objects::insert(Object::Plain(Arc::new(mesh))),
        Err(error) => fail_with(&error),
    }
}

/// A mesh of the staged numbers as positions, and the staged triangles, relative to an offset if f32 would lose
/// detail. Returns its handle, or 0 and an error.
#[unsafe(no_mangle)]
extern "C" fn mesh_from_f64() -> u32 {
    let numbers = staging::numbers();
    let positions = numbers.as_chunks::<3>().0.iter().copied();
    match TriMesh::from_f64(positions, staging::triangles(), true) {
        Ok(Recentred { value, .. }) => objects::insert(Object::Plain(Arc::new(value))),
        Err(error) => fail_with(&error),
    }
}

/// Numbers 0 and 1: vertices, triangles. Then the box of the mesh in the coordinates of its file, and from 8 on the
/// offset.
#[unsafe(no_mangle)]
extern "C" fn mesh_about(mesh: u32) -> u32 {
    with_triangles(mesh, |mesh| {
        output::write(0, &[mesh.positions().len() as f64, mesh.triangles().len() as f64]);
        let bounds = mesh.bounds();
        let corners = [bounds.min, bounds.max].map(|corner| in_file(mesh, corner.as_dvec3()));
        output::write(2, corners.as_flattened());
        output::write(8, &mesh.offset().to_array());
        1
    })
}

/// A point of the mesh in the coordinates of its file. Without an offset every bit stays, even the sign of zero.
pub(crate) fn in_file(mesh: &TriMesh, point: DVec3) -> [f64; 3] {
    match mesh.offset() {
        DVec3::ZERO => point.to_array(),
        offset => (point + offset).to_array(),
    }
}

/// Stores the address of the positions, relative to the offset; valid until the next call.
#[unsafe(no_mangle)]
extern "C" fn mesh_positions(mesh: u32) -> u32 {
    with_triangles(mesh, |mesh| mesh.positions().as_ptr().addr() as u32)
}

/// Stores the address of the triangles; valid until the next call.
#[unsafe(no_mangle)]
extern "C" fn mesh_triangles(mesh: u32) -> u32 {
    with_triangles(mesh, |mesh| mesh.triangles().as_ptr().addr() as u32)
}

/// The names of the polygon of a triangle, as bytes: object, group, material, each ended by a zero.
#[unsafe(no_mangle)]
extern "C" fn mesh_names(mesh: u32, triangle: u32) -> u32 {
    with_triangles(mesh, |mesh| {
        if triangle as usize >= mesh.triangles().len() {
            return fail(format!(
                "triangle is {triangle}, expected less than {}",
                mesh.triangles().len()
            ));
        }
        let mut names = Vec::new();
        if let Some(records) = mesh.records() {
            let polygon = mesh.polygon_of(triangle);
            for name in [records.object(polygon), records.group(polygon), records.material(polygon)]
            {
                names.extend_from_slice(name.unwrap_or_default().as_bytes());
                names.push(0);
            }
        }
        output::write(0, &[mesh.polygon_of(triangle).into()]);
        1 + output::put_bytes(names)
    })
}

/// The point and the unit normal at weights of a triangle: numbers 0 to 5. A triangle of zero area has
/// the normal zero.
#[unsafe(no_mangle)]
extern "C" fn mesh_surface(mesh: u32, triangle: u32, u: f32, v: f32) -> u32 {
    with_triangles(mesh, |mesh| {
        if triangle as usize >= mesh.triangles().len() {
            return fail(format!(
                "triangle is {triangle}, expected less than {}",
                mesh.triangles().len()
            ));
        }
        let hit = Hit { t: 0.0, u, v, triangle, side: Side::Front };
        output::write(0, &in_file(mesh, mesh.point(&hit)));
        output::write(3, &mesh.unit_normal(triangle).unwrap_or_default().to_array());
        1
    })
}
