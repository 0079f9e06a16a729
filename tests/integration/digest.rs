//! The answers of fixed meshes and scenes to fixed queries, as one number for each kind. A change that means to keep every
//! answer keeps these numbers; one that means to change an answer says so in CHANGELOG and records the new number.
//!
//! The cases need no function whose rounding differs between systems, such as a sine or a power.

use std::sync::Arc;

use hitscan::primitives::glam::{DAffine3, DMat3, DVec3};
use hitscan::primitives::{Aabb, SectionPlane, SphereCast, SphereContact};
use hitscan::scene::{
    Instance, Mesh, QueryOptions, Scene, SceneHit, WorldBox, WorldRay, WorldRegion,
};
use hitscan::{
    BuildOptions, Faces, Hit, HitMode, HitOptions, MeshBvh, SectionPolyline, TriMesh, generate,
};
use hitscan_testkit::{RayKind, Rng};
use xxhash_rust::xxh3::xxh3_64;

use crate::asking::ALL_FACES;

const MODES: [HitMode; 2] = [HitMode::EveryTriangle, HitMode::OncePerCrossing];

#[test]
fn the_answers_of_meshes_have_the_recorded_digest() {
    let mut digest = Digest::default();
    for (seed, mesh) in meshes().iter().enumerate() {
        digest.add_mesh(mesh, seed as u64);
    }
    assert_eq!(digest.values(), (0x9a4e_0dc0_8117_f235, 28_662));
}

#[test]
fn the_answers_of_scenes_have_the_recorded_digest() {
    let mut digest = Digest::default();
    for seed in 0..4 {
        let mut rng = Rng::new(700 + seed);
        let scene = scene(&mut rng);
        digest.add_scene(&scene, &mut rng);
    }
    assert_eq!(digest.values(), (0x4663_4b20_e1a3_c65f, 4_630));
}

fn meshes() -> Vec<TriMesh> {
    let all = [
        generate::cuboid(2.0, 3.0, 4.0, 2),
        generate::terrain(2000, 5),
        generate::soup(500, 6),
        generate::city(3000, 7),
        generate::grid(8.0, 4.0, 300),
    ];
    all.map(|mesh| mesh.expect("an ordinary size")).into()
}

/// Thirty instances of the meshes: turned by a rotation with exact numbers, some of them stretched, mirrored, hidden, locked or
/// below another.
fn scene(rng: &mut Rng) -> Scene {
    let meshes = meshes().into_iter().map(|mesh| {
        // Of one size, so that they overlap.
        let factor = 8.0 / mesh.bounds().extent().max_element();
        let positions: Vec<_> = mesh.positions().iter().map(|&point| point * factor).collect();
        let mesh = mesh.with_positions(positions).expect("finite positions");
        Arc::new(Mesh::new(mesh, &BuildOptions::default()))
    });
    let meshes: Vec<_> = meshes.collect();
    let mut scene = Scene::new();
    let mut ids = Vec::new();
    for _ in 0..30 {
        let turn = DMat3::from_cols_array(&[0.6, 0.8, 0.0, -0.8, 0.6, 0.0, 0.0, 0.0, 1.0]);
        let turn = rng.pick(&[DMat3::IDENTITY, turn, turn.transpose()]);
        let sides =
            DVec3::new(rng.pick(&[1.0, -1.0]), rng.pick(&[1.0, 0.3]), rng.pick(&[1.0, 3.0]));
        let instance = Instance {
            mesh: (!rng.one_in(6)).then(|| meshes[rng.below(meshes.len())].clone()),
            transform: DAffine3 {
                matrix3: turn * DMat3::from_diagonal(sides),
                translation: 20.0 * rng.in_cube().as_dvec3(),
            },
            parent: if ids.is_empty() || rng.one_in(2) { None } else { Some(rng.pick(&ids)) },
            layers: 1 << rng.below(3),
            hidden: rng.one_in(12),
            locked: rng.one_in(8),
            name: None,
        };
        ids.extend(scene.insert(instance));
    }
    scene
}

/// The bits of answers, and the number of hits among them.
#[derive(Default)]
struct Digest {
    bytes: Vec<u8>,
    n_hits: usize,
}

impl Digest {
    fn values(&self) -> (u64, usize) {
        (xxh3_64(&self.bytes), self.n_hits)
    }

    fn add(&mut self, numbers: impl IntoIterator<Item = u64>) {
        self.bytes.extend(numbers.into_iter().flat_map(u64::to_le_bytes));
    }

    fn add_hits<'a>(&mut self, hits: impl IntoIterator<Item = &'a Hit>) {
        for hit in hits {
            self.add(hit.to_bits().map(u64::from));
            self.n_hits += 1;
        }
    }

    fn add_scene_hits<'a>(&mut self, hits: impl IntoIterator<Item = &'a SceneHit>) {
        for hit in hits {
            self.add([hit.t.to_bits(), hit.insertion_order]);
            self.add_hits([&hit.local]);
        }
    }

    fn add_point(&mut self, point: DVec3) {
        self.add(point.to_array().map(f64::to_bits));
    }

    fn add_contact(&mut self, contact: &SphereContact) {
        self.add([contact.triangle.into(), contact.t.to_bits()]);
        self.add_point(contact.point);
        self.add_point(contact.normal);
    }

    fn add_polyline(&mut self, line: &SectionPolyline) {
        line.points.iter().for_each(|&point| self.add_point(point));
        self.add(line.triangles.iter().map(|&triangle| triangle.into()));
    }

    fn add_mesh(&mut self, mesh: &TriMesh, seed: u64) {
        let bvh = MeshBvh::build(mesh, &BuildOptions::default());
        let mut rng = Rng::new(seed);
        let without_powers =
            |kind: &RayKind| !matches!(kind, RayKind::Grazing | RayKind::FarOrigin);
        let kinds: Vec<_> = RayKind::ALL.into_iter().filter(without_powers).collect();
        let rays: Vec<_> = (0..2000).map(|_| rng.pick(&kinds).ray(mesh, &mut rng)).collect();
        for (i, ray) in rays.iter().enumerate() {
            let (faces, mode) = (ALL_FACES[i % 3], MODES[i % 2]);
            self.add_hits(&bvh.closest_hit(ray, faces));
            self.add([bvh.is_occluded(ray, faces).into(), bvh.count_crossings(ray, faces) as u64]);
            self.add_hits(&bvh.all_hits(ray, &HitOptions { faces, mode }));
            if let Ok(cast) = SphereCast::new(*ray, 0.25)
                && let Some(contact) = bvh.sphere_cast(&cast)
            {
                self.add_contact(&contact);
            }
        }
        let mut hits = vec![None; rays.len()];
        bvh.closest_hit_batch(&rays, Faces::Both, &mut hits);
        self.add_hits(hits.iter().flatten());
        let mut found = Vec::new();
        for _ in 0..200 {
            let point = rng.in_cube() * mesh.bounds().extent();
            if let Some(closest) = bvh.closest_point(point, f64::INFINITY) {
                self.add([closest.triangle.into(), closest.distance.to_bits()]);
                self.add_point(closest.point);
            }
            bvh.overlapping_box_into(&Aabb::new(point, point + rng.unit()), &mut found);
            self.add(found.iter().map(|&triangle| triangle.into()));
        }
        for axis in [DVec3::X, DVec3::Y, DVec3::new(1.0, 2.0, 3.0)] {
            let plane = SectionPlane::new(mesh.bounds().center().as_dvec3(), axis);
            let lines = bvh.section(&plane.expect("an ordinary plane"));
            lines.iter().for_each(|line| self.add_polyline(line));
        }
    }

    fn add_scene(&mut self, scene: &Scene, rng: &mut Rng) {
        let mut found = Vec::new();
        for i in 0..2000 {
            let options = QueryOptions {
                faces: ALL_FACES[i % 3],
                mode: MODES[i % 2],
                include_hidden: i % 5 == 0,
                include_locked: i % 7 == 0,
                layers: rng.pick(&[u32::MAX, 3]),
                ..QueryOptions::default()
            };
            let origin = 30.0 * rng.in_cube().as_dvec3();
            let ray = WorldRay::new(origin, 20.0 * rng.in_cube().as_dvec3() - origin);
            self.add_scene_hits(&scene.closest_hit(&ray, &options));
            self.add([scene.is_occluded(&ray, &options).into()]);
            self.add([scene.count_crossings(&ray, &options) as u64]);
            self.add_scene_hits(&scene.all_hits(&ray, &options));
            if i % 10 == 0 {
                let cast = SphereCast::new(ray, 0.25).expect("a ball");
                if let Some(contact) = scene.sphere_cast(&cast, &options) {
                    self.add_contact(&contact.contact);
                }
                if let Some(closest) = scene.closest_point(origin, f64::INFINITY, &options) {
                    self.add([closest.triangle.into(), closest.distance.to_bits()]);
                    self.add_point(closest.point);
                }
                let region = WorldRegion::Box(WorldBox { min: origin, max: origin + 4.0 });
                scene.overlapping_into(&region, &options, &mut found);
                self.add(found.iter().map(|triangle| triangle.triangle.into()));
            }
        }
        for axis in [DVec3::X, DVec3::Y, DVec3::new(1.0, 2.0, 3.0)] {
            let plane = SectionPlane::new(DVec3::ZERO, axis).expect("an ordinary plane");
            let lines = scene.section(&plane, &QueryOptions::default());
            lines.iter().for_each(|line| self.add_polyline(&line.polyline));
        }
    }
}
