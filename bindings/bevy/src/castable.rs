//! Whether and how a ray hits an entity.

use crate::{
    bevy_api::{
        Aabb, Aabb3d, GlobalTransform, InheritedVisibility, QueryData, Ray3d, RayCastVisibility,
        ViewVisibility, ray_aabb_intersection_3d,
    },
    follow::{HitsBackfaces, MeshHandle},
};

/// The components of an entity that decide whether and how a ray hits it.
#[derive(QueryData)]
pub(crate) struct Castable {
    mesh: MeshHandle,
    pub(crate) transform: &'static GlobalTransform,
    inherited: Option<&'static InheritedVisibility>,
    in_view: Option<&'static ViewVisibility>,
    pub(crate) aabb: Option<&'static Aabb>,
    hits_backfaces: HitsBackfaces,
}

impl CastableItem<'_, '_> {
    pub(crate) fn is_visible(&self, visibility: RayCastVisibility) -> bool {
        match visibility {
            RayCastVisibility::Any => true,
            RayCastVisibility::Visible => self.inherited.is_some_and(|visibility| visibility.get()),
            RayCastVisibility::VisibleInView => {
                self.in_view.is_some_and(|visibility| visibility.get())
            }
        }
    }

    pub(crate) fn is_double_sided(&self) -> bool {
        self.hits_backfaces || self.mesh.is_flat()
    }

    /// The distance at which a ray enters the bounding box. An entity without one may be anywhere.
    pub(crate) fn enter_box(&self, ray: Ray3d) -> Option<f32> {
        self.aabb.map_or(Some(0.0), |aabb| {
            let bounds = Aabb3d::new(aabb.center, aabb.half_extents);
            ray_aabb_intersection_3d(ray, &bounds, &self.transform.affine())
        })
    }
}
