//! From a view to pixels: rays in tiles, spread over threads.

use hitscan::Ray;
use hitscan::glam::{DVec2, Vec4};
use hitscan::picking::View;
use hitscan::scene::WorldRay;
use rayon::prelude::*;

use super::sampling::{Purpose, SampleSeed};

/// A side of a tile, in pixels. A tile is what one thread takes at a time.
const TILE: u32 = 32;

/// Rays go in small squares, so that neighbours in memory are neighbours in the picture, and walk the
/// tree together.
const SQUARE: u32 = 4;

/// The mean of the samples of each pixel, row by row from the top.
#[derive(Clone, Debug)]
pub(super) struct Film {
    pub(super) width: u32,
    pub(super) height: u32,
    /// Red, green, blue in linear light times coverage, and coverage.
    pub(super) pixels: Vec<Vec4>,
}

/// How a picture is sampled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sampling<'a> {
    pub(super) view: &'a View,
    /// Rays per pixel, at least 1; a single one goes through the centre.
    pub(super) n_samples: u32,
    pub(super) seed: u64,
}

/// A ray of every pixel of a tile, with what its random numbers are made from.
#[derive(Debug)]
pub(super) struct TileRays {
    pub(super) rays: Vec<Ray>,
    pub(super) seeds: Vec<SampleSeed>,
}

impl Film {
    /// Exposes a film. `paint` answers the colours of a tile's rays, times coverage; `done` is told the
    /// share of the picture that a tile was.
    pub(super) fn expose(
        sampling: &Sampling<'_>,
        paint: impl Fn(&TileRays) -> Vec<Vec4> + Sync,
        done: impl Fn(f64) + Sync,
    ) -> Self {
        let size = sampling.view.viewport().size;
        let (width, height) = (size.x as u32, size.y as u32);
        let (columns, rows) = (width.div_ceil(TILE), height.div_ceil(TILE));
        let mut film =
            Self { width, height, pixels: vec![Vec4::ZERO; width as usize * height as usize] };
        // A row of tiles owns its rows of pixels, so that threads need not wait for each other.
        film.pixels.par_chunks_mut((width * TILE) as usize).enumerate().for_each(
            |(row, pixels)| {
                (0..columns)
                    .into_par_iter()
                    .map(|column| {
                        let places = places(column, row as u32, width, height);
                        let sums = sampling.sums(&places, &paint);
                        done(1.0 / f64::from(columns) / f64::from(rows));
                        (places, sums)
                    })
                    .collect::<Vec<_>>()
                    .into_iter()
                    .for_each(|(places, sums)| {
                        for ([x, y], sum) in places.into_iter().zip(sums) {
                            let place = (y - row as u32 * TILE) * width + x;
                            pixels[place as usize] = sum / sampling.n_samples as f32;
                        }
                    });
            },
        );
        film
    }
}

impl Sampling<'_> {
    /// The sum of the samples of each of these pixels.
    fn sums(&self, places: &[[u32; 2]], paint: impl Fn(&TileRays) -> Vec<Vec4>) -> Vec<Vec4> {
        let mut sums = vec![Vec4::ZERO; places.len()];
        let mut tile = TileRays { rays: vec![], seeds: vec![] };
        for sample in 0..self.n_samples {
            tile.rays.clear();
            tile.seeds.clear();
            for &[x, y] in places {
                let seed = SampleSeed::first_of(self.seed, [x, y], self.n_samples).after(sample);
                let within = match self.n_samples {
                    1 => DVec2::splat(0.5),
                    _ => seed.point(Purpose::Pixel).as_dvec2(),
                };
                let pixel = DVec2::new(f64::from(x), f64::from(y)) + within;
                tile.rays.push(mesh_ray(&self.view.ray(pixel)));
                tile.seeds.push(seed);
            }
            for (sum, color) in sums.iter_mut().zip(paint(&tile)) {
                *sum += color;
            }
        }
        sums
    }
}

/// The ray in the space of the mesh, which is that of the world.
pub(super) fn mesh_ray(ray: &WorldRay) -> Ray {
    Ray::new(ray.origin.as_vec3(), ray.direction.as_vec3())
        .with_range(ray.t_min as f32, ray.t_max as f32)
}

/// The pixels of a tile, square by square.
fn places(column: u32, row: u32, width: u32, height: u32) -> Vec<[u32; 2]> {
    let mut places = Vec::with_capacity((TILE * TILE) as usize);
    let end = |start: u32, step: u32, end: u32| (start + step).min(end);
    let (x0, y0) = (column * TILE, row * TILE);
    let (x1, y1) = (end(x0, TILE, width), end(y0, TILE, height));
    for top in (y0..y1).step_by(SQUARE as usize) {
        for left in (x0..x1).step_by(SQUARE as usize) {
            for y in top..end(top, SQUARE, y1) {
                places.extend((left..end(left, SQUARE, x1)).map(|x| [x, y]));
            }
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use hitscan::picking::{Camera, Viewport};

    use super::*;

    #[test]
    fn every_pixel_is_sampled_in_its_own_place() {
        let camera = Camera::looking([0.0, 0.0, 5.0], [0.0, 0.0, 0.0]);
        let view = camera.view(Viewport::of_size(70.0, 41.0)).unwrap();
        for n_samples in [1, 3] {
            let sampling = Sampling { view: &view, n_samples, seed: 1 };
            // Paints each ray with the pixel that it goes through.
            let paint = |tile: &TileRays| -> Vec<Vec4> {
                let pixel = |ray: &Ray| view.project(ray.at(1.0).as_dvec3()).unwrap().pixel;
                let color = |ray| pixel(ray).as_vec2().extend(0.0).extend(1.0);
                tile.rays.iter().map(color).collect()
            };
            let film = Film::expose(&sampling, paint, |_| ());
            for (place, color) in film.pixels.iter().enumerate() {
                let (x, y) = ((place % 70) as f32, (place / 70) as f32);
                assert!((color.x - x - 0.5).abs() < 0.5 && (color.y - y - 0.5).abs() < 0.5);
                let centre = (color.x - x - 0.5).abs() + (color.y - y - 0.5).abs() < 1e-3;
                assert!(n_samples > 1 || centre, "{place}: {color}");
            }
        }
    }
}
