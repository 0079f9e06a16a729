//! The engines: their common interface, and the list of participants.

mod bvh;
mod embree;
mod hitscan;
mod obvhs;
mod parry3d;
#[cfg(feature = "tinybvh")]
mod tinybvh;

use ::hitscan::glam::DAffine3;
use ::hitscan::{Hit, Ray, TriMesh};
use serde::Serialize;

use crate::memory::Usage;
pub(crate) use embree::Instances as EmbreeInstances;

/// A structure over one mesh, ready for queries.
///
/// Rays are hitscan's, and each engine converts them to its type within the call, as a user would.
/// Answers are hitscan's hits: always `t` and `triangle` in the mesh's numbering, and `u` and `v` if the
/// engine has them.
pub(crate) trait Engine: Send + Sync {
    /// The closest hit of each ray.
    fn closest(&self, rays: &[Ray], hits: &mut [Option<Hit>]);

    /// Whether each ray hits anything.
    fn occluded(&self, rays: &[Ray], occluded: &mut [bool]);

    /// The way to count its memory.
    fn memory(&self) -> Memory {
        Memory::OurAllocator
    }
}

/// The source of an engine's memory figures.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Memory {
    /// Rust's allocator, which this program counts.
    OurAllocator,
    /// The engine's own figures.
    Told(Usage),
    /// Unknown.
    #[cfg_attr(not(feature = "tinybvh"), expect(dead_code, reason = "only tinybvh is silent"))]
    Unknown,
}

/// An engine in one of its configurations.
pub(crate) struct Contender {
    /// Its name in the table.
    pub(crate) name: String,
    /// The calls that it gets.
    pub(crate) calls: Calls,
    /// Whether it has an any-hit query.
    pub(crate) answers_any_hit: bool,
    /// Whether it is hitscan.
    pub(crate) is_ours: bool,
    /// Builds the structure.
    pub(crate) build: Builder,
}

/// Builds an engine's structure over a mesh, or says why it cannot.
type Builder = Box<dyn Fn(&TriMesh) -> Result<Box<dyn Engine>, String> + Send + Sync>;

/// The way to pass rays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Calls {
    /// One call per ray.
    Single,
    /// One call per sixteen rays.
    Packets,
    /// One call for all rays, which may use the engine's threads.
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

/// The name of the reference engine.
pub(crate) const REFERENCE: &str = "embree medium";

/// Embree's packets with the flag for coherent rays.
pub(crate) const COHERENT_PACKETS: &str = "embree packets of 16";

/// Whether a name is that of a configuration of Embree.
pub(crate) fn is_embree(name: &str) -> bool {
    name.starts_with("embree ")
}

/// The engines on this machine.
pub(crate) struct Engines {
    embree: Option<embree::Loaded>,
}

impl Engines {
    /// Finds the engines that are loaded at run time; standard error names those that are not
    /// configured.
    ///
    /// # Errors
    /// If a configured engine cannot be loaded.
    pub(crate) fn load() -> Result<Self, String> {
        Ok(Self { embree: embree::Loaded::from_environment()? })
    }

    /// Instances of meshes in Embree, with the `poses` of mesh and transform; `None` without Embree.
    ///
    /// # Errors
    /// If Embree refuses them.
    pub(crate) fn embree_instances(
        &self,
        meshes: &[TriMesh],
        poses: &[(usize, DAffine3)],
    ) -> Result<Option<EmbreeInstances>, String> {
        self.embree.as_ref().map(|embree| embree.instances(meshes, poses)).transpose()
    }

    /// The versions of engines outside of this build.
    pub(crate) fn versions(&self) -> Vec<String> {
        self.embree.iter().map(|embree| format!("embree {}", embree.version())).collect()
    }

    /// The participants whose names `admits` holds, with `n_threads` threads.
    pub(crate) fn contenders(
        &self,
        admits: impl Fn(&str) -> bool,
        n_threads: usize,
    ) -> Vec<Contender> {
        let mut contenders = ours(&admits);
        let mut others = Vec::new();
        if let Some(embree) = &self.embree {
            others.extend(embree.contenders(n_threads));
        }
        #[cfg(feature = "tinybvh")]
        others.extend(tinybvh::contenders());
        others.extend(obvhs::contenders());
        others.extend(parry3d::contenders());
        others.extend(bvh::contenders());
        others.retain(|contender| admits(&contender.name));
        contenders.extend(others);
        contenders
    }

    /// The [`Engines::contenders`] for the measurement of growth: hitscan's default, single and in
    /// batches, and the opponents of both.
    pub(crate) fn growing(&self, admits: impl Fn(&str) -> bool) -> Vec<Contender> {
        let mut contenders = self.contenders(admits, 1);
        let mut of_ours = Vec::new();
        contenders.retain(|contender| {
            if contender.is_ours {
                // Of several rows with the same calls, the first is hitscan's default.
                let is_first = !of_ours.contains(&contender.calls);
                of_ours.push(contender.calls);
                return is_first;
            }
            [REFERENCE, COHERENT_PACKETS].contains(&contender.name.as_str())
        });
        contenders
    }
}

/// The configurations of hitscan that take part.
pub(crate) fn ours(admits: impl Fn(&str) -> bool) -> Vec<Contender> {
    let mut contenders = hitscan::contenders();
    contenders.retain(|contender| admits(&contender.name));
    contenders
}
