//! The hit of a ray on an entity.

use hitscan::{
    Hit, Side, TriMesh,
    glam::{DAffine3, DMat3, DVec3, Vec3 as LocalVec3},
};

use crate::{
    bevy_api::{Entity, Mesh, RayMeshHit, Reflect, Vec2, Vec3, normals, uvs},
    convert,
};

/// A hit of a ray on the mesh of an entity, in world space.
///
/// The picking backend attaches it to each `HitData`: `hit.extra_as::<HitscanHit>()` returns it.
#[derive(Clone, Debug, PartialEq, Reflect)]
#[reflect(Clone, Debug, PartialEq)]
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

/// The vertex attributes of an asset, from which the details of a hit follow.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Attributes<'a> {
    normals: Option<&'a [[f32; 3]]>,
    uvs: Option<&'a [[f32; 2]]>,
}

impl<'a> Attributes<'a> {
    pub(crate) fn new(asset: &'a Mesh) -> Self {
        Self { normals: normals(asset), uvs: uvs(asset) }
    }

    /// The attributes of a posed mesh, whose vertex normals do not belong to its positions.
    pub(crate) fn posed(self) -> Self {
        Self { normals: None, ..self }
    }
}

/// A triangle that a ray hits, in the mesh of its entity.
pub(crate) struct HitTriangle<'a> {
    pub(crate) entity: Entity,
    /// The mesh in its current pose.
    pub(crate) tri_mesh: &'a TriMesh,
    pub(crate) placement: DAffine3,
    pub(crate) attributes: Attributes<'a>,
    pub(crate) hit: Hit,
    /// The number of the triangle in Bevy's mesh.
    pub(crate) number: u32,
    /// The distance of the hit from the start of the ray, in world units.
    pub(crate) distance: f32,
    /// The indices of the corners.
    pub(crate) vertices: [u32; 3],
}

/// The attributes of the corners of a triangle.
pub(crate) struct Corners {
    positions: [LocalVec3; 3],
    normals: Option<[[f32; 3]; 3]>,
    uvs: Option<[[f32; 2]; 3]>,
}

impl HitTriangle<'_> {
    /// Reads the attributes of the corners.
    pub(crate) fn corners(&self) -> Corners {
        let positions = self.tri_mesh.positions();
        Corners {
            positions: self.vertices.map(|vertex| positions[vertex as usize]),
            normals: self.attributes.normals.and_then(|normals| at(normals, self.vertices)),
            uvs: self.attributes.uvs.and_then(|uvs| at(uvs, self.vertices)),
        }
    }

    /// The details of the hit.
    pub(crate) fn describe(&self, corners: &Corners) -> HitscanHit {
        let Self { tri_mesh, placement, hit, .. } = self;
        let barycentric = Vec3::new(1.0 - hit.u - hit.v, hit.u, hit.v);
        let to_world = |point: DVec3| convert::vec3(placement.transform_point3(point));
        let normal = corners
            .normals
            .and_then(|normals| interpolated_normal(&normals, barycentric))
            .or_else(|| tri_mesh.unit_normal(hit.triangle))
            .and_then(|normal| world_normal(placement, normal))
            .map_or(Vec3::ZERO, convert::vec3);
        HitscanHit {
            entity: self.entity,
            point: to_world(tri_mesh.point(hit)),
            normal,
            distance: self.distance,
            triangle: Some(self.number),
            corners: Some(corners.positions.map(|corner| to_world(corner.as_dvec3()))),
            barycentric,
            uv: corners.uvs.map(|uvs| interpolated_uv(&uvs, barycentric)),
            polygon: tri_mesh.records().map(|records| records.polygon(hit.triangle)),
            is_front: hit.side == Side::Front,
        }
    }
}

/// The values of three vertices; `None` if the attribute is too short.
fn at<T: Copy>(values: &[T], vertices: [u32; 3]) -> Option<[T; 3]> {
    let [a, b, c] = vertices.map(|vertex| values.get(vertex as usize));
    Some([*a?, *b?, *c?])
}

fn interpolated_normal(normals: &[[f32; 3]; 3], weights: Vec3) -> Option<DVec3> {
    let mut sum = DVec3::ZERO;
    for (normal, weight) in normals.iter().zip(weights.to_array()) {
        sum += f64::from(weight) * DVec3::from_array(normal.map(f64::from));
    }
    (sum != DVec3::ZERO).then_some(sum)
}

fn interpolated_uv(uvs: &[[f32; 2]; 3], weights: Vec3) -> Vec2 {
    let mut sum = Vec2::ZERO;
    for (&uv, weight) in uvs.iter().zip(weights.to_array()) {
        sum += weight * Vec2::from_array(uv);
    }
    sum
}

/// The unit normal in world space. Its direction follows the inverse transpose.
fn world_normal(placement: &DAffine3, normal: DVec3) -> Option<DVec3> {
    let DMat3 { x_axis: x, y_axis: y, z_axis: z } = placement.matrix3;
    // The matrix of cofactors is the inverse transpose times the determinant, without a division.
    let cofactors = DMat3::from_cols(y.cross(z), z.cross(x), x.cross(y));
    let sign = placement.matrix3.determinant().signum();
    (sign * (cofactors * normal)).try_normalize()
}
