//! Rendering in one call or progressively.

use std::sync::atomic::{AtomicU64, Ordering};

use hitscan::glam::{DVec2, Vec4};
use hitscan::picking::View;
use hitscan::scene::SceneHit;
use rayon::current_num_threads;

use crate::color::{CUT, opaque};
use crate::film::{Film, PixelSampler, TileRays, TileSums, VisibleFace};
use crate::hit_colors::{self, NameColors};
use crate::legend::{self, Legend};
use crate::picture::Picture;
use crate::shaded::Lighting;
use crate::silhouette::Silhouette;
use crate::style::{Mode, Style};
use crate::subject::{NameKind, Subject};
use crate::{false_color, glass};

/// Tiles per thread in one step.
const TILES_PER_THREAD: u32 = 48;

/// Renders a picture of the view's size in one call. Passes the share of each finished tile to
/// `done`, from any thread; the shares add up to 1.
///
/// Runs on rayon's current pool. The result does not depend on the number of threads. Costs
/// `n_samples` rays per pixel; [`Mode::Shaded`] casts as many again for the lamp, and 16 per pixel
/// or more for the sky.
pub fn render(subject: &Subject, view: &View, style: &Style, done: impl Fn(f64) + Sync) -> Picture {
    let size = view.viewport().size;
    let size = [size.x as u32, size.y as u32];
    let mut progress = ProgressiveRender::new(subject.clone(), view.clone(), size, *style);
    let renderer = &progress.renderer;
    progress
        .film
        .add(|pixels| renderer.sums(pixels, 0..style.n_samples, renderer.needs_hits()), done);
    progress.n_samples_done = style.n_samples;
    progress.picture()
}

/// A progressive render: sample by sample, and each sample tile by tile.
///
/// Call [`step`](Self::step) between other work. After any complete sample,
/// [`picture`](Self::picture) returns the mean of all samples so far.
#[derive(Debug)]
pub struct ProgressiveRender {
    renderer: TileRenderer,
    /// Sums of all samples.
    film: Film,
    /// Samples that every pixel has.
    n_samples_done: u32,
    next_tile: u32,
    /// ID buffer; empty unless requested.
    ids: Vec<Option<VisibleFace>>,
    keeps_ids: bool,
}

/// Renders tiles: traces rays and colours their hits.
#[derive(Debug)]
struct TileRenderer {
    subject: Subject,
    style: Style,
    sampler: PixelSampler,
    shader: Shader,
    /// Outline of everything visible, if rays outside leave the background unchanged.
    silhouette: Option<Silhouette>,
    n_rays: AtomicU64,
}

/// The shading of a mode.
#[derive(Debug)]
enum Shader {
    Shaded(Lighting),
    Depth,
    Normal,
    FaceId,
    Names(NameColors),
    Uv,
    Heat,
    Glass,
}

impl ProgressiveRender {
    /// Starts a render of what the view's viewport shows. `size` is the columns and rows of the
    /// picture, independent of the viewport. Traces no rays yet.
    pub fn new(subject: Subject, view: View, size: [u32; 2], style: Style) -> Self {
        let shader = match style.mode {
            Mode::Shaded => Shader::Shaded(Lighting::new(&subject, &view, &style)),
            Mode::Depth => Shader::Depth,
            Mode::Normal => Shader::Normal,
            Mode::FaceId => Shader::FaceId,
            Mode::Object => Shader::Names(NameColors::new(&subject, NameKind::Object)),
            Mode::Material => Shader::Names(NameColors::new(&subject, NameKind::Material)),
            Mode::Uv => Shader::Uv,
            Mode::Heat => Shader::Heat,
            Mode::Glass => Shader::Glass,
        };
        let Style { n_samples, seed, .. } = style;
        let is_random = n_samples > 1 || style.mode == Mode::Shaded && !style.draft;
        let silhouette = match &shader {
            // Heat shows the work of rays that miss, too.
            Shader::Heat => None,
            Shader::Shaded(lighting) => {
                Silhouette::new(&subject, &view, &lighting.ground_corners())
            }
            _ => Silhouette::new(&subject, &view, &[]),
        };
        let sampler = PixelSampler { view, size, n_samples, seed, is_random };
        let n_rays = AtomicU64::new(0);
        let renderer = TileRenderer { subject, style, sampler, shader, silhouette, n_rays };
        Self {
            renderer,
            film: Film::new(size),
            n_samples_done: 0,
            next_tile: 0,
            ids: vec![],
            keeps_ids: false,
        }
    }

    /// Also keeps an ID buffer: the instance and polygon at each pixel's centre. Call it before the
    /// first [`step`](Self::step). It has no effect unless [`Style::n_samples`] is 1, because only
    /// a single sample goes through the centre.
    #[must_use]
    pub fn with_id_buffer(self) -> Self {
        Self { keeps_ids: self.renderer.style.n_samples == 1, ..self }
    }

    /// Columns and rows of the picture.
    pub fn size(&self) -> [u32; 2] {
        self.renderer.sampler.size
    }

    /// Complete samples per pixel, out of [`Style::n_samples`].
    pub fn n_samples_done(&self) -> u32 {
        self.n_samples_done
    }

    /// Whether all samples are complete.
    pub fn is_complete(&self) -> bool {
        self.n_samples_done >= self.renderer.style.n_samples
    }

    /// Adds the next sample to the next tiles, a few dozen per thread, which takes some
    /// milliseconds. Returns whether this completed a sample of every pixel. Does nothing once the
    /// render is complete.
    pub fn step(&mut self) -> bool {
        if self.is_complete() {
            return true;
        }
        let n_tiles = self.film.n_tiles();
        let end = n_tiles.min(self.next_tile + TILES_PER_THREAD * current_num_threads() as u32);
        let (renderer, sample) = (&self.renderer, self.n_samples_done);
        let keeps_ids = self.keeps_ids;
        if keeps_ids && self.ids.is_empty() {
            self.ids = vec![None; self.film.pixels.len()];
        }
        let render_tile = |pixels| {
            let sums =
                renderer.sums(pixels, sample..sample + 1, renderer.needs_hits() || keeps_ids);
            let hits = if keeps_ids { &sums.hits[..] } else { &[] };
            let ids = hits.iter().map(|hit| hit.map(|hit| renderer.visible_face(&hit))).collect();
            (sums, ids)
        };
        let ids = &mut self.ids;
        self.film.add_to_tiles(self.next_tile..end, render_tile, |pixel, id| ids[pixel] = id);
        let is_whole = end == n_tiles;
        self.next_tile = if is_whole { 0 } else { end };
        self.n_samples_done += u32::from(is_whole);
        is_whole
    }

    /// Number of rays traced so far, shadow and sky rays included.
    pub fn n_rays(&self) -> u64 {
        self.renderer.n_rays.load(Ordering::Relaxed)
    }

    /// The mean of all complete samples. Call it only right after a [`step`](Self::step) that
    /// returned true, because a partial sample would brighten its tiles. Costs O(pixels).
    pub fn picture(&self) -> Picture {
        let n_samples = self.n_samples_done.max(1);
        let style = &self.renderer.style;
        let developed = |(film, legend)| (Picture::develop(&film, 1, style.background), legend);
        let (mut picture, legend) = match self.renderer.shader {
            Shader::Depth => developed(false_color::depth(self.film.mean_of(n_samples))),
            Shader::Heat => developed(false_color::heat(self.film.mean_of(n_samples))),
            _ => (Picture::develop(&self.film, n_samples, style.background), self.names()),
        };
        if style.legend {
            legend::draw(&mut picture, &legend);
        }
        picture
    }

    /// Legend of the colours so far. Costs O(pixels) with [`Mode::Depth`] and [`Mode::Heat`].
    pub fn legend(&self) -> Legend {
        match self.renderer.shader {
            Shader::Depth => false_color::depth(self.film.mean_of(self.n_samples_done.max(1))).1,
            Shader::Heat => false_color::heat(self.film.mean_of(self.n_samples_done.max(1))).1,
            _ => self.names(),
        }
    }

    fn names(&self) -> Legend {
        match &self.renderer.shader {
            Shader::Names(names) => Legend::Names(names.seen(&self.renderer.subject)),
            _ => Legend::None,
        }
    }

    /// Mean number of nodes and triangle blocks tested per camera ray. Samples 500 to 1000 rays
    /// across the picture, or all rays of a smaller one. `None` if the picture has no pixels.
    pub fn mean_work(&self) -> Option<f64> {
        let size = self.renderer.sampler.size.map(u64::from);
        let n_pixels = size[0] * size[1];
        let step = (n_pixels / 500).max(1) as usize;
        let pixels = (0..n_pixels).step_by(step);
        let pixel_of = |n: u64| [(n % size[0]) as u32, (n / size[0]) as u32];
        let rays = pixels.map(|n| self.renderer.sampler.ray(pixel_of(n), DVec2::splat(0.5)));
        let work: Vec<u32> = rays.map(|ray| self.renderer.subject.work(&ray)).collect();
        let sum: f64 = work.iter().map(|&work| f64::from(work)).sum();
        (!work.is_empty()).then(|| sum / work.len() as f64)
    }

    /// Takes the ID buffer, row by row from the top left, with `None` for background. Empty before
    /// the render is complete or without [`with_id_buffer`](Self::with_id_buffer).
    pub fn take_id_buffer(&mut self) -> Vec<Option<VisibleFace>> {
        if self.is_complete() { std::mem::take(&mut self.ids) } else { vec![] }
    }
}

impl TileRenderer {
    /// Whether the shader needs closest hits. Heat counts work in its own query, and glass lists
    /// all hits.
    fn needs_hits(&self) -> bool {
        !matches!(self.shader, Shader::Heat | Shader::Glass)
    }

    /// Sums a range of samples of a tile's pixels, with closest hits if requested.
    fn sums(
        &self,
        pixels: Vec<[u32; 2]>,
        samples: std::ops::Range<u32>,
        with_hits: bool,
    ) -> TileSums {
        if self.misses_all(&pixels) {
            return TileSums::default();
        }
        let hits = |rays: &[_]| if with_hits { self.subject.hits(rays) } else { vec![] };
        self.sampler.sums(pixels, samples, hits, |tile| self.paint(tile))
    }

    /// Whether all rays of a tile miss. The first and last pixel are opposite corners of the tile.
    fn misses_all(&self, pixels: &[[u32; 2]]) -> bool {
        let (Some(silhouette), [first, .., last]) = (&self.silhouette, pixels) else {
            return false;
        };
        let min = self.sampler.pixel(*first, DVec2::ZERO);
        silhouette.misses(min, self.sampler.pixel(*last, DVec2::ONE))
    }

    fn visible_face(&self, hit: &SceneHit) -> VisibleFace {
        VisibleFace { instance: hit.instance, polygon: self.subject.polygon(hit) }
    }

    fn paint(&self, tile: &TileRays) -> Vec<Vec4> {
        let subject = &self.subject;
        let mut n_rays = tile.rays.len();
        let mut colors = match &self.shader {
            Shader::Shaded(lighting) => {
                let (colors, n_more) = lighting.paint(subject, tile);
                n_rays += n_more;
                colors
            }
            Shader::Depth => hit_colors::by_hit(tile, hit_colors::distance),
            Shader::Normal => {
                hit_colors::by_normal(subject, tile, |_, _, normal| hit_colors::normal(normal))
            }
            Shader::FaceId => hit_colors::by_hit(tile, |_, hit| hit_colors::face_id(subject, hit)),
            Shader::Names(names) => hit_colors::by_normal(subject, tile, |ray, hit, normal| {
                names.color(subject, ray, hit, normal)
            }),
            Shader::Uv => hit_colors::by_hit(tile, |_, hit| hit_colors::uv(subject, hit)),
            Shader::Heat => hit_colors::work(subject, tile),
            Shader::Glass => glass::paint(subject, tile),
        };
        self.n_rays.fetch_add(n_rays as u64, Ordering::Relaxed);
        self.paint_cut(tile, &mut colors);
        colors
    }

    /// Fills the cut of the subject's section.
    fn paint_cut(&self, tile: &TileRays, colors: &mut [Vec4]) {
        let Some(cut) = self.subject.cut().filter(|_| self.needs_hits()) else { return };
        for ((color, ray), hit) in colors.iter_mut().zip(&tile.rays).zip(&tile.hits) {
            if let Some(t) = cut.t(ray, hit.map(|hit| hit.t)) {
                *color = match self.shader {
                    Shader::Depth => hit_colors::value(t as f32),
                    _ => opaque(CUT),
                };
            }
        }
    }
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
            let transform = DAffine3::from_translation([x, 0.0, 0.0].into());
            scene.insert(Instance::new(ball.clone(), transform)).unwrap();
        }
        Subject::new(scene, |_, _| None)
    }

    #[test]
    fn steps_give_the_same_picture_as_one_call() {
        let subject = two_balls();
        // Tall enough for several steps per sample.
        let viewport = Viewport::from_size(70.0, 901.0);
        let view = Camera::look_at([0.0, 1.0, 6.0], [0.0; 3]).view(viewport).unwrap();
        for mode in [Mode::Shaded, Mode::Depth, Mode::Object, Mode::Heat, Mode::Glass] {
            for n_samples in [1, 3] {
                let style = Style { mode, n_samples, ..Style::default() };
                let whole = render(&subject, &view, &style, |_| ());
                let mut progress =
                    ProgressiveRender::new(subject.clone(), view.clone(), [70, 901], style);
                let mut n_whole = 0;
                while !progress.is_complete() {
                    n_whole += u32::from(progress.step());
                }
                assert_eq!(n_whole, n_samples);
                assert_eq!(progress.picture(), whole, "{mode:?}");
            }
        }
    }

    #[test]
    fn skipped_tiles_are_background() {
        let subject = two_balls();
        let viewport = Viewport::from_size(200.0, 160.0);
        let projection = |projection| Camera {
            projection,
            far: 100.0,
            ..Camera::look_at([2.0, 3.0, 9.0], [2.0, 1.0, 0.0])
        };
        let cameras = [
            projection(Projection::Perspective { fov_y_radians: 0.9 }),
            projection(Projection::Orthographic { height: 7.0 }),
            // One camera between the balls, one that looks away from them.
            Camera::look_at([0.3, 0.0, 0.0], [1.0, 0.2, 0.4]),
            Camera::look_at([0.0, 0.0, 3.0], [0.0, 0.0, 9.0]),
        ];
        let mut n_skipped = 0;
        for camera in cameras {
            let view = camera.view(viewport).unwrap();
            for mode in [Mode::Shaded, Mode::Depth, Mode::Object, Mode::Glass, Mode::Heat] {
                // Films with more and with fewer pixels than the view.
                for size in [[200, 160], [333, 270], [50, 40]] {
                    let style = Style { mode, n_samples: 2, ..Style::default() };
                    let mut pictures = [true, false].map(|with_silhouette| {
                        let mut progress =
                            ProgressiveRender::new(subject.clone(), view.clone(), size, style);
                        if !with_silhouette {
                            progress.renderer.silhouette = None;
                        }
                        while !progress.is_complete() {
                            progress.step();
                        }
                        (progress.n_rays(), progress.picture())
                    });
                    n_skipped += pictures[1].0 - pictures[0].0;
                    pictures[0].0 = pictures[1].0;
                    assert!(pictures[0] == pictures[1], "{mode:?} {size:?} {camera:?}");
                }
            }
        }
        assert!(n_skipped > 100_000, "{n_skipped}");
    }

    #[test]
    fn the_id_buffer_does_not_depend_on_the_film_size() {
        let subject = two_balls();
        let view = Camera::look_at([0.0, 1.0, 6.0], [0.0; 3]);
        let view = view.view(Viewport::from_size(80.0, 60.0)).unwrap();
        let id_buffer = |mode, size| {
            let style = Style { mode, n_samples: 1, ..Style::default() };
            let progress = ProgressiveRender::new(subject.clone(), view.clone(), size, style);
            let mut progress = progress.with_id_buffer();
            assert!(progress.take_id_buffer().is_empty());
            while !progress.is_complete() {
                progress.step();
            }
            progress.take_id_buffer()
        };
        let (large, small) =
            (id_buffer(Mode::Shaded, [240, 180]), id_buffer(Mode::Shaded, [80, 60]));
        assert_eq!(id_buffer(Mode::Glass, [80, 60]), small);
        assert!(small.iter().any(Option::is_some) && small.iter().any(Option::is_none));
        for (index, id) in small.iter().enumerate() {
            // The middle of three by three pixels has the same centre.
            let (x, y) = (index % 80, index / 80);
            assert_eq!(large[(3 * y + 1) * 240 + 3 * x + 1], *id);
        }
    }

    #[test]
    fn a_section_fills_the_cut_and_hides_the_half_below_its_plane() {
        let mut subject = two_balls();
        let view = Camera::look_at([0.25, 1.0, 6.0], [0.25, 0.0, 0.0]);
        let view = view.view(Viewport::from_size(120.0, 80.0)).unwrap();
        let picture = |subject: &Subject, mode| {
            let style =
                Style { mode, n_samples: 1, ground: false, legend: false, ..Style::default() };
            render(subject, &view, &style, |_| ())
        };
        let is_cut = |pixel: &[u8; 4]| pixel[..3] == CUT;
        let whole = picture(&subject, Mode::Shaded);
        assert!(!whole.pixels().iter().any(is_cut));
        // Without what is before z = 0.25, two discs are cut.
        let plane = hitscan::SectionPlane::new([0.0, 0.0, 0.25], [0.0, 0.0, -1.0]).unwrap();
        subject.set_section(Some(plane));
        for mode in [Mode::Shaded, Mode::Object, Mode::Normal] {
            let cut = picture(&subject, mode);
            let n_cut = cut.pixels().iter().filter(|pixel| is_cut(pixel)).count();
            assert!(n_cut > 900, "{mode:?}: {n_cut}");
        }
        subject.set_section(None);
        assert_eq!(picture(&subject, Mode::Shaded), whole);
    }
}
