//! Balls that move along a ray through a scene.

use std::{cmp::Ordering, ops::ControlFlow};

use glam::DVec3;
use hitscan_primitives::{HitMode, SphereCast, SphereContact};

use crate::{
    InstanceId, QueryOptions, Scene, SceneHit, WorldBox, ray_query::answer_batch, scene::Record,
    world_mesh::WorldMesh,
};

/// The first contact of a moving ball with a scene; see [`Scene::sphere_cast`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SceneContact {
    /// The instance that the ball touches.
    pub instance: InstanceId,
    /// The number of instances inserted before this one, which decides ties in `t`; see
    /// [`Scene::insertion_order`](crate::Scene::insertion_order).
    pub insertion_order: u64,
    /// The contact, in world space, with the index of the triangle in the mesh of the instance.
    pub contact: SphereContact,
}

impl SceneContact {
    /// Orders contacts along a ray: by `t`, then by insertion order, then by triangle.
    #[inline]
    pub fn cmp_along_ray(&self, other: &Self) -> Ordering {
        let by_t = self.contact.t.total_cmp(&other.contact.t);
        by_t.then(self.insertion_order.cmp(&other.insertion_order))
            .then(self.contact.triangle.cmp(&other.contact.triangle))
    }

    /// The contact at a hit of the ray, for a ball without a radius.
    pub(crate) fn of_hit(cast: &SphereCast, hit: &SceneHit) -> Self {
        let &SceneHit { t, instance, insertion_order, local } = hit;
        Self { instance, insertion_order, contact: cast.contact_of_hit(&local, t) }
    }
}

/// Sphere casts: balls that move along a ray, in world space.
///
/// A ball stays a ball in the world, also beside stretched and mirrored instances. Its contact with a triangle is
/// [`SphereCast::intersect`] of the world corners, computed in f64 relative to the origin of the ray, so the tree cannot
/// change it. A radius of 0 is the ray: the answer has instance, triangle and `t` of [`Scene::closest_hit`] for both
/// faces. The queries ignore [`QueryOptions::faces`] and [`QueryOptions::mode`], because a ball touches both sides.
impl Scene {
    /// The contact with the minimum `(t, instance, triangle)`, with instances in order of first insertion. `None`
    /// if the ball touches nothing.
    ///
    /// When to use: for characters, cameras and thick beams that must not pass through a surface. See also
    /// [`sphere_cast_any`](Self::sphere_cast_any) if the contact itself does not matter,
    /// [`instances_overlapping`](Self::instances_overlapping) for a ball that does not move, and
    /// [`closest_hit`](Self::closest_hit) for a ray.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hitscan_primitives::{SphereCast, generate};
    /// use hitscan_scene::{Instance, Mesh, QueryOptions, Scene, WorldRay, glam::DAffine3};
    ///
    /// let cube = Arc::new(Mesh::new(generate::cuboid(2.0, 2.0, 2.0, 0)?, &Default::default()));
    /// let mut scene = Scene::new();
    /// let wide = scene.insert(Instance::new(cube, DAffine3::from_scale([3.0, 1.0, 1.0].into())))?;
    /// let ball = SphereCast::new(WorldRay::new([9.0, 0.5, 0.25], [-1.0, 0.0, 0.0]), 0.5)?;
    /// let first = scene.sphere_cast(&ball, &QueryOptions::default()).expect("the cube is ahead");
    /// assert_eq!((first.instance, first.contact.t, first.contact.point.x), (wide, 5.5, 3.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sphere_cast(
        &self,
        cast: &SphereCast,
        options: &QueryOptions<'_>,
    ) -> Option<SceneContact> {
        self.sphere_cast_where(cast, options, |_| true)
    }

    /// [`sphere_cast`](Self::sphere_cast) among the contacts for which `accept` returns `true`.
    ///
    /// When to use: for a rule that [`QueryOptions`] cannot state. `accept` sees candidates in an order that depends on
    /// the trees, also some that are not the first, and must return the same value for the same contact.
    pub fn sphere_cast_where(
        &self,
        cast: &SphereCast,
        options: &QueryOptions<'_>,
        mut accept: impl FnMut(&SceneContact) -> bool,
    ) -> Option<SceneContact> {
        if cast.radius() == 0.0 {
            let accept = |hit: &SceneHit| accept(&SceneContact::of_hit(cast, hit));
            let hit = self.closest_hit_where(cast.ray(), &of_ray(options), accept)?;
            return Some(SceneContact::of_hit(cast, &hit));
        }
        let mut first: Option<SceneContact> = None;
        let _: ControlFlow<()> = self.visit_contacts(cast, options, |contact, limit| {
            let is_first = first.is_none_or(|first| contact.cmp_along_ray(&first).is_lt());
            if is_first && accept(&contact) {
                first = Some(contact);
            }
            ControlFlow::Continue(first.map_or(limit, |first| first.contact.t))
        });
        first
    }

    /// Whether the ball touches anything. Cheaper than [`sphere_cast`](Self::sphere_cast), because the traversal ends
    /// at the first contact it finds.
    ///
    /// When to use: for free ways. See also [`is_occluded`](Self::is_occluded), for a ray.
    pub fn sphere_cast_any(&self, cast: &SphereCast, options: &QueryOptions<'_>) -> bool {
        if cast.radius() == 0.0 {
            return self.is_occluded(cast.ray(), &of_ray(options));
        }
        self.visit_contacts(cast, options, |_, _| ControlFlow::Break(())).is_break()
    }

    /// The first contact with each triangle that the ball touches, sorted by `(t, instance, triangle)`.
    ///
    /// When to use: for everything that a beam or a brush sweeps over.
    pub fn sphere_cast_all(
        &self,
        cast: &SphereCast,
        options: &QueryOptions<'_>,
    ) -> Vec<SceneContact> {
        if cast.radius() == 0.0 {
            let hits = self.all_hits(cast.ray(), &of_ray(options));
            return hits.iter().map(|hit| SceneContact::of_hit(cast, hit)).collect();
        }
        let mut contacts = Vec::new();
        let _: ControlFlow<()> = self.visit_contacts(cast, options, |contact, limit| {
            contacts.push(contact);
            ControlFlow::Continue(limit)
        });
        contacts.sort_unstable_by(SceneContact::cmp_along_ray);
        contacts
    }

    /// [`sphere_cast`](Self::sphere_cast) of each ball, in the order of `casts`. The feature `parallel` runs it on
    /// rayon's current pool.
    ///
    /// When to use: for many balls at once.
    ///
    /// # Panics
    /// If `contacts` and `casts` differ in length.
    pub fn sphere_cast_batch(
        &self,
        casts: &[SphereCast],
        options: &QueryOptions<'_>,
        contacts: &mut [Option<SceneContact>],
    ) {
        answer_batch(casts, contacts, |casts, contacts| {
            for (cast, contact) in casts.iter().zip(contacts) {
                *contact = self.sphere_cast(cast, options);
            }
        });
    }

    /// Visits contacts, each triangle once, near instances and boxes first. `found` receives a contact and the limit
    /// on `t`, and returns the next limit.
    fn visit_contacts<B>(
        &self,
        cast: &SphereCast,
        options: &QueryOptions<'_>,
        mut found: impl FnMut(SceneContact, f64) -> ControlFlow<B, f64>,
    ) -> ControlFlow<B> {
        let origin = cast.ray().origin;
        let cast = cast.from_its_origin();
        self.visit_records(
            options,
            cast.ray().t_max,
            |bounds| {
                let bounds = seen_from(bounds, origin);
                cast.lower_bound(bounds.min, bounds.max, cast.growth(size(&bounds)))
            },
            |record, limit| {
                // The same for all boxes of the mesh, because a split triangle may reach beyond a box that holds a part
                // of it.
                let growth = cast.growth(size(&seen_from(&self.tree_box(record), origin)));
                touch_instance(record, (&cast, growth), origin, limit, &mut found)
            },
        )
    }
}

/// The options for rays instead of balls.
pub(crate) fn of_ray<'a>(options: &QueryOptions<'a>) -> QueryOptions<'a> {
    QueryOptions { faces: Default::default(), mode: HitMode::EveryTriangle, ..*options }
}

/// Visits the contacts with an instance. `cast` starts at zero, which is `origin` in the world, and boxes grow by `growth`.
fn touch_instance<B>(
    record: &Record,
    (cast, growth): (&SphereCast, f64),
    origin: DVec3,
    mut limit: f64,
    found: &mut impl FnMut(SceneContact, f64) -> ControlFlow<B, f64>,
) -> ControlFlow<B, f64> {
    let (Some(world), Some(mesh)) = (WorldMesh::new(record, origin), &record.instance.mesh) else {
        return ControlFlow::Continue(limit);
    };
    mesh.bvh().visit_nearest_first(
        limit,
        |bounds| {
            let bounds = world.bounds(bounds);
            cast.lower_bound(bounds.min, bounds.max, growth)
        },
        |triangle| {
            if let Some(contact) = touch(&world, triangle, cast, origin)
                && contact.t <= limit
            {
                let (instance, insertion_order) = (record.id, record.insertion_order);
                limit = found(SceneContact { instance, insertion_order, contact }, limit)?;
            }
            ControlFlow::Continue(limit)
        },
    )?;
    ControlFlow::Continue(limit)
}

/// The contact with a triangle, in world space. `cast` starts at zero, which is `origin` in the world, and `world` is
/// relative to it.
pub(crate) fn touch(
    world: &WorldMesh<'_>,
    triangle: u32,
    cast: &SphereCast,
    origin: DVec3,
) -> Option<SphereContact> {
    let contact = SphereContact::new(triangle, &cast.intersect(world.corners(triangle))?, 1.0);
    Some(SphereContact { point: origin + contact.point, ..contact })
}

/// A world box relative to a point.
fn seen_from(bounds: &WorldBox, point: DVec3) -> WorldBox {
    // Covers the rounding of differences to the point.
    let pad = 4.0 * f64::EPSILON * point.abs().max_element();
    WorldBox { min: bounds.min - pad - point, max: bounds.max + pad - point }
}

/// The largest coordinate of a box, in absolute value.
fn size(bounds: &WorldBox) -> f64 {
    bounds.min.abs().max(bounds.max.abs()).max_element()
}
