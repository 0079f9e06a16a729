//! The block that leaves are made of: eight triangles, transposed.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;
use hitscan_primitives::{TriMesh, brute_force::scaled};

use crate::simd::{Kernel, Simd};

/// Eight triangles in structure-of-arrays form.
///
/// Empty lanes are NaN.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(32))]
pub(crate) struct TriangleBlock {
    /// `corners[corner][axis]`, in the mesh's scaled space.
    pub(crate) corners: [[[f32; 8]; 3]; 3],
    /// The normal by [`plane_normal`], per axis: zero where the triangle's plane is not known.
    pub(crate) normal: [[f32; 8]; 3],
    /// The triangles' numbers; [`TriangleBlock::NO_TRIANGLE`] in empty lanes.
    pub(crate) triangles: [u32; 8],
}

const _: () = assert!(size_of::<TriangleBlock>() == 416);

impl TriangleBlock {
    /// The number in an empty lane.
    pub(crate) const NO_TRIANGLE: u32 = u32::MAX;

    pub(crate) const EMPTY: Self = Self {
        corners: [[[f32::NAN; 8]; 3]; 3],
        normal: [[f32::NAN; 8]; 3],
        triangles: [Self::NO_TRIANGLE; 8],
    };

    /// Puts a triangle with its corners, in the mesh's scaled space.
    pub(crate) fn set(&mut self, lane: usize, triangle: u32, corners: [Vec3; 3]) {
        self.triangles[lane] = triangle;
        let normal = plane_normal(corners);
        set_corners(&mut self.corners, lane, corners);
        for axis in 0..3 {
            self.normal[axis][lane] = normal[axis];
        }
    }

    /// Takes the corners and the normal out of a lane.
    pub(crate) fn clear(&mut self, lane: usize) {
        for row in self.corners.as_flattened_mut().iter_mut().chain(&mut self.normal) {
            row[lane] = f32::NAN;
        }
    }

    /// The corners of a triangle as stored.
    #[inline]
    pub(crate) fn corners_of(&self, lane: usize) -> [Vec3; 3] {
        corners_of(&self.corners, lane)
    }
}

/// The corners in one lane of [`TriangleBlock::corners`].
#[inline]
pub(crate) fn corners_of(corners: &[[[f32; 8]; 3]; 3], lane: usize) -> [Vec3; 3] {
    let [a, b, c] = corners;
    [a, b, c].map(|[x, y, z]| Vec3::new(x[lane], y[lane], z[lane]))
}

/// Sets the corners in one lane of [`TriangleBlock::corners`].
#[inline(always)]
pub(crate) fn set_corners(rows: &mut [[[f32; 8]; 3]; 3], lane: usize, corners: [Vec3; 3]) {
    for (rows, corner) in rows.iter_mut().zip(corners) {
        for axis in 0..3 {
            rows[axis][lane] = corner.to_array()[axis];
        }
    }
}

/// Fills empty blocks, each with one to eight triangles of a mesh; at most [`FillBlocks::MOST`] at a
/// time.
pub(crate) struct FillBlocks<'a> {
    pub(crate) blocks: &'a mut [TriangleBlock],
    /// The triangles of each block.
    pub(crate) sources: &'a [&'a [u32]],
    pub(crate) mesh: &'a TriMesh,
    pub(crate) scale: f64,
}

impl FillBlocks<'_> {
    /// As many as stay in the first cache.
    pub(crate) const MOST: usize = 32;
}

impl Kernel for FillBlocks<'_> {
    type Output = ();

    /// In several loops. What a triangle's corners are is known long before they are fetched, so that
    /// many wait for memory at once; and a row is loaded, for the normals, only when its lanes have
    /// left the store buffer. One loop took half as long again.
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Self { blocks, sources, mesh, scale } = self;
        let (triangles, positions) = (mesh.triangles(), mesh.positions());
        let mut vertices = [[[0u32; 3]; 8]; Self::MOST];
        for (vertices, source) in vertices.iter_mut().zip(sources) {
            for (vertices, &triangle) in vertices.iter_mut().zip(*source) {
                *vertices = triangles[triangle as usize];
            }
        }
        for ((block, vertices), source) in blocks.iter_mut().zip(&vertices).zip(sources) {
            for lane in 0..source.len().min(8) {
                block.triangles[lane] = source[lane];
                let [a, b, c] = vertices[lane];
                let mut corners =
                    [positions[a as usize], positions[b as usize], positions[c as usize]];
                if scale != 1.0 {
                    for corner in &mut corners {
                        *corner = scaled(*corner, scale);
                    }
                }
                set_corners(&mut block.corners, lane, corners);
            }
        }
        for block in blocks {
            block.normal = normals(&block.corners);
        }
    }
}

/// The normal of a triangle's plane by its winding, scaled by a power of two so that its largest
/// component is about in `[0.5, 1]`. Zero if the triangle has zero area, or is so thin that rounding in
/// f64 makes the normal doubtful in f32. NaN for corners that are NaN.
///
/// Computed in f64 and rounded once. For filters only: it decides nothing.
pub(crate) fn plane_normal([a, b, c]: [Vec3; 3]) -> Vec3 {
    let a = a.as_dvec3();
    let (p, q) = (b.as_dvec3() - a, c.as_dvec3() - a);
    let normal = p.cross(q);
    let largest = normal.abs().max_element();
    let size = p.abs().max_element() * q.abs().max_element();
    (normal * normal_scale(largest, size)).as_vec3()
}

/// What a normal is multiplied with: `largest` is its largest component, `size` the product of the
/// largest components of the edges that it is made of.
#[inline(always)]
fn normal_scale(largest: f64, size: f64) -> f64 {
    /// The normal is wrong by less than 2^-50 of the size. So this share of it keeps 26 bits.
    const DOUBTFUL: f64 = 1.0 / (1 << 24) as f64;
    let exponent = (largest.to_bits() >> 52) & 0x7ff;
    // 1022 is the biased exponent of 0.5. For a NaN, of which the power is not used, the exponent is
    // larger.
    let power = f64::from_bits((1023 + 1022_u64).wrapping_sub(exponent) << 52);
    let is_known = largest > 0.0 && largest >= DOUBTFUL * size;
    if is_known { power } else { 0.0 }
}

/// [`plane_normal`] of eight triangles, to the last bit.
#[inline(always)]
fn normals(corners: &[[[f32; 8]; 3]; 3]) -> [[f32; 8]; 3] {
    let mut edges = [[[0.0; 8]; 3]; 2];
    for (edge, corner) in edges.iter_mut().zip(&corners[1..]) {
        for axis in 0..3 {
            for lane in 0..8 {
                edge[axis][lane] =
                    f64::from(corner[axis][lane]) - f64::from(corners[0][axis][lane]);
            }
        }
    }
    let [p, q] = edges;
    let mut normal = [[0.0f64; 8]; 3];
    for axis in 0..3 {
        let (y, z) = ((axis + 1) % 3, (axis + 2) % 3);
        for lane in 0..8 {
            normal[axis][lane] = p[y][lane] * q[z][lane] - q[y][lane] * p[z][lane];
        }
    }
    let mut scale = [0.0; 8];
    for lane in 0..8 {
        let largest = largest_of(&normal, lane);
        scale[lane] = normal_scale(largest, largest_of(&p, lane) * largest_of(&q, lane));
    }
    // Not by `map`: it is left out of line, without the instruction set of the kernel.
    let mut rounded = [[0.0; 8]; 3];
    for axis in 0..3 {
        for lane in 0..8 {
            rounded[axis][lane] = (normal[axis][lane] * scale[lane]) as f32;
        }
    }
    rounded
}

/// The largest component of a vector, in size, as `max_element` finds it.
#[inline(always)]
fn largest_of(rows: &[[f64; 8]; 3], lane: usize) -> f64 {
    let [x, y, z] = [rows[0][lane].abs(), rows[1][lane].abs(), rows[2][lane].abs()];
    let largest = if y > z { y } else { z };
    if x > largest { x } else { largest }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Isa;

    #[test]
    fn blocks_hold_the_reference_normals_to_the_last_bit_under_every_instruction_set() {
        let corner = |i: u32, exponent: i32| -> [f32; 3] {
            let mut state = u64::from(i) + 1;
            [0, 1, 2].map(|_| {
                state = state.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ 0x5bd1;
                ((state >> 40) as f32 / (1 << 23) as f32 - 1.0) * (exponent as f32).exp2()
            })
        };
        let mut positions: Vec<[f32; 3]> =
            (0..300).map(|i| corner(i, [0, -60, 37, -130][i as usize % 4])).collect();
        positions.extend([[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [-0.0, 3.0, 1.0]]);
        let mut triangles: Vec<[u32; 3]> =
            (0..300).map(|i| [i, (i + 4) % 300, 7 * i % 300]).collect();
        triangles.extend([[300, 301, 302], [300, 300, 301], [300, 301, 303], [5, 5, 5]]);
        let mesh = TriMesh::new(positions, triangles).expect("the indices are in range");
        let numbers: Vec<u32> = (0..mesh.triangles().len() as u32).collect();
        for isa in Isa::available() {
            for scale in [1.0, 4.0] {
                let sources: Vec<&[u32]> = numbers.chunks(7).take(FillBlocks::MOST).collect();
                let mut blocks = vec![TriangleBlock::EMPTY; sources.len()];
                isa.run(FillBlocks { blocks: &mut blocks, sources: &sources, mesh: &mesh, scale });
                for (block, source) in blocks.iter().zip(&sources) {
                    let mut expected = TriangleBlock::EMPTY;
                    for (lane, &triangle) in source.iter().enumerate() {
                        let corners = mesh.corners(triangle).map(|corner| scaled(corner, scale));
                        expected.set(lane, triangle, corners);
                    }
                    assert_eq!(block.triangles, expected.triangles);
                    let bits = |block: &TriangleBlock| {
                        let rows = block.corners.as_flattened().iter().chain(&block.normal);
                        // All NaNs are alike.
                        rows.flatten()
                            .map(|x| if x.is_nan() { 0 } else { x.to_bits() + 1 })
                            .collect::<Vec<_>>()
                    };
                    assert_eq!(bits(block), bits(&expected), "{}, {source:?}", isa.name());
                }
            }
        }
    }
}
