//! Cache files in memory: trees on their way between threads and into storage.

use hitscan_cache::{self as cache, BuiltMesh};

use crate::{
    bvh::built_mesh,
    failure::{fail_for_memory, fail_with, has_room_for},
    objects::{self, Object, with_built},
    output, staging,
};

/// The bytes of a cache file with a mesh and its tree. Returns 1, or 0 and an error; number 0 is the
/// length.
#[unsafe(no_mangle)]
extern "C" fn bvh_to_cache(bvh: u32) -> u32 {
    with_built(bvh, |mesh| {
        let raw = mesh.bvh().raw_parts();
        let tree = raw.nodes.len() + raw.blocks.len() + raw.corners.len();
        let tri_mesh = mesh.tri_mesh();
        let arrays = size_of_val(tri_mesh.positions()) + size_of_val(tri_mesh.triangles());
        // The parts are written one after the other, and `BuiltMesh` owns a copy of them.
        let needed = (tree + arrays).saturating_mul(3);
        if !has_room_for(needed) {
            return fail_for_memory("bvh", needed);
        }
        let built = BuiltMesh::new(tri_mesh.clone(), mesh.bvh().clone());
        let mut bytes = Vec::with_capacity(tree + arrays);
        match cache::write(&built, &mut bytes) {
            Ok(()) => {
                let length = output::put_bytes(bytes);
                output::write(0, &[length.into()]);
                1
            }
            Err(error) => fail_with(&error),
        }
    })
}

/// The tree of a staged cache file with a staged name. Returns its handle, or 0 and an error.
#[unsafe(no_mangle)]
extern "C" fn bvh_from_cache() -> u32 {
    let (bytes, name) = (staging::bytes(), staging::name());
    let name = String::from_utf8_lossy(&name);
    let needed = bytes.len().saturating_mul(2);
    if !has_room_for(needed) {
        return fail_for_memory(&name, needed);
    }
    match cache::read(&bytes, &name) {
        Ok(BuiltMesh { mesh, bvh, .. }) => objects::insert(Object::Built(built_mesh(mesh, bvh))),
        Err(error) => fail_with(&error),
    }
}
