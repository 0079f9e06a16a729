//! Point queries: the primitives near a point, for measures of the program.

use std::{
    cell::RefCell,
    collections::HashSet,
    ffi::{c_int, c_void},
    ops::ControlFlow,
    ptr,
};

use engine::{
    Aabb,
    glam::{DAffine3, DVec3},
};

use crate::{
    abi::{PointQuery, PointQueryArguments, PointQueryContext, PointQueryFn, format},
    call::call_or,
    committed::Committed,
    error::{Outcome, invalid},
    geometry::{Kind, transform_from, transform_to},
    scene::{Scene, not_committed},
    users::visit_near,
};

/// The share of coordinates that covers the rounding of a transform in f32.
const ROUNDING: f64 = 1.0 / (1 << 20) as f64;

/// A point query on its way.
struct Search {
    query: *mut PointQuery,
    context: *mut PointQueryContext,
    function: PointQueryFn,
    user: *mut c_void,
    changed: RefCell<bool>,
}

/// The ball of a query in the space of an instance.
struct Ball {
    point: DVec3,
    /// How much longer a distance is in the instance, if in all directions the same.
    similarity: Option<f64>,
    /// How far a point at the distance 1 in the world may be along each axis.
    reach: DVec3,
}

impl Ball {
    fn new(point: [f32; 3], to_inner: Option<DAffine3>) -> Self {
        let point = DVec3::from_array(point.map(f64::from));
        let Some(to_inner) = to_inner else {
            return Self { point, similarity: Some(1.0), reach: DVec3::ONE };
        };
        let linear = to_inner.matrix3;
        let rows = linear.transpose();
        let reach = DVec3::from_array([0, 1, 2].map(|row| rows.col(row).length()));
        let (columns, size) = (linear.to_cols_array_2d().map(DVec3::from_array), reach.x);
        let is_close = |a: f64, b: f64| (a - b).abs() <= 1e-5 * size * size;
        let [a, b, c] = columns;
        let is_similarity = [a, b, c].iter().all(|v| is_close(v.length_squared(), size * size))
            && [a.dot(b), b.dot(c), c.dot(a)].iter().all(|&dot| is_close(dot, 0.0));
        let similarity = is_similarity.then_some(size);
        Self { point: to_inner.transform_point3(point), similarity, reach }
    }

    /// A lower bound of the distance from a box, in the world.
    fn distance(&self, bounds: &Aabb) -> f64 {
        let (min, max) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
        let slack =
            ROUNDING * (self.point.abs() + min.abs().max(max.abs()).min(DVec3::splat(1e38)));
        let gap = (min - self.point).max(self.point - max) - slack;
        let gap = gap.max(DVec3::ZERO);
        match self.similarity {
            Some(scale) => gap.length() / scale,
            None => (gap / self.reach).max_element(),
        }
    }
}

impl Search {
    fn radius(&self) -> f64 {
        // SAFETY: the program passes a query.
        unsafe { (*self.query).radius.into() }
    }

    fn point(&self) -> [f32; 3] {
        // SAFETY: the program passes a query.
        unsafe { (*self.query).point }
    }

    /// The transform that the program has put on the stack of the context.
    fn outer_transform(&self) -> Option<DAffine3> {
        // SAFETY: the program passes a context.
        let context = unsafe { &*self.context };
        (context.stack_size > 0)
            .then(|| transform_from(format::FLOAT4X4_COLUMN_MAJOR, &context.world2inst[0]))
    }

    /// Calls the functions for a primitive, and returns the radius after.
    fn ask(&self, own: PointQueryFn, ids: [u32; 2], ball: &Ball) -> f64 {
        let mut arguments = PointQueryArguments {
            query: self.query,
            user: self.user,
            prim_id: ids[1],
            geom_id: ids[0],
            context: self.context,
            similarity_scale: ball.similarity.unwrap_or(0.0) as f32,
        };
        for function in [self.function, own].into_iter().flatten() {
            // SAFETY: the program passes functions for these arguments.
            let changed = unsafe { function(&mut arguments) };
            *self.changed.borrow_mut() |= changed;
        }
        self.radius()
    }

    fn visit(&self, committed: &Committed, ball: &Ball) {
        let surface = &committed.surface;
        let mut seen = HashSet::new();
        let _: ControlFlow<()> = surface.bvh().visit_nearest_first(
            self.radius(),
            |bounds| ball.distance(bounds),
            |triangle| {
                let part = surface.part(triangle);
                let ids = [part.geom_id, part.prim(triangle).0];
                let is_quad = part.filters.geometry.kind == Kind::Quads;
                if is_quad && !seen.insert(ids) {
                    return ControlFlow::Continue(self.radius());
                }
                ControlFlow::Continue(self.ask(part.state.point_query, ids, ball))
            },
        );
        let users = &committed.users;
        visit_near(
            &users.tree,
            &users.boxes,
            self.radius(),
            |b| ball.distance(b),
            |index| {
                let [user, prim_id] = users.prims[index as usize];
                let user = &users.geometries[user as usize];
                self.ask(user.state.point_query, [user.geom_id, prim_id], ball)
            },
        );
        let instances = &committed.instances;
        visit_near(
            &instances.tree,
            &instances.boxes,
            self.radius(),
            |b| ball.distance(b),
            |index| {
                let item = &instances.items[index as usize];
                let outside = self.push(item.name(), [&item.to_inner, &item.to_outer]);
                self.visit(&item.inner, &Ball::new(self.point(), Some(item.to_inner)));
                // SAFETY: the program passes a context.
                unsafe { *self.context = outside };
                self.radius()
            },
        );
    }

    /// Puts an instance on the stack, and returns the context before.
    fn push(
        &self,
        [inst_id, inst_prim_id]: [u32; 2],
        [to_inner, to_outer]: [&DAffine3; 2],
    ) -> PointQueryContext {
        let matrix = |transform| {
            transform_to(format::FLOAT4X4_COLUMN_MAJOR, transform).expect("a known format").0
        };
        let inside = PointQueryContext {
            world2inst: [matrix(to_inner)],
            inst2world: [matrix(to_outer)],
            inst_id: [inst_id],
            inst_prim_id: [inst_prim_id],
            stack_size: 1,
        };
        // SAFETY: the program passes a context.
        unsafe { std::mem::replace(&mut *self.context, inside) }
    }
}

/// # Safety
/// The rules of Embree: a query and a context, for this call alone, and a function for its arguments or NULL.
unsafe fn search(
    committed: &Committed,
    query: *mut PointQuery,
    context: *mut PointQueryContext,
    function: PointQueryFn,
    user: *mut c_void,
) -> Outcome<bool> {
    if query.is_null() || context.is_null() || !query.is_aligned() || !context.is_aligned() {
        let found = "NULL, or not aligned to 16 bytes";
        return Err(invalid("query or context", found, "a query and its context"));
    }
    let search = Search { query, context, function, user, changed: RefCell::new(false) };
    if !search.point().iter().all(|x| x.is_finite()) {
        return Err(invalid("query", "a point that is not finite", "finite numbers"));
    }
    // In this form a NaN finds nothing.
    if search.radius() >= 0.0 {
        let ball = Ball::new(search.point(), search.outer_transform());
        search.visit(committed, &ball);
    }
    Ok(search.changed.into_inner())
}

/// The calls for one point.
macro_rules! one_point {
    ($($name:ident,)*) => {$(
        #[doc = concat!("One point, as Embree's `", stringify!($name), "`.")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            scene: *const Scene,
            query: *mut PointQuery,
            context: *mut PointQueryContext,
            function: PointQueryFn,
            user: *mut c_void,
        ) -> bool {
            call_or(stringify!($name), scene, false, |scene| {
                let committed = scene.committed().ok_or_else(not_committed)?;
                // SAFETY: the rules of Embree.
                unsafe { search(committed, query, context, function, user) }
            })
        }
    )*};
}

one_point! { rtcPointQuery, rtcTraversablePointQuery, }

/// # Safety
/// The rules of Embree: `n` numbers in `valid`, a packet of `n` queries, `n` pointers in `users` or NULL, and else as
/// [`search`].
unsafe fn search_packet(
    committed: &Committed,
    valid: *const c_int,
    (packet, n): (*mut f32, usize),
    context: *mut PointQueryContext,
    function: PointQueryFn,
    users: *const *mut c_void,
) -> Outcome<bool> {
    if packet.is_null() || valid.is_null() {
        return Err(invalid("query or valid", "NULL", "a packet of queries, and which are valid"));
    }
    let mut changed = false;
    for lane in 0..n {
        // SAFETY: the promise of the caller.
        let field = |field: usize| unsafe { packet.add(field * n + lane).read() };
        // SAFETY: the promise of the caller.
        if unsafe { valid.add(lane).read() } == 0 {
            continue;
        }
        let point = [field(0), field(1), field(2)];
        let mut query = PointQuery { point, time: field(3), radius: field(4) };
        // SAFETY: the promise of the caller.
        let user = |users: *const *mut c_void| unsafe { users.add(lane).read() };
        let user = if users.is_null() { ptr::null_mut() } else { user(users) };
        // SAFETY: the promise of the caller.
        changed |= unsafe { search(committed, &mut query, context, function, user) }?;
        // SAFETY: the promise of the caller.
        unsafe { packet.add(4 * n + lane).write(query.radius) };
    }
    Ok(changed)
}

/// The calls for packets of points.
macro_rules! many_points {
    ($($name:ident $n:literal,)*) => {$(
        #[doc = concat!("A packet of ", $n, " points, as Embree's `", stringify!($name), "`.")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            valid: *const c_int,
            scene: *const Scene,
            packet: *mut f32,
            context: *mut PointQueryContext,
            function: PointQueryFn,
            users: *const *mut c_void,
        ) -> bool {
            call_or(stringify!($name), scene, false, |scene| {
                let committed = scene.committed().ok_or_else(not_committed)?;
                // SAFETY: the rules of Embree.
                unsafe { search_packet(committed, valid, (packet, $n), context, function, users) }
            })
        }
    )*};
}

many_points! {
    rtcPointQuery4 4,
    rtcPointQuery8 8,
    rtcPointQuery16 16,
    rtcTraversablePointQuery4 4,
    rtcTraversablePointQuery8 8,
    rtcTraversablePointQuery16 16,
}
