//! The entities that the pointer or camera of a ray picks.

use std::{fmt, sync::Arc};

use crate::{
    bevy_api::{Component, Entity, Reflect, ReflectComponent, ReflectDefault},
    hit::HitscanHit,
};

/// The entities and hits that a camera or a pointer picks. Insert it on the camera, on the entity of the pointer, or on
/// both; a ray then needs both.
///
/// ```
/// use bevy_ecs::prelude::*;
/// use hitscan_bevy::HitscanPickFilter;
///
/// # let (mut world, handle) = (World::new(), Entity::PLACEHOLDER);
/// // A camera that picks the handles of a gizmo alone.
/// world.spawn(HitscanPickFilter::new(move |entity| entity == handle));
/// // A pointer that picks through the holes of a texture, here a stripe.
/// let is_solid = |u: f32| u < 0.5;
/// world.spawn(HitscanPickFilter::of_hits(move |hit| hit.uv.is_none_or(|uv| is_solid(uv.x))));
/// ```
#[derive(Component, Clone, Default, Reflect)]
#[reflect(opaque)]
#[reflect(Component, Default, Clone, Debug)]
pub struct HitscanPickFilter {
    /// Whether rays may hit an entity; all of them without a rule.
    pub accept: Option<Arc<dyn Fn(Entity) -> bool + Send + Sync>>,
    /// Whether a hit counts. The ray goes on through one that does not.
    pub accept_hit: Option<Arc<dyn Fn(&HitscanHit) -> bool + Send + Sync>>,
}

impl HitscanPickFilter {
    /// A rule for entities.
    pub fn new(accept: impl Fn(Entity) -> bool + Send + Sync + 'static) -> Self {
        Self { accept: Some(Arc::new(accept)), accept_hit: None }
    }

    /// A rule for hits, as for the holes of an alpha texture.
    pub fn of_hits(accept: impl Fn(&HitscanHit) -> bool + Send + Sync + 'static) -> Self {
        Self { accept: None, accept_hit: Some(Arc::new(accept)) }
    }

    pub(crate) fn accepts(&self, entity: Entity) -> bool {
        self.accept.as_ref().is_none_or(|accept| accept(entity))
    }

    pub(crate) fn accepts_hit(&self, hit: &HitscanHit) -> bool {
        self.accept_hit.as_ref().is_none_or(|accept| accept(hit))
    }
}

impl fmt::Debug for HitscanPickFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HitscanPickFilter")
            .field("accept", &self.accept.as_ref().map(|_| "…"))
            .field("accept_hit", &self.accept_hit.as_ref().map(|_| "…"))
            .finish()
    }
}
