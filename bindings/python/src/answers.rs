//! Arrays of answers, which Python allocates and this module fills.

use hitscan::{Hit, HitLists, Side, scene::SceneHit};
use numpy::{Element, PyReadwriteArray1, PyReadwriteArray2, PyUntypedArrayMethods};
use pyo3::{PyResult, exceptions::PyValueError};

/// The index that stands for no triangle.
const NONE: u32 = u32::MAX;

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
        check_len("uv", uv.shape()[0], n)?;
        check_len("uv columns", uv.shape()[1], 2)?;
        Ok(Self {
            t: slice("t", t, n)?,
            triangle: slice("triangle", triangle, n)?,
            uv: uv.as_slice_mut()?.as_chunks_mut().0,
            front: slice("front", front, n)?,
        })
    }

    fn set(&mut self, ray: usize, t: T, hit: Option<&Hit>) {
        self.t[ray] = t;
        self.triangle[ray] = hit.map_or(NONE, |hit| hit.triangle);
        self.uv[ray] = hit.map_or([0.0; 2], |hit| [hit.u, hit.v]);
        self.front[ray] = hit.is_some_and(|hit| hit.side == Side::Front);
    }
}

impl HitArrays<'_, f32> {
    /// Stores the hits of the rays from `first` on.
    pub(crate) fn store(&mut self, first: usize, hits: &[Option<Hit>]) {
        for (ray, hit) in (first..).zip(hits) {
            self.set(ray, hit.map_or(f32::INFINITY, |hit| hit.t), hit.as_ref());
        }
    }
}

impl HitArrays<'_, f64> {
    /// Stores the hits of the rays from `first` on, except for the instances.
    pub(crate) fn store(&mut self, first: usize, hits: &[Option<SceneHit>]) {
        for (ray, hit) in (first..).zip(hits) {
            let local = hit.as_ref().map(|hit| &hit.local);
            self.set(ray, hit.as_ref().map_or(f64::INFINITY, |hit| hit.t), local);
        }
    }
}

/// The lists of hits of many rays, as they grow.
#[derive(Default)]
pub(crate) struct HitColumns {
    pub(crate) t: Vec<f32>,
    pub(crate) triangle: Vec<u32>,
    pub(crate) uv: Vec<f32>,
    pub(crate) front: Vec<bool>,
    /// The end of each ray's list, behind a zero.
    pub(crate) splits: Vec<i64>,
}

impl HitColumns {
    /// Adds the lists of further rays.
    pub(crate) fn extend(&mut self, lists: &HitLists) -> PyResult<()> {
        let n = lists.hits.len();
        let reserved = self
            .t
            .try_reserve(n)
            .and_then(|()| self.triangle.try_reserve(n))
            .and_then(|()| self.uv.try_reserve(2 * n))
            .and_then(|()| self.front.try_reserve(n));
        reserved.map_err(|_| crate::errors::memory_error("hits", self.t.len() + n))?;
        let before = self.t.len();
        if self.splits.is_empty() {
            self.splits.push(0);
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

pub(crate) fn check_len(name: &str, found: usize, expected: usize) -> PyResult<()> {
    if found == expected {
        return Ok(());
    }
    Err(PyValueError::new_err(format!("{name} has length {found}, expected {expected}")))
}
