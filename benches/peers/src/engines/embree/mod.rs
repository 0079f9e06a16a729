//! Embree 4 through its C interface, loaded at run time.

mod api;
mod instances;
mod records;
mod scene;

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{CString, c_void};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicIsize, Ordering::Relaxed};

use hitscan::glam::DAffine3;
use hitscan::{Hit, Ray, TriMesh};

use super::{Calls, Contender, Engine, Memory, REFERENCE};
use crate::memory::Usage;
use api::Api;
pub(crate) use instances::Instances;
use records::{Hit1, Hit16, Ray1, Ray16, RayHit1, RayHit16, RtcArguments, Valid16};

/// The variable that names the library.
const LIBRARY: &str = "EMBREE_LIB";

/// The loaded library with its devices, by their configuration.
pub(super) struct Loaded {
    api: Arc<Api>,
    devices: RefCell<HashMap<String, Arc<MeteredDevice>>>,
}

impl Loaded {
    /// The library that the environment names. Without a name there is none, and a message says so. A
    /// library that fails to load is an error, because the user asked for a comparison with it.
    pub(super) fn from_environment() -> Result<Option<Self>, String> {
        let Some(path) = std::env::var_os(LIBRARY).map(PathBuf::from) else {
            eprintln!("embree: {LIBRARY} does not name a libembree4 library: skipped");
            return Ok(None);
        };
        match Api::load(&path) {
            Ok(api) => Ok(Some(Self { api: Arc::new(api), devices: RefCell::default() })),
            Err(message) => Err(format!("{LIBRARY}: {}: {message}", path.display())),
        }
    }

    /// Instances of meshes, with the `poses` of mesh and transform.
    pub(super) fn instances(
        &self,
        meshes: &[TriMesh],
        poses: &[(usize, DAffine3)],
    ) -> Result<Instances, String> {
        Instances::new(&self.device(1, None)?, meshes, poses)
    }

    /// The device with `n_threads` threads and an instruction set, made on first use.
    fn device(
        &self,
        n_threads: usize,
        max_isa: Option<&str>,
    ) -> Result<Arc<MeteredDevice>, String> {
        let max_isa = max_isa.map(|isa| format!(",max_isa={isa}")).unwrap_or_default();
        let config = format!("threads={n_threads}{max_isa}");
        let mut devices = self.devices.borrow_mut();
        if let Some(device) = devices.get(&config) {
            return Ok(Arc::clone(device));
        }
        let device = Arc::new(MeteredDevice::new(&self.api, &config)?);
        devices.insert(config, Arc::clone(&device));
        Ok(device)
    }

    /// `major.minor.patch`.
    pub(super) fn version(&self) -> String {
        self.api.version()
    }

    /// All configurations, with builds on `n_threads` threads.
    pub(super) fn contenders(&self, n_threads: usize) -> Vec<Contender> {
        let contender = |(name, setup): (String, Setup)| {
            // Made here, before any build. A device made after the build of a scene leaves a TBB worker
            // that spins forever, during every later measurement.
            let device = self.device(n_threads, setup.max_isa);
            Contender {
                calls: setup.calls,
                ..Contender::new(name, move |mesh: &TriMesh| {
                    Embree::build(device.as_ref().map_err(String::clone)?, mesh, setup)
                })
            }
        };
        configurations().into_iter().map(contender).collect()
    }
}

/// Every combination of code, quality and calls, and the flags of scenes that cost speed.
fn configurations() -> Vec<(String, Setup)> {
    let medium = Setup::default();
    let packets = Setup { calls: Calls::Packets, ..medium };
    let mut all = Vec::new();
    for (calls, setup) in [
        ("", medium),
        ("packets of 16", packets),
        ("packets, no flag", Setup { is_coherent: false, ..packets }),
    ] {
        for (isa, max_isa) in [("", None), ("avx2", Some("avx2"))] {
            for (quality_name, quality) in [("", api::QUALITY_MEDIUM), ("high", api::QUALITY_HIGH)]
            {
                let parts = ["embree", isa, quality_name, calls];
                let name = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
                let name = if name.len() == 1 { REFERENCE.to_owned() } else { name.join(" ") };
                all.push((name, Setup { quality, max_isa, ..setup }));
            }
        }
    }
    all.push(("embree low".to_owned(), Setup { quality: api::QUALITY_LOW, ..medium }));
    for (name, scene_flags) in
        [("embree robust", api::SCENE_ROBUST), ("embree compact", api::SCENE_COMPACT)]
    {
        all.push((name.to_owned(), Setup { scene_flags, ..medium }));
    }
    all
}

/// A configuration of Embree.
#[derive(Clone, Copy, Debug)]
struct Setup {
    quality: u32,
    scene_flags: u32,
    /// The instruction set that limits the library.
    max_isa: Option<&'static str>,
    calls: Calls,
    /// Whether packets carry the flag for coherent rays.
    is_coherent: bool,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            quality: api::QUALITY_MEDIUM,
            scene_flags: 0,
            max_isa: None,
            calls: Calls::Single,
            is_coherent: true,
        }
    }
}

/// A committed scene with the data that must live as long.
struct Embree {
    // Released in this order.
    scene: scene::Scene,
    _device: Arc<MeteredDevice>,
    /// Shared with the scene: three floats per vertex, and one extra float that may be read.
    _positions: Vec<f32>,
    _triangles: Vec<[u32; 3]>,
    usage: Usage,
    setup: Setup,
}

/// A device with the meter of its memory.
struct MeteredDevice {
    // Released first, because it calls the meter.
    device: scene::Device,
    meter: Box<Meter>,
}

impl MeteredDevice {
    fn new(api: &Arc<Api>, config: &str) -> Result<Self, String> {
        let config = CString::new(config).expect("the configuration has no zero in it");
        let (device, meter) = (scene::Device::new(api, &config)?, Box::<Meter>::default());
        // SAFETY: `meter` is boxed, so it stays where it is, and outlives the device.
        #[allow(unsafe_code, reason = "foreign interface")]
        unsafe {
            device.monitor_memory(memory_changed, (&raw const *meter).cast_mut().cast());
        }
        Ok(Self { device, meter })
    }
}

/// The memory that a device has reported.
#[derive(Default)]
struct Meter {
    held: AtomicIsize,
    peak: AtomicIsize,
}

impl Meter {
    /// Called before an allocation and after a release, with its size and its negative.
    fn changed(&self, bytes: isize) {
        let held = self.held.fetch_add(bytes, Relaxed) + bytes;
        self.peak.fetch_max(held, Relaxed);
    }

    /// The bytes that `work` allocates and keeps. Only one caller at a time may measure.
    fn usage<T>(&self, work: impl FnOnce() -> T) -> (T, Usage) {
        let before = self.held.load(Relaxed);
        self.peak.store(before, Relaxed);
        let done = work();
        let since =
            |counter: &AtomicIsize| usize::try_from(counter.load(Relaxed) - before).unwrap_or(0);
        (done, Usage { kept: since(&self.held), peak: since(&self.peak) })
    }
}

/// Embree's memory callback; `meter` is the [`Meter`] registered with it.
#[allow(unsafe_code, reason = "called from C")]
unsafe extern "C" fn memory_changed(meter: *mut c_void, bytes: isize, _after: bool) -> bool {
    // SAFETY: the pointer is to the boxed `Meter` of the `Embree` that owns the calling device. The
    // meter is dropped after the device.
    let meter = unsafe { &*meter.cast::<Meter>() };
    meter.changed(bytes);
    true
}

impl Embree {
    fn build(device: &Arc<MeteredDevice>, mesh: &TriMesh, setup: Setup) -> Result<Self, String> {
        let mut positions: Vec<f32> =
            mesh.positions().iter().flat_map(|position| position.to_array()).collect();
        positions.push(0.0);
        let triangles = mesh.triangles().to_vec();
        let (scene, usage) = device.meter.usage(|| {
            let device = &device.device;
            let scene = scene::Scene::new(device, setup.quality, setup.scene_flags)?;
            // SAFETY: both buffers live in the same `Embree` as the scene and are dropped after it. The
            // positions have one float more than the vertices need, so that 16 bytes of each can be
            // read.
            #[allow(unsafe_code, reason = "foreign interface")]
            unsafe {
                scene.attach_triangles(device, &positions, &triangles)?;
            }
            scene.commit(device)?;
            Ok::<_, String>(scene)
        });
        Ok(Self {
            scene: scene?,
            _device: Arc::clone(device),
            _positions: positions,
            _triangles: triangles,
            usage,
            setup,
        })
    }

    fn closest_of_16(&self, rays: &[Ray], hits: &mut [Option<Hit>]) {
        let mut arguments = RtcArguments::for_packets(self.setup.is_coherent);
        for (rays, hits) in rays.chunks(16).zip(hits.chunks_mut(16)) {
            let mut packet = RayHit16 { ray: Ray16::new(rays), hit: Hit16::NONE };
            let valid = Valid16::first(rays.len());
            self.scene.intersect16(&valid, &mut packet, &mut arguments);
            for (lane, hit) in hits.iter_mut().enumerate() {
                *hit = packet.found(lane);
            }
        }
    }

    fn occluded_of_16(&self, rays: &[Ray], occluded: &mut [bool]) {
        let mut arguments = RtcArguments::for_packets(self.setup.is_coherent);
        for (rays, occluded) in rays.chunks(16).zip(occluded.chunks_mut(16)) {
            let (mut packet, valid) = (Ray16::new(rays), Valid16::first(rays.len()));
            self.scene.occluded16(&valid, &mut packet, &mut arguments);
            for (lane, occluded) in occluded.iter_mut().enumerate() {
                *occluded = packet.t_far[lane] == f32::NEG_INFINITY;
            }
        }
    }
}

impl Engine for Embree {
    fn closest(&self, rays: &[Ray], hits: &mut [Option<Hit>]) {
        if self.setup.calls == Calls::Packets {
            return self.closest_of_16(rays, hits);
        }
        for (ray, hit) in rays.iter().zip(hits) {
            let mut query = RayHit1 { ray: Ray1::new(ray), hit: Hit1::NONE };
            self.scene.intersect1(&mut query);
            *hit = query.found();
        }
    }

    fn occluded(&self, rays: &[Ray], occluded: &mut [bool]) {
        if self.setup.calls == Calls::Packets {
            return self.occluded_of_16(rays, occluded);
        }
        for (ray, occluded) in rays.iter().zip(occluded) {
            let mut query = Ray1::new(ray);
            self.scene.occluded1(&mut query);
            *occluded = query.t_far == f32::NEG_INFINITY;
        }
    }

    fn memory(&self) -> Memory {
        Memory::Told(self.usage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::{COHERENT_PACKETS, is_embree};

    /// The row "fastest configuration" takes every row of Embree by its name.
    #[test]
    fn every_configuration_can_be_the_fastest() {
        let all = configurations();
        let left_out: Vec<_> = all.iter().filter(|(name, _)| !is_embree(name)).collect();
        assert!(left_out.is_empty(), "{left_out:?}");
        for n in [
            REFERENCE,
            COHERENT_PACKETS,
            "embree packets, no flag",
            "embree avx2 high",
            "embree robust",
        ] {
            assert!(all.iter().any(|(name, _)| name == n), "{n}");
        }
        let mut names: Vec<_> = all.iter().map(|(name, _)| name).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 15);
    }
}
