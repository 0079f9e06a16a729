//! Traversal of a packet: many rays that go the same way, at once.
//!
//! A node costs one interval test for all rays. A child that passes is tested ray by ray, in lanes, when
//! it is popped, with the best hits known by then. Where few rays are left, they continue one by one.
//! Each ray enters a child by its own box test or by a looser one, so the answers are those of single
//! rays, to the last bit.

use hitscan_primitives::{Faces, Hit, Ray};

use super::{
    child_order::{KeyCodec, prefetch, push_hits, slot_of},
    packet_occluders::{OccluderTest, PacketOccluders},
    single::Traversal,
};
use crate::{
    kernel::{AnyHit, ClosestHit, Fast, PACKET_WIDTH, Packet, Query, RaySet},
    layout::{ChildRef, Leaves, Tree, TriangleBlock, WideNode},
    simd::{Kernel, KernelOn, Simd, Stack, StackMemory},
    widths::NODE_WIDTH,
};

/// The maximum number of rays below a child that continue one by one. With 4, shadow rays take 4 to 12 % more
/// time (kitchen, bunny, city, nefertiti). With 1 they take 1 to 3 % more, with none 5 to 11 %
/// (Emerald Rapids, 2026-11-26).
const FEW_RAYS: u32 = 2;

/// The condition under which a packet counts as coherent.
#[derive(Clone, Copy)]
pub(crate) enum Sharing {
    /// The mean number of rays that met the box of a child is at least this.
    MeanRays(u32),
    /// A full packet tested at most this number of blocks, and a smaller one at most its share of them. Besides, at
    /// most one ray in two continued alone. A ray that continues alone below two children counts twice.
    Blocks(u32),
}

/// The outcome of rays that were to go as a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// They cannot go as one, and have no answers yet.
    Refused,
    /// They went the same way, by the condition of [`Sharing`].
    Coherent,
    /// They went different ways.
    Incoherent,
}

/// Answers rays as packets, under an instruction set that is chosen once for all of them.
///
/// `feed` receives a function that answers the rays at up to [`PACKET_WIDTH`](crate::kernel::PACKET_WIDTH) indices as a
/// packet. The rays must be in the tree's scaled space.
pub(crate) struct Packets<'a, A, Feed> {
    pub(crate) tree: &'a Tree,
    pub(crate) rays: &'a [Ray],
    pub(crate) faces: Faces,
    pub(crate) answers: &'a mut [A],
    pub(crate) sharing: Sharing,
    pub(crate) feed: Feed,
}

impl<A: PacketAnswer, Feed: FnOnce(&mut dyn FnMut(&[u32]) -> Outcome)> Kernel
    for Packets<'_, A, Feed>
{
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { tree, rays, faces, answers, sharing, feed } = self;
        let mut packet = Packet::new(simd, faces);
        let mut occluders = PacketOccluders::new();
        feed(&mut |indices| {
            let (packet, occluders, answers) = (&mut packet, &mut occluders, &mut *answers);
            simd.vectorize(PacketTraversal {
                tree,
                rays,
                indices,
                faces,
                sharing,
                packet,
                occluders,
                answers,
            })
        });
    }
}

/// The answer to a ray of a packet. The default is that of a miss.
pub(crate) trait PacketAnswer: Copy + Default {
    /// Whether it only says if the ray hits anything.
    const ANY: bool;

    /// Writes the answers of a packet that was traced. `hit` has the rays that hit anything, with `ANY`.
    fn write<S: Simd>(
        packet: &Packet<S>,
        hit: RaySet,
        leaves: &Leaves,
        indices: &[u32],
        answers: &mut [Self],
    );
}

impl PacketAnswer for Option<Hit> {
    const ANY: bool = false;

    #[inline(always)]
    fn write<S: Simd>(
        packet: &Packet<S>,
        _: RaySet,
        leaves: &Leaves,
        indices: &[u32],
        answers: &mut [Self],
    ) {
        packet.write_hits(leaves, indices, answers);
    }
}

impl PacketAnswer for bool {
    const ANY: Self = true;

    #[inline(always)]
    fn write<S: Simd>(
        _: &Packet<S>,
        hit: RaySet,
        _: &Leaves,
        indices: &[u32],
        answers: &mut [Self],
    ) {
        for (ray, &index) in indices.iter().enumerate() {
            answers[index as usize] = hit >> ray & 1 == 1;
        }
    }
}

/// The traversal of one packet.
struct PacketTraversal<'a, S: Simd, A> {
    tree: &'a Tree,
    rays: &'a [Ray],
    indices: &'a [u32],
    faces: Faces,
    sharing: Sharing,
    packet: &'a mut Packet<S>,
    occluders: &'a mut PacketOccluders,
    answers: &'a mut [A],
}

impl<S: Simd, A: PacketAnswer> KernelOn<S> for PacketTraversal<'_, S, A> {
    type Output = Outcome;

    #[inline(always)]
    fn run_on(self, simd: S) -> Outcome {
        let Some(valid) = self.packet.fill(self.rays, self.indices, &self.tree.reach) else {
            return Outcome::Refused;
        };
        let Self { tree, rays, indices, faces, sharing, packet, occluders, answers } = self;
        if valid == 0 {
            for &index in indices {
                answers[index as usize] = A::default();
            }
            return Outcome::Coherent;
        }
        let (stopped, occluder) = if A::ANY && occluders.may_stop() {
            simd.vectorize(OccluderTest { tree, packet, valid, occluders })
        } else {
            Default::default()
        };
        let mut work = Work { occluder, ..Work::default() };
        let left = valid & !stopped;
        let traced = if left == 0 {
            0
        } else if A::ANY {
            trace_packet::<S, true>(simd, tree, rays, indices, left, faces, packet, &mut work)
        } else {
            trace_packet::<S, false>(simd, tree, rays, indices, left, faces, packet, &mut work)
        };
        let hit = stopped | traced;
        if A::ANY {
            occluders.remember(work.occluder);
        }
        A::write(packet, hit, &tree.leaves, indices, answers);
        let is_coherent = match sharing {
            Sharing::MeanRays(min) => work.rays >= min * work.tests,
            Sharing::Blocks(max) => {
                let n_rays = valid.count_ones();
                PACKET_WIDTH as u32 * work.blocks <= max * n_rays && 2 * work.alone <= n_rays
            }
        };
        if is_coherent { Outcome::Coherent } else { Outcome::Incoherent }
    }
}

/// The work of a packet.
#[derive(Default)]
struct Work {
    /// The tests of a child's box.
    tests: u32,
    /// The rays that met one, all tests together.
    rays: u32,
    /// The blocks that were tested. Those of rays that continue one by one, and of the last occluders, do not
    /// count.
    blocks: u32,
    /// The rays that continued one by one, all children together.
    alone: u32,
    /// The last block that stopped rays, with `ANY`. Of a leaf of several, the first.
    occluder: Option<usize>,
}

/// Traverses the tree. Returns the rays that hit anything, with `ANY`.
// Longer than 60 lines: split, it would keep the packet's constants in memory instead of registers.
#[expect(clippy::too_many_arguments, reason = "a packet in plain arguments, used once")]
#[inline(always)]
fn trace_packet<S: Simd, const ANY: bool>(
    simd: S,
    tree: &Tree,
    rays: &[Ray],
    indices: &[u32],
    valid: RaySet,
    faces: Faces,
    packet: &mut Packet<S>,
    work: &mut Work,
) -> RaySet {
    let (nodes, reach) = (&*tree.nodes, &tree.reach);
    let mut scratch = TriangleBlock::EMPTY;
    let keys = KeyCodec::new::<Fast>(simd, 0.0);
    // An entry is the key of a child, which holds its slot, and the index of its parent.
    let mut memory = StackMemory::new();
    let mut stack = Stack::new(&mut memory);
    let mut index = 0;
    let mut hit = 0;
    loop {
        let node = &nodes[index];
        let hits = packet.test_node(node);
        if hits.mask != 0 {
            let parent = simd.splat(f32::from_bits(index as u32));
            push_hits(simd, &hits, keys, parent, &mut stack);
            prefetch_children(simd, tree, node, hits.mask);
        }
        index = loop {
            if stack.is_empty() {
                return hit;
            }
            let (key, parent) = stack.pop();
            let (parent, slot) = (&nodes[parent as usize], slot_of(key));
            let active = packet.test_child(parent, slot);
            work.tests += 1;
            work.rays += active.count_ones();
            if active == 0 {
                continue;
            }
            let child = parent.child(slot);
            if active.count_ones() <= FEW_RAYS {
                work.alone += active.count_ones();
                let rest = Rest::<S, ANY> { tree, rays, indices, faces, packet, child, active };
                let new_hits = simd.vectorize(rest);
                if ANY {
                    hit |= new_hits;
                    if hit == valid {
                        return hit;
                    }
                }
                continue;
            }
            if !child.is_leaf() {
                break child.node_index();
            }
            let mut new_hits = 0;
            for block_index in child.blocks() {
                let block = tree.leaves.block(block_index, &mut scratch);
                let active = if ANY { active & !new_hits } else { active };
                let leaves = &tree.leaves;
                work.blocks += 1;
                new_hits |= packet.test_block::<ANY>(leaves, block, block_index, active, reach);
            }
            if new_hits != 0 {
                if ANY {
                    hit |= new_hits;
                    work.occluder = Some(child.first_block());
                    packet.retire(new_hits);
                    if hit == valid {
                        return hit;
                    }
                }
                packet.update_t_max();
            }
        };
    }
}

/// Prefetches the children in the slots of `mask`. The tests of the first take long enough for the others
/// to arrive.
#[inline(always)]
fn prefetch_children<S: Simd>(simd: S, tree: &Tree, node: &WideNode, mask: u32) {
    let mut left = mask;
    while left != 0 {
        let child = node.child(left.trailing_zeros() as usize % NODE_WIDTH);
        left &= left - 1;
        match &tree.leaves {
            Leaves::Full(blocks) => prefetch(simd, &tree.nodes, blocks, child),
            Leaves::Compact(leaves) => prefetch(simd, &tree.nodes, &leaves.blocks, child),
        }
    }
}

/// The rays of `active` below a child, one by one. With `ANY` it retires and returns those that hit; else
/// it updates their best hits.
struct Rest<'a, S: Simd, const ANY: bool> {
    tree: &'a Tree,
    rays: &'a [Ray],
    indices: &'a [u32],
    faces: Faces,
    packet: &'a mut Packet<S>,
    child: ChildRef,
    active: RaySet,
}

impl<S: Simd, const ANY: bool> KernelOn<S> for Rest<'_, S, ANY> {
    type Output = RaySet;

    #[inline(always)]
    fn run_on(self, simd: S) -> RaySet {
        let Self { tree, rays, indices, faces, packet, child, active } = self;
        let mut hit = 0;
        let mut left = active;
        while left != 0 {
            let number = left.trailing_zeros() as usize;
            let ray = &rays[indices[number] as usize];
            left &= left - 1;
            if ANY {
                let mut any = AnyHit::along(ray);
                Traversal { tree, ray, faces, start: child, sink: &mut any }
                    .run_in_tree_space(simd);
                if any.answer() {
                    hit |= 1 << number;
                }
            } else {
                let mut closest = ClosestHit::before(packet.best_bound(number));
                let sink = &mut closest;
                Traversal { tree, ray, faces, start: child, sink }.run_in_tree_space(simd);
                if closest.best.is_hit() {
                    packet.improve(&tree.leaves, number, &closest.best);
                }
            }
        }
        if hit != 0 {
            packet.retire(hit);
        }
        hit
    }
}
