//! A grid of pixel centres in a rectangle of the screen.

use std::ops::Range;

use glam::DVec2;

/// The width and height of the blocks in which a grid lists its centres.
const BLOCK: [u64; 2] = [8, 4];

/// Pixel centres (x.5, y.5) in a closed rectangle, `stride` pixels apart.
pub(crate) struct PixelCenters {
    /// The centre with the minimum coordinates.
    first: DVec2,
    stride: f64,
    /// The number of columns and rows.
    n: [u64; 2],
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
        Self { first, stride, n }
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
            for block in columns.clone().step_by(BLOCK[0] as usize) {
                for row in rows.clone() {
                    for column in block..(block + BLOCK[0]).min(columns.end) {
                        let step = DVec2::new(column as f64, row as f64);
                        on_center(self.first + self.stride * step);
                    }
                }
            }
        }
    }
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

    fn centers_of(grid: &PixelCenters, ranges: &[CenterRange]) -> Vec<[f64; 2]> {
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
                assert_eq!(centers_of(&grid, &all), expected, "{min} to {max}, {stride}");
                // Two overlapping parts hold the centres in them, and few others.
                let parts = [
                    (min, min + 0.6 * (max - min)),
                    (min + DVec2::new(0.4, 0.5) * (max - min), max),
                ];
                let ranges = parts.map(|(min, max)| grid.within(min, max));
                let found = centers_of(&grid, &ranges);
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
