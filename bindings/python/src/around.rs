//! Many rays from each of some points, as shape diameters cast them.
//!
//! Rays that point alike go one after the other, from point to point. In the kitchen, closest hits then take 0.48 of the
//! time; on the bunny 1.07. Shadow rays take 0.88 and 1.12, so occlusion goes without
//! (`benchmarks/record/2026-11-29-intel-xeon-neighbours`).

use hitscan::{
    Faces, Ray, Side,
    glam::{DVec3, Vec3},
};
use numpy::PyReadonlyArray2;
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::{
    answers::{Answers, check_len, one_per},
    batch::{Steps, in_steps},
    bvh::Bvh,
    bvh_rays::{CHUNK, ClosestBatch},
    rays::points,
};

/// Points, the directions of all rays of the first point, then of the next one, and `t_min` of all rays.
type AroundArguments<'py> = (PyReadonlyArray2<'py, f64>, PyReadonlyArray2<'py, f32>, f64);

#[pymethods]
impl Bvh {
    /// The `t` of what each ray around a point hits first, on a tree without an offset. It is infinite for a miss, and
    /// with `backs_only` also for the front of a triangle.
    fn lengths_around<'py>(
        &self,
        py: Python<'py>,
        rays: AroundArguments<'_>,
        backs_only: bool,
        threads: Option<usize>,
    ) -> Answers<'py, f32> {
        let (mesh, (starts, ways, t_min)) = (self.mesh(), rays);
        let (starts, ways) = (points(&starts)?, points(&ways)?);
        let n_per_point = ways.len().checked_div(starts.len()).unwrap_or(0);
        check_len("directions", ways.len(), n_per_point * starts.len())?;
        let ray = |i: usize| Ray {
            origin: DVec3::from_array(starts[i / n_per_point]).as_vec3(),
            direction: Vec3::from_array(ways[i]),
            t_min: t_min as f32,
            t_max: f32::INFINITY,
        };
        one_per(py, ways.len(), "rays", |lengths| {
            in_steps(py, Steps::RAYS, ways.len(), threads, |range| {
                let chunks = lengths[range.clone()].par_chunks_mut(CHUNK).enumerate();
                chunks.for_each(|(chunk, lengths)| {
                    let first = range.start + chunk * CHUNK;
                    let order = by_direction(&ways[first..first + lengths.len()]);
                    ClosestBatch::with(|batch| {
                        batch.rays.clear();
                        batch.rays.extend(order.iter().map(|&i| ray(first + i as usize)));
                        let hits = batch.answer(mesh.bvh(), Faces::Both);
                        for (&i, hit) in order.iter().zip(hits) {
                            let hit = hit.filter(|hit| !backs_only || hit.side == Side::Back);
                            lengths[i as usize] = hit.map_or(f32::INFINITY, |hit| hit.t);
                        }
                    });
                });
                Ok(())
            })
        })
    }
}

/// The cells of directions: four on each face of a cube.
const N_CELLS: usize = 6 * 4;

/// The order of rays by the cells of their directions. Those of one cell stay in order.
fn by_direction(ways: &[[f32; 3]]) -> Vec<u32> {
    let cells: Vec<u8> = ways.iter().map(|&way| cell(way)).collect();
    let mut places = [0_u32; N_CELLS];
    for &cell in &cells {
        places[usize::from(cell)] += 1;
    }
    let mut n = 0;
    for place in &mut places {
        n += std::mem::replace(place, n);
    }
    let mut order = vec![0; ways.len()];
    for (ray, &cell) in (0..).zip(&cells) {
        let place = &mut places[usize::from(cell)];
        order[*place as usize] = ray;
        *place += 1;
    }
    order
}

/// The cell of a direction: its dominant axis, and the signs of the three components.
fn cell([x, y, z]: [f32; 3]) -> u8 {
    // A direction that is no number gets any cell. Without branches, because directions are random.
    let [along_x, along_y, along_z] = [x.abs(), y.abs(), z.abs()];
    let is_x = (along_x >= along_y) & (along_x >= along_z);
    let axis = if is_x { 0 } else { 2 - u8::from(along_y >= along_z) };
    axis * 8 + (u8::from(x < 0.0) | u8::from(y < 0.0) << 1 | u8::from(z < 0.0) << 2)
}
