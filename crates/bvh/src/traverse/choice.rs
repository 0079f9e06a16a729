//! The choice of a loop: what a thread remembers of its last rays picks one for the next ray.
//!
//! All loops give the same answer, that of `docs/proof.md`, whatever a thread remembers.

use std::marker::PhantomData;

use hitscan_primitives::{Faces, Ray};

use super::{
    coherence::{
        Coherence, Coherent, CoherentOrigins, DescentPolicy, Incoherent, RecentRays,
        with_recent_rays,
    },
    occluder::Occluder,
    robust::RobustTraversal,
    single::{Traversal, fast_query},
};
use crate::{
    kernel::{Fast, FastFar, HitSink, Query, QueryRay, RayMode},
    layout::{ChildRef, Leaves, Tree},
    platform::SMALL_CODE,
    simd::{Isa, Kernel, KernelFn, Simd},
};

/// Answers a ray by the loop that suits the last rays of this thread.
#[inline(always)]
pub(crate) fn answer<Q: Query>(tree: &Tree, isa: Isa, ray: &Ray, faces: Faces) -> Q::Answer {
    let (is_compared, coherence) =
        with_recent_rays::<Q, _>(|recent| (recent.count(), recent.coherence()));
    if is_compared {
        return answer_compared::<Q>(tree, isa, ray, faces);
    }
    answer_like::<Q>(coherence, tree, isa, ray, faces)
}

/// Compares the ray first. A function that answers as well: a caller that called another function and went on
/// would save registers for every ray.
#[cold]
#[inline(never)]
fn answer_compared<Q: Query>(tree: &Tree, isa: Isa, ray: &Ray, faces: Faces) -> Q::Answer {
    let coherence = with_recent_rays::<Q, _>(|recent| {
        recent.compare(ray, tree.reach.near);
        recent.coherence()
    });
    answer_like::<Q>(coherence, tree, isa, ray, faces)
}

/// Answers a ray of this thread by the loop for rays as coherent as the last ones.
#[inline(always)]
fn answer_like<Q: Query>(
    coherence: Coherence,
    tree: &Tree,
    isa: Isa,
    ray: &Ray,
    faces: Faces,
) -> Q::Answer {
    if Q::NEEDS_NO_T && coherence == Coherence::Coherent {
        return with_recent_rays::<Q, _>(|recent| {
            let occluder = Some(&recent.occluder);
            answer_by::<Q, _>(isa, Coherence::Coherent, tree, ray, faces, occluder)
        });
    }
    // No other answer passes through `with`, which would copy it.
    answer_by::<Q, _>(isa, coherence, tree, ray, faces, None)
}

/// Answers the rays at `indices` one after the other.
pub(crate) fn answer_each<Q: Query>(
    tree: &Tree,
    isa: Isa,
    rays: &[Ray],
    indices: &[u32],
    faces: Faces,
    answers: &mut [Q::Answer],
) {
    isa.run(Each::<Q> { tree, rays, indices, faces, answers });
}

/// Rays one after the other, for an instruction set that is chosen once for all of them. Chosen for each, shadow rays
/// take 2 % more instructions.
struct Each<'a, Q: Query> {
    tree: &'a Tree,
    rays: &'a [Ray],
    indices: &'a [u32],
    faces: Faces,
    answers: &'a mut [Q::Answer],
}

impl<Q: Query> Kernel for Each<'_, Q> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { tree, rays, indices, faces, answers } = self;
        let recent = RecentRays::new();
        for &index in indices {
            let ray = &rays[index as usize];
            if recent.count() {
                recent.compare(ray, tree.reach.near);
            }
            // A separate function. Inlined here, this loop keeps values in registers that the
            // traversal lacks, and takes 3 to 5 % more time.
            let (coherence, occluder) = (recent.coherence(), Some(&recent.occluder));
            answers[index as usize] =
                answer_by::<Q, _>(Within(simd), coherence, tree, ray, faces, occluder);
        }
    }
}

/// A way into the code of an instruction set, for [`Answering`].
trait Enter {
    fn call<'a, K: KernelFn<&'a Tree, &'a Ray, Faces, Option<&'a Occluder>>>(
        self,
        tree: &'a Tree,
        ray: &'a Ray,
        faces: Faces,
        occluder: Option<&'a Occluder>,
    ) -> K::Output;
}

impl Enter for Isa {
    #[inline(always)]
    fn call<'a, K: KernelFn<&'a Tree, &'a Ray, Faces, Option<&'a Occluder>>>(
        self,
        tree: &'a Tree,
        ray: &'a Ray,
        faces: Faces,
        occluder: Option<&'a Occluder>,
    ) -> K::Output {
        Self::call::<K, _, _, _, _>(self, tree, ray, faces, occluder)
    }
}

/// The way from a kernel that runs already.
struct Within<S>(S);

impl<S: Simd> Enter for Within<S> {
    #[inline(always)]
    fn call<'a, K: KernelFn<&'a Tree, &'a Ray, Faces, Option<&'a Occluder>>>(
        self,
        tree: &'a Tree,
        ray: &'a Ray,
        faces: Faces,
        occluder: Option<&'a Occluder>,
    ) -> K::Output {
        self.0.call::<K, _, _, _, _>(tree, ray, faces, occluder)
    }
}

/// Answers a ray by the loop for rays of a coherence.
#[inline(always)]
fn answer_by<Q: Query, E: Enter>(
    enter: E,
    coherence: Coherence,
    tree: &Tree,
    ray: &Ray,
    faces: Faces,
    occluder: Option<&Occluder>,
) -> Q::Answer {
    if SMALL_CODE {
        // One loop for all rays.
        return enter.call::<Answering<Q, CoherentOrigins, FastFar>>(tree, ray, faces, None);
    }
    match coherence {
        Coherence::Coherent => {
            enter.call::<Answering<Q, Coherent, Fast>>(tree, ray, faces, occluder)
        }
        Coherence::CoherentOrigins if Q::ORDERED => {
            enter.call::<Answering<Q, CoherentOrigins, Fast>>(tree, ray, faces, None)
        }
        // Queries without an order make no difference between these two.
        Coherence::CoherentOrigins | Coherence::Incoherent => {
            enter.call::<Answering<Q, Incoherent, Fast>>(tree, ray, faces, None)
        }
    }
}

/// One ray from the root to its answer.
///
/// The sink is a local variable of the kernel, so it stays in registers. A mode hands rays that it must not take to
/// the next one.
pub(crate) struct Answering<Q, P, M>(PhantomData<(Q, P, M)>);

impl<Q: Query, P: DescentPolicy, M: RayMode> KernelFn<&Tree, &Ray, Faces, Option<&Occluder>>
    for Answering<Q, P, M>
{
    type Output = Q::Answer;

    #[inline(always)]
    fn run<S: Simd>(
        simd: S,
        tree: &Tree,
        ray: &Ray,
        faces: Faces,
        occluder: Option<&Occluder>,
    ) -> Q::Answer {
        let mut sink = Q::along(ray);
        if let Some((query, blocks)) = fast_query::<M, S>(simd, tree, ray) {
            let traversal = Traversal { tree, ray, faces, start: ChildRef::ROOT, sink: &mut sink };
            traversal.run_fast::<P, M, S, _>(simd, &query, blocks, occluder);
            return sink.answer();
        }
        if !SMALL_CODE && matches!(tree.leaves, Leaves::Compact(_)) {
            return simd.call::<AnsweringCompact<Q, P>, _, _, _, _>(tree, ray, faces, ());
        }
        if !M::FAR {
            return simd.call::<Answering<Q, P, FastFar>, _, _, _, _>(tree, ray, faces, occluder);
        }
        answer_robust::<Q, S>(simd, tree, ray, faces)
    }
}

/// [`Answering`] in a tree with compact leaves. It remembers no occluder: to test the block of one, the loop of shadow rays took
/// half as long again.
struct AnsweringCompact<Q, P>(PhantomData<(Q, P)>);

impl<Q: Query, P: DescentPolicy> KernelFn<&Tree, &Ray, Faces, ()> for AnsweringCompact<Q, P> {
    type Output = Q::Answer;

    #[inline(always)]
    fn run<S: Simd>(simd: S, tree: &Tree, ray: &Ray, faces: Faces, (): ()) -> Q::Answer {
        if let Leaves::Compact(blocks) = &tree.leaves
            && let Some(query) = QueryRay::fast::<FastFar>(simd, ray, tree)
        {
            let mut sink = Q::along(ray);
            let traversal = Traversal { tree, ray, faces, start: ChildRef::ROOT, sink: &mut sink };
            traversal.run_fast::<P, FastFar, S, _>(simd, &query, blocks, None);
            return sink.answer();
        }
        answer_robust::<Q, S>(simd, tree, ray, faces)
    }
}

/// Answers a ray by the robust path, with a new sink, because a sink that goes out of line stays in memory.
#[inline(always)]
fn answer_robust<Q: Query, S: Simd>(simd: S, tree: &Tree, ray: &Ray, faces: Faces) -> Q::Answer {
    let mut sink = Q::along(ray);
    let traversal = Traversal { tree, ray, faces, start: ChildRef::ROOT, sink: &mut sink };
    simd.vectorize(RobustTraversal { traversal, is_in_tree_space: false });
    sink.answer()
}

/// Traverses the tree along the ray and passes candidates to `sink`. An invalid ray has none.
#[inline(always)]
pub(crate) fn trace<H: HitSink>(tree: &Tree, isa: Isa, ray: &Ray, faces: Faces, sink: &mut H) {
    isa.run(Traversal { tree, ray, faces, start: ChildRef::ROOT, sink });
}

impl<H: HitSink> Traversal<'_, H> {
    /// Traverses the tree along a ray that is in the tree's scaled space, not in the mesh's.
    #[inline(always)]
    pub(super) fn run_in_tree_space<S: Simd>(self, simd: S) {
        if self.tree.is_scaled() {
            simd.vectorize(RobustTraversal { traversal: self, is_in_tree_space: true });
        } else {
            simd.vectorize(self);
        }
    }
}

impl<H: HitSink> Kernel for Traversal<'_, H> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        if let Some((query, blocks)) = fast_query::<FastFar, S>(simd, self.tree, self.ray) {
            self.run_fast::<CoherentOrigins, FastFar, S, _>(simd, &query, blocks, None);
        } else {
            simd.vectorize(RobustTraversal { traversal: self, is_in_tree_space: false });
        }
    }
}

#[cfg(test)]
mod tests {
    use hitscan_primitives::generate;

    use super::*;
    use crate::{BuildOptions, MeshBvh, kernel::AnyHit, layout::Leaves};

    fn segment(x: f32) -> Ray {
        Ray::segment([x, 0.0, -2.0], [x, 0.0, 2.0])
    }

    /// A tree of a sphere of radius 1, whose last shadow rays on this thread were coherent and stopped.
    fn tree_of_coherent_rays() -> MeshBvh {
        let mesh = generate::sphere(1.0, 2000).expect("an ordinary size");
        let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
        // As many as it takes to notice that the rays are coherent.
        for i in 0..600 {
            assert!(bvh.is_occluded(&segment(1e-4 * i as f32), Faces::Both));
        }
        bvh
    }

    #[test]
    fn a_block_remembered_of_a_tree_that_was_here_before_changes_no_answer() {
        // An allocator may build a tree where another one was, with more blocks or with others.
        let bvh = tree_of_coherent_rays();
        let Leaves::Full(blocks) = &bvh.tree.leaves else { panic!("the mesh is small") };
        let n = blocks.len();
        // One ray for all blocks, because a thread remembers blocks for neighbours.
        for (x, is_occluded) in [(0.01, true), (1.5, false)] {
            for index in (0..n).chain([n, n + 1, 2 * n, 1000 * n, usize::MAX]) {
                with_recent_rays::<AnyHit, _>(|recent| {
                    recent.occluder.was_tested(true);
                    recent.occluder.remember(blocks, index);
                });
                assert_eq!(bvh.is_occluded(&segment(x), Faces::Both), is_occluded, "block {index}");
            }
        }
    }
}
