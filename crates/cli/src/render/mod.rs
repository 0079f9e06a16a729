//! Pictures of meshes, by rays.
//!
//! ```text
//! view ──▶ film (rays in tiles) ──▶ plain or shaded (colours of hits) ──▶ picture ──▶ PNG
//!                                          legend, ray_lines (drawn on) ──▶ ▲
//! ```

mod color;
mod film;
mod legend;
mod picture;
mod plain;
mod ray_lines;
mod sampling;
mod shaded;
mod subject;

use hitscan::Ray;
use hitscan::glam::{DVec3, Vec4};
use hitscan::picking::View;

use crate::args::{Background, ModeArg};
use film::{Film, Sampling, TileRays};
use legend::RampLegend;
pub(crate) use picture::Picture;
use plain::Named;
use ray_lines::RayLines;
use shaded::Lighting;
use subject::Naming;
pub(crate) use subject::Subject;

/// What to show, and how.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    pub(crate) mode: ModeArg,
    /// Rays per pixel, at least 1.
    pub(crate) n_samples: u32,
    pub(crate) seed: u64,
    pub(crate) background: Background,
    /// Whether the picture says what its colours mean.
    pub(crate) legend: bool,
    /// Where the sky is.
    pub(crate) up: DVec3,
    /// Where the lamp stands.
    pub(crate) light: Option<[f64; 3]>,
}

/// What the colours of a picture mean.
enum Legend {
    None,
    Ramp(RampLegend),
    Names(Vec<(String, [u8; 3])>),
}

/// The picture of a subject, on rayon's current pool. `done` is told the share of each piece of work.
/// It depends on what is given alone, not on the number of threads.
pub(crate) fn render(
    subject: &Subject<'_>,
    view: &View,
    style: &Style,
    done: impl Fn(f64) + Sync,
) -> Picture {
    let (film, legend) = expose(subject, view, style, done);
    let mut picture = Picture::develop(&film, style.background);
    match &legend {
        _ if !style.legend => {}
        Legend::None => {}
        Legend::Ramp(ramp) => legend::draw_ramp(&mut picture, ramp),
        Legend::Names(names) => legend::draw_names(&mut picture, names),
    }
    picture
}

fn expose(
    subject: &Subject<'_>,
    view: &View,
    style: &Style,
    done: impl Fn(f64) + Sync,
) -> (Film, Legend) {
    let sampling = Sampling { view, n_samples: style.n_samples, seed: style.seed };
    let film =
        |paint: &(dyn Fn(&TileRays) -> Vec<Vec4> + Sync)| Film::expose(&sampling, paint, &done);
    let named = |naming| {
        let named = Named::new(subject, naming);
        let color = |ray: &_, hit: &_| named.color(subject, ray, hit);
        let film = film(&|tile| plain::by_hit(subject, tile, color));
        (film, Legend::Names(named.seen(subject)))
    };
    match style.mode {
        ModeArg::Shaded => {
            let lighting = Lighting::new(subject, view, style.up.as_vec3(), style.light);
            (film(&|tile| lighting.paint(subject, tile)), Legend::None)
        }
        ModeArg::Normal => {
            let color = |_: &_, hit: &_| plain::normal(subject, hit);
            (film(&|tile| plain::by_hit(subject, tile, color)), Legend::None)
        }
        ModeArg::FaceId => {
            let color = |_: &_, hit: &_| plain::face_id(subject, hit);
            (film(&|tile| plain::by_hit(subject, tile, color)), Legend::None)
        }
        ModeArg::Uv => {
            let color = |_: &_, hit: &_| plain::uv(subject, hit);
            (film(&|tile| plain::by_hit(subject, tile, color)), Legend::None)
        }
        ModeArg::Object => named(Naming::Object),
        ModeArg::Material => named(Naming::Material),
        ModeArg::Depth => depth(&film(&|tile| plain::by_hit(subject, tile, plain::distance))),
        ModeArg::Heat => heat(&film(&|tile| plain::work(subject, tile))),
    }
}

fn depth(film: &Film) -> (Film, Legend) {
    let Some(range) = film.range() else { return (film.clone(), Legend::None) };
    let legend = RampLegend {
        title: vec!["distance".to_owned()],
        ramp: color::depth,
        ends: [range.least, range.most].map(readable),
    };
    (film.recolored(range.least, range.most, color::depth), Legend::Ramp(legend))
}

/// From no work to what all but a thousandth of the pixels are: the few others would leave the rest
/// in the dark.
fn heat(film: &Film) -> (Film, Legend) {
    let Some(range) = film.range() else { return (film.clone(), Legend::None) };
    let end = range.nearly_most.max(1.0);
    let beyond = if range.most > end { "+" } else { "" };
    let legend = RampLegend {
        title: vec![
            "nodes and blocks of 8 tested per ray".to_owned(),
            format!("mean {:.1}, most {:.0}", range.mean, range.most),
        ],
        ramp: color::heat,
        ends: ["0".to_owned(), format!("{end:.0}{beyond}")],
    };
    (film.recolored(0.0, end, color::heat), Legend::Ramp(legend))
}

/// Four digits.
fn readable(value: f32) -> String {
    if value != 0.0 && !(1e-3..1e6).contains(&value.abs()) {
        return format!("{value:.3e}");
    }
    let digits_before = value.abs().max(1.0).log10().floor() as usize;
    format!("{value:.*}", 3usize.saturating_sub(digits_before))
}

/// Draws rays into a picture of the subject, chunk by chunk.
///
/// # Errors
/// Those of `next`, which appends the next rays, or none at the end.
pub(crate) fn draw_rays(
    picture: &mut Picture,
    subject: &Subject<'_>,
    view: &View,
    mut next: impl FnMut(&mut Vec<Ray>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let distances = |tile: &TileRays| {
        let distance = |hit: Option<hitscan::Hit>| hit.map_or(f32::INFINITY, |hit| hit.t);
        let hits = subject.hits(&tile.rays).into_iter();
        hits.map(|hit| Vec4::splat(distance(hit))).collect()
    };
    let sampling = Sampling { view, n_samples: 1, seed: 0 };
    let film = Film::expose(&sampling, distances, |_| ());
    let distances: Vec<f32> = film.pixels.iter().map(|pixel| pixel.x).collect();
    let lines = RayLines::new(view, subject, &distances);
    let mut rays = Vec::new();
    loop {
        rays.clear();
        next(&mut rays)?;
        if rays.is_empty() {
            return Ok(());
        }
        lines.draw(picture, subject, &rays);
    }
}
