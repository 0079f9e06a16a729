//! The record of a run: all measurements as JSON, and a dated folder in `benches/record`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

use crate::Error;
use crate::compare::Comparison;
use crate::options::Options;
use crate::report;
use crate::timing::Clock;

/// The part of a heading about timed repetitions.
pub(crate) const TIMED: &str = ", interleaved; medians with their 95 % bootstrap interval";

/// The facts needed to judge a figure.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Circumstances {
    /// Year, month and day, UTC.
    date: String,
    /// The processor's name.
    machine: String,
    /// Its hardware threads.
    n_cores: usize,
    /// The system's load average over the last minute before the first timing.
    load_before: Option<f64>,
    /// The target features that the compiler may use everywhere; kernels choose more at run time.
    target_features: String,
    /// The compiler.
    rustc: String,
    /// The commit of the repository, with `+` if files were changed.
    commit: String,
    /// Engines outside of this build.
    engines: Vec<String>,
    /// The arguments of the program; paths without their folders.
    arguments: Vec<String>,
    /// Repetitions of each timing.
    repetitions: u32,
}

impl Circumstances {
    /// The circumstances of a run that starts now on this machine.
    pub(crate) fn now(options: &Options, engines: Vec<String>) -> Self {
        let days = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_secs() / 86_400);
        Self {
            date: date(days),
            machine: machine(),
            n_cores: std::thread::available_parallelism().map_or(1, usize::from),
            load_before: load_average(),
            target_features: target_features(),
            rustc: said_by("rustc", &["--version"]).unwrap_or_else(|| "unknown".to_owned()),
            commit: commit(),
            engines,
            arguments: std::env::args().skip(1).map(|text| without_folders(&text)).collect(),
            repetitions: options.reps,
        }
    }

    /// The start of a page; `repeated` follows the number of repetitions and describes them.
    pub(crate) fn heading(&self, title: &str, repeated: &str) -> String {
        let load = self.load_before.map_or_else(|| "unknown".to_owned(), |load| load.to_string());
        let engines: String = self.engines.iter().map(|engine| format!("; {engine}")).collect();
        format!(
            "# {title}, {}\n\n- {} ({} hardware threads), load average before: {load}\n\
             - {}; {}{engines}\n- commit {}\n- arguments: `{}`\n\
             - {} repetitions{repeated}\n",
            self.date,
            self.machine,
            self.n_cores,
            self.rustc,
            self.target_features,
            self.commit,
            self.arguments.join(" "),
            self.repetitions,
        )
    }
}

/// One run of the comparison.
#[derive(Debug, Serialize)]
pub(crate) struct Run {
    /// Machine, date and the like.
    pub(crate) circumstances: Circumstances,
    /// For one thread first, then for the requested number.
    pub(crate) tables: Vec<Tables>,
    /// One scene in several sizes; empty unless requested.
    pub(crate) growth: Vec<Comparison>,
}

/// All scenes with one number of threads.
#[derive(Debug, Serialize)]
pub(crate) struct Tables {
    /// The number.
    pub(crate) n_threads: usize,
    /// CPU time for one thread, wall time for more.
    pub(crate) clock: &'static str,
    /// The scenes.
    pub(crate) comparisons: Vec<Comparison>,
}

impl Tables {
    /// Tables to fill.
    pub(crate) fn new(n_threads: usize) -> Self {
        Self { n_threads, clock: Clock::name(n_threads), comparisons: Vec::new() }
    }

    /// `2-threads.md`
    fn file_name(&self, extension: &str) -> String {
        let plural = if self.n_threads == 1 { "" } else { "s" };
        format!("{}-thread{plural}.{extension}", self.n_threads)
    }

    fn heading(&self) -> String {
        let plural = if self.n_threads == 1 { "" } else { "s" };
        format!("\n## {} thread{plural}, {}\n", self.n_threads, self.clock)
    }
}

impl Run {
    /// The summary of all scenes.
    pub(crate) fn summary(&self) -> String {
        let mut text = String::new();
        for tables in &self.tables {
            text.push_str(&tables.heading());
            text.push_str(&report::readme_rows(&tables.comparisons));
            text.push_str(&report::duel_summary(&tables.comparisons));
            text.push_str(&report::summary(&tables.comparisons));
            text.push_str(&report::builds(&tables.comparisons));
        }
        if let [one, many] = self.tables.as_slice() {
            let (one, many, n_threads) = (&one.comparisons, &many.comparisons, many.n_threads);
            text.push_str(&report::threads(one, many, n_threads));
        }
        text.push_str(&report::growth(&self.growth));
        text
    }

    fn page(&self) -> String {
        let mut text = self.circumstances.heading("Engines compared", TIMED);
        text.push_str(
            "- differ: rays with another answer than hitscan's, hit or miss + t by more than 1e-4\n",
        );
        text.push_str("\nThe tables of each scene:");
        for tables in &self.tables {
            text.push_str(&format!(" [{0}]({0})", tables.file_name("md")));
        }
        text.push('\n');
        text.push_str(&self.summary());
        text
    }

    /// The page, and the figures behind it.
    pub(crate) fn files(&self) -> Result<Vec<File>, Error> {
        let mut files = vec![File { name: PAGE.to_owned(), text: self.page() }];
        for tables in &self.tables {
            let mut text = self.circumstances.heading("Engines compared, scene by scene", TIMED);
            text.push_str(&tables.heading());
            text.extend(tables.comparisons.iter().map(report::table));
            files.push(File { name: tables.file_name("md"), text });
            let figures = (&self.circumstances, tables);
            let text = serde_json::to_string(&figures)? + "\n";
            files.push(File { name: tables.file_name("json"), text });
        }
        if !self.growth.is_empty() {
            let figures = (&self.circumstances, &self.growth);
            let text = serde_json::to_string(&figures)? + "\n";
            files.push(File { name: "growth.json".to_owned(), text });
        }
        Ok(files)
    }
}

/// A file of a record.
#[derive(Debug)]
pub(crate) struct File {
    /// Its name in the record's folder.
    pub(crate) name: String,
    /// Its content.
    pub(crate) text: String,
}

/// The page of a record, which web pages show for its folder.
pub(crate) const PAGE: &str = "README.md";

/// Writes files into a new folder of that kind and returns its path.
pub(crate) fn write(
    circumstances: &Circumstances,
    kind: &str,
    files: &[File],
) -> io::Result<PathBuf> {
    let records = Path::new(env!("CARGO_MANIFEST_DIR")).join("../record");
    let name = format!("{}-{}{kind}", circumstances.date, slug(&circumstances.machine));
    let numbered = (2..).map(|n| format!("{name}-{n}"));
    let folder = std::iter::once(name.clone())
        .chain(numbered)
        .map(|name| records.join(name))
        .find(|folder| !folder.exists())
        .expect("there is always a next number");
    fs::create_dir_all(&folder)?;
    for file in files {
        fs::write(folder.join(&file.name), &file.text)?;
    }
    Ok(folder)
}

/// An argument in publishable form: only the last part of a path.
fn without_folders(argument: &str) -> String {
    let (option, value) = match argument.split_once('=') {
        Some((option, value)) => (format!("{option}="), value),
        None => (String::new(), argument),
    };
    let name = Path::new(value).file_name().unwrap_or_default();
    option + &name.to_string_lossy()
}

fn load_average() -> Option<f64> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    text.split_whitespace().next()?.parse().ok()
}

fn machine() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("model name"));
    let name = line.and_then(|line| line.split_once(':')).map(|(_, name)| name.trim().to_owned());
    name.unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

/// The target of this build.
pub(crate) fn target_features() -> String {
    let known = [
        ("avx2", cfg!(target_feature = "avx2")),
        ("fma", cfg!(target_feature = "fma")),
        ("avx512f", cfg!(target_feature = "avx512f")),
        ("avx512vl", cfg!(target_feature = "avx512vl")),
    ];
    let used: Vec<_> = known.iter().filter(|(_, used)| *used).map(|(name, _)| *name).collect();
    let arch = std::env::consts::ARCH;
    if used.is_empty() {
        format!("built for plain {arch}")
    } else {
        format!("built for {arch} with {}", used.join(", "))
    }
}

fn commit() -> String {
    let folder = env!("CARGO_MANIFEST_DIR");
    let Some(commit) = said_by("git", &["-C", folder, "rev-parse", "--short=12", "HEAD"]) else {
        return "unknown".to_owned();
    };
    let changes = said_by("git", &["-C", folder, "status", "--porcelain", "-uno"]);
    if changes.is_none_or(|changes| !changes.is_empty()) { commit + "+" } else { commit }
}

fn said_by(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Year, month and day of a number of days since 1 January 1970, in the Gregorian calendar.
fn date(mut days: u64) -> String {
    let is_leap =
        |year: u64| year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year:04}-{month:02}-{:02}", days + 1)
}

fn slug(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_know_leap_years() {
        let cases = [(0, "1970-01-01"), (59, "1970-03-01"), (789, "1972-02-29")];
        let later = [(11_016, "2000-02-29"), (19_723, "2024-01-01"), (20_454, "2026-01-01")];
        for (days, expected) in cases.into_iter().chain(later) {
            assert_eq!(date(days), expected, "day {days}");
        }
    }

    #[test]
    fn arguments_are_published_without_folders() {
        let told =
            ["--record", "--json=/home/me/x.json", "../target/release/peers", "kitchen,bunny"];
        let expected = ["--record", "--json=x.json", "peers", "kitchen,bunny"];
        assert_eq!(told.map(without_folders), expected);
    }

    #[test]
    fn a_machine_makes_a_file_name() {
        assert_eq!(slug("AMD EPYC (Zen 4) @ 3.7 GHz"), "amd-epyc-zen-4-3-7-ghz");
    }
}
