//! Balls along rays: the casts of `--radius`.

use hitscan::primitives::brute_force::BruteForce;
use hitscan::scene::WorldRay;
use hitscan::{Faces, HitMode, MeshBvh, SphereCast};

use super::caster::{RayCaster, SceneCaster, SceneScan};
use super::found::Found;

/// What balls are cast at.
pub(crate) trait BallTarget: Sync {
    /// The first contact.
    fn first(&self, cast: &SphereCast) -> Option<Found>;

    /// Whether there is a contact.
    fn any(&self, cast: &SphereCast) -> bool {
        self.first(cast).is_some()
    }

    /// The first contact with each triangle, sorted along the ray.
    fn each(&self, cast: &SphereCast) -> Vec<Found>;
}

impl BallTarget for MeshBvh {
    fn first(&self, cast: &SphereCast) -> Option<Found> {
        self.sphere_cast(cast).map(Found::Contact)
    }

    fn any(&self, cast: &SphereCast) -> bool {
        self.sphere_cast_any(cast)
    }

    fn each(&self, cast: &SphereCast) -> Vec<Found> {
        self.sphere_cast_all(cast).into_iter().map(Found::Contact).collect()
    }
}

impl BallTarget for BruteForce<'_> {
    fn first(&self, cast: &SphereCast) -> Option<Found> {
        self.sphere_cast(cast).map(Found::Contact)
    }

    fn each(&self, cast: &SphereCast) -> Vec<Found> {
        self.sphere_cast_all(cast).into_iter().map(Found::Contact).collect()
    }
}

impl BallTarget for SceneCaster<'_> {
    fn first(&self, cast: &SphereCast) -> Option<Found> {
        self.scene.sphere_cast(cast, &self.options).map(Found::SceneContact)
    }

    fn any(&self, cast: &SphereCast) -> bool {
        self.scene.sphere_cast_any(cast, &self.options)
    }

    fn each(&self, cast: &SphereCast) -> Vec<Found> {
        let contacts = self.scene.sphere_cast_all(cast, &self.options);
        contacts.into_iter().map(Found::SceneContact).collect()
    }
}

impl BallTarget for SceneScan<'_> {
    fn first(&self, cast: &SphereCast) -> Option<Found> {
        self.each(cast).into_iter().next()
    }

    fn each(&self, cast: &SphereCast) -> Vec<Found> {
        let contacts = self.scan.sphere_cast_all(cast, &self.options);
        contacts.into_iter().map(Found::SceneContact).collect()
    }
}

/// A caster of balls of one radius, whose rays are those of their centres. It ignores sides and modes.
#[derive(Debug)]
pub(crate) struct BallCaster<'a, T> {
    pub(crate) target: &'a T,
    /// Valid: a [`SphereCast`] of it and a valid ray is no error.
    pub(crate) radius: f64,
}

impl<T: BallTarget> BallCaster<'_, T> {
    /// The ball along a ray; `None` if the ray is invalid.
    fn cast(&self, ray: &WorldRay) -> Option<SphereCast> {
        SphereCast::new(*ray, self.radius).ok()
    }
}

impl<T: BallTarget> RayCaster for BallCaster<'_, T> {
    type Ray = WorldRay;
    type Hit = Found;

    fn closest(&self, ray: &WorldRay, _: Faces) -> Option<Found> {
        self.target.first(&self.cast(ray)?)
    }

    fn is_occluded(&self, ray: &WorldRay, _: Faces) -> bool {
        self.cast(ray).is_some_and(|cast| self.target.any(&cast))
    }

    fn all(&self, ray: &WorldRay, _: Faces, _: HitMode) -> Vec<Found> {
        self.cast(ray).map_or_else(Vec::new, |cast| self.target.each(&cast))
    }
}
