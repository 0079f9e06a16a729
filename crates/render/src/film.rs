//! Samples per pixel, and the sampler that fills them tile by tile on all threads.

use std::ops::Range;

use hitscan::glam::{DVec2, Vec4};
use hitscan::picking::View;
use hitscan::scene::{InstanceId, SceneHit, WorldRay};
use rayon::prelude::*;

use crate::sampling::{Purpose, SampleSeed};

/// Side of a tile in pixels. One thread renders a tile at a time.
const TILE: u32 = 16;

/// Rays are ordered in small squares, because nearby rays share traversal packets.
const SQUARE: u32 = 4;

/// The sum of samples of each pixel, row by row from the top.
#[derive(Clone, Debug)]
pub(crate) struct Film {
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Linear red, green, blue times coverage, and coverage; or a value in x for false colour.
    pub(crate) pixels: Vec<Vec4>,
}

/// The instance and polygon visible at a pixel: an entry of the ID buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisibleFace {
    /// The visible instance.
    pub instance: InstanceId,
    /// Index of the visible polygon in its mesh.
    pub polygon: u32,
}

/// Maps pixels and sample indices to rays.
#[derive(Clone, Debug)]
pub(crate) struct PixelSampler {
    pub(crate) view: View,
    /// Size of the film in pixels; independent of the view's size.
    pub(crate) size: [u32; 2],
    /// Rays per pixel, at least 1. A single ray goes through the pixel's centre.
    pub(crate) n_samples: u32,
    pub(crate) seed: u64,
    /// Whether samples use random points.
    pub(crate) is_random: bool,
}

/// One ray per pixel of a tile, and its hits.
#[derive(Debug, Default)]
pub(crate) struct TileRays {
    pub(crate) rays: Vec<WorldRay>,
    /// Seeds of the random points; empty if nothing is random.
    pub(crate) seeds: Vec<SampleSeed>,
    pub(crate) hits: Vec<Option<SceneHit>>,
}

/// The sums of a tile's samples. Empty lists add nothing.
#[derive(Default)]
pub(crate) struct TileSums {
    pub(crate) pixels: Vec<[u32; 2]>,
    sums: Vec<Vec4>,
    /// The hits of the last sample.
    pub(crate) hits: Vec<Option<SceneHit>>,
}

impl Film {
    /// A black film without coverage.
    pub(crate) fn new([width, height]: [u32; 2]) -> Self {
        Self { width, height, pixels: vec![Vec4::ZERO; width as usize * height as usize] }
    }

    /// Number of tiles.
    pub(crate) fn n_tiles(&self) -> u32 {
        self.width.div_ceil(TILE) * self.height.div_ceil(TILE)
    }

    /// Adds the sums that `render_tile` returns for the pixels of each tile. Passes the tile's
    /// share of the picture to `done`.
    pub(crate) fn add(
        &mut self,
        render_tile: impl Fn(Vec<[u32; 2]>) -> TileSums + Sync,
        done: impl Fn(f64) + Sync,
    ) {
        let (width, height) = (self.width, self.height);
        let (columns, share) = (width.div_ceil(TILE), 1.0 / f64::from(self.n_tiles()));
        let row_length = (width * TILE) as usize;
        // Each row of tiles owns a band of pixels, so that threads never wait for each other.
        let bands = self.pixels.par_chunks_mut(row_length.max(1)).enumerate();
        bands.for_each(|(row, band)| {
            let row = row as u32;
            let tile = |column| {
                let sums = render_tile(tile_pixels(column, row, width, height));
                done(share);
                sums
            };
            let tiles: Vec<TileSums> = (0..columns).into_par_iter().map(tile).collect();
            for TileSums { pixels, sums, .. } in tiles {
                for ([x, y], sum) in pixels.into_iter().zip(sums) {
                    band[((y - row * TILE) * width + x) as usize] += sum;
                }
            }
        });
    }

    /// Adds the sums that `render_tile` returns for a range of tiles, counted row by row. Passes
    /// each value that it also returns to `store`, with the pixel's index in the film.
    pub(crate) fn add_to_tiles<T: Send>(
        &mut self,
        tiles: Range<u32>,
        render_tile: impl Fn(Vec<[u32; 2]>) -> (TileSums, Vec<T>) + Sync,
        mut store: impl FnMut(usize, T),
    ) {
        let (width, height) = (self.width, self.height);
        let columns = width.div_ceil(TILE);
        let tile = |tile| render_tile(tile_pixels(tile % columns, tile / columns, width, height));
        let tiles: Vec<(TileSums, Vec<T>)> = tiles.into_par_iter().map(tile).collect();
        for (TileSums { pixels, sums, .. }, values) in tiles {
            let index_of = |[x, y]: [u32; 2]| y as usize * width as usize + x as usize;
            for (&pixel, sum) in pixels.iter().zip(sums) {
                self.pixels[index_of(pixel)] += sum;
            }
            for (pixel, value) in pixels.into_iter().zip(values) {
                store(index_of(pixel), value);
            }
        }
    }

    /// Divides the sums by a number of samples.
    pub(crate) fn mean_of(&self, n_samples: u32) -> Self {
        let pixels = self.pixels.par_iter().map(|&sum| sum / n_samples as f32).collect();
        Self { pixels, ..*self }
    }
}

impl PixelSampler {
    /// Sums a range of samples of each pixel. `hit` traces rays; `paint` returns colours times
    /// coverage.
    pub(crate) fn sums(
        &self,
        pixels: Vec<[u32; 2]>,
        samples: Range<u32>,
        hit: impl Fn(&[WorldRay]) -> Vec<Option<SceneHit>>,
        paint: impl Fn(&TileRays) -> Vec<Vec4>,
    ) -> TileSums {
        let mut sums = vec![Vec4::ZERO; pixels.len()];
        let mut tile = TileRays::default();
        for sample in samples {
            tile.rays.clear();
            tile.seeds.clear();
            if !self.is_random {
                let center = DVec2::splat(0.5);
                tile.rays.extend(pixels.iter().map(|&pixel| self.ray(pixel, center)));
            }
            for &pixel in pixels.iter().filter(|_| self.is_random) {
                let seed = SampleSeed::first_of(self.seed, pixel, self.n_samples).after(sample);
                let within = match self.n_samples {
                    1 => DVec2::splat(0.5),
                    _ => seed.point(Purpose::Pixel).as_dvec2(),
                };
                tile.rays.push(self.ray(pixel, within));
                tile.seeds.push(seed);
            }
            tile.hits = hit(&tile.rays);
            for (sum, color) in sums.iter_mut().zip(paint(&tile)) {
                *sum += color;
            }
        }
        TileSums { pixels, sums, hits: tile.hits }
    }

    /// The ray through a point of a film pixel. `within` is from 0 to 1 across the pixel.
    pub(crate) fn ray(&self, pixel: [u32; 2], within: DVec2) -> WorldRay {
        self.view.ray(self.pixel(pixel, within))
    }

    /// Converts a point of a film pixel to pixels of the view.
    pub(crate) fn pixel(&self, [x, y]: [u32; 2], within: DVec2) -> DVec2 {
        let viewport = self.view.viewport();
        let [width, height] = self.size.map(f64::from);
        let scale = viewport.size / DVec2::new(width, height);
        viewport.min + scale * (DVec2::new(f64::from(x), f64::from(y)) + within)
    }

    /// Traces the centre of each film pixel and maps the hit to a value, row by row.
    pub(crate) fn center_hits<T: Send>(
        &self,
        hit: impl Fn(&[WorldRay]) -> Vec<Option<SceneHit>> + Sync,
        value: impl Fn(Option<SceneHit>) -> T + Sync,
    ) -> Vec<T> {
        let [width, height] = self.size;
        let rows: Vec<Vec<T>> = (0..height)
            .into_par_iter()
            .map(|y| {
                let centers = (0..width).map(|x| self.ray([x, y], DVec2::splat(0.5)));
                let rays: Vec<WorldRay> = centers.collect();
                hit(&rays).into_iter().map(&value).collect()
            })
            .collect();
        rows.into_iter().flatten().collect()
    }
}

/// The pixels of a tile, square by square.
fn tile_pixels(column: u32, row: u32, width: u32, height: u32) -> Vec<[u32; 2]> {
    let mut pixels = Vec::with_capacity((TILE * TILE) as usize);
    let end = |start: u32, step: u32, end: u32| (start + step).min(end);
    let (x0, y0) = (column * TILE, row * TILE);
    let (x1, y1) = (end(x0, TILE, width), end(y0, TILE, height));
    for top in (y0..y1).step_by(SQUARE as usize) {
        for left in (x0..x1).step_by(SQUARE as usize) {
            for y in top..end(top, SQUARE, y1) {
                pixels.extend((left..end(left, SQUARE, x1)).map(|x| [x, y]));
            }
        }
    }
    pixels
}
