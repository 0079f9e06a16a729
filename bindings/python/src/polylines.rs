//! Polylines and points, which are picked within a radius in pixels.

use hitscan::picking;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::{exceptions::PyValueError, prelude::*};

use crate::{
    batch::detached,
    errors::value_error,
    picking::{region, region_mode},
    rays::points,
    scene::transform,
    view::View,
};

/// The item, its segment, the point, its pixel, and the distance from the cursor.
type PickTuple = (u32, u32, [f64; 3], [f64; 2], f64);

/// Polylines or points with a hierarchy.
#[pyclass(frozen, module = "hitscan._hitscan")]
pub(crate) struct Polylines {
    polylines: picking::Polylines,
}

#[pymethods]
impl Polylines {
    /// Polylines of consecutive points; `ends` has the end of each, ascending. Without, each point is an item.
    #[new]
    fn new(
        py: Python<'_>,
        positions: PyReadonlyArray2<'_, f32>,
        ends: Option<PyReadonlyArray1<'_, i64>>,
    ) -> PyResult<Self> {
        let positions = points(&positions)?;
        let polylines = match &ends {
            None => {
                detached(py, None, || picking::Polylines::from_points(positions.iter().copied()))?
            }
            Some(ends) => {
                let (mut lines, mut start) = (Vec::new(), 0);
                for &end in ends.as_slice()? {
                    let line = usize::try_from(end).ok().and_then(|end| positions.get(start..end));
                    let line = line.ok_or_else(|| {
                        let text = format!("a line ends at {end} of {} points", positions.len());
                        PyValueError::new_err(text)
                    })?;
                    start += line.len();
                    lines.push(line.iter().copied());
                }
                detached(py, None, || picking::Polylines::new(lines))?
            }
        };
        Ok(Self { polylines: polylines.map_err(|error| value_error(&error))? })
    }

    #[getter]
    fn n_items(&self) -> usize {
        self.polylines.n_items()
    }

    /// The item nearest to a pixel, within a radius.
    fn pick(
        &self,
        py: Python<'_>,
        view: &View,
        matrix: PyReadonlyArray1<'_, f64>,
        pixel: [f64; 2],
        radius: f64,
    ) -> PyResult<Option<PickTuple>> {
        let transform = transform(&matrix)?;
        let found =
            detached(py, Some(1), || self.polylines.pick(&view.view, &transform, pixel, radius))?;
        Ok(found.map(|pick| {
            let picking::PolylinePick { item, segment, point, pixel, pixel_distance } = pick;
            (item, segment, point.to_array(), pixel.to_array(), pixel_distance)
        }))
    }

    /// The items in a rectangle (an outline of two corners) or in a lasso, sorted.
    fn select(
        &self,
        py: Python<'_>,
        view: &View,
        matrix: PyReadonlyArray1<'_, f64>,
        outline: PyReadonlyArray2<'_, f64>,
        enclosed: bool,
    ) -> PyResult<Vec<u32>> {
        let (transform, region) = (transform(&matrix)?, region(&outline)?);
        let mode = region_mode(enclosed);
        detached(py, Some(1), || self.polylines.select(&view.view, &transform, &region, mode))
    }
}
