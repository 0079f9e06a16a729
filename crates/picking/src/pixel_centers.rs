//! A grid of pixel centres in a rectangle of the screen.

use std::ops::Range;

use glam::DVec2;

/// The width and height of the blocks in which a grid lists its centres.
const BLOCK: [u64; 2] = [8, 4];

/// The maximum number of centres that [`PixelCenters::mean_overlap_is_at_most`] marks.
const MAX_MARKS: u64 = 1 << 24;

/// Pixel centres (x.5, y.5) in a closed rectangle, `stride` pixels apart.
pub(crate) struct PixelCenters {
    /// The centre with the minimum coordinates.
    first: DVec2,
    stride: f64,
    /// The number of columns and rows.
    n: [u64; 2],
    /// The strides of coarser grids whose centres are not listed.
    coarser: &'static [u64],
}

/// A rectangle of the grid.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CenterRange {
    columns: Range<u64>,
    rows: Range<u64>,
}

impl PixelCenters {
    /// Every `stride`-th centre in both directions. A stride of 1 takes all.
    pub(crate) fn in_rectangle(min: DVec2, max: DVec2, stride: u32) -> Self {
        let stride = f64::from(stride);
        let first = (min - 0.5).ceil() + 0.5 + (0.5 * stride).floor();
        let n = [0, 1].map(|axis| n_steps(first[axis], max[axis], stride));
        Self { first, stride, n, coarser: &[] }
    }

    /// Every centre, except those of the grids with these even strides in the same rectangle.
    pub(crate) fn except_coarser(min: DVec2, max: DVec2, coarser: &'static [u64]) -> Self {
        Self { coarser, ..Self::in_rectangle(min, max, 1) }
    }

    /// The centres in a rectangle, and possibly one more in each direction.
    pub(crate) fn within(&self, min: DVec2, max: DVec2) -> CenterRange {
        let (low, high) = ((min - self.first) / self.stride, (max - self.first) / self.stride);
        let range = |axis: usize| {
            // A cast of a float saturates at 0.
            low[axis].floor() as u64..(high[axis].ceil() as u64).saturating_add(1).min(self.n[axis])
        };
        CenterRange { columns: range(0), rows: range(1) }
    }

    /// The centre at a position of the Halton sequence (Halton, "On the Efficiency of Certain Quasi-Random
    /// Sequences of Points", 1960) in a range. `None` if the range is empty.
    pub(crate) fn spread(&self, range: &CenterRange, position: u32) -> Option<DVec2> {
        let at = |range: &Range<u64>, base: u32| {
            let n = range.end.checked_sub(range.start).filter(|&n| n > 0)?;
            let share = radical_inverse(position + 1, base);
            Some((range.start + ((share * n as f64) as u64).min(n - 1)) as f64)
        };
        let step = DVec2::new(at(&range.columns, 2)?, at(&range.rows, 3)?);
        Some(self.first + self.stride * step)
    }

    fn is_in_coarser(&self, column: u64, row: u64) -> bool {
        self.coarser.iter().any(|&n| column % n == n / 2 && row % n == n / 2)
    }

    /// The centres of a range. Aligned runs of 32 are neighbours on the screen.
    pub(crate) fn centers_of(&self, range: CenterRange) -> impl Iterator<Item = DVec2> {
        let CenterRange { columns, rows } = range;
        let blocks = |range: &Range<u64>, axis: usize| {
            let (end, len) = (range.end, BLOCK[axis]);
            range.clone().step_by(len as usize).map(move |start| start..(start + len).min(end))
        };
        let column_blocks = blocks(&columns, 0);
        blocks(&rows, 1)
            .flat_map(move |rows| {
                column_blocks.clone().flat_map(move |columns| {
                    let row_of = move |row| columns.clone().map(move |column| [column, row]);
                    rows.clone().flat_map(row_of)
                })
            })
            .filter(|&[column, row]| !self.is_in_coarser(column, row))
            .map(|[column, row]| self.first + self.stride * DVec2::new(column as f64, row as f64))
    }

    /// Whether at most `max` of the ranges hold a centre, in the mean of the centres in any of them. Tests at most
    /// `max` times as many as the grid has.
    pub(crate) fn mean_overlap_is_at_most(&self, max: u64, ranges: &[CenterRange]) -> bool {
        let n_of = |range: &Range<u64>| range.end.saturating_sub(range.start);
        let n = ranges.iter().fold(0u64, |n, CenterRange { columns, rows }| {
            n.saturating_add(n_of(columns).saturating_mul(n_of(rows)))
        });
        let n_centers = self.n[0].saturating_mul(self.n[1]);
        if n_centers > MAX_MARKS || n > max * n_centers {
            return false;
        }
        let mut is_held = vec![false; n_centers as usize];
        for CenterRange { columns, rows } in ranges {
            for row in rows.clone() {
                let start = row * self.n[0];
                let held = (start + columns.start) as usize..(start + columns.end) as usize;
                is_held.get_mut(held).into_iter().for_each(|held| held.fill(true));
            }
        }
        n <= max * is_held.into_iter().filter(|&is_held| is_held).count() as u64
    }

    /// The number of bands: runs of four rows.
    pub(crate) fn n_bands(&self) -> u64 {
        self.n[1].div_ceil(BLOCK[1])
    }

    /// Lists the centres of a band that lie in the columns of one of the ranges, each once. Aligned runs of
    /// 32 are neighbours on the screen.
    pub(crate) fn for_each_in_band<'a>(
        &self,
        band: u64,
        ranges: impl Iterator<Item = &'a CenterRange>,
        mut on_center: impl FnMut(DVec2),
    ) {
        let rows = band * BLOCK[1]..((band + 1) * BLOCK[1]).min(self.n[1]);
        let in_band = ranges
            .filter(|range| range.rows.start < rows.end && rows.start < range.rows.end)
            .map(|range| range.columns.clone());
        for columns in union_of(in_band.collect()) {
            self.centers_of(CenterRange { columns, rows: rows.clone() }).for_each(&mut on_center);
        }
    }
}

/// The digits of a number in a base, mirrored at the point: evenly spread in [0, 1) for 0, 1, 2 and so on.
fn radical_inverse(mut number: u32, base: u32) -> f64 {
    let (mut inverse, mut digit) = (0.0, 1.0);
    while number > 0 {
        digit /= f64::from(base);
        inverse += digit * f64::from(number % base);
        number /= base;
    }
    inverse
}

/// The number of values `first`, `first + stride` and so on until `last`.
fn n_steps(first: f64, last: f64, stride: f64) -> u64 {
    // In this form a NaN has no steps.
    let is_any = first <= last;
    if !is_any {
        return 0;
    }
    // Beyond 2^53 adding one pixel has no effect.
    if first + 1.0 == first {
        return 1;
    }
    // The division may round up to the next step.
    let n = ((last - first) / stride) as u64 + 1;
    if first + stride * (n - 1) as f64 > last { n - 1 } else { n }
}

/// The union of ranges, in order and without overlap.
pub(crate) fn union_of(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.sort_unstable_by_key(|range| range.start);
    let mut union: Vec<Range<u64>> = vec![];
    for range in ranges {
        match union.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => union.push(range),
        }
    }
    union
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_without_coarser_ones_holds_the_other_centers() {
        for (min, max) in [([0.0, 0.0], [40.0, 21.0]), ([-7.3, 3.5], [30.49, 3.5])] {
            let (min, max) = (DVec2::from(min), DVec2::from(max));
            let centers = |grid: &PixelCenters| centers_in(grid, &[grid.within(min, max)]);
            let mut parts = centers(&PixelCenters::except_coarser(min, max, &[2, 4, 8]));
            for stride in [2, 4, 8] {
                parts.extend(centers(&PixelCenters::in_rectangle(min, max, stride)));
            }
            parts.sort_unstable_by(|a, b| a.partial_cmp(b).expect("finite"));
            assert_eq!(parts, centers(&PixelCenters::in_rectangle(min, max, 1)));
        }
    }

    #[test]
    fn overlaps_are_counted_where_a_range_is() {
        let grid = PixelCenters::in_rectangle(DVec2::ZERO, DVec2::splat(100.0), 1);
        let range = |x: f64| grid.within(DVec2::new(x, 10.0), DVec2::new(x + 9.0, 19.0));
        let equal = vec![range(20.0); 4];
        assert!(grid.mean_overlap_is_at_most(4, &equal));
        assert!(!grid.mean_overlap_is_at_most(3, &equal));
        let apart: Vec<CenterRange> = (0..5).map(|i| range(20.0 * f64::from(i))).collect();
        assert!(grid.mean_overlap_is_at_most(1, &apart));
        let all = grid.within(DVec2::ZERO, DVec2::splat(100.0));
        assert!(!grid.mean_overlap_is_at_most(2, &vec![all; 3]));
        assert!(grid.mean_overlap_is_at_most(1, &[]));
        let empty = PixelCenters::in_rectangle(DVec2::splat(2.0), DVec2::splat(1.0), 1);
        let range = empty.within(DVec2::ZERO, DVec2::ONE);
        assert!(empty.mean_overlap_is_at_most(1, &[range]));
    }

    #[test]
    fn the_centers_of_a_range_are_those_of_its_bands() {
        let grid = PixelCenters::in_rectangle(DVec2::new(0.3, 1.0), DVec2::splat(60.0), 1);
        for (min, max) in
            [([0.0, 0.0], [60.0, 60.0]), ([10.5, 20.5], [37.5, 29.5]), ([70.0; 2], [80.0; 2])]
        {
            let range = grid.within(min.into(), max.into());
            let mut centers: Vec<[f64; 2]> =
                grid.centers_of(range.clone()).map(|center| center.to_array()).collect();
            centers.sort_unstable_by(|a, b| a.partial_cmp(b).expect("finite"));
            let mut expected = centers_in(&grid, std::slice::from_ref(&range));
            let row = |center: &[f64; 2]| (center[1] - grid.first.y) as u64;
            expected.retain(|center| range.rows.contains(&row(center)));
            assert_eq!(centers, expected, "{min:?} to {max:?}");
        }
    }

    #[test]
    fn spread_centers_are_different_ones_of_the_range() {
        let (min, max) = (DVec2::new(0.3, 0.0), DVec2::new(50.0, 50.0));
        let grid = PixelCenters::in_rectangle(min, max, 1);
        let range = grid.within(DVec2::new(10.5, 20.5), DVec2::new(19.5, 28.5));
        let all = centers_in(&grid, std::slice::from_ref(&range));
        let mut spread: Vec<[f64; 2]> = (0..8)
            .filter_map(|round| grid.spread(&range, round))
            .map(|center| center.to_array())
            .collect();
        spread.sort_unstable_by(|a, b| a.partial_cmp(b).expect("finite"));
        spread.dedup();
        assert_eq!(spread.len(), 8);
        assert!(spread.iter().all(|center| all.contains(center)), "{spread:?}");
        let beyond = grid.within(DVec2::splat(60.0), DVec2::splat(70.0));
        assert_eq!(grid.spread(&beyond, 0), None);
    }

    fn centers_in(grid: &PixelCenters, ranges: &[CenterRange]) -> Vec<[f64; 2]> {
        let mut centers = vec![];
        for band in 0..grid.n_bands() {
            grid.for_each_in_band(band, ranges.iter(), |center| centers.push(center.to_array()));
        }
        centers.sort_unstable_by(|a, b| a.partial_cmp(b).expect("finite"));
        centers
    }

    #[test]
    fn ranges_hold_each_center_once() {
        for (min, max) in [
            ([0.0, 0.0], [40.0, 21.0]),
            ([-7.3, 31.5], [30.49, 31.5]),
            ([0.2, 0.2], [0.4, 9.0]),
            ([0.5, 0.5], [33.5, 5.5]),
        ] {
            let (min, max) = (DVec2::from(min), DVec2::from(max));
            for stride in [1, 2, 4, 16] {
                let grid = PixelCenters::in_rectangle(min, max, stride);
                let offset = i64::from(stride / 2);
                let first = [0, 1].map(|axis| (min[axis] - 0.5).ceil() as i64 + offset);
                let mut expected = vec![];
                for x in (first[0]..50).step_by(stride as usize) {
                    for y in (first[1]..50).step_by(stride as usize) {
                        let center = DVec2::new(x as f64 + 0.5, y as f64 + 0.5);
                        if center.cmpge(min).all() && center.cmple(max).all() {
                            expected.push(center.to_array());
                        }
                    }
                }
                expected.sort_unstable_by(|a, b| a.partial_cmp(b).expect("finite"));
                let all = [grid.within(min, max)];
                assert_eq!(centers_in(&grid, &all), expected, "{min} to {max}, {stride}");
                // Two overlapping parts hold the centres in them, and few others.
                let parts = [
                    (min, min + 0.6 * (max - min)),
                    (min + DVec2::new(0.4, 0.5) * (max - min), max),
                ];
                let ranges = parts.map(|(min, max)| grid.within(min, max));
                let found = centers_in(&grid, &ranges);
                assert!(found.is_sorted_by(|a, b| a < b), "{min} to {max}, {stride}");
                for &center in &expected {
                    let is_in = |slack: f64| {
                        parts.iter().any(|&(min, max)| {
                            let center = DVec2::from(center);
                            center.cmpge(min - slack).all() && center.cmple(max + slack).all()
                        })
                    };
                    assert!(!is_in(0.0) || found.contains(&center), "{center:?}");
                    let slack = f64::from(stride) * BLOCK[1] as f64;
                    assert!(is_in(slack) || !found.contains(&center), "{center:?}");
                }
            }
        }
    }

    #[test]
    fn far_from_zero_the_last_center_stays_in_the_rectangle() {
        let n = |first: f64, last: f64| n_steps(first, last, 1.0);
        assert_eq!((n(0.5, 0.4), n(0.5, 0.5), n(0.5, 1.4), n(0.5, 1.5)), (0, 1, 1, 2));
        let first = 2f64.powi(50) + 0.5;
        assert_eq!((n(first, first + 7.25), n(first, first + 7.0)), (8, 8));
        let last: f64 = 1e6 + 0.5;
        assert_eq!((n(0.5, last.next_down()), n(0.5, last)), (1_000_000, 1_000_001));
        assert_eq!((n(2f64.powi(60), 2f64.powi(61)), n(f64::NAN, 1.0)), (1, 0));
        assert_eq!((n_steps(2.5, 10.4, 4.0), n_steps(2.5, 10.5, 4.0)), (2, 3));
    }

    #[test]
    fn a_union_of_ranges_has_no_overlap() {
        assert_eq!(union_of(vec![5..7, 0..2, 1..3, 7..8]), [0..3, 5..8]);
        assert_eq!(union_of(vec![]), []);
    }
}
