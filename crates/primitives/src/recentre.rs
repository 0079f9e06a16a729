//! Positions in f64 as f32 relative to an offset.

use std::mem;

use glam::{DVec3, Vec3};

use crate::{Aabb, MeshError, TriMesh};

/// The largest movement by rounding that a mesh takes without an offset, as a share of the longest side of
/// its bounds: 2^-20, a millionth. Rounding moves a coordinate c by at most 2^-24 |c|, so a mesh within 16
/// of its sizes around the origin never gets an offset.
const TOLERATED: f64 = 1.0 / (1 << 20) as f64;

/// The distance from the origin, in longest sides, below which a mesh cannot need an offset. Half of the 16
/// that [`TOLERATED`] implies, because the bounds of the first pass are rounded.
const NEAR_SIDES: f64 = 8.0;

/// The maximum number of passes: the bounds, rounded to f32, give an offset; the bounds relative to it, a
/// better one. Each gains 20 bits of the 53.
const MAX_PASSES: usize = 4;

/// Converts the positions of one mesh to f32, relative to an offset.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Recentring {
    offset: DVec3,
    rounding: f64,
}

impl Recentring {
    /// The same offset for a part of the positions. [`merge`](Self::merge) takes the part back.
    #[must_use]
    pub fn part(&self) -> Self {
        Self { rounding: 0.0, ..*self }
    }

    /// Counts the positions that a part converted.
    pub fn merge(&mut self, part: &Self) {
        self.rounding = self.rounding.max(part.rounding);
    }

    /// The offset; zero in the first pass, in which a reader may round positions to f32 itself.
    pub fn offset(&self) -> DVec3 {
        self.offset
    }

    /// Whether this is the first pass, so that positions are relative to the origin.
    pub fn is_first_pass(&self) -> bool {
        self.offset == DVec3::ZERO
    }

    /// A position in f32, relative to the offset. One that exceeds f32 is not finite, whatever the offset.
    pub fn local(&mut self, position: DVec3) -> Vec3 {
        let rounded = position.as_vec3();
        if !rounded.is_finite() {
            return rounded;
        }
        let moved = (rounded.as_dvec3() - position).abs().max_element();
        self.rounding = self.rounding.max(moved);
        (position - self.offset).as_vec3()
    }
}

/// A mesh, or the data of one, by [`recentre`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recentred<T> {
    /// The result of the last pass.
    pub value: T,
    /// The offset of its positions; zero if f32 holds them well enough.
    pub offset: DVec3,
    /// The largest movement of a coordinate by rounding that an offset would have avoided; zero if there is
    /// an offset, or none is needed. In units of the mesh.
    pub rounded_by: f64,
}

/// Reads a mesh, and reads it again relative to an offset if f32 would lose detail.
///
/// The mesh gets an offset if rounding to f32 would move a coordinate by more than 2^-20 of the longest side
/// of its bounds. Meshes within 16 sizes of the origin, and meshes whose positions are f32 numbers, keep
/// their bits and are read once. The offset is the middle of the bounds, rounded to an eighth of a side, so
/// it has few bits. It depends on the positions alone, not on threads. One mesh has one offset, because it
/// has one tree; a file of objects that are many sizes apart is better a scene of several meshes.
///
/// `read` converts positions by [`Recentring::local`], and `bounds` are those of its result. Without
/// `is_enabled` the result has no offset, and [`Recentred::rounded_by`] tells what that costs.
///
/// # Errors
/// An error of `read`.
pub fn recentre<T, E>(
    is_enabled: bool,
    mut read: impl FnMut(&mut Recentring) -> Result<T, E>,
    bounds: impl Fn(&T) -> Aabb,
) -> Result<Recentred<T>, E> {
    let rounded = read(&mut Recentring::default())?;
    let mut passes = Recentring::default();
    let mut last = None;
    let mut near = bounds(&rounded);
    for pass in 1..MAX_PASSES {
        let sides = if pass == 1 { NEAR_SIDES } else { 1.0 };
        let Some(shift) = shift_to_middle(near, sides) else { break };
        passes = Recentring { offset: passes.offset + shift, rounding: 0.0 };
        let value = read(&mut passes)?;
        near = bounds(&value);
        last = Some(value);
    }
    let is_needed = passes.rounding > TOLERATED * longest_side(near);
    let no_offset = |value, rounded_by| Recentred { value, offset: DVec3::ZERO, rounded_by };
    Ok(match last {
        Some(value) if is_needed && is_enabled => {
            Recentred { value, offset: passes.offset, rounded_by: 0.0 }
        }
        Some(_) if is_needed => no_offset(rounded, passes.rounding),
        _ => no_offset(rounded, 0.0),
    })
}

/// The middle of bounds that are more than `sides` longest sides from the origin, rounded to an eighth of a
/// side.
fn shift_to_middle(bounds: Aabb, sides: f64) -> Option<DVec3> {
    if bounds.is_empty() {
        return None;
    }
    let farthest = f64::from(bounds.max_abs_coordinate());
    let side = longest_side(bounds);
    if farthest <= sides * side || farthest == 0.0 {
        return None;
    }
    // A mesh that f32 rounds to a point has the size of a step.
    let side = side.max(farthest * f64::from(f32::EPSILON));
    let grid = power_of_two_below(side) / 8.0;
    let middle = 0.5 * (bounds.min.as_dvec3() + bounds.max.as_dvec3());
    let shift = (middle / grid).round() * grid;
    (shift != DVec3::ZERO).then_some(shift)
}

fn longest_side(bounds: Aabb) -> f64 {
    (bounds.max.as_dvec3() - bounds.min.as_dvec3()).max_element()
}

/// The largest power of two that is at most `x`, a positive normal number: a unit in which numbers as large as `x`
/// stay exact.
///
/// ```
/// use hitscan_primitives::power_of_two_below;
///
/// assert_eq!([1.0, 7.9, 8.0].map(power_of_two_below), [1.0, 4.0, 8.0]);
/// ```
#[inline]
pub fn power_of_two_below(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & f64::INFINITY.to_bits())
}

/// The reciprocal of a power of two from 2^-1022 to 2^1022, by its exponent: a division takes four times as long.
#[doc(hidden)]
#[inline(always)]
pub fn reciprocal_of_power_of_two(power: f64) -> f64 {
    const TWICE_ONE: u64 = 2 * 1f64.to_bits();
    f64::from_bits(TWICE_ONE.wrapping_sub(power.to_bits()))
}

impl TriMesh {
    /// A mesh from positions in f64, relative to an offset if f32 would lose detail; see [`recentre`].
    ///
    /// ```
    /// use hitscan_primitives::TriMesh;
    ///
    /// let corners = [[500_000.125, 5_400_000.25, 10.1], [500_001.0, 5_400_000.25, 10.1], [500_000.125, 5_400_001.7, 10.1]];
    /// let mesh = TriMesh::from_f64(corners, vec![[0, 1, 2]], true)?.value;
    /// assert_eq!(mesh.offset().to_array(), [500_000.625, 5_400_000.75, 10.125]);
    /// assert!(mesh.file_position(2).distance(corners[2].into()) < 1e-7);
    /// # Ok::<(), hitscan_primitives::MeshError>(())
    /// ```
    ///
    /// # Errors
    /// As [`TriMesh::new`]. A position beyond the range of f32 is not finite.
    pub fn from_f64<P: Into<[f64; 3]>>(
        positions: impl IntoIterator<Item = P>,
        triangles: Vec<[u32; 3]>,
        is_enabled: bool,
    ) -> Result<Recentred<Self>, MeshError> {
        let positions: Vec<DVec3> =
            positions.into_iter().map(|p| DVec3::from_array(p.into())).collect();
        let mut triangles = triangles;
        let mut first: Option<Self> = None;
        let read = |recentring: &mut Recentring| {
            let local: Vec<Vec3> = positions.iter().map(|&p| recentring.local(p)).collect();
            if let Some(first) = &first {
                return first.with_positions(local);
            }
            let mesh = Self::from_vecs(local, mem::take(&mut triangles))?;
            if shift_to_middle(mesh.bounds(), NEAR_SIDES).is_some() {
                first = Some(mesh.clone());
            }
            Ok(mesh)
        };
        let Recentred { value, offset, rounded_by } = recentre(is_enabled, read, Self::bounds)?;
        Ok(Recentred { value: value.with_offset(offset), offset, rounded_by })
    }

    /// The position of a vertex in the coordinates of its file, in f64.
    ///
    /// Without an offset, its f32 position. Otherwise the number of fewest decimals that has the same
    /// position relative to the [offset](Self::offset), so a file of plain decimals is written as it was read.
    ///
    /// # Panics
    /// If there is no such vertex.
    pub fn file_position(&self, vertex: u32) -> DVec3 {
        self.to_file(self.positions()[vertex as usize])
    }

    /// [`file_position`](Self::file_position) of a position in local space.
    pub fn to_file(&self, local: Vec3) -> DVec3 {
        let offset = self.offset();
        if offset == DVec3::ZERO {
            return local.as_dvec3();
        }
        let shortest = |axis: usize| shortest_with(offset[axis], local[axis]);
        DVec3::new(shortest(0), shortest(1), shortest(2))
    }

    /// Whether text must hold positions in f64 to give the same mesh again: the mesh has an offset, or is so
    /// far from the origin that a reader might give it one.
    pub fn needs_f64(&self) -> bool {
        self.offset() != DVec3::ZERO || shift_to_middle(self.bounds(), NEAR_SIDES).is_some()
    }

    /// The bounds in the coordinates of the file, in f64: the [bounds](Self::bounds) plus the
    /// [offset](Self::offset). `None` without triangles.
    pub fn file_bounds(&self) -> Option<[DVec3; 2]> {
        let bounds = self.bounds();
        let [min, max] = [bounds.min, bounds.max].map(|p| p.as_dvec3() + self.offset());
        (!bounds.is_empty()).then_some([min, max])
    }
}

/// The number of fewest decimals whose difference to `offset` rounds to `local`.
fn shortest_with(offset: f64, local: f32) -> f64 {
    // No f64 has more than 17 digits; this many follow the point, where every offset has digits before it.
    const MAX_DECIMALS: usize = 20;
    let sum = offset + f64::from(local);
    let is_same = |x: f64| (x - offset) as f32 == local;
    let with = |decimals: usize| format!("{sum:.decimals$}").parse::<f64>().ok();
    (0..=MAX_DECIMALS).filter_map(with).find(|&x| is_same(x)).unwrap_or(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cube of a size at a place, each corner on a decimal grid.
    fn cube(at: [f64; 3], size: f64) -> Vec<[f64; 3]> {
        let corner = |i: usize| [0, 1, 2].map(|axis| at[axis] + size * ((i >> axis) & 1) as f64);
        (0..8).map(corner).collect()
    }

    const FACES: [[u32; 3]; 4] = [[0, 1, 2], [1, 3, 2], [4, 6, 5], [5, 6, 7]];

    fn mesh_of(positions: &[[f64; 3]]) -> Recentred<TriMesh> {
        TriMesh::from_f64(positions.iter().copied(), FACES.to_vec(), true).unwrap()
    }

    #[test]
    fn a_small_cube_far_away_keeps_its_size() {
        for (at, size) in
            [([500_000.0, 5_400_000.0, 300.0], 0.01), ([1e7, -3e7, 2e9], 1.0), ([1e5; 3], 1e-5)]
        {
            let positions = cube(at, size);
            let mesh = mesh_of(&positions).value;
            let sides = mesh.bounds().max.as_dvec3() - mesh.bounds().min.as_dvec3();
            // The file's own rounding to f64 remains.
            let tolerance = 1e-6 * size + 4.0 * f64::EPSILON * at[2].max(at[1].abs());
            for side in sides.to_array() {
                assert!((side - size).abs() <= tolerance, "{at:?} {size}: {side}");
            }
            assert_eq!(mesh.n_degenerate(), 0);
            assert!(longest_side(mesh.bounds()) >= f64::from(mesh.bounds().max_abs_coordinate()));
        }
    }

    #[test]
    fn near_meshes_and_f32_numbers_keep_their_bits() {
        let near = mesh_of(&cube([3.1, 0.2, 7.3], 0.9));
        assert_eq!((near.offset, near.rounded_by), (DVec3::ZERO, 0.0));
        assert_eq!(near.value.positions()[0].to_array(), [3.1f32, 0.2, 7.3]);
        // Whole metres fit.
        let whole = mesh_of(&cube([500_000.0, 5_400_000.0, 300.0], 12.0));
        assert_eq!((whole.offset, whole.rounded_by), (DVec3::ZERO, 0.0));
        let thirds = mesh_of(&cube([500_000.0, 5_400_000.0, 300.0], 12.3));
        assert_ne!(thirds.offset, DVec3::ZERO);
    }

    #[test]
    fn without_recentring_the_loss_is_told() {
        let positions = cube([500_000.1, 5_400_000.1, 300.0], 10.0);
        let off = TriMesh::from_f64(positions.clone(), FACES.to_vec(), false).unwrap();
        assert_eq!(off.value.offset(), DVec3::ZERO);
        assert!((0.05..0.25).contains(&off.rounded_by), "{}", off.rounded_by);
        assert_eq!(
            off.value.positions()[0].as_dvec3(),
            DVec3::from(positions[0]).as_vec3().as_dvec3()
        );
    }

    #[test]
    fn file_positions_are_the_decimals_of_the_file() {
        let mut positions = cube([454_321.123, 5_411_222.75, 512.004], 8.4);
        for position in &mut positions {
            *position = position.map(|x| (x * 1000.0).round() / 1000.0);
        }
        let mesh = mesh_of(&positions).value;
        for (vertex, position) in positions.iter().enumerate() {
            let found = mesh.file_position(vertex as u32).to_array();
            assert_eq!(found.map(f64::to_bits), position.map(f64::to_bits));
        }
    }

    #[test]
    fn an_offset_has_few_bits_and_unused_vertices_do_not_count() {
        let mut positions = cube([454_321.123, 5_411_222.75, 512.004], 8.4);
        let offset = mesh_of(&positions).offset;
        assert_eq!(offset, (offset * 8.0).round() / 8.0);
        positions.push([0.0; 3]);
        assert_eq!(mesh_of(&positions).offset, offset);
        let empty = TriMesh::from_f64([[1e9, 0.1, 0.1]], vec![], true).unwrap();
        assert_eq!(empty.offset, DVec3::ZERO);
    }

    #[test]
    fn a_power_of_two_times_its_reciprocal_is_one() {
        for exponent in -1022..=1022 {
            let power = 2f64.powi(exponent);
            assert_eq!(reciprocal_of_power_of_two(power), 1.0 / power, "2^{exponent}");
        }
    }

    #[test]
    fn a_position_beyond_f32_is_an_error() {
        let error = TriMesh::from_f64([[1e39, 0.0, 0.0]], vec![], true).unwrap_err();
        assert!(error.to_string().starts_with("vertex 0 is at"), "{error}");
    }
}
