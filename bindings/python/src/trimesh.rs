//! What `hitscan.trimesh` asks for beyond the queries of a tree: the points of hits in float64.

use hitscan::glam::DVec3;
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyReadwriteArray2};
use pyo3::{exceptions::PyIndexError, prelude::*};
use rayon::prelude::*;

use crate::{
    answers::{check_len, row_slice},
    batch::detached,
    rays::points,
};

/// The minimum number of points that one thread computes at a time.
const MIN_CHUNK: usize = 1 << 12;

/// The sine of the angle between ray and face below which the intersection with its plane is inexact.
const FLAT: f64 = 1e-3;

/// Computes the points of hits: where the ray meets the plane of the face, or, for a ray along the face,
/// the point of the weights on it.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "one array per fact")]
pub(crate) fn plane_points(
    py: Python<'_>,
    vertices: PyReadonlyArray2<'_, f64>,
    faces: PyReadonlyArray2<'_, i64>,
    origins: PyReadonlyArray2<'_, f64>,
    directions: PyReadonlyArray2<'_, f64>,
    ray: PyReadonlyArray1<'_, i64>,
    face: PyReadonlyArray1<'_, i64>,
    uv: PyReadonlyArray2<'_, f32>,
    mut point: PyReadwriteArray2<'_, f64>,
) -> PyResult<()> {
    let (vertices, faces) = (points(&vertices)?, points(&faces)?);
    let (origins, directions) = (points(&origins)?, points(&directions)?);
    let (ray, face) = (ray.as_slice()?, face.as_slice()?);
    let uv = uv.as_slice()?.as_chunks::<2>().0;
    check_len("face", face.len(), ray.len())?;
    check_len("uv", uv.len(), ray.len())?;
    let point = row_slice::<_, 3>("point", &mut point, ray.len())?;
    let row = |array: &[[f64; 3]], index: i64| {
        usize::try_from(index)
            .ok()
            .and_then(|index| array.get(index))
            .copied()
            .map(DVec3::from_array)
    };
    let corners = |face: i64| {
        let face = faces.get(usize::try_from(face).ok()?)?;
        Some([row(vertices, face[0])?, row(vertices, face[1])?, row(vertices, face[2])?])
    };
    let threads = (ray.len() <= MIN_CHUNK).then_some(1);
    let all_known = detached(py, threads, || {
        let hits = (ray, face, uv, point).into_par_iter().with_min_len(MIN_CHUNK);
        hits.map(|(&ray, &face, &[u, v], point)| {
            let (corners, origin, way) =
                (corners(face)?, row(origins, ray)?, row(directions, ray)?);
            *point = on_plane(corners, origin, way, f64::from(u), f64::from(v)).to_array();
            Some(())
        })
        .all(|known| known.is_some())
    })?;
    if all_known {
        return Ok(());
    }
    Err(PyIndexError::new_err("a hit has a face, a vertex or a ray out of range"))
}

fn on_plane([a, b, c]: [DVec3; 3], origin: DVec3, way: DVec3, u: f64, v: f64) -> DVec3 {
    let (p, q) = (b - a, c - a);
    let normal = p.cross(q);
    let slope = normal.dot(way);
    if slope.abs() > FLAT * normal.length() * way.length() {
        origin + normal.dot(a - origin) / slope * way
    } else {
        a + u * p + v * q
    }
}
