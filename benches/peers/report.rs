//! Tables, in Markdown, so that they can be read in a terminal and in a record.

use std::fmt::Write as _;

use crate::compare::{Cell, Comparison, Row};
use crate::stats::{self, Estimate};

/// All engines on one scene.
pub(crate) fn table(comparison: &Comparison) -> String {
    let mut text = format!("\n### {}, {} triangles\n\n", comparison.scene, comparison.n_triangles);
    for set in &comparison.sets {
        let reference = set.reference.as_deref().unwrap_or("nothing");
        let percent = 100.0 * set.hit_share;
        let (name, n_rays) = (set.name, set.n_rays);
        writeln!(text, "- {name}: {n_rays} rays, {percent:.0} % hit, ratio to {reference}")
            .expect("a string can be written to");
    }
    text.push('\n');
    let mut lines = vec![vec!["engine".to_owned()]];
    lines[0].extend(comparison.sets.iter().map(|set| format!("{}, Mrays/s (ratio)", set.name)));
    lines[0].extend(["build ms", "B/tri", "peak B/tri", "differ"].map(str::to_owned));
    lines.extend(comparison.rows.iter().map(|row| line(row, comparison.n_triangles)));
    text.push_str(&aligned(&lines));
    for row in &comparison.rows {
        if let Some(failure) = &row.failure {
            writeln!(text, "\n{}: {failure}", row.name).expect("a string can be written to");
        }
    }
    text
}

fn line(row: &Row, n_triangles: usize) -> Vec<String> {
    let mut line = vec![row.name.clone()];
    line.extend(row.cells.iter().map(|cell| cell.as_ref().map_or_else(absent, speed)));
    let per_triangle = |bytes: Option<usize>| {
        bytes
            .map_or_else(absent, |bytes| format!("{:.0}", bytes as f64 / n_triangles.max(1) as f64))
    };
    match &row.build {
        Some(build) => line.extend([
            format!("{:.1}", build.ms.median),
            per_triangle(build.kept_bytes),
            per_triangle(build.peak_bytes),
        ]),
        None => line.extend([absent(), absent(), absent()]),
    }
    let differences = row.cells.iter().flatten().map(|cell| cell.differences);
    let (hit_or_miss, t) = differences
        .fold((0, 0), |(hits, t), differences| (hits + differences.hit_or_miss, t + differences.t));
    line.push(if hit_or_miss + t == 0 { "0".to_owned() } else { format!("{hit_or_miss} + {t}") });
    line
}

fn speed(cell: &Cell) -> String {
    let mrays = 1e3 / cell.ns_per_ray.median;
    cell.ratio
        .map_or_else(|| format!("{mrays:.2}"), |ratio| format!("{mrays:.2} ({})", range(ratio)))
}

fn range(estimate: Estimate) -> String {
    let Estimate { median, low, high } = estimate;
    format!("{median:.2}, {low:.2} to {high:.2}")
}

fn absent() -> String {
    "-".to_owned()
}

/// Geometric means of the ratios over all scenes, by ray set and over all; empty without scenes.
pub(crate) fn summary(comparisons: &[Comparison]) -> String {
    let Some(first) = comparisons.first() else { return String::new() };
    let scenes: Vec<_> = comparisons.iter().map(|comparison| comparison.scene.as_str()).collect();
    let mut text = format!("\n### Geometric means of the ratios over {}\n\n", scenes.join(", "));
    let mut lines = vec![vec!["engine".to_owned()]];
    lines[0].extend(first.sets.iter().map(|set| set.name.to_owned()));
    lines[0].extend(["all".to_owned(), "differ".to_owned()]);
    for (which, row) in first.rows.iter().enumerate() {
        let rows: Vec<&Row> =
            comparisons.iter().map(|comparison| &comparison.rows[which]).collect();
        let mut line = vec![row.name.clone()];
        let sets = 0..first.sets.len();
        line.extend(sets.clone().map(|set| mean(&rows, set..set + 1)));
        line.push(mean(&rows, sets));
        let cells = rows.iter().flat_map(|row| row.cells.iter().flatten());
        line.push(cells.map(|cell| cell.differences.total()).sum::<usize>().to_string());
        lines.push(line);
    }
    text.push_str(&aligned(&lines));
    text
}

/// The mean over some ray sets of all scenes; absent unless every cell is there.
fn mean(rows: &[&Row], sets: std::ops::Range<usize>) -> String {
    let cells = rows.iter().flat_map(|row| row.cells[sets.clone()].iter());
    let ratios: Option<Vec<&[f64]>> = cells
        .map(|cell| cell.as_ref().map(|cell| cell.ratios.as_slice()))
        .map(|ratios| ratios.filter(|ratios| !ratios.is_empty()))
        .collect();
    ratios.map_or_else(absent, |ratios| range(stats::geometric_mean(&ratios)))
}

/// A Markdown table; the first line is its head. Text to the left, figures to the right.
fn aligned(lines: &[Vec<String>]) -> String {
    let n_columns = lines[0].len();
    let width = |column: usize| {
        lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0).max(3)
    };
    let widths: Vec<usize> = (0..n_columns).map(width).collect();
    let mut text = String::new();
    for (n, line) in lines.iter().enumerate() {
        for (column, (field, width)) in line.iter().zip(&widths).enumerate() {
            if column == 0 {
                write!(text, "| {field:<width$} ").expect("a string can be written to");
            } else {
                write!(text, "| {field:>width$} ").expect("a string can be written to");
            }
        }
        text.push_str("|\n");
        if n == 0 {
            let rule = |(column, width): (usize, &usize)| {
                let dashes = "-".repeat(width - 1);
                if column == 0 { format!("| {dashes}- ") } else { format!("| {dashes}: ") }
            };
            text.extend(widths.iter().enumerate().map(rule));
            text.push_str("|\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_a_table_is_as_wide_as_its_head() {
        let line = |fields: [&str; 3]| fields.map(str::to_owned).to_vec();
        let text = aligned(&[line(["engine", "x", "y"]), line(["a", "1.00 (2)", "-"])]);
        let widths: Vec<_> = text.lines().map(|line| line.chars().count()).collect();
        assert_eq!(widths, [widths[0]; 3], "{text}");
        assert!(text.contains("| ------ | -------: | --: |"), "{text}");
    }
}
