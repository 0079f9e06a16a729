//! What the tests share: meshes, rays, and handles for them.

#![allow(dead_code, reason = "each test uses a part")]

use std::ptr;

use engine::{Ray, TriMesh, glam::Vec3, primitives::generate, scene::WorldRay};
use hitscan::*;

/// The message of the last failure of this thread.
pub(crate) fn message() -> String {
    // SAFETY: the text is valid until the next failure of this thread.
    unsafe { std::ffi::CStr::from_ptr(hitscan_last_error()) }.to_str().expect("UTF-8").to_owned()
}

/// Asserts that a call succeeded.
#[track_caller]
pub(crate) fn ok(status: hitscan_status) {
    assert_eq!(status, HITSCAN_OK, "{}", message());
}

/// Five meshes of different character.
pub(crate) fn meshes() -> [(&'static str, TriMesh); 5] {
    [
        ("cuboid", generate::cuboid(10.0, 12.0, 4.0, 3).expect("a size")),
        ("sphere", generate::sphere(3.0, 20_000).expect("a size")),
        ("torus", generate::torus(3.0, 1.0, 5_000).expect("a size")),
        ("terrain", generate::terrain(10_000, 7).expect("a size")),
        ("grid", generate::grid(8.0, 8.0, 2_000).expect("a size")),
    ]
}

/// The mesh as a handle, from its arrays.
pub(crate) fn mesh_handle(mesh: &TriMesh) -> *mut hitscan_mesh {
    let positions = hitscan_positions {
        data: mesh.positions().as_ptr().cast(),
        n: mesh.positions().len(),
        number: HITSCAN_F32,
        ..Default::default()
    };
    let triangles = hitscan_triangles {
        data: mesh.triangles().as_ptr().cast(),
        n: mesh.triangles().len(),
        ..Default::default()
    };
    let mut handle = ptr::null_mut();
    // SAFETY: the arrays are those of the mesh.
    ok(unsafe { hitscan_mesh_new(&positions, &triangles, &mut handle) });
    handle
}

/// The tree of the mesh as a handle.
pub(crate) fn bvh_handle(mesh: &TriMesh) -> *mut hitscan_bvh {
    let mesh = mesh_handle(mesh);
    let mut bvh = ptr::null_mut();
    // SAFETY: the handle is new.
    unsafe {
        ok(hitscan_bvh_build(mesh, ptr::null(), &mut bvh));
        ok(hitscan_mesh_release(mesh));
    }
    bvh
}

/// A generator of numbers (SplitMix64).
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(crate) fn point(&mut self, reach: f64) -> [f64; 3] {
        [0; 3].map(|_| (2.0 * self.next() - 1.0) * reach)
    }
}

/// Rays from a box around the origin in all directions, every 100th invalid.
pub(crate) fn world_rays(n: usize, seed: u64) -> Vec<WorldRay> {
    let mut numbers = Numbers(seed);
    (0..n)
        .map(|i| {
            let origin = numbers.point(12.0);
            let direction = if i % 100 == 99 { [0.0; 3] } else { numbers.point(1.0) };
            WorldRay::new(origin, direction)
        })
        .collect()
}

/// The same in f32.
pub(crate) fn rays(n: usize, seed: u64) -> Vec<Ray> {
    let local = |ray: &WorldRay| Ray::new(ray.origin.as_vec3(), ray.direction.as_vec3());
    world_rays(n, seed).iter().map(local).collect()
}

pub(crate) fn c_ray(ray: &Ray) -> hitscan_ray {
    let (origin, direction): (Vec3, Vec3) = (ray.origin, ray.direction);
    hitscan_ray {
        origin: origin.to_array(),
        direction: direction.to_array(),
        t_min: ray.t_min,
        t_max: ray.t_max,
    }
}

pub(crate) fn c_world_ray(ray: &WorldRay) -> hitscan_world_ray {
    hitscan_world_ray {
        origin: ray.origin.to_array(),
        direction: ray.direction.to_array(),
        t_min: ray.t_min,
        t_max: ray.t_max,
    }
}

/// The fields of a hit as bits.
pub(crate) fn bits(hit: &hitscan_hit) -> [u32; 5] {
    [hit.t.to_bits(), hit.u.to_bits(), hit.v.to_bits(), hit.triangle, hit.side]
}

/// The bits that a hit of the engine has in C.
pub(crate) fn expected(hit: Option<engine::Hit>) -> [u32; 5] {
    hit.map_or([f32::INFINITY.to_bits(), 0, 0, HITSCAN_NO_TRIANGLE, 0], |hit| hit.to_bits())
}

/// A handle that threads share.
pub(crate) struct Shared<T>(pub(crate) *const T);
// SAFETY: the library promises that threads may share a handle for queries.
unsafe impl<T> Sync for Shared<T> {}
