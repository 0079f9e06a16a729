//! Measures queries: typical rays, times with their spread, and the comparison with an earlier run.

mod baseline;
mod measured;
mod timing;
mod workload;

pub(crate) use baseline::Comparison;
pub(crate) use measured::{Measured, Report, StageTimes};
pub(crate) use timing::{Spread, repeated};
pub(crate) use workload::{Workload, scene_workloads, workloads};
