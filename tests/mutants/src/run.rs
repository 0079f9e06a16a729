//! Running the tests with one mutant after the other.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::mutant::{Mutant, read, text_of};
use crate::tests::{self, Tests};

/// What came of a mutant.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Outcome {
    pub(crate) name: String,
    /// `caught`, `timeout` or `missed`.
    pub(crate) came: String,
    /// The test that failed.
    #[serde(default)]
    pub(crate) by: String,
    pub(crate) seconds: f64,
}

/// How long tests may take: so many times what they take without a mutant, and a few seconds.
const PATIENCE: f64 = 5.0;
const LEAST_SECONDS: f64 = 10.0;

/// Runs what has no result yet.
pub(crate) fn run(woven: &str, tests: &str, results: &str) -> Result<(), String> {
    let mutants: Vec<Mutant> = read(woven)?;
    let tests = tests::read(tests)?;
    let done: BTreeMap<String, Outcome> = outcomes(results)?;
    let mut file =
        OpenOptions::new().create(true).append(true).open(results).map_err(|e| e.to_string())?;
    let mut usual = Vec::new();
    for tests in &tests {
        let start = Instant::now();
        if let Failure::Of(test) = first_failure(tests, 0, Duration::from_secs(3600)) {
            return Err(format!("{} without a mutant: {test}", tests.program));
        }
        usual.push(start.elapsed().as_secs_f64());
        println!("{}: {:.1} s without a mutant", tests.program, start.elapsed().as_secs_f64());
    }
    for mutant in
        mutants.iter().filter(|mutant| mutant.is_woven && !done.contains_key(&mutant.name))
    {
        let start = Instant::now();
        let mut outcome = Outcome {
            name: mutant.name.clone(),
            came: "missed".into(),
            by: String::new(),
            seconds: 0.0,
        };
        for (tests, usual) in order(&mutant.package, &tests, &usual) {
            let patience = Duration::from_secs_f64(PATIENCE * usual + LEAST_SECONDS);
            match first_failure(tests, mutant.id, patience) {
                Failure::None => continue,
                Failure::Of(test) => (outcome.came, outcome.by) = ("caught".into(), test),
                Failure::Time => outcome.came = "timeout".into(),
            }
            break;
        }
        outcome.seconds = start.elapsed().as_secs_f64();
        println!("{} {} {} {:.1} s", outcome.came, mutant.name, outcome.by, outcome.seconds);
        let line = serde_json::to_string(&outcome).expect("plain numbers and strings");
        writeln!(file, "{line}").map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// The tests of the crate itself, then those of the crates above it, quick ones first, with what they usually
/// take.
fn order<'a>(package: &str, tests: &'a [Tests], usual: &'a [f64]) -> Vec<(&'a Tests, f64)> {
    let sees = |tests: &Tests| {
        package == "hitscan-primitives"
            || [package, "hitscan-testkit"].contains(&tests.package.as_str())
    };
    let mut order: Vec<(&Tests, f64)> =
        tests.iter().zip(usual.iter().copied()).filter(|(tests, _)| sees(tests)).collect();
    order.sort_by(|(a, a_takes), (b, b_takes)| {
        let is_other = |tests: &Tests| tests.package != package;
        is_other(a).cmp(&is_other(b)).then(a_takes.total_cmp(b_takes))
    });
    order
}

/// What is known, by name.
pub(crate) fn outcomes(results: &str) -> Result<BTreeMap<String, Outcome>, String> {
    if !Path::new(results).exists() {
        return Ok(BTreeMap::new());
    }
    let outcome =
        |line: &str| serde_json::from_str(line).map_err(|error| format!("{results}: {error}"));
    text_of(results)?
        .lines()
        .map(|line| outcome(line).map(|o: Outcome| (o.name.clone(), o)))
        .collect()
}

enum Failure {
    None,
    Of(String),
    Time,
}

/// Runs tests until one of them fails.
fn first_failure(tests: &Tests, mutant: u32, patience: Duration) -> Failure {
    // A mutant may ask for all memory there is.
    let child = Command::new("sh")
        .args(["-c", "ulimit -v 12000000; exec \"$@\"", "sh", &tests.program])
        .args(&tests.arguments)
        .current_dir(&tests.folder)
        .env("CARGO_MANIFEST_DIR", &tests.folder)
        .env("HITSCAN_MUTANT", mutant.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = child else { return Failure::Of("cannot be started".to_owned()) };
    let end = Instant::now() + patience;
    let lines = lines_of(&mut child);
    loop {
        match lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(line) => {
                let test =
                    line.strip_prefix("test ").and_then(|line| line.strip_suffix(" ... FAILED"));
                if let Some(test) = test {
                    stop(&mut child);
                    return Failure::Of(test.to_owned());
                }
            }
            Err(RecvTimeoutError::Timeout) => {
                stop(&mut child);
                return Failure::Time;
            }
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    match child.wait() {
        Ok(status) if status.success() => Failure::None,
        // A signal: memory ran out, or was not ours.
        Ok(status) => Failure::Of(format!("{status}")),
        Err(error) => Failure::Of(error.to_string()),
    }
}

fn stop(child: &mut Child) {
    // It may have ended by itself.
    let _ = child.kill();
    let _ = child.wait();
}

fn lines_of(child: &mut Child) -> Receiver<String> {
    let (sender, receiver) = channel();
    if let Some(output) = child.stdout.take() {
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
    }
    receiver
}
