//! Points and lines, which queries pick within a radius in pixels.

use std::sync::Arc;

use hitscan::{
    glam::{DVec2, DVec3},
    picking::{PolylineError, PolylinePick, Polylines, View},
};

use crate::{
    bevy_api::{
        Component, Entity, GlobalTransform, InheritedVisibility, Mesh, Query, Reflect,
        ReflectComponent, SystemParam, Vec2, Vec3, lines_of,
    },
    convert,
};

/// The points or lines of an entity, in its own space, which [`HitscanScene::pick_line`](crate::HitscanScene::pick_line)
/// picks within a radius in pixels. Rays and pointers pass them, because they have no surface.
///
/// ```
/// use bevy_ecs::prelude::*;
/// use bevy_transform::components::Transform;
/// use hitscan_bevy::{HitscanLines, hitscan::picking::Polylines};
///
/// # let mut world = World::new();
/// let wire = Polylines::new([vec![[0.0, 0.0, 0.0], [1.0, 2.0, 0.0], [2.0, 0.0, 0.0]]])?;
/// world.spawn((HitscanLines::new(wire), Transform::from_xyz(5.0, 0.0, 0.0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Component, Clone, Debug, Reflect)]
#[reflect(opaque)]
#[reflect(Component, Clone, Debug)]
pub struct HitscanLines {
    lines: Arc<Polylines>,
}

impl HitscanLines {
    /// Points or lines that entities may share.
    pub fn new(lines: impl Into<Arc<Polylines>>) -> Self {
        Self { lines: lines.into() }
    }

    /// The lines of a mesh whose topology is `LineList` (each an item), `LineStrip` (one item) or `PointList` (each an
    /// item). `None` for another topology, an index out of range, or positions that are missing or in the render world
    /// only. A later change of the mesh needs a new component.
    ///
    /// # Errors
    /// Those of [`Polylines::new`].
    pub fn from_mesh(mesh: &Mesh) -> Option<Result<Self, PolylineError>> {
        Some(Polylines::new(lines_of(mesh)?).map(Self::new))
    }

    /// The points or lines.
    pub fn lines(&self) -> &Polylines {
        &self.lines
    }
}

/// How [`HitscanScene::pick_line`](crate::HitscanScene::pick_line) picks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinePickOptions {
    /// The largest distance from the cursor, in logical pixels; 8 by default.
    pub radius: f32,
    /// Whether to pick only points that no visible surface hides from the camera, apart from those of ignored entities.
    pub visible_only: bool,
}

impl Default for LinePickOptions {
    fn default() -> Self {
        Self { radius: 8.0, visible_only: false }
    }
}

/// A point or line near the cursor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SceneLinePick {
    /// The entity of the line.
    pub entity: Entity,
    /// The index of the point or line among those of the entity.
    pub item: u32,
    /// The index of the segment in the line; 0 for a point.
    pub segment: u32,
    /// The point of the line nearest to the cursor on the screen, in world space.
    pub point: Vec3,
    /// The image of that point, in logical pixels of the camera's target.
    pub pixel: Vec2,
    /// The distance from the cursor, in logical pixels.
    pub pixel_distance: f32,
}

/// The entities with points or lines.
#[derive(SystemParam)]
pub(crate) struct Lines<'w, 's> {
    entities: Query<
        'w,
        's,
        (
            Entity,
            &'static HitscanLines,
            &'static GlobalTransform,
            Option<&'static InheritedVisibility>,
        ),
    >,
}

impl Lines<'_, '_> {
    /// The item nearest to a pixel, among the entities that `accepts` and the points that `sees`. Ties go to the entity
    /// with the lower index.
    pub(crate) fn pick(
        &self,
        view: &View,
        (pixel, radius): (DVec2, f64),
        include_hidden: bool,
        accepts: impl Fn(Entity) -> bool,
        sees: impl Fn(DVec3) -> bool,
    ) -> Option<SceneLinePick> {
        let mut nearest: Option<(Entity, PolylinePick)> = None;
        for (entity, lines, transform, visibility) in &self.entities {
            let is_hidden = visibility.is_some_and(|visibility| !visibility.get());
            if (is_hidden && !include_hidden) || !accepts(entity) {
                continue;
            }
            let to_world = convert::daffine3(transform);
            let radius = nearest.map_or(radius, |(_, nearest)| nearest.pixel_distance);
            let pick =
                lines.lines.pick_where(view, &to_world, pixel, radius, |pick| sees(pick.point));
            if let Some(pick) = pick {
                let key =
                    |entity: Entity, pick: &PolylinePick| (pick.pixel_distance, entity.index_u32());
                if nearest.is_none_or(|(other, known)| key(entity, &pick) < key(other, &known)) {
                    nearest = Some((entity, pick));
                }
            }
        }
        let (entity, pick) = nearest?;
        Some(SceneLinePick {
            entity,
            item: pick.item,
            segment: pick.segment,
            point: convert::vec3(pick.point),
            pixel: convert::vec2(pick.pixel),
            pixel_distance: pick.pixel_distance as f32,
        })
    }
}
