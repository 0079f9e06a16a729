//! The runs of a batch: the rays that are tried as packets together.
//!
//! A run is 32 rays in a row, or a tile of 8 x 4 if the batch holds the rows of a picture one after the
//! other. The rays of a tile lie closer together, so more of them share a path.

use glam::Vec3;
use hitscan_primitives::Ray;

use crate::{kernel::PACKET_WIDTH, simd::LANES};

/// The width and height of a tile.
const TILE: [usize; 2] = [8, 4];

/// The width and height of the rectangle in a tile whose rays share a register.
const OCTET: [usize; 2] = [4, 2];

const _: () = assert!(TILE[0] * TILE[1] == PACKET_WIDTH && OCTET[0] * OCTET[1] == LANES);

/// The minimum length of a batch that may be a picture.
const MIN_PICTURE: usize = 4096;

/// The minimum and maximum length of a row.
const MIN_ROW: usize = 2 * TILE[0];
const MAX_ROW: usize = 4096;

/// The number of rays whose neighbour below is searched.
const BASES: usize = 3;

/// The number of tiles that are compared with runs.
const SAMPLES: usize = 4;

/// The runs of some rays.
#[derive(Clone, Copy)]
pub(crate) struct Runs {
    n_rays: usize,
    row: Option<usize>,
}

impl Runs {
    /// The runs of `n_rays`, in rows of that length.
    pub(super) fn new(n_rays: usize, row: Option<usize>) -> Self {
        Self { n_rays, row }
    }

    /// The number of rays in whole runs: chunks of a batch should have a multiple of it.
    pub(crate) fn unit(row: Option<usize>) -> usize {
        row.map_or(PACKET_WIDTH, |row| TILE[1] * row)
    }

    /// Calls `f` with the indices of each run. Together they are all rays.
    pub(super) fn for_each(self, mut f: impl FnMut(&[u32])) {
        let [width, height] = TILE;
        let mut run = [0; PACKET_WIDTH];
        let mut first = 0;
        if let Some(row) = self.row {
            while first + height * row <= self.n_rays {
                for column in (0..row).step_by(width) {
                    let n = tile(&mut run, first + column, row, width.min(row - column));
                    f(&run[..n]);
                }
                first += height * row;
            }
        }
        while first < self.n_rays {
            let n = PACKET_WIDTH.min(self.n_rays - first);
            for (i, index) in run[..n].iter_mut().enumerate() {
                *index = (first + i) as u32;
            }
            f(&run[..n]);
            first += n;
        }
    }
}

/// Writes the indices of a tile, which may be narrower than others, and returns their number. `first` is its
/// corner.
fn tile(run: &mut [u32; PACKET_WIDTH], first: usize, row: usize, width: usize) -> usize {
    if width < TILE[0] {
        let mut n = 0;
        for y in 0..TILE[1] {
            for x in 0..width {
                run[n] = (first + y * row + x) as u32;
                n += 1;
            }
        }
        return n;
    }
    let [width, height] = OCTET;
    let per_row = TILE[0] / width;
    for (i, index) in run.iter_mut().enumerate() {
        let (octet, within) = (i / LANES, i % LANES);
        let x = octet % per_row * width + within % width;
        let y = octet / per_row * height + within / width;
        *index = (first + y * row + x) as u32;
    }
    PACKET_WIDTH
}

/// The length of the rows, if the rays are those of a picture row by row. `rays` returns the ray at an index, and `size`
/// is the size of the mesh.
///
/// The ray below another one is its nearest neighbour among those some way off. Whether rows of that length
/// have closer tiles than runs decides. A wrong answer costs only time.
pub(crate) fn row_length(n_rays: usize, rays: impl Fn(usize) -> Ray, size: f32) -> Option<usize> {
    if n_rays < MIN_PICTURE {
        return None;
    }
    let per_size = 1.0 / size;
    let max_row = MAX_ROW.min(n_rays / PACKET_WIDTH);
    let middle = n_rays / 2;
    let mut nearest = (f32::INFINITY, 0);
    // Several, because the ray below one of them may be invalid.
    let bases = (middle..middle + PACKET_WIDTH).filter(|&i| rays(i).is_valid()).take(BASES);
    for base in bases {
        if spread(&rays, base..base + MIN_ROW, per_size)? > 0.5 {
            return None;
        }
        for row in MIN_ROW..=max_row {
            let distance = distance(&rays(base), &rays(base + row), per_size);
            if distance < nearest.0 {
                nearest = (distance, row);
            }
        }
    }
    let row = nearest.1;
    if row == 0 {
        return None;
    }
    let (mut of_tiles, mut of_runs) = (0.0, 0.0);
    let n_bands = n_rays / (TILE[1] * row);
    for sample in 0..SAMPLES {
        let band = n_bands * (2 * sample + 1) / (2 * SAMPLES);
        let column = (row - TILE[0]) * (sample + 1) / (SAMPLES + 1);
        let first = band * TILE[1] * row + column;
        let mut run = [0; PACKET_WIDTH];
        tile(&mut run, first, row, TILE[0]);
        let run = run.map(|index| index as usize);
        if let (Some(of_tile), Some(of_run)) = (
            spread(&rays, run, per_size),
            spread(&rays, (first..first + PACKET_WIDTH).filter(|&i| i < n_rays), per_size),
        ) {
            of_tiles += of_tile;
            of_runs += of_run;
        }
    }
    (of_tiles < 0.75 * of_runs).then_some(row)
}

/// How far two rays are apart. Infinite or NaN if one is invalid.
fn distance(a: &Ray, b: &Ray, per_size: f32) -> f32 {
    let from = |p: Vec3, q: Vec3| (p - q).abs().element_sum();
    from(a.direction, b.direction) / a.direction.abs().element_sum()
        + per_size * from(a.origin, b.origin)
}

/// How far the valid ones of some rays are apart: the extents of their directions and origins. `None` if
/// there are none.
fn spread(
    rays: impl Fn(usize) -> Ray,
    indices: impl IntoIterator<Item = usize>,
    per_size: f32,
) -> Option<f32> {
    let (mut low, mut high) = ([Vec3::INFINITY; 2], [Vec3::NEG_INFINITY; 2]);
    for index in indices {
        let ray = rays(index);
        if ray.is_valid() {
            low = [low[0].min(ray.direction), low[1].min(ray.origin)];
            high = [high[0].max(ray.direction), high[1].max(ray.origin)];
        }
    }
    let length = low[0].abs().max(high[0].abs()).element_sum();
    let extents = [0, 1].map(|i| (high[i] - low[i]).element_sum());
    (extents[0] >= 0.0).then(|| extents[0] / length + per_size * extents[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row_length_of(rays: &[Ray]) -> Option<usize> {
        row_length(rays.len(), |i| rays[i], 1.0)
    }

    /// The rays of a camera, row by row, from the side.
    fn picture(width: usize, height: usize) -> Vec<Ray> {
        let pixels = (0..width * height).map(|i| (i % width, i / width));
        let towards = |(x, y)| {
            let [x, y] = [x, y].map(|i| i as f32 / width as f32 - 0.5);
            Ray::new([3.0, 2.0, 1.0], [-1.0, x - 0.3, y + 0.2])
        };
        pixels.map(towards).collect()
    }

    #[test]
    fn the_rows_of_a_picture_are_found_although_some_rays_are_invalid() {
        for (width, height) in [(64, 64), (123, 40), (320, 200), (1000, 33)] {
            let mut rays = picture(width, height);
            assert_eq!(row_length_of(&rays), Some(width));
            for (i, ray) in rays.iter_mut().enumerate() {
                if i % 3 == 0 {
                    ray.direction = Vec3::ZERO;
                }
            }
            assert_eq!(row_length_of(&rays), Some(width), "{width} x {height}");
        }
    }

    #[test]
    fn tiles_and_scattered_rays_have_no_rows() {
        let rays = picture(256, 64);
        let mut tiles = Vec::new();
        Runs::new(rays.len(), Some(256)).for_each(|run| {
            tiles.extend(run.iter().map(|&index| rays[index as usize]));
        });
        assert_eq!(row_length_of(&tiles), None);
        let scattered: Vec<Ray> = (0..rays.len()).map(|i| rays[i * 7919 % rays.len()]).collect();
        assert_eq!(row_length_of(&scattered), None);
        assert_eq!(row_length_of(&[]), None);
        assert_eq!(row_length_of(&[Ray::new([0.0; 3], [0.0; 3]); 5000]), None);
    }

    #[test]
    fn runs_hold_every_ray_once() {
        for (n_rays, row) in [
            (0, None),
            (31, None),
            (100, None),
            (640, Some(16)),
            (5000, Some(77)),
            (700, Some(175)),
        ] {
            let mut seen = Vec::new();
            Runs::new(n_rays, row).for_each(|run| {
                assert!((1..=PACKET_WIDTH).contains(&run.len()));
                seen.extend_from_slice(run);
            });
            seen.sort_unstable();
            assert!(seen.into_iter().eq(0..n_rays as u32), "{n_rays} {row:?}");
        }
    }
}
