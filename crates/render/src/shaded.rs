//! Light and shadow: a lamp and the sky, both by rays.

use hitscan::Faces;
use hitscan::glam::{DVec2, DVec3, Vec3, Vec4};
use hitscan::picking::View;
use hitscan::scene::{SceneHit, WorldRay};

use crate::film::TileRays;
use crate::sampling::{Purpose, SampleSeed, cosine_direction, disc};
use crate::style::Style;
use crate::subject::Subject;

/// What an unnamed surface reflects.
const GREY: Vec3 = Vec3::new(0.58, 0.58, 0.56);

/// Light of the lamp, of the sky from above and from below, and of the camera itself.
const LAMP: Vec3 = Vec3::new(0.74, 0.69, 0.60);
const SKY: Vec3 = Vec3::new(0.38, 0.44, 0.54);
const GROUND: Vec3 = Vec3::new(0.24, 0.22, 0.20);
const CAMERA: f32 = 0.08;

/// The sky is hidden by what is nearer than this share of the diagonal of all: a room without
/// windows is not black.
const REACH_OF_HIDING: f32 = 0.2;

/// How much of the sky a place sees that does not ask.
const OPEN_SKY: f32 = 0.8;

/// Tangent of half the angle under which the lamp is seen: shadows have soft edges.
const LAMP_SIZE: f32 = 0.03;

/// How far off the surface rays start, as a share of the largest coordinate of a mesh: twice the bound
/// of `HitDetails::safe_origin`.
const OFFSET: f32 = 1.0 / (1 << 16) as f32;

/// Where the light comes from.
#[derive(Clone, Copy, Debug)]
enum Lamp {
    /// From far away; towards it, of unit length.
    Far(Vec3),
    At(Vec3),
}

/// The light of a picture.
#[derive(Debug)]
pub(crate) struct Lighting {
    lamp: Lamp,
    up: Vec3,
    offset: f32,
    reach_of_hiding: f32,
    /// What is seen of the sky without asking.
    open_sky: Option<f32>,
}

/// A point of the surface, to be lit.
struct Spot {
    ray: usize,
    /// Beside the surface, where rays start.
    origin: Vec3,
    /// Both on the side that is seen.
    geometric: Vec3,
    normal: Vec3,
    /// How much of the ray's way back the surface faces.
    facing: f32,
    diffuse: Vec3,
    /// Towards the lamp, and how much of it the surface would see.
    to_lamp: Vec3,
    lit: f32,
}

impl Lighting {
    /// The light of a view.
    pub(crate) fn new(subject: &Subject, view: &View, style: &Style) -> Self {
        let bounds = subject.bounds();
        let lamp = match style.light {
            None => Lamp::Far(over_the_left_shoulder(view)),
            Some(light) => Lamp::At((DVec3::from(light) - subject.origin()).as_vec3()),
        };
        Self {
            lamp,
            up: style.up.as_vec3(),
            offset: OFFSET * subject.reach(),
            reach_of_hiding: REACH_OF_HIDING * bounds.extent().as_dvec3().length() as f32,
            open_sky: style.draft.then_some(OPEN_SKY),
        }
    }

    /// The light that comes back along each ray, and how many rays that took.
    pub(crate) fn paint(&self, subject: &Subject, tile: &TileRays) -> (Vec<Vec4>, usize) {
        let spots = self.spots(subject, tile);
        let in_shadow = self.in_shadow(subject, &spots);
        let under_cover = match self.open_sky {
            Some(_) => vec![false; spots.len()],
            None => self.under_cover(subject, &spots, &tile.seeds),
        };
        let n_lit = spots.iter().filter(|spot| spot.lit > 0.0).count();
        let n_rays = n_lit + if self.open_sky.is_some() { 0 } else { spots.len() };
        let sky_share = self.open_sky.unwrap_or(1.0);
        let mut colors = vec![Vec4::ZERO; tile.rays.len()];
        for ((spot, in_shadow), under_cover) in spots.iter().zip(in_shadow).zip(under_cover) {
            let mut light = Vec3::splat(CAMERA * spot.facing);
            if !in_shadow {
                light += spot.lit * LAMP;
            }
            if !under_cover {
                light += sky_share * GROUND.lerp(SKY, 0.5 + 0.5 * spot.normal.dot(self.up));
            }
            colors[spot.ray] = (spot.diffuse * light).extend(1.0);
        }
        (colors, n_rays)
    }

    fn spots(&self, subject: &Subject, tile: &TileRays) -> Vec<Spot> {
        let places = tile.hits.iter().enumerate();
        let (rays, hits): (Vec<usize>, Vec<SceneHit>) =
            places.filter_map(|(ray, hit)| Some((ray, (*hit)?))).unzip();
        let hit_rays: Vec<WorldRay> = rays.iter().map(|&ray| tile.rays[ray]).collect();
        let surfaces = subject.surfaces(&hit_rays, &hits);
        let spot = |((ray, hit), surface)| self.spot(subject, tile, ray, hit, surface);
        rays.into_iter().zip(&hits).zip(surfaces).map(spot).collect()
    }

    /// What is to be lit where a ray hits; the point of the surface, and its normal by winding.
    fn spot(
        &self,
        subject: &Subject,
        tile: &TileRays,
        ray: usize,
        hit: &SceneHit,
        (point, geometric): (Vec3, DVec3),
    ) -> Spot {
        let towards_eye = -tile.rays[ray].direction.as_vec3().normalize_or_zero();
        let seen = |normal: Vec3| if normal.dot(towards_eye) < 0.0 { -normal } else { normal };
        let geometric = seen(geometric.as_vec3());
        let normal = subject.interpolated_normal(hit).map_or(geometric, |normal| {
            // Some files have normals that point the other way.
            if normal.dot(geometric) < 0.0 { -normal } else { normal }
        });
        let diffuse = subject.diffuse(hit).unwrap_or(GREY);
        let origin = point + self.offset * geometric;
        let center = match self.lamp {
            Lamp::Far(direction) => direction,
            Lamp::At(position) => position - origin,
        };
        let to_lamp = match tile.seeds.get(ray) {
            Some(seed) => {
                let spread = LAMP_SIZE * center.length() * disc(seed.point(Purpose::Lamp));
                let (x, y) = center.normalize_or(normal).any_orthonormal_pair();
                center + spread.x * x + spread.y * y
            }
            None => center,
        };
        let lit = match geometric.dot(to_lamp) > 0.0 {
            true => normal.dot(to_lamp.normalize_or_zero()).max(0.0),
            false => 0.0,
        };
        let facing = normal.dot(towards_eye).max(0.0);
        Spot { ray, origin, geometric, normal, facing, diffuse, to_lamp, lit }
    }

    /// Whether the lamp is hidden from each spot; true also where the surface turns away from it.
    fn in_shadow(&self, subject: &Subject, spots: &[Spot]) -> Vec<bool> {
        let t_max = if let Lamp::At(_) = self.lamp { 1.0 } else { f64::INFINITY };
        let lit: Vec<usize> = (0..spots.len()).filter(|&spot| spots[spot].lit > 0.0).collect();
        let ray = |&spot: &usize| {
            world_ray(subject, spots[spot].origin, spots[spot].to_lamp).with_range(0.0, t_max)
        };
        let rays: Vec<WorldRay> = lit.iter().map(ray).collect();
        // Seen from the lamp as from the camera: a wall that the camera looks through is none.
        let faces = match subject.faces {
            Faces::Both => Faces::Both,
            Faces::Front => Faces::Back,
            Faces::Back => Faces::Front,
        };
        let occluded = subject.are_occluded(&rays, faces);
        let mut in_shadow = vec![true; spots.len()];
        for (spot, occluded) in lit.into_iter().zip(occluded) {
            in_shadow[spot] = occluded;
        }
        in_shadow
    }

    /// Whether a random direction of the sky is hidden from each spot.
    fn under_cover(&self, subject: &Subject, spots: &[Spot], seeds: &[SampleSeed]) -> Vec<bool> {
        let ray = |spot: &Spot| {
            let direction = cosine_direction(spot.normal, seeds[spot.ray].point(Purpose::Sky));
            // Not into the surface, where an interpolated normal leans.
            let below = spot.geometric.dot(direction).min(0.0);
            world_ray(subject, spot.origin, direction - 2.0 * below * spot.geometric)
                .with_range(0.0, f64::from(self.reach_of_hiding))
        };
        let rays: Vec<WorldRay> = spots.iter().map(ray).collect();
        subject.are_occluded(&rays, subject.faces)
    }
}

/// A ray from a point relative to the subject's origin.
fn world_ray(subject: &Subject, origin: Vec3, direction: Vec3) -> WorldRay {
    WorldRay::new(subject.origin() + origin.as_dvec3(), direction.as_dvec3())
}

/// Towards a lamp behind the camera, to its left and above.
fn over_the_left_shoulder(view: &View) -> Vec3 {
    let viewport = view.viewport();
    let (center, size) = (viewport.center(), viewport.size);
    let forward = view.ray(center).direction;
    // Where pixels one screen apart lie, beside each other in the world.
    let along = |offset: [f64; 2]| {
        let offset = size * DVec2::from(offset);
        let [a, b] = [center - 0.5 * offset, center + 0.5 * offset].map(|p| view.ray(p).at(1.0));
        (b - a).normalize_or_zero()
    };
    let (right, down) = (along([1.0, 0.0]), along([0.0, 1.0]));
    (-0.55 * forward - 0.50 * right - 0.85 * down).normalize_or(-forward).as_vec3()
}
