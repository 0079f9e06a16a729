//! Cuts needles that lie across the axes into parts before the build, where that pays.
//!
//! After Karras and Aila, "Fast Parallel Construction of High-Quality Bounding Volume Hierarchies" (2013),
//! with another priority and a gate. They cut the largest boxes first, which are those of walls. A wall that
//! is whole in a leaf near the root ends rays early, so cutting it costs rays in rooms up to a fifth. *Excess*
//! is the area of a box that neither the triangle's shadows along the axes nor a flat box explain: it is 0
//! for triangles along the axes, and large for diagonal cables and struts.
//!
//! Tried and lost: spatial splits of large nodes (Stich, Friedrich and Dietrich, 2009). One truck of nine meshes
//! gained more than noise, for four times the build (`benches/record/2026-11-26-amd-epyc-spatial-splits`).

use std::ops::Range;

use super::polygon::{Part, Polygon};
use crate::{
    box3::{Box3, larger, smaller, usual_area},
    platform::parallel,
    scaled_mesh::ScaledMesh,
    simd::{Isa, Kernel, Simd},
};

/// A part is cut while its excess exceeds this share of the mean half area of all boxes.
const EXCESS_TO_CUT: f32 = 1.0;

/// The gate: nothing is split unless the triangles whose excess exceeds [`EXCESS_OF_NEEDLES`] times the mean
/// half area hold [`LEAST_SHARE`] of the area of all boxes in their excess.
///
/// Cities have 0.27 to 0.52, and gain. The next are a truck of 0.08 and a soup of 0.08; scans, rooms and
/// terrains have up to 0.03. Without a gate rays take up to 4 % more steps there.
const LEAST_SHARE: f64 = 0.1;
const EXCESS_OF_NEEDLES: f32 = 4.0;

/// The maximum number of further parts, as a share of the triangles. Cities need 4 to 9 %.
const MAX_FURTHER_SHARE: f64 = 0.1;

/// The growth of the threshold if there are more.
const THRESHOLD_STEP: f32 = 1.25;

/// The maximum number of cuts, one below the other: at most 256 parts of a triangle.
const MAX_CUTS: u32 = 8;

/// A box of so many times the median area would be the only needle, so it counts for nothing.
const FAR: f32 = (1 << 20) as f32;

/// The triangles that one thread looks at.
const CHUNK: usize = 1 << 13;

/// The parts of the needles of a mesh, if they are worth cutting; none for all other meshes. Those of one
/// triangle follow each other, by rising triangles.
pub(super) fn parts_of_needles(mesh: &ScaledMesh<'_>, isa: Isa) -> Vec<Part> {
    let Some(Survey { needles, mean, .. }) = survey(mesh, isa) else { return vec![] };
    let max_further = (mesh.n_triangles() as f64 * MAX_FURTHER_SHARE) as usize;
    let mut threshold = EXCESS_TO_CUT * mean;
    loop {
        let parts = parallel::map_chunks(needles.len(), 64, |chunk| {
            let mut parts = Vec::new();
            for &(triangle, excess) in &needles[chunk] {
                if excess > threshold {
                    let bounds = mesh.triangle_box(triangle);
                    let whole = Polygon::of_triangle(mesh.corners(triangle));
                    let cutter = Cutter { triangle, reach: bounds.reach(), threshold };
                    cutter.cut(bounds, &whole, 0, &mut parts);
                }
            }
            parts
        });
        let parts: Vec<Part> = parts.into_iter().flatten().collect();
        let n_split = needles.iter().filter(|(_, excess)| *excess > threshold).count();
        if parts.len() <= n_split + max_further {
            return parts;
        }
        threshold *= THRESHOLD_STEP;
    }
}

/// The triangles that may be cut, and what decides whether they are.
struct Survey {
    /// By rising index, each with its excess.
    needles: Vec<(u32, f32)>,
    /// The mean half area of the boxes.
    mean: f32,
    /// See [`LEAST_SHARE`].
    share: f64,
}

impl Survey {
    /// The survey of one in `stride` triangles.
    fn of(mesh: &ScaledMesh<'_>, stride: usize, isa: Isa) -> Self {
        // One pass over the mesh finds the mean and all excesses. A processor cannot predict whether a box is
        // larger than the mean, so boxes are not sorted out before.
        let limit = usual_area(sampled_areas(mesh), FAR);
        let looked_at = parallel::map_chunks(mesh.n_triangles(), CHUNK, |chunk| {
            let taken = Taken { chunk, stride };
            let mut excesses = vec![0.0; taken.len()];
            let total = isa.run(Excesses { mesh, taken: &taken, limit, excesses: &mut excesses });
            (taken, excesses, total)
        });
        let (n_taken, total) = looked_at
            .iter()
            .fold((0, 0.0), |(n, total), (taken, _, area)| (n + taken.len(), total + area));
        let mean = (total / n_taken as f64) as f32;
        let mut needles = Vec::new();
        for (taken, excesses, _) in &looked_at {
            for (i, &excess) in excesses.iter().enumerate() {
                if excess > EXCESS_TO_CUT * mean {
                    needles.push((taken.triangle(i), excess));
                }
            }
        }
        let large = needles.iter().filter(|(_, excess)| *excess > EXCESS_OF_NEEDLES * mean);
        let share = large.map(|(_, excess)| f64::from(*excess)).sum::<f64>() / total;
        Self { needles, mean, share }
    }
}

/// Writes the excess of each triangle, 0 for those whose box is larger than `limit`. Returns the sum of the half areas of the other
/// boxes.
struct Excesses<'a> {
    mesh: &'a ScaledMesh<'a>,
    taken: &'a Taken,
    limit: f32,
    excesses: &'a mut [f32],
}

impl Kernel for Excesses<'_> {
    type Output = f64;

    /// Gathers the corners of many triangles first, so that the compiler computes many excesses at once.
    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> f64 {
        const BATCH: usize = 64;
        let Self { mesh, taken, limit, excesses } = self;
        let mut total = 0.0;
        let mut rows = [[[0.0f32; BATCH]; 3]; 3];
        let (mut areas, mut of_boxes) = ([0.0f32; BATCH], [0.0f32; BATCH]);
        for (batch, excesses) in excesses.chunks_mut(BATCH).enumerate() {
            for i in 0..excesses.len() {
                let corners = mesh.corners(taken.triangle(batch * BATCH + i));
                for corner in 0..3 {
                    let at = corners[corner].to_array();
                    for axis in 0..3 {
                        rows[corner][axis][i] = at[axis];
                    }
                }
            }
            for i in 0..BATCH {
                let (mut p, mut q, mut extent) = ([0.0; 3], [0.0; 3], [0.0; 3]);
                for axis in 0..3 {
                    let [a, b, c] = [rows[0][axis][i], rows[1][axis][i], rows[2][axis][i]];
                    (p[axis], q[axis]) = (b - a, c - a);
                    extent[axis] = larger(larger(a, b), c) - smaller(smaller(a, b), c);
                }
                let x = (p[1] * q[2] - q[1] * p[2]).abs();
                let y = (p[2] * q[0] - q[2] * p[0]).abs();
                let z = (p[0] * q[1] - q[0] * p[1]).abs();
                let faces = faces_of(extent);
                areas[i] = faces[0] + faces[1] + faces[2];
                of_boxes[i] = excess(faces, 0.5 * (x + y + z));
            }
            for i in 0..excesses.len() {
                let is_usual = areas[i] <= limit;
                total += if is_usual { f64::from(areas[i]) } else { 0.0 };
                excesses[i] = if is_usual { of_boxes[i] } else { 0.0 };
            }
        }
        total
    }
}

/// The half areas of some of the boxes.
fn sampled_areas(mesh: &ScaledMesh<'_>) -> Vec<f32> {
    const SAMPLE: usize = 1 << 10;
    let n = mesh.n_triangles();
    let boxes = (0..n).step_by(n.div_ceil(SAMPLE).max(1)).map(|i| mesh.triangle_box(i as u32));
    boxes.map(|bounds| bounds.half_area()).collect()
}

/// One in `stride` triangles of a chunk, in short runs, because neighbours share memory.
struct Taken {
    chunk: Range<usize>,
    stride: usize,
}

impl Taken {
    const RUN: usize = 4;

    fn len(&self) -> usize {
        let period = Self::RUN * self.stride;
        let n = self.chunk.len();
        n / period * Self::RUN + (n % period).min(Self::RUN)
    }

    #[inline(always)]
    fn triangle(&self, i: usize) -> u32 {
        (self.chunk.start + i / Self::RUN * Self::RUN * self.stride + i % Self::RUN) as u32
    }
}

/// The survey of a mesh whose needles are worth splitting. `None` if the gate is shut.
///
/// A sample shuts the gate of most large meshes. It may overlook needles that are few, which cost few rays.
fn survey(mesh: &ScaledMesh<'_>, isa: Isa) -> Option<Survey> {
    let n = mesh.n_triangles();
    // Further parts must have numbers.
    if n == 0 || n > (u32::MAX / 2) as usize {
        return None;
    }
    if sample_stride(n)
        .is_some_and(|stride| Survey::of(mesh, stride, isa).share < OF_SAMPLE * LEAST_SHARE)
    {
        return None;
    }
    // A mesh of points has no area and no share.
    // Nor can thresholds grow from a mean that underflows.
    let is_worthwhile =
        |survey: &Survey| survey.share >= LEAST_SHARE && survey.mean >= f32::MIN_POSITIVE;
    Some(Survey::of(mesh, 1, isa)).filter(is_worthwhile)
}

/// The share of [`LEAST_SHARE`] below which the sample shuts the gate.
const OF_SAMPLE: f64 = 0.3;

/// The sample of a mesh takes one in so many triangles. `None` for small meshes, whose sample would take as long as the
/// whole survey.
///
/// A city has few needles. Of 48 cities of 33,000 to 200,000 triangles a sample of 8192 missed two, and one of 16,384 had
/// at least 0.3 of the share.
fn sample_stride(n_triangles: usize) -> Option<usize> {
    const SAMPLE: usize = 1 << 14;
    const MAX_STRIDE: usize = 16;
    let stride = (n_triangles / SAMPLE).min(MAX_STRIDE);
    (stride >= 3).then_some(stride)
}

/// The areas of three faces of a box with these sides.
#[inline(always)]
fn faces_of([x, y, z]: [f32; 3]) -> [f32; 3] {
    [x * y, y * z, z * x]
}

/// The area of a part's box that neither its shadows along the axes nor a flat box explain.
#[inline(always)]
fn excess(faces: [f32; 3], projected_area: f32) -> f32 {
    /// How much an almost flat box counts.
    const THICKNESS: f32 = 4.0;
    let area = faces[0] + faces[1] + faces[2];
    let face = larger(larger(faces[0], faces[1]), faces[2]);
    smaller(area - 2.0 * projected_area, THICKNESS * (area - face))
}

/// Cuts one triangle.
struct Cutter {
    triangle: u32,
    /// The largest coordinate of the triangle, in absolute value.
    reach: f32,
    /// A part of more excess is cut.
    threshold: f32,
}

impl Cutter {
    /// Cuts a part in the middle of the longest side of its box, and so on. Planes that neighbours share
    /// were not better.
    fn cut(&self, bounds: Box3, part: &Polygon, n_cuts: u32, parts: &mut Vec<Part>) {
        if n_cuts < MAX_CUTS
            && excess(faces_of((bounds.max - bounds.min).to_array()), part.projected_area())
                > self.threshold
            && let Some((axis, at)) = middle_of_longest_side(&bounds)
            && let Some(halves) = part.cut(axis, f64::from(at))
            && halves.iter().all(|half| !half.is_empty())
        {
            for half in halves {
                // The box of the whole is exact, while those of parts have some slack.
                let of_half = half.bounds(self.reach).intersection(bounds);
                self.cut(of_half, &half, n_cuts + 1, parts);
            }
            return;
        }
        parts.push(Part { bounds, triangle: self.triangle });
    }
}

/// The axis of the longest side of a box, and its middle. `None` if no number lies between its ends.
fn middle_of_longest_side(bounds: &Box3) -> Option<(usize, f32)> {
    let axis = bounds.longest_axis();
    let (min, max) = (bounds.min[axis], bounds.max[axis]);
    let middle = 0.5 * min + 0.5 * max;
    (min < middle && middle < max).then_some((axis, middle))
}

#[cfg(test)]
mod tests {
    use hitscan_primitives::generate;

    use super::*;

    #[test]
    fn a_sample_keeps_the_gate_open_for_cities() {
        let isa = Isa::detect();
        for n in [50_000, 60_000, 90_000, 131_000] {
            for seed in 1..=10 {
                let mesh = generate::city(n, seed).expect("the size is within the limits");
                let mesh = ScaledMesh::new(&mesh);
                let stride = sample_stride(mesh.n_triangles()).expect("the city is large enough");
                let of_sample = Survey::of(&mesh, stride, isa).share;
                assert!(of_sample >= OF_SAMPLE * LEAST_SHARE, "{n}, seed {seed}: {of_sample}");
            }
        }
    }

    #[test]
    fn the_excess_of_a_triangle_follows_from_its_box_under_every_instruction_set() {
        let mesh = generate::city(5000, 1).expect("the size is within the limits");
        let mesh = ScaledMesh::new(&mesh);
        let taken = Taken { chunk: 100..mesh.n_triangles(), stride: 3 };
        let mut areas = sampled_areas(&mesh);
        let upper = areas.len() * 9 / 10;
        let limit = *areas.select_nth_unstable_by(upper, f32::total_cmp).1;
        let mut expected = (vec![], 0.0);
        for i in 0..taken.len() {
            let triangle = taken.triangle(i);
            let bounds = mesh.triangle_box(triangle);
            let faces = faces_of((bounds.max - bounds.min).to_array());
            let [a, b, c] = mesh.corners(triangle);
            let projected_area = 0.5 * (b - a).cross(c - a).abs().element_sum();
            let is_usual = bounds.half_area() <= limit;
            expected.0.push(if is_usual { excess(faces, projected_area) } else { 0.0 });
            expected.1 += if is_usual { f64::from(bounds.half_area()) } else { 0.0 };
        }
        for isa in Isa::available() {
            let mut excesses = vec![0.0; taken.len()];
            let kernel = Excesses { mesh: &mesh, taken: &taken, limit, excesses: &mut excesses };
            let total = isa.run(kernel);
            assert_eq!((excesses, total), expected, "{}", isa.name());
        }
    }
}
