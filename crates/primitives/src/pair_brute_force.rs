//! The questions about two placed meshes, and about one with itself, as loops over all pairs of triangles.

use glam::{DAffine3, DVec3};

use crate::{
    MeshDistance, MeshPairError, PairPoints, PairSpace, TriMesh, TriangleCrossing,
    brute_force::BruteForce, triangle_crossing, triangle_distance, triangles_intersect_improperly,
    triangles_overlap,
};

/// Two meshes, each placed by a transform: the definition of every answer about a pair. See [`PairSpace`] for the corners
/// that count.
#[derive(Clone, Debug)]
pub struct PairBruteForce<'a> {
    meshes: [BruteForce<'a>; 2],
    space: PairSpace,
}

impl<'a> PairBruteForce<'a> {
    /// Two meshes in the common space of two transforms.
    ///
    /// # Errors
    /// As [`PairSpace::new`].
    pub fn new(meshes: [&'a TriMesh; 2], transforms: [DAffine3; 2]) -> Result<Self, MeshPairError> {
        let space = PairSpace::new(meshes.map(TriMesh::bounds), transforms)?;
        Ok(Self { meshes: meshes.map(BruteForce::new), space })
    }

    /// Whether the meshes have a point in common.
    pub fn overlaps(&self) -> bool {
        self.pairs().any(|(_, [a, b])| triangles_overlap(a, b))
    }

    /// The pairs of triangles with a point in common, by [`triangles_overlap`], in order.
    pub fn overlapping_triangles(&self) -> Vec<[u32; 2]> {
        let overlapping = self.pairs().filter(|&(_, [a, b])| triangles_overlap(a, b));
        overlapping.map(|(triangles, _)| triangles).collect()
    }

    /// The pairs of triangles of one mesh that intersect, by [`triangles_intersect_improperly`]: the lesser index first, in
    /// ascending order.
    pub fn self_intersections(mesh: &TriMesh) -> Vec<[u32; 2]> {
        let space = PairSpace::of_one(mesh.bounds());
        let triangles: Vec<(u32, [DVec3; 3])> = BruteForce::new(mesh)
            .scaled_triangles()
            .map(|(triangle, corners)| (triangle, space.corners(0, corners)))
            .collect();
        let mut found = Vec::new();
        for (n_before, &(j, b)) in triangles.iter().enumerate() {
            let before = &triangles[..n_before];
            let intersecting =
                before.iter().filter(|&&(_, a)| triangles_intersect_improperly(a, b));
            found.extend(intersecting.map(|&(i, _)| [i, j]));
        }
        found.sort_unstable();
        found
    }

    /// The segments in which triangles cross, by [`triangle_crossing`], in the order of the pairs.
    pub fn crossings(&self) -> Vec<TriangleCrossing> {
        let crossing = |(triangles, [a, b]): ([u32; 2], [[DVec3; 3]; 2])| {
            let segment = triangle_crossing(a, b)?;
            Some(TriangleCrossing::new(triangles, segment, &self.space))
        };
        self.pairs().filter_map(crossing).collect()
    }

    /// The first by `(distance, first triangle, second triangle)`, by [`triangle_distance`], if it is within `max_distance`.
    ///
    /// # Errors
    /// A `max_distance` that is negative or NaN.
    pub fn distance(&self, max_distance: f64) -> Result<Option<MeshDistance>, MeshPairError> {
        let limit = self.space.max_distance_squared(max_distance)?;
        let mut nearest: Option<([u32; 2], PairPoints)> = None;
        for (triangles, [a, b]) in self.pairs() {
            let found = triangle_distance(a, b);
            let limit = nearest.map_or(limit.next_up(), |(_, nearest)| nearest.distance_squared);
            if found.distance_squared < limit {
                nearest = Some((triangles, found));
            }
        }
        Ok(nearest.map(|(triangles, found)| MeshDistance::new(triangles, &found, &self.space)))
    }

    /// All pairs in order, with their corners in pair space.
    fn pairs(&self) -> impl Iterator<Item = ([u32; 2], [[DVec3; 3]; 2])> {
        self.corners(0).flat_map(move |(i, a)| self.corners(1).map(move |(j, b)| ([i, j], [a, b])))
    }

    fn corners(&self, mesh: usize) -> impl Iterator<Item = (u32, [DVec3; 3])> {
        let triangles = self.meshes[mesh].scaled_triangles();
        triangles.map(move |(triangle, corners)| (triangle, self.space.corners(mesh, corners)))
    }
}
