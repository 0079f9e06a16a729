//! Shaded mode: a lamp with shadows and ambient light from the sky.

use hitscan::Faces;
use hitscan::glam::{DVec2, DVec3, Vec3, Vec4};
use hitscan::picking::View;
use hitscan::scene::{SceneHit, WorldRay};

use crate::film::TileRays;
use crate::ground::Ground;
use crate::sampling::{Purpose, SampleSeed, cosine_direction, disc};
use crate::style::Style;
use crate::subject::Subject;

/// Reflectance of a surface without a material colour.
const GREY: Vec3 = Vec3::new(0.58, 0.58, 0.56);

/// Light of the lamp, the sky above, the ground below, and a lamp at the camera.
const LAMP: Vec3 = Vec3::new(0.74, 0.69, 0.60);
const SKY: Vec3 = Vec3::new(0.38, 0.44, 0.54);
const GROUND: Vec3 = Vec3::new(0.24, 0.22, 0.20);
const CAMERA: f32 = 0.08;

/// Only surfaces closer than this share of the scene's diagonal hide the sky. Otherwise a room
/// without windows would be black.
const OCCLUSION_DISTANCE: f32 = 0.2;

/// Minimum number of sky rays per pixel. Fewer leave visible grain.
const MIN_SKY_RAYS: u32 = 16;

/// Brightness up to which surfaces keep their colour. Brighter light approaches white without
/// reaching it, so that light surfaces keep their shape.
const SHOULDER: f32 = 0.6;

/// Share of the sky's light that draft lighting assumes.
const DRAFT_SKY_SHARE: f32 = 0.8;

/// Tangent of half the lamp's angular size, which gives shadows soft edges.
const LAMP_SIZE: f32 = 0.03;

/// Offset of ray origins from the surface, as a share of the largest absolute coordinate: twice the
/// bound of `HitDetails::safe_origin`.
const ORIGIN_OFFSET: f32 = 1.0 / (1 << 16) as f32;

/// Position of the main light.
#[derive(Clone, Copy, Debug)]
enum Lamp {
    /// Unit direction towards a distant lamp.
    Far(Vec3),
    At(Vec3),
}

/// Light sources of a picture.
#[derive(Debug)]
pub(crate) struct Lighting {
    lamp: Lamp,
    up: Vec3,
    offset: f32,
    occlusion_distance: f32,
    /// Share of the sky's light in a draft; `None` traces sky rays.
    constant_sky: Option<f32>,
    /// Sky rays per camera ray.
    n_sky_rays: u32,
    ground: Option<Ground>,
}

/// A surface point to light.
struct SurfacePoint {
    ray: usize,
    /// Origin of shadow and sky rays, off the surface.
    origin: Vec3,
    /// Geometric and shading normal, both on the visible side.
    geometric: Vec3,
    normal: Vec3,
    /// Cosine between the shading normal and the direction to the eye.
    facing: f32,
    material: PointMaterial,
    /// Vector to the lamp, and the cosine-weighted share of its light.
    to_lamp: Vec3,
    lit: f32,
}

/// The reaction of a point to light.
#[derive(Clone, Copy, Debug)]
enum PointMaterial {
    /// Reflects with this colour.
    Diffuse(Vec3),
    /// Shows the background, darker where light is missing. The number is the ground's visibility.
    Ground(f32),
}

impl Lighting {
    /// Light sources for a view of the subject.
    pub(crate) fn new(subject: &Subject, view: &View, style: &Style) -> Self {
        let bounds = subject.bounds();
        let lamp = match style.light {
            None => Lamp::Far(left_shoulder_direction(view)),
            Some(light) => Lamp::At((DVec3::from(light) - subject.origin()).as_vec3()),
        };
        Self {
            lamp,
            up: style.up.as_vec3(),
            offset: ORIGIN_OFFSET * subject.max_abs_coordinate(),
            occlusion_distance: OCCLUSION_DISTANCE * bounds.extent().as_dvec3().length() as f32,
            constant_sky: style.draft.then_some(DRAFT_SKY_SHARE),
            n_sky_rays: MIN_SKY_RAYS.div_ceil(style.n_samples.max(1)),
            ground: if style.ground { Ground::new(subject, view, style.up) } else { None },
        }
    }

    /// Corners of a square around the ground, in world space; empty without ground.
    pub(crate) fn ground_corners(&self) -> Vec<DVec3> {
        self.ground.iter().flat_map(Ground::corners).collect()
    }

    /// Colours each ray and returns the number of extra rays that this took.
    pub(crate) fn paint(&self, subject: &Subject, tile: &TileRays) -> (Vec<Vec4>, usize) {
        let points = self.surface_points(subject, tile);
        let in_shadow = self.in_shadow(subject, &points);
        let sky_shares = match self.constant_sky {
            Some(share) => vec![share; points.len()],
            None => self.sky_shares(subject, &points, &tile.seeds),
        };
        let n_lit = points.iter().filter(|point| point.lit > 0.0).count();
        let n_sky = if self.constant_sky.is_some() { 0 } else { self.n_sky_rays as usize };
        let mut colors = vec![Vec4::ZERO; tile.rays.len()];
        for ((point, in_shadow), sky_share) in points.iter().zip(in_shadow).zip(sky_shares) {
            let lamp = if in_shadow { Vec3::ZERO } else { point.lit * LAMP };
            let sky = GROUND.lerp(SKY, 0.5 + 0.5 * point.normal.dot(self.up));
            colors[point.ray] = match point.material {
                PointMaterial::Diffuse(diffuse) => {
                    let light = CAMERA * point.facing + lamp + sky_share * sky;
                    (diffuse * light).map(softened).extend(1.0)
                }
                PointMaterial::Ground(visible) => {
                    let open = self.constant_sky.unwrap_or(1.0) * sky + point.lit * LAMP;
                    let share = (lamp + sky_share * sky).element_sum() / open.element_sum();
                    Vec4::new(0.0, 0.0, 0.0, visible * (1.0 - share))
                }
            };
        }
        (colors, n_lit + points.len() * n_sky)
    }

    fn surface_points(&self, subject: &Subject, tile: &TileRays) -> Vec<SurfacePoint> {
        let hits = tile.hits.iter().enumerate();
        let (rays, hits): (Vec<usize>, Vec<SceneHit>) =
            hits.filter_map(|(ray, hit)| Some((ray, (*hit)?))).unzip();
        let hit_rays: Vec<WorldRay> = rays.iter().map(|&ray| tile.rays[ray]).collect();
        let surfaces = subject.surfaces(&hit_rays, &hits);
        let point = |((ray, hit), surface)| self.surface_point(subject, tile, ray, hit, surface);
        let mut points: Vec<SurfacePoint> =
            rays.into_iter().zip(&hits).zip(surfaces).map(point).collect();
        if let Some(ground) = &self.ground {
            let misses = tile.hits.iter().enumerate().filter(|(_, hit)| hit.is_none());
            let point = |(ray, _)| self.ground_point(subject, tile, ray, ground);
            points.extend(misses.filter_map(point));
        }
        points
    }

    /// The point of the ground that a ray meets.
    fn ground_point(
        &self,
        subject: &Subject,
        tile: &TileRays,
        ray: usize,
        ground: &Ground,
    ) -> Option<SurfacePoint> {
        let (point, visible) = ground.hit(&tile.rays[ray])?;
        let normal = ground.up();
        let origin = (point - subject.origin()).as_vec3() + self.offset * normal;
        let to_lamp = self.to_lamp(tile, ray, origin, normal);
        let lit = normal.dot(to_lamp.normalize_or_zero()).max(0.0);
        let material = PointMaterial::Ground(visible);
        Some(SurfacePoint {
            ray,
            origin,
            geometric: normal,
            normal,
            facing: 0.0,
            material,
            to_lamp,
            lit,
        })
    }

    /// The vector from a point to a random point of the lamp.
    fn to_lamp(&self, tile: &TileRays, ray: usize, origin: Vec3, normal: Vec3) -> Vec3 {
        let center = match self.lamp {
            Lamp::Far(direction) => direction,
            Lamp::At(position) => position - origin,
        };
        let Some(seed) = tile.seeds.get(ray) else { return center };
        let spread = LAMP_SIZE * center.length() * disc(seed.point(Purpose::Lamp));
        let (x, y) = center.normalize_or(normal).any_orthonormal_pair();
        center + spread.x * x + spread.y * y
    }

    /// The surface point of a hit. `point` is relative to the subject's origin; `geometric` is the
    /// normal by winding.
    fn surface_point(
        &self,
        subject: &Subject,
        tile: &TileRays,
        ray: usize,
        hit: &SceneHit,
        (point, geometric): (Vec3, DVec3),
    ) -> SurfacePoint {
        let towards_eye = -tile.rays[ray].direction.as_vec3().normalize_or_zero();
        let seen = |normal: Vec3| if normal.dot(towards_eye) < 0.0 { -normal } else { normal };
        let geometric = seen(geometric.as_vec3());
        let normal = subject.interpolated_normal(hit).map_or(geometric, |normal| {
            // Some files have corner normals on the wrong side.
            if normal.dot(geometric) < 0.0 { -normal } else { normal }
        });
        let material = PointMaterial::Diffuse(subject.diffuse(hit).unwrap_or(GREY));
        let origin = point + self.offset * geometric;
        let to_lamp = self.to_lamp(tile, ray, origin, normal);
        let lit = match geometric.dot(to_lamp) > 0.0 {
            true => normal.dot(to_lamp.normalize_or_zero()).max(0.0),
            false => 0.0,
        };
        let facing = normal.dot(towards_eye).max(0.0);
        SurfacePoint { ray, origin, geometric, normal, facing, material, to_lamp, lit }
    }

    /// Whether the lamp is hidden from each point. True also for points that face away from it.
    fn in_shadow(&self, subject: &Subject, points: &[SurfacePoint]) -> Vec<bool> {
        let t_max = if let Lamp::At(_) = self.lamp { 1.0 } else { f64::INFINITY };
        let lit: Vec<usize> = (0..points.len()).filter(|&point| points[point].lit > 0.0).collect();
        let ray = |&point: &usize| {
            world_ray(subject, points[point].origin, points[point].to_lamp).with_range(0.0, t_max)
        };
        let rays: Vec<WorldRay> = lit.iter().map(ray).collect();
        // Shadow rays see the sides that the camera sees, so a wall that the camera looks through
        // casts no shadow.
        let faces = match subject.faces {
            Faces::Both => Faces::Both,
            Faces::Front => Faces::Back,
            Faces::Back => Faces::Front,
        };
        let occluded = subject.is_occluded_batch(&rays, faces);
        let mut in_shadow = vec![true; points.len()];
        for (point, occluded) in lit.into_iter().zip(occluded) {
            in_shadow[point] = occluded;
        }
        in_shadow
    }

    /// Share of random directions of the sky that each point sees.
    fn sky_shares(
        &self,
        subject: &Subject,
        points: &[SurfacePoint],
        seeds: &[SampleSeed],
    ) -> Vec<f32> {
        let n = self.n_sky_rays;
        let ray = |point: &SurfacePoint, k: u32| {
            let seed = seeds[point.ray].split(n, k);
            let direction = cosine_direction(point.normal, seed.point(Purpose::Sky));
            // An interpolated normal may lean: mirror directions that would enter the surface.
            let below = point.geometric.dot(direction).min(0.0);
            world_ray(subject, point.origin, direction - 2.0 * below * point.geometric)
                .with_range(0.0, f64::from(self.occlusion_distance))
        };
        let mut shares = vec![0.0; points.len()];
        for k in 0..n {
            let rays: Vec<WorldRay> = points.iter().map(|point| ray(point, k)).collect();
            let hidden = subject.is_occluded_batch(&rays, subject.faces);
            for (share, hidden) in shares.iter_mut().zip(hidden) {
                *share += if hidden { 0.0 } else { 1.0 / n as f32 };
            }
        }
        shares
    }
}

/// Compresses light above [`SHOULDER`] smoothly, so that any light stays below 1.
fn softened(light: f32) -> f32 {
    let room = 1.0 - SHOULDER;
    if light > SHOULDER { 1.0 - room * ((SHOULDER - light) / room).exp() } else { light }
}

/// A ray from a position relative to the subject's origin.
fn world_ray(subject: &Subject, origin: Vec3, direction: Vec3) -> WorldRay {
    WorldRay::new(subject.origin() + origin.as_dvec3(), direction.as_dvec3())
}

/// Unit direction to a lamp behind the camera, to its left and above.
fn left_shoulder_direction(view: &View) -> Vec3 {
    let viewport = view.viewport();
    let (center, size) = (viewport.center(), viewport.size);
    let forward = view.ray(center).direction;
    // World direction between two pixels one screen apart.
    let along = |offset: [f64; 2]| {
        let offset = size * DVec2::from(offset);
        let [a, b] = [center - 0.5 * offset, center + 0.5 * offset].map(|p| view.ray(p).at(1.0));
        (b - a).normalize_or_zero()
    };
    let (right, down) = (along([1.0, 0.0]), along([0.0, 1.0]));
    (-0.55 * forward - 0.50 * right - 0.85 * down).normalize_or(-forward).as_vec3()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn light_never_burns_out_and_dark_colours_stay() {
        assert_eq!(softened(0.5), 0.5);
        let steps: Vec<f32> = (0..100).map(|n| softened(n as f32 * 0.02)).collect();
        assert!(steps.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(steps[99] < 1.0 && steps[99] > 0.97, "{}", steps[99]);
    }
}
