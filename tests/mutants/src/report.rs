//! The page that the repository keeps.

use std::collections::BTreeMap;

use crate::mutant::{Mutant, read, text_of};
use crate::run::{Outcome, outcomes};

/// Prints the page; `head` is what it begins with, `judged` has a line for each survivor that was looked at:
/// its name, ` :: `, and what is to be said of it.
pub(crate) fn report(woven: &str, results: &str, judged: &str, head: &str) -> Result<(), String> {
    let mutants: Vec<Mutant> = read(woven)?;
    let outcomes = outcomes(results)?;
    let judged = text_of(judged)?;
    let judged: BTreeMap<&str, &str> =
        judged.lines().filter_map(|line| line.split_once(" :: ")).collect();
    print!("{}", text_of(head)?);
    println!(
        "\n| crate | drawn | cannot be woven | caught | by a timeout | missed | judged equal | caught of those that differ |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|");
    let mut packages: Vec<&str> = mutants.iter().map(|mutant| mutant.package.as_str()).collect();
    packages.dedup();
    for package in packages.iter().map(|&package| Some(package)).chain([None]) {
        let of_package: Vec<&Mutant> = mutants
            .iter()
            .filter(|mutant| package.is_none_or(|package| mutant.package == package))
            .collect();
        let came = |what: &str| {
            let is = |mutant: &&&Mutant| {
                outcomes.get(&mutant.name).is_some_and(|outcome| outcome.came == what)
            };
            of_package.iter().filter(is).count()
        };
        let (caught, timeout, missed) = (came("caught"), came("timeout"), came("missed"));
        let equal = of_package
            .iter()
            .filter(|mutant| {
                outcomes.get(&mutant.name).is_some_and(|outcome| outcome.came == "missed")
            })
            .filter(|mutant| {
                judged.get(mutant.name.as_str()).is_some_and(|why| why.starts_with("equal"))
            })
            .count();
        let share = |of: usize| 100.0 * (caught + timeout) as f64 / of.max(1) as f64;
        println!(
            "| {} | {} | {} | {caught} | {timeout} | {missed} | {equal} | {:.1} %, of all {:.1} % |",
            package.unwrap_or("all"),
            of_package.len(),
            of_package.iter().filter(|mutant| !mutant.is_woven).count(),
            share(caught + timeout + missed - equal),
            share(caught + timeout + missed),
        );
    }
    let names = |title: &str, is: &dyn Fn(&Mutant, Option<&Outcome>) -> bool| {
        println!("\n## {title}\n");
        for mutant in mutants.iter().filter(|mutant| is(mutant, outcomes.get(&mutant.name))) {
            let why =
                judged.get(mutant.name.as_str()).map_or(String::new(), |why| format!(": {why}"));
            println!("- `{}`{why}", mutant.name);
        }
    };
    names("Missed", &|_, outcome| outcome.is_some_and(|outcome| outcome.came == "missed"));
    names("Cannot be woven", &|mutant, _| !mutant.is_woven);
    names("Without a result", &|mutant, outcome| mutant.is_woven && outcome.is_none());
    Ok(())
}
