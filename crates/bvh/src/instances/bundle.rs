//! Rays that go the same way: a bundle of them goes through the upper level at once.
//!
//! The bundle tests the eight boxes of a node by the interval of all its rays. At an item each ray tests the item's box in
//! lanes, as it would alone, and those that meet it enter the mesh one by one.

use hitscan_primitives::{Faces, WorldRay};

use super::{
    instance_bvh::InstanceBvh,
    placed_mesh::InstanceFilter,
    query::{Batch, MeshQuery, answer_in_mesh},
    space::{Entrance, SpaceRay},
    traversal::{entered, prefetch},
};
use crate::{
    error_bounds::LEAST_COMPONENT,
    kernel::{BoxHits, Fast},
    layout::{ChildRef, WideNode, node_of, slot_of},
    platform::SMALL_CODE,
    query::Pause,
    simd::{Kernel, LANES, OctantRows, Simd, Stack, StackMemory, StackOf},
    traverse::{CoherentOrigins, KeyCodec, Outcome, pop_within, push_hits},
};

/// The number of rays in a bundle.
pub(super) const BUNDLE_WIDTH: usize = 32;

/// The work of a bundle, in nodes, that pays whatever its rays meet: alone they would take as long to begin.
const FREE_WORK: u32 = 64;

/// The work at an item, in nodes.
const ITEM_WORK: u32 = 3;

/// Answers the rays of a batch that can go in bundles, and returns the indices of the others.
pub(super) struct Bundles<'a, 'b, Q: MeshQuery<'a>> {
    pub(super) batch: Batch<'a, 'b, Q>,
    pub(super) pause: &'b mut Pause,
}

impl<'a, Q: MeshQuery<'a>> Kernel for Bundles<'a, '_, Q> {
    type Output = Vec<u32>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Vec<u32> {
        let Self { batch: Batch { tree, rays, faces, filter, outputs }, pause } = self;
        let mut alone = Vec::new();
        let runs = rays.chunks(BUNDLE_WIDTH).zip(outputs.chunks_mut(BUNDLE_WIDTH));
        for (run, (rays, outputs)) in runs.enumerate() {
            let first = (run * BUNDLE_WIDTH) as u32;
            let bundle = if SMALL_CODE || rays.len() < BUNDLE_WIDTH || pause.goes_on() {
                None
            } else {
                Bundle::new(tree, rays)
            };
            let Some(mut bundle) = bundle else {
                alone.extend(first..first + rays.len() as u32);
                continue;
            };
            let traversal = BundleTraversal::<Q> { tree, rays, faces, filter, outputs };
            let outcome = traversal.run(simd, &mut bundle);
            pause.after(outcome);
            if outcome == Outcome::Incoherent {
                alone.extend(first..first + rays.len() as u32);
            }
        }
        alone
    }
}

type Row = [[f32; LANES]; BUNDLE_WIDTH / LANES];

/// The rays of a bundle, component by component.
struct Bundle {
    space_rays: [SpaceRay; BUNDLE_WIDTH],
    /// Bit `i` is the sign of all directions on axis `i`.
    octant: u32,
    /// Minus the origin times the reciprocal, as in `BoxRay`.
    minus_origins: [Row; 3],
    reciprocals: [Row; 3],
    t_min: Row,
    limits: Row,
    /// The intervals of all rays, least and greatest.
    origin: [[f32; 3]; 2],
    reciprocal: [[f32; 3]; 2],
}

impl Bundle {
    /// A bundle of rays in the same octant. `None` if there is another among them, or one that is no ordinary ray.
    #[inline(always)]
    fn new(tree: &InstanceBvh, rays: &[WorldRay]) -> Option<Self> {
        let octant_of = |ray: &WorldRay| {
            let [x, y, z] = ray.direction.to_array().map(|d| u32::from(d.is_sign_negative()));
            x | y << 1 | z << 2
        };
        let octant = octant_of(&rays[0]);
        if rays.iter().any(|ray| octant_of(ray) != octant) {
            return None;
        }
        let mut bundle = Self {
            space_rays: [SpaceRay::NOWHERE; BUNDLE_WIDTH],
            octant,
            minus_origins: [[[0.0; LANES]; BUNDLE_WIDTH / LANES]; 3],
            reciprocals: [[[0.0; LANES]; BUNDLE_WIDTH / LANES]; 3],
            t_min: [[0.0; LANES]; BUNDLE_WIDTH / LANES],
            limits: [[f32::NEG_INFINITY; LANES]; BUNDLE_WIDTH / LANES],
            origin: [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]],
            reciprocal: [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]],
        };
        for (index, ray) in rays.iter().enumerate() {
            match tree.space.enter(ray) {
                Entrance::Ray(space_ray) => bundle.set(index, space_ray),
                Entrance::Miss => {}
                Entrance::Extreme => return None,
            }
        }
        Some(bundle)
    }

    #[inline(always)]
    fn set(&mut self, index: usize, space_ray: SpaceRay) {
        let (row, lane) = (index / LANES, index % LANES);
        let (o, d) = (space_ray.ray.origin.to_array(), space_ray.ray.direction.to_array());
        for axis in 0..3 {
            let r = (1.0 / d[axis].abs().max(LEAST_COMPONENT)).copysign(d[axis]);
            self.minus_origins[axis][row][lane] = -(o[axis] * r);
            self.reciprocals[axis][row][lane] = r;
            let [least, greatest] = &mut self.origin;
            (least[axis], greatest[axis]) = (least[axis].min(o[axis]), greatest[axis].max(o[axis]));
            let [least, greatest] = &mut self.reciprocal;
            (least[axis], greatest[axis]) = (least[axis].min(r), greatest[axis].max(r));
        }
        self.t_min[row][lane] = space_ray.ray.t_min;
        self.limits[row][lane] = space_ray.ray.t_max;
        self.space_rays[index] = space_ray;
    }

    /// The greatest limit of a ray that is on its way.
    #[inline(always)]
    fn limit(&self) -> f32 {
        self.limits.as_flattened().iter().fold(f32::NEG_INFINITY, |a, &b| if a > b { a } else { b })
    }

    /// The least start of a ray.
    #[inline(always)]
    fn start(&self) -> f32 {
        let starts = self.t_min.as_flattened().iter();
        starts.fold(f32::INFINITY, |a, &b| if a < b { a } else { b })
    }

    /// The rays that meet the box of a child up to their limits, one bit each.
    #[inline(always)]
    fn meeting<S: Simd>(&self, s: S, node: &WideNode, slot: usize) -> u32 {
        let mut meeting = 0;
        for row in 0..BUNDLE_WIDTH / LANES {
            let (mut enter, mut exit) = (s.load(&self.t_min[row]), s.load(&self.limits[row]));
            for axis in 0..3 {
                let backward = (self.octant >> axis & 1) as usize;
                let [near, far] =
                    [backward, 1 - backward].map(|side| node.bounds[axis][side][slot]);
                let o = s.load(&self.minus_origins[axis][row]);
                let r = s.load(&self.reciprocals[axis][row]);
                enter = s.max(enter, s.approx_mul_add(s.splat(near), r, o));
                exit = s.min(exit, s.approx_mul_add(s.splat(far), r, o));
            }
            meeting |= s.movemask(s.le(enter, exit)) << (LANES * row);
        }
        meeting
    }
}

/// What tests the boxes of a node for all rays of a bundle.
struct BundleBoxes<S: Simd> {
    simd: S,
    rows: OctantRows,
    /// The origins that are nearest to the near planes, and farthest from the far ones.
    near_origin: [S::F; 3],
    far_origin: [S::F; 3],
    least: [S::F; 3],
    greatest: [S::F; 3],
    t_min: S::F,
}

impl<S: Simd> BundleBoxes<S> {
    #[inline(always)]
    fn new(simd: S, bundle: &Bundle) -> Self {
        let [least, greatest] = bundle.reciprocal;
        let origin = |axis: usize, is_far: bool| {
            let is_backward = bundle.octant >> axis & 1 == 1;
            simd.splat(bundle.origin[usize::from(is_backward == is_far)][axis])
        };
        Self {
            simd,
            rows: OctantRows::new(bundle.octant),
            near_origin: [0, 1, 2].map(|axis| origin(axis, false)),
            far_origin: [0, 1, 2].map(|axis| origin(axis, true)),
            least: least.map(|r| simd.splat(r)),
            greatest: greatest.map(|r| simd.splat(r)),
            t_min: simd.splat(bundle.start()),
        }
    }

    /// The children whose boxes a ray may meet at a `t` of at most `limit`.
    ///
    /// A plane less an origin, times a reciprocal, is monotone in each, so the interval holds those of all rays. Its
    /// rounding moves a plane by no more than that of `BoxRay`: docs/proof.md.
    #[inline(always)]
    fn test(&self, node: &WideNode, limit: f32) -> BoxHits<S> {
        let s = self.simd;
        let (mut enter, mut exit) = (self.t_min, s.splat(limit));
        for axis in 0..3 {
            let (least, greatest) = (self.least[axis], self.greatest[axis]);
            let near = s.sub(s.load(self.rows.near(&node.bounds, axis)), self.near_origin[axis]);
            let far = s.sub(s.load(self.rows.far(&node.bounds, axis)), self.far_origin[axis]);
            enter = s.max(enter, s.min(s.mul(near, least), s.mul(near, greatest)));
            exit = s.min(exit, s.max(s.mul(far, least), s.mul(far, greatest)));
        }
        let lanes = s.le(enter, exit);
        BoxHits { mask: s.movemask(lanes), lanes, enter }
    }
}

/// The way of a bundle.
struct BundleTraversal<'a, 'b, Q: MeshQuery<'a>> {
    tree: &'a InstanceBvh,
    rays: &'b [WorldRay],
    faces: Faces,
    filter: InstanceFilter,
    outputs: &'b mut [Q::Output],
}

impl<'a, Q: MeshQuery<'a>> BundleTraversal<'a, '_, Q> {
    /// Answers the rays, or gives up where they go different ways: when its nodes and items are many for the rays that met
    /// an item.
    // Longer than 60 lines: one loop, as that of single rays.
    #[inline(always)]
    fn run<S: Simd>(self, simd: S, bundle: &mut Bundle) -> Outcome {
        let Self { tree, rays, faces, filter, outputs } = self;
        let mut limit = bundle.limit();
        let mut world_limits: [f64; BUNDLE_WIDTH] = std::array::from_fn(|i| rays[i].t_max);
        let mut queries: [Q; BUNDLE_WIDTH] = std::array::from_fn(|_| Q::new(tree));
        let boxes = BundleBoxes::new(simd, bundle);
        let keys = KeyCodec::new::<Fast>(simd, bundle.start().max(0.0));
        let mut memory = StackMemory::new();
        let mut stack: StackOf<'_, _> = Stack::new(&mut memory);
        let (mut work, mut paid_work) = (0, FREE_WORK);
        let mut current = if limit >= 0.0 { ChildRef::ROOT } else { ChildRef::END };
        loop {
            while !current.is_leaf() {
                work += 1;
                let node = tree.nodes.get(current.node_index() as u32);
                let hits = boxes.test(node, limit);
                if hits.mask != 0 {
                    let children = simd.load_bits(&node.children);
                    push_hits(simd, &hits, keys, children, &mut stack);
                }
                current = pop_within(&mut stack, limit);
                if current != ChildRef::END {
                    prefetch(simd, tree, ChildRef::from_bits(stack.last()));
                }
            }
            if current == ChildRef::END {
                break;
            }
            let item = current.first_block() as u32;
            let link = tree.items.get(item).link;
            let mut meeting = bundle.meeting(simd, tree.nodes.get(node_of(link)), slot_of(link));
            work += ITEM_WORK;
            paid_work += meeting.count_ones();
            if work > paid_work {
                return Outcome::Incoherent;
            }
            let mut has_hit = false;
            while meeting != 0 {
                let index = meeting.trailing_zeros() as usize % BUNDLE_WIDTH;
                meeting &= meeting - 1;
                let before = world_limits[index];
                let Some(entered) = entered(tree, item, &rays[index], before, faces, filter) else {
                    continue;
                };
                let answer = answer_in_mesh::<Q, CoherentOrigins, S>(simd, &entered, before);
                let limit = &mut bundle.limits[index / LANES][index % LANES];
                match queries[index].keep(&entered, answer, before) {
                    std::ops::ControlFlow::Break(()) => *limit = f32::NEG_INFINITY,
                    std::ops::ControlFlow::Continue(next) if next < before => {
                        world_limits[index] = next;
                        *limit = bundle.space_rays[index].until(next).min(*limit);
                    }
                    std::ops::ControlFlow::Continue(_) => continue,
                }
                has_hit = true;
            }
            if has_hit {
                limit = bundle.limit();
                if limit < 0.0 {
                    break;
                }
            }
            current = pop_within(&mut stack, limit);
        }
        for (query, output) in queries.into_iter().zip(outputs) {
            *output = query.output();
        }
        Outcome::Coherent
    }
}
