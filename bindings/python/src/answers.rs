//! Arrays of answers. Python allocates those of an answer of several, and this module the others.

use std::ops::Range;

use hitscan::{Hit, HitLists, Side, glam::DVec3, scene::SceneHit};
use numpy::{
    Element, PyArray1, PyArrayMethods, PyReadonlyArray1, PyReadwriteArray1, PyReadwriteArray2,
    PyUntypedArrayMethods, get_array_module,
};
use pyo3::{exceptions::PyValueError, prelude::*};
use rayon::prelude::*;

use crate::memory;

/// The index that stands for no triangle.
pub(crate) const NO_TRIANGLE: u32 = u32::MAX;

/// The id that stands for no instance.
pub(crate) const NO_INSTANCE: i64 = -1;

/// One answer for each question.
pub(crate) type Answers<'py, T> = PyResult<Bound<'py, PyArray1<T>>>;

/// Returns an array for the answers of `n` rays, points or balls, which `fill` has filled.
///
/// # Errors
/// `MemoryError` if the array does not fit into memory; the error of `fill`.
pub(crate) fn one_per<'py, T: Element>(
    py: Python<'py>,
    n: usize,
    of: &str,
    fill: impl FnOnce(&mut [T]) -> PyResult<()>,
) -> Answers<'py, T> {
    memory::check(&format!("the answers of {n} {of}"), (n * size_of::<T>()) as u64)?;
    // `PyArray1::zeros` would panic where NumPy has no memory.
    let answers = get_array_module(py)?.call_method1("zeros", (n, T::get_dtype(py)))?;
    let answers = answers.cast_into::<PyArray1<T>>()?;
    fill(answers.readwrite().as_slice_mut()?)?;
    Ok(answers)
}

/// `t`, `triangle`, `uv` and `front` of closest hits, as Python passes them.
pub(crate) type HitArguments<'py, T> = (
    PyReadwriteArray1<'py, T>,
    PyReadwriteArray1<'py, u32>,
    PyReadwriteArray2<'py, f32>,
    PyReadwriteArray1<'py, bool>,
);

/// The instance of each answer of a scene, and the other arrays of its answers.
pub(crate) type SceneArguments<'py, A> = (PyReadwriteArray1<'py, i64>, A);

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
        (t, triangle, uv, front): &'a mut HitArguments<'_, T>,
    ) -> PyResult<Self> {
        Ok(Self {
            t: slice("t", t, n)?,
            triangle: slice("triangle", triangle, n)?,
            uv: row_slice("uv", uv, n)?,
            front: slice("front", front, n)?,
        })
    }

    /// The arrays of a range of rays, in chunks of `len` rays.
    pub(crate) fn chunks(
        &mut self,
        range: Range<usize>,
        len: usize,
    ) -> impl IndexedParallelIterator<Item = HitChunk<'_, T>>
    where
        T: Send,
    {
        let t = self.t[range.clone()].par_chunks_mut(len);
        let triangle = self.triangle[range.clone()].par_chunks_mut(len);
        let uv = self.uv[range.clone()].par_chunks_mut(len);
        let front = self.front[range].par_chunks_mut(len);
        (t, triangle, uv, front).into_par_iter().map(|(t, triangle, uv, front)| HitChunk {
            t,
            triangle,
            uv,
            front,
        })
    }
}

/// A part of [`HitArrays`], which one thread fills.
pub(crate) struct HitChunk<'a, T> {
    t: &'a mut [T],
    triangle: &'a mut [u32],
    uv: &'a mut [[f32; 2]],
    front: &'a mut [bool],
}

impl<T> HitChunk<'_, T> {
    /// The number of rays.
    pub(crate) fn len(&self) -> usize {
        self.t.len()
    }

    /// Stores hits, each with its `t` as `split` returns it.
    fn store_as<H>(&mut self, hits: &[Option<H>], miss: T, split: impl Fn(&H) -> (T, &Hit))
    where
        T: Copy,
    {
        let columns =
            self.t.iter_mut().zip(&mut *self.triangle).zip(&mut *self.uv).zip(&mut *self.front);
        for ((((t, triangle), uv), front), hit) in columns.zip(hits) {
            (*t, *triangle, *uv, *front) = match hit.as_ref().map(&split) {
                Some((t, hit)) => (t, hit.triangle, [hit.u, hit.v], hit.side == Side::Front),
                None => (miss, NO_TRIANGLE, [0.0; 2], false),
            };
        }
    }
}

impl HitChunk<'_, f32> {
    pub(crate) fn store(&mut self, hits: &[Option<Hit>]) {
        self.store_as(hits, f32::INFINITY, |hit| (hit.t, hit));
    }
}

impl HitChunk<'_, f64> {
    /// Stores hits, except for the instances.
    pub(crate) fn store(&mut self, hits: &[Option<SceneHit>]) {
        self.store_as(hits, f64::INFINITY, |hit| (hit.t, &hit.local));
    }
}

/// The arrays that hold the answers to a list of questions, as Python passes them and as slices, and the entry
/// of one question in all of them.
macro_rules! answer_arrays {
    (
        $(#[$doc:meta])*
        $arguments:ident, $arrays:ident, $entry:ident {
            $($name:ident: $item:ty = $slice:ident($array:ident<$number:ty>),)*
        }
    ) => {
        pub(crate) type $arguments<'py> = ($($array<'py, $number>,)*);

        $(#[$doc])*
        pub(crate) struct $arrays<'a> {
            $($name: &'a mut [$item],)*
        }

        impl<'a> $arrays<'a> {
            /// For `n` questions.
            pub(crate) fn new(
                n: usize,
                ($($name,)*): &'a mut $arguments<'_>,
            ) -> PyResult<Self> {
                Ok(Self { $($name: $slice(stringify!($name), $name, n)?,)* })
            }

            /// The entries of a range of questions.
            pub(crate) fn entries(
                &mut self,
                range: Range<usize>,
            ) -> impl IndexedParallelIterator<Item = $entry<'_>> {
                let columns = ($(&mut self.$name[range.clone()],)*);
                columns.into_par_iter().map(|($($name,)*)| $entry { $($name,)* })
            }
        }

        pub(crate) struct $entry<'a> {
            $($name: &'a mut $item,)*
        }
    };
}
pub(crate) use answer_arrays;

answer_arrays! {
    /// The arrays of the closest points of a surface: one entry per point that was asked for.
    SurfaceArguments, SurfaceArrays, SurfaceEntry {
        point: [f64; 3] = row_slice(PyReadwriteArray2<f64>),
        distance: f64 = slice(PyReadwriteArray1<f64>),
        triangle: u32 = slice(PyReadwriteArray1<u32>),
        uv: [f32; 2] = row_slice(PyReadwriteArray2<f32>),
    }
}

impl SurfaceEntry<'_> {
    /// Stores the point, its distance, its triangle and its weights; `None` where there is no surface.
    pub(crate) fn store(self, found: Option<(DVec3, f64, u32, [f32; 2])>) {
        let missing = (DVec3::NAN, f64::INFINITY, NO_TRIANGLE, [0.0; 2]);
        let (point, distance, triangle, uv) = found.unwrap_or(missing);
        *self.point = point.to_array();
        (*self.distance, *self.triangle, *self.uv) = (distance, triangle, uv);
    }
}

/// Lists of answers to many questions, as they grow, and the arrays that Python gets. `splits` has the end of each
/// list, behind a zero.
macro_rules! answer_lists {
    ($(#[$doc:meta])* $lists:ident, $arrays:ident { $($name:ident: $number:ty,)* }) => {
        pub(crate) type $arrays<'py> = ($(Bound<'py, PyArray1<$number>>,)*);

        $(#[$doc])*
        #[derive(Default)]
        pub(crate) struct $lists {
            $($name: Vec<$number>,)*
        }

        impl $lists {
            pub(crate) fn new() -> Self {
                Self { splits: vec![0], ..Self::default() }
            }

            pub(crate) fn into_arrays(self, py: Python<'_>) -> $arrays<'_> {
                ($(PyArray1::from_vec(py, self.$name),)*)
            }
        }
    };
}
pub(crate) use answer_lists;

answer_lists! {
    /// The hits of many rays.
    HitColumns, HitColumnArrays { t: f32, triangle: u32, uv: f32, front: bool, splits: i64, }
}

impl HitColumns {
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

/// A maximum for each of `n` items, from one number for all of them or from one for each.
pub(crate) fn limits<'a>(
    numbers: &'a PyReadonlyArray1<'_, f64>,
    n: usize,
) -> PyResult<impl Fn(usize) -> f64 + Sync + 'a> {
    let numbers = limit_slice(numbers, n)?;
    Ok(move |i: usize| numbers[i.min(numbers.len() - 1)])
}

/// [`limits`] as they came: one, or `n`.
pub(crate) fn limit_slice<'a>(
    numbers: &'a PyReadonlyArray1<'_, f64>,
    n: usize,
) -> PyResult<&'a [f64]> {
    let numbers = numbers.as_slice()?;
    if numbers.len() != 1 {
        check_len("max_distance", numbers.len(), n)?;
    }
    Ok(numbers)
}

pub(crate) fn check_len(name: &str, found: usize, expected: usize) -> PyResult<()> {
    if found == expected {
        return Ok(());
    }
    Err(PyValueError::new_err(format!("{name} has length {found}, expected {expected}")))
}
