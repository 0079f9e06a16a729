//! Two builds of this program in alternation, for example one for every x86-64 and one for this CPU.
//!
//! Both run as processes at the same time, but only one works at any moment: each waits on its standard
//! input for the next task. Several starts of both average out the memory layout of a process, which
//! changes its speed by some per cent.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write as _};
use std::ops::Range;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use hitscan::{BuildOptions, Hit, MeshBvh, Ray, Side as Face};
use hitscan_benches::{RaySet, Scene, assert_equals_brute_force, ray_sets};
use serde::{Deserialize, Serialize};

use crate::engines::{self, Contender, Engine};
use crate::options::Options;
use crate::record::{self, Circumstances, File, TIMED};
use crate::stats;
use crate::timing::{self, Answers, Clock};
use crate::{Error, available, pool, report};

/// Starts of both processes per scene.
const N_STARTS: usize = 3;

/// The introduction of a side, its first line.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Introduction {
    /// The target features of its build.
    build: String,
    /// Its configurations of hitscan.
    rows: Vec<String>,
    /// Its ray sets, on which both sides must agree.
    sets: Vec<SetDigest>,
}

/// A ray set's name, its number of rays, and a digest of all bits of rays and answers.
type SetDigest = (String, usize, u64);

/// One measurement, a line of JSON: a row, and a ray set or none for the build. The reply is nanoseconds
/// per ray or milliseconds.
type Task = (usize, Option<usize>);

/// Both builds on one scene.
#[derive(Clone, Debug, Serialize)]
struct SceneResult {
    scene: String,
    n_triangles: usize,
    /// The ray sets, then `build`.
    columns: Vec<String>,
    rows: Vec<RowResult>,
}

/// One configuration of hitscan in both builds.
#[derive(Clone, Debug, Serialize)]
struct RowResult {
    name: String,
    /// For each column the figures of this program and of the other, by repetition.
    pairs: Vec<Vec<(f64, f64)>>,
}

impl RowResult {
    /// The speed of this program as a multiple of the other's.
    fn ratios(&self, column: usize) -> Vec<f64> {
        self.pairs[column].iter().map(|(own, other)| other / own).collect()
    }
}

/// Measures both builds on all scenes, and prints and records the speed of this one as a multiple of the
/// other's.
pub(crate) fn compare(options: &Options, other: &Path) -> Result<(), Error> {
    let own = std::env::current_exe()?;
    let circumstances = Circumstances::now(options, Vec::new());
    let n_threads = options.threads.unwrap_or(1);
    let mut results = Vec::new();
    let mut builds = (String::new(), String::new());
    for name in options.scene_names() {
        let Some(scene) = available(name)? else { continue };
        let (scene, n_triangles) = (name.to_owned(), scene.mesh.triangles().len());
        let mut result = SceneResult { scene, n_triangles, columns: Vec::new(), rows: Vec::new() };
        for start in 0..N_STARTS {
            eprintln!("{name}: start {} of {N_STARTS}", start + 1);
            // The order of the starts alternates as well.
            let programs = if start % 2 == 0 { [own.as_path(), other] } else { [other, &own] };
            let [first, second] =
                programs.map(|program| Side::start(program, name, n_threads, options));
            let (first, second) = (first?, second?);
            let mut sides = if start % 2 == 0 { [first, second] } else { [second, first] };
            let [a, b] = &sides;
            builds = (a.introduction.build.clone(), b.introduction.build.clone());
            let n = options.reps as usize;
            let first = start * n / N_STARTS;
            result.measure(&mut sides, first..((start + 1) * n / N_STARTS).max(first + 1))?;
        }
        print!("{}", table(&result));
        results.push(result);
    }
    let summary = summary(&results, &builds);
    print!("{summary}");
    let figures = serde_json::to_string(&(&circumstances, &builds, &results))? + "\n";
    if let Some(path) = &options.json {
        std::fs::write(path, &figures)
            .map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
    }
    if options.record {
        let mut text = circumstances.heading("Two builds compared", TIMED);
        writeln!(text, "- {n_threads} thread(s), {}", Clock::name(n_threads))
            .expect("a string can be written to");
        text.push_str(&summary);
        text.extend(results.iter().map(table));
        let page = File { name: record::PAGE.to_owned(), text };
        let figures = File { name: "figures.json".to_owned(), text: figures };
        let folder = record::write(&circumstances, "-builds", &[page, figures])?;
        eprintln!("recorded in {}", folder.display());
    }
    Ok(())
}

impl SceneResult {
    /// Adds these repetitions: each measures every row and ray set on both sides, and the side that goes
    /// first alternates. A build is measured once per call.
    fn measure(
        &mut self,
        [own, other]: &mut [Side; 2],
        repetitions: Range<usize>,
    ) -> Result<(), Error> {
        let (a, b) = (&own.introduction, &other.introduction);
        if a.sets != b.sets {
            let (scene, a, b) = (&self.scene, &a.sets, &b.sets);
            return Err(
                format!("{scene}: the programs differ in rays or answers: {a:?}, {b:?}").into()
            );
        }
        let in_other = |name: &String| b.rows.iter().position(|row| row == name);
        let rows: Vec<(usize, usize)> =
            a.rows.iter().enumerate().filter_map(|(i, name)| Some((i, in_other(name)?))).collect();
        if rows.is_empty() {
            return Err("the two programs have no configuration in common".into());
        }
        let sets: Vec<_> = (0..a.sets.len()).map(Some).chain([None]).collect();
        if self.rows.is_empty() {
            let names = a.sets.iter().map(|(name, ..)| name.clone());
            self.columns = names.chain(["build".to_owned()]).collect();
            let pairs = vec![Vec::new(); sets.len()];
            let row = |&(i, _): &(usize, usize)| RowResult {
                name: a.rows[i].clone(),
                pairs: pairs.clone(),
            };
            self.rows = rows.iter().map(row).collect();
        }
        for repetition in repetitions.clone() {
            for (number, &(row, row_of_other)) in rows.iter().enumerate() {
                for (column, &set) in sets.iter().enumerate() {
                    if set.is_none() && repetition != repetitions.start {
                        continue;
                    }
                    let pair = if (repetition + number + column) % 2 == 1 {
                        let other = other.measure((row_of_other, set))?;
                        (own.measure((row, set))?, other)
                    } else {
                        (own.measure((row, set))?, other.measure((row_of_other, set))?)
                    };
                    self.rows[number].pairs[column].push(pair);
                }
            }
        }
        Ok(())
    }
}

/// A process that measures on request.
struct Side {
    process: Child,
    tasks: ChildStdin,
    replies: BufReader<ChildStdout>,
    introduction: Introduction,
}

impl Side {
    fn start(
        program: &Path,
        scene: &str,
        n_threads: usize,
        options: &Options,
    ) -> Result<Self, Error> {
        let mut command = Command::new(program);
        command.args(["--take-turns", "--scenes", scene]);
        command.args(["--rays", &options.rays.to_string(), "--threads", &n_threads.to_string()]);
        if !options.peers.is_empty() {
            command.args(["--peers", &options.peers.join(",")]);
        }
        let name = program.display();
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{name} cannot be started: {error}"))?;
        let tasks = process.stdin.take().expect("its input is piped");
        let replies = process.stdout.take().expect("its output is piped");
        let introduction =
            Introduction { build: String::new(), rows: Vec::new(), sets: Vec::new() };
        let mut side = Self { process, tasks, replies: BufReader::new(replies), introduction };
        let line = side.line().map_err(|error| format!("{name}: {error}"))?;
        side.introduction = serde_json::from_str(&line)
            .map_err(|error| format!("{name} is not a build of this program: {error}"))?;
        Ok(side)
    }

    fn measure(&mut self, task: Task) -> Result<f64, Error> {
        writeln!(self.tasks, "{}", serde_json::to_string(&task)?)
            .map_err(|error| format!("one of the programs takes no more tasks: {error}"))?;
        Ok(self.line()?.trim().parse()?)
    }

    fn line(&mut self) -> Result<String, Error> {
        let mut line = String::new();
        if self.replies.read_line(&mut line)? == 0 {
            return Err("it ended early; see its messages above".into());
        }
        Ok(line)
    }
}

impl Drop for Side {
    /// Kills the process, because a foreign program might not end by itself.
    fn drop(&mut self) {
        // Both fail if it has ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Runs as a side of [`compare`]: builds and checks everything, prints its [`Introduction`], and answers one
/// [`Task`] per line until its input ends.
pub(crate) fn take_turns(options: &Options) -> Result<(), Error> {
    let n_threads = options.threads.unwrap_or(1);
    let name = options.scene_names().first().copied().unwrap_or_default().to_owned();
    let scene = available(&name)?.ok_or_else(|| format!("there is no {name}"))?;
    pool(n_threads)?.install(|| {
        let mut turns = Turns::new(&scene, options, n_threads)?;
        let introduction = turns.introduction()?;
        println!("{}", serde_json::to_string(&introduction)?);
        for line in std::io::stdin().lock().lines() {
            println!("{:.3}", turns.answer(serde_json::from_str(&line?)?)?);
        }
        Ok(())
    })
}

/// The state of a side: the scene, and the engines that the tasks measure.
struct Turns<'a> {
    scene: &'a Scene,
    sets: Vec<RaySet>,
    contenders: Vec<Contender>,
    engines: Vec<Box<dyn Engine>>,
    /// By row, then by set.
    n_passes: Vec<Vec<usize>>,
    n_threads: usize,
}

impl<'a> Turns<'a> {
    fn new(scene: &'a Scene, options: &Options, n_threads: usize) -> Result<Self, Error> {
        let bvh = MeshBvh::build(&scene.mesh, &BuildOptions::default());
        let mut sets = ray_sets(scene, &bvh, options.rays as usize);
        sets.retain(|set| !set.rays.is_empty());
        for set in &sets {
            assert_equals_brute_force(&bvh, &scene.mesh, &set.rays);
        }
        let contenders = engines::ours(|name| options.admits(name));
        let engines: Result<Vec<_>, String> =
            contenders.iter().map(|contender| (contender.build)(&scene.mesh)).collect();
        let n_passes = Vec::new();
        Ok(Self { scene, sets, contenders, engines: engines?, n_passes, n_threads })
    }

    /// Warms up every row, and fails if their answers differ.
    fn introduction(&mut self) -> Result<Introduction, Error> {
        let mut digests = Vec::new();
        self.n_passes = vec![Vec::new(); self.engines.len()];
        for set in &self.sets {
            let mut answers = Answers::new(set.rays.len());
            let mut agreed = None;
            for (row, engine) in self.engines.iter().enumerate() {
                answers.spoil();
                let calls = self.contenders[row].calls;
                let clock = Instant::now();
                timing::trace(engine.as_ref(), calls, set, self.n_threads, &mut answers);
                self.n_passes[row].push(timing::n_passes(clock.elapsed()));
                let digest = digest(&set.rays, &answers);
                if *agreed.get_or_insert(digest) != digest {
                    let name = &self.contenders[row].name;
                    return Err(format!("{name} has other answers on {}", set.kind.name()).into());
                }
            }
            let digest = agreed.unwrap_or_default();
            digests.push((set.kind.name().to_owned(), set.rays.len(), digest));
        }
        let rows = self.contenders.iter().map(|contender| contender.name.clone()).collect();
        Ok(Introduction { build: record::target_features(), rows, sets: digests })
    }

    fn answer(&mut self, (row, set): Task) -> Result<f64, Error> {
        let contender = &self.contenders[row];
        let Some(set) = set else {
            let clock = Clock::start(self.n_threads);
            let engine = (contender.build)(&self.scene.mesh)?;
            let seconds = clock.seconds();
            drop(engine);
            return Ok(1e3 * seconds);
        };
        let (engine, rays) = (self.engines[row].as_ref(), &self.sets[set]);
        let (n_passes, mut answers) = (self.n_passes[row][set], Answers::new(rays.rays.len()));
        Ok(timing::ns_per_ray(
            engine,
            contender.calls,
            rays,
            self.n_threads,
            n_passes,
            &mut answers,
        ))
    }
}

/// The hash FNV-1a (Fowler, Noll and Vo, 1991) over the bits of all rays and answers.
fn digest(rays: &[Ray], answers: &Answers) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut add = |bits: u32| {
        for byte in bits.to_le_bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    for ray in rays {
        ray.origin.to_array().into_iter().for_each(|value| add(value.to_bits()));
        ray.direction.to_array().into_iter().for_each(|value| add(value.to_bits()));
    }
    for hit in &answers.hits {
        match hit {
            Some(Hit { t, u, v, triangle, side }) => {
                [t.to_bits(), u.to_bits(), v.to_bits(), *triangle].into_iter().for_each(&mut add);
                add(u32::from(*side == Face::Front));
            }
            None => add(u32::MAX),
        }
    }
    answers.occluded.iter().for_each(|&occluded| add(u32::from(occluded)));
    hash
}

/// The speed of this build as a multiple of the other's on one scene.
fn table(result: &SceneResult) -> String {
    let mut text = format!("\n### {}, {} triangles\n\n", result.scene, result.n_triangles);
    let mut lines = vec![vec!["this build to the other".to_owned()]];
    lines[0].extend(result.columns.iter().cloned());
    for row in &result.rows {
        let mut line = vec![row.name.clone()];
        let columns = 0..result.columns.len();
        line.extend(columns.map(|column| report::range(stats::estimate(&row.ratios(column)))));
        lines.push(line);
    }
    text.push_str(&report::aligned(&lines));
    text
}

/// Geometric means of the ratios over all scenes and ray sets, and of the builds.
fn summary(results: &[SceneResult], (own, other): &(String, String)) -> String {
    let Some(first) = results.first() else { return String::new() };
    let mut text =
        format!("\n### Speed of one build to the other's\n\n- this: {own}\n- other: {other}\n\n");
    let mut lines = vec![["geometric means", "rays", "build"].map(str::to_owned).to_vec()];
    for (number, row) in first.rows.iter().enumerate() {
        let mean = |is_build: bool| {
            let ratios: Vec<Vec<f64>> = results
                .iter()
                .flat_map(|result| {
                    let columns = 0..result.columns.len();
                    let chosen = columns.filter(|&n| (result.columns[n] == "build") == is_build);
                    chosen.map(|column| result.rows[number].ratios(column))
                })
                .collect();
            let cells: Vec<&[f64]> = ratios.iter().map(Vec::as_slice).collect();
            report::range(stats::geometric_mean(&cells))
        };
        lines.push(vec![row.name.clone(), mean(false), mean(true)]);
    }
    text.push_str(&report::aligned(&lines));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(rays: (f64, f64), build: (f64, f64)) -> SceneResult {
        SceneResult {
            scene: "attic".to_owned(),
            n_triangles: 1000,
            columns: vec!["primary".to_owned(), "build".to_owned()],
            rows: vec![RowResult {
                name: "hitscan best".to_owned(),
                pairs: vec![vec![rays; 3], vec![build; 3]],
            }],
        }
    }

    #[test]
    fn a_ratio_above_one_means_that_this_build_is_faster() {
        let results = [result((10.0, 20.0), (5.0, 5.0)), result((10.0, 5.0), (5.0, 20.0))];
        assert!(table(&results[0]).contains("2.00, 2.00 to 2.00"), "{}", table(&results[0]));
        let text = summary(&results, &("plain".to_owned(), "native".to_owned()));
        let line = text.lines().find(|line| line.contains("hitscan best")).unwrap();
        assert_eq!(line.matches("1.00, 1.00 to 1.00").count(), 1, "{text}");
        assert_eq!(line.matches("2.00, 2.00 to 2.00").count(), 1, "{text}");
    }

    #[test]
    fn a_single_bit_of_a_ray_or_an_answer_changes_the_digest() {
        let ray = Ray::new([0.0, 0.0, 1.0], [0.0, 0.0, -1.0]);
        let moved = Ray::new([0.0, f32::from_bits(1), 1.0], [0.0, 0.0, -1.0]);
        let none = Answers::new(1);
        let mut occluded = Answers::new(1);
        occluded.occluded[0] = true;
        let digests = [digest(&[ray], &none), digest(&[moved], &none), digest(&[ray], &occluded)];
        assert!(digests[0] != digests[1] && digests[0] != digests[2], "{digests:?}");
    }

    #[test]
    fn a_side_answers_each_task_with_one_figure() {
        use clap::Parser as _;
        let arguments = ["peers", "--peers", "scalar", "--rays", "4"];
        let options = Options::try_parse_from(arguments).unwrap();
        let scene = Scene::load("sphere").unwrap();
        let mut turns = Turns::new(&scene, &options, 1).unwrap();
        let introduction = turns.introduction().unwrap();
        assert!(introduction.rows.iter().all(|row| row.contains("scalar")), "{introduction:?}");
        assert_eq!(introduction.sets[0].1, 16);
        for line in ["[0,0]", "[0,null]"] {
            let figure = turns.answer(serde_json::from_str(line).unwrap()).unwrap();
            assert!(figure > 0.0, "{line}: {figure}");
        }
    }
}
