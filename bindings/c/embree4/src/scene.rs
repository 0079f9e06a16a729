//! Scenes: the geometries that a program puts in, and what the last commit made of them.

use std::{
    any::Any,
    ops::ControlFlow,
    ptr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicPtr, Ordering},
    },
};

use crate::{
    abi::{Callback, INVALID_ID, Opaque, quality},
    committed::Committed,
    device::Device,
    error::{Failure, Outcome, invalid, not_now, refused},
    geometry::{Geometry, Instanced},
    handle::{Handle, Magic},
    reports::{Reports, lock},
    surface::BuildPlan,
};

/// The largest number of a geometry, beyond which it is a mistake.
const MAX_GEOM_ID: u32 = 1 << 24;

/// A scene.
#[repr(C)]
#[derive(Debug)]
pub struct Scene {
    magic: Magic,
    /// The picture in `state`, for queries.
    committed: AtomicPtr<Committed>,
    device: Arc<Device>,
    state: Mutex<State>,
    /// Held by the thread that commits.
    commit: Mutex<()>,
}

// SAFETY: `repr(C)` with the magic first.
unsafe impl Handle for Scene {
    const NAME: &'static str = "RTCScene";
    const MAGIC: u64 = u64::from_le_bytes(*b"rtcScene");

    fn reports(&self) -> &Reports {
        self.device.reports()
    }
}

impl Instanced for Scene {
    fn committed(&self) -> Option<Arc<dyn Any + Send + Sync>> {
        let state = lock(&self.state);
        state.committed.as_ref().map(|(_, committed)| Arc::clone(committed) as _)
    }

    fn address(&self) -> usize {
        self.committed.load(Ordering::Acquire).addr()
    }
}

type Progress = Callback<unsafe extern "C" fn(*mut std::ffi::c_void, f64) -> bool>;

#[derive(Debug)]
struct State {
    geometries: Vec<Option<Arc<Geometry>>>,
    flags: u32,
    quality: u32,
    progress: Progress,
    /// Grows with every change of the scene itself.
    version: u64,
    committed: Option<(Versions, Arc<Committed>)>,
}

/// What a picture shows: the version of the scene, those of its geometries, and the pictures that they place.
#[derive(Debug, PartialEq)]
struct Versions(u64, Vec<(u64, Vec<usize>)>);

impl State {
    fn versions(&self) -> Versions {
        let of = |geometry: &Option<Arc<Geometry>>| {
            let Some(geometry) = geometry else { return (u64::MAX, vec![]) };
            let scenes = geometry.with(|state| state.scenes.clone());
            let pictures = scenes.iter().map(|scene| scene.address()).collect();
            (geometry.version(), pictures)
        };
        Versions(self.version, self.geometries.iter().map(of).collect())
    }
}

impl Scene {
    pub(crate) fn new(device: Arc<Device>) -> Self {
        let state = State {
            geometries: vec![],
            flags: 0,
            quality: quality::MEDIUM,
            progress: Callback::default(),
            version: 0,
            committed: None,
        };
        Self {
            magic: Magic::of::<Self>(),
            committed: AtomicPtr::new(ptr::null_mut()),
            device,
            state: Mutex::new(state),
            commit: Mutex::new(()),
        }
    }

    pub(crate) fn shared_device(&self) -> &Arc<Device> {
        &self.device
    }

    /// The picture of the last commit. Embree's rules forbid commits during queries, so it stays for the query.
    #[inline(always)]
    pub(crate) fn committed(&self) -> Option<&Committed> {
        // SAFETY: NULL, or what `state` holds.
        unsafe { self.committed.load(Ordering::Acquire).as_ref() }
    }

    /// The picture, if it shows the scene as it is.
    pub(crate) fn current(&self) -> Outcome<Arc<Committed>> {
        let state = lock(&self.state);
        match &state.committed {
            Some((versions, committed)) if *versions == state.versions() => Ok(committed.clone()),
            _ => Err(not_committed()),
        }
    }

    fn change<T>(&self, change: impl FnOnce(&mut State) -> Outcome<T>) -> Outcome<T> {
        let mut state = lock(&self.state);
        let result = change(&mut state)?;
        state.version += 1;
        Ok(result)
    }

    pub(crate) fn flags(&self) -> u32 {
        lock(&self.state).flags
    }

    pub(crate) fn set_flags(&self, flags: u32) -> Outcome<()> {
        self.change(|state| {
            state.flags = flags;
            Ok(())
        })
    }

    pub(crate) fn set_quality(&self, quality: u32) -> Outcome<()> {
        if quality > quality::HIGH {
            return Err(invalid("quality", quality, "LOW, MEDIUM or HIGH"));
        }
        self.change(|state| {
            state.quality = quality;
            Ok(())
        })
    }

    pub(crate) fn set_progress(&self, progress: Progress) {
        lock(&self.state).progress = progress;
    }

    /// Puts a geometry in, by its number or the first one that is free.
    pub(crate) fn attach(&self, geometry: Arc<Geometry>, geom_id: Option<u32>) -> Outcome<u32> {
        if !Arc::ptr_eq(geometry.shared_device(), &self.device) {
            return Err(invalid("geometry", "one of another device", "one of the same device"));
        }
        self.change(|state| {
            let free = state.geometries.iter().position(Option::is_none);
            let free = free.unwrap_or(state.geometries.len()) as u32;
            let geom_id = geom_id.unwrap_or(free);
            if geom_id > MAX_GEOM_ID {
                return Err(invalid("geomID", geom_id, format_args!("at most {MAX_GEOM_ID}")));
            }
            let place = geom_id as usize;
            if state.geometries.len() <= place {
                state.geometries.resize(place + 1, None);
            }
            if state.geometries[place].is_some() {
                return Err(refused("geomID", geom_id, "a number that is free"));
            }
            state.geometries[place] = Some(geometry);
            Ok(geom_id)
        })
    }

    pub(crate) fn detach(&self, geom_id: u32) -> Outcome<()> {
        self.change(|state| {
            let place = state.geometries.get_mut(geom_id as usize).filter(|place| place.is_some());
            match place {
                Some(place) => *place = None,
                None => return Err(no_geometry(geom_id)),
            }
            Ok(())
        })
    }

    /// A geometry that is in the scene now.
    pub(crate) fn geometry(&self, geom_id: u32) -> Outcome<Arc<Geometry>> {
        let state = lock(&self.state);
        let found = state.geometries.get(geom_id as usize).cloned().flatten();
        found.ok_or_else(|| no_geometry(geom_id))
    }

    /// Calls `read` with a geometry: one of the last commit, without a lock, or else one that is in the scene now.
    pub(crate) fn with_geometry<T>(
        &self,
        geom_id: u32,
        read: impl FnOnce(&Geometry) -> Outcome<T>,
    ) -> Outcome<T> {
        let committed = self
            .committed()
            .and_then(|committed| committed.geometries.get(geom_id as usize)?.as_deref());
        match committed {
            Some(geometry) => read(geometry),
            None => read(&*self.geometry(geom_id)?),
        }
    }

    /// Makes a picture of the scene as it is, if the last one does not show it. Threads that come meanwhile wait for it.
    pub(crate) fn commit(&self) -> Outcome<()> {
        let _only_one = lock(&self.commit);
        // Callbacks of the build may ask the scene, so its state is free.
        let (geometries, versions, flags, quality, progress, old) = {
            let state = lock(&self.state);
            let versions = state.versions();
            let old = match &state.committed {
                Some((before, _)) if *before == versions => return Ok(()),
                committed => committed.as_ref().map(|(_, committed)| committed.clone()),
            };
            let State { geometries, flags, quality, progress, .. } = &*state;
            (geometries.clone(), versions, *flags, *quality, *progress, old)
        };
        let plan = BuildPlan {
            device: &self.device,
            flags,
            quality,
            progress: &|fraction| tell(&progress, fraction),
        };
        let committed = Arc::new(Committed::new(geometries, &plan, old.as_deref())?);
        let mut state = lock(&self.state);
        self.committed.store(Arc::as_ptr(&committed).cast_mut(), Ordering::Release);
        state.committed = Some((versions, committed));
        Ok(())
    }
}

fn tell(progress: &Progress, fraction: f32) -> ControlFlow<()> {
    let Callback { function, user: Opaque(user) } = *progress;
    // SAFETY: the program registered the function for these arguments.
    match function.is_none_or(|function| unsafe { function(user, fraction.into()) }) {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    }
}

pub(crate) fn not_committed() -> Failure {
    not_now("the scene is not committed")
}

fn no_geometry(geom_id: u32) -> Failure {
    let found =
        if geom_id == INVALID_ID { "RTC_INVALID_GEOMETRY_ID".into() } else { geom_id.to_string() };
    refused("geomID", found, "a geometry of the scene")
}
