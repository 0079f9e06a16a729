//! Random scenes and views for tests: occluders, mirrored and nested instances, triangles of zero area.

use std::sync::Arc;

use glam::{DAffine3, DMat3, DQuat, DVec2, DVec3};
use hitscan_primitives::{
    FaceRecords, Faces, TriMesh,
    generate::{self, SplitMix64},
};
use hitscan_scene::{Instance, InstanceId, Mesh, QueryOptions, Scene};

use crate::{Camera, Projection, ScreenRegion, View, Viewport};

pub(crate) struct TestScene {
    pub(crate) scene: Scene,
    pub(crate) view: View,
    ids: Vec<InstanceId>,
}

fn vector(rng: &mut SplitMix64, limit: f64) -> DVec3 {
    DVec3::from_array([(); 3].map(|()| rng.range(-limit, limit)))
}

/// Quads, small and large triangles, and meshes with triangles of zero area.
fn meshes(rng: &mut SplitMix64) -> Vec<Arc<Mesh>> {
    let size = "an ordinary size";
    let grid = generate::grid(2.0, 2.0, 2 + rng.below(60) as usize).expect(size);
    let quads = FaceRecords::from_triangle_counts(vec![2; grid.triangles().len() / 2]);
    let sphere = generate::sphere(1.0, 40 + rng.below(2000) as usize).expect(size);
    let mut triangles = sphere.triangles().to_vec();
    for triangle in triangles.iter_mut().step_by(3) {
        triangle[2] = triangle[rng.below(2) as usize];
    }
    let holed = TriMesh::new(sphere.positions().to_vec(), triangles).expect("the same vertices");
    let line = TriMesh::new([[-1.0, 0.0, 0.0], [1.0, 0.5, 0.0]], vec![[0, 1, 1]]);
    let meshes = [
        grid.with_records(quads).expect("two triangles per cell"),
        sphere,
        holed,
        line.expect("two vertices"),
        generate::torus(1.0, 0.4, 60 + rng.below(800) as usize).expect(size),
        generate::cuboid(3.0, 2.0, 0.1, rng.below(2) as u32).expect(size),
        generate::soup(30, rng.next_u64()).expect(size),
    ];
    meshes.into_iter().map(|mesh| Arc::new(Mesh::new(mesh, &Default::default()))).collect()
}

impl TestScene {
    pub(crate) fn random(rng: &mut SplitMix64) -> Self {
        let origin = if rng.below(2) == 0 { DVec3::ZERO } else { DVec3::new(1e7, -1e7, 1e7) };
        let meshes = meshes(rng);
        let mut scene = Scene::new();
        let mut ids: Vec<InstanceId> = vec![];
        for i in 0..3 + rng.below(40) {
            let turn = DQuat::from_xyzw(
                rng.range(-1.0, 1.0),
                rng.range(-1.0, 1.0),
                rng.range(-1.0, 1.0),
                1.0,
            );
            let mirror = if rng.below(3) == 0 { -1.0 } else { 1.0 };
            let scale = DVec3::new(mirror * rng.range(0.1, 1.5), rng.range(0.1, 1.5), 1.0);
            let matrix3 = DMat3::from_quat(turn.normalize()) * DMat3::from_diagonal(scale);
            // A child is placed relative to its parent.
            let parent = match (rng.below(3), ids.len()) {
                (0, n @ 1..) => Some(ids[rng.below(n as u64) as usize]),
                _ => None,
            };
            let center = if parent.is_some() { DVec3::ZERO } else { origin };
            let translation = center + vector(rng, 4.0);
            let mesh = meshes[rng.below(meshes.len() as u64) as usize].clone();
            // Some scenes have a wall, which hides what is behind it.
            let is_wall = i == 0 && rng.below(2) == 0;
            let mesh = if is_wall { meshes[5].clone() } else { mesh };
            // Small ones in the middle are often inside others.
            let (scale, share) = match i % 3 {
                _ if is_wall => (6.0, 1.0),
                0 => (0.1, 0.2),
                _ => (1.0, 1.0),
            };
            let matrix3 = scale * matrix3;
            let translation = center + share * (translation - center);
            let instance = Instance {
                parent,
                hidden: rng.below(12) == 0,
                locked: rng.below(12) == 0,
                layers: 1 << rng.below(2),
                ..Instance::new(mesh, DAffine3 { matrix3, translation })
            };
            ids.extend(scene.insert(instance));
        }
        let distance = if rng.below(4) == 0 { 1.0 } else { rng.range(6.0, 14.0) };
        let eye = origin + distance * vector(rng, 1.0).normalize();
        let mut camera = Camera::look_at(eye, origin + vector(rng, 1.0));
        camera.near = rng.range(0.01, 1.0);
        camera.far = camera.near + rng.range(5.0, 40.0);
        if rng.below(3) == 0 {
            camera.projection = Projection::Orthographic { height: rng.range(3.0, 12.0) };
        }
        let size = DVec2::new(rng.range(60.0, 200.0), rng.range(60.0, 120.0)).round();
        let viewport = Viewport { min: DVec2::new(-7.0, 31.25), size };
        let view = camera.view(viewport).expect("the camera looks at the scene");
        Self { scene, view, ids }
    }

    pub(crate) fn random_pixel(&self, rng: &mut SplitMix64) -> DVec2 {
        let share = DVec2::new(rng.range(-0.1, 1.1), rng.range(-0.1, 1.1));
        self.view.viewport().min + share * self.view.viewport().size
    }

    /// A rectangle or a lasso, which may reach beyond the viewport.
    pub(crate) fn random_region(&self, rng: &mut SplitMix64) -> ScreenRegion {
        if rng.below(2) == 0 {
            let (a, b) = (self.random_pixel(rng), self.random_pixel(rng));
            return ScreenRegion::rectangle(a, b).expect("finite corners");
        }
        let corners: Vec<DVec2> = (0..3 + rng.below(4)).map(|_| self.random_pixel(rng)).collect();
        ScreenRegion::lasso(corners).expect("three or more finite corners")
    }

    /// The instances that a query of [`random_query`](Self::random_query) skips.
    pub(crate) fn random_ignored(&self, rng: &mut SplitMix64) -> Vec<InstanceId> {
        self.ids.iter().copied().filter(|_| rng.below(8) == 0).collect()
    }

    pub(crate) fn random_query<'a>(
        &self,
        rng: &mut SplitMix64,
        ignore: &'a [InstanceId],
    ) -> QueryOptions<'a> {
        let faces = [Faces::Both, Faces::Both, Faces::Front, Faces::Back][rng.below(4) as usize];
        QueryOptions {
            faces,
            ignore,
            layers: if rng.below(4) == 0 { 1 } else { u32::MAX },
            include_hidden: rng.below(4) == 0,
            include_locked: rng.below(4) == 0,
            ..Default::default()
        }
    }
}
