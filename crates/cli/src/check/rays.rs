//! Compares every query of a tree with the oracle, one ray at a time and in batches, on all threads.

use std::ops::{Range, RangeInclusive};

use hitscan::{Faces, MeshBvh, Ray};
use hitscan_oracle::{Oracle, RayHits, Tally, answers_of, batch_answers_of};
use rayon::prelude::*;

/// The grouping of rays into calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// One ray per call.
    Single,
    /// All rays in one call.
    Batch,
    /// Calls of 1, 2, 3, ... rays, which exercise the remainder of a kernel that takes several at a time.
    ShortBatches,
}

impl Shape {
    pub(crate) const ALL: [Self; 3] = [Self::Single, Self::Batch, Self::ShortBatches];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Batch => "batch",
            Self::ShortBatches => "short batches",
        }
    }
}

/// The lengths of the short batches, in order.
pub(crate) const SHORT_BATCHES: RangeInclusive<usize> = 1..=37;

/// Rays with the oracle's hits, for each choice of sides.
#[derive(Debug)]
pub(crate) struct Expected {
    rays: Vec<Ray>,
    by_faces: [(Faces, Vec<RayHits>); 3],
}

impl Expected {
    /// Scans all triangles for each ray, in parallel over the rays.
    pub(crate) fn new(oracle: &Oracle, rays: Vec<Ray>) -> Self {
        // One ray is enough work for a task.
        let scans = rays.par_iter().with_max_len(1);
        let both: Vec<RayHits> = scans.map(|ray| oracle.hits(ray)).collect();
        let seen_by = |faces| (faces, both.iter().map(|hits| hits.seen_by(faces)).collect());
        let [front, back] = [Faces::Front, Faces::Back].map(seen_by);
        Self { rays, by_faces: [(Faces::Both, both), front, back] }
    }

    /// Compares every query of a tree, in one shape, with the oracle.
    pub(crate) fn compare(&self, tree: &MeshBvh, shape: Shape) -> Tally {
        let rays = &self.rays;
        let mut sum = Tally::default();
        for (faces, hits) in &self.by_faces {
            let lengths = match shape {
                Shape::Single => 256..=256,
                Shape::Batch => rays.len()..=rays.len(),
                Shape::ShortBatches => SHORT_BATCHES,
            };
            let parts = parts_of(rays.len(), lengths);
            let compare = |part: Range<usize>| {
                let (rays, hits) = (&rays[part.clone()], &hits[part]);
                let mut tally = Tally::default();
                if shape == Shape::Single {
                    for (ray, hits) in rays.iter().zip(hits) {
                        tally.compare(ray, *faces, &answers_of!(tree, ray, *faces), hits);
                    }
                } else {
                    let found = batch_answers_of!(tree, rays, *faces);
                    tally.compare_batch(rays, *faces, &found, hits);
                }
                tally
            };
            let tallies: Vec<Tally> = parts.into_par_iter().map(compare).collect();
            tallies.into_iter().for_each(|tally| sum.add(tally));
        }
        sum
    }
}

/// Cuts `0..n` into parts whose lengths cycle through a range.
pub(crate) fn parts_of(n: usize, lengths: RangeInclusive<usize>) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = 0;
    for length in lengths.cycle() {
        if start >= n {
            break;
        }
        let end = (start + length).min(n);
        parts.push(start..end);
        start = end;
    }
    parts
}

#[cfg(test)]
mod tests {
    use hitscan::primitives::generate;
    use hitscan::{BuildOptions, TriMesh};
    use hitscan_oracle::{HostileRays, N_SHOWN, Query};

    use super::*;

    fn tally(mesh: &TriMesh, tree: &MeshBvh, shape: Shape) -> Tally {
        let rays = HostileRays::new(mesh, 1).next_rays(800);
        Expected::new(&Oracle::new(mesh), rays).compare(tree, shape)
    }

    #[test]
    fn parts_cover_all_rays_in_order() {
        assert_eq!(parts_of(7, 1..=3), [0..1, 1..3, 3..6, 6..7]);
        assert_eq!(parts_of(0, 0..=0), []);
    }

    #[test]
    fn a_correct_tree_shows_no_difference() {
        let mesh = generate::torus(1.0, 0.25, 500).unwrap();
        let tree = MeshBvh::build(&mesh, &BuildOptions::default());
        for (shape, n_queries) in Shape::ALL.into_iter().zip([11, 5, 5]) {
            let tally = tally(&mesh, &tree, shape);
            assert_eq!(tally.first_difference(), None);
            assert_eq!(tally.n_answers, 3 * n_queries * 800, "{shape:?}");
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
            for (query, n) in Query::ALL.into_iter().zip(tally.n_differences) {
                let has_batch = query != Query::Nearest;
                assert_eq!(n > 0, has_batch || shape == Shape::Single, "{query:?} {shape:?}");
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
            assert!(tally(&mesh, &tree, shape).n_differences[0] > 0, "{shape:?}");
        }
    }
}
