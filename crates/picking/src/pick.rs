//! What a pick says, and what can be asked of one.

use glam::{DVec2, DVec3};
use hitscan_scene::{InstanceId, QueryOptions, SceneHit};

use crate::element::{Element, ElementKind};

/// An element of the scene under or near the cursor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pick {
    /// The instance.
    pub instance: InstanceId,
    /// The instance itself, or a part of its mesh.
    pub element: Element,
    /// The point of the element that is seen nearest to the cursor, in world space.
    pub point: DVec3,
    /// Where that point is seen, in pixels.
    pub pixel: DVec2,
    /// How far that is from the cursor, in pixels; 0 for what is under it.
    pub pixel_distance: f64,
    /// How far the point is from the near plane along its line of sight, in world units.
    pub distance: f64,
    /// The hit of the cursor's ray, if the element is an object or face that it hits.
    pub hit: Option<SceneHit>,
}

/// What a pick looks for.
#[derive(Clone, Copy, Debug)]
pub struct PickOptions<'a> {
    /// The kind of element.
    pub kind: ElementKind,
    /// How far from the cursor an element may be seen, in pixels. Edges and vertices have no area, so
    /// they need a radius to be picked at all; so do faces of zero area, which a ray hits by chance.
    pub radius: f64,
    /// Whether elements count that are hidden behind surfaces.
    pub x_ray: bool,
    /// Which instances, and which sides of their triangles, can be picked; and which hide others.
    pub query: QueryOptions<'a>,
}

impl PickOptions<'_> {
    /// What is visible of a kind: objects and faces under the cursor itself, edges and vertices
    /// within 8 pixels of it.
    pub fn for_kind(kind: ElementKind) -> Self {
        let radius = match kind {
            ElementKind::Object | ElementKind::Face => 0.0,
            ElementKind::Edge | ElementKind::Vertex => 8.0,
        };
        Self { kind, radius, x_ray: false, query: QueryOptions::default() }
    }
}

impl Default for PickOptions<'_> {
    /// The visible object under the cursor.
    fn default() -> Self {
        Self::for_kind(ElementKind::Object)
    }
}

/// What a snap can end on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SnapTarget {
    /// A vertex.
    Vertex,
    /// The middle of an edge, in space.
    EdgeMidpoint,
    /// The nearest point of an edge.
    Edge,
    /// The point of a surface under the cursor, or the nearest one beside it.
    Face,
}

/// What a snap looks for.
#[derive(Clone, Copy, Debug)]
pub struct SnapOptions<'a> {
    /// The targets, the most wanted first: a target comes before all others behind it in this list,
    /// however near they are to the cursor.
    pub targets: &'a [SnapTarget],
    /// How far from the cursor a target may be seen, in pixels.
    pub radius: f64,
    /// Whether targets count that are hidden behind surfaces.
    pub x_ray: bool,
    /// Which instances can be snapped to. What is being dragged belongs in its `ignore`.
    pub query: QueryOptions<'a>,
}

impl Default for SnapOptions<'_> {
    /// A visible vertex within 8 pixels, or else the middle of an edge, an edge, a face.
    fn default() -> Self {
        use SnapTarget::{Edge, EdgeMidpoint, Face, Vertex};
        Self {
            targets: &[Vertex, EdgeMidpoint, Edge, Face],
            radius: 8.0,
            x_ray: false,
            query: QueryOptions::default(),
        }
    }
}

/// Where a snap ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Snap {
    /// What was snapped to.
    pub target: SnapTarget,
    /// The element, and the point to snap to.
    pub pick: Pick,
}
