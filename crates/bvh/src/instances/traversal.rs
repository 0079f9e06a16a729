//! One traversal of both levels.
//!
//! The loop goes through the upper level as that of one mesh goes through its tree. At an item it brings the ray to the mesh in
//! f64, tests the box of the mesh there, and only then rounds the ray and enters the tree of the mesh: half of the items whose
//! box in the world a ray meets fail that test.

use std::{marker::PhantomData, ops::ControlFlow};

use hitscan_primitives::{Faces, LocalRay, SlabRay, WorldRay};

use super::{
    instance_bvh::InstanceBvh,
    placed_mesh::InstanceFilter,
    query::{Any, Closest, Entered, InstanceHit, InstanceQuery, MeshQuery, OnCandidate, Visit},
    space::{Entrance, SpaceRay},
};
use crate::{
    kernel::{Fast, HitSink},
    layout::ChildRef,
    simd::{KernelFn, Simd, Stack, StackMemory, StackOf},
    traverse::{KeyCodec, cut_and_pop, pop_within, push_children},
};

impl InstanceBvh {
    /// The hit with the minimum `(t, order, triangle)` among the items that pass the filter.
    #[inline]
    pub fn closest_hit(
        &self,
        ray: &WorldRay,
        faces: Faces,
        filter: InstanceFilter,
    ) -> Option<InstanceHit> {
        match call::<Closest>(self, ray, faces, filter, ()) {
            Ok(best) => best,
            Err(Extreme) => {
                let mut query = Closest::new(());
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
        match call::<Any>(self, ray, faces, filter, ()) {
            Ok(is_hit) => is_hit,
            Err(Extreme) => {
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
        let found = call::<Visit<'_, '_>>(self, ray, Faces::Both, filter, &mut *on_candidate);
        if found == Err(Extreme) {
            visit_extreme(self, ray, filter, on_candidate);
        }
    }
}

/// The ray of a query is not for the space of the upper level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Extreme;

/// Runs a query.
#[inline(always)]
fn call<Q: InstanceQuery>(
    tree: &InstanceBvh,
    ray: &WorldRay,
    faces: Faces,
    filter: InstanceFilter,
    start: Q::Start,
) -> Result<Q::Output, Extreme> {
    tree.isa.call::<Both<Q>, _, _, _, _>(tree, ray, (faces, filter), start)
}

/// A query through both levels.
pub(super) struct Both<Q>(PhantomData<Q>);

impl<Q: InstanceQuery> KernelFn<&InstanceBvh, &WorldRay, (Faces, InstanceFilter), Q::Start>
    for Both<Q>
{
    type Output = Result<Q::Output, Extreme>;

    #[inline(always)]
    fn run<S: Simd>(
        simd: S,
        tree: &InstanceBvh,
        ray: &WorldRay,
        (faces, filter): (Faces, InstanceFilter),
        start: Q::Start,
    ) -> Result<Q::Output, Extreme> {
        // Made here: to copy a query through a call took longer than the box of the scene.
        let query = Q::new(start);
        let space_ray = match tree.space.enter(simd, ray) {
            Entrance::Ray(space_ray) => space_ray,
            Entrance::Miss => return Ok(query.output()),
            Entrance::Extreme => return Err(Extreme),
        };
        Ok(run_both::<Q, S>(simd, tree, ray, &space_ray, faces, filter, query))
    }
}

/// The loop.
// Longer than 60 lines: one loop, whose steps share the limits and the stack.
#[inline(always)]
fn run_both<Q: InstanceQuery, S: Simd>(
    simd: S,
    tree: &InstanceBvh,
    ray: &WorldRay,
    space_ray: &SpaceRay,
    faces: Faces,
    filter: InstanceFilter,
    mut query: Q,
) -> Q::Output {
    let boxes = space_ray.boxes(simd);
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
            let nearest =
                push_children::<S, Q::Sink, Q::Policy, _>(simd, node, &hits, keys, &mut stack);
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
        if let Some(entered) = entered(simd, tree, item, ray, world_limit, faces, filter) {
            match query.enter::<S>(simd, &entered, world_limit) {
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
pub(super) fn entered<'a, S: Simd>(
    simd: S,
    tree: &'a InstanceBvh,
    item: u32,
    ray: &WorldRay,
    limit: f64,
    faces: Faces,
    filter: InstanceFilter,
) -> Option<Entered<'a>> {
    let placed = tree.placed.get(item);
    let mesh = placed.mesh().filter(|_| placed.passes(filter))?;
    let local = placed.local_ray(simd, mesh, ray, limit)?;
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
