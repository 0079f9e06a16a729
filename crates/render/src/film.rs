//! From a view to pixels: rays in tiles, spread over threads.

use std::ops::Range;

use hitscan::glam::{DVec2, Vec4};
use hitscan::picking::View;
use hitscan::scene::{InstanceId, SceneHit, WorldRay};
use rayon::prelude::*;

use crate::sampling::{Purpose, SampleSeed};

/// A side of a tile, in pixels. A tile is what one thread takes at a time.
const TILE: u32 = 16;

/// Rays go in small squares, so that neighbours in memory are neighbours in the picture, and walk the
/// tree together.
const SQUARE: u32 = 4;

/// Samples of each pixel, row by row from the top.
#[derive(Clone, Debug)]
pub(crate) struct Film {
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Red, green, blue in linear light times coverage, and coverage; or what stands for them.
    pub(crate) pixels: Vec<Vec4>,
}

/// What is seen at a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The instance.
    pub instance: InstanceId,
    /// The polygon of its mesh.
    pub polygon: u32,
}

/// How a picture is sampled.
#[derive(Clone, Debug)]
pub(crate) struct Sampling {
    pub(crate) view: View,
    /// Pixels of the film; the view may have more or fewer.
    pub(crate) size: [u32; 2],
    /// Rays per pixel, at least 1; a single one goes through the centre.
    pub(crate) n_samples: u32,
    pub(crate) seed: u64,
    /// Whether anything of a sample is random.
    pub(crate) is_random: bool,
}

/// A ray of every pixel of a tile, and what it hits.
#[derive(Debug, Default)]
pub(crate) struct TileRays {
    pub(crate) rays: Vec<WorldRay>,
    /// What random numbers are made from; none if nothing is random.
    pub(crate) seeds: Vec<SampleSeed>,
    pub(crate) hits: Vec<Option<SceneHit>>,
}

/// The samples of a tile: what is added to each of its pixels. None if that is nothing.
#[derive(Default)]
pub(crate) struct TileSums {
    pub(crate) places: Vec<[u32; 2]>,
    sums: Vec<Vec4>,
    /// What the last sample of each hits.
    pub(crate) hits: Vec<Option<SceneHit>>,
}

impl Film {
    /// A film on which nothing is yet.
    pub(crate) fn new([width, height]: [u32; 2]) -> Self {
        Self { width, height, pixels: vec![Vec4::ZERO; width as usize * height as usize] }
    }

    /// The number of tiles.
    pub(crate) fn n_tiles(&self) -> u32 {
        self.width.div_ceil(TILE) * self.height.div_ceil(TILE)
    }

    /// Adds to all pixels what `expose` answers for each tile. `done` is told the share of the picture
    /// that a tile is.
    pub(crate) fn add(
        &mut self,
        expose: impl Fn(Vec<[u32; 2]>) -> TileSums + Sync,
        done: impl Fn(f64) + Sync,
    ) {
        let (width, height) = (self.width, self.height);
        let (columns, share) = (width.div_ceil(TILE), 1.0 / f64::from(self.n_tiles()));
        let row_length = (width * TILE) as usize;
        // A row of tiles owns its rows of pixels, so that threads need not wait for each other.
        let bands = self.pixels.par_chunks_mut(row_length.max(1)).enumerate();
        bands.for_each(|(row, pixels)| {
            let row = row as u32;
            let tile = |column| {
                let sums = expose(places(column, row, width, height));
                done(share);
                sums
            };
            let tiles: Vec<TileSums> = (0..columns).into_par_iter().map(tile).collect();
            for TileSums { places, sums, .. } in tiles {
                for ([x, y], sum) in places.into_iter().zip(sums) {
                    pixels[((y - row * TILE) * width + x) as usize] += sum;
                }
            }
        });
    }

    /// Adds to the pixels of some tiles, counted row by row, what `expose` answers for each. `mark` is
    /// told of each pixel, by its place among all, what `expose` answers for it too.
    pub(crate) fn add_to_tiles<T: Send>(
        &mut self,
        tiles: Range<u32>,
        expose: impl Fn(Vec<[u32; 2]>) -> (TileSums, Vec<T>) + Sync,
        mut mark: impl FnMut(usize, T),
    ) {
        let (width, height) = (self.width, self.height);
        let columns = width.div_ceil(TILE);
        let tile = |tile| expose(places(tile % columns, tile / columns, width, height));
        let tiles: Vec<(TileSums, Vec<T>)> = tiles.into_par_iter().map(tile).collect();
        for (TileSums { places, sums, .. }, marks) in tiles {
            let place = |[x, y]: [u32; 2]| y as usize * width as usize + x as usize;
            for (&pixel, sum) in places.iter().zip(sums) {
                self.pixels[place(pixel)] += sum;
            }
            for (pixel, what) in places.into_iter().zip(marks) {
                mark(place(pixel), what);
            }
        }
    }

    /// The film with every pixel divided by the number of its samples.
    pub(crate) fn mean_of(&self, n_samples: u32) -> Self {
        let pixels = self.pixels.par_iter().map(|&sum| sum / n_samples as f32).collect();
        Self { pixels, ..*self }
    }
}

impl Sampling {
    /// The sum of some samples of each of these pixels. `hit` answers what rays hit, `paint` their
    /// colours, times coverage.
    pub(crate) fn sums(
        &self,
        places: Vec<[u32; 2]>,
        samples: Range<u32>,
        hit: impl Fn(&[WorldRay]) -> Vec<Option<SceneHit>>,
        paint: impl Fn(&TileRays) -> Vec<Vec4>,
    ) -> TileSums {
        let mut sums = vec![Vec4::ZERO; places.len()];
        let mut tile = TileRays::default();
        for sample in samples {
            tile.rays.clear();
            tile.seeds.clear();
            if !self.is_random {
                let center = DVec2::splat(0.5);
                tile.rays.extend(places.iter().map(|&place| self.ray(place, center)));
            }
            for &place in places.iter().filter(|_| self.is_random) {
                let seed = SampleSeed::first_of(self.seed, place, self.n_samples).after(sample);
                let within = match self.n_samples {
                    1 => DVec2::splat(0.5),
                    _ => seed.point(Purpose::Pixel).as_dvec2(),
                };
                tile.rays.push(self.ray(place, within));
                tile.seeds.push(seed);
            }
            tile.hits = hit(&tile.rays);
            for (sum, color) in sums.iter_mut().zip(paint(&tile)) {
                *sum += color;
            }
        }
        TileSums { places, sums, hits: tile.hits }
    }

    /// The ray through a point of a pixel of the film.
    pub(crate) fn ray(&self, place: [u32; 2], within: DVec2) -> WorldRay {
        self.view.ray(self.pixel(place, within))
    }

    /// Where a point of a pixel of the film lies in the view.
    pub(crate) fn pixel(&self, [x, y]: [u32; 2], within: DVec2) -> DVec2 {
        let viewport = self.view.viewport();
        let [width, height] = self.size.map(f64::from);
        let scale = viewport.size / DVec2::new(width, height);
        viewport.min + scale * (DVec2::new(f64::from(x), f64::from(y)) + within)
    }

    /// What the centre of each pixel of the film shows, row by row.
    pub(crate) fn seen<T: Send>(
        &self,
        hit: impl Fn(&[WorldRay]) -> Vec<Option<SceneHit>> + Sync,
        seen: impl Fn(Option<SceneHit>) -> T + Sync,
    ) -> Vec<T> {
        let [width, height] = self.size;
        let rows: Vec<Vec<T>> = (0..height)
            .into_par_iter()
            .map(|y| {
                let centers = (0..width).map(|x| self.ray([x, y], DVec2::splat(0.5)));
                let rays: Vec<WorldRay> = centers.collect();
                hit(&rays).into_iter().map(&seen).collect()
            })
            .collect();
        rows.into_iter().flatten().collect()
    }
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
