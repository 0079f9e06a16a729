//! The report of `hitscan check`: a row for each kind of tree and shape of calls.

use std::io::{self, Write};

use clap::ValueEnum;
use hitscan::Isa;
use serde::Serialize;

use super::rays::{NAMES, Shape};
use super::tally::{Difference, Tally};
use crate::args::{CheckArgs, LayoutArg, QualityArg};

/// A kind of tree.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Variant {
    /// [`REFIT`](Self::REFIT), or a quality of the flags.
    pub(super) quality: String,
    isa: &'static str,
    pub(super) layout: String,
}

impl Variant {
    /// The quality of a tree of high quality that was built for a displaced mesh, and refitted.
    const REFIT: &str = "refit";

    /// `quality` is `None` for a refitted tree.
    pub(super) fn new(quality: Option<QualityArg>, layout: LayoutArg, isa: Isa) -> Self {
        let quality = quality.map_or_else(|| Self::REFIT.to_owned(), name);
        Self { quality, isa: isa.name(), layout: name(layout) }
    }

    /// The flags of `hitscan cast`.
    fn flags(&self) -> String {
        let Self { quality, isa, layout } = self;
        let quality = match &**quality {
            Self::REFIT => String::new(),
            quality => format!(" --quality {quality}"),
        };
        format!("{quality} --layout {layout} --isa {isa}")
    }
}

/// The name of a flag's value.
fn name(value: impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// The counts of one kind of tree, for rays in one shape of calls, or for points, regions and filters.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    #[serde(flatten)]
    variant: Variant,
    #[serde(skip_serializing_if = "Option::is_none")]
    shape: Option<&'static str>,
    #[serde(flatten)]
    pub(super) tally: Tally,
}

impl Row {
    pub(super) fn new(variant: Variant, shape: Option<Shape>) -> Self {
        Self { variant, shape: shape.map(Shape::name), tally: Tally::default() }
    }

    fn write_start(&self, out: &mut impl Write) -> io::Result<()> {
        let Variant { quality, isa, layout } = &self.variant;
        write!(out, "{quality:<9} {isa:<8} {layout:<8}")
    }

    fn write_difference(&self, difference: &Difference, out: &mut impl Write) -> io::Result<()> {
        let Variant { quality, isa, layout } = &self.variant;
        let Difference { query, case, expected, found } = difference;
        let shape = self.shape.map_or_else(String::new, |shape| format!("{shape}, "));
        writeln!(out, "difference in {query}, {shape}{quality}, {layout}, {isa}")?;
        // A command stays whole.
        let is_command = self.shape.is_some();
        writeln!(out, "  {}", if is_command { case.clone() } else { shortened(case) })?;
        writeln!(out, "  expected {}", shortened(expected))?;
        writeln!(out, "  found    {}", shortened(found))
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct Report {
    file: String,
    rays: usize,
    seed: u64,
    /// The number of compared answers.
    answers: u64,
    differences: u64,
    /// A sentence for each.
    invalid_trees: Vec<String>,
    ray_queries: Vec<Row>,
    other_queries: Vec<Row>,
}

impl Report {
    /// `of_rays` has the rows of rays, `of_places` those of points, regions and filters.
    pub(super) fn new(
        args: &CheckArgs,
        invalid_trees: Vec<String>,
        mut of_rays: Vec<Row>,
        of_places: Vec<Row>,
    ) -> Self {
        let file = args.file.display().to_string();
        for Row { variant, tally, .. } in &mut of_rays {
            for Difference { case, .. } in &mut tally.first {
                *case = format!("hitscan cast {file} {case}{}", variant.flags());
            }
        }
        let rows = || of_rays.iter().chain(&of_places);
        Self {
            rays: args.rays,
            seed: args.seed,
            answers: rows().map(|row| row.tally.n_answers()).sum(),
            differences: rows().map(|row| row.tally.n_differences()).sum(),
            file,
            invalid_trees,
            ray_queries: of_rays,
            other_queries: of_places,
        }
    }

    /// Whether every answer is right and every tree valid.
    pub(crate) fn is_clean(&self) -> bool {
        self.differences == 0 && self.invalid_trees.is_empty()
    }

    pub(crate) fn write_text(&self, out: &mut impl Write) -> io::Result<()> {
        write!(out, "{:<9} {:<8} {:<8} {:<13}", "quality", "isa", "layout", "shape")?;
        NAMES.iter().try_for_each(|query| write!(out, " {query:>9}"))?;
        writeln!(out, "   (differences)")?;
        for row in &self.ray_queries {
            row.write_start(out)?;
            write!(out, " {:<13}", row.shape.unwrap_or_default())?;
            for query in NAMES {
                match row.tally.queries.get(query) {
                    Some(counts) => write!(out, " {:>9}", counts.differences)?,
                    // There is no such batch.
                    None => write!(out, " {:>9}", "-")?,
                }
            }
            writeln!(out)?;
        }
        self.invalid_trees.iter().try_for_each(|invalid| writeln!(out, "{invalid}"))?;
        let of_row = |row| move |difference| (row, difference);
        let differences =
            self.ray_queries.iter().flat_map(|row| row.tally.first.iter().map(of_row(row)));
        for (row, difference) in differences.take(10) {
            row.write_difference(difference, out)?;
        }
        self.write_other_queries(out)?;
        let trees = match &*self.invalid_trees {
            [] => "all trees valid".to_owned(),
            invalid => format!("{} invalid trees", invalid.len()),
        };
        let Self { rays, seed, answers, differences, .. } = self;
        writeln!(
            out,
            "{rays} rays (seed {seed}), {answers} answers compared, {differences} differences, {trees}"
        )
    }

    /// Writes the second table and the first difference of each of its rows.
    fn write_other_queries(&self, out: &mut impl Write) -> io::Result<()> {
        let Some(first) = self.other_queries.first() else { return Ok(()) };
        let queries: Vec<&str> = first.tally.queries.keys().copied().collect();
        if queries.is_empty() {
            return Ok(());
        }
        writeln!(out, "\nPoints, regions and filters, a query per column: differences")?;
        write!(out, "{:<9} {:<8} {:<8}", "quality", "isa", "layout")?;
        queries.iter().try_for_each(|query| write!(out, " {query}"))?;
        writeln!(out)?;
        for row in &self.other_queries {
            row.write_start(out)?;
            for query in &queries {
                let n = row.tally.queries.get(query).map_or(0, |counts| counts.differences);
                write!(out, " {n:>width$}", width = query.len())?;
            }
            writeln!(out)?;
        }
        for row in &self.other_queries {
            if let Some(difference) = row.tally.first.first() {
                row.write_difference(difference, out)?;
            }
        }
        Ok(())
    }
}

/// The first 600 characters of a text, since a thousand hits help no reader.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 600;
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{} ... ({} bytes)", &text[..end], text.len()),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: CheckArgs,
    }

    #[test]
    fn a_difference_names_the_command_that_repeats_it() {
        let Line { args } = Line::parse_from(["hitscan", "m.obj"]);
        let isa = Isa::available()[0];
        let row = |quality, shape| {
            let mut row = Row::new(Variant::new(quality, LayoutArg::Compact, isa), shape);
            let texts = || ["--from=0,0,9 --closest", "1", "2"].map(str::to_owned);
            row.tally.count("closest", false, texts);
            row
        };
        let of_rays =
            vec![row(Some(QualityArg::High), Some(Shape::Batch)), row(None, Some(Shape::Single))];
        let report = Report::new(&args, vec!["broken".to_owned()], of_rays, vec![row(None, None)]);
        let mut text = Vec::new();
        report.write_text(&mut text).unwrap();
        let (text, isa) = (String::from_utf8(text).unwrap(), isa.name());
        let answers = "  expected 1\n  found    2\n";
        for part in [
            format!("difference in closest, batch, high, compact, {isa}\n"),
            format!(
                "  hitscan cast m.obj --from=0,0,9 --closest --quality high --layout compact --isa {isa}\n{answers}"
            ),
            // No flag asks for a refitted tree.
            format!(
                "  hitscan cast m.obj --from=0,0,9 --closest --layout compact --isa {isa}\n{answers}"
            ),
            format!(
                "difference in closest, refit, compact, {isa}\n  --from=0,0,9 --closest\n{answers}"
            ),
            "3 answers compared, 3 differences, 1 invalid trees\n".to_owned(),
        ] {
            assert!(text.contains(&part), "no {part} in {text}");
        }
        assert!(!report.is_clean());
    }
}
