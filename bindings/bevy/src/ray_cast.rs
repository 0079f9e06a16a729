//! The replacement for `MeshRayCast`.

use crate::{
    bevy_api::{Entity, Local, MeshRayCastSettings, Ray3d, RayMeshHit, SystemParam},
    cast::{CastOptions, Caster},
    hit::HitscanHit,
};

/// Casts rays at the meshes of the world, as Bevy's `MeshRayCast` does, with its settings and results.
///
/// Change the type of the parameter, and nothing else:
///
/// ```
/// use bevy_math::{Dir3, Ray3d, Vec3};
/// use bevy_picking::mesh_picking::ray_cast::MeshRayCastSettings;
/// use hitscan_bevy::HitscanRayCast;
///
/// fn look_ahead(mut ray_cast: HitscanRayCast) {
///     let ray = Ray3d::new(Vec3::ZERO, Dir3::X);
///     let hits = ray_cast.cast_ray(ray, &MeshRayCastSettings::default());
///     if let Some((entity, hit)) = hits.first() {
///         println!("{entity} at {}", hit.point);
///     }
/// }
/// # let mut app = bevy_app::App::new();
/// # app.add_systems(bevy_app::Update, look_ahead);
/// ```
///
/// The results differ in three points:
///
/// - Normals have unit length, and are right under uneven scale.
/// - Skinned and morphed meshes are hit in their current pose. Their normals are those of the triangles.
/// - Meshes without an `Aabb`, and triangle strips, are hit too.
///
/// The world is that of the last `PostUpdate`. An entity that moved since is hit at its old place.
#[derive(SystemParam)]
pub struct HitscanRayCast<'w, 's> {
    caster: Caster<'w, 's>,
    hits: Local<'s, Vec<HitscanHit>>,
    output: Local<'s, Vec<(Entity, RayMeshHit)>>,
}

impl HitscanRayCast<'_, '_> {
    /// Casts a ray. Returns the entities that it hits, nearest first, each with its nearest hit.
    pub fn cast_ray(
        &mut self,
        ray: Ray3d,
        settings: &MeshRayCastSettings<'_>,
    ) -> &[(Entity, RayMeshHit)] {
        self.cast(ray, settings);
        self.output.clear();
        self.output.extend(self.hits.iter().map(|hit| (hit.entity, hit.to_mesh_hit())));
        &self.output
    }

    /// [`cast_ray`](Self::cast_ray) with everything that hitscan knows about a hit.
    pub fn cast(&mut self, ray: Ray3d, settings: &MeshRayCastSettings<'_>) -> &[HitscanHit] {
        let options = CastOptions {
            visibility: settings.visibility,
            filter: settings.filter,
            blocks: settings.early_exit_test,
            faces: None,
            accept_hit: None,
            lists_crossings: false,
        };
        self.caster.cast(ray, &options, &mut self.hits);
        &self.hits
    }
}
