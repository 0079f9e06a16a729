//! Drawing for development, by Bevy's gizmos: hits, boxes of instances, outlines.
//!
//! [`HitscanDebugPlugin`] draws what [`HitscanDebug`] selects. [`Outline`] and the functions draw single
//! things from your systems.

use std::collections::HashMap;

use hitscan::scene::WorldBox;

use crate::{
    bevy_api::{
        App, Color, Gizmos, GlobalTransform, HoverMap, IntoScheduleConfigs, Mesh, MeshData, Plugin,
        PostUpdate, Reflect, ReflectDefault, ReflectResource, Res, Resource, Srgba, Vec3,
    },
    convert,
    hit::HitscanHit,
    mirror::HitscanWorld,
    picking::HitscanSystems,
    source::Copying,
};

/// Draws what [`HitscanDebug`] selects, each frame.
///
/// Needs Bevy's `GizmoPlugin` and `InteractionPlugin`, which `DefaultPlugins` has.
#[derive(Clone, Copy, Debug, Default)]
pub struct HitscanDebugPlugin;

impl Plugin for HitscanDebugPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<HitscanDebug>()
            .register_type::<HitscanDebug>()
            .add_systems(PostUpdate, (draw_hits, draw_boxes).after(HitscanSystems));
    }
}

/// What [`HitscanDebugPlugin`] draws: everything, unless you change it.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Resource, Default, Clone, Debug, PartialEq)]
pub struct HitscanDebug {
    /// Whether to draw the triangle and normal under each pointer.
    pub hits: bool,
    /// Whether to draw the box of each entity that has a tree.
    pub boxes: bool,
    /// The colour of hits.
    pub hit_color: Color,
    /// The colour of the boxes of current trees.
    pub box_color: Color,
    /// The colour of the boxes of trees that do not show the current content of their mesh.
    pub stale_color: Color,
}

impl Default for HitscanDebug {
    fn default() -> Self {
        Self {
            hits: true,
            boxes: true,
            hit_color: Srgba::rgb(1.0, 0.85, 0.2).into(),
            box_color: Srgba::rgb(0.3, 0.6, 0.5).into(),
            stale_color: Srgba::rgb(0.9, 0.5, 0.1).into(),
        }
    }
}

/// Draws the triangle of a hit, and its normal with a length in world units.
pub fn draw_hit(gizmos: &mut Gizmos<'_, '_>, hit: &HitscanHit, normal_length: f32, color: Color) {
    if let Some(corners) = hit.corners {
        gizmos.lineloop(corners, color);
    }
    gizmos.line(hit.point, hit.point + normal_length * hit.normal, color);
}

/// Draws the edges of a box.
pub fn draw_box(gizmos: &mut Gizmos<'_, '_>, bounds: &WorldBox, color: Color) {
    let [min, max] = [bounds.min, bounds.max].map(convert::vec3);
    let corner = |i: usize| {
        let [x, y, z] =
            [0, 1, 2].map(|axis| if i >> axis & 1 == 0 { min[axis] } else { max[axis] });
        Vec3::new(x, y, z)
    };
    for from in 0..8 {
        for to in [1, 2, 4].map(|bit| from | bit).into_iter().filter(|&to| to != from) {
            gizmos.line(corner(from), corner(to), color);
        }
    }
}

/// The edges of a mesh with the normals of their triangles, which draw its outline from any side.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    edges: Vec<OutlineEdge>,
}

#[derive(Clone, Debug)]
struct OutlineEdge {
    ends: [Vec3; 2],
    /// The normals of its two triangles, not normalised; `None` for an edge of one triangle.
    normals: [Option<Vec3>; 2],
}

impl Outline {
    /// The edges of a mesh, at rest. Empty for a mesh that has no tree. O(triangles).
    pub fn new(mesh: &Mesh) -> Self {
        let Ok(data) = MeshData::new(mesh) else { return Self::default() };
        let mut copying = Copying::default();
        copying.step(&data, &mut usize::MAX.clone());
        let Ok(triangles) = copying.finish() else { return Self::default() };
        let tri_mesh = triangles.tri_mesh;
        let mut edges: Vec<OutlineEdge> = vec![];
        // By position, because flat-shaded meshes repeat their vertices. Those along the seam of a sphere
        // differ by rounding.
        const MERGE_SHARE: f32 = 1e-5;
        let size =
            tri_mesh.positions().iter().fold(0.0, |size: f32, p| size.max(p.abs().max_element()));
        let per_step = (MERGE_SHARE * size).max(f32::MIN_POSITIVE).recip();
        let mut known: HashMap<[[i32; 3]; 2], usize> = HashMap::new();
        for triangle in 0..tri_mesh.triangles().len() as u32 {
            let corners = tri_mesh.corners(triangle).map(|p| Vec3::from_array(p.to_array()));
            let [a, b, c] = corners;
            let normal = (b - a).cross(c - a);
            for (from, to) in [(a, b), (b, c), (c, a)] {
                let mut key =
                    [from, to].map(|p| p.to_array().map(|x| (x * per_step).round() as i32));
                key.sort_unstable();
                match known.get(&key) {
                    Some(&edge) => edges[edge].normals[1] = Some(normal),
                    None => {
                        known.insert(key, edges.len());
                        edges.push(OutlineEdge { ends: [from, to], normals: [Some(normal), None] });
                    }
                }
            }
        }
        Self { edges }
    }

    /// The lines of the outline as seen from a point, in world space: edges of one triangle, and edges
    /// between a triangle that faces the eye and one that does not.
    pub fn lines(&self, transform: &GlobalTransform, eye: Vec3) -> impl Iterator<Item = [Vec3; 2]> {
        let to_world = transform.affine();
        let eye = to_world.inverse().transform_point3(eye);
        let seen = self.edges.iter().filter(move |edge| {
            let faces = edge
                .normals
                .map(|normal| normal.map(|normal| normal.dot(eye - edge.ends[0]) > 0.0));
            faces[0] != faces[1]
        });
        seen.map(move |edge| edge.ends.map(|end| to_world.transform_point3(end)))
    }

    /// Draws the outline as seen from a point. O(edges).
    pub fn draw(
        &self,
        gizmos: &mut Gizmos<'_, '_>,
        transform: &GlobalTransform,
        eye: Vec3,
        color: Color,
    ) {
        for [from, to] in self.lines(transform, eye) {
            gizmos.line(from, to, color);
        }
    }
}

fn draw_hits(debug: Res<'_, HitscanDebug>, hovers: Res<'_, HoverMap>, mut gizmos: Gizmos<'_, '_>) {
    if !debug.hits {
        return;
    }
    for data in hovers.values().flat_map(|hovered| hovered.values()) {
        if let Some(hit) = data.extra_as::<HitscanHit>() {
            /// A tenth of the distance looks the same near and far.
            const NORMAL_SHARE: f32 = 0.1;
            draw_hit(&mut gizmos, hit, NORMAL_SHARE * hit.distance, debug.hit_color);
        }
    }
}

fn draw_boxes(
    debug: Res<'_, HitscanDebug>,
    world: Res<'_, HitscanWorld>,
    mut gizmos: Gizmos<'_, '_>,
) {
    if !debug.boxes {
        return;
    }
    let mirror = &world.mirror;
    for (id, _) in mirror.scene.iter() {
        let tree = mirror
            .owner(id)
            .and_then(|entity| mirror.get(entity))
            .and_then(|known| mirror.trees.get(known.mesh));
        let is_current = tree.is_some_and(|tree| tree.is_current());
        let color = if is_current { debug.box_color } else { debug.stale_color };
        let posed = mirror.posed_bounds(id);
        if let Some(bounds) = posed.or_else(|| mirror.scene.world_bounds(id)) {
            draw_box(&mut gizmos, &bounds, color);
        }
    }
}

#[cfg(test)]
mod tests {
    use bevy_math::primitives::{Cuboid, Sphere, Torus};
    use bevy_mesh::Meshable;

    use super::*;

    #[test]
    fn the_outline_of_a_cube_seen_from_a_corner_is_a_hexagon() {
        let outline = Outline::new(&Mesh::from(Cuboid::new(2.0, 2.0, 2.0)));
        let eye = Vec3::new(5.0, 6.0, 7.0);
        let lines: Vec<_> = outline.lines(&GlobalTransform::IDENTITY, eye).collect();
        assert_eq!(lines.len(), 6);
        // Neither the corner before the eye nor the one behind is on it.
        let corners = lines.iter().flatten();
        assert!(corners.clone().all(|&p| p != Vec3::ONE && p != Vec3::NEG_ONE));
        // From before a face, the outline is that face.
        let front: Vec<_> =
            outline.lines(&GlobalTransform::IDENTITY, Vec3::new(0.1, 0.2, 9.0)).collect();
        assert_eq!(front.len(), 4);
        assert!(front.iter().flatten().all(|p| p.z == 1.0));
    }

    #[test]
    fn the_seams_of_a_sphere_and_a_torus_are_no_outlines() {
        for mesh in [Sphere::new(0.5).mesh().uv(32, 18), Mesh::from(Torus::new(0.3, 0.7))] {
            let outline = Outline::new(&mesh);
            assert!(outline.edges.iter().all(|edge| edge.normals[1].is_some()));
        }
    }
}
