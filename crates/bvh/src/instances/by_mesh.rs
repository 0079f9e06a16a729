//! Rays that are alike, at one item: its mesh answers all of them as a batch of its own, so that they go as packets.

use glam::Vec3;
use hitscan_primitives::{Faces, LocalRay, Ray, WorldRay};

use super::{
    instance_bvh::InstanceBvh,
    placed_mesh::InstanceFilter,
    query::{Entered, MeshQuery},
};
use crate::query::{Runs, for_each_chunk, row_length};

/// The minimum number of rays.
const MIN_RAYS: usize = 256;

/// The minimum number of rays that one thread brings to the mesh at a time. What they carry along should fit into the
/// caches: with 2^15, a picture of the bunny took a tenth longer.
const BLOCK: usize = 2048;

/// The maximum number of places among which the only item is searched.
const MAX_PLACES: usize = 8;

/// The number of pairs of rays that are compared.
const PAIRS: usize = 64;

/// The maximum distance of neighbouring origins, as a share of half the extent of the upper level.
const NEIGHBOURS: f64 = 1.0 / 64.0;

/// The maximum change of their directions, as a share of the largest component.
const TURN: f64 = 0.25;

/// An invalid ray in the place of one that the mesh cannot answer, so that the rows of a picture stay rows.
const NO_RAY: Ray =
    Ray { origin: Vec3::ZERO, direction: Vec3::ZERO, t_min: 0.0, t_max: f32::NEG_INFINITY };

impl InstanceBvh {
    /// The only item, if most of the rays start near the next one and point alike.
    ///
    /// At two items that stand side by side, a picture of bunnies took 0.8 of the time, and one of kitchens 1.2: each item
    /// costs every ray, also one that passes it by.
    pub(super) fn item_for_all(&self, rays: &[WorldRay]) -> Option<u32> {
        if self.n_items != 1 || self.placed.len() > MAX_PLACES || rays.len() < MIN_RAYS {
            return None;
        }
        let are_alike = |pair: &usize| {
            let at = (rays.len() - 2) * pair / PAIRS;
            let (a, b) = (&rays[at], &rays[at + 1]);
            let turned = (a.direction - b.direction).abs().max_element();
            self.start_near(a, b) && turned <= TURN * a.direction.abs().max_element()
        };
        if 2 * (0..PAIRS).filter(are_alike).count() <= PAIRS {
            return None;
        }
        (0..self.placed.len() as u32).find(|&item| self.placed.get(item).mesh().is_some())
    }

    /// Whether two rays start so near to each other that they read the same part of the tree.
    pub(super) fn start_near(&self, a: &WorldRay, b: &WorldRay) -> bool {
        (a.origin - b.origin).abs().max_element() <= NEIGHBOURS * self.space.half()
    }

    /// The answers of a batch by the mesh of the only item.
    pub(super) fn answer_by_mesh<Q: MeshQuery, T: Send>(
        &self,
        item: u32,
        rays: &[WorldRay],
        faces: Faces,
        filter: InstanceFilter,
        answers: &mut [T],
        make: impl Fn(Q::Output) -> T + Sync + Send,
    ) {
        let in_f32 = |i: usize| {
            let WorldRay { origin, direction, .. } = rays[i];
            Ray::new(origin.as_vec3().to_array(), direction.as_vec3().to_array())
        };
        let row = row_length(rays.len(), in_f32, self.space.half() as f32);
        let unit = Runs::unit(row);
        let block = BLOCK.next_multiple_of(unit);
        for_each_chunk(rays, answers, unit, |rays, answers| {
            for (rays, answers) in rays.chunks(block).zip(answers.chunks_mut(block)) {
                self.answer_block::<Q, T>(item, rays, row, faces, filter, answers, &make);
            }
        });
    }

    #[expect(clippy::too_many_arguments, reason = "those of a batch, and where it is cut")]
    fn answer_block<Q: MeshQuery, T: Send>(
        &self,
        item: u32,
        rays: &[WorldRay],
        row: Option<usize>,
        faces: Faces,
        filter: InstanceFilter,
        answers: &mut [T],
        make: impl Fn(Q::Output) -> T,
    ) {
        let placed = self.placed.get(item);
        let Some(mesh) = placed.mesh().filter(|_| placed.passes(filter)) else {
            return answers.iter_mut().for_each(|answer| *answer = make(Q::new(()).output()));
        };
        let frame = placed.frame(mesh);
        let (mut in_mesh, mut offsets) =
            (Vec::with_capacity(rays.len()), Vec::with_capacity(rays.len()));
        for ray in rays {
            // A new start may hide that the interval is empty. Whatever else is invalid stays so.
            let is_interval = ray.t_min <= ray.t_max;
            let local = if is_interval { LocalRay::new(&frame, ray) } else { None };
            in_mesh.push(local.map_or(NO_RAY, |local| local.ray));
            offsets.push(local.map_or(0.0, |local| local.t_offset));
        }
        let mut found = Vec::new();
        found.resize_with(rays.len(), Default::default);
        mesh.bvh().answer_in_rows::<Q::Sink>(&in_mesh, row, faces, &mut found);
        let places = rays.iter().zip(in_mesh).zip(offsets).zip(answers);
        for ((((ray, in_mesh), offset), answer), found) in places.zip(found) {
            // To keep whole local rays took longer than to make them again.
            let local = LocalRay::rounded(ray, Some(offset), ray.t_max, |_, _| in_mesh);
            let mut query = Q::new(());
            let _ = query.keep(&Entered { item, placed, mesh, local, faces }, found, ray.t_max);
            *answer = make(query.output());
        }
    }
}
