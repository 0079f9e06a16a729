//! Triangles and quads: answers have the bits of Rust, and follow masks, updates and flags.

mod support;

use std::ptr;

use engine::{BuildOptions, Faces, MeshBvh, Ray, TriMesh, glam::Vec3, primitives::generate};
use hitscan_embree4::{
    abi::{
        Bounds, INVALID_ID, InterpolateArguments, buffer, format, geometry_type, quality,
        scene_flag,
    },
    *,
};
use support::{
    Packet, device, expected, geometry, intersect, intersect_with, occluded, rays, scene,
    set_buffers, triangles,
};

const NO_INSTANCE: [u32; 2] = [INVALID_ID; 2];

fn sphere() -> TriMesh {
    generate::sphere(3.0, 5000).expect("a size")
}

#[test]
fn single_calls_and_packets_have_the_bits_of_rust() {
    let mesh = sphere();
    let tree = MeshBvh::build(&mesh, &BuildOptions::default());
    let device = device();
    let scene = scene(device, &[triangles(device, &mesh)]);
    let ids = [0, INVALID_ID, INVALID_ID];
    let valid: [i32; 16] = std::array::from_fn(|i| if i % 5 == 4 { 0 } else { -1 });
    for (k, chunk) in rays(4000, 5.0).chunks_exact(16).enumerate() {
        let mut chunk: [Ray; 16] = chunk.try_into().expect("16 rays");
        if k % 2 == 0 {
            // Into one octant, so that the packet goes together.
            chunk = chunk.map(|ray| Ray { direction: ray.direction.abs(), ..ray });
        }
        let mut packet = Packet::new(&chunk);
        let mut shadow = packet;
        // SAFETY: packets of 16 rays.
        unsafe {
            rtcIntersect16(valid.as_ptr(), scene, packet.pointer(), ptr::null());
            rtcOccluded16(valid.as_ptr(), scene, shadow.pointer(), ptr::null());
        }
        for (i, ray) in chunk.iter().enumerate() {
            let hit = tree.closest_hit(ray, Faces::Both);
            let single = intersect(scene, ray);
            assert_eq!(single.bits(0), expected(hit, ids));
            assert_eq!(occluded(scene, ray), hit.is_some());
            let in_packet = if valid[i] == 0 { None } else { hit };
            assert_eq!(packet.bits(i), expected(in_packet, ids));
            assert_eq!(shadow.t_far[i] == f32::NEG_INFINITY, in_packet.is_some());
            if let Some(hit) = hit {
                let [a, b, c] = mesh.corners(hit.triangle).map(Vec3::as_dvec3);
                let normal = (b - a).cross(c - a).as_vec3();
                assert_eq!(single.normal.map(|x| x[0]), normal.to_array());
            }
        }
    }
    // SAFETY: each handle once.
    unsafe {
        rtcReleaseScene(scene);
        rtcReleaseDevice(device);
    }
}

#[test]
fn no_ray_is_lost_through_edges_and_vertices_of_a_closed_mesh() {
    let mesh = sphere();
    let device = device();
    let scene = scene(device, &[triangles(device, &mesh)]);
    let lost = |target: Vec3| {
        let from = Vec3::new(0.1, -0.2, 0.3);
        !occluded(scene, &Ray::new(from, target - from))
            || intersect(scene, &Ray::new(from, target - from)).geom_id[0] == INVALID_ID
    };
    let vertices = mesh.positions().iter().copied();
    let edges = mesh
        .triangles()
        .iter()
        .map(|&[a, b, _]| 0.5 * (mesh.positions()[a as usize] + mesh.positions()[b as usize]));
    assert_eq!(vertices.chain(edges).filter(|&target| lost(target)).count(), 0);
}

/// Two quads beside each other, and a triangle in the form of a quad above the first.
const CORNERS: [[f32; 3]; 9] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [1.0, 1.0, 0.0],
    [0.0, 1.0, 0.0],
    [2.0, 0.0, 1.0],
    [2.0, 1.0, 1.0],
    [0.0, 0.0, 2.0],
    [1.0, 0.0, 2.0],
    [0.0, 1.0, 2.0],
];
const QUADS: [[u32; 4]; 3] = [[0, 1, 2, 3], [1, 4, 5, 2], [6, 7, 8, 8]];

fn down(x: f32, y: f32) -> Ray {
    Ray::new([x, y, 5.0], [0.0, 0.0, -1.0])
}

#[test]
fn quads_count_once_and_have_u_and_v_across_both_halves() {
    let device = device();
    let quads = geometry(device, geometry_type::QUAD, |geometry| {
        set_buffers(geometry, &CORNERS, &QUADS);
    });
    let scene = scene(device, &[quads]);
    for (at, prim_id, u, v) in [
        ([0.75, 0.75], 0, 0.75, 0.75),
        ([0.25, 0.25], 2, 0.25, 0.25),
        ([1.25, 0.5], 1, 0.25, 0.5),
        ([1.75, 0.75], 1, 0.75, 0.75),
    ] {
        let found = intersect(scene, &down(at[0], at[1]));
        assert_eq!((found.prim_id[0], found.u[0], found.v[0]), (prim_id, u, v), "{at:?}");
        assert!(found.normal[2][0] > 0.0);
        let mut values = [0f32; 9];
        let [place, along_u, along_v] = [0, 3, 6].map(|i| values.as_mut_ptr().wrapping_add(i));
        let none = ptr::null_mut();
        let arguments = InterpolateArguments {
            // SAFETY: the scene has it.
            geometry: unsafe { rtcGetGeometry(scene, 0) }.cast(),
            prim_id,
            u,
            v,
            buffer_type: buffer::VERTEX,
            buffer_slot: 0,
            results: [place, along_u, along_v, none, none, none],
            n_values: 3,
        };
        // SAFETY: room for three values each.
        unsafe { rtcInterpolate(&arguments) };
        let z = 5.0 - found.t_far[0];
        assert_eq!(values[..3], [at[0], at[1], z]);
        let slope = if prim_id == 1 { 1.0 } else { 0.0 };
        assert_eq!(
            values[3..].iter().map(|x| x.abs()).collect::<Vec<_>>(),
            [1.0, 0.0, slope, 0.0, 1.0, 0.0]
        );
    }
}

#[test]
fn a_geometry_is_hit_only_by_rays_that_share_a_bit_of_its_mask() {
    let device = device();
    let low = triangles(device, &generate::cuboid(2.0, 2.0, 2.0, 0).expect("a size"));
    let high = triangles(device, &generate::cuboid(1.0, 1.0, 4.0, 0).expect("a size"));
    // SAFETY: geometries of the device.
    unsafe {
        for (geometry, mask) in [(low, 1), (high, 6)] {
            rtcSetGeometryMask(geometry, mask);
            rtcCommitGeometry(geometry);
        }
    }
    let scene = scene(device, &[low, high]);
    let hit = |mask| intersect_with(scene, &down(0.1, 0.2), mask, ptr::null()).geom_id[0];
    assert_eq!([0, 1, 2, 3, 4, 8, 9].map(hit), [INVALID_ID, 0, 1, 1, 1, INVALID_ID, 0]);
}

#[test]
fn a_commit_shows_what_was_changed_hidden_or_taken_out() {
    let device = device();
    let mesh = sphere();
    let moving = triangles(device, &mesh);
    let fixed = triangles(device, &generate::cuboid(2.0, 2.0, 2.0, 0).expect("a size"));
    // SAFETY: a geometry of the device.
    unsafe { rtcRetainGeometry(moving) };
    let scene = scene(device, &[moving, fixed]);
    let top = |id| {
        let found = intersect(scene, &Ray::new([0.1, 0.2, 50.0], [0.0, 0.0, -1.0]));
        assert_eq!(found.geom_id[0], id);
        50.0 - found.t_far[0]
    };
    assert!((top(0) - 3.0).abs() < 0.1);
    // SAFETY: the buffer has as many positions as the mesh.
    unsafe {
        rtcSetGeometryBuildQuality(moving, quality::REFIT);
        let data = rtcGetGeometryBufferData(moving, buffer::VERTEX, 0).cast::<[f32; 3]>();
        for i in 0..mesh.positions().len() {
            (*data.add(i))[2] += 10.0;
        }
        rtcUpdateGeometryBuffer(moving, buffer::VERTEX, 0);
        rtcCommitGeometry(moving);
        rtcCommitScene(scene);
        assert!((top(0) - 13.0).abs() < 0.1);
        let mut bounds = Bounds::default();
        rtcGetSceneBounds(scene, &mut bounds);
        assert!((bounds.upper[2] - 13.0).abs() < 0.1 && bounds.lower[2] == -1.0);
        // A buffer of another size.
        set_buffers(moving, &CORNERS, &[[6, 7, 8]]);
        rtcCommitGeometry(moving);
        rtcCommitScene(scene);
        assert_eq!(top(0), 2.0);
        rtcDisableGeometry(moving);
        rtcCommitScene(scene);
        assert_eq!(top(1), 1.0);
        rtcEnableGeometry(moving);
        rtcCommitScene(scene);
        assert_eq!(top(0), 2.0);
        rtcDetachGeometry(scene, 0);
        rtcCommitScene(scene);
        assert_eq!(top(1), 1.0);
        rtcSetSceneFlags(scene, scene_flag::DYNAMIC);
        rtcAttachGeometryByID(scene, moving, 7);
        rtcReleaseGeometry(moving);
        rtcCommitScene(scene);
        assert_eq!(top(7), 2.0);
    }
}

#[test]
fn buffers_of_the_program_have_strides_and_unusable_triangles_are_left_out() {
    #[repr(C)]
    struct Vertex {
        color: u32,
        position: [f32; 3],
        more: [f32; 3],
    }
    let at = |x, y, z| Vertex { color: 0, position: [x, y, z], more: [f32::NAN; 3] };
    let vertices = [
        at(0.0, 0.0, 0.0),
        at(1.0, 0.0, 0.0),
        at(0.0, 1.0, 0.0),
        at(f32::NAN, 0.0, 1.0),
        at(0.0, 0.0, 2.0),
        at(1.0, 0.0, 2.0),
        at(0.0, 1.0, 2.0),
    ];
    // The first has an index out of range, the second a corner that is no number.
    let indices = [[0u32, 1, 99], [0, 1, 3], [0, 1, 2], [4, 5, 6]];
    let device = device();
    let geometry = geometry(device, geometry_type::TRIANGLE, |geometry| {
        // SAFETY: the arrays outlive the geometry.
        unsafe {
            let (data, stride) = (vertices.as_ptr().cast(), size_of::<Vertex>());
            let (kind, form, n) = (buffer::VERTEX, format::FLOAT3, vertices.len());
            rtcSetSharedGeometryBuffer(geometry, kind, 0, form, data, 4, stride, n);
            let buffer = rtcNewSharedBuffer(device, indices.as_ptr().cast_mut().cast(), 48);
            rtcSetGeometryBuffer(geometry, buffer::INDEX, 0, format::UINT3, buffer, 12, 12, 3);
            rtcReleaseBuffer(buffer);
        }
    });
    let scene = scene(device, &[geometry]);
    let up = Ray::new([0.2, 0.2, -5.0], [0.0, 0.0, 1.0]);
    assert_eq!(
        (intersect(scene, &up).prim_id[0], intersect(scene, &down(0.2, 0.2)).prim_id[0]),
        (1, 2)
    );
    assert_eq!(intersect(scene, &down(0.2, 0.2)).bits(0)[5..], NO_INSTANCE);
}

#[test]
fn elements_of_buffers_may_overlap() {
    // A strip: each vertex begins one number after the last.
    let numbers = [0.0f32, 0.0, 1.0, 0.0, 0.0];
    let device = device();
    let geometry = geometry(device, geometry_type::TRIANGLE, |geometry| {
        // SAFETY: the array outlives the geometry, and the library's memory has room for what it was asked for.
        unsafe {
            let (kind, form) = (buffer::VERTEX, format::FLOAT3);
            let data = numbers.as_ptr().cast();
            rtcSetSharedGeometryBuffer(geometry, kind, 0, form, data, 0, 4, 3);
            let to = rtcSetNewGeometryBuffer(geometry, buffer::INDEX, 0, format::UINT3, 4, 2);
            // The triangles 0 1 2 and 1 2 1.
            ptr::copy_nonoverlapping([0u32, 1, 2, 1].as_ptr(), to.cast(), 4);
        }
    });
    let scene = scene(device, &[geometry]);
    let middle = Vec3::splat(1.0 / 3.0);
    let hit = intersect(scene, &Ray::new(middle - 5.0, [1.0; 3]));
    assert_eq!((hit.prim_id[0], hit.geom_id[0]), (0, 0));
}

#[test]
fn several_threads_commit_and_cast_together() {
    struct Shared(*mut Scene);
    // SAFETY: Embree's interface lets threads share a scene.
    unsafe impl Sync for Shared {}
    let device = device();
    let mesh = sphere();
    // SAFETY: a device and its scene.
    let shared = Shared(unsafe { rtcNewScene(device) });
    let geometry = triangles(device, &mesh);
    // SAFETY: a geometry of the device.
    unsafe { rtcAttachGeometry(shared.0, geometry) };
    let (all, tree) = (rays(500, 5.0), MeshBvh::build(&mesh, &BuildOptions::default()));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let scene = { &shared }.0;
                // SAFETY: a scene.
                unsafe { rtcJoinCommitScene(scene) };
                for ray in &all {
                    let hit = tree.closest_hit(ray, Faces::Both);
                    let ids = [0, INVALID_ID, INVALID_ID];
                    assert_eq!(intersect(scene, ray).bits(0), expected(hit, ids));
                }
            });
        }
    });
}
