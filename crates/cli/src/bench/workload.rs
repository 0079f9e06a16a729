//! Typical rays: from a camera, from surfaces, between points, to a light.

use std::f32::consts::TAU;

use hitscan::glam::{DVec3, Vec3};
use hitscan::primitives::generate::SplitMix64;
use hitscan::scene::{QueryOptions, Scene, SceneHit, WorldRay};
use hitscan::{Aabb, Faces, Hit, MeshBvh, Ray, TriMesh};

/// The rays of one kind.
#[derive(Clone, Debug)]
pub(crate) struct Workload<R> {
    pub(crate) name: &'static str,
    pub(crate) rays: Vec<R>,
}

/// The workloads of a mesh, with `n` rays each: primary, diffuse, segments, shadow.
///
/// Diffuse and shadow rays start at the hits of primary rays. Without such hits there are none.
pub(crate) fn workloads(mesh: &TriMesh, tree: &MeshBvh, n: usize, seed: u64) -> Vec<Workload<Ray>> {
    let bounds = match mesh.bounds() {
        bounds if bounds.is_empty() => Aabb::new([-1.0; 3], [1.0; 3]),
        bounds => bounds,
    };
    workloads_within(&bounds, n, seed, |primary| {
        let mut hits = vec![None; n];
        tree.closest_hit_batch(primary, Faces::Both, &mut hits);
        let start = |(ray, hit): (&Ray, &Option<Hit>)| {
            let hit = (*hit)?;
            let normal = mesh.unit_normal(hit.triangle).map(|normal| normal.as_vec3());
            Some(Start::new(ray, mesh.point(&hit).as_vec3(), normal))
        };
        primary.iter().zip(&hits).filter_map(start).collect()
    })
}

/// The workloads of a scene, like those of a mesh. They are made around the centre of the scene, so that
/// single precision suffices for them.
pub(crate) fn scene_workloads(scene: &Scene, n: usize, seed: u64) -> Vec<Workload<WorldRay>> {
    let bounds = scene.bounds();
    let (center, half) = match bounds.is_empty() {
        true => (DVec3::ZERO, Vec3::ONE),
        false => (0.5 * (bounds.min + bounds.max), (0.5 * (bounds.max - bounds.min)).as_vec3()),
    };
    let to_world = |ray: &Ray| {
        let world = WorldRay::from(*ray);
        WorldRay { origin: world.origin + center, ..world }
    };
    let bounds = Aabb::new((-half).to_array(), half.to_array());
    let workloads = workloads_within(&bounds, n, seed, |primary| {
        let rays: Vec<WorldRay> = primary.iter().map(to_world).collect();
        let mut hits = vec![None; rays.len()];
        scene.closest_hit_batch(&rays, &QueryOptions::default(), &mut hits);
        let start = |(ray, hit): (&Ray, &Option<SceneHit>)| {
            let details = scene.describe(hit.as_ref()?)?;
            let normal = details.normal().map(|normal| normal.as_vec3());
            Some(Start::new(ray, (details.point() - center).as_vec3(), normal))
        };
        primary.iter().zip(&hits).filter_map(start).collect()
    });
    let in_world = |Workload { name, rays }: Workload<Ray>| Workload {
        name,
        rays: rays.iter().map(to_world).collect(),
    };
    workloads.into_iter().map(in_world).collect()
}

/// The workloads within a box. `starts` casts the primary rays.
fn workloads_within(
    bounds: &Aabb,
    n: usize,
    seed: u64,
    starts: impl FnOnce(&[Ray]) -> Vec<Start>,
) -> Vec<Workload<Ray>> {
    let mut rng = SplitMix64::new(seed);
    let primary = primary_rays(bounds, n);
    let starts = starts(&primary);
    let segments =
        (0..n).map(|_| Ray::segment(point_in(bounds, &mut rng), point_in(bounds, &mut rng)));
    let segments = segments.collect();
    let mut workloads = vec![
        Workload { name: "primary", rays: primary },
        Workload { name: "segments", rays: segments },
    ];
    if !starts.is_empty() {
        // Fewer hits than rays: repeat the hits with other directions.
        let starts = || starts.iter().cycle().take(n);
        let diffuse =
            starts().map(|start| Ray::new(start.point, start.diffuse(&mut rng))).collect();
        workloads.insert(1, Workload { name: "diffuse", rays: diffuse });
        let light = bounds.max + bounds.extent() * Vec3::new(0.25, 0.5, 0.25);
        let shadow = starts().map(|start| Ray::segment(start.point, light)).collect();
        workloads.push(Workload { name: "shadow", rays: shadow });
    }
    workloads
}

/// A camera that sees the whole mesh from the side of (1, 0.75, 1), in tiles of 4 by 4 pixels.
fn primary_rays(bounds: &Aabb, n: usize) -> Vec<Ray> {
    let tiles = ((n as f64 / 16.0).sqrt().ceil() as usize).max(1);
    let radius = 0.5 * bounds.extent().length();
    let backward = Vec3::new(1.0, 0.75, 1.0).normalize();
    // At this distance, a cone of 45 degrees encloses the sphere around the bounds.
    let eye = bounds.center() + backward * (radius / 22.5f32.to_radians().sin());
    let right = Vec3::Y.cross(backward).normalize();
    let up = backward.cross(right);
    let width = 22.5f32.to_radians().tan();
    let pixels = (tiles * 4) as f32;
    let pixel = |x: usize, y: usize| {
        let [sx, sy] = [x, y].map(|p| ((p as f32 + 0.5) / pixels * 2.0 - 1.0) * width);
        Ray::new(eye, right * sx - up * sy - backward)
    };
    let tile = |tile: usize| {
        let (x, y) = (tile % tiles * 4, tile / tiles * 4);
        (0..16).map(move |i| pixel(x + i % 4, y + i / 4))
    };
    // `take` cuts the last tiles.
    (0..tiles * tiles).flat_map(tile).take(n).collect()
}

/// The start of a ray on a surface.
struct Start {
    point: Vec3,
    /// The unit normal, towards the origin of the ray that hit.
    normal: Vec3,
}

impl Start {
    fn new(ray: &Ray, point: Vec3, normal: Option<Vec3>) -> Self {
        // A triangle of zero area has no normal; the direction back along the ray replaces it.
        let normal = normal.unwrap_or(-ray.direction.normalize());
        let normal = if normal.dot(ray.direction) > 0.0 { -normal } else { normal };
        // Slightly off the surface, as in renderers.
        Self { point: point + normal * (1e-4 * (point - ray.origin).length()), normal }
    }

    /// A direction with the distribution of a matt surface.
    fn diffuse(&self, rng: &mut SplitMix64) -> Vec3 {
        let (z, turn) = (rng.range(-1.0, 1.0) as f32, rng.unit() as f32 * TAU);
        let r = (1.0 - z * z).max(0.0).sqrt();
        let direction = self.normal + Vec3::new(r * turn.cos(), r * turn.sin(), z);
        if direction.length_squared() > 1e-8 { direction } else { self.normal }
    }
}

fn point_in(bounds: &Aabb, rng: &mut SplitMix64) -> Vec3 {
    let share = Vec3::from_array([(); 3].map(|()| rng.unit() as f32));
    bounds.min + share * bounds.extent()
}

#[cfg(test)]
mod tests {
    use hitscan::BuildOptions;
    use hitscan::primitives::generate;

    use super::*;

    #[test]
    fn the_camera_sees_the_mesh_and_every_workload_has_all_its_rays() {
        let mesh = generate::cuboid(10.0, 12.0, 4.0, 1).unwrap();
        let tree = MeshBvh::build(&mesh, &BuildOptions::default());
        for n in [1, 100, 4096] {
            for Workload { name, rays } in workloads(&mesh, &tree, n, 1) {
                assert_eq!(rays.len(), n, "{name}");
                assert!(rays.iter().all(Ray::is_valid), "{name}");
            }
        }
        let primary = &workloads(&mesh, &tree, 4096, 1)[0].rays;
        let n_hits = primary.iter().filter(|ray| tree.is_occluded(ray, Faces::Both)).count();
        assert!((800..3600).contains(&n_hits), "{n_hits} of 4096");
    }
}
