//! Rays and points in NumPy arrays.

use hitscan::{
    Ray,
    glam::{DVec3, Vec3},
    scene::WorldRay,
};
use numpy::{Element, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::{PyResult, exceptions::PyValueError};

/// Rays as Python passes them: rows of origins, with directions behind them or in an array of their own.
///
/// `rows` has 3 columns (origins), 6 (and directions) or 8 (and `t_min`, `t_max`).
pub(crate) struct RayArrays<'py, T: Element> {
    rows: PyReadonlyArray2<'py, T>,
    directions: Option<PyReadonlyArray2<'py, T>>,
    t_min: Bound<'py, T>,
    t_max: Bound<'py, T>,
}

/// One bound for all rays, or one for each.
pub(crate) enum Bound<'py, T: Element> {
    All(T),
    Each(PyReadonlyArray1<'py, T>),
}

/// [`RayArrays`] as slices, which threads without the interpreter can read.
#[derive(Clone, Copy)]
pub(crate) struct RaySlices<'a, T> {
    rows: &'a [T],
    columns: usize,
    directions: Option<&'a [T]>,
    t_min: BoundSlice<'a, T>,
    t_max: BoundSlice<'a, T>,
}

#[derive(Clone, Copy)]
enum BoundSlice<'a, T> {
    All(T),
    Each(&'a [T]),
}

impl<'py, T: Element + Copy> RayArrays<'py, T> {
    pub(crate) fn new(
        rows: PyReadonlyArray2<'py, T>,
        directions: Option<PyReadonlyArray2<'py, T>>,
        t_min: Bound<'py, T>,
        t_max: Bound<'py, T>,
    ) -> PyResult<Self> {
        let [n, columns] = [rows.shape()[0], rows.shape()[1]];
        let expected: &[usize] = if directions.is_some() { &[3] } else { &[6, 8] };
        if !expected.contains(&columns) {
            let text = format!("rays have shape ({n}, {columns}), expected {expected:?} columns");
            return Err(PyValueError::new_err(text));
        }
        if let Some(directions) = &directions
            && directions.shape() != [n, 3]
        {
            let found = directions.shape();
            let text = format!("directions have shape {found:?}, expected [{n}, 3]");
            return Err(PyValueError::new_err(text));
        }
        for (name, bound) in [("t_min", &t_min), ("t_max", &t_max)] {
            if let Bound::Each(values) = bound
                && values.shape() != [n]
            {
                let found = values.shape();
                let text = format!("{name} has shape {found:?}, expected [{n}]");
                return Err(PyValueError::new_err(text));
            }
        }
        Ok(Self { rows, directions, t_min, t_max })
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.shape()[0]
    }

    pub(crate) fn slices(&self) -> PyResult<RaySlices<'_, T>> {
        Ok(RaySlices {
            rows: self.rows.as_slice()?,
            columns: self.rows.shape()[1],
            directions: self.directions.as_ref().map(|array| array.as_slice()).transpose()?,
            t_min: self.t_min.slice()?,
            t_max: self.t_max.slice()?,
        })
    }
}

impl<T: Element + Copy> Bound<'_, T> {
    fn slice(&self) -> PyResult<BoundSlice<'_, T>> {
        Ok(match self {
            Self::All(value) => BoundSlice::All(*value),
            Self::Each(values) => BoundSlice::Each(values.as_slice()?),
        })
    }
}

impl<'py, T: Element> Bound<'py, T> {
    pub(crate) fn new(all: T, each: Option<PyReadonlyArray1<'py, T>>) -> Self {
        each.map_or(Self::All(all), Self::Each)
    }
}

impl<T: Copy> BoundSlice<'_, T> {
    fn at(&self, ray: usize) -> T {
        match self {
            Self::All(value) => *value,
            Self::Each(values) => values[ray],
        }
    }
}

impl<T: Copy> RaySlices<'_, T> {
    /// Origin, direction, `t_min` and `t_max` of a ray.
    #[inline]
    fn numbers(&self, ray: usize) -> ([T; 3], [T; 3], T, T) {
        let row = &self.rows[ray * self.columns..(ray + 1) * self.columns];
        let origin = [row[0], row[1], row[2]];
        let direction = match self.directions {
            Some(directions) => {
                [directions[3 * ray], directions[3 * ray + 1], directions[3 * ray + 2]]
            }
            None => [row[3], row[4], row[5]],
        };
        match row.get(6..8) {
            Some(&[t_min, t_max]) => (origin, direction, t_min, t_max),
            _ => (origin, direction, self.t_min.at(ray), self.t_max.at(ray)),
        }
    }
}

impl RaySlices<'_, f32> {
    #[inline]
    pub(crate) fn ray(&self, ray: usize) -> Ray {
        let (origin, direction, t_min, t_max) = self.numbers(ray);
        Ray {
            origin: Vec3::from_array(origin),
            direction: Vec3::from_array(direction),
            t_min,
            t_max,
        }
    }
}

impl RaySlices<'_, f64> {
    #[inline]
    pub(crate) fn ray(&self, ray: usize) -> WorldRay {
        let (origin, direction, t_min, t_max) = self.numbers(ray);
        WorldRay::new(DVec3::from_array(origin), DVec3::from_array(direction))
            .with_range(t_min, t_max)
    }
}

/// The rows of an array of points, after a check of its shape.
pub(crate) fn points<'a, T: Element>(array: &'a PyReadonlyArray2<'_, T>) -> PyResult<&'a [[T; 3]]> {
    let found = array.shape();
    if found[1] != 3 {
        let text = format!("points have shape {found:?}, expected [n, 3]");
        return Err(PyValueError::new_err(text));
    }
    Ok(array.as_slice()?.as_chunks().0)
}
