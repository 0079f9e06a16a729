//! Filters, user geometries, instances and point queries.

mod support;

use std::{ffi::c_void, ptr};

use engine::{
    BuildOptions, Ray, TriMesh,
    glam::{DAffine3, DQuat, DVec3},
    primitives::generate,
    scene::{Instance, Mesh, QueryOptions, Scene as World, WorldRay},
};
use hitscan_embree4::{
    abi::{
        BoundsArguments, FilterArguments, FilterFn, INVALID_ID, INVOKE_ARGUMENT_FILTER, PointQuery,
        PointQueryArguments, PointQueryContext, QueryArguments, QueryContext, UserArguments,
        buffer, format, geometry_type, scene_flag,
    },
    *,
};
use support::{
    LARGER, Packet, device, expected, geometry, instance, intersect, intersect_with, occluded,
    rays, scene, triangles,
};

fn cuboid() -> TriMesh {
    generate::cuboid(2.0, 2.0, 2.0, 0).expect("a size")
}

fn down() -> Ray {
    Ray::new([0.1, 0.2, 5.0], [0.0, 0.0, -1.0])
}

/// Rejects the first hit below the ray's start, which the user data counts, and marks the others by their `u`.
unsafe extern "C" fn through_the_top(arguments: *const FilterArguments) {
    // SAFETY: the library passes the arguments of a filter.
    unsafe {
        let a = &*arguments;
        let n = a.n as usize;
        if !a.user.is_null() {
            *a.user.cast::<u32>() += 1;
        }
        for i in (0..n).filter(|&i| *a.valid.add(i) != 0) {
            let t = *a.ray.add(8 * n + i);
            if t < 5.0 {
                *a.valid.add(i) = 0;
            } else {
                *a.hit.add(3 * n + i) = 7.0;
            }
        }
    }
}

fn arguments(flags: u32) -> QueryArguments {
    let context = ptr::null_mut();
    let filter: FilterFn = Some(through_the_top);
    QueryArguments { flags, feature_mask: u32::MAX, context, filter, user: None }
}

#[test]
fn filters_of_geometries_and_of_arguments_reject_hits_and_change_others() {
    let device = device();
    let mut n_calls = 0u32;
    let filtered = triangles(device, &cuboid());
    // SAFETY: a geometry of the device; the counter outlives it.
    unsafe {
        rtcSetGeometryIntersectFilterFunction(filtered, Some(through_the_top));
        rtcSetGeometryUserData(filtered, ptr::from_mut(&mut n_calls).cast());
    }
    let own = scene(device, &[filtered]);
    let found = intersect(own, &down());
    assert_eq!((found.t_far[0], found.u[0], n_calls > 0), (6.0, 7.0, true));
    assert!(occluded(own, &down()));
    // A packet keeps its size and order.
    let mut packet = Packet::new(&[down(); 4]);
    packet.t_far[2] = 5.5;
    // SAFETY: a packet of four rays.
    unsafe { rtcIntersect4([-1, 0, -1, -1].as_ptr(), own, packet.pointer(), ptr::null()) };
    assert_eq!(packet.t_far, [6.0, f32::INFINITY, 5.5, 6.0]);
    assert_eq!(packet.geom_id, [0, INVALID_ID, INVALID_ID, 0]);

    let plain = scene(device, &[triangles(device, &cuboid())]);
    let t = |flags| intersect_with(plain, &down(), u32::MAX, &arguments(flags)).t_far[0];
    assert_eq!([t(0), t(INVOKE_ARGUMENT_FILTER)], [4.0, 4.0], "the scene has no flag for it");
    // SAFETY: a scene and its geometry.
    unsafe {
        rtcSetSceneFlags(plain, scene_flag::FILTER_FUNCTION_IN_ARGUMENTS);
        rtcCommitScene(plain);
        assert_eq!([t(0), t(INVOKE_ARGUMENT_FILTER)], [4.0, 6.0]);
        let geometry = rtcGetGeometry(plain, 0);
        rtcSetGeometryEnableFilterFunctionFromArguments(geometry, true);
        rtcCommitScene(plain);
    }
    assert_eq!(t(0), 6.0);
}

const RADIUS: f32 = 1.25;

/// The box of a ball around (0, 0, 4 * primID).
unsafe extern "C" fn ball_bounds(arguments: *const BoundsArguments) {
    // SAFETY: the library passes the arguments of a bounds function.
    unsafe {
        let z = 4.0 * (*arguments).prim_id as f32;
        let bounds = &mut *(*arguments).bounds;
        bounds.lower = [-RADIUS, -RADIUS, z - RADIUS];
        bounds.upper = [RADIUS, RADIUS, z + RADIUS];
    }
}

/// The nearest `t` of a lane on its ball.
unsafe fn ball(a: &UserArguments, i: usize) -> Option<f32> {
    // SAFETY: the ray of the lane is there.
    let number = |field: usize| unsafe { *a.ray.add(field * a.n as usize + i) };
    let to = [number(0), number(1), number(2) - 4.0 * a.prim_id as f32];
    let d = [number(4), number(5), number(6)];
    let dot = |a: [f32; 3], b: [f32; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let (aa, b, c) = (dot(d, d), dot(to, d), dot(to, to) - RADIUS * RADIUS);
    let root = (b * b - aa * c).sqrt();
    [(-b - root) / aa, (-b + root) / aa].into_iter().find(|t| *t >= number(3) && *t <= number(8))
}

unsafe extern "C" fn ball_intersect(arguments: *const UserArguments) {
    // SAFETY: the library passes the arguments of a callback.
    unsafe {
        let a = &*arguments;
        let n = a.n as usize;
        for i in (0..n).filter(|&i| *a.valid.add(i) != 0) {
            if let Some(t) = ball(a, i) {
                *a.ray.add(8 * n + i) = t;
                let QueryContext { inst_id, inst_prim_id } = *a.context;
                let ids = [a.prim_id, a.geom_id, inst_id[0], inst_prim_id[0]];
                for (field, id) in ids.into_iter().enumerate() {
                    *a.ray.cast::<u32>().add((17 + field) * n + i) = id;
                }
            }
        }
    }
}

unsafe extern "C" fn ball_occluded(arguments: *const UserArguments) {
    // SAFETY: the library passes the arguments of a callback.
    unsafe {
        let a = &*arguments;
        for i in (0..a.n as usize).filter(|&i| *a.valid.add(i) != 0) {
            if ball(a, i).is_some() {
                *a.ray.add(8 * a.n as usize + i) = f32::NEG_INFINITY;
            }
        }
    }
}

fn balls(device: *const Device) -> *mut Geometry {
    geometry(device, geometry_type::USER, |geometry| {
        // SAFETY: a geometry of the device.
        unsafe {
            rtcSetGeometryUserPrimitiveCount(geometry, 3);
            rtcSetGeometryBoundsFunction(geometry, Some(ball_bounds), ptr::null_mut());
            rtcSetGeometryIntersectFunction(geometry, Some(ball_intersect));
            rtcSetGeometryOccludedFunction(geometry, Some(ball_occluded));
        }
    })
}

#[test]
fn user_geometries_are_asked_along_the_ray_alone_in_packets_and_in_instances() {
    let device = device();
    let inner = scene(device, &[triangles(device, &cuboid()), balls(device)]);
    let ids = |found: &support::RayHit| [found.prim_id[0], found.geom_id[0], found.inst_id[0]];
    let from_above = Ray::new([0.0, 0.0, 20.0], [0.0, 0.0, -2.0]);
    let found = intersect(inner, &from_above);
    assert_eq!((found.t_far[0], ids(&found)), (5.375, [2, 1, INVALID_ID]));
    assert!(occluded(inner, &from_above));
    let beside = Ray::new([1.2, 1.2, 20.0], [0.0, 0.0, -1.0]);
    assert!(!occluded(inner, &beside) && intersect(inner, &beside).geom_id[0] == INVALID_ID);
    let mut packet = Packet::new(&[from_above, beside, from_above, down()]);
    // SAFETY: a packet of four rays.
    unsafe { rtcIntersect4([-1, -1, 0, -1].as_ptr(), inner, packet.pointer(), ptr::null()) };
    assert_eq!(packet.t_far, [5.375, f32::INFINITY, f32::INFINITY, packet.t_far[3]]);

    let placed = instance(device, inner, &LARGER);
    let outer = scene(device, &[placed]);
    let from_above = Ray::new([100.0, 0.0, 40.0], [0.0, 0.0, -2.0]);
    let found = intersect(outer, &from_above);
    assert_eq!((found.t_far[0], ids(&found)), (10.75, [2, 1, 0]));
    assert_eq!(found.origin[0][0], 100.0, "the ray is as before");
    let aside = Ray::new([101.9, 1.9, 40.0], [0.0, 0.0, -1.0]);
    assert_eq!(ids(&intersect(outer, &aside))[1..], [0, 0], "the cuboid reaches farther");
    assert!(occluded(outer, &aside) && occluded(outer, &from_above));
}

#[test]
fn a_callback_forwards_its_ray_to_another_scene() {
    /// The scene that is forwarded to, 3 lower.
    unsafe extern "C" fn lower(arguments: *const UserArguments) {
        // SAFETY: the library passes the arguments of a callback, and the user data is a scene.
        unsafe {
            let a = &*arguments;
            let mut ray = a.ray.cast::<[f32; 12]>().read();
            ray[2] += 3.0;
            let mut ray = Packet::<1> {
                origin: [[ray[0]], [ray[1]], [ray[2]]],
                ..Packet::new(&[Ray::new([0.0; 3], [ray[4], ray[5], ray[6]])])
            };
            rtcForwardIntersect1(a, a.user.cast(), ray.pointer(), 42);
        }
    }
    let device = device();
    let inner = scene(device, &[triangles(device, &cuboid())]);
    let user = balls(device);
    // SAFETY: a geometry and a scene that outlives it.
    unsafe {
        rtcSetGeometryUserData(user, inner.cast());
        rtcSetGeometryIntersectFunction(user, Some(lower));
    }
    let outer = scene(device, &[user]);
    let found = intersect(outer, &down());
    let ids = [found.geom_id[0], found.inst_id[0], found.inst_prim_id[0]];
    assert_eq!((found.t_far[0], ids), (7.0, [0, 42, 0]));
}

#[test]
fn instances_and_arrays_of_them_have_the_bits_of_a_scene_in_rust() {
    let device = device();
    let mesh = generate::torus(2.0, 0.7, 3000).expect("a size");
    let inner = scene(device, &[triangles(device, &mesh)]);
    let transforms: Vec<DAffine3> = (0..5)
        .map(|i| {
            let turn = DQuat::from_rotation_x(f64::from(i));
            let at = DVec3::new(f64::from(3 * i - 6), 0.5, -0.25);
            // Exact in f32, as the program has it.
            let exact =
                DAffine3::from_scale_rotation_translation(DVec3::new(1.0, 0.5, 2.0), turn, at);
            DAffine3::from_cols_array(&exact.to_cols_array().map(|x| f64::from(x as f32)))
        })
        .collect();
    let columns = transforms[0].to_cols_array().map(|x| x as f32);
    let single = instance(device, inner, &columns);
    let array = geometry(device, geometry_type::INSTANCE_ARRAY, |geometry| {
        // SAFETY: a geometry, a scene, and memory for four matrices.
        unsafe {
            rtcSetGeometryInstancedScene(geometry, inner);
            let form = format::FLOAT3X4_COLUMN_MAJOR;
            let data = rtcSetNewGeometryBuffer(geometry, buffer::TRANSFORM, 0, form, 48, 4);
            for (i, transform) in transforms[1..].iter().enumerate() {
                data.cast::<[f32; 12]>().add(i).write(transform.to_cols_array().map(|x| x as f32));
            }
        }
    });
    let outer = scene(device, &[single, array]);
    let (mut world, shared) =
        (World::new(), std::sync::Arc::new(Mesh::new(mesh, &BuildOptions::default())));
    for &transform in &transforms {
        world.insert(Instance::new(shared.clone(), transform)).expect("an ordinary transform");
    }
    let mut n_hits = 0;
    for ray in rays(3000, 8.0) {
        let hit = world.closest_hit(&WorldRay::from(ray), &QueryOptions::default());
        let ids = hit.map_or([INVALID_ID; 2], |hit| match hit.instance.index {
            0 => [0, 0],
            i => [1, i - 1],
        });
        let local = hit.map(|hit| engine::Hit { t: hit.t as f32, ..hit.local });
        assert_eq!(intersect(outer, &ray).bits(0), expected(local, [0, ids[0], ids[1]]));
        assert_eq!(occluded(outer, &ray), hit.is_some());
        n_hits += usize::from(hit.is_some());
    }
    assert!(n_hits > 500);
    // A filter sees the ray and the hit in the space of the instance, and the same hits.
    // SAFETY: a scene and its geometry.
    unsafe {
        rtcSetGeometryIntersectFilterFunction(rtcGetGeometry(inner, 0), Some(all_pass));
        rtcCommitScene(inner);
        let before =
            rays(300, 8.0).iter().map(|ray| intersect(outer, ray).bits(0)).collect::<Vec<_>>();
        rtcCommitScene(outer);
        let after =
            rays(300, 8.0).iter().map(|ray| intersect(outer, ray).bits(0)).collect::<Vec<_>>();
        assert_eq!(before, after);
    }
}

unsafe extern "C" fn all_pass(arguments: *const FilterArguments) {
    // SAFETY: the library passes the arguments of a filter.
    unsafe { assert_ne!((*(*arguments).context).inst_id[0], INVALID_ID) };
}

#[test]
fn a_point_query_finds_what_is_near_in_instances_too() {
    unsafe extern "C" fn note(arguments: *mut PointQueryArguments) -> bool {
        // SAFETY: the library passes the arguments of a point query, and the user data is a list.
        unsafe {
            let a = &*arguments;
            let list = &mut *a.user.cast::<Vec<[u32; 3]>>();
            list.push([(*a.context).inst_id[0], a.geom_id, a.prim_id]);
            assert_eq!(a.similarity_scale, if (*a.context).stack_size > 0 { 0.5 } else { 1.0 });
        }
        false
    }
    let device = device();
    let inner = scene(device, &[triangles(device, &cuboid()), balls(device)]);
    let placed = instance(device, inner, &LARGER);
    let outer = scene(device, &[triangles(device, &cuboid()), placed]);
    let near = |point: [f32; 3], radius: f32| {
        let mut list: Vec<[u32; 3]> = vec![];
        let mut query = PointQuery { point, time: 0.0, radius };
        let mut context = PointQueryContext {
            world2inst: [[0.0; 16]],
            inst2world: [[0.0; 16]],
            inst_id: [INVALID_ID],
            inst_prim_id: [INVALID_ID],
            stack_size: 0,
        };
        let user: *mut c_void = ptr::from_mut(&mut list).cast();
        // SAFETY: a scene, a query, a context and a list.
        unsafe { rtcPointQuery(outer, &mut query, &mut context, Some(note), user) };
        assert_eq!(context.stack_size, 0);
        list.sort_unstable();
        list
    };
    assert_eq!(near([50.0, 0.0, 0.0], 1.0), Vec::<[u32; 3]>::new());
    let at_home = near([1.5, 0.0, 0.0], 0.6);
    assert!(
        at_home.len() >= 2
            && at_home.iter().all(|&[inst, geom, _]| inst == INVALID_ID && geom == 0)
    );
    let in_instance = near([100.0, 0.0, 20.0], 2.0);
    assert_eq!(in_instance, [[1, 1, 2]], "the ball, and nothing of the cuboid");
}
