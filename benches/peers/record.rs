//! What a run was: everything measured as JSON, and a dated page in `benches/record`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

use crate::compare::Comparison;
use crate::options::Options;
use crate::report;

/// One run of the comparison.
#[derive(Debug, Serialize)]
pub(crate) struct Run {
    /// Year, month and day, UTC.
    date: String,
    /// The processor's name.
    machine: String,
    /// Its hardware threads.
    n_cores: usize,
    /// What the compiler was allowed to use everywhere; kernels choose more at run time.
    target_features: String,
    /// The compiler.
    rustc: String,
    /// The commit of the repository, with `+` if files were changed.
    commit: String,
    /// The arguments of the program.
    arguments: Vec<String>,
    /// Repetitions of each timing.
    repetitions: u32,
    /// Threads, and with them the clock: CPU time for one, wall time for more.
    n_threads: usize,
    /// The scenes.
    comparisons: Vec<Comparison>,
}

impl Run {
    /// The run that has just taken place on this machine.
    pub(crate) fn new(options: &Options, comparisons: Vec<Comparison>) -> Self {
        let days = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_secs() / 86_400);
        Self {
            date: date(days),
            machine: machine(),
            n_cores: std::thread::available_parallelism().map_or(1, usize::from),
            target_features: target_features(),
            rustc: said_by("rustc", &["--version"]).unwrap_or_else(|| "unknown".to_owned()),
            commit: commit(),
            arguments: std::env::args().skip(1).collect(),
            repetitions: options.reps,
            n_threads: options.threads,
            comparisons,
        }
    }

    fn page(&self) -> String {
        let clock = if self.n_threads == 1 { "CPU time" } else { "wall time" };
        let mut text = format!(
            "# Engines compared, {}\n\n- {} ({} hardware threads)\n- {}; {}\n- commit {}\n\
             - arguments: `{}`\n- {} repetitions by turns, {} thread(s), {clock}; medians, and in \
             brackets the ratio with its 95 % bootstrap interval\n\
             - differ: rays whose answer is not ours, hit or miss + t by more than 1e-4\n",
            self.date,
            self.machine,
            self.n_cores,
            self.rustc,
            self.target_features,
            self.commit,
            self.arguments.join(" "),
            self.repetitions,
            self.n_threads,
        );
        text.push_str(&report::summary(&self.comparisons));
        text.extend(self.comparisons.iter().map(report::table));
        text
    }
}

/// Writes everything measured.
pub(crate) fn write_json(run: &Run, path: &Path) -> io::Result<()> {
    fs::write(path, serde_json::to_string_pretty(run)? + "\n")
}

/// Writes a page and the figures behind it beside each other, over no earlier record, and returns
/// the page's path.
pub(crate) fn write(run: &Run) -> io::Result<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("record");
    fs::create_dir_all(&folder)?;
    let name = format!("{}-{}", run.date, slug(&run.machine));
    let numbered = (2..).map(|n| format!("{name}-{n}"));
    let name = std::iter::once(name.clone())
        .chain(numbered)
        .find(|name| !folder.join(format!("{name}.md")).exists())
        .expect("there is always a next number");
    let page = folder.join(format!("{name}.md"));
    fs::write(&page, run.page())?;
    write_json(run, &folder.join(format!("{name}.json")))?;
    Ok(page)
}

fn machine() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("model name"));
    let name = line.and_then(|line| line.split_once(':')).map(|(_, name)| name.trim().to_owned());
    name.unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

fn target_features() -> String {
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
    fn a_machine_makes_a_file_name() {
        assert_eq!(slug("AMD EPYC (Zen 4) @ 3.7 GHz"), "amd-epyc-zen-4-3-7-ghz");
    }
}
