//! `hitscan render`: renders a picture of a mesh or a scene.

use std::io::Write;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use hitscan::SectionPlane;
use hitscan::picking::View;
use hitscan_render::{Mode, Picture, Subject, draw_rays, draw_segments, render};
use indicatif::ProgressBar;

use crate::args::RenderArgs;
use crate::info::world_edges;
use crate::load::load_scene;
use crate::messages;
use crate::output::Target;
use crate::process::{Outcome, set_threads};
use crate::rays::{self, DefaultRange};
use crate::resolved::{self, camera};
use crate::table::TableSource;

/// The number of rays that the command reads and draws at a time.
const RAYS_AT_A_TIME: usize = 1 << 16;

pub(crate) fn run(args: &RenderArgs) -> anyhow::Result<Outcome> {
    let style = resolved::style(args)?;
    let section = args.section.map(SectionPlane::from_coefficients).transpose();
    let section = section.context("--section")?;
    set_threads(args.engine.threads)?;
    // Errors in the rays or the output show before the long read of the mesh.
    let range = DefaultRange::from_zero();
    let open = |path: &_| rays::open(&TableSource::new(path), args.rays_format, range);
    let rays = args.rays.as_deref().map(open).transpose()?;
    rays.iter().flat_map(|rays| rays.remarks()).for_each(messages::note);
    let mut target = Target::open(args.output.as_deref())?.keeping(args.clobber.no_clobber)?;
    let mut loaded = load_scene(&args.file, &args.engine)?;
    let mut subject = loaded.subject();
    let mut inputs = loaded.files;
    inputs.extend(args.rays.clone());
    subject.faces = args.faces.into();
    check_triangles(&subject, &args.file)?;
    if args.mode == Mode::Shaded && args.smooth > 0.0 {
        subject.smooth_edges(args.smooth);
    }
    let view = camera::view_of(&args.camera, &subject)?;
    subject.set_section(section);
    if args.mode == Mode::Uv && !subject.has_uvs() {
        messages::note("the mesh has no texture coordinates; u and v are the weights of the hits");
    }

    let progress = Progress::start();
    let mut picture = render(&subject, &view, &style, |share| progress.advance(share));
    progress.finish();
    if let Some(mut rays) = rays {
        draw_rays(&mut picture, &subject, &view, |chunk| rays.read(chunk, RAYS_AT_A_TIME))?;
    }
    if args.open_edges {
        draw_open_edges(&mut picture, &subject, &view);
    }
    target.write_all(&picture.png()?)?;
    target.finish(&inputs)?;
    Ok(Outcome::Done)
}

/// The colours of open, non-manifold and inconsistently wound edges.
const FAULT_COLORS: [[u8; 3]; 3] = [[230, 20, 40], [160, 30, 200], [20, 90, 230]];

/// Draws the faulty edges of each visible instance, and prints their numbers.
fn draw_open_edges(picture: &mut Picture, subject: &Subject, view: &View) {
    let faults = world_edges(subject.scene(), subject.instances());
    let [open, non_manifold, inconsistent] = faults.each_ref().map(Vec::len);
    messages::note(format_args!(
        "edges: {open} open, {non_manifold} non-manifold, {inconsistent} inconsistently wound"
    ));
    // Open edges come last, over the others.
    for (segments, color) in faults.iter().zip(FAULT_COLORS).rev() {
        if !segments.is_empty() {
            draw_segments(picture, subject, view, segments, color);
        }
    }
}

/// Checks that the picture shows anything.
///
/// # Errors
/// A subject without triangles, or whose triangles are all hidden.
fn check_triangles(subject: &Subject, file: &Path) -> anyhow::Result<()> {
    if subject.n_triangles() > 0 {
        return Ok(());
    }
    let is_hidden = subject.scene().iter().any(|(_, instance)| {
        instance.mesh.as_ref().is_some_and(|mesh| !mesh.tri_mesh().triangles().is_empty())
    });
    match is_hidden {
        true => bail!(
            "{}: all instances with triangles are hidden; expected a visible one",
            file.display()
        ),
        false => bail!("{}: found no triangles; expected a mesh with triangles", file.display()),
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
