//! One traversal of both levels.
//!
//! The loop goes through the upper level as that of one mesh goes through its tree. At an item it brings the ray to the mesh in
//! f64, tests the box of the mesh there, and only then rounds the ray and enters the tree of the mesh: half of the items whose
//! box in the world a ray meets fail that test.

use std::{marker::PhantomData, ops::ControlFlow};

use hitscan_primitives::{Faces, Hit, LocalRay, Ray, SlabRay, WorldRay};

use super::{
    instance_bvh::InstanceBvh,
    placed_mesh::{InstanceFilter, InstancedMesh, PlacedMesh},
    space::{Entrance, SpaceRay},
};
use crate::{
    kernel::{AnyHit, BoxRay, ClosestHit, Fast, FastFar, HitSink, Query, QueryRay},
    layout::ChildRef,
    simd::{KernelFn, Simd, Stack, StackMemory, StackOf},
    traverse::{
        Answering, DescentPolicy, Incoherent, KeyCodec, Traversal, cut_and_pop, fast_query,
        pop_within, push_children,
    },
};

/// A hit of an item's mesh.
#[derive(Clone, Copy, Debug)]
pub struct InstanceHit {
    /// The index of the item.
    pub item: u32,
    /// The `t` of the world ray.
    pub t: f64,
    /// The hit of the local ray.
    pub hit: Hit,
}

/// Receives an item whose box a ray meets, the local ray, and the `t` of the world ray beyond which nothing counts. Returns
/// the next limit.
pub type OnCandidate<'a> = dyn FnMut(u32, &LocalRay, f64) -> ControlFlow<(), f64> + 'a;

impl InstanceBvh {
    /// The hit with the minimum `(t, order, triangle)` among the items that pass the filter.
    #[inline]
    pub fn closest_hit(
        &self,
        ray: &WorldRay,
        faces: Faces,
        filter: InstanceFilter,
    ) -> Option<InstanceHit> {
        match call(self, ray, faces, filter, Closest::new(self)) {
            Ok(best) => best,
            Err(mut query) => {
                visit_extreme(self, ray, filter, &mut |item, &local, limit| {
                    let placed = self.placed.get(item);
                    let Some(mesh) = placed.mesh() else { return ControlFlow::Continue(limit) };
                    let hit = mesh.bvh().closest_hit(&local.until(limit), faces);
                    query.keep(&Entered { item, placed, mesh, local, faces }, hit, limit)
                });
                query.best
            }
        }
    }

    /// Whether the ray hits an item that passes the filter.
    #[inline]
    pub fn is_occluded(&self, ray: &WorldRay, faces: Faces, filter: InstanceFilter) -> bool {
        match call(self, ray, faces, filter, Any::new(self)) {
            Ok(is_hit) => is_hit,
            Err(_) => {
                let mut is_hit = false;
                visit_extreme(self, ray, filter, &mut |item, local, limit| {
                    let mesh = self.placed.get(item).mesh();
                    is_hit = mesh.is_some_and(|mesh| mesh.bvh().is_occluded(&local.ray, faces));
                    if is_hit { ControlFlow::Break(()) } else { ControlFlow::Continue(limit) }
                });
                is_hit
            }
        }
    }

    /// Passes on the items whose box, and the box of whose mesh, the ray meets, nearest first.
    pub fn visit_ray(
        &self,
        ray: &WorldRay,
        filter: InstanceFilter,
        on_candidate: &mut OnCandidate<'_>,
    ) {
        if let Err(query) = call(self, ray, Faces::Both, filter, Visit { on_candidate }) {
            visit_extreme(self, ray, filter, query.on_candidate);
        }
    }
}

/// A query of both levels, while its ray is on its way.
pub(super) trait InstanceQuery: Sized {
    /// As that of the sink: nearest first, or in any order.
    type Sink: HitSink;
    type Output;

    /// Takes an item whose mesh the ray may hit up to `limit`. Returns the next limit.
    fn enter<S: Simd>(&mut self, simd: S, item: &Entered<'_>, limit: f64) -> ControlFlow<(), f64>;
    fn output(self) -> Self::Output;
}

/// A query that asks each mesh the same, so that rays of it go in batches.
pub(super) trait MeshQuery<'a>: InstanceQuery<Sink: Query, Output: Default> {
    fn new(tree: &'a InstanceBvh) -> Self;
    /// The answer of one ray.
    fn alone(
        tree: &InstanceBvh,
        ray: &WorldRay,
        faces: Faces,
        filter: InstanceFilter,
    ) -> Self::Output;
    /// The part of a local ray that counts up to `limit`.
    fn ray(local: &LocalRay, limit: f64) -> Ray;
    /// Takes the answer of a mesh, and returns the next limit.
    fn keep(
        &mut self,
        entered: &Entered<'_>,
        answer: <Self::Sink as Query>::Answer,
        limit: f64,
    ) -> ControlFlow<(), f64>;
}

/// An item whose mesh a ray may hit.
pub(super) struct Entered<'a> {
    pub(super) item: u32,
    pub(super) placed: &'a PlacedMesh,
    pub(super) mesh: &'a InstancedMesh,
    pub(super) local: LocalRay,
    pub(super) faces: Faces,
}

/// [`InstanceBvh::closest_hit`].
pub(super) struct Closest<'a> {
    tree: &'a InstanceBvh,
    best: Option<InstanceHit>,
}

impl InstanceQuery for Closest<'_> {
    type Sink = ClosestHit;
    type Output = Option<InstanceHit>;

    #[inline(always)]
    fn enter<S: Simd>(
        &mut self,
        simd: S,
        entered: &Entered<'_>,
        limit: f64,
    ) -> ControlFlow<(), f64> {
        let hit = answer_in_mesh::<Self, Incoherent, S>(simd, entered, limit);
        self.keep(entered, hit, limit)
    }

    #[inline(always)]
    fn output(self) -> Option<InstanceHit> {
        self.best
    }
}

impl<'a> MeshQuery<'a> for Closest<'a> {
    #[inline(always)]
    fn new(tree: &'a InstanceBvh) -> Self {
        Self { tree, best: None }
    }

    fn alone(
        tree: &InstanceBvh,
        ray: &WorldRay,
        faces: Faces,
        filter: InstanceFilter,
    ) -> Option<InstanceHit> {
        tree.closest_hit(ray, faces, filter)
    }

    #[inline(always)]
    fn ray(local: &LocalRay, limit: f64) -> Ray {
        local.until(limit)
    }

    /// Keeps the hit of an item if it comes first.
    #[inline(always)]
    fn keep(
        &mut self,
        entered: &Entered<'_>,
        hit: Option<Hit>,
        limit: f64,
    ) -> ControlFlow<(), f64> {
        let Some(hit) = hit else { return ControlFlow::Continue(limit) };
        let t = entered.local.world_t(hit.t);
        let order = entered.placed.order();
        let comes_first = match &self.best {
            None => true,
            Some(best) => {
                t < best.t || t == best.t && order < self.tree.placed.get(best.item).order()
            }
        };
        if comes_first {
            self.best = Some(InstanceHit { item: entered.item, t, hit });
            return ControlFlow::Continue(t);
        }
        ControlFlow::Continue(limit)
    }
}

/// [`InstanceBvh::is_occluded`].
pub(super) struct Any {
    is_hit: bool,
}

impl InstanceQuery for Any {
    type Sink = AnyHit;
    type Output = bool;

    #[inline(always)]
    fn enter<S: Simd>(
        &mut self,
        simd: S,
        entered: &Entered<'_>,
        limit: f64,
    ) -> ControlFlow<(), f64> {
        let is_hit = answer_in_mesh::<Self, Incoherent, S>(simd, entered, limit);
        self.keep(entered, is_hit, limit)
    }

    #[inline(always)]
    fn output(self) -> bool {
        self.is_hit
    }
}

impl MeshQuery<'_> for Any {
    #[inline(always)]
    fn new(_: &InstanceBvh) -> Self {
        Self { is_hit: false }
    }

    fn alone(tree: &InstanceBvh, ray: &WorldRay, faces: Faces, filter: InstanceFilter) -> bool {
        tree.is_occluded(ray, faces, filter)
    }

    #[inline(always)]
    fn ray(local: &LocalRay, _: f64) -> Ray {
        local.ray
    }

    #[inline(always)]
    fn keep(&mut self, _: &Entered<'_>, is_hit: bool, limit: f64) -> ControlFlow<(), f64> {
        self.is_hit = is_hit;
        if is_hit { ControlFlow::Break(()) } else { ControlFlow::Continue(limit) }
    }
}

/// [`InstanceBvh::visit_ray`].
struct Visit<'a, 'b> {
    on_candidate: &'a mut OnCandidate<'b>,
}

impl InstanceQuery for Visit<'_, '_> {
    type Sink = ClosestHit;
    type Output = ();

    #[inline(always)]
    fn enter<S: Simd>(&mut self, _: S, entered: &Entered<'_>, limit: f64) -> ControlFlow<(), f64> {
        if !entered.local.is_in_range() {
            return ControlFlow::Continue(limit);
        }
        (self.on_candidate)(entered.item, &entered.local, limit)
    }

    fn output(self) {}
}

/// Runs a query, or gives it back if the ray is extreme.
#[inline(always)]
fn call<Q: InstanceQuery>(
    tree: &InstanceBvh,
    ray: &WorldRay,
    faces: Faces,
    filter: InstanceFilter,
    query: Q,
) -> Result<Q::Output, Q> {
    tree.isa.call::<Both<Q, Incoherent>, _, _, _, _>(tree, ray, (faces, filter), query)
}

/// A query by a policy.
pub(super) struct Both<Q, P>(PhantomData<(Q, P)>);

impl<Q: InstanceQuery, P: DescentPolicy>
    KernelFn<&InstanceBvh, &WorldRay, (Faces, InstanceFilter), Q> for Both<Q, P>
{
    type Output = Result<Q::Output, Q>;

    #[inline(always)]
    fn run<S: Simd>(
        simd: S,
        tree: &InstanceBvh,
        ray: &WorldRay,
        (faces, filter): (Faces, InstanceFilter),
        query: Q,
    ) -> Result<Q::Output, Q> {
        let space_ray = match tree.space.enter(ray) {
            Entrance::Ray(space_ray) => space_ray,
            Entrance::Miss => return Ok(query.output()),
            Entrance::Extreme => return Err(query),
        };
        Ok(run_both::<Q, P, S>(simd, tree, ray, &space_ray, faces, filter, query))
    }
}

/// The loop.
// Longer than 60 lines: one loop, whose steps share the limits and the stack.
#[inline(always)]
fn run_both<Q: InstanceQuery, P: DescentPolicy, S: Simd>(
    simd: S,
    tree: &InstanceBvh,
    ray: &WorldRay,
    space_ray: &SpaceRay,
    faces: Faces,
    filter: InstanceFilter,
    mut query: Q,
) -> Q::Output {
    let setup = QueryRay::in_space(simd, &space_ray.ray);
    let boxes = BoxRay::<S, Fast>::new(&setup);
    let keys = KeyCodec::new::<Fast>(simd, space_ray.ray.t_min);
    let mut memory = StackMemory::new();
    let mut stack: StackOf<'_, _> = Stack::new(&mut memory);
    let (mut limit, mut world_limit) = (space_ray.ray.t_max, ray.t_max);
    let mut current = ChildRef::ROOT;
    loop {
        let t_max = simd.splat(limit);
        while !current.is_leaf() {
            let node = tree.nodes.get(current.node_index() as u32);
            let hits = boxes.test(node, t_max);
            let nearest = push_children::<S, Q::Sink, P, _>(simd, node, &hits, keys, &mut stack);
            current = match nearest {
                Some(nearest) => nearest,
                None if Q::Sink::ORDERED => pop_within(&mut stack, limit),
                None => ChildRef::from_bits(stack.pop_value()),
            };
            if current != ChildRef::END {
                prefetch(simd, tree, ChildRef::from_bits(stack.last()));
            }
        }
        if current == ChildRef::END {
            break;
        }
        let item = current.first_block() as u32;
        let before = limit;
        if let Some(entered) = entered(tree, item, ray, world_limit, faces, filter) {
            match query.enter(simd, &entered, world_limit) {
                ControlFlow::Break(()) => break,
                ControlFlow::Continue(next) => {
                    if next < world_limit {
                        world_limit = next;
                        limit = space_ray.until(next).min(limit);
                    }
                }
            }
        }
        current = if !Q::Sink::ORDERED {
            ChildRef::from_bits(stack.pop_value())
        } else if limit < before {
            cut_and_pop(simd, &mut stack, limit)
        } else {
            pop_within(&mut stack, limit)
        };
    }
    query.output()
}

/// The item with its local ray, if it passes the filter and the ray meets the box of its mesh up to `limit`.
#[inline(always)]
pub(super) fn entered<'a>(
    tree: &'a InstanceBvh,
    item: u32,
    ray: &WorldRay,
    limit: f64,
    faces: Faces,
    filter: InstanceFilter,
) -> Option<Entered<'a>> {
    let placed = tree.placed.get(item);
    let mesh = placed.mesh().filter(|_| placed.passes(filter))?;
    let frame = placed.frame(mesh);
    let exact = frame.exact(ray);
    if !placed.meets_box(mesh, &exact, ray.t_min, limit) {
        return None;
    }
    let local = exact.round(&frame, ray);
    Some(Entered { item, placed, mesh, local, faces })
}

#[inline(always)]
pub(super) fn prefetch<S: Simd>(simd: S, tree: &InstanceBvh, child: ChildRef) {
    if child.is_leaf() {
        simd.prefetch::<2>(tree.placed.address(child.first_block() as u32));
    } else {
        simd.prefetch::<4>(tree.nodes.address(child.node_index() as u32));
    }
}

/// The answer of a local ray in its mesh.
#[inline(always)]
pub(super) fn answer_in_mesh<'a, Q: MeshQuery<'a>, P: DescentPolicy, S: Simd>(
    simd: S,
    entered: &Entered<'_>,
    limit: f64,
) -> <Q::Sink as Query>::Answer {
    let (tree, faces) = (&entered.mesh.bvh().tree, entered.faces);
    let ray = &Q::ray(&entered.local, limit);
    if let Some((query, blocks)) = fast_query::<Fast, S>(simd, tree, ray) {
        let mut sink = Q::Sink::along(ray);
        let start = ChildRef::ROOT;
        let traversal = Traversal { tree, ray, faces, start, sink: &mut sink };
        traversal.run_fast::<P, Fast, S>(simd, &query, blocks, None);
        return sink.answer();
    }
    simd.call::<OtherRay<Q::Sink>, _, _, _, _>(entered, ray, (), ())
}

/// A local ray that is not ordinary, or out of range.
pub(super) struct OtherRay<H>(PhantomData<H>);

impl<H: Query> KernelFn<&Entered<'_>, &Ray, (), ()> for OtherRay<H> {
    type Output = H::Answer;

    #[inline(always)]
    fn run<S: Simd>(simd: S, entered: &Entered<'_>, ray: &Ray, (): (), (): ()) -> H::Answer {
        if !entered.local.is_in_range() {
            return H::along(ray).answer();
        }
        let tree = &entered.mesh.bvh().tree;
        simd.call::<Answering<H, Incoherent, FastFar>, _, _, _, _>(tree, ray, entered.faces, None)
    }
}

/// [`visit`] for any ray, by tests in f64.
fn visit_extreme(
    tree: &InstanceBvh,
    ray: &WorldRay,
    filter: InstanceFilter,
    on_candidate: &mut OnCandidate<'_>,
) {
    if !ray.is_valid() {
        return;
    }
    let slabs = SlabRay::new(ray);
    let _: ControlFlow<()> = tree.visit(
        ray.t_max,
        |bounds| slabs.enter(bounds),
        |item, limit| {
            let placed = tree.placed.get(item);
            let Some(mesh) = placed.mesh().filter(|_| placed.passes(filter)) else {
                return ControlFlow::Continue(limit);
            };
            let local = LocalRay::new(&placed.frame(mesh), ray);
            local.map_or(ControlFlow::Continue(limit), |local| on_candidate(item, &local, limit))
        },
    );
}
