//! What is measured: a tree or a scene.

use hitscan::scene::{QueryOptions, Scene, SceneBruteForce, SceneHit, WorldRay};
use hitscan::{Faces, Hit, MeshBvh, Ray, TriMesh, brute_force::BruteForce};

/// A structure that answers rays.
pub(crate) trait Target: Sync {
    type Ray: Sync + std::fmt::Debug;
    type Hit: Clone + Send;
    /// The bits of a hit.
    type Bits: PartialEq + Sync;

    fn closest(&self, ray: &Self::Ray) -> Option<Self::Hit>;

    fn is_occluded(&self, ray: &Self::Ray) -> bool;

    fn closest_batch(&self, rays: &[Self::Ray], hits: &mut [Option<Self::Hit>]);

    fn is_occluded_batch(&self, rays: &[Self::Ray], occluded: &mut [bool]);

    /// The closest hit by a scan of all triangles.
    fn scan(&self, ray: &Self::Ray) -> Option<Self::Hit>;

    fn bits(hit: &Self::Hit) -> Self::Bits;
}

/// A mesh with its tree.
pub(crate) struct MeshTarget<'a> {
    tree: &'a MeshBvh,
    scan: BruteForce<'a>,
}

impl<'a> MeshTarget<'a> {
    pub(crate) fn new(mesh: &'a TriMesh, tree: &'a MeshBvh) -> Self {
        Self { tree, scan: BruteForce::new(mesh) }
    }
}

impl Target for MeshTarget<'_> {
    type Ray = Ray;
    type Hit = Hit;
    type Bits = [u32; 5];

    fn closest(&self, ray: &Ray) -> Option<Hit> {
        self.tree.closest_hit(ray, Faces::Both)
    }

    fn is_occluded(&self, ray: &Ray) -> bool {
        self.tree.is_occluded(ray, Faces::Both)
    }

    fn closest_batch(&self, rays: &[Ray], hits: &mut [Option<Hit>]) {
        self.tree.closest_hit_batch(rays, Faces::Both, hits);
    }

    fn is_occluded_batch(&self, rays: &[Ray], occluded: &mut [bool]) {
        self.tree.is_occluded_batch(rays, Faces::Both, occluded);
    }

    fn scan(&self, ray: &Ray) -> Option<Hit> {
        self.scan.closest_hit(ray, Faces::Both)
    }

    fn bits(hit: &Hit) -> [u32; 5] {
        hit.to_bits()
    }
}

/// A scene with its trees.
pub(crate) struct SceneTarget<'a> {
    scene: &'a Scene,
    scan: SceneBruteForce<'a>,
}

impl<'a> SceneTarget<'a> {
    pub(crate) fn new(scene: &'a Scene) -> Self {
        Self { scene, scan: SceneBruteForce::new(scene) }
    }
}

impl Target for SceneTarget<'_> {
    type Ray = WorldRay;
    type Hit = SceneHit;
    type Bits = (u64, u64, [u32; 5]);

    fn closest(&self, ray: &WorldRay) -> Option<SceneHit> {
        self.scene.closest_hit(ray, &QueryOptions::default())
    }

    fn is_occluded(&self, ray: &WorldRay) -> bool {
        self.scene.is_occluded(ray, &QueryOptions::default())
    }

    fn closest_batch(&self, rays: &[WorldRay], hits: &mut [Option<SceneHit>]) {
        self.scene.closest_hit_batch(rays, &QueryOptions::default(), hits);
    }

    fn is_occluded_batch(&self, rays: &[WorldRay], occluded: &mut [bool]) {
        self.scene.is_occluded_batch(rays, &QueryOptions::default(), occluded);
    }

    fn scan(&self, ray: &WorldRay) -> Option<SceneHit> {
        self.scan.closest_hit(ray, &QueryOptions::default())
    }

    fn bits(hit: &SceneHit) -> (u64, u64, [u32; 5]) {
        (hit.t.to_bits(), hit.insertion_order, hit.local.to_bits())
    }
}
