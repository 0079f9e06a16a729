//! The details of a hit, computed on demand.

use glam::{DVec2, DVec3};
use hitscan_primitives::{FaceRecords, Hit, Side, closest_point_on_segment};

use crate::{InstanceId, Mesh, Scene, SceneHit, scene::Record};

/// The details of a hit: point, normal, texture coordinates, names and neighbours.
///
/// Each method computes its value on demand. All positions and directions are in world space, all
/// distances in world units. [`Scene::describe`] returns it.
///
/// ```
/// use std::sync::Arc;
/// use hitscan_primitives::generate;
/// use hitscan_scene::{Instance, Mesh, QueryOptions, Scene, WorldRay, glam::{DAffine3, DVec3}};
///
/// let cube = Arc::new(Mesh::new(generate::cuboid(2.0, 2.0, 2.0, 0)?, &Default::default()));
/// let mut scene = Scene::new();
/// scene.insert(Instance::new(cube, DAffine3::from_translation([0.0, 0.0, 5.0].into())))?;
///
/// let ray = WorldRay::new([0.1, 0.2, 0.0], [0.0, 0.0, 1.0]);
/// let hit = scene.closest_hit(&ray, &QueryOptions::default()).expect("the cube is ahead");
/// let details = scene.describe(&hit).expect("the instance is in the scene");
/// assert_eq!((details.point().z, details.normal()), (4.0, Some(DVec3::NEG_Z)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
    /// The index of the vertex in the mesh.
    pub vertex: u32,
    /// The position of the vertex, in world space.
    pub position: DVec3,
    /// The distance from the hit, in world units.
    pub distance: f64,
}

/// The edge nearest to a hit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestEdge {
    /// The indices of its two vertices, in the direction of the polygon's winding.
    pub vertices: [u32; 2],
    /// The point of the edge nearest to the hit, in world space.
    pub point: DVec3,
    /// The distance of that point from the hit, in world units.
    pub distance: f64,
}

/// A start for a ray that leaves a surface, from which the ray does not hit the surface again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SafeOrigin {
    /// The start, in world space.
    pub point: DVec3,
    /// The distance from the hit, in world units: along the triangle's normal, or across a triangle of
    /// zero area.
    pub offset: f64,
}

impl Scene {
    /// The details of a hit; `None` if the scene no longer has its instance or triangle. O(1).
    ///
    /// When to use: once for the hit that matters, because hits themselves hold only numbers.
    pub fn describe(&self, hit: &SceneHit) -> Option<HitDetails<'_>> {
        let record = self.record(hit.instance)?;
        let mesh = record.instance.mesh.as_deref()?;
        let exists = (hit.local.triangle as usize) < mesh.tri_mesh().triangles().len();
        exists.then_some(HitDetails { scene: self, record, mesh, hit: hit.local })
    }

    /// Whether the opacity of the surface at a hit is at least `threshold`, from 0 to 255. Use it as the
    /// filter of a `_where` query for textures with holes. `false` if the scene no longer has the instance
    /// or triangle.
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
    /// The ancestors of the instance from the root down, then the instance.
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

    /// The point of the hit, interpolated from the corners of the triangle. It lies on the surface up to
    /// the rounding of f64, however far away the ray started.
    pub fn point(&self) -> DVec3 {
        self.record.mesh_to_world().transform_point3(self.mesh.tri_mesh().point(&self.hit))
    }

    /// The unit normal of the triangle. It points to the front, the outside of a closed mesh, also under
    /// mirrored and stretched transforms. It never flips towards the ray. `None` for a triangle of zero
    /// area ([`TriMesh::is_degenerate`](hitscan_primitives::TriMesh::is_degenerate)).
    pub fn normal(&self) -> Option<DVec3> {
        let normal = self.mesh.tri_mesh().unit_normal(self.hit.triangle)?;
        unit(self.world_normal(normal))
    }

    /// The unit normal interpolated from the vertex normals. `None` if a corner has none or they cancel.
    pub fn interpolated_normal(&self) -> Option<DVec3> {
        let normals = self.mesh.tri_mesh().attributes().normals_of(self.hit.triangle)?;
        let [a, b, c] = normals.map(|normal| normal.as_dvec3().normalize_or_zero());
        let (u, v) = (f64::from(self.hit.u), f64::from(self.hit.v));
        self.world_normal((1.0 - u - v) * a + u * b + v * c).try_normalize()
    }

    /// A normal transformed by the inverse transpose, not normalised.
    fn world_normal(&self, normal: DVec3) -> DVec3 {
        self.scene.frame(self.record).inverse_linear.transpose() * normal
    }

    /// The interpolated texture coordinates; `None` if a corner has none.
    pub fn uv(&self) -> Option<DVec2> {
        self.mesh.uv(&self.hit)
    }

    /// The opacity by the material's mask: 0 is transparent, 255 is opaque or has no mask.
    pub fn alpha(&self) -> u8 {
        self.mesh.alpha(&self.hit)
    }

    /// The index of the triangle in [`TriMesh::triangles`](hitscan_primitives::TriMesh::triangles).
    pub fn triangle(&self) -> u32 {
        self.hit.triangle
    }

    /// The index of the polygon that contains the triangle; `None` without records.
    pub fn polygon(&self) -> Option<u32> {
        Some(self.records()?.polygon(self.hit.triangle))
    }

    /// The name of the object in the file; `None` without records or name.
    pub fn object(&self) -> Option<&'a str> {
        self.records()?.object(self.polygon()?)
    }

    /// The names of the groups in the file, separated by spaces; `None` without records or names.
    pub fn group(&self) -> Option<&'a str> {
        self.records()?.group(self.polygon()?)
    }

    /// The name of the material; `None` without records or material.
    pub fn material(&self) -> Option<&'a str> {
        self.records()?.material(self.polygon()?)
    }

    /// The line of the polygon in the file, from 1; `None` without records or lines.
    pub fn line(&self) -> Option<u64> {
        self.records()?.lines().get(self.polygon()?)
    }

    fn records(&self) -> Option<&'a FaceRecords> {
        self.mesh.tri_mesh().records()
    }

    fn position(&self, vertex: u32) -> DVec3 {
        let position = self.mesh.tri_mesh().positions()[vertex as usize];
        self.record.mesh_to_world().transform_point3(position.as_dvec3())
    }

    /// The vertex of the polygon nearest to the hit in the world. The smaller index wins a tie. O(corners
    /// of the polygon).
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

    /// The edge of the polygon nearest to the hit in the world, without the diagonals of its
    /// triangulation. The smaller pair of indices wins a tie. `None` for a folded polygon that has only
    /// diagonals. O(corners of the polygon).
    pub fn nearest_edge(&self) -> Option<NearestEdge> {
        let point = self.point();
        let edges = self.mesh.polygon_edges(self.hit.triangle).into_iter().map(|vertices| {
            let [a, b] = vertices.map(|vertex| self.position(vertex));
            let (nearest, _) = closest_point_on_segment(a, b, point);
            NearestEdge { vertices, point: nearest, distance: nearest.distance(point) }
        });
        edges.min_by(|a, b| a.distance.total_cmp(&b.distance).then(a.vertices.cmp(&b.vertices)))
    }

    /// A start for a ray that leaves the surface along `direction`, on either side. The ray hits neither
    /// the triangle again nor another one in the same plane.
    ///
    /// The start lies off the hit along the normal. In the mesh's own space, its distance from the
    /// triangle's plane is 2^-17 = 128 u times the largest coordinate M, with u = 2^-24. 33 u M suffice:
    /// The ray's test moves corners by at most 5 u D in each component, with D <= 2 M the largest component
    /// of a corner minus the origin. The rounding of the local direction bends the ray by at most u D on
    /// its way, and contact ([`Ray`](hitscan_primitives::Ray)) reaches back by at most 4 u D instead. The
    /// start of the local ray is rounded by at most u M. Across the plane each counts at most sqrt(3)
    /// times, together sqrt(3) (10 + 8 + 1) u M. The offset also includes the rounding of f64, which is
    /// negligible except far from the world's origin or under nearly singular transforms.
    ///
    /// A triangle of zero area has no normal. The start then lies across its segment by the same distance,
    /// towards `direction`, or along `direction` if the triangle is a point. By the same sum, the ray stays
    /// in front of a plane through the segment, but this holds for this triangle alone.
    ///
    /// The idea follows Wächter and Binder, "A Fast and Robust Method for Avoiding Self-Intersection"
    /// (2019). They step by units in the last place of the point; this offset follows from the error bound
    /// of the watertight test.
    ///
    /// A zero or non-finite `direction` returns the point of the hit with an offset of 0. The guarantee
    /// excludes meshes whose largest coordinate lies outside 2^±40, because their triangles may mix
    /// magnitudes that f32 cannot represent together.
    pub fn safe_origin(&self, direction: impl Into<[f64; 3]>) -> SafeOrigin {
        const SHARE: f64 = 1.0 / (1 << 17) as f64;
        let point = self.point();
        let Some(direction) = unit(DVec3::from_array(direction.into())) else {
            return SafeOrigin { point, offset: 0.0 };
        };
        let placement = self.record.placement();
        let tri_mesh = self.mesh.tri_mesh();
        let local_normal = tri_mesh.unit_normal(self.hit.triangle).unwrap_or_else(|| {
            across_segment(self.corners(), placement.frame.inverse_linear * direction)
        });
        let normal = self.world_normal(local_normal);
        let max_abs_coord = f64::from(tri_mesh.bounds().max_abs_coordinate());
        // A unit step along the world normal moves `normal.length()` across the plane in local space.
        let offset = SHARE * max_abs_coord / normal.length() + placement.rounding;
        let side = direction.dot(normal).signum();
        SafeOrigin { point: point + side * offset * normal.normalize_or_zero(), offset }
    }

    /// The corners of the triangle in the mesh's own space.
    fn corners(&self) -> [DVec3; 3] {
        self.mesh.tri_mesh().corners(self.hit.triangle).map(|corner| corner.as_dvec3())
    }
}

/// The unit vector across the segment of a triangle of zero area, in the half-plane of `direction`. Any
/// perpendicular vector if they are parallel; `direction` if the triangle is a point.
fn across_segment([a, b, c]: [DVec3; 3], direction: DVec3) -> DVec3 {
    let edges = [b - a, c - b, a - c];
    let longest =
        edges.into_iter().max_by(|a, b| a.length_squared().total_cmp(&b.length_squared()));
    let direction = unit(direction).unwrap_or(DVec3::X);
    let Some(along) = longest.and_then(unit) else { return direction };
    let across = direction - direction.dot(along) * along;
    // The difference of two nearly parallel directions is only rounding.
    match across.length() > 1e-12 {
        true => (across - across.dot(along) * along).normalize(),
        false => along.any_orthonormal_vector(),
    }
}

/// The normalised vector, without overflow or underflow; `None` if it is zero or not finite.
fn unit(vector: DVec3) -> Option<DVec3> {
    (vector / vector.abs().max_element()).try_normalize()
}
