//! Progressive rendering of a tab's frames: a preview while the camera moves, then full resolution,
//! then refinement.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use hitscan::glam::{DVec2, DVec3};
use hitscan::picking::View;
use hitscan_render::{Background, Mode, Picture, ProgressiveRender, Style, Subject, VisibleFace};

use crate::highlight::Highlight;
use crate::protocol::{FrameHeader, StatsReport};
use crate::resolution::PreviewResolution;

/// The camera counts as idle after this time without a change.
const IDLE_DELAY: Duration = Duration::from_millis(130);

/// Approximate duration of one call of [`FrameRenderer::render_slice`]. Messages of the page wait
/// that long.
const TIME_SLICE: Duration = Duration::from_millis(10);

/// Samples per pixel of a refined frame, in shaded mode and in all others. A frame of more pixels than the window
/// has fewer, down to the minimum, so that it takes as long.
const REFINED_SAMPLES: [u32; 2] = [16, 4];
const MIN_REFINED_SAMPLES: u32 = 4;

/// Maximum number of pixels in a frame: a 4K screen.
const MAX_PIXELS: f64 = (8 << 20) as f64;

/// Above the resolution of the window, a sample of every pixel may take this long in a frame that is not
/// refined yet. A slower machine renders it with fewer pixels than the screen has.
const MAX_SAMPLE_TIME: Duration = Duration::from_millis(600);

/// Minimum interval between statistics of previews, because each update makes the page compute its
/// layout.
const STATS_INTERVAL: Duration = Duration::from_millis(250);

/// Maximum payload of one chunk of a frame. Other messages are sent between chunks.
const MAX_CHUNK_BYTES: usize = 1 << 18;

/// Maximum number of frames that the page has not acknowledged.
const MAX_IN_FLIGHT: u32 = 2;

/// Background colour.
const BACKGROUND: Background = Background([27, 30, 36, 255]);

/// The inputs of a frame.
#[derive(Clone, Debug)]
pub(crate) struct FrameRequest<'a> {
    pub(crate) subject: &'a Subject,
    pub(crate) view: &'a View,
    pub(crate) mode: Mode,
    pub(crate) up: DVec3,
    /// Device pixels per pixel of the window.
    pub(crate) ratio: f64,
}

/// Quality of a frame, in rising order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    /// Reduced resolution, to keep interaction smooth.
    Preview,
    /// Full resolution, one sample per pixel, draft lighting.
    Full,
    /// Full resolution, several samples per pixel, full lighting.
    Refined,
}

/// The frame that is being rendered.
#[derive(Debug)]
struct InProgress {
    render: ProgressiveRender,
    view: View,
    stage: Stage,
    started: Instant,
    /// Rendering time of the current sample.
    sample_time: Duration,
    n_rays_before: u64,
    /// Number of samples at which the frame is next sent.
    next_shown_sample: u32,
}

impl InProgress {
    /// The statistics of the finished sample. The next sample starts at zero.
    fn take_sample_stats(&mut self) -> StatsReport {
        let [width, height] = self.render.size();
        let (seconds, n_rays) = (self.sample_time.as_secs_f64(), self.render.n_rays());
        let new_rays = n_rays - self.n_rays_before;
        (self.sample_time, self.n_rays_before) = (Duration::ZERO, n_rays);
        StatsReport {
            width,
            height,
            n_samples: self.render.n_samples_done(),
            rays_per_second: new_rays as f64 / seconds.max(1e-9),
            seconds,
            work_per_ray: None,
        }
    }
}

/// The latest rendered frame, without highlights.
#[derive(Debug)]
struct RenderedFrame {
    picture: Picture,
    view: View,
    stage: Stage,
    /// ID buffer, empty if nothing needs it.
    ids: Vec<Option<VisibleFace>>,
}

impl RenderedFrame {
    fn size(&self) -> [u32; 2] {
        [self.picture.width(), self.picture.height()]
    }
}

/// The samples per pixel of a refined frame with `n_per_pixel` pixels per pixel of the window.
fn refined_samples(n: u32, n_per_pixel: f64) -> u32 {
    ((f64::from(n) / n_per_pixel.max(1.0)).ceil() as u32).max(MIN_REFINED_SAMPLES)
}

/// Renders and sends the frames of one tab.
#[derive(Debug)]
pub(crate) struct FrameRenderer {
    /// Whether the request has changed since the latest frame was started.
    is_outdated: bool,
    /// Time of the latest change of the request.
    last_change: Instant,
    in_progress: Option<InProgress>,
    /// The latest complete render, kept for its legend.
    last_render: Option<ProgressiveRender>,
    finished: Option<RenderedFrame>,
    /// Whether a new frame or new highlights wait to be sent.
    is_unsent: bool,
    /// The latest frame sent, with highlights.
    sent: Option<Picture>,
    /// Chunks that are not sent yet.
    outgoing: VecDeque<Vec<u8>>,
    n_sent: u32,
    n_acknowledged: u32,
    resolution: PreviewResolution,
    stats: Option<StatsReport>,
    /// Time of the latest statistics.
    last_stats: Option<Instant>,
}

impl FrameRenderer {
    /// A renderer without frames, whose camera is idle.
    pub(crate) fn new(now: Instant) -> Self {
        Self {
            is_outdated: true,
            last_change: now.checked_sub(IDLE_DELAY).unwrap_or(now),
            in_progress: None,
            last_render: None,
            finished: None,
            is_unsent: false,
            sent: None,
            outgoing: VecDeque::new(),
            n_sent: 0,
            n_acknowledged: 0,
            resolution: PreviewResolution::default(),
            stats: None,
            last_stats: None,
        }
    }

    /// Records that the request has changed.
    pub(crate) fn invalidate(&mut self, now: Instant) {
        self.is_outdated = true;
        self.last_change = now;
    }

    /// Records a change of the request that also changes the cost per ray.
    pub(crate) fn invalidate_costs(&mut self, now: Instant) {
        self.resolution = PreviewResolution::default();
        self.invalidate(now);
    }

    /// Records that the highlights have changed.
    pub(crate) fn invalidate_highlight(&mut self) {
        self.is_unsent = true;
    }

    /// Records that the page shows frame `frame`.
    pub(crate) fn acknowledge(&mut self, frame: u32) {
        // A false acknowledgement of a frame that was never sent has no effect.
        self.n_acknowledged = self.n_acknowledged.max(frame.saturating_add(1)).min(self.n_sent);
    }

    /// Time until there is work without further messages: zero if there is work now, `None` if only
    /// a message can cause work.
    pub(crate) fn time_until_work(&self, now: Instant) -> Option<Duration> {
        if !self.outgoing.is_empty() {
            return Some(Duration::ZERO);
        }
        let may_send = self.n_sent - self.n_acknowledged < MAX_IN_FLIGHT;
        if may_send && (self.is_outdated || self.in_progress.is_some() || self.is_unsent) {
            return Some(Duration::ZERO);
        }
        let is_refined = self.finished.as_ref().is_some_and(|f| f.stage == Stage::Refined);
        let idle_at = self.last_change + IDLE_DELAY;
        (!is_refined && may_send).then(|| idle_at.saturating_duration_since(now))
    }

    /// Renders for one time slice and returns the next chunk to send, if any.
    pub(crate) fn render_slice(
        &mut self,
        request: &FrameRequest<'_>,
        highlight: &Highlight<'_>,
        now: Instant,
    ) -> Option<Vec<u8>> {
        if self.outgoing.is_empty() && self.n_sent - self.n_acknowledged < MAX_IN_FLIGHT {
            self.start_frame(request, highlight, now);
            self.continue_frame();
            self.queue_frame(highlight);
        }
        self.outgoing.pop_front()
    }

    /// Takes new statistics, if any: once per sample, but only a few times a second for previews.
    pub(crate) fn take_stats(&mut self) -> Option<StatsReport> {
        self.stats.take()
    }

    /// The latest complete render.
    pub(crate) fn last_render(&self) -> Option<&ProgressiveRender> {
        self.last_render.as_ref()
    }

    /// Starts the next frame if it is due.
    fn start_frame(&mut self, request: &FrameRequest<'_>, highlight: &Highlight<'_>, now: Instant) {
        let is_idle = now.saturating_duration_since(self.last_change) >= IDLE_DELAY;
        let current_stage = self.in_progress.as_ref().map(|in_progress| in_progress.stage);
        let finished_stage = self.finished.as_ref().map(|finished| finished.stage);
        let stage = match (self.is_outdated, current_stage) {
            // A preview is always finished, because fast movement would otherwise show no frame at
            // all.
            (_, Some(Stage::Preview)) => return,
            // The first frame is a preview, because its cost is unknown.
            (true, _) if !is_idle || !self.resolution.has_measurement() => Stage::Preview,
            (true, _) => Stage::Full,
            (false, Some(_)) => return,
            (false, None) => match finished_stage {
                Some(Stage::Preview) if is_idle => Stage::Full,
                Some(Stage::Full) => Stage::Refined,
                _ => return,
            },
        };
        self.is_outdated = false;
        let size = self.size(request, stage);
        let window = request.view.viewport().size;
        let n_per_pixel = f64::from(size[0]) * f64::from(size[1]) / (window.x * window.y);
        let n_samples = match (stage, request.mode) {
            (Stage::Refined, Mode::Shaded) => refined_samples(REFINED_SAMPLES[0], n_per_pixel),
            (Stage::Refined, _) => refined_samples(REFINED_SAMPLES[1], n_per_pixel),
            _ => 1,
        };
        let is_larger = stage == Stage::Refined
            && self.finished.as_ref().is_some_and(|finished| size != finished.size());
        let style = Style {
            mode: request.mode,
            n_samples,
            seed: 1,
            background: BACKGROUND,
            legend: false,
            up: request.up,
            light: None,
            ground: true,
            draft: stage != Stage::Refined,
        };
        let render =
            ProgressiveRender::new(request.subject.clone(), request.view.clone(), size, style);
        // Previews skip the ID buffer unless highlights need it, because the pointer is busy.
        let needs_ids = stage == Stage::Full || is_larger || highlight.needs_ids();
        self.in_progress = Some(InProgress {
            render: if needs_ids { render.with_id_buffer() } else { render },
            view: request.view.clone(),
            stage,
            started: Instant::now(),
            sample_time: Duration::ZERO,
            n_rays_before: 0,
            next_shown_sample: if is_larger { 1 } else { n_samples.min(4) },
        });
    }

    /// Size of the next frame: full resolution, or the preview resolution that keeps interaction
    /// smooth.
    fn size(&mut self, request: &FrameRequest<'_>, stage: Stage) -> [u32; 2] {
        let window = request.view.viewport().size;
        let n_pixels = window.x * window.y;
        let full = request.ratio.min((MAX_PIXELS / n_pixels).sqrt());
        let scale = match stage {
            Stage::Full => {
                let affordable = self.resolution.scale_within(n_pixels, MAX_SAMPLE_TIME);
                full.min(affordable.max(1.0))
            }
            Stage::Refined => full,
            Stage::Preview => self.resolution.scale(n_pixels, full.min(1.0)),
        };
        (scale * window).round().max(DVec2::ONE).to_array().map(|side| side as u32)
    }

    /// Renders the current frame for one time slice.
    fn continue_frame(&mut self) {
        let Some(in_progress) = &mut self.in_progress else { return };
        let mut is_sample_done = false;
        let start = Instant::now();
        while !is_sample_done && start.elapsed() < TIME_SLICE {
            is_sample_done = in_progress.render.step();
        }
        in_progress.sample_time += start.elapsed();
        if !is_sample_done {
            return;
        }
        let n_samples_done = in_progress.render.n_samples_done();
        let sample_stats = in_progress.take_sample_stats();
        if in_progress.stage != Stage::Preview
            || self.last_stats.is_none_or(|last_stats| last_stats.elapsed() >= STATS_INTERVAL)
        {
            self.last_stats = Some(Instant::now());
            self.stats = Some(sample_stats);
        }
        if n_samples_done < in_progress.next_shown_sample {
            return;
        }
        in_progress.next_shown_sample *= 2;
        let [width, height] = in_progress.render.size();
        let picture = in_progress.render.picture();
        let ids = match &mut self.finished {
            // Refinement shows the same faces at the pixel centres.
            Some(before)
                if in_progress.stage == Stage::Refined && before.size() == [width, height] =>
            {
                std::mem::take(&mut before.ids)
            }
            _ => in_progress.render.take_id_buffer(),
        };
        self.finished = Some(RenderedFrame {
            picture,
            view: in_progress.view.clone(),
            stage: in_progress.stage,
            ids,
        });
        self.is_unsent = true;
        // Refined samples cost more than preview samples.
        if in_progress.stage != Stage::Refined {
            self.resolution
                .record(f64::from(width) * f64::from(height), in_progress.started.elapsed());
        }
        if in_progress.render.is_complete() {
            if let (Stage::Full | Stage::Refined, Some(stats)) =
                (in_progress.stage, &mut self.stats)
            {
                stats.work_per_ray = in_progress.render.mean_work();
            }
            self.last_render = self.in_progress.take().map(|in_progress| in_progress.render);
        }
    }

    /// Queues the part of the frame that differs from the page's latest frame.
    fn queue_frame(&mut self, highlight: &Highlight<'_>) {
        if !self.is_unsent {
            return;
        }
        let Some(finished) = &self.finished else { return };
        self.is_unsent = false;
        let mut picture = finished.picture.clone();
        highlight.paint(&mut picture, &finished.ids, &finished.view);
        let size = [picture.width(), picture.height()];
        let before = self.sent.take().filter(|before| [before.width(), before.height()] == size);
        let rect = match &before {
            None => [0, 0, size[0], size[1]],
            Some(before) => changed_rect(before.pixels(), picture.pixels(), size[0]),
        };
        let is_last = finished.stage == Stage::Refined && self.in_progress.is_none();
        let stage = if is_last { 2 } else { u32::from(finished.stage != Stage::Preview) };
        let header = FrameHeader { frame: self.n_sent, size, rect, stage, n_remaining: 0 };
        self.outgoing = header.into_chunks(picture.pixels(), MAX_CHUNK_BYTES).into();
        self.sent = Some(picture);
        self.n_sent += 1;
    }
}

/// The smallest rectangle that contains all differing pixels, as left, top, width, height. All zero
/// if the pictures are equal.
fn changed_rect(before: &[[u8; 4]], after: &[[u8; 4]], width: u32) -> [u32; 4] {
    let rows = before.chunks(width as usize).zip(after.chunks(width as usize));
    let differing = rows.enumerate().filter(|(_, (before, after))| before != after);
    let (mut left, mut right, mut top, mut bottom) = (width as usize, 0, None, 0);
    for (y, (before, after)) in differing {
        let differs = |x: &usize| before[*x] != after[*x];
        left = (0..left).find(differs).unwrap_or(left);
        right = (right..width as usize).rev().find(differs).map_or(right, |x| x + 1);
        top = top.or(Some(y));
        bottom = y + 1;
    }
    match top {
        None => [0; 4],
        Some(top) => [left, top, right - left, bottom - top].map(|number| number as u32),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_changed_rectangle_is_minimal() {
        let before = vec![[0; 4]; 5 * 4];
        let last_change = |indices: &[usize]| {
            let mut after = before.clone();
            for &index in indices {
                after[index] = [1; 4];
            }
            changed_rect(&before, &after, 5)
        };
        assert_eq!(last_change(&[]), [0; 4]);
        assert_eq!(last_change(&[0]), [0, 0, 1, 1]);
        assert_eq!(last_change(&[19]), [4, 3, 1, 1]);
        assert_eq!(last_change(&[7, 11]), [1, 1, 2, 2]);
        assert_eq!(last_change(&[3, 8, 11]), [1, 0, 3, 3]);
    }
}
