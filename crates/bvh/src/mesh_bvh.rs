//! A triangle mesh with its hierarchy: what users hold and query.

use std::ops::ControlFlow;

use glam::{Vec3, Vec3A};
use hitscan_primitives::{Aabb, Faces, Hit, HitMode, Ray, TriMesh, brute_force::scaled};
use thiserror::Error;

use crate::{
    BuildOptions, BvhStats, Isa, Layout,
    build::{self, BLOCK, Box3, Progress, WideTarget, WideTree},
    parallel,
    refit::RefitReport,
    traverse::{All, Any, Closest, Crossings, Nearest},
    wide::{ChildRef, FillBlocks, IndexedBlocks, Leaves, TriangleBlock, WideNode},
};

/// How much node boxes are widened on every side, as a share of the mesh's largest coordinate.
///
/// 2^-19, 32 units in the last place: a hit lies within 8.5 u D of its triangle, with u = 2^-24 and
/// D <= 3 M the largest component of a corner minus an origin within 2 M of zero (M is the largest
/// coordinate). With the rounding of the slab arithmetic 29.5 u M are needed (docs/proof.md).
const INFLATION: f32 = 1.0 / (1 << 19) as f32;

/// A triangle mesh with its hierarchy, ready to be asked what a ray hits.
///
/// It keeps a copy of the triangles in a form of its own and borrows nothing; the [`TriMesh`] is
/// needed again only for what belongs to a hit (its point, normal, names). It never changes but by
/// [`refit`](Self::refit), so it can be shared by any number of threads. Queries cannot fail and
/// allocate nothing but the lists they return: a miss is `None`, an invalid ray or an empty mesh hits
/// nothing.
///
/// Every query gives the answer of [`hitscan_primitives::brute_force`], to the last bit: it depends
/// on the mesh and the ray alone, not on the quality of the tree, the instruction set, the number of
/// threads, or whether rays come one by one or in batches.
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
    pub(crate) nodes: Vec<WideNode>,
    pub(crate) leaves: Leaves,
    pub(crate) isa: Isa,
    pub(crate) n_triangles: usize,
    /// The mesh's box, in its own space.
    pub(crate) bounds: Aabb,
    /// The mesh's [`TriMesh::query_scale`]: nodes and blocks are in the scaled space.
    pub(crate) scale: f64,
    /// The largest coordinate, in size, in the scaled space.
    pub(crate) reach: f32,
    pub(crate) depth: usize,
    /// The expected cost of a ray when the tree was built.
    pub(crate) built_cost: f32,
}

impl MeshBvh {
    /// Builds the hierarchy of `mesh`, which may be empty. O(n log n), on rayon's current pool with
    /// the feature `parallel`; the tree is the same for any number of threads.
    pub fn build(mesh: &TriMesh, options: &BuildOptions) -> Self {
        match Self::build_with_progress(mesh, options, &|_| ControlFlow::Continue(())) {
            Ok(bvh) => bvh,
            Err(Cancelled) => unreachable!("the callback never cancels"),
        }
    }

    /// [`MeshBvh::build`] that reports how far it is, from 0 to 1 and never falling, and stops when
    /// told to. The callback is called from any thread, some hundred times per million triangles.
    ///
    /// # Errors
    /// [`Cancelled`] if `progress` answered [`ControlFlow::Break`].
    pub fn build_with_progress(
        mesh: &TriMesh,
        options: &BuildOptions,
        progress: &(dyn Fn(f32) -> ControlFlow<()> + Sync),
    ) -> Result<Self, Cancelled> {
        let n_triangles = mesh.triangles().len();
        let scale = mesh.query_scale();
        let mut bvh = Self {
            nodes: vec![WideNode::EMPTY],
            leaves: Leaves::Full(vec![]),
            isa: options.isa,
            n_triangles,
            bounds: mesh.bounds(),
            scale,
            reach: scaled_reach(mesh, scale),
            depth: 1,
            built_cost: 0.0,
        };
        // A unit of work is a triangle, sorted into the tree or copied into its block.
        let progress = Progress::new(2 * n_triangles, progress);
        if n_triangles > 0 {
            let boxes = |triangle| scaled_box(mesh, triangle, scale);
            let (wide, order) =
                build::build(n_triangles, boxes, options.quality, options.isa, &progress)
                    .ok_or(Cancelled)?;
            bvh.fill(mesh, options.layout, &wide, &order, &progress);
            bvh.built_cost = bvh.sah_cost();
        } else {
            progress.advance(1);
        }
        if progress.is_cancelled() { Err(Cancelled) } else { Ok(bvh) }
    }

    /// Writes nodes and blocks after the shape of `wide`.
    fn fill(
        &mut self,
        mesh: &TriMesh,
        layout: Layout,
        wide: &WideTree,
        order: &[u32],
        progress: &Progress<'_>,
    ) {
        let inflation = self.inflation();
        self.nodes = parallel::collect(wide.n_nodes(), |node| {
            let children = wide.starts[node] as usize..wide.starts[node + 1] as usize;
            let mut wide_node = WideNode::EMPTY;
            for (place, child) in wide.children[children].iter().enumerate() {
                let reference = match child.target {
                    WideTarget::Node(number) => ChildRef::node(number),
                    WideTarget::Leaf { block, count, .. } => {
                        ChildRef::leaf(block, count.div_ceil(BLOCK))
                    }
                };
                wide_node.set(place, child.bounds, inflation, reference);
            }
            wide_node
        });
        // Leaves got their blocks in the order in which they stand among the children.
        let mut sources = Vec::with_capacity(wide.n_blocks as usize);
        for child in &wide.children {
            if let WideTarget::Leaf { first, count, .. } = child.target {
                let leaf = &order[first as usize..(first + count) as usize];
                sources.extend(leaf.chunks(BLOCK as usize));
            }
        }
        self.leaves = match layout {
            Layout::Full => {
                let mut blocks = parallel::collect(sources.len(), |_| TriangleBlock::EMPTY);
                parallel::for_each_chunk(&mut blocks, FillBlocks::MOST, |first, blocks| {
                    let sources = &sources[first..first + blocks.len()];
                    self.isa.run(FillBlocks { blocks, sources, mesh, scale: self.scale });
                    if first % 2048 == 0 {
                        progress.advance(2048 * BLOCK as usize);
                    }
                });
                Leaves::Full(blocks)
            }
            Layout::Compact => {
                let numbers: Vec<_> = sources
                    .iter()
                    .map(|source| {
                        let mut numbers = [TriangleBlock::NO_TRIANGLE; BLOCK as usize];
                        numbers[..source.len()].copy_from_slice(source);
                        numbers
                    })
                    .collect();
                Leaves::Compact(IndexedBlocks::new(mesh, self.scale, &numbers))
            }
        };
        progress.advance(self.n_triangles);
        self.depth = wide.depth;
    }

    /// The same hierarchy queried with another instruction set. The answers are the same.
    #[must_use]
    pub fn with_isa(self, isa: Isa) -> Self {
        Self { isa, ..self }
    }

    /// The instruction set of the queries.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// What the leaves are made of.
    pub fn layout(&self) -> Layout {
        match self.leaves {
            Leaves::Full(_) => Layout::Full,
            Leaves::Compact(_) => Layout::Compact,
        }
    }

    /// The number of triangles, those of zero area included.
    pub fn n_triangles(&self) -> usize {
        self.n_triangles
    }

    /// The box around all triangles.
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// The hit with the least `(t, triangle)`.
    #[inline]
    pub fn closest_hit(&self, ray: &Ray, faces: Faces) -> Option<Hit> {
        let mut closest = Closest::along(ray);
        self.collect(ray, faces, &mut closest);
        closest.hit()
    }

    /// Whether the ray hits anything: cheaper than asking what.
    #[inline]
    pub fn is_occluded(&self, ray: &Ray, faces: Faces) -> bool {
        let mut any = Any { t_max: ray.t_max, any: false };
        self.collect(ray, faces, &mut any);
        any.any
    }

    /// All hits, sorted by `(t, triangle)`.
    pub fn all_hits(&self, ray: &Ray, faces: Faces, mode: HitMode) -> Vec<Hit> {
        let mut hits = Vec::new();
        self.all_hits_into(ray, faces, mode, &mut hits);
        hits
    }

    /// [`MeshBvh::all_hits`] into a buffer, which is cleared first.
    pub fn all_hits_into(&self, ray: &Ray, faces: Faces, mode: HitMode, hits: &mut Vec<Hit>) {
        hits.clear();
        let mut all = All { t_max: ray.t_max, mode, hits };
        self.collect(ray, faces, &mut all);
        hits.sort_unstable_by(Hit::cmp_along_ray);
    }

    /// The first `n` of all hits, sorted by `(t, triangle)`, into a buffer, which is cleared first.
    /// Visits no more of the tree than it needs for these.
    pub fn nearest_hits(
        &self,
        ray: &Ray,
        faces: Faces,
        mode: HitMode,
        n: usize,
        hits: &mut Vec<Hit>,
    ) {
        hits.clear();
        if n > 0 {
            let mut nearest = Nearest { all: All { t_max: ray.t_max, mode, hits }, n };
            self.collect(ray, faces, &mut nearest);
        }
    }

    /// The number of surface crossings: hits by [`HitMode::Once`]. For a ray without an upper bound
    /// and a closed mesh it is odd exactly when the origin lies inside.
    pub fn count_crossings(&self, ray: &Ray, faces: Faces) -> usize {
        let mut crossings = Crossings { t_max: ray.t_max, n: 0 };
        self.collect(ray, faces, &mut crossings);
        crossings.n
    }

    /// By how much node boxes are widened.
    pub(crate) fn inflation(&self) -> f32 {
        INFLATION * self.reach
    }

    /// Moves the hierarchy to new positions of the same triangles without making a new tree: O(n),
    /// many times cheaper than a build, and never a wrong answer. Queries get slower as triangles
    /// move apart that the tree holds together; the report says by how much.
    ///
    /// # Errors
    /// A mesh of another number of triangles; nothing is changed then.
    pub fn refit(&mut self, mesh: &TriMesh) -> Result<RefitReport, RefitError> {
        let (found, expected) = (mesh.triangles().len(), self.n_triangles);
        if found != expected {
            return Err(RefitError { found, expected });
        }
        self.bounds = mesh.bounds();
        self.scale = mesh.query_scale();
        self.reach = scaled_reach(mesh, self.scale);
        Ok(crate::refit::refit(self, mesh))
    }

    /// Size and quality of the tree. O(nodes).
    pub fn stats(&self) -> BvhStats {
        BvhStats::of(self)
    }

    /// Checks every invariant of the tree against the mesh it was built from or refitted to: each
    /// triangle stands in one leaf with its corners, boxes hold what lies below, every node is
    /// reached once, the depth is within the traversal stack. O(n), in parallel.
    ///
    /// # Errors
    /// The first invariant that does not hold, in words.
    pub fn validate(&self, mesh: &TriMesh) -> Result<(), String> {
        crate::validate::validate(self, mesh)
    }
}

/// The largest coordinate of a mesh in its scaled space.
pub(crate) fn scaled_reach(mesh: &TriMesh, scale: f64) -> f32 {
    (f64::from(mesh.bounds().max_abs_coordinate()) * scale) as f32
}

/// The corners of a triangle in the mesh's scaled space.
#[inline(always)]
pub(crate) fn scaled_corners(mesh: &TriMesh, triangle: u32, scale: f64) -> [Vec3; 3] {
    // Element by element: `map` on arrays is left out of line where there are many calls of it.
    let [a, b, c] = mesh.triangles()[triangle as usize];
    let positions = mesh.positions();
    let [a, b, c] = [positions[a as usize], positions[b as usize], positions[c as usize]];
    if scale == 1.0 { [a, b, c] } else { [scaled(a, scale), scaled(b, scale), scaled(c, scale)] }
}

/// The box of a triangle in the mesh's scaled space.
#[inline(always)]
pub(crate) fn scaled_box(mesh: &TriMesh, triangle: u32, scale: f64) -> Box3 {
    let [a, b, c] = scaled_corners(mesh, triangle, scale);
    let [a, b, c]: [Vec3A; 3] = [a.into(), b.into(), c.into()];
    Box3 { min: a.min(b).min(c), max: a.max(b).max(c) }
}

/// A refit to another number of triangles or boxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("refit to {found} triangles or boxes of a hierarchy over {expected}")]
pub struct RefitError {
    /// The number given.
    pub found: usize,
    /// The number in the hierarchy.
    pub expected: usize,
}

/// The build was stopped by its progress callback.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the build was cancelled")]
pub struct Cancelled;
