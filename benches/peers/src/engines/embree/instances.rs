//! Embree's instances: a scene of scenes, at medium quality.

use std::sync::Arc;

use hitscan::glam::DAffine3;
use hitscan::{Hit, Ray, TriMesh};

use super::records::{Hit1, Hit16, Ray1, Ray16, RayHit1, RayHit16, RtcArguments, Valid16};
use super::{Embree, MeteredDevice, Setup, scene};

/// Instances of meshes. Rays and transforms are rounded to f32, as Embree takes them.
pub(crate) struct Instances {
    // Released in this order.
    scene: scene::Scene,
    meshes: Vec<Embree>,
    device: Arc<MeteredDevice>,
}

/// A hit of a mesh, and the index of its instance.
pub(crate) type EmbreeHit = (u32, Hit);

impl Instances {
    pub(super) fn new(
        device: &Arc<MeteredDevice>,
        meshes: &[TriMesh],
        poses: &[(usize, DAffine3)],
    ) -> Result<Self, String> {
        let mesh = |mesh| Embree::build(device, mesh, Setup::default());
        let meshes = meshes.iter().map(mesh).collect::<Result<Vec<_>, _>>()?;
        let scene = top_level(device, &meshes, poses)?;
        Ok(Self { scene, meshes, device: Arc::clone(device) })
    }

    /// A new top level with these poses, as [`Engines::embree_instances`](crate::engines::Engines::embree_instances) makes it.
    pub(crate) fn rebuild(&mut self, poses: &[(usize, DAffine3)]) -> Result<(), String> {
        self.scene = top_level(&self.device, &self.meshes, poses)?;
        Ok(())
    }

    /// Moves instances, and builds the top level anew, as Embree does for every edit.
    pub(crate) fn move_all(
        &mut self,
        moves: impl Iterator<Item = (usize, DAffine3)>,
    ) -> Result<(), String> {
        for (index, pose) in moves {
            self.scene.set_transform(index as u32, &columns(pose));
        }
        self.scene.commit(&self.device.device)
    }

    /// The closest hits, one call per ray.
    pub(crate) fn closest(&self, rays: &[Ray], hits: &mut [Option<EmbreeHit>]) {
        for (ray, hit) in rays.iter().zip(hits) {
            let mut query = RayHit1 { ray: Ray1::new(ray), hit: Hit1::NONE };
            self.scene.intersect1(&mut query);
            *hit = query.found().map(|found| (query.hit.instance_id, found));
        }
    }

    /// Whether each ray hits anything, one call per ray.
    pub(crate) fn occluded(&self, rays: &[Ray], occluded: &mut [bool]) {
        for (ray, occluded) in rays.iter().zip(occluded) {
            let mut query = Ray1::new(ray);
            self.scene.occluded1(&mut query);
            *occluded = query.t_far == f32::NEG_INFINITY;
        }
    }

    /// [`closest`](Self::closest) by packets of 16 with the flag for coherent rays.
    pub(crate) fn closest_of_16(&self, rays: &[Ray], hits: &mut [Option<EmbreeHit>]) {
        let mut arguments = RtcArguments::for_packets(true);
        for (rays, hits) in rays.chunks(16).zip(hits.chunks_mut(16)) {
            let mut packet = RayHit16 { ray: Ray16::new(rays), hit: Hit16::NONE };
            let valid = Valid16::first(rays.len());
            self.scene.intersect16(&valid, &mut packet, &mut arguments);
            for (lane, hit) in hits.iter_mut().enumerate() {
                *hit = packet.found(lane).map(|found| (packet.hit.instance_id[lane], found));
            }
        }
    }

    /// [`occluded`](Self::occluded) by packets of 16 with the flag for coherent rays.
    pub(crate) fn occluded_of_16(&self, rays: &[Ray], occluded: &mut [bool]) {
        let mut arguments = RtcArguments::for_packets(true);
        for (rays, occluded) in rays.chunks(16).zip(occluded.chunks_mut(16)) {
            let (mut packet, valid) = (Ray16::new(rays), Valid16::first(rays.len()));
            self.scene.occluded16(&valid, &mut packet, &mut arguments);
            for (lane, occluded) in occluded.iter_mut().enumerate() {
                *occluded = packet.t_far[lane] == f32::NEG_INFINITY;
            }
        }
    }
}

fn top_level(
    device: &MeteredDevice,
    meshes: &[Embree],
    poses: &[(usize, DAffine3)],
) -> Result<scene::Scene, String> {
    let Setup { quality, scene_flags, .. } = Setup::default();
    let scene = scene::Scene::new(&device.device, quality, scene_flags)?;
    for &(mesh, pose) in poses {
        scene.attach_instance(&device.device, &meshes[mesh].scene, &columns(pose));
    }
    scene.commit(&device.device)?;
    Ok(scene)
}

fn columns(pose: DAffine3) -> [f32; 12] {
    pose.to_cols_array().map(|x| x as f32)
}
