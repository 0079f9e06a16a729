//! Questions about two placed meshes.

use std::ops::ControlFlow;

use glam::{DAffine3, DVec3};
use hitscan_primitives::{
    MeshDistance, MeshPairError, PairPoints, PairSpace, TriangleCrossing, triangle_crossing,
    triangle_distance, triangles_overlap,
};

use super::traversal::{PairSink, PairTraversal};
use crate::{kernel::limit_on_bound, mesh_bvh::MeshBvh};

/// Two meshes, each placed by a transform: whether and where they touch, and how far apart they are.
///
/// All surfaces are closed: meshes that touch in a point overlap. A mesh is its surface, so a ball within another one overlaps
/// nothing. The corners that count are the f64 images of the f32 positions ([`PairSpace`]). Whether triangles overlap is exact for
/// these corners. A triangle of zero area counts as the segment or point that it is.
///
/// Every answer equals that of [`PairBruteForce`](hitscan_primitives::PairBruteForce), to the last bit. Points and distances
/// are in the common space of both transforms. A transform may be singular, which flattens its mesh. Queries allocate a stack of
/// a few kilobytes, and what they return.
///
/// ```
/// use hitscan_bvh::{BuildOptions, MeshBvh, MeshPair};
/// use hitscan_primitives::{generate, glam::DAffine3};
///
/// let ball = MeshBvh::build(&generate::sphere(1.0, 5000)?, &BuildOptions::default());
/// let cube = MeshBvh::build(&generate::cuboid(2.0, 2.0, 2.0, 0)?, &BuildOptions::default());
/// // The transform takes the cube into the space of the ball.
/// let pair = MeshPair::new(&ball, &cube, DAffine3::from_translation([2.5, 0.0, 0.0].into()))?;
/// assert!(!pair.overlaps());
/// let nearest = pair.distance(f64::INFINITY)?.expect("neither is empty");
/// assert!((nearest.distance - 0.5).abs() < 1e-3);
/// assert_eq!(nearest.points[1].x, 1.5);
///
/// let pair = MeshPair::new(&ball, &cube, DAffine3::from_translation([1.5, 0.0, 0.0].into()))?;
/// assert!(pair.overlaps() && pair.crossings().len() > 20);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct MeshPair<'a> {
    meshes: [&'a MeshBvh; 2],
    space: PairSpace,
}

impl<'a> MeshPair<'a> {
    /// Two meshes in the space of the first. `to_first` takes the second one there.
    ///
    /// # Errors
    /// A transform that is not finite, or takes its mesh beyond 1e120 units.
    pub fn new(
        first: &'a MeshBvh,
        second: &'a MeshBvh,
        to_first: DAffine3,
    ) -> Result<Self, MeshPairError> {
        Self::placed([first, second], [DAffine3::IDENTITY, to_first])
    }

    /// Two meshes in the common space of two transforms, such as the world.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn placed(
        meshes: [&'a MeshBvh; 2],
        transforms: [DAffine3; 2],
    ) -> Result<Self, MeshPairError> {
        let space = PairSpace::new(meshes.map(MeshBvh::bounds), transforms)?;
        Ok(Self { meshes, space })
    }

    /// Whether the meshes have a point in common. Ends at the first pair of triangles that has.
    ///
    /// For collisions. See also [`overlapping_triangles`](Self::overlapping_triangles), for all pairs.
    pub fn overlaps(&self) -> bool {
        let mut any = Any(false);
        self.search(0.0, &mut any);
        any.0
    }

    /// The pairs of triangles with a point in common, by [`triangles_overlap`]: the index in each mesh, in ascending order.
    ///
    /// See also [`overlaps`](Self::overlaps), if any pair will do, and [`crossings`](Self::crossings), for where they cross.
    pub fn overlapping_triangles(&self) -> Vec<[u32; 2]> {
        let mut all = All(vec![]);
        self.search(0.0, &mut all);
        all.0.sort_unstable();
        // A split triangle stands in several leaves.
        all.0.dedup();
        all.0
    }

    /// The segments in which triangles cross, by [`triangle_crossing`], in the order of the pairs. Pairs in one plane have none.
    ///
    /// For contact curves, cuts and Boolean operations. Segments of neighbouring triangles join to the last bit.
    pub fn crossings(&self) -> Vec<TriangleCrossing> {
        let mut crossings = Crossings { found: vec![], space: &self.space };
        self.search(0.0, &mut crossings);
        let mut found = crossings.found;
        found.sort_unstable_by_key(|crossing| crossing.triangles);
        found.dedup_by_key(|crossing| crossing.triangles);
        found
    }

    /// The distance between the meshes and their nearest points, if it is within `max_distance`, inclusive. `None` if it is not, or
    /// a mesh has no triangles.
    ///
    /// It is the first by `(distance, first triangle, second triangle)`, by [`triangle_distance`]. For clearances. A smaller maximum
    /// is faster. See also [`overlaps`](Self::overlaps), which is faster where only contact counts.
    ///
    /// # Errors
    /// A `max_distance` that is negative or NaN.
    pub fn distance(&self, max_distance: f64) -> Result<Option<MeshDistance>, MeshPairError> {
        let within = self.space.max_distance_squared(max_distance)?;
        // Of meshes that overlap only contacts count, which cost less than distances.
        let max_distance_squared = if self.overlaps() { 0.0 } else { within };
        let mut nearest = Nearest { max_distance_squared, found: None };
        self.search(limit_on_bound(max_distance_squared, 1.0), &mut nearest);
        let found = nearest.found;
        Ok(found.map(|(triangles, found)| MeshDistance::new(triangles, &found, &self.space)))
    }

    fn search(&self, limit: f32, sink: &mut dyn PairSink) {
        let [first, second] = self.meshes;
        let trees = [&first.tree, &second.tree];
        let space = &self.space;
        first.isa.run(PairTraversal { trees, is_one: false, space, limit, sink });
    }
}

/// Whether there is a pair with a common point.
struct Any(bool);

impl PairSink for Any {
    fn consider(&mut self, _: [u32; 2], [a, b]: [[DVec3; 3]; 2]) -> ControlFlow<(), f32> {
        self.0 = triangles_overlap(a, b);
        if self.0 { ControlFlow::Break(()) } else { ControlFlow::Continue(0.0) }
    }
}

/// All pairs with a common point.
struct All(Vec<[u32; 2]>);

impl PairSink for All {
    fn consider(&mut self, triangles: [u32; 2], [a, b]: [[DVec3; 3]; 2]) -> ControlFlow<(), f32> {
        if triangles_overlap(a, b) {
            self.0.push(triangles);
        }
        ControlFlow::Continue(0.0)
    }
}

/// The segments of all pairs that cross.
struct Crossings<'a> {
    found: Vec<TriangleCrossing>,
    space: &'a PairSpace,
}

impl PairSink for Crossings<'_> {
    fn consider(&mut self, triangles: [u32; 2], [a, b]: [[DVec3; 3]; 2]) -> ControlFlow<(), f32> {
        if let Some(segment) = triangle_crossing(a, b) {
            self.found.push(TriangleCrossing::new(triangles, segment, self.space));
        }
        ControlFlow::Continue(0.0)
    }
}

/// The nearest pair so far, in pair space.
struct Nearest {
    /// The maximum squared distance of the next one.
    max_distance_squared: f64,
    found: Option<([u32; 2], PairPoints)>,
}

impl PairSink for Nearest {
    fn consider(&mut self, triangles: [u32; 2], [a, b]: [[DVec3; 3]; 2]) -> ControlFlow<(), f32> {
        let max = self.max_distance_squared;
        let comes_before = self.found.is_none_or(|(other, _)| triangles < other);
        // Once the distance is 0, only contacts that come before count.
        if max > 0.0 || (comes_before && triangles_overlap(a, b)) {
            let found = triangle_distance(a, b);
            let distance = found.distance_squared;
            if distance < max || (distance == max && comes_before) {
                self.max_distance_squared = distance;
                self.found = Some((triangles, found));
            }
        }
        ControlFlow::Continue(limit_on_bound(self.max_distance_squared, 1.0))
    }
}
