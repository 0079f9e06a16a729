//! Picks and snaps, with their options.

use glam::{DVec2, DVec3};
use hitscan_scene::{InstanceId, QueryOptions, SceneHit};

use crate::element::{Element, ElementKind};

/// An element of the scene under or near the cursor; see [`Picker::pick`](crate::Picker::pick).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pick {
    /// The instance of the element.
    pub instance: InstanceId,
    /// The element: the instance itself, or a face, edge or vertex of its mesh.
    pub element: Element,
    /// The point of the element nearest to the cursor on the screen, in world space.
    pub point: DVec3,
    /// The image of that point, in pixels.
    pub pixel: DVec2,
    /// The distance from the cursor, in pixels; 0 for an element under the cursor.
    pub pixel_distance: f64,
    /// The distance of the point from the near plane along its line of sight, in world units.
    pub distance: f64,
    /// The hit of the cursor's ray; `None` unless the element is an object or face under the cursor.
    pub hit: Option<SceneHit>,
}

/// The options of a pick.
#[derive(Clone, Copy, Debug)]
pub struct PickOptions<'a> {
    /// The kind of element.
    pub kind: ElementKind,
    /// The maximum distance of an element from the cursor, in pixels. Negative or NaN finds no element
    /// beside the cursor. Edges, vertices and faces of zero area need a positive radius, because a ray
    /// hits them only by chance.
    pub radius: f64,
    /// Whether to pick elements behind surfaces.
    pub x_ray: bool,
    /// The instances and the sides of triangles that the pick includes, and that hide others.
    pub query: QueryOptions<'a>,
}

impl PickOptions<'_> {
    /// Visible elements of a kind: objects and faces under the cursor, edges and vertices within 8 pixels
    /// of it.
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

/// A kind of point to snap to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SnapTarget {
    /// A vertex.
    Vertex,
    /// The midpoint of an edge in space.
    EdgeMidpoint,
    /// The point of an edge nearest to the cursor.
    Edge,
    /// The point of a surface under the cursor, or the nearest one within the radius.
    Face,
}

/// The options of a snap.
#[derive(Clone, Copy, Debug)]
pub struct SnapOptions<'a> {
    /// The targets in order of priority. An earlier target wins over a later one, even if the later one is
    /// nearer to the cursor.
    pub targets: &'a [SnapTarget],
    /// The maximum distance of a target from the cursor, in pixels.
    pub radius: f64,
    /// Whether to snap to targets behind surfaces.
    pub x_ray: bool,
    /// The instances to snap to. Put the dragged instances in its `ignore`.
    pub query: QueryOptions<'a>,
}

impl Default for SnapOptions<'_> {
    /// Visible targets within 8 pixels, in the order vertex, midpoint, edge, face.
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

/// The result of a snap; see [`Picker::snap`](crate::Picker::snap).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Snap {
    /// The kind of target.
    pub target: SnapTarget,
    /// The element, and the point to snap to.
    pub pick: Pick,
}
