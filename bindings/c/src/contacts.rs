//! Sphere casts: balls that move along rays, at a tree or a scene.

use engine::{SphereCast, SphereContact, TriangleFeature, scene::SceneContact};

use crate::{
    bvh::hitscan_bvh,
    bvh_lists::ListOut,
    call::entry,
    memory::{Caller, plain},
    options::{
        HITSCAN_NO_INSTANCE, SceneOptions, hitscan_instance_id, hitscan_query_options, id_of,
    },
    rays::{HITSCAN_NO_TRIANGLE, hitscan_world_ray, world_ray},
    scene::hitscan_scene,
    status::{Failure, hitscan_status, refused},
};

/// A part of a triangle.
pub type hitscan_feature = u32;

/// The interior.
pub const HITSCAN_FEATURE_FACE: hitscan_feature = 0;
/// The edge from corner 0 to 1. The next two numbers are the edges from 1 to 2 and from 2 to 0.
pub const HITSCAN_FEATURE_EDGE: hitscan_feature = 1;
/// Corner 0. The next two numbers are corners 1 and 2.
pub const HITSCAN_FEATURE_VERTEX: hitscan_feature = 4;

/// Where a ball that moves along a ray touches a surface. Without a contact, t = INFINITY and triangle =
/// HITSCAN_NO_TRIANGLE.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct hitscan_contact {
    /// The position of the ball's centre on its ray, in units of the direction.
    pub t: f64,
    /// The point of the triangle, in the space of the ray.
    pub point: [f64; 3],
    /// The unit vector from the point to the centre of the ball.
    pub normal: [f64; 3],
    /// The weight of the second corner.
    pub u: f64,
    /// The weight of the third corner.
    pub v: f64,
    /// The triangle.
    pub triangle: u32,
    /// The part of the triangle at the point.
    pub feature: hitscan_feature,
}

/// A contact of a scene, in the world. Without one, instance = HITSCAN_NO_INSTANCE.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct hitscan_scene_contact {
    /// The contact.
    pub contact: hitscan_contact,
    /// The instance.
    pub instance: hitscan_instance_id,
    /// The number that decides between contacts of equal t: the place of the instance in the order of insertion.
    pub insertion_order: u64,
}

plain!(hitscan_contact, hitscan_scene_contact);

impl hitscan_contact {
    const NONE: Self = Self {
        t: f64::INFINITY,
        point: [0.0; 3],
        normal: [0.0; 3],
        u: 0.0,
        v: 0.0,
        triangle: HITSCAN_NO_TRIANGLE,
        feature: HITSCAN_FEATURE_FACE,
    };
}

impl Default for hitscan_contact {
    fn default() -> Self {
        Self::NONE
    }
}

impl Default for hitscan_scene_contact {
    fn default() -> Self {
        Self::NONE
    }
}

impl From<SphereContact> for hitscan_contact {
    fn from(contact: SphereContact) -> Self {
        let SphereContact { triangle, t, point, normal, feature, u, v } = contact;
        let feature = match feature {
            TriangleFeature::Face => HITSCAN_FEATURE_FACE,
            TriangleFeature::Edge(edge) => HITSCAN_FEATURE_EDGE + u32::from(edge),
            TriangleFeature::Vertex(corner) => HITSCAN_FEATURE_VERTEX + u32::from(corner),
        };
        let (point, normal) = (point.to_array(), normal.to_array());
        Self { t, point, normal, u, v, triangle, feature }
    }
}

impl From<SceneContact> for hitscan_scene_contact {
    fn from(found: SceneContact) -> Self {
        let SceneContact { instance, insertion_order, contact } = found;
        Self { contact: contact.into(), instance: id_of(instance), insertion_order }
    }
}

impl hitscan_scene_contact {
    const NONE: Self = Self {
        contact: hitscan_contact::NONE,
        instance: HITSCAN_NO_INSTANCE,
        insertion_order: u64::MAX,
    };
}

/// The ball of the caller along a ray.
fn cast(
    caller: &Caller,
    ray: *const hitscan_world_ray,
    radius: f64,
) -> Result<SphereCast, Failure> {
    SphereCast::new(world_ray(caller, ray)?, radius).map_err(|error| refused("radius", error))
}

/// Writes the first contact of a ball that moves along a ray, in the space of the mesh: the least (t, triangle). A ball that
/// touches nothing is no failure: the contact has the triangle HITSCAN_NO_TRIANGLE. A ball that touches at t_min has its
/// contact there. With radius 0 the ball is the ray.
///
/// HITSCAN_INVALID_ARGUMENT: an invalid ray, a radius that is negative or not finite.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_sphere_cast(
    bvh: *const hitscan_bvh,
    ray: *const hitscan_world_ray,
    radius: f64,
    contact: *mut hitscan_contact,
) -> hitscan_status {
    entry!("hitscan_bvh_sphere_cast", |caller| {
        let tree = caller.get(bvh, "bvh")?.tree();
        let contact = caller.out(contact, "contact")?;
        let found = tree.sphere_cast(&cast(caller, ray, radius)?);
        contact.write(found.map_or(hitscan_contact::NONE, hitscan_contact::from));
        Ok(())
    })
}

/// Writes the contact of the ball with each triangle that it touches, sorted by (t, triangle): as many as capacity, and their
/// number to n_contacts, which may be greater. contacts may be NULL if capacity is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_sphere_cast_all(
    bvh: *const hitscan_bvh,
    ray: *const hitscan_world_ray,
    radius: f64,
    contacts: *mut hitscan_contact,
    capacity: usize,
    n_contacts: *mut usize,
) -> hitscan_status {
    entry!("hitscan_bvh_sphere_cast_all", |caller| {
        let tree = caller.get(bvh, "bvh")?.tree();
        let names = ["contacts", "n_contacts"];
        let list = ListOut::new(caller, contacts, capacity, n_contacts, names)?;
        let found = tree.sphere_cast_all(&cast(caller, ray, radius)?);
        list.write(found.len(), found.into_iter().map(hitscan_contact::from));
        Ok(())
    })
}

/// Writes 1 if the ball touches anything, else 0. Cheaper than hitscan_bvh_sphere_cast.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_sphere_cast_any(
    bvh: *const hitscan_bvh,
    ray: *const hitscan_world_ray,
    radius: f64,
    touches: *mut u8,
) -> hitscan_status {
    entry!("hitscan_bvh_sphere_cast_any", |caller| {
        let tree = caller.get(bvh, "bvh")?.tree();
        let touches = caller.out(touches, "touches")?;
        touches.write(u8::from(tree.sphere_cast_any(&cast(caller, ray, radius)?)));
        Ok(())
    })
}

/// Writes the first contact of a ball that moves along a ray in the world: the least (t, instance in order of insertion,
/// triangle). The ball is round in the world, also beside stretched instances. options may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_sphere_cast(
    scene: *const hitscan_scene,
    ray: *const hitscan_world_ray,
    radius: f64,
    options: *const hitscan_query_options,
    contact: *mut hitscan_scene_contact,
) -> hitscan_status {
    entry!("hitscan_scene_sphere_cast", |caller| {
        let scene = caller.get(scene, "scene")?;
        let contact = caller.out(contact, "contact")?;
        let options = SceneOptions::read(caller, options)?;
        let found = scene.sphere_cast(&cast(caller, ray, radius)?, &options.query());
        contact.write(found.map_or(hitscan_scene_contact::NONE, hitscan_scene_contact::from));
        Ok(())
    })
}

/// Writes the contact of the ball with each triangle that it touches, as hitscan_bvh_sphere_cast_all does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_sphere_cast_all(
    scene: *const hitscan_scene,
    ray: *const hitscan_world_ray,
    radius: f64,
    options: *const hitscan_query_options,
    contacts: *mut hitscan_scene_contact,
    capacity: usize,
    n_contacts: *mut usize,
) -> hitscan_status {
    entry!("hitscan_scene_sphere_cast_all", |caller| {
        let scene = caller.get(scene, "scene")?;
        let names = ["contacts", "n_contacts"];
        let list = ListOut::new(caller, contacts, capacity, n_contacts, names)?;
        let options = SceneOptions::read(caller, options)?;
        let found = scene.sphere_cast_all(&cast(caller, ray, radius)?, &options.query());
        list.write(found.len(), found.into_iter().map(hitscan_scene_contact::from));
        Ok(())
    })
}

/// Writes 1 if the ball touches anything, else 0. Cheaper than hitscan_scene_sphere_cast.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_sphere_cast_any(
    scene: *const hitscan_scene,
    ray: *const hitscan_world_ray,
    radius: f64,
    options: *const hitscan_query_options,
    touches: *mut u8,
) -> hitscan_status {
    entry!("hitscan_scene_sphere_cast_any", |caller| {
        let scene = caller.get(scene, "scene")?;
        let touches = caller.out(touches, "touches")?;
        let options = SceneOptions::read(caller, options)?;
        let found = scene.sphere_cast_any(&cast(caller, ray, radius)?, &options.query());
        touches.write(u8::from(found));
        Ok(())
    })
}
