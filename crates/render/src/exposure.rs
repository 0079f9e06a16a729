//! Pictures: in one go, or piece by piece.

use std::sync::atomic::{AtomicU64, Ordering};

use hitscan::glam::{DVec2, Vec4};
use hitscan::picking::View;

use crate::film::{Film, Sampling, TileRays, TileSums};
use crate::legend::{self, Legend, RampLegend};
use crate::picture::Picture;
use crate::plain::{self, Named};
use crate::shaded::Lighting;
use crate::style::{Mode, Style};
use crate::subject::{Naming, Subject};
use crate::{Seen, color, glass};

/// The picture of a subject, on rayon's current pool: as large as the viewport of the view. `done` is
/// told the share of each piece of work.
pub fn render(subject: &Subject, view: &View, style: &Style, done: impl Fn(f64) + Sync) -> Picture {
    let size = view.viewport().size;
    let size = [size.x as u32, size.y as u32];
    let mut exposure = Exposure::new(subject.clone(), view.clone(), size, *style);
    let rows = 0..exposure.film.n_rows();
    exposure.lens.add_to(&mut exposure.film, rows, 0..style.n_samples, done);
    exposure.n_done = style.n_samples;
    exposure.picture()
}

/// A picture in the making: sample by sample, and each sample row by row of tiles.
#[derive(Debug)]
pub struct Exposure {
    lens: Lens,
    /// Sums of samples.
    film: Film,
    /// Samples that all pixels have.
    n_done: u32,
    next_row: u32,
}

/// All that makes colours of rays.
#[derive(Debug)]
struct Lens {
    subject: Subject,
    style: Style,
    sampling: Sampling,
    painter: Painter,
    n_rays: AtomicU64,
}

/// How hits become colours.
#[derive(Debug)]
enum Painter {
    Shaded(Lighting),
    Depth,
    Normal,
    FaceId,
    Named(Named),
    Uv,
    Heat,
    Glass,
}

impl Exposure {
    /// Begins a picture of so many pixels, by columns and rows, of what the viewport of the view shows.
    pub fn new(subject: Subject, view: View, size: [u32; 2], style: Style) -> Self {
        let painter = match style.mode {
            Mode::Shaded => Painter::Shaded(Lighting::new(&subject, &view, &style)),
            Mode::Depth => Painter::Depth,
            Mode::Normal => Painter::Normal,
            Mode::FaceId => Painter::FaceId,
            Mode::Object => Painter::Named(Named::new(&subject, Naming::Object)),
            Mode::Material => Painter::Named(Named::new(&subject, Naming::Material)),
            Mode::Uv => Painter::Uv,
            Mode::Heat => Painter::Heat,
            Mode::Glass => Painter::Glass,
        };
        let sampling = Sampling { view, size, n_samples: style.n_samples, seed: style.seed };
        let lens = Lens { subject, style, sampling, painter, n_rays: AtomicU64::new(0) };
        Self { lens, film: Film::new(size), n_done: 0, next_row: 0 }
    }

    /// Pixels, by columns and rows.
    pub fn size(&self) -> [u32; 2] {
        self.lens.sampling.size
    }

    /// The samples that all pixels have, of [`Style::n_samples`].
    pub fn n_done(&self) -> u32 {
        self.n_done
    }

    /// Whether nothing is left to do.
    pub fn is_complete(&self) -> bool {
        self.n_done >= self.lens.style.n_samples
    }

    /// Gives the next rows of tiles their next sample. Whether with that every pixel has as many.
    pub fn step(&mut self) -> bool {
        if self.is_complete() {
            return true;
        }
        // Enough tiles that threads need not wait for each other often.
        let n_rows = self.film.n_rows();
        let end = (self.next_row + 64u32.div_ceil(self.film.n_columns().max(1))).min(n_rows);
        let (rows, sample) = (self.next_row..end, self.n_done);
        self.lens.add_to(&mut self.film, rows, sample..sample + 1, |_| ());
        let is_whole = end == n_rows;
        self.next_row = if is_whole { 0 } else { end };
        self.n_done += u32::from(is_whole);
        is_whole
    }

    /// The rays asked so far.
    pub fn n_rays(&self) -> u64 {
        self.lens.n_rays.load(Ordering::Relaxed)
    }

    /// The picture of the samples that all pixels have; call it when there are some, and none is under
    /// way.
    pub fn picture(&self) -> Picture {
        let film = self.film.mean_of(self.n_done.max(1));
        let style = &self.lens.style;
        let (film, legend) = match self.lens.painter {
            Painter::Depth => depth(film),
            Painter::Heat => heat(film),
            _ => (film, self.names()),
        };
        let mut picture = Picture::develop(&film, style.background);
        if style.legend {
            legend::draw(&mut picture, &legend);
        }
        picture
    }

    /// What the colours mean.
    pub fn legend(&self) -> Legend {
        match self.lens.painter {
            Painter::Depth => depth(self.film.mean_of(self.n_done.max(1))).1,
            Painter::Heat => heat(self.film.mean_of(self.n_done.max(1))).1,
            _ => self.names(),
        }
    }

    fn names(&self) -> Legend {
        match &self.lens.painter {
            Painter::Named(named) => Legend::Names(named.seen(&self.lens.subject)),
            _ => Legend::None,
        }
    }

    /// The nodes and blocks that a ray of the picture tests, in the mean over some hundred of them;
    /// `None` for a picture without pixels.
    pub fn mean_work(&self) -> Option<f64> {
        let size = self.lens.sampling.size.map(u64::from);
        let n_pixels = size[0] * size[1];
        let step = (n_pixels / 500).max(1) as usize;
        let places = (0..n_pixels).step_by(step);
        let place = |n: u64| [(n % size[0]) as u32, (n / size[0]) as u32];
        let rays = places.map(|n| self.lens.sampling.ray(place(n), DVec2::splat(0.5)));
        let work: Vec<u32> = rays.map(|ray| self.lens.subject.work(&ray)).collect();
        let sum: f64 = work.iter().map(|&work| f64::from(work)).sum();
        (!work.is_empty()).then(|| sum / work.len() as f64)
    }

    /// What the centre of each pixel shows, row by row from the top.
    pub fn seen(&self) -> Vec<Option<Seen>> {
        let subject = &self.lens.subject;
        let seen = |hit: Option<hitscan::scene::SceneHit>| {
            hit.map(|hit| Seen { instance: hit.instance, polygon: subject.polygon(&hit) })
        };
        self.lens.sampling.seen(|rays| subject.hits(rays), seen)
    }
}

impl Lens {
    /// Adds samples to rows of tiles.
    fn add_to(
        &self,
        film: &mut Film,
        rows: std::ops::Range<u32>,
        samples: std::ops::Range<u32>,
        done: impl Fn(f64) + Sync,
    ) {
        // Work is counted by a walk of its own; the hits come with it.
        let needs_hits = !matches!(self.painter, Painter::Heat | Painter::Glass);
        let hits = |rays: &[_]| if needs_hits { self.subject.hits(rays) } else { vec![] };
        let expose = |places| -> TileSums {
            self.sampling.sums(places, samples.clone(), hits, |tile| self.paint(tile))
        };
        film.add(rows, expose, done);
    }

    fn paint(&self, tile: &TileRays) -> Vec<Vec4> {
        let subject = &self.subject;
        let mut n_rays = tile.rays.len();
        let colors = match &self.painter {
            Painter::Shaded(lighting) => {
                let (colors, n_more) = lighting.paint(subject, tile);
                n_rays += n_more;
                colors
            }
            Painter::Depth => plain::by_hit(tile, plain::distance),
            Painter::Normal => plain::by_hit(tile, |_, hit| plain::normal(subject, hit)),
            Painter::FaceId => plain::by_hit(tile, |_, hit| plain::face_id(subject, hit)),
            Painter::Named(named) => plain::by_hit(tile, |ray, hit| named.color(subject, ray, hit)),
            Painter::Uv => plain::by_hit(tile, |_, hit| plain::uv(subject, hit)),
            Painter::Heat => plain::work(subject, tile),
            Painter::Glass => glass::paint(subject, tile),
        };
        self.n_rays.fetch_add(n_rays as u64, Ordering::Relaxed);
        colors
    }
}

fn depth(film: Film) -> (Film, Legend) {
    let Some(range) = film.range() else { return (film, Legend::None) };
    let legend = RampLegend {
        title: vec!["distance".to_owned()],
        ramp: color::depth,
        ends: [range.least, range.most].map(readable),
    };
    (film.recolored(range.least, range.most, color::depth), Legend::Ramp(legend))
}

/// From no work to what all but a thousandth of the pixels are: the few others would leave the rest
/// in the dark.
fn heat(film: Film) -> (Film, Legend) {
    let Some(range) = film.range() else { return (film, Legend::None) };
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hitscan::glam::DAffine3;
    use hitscan::picking::{Camera, Viewport};
    use hitscan::scene::{Instance, Mesh, Scene};

    use super::*;

    fn two_balls() -> Subject {
        let ball = hitscan::generate::sphere(1.0, 200).unwrap();
        let ball = Arc::new(Mesh::new(ball, &Default::default()));
        let mut scene = Scene::new();
        for x in [-1.0, 1.5] {
            let place = DAffine3::from_translation([x, 0.0, 0.0].into());
            scene.insert(Instance::new(ball.clone(), place)).unwrap();
        }
        Subject::new(scene, |_, _| None)
    }

    #[test]
    fn piece_by_piece_is_the_same_picture() {
        let subject = two_balls();
        // Several steps for each sample.
        let viewport = Viewport::of_size(70.0, 901.0);
        let view = Camera::looking([0.0, 1.0, 6.0], [0.0; 3]).view(viewport).unwrap();
        for mode in [Mode::Shaded, Mode::Depth, Mode::Object, Mode::Heat, Mode::Glass] {
            for n_samples in [1, 3] {
                let style = Style { mode, n_samples, ..Style::default() };
                let whole = render(&subject, &view, &style, |_| ());
                let mut exposure = Exposure::new(subject.clone(), view.clone(), [70, 901], style);
                let mut n_whole = 0;
                while !exposure.is_complete() {
                    n_whole += u32::from(exposure.step());
                }
                assert_eq!(n_whole, n_samples);
                assert_eq!(exposure.picture(), whole, "{mode:?}");
            }
        }
    }

    #[test]
    fn a_film_of_another_size_shows_the_same() {
        let subject = two_balls();
        let view = Camera::looking([0.0, 1.0, 6.0], [0.0; 3]);
        let view = view.view(Viewport::of_size(80.0, 60.0)).unwrap();
        let seen = |size| {
            let style = Style::default();
            Exposure::new(subject.clone(), view.clone(), size, style).seen()
        };
        let (large, small) = (seen([240, 180]), seen([80, 60]));
        assert!(small.iter().any(Option::is_some) && small.iter().any(Option::is_none));
        for (place, seen) in small.iter().enumerate() {
            // The middle of three by three pixels has the same centre.
            let (x, y) = (place % 80, place / 80);
            assert_eq!(large[(3 * y + 1) * 240 + 3 * x + 1], *seen);
        }
    }
}
