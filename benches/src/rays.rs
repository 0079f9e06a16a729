//! Ray sets: the same rays for every engine and every run.

use hitscan::generate::SplitMix64;
use hitscan::glam::DVec3;
use hitscan::{Faces, MeshBvh, Ray};

use crate::Scene;

/// A ray set of a scene.
#[derive(Clone, Debug)]
pub struct RaySet {
    /// Which set this is.
    pub kind: RayKind,
    /// The rays, with directions of unit length. Where the kind has an order, neighbours are similar.
    pub rays: Vec<Ray>,
}

/// The construction of a set's rays, which also determines the query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RayKind {
    /// A pinhole camera's rays, in tiles of 4 by 4 pixels; closest hit.
    Primary,
    /// One cosine-weighted bounce from each primary hit, in the order of the primary rays; closest
    /// hit.
    Diffuse,
    /// Segments between two points of the bounds enlarged by 5 %; closest hit.
    Random,
    /// Segments from each primary hit to a point light; any hit.
    Shadow,
}

impl RayKind {
    /// All kinds, most coherent first.
    pub const ALL: [Self; 4] = [Self::Primary, Self::Diffuse, Self::Random, Self::Shadow];

    /// `primary`, `diffuse`, `random` or `shadow`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Primary => "primary",
            Self::Diffuse => "diffuse",
            Self::Random => "random",
            Self::Shadow => "shadow",
        }
    }

    /// Whether the rays ask for any hit instead of the closest.
    pub fn asks_for_any_hit(self) -> bool {
        self == Self::Shadow
    }
}

/// All ray sets of a scene, for a square image of `width` pixels (rounded up to whole tiles).
///
/// `bvh` must be built from the scene's mesh. Bounces and shadows start from the primary hits that it
/// finds. Their origin is the point of the weights in f64, lifted off the surface by 1e-5 of the bounds'
/// diagonal. A scene whose camera sees nothing has no diffuse and no shadow rays.
pub fn ray_sets(scene: &Scene, bvh: &MeshBvh, width: usize) -> Vec<RaySet> {
    let width = width.next_multiple_of(TILE).max(TILE);
    let primary = primary_rays(&scene.camera, width);
    let seen = points_seen(scene, bvh, &primary);
    let mut random = SplitMix64::new(1);
    let diffuse = seen.iter().map(|seen| bounce(seen, &mut random)).collect();
    let shadow = seen.iter().map(|seen| segment(seen.point, scene.light)).collect();
    let across = random_segments(scene, width * width, &mut SplitMix64::new(2));
    vec![
        RaySet { kind: RayKind::Primary, rays: primary },
        RaySet { kind: RayKind::Diffuse, rays: diffuse },
        RaySet { kind: RayKind::Random, rays: across },
        RaySet { kind: RayKind::Shadow, rays: shadow },
    ]
}

/// Sixteen neighbours in a tile, the packet size of other engines.
const TILE: usize = 4;

/// A pinhole camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The position.
    pub eye: DVec3,
    /// A point in the middle of the image.
    pub target: DVec3,
    /// A direction that points up in the image, not parallel to the view.
    pub up: DVec3,
    /// The angle between the image's lower and upper edge.
    pub fov_y_radians: f64,
}

fn primary_rays(camera: &Camera, width: usize) -> Vec<Ray> {
    let forward = (camera.target - camera.eye).normalize();
    let right = forward.cross(camera.up).normalize();
    let up = right.cross(forward);
    let half = (camera.fov_y_radians / 2.0).tan();
    let tiles = width / TILE;
    let mut rays = Vec::with_capacity(width * width);
    for tile in 0..tiles * tiles {
        for pixel in 0..TILE * TILE {
            let x = (tile % tiles) * TILE + pixel % TILE;
            let y = (tile / tiles) * TILE + pixel / TILE;
            let across = ((x as f64 + 0.5) / width as f64 * 2.0 - 1.0) * half;
            let down = ((y as f64 + 0.5) / width as f64 * 2.0 - 1.0) * half;
            let direction = forward + across * right - down * up;
            rays.push(ray(camera.eye, direction));
        }
    }
    rays
}

/// A point on a surface, lifted off it, and the unit normal on the visible side.
struct Seen {
    point: DVec3,
    normal: DVec3,
}

fn points_seen(scene: &Scene, bvh: &MeshBvh, primary: &[Ray]) -> Vec<Seen> {
    let mut hits = vec![None; primary.len()];
    bvh.closest_hit_batch(primary, Faces::Both, &mut hits);
    let bounds = scene.mesh.bounds();
    let lift = 1e-5 * (bounds.max - bounds.min).as_dvec3().length();
    let seen = primary.iter().zip(&hits).filter_map(|(ray, hit)| {
        let hit = hit.as_ref()?;
        let normal = scene.mesh.unit_normal(hit.triangle)?;
        let against = ray.direction.as_dvec3().dot(normal) > 0.0;
        let normal = if against { -normal } else { normal };
        Some(Seen { point: scene.mesh.point(hit) + lift * normal, normal })
    });
    seen.collect()
}

/// The sum of the normal and a random point on the unit sphere is distributed by the cosine.
fn bounce(seen: &Seen, random: &mut SplitMix64) -> Ray {
    let z = random.range(-1.0, 1.0);
    let angle = std::f64::consts::TAU * random.unit();
    let r = (1.0 - z * z).max(0.0).sqrt();
    let direction = seen.normal + DVec3::new(r * angle.cos(), r * angle.sin(), z);
    ray(seen.point, if direction.length() > 1e-6 { direction } else { seen.normal })
}

fn random_segments(scene: &Scene, n: usize, random: &mut SplitMix64) -> Vec<Ray> {
    let bounds = scene.mesh.bounds();
    let (min, max) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
    let margin = 0.025 * (max - min);
    let mut point = || {
        let share = DVec3::new(random.unit(), random.unit(), random.unit());
        min - margin + share * (max - min + 2.0 * margin)
    };
    (0..n).map(|_| segment(point(), point())).collect()
}

fn ray(origin: DVec3, direction: DVec3) -> Ray {
    Ray::new(origin.as_vec3(), direction.normalize().as_vec3())
}

/// A ray that ends slightly before its target, so that a lamp does not shadow itself.
fn segment(from: DVec3, to: DVec3) -> Ray {
    let length = (to - from).length();
    let direction = if length > 0.0 { (to - from) / length } else { DVec3::X };
    Ray::new(from.as_vec3(), direction.as_vec3()).with_range(0.0, (0.999 * length) as f32)
}

#[cfg(test)]
mod tests {
    use hitscan::glam::Vec3;
    use hitscan::{BuildOptions, TriMesh};

    use super::*;

    /// A square floor at z = 0 seen from above, its front up.
    fn floor() -> (Scene, MeshBvh) {
        let corners = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]];
        let mesh = TriMesh::new(corners, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
        let camera = Camera {
            eye: DVec3::new(0.0, 0.0, 1.0),
            target: DVec3::ZERO,
            up: DVec3::Y,
            fov_y_radians: std::f64::consts::FRAC_PI_2,
        };
        let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
        (Scene { name: "floor", mesh, camera, light: DVec3::new(0.0, 0.0, 3.0) }, bvh)
    }

    #[test]
    fn directions_are_of_unit_length() {
        let (scene, bvh) = floor();
        for set in ray_sets(&scene, &bvh, 16) {
            assert_eq!(set.rays.len(), 256, "{:?}", set.kind);
            for ray in &set.rays {
                assert!((ray.direction.length() - 1.0).abs() < 1e-6, "{:?} {ray:?}", set.kind);
            }
        }
    }

    #[test]
    fn a_camera_of_a_right_angle_sees_exactly_the_floor_below_it() {
        let (scene, bvh) = floor();
        let rays = &ray_sets(&scene, &bvh, 8)[0].rays;
        let corner = rays[0].at(1.0 / -rays[0].direction.z);
        assert!((corner - Vec3::new(-0.875, 0.875, 0.0)).length() < 1e-6, "{corner}");
        let second_row = rays[TILE].at(1.0 / -rays[TILE].direction.z);
        assert!((second_row - Vec3::new(-0.875, 0.625, 0.0)).length() < 1e-6, "{second_row}");
    }

    #[test]
    fn bounces_and_shadows_leave_the_side_that_was_seen() {
        let (scene, bvh) = floor();
        let sets = ray_sets(&scene, &bvh, 16);
        for set in [&sets[1], &sets[3]] {
            for ray in &set.rays {
                assert!(ray.origin.z > 0.0 && ray.direction.z >= 0.0, "{:?} {ray:?}", set.kind);
                assert!(!bvh.is_occluded(ray, Faces::Both), "{:?} {ray:?}", set.kind);
            }
        }
    }

    #[test]
    fn the_same_scene_gives_the_same_rays() {
        let (scene, bvh) = floor();
        let [a, b] = [ray_sets(&scene, &bvh, 8), ray_sets(&scene, &bvh, 8)];
        assert!(a.iter().zip(&b).all(|(a, b)| a.rays == b.rays));
    }
}
