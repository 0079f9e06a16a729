//! The options and results of [`HitscanScene`](crate::HitscanScene), in Bevy's types.

use hitscan::{
    Faces,
    picking::{Element, SnapTarget},
    scene::{WorldBox, WorldRegion},
};

use crate::{
    bevy_api::{Entity, RenderLayers, Vec2, Vec3},
    convert,
    hit::HitscanHit,
};

/// The entities that a query of [`HitscanScene`](crate::HitscanScene) includes.
///
/// The default includes the visible entities that are not `Pickable::IGNORE`. Queries through a camera also
/// skip entities that share no render layer with it.
#[derive(Clone, Copy, Default)]
pub struct SceneFilter<'a> {
    /// Entities to skip, for example those that the user drags.
    pub ignore: &'a [Entity],
    /// The caller's own rule: whether a query includes an entity. It costs one call per entity in reach of the
    /// query: on the way of a ray, behind a marquee, near a pixel.
    pub accept: Option<&'a dyn Fn(Entity) -> bool>,
    /// The caller's rule for the hits of rays, as for the holes of an alpha texture: a ray goes on through a hit for
    /// which it returns `false`. Only rays ask it, not the queries through a camera and in space.
    pub accept_hit: Option<&'a dyn Fn(&HitscanHit) -> bool>,
    /// Whether to include entities that `Visibility` hides.
    pub include_hidden: bool,
    /// Whether to include entities that `Pickable` makes not hoverable.
    pub include_unpickable: bool,
    /// The layers to include, in place of the camera's.
    pub layers: Option<&'a RenderLayers>,
    /// The sides of triangles that rays may hit. `None` means the front, and both sides of 2D meshes and of
    /// entities with `RayCastBackfaces`.
    pub faces: Option<Faces>,
}

impl std::fmt::Debug for SceneFilter<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SceneFilter")
            .field("ignore", &self.ignore)
            .field("accept", &self.accept.map(|_| "…"))
            .field("accept_hit", &self.accept_hit.map(|_| "…"))
            .field("include_hidden", &self.include_hidden)
            .field("include_unpickable", &self.include_unpickable)
            .field("layers", &self.layers)
            .field("faces", &self.faces)
            .finish()
    }
}

impl<'a> SceneFilter<'a> {
    /// The default, without these entities.
    pub fn ignoring(ignore: &'a [Entity]) -> Self {
        Self { ignore, ..Self::default() }
    }
}

/// An element under or near the cursor.
#[derive(Clone, Debug, PartialEq)]
pub struct ScenePick {
    /// The entity of the element.
    pub entity: Entity,
    /// The entity as a whole, or a face, edge or vertex of its mesh.
    pub element: Element,
    /// The point of the element nearest to the cursor on the screen, in world space.
    pub point: Vec3,
    /// The image of that point, in logical pixels of the camera's target.
    pub pixel: Vec2,
    /// The distance from the cursor, in logical pixels; 0 under the cursor.
    pub pixel_distance: f32,
    /// The distance of the point from the near plane along its line of sight.
    pub distance: f32,
    /// The hit of the cursor's ray; `None` for elements beside the cursor.
    pub hit: Option<HitscanHit>,
}

/// The point that the cursor snaps to.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneSnap {
    /// The kind of target.
    pub target: SnapTarget,
    /// The element, and the point to snap to.
    pub pick: ScenePick,
}

/// An element that a marquee or lasso selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SceneSelected {
    /// The entity of the element.
    pub entity: Entity,
    /// The entity as a whole, or a face, edge or vertex of its mesh.
    pub element: Element,
}

/// The surface point closest to a given point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SceneClosestPoint {
    /// The entity of the surface.
    pub entity: Entity,
    /// The number of the triangle in its mesh.
    pub triangle: u32,
    /// The point, in world space.
    pub point: Vec3,
    /// The distance from the given point.
    pub distance: f32,
}

/// A ball in world space, for the queries by region.
pub fn sphere_region(center: Vec3, radius: f32) -> WorldRegion {
    WorldRegion::Sphere { center: convert::dvec3(center), radius: radius.into() }
}

/// An axis-aligned box in world space, for the queries by region.
pub fn box_region(min: Vec3, max: Vec3) -> WorldRegion {
    WorldRegion::Box(WorldBox { min: convert::dvec3(min), max: convert::dvec3(max) })
}
