//! What belongs to a hit, computed when asked for.

use glam::{DVec2, DVec3};
use hitscan_primitives::{FaceRecords, Hit, Side, closest_point_on_segment};

use crate::{InstanceId, Mesh, Scene, SceneHit, scene::Record};

/// A hit with the scene it is of: everything that can be said about it, each computed when asked for.
///
/// All positions and directions are in world space.
#[derive(Clone, Copy, Debug)]
pub struct HitDetails<'a> {
    scene: &'a Scene,
    record: &'a Record,
    mesh: &'a Mesh,
    hit: Hit,
}

/// The vertex nearest to a hit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestVertex {
    /// The vertex, by its place in the mesh.
    pub vertex: u32,
    /// Where it is.
    pub position: DVec3,
    /// How far it is from the hit.
    pub distance: f64,
}

/// The edge nearest to a hit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestEdge {
    /// Its ends, by their place in the mesh, in the order of the polygon.
    pub vertices: [u32; 2],
    /// The point of the edge that is nearest to the hit.
    pub point: DVec3,
    /// How far that is from the hit.
    pub distance: f64,
}

/// Where a ray that leaves a surface can start without meeting it again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SafeOrigin {
    /// The point.
    pub point: DVec3,
    /// How far it is from the hit, along the normal.
    pub offset: f64,
}

impl Scene {
    /// The details of a hit; `None` if its instance or triangle is no longer there.
    pub fn describe(&self, hit: &SceneHit) -> Option<HitDetails<'_>> {
        let record = self.record(hit.instance)?;
        let mesh = record.instance.mesh.as_deref()?;
        let exists = (hit.local.triangle as usize) < mesh.tri_mesh().triangles().len();
        exists.then_some(HitDetails { scene: self, record, mesh, hit: hit.local })
    }

    /// Whether the surface at a hit is at least as opaque as `threshold`, of 255: the filter for
    /// textures with holes. `false` for a hit whose instance or triangle is no longer there.
    ///
    /// ```
    /// use hitscan_scene::{QueryOptions, Scene, WorldRay};
    ///
    /// let scene = Scene::new();
    /// let ray = WorldRay::new([0.0; 3], [0.0, 0.0, 1.0]);
    /// let options = QueryOptions::default();
    /// let hit = scene.closest_hit_where(&ray, &options, |hit| scene.is_opaque(hit, 128));
    /// assert_eq!(hit, None);
    /// ```
    pub fn is_opaque(&self, hit: &SceneHit, threshold: u8) -> bool {
        self.describe(hit).is_some_and(|details| details.alpha() >= threshold)
    }
}

impl<'a> HitDetails<'a> {
    /// The instance and its ancestors, from the root down to itself.
    pub fn path(&self) -> Vec<InstanceId> {
        self.scene.path(self.record.id)
    }

    /// The mesh that was hit.
    pub fn mesh(&self) -> &'a Mesh {
        self.mesh
    }

    /// The side that the ray came from.
    pub fn side(&self) -> Side {
        self.hit.side
    }

    /// The point of the hit, from the corners of the triangle and its weights: it lies on the surface,
    /// up to the rounding of f64, whatever distance it was hit from.
    pub fn point(&self) -> DVec3 {
        self.record.place.placement.world.transform_point3(self.mesh.tri_mesh().point(&self.hit))
    }

    /// The unit normal of the triangle. It points to the front, that is to the outside of a closed mesh,
    /// under mirrored and stretched transforms too; it is not turned towards the ray.
    pub fn normal(&self) -> DVec3 {
        self.world_normal(self.mesh.tri_mesh().unit_normal(self.hit.triangle)).normalize_or_zero()
    }

    /// The unit normal between those that the mesh has at the triangle's corners; `None` if it has none
    /// there, or they cancel.
    pub fn interpolated_normal(&self) -> Option<DVec3> {
        let normals = self.mesh.tri_mesh().attributes().normals_of(self.hit.triangle)?;
        let [a, b, c] = normals.map(|normal| normal.as_dvec3().normalize_or_zero());
        let (u, v) = (f64::from(self.hit.u), f64::from(self.hit.v));
        self.world_normal((1.0 - u - v) * a + u * b + v * c).try_normalize()
    }

    /// A normal by the inverse transpose, of any length.
    fn world_normal(&self, normal: DVec3) -> DVec3 {
        self.record.place.placement.frame.inverse_linear.transpose() * normal
    }

    /// The texture coordinates; `None` if a corner has none.
    pub fn uv(&self) -> Option<DVec2> {
        self.mesh.uv(&self.hit)
    }

    /// The opacity by the material's mask: 0 is a hole, 255 opaque or without a mask.
    pub fn alpha(&self) -> u8 {
        self.mesh.alpha(&self.hit)
    }

    /// The triangle, by its place in the mesh.
    pub fn triangle(&self) -> u32 {
        self.hit.triangle
    }

    /// The polygon that the triangle was cut from; `None` without records.
    pub fn polygon(&self) -> Option<u32> {
        Some(self.records()?.polygon(self.hit.triangle))
    }

    /// The name of the object in the file.
    pub fn object(&self) -> Option<&'a str> {
        self.records()?.object(self.polygon()?)
    }

    /// The names of the groups in the file, separated by spaces.
    pub fn group(&self) -> Option<&'a str> {
        self.records()?.group(self.polygon()?)
    }

    /// The name of the material.
    pub fn material(&self) -> Option<&'a str> {
        self.records()?.material(self.polygon()?)
    }

    /// The line of the file that the polygon stands on, from 1.
    pub fn line(&self) -> Option<u64> {
        self.records()?.lines.get(self.polygon()?)
    }

    fn records(&self) -> Option<&'a FaceRecords> {
        self.mesh.tri_mesh().records()
    }

    fn position(&self, vertex: u32) -> DVec3 {
        let position = self.mesh.tri_mesh().positions()[vertex as usize];
        self.record.place.placement.world.transform_point3(position.as_dvec3())
    }

    /// The vertex of the polygon that is nearest to the hit in the world; of equally near ones the
    /// first. O(corners of the polygon).
    pub fn nearest_vertex(&self) -> NearestVertex {
        let point = self.point();
        let triangles = self.mesh.polygon_triangles(self.hit.triangle);
        let corners = triangles.flat_map(|t| self.mesh.tri_mesh().triangles()[t as usize]);
        let mut nearest = NearestVertex { vertex: 0, position: point, distance: f64::INFINITY };
        for vertex in corners {
            let position = self.position(vertex);
            let distance = position.distance(point);
            if distance < nearest.distance
                || distance == nearest.distance && vertex < nearest.vertex
            {
                nearest = NearestVertex { vertex, position, distance };
            }
        }
        nearest
    }

    /// The edge of the polygon that is nearest to the hit in the world, none of the diagonals by which
    /// it was cut into triangles; of equally near ones the first. `None` for a polygon that has only
    /// diagonals, folded onto itself. O(corners of the polygon).
    pub fn nearest_edge(&self) -> Option<NearestEdge> {
        let point = self.point();
        let edges = self.mesh.polygon_edges(self.hit.triangle).into_iter().map(|vertices| {
            let [a, b] = vertices.map(|vertex| self.position(vertex));
            let (nearest, _) = closest_point_on_segment(a, b, point);
            NearestEdge { vertices, point: nearest, distance: nearest.distance(point) }
        });
        edges.min_by(|a, b| a.distance.total_cmp(&b.distance).then(a.vertices.cmp(&b.vertices)))
    }

    /// Where a ray can start that leaves the surface along `direction`, on whichever side that is: it
    /// does not hit the triangle again, nor another one in the same plane.
    ///
    /// The point is off the hit along the normal, by 2^-17 of the largest coordinate of the mesh in its
    /// own space, as measured there across the triangle's plane. That is more than twice what the start
    /// of the local ray (rounded to f32 within 3 u M, with u = 2^-24 and M that coordinate) and the
    /// height above the plane in the ray's test (within 24 u M) are off together. What f64 rounds on the
    /// way is added: next to nothing but far from the world's origin, and under transforms that nearly
    /// flatten. The idea is that of
    /// Wächter and Binder, "A Fast and Robust Method for Avoiding Self-Intersection" (2019); where they
    /// step by units in the last place of the point, the bound here is that of our own test.
    ///
    /// No promise is made for meshes with coordinates beyond 2^40, whose triangles may mix magnitudes
    /// that f32 cannot hold together.
    pub fn safe_origin(&self, direction: impl Into<[f64; 3]>) -> SafeOrigin {
        const SHARE: f64 = 1.0 / (1 << 17) as f64;
        let point = self.point();
        let normal = self.world_normal(self.mesh.tri_mesh().unit_normal(self.hit.triangle));
        let reach = f64::from(self.mesh.tri_mesh().bounds().max_abs_coordinate());
        // A step along the unit normal in the world crosses `normal.length()` as much in the mesh's
        // space.
        let offset = SHARE * reach / normal.length() + self.record.place.placement.rounding;
        let side = DVec3::from_array(direction.into()).dot(normal).signum();
        SafeOrigin { point: point + side * offset * normal.normalize_or_zero(), offset }
    }
}
