//! Trees of meshes and their queries.

use std::{ops::ControlFlow, sync::Arc};

use hitscan_bvh::{Layout, MeshBvh};
use hitscan_primitives::{Aabb, ConvexRegion, Hit, Ray, Sphere, TriMesh};
use hitscan_scene::Mesh;

use crate::{
    arguments::{build_options, faces, hit_options},
    failure::{fail, fail_for_memory, fail_with, has_room_for},
    objects::{self, Object, with_built},
    output, staging,
};

/// A query that hits nothing because its ray is invalid returns it; number 0 tells which ray of a batch.
const INVALID_RAY: u32 = 2;

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
        let raw = mesh.bvh().raw_parts();
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

/// Stores the addresses of nodes and blocks as numbers 0 and 1; valid until memory is freed. The page of
/// the crate `hitscan-cache` describes them. Number 2 is the scale of the tree's space.
#[unsafe(no_mangle)]
extern "C" fn bvh_parts(bvh: u32) -> u32 {
    with_built(bvh, |mesh| {
        let raw = mesh.bvh().raw_parts();
        let addresses = [raw.nodes, raw.blocks].map(|part| part.as_ptr().addr() as f64);
        output::write(0, &addresses);
        output::write(2, &[mesh.tri_mesh().query_scale()]);
        1
    })
}

/// The ray of the numbers 0 to 7. They are no arguments, because an engine may box each f64 of a call.
#[inline]
fn ray() -> Ray {
    let [ox, oy, oz, dx, dy, dz, t_min, t_max] = std::array::from_fn(|i| output::read(i) as f32);
    Ray::new([ox, oy, oz], [dx, dy, dz]).with_range(t_min, t_max)
}

/// 0 for a miss; an invalid ray is [`INVALID_RAY`] and an error.
#[cold]
fn miss(ray: &Ray) -> u32 {
    match ray.checked() {
        Ok(_) => 0,
        Err(error) => {
            fail_with(&error);
            INVALID_RAY
        }
    }
}

/// The closest hit of the ray of the numbers 0 to 7: 1 and the hit as numbers 0 to 4; 0 for a miss; 2 for
/// an invalid ray.
#[unsafe(no_mangle)]
extern "C" fn bvh_closest_hit(bvh: u32, side: u32) -> u32 {
    let ray = ray();
    with_built(bvh, |mesh| match mesh.bvh().closest_hit(&ray, faces(side)) {
        Some(hit) => {
            output::write_hit(&hit);
            1
        }
        None => miss(&ray),
    })
}

/// 1 if the ray hits anything, 0 if not, 2 for an invalid ray.
#[unsafe(no_mangle)]
extern "C" fn bvh_any_hit(bvh: u32, side: u32) -> u32 {
    let ray = ray();
    with_built(bvh, |mesh| if mesh.bvh().is_occluded(&ray, faces(side)) { 1 } else { miss(&ray) })
}

/// The hits of a ray in order, at most `limit`, as columns. Returns 1 and their number as number 0; 0
/// without memory, 2 for an invalid ray.
#[unsafe(no_mangle)]
extern "C" fn bvh_all_hits(bvh: u32, side: u32, once: u32, limit: u32) -> u32 {
    let ray = ray();
    if miss(&ray) == INVALID_RAY {
        return INVALID_RAY;
    }
    with_built(bvh, |mesh| {
        // A kernel for the nearest few would be another twentieth of the download.
        let mut hits = mesh.bvh().all_hits(&ray, &hit_options(side, once));
        hits.truncate(limit as usize);
        output::write(0, &[hits.len() as f64]);
        output::put_hits(hits.len(), hits.iter().map(Some))
    })
}

/// The staged rays if all are valid, else the number of the first invalid one.
fn valid_rays() -> Result<Vec<Ray>, u32> {
    let rays = staging::rays();
    match rays.iter().position(|ray| !ray.is_valid()) {
        None => Ok(rays),
        Some(index) => {
            let invalid = miss(&rays[index]);
            output::write(0, &[index as f64]);
            staging::keep_rays(rays);
            Err(invalid)
        }
    }
}

/// The closest hits of the staged rays as columns. 1; 0 without memory; 2 for an invalid ray.
#[unsafe(no_mangle)]
extern "C" fn bvh_closest_hits(bvh: u32, side: u32) -> u32 {
    batch(|rays| {
        with_built(bvh, |mesh| {
            let mut hits: Vec<Option<Hit>> = Vec::new();
            let needed = rays.len() * size_of::<Option<Hit>>();
            if hits.try_reserve_exact(rays.len()).is_err() {
                return fail_for_memory("hits", needed);
            }
            hits.resize(rays.len(), None);
            mesh.bvh().closest_hit_batch(rays, faces(side), &mut hits);
            output::put_hits(rays.len(), hits.iter().map(Option::as_ref))
        })
    })
}

/// Whether the staged rays hit anything, as bytes. 1; 0 without memory; 2 for an invalid ray.
#[unsafe(no_mangle)]
extern "C" fn bvh_any_hits(bvh: u32, side: u32) -> u32 {
    batch(|rays| {
        with_built(bvh, |mesh| {
            let mut occluded = Vec::new();
            if occluded.try_reserve_exact(2 * rays.len()).is_err() {
                return fail_for_memory("hits", 2 * rays.len());
            }
            // Ray by ray: packets of this query would be a tenth of the download.
            occluded.extend(rays.iter().map(|ray| mesh.bvh().is_occluded(ray, faces(side))));
            output::put_bytes(occluded.into_iter().map(u8::from).collect());
            1
        })
    })
}

/// All hits of the staged rays as columns, and the start of each ray's hits in the answer's f64. Returns 1
/// and the number of hits as number 0; 0 without memory; 2 for an invalid ray.
#[unsafe(no_mangle)]
extern "C" fn bvh_all_hits_batch(bvh: u32, side: u32, once: u32) -> u32 {
    batch(|rays| {
        with_built(bvh, |mesh| {
            let lists = mesh.bvh().all_hits_batch(rays, &hit_options(side, once));
            output::put_doubles(lists.starts.iter().map(|&start| start as f64).collect());
            output::write(0, &[lists.hits.len() as f64]);
            output::put_hits(lists.hits.len(), lists.hits.iter().map(Some))
        })
    })
}

fn batch(query: impl FnOnce(&[Ray]) -> u32) -> u32 {
    match valid_rays() {
        Ok(rays) => {
            let result = query(&rays);
            staging::keep_rays(rays);
            result
        }
        Err(invalid) => invalid,
    }
}

/// The nearest point to that of the numbers 0 to 2, within the distance of number 3. 1 and numbers 0 to 6: distance, point, `u`, `v`, triangle. 0 if there is none.
#[unsafe(no_mangle)]
extern "C" fn bvh_closest_point(bvh: u32) -> u32 {
    let [x, y, z] = std::array::from_fn(|i| output::read(i) as f32);
    let max_distance = output::read(3);
    with_built(bvh, |mesh| match mesh.bvh().closest_point([x, y, z], max_distance) {
        Some(found) => {
            let [px, py, pz] = found.point.to_array();
            let numbers =
                [found.distance, px, py, pz, found.u.into(), found.v.into(), found.triangle.into()];
            output::write(0, &numbers);
            1
        }
        None => 0,
    })
}

/// The columns of [`bvh_closest_points`].
const POINT_COLUMNS: usize = 7;

/// The nearest points of the staged positions, as columns of f64 as in [`bvh_closest_point`]. Without one
/// the distance is infinite and the triangle -1. 1, or 0 without memory.
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
        for (i, point) in points.iter().enumerate() {
            let row = match mesh.bvh().closest_point(*point, max_distance) {
                Some(found) => {
                    let [x, y, z] = found.point.to_array();
                    let (u, v) = (found.u.into(), found.v.into());
                    [found.distance, x, y, z, u, v, found.triangle.into()]
                }
                None => [f64::INFINITY, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0],
            };
            for (column, number) in row.into_iter().enumerate() {
                columns[column * n + i] = number;
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
/// crossings is number 0.
#[unsafe(no_mangle)]
extern "C" fn bvh_count_crossings(bvh: u32) -> u32 {
    let ray = ray();
    with_built(bvh, |mesh| {
        let n = mesh.bvh().all_hits(&ray, &hit_options(0, 1)).len();
        output::write(0, &[n as f64]);
        if n == 0 { miss(&ray) } else { n as u32 % 2 }
    })
}
