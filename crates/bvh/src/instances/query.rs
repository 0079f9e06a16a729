//! The queries of both levels: what a ray asks of the mesh of each item, and what it keeps of the answers.

use std::{marker::PhantomData, ops::ControlFlow};

use hitscan_primitives::{Faces, Hit, LocalRay, Ray, WorldRay};

use super::{
    instance_bvh::InstanceBvh,
    placed_mesh::{InstanceFilter, InstanceTag, InstancedMesh, PlacedMesh},
};
use crate::{
    kernel::{AnyHit, ClosestHit, Fast, FastFar, HitSink, Query},
    layout::ChildRef,
    simd::{KernelFn, Simd},
    traverse::{
        Answering, Coherent, DescentPolicy, Incoherent, PacketAnswer, Traversal, fast_query,
    },
};

/// A hit of an item's mesh.
#[derive(Clone, Copy, Debug)]
pub struct InstanceHit {
    /// The index of the item.
    pub item: u32,
    /// The words of the item.
    pub tag: InstanceTag,
    /// The `t` of the world ray.
    pub t: f64,
    /// The hit of the local ray.
    pub hit: Hit,
}

/// Receives an item whose box a ray meets, the local ray, and the `t` of the world ray beyond which nothing counts. Returns
/// the next limit.
pub type OnCandidate<'a> = dyn FnMut(u32, &LocalRay, f64) -> ControlFlow<(), f64> + 'a;

/// A query of both levels, while its ray is on its way.
pub(super) trait InstanceQuery: Sized {
    /// As that of the sink: nearest first, or in any order.
    type Sink: HitSink;
    /// The loop for its rays, in both levels.
    type Policy: DescentPolicy;
    type Output;
    /// What the query needs from its caller.
    type Start;

    fn new(start: Self::Start) -> Self;

    /// Takes an item whose mesh the ray may hit up to `limit`. Returns the next limit.
    fn enter<S: Simd>(&mut self, simd: S, item: &Entered<'_>, limit: f64) -> ControlFlow<(), f64>;
    fn output(self) -> Self::Output;
}

/// A query that asks each mesh the same, so that rays of it go in batches.
pub(super) trait MeshQuery:
    InstanceQuery<Sink: Query<Answer: PacketAnswer + Send>, Output: Default, Start = ()>
{
    /// The answer of one ray.
    fn alone(
        tree: &InstanceBvh,
        ray: &WorldRay,
        faces: Faces,
        filter: InstanceFilter,
    ) -> Self::Output;
    /// Takes the answer of a mesh, and returns the next limit.
    fn keep(
        &mut self,
        entered: &Entered<'_>,
        answer: <Self::Sink as Query>::Answer,
        limit: f64,
    ) -> ControlFlow<(), f64>;
}

/// Rays of a query, with the memory for its outputs.
pub(super) struct Batch<'a, 'b, Q: MeshQuery> {
    pub(super) tree: &'a InstanceBvh,
    pub(super) rays: &'b [WorldRay],
    pub(super) faces: Faces,
    pub(super) filter: InstanceFilter,
    pub(super) outputs: &'b mut [Q::Output],
}

/// An item whose mesh a ray may hit.
pub(super) struct Entered<'a> {
    pub(super) item: u32,
    pub(super) placed: &'a PlacedMesh,
    pub(super) mesh: &'a InstancedMesh,
    /// Up to the limit at which the ray met the item.
    pub(super) local: LocalRay,
    pub(super) faces: Faces,
}

/// [`InstanceBvh::closest_hit`].
pub(super) struct Closest {
    pub(super) best: Option<InstanceHit>,
}

impl InstanceQuery for Closest {
    type Sink = ClosestHit;
    type Policy = Incoherent;
    type Output = Option<InstanceHit>;
    type Start = ();

    #[inline(always)]
    fn new((): ()) -> Self {
        Self { best: None }
    }

    #[inline(always)]
    fn enter<S: Simd>(
        &mut self,
        simd: S,
        entered: &Entered<'_>,
        limit: f64,
    ) -> ControlFlow<(), f64> {
        let hit = answer_in_mesh::<Self, S>(simd, entered);
        self.keep(entered, hit, limit)
    }

    #[inline(always)]
    fn output(self) -> Option<InstanceHit> {
        self.best
    }
}

impl MeshQuery for Closest {
    fn alone(
        tree: &InstanceBvh,
        ray: &WorldRay,
        faces: Faces,
        filter: InstanceFilter,
    ) -> Option<InstanceHit> {
        tree.closest_hit(ray, faces, filter)
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
        let tag = entered.placed.tag();
        let comes_first = match &self.best {
            None => true,
            Some(best) => t < best.t || t == best.t && tag.order < best.tag.order,
        };
        if comes_first {
            self.best = Some(InstanceHit { item: entered.item, tag, t, hit });
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
    // Without an order, the bets of coherent rays pay for all: 4 % less time for random ones.
    type Policy = Coherent;
    type Output = bool;
    type Start = ();

    #[inline(always)]
    fn new((): ()) -> Self {
        Self { is_hit: false }
    }

    #[inline(always)]
    fn enter<S: Simd>(
        &mut self,
        simd: S,
        entered: &Entered<'_>,
        limit: f64,
    ) -> ControlFlow<(), f64> {
        let is_hit = answer_in_mesh::<Self, S>(simd, entered);
        self.keep(entered, is_hit, limit)
    }

    #[inline(always)]
    fn output(self) -> bool {
        self.is_hit
    }
}

impl MeshQuery for Any {
    fn alone(tree: &InstanceBvh, ray: &WorldRay, faces: Faces, filter: InstanceFilter) -> bool {
        tree.is_occluded(ray, faces, filter)
    }

    #[inline(always)]
    fn keep(&mut self, _: &Entered<'_>, is_hit: bool, limit: f64) -> ControlFlow<(), f64> {
        self.is_hit = is_hit;
        if is_hit { ControlFlow::Break(()) } else { ControlFlow::Continue(limit) }
    }
}

/// [`InstanceBvh::visit_ray`].
pub(super) struct Visit<'a, 'b> {
    on_candidate: &'a mut OnCandidate<'b>,
}

impl<'a, 'b> InstanceQuery for Visit<'a, 'b> {
    type Sink = ClosestHit;
    type Policy = Incoherent;
    type Output = ();
    type Start = &'a mut OnCandidate<'b>;

    #[inline(always)]
    fn new(on_candidate: &'a mut OnCandidate<'b>) -> Self {
        Self { on_candidate }
    }

    #[inline(always)]
    fn enter<S: Simd>(&mut self, _: S, entered: &Entered<'_>, limit: f64) -> ControlFlow<(), f64> {
        if !entered.local.is_in_range() {
            return ControlFlow::Continue(limit);
        }
        (self.on_candidate)(entered.item, &entered.local, limit)
    }

    fn output(self) {}
}

/// The answer of a local ray in its mesh.
#[inline(always)]
fn answer_in_mesh<Q: MeshQuery, S: Simd>(
    simd: S,
    entered: &Entered<'_>,
) -> <Q::Sink as Query>::Answer {
    let (tree, faces) = (&entered.mesh.bvh().tree, entered.faces);
    let ray = &entered.local.ray;
    if let Some((query, blocks)) = fast_query::<Fast, S>(simd, tree, ray) {
        let mut sink = Q::Sink::along(ray);
        let start = ChildRef::ROOT;
        let traversal = Traversal { tree, ray, faces, start, sink: &mut sink };
        traversal.run_fast::<Q::Policy, Fast, S, _>(simd, &query, blocks, None);
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
