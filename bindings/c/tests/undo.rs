//! Edits and removals that are undone, and files of scenes: the answers are those of Rust.

mod support;

use std::{ffi::CString, path::Path, ptr};

use hitscan::*;
use support::{Numbers, bvh_handle, meshes, message, ok};

const DOWN: hitscan_world_ray = hitscan_world_ray {
    origin: [0.1, 0.2, 90.0],
    direction: [0.0, 0.0, -1.0],
    t_min: 0.0,
    t_max: f64::INFINITY,
};

/// The bits of the first hit of a scene: `t`, instance and triangle.
fn first(scene: *const hitscan_scene) -> (u64, u64, u32) {
    let mut hit = std::mem::MaybeUninit::<hitscan_scene_hit>::uninit();
    // SAFETY: the handle is alive, and the answer is read after success.
    let hit = unsafe {
        ok(hitscan_scene_closest_hit(scene, &DOWN, ptr::null(), hit.as_mut_ptr()));
        hit.assume_init()
    };
    (hit.t.to_bits(), hit.instance, hit.local.triangle)
}

fn instances(scene: *const hitscan_scene) -> Vec<u64> {
    let (mut ids, mut n) = (vec![0; 64], 0);
    // SAFETY: the handle is alive, and the memory has this capacity.
    ok(unsafe { hitscan_scene_instances(scene, ids.as_mut_ptr(), ids.len(), &mut n) });
    ids.truncate(n);
    ids
}

/// A scene of a sphere, with a cuboid above it, the child of a group. The tree of the sphere, the scene, and the ids.
fn scene() -> (*mut hitscan_bvh, *mut hitscan_scene, [u64; 3]) {
    let [(_, cuboid), (_, sphere), ..] = meshes();
    let trees = [bvh_handle(&sphere), bvh_handle(&cuboid)];
    let (mut scene, mut ids) = (ptr::null_mut(), [0; 3]);
    let up = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.1, 1.0, 20.0];
    // SAFETY: the handles are alive.
    unsafe {
        ok(hitscan_scene_new(&mut scene));
        let name = c"under".as_ptr();
        let under = hitscan_instance { bvh: trees[0], name, layers: 4, ..Default::default() };
        ok(hitscan_scene_insert(scene, &under, &mut ids[0]));
        let group = hitscan_instance { transform: up.as_ptr(), ..Default::default() };
        ok(hitscan_scene_insert(scene, &group, &mut ids[1]));
        let (has_parent, parent) = (1, ids[1]);
        let child = hitscan_instance { bvh: trees[1], has_parent, parent, ..Default::default() };
        ok(hitscan_scene_insert(scene, &child, &mut ids[2]));
        ok(hitscan_bvh_release(trees[1]));
    }
    (trees[0], scene, ids)
}

#[test]
fn a_snapshot_of_a_tree_undoes_an_edit_of_it_and_of_a_scene() {
    let (bvh, scene, ids) = scene();
    let (mut before, mut n_bytes) = (ptr::null_mut(), hitscan_bvh_info::default());
    // SAFETY: the handles and arrays are alive.
    unsafe {
        ok(hitscan_scene_remove(scene, ids[1]));
        let hit = first(scene);
        ok(hitscan_bvh_clone(bvh, &mut before));
        let all: Vec<u32> = (0..10_000).collect();
        let edit = hitscan_edit {
            kind: HITSCAN_EDIT_REMOVE,
            indices: all.as_ptr(),
            n_indices: all.len(),
            ..Default::default()
        };
        ok(hitscan_bvh_update(bvh, &edit, ptr::null_mut()));
        ok(hitscan_bvh_get_info(bvh, &mut n_bytes));
        let edited = n_bytes.n_triangles;
        ok(hitscan_bvh_get_info(before, &mut n_bytes));
        assert_eq!(n_bytes.n_triangles, edited + all.len(), "the snapshot has the old mesh");
        ok(hitscan_scene_update(scene, ids[0], &edit, ptr::null_mut()));
        assert_ne!(first(scene), hit);
        ok(hitscan_scene_set_mesh(scene, ids[0], before));
        assert_eq!(first(scene), hit);
        let status = hitscan_bvh_clone(before, ptr::null_mut());
        assert_eq!(status, HITSCAN_INVALID_ARGUMENT);
        for handle in [bvh, before] {
            ok(hitscan_bvh_release(handle));
        }
        ok(hitscan_scene_release(scene));
    }
}

#[test]
fn removed_instances_come_back_with_their_ids_until_they_are_forgotten() {
    let (bvh, scene, ids) = scene();
    let (hit, all) = (first(scene), instances(scene));
    let (mut removed, mut id, mut other) = (ptr::null_mut(), 0, ptr::null_mut());
    // SAFETY: the handles are alive.
    unsafe {
        ok(hitscan_scene_remove_restorable(scene, ids[1], &mut removed));
        assert_eq!(instances(scene), [ids[0]]);
        assert_ne!(first(scene), hit);
        ok(hitscan_scene_restore(scene, removed, &mut id));
        assert_eq!((id, first(scene), instances(scene)), (ids[1], hit, all));
        assert_eq!(
            hitscan_scene_restore(scene, removed, ptr::null_mut()),
            HITSCAN_INVALID_ARGUMENT
        );
        ok(hitscan_scene_forget(scene, removed));
        assert_eq!(first(scene), hit, "forgetting what is there does nothing");
        ok(hitscan_removed_release(removed));

        ok(hitscan_scene_remove_restorable(scene, ids[1], &mut removed));
        ok(hitscan_scene_new(&mut other));
        assert_eq!(
            hitscan_scene_restore(other, removed, ptr::null_mut()),
            HITSCAN_INVALID_ARGUMENT
        );
        ok(hitscan_scene_forget(scene, removed));
        let status = hitscan_scene_restore(scene, removed, ptr::null_mut());
        assert_eq!(status, HITSCAN_INVALID_ARGUMENT);
        assert!(message().starts_with("hitscan_scene_restore: scene: "), "{}", message());
        ok(hitscan_removed_release(removed));
        assert_eq!(hitscan_scene_restore(scene, removed, ptr::null_mut()), HITSCAN_INVALID_HANDLE);
        assert!(message().contains("a released handle"), "{}", message());
        assert_eq!(hitscan_scene_forget(scene, scene.cast()), HITSCAN_INVALID_HANDLE);
        assert!(message().contains("a hitscan_scene; expected a hitscan_removed"), "{}", message());
        ok(hitscan_removed_release(ptr::null_mut()));
        ok(hitscan_bvh_release(bvh));
        ok(hitscan_scene_release(other));
        ok(hitscan_scene_release(scene));
    }
}

fn path(file: &Path) -> CString {
    CString::new(file.to_str().expect("UTF-8")).expect("no zero")
}

#[test]
fn a_scene_comes_back_from_its_file() {
    let (bvh, scene, ids) = scene();
    let folder = std::env::temp_dir().join(format!("hitscan-c-undo-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = path(&folder.join("scene.hitscan"));
    let mut loaded = ptr::null_mut();
    // SAFETY: the handles are alive, and the texts end with a zero.
    unsafe {
        ok(hitscan_scene_save(scene, file.as_ptr()));
        ok(hitscan_scene_load(file.as_ptr(), ptr::null(), &mut loaded));
        assert_eq!(instances(loaded).len(), ids.len());
        let (found, expected) = (first(loaded), first(scene));
        assert_eq!((found.0, found.2), (expected.0, expected.2));
        ok(hitscan_scene_release(loaded));

        let obj = path(&folder.join("corner.obj"));
        std::fs::write(folder.join("corner.obj"), "v -9 -9 1\nv 9 -9 1\nv 0 9 1\nf 1 2 3\n")
            .expect("the folder can be written");
        ok(hitscan_scene_load(obj.as_ptr(), ptr::null(), &mut loaded));
        assert_eq!(f64::from_bits(first(loaded).0), 89.0);
        ok(hitscan_scene_release(loaded));

        let short = hitscan_load_options { max_file_bytes: 10, ..Default::default() };
        for (file, options) in [(&file, &short), (&obj, &short)] {
            let status = hitscan_scene_load(file.as_ptr(), options, &mut loaded);
            assert_eq!(status, HITSCAN_READ, "{}", message());
        }
        let tree = path(&folder.join("tree.hitscan"));
        ok(hitscan_bvh_save(bvh, tree.as_ptr()));
        let status = hitscan_scene_load(tree.as_ptr(), ptr::null(), &mut loaded);
        assert_eq!(status, HITSCAN_READ);
        assert!(message().ends_with("a cache file of one mesh; hitscan_bvh_load reads it"));
        let nowhere = c"/nowhere/scene.hitscan".as_ptr();
        assert_eq!(hitscan_scene_load(nowhere, ptr::null(), &mut loaded), HITSCAN_READ);
        assert_eq!(hitscan_scene_save(scene, nowhere), HITSCAN_WRITE);
        ok(hitscan_bvh_release(bvh));
        ok(hitscan_scene_release(scene));
    }
    std::fs::remove_dir_all(folder).expect("it is there");
}

/// A point in a larger struct of the caller, with its answers.
#[repr(C)]
#[derive(Clone, Copy)]
struct Sample {
    name: u8,
    point: [f32; 3],
    distance: f64,
    number: f64,
    inside: u8,
}

#[test]
fn batches_of_points_have_the_bits_of_single_calls() {
    let (_, sphere) = &meshes()[1];
    let bvh = bvh_handle(sphere);
    let mut numbers = Numbers(3);
    let mut samples: Vec<Sample> = (0..500)
        .map(|_| numbers.point(4.0).map(|x| x as f32))
        .map(|point| Sample { name: 7, point, distance: 0.0, number: 0.0, inside: 9 })
        .collect();
    samples[3].point[1] = f32::NAN;
    let (n, gap) = (samples.len(), size_of::<Sample>());
    let at: *mut Sample = samples.as_mut_ptr();
    // SAFETY: the arrays have these lengths and strides.
    unsafe {
        let from = (&raw const (*at).point).cast::<f32>();
        let to = &raw mut (*at).distance;
        ok(hitscan_bvh_signed_distance_batch(bvh, from, n, gap, to, gap));
        let to = &raw mut (*at).number;
        ok(hitscan_bvh_winding_number_batch(bvh, from, n, gap, 1e-3, to, gap));
        let to = &raw mut (*at).inside;
        ok(hitscan_bvh_is_inside_batch(bvh, from, n, gap, to, gap));
        for (i, sample) in samples.iter().enumerate() {
            assert_eq!(sample.name, 7);
            if i == 3 {
                assert!(sample.distance.is_nan() && sample.number.is_nan() && sample.inside == 0);
                continue;
            }
            let (point, mut distance, mut number, mut inside) =
                (sample.point.as_ptr(), 0.0, 0.0, 0);
            ok(hitscan_bvh_signed_distance(bvh, point, &mut distance));
            ok(hitscan_bvh_winding_number(bvh, point, 1e-3, &mut number));
            ok(hitscan_bvh_is_inside(bvh, point, &mut inside));
            assert_eq!(sample.distance.to_bits(), distance.to_bits());
            assert_eq!((sample.number.to_bits(), sample.inside), (number.to_bits(), inside));
        }
        let mut to = [0.0; 2];
        let null = ptr::null();
        ok(hitscan_bvh_signed_distance_batch(bvh, null, 0, 0, ptr::null_mut(), 0));
        for (points, n, stride, tolerance, text) in [
            (null, 2, 0, 0.0, "points: NULL; expected a pointer"),
            (from, 2, 8, 0.0, "points: a stride of 8 bytes for 2 elements"),
            (from, 1 << 40, 0, 0.0, "points: 1099511627776 elements"),
            (from, 2, 0, -1.0, "tolerance: -1; expected"),
        ] {
            let to = to.as_mut_ptr();
            let status = hitscan_bvh_winding_number_batch(bvh, points, n, stride, tolerance, to, 0);
            assert_eq!(status, HITSCAN_INVALID_ARGUMENT);
            let start = format!("hitscan_bvh_winding_number_batch: {text}");
            assert!(message().starts_with(&start), "{}", message());
        }
        ok(hitscan_bvh_release(bvh));
    }
}
