//! The order of primitives along a space-filling curve, by Morton codes.
//!
//! Lauterbach, Garland, Sengupta, Luebke and Manocha, "Fast BVH Construction on GPUs" (2009). The
//! operations on codes are exact, so the order is the same under every instruction set.

use glam::Vec3A;

use super::{box_source::BoxSource, radix_sort::radix_sort};
use crate::{
    box3::Box3,
    platform::{large_pages, parallel},
    simd::{Isa, Kernel, Simd},
};

/// Primitives that one thread takes at a time.
const CHUNK: usize = 1 << 13;

/// The number of primitives from which a cell is crowded.
const CROWDED: usize = 64;

/// Sorts primitives by the Morton codes of their centres, then by index. Returns their keys, and a
/// function from a key to the index. A code has at most `max_axis_bits` per axis.
///
/// A triangle far away makes cells so large that a whole object lies in one. So the primitives of a crowded cell are
/// sorted by cells of their own, and so on. The code in their keys is that of the last cells.
pub(super) fn morton_keys(
    source: BoxSource<'_>,
    max_axis_bits: u32,
    isa: Isa,
) -> (Vec<u64>, impl Fn(u64) -> u32 + Sync + use<>) {
    let n = source.n;
    let centers = parallel::map_chunks(n, CHUNK, |chunk| {
        let mut centers = Box3::EMPTY;
        source.for_each_batch(chunk, |_, boxes| {
            for one in boxes {
                centers = centers.grown(one.center2());
            }
        });
        centers
    });
    let centers = centers.into_iter().fold(Box3::EMPTY, Box3::union);
    // The index takes the low bits of a key, the code the others.
    let index_bits = usize::BITS - (n - 1).leading_zeros();
    let axis_bits = ((64 - index_bits) / 3).min(max_axis_bits);
    let cells = Cells::of(&centers, axis_bits);
    let mut keys = large_pages::zeroed(n);
    parallel::for_each_chunk(&mut keys, CHUNK, |first, keys| {
        isa.run(MortonKeys { keys, first, source, cells, index_bits });
    });
    radix_sort(&mut keys, index_bits, index_bits + 3 * axis_bits);
    if cells.scale > 0.0 {
        Crowds { source, index_bits, axis_bits }.sort(&mut keys);
    }
    (keys, move |key| (key & ((1 << index_bits) - 1)) as u32)
}

/// The indices of points in the order of their Morton codes, 7 bits per axis. Points that are not finite come
/// anywhere.
pub(crate) fn along_curve(points: impl Iterator<Item = Vec3A> + Clone) -> Vec<u32> {
    const AXIS_BITS: u32 = 7;
    let finite = points.clone().filter(|point| point.is_finite());
    let bounds = finite.fold(Box3::EMPTY, Box3::grown);
    let cells = Cells::of(&bounds, AXIS_BITS);
    let key = |(i, point)| code(cells.cell(point)) << u32::BITS | i as u64;
    let mut keys: Vec<u64> = points.enumerate().map(key).collect();
    keys.sort_unstable();
    keys.into_iter().map(|key| key as u32).collect()
}

/// Cells around points, such as doubled centres. They are cubes.
#[derive(Clone, Copy)]
struct Cells {
    /// The minimum corner.
    origin: Vec3A,
    /// Cells per unit of length: 0 if there is one cell, because the extent is zero or its reciprocal overflows.
    scale: f32,
    /// Cells along an axis, less one.
    last: f32,
}

impl Cells {
    fn of(centers: &Box3, axis_bits: u32) -> Self {
        let last = ((1u32 << axis_bits) - 1) as f32;
        let scale = last / centers.max_extent();
        Self { origin: centers.min, scale: if scale.is_finite() { scale } else { 0.0 }, last }
    }

    /// The cell of a point.
    #[inline(always)]
    fn cell(&self, point: Vec3A) -> [f32; 3] {
        let cell = (point - self.origin) * self.scale;
        cell.clamp(Vec3A::ZERO, Vec3A::splat(self.last)).to_array()
    }
}

/// The Morton code of a cell.
#[inline(always)]
fn code([x, y, z]: [f32; 3]) -> u64 {
    spread(x) << 2 | spread(y) << 1 | spread(z)
}

/// Sorts the primitives of crowded cells.
#[derive(Clone, Copy)]
struct Crowds<'a> {
    source: BoxSource<'a>,
    index_bits: u32,
    axis_bits: u32,
}

impl Crowds<'_> {
    /// Sorts the primitives of all crowded cells among `keys`, which come in the order of the codes.
    fn sort(self, keys: &mut [u64]) {
        /// Two keys at this distance with one code are in a crowded cell. Few keys are looked at.
        const STRIDE: usize = CROWDED / 2;
        let cell = |key: u64| key >> self.index_bits;
        // All before `done` have been sorted, and the codes of their keys replaced.
        let (mut done, mut at) = (0, 0);
        while at + STRIDE < keys.len() {
            let crowd = cell(keys[at]);
            if crowd != cell(keys[at + STRIDE]) {
                at += STRIDE;
                continue;
            }
            let start = done.max(at.saturating_sub(STRIDE));
            let start = start + keys[start..at].partition_point(|&key| cell(key) < crowd);
            let end = at + keys[at..].partition_point(|&key| cell(key) == crowd);
            self.sort_cell(&mut keys[start..end]);
            (done, at) = (end, end);
        }
    }

    /// Sorts the primitives of one cell, and of crowded cells in it.
    fn sort_cell(self, keys: &mut [u64]) {
        /// The number of keys from which the radix sort is faster.
        const MANY: usize = 1 << 13;
        let index_mask = (1 << self.index_bits) - 1;
        let indices: Vec<u32> = keys.iter().map(|&key| (key & index_mask) as u32).collect();
        let centers: Vec<Vec3A> = self.source.of_each(&indices).iter().map(Box3::center2).collect();
        let bounds = centers.iter().fold(Box3::EMPTY, |bounds, &center| bounds.grown(center));
        let cells = Cells::of(&bounds, self.axis_bits);
        if cells.scale == 0.0 {
            return;
        }
        for (key, &center) in keys.iter_mut().zip(&centers) {
            *key = code(cells.cell(center)) << self.index_bits | *key & index_mask;
        }
        if keys.len() < MANY {
            keys.sort_unstable();
        } else {
            let mut sorted = keys.to_vec();
            radix_sort(&mut sorted, self.index_bits, self.index_bits + 3 * self.axis_bits);
            keys.copy_from_slice(&sorted);
        }
        self.sort(keys);
    }
}

/// Writes a key for each primitive: the Morton code of its centre, then its index.
struct MortonKeys<'a> {
    keys: &'a mut [u64],
    /// The index of the first primitive.
    first: usize,
    source: BoxSource<'a>,
    cells: Cells,
    index_bits: u32,
}

impl Kernel for MortonKeys<'_> {
    type Output = ();

    /// In two loops, so that the compiler computes several codes at once. One loop takes 3 % more time in a fast
    /// build of the kitchen (Intel Xeon).
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Self { keys, first, source, cells, index_bits } = self;
        source.for_each_batch(first..first + keys.len(), |start, boxes| {
            let mut rows = [[0.0f32; BoxSource::BATCH]; 3];
            for (i, one) in boxes.iter().enumerate() {
                let cell = cells.cell(one.center2());
                for axis in 0..3 {
                    rows[axis][i] = cell[axis];
                }
            }
            let keys = &mut keys[start - first..][..boxes.len()];
            for (i, key) in keys.iter_mut().enumerate() {
                let cell = [rows[0][i], rows[1][i], rows[2][i]];
                *key = code(cell) << index_bits | (start + i) as u64;
            }
        });
    }
}

/// The 21 bits of a coordinate, with two zeros before each.
#[inline(always)]
fn spread(cell: f32) -> u64 {
    let bits = cell as i32 as u64 & 0x1f_ffff;
    let bits = (bits | bits << 32) & 0x001f_0000_0000_ffff;
    let bits = (bits | bits << 16) & 0x001f_0000_ff00_00ff;
    let bits = (bits | bits << 8) & 0x100f_00f0_0f00_f00f;
    let bits = (bits | bits << 4) & 0x10c3_0c30_c30c_30c3;
    (bits | bits << 2) & 0x1249_2492_4924_9249
}
