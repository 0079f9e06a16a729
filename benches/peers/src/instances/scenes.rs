//! Scenes of instances: layouts, meshes, poses and rays.

use std::str::FromStr;

use hitscan::TriMesh;
use hitscan::generate::{self, SplitMix64};
use hitscan::glam::{DAffine3, DQuat, DVec3};
use hitscan::scene::WorldRay;
use hitscan_benches::{Scene, crowd, scene_names};

use crate::Error;

/// A scene of instances by its name: `LAYOUT-MESH-N`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InstancedScene {
    layout: Layout,
    mesh: String,
    n: usize,
}

/// Where the instances are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// In a flat box, with about the size of an instance between two of them.
    Spread,
    /// In the same box, a third as wide: each overlaps some others.
    Crowded,
    /// On the ground, upright.
    City,
}

const LAYOUTS: [(&str, Layout); 3] =
    [("spread", Layout::Spread), ("crowded", Layout::Crowded), ("city", Layout::City)];

/// The most instances of a scene.
const MAX_INSTANCES: usize = 4_000_000;

/// The scenes that are measured if none is named.
pub(crate) const USUAL: [&str; 8] = [
    "spread-bunny-100",
    "spread-bunny-10000",
    "spread-bunny-100000",
    "spread-bunny-1000000",
    "crowded-bunny-10000",
    "spread-fifty-100000",
    "city-fifty-100000",
    "spread-cuboid-100000",
];

impl FromStr for InstancedScene {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let expected = || {
            let meshes = scene_names().collect::<Vec<_>>().join(", ");
            format!(
                "expected LAYOUT-MESH-N with a layout of spread, crowded, city; a mesh of cuboid, fifty, {meshes}; \
                 and 1 to {MAX_INSTANCES} instances"
            )
        };
        let (layout, rest) = name.split_once('-').ok_or_else(expected)?;
        let (mesh, n) = rest.rsplit_once('-').ok_or_else(expected)?;
        let layout = LAYOUTS.iter().find(|(known, _)| *known == layout).ok_or_else(expected)?.1;
        let is_known =
            ["cuboid", "fifty"].contains(&mesh) || scene_names().any(|name| name == mesh);
        match n.parse() {
            Ok(n @ 1..=MAX_INSTANCES) if is_known => Ok(Self { layout, mesh: mesh.to_owned(), n }),
            _ => Err(expected()),
        }
    }
}

impl InstancedScene {
    pub(crate) fn name(&self) -> String {
        let known = LAYOUTS.iter().find(|(_, layout)| *layout == self.layout);
        format!("{}-{}-{}", known.map_or("", |(name, _)| name), self.mesh, self.n)
    }

    /// The meshes that the instances share.
    ///
    /// # Errors
    /// A missing file of a mesh.
    pub(crate) fn meshes(&self) -> Result<Vec<TriMesh>, Error> {
        Ok(match self.mesh.as_str() {
            "cuboid" => vec![generate::cuboid(1.0, 1.5, 0.8, 0)?],
            "fifty" => crowd::meshes().iter().map(|mesh| mesh.tri_mesh().clone()).collect(),
            name => vec![Scene::load(name)?.mesh],
        })
    }

    /// The mesh and the transform of each instance. All meshes get about the same size.
    pub(crate) fn poses(
        &self,
        meshes: &[TriMesh],
        random: &mut SplitMix64,
    ) -> Vec<(usize, DAffine3)> {
        let to_unit = |mesh: &TriMesh| {
            let bounds = mesh.bounds();
            let center = 0.5 * (bounds.min.as_dvec3() + bounds.max.as_dvec3());
            DAffine3::from_scale(DVec3::splat(1.0 / f64::from(bounds.extent().max_element())))
                * DAffine3::from_translation(-center)
        };
        let to_unit: Vec<DAffine3> = meshes.iter().map(to_unit).collect();
        let pose = |i: usize| {
            let mesh = i % meshes.len();
            (mesh, self.pose(random) * to_unit[mesh])
        };
        (0..self.n).map(pose).collect()
    }

    fn pose(&self, random: &mut SplitMix64) -> DAffine3 {
        let half = self.half();
        let mut number = |limit: f64| random.range(-limit, limit);
        let mut rotation = DQuat::from_xyzw(number(1.0), number(1.0), number(1.0), number(1.0));
        if self.layout == Layout::City {
            (rotation.x, rotation.z) = (0.0, 0.0);
        }
        let at = DVec3::new(number(half.x), number(half.y), number(half.z));
        let size = DVec3::splat(1.1 + number(0.5));
        DAffine3::from_scale_rotation_translation(size, rotation.normalize(), at)
    }

    /// Half the extent of the box of all places.
    fn half(&self) -> DVec3 {
        let n = self.n as f64;
        match self.layout {
            Layout::Spread => (2.5 * n).cbrt().max(1.0) * DVec3::new(1.0, 0.2, 1.0),
            Layout::Crowded => (2.5 * n).cbrt().max(1.0) / 3.0 * DVec3::new(1.0, 0.2, 1.0),
            Layout::City => n.sqrt() * DVec3::new(0.8, 0.0, 0.8) + DVec3::new(0.0, 0.1, 0.0),
        }
    }

    /// Rays of a camera above a corner, in tiles of 4 by 4 pixels. `width` is rounded up to whole tiles.
    pub(crate) fn camera_rays(&self, width: usize) -> Vec<WorldRay> {
        const TILE: usize = 4;
        let n_tiles = width.div_ceil(TILE);
        let half = self.half().x.max(1.0);
        let eye = half * DVec3::new(-1.6, 0.8, -1.6);
        let forward = -eye.normalize();
        let right = forward.cross(DVec3::Y).normalize();
        let up = right.cross(forward);
        let ray = |i: usize| {
            let (tile, pixel) = (i / (TILE * TILE), i % (TILE * TILE));
            let at = |tile: usize, pixel: usize| {
                let pixel = (TILE * tile + pixel) as f64 + 0.5;
                1.2 * (pixel / (TILE * n_tiles) as f64 - 0.5)
            };
            let x = at(tile % n_tiles, pixel % TILE);
            let y = at(tile / n_tiles, pixel / TILE);
            WorldRay::new(eye, forward + x * right - y * up)
        };
        (0..(n_tiles * TILE).pow(2)).map(ray).collect()
    }

    /// Segments between random points among the instances.
    pub(crate) fn random_rays(&self, n: usize, random: &mut SplitMix64) -> Vec<WorldRay> {
        let half = self.half() + DVec3::new(0.0, 0.3, 0.0);
        let mut number = |limit: f64| random.range(-limit, limit);
        let mut point = || DVec3::new(number(half.x), number(half.y), number(half.z));
        (0..n).map(|_| WorldRay::segment(point(), point())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scene_is_named_by_layout_mesh_and_number() {
        for name in USUAL.into_iter().chain(["city-terrain-4m-7"]) {
            assert_eq!(name.parse::<InstancedScene>().unwrap().name(), name);
        }
        let wrong =
            ["bunny-100", "spread-bunny", "spread-hare-100", "round-bunny-7", "spread-bunny-0"];
        for name in wrong.into_iter().chain(["spread-bunny-4000001", ""]) {
            let error = name.parse::<InstancedScene>().unwrap_err();
            assert!(error.contains("expected LAYOUT-MESH-N"), "{name}: {error}");
        }
    }

    #[test]
    fn most_rays_of_a_camera_meet_the_box_of_the_instances() {
        for name in USUAL {
            let scene: InstancedScene = name.parse().unwrap();
            let half = scene.half();
            let rays = scene.camera_rays(30);
            assert_eq!(rays.len(), 1024);
            let meets = |ray: &&WorldRay| {
                let a = (-half - ray.origin) / ray.direction;
                let b = (half - ray.origin) / ray.direction;
                a.min(b).max_element() <= a.max(b).min_element()
            };
            let n = rays.iter().filter(meets).count();
            assert!(n > 300, "{name}: {n}");
        }
    }
}
