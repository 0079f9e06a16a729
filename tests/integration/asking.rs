//! Compares the answers of every hierarchy of a mesh with the oracle's.

use hitscan::{BuildOptions, BuildQuality, Faces, Isa, Layout, MeshBvh, Ray, TriMesh};
pub(crate) use hitscan_testkit::effort;
use hitscan_testkit::{
    Answers, BatchAnswers, Oracle, RayHits, Shape, Tally, answers_of, batch_answers_of,
};

pub(crate) const ALL_FACES: [Faces; 3] = [Faces::Both, Faces::Front, Faces::Back];

/// Whether the usual number of cases runs, or more. Only then do tests assert what the cases cover.
pub(crate) fn is_whole_effort() -> bool {
    effort(1000) >= 1000
}

/// The trees of the mesh for every quality, both layouts and every instruction set of this machine, by
/// name.
pub(crate) fn every_bvh(mesh: &TriMesh) -> Vec<(String, MeshBvh)> {
    let mut every = Vec::new();
    let compact = (BuildQuality::default(), Layout::Compact);
    let full = BuildQuality::ALL.map(|quality| (quality, Layout::Full));
    for (quality, layout) in full.into_iter().chain([compact]) {
        let options = BuildOptions { quality, layout, ..BuildOptions::default() };
        let bvh = MeshBvh::build(mesh, &options);
        bvh.validate(mesh).unwrap_or_else(|broken| panic!("{quality:?}, {layout:?}: {broken}"));
        for isa in Isa::available() {
            every.push((format!("{quality:?}, {layout:?}, {isa:?}"), bvh.clone().with_isa(isa)));
        }
    }
    every
}

/// Compares every query of every tree of the mesh with the oracle, single and in batches.
///
/// # Panics
/// On the first difference; the message has `seed`, which repeats it.
pub(crate) fn check_everything(shape: &Shape, rays: &[Ray], seed: impl std::fmt::Display) {
    let expected = Expected::new(&shape.mesh, rays);
    for (name, bvh) in every_bvh(&shape.mesh) {
        let batches =
            || ALL_FACES.into_iter().find_map(|faces| expected.batch_difference(&bvh, faces));
        if let Some(difference) = expected.single_difference(&bvh).or_else(batches) {
            panic!("{name} on {} (seed {seed})\n{difference}", shape.name);
        }
    }
}

/// Rays with the oracle's hits.
pub(crate) struct Expected<'a> {
    pub(crate) rays: &'a [Ray],
    pub(crate) hits: Vec<RayHits>,
}

impl<'a> Expected<'a> {
    /// Scans all triangles of `mesh` for each ray.
    pub(crate) fn new(mesh: &TriMesh, rays: &'a [Ray]) -> Self {
        Self::of(&Oracle::new(mesh), rays)
    }

    /// Scans all triangles of the oracle for each ray.
    pub(crate) fn of(oracle: &Oracle, rays: &'a [Ray]) -> Self {
        Self { rays, hits: rays.iter().map(|ray| oracle.hits(ray)).collect() }
    }

    /// The first difference of single rays from the oracle, as text.
    pub(crate) fn single_difference(&self, bvh: &MeshBvh) -> Option<String> {
        self.difference(|ray, faces| answers_of!(bvh, ray, faces))
    }

    /// The first ray on which `ask` differs from the oracle, as text. The choice of faces alternates from
    /// ray to ray.
    pub(crate) fn difference(&self, ask: impl Fn(&Ray, Faces) -> Answers) -> Option<String> {
        self.rays.iter().zip(&self.hits).enumerate().find_map(|(i, (ray, hits))| {
            let (faces, mut tally) = (ALL_FACES[i % 3], Tally::default());
            tally.compare(ray, faces, &ask(ray, faces), &hits.seen_by(faces));
            tally.first_difference().map(|difference| format!("ray {i}, {difference}"))
        })
    }

    /// The first difference of a batch of all rays from the oracle, as text.
    pub(crate) fn batch_difference(&self, bvh: &MeshBvh, faces: Faces) -> Option<String> {
        self.difference_from(&batch_answers_of!(bvh, self.rays, faces), faces)
    }

    /// The first difference of a batch's answers from the oracle, as text.
    pub(crate) fn difference_from(&self, found: &BatchAnswers, faces: Faces) -> Option<String> {
        let hits: Vec<_> = self.hits.iter().map(|hits| hits.seen_by(faces)).collect();
        let mut tally = Tally::default();
        tally.compare_batch(self.rays, faces, found, &hits);
        tally.first_difference().map(|difference| format!("in a batch: {difference}"))
    }
}

/// Runs `f` on a pool of `n` threads; without the feature `parallel`, on this thread.
pub(crate) fn with_threads<T: Send>(n: usize, f: impl FnOnce() -> T + Send) -> T {
    if cfg!(feature = "parallel") {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build();
        pool.expect("a few threads can be started").install(f)
    } else {
        f()
    }
}
