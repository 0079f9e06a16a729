//! `hitscan render`: renders a picture of a mesh or a scene.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::bail;
use hitscan::glam::DVec3;
use hitscan_render::{Background, Mode, Style, draw_rays, render};
use indicatif::ProgressBar;

use crate::args::{CameraArgs, RenderArgs};
use crate::camera;
use crate::engine;
use crate::exit_code::Outcome;
use crate::messages;
use crate::output::Target;
use crate::rays::{self, DefaultRange, RaySource};
use crate::scene_file;

/// The maximum number of pixels: 8K, which takes about a gigabyte of memory.
const MOST_PIXELS: f64 = (1 << 25) as f64;

/// The number of rays that the command reads and draws at a time.
const RAYS_AT_A_TIME: usize = 1 << 16;

pub(crate) fn run(args: &RenderArgs) -> anyhow::Result<Outcome> {
    engine::set_threads(args.engine.threads)?;
    check_size(&args.camera)?;
    check_output(args.output.as_deref())?;
    // Errors in the rays or the output show before the long read of the mesh.
    let range = DefaultRange { t_min: 0.0, t_max: f32::INFINITY };
    let open = |path: &_| rays::open(&RaySource::new(path), args.rays_format, range);
    let rays = args.rays.as_deref().map(open).transpose()?;
    let mut target = Target::open(args.output.as_deref())?;
    let loaded = scene_file::load(&args.file, &args.engine)?;
    let mut inputs = loaded.files.clone();
    inputs.extend(args.rays.clone());
    let mut subject = loaded.subject();
    subject.faces = args.faces.into();
    if subject.n_triangles() == 0 {
        bail!(
            "{}: the scene has no triangles to render; add a mesh or check --faces and the file",
            args.file.display()
        );
    }
    let view = camera::view_of(&args.camera, &subject)?;
    if args.mode == Mode::Uv && !subject.has_uvs() {
        messages::note("the mesh has no texture coordinates; u and v are the weights of the hits");
    }

    let progress = Progress::start();
    let mut picture = render(&subject, &view, &style(args), |share| progress.advance(share));
    progress.finish();
    if let Some(mut rays) = rays {
        draw_rays(&mut picture, &subject, &view, |chunk| rays.read(chunk, RAYS_AT_A_TIME))?;
    }
    target.write_all(&picture.png()?)?;
    target.finish(&inputs)?;
    Ok(Outcome::Done)
}

fn style(args: &RenderArgs) -> Style {
    let n_samples = args.samples.unwrap_or(match args.mode {
        Mode::Shaded | Mode::Glass => 4,
        _ => 1,
    });
    let background = args.background.unwrap_or(match args.mode {
        Mode::Depth | Mode::Normal => Background([0, 0, 0, 255]),
        _ => Background([240, 242, 245, 255]),
    });
    let up = camera::up(args.camera.up).unwrap_or(DVec3::Y);
    Style {
        mode: args.mode,
        n_samples,
        seed: args.seed,
        background,
        legend: !args.no_legend,
        up,
        light: args.light,
        draft: false,
    }
}

fn check_size(camera: &CameraArgs) -> anyhow::Result<()> {
    let [width, height] = camera.size;
    if width * height > MOST_PIXELS {
        bail!(
            "--size: {width}x{height} has {} pixels; expected at most {MOST_PIXELS} (as 7680x4320)",
            width * height
        );
    }
    Ok(())
}

fn check_output(path: Option<&Path>) -> anyhow::Result<()> {
    match path {
        None if std::io::stdout().is_terminal() => {
            bail!("refusing to write a binary PNG to a terminal; use -o FILE or redirect stdout")
        }
        Some(path) if path.extension().is_some_and(|e| !e.eq_ignore_ascii_case("png")) => {
            bail!("cannot write {}: pictures are PNG; use a name that ends in .png", path.display())
        }
        _ => Ok(()),
    }
}

/// A progress bar that appears only after [`Progress::PATIENCE`].
struct Progress {
    start: Instant,
    state: Mutex<(f64, Option<ProgressBar>)>,
}

impl Progress {
    const PATIENCE: Duration = Duration::from_millis(700);

    fn start() -> Self {
        Self { start: Instant::now(), state: Mutex::new((0.0, None)) }
    }

    fn advance(&self, share: f64) {
        let Ok(mut state) = self.state.lock() else { return };
        state.0 += share;
        if self.start.elapsed() > Self::PATIENCE {
            let done = state.0 as f32;
            let bar = state.1.get_or_insert_with(|| messages::share_bar("rendering"));
            messages::set_share(bar, done);
        }
    }

    fn finish(&self) {
        if let Ok(state) = self.state.lock()
            && let Some(bar) = &state.1
        {
            bar.finish_and_clear();
        }
    }
}
