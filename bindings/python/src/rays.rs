//! Rays and points in NumPy arrays.

use std::{fmt::Display, ops::Range};

use hitscan::{
    Ray,
    glam::{DVec3, Vec3},
    scene::WorldRay,
};
use numpy::{Element, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::{Bound as Object, exceptions::PyValueError, prelude::*};

use crate::answers::check_len;

/// The arrays of rays that every query of a tree takes, in one argument: rows, directions, bounds for all
/// rays, bounds for each ray, and the point that is the origin of the tree. All arrays have one dtype,
/// float32 or float64.
pub(crate) type LocalRayArguments<'py> = (
    Object<'py, PyAny>,
    Option<Object<'py, PyAny>>,
    f64,
    f64,
    Option<Object<'py, PyAny>>,
    Option<Object<'py, PyAny>>,
    [f64; 3],
);

/// The same in float64, for scenes.
pub(crate) type WorldRayArguments<'py> = (
    PyReadonlyArray2<'py, f64>,
    Option<PyReadonlyArray2<'py, f64>>,
    f64,
    f64,
    Option<PyReadonlyArray1<'py, f64>>,
    Option<PyReadonlyArray1<'py, f64>>,
);

pub(crate) fn world_rays(rays: WorldRayArguments<'_>) -> PyResult<RayArrays<'_, f64>> {
    let (rows, directions, t_min, t_max, each_t_min, each_t_max) = rays;
    RayArrays::new(rows, directions, Bound::new(t_min, each_t_min), Bound::new(t_max, each_t_max))
}

/// Rays of a tree, in float32 or float64. Each number of the latter is rounded once, when it is read.
pub(crate) enum LocalRayArrays<'py> {
    Single(RayArrays<'py, f32>),
    /// With the point of the rays' space that is the origin of the tree's.
    Double(RayArrays<'py, f64>, DVec3),
}

/// [`LocalRayArrays`] as slices.
pub(crate) enum LocalRaySlices<'a> {
    Single(RaySlices<'a, f32>),
    Double(RaySlices<'a, f64>, DVec3),
}

impl<'py> LocalRayArrays<'py> {
    pub(crate) fn new(rays: LocalRayArguments<'py>) -> PyResult<Self> {
        let (rows, directions, t_min, t_max, each_t_min, each_t_max, center) = rays;
        if rows.is_instance_of::<PyArray2<f32>>() && center == [0.0; 3] {
            return Ok(Self::Single(RayArrays::new(
                rows.extract()?,
                directions.map(|array| array.extract()).transpose()?,
                Bound::new(t_min as f32, each_t_min.map(|array| array.extract()).transpose()?),
                Bound::new(t_max as f32, each_t_max.map(|array| array.extract()).transpose()?),
            )?));
        }
        let arrays = RayArrays::new(
            rows.extract()?,
            directions.map(|array| array.extract()).transpose()?,
            Bound::new(t_min, each_t_min.map(|array| array.extract()).transpose()?),
            Bound::new(t_max, each_t_max.map(|array| array.extract()).transpose()?),
        )?;
        Ok(Self::Double(arrays, DVec3::from_array(center)))
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Single(arrays) => arrays.len(),
            Self::Double(arrays, _) => arrays.len(),
        }
    }

    pub(crate) fn slices(&self) -> PyResult<LocalRaySlices<'_>> {
        Ok(match self {
            Self::Single(arrays) => LocalRaySlices::Single(arrays.slices()?),
            Self::Double(arrays, center) => LocalRaySlices::Double(arrays.slices()?, *center),
        })
    }
}

impl LocalRaySlices<'_> {
    /// Collects the rays of a range.
    pub(crate) fn collect(&self, range: Range<usize>, buffer: &mut Vec<Ray>) {
        match self {
            Self::Single(rays) => rays.collect_as(range, buffer, single_ray),
            Self::Double(rays, center) => {
                rays.collect_as(range, buffer, |numbers| local_ray(numbers, *center));
            }
        }
    }
}

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
    rows: Rows<'a, T>,
    t_min: BoundSlice<'a, T>,
    t_max: BoundSlice<'a, T>,
}

#[derive(Clone, Copy)]
enum Rows<'a, T> {
    /// One array of origins and one of directions.
    Apart(&'a [[T; 3]], &'a [[T; 3]]),
    /// Origins with directions.
    Joined(&'a [[T; 6]]),
    /// Origins with directions, `t_min` and `t_max`.
    Bounded(&'a [[T; 8]]),
}

/// Origin, direction, `t_min` and `t_max` of a ray.
type Numbers<T> = ([T; 3], [T; 3], T, T);

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
        let rows = self.rows.as_slice()?;
        let rows = match &self.directions {
            Some(ways) => Rows::Apart(rows.as_chunks().0, ways.as_slice()?.as_chunks().0),
            None if self.rows.shape()[1] == 6 => Rows::Joined(rows.as_chunks().0),
            None => Rows::Bounded(rows.as_chunks().0),
        };
        Ok(RaySlices { rows, t_min: self.t_min.slice()?, t_max: self.t_max.slice()? })
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
    fn numbers(&self, ray: usize) -> Numbers<T> {
        let (t_min, t_max) = (self.t_min.at(ray), self.t_max.at(ray));
        match self.rows {
            Rows::Apart(origins, ways) => (origins[ray], ways[ray], t_min, t_max),
            Rows::Joined(rows) => joined(&rows[ray], t_min, t_max),
            Rows::Bounded(rows) => bounded(&rows[ray]),
        }
    }

    /// Collects the rays of a range, each made by `ray`. The loop over each kind of rows has no branch on
    /// the kind.
    fn collect_as<R>(
        &self,
        range: Range<usize>,
        buffer: &mut Vec<R>,
        ray: impl Fn(Numbers<T>) -> R,
    ) {
        buffer.clear();
        let bounds = range.clone().map(|ray| (self.t_min.at(ray), self.t_max.at(ray)));
        match self.rows {
            Rows::Apart(origins, ways) => {
                let rows = origins[range.clone()].iter().zip(&ways[range]).zip(bounds);
                buffer.extend(
                    rows.map(|((&origin, &way), (low, high))| ray((origin, way, low, high))),
                );
            }
            Rows::Joined(rows) => {
                let rows = rows[range].iter().zip(bounds);
                buffer.extend(rows.map(|(row, (low, high))| ray(joined(row, low, high))));
            }
            Rows::Bounded(rows) => {
                buffer.extend(rows[range].iter().map(|row| ray(bounded(row))));
            }
        }
    }
}

fn joined<T: Copy>(&[x, y, z, dx, dy, dz]: &[T; 6], t_min: T, t_max: T) -> Numbers<T> {
    ([x, y, z], [dx, dy, dz], t_min, t_max)
}

fn bounded<T: Copy>(&[x, y, z, dx, dy, dz, t_min, t_max]: &[T; 8]) -> Numbers<T> {
    ([x, y, z], [dx, dy, dz], t_min, t_max)
}

fn single_ray((origin, direction, t_min, t_max): Numbers<f32>) -> Ray {
    Ray { origin: Vec3::from_array(origin), direction: Vec3::from_array(direction), t_min, t_max }
}

/// A ray relative to `center`, in float32.
fn local_ray((origin, direction, t_min, t_max): Numbers<f64>, center: DVec3) -> Ray {
    Ray {
        origin: (DVec3::from_array(origin) - center).as_vec3(),
        direction: DVec3::from_array(direction).as_vec3(),
        t_min: t_min as f32,
        t_max: t_max as f32,
    }
}

fn world_ray((origin, direction, t_min, t_max): Numbers<f64>) -> WorldRay {
    WorldRay::new(DVec3::from_array(origin), DVec3::from_array(direction)).with_range(t_min, t_max)
}

impl RaySlices<'_, f64> {
    /// Collects the rays of a range.
    pub(crate) fn collect(&self, range: Range<usize>, buffer: &mut Vec<WorldRay>) {
        self.collect_as(range, buffer, world_ray);
    }

    pub(crate) fn ray(&self, ray: usize) -> WorldRay {
        world_ray(self.numbers(ray))
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

/// The origin of each of `n` rays, which have one each or one in common.
pub(crate) fn origins<'a>(
    array: &'a PyReadonlyArray2<'_, f64>,
    n: usize,
) -> PyResult<impl Fn(usize) -> [f64; 3] + Sync + use<'a>> {
    let origins = points(array)?;
    if origins.len() != 1 {
        check_len("origins", origins.len(), n)?;
    }
    Ok(move |i: usize| origins[i.min(origins.len() - 1)])
}

/// The radius of a ball, in either precision.
pub(crate) fn check_radius(radius: impl Into<f64> + Copy + Display) -> PyResult<()> {
    if (0.0..f64::INFINITY).contains(&radius.into()) {
        return Ok(());
    }
    let text = format!("radius is {radius}, expected a finite number from 0 on");
    Err(PyValueError::new_err(text))
}
