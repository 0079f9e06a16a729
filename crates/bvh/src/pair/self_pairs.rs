//! A mesh with itself: which of its triangles intersect each other.

use std::ops::ControlFlow;

use glam::DVec3;
use hitscan_primitives::{PairSpace, triangles_intersect_improperly};

use super::traversal::{PairSink, PairTraversal};
use crate::mesh_bvh::MeshBvh;

/// Self-intersections.
impl MeshBvh {
    /// The pairs of triangles that intersect each other beyond the corners and edges that they share, by
    /// [`triangles_intersect_improperly`]: the lesser index first, in ascending order.
    ///
    /// A mesh without such a pair is embedded: its triangles meet only in whole edges and corners. Corners are shared by position,
    /// without a tolerance, so a mesh of separate triangles counts as one surface. Touching counts, so does a corner on an edge
    /// that has no corner there, and doubled triangles do. The answer is exact for the f32 positions, and equals
    /// that of [`PairBruteForce`](hitscan_primitives::PairBruteForce::self_intersections).
    ///
    /// For checks before Boolean operations, prints and simulations. See also
    /// [`has_self_intersections`](Self::has_self_intersections), which ends at the first pair, and
    /// [`MeshPair::overlapping_triangles`](crate::MeshPair::overlapping_triangles), for two meshes.
    ///
    /// O(n log n) for a surface. A stack of n triangles has n² / 2 pairs.
    ///
    /// ```
    /// use hitscan_bvh::{BuildOptions, MeshBvh};
    /// use hitscan_primitives::{TriMesh, generate};
    ///
    /// let cube = generate::cuboid(2.0, 2.0, 2.0, 3)?;
    /// assert!(!MeshBvh::build(&cube, &BuildOptions::default()).has_self_intersections());
    ///
    /// // Two squares that cross.
    /// let positions = [
    ///     [-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0],
    ///     [-0.5, 0.0, -1.0], [0.5, 0.0, -1.0], [0.5, 0.0, 1.0], [-0.5, 0.0, 1.0],
    /// ];
    /// let triangles = vec![[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]];
    /// let bvh = MeshBvh::build(&TriMesh::new(positions, triangles)?, &BuildOptions::default());
    /// assert_eq!(bvh.self_intersections(), [[0, 2], [0, 3], [1, 2], [1, 3]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn self_intersections(&self) -> Vec<[u32; 2]> {
        let mut all = Intersections { found: vec![], ends_at_first: false };
        self.intersect_itself(&mut all);
        all.found.sort_unstable();
        // A split triangle stands in several leaves.
        all.found.dedup();
        all.found
    }

    /// Whether [`self_intersections`](Self::self_intersections) has a pair. Ends at the first one.
    pub fn has_self_intersections(&self) -> bool {
        let mut first = Intersections { found: vec![], ends_at_first: true };
        self.intersect_itself(&mut first);
        !first.found.is_empty()
    }

    fn intersect_itself(&self, sink: &mut dyn PairSink) {
        let space = &PairSpace::of_one(self.bounds());
        let trees = [&self.tree; 2];
        self.isa.run(PairTraversal { trees, is_one: true, space, limit: 0.0, sink });
    }
}

/// The pairs that intersect improperly.
struct Intersections {
    found: Vec<[u32; 2]>,
    ends_at_first: bool,
}

impl PairSink for Intersections {
    fn consider(&mut self, [i, j]: [u32; 2], [a, b]: [[DVec3; 3]; 2]) -> ControlFlow<(), f32> {
        if i != j && triangles_intersect_improperly(a, b) {
            self.found.push([i.min(j), i.max(j)]);
            if self.ends_at_first {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(0.0)
    }
}
