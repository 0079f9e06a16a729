//! The block of a full leaf: eight triangles, transposed.

use bytemuck::{Pod, Zeroable};
use glam::{DVec3, Mat4, Vec3, Vec3A, Vec4};

use crate::{
    box3::Box3,
    error_bounds::KNOWN_NORMAL,
    scaled_mesh::ScaledMesh,
    simd::{Kernel, Simd},
    widths::BLOCK_WIDTH,
};

/// The corners of a block's triangles: `rows[corner][axis][lane]`, in scaled space.
pub(crate) type CornerRows = [[[f32; BLOCK_WIDTH]; 3]; 3];

/// Eight triangles in structure-of-arrays form. Empty lanes are NaN.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(32))]
pub(crate) struct TriangleBlock {
    pub(crate) corners: CornerRows,
    /// The normals by [`plane_normal`], per axis: zero where the plane of a triangle is not known.
    pub(crate) normal: [[f32; BLOCK_WIDTH]; 3],
    /// Indices of triangles; [`TriangleBlock::NO_TRIANGLE`] in empty lanes.
    pub(crate) triangles: [u32; BLOCK_WIDTH],
}

const _: () = assert!(size_of::<TriangleBlock>() == 13 * size_of::<[f32; BLOCK_WIDTH]>());

impl TriangleBlock {
    /// The index in an empty lane.
    pub(crate) const NO_TRIANGLE: u32 = u32::MAX;

    pub(crate) const EMPTY: Self = Self {
        corners: [[[f32::NAN; BLOCK_WIDTH]; 3]; 3],
        normal: [[f32::NAN; BLOCK_WIDTH]; 3],
        triangles: [Self::NO_TRIANGLE; BLOCK_WIDTH],
    };

    /// Stores a triangle with its corners, in scaled space.
    pub(crate) fn set_lane(&mut self, lane: usize, triangle: u32, corners: [Vec3; 3]) {
        self.triangles[lane] = triangle;
        let normal = plane_normal(corners);
        set_corners(&mut self.corners, lane, corners);
        for axis in 0..3 {
            self.normal[axis][lane] = normal[axis];
        }
    }

    /// Replaces the corners and the normal of a lane by NaN.
    pub(crate) fn clear_lane(&mut self, lane: usize) {
        for row in self.corners.as_flattened_mut().iter_mut().chain(&mut self.normal) {
            row[lane] = f32::NAN;
        }
    }

    /// The corners of a triangle as stored.
    #[inline]
    pub(crate) fn corners_of(&self, lane: usize) -> [Vec3; 3] {
        corners_of(&self.corners, lane)
    }

    /// The triangles: lane, index, and corners in scaled space.
    pub(crate) fn triangles(&self) -> impl Iterator<Item = (usize, u32, [DVec3; 3])> {
        (0..BLOCK_WIDTH).filter(|&lane| self.triangles[lane] != Self::NO_TRIANGLE).map(|lane| {
            let corners = self.corners_of(lane).map(|corner| corner.as_dvec3());
            (lane, self.triangles[lane], corners)
        })
    }
}

/// The corners in one lane of [`TriangleBlock::corners`].
#[inline]
pub(crate) fn corners_of(corners: &CornerRows, lane: usize) -> [Vec3; 3] {
    let [a, b, c] = corners;
    [a, b, c].map(|[x, y, z]| Vec3::new(x[lane], y[lane], z[lane]))
}

/// Sets the corners in one lane of [`TriangleBlock::corners`].
#[inline(always)]
fn set_corners(rows: &mut CornerRows, lane: usize, corners: [Vec3; 3]) {
    for (rows, corner) in rows.iter_mut().zip(corners) {
        for axis in 0..3 {
            rows[axis][lane] = corner.to_array()[axis];
        }
    }
}

/// The box of the triangles in all lanes. Empty lanes, which hold NaN, must follow the others.
#[inline(always)]
pub(crate) fn bounds_of(corners: &CornerRows) -> Box3 {
    let (mut min, mut max) = (corners[0], corners[0]);
    for rows in &corners[1..] {
        for axis in 0..3 {
            for lane in 0..BLOCK_WIDTH {
                let x = rows[axis][lane];
                min[axis][lane] = if x < min[axis][lane] { x } else { min[axis][lane] };
                max[axis][lane] = if x > max[axis][lane] { x } else { max[axis][lane] };
            }
        }
    }
    let min = reduce_lanes(&min, |a, b| Vec4::select(b.cmplt(a), b, a));
    let max = reduce_lanes(&max, |a, b| Vec4::select(b.cmpgt(a), b, a));
    Box3 { min, max }
}

/// Reduces the lanes of each row to one. `choose` returns its first argument where the second is NaN.
#[inline(always)]
fn reduce_lanes([x, y, z]: &[[f32; BLOCK_WIDTH]; 3], choose: impl Fn(Vec4, Vec4) -> Vec4) -> Vec3A {
    let halves = |row: &[f32; BLOCK_WIDTH]| {
        let [a, b, c, d, e, f, g, h] = *row;
        choose(Vec4::new(a, b, c, d), Vec4::new(e, f, g, h))
    };
    let (x, y, z) = (halves(x), halves(y), halves(z));
    // A column per lane, so that each step reduces all axes.
    let lanes = Mat4::from_cols(x, y, z, z).transpose();
    let all = choose(choose(lanes.x_axis, lanes.y_axis), choose(lanes.z_axis, lanes.w_axis));
    Vec3A::from_vec4(all)
}

/// The triangles of a block: those before the first empty lane.
pub(crate) fn triangles_in(lanes: &[u32; BLOCK_WIDTH]) -> &[u32] {
    let n = lanes.iter().take_while(|&&triangle| triangle != TriangleBlock::NO_TRIANGLE).count();
    &lanes[..n]
}

/// Fills blocks whose other lanes are empty, each with one to [`BLOCK_WIDTH`] triangles; at most [`FillBlocks::MAX_BLOCKS`] in
/// one run.
pub(crate) struct FillBlocks<'a> {
    pub(crate) blocks: &'a mut [TriangleBlock],
    /// The triangles of each block.
    pub(crate) sources: &'a [&'a [u32]],
    pub(crate) mesh: ScaledMesh<'a>,
}

impl FillBlocks<'_> {
    /// The number of blocks that fit the first-level cache.
    pub(crate) const MAX_BLOCKS: usize = 32;
}

impl Kernel for FillBlocks<'_> {
    type Output = ();

    /// Gathers indices first, then positions, so that many cache misses overlap. Computes normals last,
    /// once the rows have left the store buffer. A single loop took half as long again.
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Self { blocks, sources, mesh } = self;
        let (triangles, positions) = (mesh.mesh.triangles(), mesh.mesh.positions());
        let mut vertices = [[[0u32; 3]; BLOCK_WIDTH]; Self::MAX_BLOCKS];
        for (vertices, source) in vertices.iter_mut().zip(sources) {
            for (vertices, &triangle) in vertices.iter_mut().zip(*source) {
                *vertices = triangles[triangle as usize];
            }
        }
        for ((block, vertices), source) in blocks.iter_mut().zip(&vertices).zip(sources) {
            for lane in 0..source.len().min(BLOCK_WIDTH) {
                block.triangles[lane] = source[lane];
                let [a, b, c] = vertices[lane];
                let mut corners =
                    [positions[a as usize], positions[b as usize], positions[c as usize]];
                if mesh.scale != 1.0 {
                    for corner in &mut corners {
                        *corner = mesh.scaled(*corner);
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
/// Computed in f64 and rounded once. Only filters use it; it decides nothing.
pub(crate) fn plane_normal([a, b, c]: [Vec3; 3]) -> Vec3 {
    let a = a.as_dvec3();
    let (p, q) = (b.as_dvec3() - a, c.as_dvec3() - a);
    let normal = p.cross(q);
    let largest = normal.abs().max_element();
    let size = p.abs().max_element() * q.abs().max_element();
    (normal * normal_scale(largest, size)).as_vec3()
}

/// The power of two that normalizes a normal, or zero. `largest` is the normal's largest component,
/// `size` the product of the largest components of the two edges.
#[inline(always)]
fn normal_scale(largest: f64, size: f64) -> f64 {
    let exponent = (largest.to_bits() >> 52) & 0x7ff;
    // 1022 is the biased exponent of 0.5. A NaN has a larger exponent, and its power is not used.
    let power = (1023 + 1022_u64).wrapping_sub(exponent) << 52;
    // Without a branch, so that the compiler computes all lanes at once.
    let is_known = (largest > 0.0) & (largest >= KNOWN_NORMAL * size);
    f64::from_bits(power & u64::from(is_known).wrapping_neg())
}

/// [`plane_normal`] of each lane, to the last bit.
#[inline(always)]
fn normals(corners: &CornerRows) -> [[f32; BLOCK_WIDTH]; 3] {
    let mut edges = [[[0.0; BLOCK_WIDTH]; 3]; 2];
    for (edge, corner) in edges.iter_mut().zip(&corners[1..]) {
        for axis in 0..3 {
            for lane in 0..BLOCK_WIDTH {
                edge[axis][lane] =
                    f64::from(corner[axis][lane]) - f64::from(corners[0][axis][lane]);
            }
        }
    }
    let [p, q] = edges;
    let mut normal = [[0.0f64; BLOCK_WIDTH]; 3];
    for axis in 0..3 {
        let (y, z) = ((axis + 1) % 3, (axis + 2) % 3);
        for lane in 0..BLOCK_WIDTH {
            normal[axis][lane] = p[y][lane] * q[z][lane] - q[y][lane] * p[z][lane];
        }
    }
    let mut scale = [0.0; BLOCK_WIDTH];
    for lane in 0..BLOCK_WIDTH {
        let largest = largest_of(&normal, lane);
        scale[lane] = normal_scale(largest, largest_of(&p, lane) * largest_of(&q, lane));
    }
    // Not by `map`, which is left out of line, without the instruction set of the kernel.
    let mut rounded = [[0.0; BLOCK_WIDTH]; 3];
    for axis in 0..3 {
        for lane in 0..BLOCK_WIDTH {
            rounded[axis][lane] = (normal[axis][lane] * scale[lane]) as f32;
        }
    }
    rounded
}

/// The largest component of a vector, in size, as `max_element` finds it.
#[inline(always)]
fn largest_of(rows: &[[f64; BLOCK_WIDTH]; 3], lane: usize) -> f64 {
    let [x, y, z] = [rows[0][lane].abs(), rows[1][lane].abs(), rows[2][lane].abs()];
    let largest = if y > z { y } else { z };
    if x > largest { x } else { largest }
}

#[cfg(test)]
mod tests {
    use hitscan_primitives::TriMesh;

    use super::*;
    use crate::simd::Isa;

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
        let indices: Vec<u32> = (0..mesh.triangles().len() as u32).collect();
        for isa in Isa::available() {
            for scale in [1.0, 4.0] {
                let sources: Vec<&[u32]> = indices.chunks(7).take(FillBlocks::MAX_BLOCKS).collect();
                let mut blocks = vec![TriangleBlock::EMPTY; sources.len()];
                let scaled_mesh = ScaledMesh { scale, ..ScaledMesh::new(&mesh) };
                isa.run(FillBlocks { blocks: &mut blocks, sources: &sources, mesh: scaled_mesh });
                for (block, source) in blocks.iter().zip(&sources) {
                    let mut expected = TriangleBlock::EMPTY;
                    for (lane, &triangle) in source.iter().enumerate() {
                        let corners = scaled_mesh.corners(triangle);
                        expected.set_lane(lane, triangle, corners);
                    }
                    assert_eq!(block.triangles, expected.triangles);
                    let bits = |block: &TriangleBlock| {
                        let rows = block.corners.as_flattened().iter().chain(&block.normal);
                        // All NaNs count as equal.
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
