//! The comparison of a mesh or a scene, chunk by chunk.

use super::rays::{Expected, Shape};
use super::report::{Report, Row, Variant};
use super::tally::Tally;
use crate::args::CheckArgs;
use crate::messages;

/// A mesh or scene under comparison.
pub(crate) trait Subject {
    type Ray;
    /// Points, regions and rays with filters, with the answers of brute force.
    type Places;

    /// The kinds of trees, in the order of the report.
    fn variants(&self) -> Vec<Variant>;

    /// A sentence for each tree that breaks a rule of its layout.
    ///
    /// # Errors
    /// A tree that cannot be built.
    fn invalid_trees(&mut self) -> anyhow::Result<Vec<String>>;

    /// Makes the trees of a variant those to compare.
    ///
    /// # Errors
    /// A tree that cannot be built.
    fn choose(&mut self, variant: usize) -> anyhow::Result<()>;

    /// The next rays, and places for a sixteenth of their number.
    fn next(&mut self, n_rays: usize) -> (Expected<Self::Ray>, Self::Places);

    fn compare(&self, expected: &Expected<Self::Ray>, shape: Shape) -> Tally;

    fn compare_places(&self, places: &Self::Places) -> Tally;
}

/// The number of rays whose brute-force answers are in memory at a time.
const CHUNK: usize = 1 << 13;

/// Compares every query of a mesh or scene with brute force, for each kind of tree.
///
/// # Errors
/// A tree that cannot be built.
pub(crate) fn check(mut subject: impl Subject, args: &CheckArgs) -> anyhow::Result<Report> {
    let invalid_trees = subject.invalid_trees()?;
    let mut rows: Vec<[Row; 3]> = Vec::new();
    let mut rows_of_places = Vec::new();
    for variant in subject.variants() {
        rows.push(Shape::ALL.map(|shape| Row::new(variant.clone(), Some(shape))));
        rows_of_places.push(Row::new(variant, None));
    }
    let bar = messages::counter("checking", Some(args.rays as u64));
    let mut n_done = 0;
    // Once also without rays.
    while n_done < args.rays || n_done == 0 {
        let n = CHUNK.min(args.rays - n_done);
        let (expected, places) = subject.next(n);
        for (i, rows) in rows.iter_mut().enumerate() {
            subject.choose(i)?;
            for (shape, row) in Shape::ALL.into_iter().zip(rows) {
                row.tally.add(subject.compare(&expected, shape));
            }
            rows_of_places[i].tally.add(subject.compare_places(&places));
        }
        n_done += n;
        bar.set_position(n_done as u64);
        if n == 0 {
            break;
        }
    }
    bar.finish_and_clear();
    let rows = rows.into_iter().flatten().collect();
    Ok(Report::new(args, invalid_trees, rows, rows_of_places))
}
