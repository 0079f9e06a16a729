//! Interleaved traversal of both levels, for rays that wait for memory.
//!
//! As `traverse::interleaved` in one mesh: each step of a ray, at a node, an item or a leaf, ends with a prefetch of the
//! next one, and other rays step until the memory arrives.

use std::ops::ControlFlow;

use hitscan_primitives::{Faces, WorldRay};

use super::{
    instance_bvh::InstanceBvh,
    placed_mesh::InstanceFilter,
    query::{Batch, Entered, MeshQuery, OtherRay},
    space::{Entrance, SpaceRay},
    traversal::{entered, prefetch},
};
use crate::{
    kernel::{BoxRay, Fast, HitSink, Query},
    layout::{ChildRef, TriangleBlock},
    simd::{Kernel, ShallowStack, ShallowStackMemory, Simd, Stack, StackMemory},
    traverse::{
        self, IN_FLIGHT, InFlight, Incoherent, KeyCodec, fast_query, pop_within, push_children,
    },
};

/// The rays of a batch.
pub(super) struct Interleaved<'a, 'b, Q: MeshQuery> {
    pub(super) batch: Batch<'a, 'b, Q>,
}

/// A ray in flight, in the upper level.
struct Flight<'b, S: Simd, Q> {
    index: u32,
    ray: &'b WorldRay,
    space_ray: SpaceRay,
    boxes: BoxRay<S, Fast>,
    keys: KeyCodec<S>,
    /// In the space of the upper level, and in the world.
    limit: f32,
    world_limit: f64,
    current: ChildRef,
    query: Q,
}

/// The same ray in a mesh.
struct InMesh<'a, S: Simd, H> {
    entered: Entered<'a>,
    blocks: &'a [TriangleBlock],
    ray: InFlight<S, Fast, H>,
}

impl<'a, Q: MeshQuery> Kernel for Interleaved<'a, '_, Q> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Batch { tree, rays, faces, filter, outputs } = self.batch;
        let mut waiting = 0..rays.len() as u32;
        // Stacks stay in place, because they are too large to move for every ray.
        let mut memory = [const { StackMemory::new() }; IN_FLIGHT];
        let mut stacks = memory.each_mut().map(Stack::new);
        let mut mesh_memory = [const { ShallowStackMemory::new() }; IN_FLIGHT];
        let mut mesh_stacks = mesh_memory.each_mut().map(ShallowStack::new);
        let mut flights: [Option<Flight<'_, S, Q>>; IN_FLIGHT] = [const { None }; IN_FLIGHT];
        let mut meshes: [Option<InMesh<'a, S, Q::Sink>>; IN_FLIGHT] = [const { None }; IN_FLIGHT];
        let mut n_in_flight = 0;
        loop {
            let places = flights.iter_mut().zip(&mut meshes);
            for ((place, mesh), (stack, mesh_stack)) in
                places.zip(stacks.iter_mut().zip(&mut mesh_stacks))
            {
                let Some(flight) = place else {
                    let Some(index) = waiting.next() else { continue };
                    let ray = &rays[index as usize];
                    match tree.space.enter(simd, ray) {
                        Entrance::Ray(space_ray) => {
                            *place = Some(Flight::new(simd, index, ray, space_ray, Q::new(())));
                            n_in_flight += 1;
                        }
                        Entrance::Miss => {}
                        Entrance::Extreme => {
                            outputs[index as usize] = Q::alone(tree, ray, faces, filter);
                        }
                    }
                    continue;
                };
                let next = match mesh {
                    Some(_) => step_in_mesh::<Q, S>(simd, flight, mesh, mesh_stack, stack),
                    None => flight.step(simd, tree, faces, filter, mesh, stack),
                };
                if next == ChildRef::END {
                    if let Some(done) = place.take() {
                        outputs[done.index as usize] = done.query.output();
                    }
                    stack.clear();
                    n_in_flight -= 1;
                } else if mesh.is_none() {
                    flight.current = next;
                    prefetch(simd, tree, next);
                }
            }
            if n_in_flight == 0 && waiting.is_empty() {
                return;
            }
        }
    }
}

impl<'a, 'b, S: Simd, Q: MeshQuery> Flight<'b, S, Q> {
    #[inline(always)]
    fn new(simd: S, index: u32, ray: &'b WorldRay, space_ray: SpaceRay, query: Q) -> Self {
        Self {
            index,
            ray,
            boxes: space_ray.boxes(simd),
            keys: KeyCodec::new::<Fast>(simd, space_ray.ray.t_min),
            limit: space_ray.ray.t_max,
            world_limit: ray.t_max,
            space_ray,
            current: ChildRef::ROOT,
            query,
        }
    }

    /// Visits the current node or item, and returns the next, or the same one if the ray is in its `mesh` now.
    #[inline(always)]
    fn step(
        &mut self,
        simd: S,
        tree: &'a InstanceBvh,
        faces: Faces,
        filter: InstanceFilter,
        mesh: &mut Option<InMesh<'a, S, Q::Sink>>,
        stack: &mut Stack<'_>,
    ) -> ChildRef {
        if !self.current.is_leaf() {
            let node = tree.nodes.get(self.current.node_index() as u32);
            let hits = self.boxes.test(node, simd.splat(self.limit));
            let nearest =
                push_children::<S, Q::Sink, Incoherent, _>(simd, node, &hits, self.keys, stack);
            return nearest.unwrap_or_else(|| self.pop(stack));
        }
        let item = self.current.first_block() as u32;
        let Some(entered) = entered(simd, tree, item, self.ray, self.world_limit, faces, filter)
        else {
            return self.pop(stack);
        };
        let ray = entered.local.ray;
        let Some((query, blocks)) = fast_query::<Fast, S>(simd, &entered.mesh.bvh().tree, &ray)
        else {
            let answer = simd.call::<OtherRay<Q::Sink>, _, _, _, _>(&entered, &ray, (), ());
            return self.keep(&entered, answer, stack);
        };
        let ray = InFlight::new(simd, item, &query, faces, Q::Sink::along(&ray));
        *mesh = Some(InMesh { entered, blocks, ray });
        self.current
    }

    /// Takes the answer of a mesh, and returns the next node or item.
    #[inline(always)]
    fn keep(
        &mut self,
        entered: &Entered<'_>,
        answer: <Q::Sink as Query>::Answer,
        stack: &mut Stack<'_>,
    ) -> ChildRef {
        match self.query.keep(entered, answer, self.world_limit) {
            ControlFlow::Break(()) => ChildRef::END,
            ControlFlow::Continue(next) => {
                if next < self.world_limit {
                    self.world_limit = next;
                    self.limit = self.space_ray.until(next).min(self.limit);
                }
                self.pop(stack)
            }
        }
    }

    #[inline(always)]
    fn pop(&self, stack: &mut Stack<'_>) -> ChildRef {
        if Q::Sink::ORDERED {
            pop_within(stack, self.limit)
        } else {
            ChildRef::from_bits(stack.pop_value())
        }
    }
}

/// Visits the current node or leaf of the mesh. Returns the next node or item of the upper level, which is the same one as
/// long as the ray is in its mesh.
#[inline(always)]
fn step_in_mesh<'a, Q: MeshQuery, S: Simd>(
    simd: S,
    flight: &mut Flight<'_, S, Q>,
    mesh: &mut Option<InMesh<'a, S, Q::Sink>>,
    mesh_stack: &mut ShallowStack<'_>,
    stack: &mut Stack<'_>,
) -> ChildRef {
    let Some(InMesh { entered, blocks, ray }) = mesh else { return flight.current };
    let tree = &entered.mesh.bvh().tree;
    if let Some(next) = traverse::step(simd, tree, blocks, ray, mesh_stack) {
        traverse::prefetch(simd, &tree.nodes, blocks, next);
        ray.current = next;
        return flight.current;
    }
    mesh_stack.clear();
    let Some(InMesh { entered, ray, .. }) = mesh.take() else { return flight.current };
    flight.keep(&entered, ray.sink.answer(), stack)
}
