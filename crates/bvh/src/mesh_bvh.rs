//! A triangle mesh with its hierarchy.

use std::{borrow::Cow, ops::ControlFlow};

use hitscan_primitives::{
    Aabb, Faces, Hit, HitMode, HitOptions, Ray, Side, TriMesh, brute_force::scaled_ray,
};
use thiserror::Error;

use crate::{
    builder,
    kernel::{AllHits, AnyHit, ClosestHit, CountCrossings, HitSink, NearestHits},
    layout::{Leaves, Tree},
    options::{BuildOptions, BuildQuality, Layout},
    refit::{RefitError, RefitReport, refit},
    scaled_mesh::ScaledMesh,
    simd::Isa,
    stats::{BvhStats, leaf_depths, sah_cost},
    traverse::{CountedTraversal, TraversalStats, answer, trace},
    update::{Links, tidied},
    validate::{InvalidBvh, validate},
};

/// A triangle mesh with its hierarchy, ready for queries.
///
/// It keeps a copy of the triangles and borrows nothing. The [`TriMesh`] is needed again only for the
/// point, normal and names of a hit. Only [`refit`](Self::refit) and [`update`](Self::update) change it, so threads can share it.
/// Queries cannot fail: a miss is `None`, and an invalid ray or an empty mesh hits nothing. They
/// allocate nothing but the lists they return.
///
/// Every query gives the answer of [`hitscan_primitives::brute_force`], to the last bit. It depends on
/// the mesh and the ray alone, not on the quality of the tree, the instruction set, the number of
/// threads, or the batch.
///
/// Rays and hits are in the mesh's own space, `t` in lengths of the ray's direction. A query costs
/// O(log n) for most rays and meshes, at worst O(n).
///
/// ```
/// use hitscan_bvh::{BuildOptions, MeshBvh};
/// use hitscan_primitives::{Faces, Ray, TriMesh};
///
/// let mesh = TriMesh::new([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], vec![[0, 1, 2]])?;
/// let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
/// let hit = bvh.closest_hit(&Ray::new([0.25, 0.25, 1.0], [0.0, 0.0, -1.0]), Faces::Both);
/// assert_eq!(hit.map(|hit| hit.t), Some(1.0));
/// # Ok::<(), hitscan_primitives::MeshError>(())
/// ```
#[derive(Clone, Debug)]
pub struct MeshBvh {
    pub(crate) tree: Tree,
    pub(crate) isa: Isa,
    pub(crate) n_triangles: usize,
    /// The box of the mesh, in its own space.
    pub(crate) bounds: Aabb,
    /// The expected cost of a ray when the tree was built.
    pub(crate) built_cost: f32,
    /// The quality of builds that follow an edit.
    pub(crate) quality: BuildQuality,
    /// Where the tree keeps its triangles, once the mesh is edited.
    pub(crate) links: Option<Box<Links>>,
}

/// Queries of one ray, in the mesh's own space.
///
/// `t` is in units of the ray's direction. A query costs O(log n) for most rays and meshes, at worst O(n),
/// and only those that return a list allocate memory.
impl MeshBvh {
    /// The hit with the minimum `(t, triangle)`, where the ray and `t` are in the mesh's own space. `None`
    /// for a miss and for an invalid ray ([`Ray::checked`] reports the reason).
    ///
    /// For picking, primary rays and bounces. See also [`closest_hit_batch`](Self::closest_hit_batch) for many
    /// rays, [`is_occluded`](Self::is_occluded) if any hit will do, and
    /// [`closest_hit_where`](Self::closest_hit_where) to look through some triangles.
    ///
    /// ```
    /// use hitscan_bvh::{BuildOptions, MeshBvh};
    /// use hitscan_primitives::{Faces, Ray, generate};
    ///
    /// let mesh = generate::cuboid(2.0, 2.0, 2.0, 0)?;
    /// let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    /// // The direction has length 2, so the face at distance 4 is at t = 2.
    /// let ray = Ray::new([0.1, 0.2, 5.0], [0.0, 0.0, -2.0]);
    /// assert_eq!(bvh.closest_hit(&ray, Faces::Both).map(|hit| hit.t), Some(2.0));
    /// // From outside, the ray meets the back of the opposite face.
    /// assert_eq!(bvh.closest_hit(&ray, Faces::Back).map(|hit| hit.t), Some(3.0));
    /// # Ok::<(), hitscan_primitives::generate::GenerateError>(())
    /// ```
    pub fn closest_hit(&self, ray: &Ray, faces: Faces) -> Option<Hit> {
        answer::<ClosestHit>(&self.tree, self.isa, ray, faces)
    }

    /// Whether the ray hits anything. Cheaper than [`closest_hit`](Self::closest_hit), because the traversal
    /// ends at the first hit. `false` for an invalid ray.
    ///
    /// For shadows and lines of sight. See also [`is_occluded_batch`](Self::is_occluded_batch) for many rays,
    /// and [`closest_hit`](Self::closest_hit) for what is hit.
    ///
    /// ```
    /// use hitscan_bvh::{BuildOptions, MeshBvh};
    /// use hitscan_primitives::{Faces, Ray, generate};
    ///
    /// let mesh = generate::cuboid(2.0, 2.0, 2.0, 0)?;
    /// let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    /// // A segment ends at t = 1. The first passes through the cube, the second ends before it.
    /// let [behind, before] = [[0.1, 0.2, -5.0], [0.1, 0.2, 1.5]];
    /// assert!(bvh.is_occluded(&Ray::segment([0.1, 0.2, 5.0], behind), Faces::Both));
    /// assert!(!bvh.is_occluded(&Ray::segment([0.1, 0.2, 5.0], before), Faces::Both));
    /// # Ok::<(), hitscan_primitives::generate::GenerateError>(())
    /// ```
    pub fn is_occluded(&self, ray: &Ray, faces: Faces) -> bool {
        answer::<AnyHit>(&self.tree, self.isa, ray, faces)
    }

    /// All hits, sorted by `(t, triangle)`. Empty for an invalid ray.
    ///
    /// Allocates the list; [`all_hits_into`](Self::all_hits_into) fills one that the caller keeps.
    ///
    /// For everything under a cursor, and for the layers of a solid. See also
    /// [`nearest_hits_into`](Self::nearest_hits_into) for the first few,
    /// [`count_crossings`](Self::count_crossings) for their number, and
    /// [`all_hits_batch`](Self::all_hits_batch) for many rays.
    ///
    /// ```
    /// use hitscan_bvh::{BuildOptions, MeshBvh};
    /// use hitscan_primitives::{HitOptions, Ray, generate};
    ///
    /// let mesh = generate::cuboid(2.0, 2.0, 2.0, 0)?;
    /// let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    /// let ray = Ray::new([0.1, 0.2, 5.0], [0.0, 0.0, -1.0]);
    /// let hits = bvh.all_hits(&ray, &HitOptions::default());
    /// assert_eq!(hits.iter().map(|hit| hit.t).collect::<Vec<_>>(), [4.0, 6.0]);
    /// # Ok::<(), hitscan_primitives::generate::GenerateError>(())
    /// ```
    pub fn all_hits(&self, ray: &Ray, options: &HitOptions) -> Vec<Hit> {
        let mut hits = Vec::new();
        self.all_hits_into(ray, options, &mut hits);
        hits
    }

    /// Writes [`all_hits`](Self::all_hits) to a buffer, which it clears first.
    ///
    /// For many rays one after the other, because it allocates only when the buffer grows. See also
    /// [`all_hits_where_into`](Self::all_hits_where_into), with a filter.
    pub fn all_hits_into(&self, ray: &Ray, options: &HitOptions, hits: &mut Vec<Hit>) {
        let &HitOptions { faces, mode } = options;
        hits.clear();
        let mut all = AllHits { t_max: ray.t_max, mode, hits };
        self.trace(ray, faces, &mut all);
        hits.sort_unstable_by(Hit::cmp_along_ray);
        if !self.tree.split.is_empty() {
            // The hits of a split triangle are equal to the last bit, so they are neighbours.
            hits.dedup_by_key(|hit| hit.triangle);
        }
    }

    /// Writes the first `n` of [`all_hits`](Self::all_hits) to a buffer, which it clears first, sorted by
    /// `(t, triangle)`. The traversal ends beyond the `n`-th hit.
    ///
    /// For a click that looks behind the first surface. Cheaper than [`all_hits_into`](Self::all_hits_into)
    /// where many triangles lie behind each other. See also [`closest_hit`](Self::closest_hit), for one, and
    /// [`nearest_hits_where_into`](Self::nearest_hits_where_into), with a filter.
    pub fn nearest_hits_into(
        &self,
        ray: &Ray,
        n: usize,
        options: &HitOptions,
        hits: &mut Vec<Hit>,
    ) {
        let &HitOptions { faces, mode } = options;
        hits.clear();
        if n > 0 {
            let mut nearest = NearestHits { all: AllHits { t_max: ray.t_max, mode, hits }, n };
            self.trace(ray, faces, &mut nearest);
        }
    }

    /// The number of surface crossings: hits by
    /// [`HitMode::OncePerCrossing`](hitscan_primitives::HitMode::OncePerCrossing). For a ray without an upper bound
    /// and a closed mesh it is odd exactly when the origin lies inside. 0 for an invalid ray. Allocates
    /// a list of hits if the tree has split triangles ([`BvhStats::n_split`]), else nothing.
    ///
    /// For parity and depth complexity. See also [`WindingTree::is_inside`](crate::WindingTree::is_inside),
    /// which decides inside for any surface, and [`count_crossings_batch`](Self::count_crossings_batch).
    pub fn count_crossings(&self, ray: &Ray, faces: Faces) -> usize {
        let [n_front, n_back] = self.crossings(ray, faces);
        n_front + n_back
    }

    /// The number of crossings from the front to the back of the surface, less that from the back to the front. It counts
    /// the hits of [`count_crossings`](Self::count_crossings). For a ray without an upper bound and a closed surface it is
    /// the negative of the winding number around the origin: -1 inside, 0 outside. 0 for an invalid ray.
    ///
    /// For counts of nested and overlapping solids. See also
    /// [`WindingTree::winding_number`](crate::WindingTree::winding_number), for any surface, and
    /// [`signed_crossings_batch`](Self::signed_crossings_batch).
    ///
    /// ```
    /// use hitscan_bvh::{BuildOptions, MeshBvh};
    /// use hitscan_primitives::{Ray, generate};
    ///
    /// let mesh = generate::cuboid(2.0, 2.0, 2.0, 0)?;
    /// let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    /// let crossings = |from| bvh.signed_crossings(&Ray::new(from, [0.0, 0.0, 1.0]));
    /// assert_eq!([[0.1, 0.2, -5.0], [0.1, 0.2, 0.3]].map(crossings), [0, -1]);
    /// # Ok::<(), hitscan_primitives::generate::GenerateError>(())
    /// ```
    pub fn signed_crossings(&self, ray: &Ray) -> i64 {
        let [n_front, n_back] = self.crossings(ray, Faces::Both);
        n_front as i64 - n_back as i64
    }

    /// The numbers of crossings from the front and from the back.
    fn crossings(&self, ray: &Ray, faces: Faces) -> [usize; 2] {
        if !self.tree.split.is_empty() {
            let hits = self.all_hits(ray, &HitOptions { faces, mode: HitMode::OncePerCrossing });
            let n_front = hits.iter().filter(|hit| hit.side == Side::Front).count();
            return [n_front, hits.len() - n_front];
        }
        let mut crossings = CountCrossings { t_max: ray.t_max, n_front: 0, n_back: 0 };
        self.trace(ray, faces, &mut crossings);
        [crossings.n_front, crossings.n_back]
    }

    /// [`closest_hit`](Self::closest_hit) with the tests that it takes: the same nodes and blocks in the
    /// same order, so it shows where a tree is slow. A few percent slower, because it counts. An invalid
    /// ray takes no tests.
    ///
    /// A batch may share tests among neighbouring rays, and so take fewer for each ray.
    ///
    /// For heat maps and comparisons of trees. See also [`stats`](Self::stats), for a tree without a ray.
    ///
    /// ```
    /// use hitscan_bvh::{BuildOptions, MeshBvh};
    /// use hitscan_primitives::{Faces, Ray, generate};
    ///
    /// let mesh = generate::sphere(1.0, 10_000)?;
    /// let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    /// let ray = Ray::new([0.1, 0.2, 5.0], [0.0, 0.0, -1.0]);
    /// let (hit, work) = bvh.closest_hit_with_work(&ray, Faces::Both);
    /// assert!(hit.is_some() && work.nodes > 0 && work.triangles < 100);
    /// # Ok::<(), hitscan_primitives::generate::GenerateError>(())
    /// ```
    pub fn closest_hit_with_work(&self, ray: &Ray, faces: Faces) -> (Option<Hit>, TraversalStats) {
        let tree = &self.tree;
        let ray = if tree.is_scaled() { scaled_ray(ray, tree.scale) } else { *ray };
        self.isa.run(CountedTraversal { tree, ray: &ray, faces })
    }

    /// Traverses the tree along the ray and passes candidates to `sink`. An invalid ray has none.
    #[inline(always)]
    pub(crate) fn trace<H: HitSink>(&self, ray: &Ray, faces: Faces, sink: &mut H) {
        trace(&self.tree, self.isa, ray, faces, sink);
    }
}

/// Construction and change.
impl MeshBvh {
    /// Builds the hierarchy of `mesh`, which may be empty.
    ///
    /// O(n log n), on rayon's current pool with the feature `parallel`. The tree is the same for any number
    /// of threads. [`BuildQuality`](crate::BuildQuality) has the memory that a build and a tree take.
    ///
    /// Where it pays, as in cities, the build first splits needles that lie across the axes into parts with
    /// smaller boxes. [`BvhStats::n_split`] counts the split triangles. See Karras and Aila, "Fast Parallel
    /// Construction of High-Quality Bounding Volume Hierarchies" (2013).
    ///
    /// The builder joins neighbours along a Morton curve (Meister and Bittner, "Parallel Locally-Ordered
    /// Clustering for Bounding Volume Hierarchy Construction", 2018). It splits by the surface area
    /// heuristic (Wald, "On fast Construction of SAH-based Bounding Volume Hierarchies", 2007), improves
    /// the tree by reinsertion (Meister and Bittner, "Parallel Reinsertion for Bounding Volume Hierarchy
    /// Optimization", 2018), and collapses it to eight children per node (Ylitie, Karras and Laine,
    /// "Efficient Incoherent Ray Traversal on GPUs Through Compressed Wide BVHs", 2017).
    ///
    /// See also [`refit`](Self::refit) if only vertices move,
    /// [`build_with_progress`](Self::build_with_progress) to show progress, and
    /// [`RawBvhBuffers`](crate::RawBvhBuffers) to read a stored tree.
    pub fn build(mesh: &TriMesh, options: &BuildOptions) -> Self {
        match Self::build_with_progress(mesh, options, &|_| ControlFlow::Continue(())) {
            Ok(bvh) => bvh,
            Err(Cancelled) => unreachable!("the callback never cancels"),
        }
    }

    /// [`MeshBvh::build`] with a callback, which receives the fraction done, from 0 to 1 and never
    /// falling. Any thread may call it, some hundred times per million triangles. The build stops when it
    /// returns [`ControlFlow::Break`].
    ///
    /// For programs that must stay responsive during a build.
    ///
    /// # Errors
    /// [`Cancelled`] if `progress` returned [`ControlFlow::Break`].
    pub fn build_with_progress(
        mesh: &TriMesh,
        options: &BuildOptions,
        progress: &(dyn Fn(f32) -> ControlFlow<()> + Sync),
    ) -> Result<Self, Cancelled> {
        let tree = builder::build(&ScaledMesh::new(mesh), options, progress).ok_or(Cancelled)?;
        let n_triangles = mesh.triangles().len();
        let built_cost = if n_triangles > 0 { sah_cost(&tree.nodes) } else { 0.0 };
        let &BuildOptions { isa, quality, .. } = options;
        let bounds = mesh.bounds();
        Ok(Self { tree, isa, n_triangles, bounds, built_cost, quality, links: None })
    }

    /// The same hierarchy with another instruction set for queries. The answers are the same.
    ///
    /// For tests and comparisons. See also [`BuildOptions::isa`], which chooses it at the build.
    #[must_use]
    pub fn with_isa(self, isa: Isa) -> Self {
        Self { isa, ..self }
    }

    /// Moves the hierarchy to new positions of the same triangles: O(n), many times cheaper than a
    /// build, and never a wrong answer. Queries get slower as triangles of one node move apart. The
    /// report estimates by how much.
    ///
    /// Split triangles ([`BvhStats::n_split`]) stay split: their parts move with the corners. The first refit
    /// cuts the parts anew, by the boxes of the leaves, and keeps them in some 70 bytes each.
    ///
    /// For animated meshes. See also [`build`](Self::build), which pays again once
    /// [`RefitReport::rebuild_pays`].
    ///
    /// # Errors
    /// A mesh with another number of triangles; the hierarchy is unchanged then.
    pub fn refit(&mut self, mesh: &TriMesh) -> Result<RefitReport, RefitError> {
        let (found, expected) = (mesh.triangles().len(), self.n_triangles);
        if found != expected {
            return Err(RefitError { found, expected });
        }
        self.tidy();
        self.bounds = mesh.bounds();
        refit(&mut self.tree, &ScaledMesh::new(mesh), self.isa);
        Ok(RefitReport { cost_when_built: self.built_cost, cost_now: sah_cost(&self.tree.nodes) })
    }
}

impl MeshBvh {
    /// Brings nodes and blocks back into order after edits.
    fn tidy(&mut self) {
        if self.links.take().is_some() {
            self.tree = tidied(&self.tree);
        }
    }

    /// The same hierarchy with its nodes and blocks in order.
    pub(crate) fn in_order(&self) -> Cow<'_, Self> {
        let mut ordered = Cow::Borrowed(self);
        if self.links.is_some() {
            ordered.to_mut().tidy();
        }
        ordered
    }
}

/// Properties.
impl MeshBvh {
    /// The instruction set of the queries.
    ///
    /// See also [`with_isa`](Self::with_isa).
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// The layout of the leaves.
    ///
    /// See also [`stats`](Self::stats) for the bytes that it takes.
    pub fn layout(&self) -> Layout {
        match self.tree.leaves {
            Leaves::Full(_) => Layout::Full,
            Leaves::Compact(_) => Layout::Compact,
        }
    }

    /// The number of triangles, those of zero area included.
    ///
    /// See also [`BvhStats::n_in_leaves`], which counts split triangles more than once.
    pub fn n_triangles(&self) -> usize {
        self.n_triangles
    }

    /// The box around all triangles.
    ///
    /// See also [`visit`](Self::visit) for the boxes of the tree, which are a little larger.
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// Size and quality of the tree. O(nodes).
    ///
    /// See also [`closest_hit_with_work`](Self::closest_hit_with_work) for the work of a ray, and
    /// [`leaf_depths`](Self::leaf_depths).
    pub fn stats(&self) -> BvhStats {
        let stats = BvhStats::of(&self.tree, self.n_triangles);
        let Some(links) = &self.links else { return stats };
        // An edited tree knows only a bound on its depth.
        let depth = self.leaf_depths().len().saturating_sub(1).max(1);
        BvhStats { depth, bytes: stats.bytes + links.bytes(), ..stats }
    }

    /// The number of leaves at each depth: entry n counts leaves with n nodes above them. Ends with the
    /// deepest leaves; a single 0 for an empty mesh. O(nodes).
    ///
    /// See also [`stats`](Self::stats), which has the maximum.
    pub fn leaf_depths(&self) -> Vec<usize> {
        leaf_depths(&self.tree.nodes)
    }

    /// Checks every invariant of the tree against the mesh it was built from or refitted to. Each
    /// triangle is in a leaf with its corners. A split triangle is in several, once in each, and their boxes
    /// cover it. Boxes hold all other triangles below. The root reaches every node once, within the depth of
    /// the traversal stack. O(n), in parallel.
    ///
    /// For tests. Trees from [`RawBvhBuffers::into_bvh`](crate::RawBvhBuffers::into_bvh) have passed it.
    ///
    /// # Errors
    /// The first invariant that does not hold, with the node or block.
    pub fn validate(&self, mesh: &TriMesh) -> Result<(), InvalidBvh> {
        if let Some(links) = &self.links {
            links.check(&self.tree, self.n_triangles).map_err(InvalidBvh)?;
        }
        validate(&self.in_order().tree, self.n_triangles, self.bounds, mesh)
    }
}

/// The progress callback stopped the build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the build was cancelled")]
pub struct Cancelled;
