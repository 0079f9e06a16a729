//! Pictures of scenes.

use std::collections::HashMap;

use hitscan::glam::DVec3;
use hitscan_render::{Background, Framing, Mode, ProgressiveRender, Style, Subject};
use image::{ExtendedColorType, ImageEncoder, codecs::png::PngEncoder};
use numpy::{PyArray3, PyArrayMethods, PyReadonlyArray3, PyUntypedArrayMethods, ToPyArray};
use pyo3::{exceptions::PyValueError, prelude::*, types::PyBytes};

use crate::{
    batch::detached,
    errors::value_error,
    memory,
    options::{faces, one_of},
    scene::Scene,
    view::{View, projection},
};

/// The bytes that a render takes per pixel: sums, a picture, and the array.
const BYTES_PER_PIXEL: u64 = 40;

/// The style of a picture: mode, samples, seed, background, legend, ground, up, lamp.
type StyleArguments = (String, u32, u64, [u8; 4], bool, bool, [f64; 3], Option<[f64; 3]>);

/// Renders a picture, (rows, columns, 4) uint8.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the options of a picture")]
pub(crate) fn render<'py>(
    py: Python<'py>,
    scene: &Scene,
    view: &View,
    style: StyleArguments,
    sides: &str,
    smooth_degrees: Option<f32>,
    colors: HashMap<String, [f32; 3]>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyArray3<u8>>> {
    let style = style_of(style)?;
    let [columns, rows] = view.size();
    let what = format!("a picture of {columns} by {rows} pixels");
    memory::check(&what, BYTES_PER_PIXEL * u64::from(columns) * u64::from(rows))?;
    let (scene, faces) = (scene.snapshot(), faces(sides)?);
    let mut progress = detached(py, threads, || {
        let mut subject = Subject::new(scene, |_, material| colors.get(material).copied());
        subject.faces = faces;
        if let Some(degrees) = smooth_degrees {
            subject.smooth_edges(degrees);
        }
        ProgressiveRender::new(subject, view.view.clone(), [columns, rows], style)
    })?;
    while !progress.is_complete() {
        detached(py, threads, || progress.step())?;
        py.check_signals()?;
    }
    let picture = detached(py, threads, || progress.picture())?;
    let bytes = picture.pixels().as_flattened().to_pyarray(py);
    bytes.reshape([rows as usize, columns as usize, 4])
}

fn style_of(arguments: StyleArguments) -> PyResult<Style> {
    let (mode, n_samples, seed, background, legend, ground, up, light) = arguments;
    let modes = [
        ("shaded", Mode::Shaded),
        ("depth", Mode::Depth),
        ("normal", Mode::Normal),
        ("face", Mode::FaceId),
        ("object", Mode::Object),
        ("material", Mode::Material),
        ("uv", Mode::Uv),
        ("heat", Mode::Heat),
        ("glass", Mode::Glass),
    ];
    if n_samples == 0 {
        return Err(PyValueError::new_err("samples is 0, expected a number from 1 on"));
    }
    let Some(up) = DVec3::from_array(up).try_normalize() else {
        let text = format!("up is {up:?}, expected a finite vector other than zero");
        return Err(PyValueError::new_err(text));
    };
    if let Some(lamp) = light
        && !DVec3::from_array(lamp).is_finite()
    {
        return Err(PyValueError::new_err(format!("light is {lamp:?}, expected finite numbers")));
    }
    Ok(Style {
        mode: one_of("mode", &mode, &modes)?,
        n_samples,
        seed,
        background: Background(background),
        legend,
        up,
        light,
        ground,
        draft: false,
    })
}

/// The eye, target and up of a camera that sees a whole scene.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the options of a camera")]
pub(crate) fn frame(
    py: Python<'_>,
    scene: &Scene,
    up: [f64; 3],
    fov_y_degrees: f64,
    height: Option<f64>,
    azimuth_degrees: f64,
    elevation_degrees: f64,
    aspect: f64,
) -> PyResult<([f64; 3], [f64; 3], [f64; 3])> {
    let framing = Framing {
        up: DVec3::from_array(up),
        projection: projection(fov_y_degrees, height),
        azimuth_degrees,
        elevation_degrees,
    };
    let scene = scene.snapshot();
    let camera = detached(py, None, || framing.camera(&Subject::new(scene, |_, _| None), aspect))?;
    let camera = camera.map_err(|error| value_error(&error))?;
    Ok((camera.eye.to_array(), camera.target.to_array(), camera.up.to_array()))
}

/// A picture (rows, columns, 3 or 4) uint8 as a PNG file.
#[pyfunction]
pub(crate) fn png<'py>(
    py: Python<'py>,
    picture: PyReadonlyArray3<'_, u8>,
) -> PyResult<Bound<'py, PyBytes>> {
    let &[rows, columns, channels] = picture.shape() else {
        return Err(PyValueError::new_err("picture has no 3 dimensions"));
    };
    let color = match channels {
        3 => ExtendedColorType::Rgb8,
        4 => ExtendedColorType::Rgba8,
        _ => {
            let text = format!("picture has {channels} channels, expected 3 or 4");
            return Err(PyValueError::new_err(text));
        }
    };
    let size = |n: usize| u32::try_from(n).map_err(|error| value_error(&error));
    let (pixels, width, height) = (picture.as_slice()?, size(columns)?, size(rows)?);
    let mut file = Vec::new();
    detached(py, None, || PngEncoder::new(&mut file).write_image(pixels, width, height, color))?
        .map_err(|error| value_error(&error))?;
    Ok(PyBytes::new(py, &file))
}
