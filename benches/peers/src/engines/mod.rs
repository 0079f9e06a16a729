//! The engines: what the comparison asks of each, and who takes part.

mod bvh;
mod embree;
mod hitscan;
mod obvhs;
mod parry3d;
#[cfg(feature = "tinybvh")]
mod tinybvh;

use ::hitscan::{Hit, Ray, TriMesh};
use serde::Serialize;

use crate::memory::Usage;
use crate::options::Options;

/// A structure over one mesh, ready to be asked.
///
/// Rays come as ours and each engine turns them into its own within the call, as a user would.
/// Answers are written as ours: `t` and `triangle` in the mesh's numbering always, `u` and `v` where
/// the engine gives them.
pub(crate) trait Engine: Send + Sync {
    /// The closest hit of each ray.
    fn closest(&self, rays: &[Ray], hits: &mut [Option<Hit>]);

    /// Whether each ray hits anything.
    fn occluded(&self, rays: &[Ray], occluded: &mut [bool]);

    /// Where its memory is counted.
    fn memory(&self) -> Memory {
        Memory::OurAllocator
    }
}

/// Who knows what memory an engine takes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Memory {
    /// Rust's allocator, which we count.
    OurAllocator,
    /// The engine, which has counted.
    Told(Usage),
    /// Nobody.
    #[cfg_attr(not(feature = "tinybvh"), expect(dead_code, reason = "only tinybvh is silent"))]
    Unknown,
}

/// An engine in one of its configurations.
pub(crate) struct Contender {
    /// Its name in the table.
    pub(crate) name: String,
    /// How it is asked.
    pub(crate) calls: Calls,
    /// Whether it can be asked for any hit.
    pub(crate) answers_any_hit: bool,
    /// Whether it is ours.
    pub(crate) is_ours: bool,
    /// Builds its structure.
    pub(crate) build: Builder,
}

/// Makes an engine's structure of a mesh, or says why it cannot.
type Builder = Box<dyn Fn(&TriMesh) -> Result<Box<dyn Engine>, String> + Send + Sync>;

/// How rays are handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Calls {
    /// One call for each ray.
    Single,
    /// One call for sixteen rays.
    Packets,
    /// All rays in one call, which may use threads of its own.
    Batch,
}

impl Contender {
    fn new<E: Engine + 'static>(
        name: impl Into<String>,
        build: impl Fn(&TriMesh) -> Result<E, String> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            calls: Calls::Single,
            answers_any_hit: true,
            is_ours: false,
            build: Box::new(move |mesh| Ok(Box::new(build(mesh)?))),
        }
    }
}

/// The name of the engine that ratios refer to.
pub(crate) const REFERENCE: &str = "embree medium";

/// Embree's packets as its users get them at their best.
pub(crate) const COHERENT_PACKETS: &str = "embree packets of 16";

/// The engines that there are on this machine.
pub(crate) struct Engines {
    embree: Option<embree::Loaded>,
}

impl Engines {
    /// Finds the engines that are loaded at run time; what was not asked for is said on stderr.
    ///
    /// # Errors
    /// One that was asked for and cannot be loaded.
    pub(crate) fn load() -> Result<Self, String> {
        Ok(Self { embree: embree::Loaded::from_environment()? })
    }

    /// The versions that this program was not built with.
    pub(crate) fn versions(&self) -> Vec<String> {
        self.embree.iter().map(|embree| format!("embree {}", embree.version())).collect()
    }

    /// All that can and shall take part with so many threads.
    pub(crate) fn contenders(&self, options: &Options, n_threads: usize) -> Vec<Contender> {
        let mut contenders = ours(options);
        let mut others = Vec::new();
        if let Some(embree) = &self.embree {
            others.extend(embree.contenders(n_threads));
        }
        #[cfg(feature = "tinybvh")]
        others.extend(tinybvh::contenders());
        others.extend(obvhs::contenders());
        others.extend(parry3d::contenders());
        others.extend(bvh::contenders());
        others.retain(|contender| options.admits(&contender.name));
        contenders.extend(others);
        contenders
    }

    /// Those of [`Engines::contenders`] whose growth with the number of triangles is of interest: our
    /// default one by one and in batches, and what each is measured by.
    pub(crate) fn growing(&self, options: &Options) -> Vec<Contender> {
        let mut contenders = self.contenders(options, 1);
        let mut of_ours = Vec::new();
        contenders.retain(|contender| {
            if contender.is_ours {
                // Our defaults come first of those that are called alike.
                let is_first = !of_ours.contains(&contender.calls);
                of_ours.push(contender.calls);
                return is_first;
            }
            [REFERENCE, COHERENT_PACKETS].contains(&contender.name.as_str())
        });
        contenders
    }
}

/// hitscan's own configurations that shall take part.
pub(crate) fn ours(options: &Options) -> Vec<Contender> {
    let mut contenders = hitscan::contenders();
    contenders.retain(|contender| options.admits(&contender.name));
    contenders
}
