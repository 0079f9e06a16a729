//! Arrays of answers, which Python allocates and this module fills.

use hitscan::{Hit, HitLists, Side, scene::SceneHit};
use numpy::{Element, PyReadwriteArray1, PyReadwriteArray2, PyUntypedArrayMethods};
use pyo3::{PyResult, exceptions::PyValueError};
use rayon::prelude::*;

use crate::memory;

/// The index that stands for no triangle.
pub(crate) const NO_TRIANGLE: u32 = u32::MAX;

/// The id that stands for no instance.
pub(crate) const NO_INSTANCE: i64 = -1;

/// The minimum number of answers that one thread stores at a time.
const MIN_CHUNK: usize = 1 << 12;

/// The arrays of the closest hits: one entry per ray.
pub(crate) struct HitArrays<'a, T> {
    t: &'a mut [T],
    triangle: &'a mut [u32],
    uv: &'a mut [[f32; 2]],
    front: &'a mut [bool],
}

impl<'a, T: Element + Copy> HitArrays<'a, T> {
    pub(crate) fn new(
        n: usize,
        t: &'a mut PyReadwriteArray1<'_, T>,
        triangle: &'a mut PyReadwriteArray1<'_, u32>,
        uv: &'a mut PyReadwriteArray2<'_, f32>,
        front: &'a mut PyReadwriteArray1<'_, bool>,
    ) -> PyResult<Self> {
        Ok(Self {
            t: slice("t", t, n)?,
            triangle: slice("triangle", triangle, n)?,
            uv: row_slice("uv", uv, n)?,
            front: slice("front", front, n)?,
        })
    }

    /// Stores the answers of the rays from `first` on.
    fn store_all<H: Sync>(
        &mut self,
        first: usize,
        hits: &[H],
        answer: impl Fn(&H) -> Answer<T> + Sync,
    ) where
        T: Send,
    {
        let range = first..first + hits.len();
        let arrays = (
            &mut self.t[range.clone()],
            &mut self.triangle[range.clone()],
            &mut self.uv[range.clone()],
            &mut self.front[range],
            hits,
        );
        arrays.into_par_iter().with_min_len(MIN_CHUNK).for_each(|(t, triangle, uv, front, hit)| {
            let answer = answer(hit);
            *t = answer.t;
            *triangle = answer.local.map_or(NO_TRIANGLE, |hit| hit.triangle);
            *uv = answer.local.map_or([0.0; 2], |hit| [hit.u, hit.v]);
            *front = answer.local.is_some_and(|hit| hit.side == Side::Front);
        });
    }
}

/// A hit with the `t` of the ray that the caller gave.
struct Answer<T> {
    t: T,
    local: Option<Hit>,
}

impl HitArrays<'_, f32> {
    /// Stores the hits of the rays from `first` on.
    pub(crate) fn store(&mut self, first: usize, hits: &[Option<Hit>]) {
        self.store_all(first, hits, |&hit| Answer {
            t: hit.map_or(f32::INFINITY, |hit| hit.t),
            local: hit,
        });
    }
}

impl HitArrays<'_, f64> {
    /// Stores the hits of the rays from `first` on, except for the instances.
    pub(crate) fn store(&mut self, first: usize, hits: &[Option<SceneHit>]) {
        self.store_all(first, hits, |hit| Answer {
            t: hit.map_or(f64::INFINITY, |hit| hit.t),
            local: hit.map(|hit| hit.local),
        });
    }
}

/// The lists of hits of many rays, as they grow.
pub(crate) struct HitColumns {
    pub(crate) t: Vec<f32>,
    pub(crate) triangle: Vec<u32>,
    pub(crate) uv: Vec<f32>,
    pub(crate) front: Vec<bool>,
    /// The end of each ray's list, behind a zero.
    pub(crate) splits: Vec<i64>,
}

impl HitColumns {
    pub(crate) fn new() -> Self {
        Self { t: vec![], triangle: vec![], uv: vec![], front: vec![], splits: vec![0] }
    }

    /// Adds the lists of further rays.
    ///
    /// # Errors
    /// `MemoryError` if the lists do not fit into memory.
    pub(crate) fn extend(&mut self, lists: &HitLists) -> PyResult<()> {
        let (before, n) = (self.t.len(), lists.hits.len());
        if before + n > self.t.capacity() {
            // Vectors double.
            let bytes = 2 * (before + n) * (size_of::<Hit>() - size_of::<Side>());
            memory::check(&format!("the {} hits so far", before + n), bytes as u64)?;
        }
        self.splits.extend(lists.starts[1..].iter().map(|end| (before + end) as i64));
        for hit in &lists.hits {
            self.t.push(hit.t);
            self.triangle.push(hit.triangle);
            self.uv.extend([hit.u, hit.v]);
            self.front.push(hit.side == Side::Front);
        }
        Ok(())
    }
}

/// The slice of an array of answers, after a check of its length.
pub(crate) fn slice<'a, T: Element>(
    name: &str,
    array: &'a mut PyReadwriteArray1<'_, T>,
    n: usize,
) -> PyResult<&'a mut [T]> {
    check_len(name, array.shape()[0], n)?;
    Ok(array.as_slice_mut()?)
}

/// The rows of an array of answers, after a check of its shape.
pub(crate) fn row_slice<'a, T: Element, const N: usize>(
    name: &str,
    array: &'a mut PyReadwriteArray2<'_, T>,
    n: usize,
) -> PyResult<&'a mut [[T; N]]> {
    check_len(name, array.shape()[0], n)?;
    check_len(&format!("a row of {name}"), array.shape()[1], N)?;
    Ok(array.as_slice_mut()?.as_chunks_mut().0)
}

pub(crate) fn check_len(name: &str, found: usize, expected: usize) -> PyResult<()> {
    if found == expected {
        return Ok(());
    }
    Err(PyValueError::new_err(format!("{name} has length {found}, expected {expected}")))
}
