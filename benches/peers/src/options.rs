//! The command line.

use std::path::PathBuf;

use clap::Parser;
use clap::builder::ArgPredicate;
use hitscan_benches::{RayKind, scene_names};

use crate::compare::Plan;
use crate::instances::InstancedScene;

/// Compares hitscan with other engines on the same triangles and rays.
///
/// Embree takes part when EMBREE_LIB names a libembree4 shared library.
#[derive(Clone, Debug, Parser)]
pub(crate) struct Options {
    /// Print shell commands that download the missing files of scenes, and check the others.
    ///
    /// Pipe them to `sh`. Generated scenes need no file.
    #[arg(long)]
    pub(crate) missing_scenes: bool,

    /// Trace these scenes, separated by commas; scenes without their file are skipped
    #[arg(
        long,
        value_delimiter = ',',
        value_parser = scene_name,
        default_value = "sphere,city-60k,kitchen,bunny,city-1m",
        default_value_if("record", ArgPredicate::IsPresent, "kitchen,bunny,nefertiti,city-1m,bumpy,terrain-4m")
    )]
    pub(crate) scenes: Vec<String>,

    /// Width and height of the image for the primary rays [with --record: 1024]
    #[arg(
        long,
        value_name = "WIDTH",
        default_value_t = 512,
        default_value_if("record", ArgPredicate::IsPresent, "1024"),
        value_parser = clap::value_parser!(u32).range(4..=8192)
    )]
    pub(crate) rays: u32,

    /// Time this number of repetitions, each with every engine once
    #[arg(long, default_value_t = 9, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) reps: u32,

    /// Time this number of builds per engine; the first one warms up and measures memory
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) build_reps: u32,

    /// Run only engines whose name contains one of these, separated by commas
    #[arg(long, value_delimiter = ',')]
    pub(crate) peers: Vec<String>,

    /// Add tables for N threads in wall time to those of one thread in CPU time [default: 1; with
    /// --record: all of the machine]; with --compare-binary, use N threads instead of one
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<usize>,

    /// Measure the growth on a terrain of 1000 triangles, 4000, 16,000 and so on up to N [default: none;
    /// with --record: 16384000]
    #[arg(
        long,
        value_name = "N",
        default_value_if("record", ArgPredicate::IsPresent, "16384000"),
        value_parser = clap::value_parser!(u32).range(..=64_000_000)
    )]
    pub(crate) largest: Option<u32>,

    /// Write every measurement to this file
    #[arg(long, value_name = "FILE", value_parser = file_to_write)]
    pub(crate) json: Option<PathBuf>,

    /// Write a dated record with tables and figures to benches/record
    #[arg(long)]
    pub(crate) record: bool,

    /// Count the rays from inside closed meshes that each engine loses, instead of times: on generated
    /// meshes and on these OBJ files, separated by commas
    #[arg(long, value_name = "FILES", value_delimiter = ',', num_args = 0..)]
    pub(crate) leaks: Option<Vec<PathBuf>>,

    /// Measure scenes of instances beside Embree, queries and edits: LAYOUT-MESH-N, separated by commas, such as
    /// spread-bunny-10000
    ///
    /// The layouts are spread, crowded and city. The meshes are cuboid (12 triangles), fifty (fifty of about a thousand
    /// each), and the names of --scenes. [default without a name: one of each kind]
    #[arg(long, value_name = "SCENES", value_delimiter = ',', num_args = 0..)]
    pub(crate) instances: Option<Vec<InstancedScene>>,

    /// Measure balls along rays, overlaps and distances of meshes beside parry3d, on the meshes of --scenes
    #[arg(long)]
    pub(crate) solids: bool,

    /// Compare with another build of this program instead of other engines: both trace in alternation,
    /// each in separate processes
    #[arg(long, value_name = "PATH", value_parser = program)]
    pub(crate) compare_binary: Option<PathBuf>,

    /// Run as one of the two sides of --compare-binary
    #[arg(long, hide = true)]
    pub(crate) take_turns: bool,
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

fn program(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    if path.is_file() { Ok(path) } else { Err(format!("{} is not a file", path.display())) }
}

/// Checked before the measurement, not after it.
fn file_to_write(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder {
        Some(folder) if !folder.is_dir() => Err(format!("{} is not a folder", folder.display())),
        _ => Ok(path),
    }
}

impl Options {
    /// The requested scenes, with `all` expanded.
    pub(crate) fn scene_names(&self) -> Vec<&str> {
        if self.scenes.iter().any(|name| name == "all") {
            return scene_names().collect();
        }
        self.scenes.iter().map(String::as_str).collect()
    }

    /// One thread, and then the requested number.
    pub(crate) fn thread_counts(&self) -> Vec<usize> {
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        let n_threads = self.threads.unwrap_or_else(|| if self.record { all() } else { 1 });
        if n_threads == 1 { vec![1] } else { vec![1, n_threads] }
    }

    /// The extent of a measurement with `n_threads` threads.
    pub(crate) fn plan(&self, n_threads: usize) -> Plan {
        Plan {
            image_width: self.rays as usize,
            kinds: RayKind::ALL.to_vec(),
            n_repetitions: self.reps as usize,
            n_builds: self.build_reps as usize,
            n_threads,
        }
    }

    /// Whether an engine of this name takes part.
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
            ["--largest", "many"],
            ["--compare-binary", "no/such/program"],
        ] {
            assert!(parse(&wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_record_has_larger_defaults() {
        let parse = |arguments: &[&str]| {
            Options::try_parse_from(std::iter::once(&"peers").chain(arguments)).unwrap()
        };
        let quick = parse(&[]);
        assert_eq!((quick.rays, quick.largest, quick.thread_counts()), (512, None, vec![1]));
        let record = parse(&["--record"]);
        assert_eq!((record.rays, record.largest), (1024, Some(16_384_000)));
        assert!(record.scene_names().contains(&"terrain-4m"), "{:?}", record.scenes);
        let less = ["--record", "--scenes", "sphere,bunny", "--largest", "4000", "--threads", "3"];
        let less = parse(&less);
        assert_eq!((less.scene_names(), less.largest), (vec!["sphere", "bunny"], Some(4000)));
        assert_eq!(less.thread_counts(), [1, 3]);
    }

    #[test]
    fn all_scenes_are_those_that_there_are() {
        let options = Options::try_parse_from(["peers", "--scenes", "all"]).unwrap();
        assert_eq!(options.scene_names(), scene_names().collect::<Vec<_>>());
    }
}
