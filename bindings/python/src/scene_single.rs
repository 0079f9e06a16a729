//! Queries of one ray or one point at a scene, without arrays.
//!
//! They keep the interpreter's lock, because they end after some microseconds.

use hitscan::{Side, scene::WorldRay};
use pyo3::prelude::*;

use crate::{
    scene::{Scene, to_number},
    scene_queries::{OptionArguments, Query, locate},
};

/// `t`, the instance, its triangle, `u` and `v`, whether the front is hit, the point, and the unit normal.
type SingleHit = (f64, i64, u32, f32, f32, bool, [f64; 3], [f64; 3]);

/// The point, its distance, the instance, its triangle, `u` and `v`, and the unit normal.
type SinglePoint = ([f64; 3], f64, i64, u32, f32, f32, [f64; 3]);

#[pymethods]
impl Scene {
    /// The closest hit of a ray.
    fn closest_hit(
        &self,
        origin: [f64; 3],
        direction: [f64; 3],
        t_min: f64,
        t_max: f64,
        options: OptionArguments,
    ) -> PyResult<Option<SingleHit>> {
        let query = Query::new(self, options)?;
        let ray = WorldRay::new(origin, direction).with_range(t_min, t_max);
        let hit = query.scene.closest_hit(&ray, &query.options());
        Ok(hit.map(|hit| {
            let (instance, triangle) = (to_number(hit.instance), hit.triangle());
            let (u, v) = (hit.local.u, hit.local.v);
            let (point, normal) = details(&query, instance, triangle, [u, v]);
            (hit.t, instance, triangle, u, v, hit.side() == Side::Front, point, normal)
        }))
    }

    /// The surface point that is closest to a point.
    fn closest_point(
        &self,
        point: [f64; 3],
        max_distance: f64,
        options: OptionArguments,
    ) -> PyResult<Option<SinglePoint>> {
        let query = Query::new(self, options)?;
        let found = query.scene.closest_point(point, max_distance, &query.options());
        Ok(found.map(|found| {
            let (instance, triangle) = (to_number(found.instance), found.triangle);
            let [u, v] = [found.u as f32, found.v as f32];
            let (_, normal) = details(&query, instance, triangle, [u, v]);
            (found.point.to_array(), found.distance, instance, triangle, u, v, normal)
        }))
    }
}

/// The point of a hit and the unit normal of its triangle; NaN for a normal without.
fn details(query: &Query, instance: i64, triangle: u32, uv: [f32; 2]) -> ([f64; 3], [f64; 3]) {
    let nothing = [f64::NAN; 3];
    let found = locate(&query.scene, instance, triangle, uv);
    found.map_or((nothing, nothing), |(point, normal)| {
        (point.to_array(), normal.map_or(nothing, |normal| normal.to_array()))
    })
}
