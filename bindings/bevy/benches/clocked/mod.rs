//! An app whose picking backend runs where its plugin would run it, under a clock.

use std::time::{Duration, Instant};

use bevy_app::{App, PostUpdate, PreUpdate};
use bevy_asset::AssetEventSystems;
use bevy_camera::visibility::VisibilitySystems;
use bevy_ecs::{
    prelude::*,
    reflect::AppTypeRegistry,
    schedule::{ScheduleLabel, SingleThreadedExecutor},
};
use bevy_picking::{PickingSystems, mesh_picking::MeshPickingSettings};
use bevy_transform::TransformSystems;
use hitscan_bevy::{HitscanEdits, HitscanPolygons, HitscanSettings, HitscanWorld};

use crate::harness::{Backend, Harness};
use processor::processor_time;

mod processor;

/// The times of the backend's systems in a frame.
#[derive(Resource, Clone, Copy, Default)]
pub(crate) struct Times {
    pub(crate) pick: Duration,
    pub(crate) follow: Duration,
    /// The processor time of `follow`, in seconds. Linux counts it in steps of some milliseconds, so that only a sum
    /// over many frames tells something.
    pub(crate) follow_processor: f64,
    /// Whether to measure it.
    pub(crate) counts_processor: bool,
}

/// The systems that a backend adds to a schedule, without anything of Bevy between them.
fn systems_of(backend: Backend, label: impl ScheduleLabel) -> Schedule {
    let mut donor = App::empty();
    donor.init_resource::<AppTypeRegistry>();
    backend.add_to(&mut donor);
    let schedules = &mut donor.world_mut().resource_mut::<Schedules>();
    let mut schedule = schedules.remove(label).unwrap_or_default();
    schedule.set_executor(SingleThreadedExecutor::new());
    schedule
}

fn timed(schedule: &mut Schedule, world: &mut World) -> Duration {
    let started = Instant::now();
    schedule.run(world);
    started.elapsed()
}

/// An app with the backend. [`Times`] has those of its last frame.
pub(crate) fn app(backend: Backend) -> Harness {
    let mut pick = systems_of(backend, PreUpdate);
    let mut follow = systems_of(backend, PostUpdate);
    let pick = move |world: &mut World| {
        world.resource_mut::<Times>().pick = timed(&mut pick, world);
    };
    let follow = move |world: &mut World| {
        let counts = world.resource::<Times>().counts_processor;
        let now = || if counts { processor_time() } else { 0.0 };
        let started = now();
        let time = timed(&mut follow, world);
        let processor = now() - started;
        let mut times = world.resource_mut::<Times>();
        (times.follow, times.follow_processor) = (time, processor);
    };
    Harness::with_plugins(1.0, |app| {
        app.init_resource::<Times>()
            .init_resource::<MeshPickingSettings>()
            .add_systems(PreUpdate, pick.in_set(PickingSystems::Backend));
        if backend == Backend::Hitscan {
            app.init_resource::<HitscanWorld>()
                .init_resource::<HitscanSettings>()
                .init_resource::<HitscanEdits>()
                .init_resource::<HitscanPolygons>()
                .add_systems(
                    PostUpdate,
                    follow
                        .after(AssetEventSystems)
                        .after(TransformSystems::Propagate)
                        .after(VisibilitySystems::VisibilityPropagate),
                );
        }
    })
}

/// A quantile of some times, in microseconds.
pub(crate) fn quantile(times: &mut [Duration], q: f64) -> f64 {
    times.sort_unstable();
    times[((times.len() - 1) as f64 * q) as usize].as_secs_f64() * 1e6
}
