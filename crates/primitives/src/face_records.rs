//! The polygons of a file that the triangles of a mesh were cut from.

use std::ops::Range;

use thiserror::Error;

/// The source polygon of each triangle, and the names and the source line of each polygon.
///
/// A mesh read from a file keeps here, for each polygon in the file's order, its object, group,
/// material, smoothing group and source line. A run of equal values is stored once, so a mesh of one
/// object costs a few bytes. Look-ups are binary searches: O(log runs). A polygon before the first run
/// has no value.
///
/// ```
/// use hitscan_primitives::{FaceRecords, PolygonProperties};
///
/// let mut properties = PolygonProperties { names: vec!["glass".to_owned()], ..Default::default() };
/// properties.materials.push(1, Some(0));
/// // A quad, cut into two triangles, and a triangle.
/// let records = FaceRecords::from_triangle_counts([2, 1]).with_properties(properties)?;
/// assert_eq!((records.polygon(1), records.polygon(2)), (0, 1));
/// assert_eq!((records.material(0), records.material(1)), (None, Some("glass")));
/// # Ok::<(), hitscan_primitives::FaceRecordsError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FaceRecords {
    polygons: PolygonMap,
    properties: PolygonProperties,
}

/// The names, smoothing groups and source lines of polygons: the parts of [`FaceRecords`].
///
/// The fields are public and unchecked. [`FaceRecords::with_properties`] checks the name indices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PolygonProperties {
    /// The names that the runs below refer to by index.
    pub names: Vec<String>,
    /// The object (`o`) of each polygon, as an index into `names`.
    pub objects: Runs<Option<u32>>,
    /// The groups (`g`) of each polygon, as an index into `names`; several names of one statement
    /// are one entry, separated by spaces.
    pub groups: Runs<Option<u32>>,
    /// The material (`usemtl`) of each polygon, as an index into `names`.
    pub materials: Runs<Option<u32>>,
    /// The smoothing group (`s`) of each polygon; 0 is off.
    pub smoothing: Runs<u32>,
    /// The source line of each polygon, 1-based.
    pub lines: LineRuns,
}

/// A polygon that refers to a name beyond the list of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("polygon {polygon} has {kind} name {index}, expected less than {n_names}")]
pub struct FaceRecordsError {
    /// The kind of the name: object, group or material.
    pub kind: &'static str,
    /// The first polygon of the run.
    pub polygon: u32,
    /// The index found there.
    pub index: u32,
    /// The number of names.
    pub n_names: usize,
}

impl FaceRecords {
    /// Records of polygons with the given numbers of triangles, in order, and nothing else known.
    ///
    /// Polygon `p` is the triangles `sum(counts[..p])..sum(counts[..=p])`; a count may be zero.
    ///
    /// # Panics
    /// If there are 2^32 triangles or more.
    pub fn from_triangle_counts(counts: impl IntoIterator<Item = u32>) -> Self {
        Self { polygons: PolygonMap::new(counts), ..Self::default() }
    }

    /// Records of `n_triangles` polygons of one triangle each.
    pub fn one_triangle_each(n_triangles: u32) -> Self {
        Self { polygons: PolygonMap::Identity(n_triangles), ..Self::default() }
    }

    /// Records of polygons with nothing else known, from the first triangle of each polygon and, at the
    /// end, the number of triangles. `None` if the numbers do not start at 0, or fall.
    pub fn from_polygon_starts(starts: Vec<u32>) -> Option<Self> {
        (starts.first() == Some(&0) && starts.is_sorted())
            .then(|| Self { polygons: PolygonMap::Starts(starts), ..Self::default() })
    }

    /// The same polygons with names, smoothing groups and source lines, in place of those before. O(runs).
    ///
    /// # Errors
    /// The first run of objects, else of groups, else of materials, whose name index is not an index
    /// into `properties.names`.
    pub fn with_properties(
        mut self,
        properties: PolygonProperties,
    ) -> Result<Self, FaceRecordsError> {
        let PolygonProperties { names, objects, groups, materials, .. } = &properties;
        for (kind, runs) in [("object", objects), ("group", groups), ("material", materials)] {
            for (polygon, &index) in runs.iter() {
                if let Some(index) = index.filter(|&index| index as usize >= names.len()) {
                    return Err(FaceRecordsError { kind, polygon, index, n_names: names.len() });
                }
            }
        }
        self.properties = properties;
        Ok(self)
    }

    /// The first triangle of each polygon and, at the end, the number of triangles; `None` if every
    /// polygon is known to be a triangle.
    pub fn polygon_starts(&self) -> Option<&[u32]> {
        match &self.polygons {
            PolygonMap::Identity(_) => None,
            PolygonMap::Starts(starts) => Some(starts),
        }
    }

    /// The number of triangles.
    pub fn n_triangles(&self) -> usize {
        match &self.polygons {
            PolygonMap::Identity(n) => *n as usize,
            PolygonMap::Starts(starts) => starts.last().copied().unwrap_or(0) as usize,
        }
    }

    /// The number of polygons.
    pub fn n_polygons(&self) -> usize {
        match &self.polygons {
            PolygonMap::Identity(n) => *n as usize,
            PolygonMap::Starts(starts) => starts.len() - 1,
        }
    }

    /// The index of the polygon that a triangle was cut from, in the file's order. Unspecified for a
    /// triangle that does not exist.
    pub fn polygon(&self, triangle: u32) -> u32 {
        match &self.polygons {
            PolygonMap::Identity(_) => triangle,
            PolygonMap::Starts(starts) => {
                (starts.partition_point(|&start| start <= triangle) - 1) as u32
            }
        }
    }

    /// The triangles of a polygon.
    ///
    /// # Panics
    /// If there is no such polygon.
    pub fn triangles_of(&self, polygon: u32) -> Range<u32> {
        match &self.polygons {
            PolygonMap::Identity(n) => {
                assert!(polygon < *n, "polygon {polygon} of {n}");
                polygon..polygon + 1
            }
            PolygonMap::Starts(starts) => starts[polygon as usize]..starts[polygon as usize + 1],
        }
    }

    /// The records of the mesh in which every triangle is split in four.
    pub(crate) fn subdivided(&self) -> Self {
        let n_polygons = self.n_polygons() as u32;
        let counts = (0..n_polygons).map(|polygon| 4 * self.triangles_of(polygon).len() as u32);
        self.with_triangle_counts(counts)
    }

    /// The same polygons with other numbers of triangles.
    pub(crate) fn with_triangle_counts(&self, counts: impl IntoIterator<Item = u32>) -> Self {
        Self { polygons: PolygonMap::new(counts), ..self.clone() }
    }

    /// The names that the runs of objects, groups and materials refer to by index.
    pub fn names(&self) -> &[String] {
        &self.properties.names
    }

    /// The object of each polygon, as an index into [`names`](Self::names).
    pub fn objects(&self) -> &Runs<Option<u32>> {
        &self.properties.objects
    }

    /// The groups of each polygon, as an index into [`names`](Self::names).
    pub fn groups(&self) -> &Runs<Option<u32>> {
        &self.properties.groups
    }

    /// The material of each polygon, as an index into [`names`](Self::names).
    pub fn materials(&self) -> &Runs<Option<u32>> {
        &self.properties.materials
    }

    /// The smoothing group of each polygon; 0 is off.
    pub fn smoothing(&self) -> &Runs<u32> {
        &self.properties.smoothing
    }

    /// The source line of each polygon, 1-based.
    pub fn lines(&self) -> &LineRuns {
        &self.properties.lines
    }

    /// The object name of a polygon, if known.
    pub fn object(&self, polygon: u32) -> Option<&str> {
        self.name(self.objects(), polygon)
    }

    /// The group names of a polygon, separated by spaces, if known.
    pub fn group(&self, polygon: u32) -> Option<&str> {
        self.name(self.groups(), polygon)
    }

    /// The material name of a polygon, if known.
    pub fn material(&self, polygon: u32) -> Option<&str> {
        self.name(self.materials(), polygon)
    }

    fn name(&self, runs: &Runs<Option<u32>>, polygon: u32) -> Option<&str> {
        let index = (*runs.get(polygon)?)?;
        Some(&self.names()[index as usize])
    }
}

#[derive(Clone, Debug, PartialEq)]
enum PolygonMap {
    /// Every polygon is a triangle.
    Identity(u32),
    /// The first triangle of each polygon, and the number of triangles at the end.
    Starts(Vec<u32>),
}

impl Default for PolygonMap {
    fn default() -> Self {
        Self::Identity(0)
    }
}

impl PolygonMap {
    fn new(counts: impl IntoIterator<Item = u32>) -> Self {
        let mut starts = vec![0u32];
        let mut all_triangles = true;
        for count in counts {
            all_triangles &= count == 1;
            let last = starts[starts.len() - 1];
            starts.push(last.checked_add(count).expect("fewer than 2^32 triangles"));
        }
        if all_triangles { Self::Identity(starts.len() as u32 - 1) } else { Self::Starts(starts) }
    }
}

/// A list of values in which neighbours are often equal, stored once per run.
#[derive(Clone, Debug, PartialEq)]
pub struct Runs<T> {
    starts: Vec<u32>,
    values: Vec<T>,
}

impl<T> Default for Runs<T> {
    fn default() -> Self {
        Self { starts: Vec::new(), values: Vec::new() }
    }
}

impl<T> Runs<T> {
    /// The list that has the value `values[i]` from position `starts[i]` on. `None` if the numbers of
    /// values and starts differ, or the starts do not rise.
    pub fn from_parts(starts: Vec<u32>, values: Vec<T>) -> Option<Self> {
        let rises = starts.is_sorted_by(|a, b| a < b);
        (rises && starts.len() == values.len()).then_some(Self { starts, values })
    }
}

impl<T: PartialEq> Runs<T> {
    /// Sets the value from position `start` on. A second push at the same position replaces the first.
    ///
    /// # Panics
    /// If `start` is before the last run's start.
    pub fn push(&mut self, start: u32, value: T) {
        let last_start = self.starts.last().copied();
        assert!(last_start.is_none_or(|last| last <= start), "runs are pushed in order");
        if last_start == Some(start) {
            self.starts.pop();
            self.values.pop();
        }
        if self.values.last() != Some(&value) {
            self.starts.push(start);
            self.values.push(value);
        }
    }

    /// The value at a position; `None` before the first run.
    pub fn get(&self, position: u32) -> Option<&T> {
        let run = self.starts.partition_point(|&start| start <= position).checked_sub(1)?;
        self.values.get(run)
    }

    /// The runs in order, as first position and value.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        self.starts.iter().copied().zip(&self.values)
    }
}

/// The source line of each polygon: runs in which the line grows by one per polygon.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LineRuns {
    starts: Vec<u32>,
    lines: Vec<u64>,
}

impl LineRuns {
    /// The list in which polygon `starts[i]` stands on line `lines[i]`, and the polygons up to the next
    /// start on the lines that follow. `None` if the numbers of lines and starts differ, the starts do
    /// not rise, or a line is 2^63 or more.
    pub fn from_parts(starts: Vec<u32>, lines: Vec<u64>) -> Option<Self> {
        let rises = starts.is_sorted_by(|a, b| a < b);
        let countable = lines.iter().all(|&line| line < 1 << 63);
        (rises && countable && starts.len() == lines.len()).then_some(Self { starts, lines })
    }

    /// The runs in order, as first polygon and its line.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u64)> {
        self.starts.iter().copied().zip(self.lines.iter().copied())
    }

    /// Appends the line of a polygon, 1-based. Call it for every polygon, in order.
    pub fn push(&mut self, polygon: u32, line: u64) {
        let continues = match (self.starts.last(), self.lines.last()) {
            (Some(&start), Some(&first)) => first + u64::from(polygon - start) == line,
            _ => false,
        };
        if !continues {
            self.starts.push(polygon);
            self.lines.push(line);
        }
    }

    /// The line of a polygon, 1-based; `None` before the first polygon.
    pub fn get(&self, polygon: u32) -> Option<u64> {
        let run = self.starts.partition_point(|&start| start <= polygon).checked_sub(1)?;
        Some(self.lines[run] + u64::from(polygon - self.starts[run]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_find_their_polygon_across_empty_ones() {
        let records = FaceRecords::from_triangle_counts([2, 0, 1, 3]);
        let polygons: Vec<u32> = (0..6).map(|triangle| records.polygon(triangle)).collect();
        assert_eq!(polygons, [0, 0, 2, 3, 3, 3]);
        assert_eq!(records.triangles_of(3), 3..6);
        assert_eq!(records.triangles_of(1), 2..2);
        assert_eq!((records.n_polygons(), records.n_triangles()), (4, 6));
    }

    #[test]
    fn parts_that_make_no_records_are_rejected() {
        let whole = FaceRecords::from_triangle_counts([2, 0, 1]);
        let starts = whole.polygon_starts().map(<[u32]>::to_vec);
        assert_eq!(starts.and_then(FaceRecords::from_polygon_starts), Some(whole));
        for starts in [vec![], vec![1, 2], vec![0, 2, 1]] {
            assert_eq!(FaceRecords::from_polygon_starts(starts), None);
        }
        assert!(Runs::from_parts(vec![0, 3], vec!['a', 'a']).is_some());
        assert!(Runs::from_parts(vec![3, 3], vec!['a', 'b']).is_none());
        assert!(Runs::from_parts(vec![0], vec!['a', 'b']).is_none());
        assert!(LineRuns::from_parts(vec![0, 3], vec![9, 1]).is_some());
        assert!(LineRuns::from_parts(vec![0, 0], vec![9, 10]).is_none());
        assert!(LineRuns::from_parts(vec![0], vec![u64::MAX]).is_none());
    }

    #[test]
    fn a_name_index_beyond_the_names_is_refused() {
        let mut properties = PolygonProperties { names: vec![String::new()], ..Default::default() };
        properties.objects.push(0, Some(0));
        properties.materials.push(0, None);
        let records = FaceRecords::one_triangle_each(9);
        assert!(records.clone().with_properties(properties.clone()).is_ok());
        properties.materials.push(7, Some(1));
        let error = records.with_properties(properties).unwrap_err();
        assert_eq!(error.to_string(), "polygon 7 has material name 1, expected less than 1");
    }

    #[test]
    fn runs_merge_equal_neighbours_and_the_last_push_wins() {
        let mut runs = Runs::default();
        runs.push(0, 'a');
        runs.push(3, 'b');
        runs.push(3, 'a');
        runs.push(5, 'c');
        assert_eq!(runs.iter().collect::<Vec<_>>(), [(0, &'a'), (5, &'c')]);
        assert_eq!(runs.get(4), Some(&'a'));
    }

    #[test]
    fn consecutive_lines_are_one_run() {
        let mut lines = LineRuns::default();
        for (polygon, line) in [(0, 10), (1, 11), (2, 12), (3, 20)] {
            lines.push(polygon, line);
        }
        assert_eq!(lines.starts.len(), 2);
        assert_eq!((lines.get(2), lines.get(3)), (Some(12), Some(20)));
    }
}
