//! What rays are cast at: a tree, a scene, or a scan of all triangles.

use std::fmt::Debug;

use hitscan::primitives::brute_force::BruteForce;
use hitscan::scene::{QueryOptions, Scene, SceneBruteForce, SceneHit, WorldRay};
use hitscan::{Faces, Hit, HitMode, HitOptions, MeshBvh, Ray};
use rayon::prelude::*;

use super::found::{Found, Lists};

/// A structure that answers rays. A batch runs the queries of single rays on all threads, unless the library
/// has one.
pub(crate) trait RayCaster: Sync {
    type Ray: Copy + Send + Sync + Debug;
    type Hit: Copy + Send + Into<Found>;

    fn closest(&self, ray: &Self::Ray, faces: Faces) -> Option<Self::Hit>;

    fn is_occluded(&self, ray: &Self::Ray, faces: Faces) -> bool;

    /// All hits, sorted along the ray.
    fn all(&self, ray: &Self::Ray, faces: Faces, mode: HitMode) -> Vec<Self::Hit>;

    /// The number of crossings of the surface.
    fn count(&self, ray: &Self::Ray, faces: Faces) -> u32 {
        self.all(ray, faces, HitMode::OncePerCrossing).len() as u32
    }

    /// The first `n` hits.
    fn nearest(&self, ray: &Self::Ray, n: usize, faces: Faces, mode: HitMode) -> Vec<Self::Hit> {
        let mut hits = self.all(ray, faces, mode);
        hits.truncate(n);
        hits
    }

    fn closest_batch(&self, rays: &[Self::Ray], faces: Faces, hits: &mut [Option<Self::Hit>]) {
        let pairs = rays.par_iter().zip(hits);
        pairs.for_each(|(ray, hit)| *hit = self.closest(ray, faces));
    }

    fn is_occluded_batch(&self, rays: &[Self::Ray], faces: Faces, occluded: &mut [bool]) {
        let pairs = rays.par_iter().zip(occluded);
        pairs.for_each(|(ray, occluded)| *occluded = self.is_occluded(ray, faces));
    }

    fn all_batch(&self, rays: &[Self::Ray], faces: Faces, mode: HitMode) -> Lists<Self::Hit> {
        let lists = rays.par_iter().map(|ray| self.all(ray, faces, mode));
        lists.collect::<Vec<_>>().into()
    }

    fn count_batch(&self, rays: &[Self::Ray], faces: Faces, counts: &mut [u32]) {
        rays.par_iter().zip(counts).for_each(|(ray, count)| *count = self.count(ray, faces));
    }
}

impl RayCaster for MeshBvh {
    type Ray = Ray;
    type Hit = Hit;

    fn closest(&self, ray: &Ray, faces: Faces) -> Option<Hit> {
        self.closest_hit(ray, faces)
    }

    fn is_occluded(&self, ray: &Ray, faces: Faces) -> bool {
        self.is_occluded(ray, faces)
    }

    fn all(&self, ray: &Ray, faces: Faces, mode: HitMode) -> Vec<Hit> {
        self.all_hits(ray, &HitOptions { faces, mode })
    }

    fn count(&self, ray: &Ray, faces: Faces) -> u32 {
        self.count_crossings(ray, faces) as u32
    }

    fn nearest(&self, ray: &Ray, n: usize, faces: Faces, mode: HitMode) -> Vec<Hit> {
        let mut hits = Vec::new();
        self.nearest_hits_into(ray, n, &HitOptions { faces, mode }, &mut hits);
        hits
    }

    fn closest_batch(&self, rays: &[Ray], faces: Faces, hits: &mut [Option<Hit>]) {
        self.closest_hit_batch(rays, faces, hits);
    }

    fn is_occluded_batch(&self, rays: &[Ray], faces: Faces, occluded: &mut [bool]) {
        self.is_occluded_batch(rays, faces, occluded);
    }

    fn all_batch(&self, rays: &[Ray], faces: Faces, mode: HitMode) -> Lists<Hit> {
        let lists = self.all_hits_batch(rays, &HitOptions { faces, mode });
        Lists { starts: lists.starts, hits: lists.hits }
    }

    fn count_batch(&self, rays: &[Ray], faces: Faces, counts: &mut [u32]) {
        self.count_crossings_batch(rays, faces, counts);
    }
}

impl RayCaster for BruteForce<'_> {
    type Ray = Ray;
    type Hit = Hit;

    fn closest(&self, ray: &Ray, faces: Faces) -> Option<Hit> {
        self.closest_hit(ray, faces)
    }

    fn is_occluded(&self, ray: &Ray, faces: Faces) -> bool {
        self.is_occluded(ray, faces)
    }

    fn all(&self, ray: &Ray, faces: Faces, mode: HitMode) -> Vec<Hit> {
        self.all_hits(ray, &HitOptions { faces, mode })
    }
}

/// The instances of a scene that options choose. The sides and the mode are those of each question.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SceneCaster<'a> {
    pub(crate) scene: &'a Scene,
    pub(crate) options: QueryOptions<'a>,
}

impl RayCaster for SceneCaster<'_> {
    type Ray = WorldRay;
    type Hit = SceneHit;

    fn closest(&self, ray: &WorldRay, faces: Faces) -> Option<SceneHit> {
        self.scene.closest_hit(ray, &QueryOptions { faces, ..self.options })
    }

    fn is_occluded(&self, ray: &WorldRay, faces: Faces) -> bool {
        self.scene.is_occluded(ray, &QueryOptions { faces, ..self.options })
    }

    fn all(&self, ray: &WorldRay, faces: Faces, mode: HitMode) -> Vec<SceneHit> {
        self.scene.all_hits(ray, &QueryOptions { faces, mode, ..self.options })
    }

    fn count(&self, ray: &WorldRay, faces: Faces) -> u32 {
        self.scene.count_crossings(ray, &QueryOptions { faces, ..self.options }) as u32
    }

    fn nearest(&self, ray: &WorldRay, n: usize, faces: Faces, mode: HitMode) -> Vec<SceneHit> {
        let options = QueryOptions { faces, mode, ..self.options };
        let mut hits = Vec::new();
        self.scene.nearest_hits_into(ray, n, &options, &mut hits);
        hits
    }

    fn closest_batch(&self, rays: &[WorldRay], faces: Faces, hits: &mut [Option<SceneHit>]) {
        self.scene.closest_hit_batch(rays, &QueryOptions { faces, ..self.options }, hits);
    }

    fn is_occluded_batch(&self, rays: &[WorldRay], faces: Faces, occluded: &mut [bool]) {
        self.scene.is_occluded_batch(rays, &QueryOptions { faces, ..self.options }, occluded);
    }
}

/// A scan of the instances of a scene that options choose.
#[derive(Debug)]
pub(crate) struct SceneScan<'a> {
    pub(crate) scan: SceneBruteForce<'a>,
    pub(crate) options: QueryOptions<'a>,
}

impl RayCaster for SceneScan<'_> {
    type Ray = WorldRay;
    type Hit = SceneHit;

    fn closest(&self, ray: &WorldRay, faces: Faces) -> Option<SceneHit> {
        self.scan.closest_hit(ray, &QueryOptions { faces, ..self.options })
    }

    fn is_occluded(&self, ray: &WorldRay, faces: Faces) -> bool {
        self.scan.is_occluded(ray, &QueryOptions { faces, ..self.options })
    }

    fn all(&self, ray: &WorldRay, faces: Faces, mode: HitMode) -> Vec<SceneHit> {
        self.scan.all_hits(ray, &QueryOptions { faces, mode, ..self.options })
    }
}
