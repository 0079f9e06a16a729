//! Meshes: from arrays, from files, and their arrays.

use std::sync::Arc;

use hitscan::{LoadOptions, TriMesh, parse_any};

use crate::{
    failure::{fail, fail_for_memory, fail_with, has_room_for},
    objects::{self, Object, with_triangles},
    output, staging,
};

/// The memory that a reader takes, per byte of a file.
const READER_FACTOR: usize = 4;

/// A mesh of the staged positions and triangles. Returns its handle, or 0 and an error.
#[unsafe(no_mangle)]
extern "C" fn mesh_new() -> u32 {
    match TriMesh::from_vecs(staging::positions(), staging::triangles()) {
        Ok(mesh) => objects::insert(Object::Plain(Arc::new(mesh))),
        Err(error) => fail_with(&error),
    }
}

/// A mesh of a staged file with a staged name. Returns its handle, or 0 and an error. The answer's bytes
/// are the report of the reader, number 0 their length.
#[unsafe(no_mangle)]
extern "C" fn mesh_parse() -> u32 {
    let (bytes, name) = (staging::bytes(), staging::name());
    let needed = bytes.len() * READER_FACTOR;
    if !has_room_for(needed) {
        return fail_for_memory(&name, needed);
    }
    let loaded = match parse_any(&bytes, &name, &LoadOptions::default()) {
        Ok(loaded) => loaded,
        Err(error) => return fail_with(&error),
    };
    drop(bytes);
    let report = loaded.report.to_string();
    match loaded.into_mesh() {
        Ok(mesh) => {
            let length = output::put_bytes(report.into_bytes());
            output::write(0, &[length.into()]);
            objects::insert(Object::Plain(Arc::new(mesh)))
        }
        Err(error) => fail_with(&error),
    }
}

/// Numbers 0 and 1: vertices, triangles. Then the box of the mesh, if it is not empty.
#[unsafe(no_mangle)]
extern "C" fn mesh_about(mesh: u32) -> u32 {
    with_triangles(mesh, |mesh| {
        output::write(0, &[mesh.positions().len() as f64, mesh.triangles().len() as f64]);
        let bounds = mesh.bounds();
        let corners = [bounds.min, bounds.max].map(|corner| corner.as_dvec3().to_array());
        output::write(2, corners.as_flattened());
        1
    })
}

/// Stores the address of the positions; valid until the next call.
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
        let hit = hitscan::Hit { t: 0.0, u, v, triangle, side: hitscan::Side::Front };
        output::write(0, &mesh.point(&hit).to_array());
        output::write(3, &mesh.unit_normal(triangle).unwrap_or_default().to_array());
        1
    })
}
