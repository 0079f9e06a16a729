//! Answers through C have the bits of Rust's: 100,000 rays, one by one, in batches, and on eight threads.

mod support;

use std::{mem::MaybeUninit, ptr, sync::Arc};

use engine::{
    BuildOptions, Faces, HitOptions, MeshBvh, WindingTree,
    glam::{DAffine3, DQuat, DVec3},
    scene::{Instance, Mesh, QueryOptions, Scene},
};
use hitscan::*;
use support::{
    Shared, bits, bvh_handle, c_ray, c_world_ray, expected, meshes, ok, rays, world_rays,
};

const N_RAYS: usize = 100_000;
const N_THREADS: usize = 8;

/// A ray in a larger struct of the caller.
#[repr(C)]
#[derive(Clone, Copy)]
struct Shot {
    name: u64,
    ray: hitscan_ray,
    hit: hitscan_hit,
    occluded: u8,
}

fn shot(ray: &engine::Ray) -> Shot {
    let hit = hitscan_hit { t: 0.0, u: 0.0, v: 0.0, triangle: 0, side: 0 };
    Shot { name: 0x1234, ray: c_ray(ray), hit, occluded: 7 }
}

/// Each single query of a ray, against the engine.
fn check_single(bvh: *const hitscan_bvh, tree: &MeshBvh, ray: &engine::Ray) {
    let (mut hit, mut occluded, mut crossings) =
        (MaybeUninit::uninit(), MaybeUninit::uninit(), MaybeUninit::uninit());
    let mut signed = MaybeUninit::uninit();
    let from = c_ray(ray);
    let null = ptr::null();
    // SAFETY: the handle is alive, and the answers are read after success.
    unsafe {
        let status = hitscan_bvh_closest_hit(bvh, &from, null, hit.as_mut_ptr());
        if !ray.is_valid() {
            assert_eq!(status, HITSCAN_INVALID_ARGUMENT);
            return;
        }
        ok(status);
        assert_eq!(bits(hit.assume_init_ref()), expected(tree.closest_hit(ray, Faces::Both)));
        ok(hitscan_bvh_is_occluded(bvh, &from, null, occluded.as_mut_ptr()));
        assert_eq!(occluded.assume_init(), u8::from(tree.is_occluded(ray, Faces::Both)));
        ok(hitscan_bvh_count_crossings(bvh, &from, null, crossings.as_mut_ptr()));
        assert_eq!(crossings.assume_init() as usize, tree.count_crossings(ray, Faces::Both));
        ok(hitscan_bvh_signed_crossings(bvh, &from, signed.as_mut_ptr()));
        assert_eq!(signed.assume_init(), tree.signed_crossings(ray));
    }
}

#[test]
fn inside_and_winding_numbers_have_the_bits_of_rust() {
    for (i, (_, mesh)) in meshes().iter().enumerate() {
        let tree = WindingTree::new(Arc::new(MeshBvh::build(mesh, &BuildOptions::default())));
        let bvh = bvh_handle(mesh);
        for ray in rays(200, i as u64).iter().filter(|ray| ray.is_valid()) {
            let point = ray.origin.to_array();
            let (mut inside, mut number) = (MaybeUninit::uninit(), MaybeUninit::uninit());
            // SAFETY: the handle is alive, and the answers are read after success.
            unsafe {
                ok(hitscan_bvh_is_inside(bvh, point.as_ptr(), inside.as_mut_ptr()));
                assert_eq!(inside.assume_init(), u8::from(tree.is_inside(point)));
                ok(hitscan_bvh_winding_number(bvh, point.as_ptr(), 1e-3, number.as_mut_ptr()));
                let expected = tree.winding_number(point, 1e-3).value;
                assert_eq!(number.assume_init().to_bits(), expected.to_bits());
                let wrong =
                    hitscan_bvh_winding_number(bvh, point.as_ptr(), -1.0, number.as_mut_ptr());
                assert_eq!(wrong, HITSCAN_INVALID_ARGUMENT);
            }
        }
        // SAFETY: the handle is alive.
        ok(unsafe { hitscan_bvh_release(bvh) });
    }
}

#[test]
fn single_calls_on_eight_threads_have_the_bits_of_rust() {
    for (i, (_, mesh)) in meshes().iter().enumerate() {
        let tree = MeshBvh::build(mesh, &BuildOptions::default());
        let bvh = Shared(bvh_handle(mesh).cast_const());
        let rays = rays(N_RAYS, i as u64);
        std::thread::scope(|scope| {
            for part in rays.chunks(N_RAYS / N_THREADS) {
                let (bvh, tree) = (&bvh, &tree);
                scope.spawn(move || part.iter().for_each(|ray| check_single(bvh.0, tree, ray)));
            }
        });
        // SAFETY: the handle is alive.
        ok(unsafe { hitscan_bvh_release(bvh.0.cast_mut()) });
    }
}

#[test]
fn batches_with_and_without_gaps_have_the_bits_of_rust() {
    for (i, (name, mesh)) in meshes().iter().enumerate() {
        let tree = MeshBvh::build(mesh, &BuildOptions::default());
        let bvh = bvh_handle(mesh);
        let rays = rays(N_RAYS, i as u64);
        let mut shots: Vec<Shot> = rays.iter().map(shot).collect();
        let packed: Vec<hitscan_ray> = rays.iter().map(c_ray).collect();
        let mut hits = vec![shots[0].hit; N_RAYS];
        let (null, gap) = (ptr::null(), size_of::<Shot>());
        // SAFETY: the arrays have these lengths and strides.
        unsafe {
            let first = shots.as_mut_ptr();
            let (ray, hit) = (&raw const (*first).ray, &raw mut (*first).hit);
            ok(hitscan_bvh_closest_hit_batch(bvh, ray, N_RAYS, gap, null, hit, gap));
            let occluded = &raw mut (*first).occluded;
            ok(hitscan_bvh_is_occluded_batch(bvh, ray, N_RAYS, gap, null, occluded, gap));
            let to = hits.as_mut_ptr();
            ok(hitscan_bvh_closest_hit_batch(bvh, packed.as_ptr(), N_RAYS, 0, null, to, 0));
        }
        for ((ray, shot), hit) in rays.iter().zip(&shots).zip(&hits) {
            let rust = tree.closest_hit(ray, Faces::Both);
            assert_eq!(bits(&shot.hit), expected(rust), "{name}");
            assert_eq!(bits(hit), expected(rust), "{name}");
            assert_eq!((shot.occluded, shot.name), (u8::from(rust.is_some()), 0x1234), "{name}");
        }
        // SAFETY: the handle is alive.
        ok(unsafe { hitscan_bvh_release(bvh) });
    }
}

#[test]
fn lists_of_hits_have_the_bits_of_rust() {
    let (_, mesh) = &meshes()[2];
    let (tree, bvh) = (MeshBvh::build(mesh, &BuildOptions::default()), bvh_handle(mesh));
    let rays = rays(20_000, 3);
    let packed: Vec<hitscan_ray> = rays.iter().map(c_ray).collect();
    let mut lists = ptr::null_mut();
    let mut view = hitscan_hit_lists_view::default();
    let rust = tree.all_hits_batch(&rays, &HitOptions::default());
    // SAFETY: the arrays have these lengths, and the lists are read before they are released.
    unsafe {
        let null = ptr::null();
        ok(hitscan_bvh_all_hits_batch(bvh, packed.as_ptr(), rays.len(), 0, null, &mut lists));
        ok(hitscan_hit_lists_get(lists, &mut view));
        let starts = std::slice::from_raw_parts(view.starts, view.n_rays + 1);
        let hits = std::slice::from_raw_parts(view.hits, view.n_hits);
        assert_eq!(starts, rust.starts);
        assert!(hits.iter().map(bits).eq(rust.hits.iter().map(|hit| hit.to_bits())));
        let mut some = [hits[0]; 2];
        let mut n = 0;
        for (i, ray) in packed.iter().enumerate().filter(|(i, _)| rays[*i].is_valid()) {
            ok(hitscan_bvh_all_hits(bvh, ray, null, some.as_mut_ptr(), 2, &mut n));
            assert_eq!(n, rust.of(i).len());
            let first = rust.of(i).iter().take(2).map(|hit| hit.to_bits());
            assert!(some.iter().take(n.min(2)).map(bits).eq(first.clone()));
            ok(hitscan_bvh_nearest_hits(bvh, ray, 2, null, some.as_mut_ptr(), &mut n));
            assert!(some.iter().take(n).map(bits).eq(first));
        }
        ok(hitscan_hit_lists_release(lists));
        ok(hitscan_bvh_release(bvh));
    }
}

/// A scene of turned, scaled and mirrored instances, here and there.
fn scenes() -> (Scene, *mut hitscan_scene) {
    let mut scene = Scene::new();
    let mut handle = ptr::null_mut();
    // SAFETY: memory for a handle.
    ok(unsafe { hitscan_scene_new(&mut handle) });
    for (i, (_, mesh)) in meshes().into_iter().enumerate() {
        let bvh = bvh_handle(&mesh);
        let mesh = Arc::new(Mesh::new(mesh, &BuildOptions::default()));
        for k in 0..20 {
            let angle = f64::from(k) + i as f64;
            let scale = DVec3::new(0.3, 0.2, if k % 3 == 0 { -0.25 } else { 0.25 });
            let place = DVec3::new(angle.cos(), angle.sin(), 0.3 * f64::from(k - 10)) * 6.0;
            let turn = DQuat::from_rotation_y(angle);
            let transform = DAffine3::from_scale_rotation_translation(scale, turn, place);
            scene.insert(Instance::new(mesh.clone(), transform)).expect("an ordinary transform");
            let columns = transform.to_cols_array();
            let instance =
                hitscan_instance { bvh, transform: columns.as_ptr(), ..Default::default() };
            // SAFETY: the handles are alive.
            ok(unsafe { hitscan_scene_insert(handle, &instance, ptr::null_mut()) });
        }
        // SAFETY: the scene shares the tree.
        ok(unsafe { hitscan_bvh_release(bvh) });
    }
    (scene, handle)
}

#[test]
fn a_scene_has_the_bits_of_rust_single_in_batches_and_on_eight_threads() {
    let (scene, handle) = scenes();
    let rays = world_rays(N_RAYS, 11);
    let packed: Vec<hitscan_world_ray> = rays.iter().map(c_world_ray).collect();
    let options = QueryOptions::default();
    let rust: Vec<_> = rays.iter().map(|ray| scene.closest_hit(ray, &options)).collect();
    assert!(rust.iter().flatten().count() > N_RAYS / 10);
    let same = |hit: &hitscan_scene_hit, rust: &Option<engine::scene::SceneHit>| {
        let Some(rust) = rust else {
            return hit.t == f64::INFINITY && hit.instance == HITSCAN_NO_INSTANCE;
        };
        let instance = u64::from(rust.instance.generation) << 32 | u64::from(rust.instance.index);
        hit.t.to_bits() == rust.t.to_bits()
            && hit.instance == instance
            && hit.insertion_order == rust.insertion_order
            && bits(&hit.local) == rust.local.to_bits()
    };
    let shared = Shared(handle.cast_const());
    std::thread::scope(|scope| {
        for (packed, rust) in packed.chunks(N_RAYS / N_THREADS).zip(rust.chunks(N_RAYS / N_THREADS))
        {
            let (shared, same) = (&shared, &same);
            scope.spawn(move || {
                for (ray, rust) in packed.iter().zip(rust) {
                    let mut hit = MaybeUninit::uninit();
                    let null = ptr::null();
                    // SAFETY: the handle is alive, and the answer is read after success.
                    unsafe {
                        let status =
                            hitscan_scene_closest_hit(shared.0, ray, null, hit.as_mut_ptr());
                        assert_eq!(status == HITSCAN_OK, ray.direction != [0.0; 3]);
                        assert!(status != HITSCAN_OK || same(hit.assume_init_ref(), rust));
                    }
                }
            });
        }
    });
    let mut hits: Vec<hitscan_scene_hit> = Vec::with_capacity(N_RAYS);
    let mut occluded = vec![7u8; N_RAYS];
    // SAFETY: the arrays have these lengths.
    unsafe {
        let (from, null) = (packed.as_ptr(), ptr::null());
        ok(hitscan_scene_closest_hit_batch(handle, from, N_RAYS, 0, null, hits.as_mut_ptr(), 0));
        hits.set_len(N_RAYS);
        let to = occluded.as_mut_ptr();
        ok(hitscan_scene_is_occluded_batch(handle, from, N_RAYS, 0, null, to, 0));
        ok(hitscan_scene_release(handle));
    }
    assert!(hits.iter().zip(&rust).all(|(hit, rust)| same(hit, rust)));
    assert!(occluded.iter().zip(&rust).all(|(&c, rust)| c == u8::from(rust.is_some())));
}
