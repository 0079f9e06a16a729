//! Rays with their answers, the input of every format.

use super::record::{HitRecord, Surface};
use crate::args::Field;
use crate::query::{Answers, Found};

/// Rays of a command with their answers.
#[derive(Clone, Copy)]
pub(crate) struct Results<'a> {
    /// The surfaces that the rays were cast at.
    pub(crate) surface: Surface<'a>,
    /// The index of the first ray among all rays of the command.
    pub(crate) first_ray: u64,
    pub(crate) n_rays: usize,
    /// The length of the direction of each ray.
    pub(crate) unit: &'a (dyn Fn(usize) -> f64 + Sync),
    pub(crate) answers: &'a Answers,
    /// The fields of each hit.
    pub(crate) fields: &'a [Field],
}

impl<'a> Results<'a> {
    /// The record of a hit of the ray at index `ray` of the slice.
    pub(super) fn record(&self, ray: usize, hit: &'a Found) -> HitRecord<'a> {
        HitRecord::new(self.surface, (self.unit)(ray), hit)
    }
}
