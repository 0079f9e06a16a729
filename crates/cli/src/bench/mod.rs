//! Measuring queries: rays as programs cast them, and medians.

mod timing;
mod workload;

pub(crate) use timing::median_time;
pub(crate) use workload::{Workload, workloads};
