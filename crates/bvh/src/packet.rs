//! The walk of many rays at once, for rays that go the same way.
//!
//! A node costs one interval test for all rays; a child that passes is tested ray by ray, in lanes,
//! only when it is taken from the stack, with the best hits known by then. Where few rays are left
//! they go on one by one. Whether a child is entered is decided for each ray by its own box test, or
//! by one that is looser, so the answers are those of single rays, to the last bit.

use hitscan_primitives::{Faces, Hit, Ray};

use crate::{
    MeshBvh,
    kernel::{PACKET, Packet},
    simd::{Kernel, Simd, Slots, Stack},
    traverse::{Any, Closest, keys, push_hits},
    wide::TriangleBlock,
};

/// With so many rays or fewer left below a child, they go on one by one: for the closest hit, where 4 and 6
/// lost 3 to 7 %, and for any hit, where 4 won 4 % over 2 and 1 and 8 lost as much.
const FEW: [u32; 2] = [2, 4];

/// A packet's rays, ready to be run for an instruction set.
///
/// The result is whether they went as a packet; if not, nothing was done.
pub(crate) struct ClosestOfPacket<'a> {
    pub(crate) bvh: &'a MeshBvh,
    pub(crate) rays: &'a [Ray; PACKET],
    pub(crate) faces: Faces,
    pub(crate) hits: &'a mut [Option<Hit>; PACKET],
}

impl Kernel for ClosestOfPacket<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> bool {
        let Self { bvh, rays, faces, hits } = self;
        let mut packet = Packet::new(simd, faces);
        if !packet.fill(rays, bvh.reach) {
            return false;
        }
        walk::<S, false>(simd, bvh, rays, faces, &mut packet);
        *hits = packet.hits(&bvh.leaves);
        true
    }
}

/// As [`ClosestOfPacket`], asking only whether each ray hits anything.
pub(crate) struct OccludedOfPacket<'a> {
    pub(crate) bvh: &'a MeshBvh,
    pub(crate) rays: &'a [Ray; PACKET],
    pub(crate) faces: Faces,
    pub(crate) occluded: &'a mut [bool; PACKET],
}

impl Kernel for OccludedOfPacket<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> bool {
        let Self { bvh, rays, faces, occluded } = self;
        let mut packet = Packet::new(simd, faces);
        if !packet.fill(rays, bvh.reach) {
            return false;
        }
        let hit = walk::<S, true>(simd, bvh, rays, faces, &mut packet);
        for (ray, occluded) in occluded.iter_mut().enumerate() {
            *occluded = hit >> ray & 1 == 1;
        }
        true
    }
}

/// Walks the tree and returns the rays that hit anything, as bits.
#[inline(always)]
fn walk<S: Simd, const ANY: bool>(
    simd: S,
    bvh: &MeshBvh,
    rays: &[Ray; PACKET],
    faces: Faces,
    packet: &mut Packet<S>,
) -> u32 {
    let (nodes, inflation) = (&*bvh.nodes, bvh.inflation());
    let mut room = TriangleBlock::EMPTY;
    let keys = keys::<S, false>(simd, 0.0);
    // An entry is the key of a child, with its place in the low bits, and the number of its parent.
    let mut slots = Slots::new();
    let mut stack = Stack::new(&mut slots);
    let mut index = 0;
    let mut hit = 0;
    loop {
        let node = &nodes[index];
        let hits = packet.test_node(node);
        if hits.mask != 0 {
            let parent = simd.splat(f32::from_bits(index as u32));
            push_hits(simd, &hits, keys, parent, &mut stack);
        }
        index = loop {
            if stack.is_empty() {
                return hit;
            }
            let (key, parent) = stack.pop();
            let (parent, place) = (&nodes[parent as usize], key as usize % 8);
            let active = packet.test_child(parent, place);
            if active == 0 {
                continue;
            }
            let child = parent.child(place);
            if active.count_ones() <= FEW[usize::from(ANY)] {
                let mut left = active;
                while left != 0 {
                    let ray = left.trailing_zeros() as usize % PACKET;
                    left &= left - 1;
                    if ANY {
                        let mut any = Any { t_max: rays[ray].t_max, any: false };
                        bvh.collect_below(child, &rays[ray], faces, &mut any);
                        if any.any {
                            hit |= 1 << ray;
                            packet.retire(1 << ray);
                        }
                    } else {
                        let best = packet.best(ray);
                        let mut closest = Closest { best };
                        bvh.collect_below(child, &rays[ray], faces, &mut closest);
                        if closest.best.is_before(&best) {
                            packet.set_best(ray, &closest.best);
                        }
                    }
                }
                if ANY && hit == u32::MAX >> (32 - PACKET) {
                    return hit;
                }
                continue;
            }
            if !child.is_leaf() {
                break child.node_index();
            }
            let mut new_hits = 0;
            for number in child.blocks() {
                let block = bvh.leaves.block(number, &mut room);
                new_hits |= packet.test_block::<ANY>(block, number, active, inflation);
            }
            if new_hits != 0 {
                if ANY {
                    hit |= new_hits;
                    packet.retire(hit);
                    if hit == u32::MAX >> (32 - PACKET) {
                        return hit;
                    }
                }
                packet.update_t_max();
            }
        };
    }
}
