//! Messages on standard error: errors, notes and progress.

use std::fmt::Display;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::builder::Styles;
use hitscan_files::Escaped;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Prints an error with its causes, coloured on a terminal like the errors of clap. Escapes control
/// characters, because the text may quote a hostile file.
pub(crate) fn error(error: &anyhow::Error) {
    let styles = Styles::styled();
    let style = styles.get_error();
    let text = format!("{error:#}");
    // anstream strips the colours when standard error is no terminal.
    let _ = writeln!(anstream::stderr(), "{style}error:{style:#} {}", Escaped(&text));
}

/// Whether notes are silent.
static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// Prints a note: a useful fact that is not an error.
pub(crate) fn note(note: impl Display) {
    if !IS_QUIET.load(Ordering::Relaxed) {
        line(format_args!("note: {note}"));
    }
}

/// Runs `work` without notes, because an earlier run has printed them.
pub(crate) fn quietly<T>(work: impl FnOnce() -> T) -> T {
    IS_QUIET.store(true, Ordering::Relaxed);
    let result = work();
    IS_QUIET.store(false, Ordering::Relaxed);
    result
}

/// Prints one line, escaped like an [`error`]. Ignores a closed standard error, where `eprintln!` panics.
pub(crate) fn line(line: impl Display) {
    let _ = writeln!(io::stderr(), "{}", Escaped(&line.to_string()));
}

/// A bar for a stage with progress from 0 to 1, drawn only on a terminal.
pub(crate) fn share_bar(stage: &'static str) -> ProgressBar {
    bar(Some(1000), stage, "{msg} {wide_bar} {percent:>3} %")
}

/// Moves a [`share_bar`].
pub(crate) fn set_share(bar: &ProgressBar, share: f32) {
    bar.set_position((share.clamp(0.0, 1.0) * 1000.0) as u64);
}

/// A counter of finished items, out of `total` if known, drawn only on a terminal.
pub(crate) fn counter(stage: &'static str, total: Option<u64>) -> ProgressBar {
    let style = match total {
        Some(_) => "{msg} {wide_bar} {human_pos} of {human_len}, {eta} left",
        None => "{msg} {spinner} {human_pos}, {per_sec}",
    };
    bar(total, stage, style)
}

fn bar(total: Option<u64>, stage: &'static str, style: &str) -> ProgressBar {
    // The target hides itself when standard error is not a terminal.
    let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr_with_hz(10));
    let style = ProgressStyle::with_template(style).expect("the templates of this file are valid");
    bar.with_style(style).with_message(stage)
}

/// A duration for people: `812 ns`, `3.1 ms`, `2.4 s`.
pub(crate) fn readable(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    let (value, unit) = match seconds {
        s if s < 1e-6 => (s * 1e9, "ns"),
        s if s < 1e-3 => (s * 1e6, "us"),
        s if s < 1.0 => (s * 1e3, "ms"),
        s => (s, "s"),
    };
    format!("{value:.3} {unit}")
}
