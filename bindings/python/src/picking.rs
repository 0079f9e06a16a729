//! Picking, snapping and selection in pixels.

use hitscan::{
    Side,
    glam::DVec2,
    picking::{
        Element, ElementKind, Pick, PickOptions, Picker, RegionMode, ScreenRegion, SelectOptions,
        SnapOptions, SnapTarget,
    },
};
use numpy::{PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::{exceptions::PyValueError, prelude::*};

use crate::{
    answers::Answers,
    batch::detached,
    bvh_points::for_each_point,
    errors::value_error,
    options::one_of,
    scene::{Scene, to_number},
    scene_queries::{OptionArguments, Query},
    view::View,
};

/// An instance, its element, point, pixel, pixel distance and distance, and `t`, triangle, `u`, `v` and
/// side of the hit.
type PickTuple = (i64, Vec<u32>, [f64; 3], [f64; 2], f64, f64, Option<(f64, u32, f32, f32, bool)>);

/// The element near a pixel.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the options of a pick")]
pub(crate) fn pick(
    py: Python<'_>,
    scene: &Scene,
    view: &View,
    options: OptionArguments,
    pixel: [f64; 2],
    kind: &str,
    radius: Option<f64>,
    x_ray: bool,
) -> PyResult<Option<PickTuple>> {
    let query = Query::new(scene, options)?;
    let options = pick_options(&query, kind, radius, x_ray)?;
    let found =
        detached(py, Some(1), || Picker::new(&query.scene, &view.view).pick(pixel, &options))?;
    Ok(found.map(to_tuple))
}

/// All elements near a pixel, through all surfaces.
#[pyfunction]
pub(crate) fn pick_all(
    py: Python<'_>,
    scene: &Scene,
    view: &View,
    options: OptionArguments,
    pixel: [f64; 2],
    kind: &str,
    radius: Option<f64>,
) -> PyResult<Vec<PickTuple>> {
    let query = Query::new(scene, options)?;
    let options = pick_options(&query, kind, radius, true)?;
    let picker = Picker::new(&query.scene, &view.view);
    let found = detached(py, Some(1), || picker.pick_all(pixel, &options))?;
    Ok(found.into_iter().map(to_tuple).collect())
}

/// The point to snap to, with the place of its target among `targets`.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the options of a snap")]
pub(crate) fn snap(
    py: Python<'_>,
    scene: &Scene,
    view: &View,
    options: OptionArguments,
    pixel: [f64; 2],
    targets: Vec<String>,
    radius: f64,
    x_ray: bool,
) -> PyResult<Option<(usize, PickTuple)>> {
    let choices = [
        ("vertex", SnapTarget::Vertex),
        ("edge midpoint", SnapTarget::EdgeMidpoint),
        ("edge", SnapTarget::Edge),
        ("face", SnapTarget::Face),
    ];
    let targets: Vec<SnapTarget> =
        targets.iter().map(|name| one_of("a target", name, &choices)).collect::<PyResult<_>>()?;
    let query = Query::new(scene, options)?;
    let options = SnapOptions { targets: &targets, radius, x_ray, query: query.options() };
    let found =
        detached(py, Some(1), || Picker::new(&query.scene, &view.view).snap(pixel, &options))?;
    Ok(found.map(|snap| {
        let place = targets.iter().position(|&target| target == snap.target).unwrap_or_default();
        (place, to_tuple(snap.pick))
    }))
}

/// The elements in a rectangle (an outline of two corners) or in a lasso, sorted.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the options of a selection")]
pub(crate) fn select(
    py: Python<'_>,
    scene: &Scene,
    view: &View,
    options: OptionArguments,
    outline: PyReadonlyArray2<'_, f64>,
    kind: &str,
    enclosed: bool,
    visible_only: bool,
) -> PyResult<Vec<(i64, Vec<u32>)>> {
    let (query, region) = (Query::new(scene, options)?, region(&outline)?);
    let options = SelectOptions {
        kind: element_kind(kind)?,
        mode: region_mode(enclosed),
        visible_only,
        query: query.options(),
    };
    let picker = Picker::new(&query.scene, &view.view);
    let selected = detached(py, None, || picker.select(&region, &options))?;
    Ok(selected.iter().map(|one| (to_number(one.instance), numbers(one.element))).collect())
}

/// The region of two corners of a rectangle, or of the outline of a lasso.
pub(crate) fn region(outline: &PyReadonlyArray2<'_, f64>) -> PyResult<ScreenRegion> {
    if outline.shape()[1] != 2 {
        let found = outline.shape();
        let text = format!("the outline has shape {found:?}, expected [n, 2]");
        return Err(PyValueError::new_err(text));
    }
    let corners: Vec<DVec2> =
        outline.as_slice()?.as_chunks().0.iter().map(|&corner| DVec2::from_array(corner)).collect();
    let region = match corners[..] {
        [a, b] => ScreenRegion::rectangle(a, b),
        _ => ScreenRegion::lasso(corners),
    };
    region.map_err(|error| value_error(&error))
}

/// Whether a region selects what it touches, or what it encloses.
pub(crate) fn region_mode(enclosed: bool) -> RegionMode {
    if enclosed { RegionMode::Enclose } else { RegionMode::Touch }
}

/// Whether each point is in the picture and behind no surface.
#[pyfunction]
pub(crate) fn points_visible<'py>(
    py: Python<'py>,
    scene: &Scene,
    view: &View,
    options: OptionArguments,
    from: PyReadonlyArray2<'_, f64>,
) -> Answers<'py, bool> {
    let query = Query::new(scene, options)?;
    let picker = Picker::new(&query.scene, &view.view);
    for_each_point(py, &from, None, |from| picker.is_visible(from, &query.options()))
}

fn pick_options<'a>(
    query: &'a Query,
    kind: &str,
    radius: Option<f64>,
    x_ray: bool,
) -> PyResult<PickOptions<'a>> {
    let defaults = PickOptions::for_kind(element_kind(kind)?);
    let radius = radius.unwrap_or(defaults.radius);
    Ok(PickOptions { radius, x_ray, query: query.options(), ..defaults })
}

fn element_kind(name: &str) -> PyResult<ElementKind> {
    let kinds = [
        ("object", ElementKind::Object),
        ("face", ElementKind::Face),
        ("edge", ElementKind::Edge),
        ("vertex", ElementKind::Vertex),
    ];
    one_of("kind", name, &kinds)
}

/// The numbers of an element: none for an object, two vertices for an edge.
fn numbers(element: Element) -> Vec<u32> {
    match element {
        Element::Object => vec![],
        Element::Face(index) | Element::Vertex(index) => vec![index],
        Element::Edge(ends) => ends.to_vec(),
    }
}

fn to_tuple(pick: Pick) -> PickTuple {
    let hit = pick.hit.map(|hit| {
        let local = hit.local;
        (hit.t, local.triangle, local.u, local.v, local.side == Side::Front)
    });
    (
        to_number(pick.instance),
        numbers(pick.element),
        pick.point.to_array(),
        pick.pixel.to_array(),
        pick.pixel_distance,
        pick.distance,
        hit,
    )
}
