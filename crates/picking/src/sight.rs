//! Visibility by rays: the surface at a pixel, and the surfaces before a point.

use glam::{DAffine3, DVec2, DVec3};
use hitscan_scene::{InstanceId, QueryOptions, Scene, SceneHit, WorldRay};

use crate::{near_pixel::Feature, parallel, view::View};

/// The tolerance of [`Picker::is_visible`](crate::Picker::is_visible), relative to the point's distance
/// plus the mesh's extent.
const VISIBILITY_TOLERANCE: f64 = 1.0 / (1 << 20) as f64;

/// The number of pixels that one thread takes at a time.
const CHUNK: usize = 1024;

/// A scene as a view shows it, restricted to the instances of a query.
#[derive(Clone, Copy)]
pub(crate) struct Sight<'a> {
    pub(crate) scene: &'a Scene,
    pub(crate) view: &'a View,
    pub(crate) query: &'a QueryOptions<'a>,
}

/// A pixel to look through, as far as a surface or as far as a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    pub(crate) pixel: DVec2,
    /// The distance of the point along the ray of the pixel; `None` looks for the first surface.
    pub(crate) distance: Option<f64>,
}

/// A point of a feature, with its instance.
#[derive(Clone, Copy)]
pub(crate) struct FeaturePoint {
    pub(crate) instance: InstanceId,
    pub(crate) to_view: DAffine3,
    /// The point, in the space of the mesh.
    pub(crate) point: DVec3,
    pub(crate) pixel: DVec2,
    pub(crate) feature: Feature,
}

impl<'a> Sight<'a> {
    /// Whether `pixel` is in the viewport, and no hit for which `counts` returns `true` is before `point`.
    pub(crate) fn is_unobstructed(
        &self,
        point: DVec3,
        pixel: DVec2,
        counts: impl FnMut(&SceneHit) -> bool,
    ) -> bool {
        match self.distance_to(point, pixel) {
            None => false,
            Some(distance) if distance <= 0.0 => true,
            Some(distance) => self.is_clear(&self.ray(pixel, Some(distance)), distance, counts),
        }
    }

    /// Whether a point of a feature is visible at its pixel. Triangles that contain the feature never
    /// hide it.
    pub(crate) fn is_feature_visible(&self, at: &FeaturePoint) -> bool {
        let point = self.world_point(at);
        self.is_unobstructed(point, at.pixel, |hit| self.may_hide(hit, at.instance, at.feature))
    }

    /// The point of a feature in world space.
    pub(crate) fn world_point(&self, at: &FeaturePoint) -> DVec3 {
        self.view.origin() + at.to_view.transform_point3(at.point)
    }

    /// The distance of a point along the ray of its pixel; `None` if the pixel is outside the viewport.
    pub(crate) fn distance_to(&self, point: DVec3, pixel: DVec2) -> Option<f64> {
        let viewport = self.view.viewport();
        if pixel.cmplt(viewport.min).any() || pixel.cmpgt(viewport.max()).any() {
            return None;
        }
        let ray = self.view.ray(pixel);
        Some((point - ray.origin).dot(ray.direction))
    }

    /// Whether a feature stays visible at a distance, given the first hit of its ray.
    ///
    /// The first hit decides in most cases. Otherwise a hit behind it may hide the feature.
    pub(crate) fn is_visible_behind(
        &self,
        first: Option<&SceneHit>,
        look: &Look,
        instance: InstanceId,
        feature: Feature,
    ) -> bool {
        let (Some(first), Some(distance)) = (first, look.distance) else { return true };
        if self.is_before(first, distance) && self.may_hide(first, instance, feature) {
            return false;
        }
        let ray = self.ray(look.pixel, look.distance);
        self.is_clear(&ray, distance, |hit| self.may_hide(hit, instance, feature))
    }

    /// The first hit of each look, in the order of `looks`. Neighbours in the list should be neighbours on
    /// the screen, because the scene then traces them together.
    pub(crate) fn first_hits(&self, looks: &[Look]) -> Vec<Option<SceneHit>> {
        parallel::map_chunks(looks, CHUNK, |looks| self.first_hits_of_chunk(looks)).concat()
    }

    fn first_hits_of_chunk(&self, looks: &[Look]) -> Vec<Option<SceneHit>> {
        let rays: Vec<WorldRay> =
            looks.iter().map(|look| self.ray(look.pixel, look.distance)).collect();
        let mut hits = vec![None; rays.len()];
        self.scene.closest_hit_batch(&rays, self.query, &mut hits);
        hits
    }

    /// `answer` of each look, given the index of the look and its first hit.
    pub(crate) fn answers<T: Copy + Default + Send>(
        &self,
        looks: &[Look],
        answer: impl Fn(usize, Option<&SceneHit>) -> T + Sync + Send,
    ) -> Vec<T> {
        let min = self.view.viewport().min;
        let mut order: Vec<u64> = (0u64..)
            .zip(looks)
            .map(|(index, look)| u64::from(morton_code(look.pixel - min)) << 32 | index)
            .collect();
        parallel::sort(&mut order);
        let chunks = parallel::map_chunks(&order, CHUNK, |order| {
            let index = |&entry: &u64| entry as u32 as usize;
            let ordered: Vec<Look> = order.iter().map(|entry| looks[index(entry)]).collect();
            let hits = self.first_hits_of_chunk(&ordered);
            let given = order.iter().zip(&hits);
            given.map(|(entry, hit)| answer(index(entry), hit.as_ref())).collect::<Vec<T>>()
        });
        let mut answers = vec![T::default(); looks.len()];
        for (entry, answer) in order.iter().zip(chunks.concat()) {
            answers[*entry as u32 as usize] = answer;
        }
        answers
    }

    /// The ray of a pixel. With a distance it stops before the point there, because many surfaces may
    /// coincide with the point.
    fn ray(&self, pixel: DVec2, distance: Option<f64>) -> WorldRay {
        let ray = self.view.ray(pixel);
        match distance {
            None => ray,
            // A point in a clipping plane leaves no range, and so nothing before it.
            Some(distance) => ray.with_range(
                ray.t_min,
                ray.t_max.min(distance * (1.0 - 0.5 * VISIBILITY_TOLERANCE)),
            ),
        }
    }

    /// Whether a ray has no hit before a distance for which `counts` returns `true`.
    fn is_clear(
        &self,
        ray: &WorldRay,
        distance: f64,
        mut counts: impl FnMut(&SceneHit) -> bool,
    ) -> bool {
        let hides = |hit: &SceneHit| self.is_before(hit, distance) && counts(hit);
        !self.scene.is_occluded_where(ray, self.query, hides)
    }

    /// Whether a hit is before a distance by more than the tolerance.
    fn is_before(&self, hit: &SceneHit, distance: f64) -> bool {
        let extent = self.extent_from_origin(hit.instance);
        hit.t < distance - VISIBILITY_TOLERANCE * (distance + extent)
    }

    /// Whether the triangle of a hit may hide a feature: it does not contain the feature.
    fn may_hide(&self, hit: &SceneHit, instance: InstanceId, feature: Feature) -> bool {
        hit.instance != instance
            || self
                .scene
                .get(instance)
                .and_then(|instance| instance.mesh.as_deref())
                .is_some_and(|mesh| !feature.is_in_triangle(mesh.tri_mesh(), hit.triangle()))
    }

    /// The approximate extent of an instance from the origin of its mesh, in world units. The f32 rounding
    /// of its coordinates and hits is proportional to it.
    fn extent_from_origin(&self, id: InstanceId) -> f64 {
        let mesh = self.scene.get(id).and_then(|instance| instance.mesh.as_deref());
        let (Some(mesh), Some(world)) = (mesh, self.scene.mesh_to_world(id)) else { return 0.0 };
        let coordinate = f64::from(mesh.tri_mesh().bounds().max_abs_coordinate());
        (world.matrix3.abs() * DVec3::splat(coordinate)).max_element()
    }
}

/// The position of a pixel along a Z-order curve over half pixels (Morton, "A Computer Oriented Geodetic
/// Data Base and a New Technique in File Sequencing", 1966).
fn morton_code(pixel: DVec2) -> u32 {
    let spread = |x: f64| {
        // A cast of a float saturates, so all positions have a code.
        let x = u32::from((2.0 * x) as u16);
        let x = (x | x << 8) & 0x00ff_00ff;
        let x = (x | x << 4) & 0x0f0f_0f0f;
        let x = (x | x << 2) & 0x3333_3333;
        (x | x << 1) & 0x5555_5555
    };
    spread(pixel.x) | spread(pixel.y) << 1
}
