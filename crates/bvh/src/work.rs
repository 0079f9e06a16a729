//! How much work a ray is: the nodes and triangles that its walk tests.
//!
//! A walk of its own, so that those of [`traverse`](crate::traverse) count nothing. It is made of the
//! same parts and visits the same nodes and leaves in the same order.

use hitscan_primitives::{Faces, Hit, Ray, brute_force::scaled_ray};

use crate::{
    MeshBvh,
    kernel::QueryRay,
    simd::{Kernel, Simd, Slots, Stack},
    traverse::{Closest, Collector, keys, pop_within, push_children},
    wide::{ChildRef, TriangleBlock},
};

/// What [`MeshBvh::closest_hit`] tested to find its answer.
///
/// A node and a block cost about the same: each is one test of up to eight boxes or triangles at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RayWork {
    /// Nodes, of up to eight boxes.
    pub nodes: u32,
    /// Blocks, of up to eight triangles.
    pub blocks: u32,
    /// Triangles in these blocks.
    pub triangles: u32,
}

impl MeshBvh {
    /// [`closest_hit`](Self::closest_hit), and the work that it is: the same nodes and blocks are
    /// tested, in the same order, so this shows where a tree is slow. Some percent slower for the
    /// counting. An invalid ray is no work.
    ///
    /// A batch may share the work of neighbouring rays, and so do less for each than this says.
    ///
    /// ```
    /// use hitscan_bvh::{BuildOptions, MeshBvh, RayWork};
    /// use hitscan_primitives::{Faces, Ray, generate};
    ///
    /// let mesh = generate::sphere(1.0, 10_000)?;
    /// let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    /// let (hit, work) = bvh.closest_hit_with_work(&Ray::new([0.1, 0.2, 5.0], [0.0, 0.0, -1.0]), Faces::Both);
    /// assert!(hit.is_some() && work.nodes > 0 && work.triangles < 100);
    /// # Ok::<(), hitscan_primitives::generate::GenerateError>(())
    /// ```
    pub fn closest_hit_with_work(&self, ray: &Ray, faces: Faces) -> (Option<Hit>, RayWork) {
        let ray = if self.scale == 1.0 { *ray } else { scaled_ray(ray, self.scale) };
        self.isa.run(CountedWalk { bvh: self, ray: &ray, faces })
    }
}

struct CountedWalk<'a> {
    bvh: &'a MeshBvh,
    ray: &'a Ray,
    faces: Faces,
}

impl Kernel for CountedWalk<'_> {
    type Output = (Option<Hit>, RayWork);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        let Self { bvh, ray, faces } = self;
        let mut closest = Closest::along(ray);
        let mut work = RayWork::default();
        let Some(query) = QueryRay::new(simd, ray, bvh.reach) else {
            return (None, work);
        };
        // The careful kernels answer alike for rays that need no care.
        let (boxes, triangles) = (query.boxes::<true>(), query.triangles(faces));
        let keys = keys::<S, true>(simd, ray.t_min);
        let mut slots = Slots::new();
        let mut stack = Stack::new(&mut slots);
        let mut room = TriangleBlock::EMPTY;
        let mut limit = closest.t_max();
        let mut next = Some(ChildRef::ROOT);
        while let Some(current) = next {
            let mut nearest = None;
            if current.is_leaf() {
                for number in current.blocks() {
                    let block = bvh.leaves.block(number, &mut room);
                    work.blocks += 1;
                    work.triangles += filled(block);
                    triangles.test::<true, _>(block, number, &mut limit, &mut closest);
                }
            } else {
                work.nodes += 1;
                let node = &bvh.nodes[current.node_index()];
                let hits = boxes.test(node, simd.splat(limit));
                nearest = push_children::<S, Closest>(simd, node, &hits, keys, &mut stack);
            }
            next = match nearest {
                Some(_) => nearest,
                None => pop_within(&mut stack, limit),
            };
        }
        (closest.hit(), work)
    }
}

/// The number of triangles in a block.
#[inline(always)]
fn filled(block: &TriangleBlock) -> u32 {
    let mut n = 0;
    for triangle in block.triangles {
        n += u32::from(triangle != TriangleBlock::NO_TRIANGLE);
    }
    n
}
