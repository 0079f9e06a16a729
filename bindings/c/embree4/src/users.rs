//! User geometries: boxes, and callbacks of the program for what is in them.

use std::{ffi::c_int, ops::ControlFlow, sync::Arc};

use engine::{Aabb, BoxBvh, BuildQuality, Ray};

use crate::{
    abi::{Bounds, BoundsArguments, UserArguments, UserFn},
    error::{Outcome, not_now},
    geometry::{Geometry, State},
    lane::MAX_WIDTH,
    query::{Filters, Query},
};

/// The user geometries of a scene.
#[derive(Debug)]
pub(crate) struct Users {
    pub(crate) geometries: Vec<User>,
    /// The geometry and the primitive of each box.
    pub(crate) prims: Vec<[u32; 2]>,
    pub(crate) boxes: Vec<Aabb>,
    pub(crate) tree: BoxBvh,
}

/// A user geometry.
#[derive(Debug)]
pub(crate) struct User {
    pub(crate) geom_id: u32,
    pub(crate) state: State,
    pub(crate) filters: Filters,
}

/// The arguments of a callback, and behind them what calls from within it need.
#[repr(C)]
pub(crate) struct UserCall<'a, const ANY: bool> {
    arguments: UserArguments,
    pub(crate) query: &'a Query<ANY>,
    pub(crate) user: &'a User,
}

impl Users {
    pub(crate) fn new(
        geometries: Vec<(u32, Arc<Geometry>, State)>,
        scene_allows_argument: bool,
    ) -> Outcome<Self> {
        let (mut users, mut prims, mut boxes) = (vec![], vec![], vec![]);
        for (geom_id, geometry, state) in geometries {
            if boxes.len() + state.n_user_prims as usize > BoxBvh::MAX_BOXES {
                return Err(not_now("the scene has more than 2^29 user primitives"));
            }
            for prim_id in 0..state.n_user_prims {
                boxes.push(bounds_of(&geometry, &state, prim_id)?);
                prims.push([users.len() as u32, prim_id]);
            }
            let filters = Filters {
                geometry,
                intersect: state.intersect_filter,
                occluded: state.occluded_filter,
                takes_argument: state.takes_argument_filter,
                scene_allows_argument,
            };
            users.push(User { geom_id, state, filters });
        }
        let tree = BoxBvh::build(&boxes, BuildQuality::Balanced);
        Ok(Self { geometries: users, prims, boxes, tree })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.prims.is_empty()
    }

    /// Casts the ray of a query: asks the callbacks of the boxes that it meets, which write hits to the ray.
    pub(crate) fn cast<const ANY: bool>(&self, query: &Query<ANY>) -> bool {
        if self.is_empty() {
            return false;
        }
        let (lane, ray) = (query.lane, query.lane.ray());
        let mask = lane.mask();
        let test = |index: u32| {
            let [user, prim_id] = self.prims[index as usize];
            let user = &self.geometries[user as usize];
            let before = lane.t_far();
            if user.state.mask & mask == 0
                || !meets(&self.boxes[index as usize], &Ray { t_max: before, ..ray })
            {
                return None;
            }
            user.ask(query, prim_id);
            let after = lane.t_far();
            if ANY {
                // A finite `t` of the ray's interval, because there is a hit.
                return (after < ray.t_min).then(|| ray.t_min.max(f32::MIN).min(ray.t_max));
            }
            (after.to_bits() != before.to_bits()).then_some(after)
        };
        if ANY {
            self.tree.is_occluded(&ray, test)
        } else {
            self.tree.closest_hit(&ray, test).is_some()
        }
    }
}

impl User {
    fn ask<const ANY: bool>(&self, query: &Query<ANY>, prim_id: u32) {
        let own: UserFn = if ANY { self.state.occluded } else { self.state.intersect };
        let Some(function) = query.user.or(own) else { return };
        let lane = query.lane;
        let mut valid: [c_int; MAX_WIDTH] = [0; MAX_WIDTH];
        valid[lane.index()] = -1;
        let arguments = UserArguments {
            valid: valid.as_mut_ptr(),
            user: self.filters.geometry.user_data(),
            prim_id,
            context: query.context(),
            ray: lane.base(),
            n: lane.n() as u32,
            geom_id: self.geom_id,
        };
        let call = UserCall { arguments, query, user: self };
        // SAFETY: the program registered the function for these arguments, which point to a packet of `n` rays.
        unsafe { function(std::ptr::from_ref(&call).cast()) };
    }
}

/// The box of a primitive; an empty one if it has none.
fn bounds_of(geometry: &Geometry, state: &State, prim_id: u32) -> Outcome<Aabb> {
    let Some(function) = state.bounds else {
        return Err(not_now("a user geometry has no bounds function"));
    };
    let mut bounds = Bounds::default();
    let user = geometry.user_data();
    let arguments = BoundsArguments { user, prim_id, time_step: 0, bounds: &mut bounds };
    // SAFETY: the program registered the function for these arguments.
    unsafe { function(&arguments) };
    Ok(Aabb::new(bounds.lower, bounds.upper))
}

/// Whether a ray may meet a box: the slab test in f64, with a slack beyond its rounding.
pub(crate) fn meets(bounds: &Aabb, ray: &Ray) -> bool {
    let (mut enter, mut exit) = (f64::from(ray.t_min), f64::from(ray.t_max));
    for axis in 0..3 {
        let (o, d) = (f64::from(ray.origin[axis]), f64::from(ray.direction[axis]));
        let [low, high] = [bounds.min[axis], bounds.max[axis]].map(f64::from);
        let slack = BoxBvh::SLACK * (o.abs() + low.abs().max(high.abs()).min(f32::MAX.into()));
        let [low, high] = [low - slack - o, high + slack - o];
        if d == 0.0 {
            if low > 0.0 || high < 0.0 {
                return false;
            }
            continue;
        }
        let (a, b) = (low / d, high / d);
        enter = enter.max(a.min(b));
        exit = exit.min(a.max(b));
    }
    enter <= exit
}

/// The box of the boxes.
pub(crate) fn union(boxes: impl Iterator<Item = Aabb>) -> Aabb {
    boxes.filter(|bounds| !bounds.is_empty()).fold(Aabb::EMPTY, Aabb::union)
}

/// Visits the boxes that a key lets in; for searches around a point.
pub(crate) fn visit_near(
    tree: &BoxBvh,
    boxes: &[Aabb],
    limit: f64,
    key: impl Fn(&Aabb) -> f64,
    mut found: impl FnMut(u32) -> f64,
) {
    let mut current = limit;
    let _: ControlFlow<()> = tree.visit_nearest_first(limit, &key, |index| {
        if key(&boxes[index as usize]) <= current {
            current = found(index);
        }
        ControlFlow::Continue(current)
    });
}

#[cfg(test)]
mod tests {
    use engine::glam::Vec3;

    use super::*;

    #[test]
    fn a_ray_meets_a_box_that_it_touches_and_none_beside_it() {
        let bounds = Aabb::new([-1.0; 3], [1.0; 3]);
        let meets =
            |origin: [f32; 3], direction: [f32; 3]| meets(&bounds, &Ray::new(origin, direction));
        assert!(meets([1.0, 0.0, -5.0], [0.0, 0.0, 1.0]));
        assert!(meets([0.0; 3], [0.0, 1.0, 0.0]));
        assert!(!meets([1.1, 0.0, -5.0], [0.0, 0.0, 1.0]));
        assert!(!meets([0.0, 0.0, 5.0], [0.0, 0.0, 1.0]));
        let infinite = Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY };
        assert!(super::meets(&infinite, &Ray::new([1e30, 0.0, 0.0], [0.0, 1e-30, 1.0])));
    }
}
