//! Trees of meshes and their queries.

use std::{ops::ControlFlow, sync::Arc};

use hitscan_bvh::{Layout, MeshBvh};
use hitscan_primitives::{
    Aabb, ConvexRegion, Faces, Hit, Sphere, SurfacePoint, TriMesh, glam::DVec3,
};
use hitscan_scene::Mesh;

use crate::{
    arguments::{build_options, faces, hit_options},
    failure::{fail, fail_for_memory, fail_with, has_room_for},
    mesh::in_file,
    objects::{self, Object, with_built},
    output,
    rays::{INVALID_RAY, MeshRay, MeshRays},
    staging::{self, POINTS_AT_ONCE},
};

#[link(wasm_import_module = "env")]
unsafe extern "C" {
    /// JavaScript's function for the progress of a build, from 0 to 1. A result other than 0 cancels.
    safe fn progress(done: f64) -> u32;
}

/// Builds the tree of a mesh. Returns a handle, or 0 and an error.
///
/// The mesh and the tree share the triangles: from now on both handles stand for the built mesh.
#[unsafe(no_mangle)]
extern "C" fn bvh_build(mesh: u32, quality: u32, layout: u32, with_progress: u32) -> u32 {
    let n_triangles = match objects::get(mesh) {
        Some(Object::Plain(mesh)) => mesh.triangles().len(),
        Some(Object::Built(mesh)) => mesh.tri_mesh().triangles().len(),
        _ => return fail("mesh: there is no such mesh"),
    };
    let options = build_options(quality, layout);
    let needed = usize::try_from(options.peak_bytes(n_triangles)).unwrap_or(usize::MAX);
    if !has_room_for(needed) {
        return fail_for_memory("bvh", needed);
    }
    let (tri_mesh, was_plain) = match objects::take(mesh) {
        Some(Object::Plain(mesh)) => (Arc::unwrap_or_clone(mesh), true),
        Some(Object::Built(built)) => {
            let tri_mesh = built.tri_mesh().clone();
            objects::put(mesh, Object::Built(built));
            (tri_mesh, false)
        }
        _ => return fail("mesh: there is no such mesh"),
    };
    let built = MeshBvh::build_with_progress(&tri_mesh, &options, &|done| {
        if with_progress != 0 && progress(done.into()) != 0 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    let bvh = match built {
        Ok(bvh) => bvh,
        Err(cancelled) => {
            objects::put(mesh, Object::Plain(Arc::new(tri_mesh)));
            return fail_with(&cancelled);
        }
    };
    let built = built_mesh(tri_mesh, bvh);
    if was_plain {
        objects::put(mesh, Object::Built(Arc::clone(&built)));
    }
    objects::insert(Object::Built(built))
}

pub(crate) fn built_mesh(mesh: TriMesh, bvh: MeshBvh) -> Arc<Mesh> {
    Arc::new(Mesh::from_built(mesh, bvh).expect("the tree was built from this mesh"))
}

/// Another handle of the mesh of a tree.
#[unsafe(no_mangle)]
extern "C" fn bvh_mesh(bvh: u32) -> u32 {
    objects::get(bvh).map_or(0, objects::insert)
}

/// Moves the vertices to the staged positions. `mesh` is the other handle of the same object, or 0: while
/// another handle or a scene shares the tree, the refit copies it. Returns 1, or 0 and an error; numbers 0
/// and 1 are the costs of a ray at the build and now.
#[unsafe(no_mangle)]
extern "C" fn bvh_refit(bvh: u32, mesh: u32) -> u32 {
    let positions = staging::positions();
    let other = objects::take(mesh);
    let Some(Object::Built(mut built)) = objects::take(bvh) else {
        return fail("bvh: there is no such tree");
    };
    let is_shared = matches!(&other, Some(Object::Built(other)) if Arc::ptr_eq(other, &built));
    let kept = if is_shared {
        drop(other);
        None
    } else {
        other
    };
    let report = Arc::make_mut(&mut built).refit(positions);
    if is_shared {
        objects::put(mesh, Object::Built(Arc::clone(&built)));
    } else if let Some(kept) = kept {
        objects::put(mesh, kept);
    }
    objects::put(bvh, Object::Built(built));
    match report {
        Ok(report) => {
            output::write(0, &[report.cost_when_built.into(), report.cost_now.into()]);
            1
        }
        Err(error) => fail_with(&error),
    }
}

/// Numbers 0 to 5: triangles, nodes, bytes of the tree, layout, whether the lanes are those of SIMD, and the
/// number of triangles in all leaves, where a split triangle counts several times.
#[unsafe(no_mangle)]
extern "C" fn bvh_about(bvh: u32) -> u32 {
    with_built(bvh, |mesh| {
        let raw = mesh.bvh().raw_parts_in_place();
        let bytes = raw.nodes.len() + raw.blocks.len() + raw.corners.len();
        let layout = f64::from(u8::from(raw.layout != Layout::Full));
        let stats = mesh.bvh().stats();
        let is_simd = f64::from(u8::from(mesh.bvh().isa().name() != "scalar"));
        let sizes = [stats.n_triangles as f64, stats.n_nodes as f64, bytes as f64];
        output::write(0, &sizes);
        output::write(3, &[layout, is_simd, stats.n_in_leaves as f64]);
        1
    })
}

/// Stores the addresses of nodes and blocks as numbers 0 and 1; valid until memory is freed or the tree changes. Number 2 is the scale
/// of the tree's space. The next ones are the layout, by `hitscan_web_candidates::words`.
#[unsafe(no_mangle)]
extern "C" fn bvh_parts(bvh: u32) -> u32 {
    with_built(bvh, |mesh| {
        let raw = mesh.bvh().raw_parts_in_place();
        let addresses = [&raw.nodes, &raw.blocks].map(|part| part.as_ptr().addr() as f64);
        output::write(0, &addresses);
        output::write(2, &[mesh.tri_mesh().query_scale()]);
        output::write(3, &hitscan_web_candidates::words(raw.layout));
        1
    })
}

/// The closest hit of the ray of the numbers 0 to 7: 1 and the hit as numbers 0 to 4; 0 for a miss; 2 for
/// an invalid ray.
#[unsafe(no_mangle)]
extern "C" fn bvh_closest_hit(bvh: u32, side: u32) -> u32 {
    with_built(bvh, |mesh| {
        let ray = MeshRay::read(mesh);
        match mesh.bvh().closest_hit(&ray.ray, faces(side)) {
            Some(hit) => {
                output::write_hit(ray.t(hit.t), &hit);
                1
            }
            None => ray.miss(),
        }
    })
}

/// 1 if the ray hits anything, 0 if not, 2 for an invalid ray.
#[unsafe(no_mangle)]
extern "C" fn bvh_is_occluded(bvh: u32, side: u32) -> u32 {
    with_built(bvh, |mesh| {
        let ray = MeshRay::read(mesh);
        if mesh.bvh().is_occluded(&ray.ray, faces(side)) { 1 } else { ray.miss() }
    })
}

/// The hits of a ray in order, at most `n`, as columns, and with an offset `t` in the answer's f64. Returns 1
/// and their number as number 0; 0 without memory, 2 for an invalid ray.
#[unsafe(no_mangle)]
extern "C" fn bvh_all_hits(bvh: u32, side: u32, once: u32, n: u32) -> u32 {
    with_built(bvh, |mesh| {
        let ray = MeshRay::read(mesh);
        if ray.miss() == INVALID_RAY {
            return INVALID_RAY;
        }
        // A kernel for the nearest few would be another twentieth of the download.
        let mut hits = mesh.bvh().all_hits(&ray.ray, &hit_options(side, once));
        ray.sort(&mut hits);
        hits.truncate(n as usize);
        let mut t = Vec::new();
        ray.extend_t(&mut t, hits.iter());
        output::put_doubles(t);
        output::write(0, &[hits.len() as f64]);
        output::put_hits(hits.len(), hits.iter().map(Some))
    })
}

/// The closest hits of the staged rays as columns, and with an offset `t` in the answer's f64. 1; 0 without
/// memory; 2 for an invalid ray.
#[unsafe(no_mangle)]
extern "C" fn bvh_closest_hits(bvh: u32, side: u32) -> u32 {
    batch(bvh, |mesh, rays| {
        let n = rays.rays.len();
        let mut hits: Vec<Option<Hit>> = Vec::new();
        if hits.try_reserve_exact(n).is_err() {
            return fail_for_memory("hits", n * size_of::<Option<Hit>>());
        }
        hits.resize(n, None);
        mesh.bvh().closest_hit_batch(&rays.rays, faces(side), &mut hits);
        output::put_doubles(rays.t(&hits));
        output::put_hits(n, hits.iter().map(Option::as_ref))
    })
}

/// Whether the staged rays hit anything, as bytes. 1; 0 without memory; 2 for an invalid ray.
#[unsafe(no_mangle)]
extern "C" fn bvh_is_occluded_batch(bvh: u32, side: u32) -> u32 {
    batch(bvh, |mesh, rays| {
        let n = rays.rays.len();
        let mut occluded = Vec::new();
        if occluded.try_reserve_exact(2 * n).is_err() {
            return fail_for_memory("hits", 2 * n);
        }
        // Ray by ray: packets of this query would be a tenth of the download.
        occluded.extend(rays.rays.iter().map(|ray| mesh.bvh().is_occluded(ray, faces(side))));
        output::put_bytes(occluded.into_iter().map(u8::from).collect());
        1
    })
}

/// All hits of the staged rays as columns, and the start of each ray's hits in the answer's f64, with an offset
/// followed by `t`. Returns 1 and the number of hits as number 0; 0 without memory; 2 for an invalid ray.
#[unsafe(no_mangle)]
extern "C" fn bvh_all_hits_batch(bvh: u32, side: u32, once: u32) -> u32 {
    batch(bvh, |mesh, rays| {
        let mut lists = mesh.bvh().all_hits_batch(&rays.rays, &hit_options(side, once));
        let mut doubles: Vec<f64> = lists.starts.iter().map(|&start| start as f64).collect();
        rays.sort_lists(&lists.starts, &mut lists.hits, &mut doubles);
        output::put_doubles(doubles);
        output::write(0, &[lists.hits.len() as f64]);
        output::put_hits(lists.hits.len(), lists.hits.iter().map(Some))
    })
}

fn batch(bvh: u32, query: impl FnOnce(&Mesh, &MeshRays) -> u32) -> u32 {
    with_built(bvh, |mesh| match MeshRays::staged(mesh) {
        Ok(rays) => {
            let result = query(mesh, &rays);
            rays.keep();
            result
        }
        Err(invalid) => invalid,
    })
}

/// The nearest point to that of the numbers 0 to 2, within the distance of number 3. 1 and numbers 0 to 6: distance, point, `u`, `v`, triangle. 0 if there is none.
#[unsafe(no_mangle)]
extern "C" fn bvh_closest_point(bvh: u32) -> u32 {
    let point = DVec3::from_array(std::array::from_fn(output::read));
    let max_distance = output::read(3);
    with_built(bvh, |mesh| {
        let local = (point - mesh.tri_mesh().offset()).as_vec3();
        match mesh.bvh().closest_point(local, max_distance) {
            Some(found) => {
                output::write(0, &point_numbers(mesh, &found));
                1
            }
            None => 0,
        }
    })
}

/// The distance, the point in the coordinates of the file, `u`, `v` and the triangle.
fn point_numbers(mesh: &Mesh, found: &SurfacePoint) -> [f64; POINT_COLUMNS] {
    let [x, y, z] = in_file(mesh.tri_mesh(), found.point);
    [found.distance, x, y, z, found.u.into(), found.v.into(), found.triangle.into()]
}

/// The columns of [`bvh_closest_points`].
const POINT_COLUMNS: usize = 7;

/// The nearest points of the staged positions, which are relative to the offset, as columns of f64 as in
/// [`bvh_closest_point`]. Without one the distance is infinite and the triangle -1. 1, or 0 without memory.
#[unsafe(no_mangle)]
extern "C" fn bvh_closest_points(bvh: u32, max_distance: f64) -> u32 {
    let points = staging::positions();
    with_built(bvh, |mesh| {
        let n = points.len();
        let mut columns = Vec::new();
        if columns.try_reserve_exact(POINT_COLUMNS * n).is_err() {
            return fail_for_memory("points", POINT_COLUMNS * n * size_of::<f64>());
        }
        columns.resize(POINT_COLUMNS * n, 0.0);
        let mut found = vec![None; POINTS_AT_ONCE.min(n)];
        for (chunk, points) in points.chunks(POINTS_AT_ONCE).enumerate() {
            mesh.bvh().closest_point_batch(points, &[max_distance], &mut found[..points.len()]);
            for (i, found) in (chunk * POINTS_AT_ONCE..n).zip(&found) {
                let none = [f64::INFINITY, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0];
                let row = found.as_ref().map_or(none, |found| point_numbers(mesh, found));
                for (column, number) in row.into_iter().enumerate() {
                    columns[column * n + i] = number;
                }
            }
        }
        output::put_doubles(columns);
        1
    })
}

/// 1 + the number of triangles that touch a box, which are the answer's words.
#[unsafe(no_mangle)]
#[rustfmt::skip]
extern "C" fn bvh_overlap_box(
    bvh: u32, x0: f32, y0: f32, z0: f32, x1: f32, y1: f32, z1: f32,
) -> u32 {
    overlapping(bvh, |bvh, triangles| {
        bvh.overlapping_box_into(&Aabb::new([x0, y0, z0], [x1, y1, z1]), triangles);
    })
}

/// 1 + the number of triangles that touch a ball, which are the answer's words.
#[unsafe(no_mangle)]
extern "C" fn bvh_overlap_sphere(bvh: u32, x: f32, y: f32, z: f32, radius: f32) -> u32 {
    overlapping(bvh, |bvh, triangles| {
        bvh.overlapping_sphere_into(&Sphere::new([x, y, z], radius), triangles);
    })
}

/// 1 + the number of triangles that touch the region of the staged planes, four numbers each.
#[unsafe(no_mangle)]
extern "C" fn bvh_overlap_convex(bvh: u32) -> u32 {
    let numbers = staging::numbers();
    let region = ConvexRegion::from_coefficients(numbers.as_chunks::<4>().0.iter().copied());
    overlapping(bvh, |bvh, triangles| bvh.overlapping_convex_into(&region, triangles))
}

fn overlapping(handle: u32, query: impl FnOnce(&MeshBvh, &mut Vec<u32>)) -> u32 {
    with_built(handle, |mesh| {
        let mut triangles = output::words();
        query(mesh.bvh(), &mut triangles);
        1 + output::put_words(triangles)
    })
}

/// 1 if a ray crosses the surface an odd number of times, 0 if not, 2 for an invalid ray. The number of
/// crossings is number 0, that of the front less that of the back number 1.
#[unsafe(no_mangle)]
extern "C" fn bvh_count_crossings(bvh: u32) -> u32 {
    with_built(bvh, |mesh| {
        let ray = MeshRay::read(mesh);
        let n = mesh.bvh().count_crossings(&ray.ray, Faces::Both);
        output::write(0, &[n as f64, mesh.bvh().signed_crossings(&ray.ray) as f64]);
        if n == 0 { ray.miss() } else { n as u32 % 2 }
    })
}
