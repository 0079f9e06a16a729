//! The definition of the queries about points and regions: a loop over all instances and their triangles.

use glam::DVec3;
use hitscan_primitives::{
    MeshPairError, PairBruteForce, SectionPlane, SphereCast, closest_point_on_triangle,
};

use crate::{
    InstanceDistance, InstanceId, QueryOptions, SceneBruteForce, SceneContact, ScenePoint,
    ScenePolyline, SceneTriangle, WorldRegion,
    scene::Record,
    section::section_of,
    sphere_cast::{of_ray, touch},
    world_mesh::WorldMesh,
};

impl<'a> SceneBruteForce<'a> {
    /// As [`Scene::closest_point`](crate::Scene::closest_point).
    pub fn closest_point(
        &self,
        point: impl Into<[f64; 3]>,
        max_distance: f64,
        options: &QueryOptions<'_>,
    ) -> Option<ScenePoint> {
        let point = DVec3::from_array(point.into());
        let is_searched = point.is_finite() && max_distance >= 0.0;
        if !is_searched {
            return None;
        }
        let mut closest: Option<(f64, u64, ScenePoint)> = None;
        for record in self.scene.records().filter(|record| self.scene.includes(record, options)) {
            for (triangle, corners) in triangles(record, point) {
                let found = closest_point_on_triangle(corners, DVec3::ZERO);
                let key = (found.distance_squared, record.insertion_order, triangle);
                let is_first = closest.as_ref().is_none_or(|(squared, order, closest)| {
                    key < (*squared, *order, closest.triangle)
                });
                if is_first && found.distance_squared <= max_distance * max_distance {
                    let closest_point = ScenePoint {
                        instance: record.id,
                        triangle,
                        point: point + found.point,
                        u: found.u,
                        v: found.v,
                        distance: found.distance_squared.sqrt(),
                    };
                    closest = Some((found.distance_squared, record.insertion_order, closest_point));
                }
            }
        }
        closest.map(|(.., closest)| closest)
    }

    /// As [`Scene::sphere_cast_all`](crate::Scene::sphere_cast_all).
    pub fn sphere_cast_all(
        &self,
        cast: &SphereCast,
        options: &QueryOptions<'_>,
    ) -> Vec<SceneContact> {
        if cast.radius() == 0.0 {
            let hits = self.all_hits(cast.ray(), &of_ray(options));
            return hits.iter().map(|hit| SceneContact::of_hit(cast, hit)).collect();
        }
        let (origin, from_zero) = (cast.ray().origin, cast.from_its_origin());
        let mut contacts = Vec::new();
        for record in self.scene.records().filter(|record| self.scene.includes(record, options)) {
            let Some(world) = WorldMesh::new(record, origin) else { continue };
            for triangle in 0..world.tri_mesh.triangles().len() as u32 {
                contacts.extend(touch(&world, triangle, &from_zero, origin).map(|contact| {
                    let (instance, insertion_order) = (record.id, record.insertion_order);
                    SceneContact { instance, insertion_order, contact }
                }));
            }
        }
        contacts.sort_by(SceneContact::cmp_along_ray);
        contacts
    }

    /// As [`Scene::overlapping_into`](crate::Scene::overlapping_into).
    pub fn overlapping(
        &self,
        region: &WorldRegion,
        options: &QueryOptions<'_>,
    ) -> Vec<SceneTriangle> {
        let mut found = Vec::new();
        for record in self.records_in_order(options) {
            let touching =
                triangles(record, DVec3::ZERO).filter(|(_, corners)| region.overlaps(*corners));
            found.extend(
                touching.map(|(triangle, _)| SceneTriangle { instance: record.id, triangle }),
            );
        }
        found
    }

    /// As [`Scene::instances_within`](crate::Scene::instances_within).
    pub fn instances_within(
        &self,
        region: &WorldRegion,
        options: &QueryOptions<'_>,
    ) -> Vec<InstanceId> {
        let is_within = |record: &&Record| {
            let mut corners =
                triangles(record, DVec3::ZERO).flat_map(|(_, corners)| corners).peekable();
            corners.peek().is_some() && corners.all(|corner| region.contains(corner))
        };
        let records = self.records_in_order(options);
        records.into_iter().filter(is_within).map(|record| record.id).collect()
    }

    /// As [`Scene::instances_touching`](crate::Scene::instances_touching).
    pub fn instances_touching(
        &self,
        id: InstanceId,
        options: &QueryOptions<'_>,
    ) -> Vec<InstanceId> {
        let pairs = self.pairs(id, options);
        pairs.into_iter().filter(|(_, pair)| pair.overlaps()).map(|(id, _)| id).collect()
    }

    /// As [`Scene::instances_near`](crate::Scene::instances_near).
    ///
    /// # Errors
    /// A `max_distance` that is negative or NaN.
    pub fn instances_near(
        &self,
        id: InstanceId,
        max_distance: f64,
        options: &QueryOptions<'_>,
    ) -> Result<Vec<InstanceDistance>, MeshPairError> {
        let mut near = vec![];
        for (instance, pair) in self.pairs(id, options) {
            let nearest = pair.distance(max_distance)?;
            near.extend(nearest.map(|nearest| InstanceDistance { instance, nearest }));
        }
        // Keeps the order of those that are equally far.
        near.sort_by(|a, b| a.nearest.distance.total_cmp(&b.nearest.distance));
        Ok(near)
    }

    /// The pairs of an instance with each other one, in order of first insertion.
    fn pairs(
        &self,
        id: InstanceId,
        options: &QueryOptions<'_>,
    ) -> Vec<(InstanceId, PairBruteForce<'_>)> {
        let pair = |own: &'a Record, other: &'a Record| {
            let meshes = [own, other].map(|record| record.instance.mesh.as_ref());
            let meshes = [meshes[0]?.tri_mesh(), meshes[1]?.tri_mesh()];
            let worlds = [own, other].map(|record| record.mesh_to_world());
            let pair = PairBruteForce::new(meshes, worlds).expect("edits refuse such transforms");
            Some((other.id, pair))
        };
        let Some(own) = self.scene.record(id) else { return vec![] };
        let others = self.records_in_order(options).into_iter().filter(|other| other.id != id);
        others.filter_map(|other| pair(own, other)).collect()
    }

    /// As [`Scene::section`](crate::Scene::section).
    pub fn section(&self, plane: &SectionPlane, options: &QueryOptions<'_>) -> Vec<ScenePolyline> {
        let of_instance = |record| {
            section_of(record, plane, |world, _, add| {
                (0..world.tri_mesh.triangles().len() as u32).for_each(add);
            })
        };
        self.records_in_order(options).into_iter().flat_map(of_instance).collect()
    }

    fn records_in_order(&self, options: &QueryOptions<'_>) -> Vec<&'a Record> {
        let mut records: Vec<&Record> =
            self.scene.records().filter(|record| self.scene.includes(record, options)).collect();
        records.sort_unstable_by_key(|record| record.insertion_order);
        records
    }
}

/// The triangles of an instance with their world corners relative to `point`.
fn triangles(record: &Record, point: DVec3) -> impl Iterator<Item = (u32, [DVec3; 3])> {
    WorldMesh::new(record, point).into_iter().flat_map(|world| {
        let n = world.tri_mesh.triangles().len() as u32;
        (0..n).map(move |triangle| (triangle, world.corners(triangle)))
    })
}
