//! Tables in Markdown, readable in a terminal and in a record.

use std::fmt::Write as _;

use crate::compare::{Build, Cell, Comparison, Row};
use crate::duel::{self, DUELS, Duel, Outcome};
use crate::engines::{COHERENT_PACKETS, Calls, REFERENCE, is_embree};
use crate::stats::{self, Estimate};

/// All engines on one scene, and the results of the duels there.
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
    lines[0].extend(["build ms", "Mtri/s", "B/tri", "peak B/tri", "differ"].map(str::to_owned));
    lines.extend(comparison.rows.iter().map(|row| line(row, comparison.n_triangles)));
    text.push_str(&aligned(&lines));
    for row in &comparison.rows {
        if let Some(failure) = &row.failure {
            writeln!(text, "\n{}: {failure}", row.name).expect("a string can be written to");
        }
    }
    text.push('\n');
    text.push_str(&duels(comparison));
    text
}

/// The duels of one scene, a line for each ray set.
fn duels(comparison: &Comparison) -> String {
    let mut lines = vec![duel_titles("rays")];
    for (number, set) in comparison.sets.iter().enumerate() {
        let mut line = vec![set.name.to_owned()];
        line.extend(DUELS.map(|duel| {
            duel.outcome(comparison, number).map_or_else(absent, |outcome| told(&duel, &outcome))
        }));
        lines.push(line);
    }
    aligned(&lines)
}

fn duel_titles(first: &str) -> Vec<String> {
    let titles = DUELS.iter().map(|duel| duel.title);
    std::iter::once(first).chain(titles).map(str::to_owned).collect()
}

fn told(duel: &Duel, outcome: &Outcome) -> String {
    let ratio = range(stats::estimate(&outcome.ratios));
    let opponent = outcome.opponent.as_str();
    if duel.names_its_opponent { format!("{ratio} ({opponent})") } else { ratio }
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
            format!("{:.2}", build.mtri_per_s),
            per_triangle(build.kept_bytes),
            per_triangle(build.peak_bytes),
        ]),
        None => line.extend([absent(), absent(), absent(), absent()]),
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

pub(crate) fn range(estimate: Estimate) -> String {
    let Estimate { median, low, high } = estimate;
    format!("{median:.2}, {low:.2} to {high:.2}")
}

pub(crate) fn absent() -> String {
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

/// The table of the repository's README: geometric means over all ray sets and scenes, as multiples of the
/// reference. Empty without scenes.
///
/// Its rows are fair: batches stand beside packets with and without the flag for coherent rays, and beside
/// the fastest configuration of Embree in each cell.
pub(crate) fn readme_rows(comparisons: &[Comparison]) -> String {
    let Some(first) = comparisons.first() else { return String::new() };
    let all = 0..first.sets.len();
    let of_row = |row: &Row| {
        let which = first.rows.iter().position(|other| other.name == row.name);
        let rows =
            which.map(|which| comparisons.iter().map(|c| &c.rows[which]).collect::<Vec<_>>());
        rows.map_or_else(absent, |rows| mean(&rows, all.clone()))
    };
    let of_name =
        |name: &str| first.rows.iter().find(|row| row.name == name).map_or_else(absent, of_row);
    let ours = |calls| duel::our_default(first, calls).map_or_else(absent, of_row);
    // The fastest row of each cell, as a multiple of the reference.
    let fastest = |may: fn(&Row) -> bool| {
        let mut ratios: Vec<Vec<f64>> = Vec::new();
        for comparison in comparisons {
            for set in all.clone() {
                let reference = duel::fastest(comparison, set, |row| row.name == REFERENCE);
                let best = duel::fastest(comparison, set, may);
                if let (Some((_, best)), Some((_, reference))) = (best, reference) {
                    ratios.push(duel::ratios(best, reference));
                }
            }
        }
        if ratios.is_empty() {
            return absent();
        }
        range(stats::geometric_mean(&ratios.iter().map(Vec::as_slice).collect::<Vec<_>>()))
    };
    let lines = [
        ["engine", "single rays", "many rays at once"].map(str::to_owned),
        ["hitscan".to_owned(), ours(Calls::Single), ours(Calls::Batch)],
        ["Embree, default".to_owned(), of_name(REFERENCE), of_name(COHERENT_PACKETS)],
        [
            "Embree, packets without the flag".to_owned(),
            absent(),
            of_name("embree packets, no flag"),
        ],
        [
            "Embree, fastest configuration of each cell".to_owned(),
            fastest(|row| is_embree(&row.name) && row.calls == Calls::Single),
            fastest(|row| is_embree(&row.name)),
        ],
        ["Embree, robust".to_owned(), of_name("embree robust"), absent()],
        ["obvhs".to_owned(), fastest(|row| row.name.starts_with("obvhs")), absent()],
        ["parry3d".to_owned(), of_name("parry3d"), absent()],
    ];
    let scenes: Vec<_> = comparisons.iter().map(|comparison| comparison.scene.as_str()).collect();
    format!(
        "\n### Rows of the README: multiples of {REFERENCE} over {}\n\n{}",
        scenes.join(", "),
        aligned(&lines.map(|line| line.to_vec()))
    )
}

/// The duels over all scenes: geometric means by ray set, the worst cells, and batches of incoherent
/// rays on large trees. Empty without scenes.
pub(crate) fn duel_summary(comparisons: &[Comparison]) -> String {
    let Some(first) = comparisons.first() else { return String::new() };
    let mut lines = vec![duel_titles("rays, means of all scenes")];
    let sets = 0..first.sets.len();
    let names = first.sets.iter().map(|set| set.name).chain(["all"]);
    let ranges = sets.clone().map(|set| set..set + 1).chain([sets.clone()]);
    for (name, sets) in names.zip(ranges) {
        let mut line = vec![name.to_owned()];
        line.extend(DUELS.map(|duel| {
            let cells = cells(comparisons, &duel, |_, set| sets.contains(&set));
            let ratios: Vec<&[f64]> =
                cells.iter().map(|(.., outcome)| outcome.ratios.as_slice()).collect();
            if ratios.is_empty() { absent() } else { range(stats::geometric_mean(&ratios)) }
        }));
        lines.push(line);
    }
    let mut text = String::from("\n### Duels\n\n");
    text.push_str(&aligned(&lines));
    text.push_str("\nWorst cells:\n\n");
    for duel in DUELS {
        let cells = cells(comparisons, &duel, |_, _| true);
        let worst = cells.iter().min_by(|(.., a), (.., b)| {
            stats::median(&a.ratios).total_cmp(&stats::median(&b.ratios))
        });
        if let Some((scene, set, outcome)) = worst {
            let ratio = range(stats::estimate(&outcome.ratios));
            writeln!(text, "- {}: {ratio} ({scene}, {set}, to {})", duel.title, outcome.opponent)
                .expect("a string can be written to");
        }
    }
    for comparison in comparisons.iter().filter(|comparison| comparison.n_triangles >= 4_000_000) {
        let [.., batch, _] = &DUELS;
        let is_incoherent = |set: &str| ["diffuse", "random"].contains(&set);
        let cells = cells(std::slice::from_ref(comparison), batch, |comparison, set| {
            is_incoherent(comparison.sets[set].name)
        });
        let ratios: Vec<&[f64]> =
            cells.iter().map(|(.., outcome)| outcome.ratios.as_slice()).collect();
        if !ratios.is_empty() {
            let (scene, mean) = (&comparison.scene, range(stats::geometric_mean(&ratios)));
            writeln!(text, "\nIncoherent {} on {scene} (diffuse, random): {mean}", batch.title)
                .expect("a string can be written to");
        }
    }
    text
}

/// A duel's outcomes in some cells, with scene and ray set.
fn cells<'a>(
    comparisons: &'a [Comparison],
    duel: &Duel,
    counts: impl Fn(&Comparison, usize) -> bool,
) -> Vec<(&'a str, &'static str, Outcome)> {
    let mut cells = Vec::new();
    for comparison in comparisons {
        for (number, set) in comparison.sets.iter().enumerate() {
            if counts(comparison, number) {
                let outcome = duel.outcome(comparison, number);
                cells.extend(outcome.map(|outcome| (comparison.scene.as_str(), set.name, outcome)));
            }
        }
    }
    cells
}

/// Builds on all scenes: speed, and bytes per triangle; empty without scenes.
pub(crate) fn builds(comparisons: &[Comparison]) -> String {
    let Some(first) = comparisons.first() else { return String::new() };
    let mut lines = vec![vec!["engine".to_owned()]];
    let columns = comparisons.iter().map(|comparison| format!("{}, Mtri/s", comparison.scene));
    lines[0].extend(columns);
    lines[0].extend(["mean, Mtri/s", "max B/tri", "max at the peak"].map(str::to_owned));
    for (which, row) in first.rows.iter().enumerate() {
        let builds = || comparisons.iter().map(|comparison| comparison.rows[which].build.as_ref());
        let mut line = vec![row.name.clone()];
        line.extend(
            builds()
                .map(|build| build.map_or_else(absent, |build| format!("{:.2}", build.mtri_per_s))),
        );
        let speeds: Vec<f64> = builds().flatten().map(|build| build.mtri_per_s).collect();
        let speeds: Vec<&[f64]> = speeds.iter().map(std::slice::from_ref).collect();
        line.push(if speeds.len() == comparisons.len() {
            format!("{:.2}", stats::geometric_mean(&speeds).median)
        } else {
            absent()
        });
        let max = |bytes: fn(&Build) -> Option<usize>| {
            let per_triangle = comparisons.iter().filter_map(|comparison| {
                let bytes = bytes(comparison.rows[which].build.as_ref()?)?;
                Some(bytes as f64 / comparison.n_triangles.max(1) as f64)
            });
            let max = per_triangle.max_by(f64::total_cmp);
            max.map_or_else(absent, |max| format!("{max:.0}"))
        };
        line.extend([max(|build| build.kept_bytes), max(|build| build.peak_bytes)]);
        lines.push(line);
    }
    format!("\n### Builds\n\n{}", aligned(&lines))
}

/// The gain from more threads: the speedup of builds and rays. Both sides have the same scenes and
/// engines.
pub(crate) fn threads(one: &[Comparison], many: &[Comparison], n_threads: usize) -> String {
    let Some(first) = one.first() else { return String::new() };
    let mut text = format!("\n### {n_threads} threads against one\n\n");
    let mut lines = vec![vec!["engine".to_owned()]];
    lines[0].extend(one.iter().map(|comparison| format!("build {}", comparison.scene)));
    lines[0].extend(["rays, mean", "min"].map(str::to_owned));
    for (which, row) in first.rows.iter().enumerate() {
        let mut line = vec![row.name.clone()];
        let pairs = || one.iter().zip(many).map(|(a, b)| (&a.rows[which], &b.rows[which]));
        line.extend(pairs().map(|(one, many)| match (&one.build, &many.build) {
            (Some(one), Some(many)) => format!("{:.2}", one.ms.median / many.ms.median),
            _ => absent(),
        }));
        let cells = pairs().flat_map(|(one, many)| one.cells.iter().zip(&many.cells));
        let gains: Vec<f64> = cells
            .filter_map(|(one, many)| {
                Some(one.as_ref()?.ns_per_ray.median / many.as_ref()?.ns_per_ray.median)
            })
            .collect();
        let min = gains.iter().copied().min_by(f64::total_cmp);
        let gains: Vec<&[f64]> = gains.iter().map(std::slice::from_ref).collect();
        line.push(
            min.map_or_else(absent, |_| format!("{:.2}", stats::geometric_mean(&gains).median)),
        );
        line.push(min.map_or_else(absent, |min| format!("{min:.2}")));
        lines.push(line);
    }
    text.push_str(&aligned(&lines));
    text
}

/// Nanoseconds per ray and builds against the number of triangles; one scene in several sizes.
pub(crate) fn growth(sizes: &[Comparison]) -> String {
    let Some(first) = sizes.first() else { return String::new() };
    let mut text =
        format!("\n### Growth: {} in {} sizes, one thread\n\n", first.scene, sizes.len());
    let mut lines = vec![vec!["triangles".to_owned()]];
    for (which, row) in first.rows.iter().enumerate() {
        for set in &first.sets {
            lines[0].push(format!("{}, {}, ns/ray", row.name, set.name));
        }
        if row.calls == Calls::Single {
            lines[0].extend([format!("{}, Mtri/s", row.name), format!("{}, B/tri", row.name)]);
        }
        for (number, size) in sizes.iter().enumerate() {
            if which == 0 {
                lines.push(vec![size.n_triangles.to_string()]);
            }
            let own = &size.rows[which];
            let line = &mut lines[number + 1];
            line.extend(own.cells.iter().map(|cell| {
                cell.as_ref().map_or_else(absent, |cell| format!("{:.1}", cell.ns_per_ray.median))
            }));
            if row.calls == Calls::Single {
                let kept = own.build.and_then(|build| build.kept_bytes);
                line.extend([
                    own.build.map_or_else(absent, |build| format!("{:.2}", build.mtri_per_s)),
                    kept.map_or_else(absent, |kept| {
                        format!("{:.0}", kept as f64 / size.n_triangles as f64)
                    }),
                ]);
            }
        }
    }
    text.push_str(&aligned(&lines));
    text
}

/// The mean over some ray sets of all scenes; absent unless every cell has a value.
fn mean(rows: &[&Row], sets: std::ops::Range<usize>) -> String {
    let cells = rows.iter().flat_map(|row| row.cells[sets.clone()].iter());
    let ratios: Option<Vec<&[f64]>> = cells
        .map(|cell| cell.as_ref().map(|cell| cell.ratios.as_slice()))
        .map(|ratios| ratios.filter(|ratios| !ratios.is_empty()))
        .collect();
    ratios.map_or_else(absent, |ratios| range(stats::geometric_mean(&ratios)))
}

/// A Markdown table; the first line is its head. Text aligns left, figures align right.
pub(crate) fn aligned(lines: &[Vec<String>]) -> String {
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
    use crate::duel::tests::comparison;

    /// Batches stand beside packets with and without the flag, and beside the fastest row of all.
    #[test]
    fn the_rows_of_the_readme_include_the_fairest() {
        let mut comparison = comparison(&[
            ("hitscan best", Calls::Single, 100.0),
            ("hitscan batch", Calls::Batch, 50.0),
            (REFERENCE, Calls::Single, 120.0),
            ("embree high", Calls::Single, 80.0),
            (COHERENT_PACKETS, Calls::Packets, 40.0),
            ("embree packets, no flag", Calls::Packets, 60.0),
        ]);
        for cell in comparison.rows.iter_mut().flat_map(|row| row.cells.iter_mut().flatten()) {
            cell.ratios = cell.repetitions.iter().map(|ns| 120.0 / ns).collect();
        }
        let text = readme_rows(&[comparison]);
        for (engine, single, many) in [
            ("hitscan", "1.20", "2.40"),
            ("Embree, default", "1.00", "3.00"),
            ("Embree, packets without the flag", "-", "2.00"),
            ("Embree, fastest configuration of each cell", "1.50", "3.00"),
        ] {
            let line = text.lines().find(|line| line.starts_with(&format!("| {engine} ")));
            let cells: Vec<&str> = line.unwrap_or_default().split('|').map(str::trim).collect();
            assert!(cells.len() == 5, "no row {engine:?} in {text}");
            assert!(cells[2].starts_with(single) && cells[3].starts_with(many), "{text}");
        }
    }

    #[test]
    fn every_line_of_a_table_is_as_wide_as_its_head() {
        let line = |fields: [&str; 3]| fields.map(str::to_owned).to_vec();
        let text = aligned(&[line(["engine", "x", "y"]), line(["a", "1.00 (2)", "-"])]);
        let widths: Vec<_> = text.lines().map(|line| line.chars().count()).collect();
        assert_eq!(widths, [widths[0]; 3], "{text}");
        assert!(text.contains("| ------ | -------: | --: |"), "{text}");
    }
}
