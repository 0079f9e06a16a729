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
    /// How far it is from the hit, along the triangle's normal, or across a triangle of zero area.
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
        self.record.state.placement.world.transform_point3(self.mesh.tri_mesh().point(&self.hit))
    }

    /// The unit normal of the triangle. It points to the front, that is to the outside of a closed mesh,
    /// under mirrored and stretched transforms too; it is not turned towards the ray. `None` for a
    /// triangle of zero area, which has no normal
    /// ([`TriMesh::is_degenerate`](hitscan_primitives::TriMesh::is_degenerate)).
    pub fn normal(&self) -> Option<DVec3> {
        let normal = self.mesh.tri_mesh().unit_normal(self.hit.triangle)?;
        unit(self.world_normal(normal))
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
        self.record.state.placement.frame.inverse_linear.transpose() * normal
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
        self.record.state.placement.world.transform_point3(position.as_dvec3())
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
    /// The point is off the hit along the normal, by 2^-17 = 128 u of the largest coordinate M of the mesh
    /// in its own space, with u = 2^-24, as measured there across the triangle's plane. 33 u M are needed.
    /// The ray's test moves corners by at most 5 u D in each component, with D <= 2 M the largest component
    /// of a corner minus the origin. The rounding of the local direction bends the ray by at most u D on
    /// its way, and contact ([`Ray`](hitscan_primitives::Ray)) reaches back by at most 4 u D instead. The
    /// start of the local ray is rounded by at most u M. Across the plane each counts at most sqrt(3)
    /// times, together sqrt(3) (10 + 8 + 1) u M. What f64 rounds on the way is added: next to nothing but
    /// far from the world's origin, and under transforms that nearly flatten.
    ///
    /// A triangle of zero area has no normal. Instead the point is off the hit across the segment, by as
    /// much, towards where `direction` points; along `direction` itself if the triangle is a point. The
    /// ray then stays in front of a plane through the segment, by the same sum, but the promise is for
    /// this triangle alone.
    ///
    /// The idea is that of Wächter and Binder, "A Fast and Robust Method for Avoiding Self-Intersection"
    /// (2019); where they step by units in the last place of the point, the bound here is that of our own
    /// test.
    ///
    /// A `direction` that is zero or not finite gives the hit's own point with an offset of 0. No promise
    /// is made for meshes whose largest coordinate lies outside 2^±40: their triangles may mix magnitudes
    /// that f32 cannot hold together.
    pub fn safe_origin(&self, direction: impl Into<[f64; 3]>) -> SafeOrigin {
        const SHARE: f64 = 1.0 / (1 << 17) as f64;
        let point = self.point();
        let Some(direction) = unit(DVec3::from_array(direction.into())) else {
            return SafeOrigin { point, offset: 0.0 };
        };
        let placement = &self.record.state.placement;
        let tri_mesh = self.mesh.tri_mesh();
        let local_normal = tri_mesh.unit_normal(self.hit.triangle).unwrap_or_else(|| {
            across_segment(self.corners(), placement.frame.inverse_linear * direction)
        });
        let normal = self.world_normal(local_normal);
        let reach = f64::from(tri_mesh.bounds().max_abs_coordinate());
        // A step along the unit normal in the world crosses `normal.length()` as much in the mesh's
        // space.
        let offset = SHARE * reach / normal.length() + placement.rounding;
        let side = direction.dot(normal).signum();
        SafeOrigin { point: point + side * offset * normal.normalize_or_zero(), offset }
    }

    /// The corners of the triangle in the mesh's own space.
    fn corners(&self) -> [DVec3; 3] {
        self.mesh.tri_mesh().corners(self.hit.triangle).map(|corner| corner.as_dvec3())
    }
}

/// The unit vector across the segment that a triangle of zero area is, in the half-plane that holds
/// `direction`; any across it if they are parallel, and `direction` itself for a point.
fn across_segment([a, b, c]: [DVec3; 3], direction: DVec3) -> DVec3 {
    let edges = [b - a, c - b, a - c];
    let longest =
        edges.into_iter().max_by(|a, b| a.length_squared().total_cmp(&b.length_squared()));
    let direction = unit(direction).unwrap_or(DVec3::X);
    let Some(along) = longest.and_then(unit) else { return direction };
    let across = direction - direction.dot(along) * along;
    // What is left of two directions that are parallel but for rounding is rounding.
    match across.length() > 1e-12 {
        true => (across - across.dot(along) * along).normalize(),
        false => along.any_orthonormal_vector(),
    }
}

/// The vector with a length of 1, however long it is; `None` if it is zero or not finite.
fn unit(vector: DVec3) -> Option<DVec3> {
    (vector / vector.abs().max_element()).try_normalize()
}
