//! The hit of a ray on an entity.

use hitscan::{
    Side,
    glam::{DAffine3, DMat3, DVec3, Vec3 as LocalVec3},
    scene,
};

use crate::{
    bevy_api::{Entity, Mesh, RayMeshHit, Vec2, Vec3, normals, uvs},
    convert,
};

/// A hit of a ray on the mesh of an entity, in world space.
///
/// The picking backend attaches it to each `HitData`: `hit.extra_as::<HitscanHit>()` returns it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct HitscanHit {
    /// The entity.
    pub entity: Entity,
    /// The point of the hit.
    pub point: Vec3,
    /// The unit normal: interpolated from the vertex normals, or that of the triangle if the mesh has none
    /// or is posed. It points away from the front, also under mirrored and uneven scale.
    pub normal: Vec3,
    /// The distance from the start of the ray, in world units.
    pub distance: f32,
    /// The number of the triangle in the mesh; `None` for a hit of a bounding box, while the tree of a
    /// large mesh is built.
    pub triangle: Option<u32>,
    /// The corners of the triangle.
    pub corners: Option<[Vec3; 3]>,
    /// The weights of the corners.
    pub barycentric: Vec3,
    /// The texture coordinate, if the mesh has any.
    pub uv: Option<Vec2>,
    /// The polygon that the triangle was cut from, if [`HitscanPolygons`](crate::HitscanPolygons) has it.
    pub polygon: Option<u32>,
    /// Whether the ray came from the front of the triangle.
    pub is_front: bool,
}

impl HitscanHit {
    /// The hit as the built-in ray cast returns it.
    pub fn to_mesh_hit(&self) -> RayMeshHit {
        RayMeshHit {
            point: self.point,
            normal: self.normal,
            barycentric_coords: self.barycentric,
            distance: self.distance,
            triangle: self.corners,
            uv: self.uv,
            triangle_index: self.triangle.map(|triangle| triangle as usize),
        }
    }

    /// A hit that the built-in scan of all triangles found.
    pub(crate) fn from_scan(entity: Entity, hit: &RayMeshHit, direction: Vec3) -> Self {
        Self {
            entity,
            point: hit.point,
            normal: hit.normal.normalize_or_zero(),
            distance: hit.distance,
            triangle: hit.triangle_index.map(|triangle| triangle as u32),
            corners: hit.triangle,
            barycentric: hit.barycentric_coords,
            uv: hit.uv,
            polygon: None,
            is_front: hit
                .triangle
                .is_none_or(|[a, b, c]| (b - a).cross(c - a).dot(direction) <= 0.0),
        }
    }

    /// The point where a ray enters a bounding box.
    pub(crate) fn from_box(entity: Entity, point: Vec3, distance: f32, direction: Vec3) -> Self {
        Self {
            entity,
            point,
            normal: -direction,
            distance,
            triangle: None,
            corners: None,
            barycentric: Vec3::ZERO,
            uv: None,
            polygon: None,
            is_front: true,
        }
    }
}

/// The mesh of an entity, from which the details of a hit follow.
pub(crate) struct HitMesh<'a> {
    pub(crate) entity: Entity,
    /// The mesh in its current pose.
    pub(crate) mesh: &'a scene::Mesh,
    pub(crate) placement: DAffine3,
    /// The asset with normals and texture coordinates.
    pub(crate) asset: Option<&'a Mesh>,
    /// Whether the vertex normals do not belong to the positions.
    pub(crate) is_posed: bool,
}

impl HitMesh<'_> {
    /// The details of a hit at the distance `t`. `number` is the triangle's number in Bevy's mesh.
    pub(crate) fn describe(&self, hit: &hitscan::Hit, number: u32, t: f64) -> HitscanHit {
        let tri_mesh = self.mesh.tri_mesh();
        let vertices = tri_mesh.triangles()[hit.triangle as usize];
        let barycentric = Vec3::new(1.0 - hit.u - hit.v, hit.u, hit.v);
        let corners = tri_mesh.corners(hit.triangle).map(|corner| {
            let corner: LocalVec3 = corner;
            convert::vec3(self.placement.transform_point3(corner.as_dvec3()))
        });
        let normal = self
            .vertex_normal(vertices, barycentric)
            .or_else(|| tri_mesh.unit_normal(hit.triangle))
            .and_then(|normal| world_normal(&self.placement, normal))
            .map_or(Vec3::ZERO, convert::vec3);
        HitscanHit {
            entity: self.entity,
            point: convert::vec3(self.placement.transform_point3(tri_mesh.point(hit))),
            normal,
            distance: t as f32,
            triangle: Some(number),
            corners: Some(corners),
            barycentric,
            uv: self.uv(vertices, barycentric),
            polygon: tri_mesh.records().map(|records| records.polygon(hit.triangle)),
            is_front: hit.side == Side::Front,
        }
    }

    fn vertex_normal(&self, vertices: [u32; 3], weights: Vec3) -> Option<DVec3> {
        let normals = normals(self.asset?).filter(|_| !self.is_posed)?;
        let mut sum = DVec3::ZERO;
        for (vertex, weight) in vertices.into_iter().zip(weights.to_array()) {
            let normal = *normals.get(vertex as usize)?;
            sum += f64::from(weight) * DVec3::from_array(normal.map(f64::from));
        }
        (sum != DVec3::ZERO).then_some(sum)
    }

    fn uv(&self, vertices: [u32; 3], weights: Vec3) -> Option<Vec2> {
        let uvs = uvs(self.asset?)?;
        let mut sum = Vec2::ZERO;
        for (vertex, weight) in vertices.into_iter().zip(weights.to_array()) {
            sum += weight * Vec2::from_array(*uvs.get(vertex as usize)?);
        }
        Some(sum)
    }
}

/// The unit normal in world space. Its direction follows the inverse transpose.
fn world_normal(placement: &DAffine3, normal: DVec3) -> Option<DVec3> {
    let DMat3 { x_axis: x, y_axis: y, z_axis: z } = placement.matrix3;
    // The matrix of cofactors is the inverse transpose times the determinant, without a division.
    let cofactors = DMat3::from_cols(y.cross(z), z.cross(x), x.cross(y));
    let sign = placement.matrix3.determinant().signum();
    (sign * (cofactors * normal)).try_normalize()
}
