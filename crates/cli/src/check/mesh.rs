//! A mesh under comparison: its trees of every kind against a scan of all triangles.

use std::sync::Arc;

use clap::ValueEnum;
use hitscan::{BuildOptions, BuildQuality, Hit, Isa, MeshBvh, Ray, TriMesh};
use hitscan_oracle::{HostileRays, Oracle, RayHits};
use rayon::prelude::*;

use super::mesh_places::{Places, displaced};
use super::rays::{Expected, FACES, Hits, Shape, ray_flags};
use super::report::Variant;
use super::subject::Subject;
use super::tally::Tally;
use crate::args::{CheckArgs, EngineArgs, LayoutArg, QualityArg};
use crate::load::{Model, build_tree_quietly};
use crate::query::Found;

/// Scans all triangles for each ray, in parallel over the rays.
fn expected(oracle: &Oracle, rays: Vec<Ray>) -> Expected<Ray> {
    // One ray is enough work for a task.
    let scans = rays.par_iter().with_max_len(1);
    let both: Vec<RayHits> = scans.map(|ray| oracle.hits(ray)).collect();
    let seen_by = |faces| {
        let found = |hits: Vec<Hit>| hits.into_iter().map(Found::Mesh).collect();
        let of_ray = |hits: &RayHits| {
            let RayHits { every_triangle, once_per_crossing } = hits.seen_by(faces);
            Hits([every_triangle, once_per_crossing].map(found))
        };
        both.iter().map(of_ray).collect()
    };
    Expected { hits: FACES.map(seen_by), rays, flags }
}

fn flags(ray: &Ray) -> String {
    ray_flags(ray.origin.to_array(), ray.direction.to_array(), [ray.t_min, ray.t_max])
}

/// A mesh with a tree of each layout and quality.
pub(crate) struct MeshSubject<'a> {
    mesh: &'a TriMesh,
    oracle: Oracle,
    rays: HostileRays<'a>,
    /// Another stream, so that its rays are not the first of the main comparison.
    rays_of_places: HostileRays<'a>,
    trees: Vec<Arc<MeshBvh>>,
    variants: Vec<Variant>,
    /// The index of the chosen tree.
    chosen: usize,
}

impl<'a> MeshSubject<'a> {
    /// Builds a tree of each layout and quality, and refits one of each layout.
    ///
    /// # Errors
    /// A tree that takes more memory than is free.
    pub(crate) fn new(model: &'a mut Model, args: &CheckArgs) -> anyhow::Result<Self> {
        let (mut trees, mut variants) = (vec![], vec![]);
        let mut add = |quality, layout, tree| {
            trees.push(Arc::new(tree));
            let isas = Isa::available().into_iter();
            variants.extend(isas.map(|isa| Variant::new(quality, layout, isa)));
        };
        for layout in LayoutArg::OF_TREES {
            for &quality in QualityArg::value_variants() {
                let engine = EngineArgs {
                    quality: Some(quality),
                    isa: None,
                    layout: Some(layout),
                    threads: args.threads,
                    limits: args.limits,
                };
                add(Some(quality), layout, build_tree_quietly(model, &engine)?);
            }
            if let Some(tree) = refitted(&model.mesh, layout) {
                add(None, layout, tree);
            }
        }
        let mesh = &model.mesh;
        Ok(Self {
            mesh,
            oracle: Oracle::new(mesh),
            rays: HostileRays::new(mesh, args.seed),
            rays_of_places: HostileRays::new(mesh, args.seed ^ 0x5eed),
            trees,
            variants,
            chosen: 0,
        })
    }
}

/// A refitted tree. `None` if the mesh is too large to be displaced, or the tree would have another scale.
fn refitted(mesh: &TriMesh, layout: LayoutArg) -> Option<MeshBvh> {
    let options = BuildOptions {
        quality: BuildQuality::High,
        layout: layout.into(),
        ..BuildOptions::default()
    };
    let mut tree = MeshBvh::build(&displaced(mesh)?, &options);
    tree.refit(mesh).ok()?;
    Some(tree)
}

impl Subject for MeshSubject<'_> {
    type Ray = Ray;
    type Places = Places;

    fn variants(&self) -> Vec<Variant> {
        self.variants.clone()
    }

    fn invalid_trees(&mut self) -> anyhow::Result<Vec<String>> {
        let mut invalid = Vec::new();
        let n_isas = self.variants.len() / self.trees.len();
        for (tree, of_tree) in self.trees.iter().zip(self.variants.chunks(n_isas)) {
            if let Err(broken) = tree.validate(self.mesh) {
                let Variant { quality, layout, .. } = &of_tree[0];
                invalid.push(format!("the {layout} {quality} tree is invalid: {broken}"));
            }
        }
        Ok(invalid)
    }

    fn choose(&mut self, variant: usize) -> anyhow::Result<()> {
        let isas = Isa::available();
        self.chosen = variant / isas.len();
        let tree = Arc::unwrap_or_clone(self.trees.remove(self.chosen));
        self.trees.insert(self.chosen, Arc::new(tree.with_isa(isas[variant % isas.len()])));
        Ok(())
    }

    fn compare(&self, expected: &Expected<Ray>, shape: Shape) -> Tally {
        expected.compare(&*self.trees[self.chosen], shape)
    }

    fn next(&mut self, n_rays: usize) -> (Expected<Ray>, Places) {
        let expected = expected(&self.oracle, self.rays.next_rays(n_rays));
        let places = Places::new(self.mesh, &self.oracle, &mut self.rays_of_places, n_rays);
        (expected, places)
    }

    fn compare_places(&self, places: &Places) -> Tally {
        places.compare(&self.trees[self.chosen])
    }
}

#[cfg(test)]
mod tests {
    use hitscan::primitives::generate;

    use super::*;
    use crate::check::rays::NAMES;
    use crate::check::tally::N_SHOWN;

    fn tally(mesh: &TriMesh, tree: &MeshBvh, shape: Shape) -> Tally {
        let rays = HostileRays::new(mesh, 1).next_rays(800);
        expected(&Oracle::new(mesh), rays).compare(tree, shape)
    }

    #[test]
    fn a_correct_tree_shows_no_difference() {
        let mesh = generate::torus(1.0, 0.25, 500).unwrap();
        let tree = MeshBvh::build(&mesh, &BuildOptions::default());
        for (shape, n_queries) in Shape::ALL.into_iter().zip([11, 5, 5]) {
            let tally = tally(&mesh, &tree, shape);
            assert!(tally.first.is_empty(), "{:?}", tally.first);
            assert_eq!(tally.n_answers(), 3 * n_queries * 800, "{shape:?}");
        }
    }

    /// The tree of a mesh that lacks a triangle stands for a kernel that loses one.
    #[test]
    fn a_lost_triangle_shows_in_every_query_and_shape() {
        let mesh = generate::sphere(1.0, 60).unwrap();
        let mut triangles = mesh.triangles().to_vec();
        triangles[7] = [0; 3];
        let broken = TriMesh::from_vecs(mesh.positions().to_vec(), triangles).unwrap();
        let tree = MeshBvh::build(&broken, &BuildOptions::default());
        for shape in Shape::ALL {
            let tally = tally(&mesh, &tree, shape);
            for query in NAMES {
                let n = tally.queries.get(query).map_or(0, |counts| counts.differences);
                let has_batch = query != "nearest";
                assert_eq!(n > 0, has_batch || shape == Shape::Single, "{query} {shape:?}");
            }
            assert_eq!(tally.first.len(), N_SHOWN);
        }
    }

    /// A position off by its last bit stands for a kernel that rounds otherwise.
    #[test]
    fn a_difference_in_the_last_bit_shows() {
        let mesh = generate::sphere(1.0, 60).unwrap();
        let mut positions = mesh.positions().to_vec();
        positions[5].x = positions[5].x.next_up();
        let tree =
            MeshBvh::build(&mesh.with_positions(positions).unwrap(), &BuildOptions::default());
        for shape in Shape::ALL {
            assert!(tally(&mesh, &tree, shape).queries["closest"].differences > 0, "{shape:?}");
        }
    }

    #[test]
    fn a_ray_as_flags_parses_to_the_same_bits() {
        let ray = Ray::new([0.1, -0.0, 1e-45], [3.402_823_5e38, 1e-7, -1.0 / 3.0]);
        let flags = flags(&ray.with_range(f32::NEG_INFINITY, 0.3));
        let numbers: Vec<u32> = flags
            .split([' ', '=', ','])
            .filter_map(|word| word.parse::<f32>().ok())
            .map(f32::to_bits)
            .collect();
        let expected = [0.1, -0.0, 1e-45, 3.402_823_5e38, 1e-7, -1.0 / 3.0, f32::NEG_INFINITY, 0.3];
        assert_eq!(numbers, expected.map(f32::to_bits));
    }
}
