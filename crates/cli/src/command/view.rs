//! `hitscan view`: shows a mesh or a scene in the browser.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use anyhow::Context;
use hitscan::glam::DVec3;
use hitscan_viewer::{Handle, Model, Server};

use crate::args::{SMOOTH_DEGREES, ViewArgs};
use crate::load::load_scene;
use crate::messages;
use crate::process::{Outcome, set_threads};
use crate::resolved::camera;

/// The interval between two checks for changed files.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

pub(crate) fn run(args: ViewArgs) -> anyhow::Result<Outcome> {
    let up = camera::up(args.up)?;
    set_threads(args.engine.threads)?;
    let stamps = Stamps::of(vec![args.file.clone()]);
    let (model, files) = load(&args, up)?;
    let server = Server::bind(args.port, model)
        .with_context(|| format!("cannot listen on port {} of 127.0.0.1", args.port))?;
    let handle = server.handle();
    let ending = handle.clone();
    ctrlc::set_handler(move || ending.end()).context("cannot wait for Ctrl-C")?;

    let address = format!("http://{}/", server.address());
    print_address(&address).context("standard output: cannot write")?;
    if !args.no_open
        && let Err(error) = open::that_detached(&address)
    {
        messages::note(format_args!(
            "this machine opened no browser ({}); open {address} in one. Over SSH, forward a port first: \
             ssh -L 8080:{} HOST, then open http://127.0.0.1:8080/",
            reason(&error),
            server.address()
        ));
    }
    // These stamps are older than the read, so a change during the read shows as a change.
    let stamps = stamps.with(files);
    thread::Builder::new().spawn(move || watch(&args, up, stamps, &handle))?;
    server.run();
    Ok(Outcome::Done)
}

/// The reason of a launcher that failed, without the names of all programs that it tried.
fn reason(error: &std::io::Error) -> &'static str {
    match error.kind() {
        std::io::ErrorKind::NotFound => "found no program that opens one",
        std::io::ErrorKind::PermissionDenied => "it may not start one",
        _ => "its launcher failed",
    }
}

/// Prints the address and flushes, so that a program can read it through a pipe.
fn print_address(address: &str) -> std::io::Result<()> {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{address}")?;
    out.flush()
}

/// The model of the file, with all files read for it. `up` has unit length.
fn load(args: &ViewArgs, up: DVec3) -> anyhow::Result<(Model, Vec<PathBuf>)> {
    let mut loaded = load_scene(&args.file, &args.engine)?;
    let mut subject = loaded.subject();
    let (files, times) = (loaded.files, loaded.times);
    subject.smooth_edges(SMOOTH_DEGREES);
    let model = Model {
        subject,
        file: args.file.display().to_string(),
        up,
        reading: times.reading,
        building: times.building,
    };
    Ok((model, files))
}

/// Reads the files again once one of them has changed and then stayed the same for an interval.
fn watch(args: &ViewArgs, up: DVec3, mut stamps: Stamps, handle: &Handle) {
    loop {
        thread::sleep(POLL_INTERVAL);
        let now = Stamps::of(stamps.files());
        if now == stamps {
            continue;
        }
        // The writer may not have finished yet.
        thread::sleep(POLL_INTERVAL);
        if Stamps::of(stamps.files()) != now {
            continue;
        }
        stamps = now;
        match load(args, up) {
            Ok((model, files)) => {
                stamps = stamps.with(files);
                handle.replace(model);
            }
            Err(error) => {
                messages::note(format_args!(
                    "{}: keeping the old picture; {error:#}",
                    args.file.display()
                ));
                handle.report_problem(format!("{error:#}"));
            }
        }
    }
}

/// The modification time and size of each file; `None` for a missing file.
#[derive(Clone, Debug, PartialEq)]
struct Stamps(Vec<(PathBuf, Option<(SystemTime, u64)>)>);

impl Stamps {
    fn of(files: Vec<PathBuf>) -> Self {
        let stamp = |path: &Path| {
            let found = std::fs::metadata(path).ok()?;
            Some((found.modified().ok()?, found.len()))
        };
        Self(files.into_iter().map(|path| (path.clone(), stamp(&path))).collect())
    }

    fn files(&self) -> Vec<PathBuf> {
        self.0.iter().map(|(path, _)| path.clone()).collect()
    }

    /// Adds the stamps of the files that have none yet.
    fn with(mut self, files: Vec<PathBuf>) -> Self {
        let more = files.into_iter().filter(|file| !self.0.iter().any(|(path, _)| path == file));
        let more = Self::of(more.collect());
        self.0.extend(more.0);
        self
    }
}
