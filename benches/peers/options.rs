//! The command line.

use std::path::PathBuf;

use clap::Parser;
use hitscan_benches::scene_names;

/// Compares hitscan with other engines on the same triangles and rays.
///
/// Embree takes part when EMBREE_LIB names a libembree4 shared library.
#[derive(Clone, Debug, Parser)]
pub(crate) struct Options {
    /// Scenes, separated by commas; those whose file is missing are skipped
    #[arg(long, value_delimiter = ',', value_parser = scene_name, default_value = "sphere,city-60k,kitchen,bunny,city-1m")]
    pub(crate) scenes: Vec<String>,

    /// Width and height of the image that the primary rays are taken for
    #[arg(long, value_name = "WIDTH", default_value_t = 512, value_parser = clap::value_parser!(u32).range(4..=8192))]
    pub(crate) rays: u32,

    /// Timed repetitions, each engine once in each
    #[arg(long, default_value_t = 9, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) reps: u32,

    /// Timed builds of each engine; the first one is for warming up and for memory
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) build_reps: u32,

    /// Only engines whose name contains one of these, separated by commas
    #[arg(long, value_delimiter = ',')]
    pub(crate) peers: Vec<String>,

    /// Threads: with 1, CPU time is measured, with more, the wall clock
    #[arg(long, default_value_t = 1, value_parser = threads)]
    pub(crate) threads: usize,

    /// Where to write everything measured
    #[arg(long, value_name = "FILE", value_parser = file_to_write)]
    pub(crate) json: Option<PathBuf>,

    /// Write a dated record into benches/record
    #[arg(long)]
    pub(crate) record: bool,
}

fn scene_name(name: &str) -> Result<String, String> {
    if name == "all" || scene_names().any(|known| known == name) {
        return Ok(name.to_owned());
    }
    Err(format!("expected some of {}, or all", scene_names().collect::<Vec<_>>().join(", ")))
}

fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n @ 1..=1024) => Ok(n),
        _ => Err("expected a number from 1 to 1024".to_owned()),
    }
}

/// Found out before the measurement, not after it.
fn file_to_write(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder {
        Some(folder) if !folder.is_dir() => Err(format!("{} is not a folder", folder.display())),
        _ => Ok(path),
    }
}

impl Options {
    /// The scenes asked for, with `all` written out.
    pub(crate) fn scene_names(&self) -> Vec<&str> {
        if self.scenes.iter().any(|name| name == "all") {
            return scene_names().collect();
        }
        self.scenes.iter().map(String::as_str).collect()
    }

    /// Whether an engine of that name takes part.
    pub(crate) fn admits(&self, name: &str) -> bool {
        self.peers.is_empty() || self.peers.iter().any(|part| name.contains(part.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_arguments_are_refused_before_anything_is_measured() {
        let parse = |arguments: &[&str]| {
            Options::try_parse_from(std::iter::once(&"peers").chain(arguments))
        };
        assert!(parse(&["--scenes", "sphere,kitchen", "--reps", "3"]).is_ok());
        for wrong in [
            ["--scenes", "attic"],
            ["--reps", "0"],
            ["--threads", "0"],
            ["--rays", "3"],
            ["--json", "no/such/folder/x.json"],
        ] {
            assert!(parse(&wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn all_scenes_are_those_that_there_are() {
        let options = Options::try_parse_from(["peers", "--scenes", "all"]).unwrap();
        assert_eq!(options.scene_names(), scene_names().collect::<Vec<_>>());
    }
}
