//! Closest hits of neighbouring rays, with one traversal of the top-level tree for all of them.
//!
//! Interval arithmetic over the origins and reciprocals of the rays tests a box of the top-level tree for
//! all rays at once (Boulos, Wald and Shirley, "Geometric and Arithmetic Culling Methods for Entire Ray
//! Packets", 2006). Each ray then tests the box of an instance on its own, and the mesh receives the rays
//! that enter it as one batch. Every ray reaches each instance that it reaches alone, so the answers are
//! those of single rays, to the last bit.

use std::ops::ControlFlow;

use glam::DVec3;
use hitscan_bvh::MeshBvh;
use hitscan_primitives::{Faces, Hit};
use smallvec::SmallVec;

use crate::{
    LocalRay, QueryOptions, Scene, SceneHit, WorldRay, candidate::CandidateInstance,
    placement::SlabRay, world_box::WorldBox,
};

/// The number of rays in a packet, which [`MeshBvh::closest_hit_batch`](hitscan_bvh::MeshBvh::closest_hit_batch)
/// takes as one packet as well.
pub(crate) const PACKET: usize = 32;

/// The minimum number of rays that a mesh receives as a batch. Fewer rays go one by one.
const MIN_BATCH: usize = 6;

/// The maximum spread of the directions, as unit vectors, and of the origins, relative to the scene. Wider
/// packets enter many boxes that few of their rays meet.
const MAX_SPREAD: f64 = 1.0 / 48.0;

impl Scene {
    /// [`closest_hit`](Self::closest_hit) of each ray of a packet, if the rays are valid and close to each
    /// other. Otherwise returns `false` and does nothing.
    pub(crate) fn closest_hits_of_packet(
        &self,
        rays: &[WorldRay; PACKET],
        options: &QueryOptions<'_>,
        hits: &mut [Option<SceneHit>; PACKET],
    ) -> bool {
        if !rays.iter().all(WorldRay::is_valid) || !is_narrow(rays, &self.tree.bounds()) {
            return false;
        }
        hits.fill(None);
        let slabs = rays.each_ref().map(SlabRay::new);
        let bundle = SlabBundle::new(&slabs);
        let mut limits = rays.each_ref().map(|ray| ray.t_max);
        self.tree.traverse(
            bundle.t_max,
            |bounds| bundle.enter(bounds),
            |index, limit| {
                let record = self.at(index);
                let Some(mesh) = &record.instance.mesh else {
                    return ControlFlow::Continue(limit);
                };
                let placement = &record.state.placement;
                let mut entering: EnteringRays = SmallVec::new();
                for (i, slab) in slabs.iter().enumerate() {
                    // In this form a NaN is a miss.
                    if slab.enter(&placement.bounds) <= limits[i]
                        && let Some(local) = LocalRay::new(&placement.frame, &rays[i])
                        && placement.may_hit(&local.until(limits[i]))
                    {
                        entering.push((i, local));
                    }
                }
                if entering.is_empty() || !self.includes(record, options) {
                    return ControlFlow::Continue(limit);
                }
                let mesh_hits = mesh_hits(mesh.bvh(), &entering, &limits, options.faces);
                for ((i, ray), hit) in entering.into_iter().zip(mesh_hits) {
                    let limit = limits[i];
                    let candidate = CandidateInstance { record, bvh: mesh.bvh(), ray, limit };
                    if let ControlFlow::Continue(limit) = candidate.keep_closest(hit, &mut hits[i])
                    {
                        limits[i] = limit;
                    }
                }
                ControlFlow::Continue(limits.iter().copied().fold(f64::NEG_INFINITY, f64::max))
            },
        );
        true
    }
}

/// The rays of a packet that enter the box of an instance, with their indices in the packet.
pub(crate) type EnteringRays = SmallVec<[(usize, LocalRay); PACKET]>;

/// The closest hit of each entering ray with a mesh, up to the limit of the ray.
pub(crate) fn mesh_hits(
    bvh: &MeshBvh,
    entering: &EnteringRays,
    limits: &[f64; PACKET],
    faces: Faces,
) -> [Option<Hit>; PACKET] {
    let until = |&(i, ref local): &(usize, LocalRay)| local.until(limits[i]);
    let mut hits = [None; PACKET];
    if entering.len() < MIN_BATCH {
        for (entry, hit) in entering.iter().zip(&mut hits) {
            *hit = bvh.closest_hit(&until(entry), faces);
        }
    } else {
        // The last ray fills the rest of the packet.
        let last = entering.len() - 1;
        let batch: [_; PACKET] = std::array::from_fn(|n| until(&entering[n.min(last)]));
        bvh.closest_hit_batch(&batch, faces, &mut hits);
    }
    hits
}

/// Whether valid rays lie close to each other, in direction and in origin.
fn is_narrow(rays: &[WorldRay; PACKET], scene: &WorldBox) -> bool {
    let max_distance = MAX_SPREAD * scene.extent().max_element();
    let first = rays[0].direction.normalize_or_zero();
    rays[1..].iter().all(|ray| {
        let turn = ray.direction.normalize_or_zero() - first;
        let shift = ray.origin - rays[0].origin;
        turn.abs().max_element() <= MAX_SPREAD && shift.abs().max_element() <= max_distance
    })
}

/// Intervals that hold the numbers of several [`SlabRay`]s.
struct SlabBundle {
    min_origin: DVec3,
    max_origin: DVec3,
    min_reciprocal: DVec3,
    max_reciprocal: DVec3,
    t_min: f64,
    t_max: f64,
    pad: f64,
}

impl SlabBundle {
    fn new(slabs: &[SlabRay; PACKET]) -> Self {
        let mut bundle = Self {
            min_origin: DVec3::INFINITY,
            max_origin: DVec3::NEG_INFINITY,
            min_reciprocal: DVec3::INFINITY,
            max_reciprocal: DVec3::NEG_INFINITY,
            t_min: f64::INFINITY,
            t_max: f64::NEG_INFINITY,
            pad: 0.0,
        };
        for slab in slabs {
            bundle.min_origin = bundle.min_origin.min(slab.origin);
            bundle.max_origin = bundle.max_origin.max(slab.origin);
            bundle.min_reciprocal = bundle.min_reciprocal.min(slab.reciprocal);
            bundle.max_reciprocal = bundle.max_reciprocal.max(slab.reciprocal);
            bundle.t_min = bundle.t_min.min(slab.t_min);
            bundle.t_max = bundle.t_max.max(slab.t_max);
            bundle.pad = bundle.pad.max(slab.pad);
        }
        bundle
    }

    /// A lower bound of [`SlabRay::enter`] of all rays; NaN if all of them miss. Rounding is monotone, so
    /// the interval of each product holds the products of the rays.
    #[inline(always)]
    fn enter(&self, bounds: &WorldBox) -> f64 {
        let interval = |plane: DVec3| {
            let (near, far) = (plane - self.max_origin, plane - self.min_origin);
            let (a, b) = (near * self.min_reciprocal, near * self.max_reciprocal);
            let (c, d) = (far * self.min_reciprocal, far * self.max_reciprocal);
            (a.min(b).min(c.min(d)), a.max(b).max(c.max(d)))
        };
        let (min_low, min_high) = interval(bounds.min - self.pad);
        let (max_low, max_high) = interval(bounds.max + self.pad);
        let enter = min_low.min(max_low).max_element().max(self.t_min);
        let exit = min_high.max(max_high).min_element().min(self.t_max);
        if enter <= exit { enter } else { f64::NAN }
    }
}

#[cfg(test)]
mod tests {
    use hitscan_primitives::generate::SplitMix64;

    use super::*;
    use crate::test_scenes::{scene, vector};

    #[test]
    fn a_packet_answers_as_its_rays_do() {
        let (mut n_packets, mut n_hits) = (0, 0);
        for seed in 0..300 {
            let mut rng = SplitMix64::new(seed);
            let origin = if seed % 2 == 0 { DVec3::ZERO } else { DVec3::new(1e7, -1e7, 1e7) };
            let (scene, ids) = scene(&mut rng, origin);
            let eye = origin + 8.0 * vector(&mut rng, 1.0);
            let toward = origin + vector(&mut rng, 2.0) - eye;
            let spread = [0.0, 1e-6, 0.01, 0.1][rng.below(4) as usize];
            let parallel = rng.below(3) == 0;
            let mut rays: [WorldRay; PACKET] = std::array::from_fn(|_| {
                let shift = spread * vector(&mut rng, 1.0);
                let (origin, direction) =
                    if parallel { (eye + shift, toward) } else { (eye, toward + shift) };
                WorldRay::new(origin, direction).with_range(0.0, rng.range(0.3, 3.0))
            });
            if rng.below(10) == 0 {
                rays[7].direction = DVec3::ZERO;
            }
            if rng.below(10) == 0 {
                rays = rays.map(|ray| WorldRay { direction: DVec3::Z, t_max: 1e3, ..ray });
            }
            let ignore = [ids[rng.below(12) as usize]];
            let options = QueryOptions {
                faces: if rng.below(3) == 0 { Faces::Front } else { Faces::Both },
                ignore: if rng.below(2) == 0 { &ignore } else { &[] },
                include_hidden: rng.below(2) == 0,
                ..QueryOptions::default()
            };
            let expected = rays.map(|ray| scene.closest_hit(&ray, &options));
            let mut hits = [None; PACKET];
            n_packets += usize::from(scene.closest_hits_of_packet(&rays, &options, &mut hits));
            // Also where they cannot go as a packet, and with a last run that is not whole.
            let rays: Vec<WorldRay> = rays.into_iter().chain(rays[..5].iter().copied()).collect();
            let mut batch = vec![None; rays.len()];
            scene.closest_hit_batch(&rays, &options, &mut batch);
            let is_packet = hits.iter().any(Option::is_some);
            assert!(!is_packet || hits == expected, "seed {seed}");
            assert_eq!(batch[..PACKET], expected, "seed {seed}");
            assert_eq!(batch[PACKET..], expected[..5], "seed {seed}");
            n_hits += expected.iter().flatten().count();
        }
        assert!(n_packets > 150 && n_hits > 2000, "{n_packets}, {n_hits}");
    }

    #[test]
    fn a_bundle_enters_a_box_before_its_rays_do() {
        let mut rng = SplitMix64::new(1);
        for _ in 0..2000 {
            let (eye, toward) = (vector(&mut rng, 4.0), vector(&mut rng, 1.0));
            let rays: [WorldRay; PACKET] = std::array::from_fn(|_| {
                let origin = eye + 0.1 * vector(&mut rng, 1.0);
                WorldRay::new(origin, toward + 0.3 * vector(&mut rng, 1.0))
            });
            let slabs = rays.each_ref().map(SlabRay::new);
            let bundle = SlabBundle::new(&slabs);
            let corner = vector(&mut rng, 4.0);
            let bounds = WorldBox::new(corner, corner + vector(&mut rng, 2.0).abs());
            for slab in &slabs {
                let enter = slab.enter(&bounds);
                assert!(enter.is_nan() || bundle.enter(&bounds) <= enter, "{bounds:?}");
            }
        }
    }
}
