//! Pictures: in one go, or piece by piece.

use std::sync::atomic::{AtomicU64, Ordering};

use hitscan::glam::{DVec2, Vec4};
use hitscan::picking::View;
use hitscan::scene::SceneHit;
use rayon::current_num_threads;

use crate::film::{Film, Sampling, TileRays, TileSums};
use crate::legend::{self, Legend, RampLegend};
use crate::picture::Picture;
use crate::plain::{self, Named};
use crate::shaded::Lighting;
use crate::silhouette::Silhouette;
use crate::style::{Mode, Style};
use crate::subject::{Naming, Subject};
use crate::{Seen, color, glass};

/// Tiles that a step has for each thread.
const TILES_OF_A_THREAD: u32 = 48;

/// The picture of a subject, on rayon's current pool: as large as the viewport of the view. `done` is
/// told the share of each piece of work.
pub fn render(subject: &Subject, view: &View, style: &Style, done: impl Fn(f64) + Sync) -> Picture {
    let size = view.viewport().size;
    let size = [size.x as u32, size.y as u32];
    let mut exposure = Exposure::new(subject.clone(), view.clone(), size, *style);
    let lens = &exposure.lens;
    exposure.film.add(|places| lens.sums(places, 0..style.n_samples, lens.needs_hits()), done);
    exposure.n_done = style.n_samples;
    exposure.picture()
}

/// A picture in the making: sample by sample, and each sample tile by tile.
#[derive(Debug)]
pub struct Exposure {
    lens: Lens,
    /// Sums of samples.
    film: Film,
    /// Samples that all pixels have.
    n_done: u32,
    next_tile: u32,
    /// Of each pixel, if that is kept.
    seen: Vec<Option<Seen>>,
    keeps_seen: bool,
}

/// All that makes colours of rays.
#[derive(Debug)]
struct Lens {
    subject: Subject,
    style: Style,
    sampling: Sampling,
    painter: Painter,
    /// Around all that is seen, if rays beside it leave nothing in the picture.
    silhouette: Option<Silhouette>,
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
        let Style { n_samples, seed, .. } = style;
        let is_random = n_samples > 1 || style.mode == Mode::Shaded && !style.draft;
        let silhouette = match painter {
            // Work is shown of rays that miss, too.
            Painter::Heat => None,
            _ => Silhouette::new(&subject, &view),
        };
        let sampling = Sampling { view, size, n_samples, seed, is_random };
        let n_rays = AtomicU64::new(0);
        let lens = Lens { subject, style, sampling, painter, silhouette, n_rays };
        Self {
            lens,
            film: Film::new(size),
            n_done: 0,
            next_tile: 0,
            seen: vec![],
            keeps_seen: false,
        }
    }

    /// The same, for a picture that is just begun, keeping what the centre of each pixel shows. Only
    /// with a single sample do rays go there.
    #[must_use]
    pub fn keeping_seen(self) -> Self {
        Self { keeps_seen: self.lens.style.n_samples == 1, ..self }
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

    /// Gives the next few tiles their next sample, so few that it takes some milliseconds. Whether with
    /// that every pixel has as many.
    pub fn step(&mut self) -> bool {
        if self.is_complete() {
            return true;
        }
        let n_tiles = self.film.n_tiles();
        let end = n_tiles.min(self.next_tile + TILES_OF_A_THREAD * current_num_threads() as u32);
        let (lens, sample) = (&self.lens, self.n_done);
        let keeps_seen = self.keeps_seen;
        if keeps_seen && self.seen.is_empty() {
            self.seen = vec![None; self.film.pixels.len()];
        }
        let expose = |places| {
            let sums = lens.sums(places, sample..sample + 1, lens.needs_hits() || keeps_seen);
            let hits = if keeps_seen { &sums.hits[..] } else { &[] };
            let seen = hits.iter().map(|hit| hit.map(|hit| lens.seen(&hit))).collect();
            (sums, seen)
        };
        let seen = &mut self.seen;
        self.film.add_to_tiles(self.next_tile..end, expose, |pixel, shown| seen[pixel] = shown);
        let is_whole = end == n_tiles;
        self.next_tile = if is_whole { 0 } else { end };
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
        let n_samples = self.n_done.max(1);
        let style = &self.lens.style;
        let developed = |(film, legend)| (Picture::develop(&film, 1, style.background), legend);
        let (mut picture, legend) = match self.lens.painter {
            Painter::Depth => developed(depth(self.film.mean_of(n_samples))),
            Painter::Heat => developed(heat(self.film.mean_of(n_samples))),
            _ => (Picture::develop(&self.film, n_samples, style.background), self.names()),
        };
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

    /// What the centre of each pixel shows, row by row from the top, once all of it is known; empty if
    /// it is not [kept](Self::keeping_seen).
    pub fn take_seen(&mut self) -> Vec<Option<Seen>> {
        if self.is_complete() { std::mem::take(&mut self.seen) } else { vec![] }
    }
}

impl Lens {
    /// Whether colours are made of hits. Work is counted by a walk of its own, and panes are many.
    fn needs_hits(&self) -> bool {
        !matches!(self.painter, Painter::Heat | Painter::Glass)
    }

    /// Samples of the pixels of a tile; with what they hit if that is wanted.
    fn sums(
        &self,
        places: Vec<[u32; 2]>,
        samples: std::ops::Range<u32>,
        with_hits: bool,
    ) -> TileSums {
        if self.is_background(&places) {
            return TileSums::default();
        }
        let hits = |rays: &[_]| if with_hits { self.subject.hits(rays) } else { vec![] };
        self.sampling.sums(places, samples, hits, |tile| self.paint(tile))
    }

    /// Whether nothing is seen at the pixels of a tile, which go from its first corner to its last.
    fn is_background(&self, places: &[[u32; 2]]) -> bool {
        let (Some(silhouette), [first, .., last]) = (&self.silhouette, places) else {
            return false;
        };
        let min = self.sampling.pixel(*first, DVec2::ZERO);
        silhouette.is_beside(min, self.sampling.pixel(*last, DVec2::ONE))
    }

    fn seen(&self, hit: &SceneHit) -> Seen {
        Seen { instance: hit.instance, polygon: self.subject.polygon(hit) }
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
            Painter::Normal => {
                plain::by_normal(subject, tile, |_, _, normal| plain::normal(normal))
            }
            Painter::FaceId => plain::by_hit(tile, |_, hit| plain::face_id(subject, hit)),
            Painter::Named(named) => plain::by_normal(subject, tile, |ray, hit, normal| {
                named.color(subject, ray, hit, normal)
            }),
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
    use hitscan::picking::{Camera, Projection, Viewport};
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
        let viewport = Viewport::from_size(70.0, 901.0);
        let view = Camera::look_at([0.0, 1.0, 6.0], [0.0; 3]).view(viewport).unwrap();
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
    fn nothing_is_lost_where_no_ray_is_asked() {
        let subject = two_balls();
        let viewport = Viewport::from_size(200.0, 160.0);
        let with = |projection| Camera {
            projection,
            far: 100.0,
            ..Camera::look_at([2.0, 3.0, 9.0], [2.0, 1.0, 0.0])
        };
        let cameras = [
            with(Projection::Perspective { fov_y_radians: 0.9 }),
            with(Projection::Orthographic { height: 7.0 }),
            // From among the balls, and looking away from them.
            Camera::look_at([0.3, 0.0, 0.0], [1.0, 0.2, 0.4]),
            Camera::look_at([0.0, 0.0, 3.0], [0.0, 0.0, 9.0]),
        ];
        let mut n_spared = 0;
        for camera in cameras {
            let view = camera.view(viewport).unwrap();
            for mode in [Mode::Shaded, Mode::Depth, Mode::Object, Mode::Glass, Mode::Heat] {
                // Films finer and coarser than the view.
                for size in [[200, 160], [333, 270], [50, 40]] {
                    let style = Style { mode, n_samples: 2, ..Style::default() };
                    let mut pictures = [true, false].map(|with_silhouette| {
                        let mut exposure =
                            Exposure::new(subject.clone(), view.clone(), size, style);
                        if !with_silhouette {
                            exposure.lens.silhouette = None;
                        }
                        while !exposure.is_complete() {
                            exposure.step();
                        }
                        (exposure.n_rays(), exposure.picture())
                    });
                    n_spared += pictures[1].0 - pictures[0].0;
                    pictures[0].0 = pictures[1].0;
                    assert!(pictures[0] == pictures[1], "{mode:?} {size:?} {camera:?}");
                }
            }
        }
        assert!(n_spared > 100_000, "{n_spared}");
    }

    #[test]
    fn a_film_of_another_size_shows_the_same() {
        let subject = two_balls();
        let view = Camera::look_at([0.0, 1.0, 6.0], [0.0; 3]);
        let view = view.view(Viewport::from_size(80.0, 60.0)).unwrap();
        let seen = |mode, size| {
            let style = Style { mode, n_samples: 1, ..Style::default() };
            let exposure = Exposure::new(subject.clone(), view.clone(), size, style);
            let mut exposure = exposure.keeping_seen();
            assert!(exposure.take_seen().is_empty());
            while !exposure.is_complete() {
                exposure.step();
            }
            exposure.take_seen()
        };
        let (large, small) = (seen(Mode::Shaded, [240, 180]), seen(Mode::Shaded, [80, 60]));
        assert_eq!(seen(Mode::Glass, [80, 60]), small);
        assert!(small.iter().any(Option::is_some) && small.iter().any(Option::is_none));
        for (place, seen) in small.iter().enumerate() {
            // The middle of three by three pixels has the same centre.
            let (x, y) = (place % 80, place / 80);
            assert_eq!(large[(3 * y + 1) * 240 + 3 * x + 1], *seen);
        }
    }
}
