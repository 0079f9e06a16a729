//! Questions about solids beside parry3d: balls along rays, and two meshes that overlap or are apart.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use hitscan::generate::{self, SplitMix64};
use hitscan::glam::{DAffine3, DQuat, DVec3};
use hitscan::{BuildOptions, MeshBvh, MeshPair, SphereCast, TriMesh};
use hitscan_benches::Scene;
use parry3d::math::{Pose, Rotation, Vector};
use parry3d::query::{self, ShapeCastOptions};
use parry3d::shape;

use crate::Error;
use crate::options::Options;
use crate::record::{Circumstances, File, PAGE, TIMED, write};
use crate::stats::estimate;
use crate::timing::Clock;

/// The number of balls, and of places of the second mesh.
const N_BALLS: usize = 2000;
const N_PLACES: usize = 200;

/// The triangles of the second mesh.
const N_PART: usize = 5000;

/// The time in which parry3d answers the questions that are timed; the others are left out.
const MAX_PASS: Duration = Duration::from_secs(2);

/// The difference of answers that counts as none, as a share of the size of the scene: parry3d computes in f32.
const TOLERANCE: f64 = 1e-4;

/// Measures the solids of the scenes, prints tables, and records them on request.
pub(crate) fn compare(options: &Options) -> Result<(), Error> {
    let circumstances = Circumstances::now(options, Vec::new());
    let mut text = String::from(
        "\n| mesh | question | asked | yes | differ | hitscan, µs | parry3d, µs | times as fast |\n\
         |---|---|--:|--:|--:|--:|--:|--:|\n",
    );
    for name in options.scene_names() {
        let Some(scene) = crate::available(name)? else { continue };
        let both = Both::new(&scene)?;
        for question in Question::ALL {
            eprintln!("{name}: {}", question.name());
            let row = both.row(question, options.reps as usize);
            writeln!(text, "| {name}, {} triangles {row}", scene.mesh.triangles().len())?;
        }
    }
    print!("{text}");
    if options.record {
        let mut page = circumstances.heading("Solids beside parry3d", TIMED);
        page.push_str(
            "- one thread, CPU time; the last column is the ratio in the same repetition\n",
        );
        page.push_str(&text);
        let files = [File { name: PAGE.to_owned(), text: page }];
        let folder = write(&circumstances, "-solids", &files)?;
        eprintln!("recorded in {}", folder.display());
    }
    Ok(())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    SphereCast,
    Overlaps,
    Distance,
}

impl Question {
    const ALL: [Self; 3] = [Self::SphereCast, Self::Overlaps, Self::Distance];

    fn name(self) -> &'static str {
        match self {
            Self::SphereCast => "ball along a ray",
            Self::Overlaps => "do two meshes touch",
            Self::Distance => "distance of two meshes",
        }
    }
}

/// A ball that moves from a point by a vector.
struct Ball {
    from: DVec3,
    way: DVec3,
    radius: f64,
}

/// The mesh of a scene and a part that is placed in it, in both engines.
struct Both {
    ours: [MeshBvh; 2],
    theirs: [shape::TriMesh; 2],
    balls: Vec<Ball>,
    places: Vec<(DQuat, DVec3)>,
    /// The largest extent of the scene.
    size: f64,
}

impl Both {
    fn new(scene: &Scene) -> Result<Self, Error> {
        let bounds = scene.mesh.bounds();
        let (center, extent) = (bounds.center().as_dvec3(), bounds.extent().as_dvec3());
        let size = extent.max_element();
        let part = generate::torus(0.1 * size as f32, 0.04 * size as f32, N_PART)?;
        let mut random = SplitMix64::new(45);
        let mut near = || {
            let unit = DVec3::from_array([0; 3].map(|_| random.range(-0.6, 0.6)));
            // Numbers that f32 holds, so that both engines get the same.
            (center + unit * extent).as_vec3().as_dvec3()
        };
        let balls = (0..N_BALLS).map(|_| {
            let (from, to) = (near(), near());
            Ball {
                from,
                way: (to - from).as_vec3().as_dvec3(),
                radius: f64::from(0.01 * size as f32),
            }
        });
        let balls = balls.collect();
        let places = (0..N_PLACES).map(|_| {
            let turn = DQuat::from_axis_angle((near() - center).normalize(), 1.0);
            (turn.as_quat().normalize().as_dquat(), near())
        });
        let places = places.collect();
        let meshes = [&scene.mesh, &part];
        let ours = meshes.map(|mesh| MeshBvh::build(mesh, &BuildOptions::default()));
        let [first, second] = meshes.map(converted);
        Ok(Self { ours, theirs: [first?, second?], balls, places, size })
    }

    /// The cells of a question behind the name of the mesh.
    fn row(&self, question: Question, n_repetitions: usize) -> String {
        let n_all = if question == Question::SphereCast { N_BALLS } else { N_PLACES };
        let (start, mut theirs) = (Instant::now(), Vec::new());
        while theirs.len() < n_all && (theirs.len() < 10 || start.elapsed() < MAX_PASS) {
            theirs.push(self.ask_parry(question, theirs.len()));
        }
        let n = theirs.len();
        let ours: Vec<f64> = (0..n).map(|i| self.ask_hitscan(question, i)).collect();
        let n_yes = ours.iter().filter(|&&answer| answer.is_finite() && answer != 0.0).count();
        let is_same = |(&a, &b): (&f64, &f64)| {
            let scale = if question == Question::SphereCast { 1.0 } else { self.size };
            a == b || (a - b).abs() <= TOLERANCE * scale
        };
        let n_different = ours.iter().zip(&theirs).filter(|&pair| !is_same(pair)).count();

        let n_passes = 1 + (0.02 / self.seconds(question, n, 1, true)) as usize;
        let (mut times, mut ratios) = ([Vec::new(), Vec::new()], Vec::new());
        for repetition in 0..n_repetitions {
            let mut seconds = [0.0; 2];
            for turn in 0..2 {
                let engine = (turn + repetition) % 2;
                let n_passes = if engine == 0 { n_passes } else { 1 };
                seconds[engine] = self.seconds(question, n, n_passes, engine == 0);
                times[engine].push(1e6 * seconds[engine] / n as f64);
            }
            ratios.push(seconds[1] / seconds[0]);
        }
        let [ours, theirs] = times.map(|times| estimate(&times).median);
        let ratio = estimate(&ratios);
        format!(
            "| {} | {n} | {n_yes} | {n_different} | {ours:.2} | {theirs:.2} | {:.1} ({:.1} to {:.1}) |",
            question.name(),
            ratio.median,
            ratio.low,
            ratio.high,
        )
    }

    /// The seconds of a pass over the first `n` questions, the mean of several.
    fn seconds(&self, question: Question, n: usize, n_passes: usize, is_ours: bool) -> f64 {
        let clock = Clock::start(1);
        for _ in 0..n_passes {
            for i in 0..n {
                let answer = match is_ours {
                    true => self.ask_hitscan(question, i),
                    false => self.ask_parry(question, i),
                };
                std::hint::black_box(answer);
            }
        }
        clock.seconds() / n_passes as f64
    }

    /// The `t` of a contact, infinite without one; 1 for meshes that touch, or 0; or the distance.
    fn ask_hitscan(&self, question: Question, i: usize) -> f64 {
        let [mesh, part] = &self.ours;
        if question == Question::SphereCast {
            let Ball { from, way, radius } = self.balls[i];
            let ray = hitscan::scene::WorldRay::new(from, way).with_range(0.0, 1.0);
            let cast = SphereCast::new(ray, radius).expect("a valid ball");
            return mesh.sphere_cast(&cast).map_or(f64::INFINITY, |contact| contact.t);
        }
        let (turn, place) = self.places[i];
        let placed = DAffine3::from_rotation_translation(turn, place);
        let pair = MeshPair::new(mesh, part, placed).expect("a finite transform");
        if question == Question::Overlaps {
            return f64::from(u8::from(pair.overlaps()));
        }
        let nearest = pair.distance(f64::INFINITY).expect("a valid maximum");
        nearest.expect("neither mesh is empty").distance
    }

    fn ask_parry(&self, question: Question, i: usize) -> f64 {
        let [mesh, part] = &self.theirs;
        let vector = |v: DVec3| Vector::from_array(v.as_vec3().to_array());
        if question == Question::SphereCast {
            let Ball { from, way, radius } = self.balls[i];
            let ball = shape::Ball::new(radius as f32);
            let options = ShapeCastOptions::with_max_time_of_impact(1.0);
            let start = Pose::from_translation(vector(from));
            let (still, way) = (Vector::ZERO, vector(way));
            let found =
                query::cast_shapes(&Pose::IDENTITY, still, mesh, &start, way, &ball, options);
            let found = found.expect("parry3d casts a ball at a mesh");
            return found.map_or(f64::INFINITY, |hit| hit.time_of_impact.into());
        }
        let (turn, place) = self.places[i];
        let turn = Rotation::from_array(turn.as_quat().to_array());
        let placed = Pose::from_parts(vector(place), turn);
        if question == Question::Overlaps {
            let found = query::intersection_test(&Pose::IDENTITY, mesh, &placed, part);
            return f64::from(u8::from(found.expect("parry3d compares meshes").intersecting));
        }
        let found = query::distance(&Pose::IDENTITY, mesh, &placed, part);
        found.expect("parry3d measures meshes").distance.into()
    }
}

fn converted(mesh: &TriMesh) -> Result<shape::TriMesh, String> {
    let positions = mesh.positions().iter().map(|position| position.to_array().into());
    let mesh = shape::TriMesh::new(positions.collect(), mesh.triangles().to_vec());
    mesh.map_err(|error| error.to_string())
}
