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

/// How much processor time tests may take: so many times what they take without a mutant, and a few seconds.
/// Other work on the machine, which may hold this one still, does not count, unless nothing moves for long.
const PATIENCE: f64 = 4.0;
const LEAST_SECONDS: f64 = 5.0;
const STANDSTILL: Duration = Duration::from_secs(1800);

/// Runs what has no result yet.
pub(crate) fn run(woven: &str, tests: &str, results: &str) -> Result<(), String> {
    let mutants: Vec<Mutant> = read(woven)?;
    let tests = tests::read(tests)?;
    let done: BTreeMap<String, Outcome> = outcomes(results)?;
    let mut file =
        OpenOptions::new().create(true).append(true).open(results).map_err(|e| e.to_string())?;
    let mut usual = Vec::new();
    for tests in &tests {
        let (failure, seconds) = first_failure(tests, 0, f64::INFINITY);
        if let Failure::Of(test) = failure {
            return Err(format!("{} without a mutant: {test}", tests.program));
        }
        println!("{}: {seconds:.1} s without a mutant", tests.program);
        usual.push(seconds);
    }
    for mutant in
        mutants.iter().filter(|mutant| mutant.is_woven && !done.contains_key(&mutant.name))
    {
        let mut outcome = Outcome {
            name: mutant.name.clone(),
            came: "missed".into(),
            by: String::new(),
            seconds: 0.0,
        };
        for (tests, usual) in order(&mutant.package, &tests, &usual) {
            let (failure, seconds) =
                first_failure(tests, mutant.id, PATIENCE * usual + LEAST_SECONDS);
            outcome.seconds += seconds;
            match failure {
                Failure::None => continue,
                Failure::Of(test) => (outcome.came, outcome.by) = ("caught".into(), test),
                Failure::Time => outcome.came = "timeout".into(),
            }
            break;
        }
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

/// Runs tests until one of them fails; says too how much processor time they took.
fn first_failure(tests: &Tests, mutant: u32, patience: f64) -> (Failure, f64) {
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
    let Ok(mut child) = child else { return (Failure::Of("cannot be started".to_owned()), 0.0) };
    let end = Instant::now() + STANDSTILL;
    let lines = lines_of(&mut child);
    let mut seconds = 0.0;
    loop {
        let next = lines.recv_timeout(Duration::from_millis(200));
        seconds = cpu_seconds(&child).unwrap_or(seconds);
        match next {
            Ok(line) => {
                let test =
                    line.strip_prefix("test ").and_then(|line| line.strip_suffix(" ... FAILED"));
                if let Some(test) = test {
                    stop(&mut child);
                    return (Failure::Of(test.to_owned()), seconds);
                }
            }
            Err(RecvTimeoutError::Timeout) if seconds > patience || Instant::now() > end => {
                stop(&mut child);
                return (Failure::Time, seconds);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    let failure = match child.wait() {
        Ok(status) if status.success() => Failure::None,
        // A signal: memory ran out, or was not ours.
        Ok(status) => Failure::Of(status.to_string()),
        Err(error) => Failure::Of(error.to_string()),
    };
    (failure, seconds)
}

/// What a process has had of the processors; `None` where that is not told, or once it has ended.
fn cpu_seconds(child: &Child) -> Option<f64> {
    const TICKS: f64 = 100.0;
    let text = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).ok()?;
    // After the name, which may hold anything, user and system time are the twelfth and thirteenth.
    let after = text.rsplit_once(") ")?.1;
    let ticks: Option<Vec<f64>> =
        after.split(' ').skip(11).take(2).map(|n| n.parse().ok()).collect();
    Some(ticks?.iter().sum::<f64>() / TICKS).filter(|&seconds| seconds > 0.0)
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
