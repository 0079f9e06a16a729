//! `hitscan view`: shows a mesh or a scene in the browser.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use anyhow::{Context, bail};
use hitscan::glam::DVec3;
use hitscan_viewer::{Handle, Model, Server};

use crate::args::ViewArgs;
use crate::engine;
use crate::exit_code::Outcome;
use crate::messages;
use crate::scene_file;

/// How often to look whether a file has changed.
const LOOK: Duration = Duration::from_millis(250);

pub(crate) fn run(args: ViewArgs) -> anyhow::Result<Outcome> {
    engine::set_threads(args.engine.threads)?;
    let up = DVec3::from(args.up.unwrap_or([0.0, 1.0, 0.0]));
    if up.try_normalize().is_none() {
        bail!("--up is zero, expected a direction");
    }
    let stamps = Stamps::of(vec![args.file.clone()]);
    let (model, files) = load(&args)?;
    let server = Server::bind(args.port, model)
        .with_context(|| format!("cannot listen on port {} of 127.0.0.1", args.port))?;
    let handle = server.handle();
    let ending = handle.clone();
    ctrlc::set_handler(move || ending.end()).context("cannot wait for Ctrl-C")?;

    let address = format!("http://{}/", server.address());
    print_address(&address)?;
    if !args.no_open
        && let Err(error) = open::that_detached(&address)
    {
        messages::note(format_args!("no browser was opened ({error}): open {address} in one"));
    }
    // What changed while it was read is read again.
    let stamps = stamps.with(files);
    thread::Builder::new().spawn(move || watch(&args, stamps, &handle))?;
    server.run();
    Ok(Outcome::Done)
}

/// At once, for those who read it through a pipe.
fn print_address(address: &str) -> std::io::Result<()> {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{address}")?;
    out.flush()
}

/// The model of the file, and the files that it is made of.
fn load(args: &ViewArgs) -> anyhow::Result<(Model, Vec<PathBuf>)> {
    let loaded = scene_file::load(&args.file, &args.engine)?;
    let (files, times) = (loaded.files.clone(), loaded.times);
    let model = Model {
        subject: loaded.subject(),
        file: args.file.display().to_string(),
        up: DVec3::from(args.up.unwrap_or([0.0, 1.0, 0.0])),
        reading: times.reading,
        building: times.building,
    };
    Ok((model, files))
}

/// Reads the files again whenever one of them has changed and then rested.
fn watch(args: &ViewArgs, mut stamps: Stamps, handle: &Handle) {
    loop {
        thread::sleep(LOOK);
        let now = Stamps::of(stamps.files());
        if now == stamps {
            continue;
        }
        // Whoever writes a file may not be done yet.
        thread::sleep(LOOK);
        if Stamps::of(stamps.files()) != now {
            continue;
        }
        stamps = now;
        match load(args) {
            Ok((model, files)) => {
                stamps = stamps.with(files);
                handle.replace(model);
            }
            Err(error) => {
                messages::note(format_args!("{} stays as it was: {error:#}", args.file.display()));
                handle.report_problem(format!("{error:#}"));
            }
        }
    }
}

/// When files changed last and how long they are; nothing for one that is not there.
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

    /// These, and those of the files that are not among them yet.
    fn with(mut self, files: Vec<PathBuf>) -> Self {
        let more = files.into_iter().filter(|file| !self.0.iter().any(|(path, _)| path == file));
        let more = Self::of(more.collect());
        self.0.extend(more.0);
        self
    }
}
