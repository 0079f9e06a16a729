//! Rays with their answers, the input of every format.

use hitscan::{Ray, TriMesh};

use crate::query::Answers;

/// Rays of a command with their answers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Results<'a> {
    /// The mesh that the rays were cast at.
    pub(crate) mesh: &'a TriMesh,
    /// The index of the first ray among all rays of the command.
    pub(crate) first_ray: u64,
    pub(crate) rays: &'a [Ray],
    pub(crate) answers: &'a Answers,
}
