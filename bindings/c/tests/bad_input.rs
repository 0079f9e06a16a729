//! Mistakes of the caller are a status and a message that names argument, found and expected.

mod support;

use std::{
    ffi::{c_int, c_void},
    ptr,
};

use engine::primitives::generate;
use hitscan::*;
use support::{bvh_handle, mesh_handle, message, ok};

const DOWN: hitscan_ray = hitscan_ray {
    origin: [0.1, 0.2, 5.0],
    direction: [0.0, 0.0, -1.0],
    t_min: 0.0,
    t_max: f32::INFINITY,
};
const MISS: hitscan_hit = hitscan_hit { t: 0.0, u: 0.0, v: 0.0, triangle: 0, side: 0 };

fn cube() -> *mut hitscan_bvh {
    bvh_handle(&generate::cuboid(2.0, 2.0, 2.0, 0).expect("a size"))
}

#[track_caller]
fn fails(status: hitscan_status, expected: hitscan_status, text: &str) {
    assert_eq!((status, message().as_str()), (expected, text));
}

#[test]
fn null_misaligned_wrong_and_released_handles_are_reported() {
    let bvh = cube();
    let mut hit = MISS;
    let mut scene = ptr::null_mut();
    // SAFETY: each mistake is one that the library finds before it uses the pointer.
    unsafe {
        ok(hitscan_scene_new(&mut scene));
        let mut ask = |bvh| hitscan_bvh_closest_hit(bvh, &DOWN, ptr::null(), &mut hit);
        let start = "hitscan_bvh_closest_hit: bvh: ";
        let text = |found: &str| format!("{start}{found}; expected a hitscan_bvh");
        fails(ask(ptr::null()), HITSCAN_INVALID_HANDLE, &text("NULL"));
        fails(ask(bvh.byte_add(1)), HITSCAN_INVALID_HANDLE, &text("a misaligned pointer"));
        fails(ask(scene.cast()), HITSCAN_INVALID_HANDLE, &text("a hitscan_scene"));
        let zeros = [0u128; 2];
        fails(ask(zeros.as_ptr().cast()), HITSCAN_INVALID_HANDLE, &text("no handle of hitscan"));
        ok(ask(bvh));
        ok(hitscan_bvh_release(bvh));
        fails(ask(bvh), HITSCAN_INVALID_HANDLE, &text("a released handle"));
        let twice = hitscan_bvh_release(bvh);
        let text = "hitscan_bvh_release: bvh: a released handle; expected a hitscan_bvh";
        fails(twice, HITSCAN_INVALID_HANDLE, text);
        ok(hitscan_bvh_release(ptr::null_mut()));
        ok(hitscan_scene_release(scene));
    }
}

#[test]
fn a_released_handle_is_reported_while_many_others_of_its_kind_are_released() {
    let first = cube();
    // SAFETY: the handle is alive, then its memory belongs to the library.
    unsafe { ok(hitscan_bvh_release(first)) };
    // The library keeps 256. Tests that run beside this one release some, too.
    for _ in 0..128 {
        let other = cube();
        assert_ne!(other, first);
        // SAFETY: the handle is alive.
        unsafe { ok(hitscan_bvh_release(other)) };
    }
}

#[test]
fn a_ray_that_is_not_valid_says_why() {
    let bvh = cube();
    let mut hit = MISS;
    let mut ask = |ray: hitscan_ray| {
        // SAFETY: the handle is alive.
        unsafe { hitscan_bvh_closest_hit(bvh, &ray, ptr::null(), &mut hit) }
    };
    let start = "hitscan_bvh_closest_hit: ray: ";
    for (ray, text) in [
        (
            hitscan_ray { origin: [f32::NAN, 0.0, 0.0], ..DOWN },
            "ray origin [NaN, 0.0, 0.0] is not finite",
        ),
        (
            hitscan_ray { direction: [0.0; 3], ..DOWN },
            "ray direction [0.0, 0.0, 0.0] is zero or not finite",
        ),
        (
            hitscan_ray { t_min: 2.0, t_max: 1.0, ..DOWN },
            "ray interval [2, 1] is empty or not a number",
        ),
    ] {
        fails(ask(ray), HITSCAN_INVALID_ARGUMENT, &format!("{start}{text}"));
    }
    // SAFETY: the handle is alive.
    ok(unsafe { hitscan_bvh_release(bvh) });
}

#[test]
fn counts_strides_and_pointers_of_a_batch_are_checked() {
    let bvh = cube();
    let (rays, mut hits) = ([DOWN; 2], [MISS; 2]);
    let (from, to) = (rays.as_ptr(), hits.as_mut_ptr());
    let ask = |from, n, ray_stride, to, hit_stride| {
        // SAFETY: each mistake is one that the library finds before it uses the pointer.
        unsafe {
            hitscan_bvh_closest_hit_batch(bvh, from, n, ray_stride, ptr::null(), to, hit_stride)
        }
    };
    let stride = |stride: usize| {
        format!(
            "rays: a stride of {stride} bytes for 2 elements; expected a multiple of 4, at least 32"
        )
    };
    let (huge, null) = (usize::MAX - 3, ptr::null_mut::<hitscan_hit>());
    let count = "rays: 1099511627776 elements; expected at most 4294967295";
    for (from, n, ray_stride, to, text) in [
        (from, 1 << 40, 0, to, count.to_owned()),
        (from, 2, 30, to, stride(30)),
        (from, 2, 33, to, stride(33)),
        (from, 2, huge, to, stride(huge)),
        (ptr::null(), 2, 0, to, "rays: NULL; expected a pointer".to_owned()),
        (from, 2, 0, null, "hits: NULL; expected a pointer".to_owned()),
    ] {
        let text = format!("hitscan_bvh_closest_hit_batch: {text}");
        fails(ask(from, n, ray_stride, to, 0), HITSCAN_INVALID_ARGUMENT, &text);
    }
    ok(ask(ptr::null(), 0, 0, ptr::null_mut(), 0));
    ok(ask(from, 2, 0, to, 0));
    // SAFETY: the handle is alive.
    ok(unsafe { hitscan_bvh_release(bvh) });
}

#[test]
fn a_mesh_names_the_first_wrong_position_index_stride_and_number() {
    let corners = [[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, f32::INFINITY]];
    let good = [[0u32, 1, 0]];
    let bad = [[0u32, 1, 0], [1, 0, 9]];
    let mut mesh = ptr::null_mut();
    let mut make = |n, data: *const c_void, number, triangles: &[[u32; 3]]| {
        let positions = hitscan_positions { data, n, number, ..Default::default() };
        let triangles = hitscan_triangles {
            data: triangles.as_ptr().cast(),
            n: triangles.len(),
            ..Default::default()
        };
        // SAFETY: the arrays have these lengths.
        unsafe { hitscan_mesh_new(&positions, &triangles, &mut mesh) }
    };
    let data: *const c_void = corners.as_ptr().cast();
    let start = "hitscan_mesh_new: ";
    let status = make(3, data, HITSCAN_F32, &good);
    let text = "mesh: vertex 2 is at [0.0, 1.0, inf], expected finite coordinates";
    fails(status, HITSCAN_INVALID_ARGUMENT, &format!("{start}{text}"));
    let status = make(2, data, HITSCAN_F32, &bad);
    let text = "mesh: corner 2 of triangle 1 is vertex 9, expected less than 2";
    fails(status, HITSCAN_INVALID_ARGUMENT, &format!("{start}{text}"));
    let status = make(2, data, 9, &good);
    let text = "positions.number: 9; expected HITSCAN_F32 or HITSCAN_F64";
    fails(status, HITSCAN_INVALID_ARGUMENT, &format!("{start}{text}"));
    // SAFETY: a misaligned pointer is found before it is used.
    let status = make(2, unsafe { data.byte_add(1) }, HITSCAN_F32, &good);
    assert_eq!(status, HITSCAN_INVALID_ARGUMENT);
    assert!(message().ends_with("; expected a multiple of 4"), "{}", message());
    ok(make(2, data, HITSCAN_F32, &good));
    // SAFETY: the handle is alive.
    ok(unsafe { hitscan_mesh_release(mesh) });
}

#[test]
fn options_of_older_and_newer_headers_are_read_and_unknown_ones_refused() {
    #[repr(C)]
    struct Newer {
        known: hitscan_hit_options,
        unknown: u64,
    }
    let bvh = cube();
    let mut hit = MISS;
    let mut ask = |options: *const hitscan_hit_options| {
        // SAFETY: the struct has the size that it states.
        unsafe { hitscan_bvh_closest_hit(bvh, &DOWN, options, &mut hit) }
    };
    let size = size_of::<Newer>();
    let known = hitscan_hit_options { size, faces: HITSCAN_FACES_BACK, mode: 0 };
    let mut newer = Newer { known, unknown: 0 };
    ok(ask((&raw const newer).cast()));
    newer.unknown = 1 << 40;
    let status = ask((&raw const newer).cast());
    let text = "hitscan_bvh_closest_hit: options: byte 21 is set, which version 0.1.0 of the library does not \
                know; expected zeros";
    fails(status, HITSCAN_UNSUPPORTED, text);
    let none = hitscan_hit_options { size: 0, faces: 0, mode: 0 };
    let text =
        "hitscan_bvh_closest_hit: options: size 0; expected sizeof of the struct, at least 16";
    fails(ask(&none), HITSCAN_INVALID_ARGUMENT, text);
    let faces = hitscan_hit_options { size: 16, faces: 3, mode: 0 };
    let text =
        "hitscan_bvh_closest_hit: options.faces: 3; expected HITSCAN_FACES_BOTH, _FRONT or _BACK";
    fails(ask(&faces), HITSCAN_INVALID_ARGUMENT, text);
    // The back of the other face.
    assert_eq!((hit.t, hit.side), (6.0, HITSCAN_SIDE_BACK));
    // SAFETY: the handle is alive.
    ok(unsafe { hitscan_bvh_release(bvh) });
}

/// Stops at once, and counts its calls.
unsafe extern "C" fn stop(_: f32, user: *mut c_void) -> c_int {
    // SAFETY: `user` is a number of the test.
    unsafe { *user.cast::<u32>() += 1 };
    1
}

#[test]
fn a_build_that_its_callback_stops_is_cancelled_and_writes_nothing() {
    let mesh = mesh_handle(&generate::sphere(1.0, 50_000).expect("a size"));
    let mut n_calls = 0u32;
    let user = (&raw mut n_calls).cast();
    let options = hitscan_build_options { progress: Some(stop), user, ..Default::default() };
    let mut bvh = ptr::null_mut();
    // SAFETY: the handle is alive.
    let status = unsafe { hitscan_bvh_build(mesh, &options, &mut bvh) };
    assert_eq!((status, bvh), (HITSCAN_CANCELLED, ptr::null_mut()));
    assert!(n_calls > 0);
    // SAFETY: the handle is alive.
    ok(unsafe { hitscan_mesh_release(mesh) });
}

#[test]
fn files_that_cannot_be_read_or_written_say_why() {
    let mut mesh = ptr::null_mut();
    let text = c"v 0 0 0\nv 1 0 0\nv 0 1 x\nf 1 2 3\n".to_bytes();
    // SAFETY: the bytes have this length.
    let status = unsafe {
        let name = c"corner.obj".as_ptr();
        hitscan_mesh_parse(text.as_ptr(), text.len(), name, ptr::null(), &mut mesh)
    };
    assert_eq!(status, HITSCAN_READ);
    assert!(message().contains("corner.obj:3"), "{}", message());
    // SAFETY: the texts end with a zero.
    let status =
        unsafe { hitscan_mesh_load(c"/nowhere/mesh.obj".as_ptr(), ptr::null(), &mut mesh) };
    assert_eq!(status, HITSCAN_READ);
    assert!(message().starts_with("hitscan_mesh_load: path: /nowhere/mesh.obj"), "{}", message());
    // SAFETY: as above.
    let status = unsafe { hitscan_mesh_load(c"\xff.obj".as_ptr(), ptr::null(), &mut mesh) };
    let text = "hitscan_mesh_load: path: no UTF-8 at byte 0; expected text in UTF-8";
    fails(status, HITSCAN_INVALID_ARGUMENT, text);
    let bvh = cube();
    // SAFETY: the handle is alive.
    let status = unsafe { hitscan_bvh_save(bvh, c"/nowhere/mesh.hitscan".as_ptr()) };
    assert_eq!(status, HITSCAN_WRITE, "{}", message());
    // SAFETY: the handle is alive.
    ok(unsafe { hitscan_bvh_release(bvh) });
}

#[test]
fn instances_and_hits_that_a_scene_does_not_have_are_reported() {
    let mut scene = ptr::null_mut();
    // SAFETY: memory for a handle.
    ok(unsafe { hitscan_scene_new(&mut scene) });
    // SAFETY: the handle is alive.
    let status = unsafe { hitscan_scene_remove(scene, 7) };
    let text = "hitscan_scene_remove: scene: instance 7v0: not in the scene; restore it or use the handle of a \
                present instance";
    fails(status, HITSCAN_INVALID_ARGUMENT, text);
    let singular = [0.0f64; 12];
    let instance = hitscan_instance { transform: singular.as_ptr(), ..Default::default() };
    // SAFETY: the handle is alive.
    let status = unsafe { hitscan_scene_insert(scene, &instance, ptr::null_mut()) };
    assert_eq!(status, HITSCAN_INVALID_ARGUMENT);
    assert!(message().contains("instance 0v0"), "{}", message());
    let mut details = hitscan_hit_details::default();
    let bvh = cube();
    let mut mesh = ptr::null_mut();
    // SAFETY: the handles are alive.
    unsafe {
        ok(hitscan_bvh_mesh(bvh, &mut mesh));
        let miss = hitscan_hit { triangle: HITSCAN_NO_TRIANGLE, ..MISS };
        let status = hitscan_mesh_describe(mesh, &miss, &mut details);
        let text = "hitscan_mesh_describe: hit: triangle 4294967295; expected less than 12";
        fails(status, HITSCAN_INVALID_ARGUMENT, text);
        ok(hitscan_mesh_describe(mesh, &MISS, &mut details));
        ok(hitscan_mesh_release(mesh));
        ok(hitscan_bvh_release(bvh));
        ok(hitscan_scene_release(scene));
    }
}
