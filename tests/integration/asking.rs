//! Asks a hierarchy everything and compares the answers with the twin's.

use hitscan::{
    BuildOptions, BuildQuality, Faces, Hit, HitLists, HitMode, Isa, Layout, MeshBvh, Ray, TriMesh,
};
pub(crate) use hitscan_testkit::effort;
use hitscan_testkit::{Answers, BothFaces, Shape, Twin, answers_of};

pub(crate) const ALL_FACES: [Faces; 3] = [Faces::Both, Faces::Front, Faces::Back];

/// Whether at least the usual number of cases is tried. Only then must they cover what they are for.
pub(crate) fn is_whole_effort() -> bool {
    effort(1000) >= 1000
}

/// The mesh's hierarchy for every quality, both layouts and every instruction set of this machine, by name.
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

/// Compares every query, single and in batches, of every hierarchy of the mesh with the twin.
///
/// # Panics
/// On the first difference; `seed` tells how to get there again.
pub(crate) fn check_everything(shape: &Shape, rays: &[Ray], seed: impl std::fmt::Display) {
    let twin = Twin::new(&shape.mesh);
    let expected: Vec<BothFaces> = rays.iter().map(|ray| twin.answers(ray)).collect();
    for (name, bvh) in every_bvh(&shape.mesh) {
        let single = first_difference(rays, &expected, |ray, faces| ask(&bvh, ray, faces));
        let batch = ALL_FACES.into_iter().find_map(|faces| {
            Batch::ask(&bvh, rays, faces).first_difference(rays, &expected, faces)
        });
        if let Some(difference) = single.or(batch) {
            panic!("{name} on {} (seed {seed})\n{difference}", shape.name);
        }
    }
}

/// Every single-ray query.
pub(crate) fn ask(bvh: &MeshBvh, ray: &Ray, faces: Faces) -> Answers {
    answers_of!(bvh, ray, faces)
}

/// The first ray on which `ask` and the twin differ, as a sentence. The choice of faces goes round
/// from ray to ray.
pub(crate) fn first_difference(
    rays: &[Ray],
    expected: &[BothFaces],
    ask: impl Fn(&Ray, Faces) -> Answers,
) -> Option<String> {
    rays.iter().zip(expected).enumerate().find_map(|(i, (ray, expected))| {
        let faces = ALL_FACES[i % 3];
        let difference = ask(ray, faces).difference(&expected.seen_by(faces))?;
        Some(report(i, ray, faces, &difference))
    })
}

fn report(i: usize, ray: &Ray, faces: Faces, difference: &str) -> String {
    let bits = |v: [f32; 3]| v.map(|x| format!("{:#010x}", x.to_bits())).join(" ");
    let (origin, direction) = (ray.origin.to_array(), ray.direction.to_array());
    format!(
        "ray {i}, {faces:?} faces: {ray:?}\n  origin {}, direction {}, t {:#010x} {:#010x}\n  {difference}",
        bits(origin),
        bits(direction),
        ray.t_min.to_bits(),
        ray.t_max.to_bits(),
    )
}

/// What the batch queries say about a list of rays.
#[derive(Clone, Debug)]
pub(crate) struct Batch {
    pub(crate) closest: Vec<Option<Hit>>,
    pub(crate) occluded: Vec<bool>,
    pub(crate) closed: HitLists,
    pub(crate) once: HitLists,
    pub(crate) crossings: Vec<u32>,
}

impl Batch {
    pub(crate) fn ask(bvh: &MeshBvh, rays: &[Ray], faces: Faces) -> Self {
        // Filled with what no answer is, so that an entry left alone shows.
        let nonsense =
            Hit { t: f32::NAN, u: 0.0, v: 0.0, triangle: u32::MAX, side: hitscan::Side::Back };
        let mut closest = vec![Some(nonsense); rays.len()];
        let mut crossings = vec![u32::MAX; rays.len()];
        bvh.closest_hits(rays, faces, &mut closest);
        bvh.crossings_of(rays, faces, &mut crossings);
        // Both are answers: an entry left alone shows for every other ray.
        let mut occluded: Vec<bool> = (0..rays.len()).map(|i| i % 2 == 0).collect();
        bvh.are_occluded(rays, faces, &mut occluded);
        Self {
            closest,
            occluded,
            closed: bvh.all_hits_of(rays, faces, HitMode::Closed),
            once: bvh.all_hits_of(rays, faces, HitMode::Once),
            crossings,
        }
    }

    pub(crate) fn first_difference(
        &self,
        rays: &[Ray],
        expected: &[BothFaces],
        faces: Faces,
    ) -> Option<String> {
        for lists in [&self.closed, &self.once] {
            if lists.starts.len() != rays.len() + 1 || lists.starts[rays.len()] != lists.hits.len()
            {
                return Some(format!("{} hit lists for {} rays", lists.starts.len(), rays.len()));
            }
        }
        rays.iter().zip(expected).enumerate().find_map(|(i, (ray, expected))| {
            let (closed, once) = (self.closed.of(i).to_vec(), self.once.of(i).to_vec());
            let found = Answers {
                closest: self.closest[i],
                occluded: self.occluded[i],
                crossings: self.crossings[i] as usize,
                ..Answers::from_lists(closed, once)
            };
            let difference = found.difference(&expected.seen_by(faces))?;
            Some(format!("in a batch: {}", report(i, ray, faces, &difference)))
        })
    }
}

/// Runs `f` on a pool of `n` threads; as it is without the feature `parallel`.
pub(crate) fn with_threads<T: Send>(n: usize, f: impl FnOnce() -> T + Send) -> T {
    if cfg!(feature = "parallel") {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build();
        pool.expect("a few threads can be started").install(f)
    } else {
        f()
    }
}
