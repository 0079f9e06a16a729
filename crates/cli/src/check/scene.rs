//! A scene under comparison: its trees of every kind against a scan of all instances.

use std::collections::HashMap;
use std::ptr;

use clap::ValueEnum;
use hitscan::scene::{InstanceId, QueryOptions, Scene, SceneBruteForce, WorldRay};
use hitscan::{BuildOptions, Isa, Ray};
use hitscan_oracle::HostileRays;
use rayon::prelude::*;

use super::rays::{Expected, FACES, Hits, MODES, Shape, ray_flags};
use super::report::Variant;
use super::scene_places::{EVERYTHING, Places};
use super::subject::Subject;
use super::tally::Tally;
use crate::args::{CheckArgs, LayoutArg, QualityArg};
use crate::load::LoadedScene;
use crate::query::{Found, SceneCaster};

/// A scene, whose trees are built anew for each variant.
pub(crate) struct SceneSubject<'a> {
    loaded: LoadedScene,
    scan: SceneBruteForce<'a>,
    rays: SceneRays<'a>,
    variants: Vec<(Variant, BuildOptions)>,
}

impl<'a> SceneSubject<'a> {
    /// `reference` is a copy of the scene, of which brute force takes the triangles alone.
    pub(crate) fn new(loaded: LoadedScene, reference: &'a Scene, args: &CheckArgs) -> Self {
        let mut variants = Vec::new();
        for layout in LayoutArg::OF_TREES {
            for &quality in QualityArg::value_variants() {
                variants.extend(Isa::available().into_iter().map(|isa| {
                    let options =
                        BuildOptions { quality: quality.into(), layout: layout.into(), isa };
                    (Variant::new(Some(quality), layout, isa), options)
                }));
            }
        }
        let (scan, rays) = (SceneBruteForce::new(reference), SceneRays::new(reference, args.seed));
        Self { loaded, scan, rays, variants }
    }
}

impl Subject for SceneSubject<'_> {
    type Ray = WorldRay;
    type Places = Places;

    fn variants(&self) -> Vec<Variant> {
        self.variants.iter().map(|(variant, _)| variant.clone()).collect()
    }

    /// The trees of a scene are valid if each tree of a mesh is.
    fn invalid_trees(&mut self) -> anyhow::Result<Vec<String>> {
        let mut invalid = Vec::new();
        for (Variant { quality, layout, .. }, options) in &self.variants {
            if options.isa != self.variants[0].1.isa {
                continue;
            }
            self.loaded.rebuild(options)?;
            for loaded in &self.loaded.meshes {
                if let Err(broken) = loaded.mesh.bvh().validate(loaded.mesh.tri_mesh()) {
                    let name = &loaded.name;
                    invalid
                        .push(format!("{name}: the {layout} {quality} tree is invalid: {broken}"));
                }
            }
        }
        Ok(invalid)
    }

    /// One set of trees at a time, because each takes as much memory as the scene.
    fn choose(&mut self, variant: usize) -> anyhow::Result<()> {
        self.loaded.rebuild(&self.variants[variant].1)
    }

    fn compare(&self, expected: &Expected<WorldRay>, shape: Shape) -> Tally {
        compare(&self.loaded.scene, expected, shape)
    }

    fn next(&mut self, n_rays: usize) -> (Expected<WorldRay>, Places) {
        let rays = self.rays.next_rays(n_rays);
        let places = Places::new(&self.scan, &rays);
        (expected(&self.scan, rays), places)
    }

    fn compare_places(&self, places: &Places) -> Tally {
        places.compare(&self.loaded.scene)
    }
}

/// Scans all triangles for each ray, in parallel over the rays.
fn expected(scan: &SceneBruteForce<'_>, rays: Vec<WorldRay>) -> Expected<WorldRay> {
    let seen_by = |faces| {
        let of_ray = |ray| {
            let all = |mode| scan.all_hits(ray, &QueryOptions { faces, mode, ..EVERYTHING });
            Hits(MODES.map(|mode| all(mode).into_iter().map(Found::Scene).collect()))
        };
        rays.par_iter().with_max_len(1).map(of_ray).collect()
    };
    Expected { hits: FACES.map(seen_by), rays, flags }
}

fn compare(scene: &Scene, expected: &Expected<WorldRay>, shape: Shape) -> Tally {
    expected.compare(&SceneCaster { scene, options: EVERYTHING }, shape)
}

fn flags(ray: &WorldRay) -> String {
    ray_flags(ray.origin.to_array(), ray.direction.to_array(), [ray.t_min, ray.t_max])
}

/// Hostile rays of the meshes, moved to their instances.
struct SceneRays<'a> {
    /// The stream of each mesh, and its instances.
    streams: Vec<(HostileRays<'a>, Vec<InstanceId>)>,
    scene: &'a Scene,
    n_done: usize,
}

impl<'a> SceneRays<'a> {
    fn new(scene: &'a Scene, seed: u64) -> Self {
        let mut streams: Vec<(HostileRays<'a>, Vec<InstanceId>)> = Vec::new();
        let mut positions = HashMap::new();
        for id in scene.depth_first() {
            let Some(mesh) = scene.get(id).and_then(|instance| instance.mesh.as_deref()) else {
                continue;
            };
            let position = *positions.entry(ptr::from_ref(mesh)).or_insert_with(|| {
                streams.push((HostileRays::new(mesh.tri_mesh(), seed), vec![]));
                streams.len() - 1
            });
            streams[position].1.push(id);
        }
        Self { streams, scene, n_done: 0 }
    }

    /// The next rays, one after the other at each mesh and each of its instances.
    fn next_rays(&mut self, n: usize) -> Vec<WorldRay> {
        let n_streams = self.streams.len();
        let mut rays = Vec::with_capacity(n);
        if n_streams == 0 {
            return rays;
        }
        // Whole chunks, because the kinds of rays follow each other.
        for chunk in 0..n_streams {
            let share = (n + chunk) / n_streams;
            let (stream, ids) = &mut self.streams[chunk];
            for (i, ray) in stream.next_rays(share).into_iter().enumerate() {
                let id = ids[(self.n_done + i) % ids.len()];
                rays.push(in_world(self.scene, id, &ray));
            }
        }
        self.n_done += n;
        rays
    }
}

/// A ray of an instance's mesh in the world.
fn in_world(scene: &Scene, id: InstanceId, ray: &Ray) -> WorldRay {
    let to_world = scene.mesh_to_world(id).expect("the instance is in the scene");
    let ray = WorldRay::from(*ray);
    WorldRay {
        origin: to_world.transform_point3(ray.origin),
        direction: to_world.transform_vector3(ray.direction),
        ..ray
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hitscan::TriMesh;
    use hitscan::glam::{DAffine3, DVec3};
    use hitscan::primitives::generate;
    use hitscan::scene::{Instance, Mesh};

    use super::*;
    use crate::check::rays::NAMES;

    fn scene_of(mesh: TriMesh) -> Scene {
        let mesh = Arc::new(Mesh::new(mesh, &BuildOptions::default()));
        let mut scene = Scene::new();
        for x in 0..5 {
            let place = DAffine3::from_translation(DVec3::new(f64::from(x) * 1.5 + 1e6, 0.0, 0.0));
            scene.insert(Instance::new(mesh.clone(), place)).unwrap();
        }
        scene
    }

    /// A mesh that lacks a triangle, which stands for a kernel that loses one.
    fn broken(mesh: &TriMesh) -> TriMesh {
        let mut triangles = mesh.triangles().to_vec();
        // The filter of the queries accepts it.
        triangles[6] = [0; 3];
        TriMesh::from_vecs(mesh.positions().to_vec(), triangles).unwrap()
    }

    fn tally(scene: &Scene, other: &Scene, shape: Shape) -> Tally {
        let rays = SceneRays::new(scene, 1).next_rays(400);
        compare(other, &expected(&SceneBruteForce::new(scene), rays), shape)
    }

    #[test]
    fn a_correct_scene_shows_no_difference() {
        let scene = scene_of(generate::torus(1.0, 0.25, 500).unwrap());
        for (shape, n_queries) in Shape::ALL.into_iter().zip([11, 5, 5]) {
            let tally = tally(&scene, &scene, shape);
            assert!(tally.first.is_empty(), "{:?}", tally.first);
            assert_eq!(tally.n_answers(), 3 * n_queries * 400, "{shape:?}");
        }
    }

    #[test]
    fn a_lost_triangle_shows_in_every_query_and_shape() {
        let mesh = generate::sphere(1.0, 60).unwrap();
        let (scene, other) = (scene_of(mesh.clone()), scene_of(broken(&mesh)));
        for shape in Shape::ALL {
            let tally = tally(&scene, &other, shape);
            for query in NAMES {
                let n = tally.queries.get(query).map_or(0, |counts| counts.differences);
                let has_batch = query != "nearest";
                assert_eq!(n > 0, has_batch || shape == Shape::Single, "{query} {shape:?}");
            }
        }
    }

    #[test]
    fn a_lost_triangle_shows_in_queries_about_places_and_with_filters() {
        let mesh = generate::sphere(1.0, 60).unwrap();
        let (scene, other) = (scene_of(mesh.clone()), scene_of(broken(&mesh)));
        let rays = SceneRays::new(&scene, 1).next_rays(8000);
        let places = Places::new(&SceneBruteForce::new(&scene), &rays);
        let sum = places.compare(&scene);
        assert!(sum.first.is_empty(), "{:?}", sum.first);
        assert!(sum.queries.contains_key("safe_origin"), "{:?}", sum.queries);
        let sum = places.compare(&other);
        for name in [
            "all_where",
            "any_where",
            "box",
            "closest_point",
            "closest_where",
            "convex",
            "nearest_where",
            "of_instance",
            "signed_distance",
            "sphere",
        ] {
            assert!(sum.queries[name].differences > 0, "{name}: {:?}", sum.queries);
        }
    }
}
