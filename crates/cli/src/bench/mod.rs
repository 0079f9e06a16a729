//! Measures queries: typical rays, and median times.

mod timing;
mod workload;

pub(crate) use timing::median_time;
pub(crate) use workload::{Workload, workloads};
