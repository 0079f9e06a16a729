//! Pictures as they come about: coarse while the camera moves, then sharp, then smooth.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use hitscan::glam::{DVec2, DVec3};
use hitscan::picking::View;
use hitscan_render::{Background, Exposure, Mode, Picture, Seen, Style, Subject};

use crate::highlight::Highlight;
use crate::pace::Pace;
use crate::protocol::{FrameHead, StatsReport};

/// The camera stands still when it has not moved for so long.
const STILL: Duration = Duration::from_millis(130);

/// How long one call of [`Easel::work`] may take, about: what the page asks meanwhile has to wait.
const TURN: Duration = Duration::from_millis(10);

/// Rays per pixel of a smooth picture, with light and shadow, and otherwise.
const SMOOTH: [u32; 2] = [16, 4];

/// Pictures have no more pixels than this, whatever the screen has.
const MOST_PIXELS: f64 = (5 << 19) as f64;

/// How often coarse pictures are told about: nobody reads faster, and the page lays itself out anew each
/// time.
const TOLD: Duration = Duration::from_millis(250);

/// Bytes of a picture that are sent at a time: answers go between.
const MOST_BYTES: usize = 1 << 18;

/// Pictures that may be under way to the page.
const MOST_UNDER_WAY: u32 = 2;

/// What nothing stands before.
const BACKGROUND: Background = Background([27, 30, 36, 255]);

/// What is to be seen.
#[derive(Clone, Debug)]
pub(crate) struct Wish<'a> {
    pub(crate) subject: &'a Subject,
    pub(crate) view: &'a View,
    pub(crate) mode: Mode,
    pub(crate) up: DVec3,
    /// Pixels of the screen for each of the window.
    pub(crate) ratio: f64,
}

/// How good a picture is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    /// Small, to keep up with the camera.
    Coarse,
    /// As large as the screen, one sample a pixel.
    Sharp,
    /// The same with many samples, and all of the light.
    Smooth,
}

/// A picture in the making.
#[derive(Debug)]
struct Making {
    exposure: Exposure,
    view: View,
    stage: Stage,
    begun: Instant,
    /// Working time, of the sample that is under way.
    spent: Duration,
    n_rays_before: u64,
    /// Samples after which it is shown.
    next_shown: u32,
}

/// What was finished last, before anything is marked in it.
#[derive(Debug)]
struct Finished {
    picture: Picture,
    view: View,
    stage: Stage,
    /// What its pixels show.
    seen: Vec<Option<Seen>>,
}

/// The pictures of a tab.
#[derive(Debug)]
pub(crate) struct Easel {
    /// Whether what is wished for has changed since the picture was begun.
    is_stale: bool,
    /// When it changed last.
    changed: Instant,
    making: Option<Making>,
    /// Kept for its legend.
    last: Option<Exposure>,
    finished: Option<Finished>,
    /// Whether marks have changed, or a picture was finished, since one was sent.
    is_unsent: bool,
    /// What the page shows, once it has all of it.
    sent: Option<Picture>,
    /// What it does not have yet.
    outgoing: VecDeque<Vec<u8>>,
    n_sent: u32,
    n_shown: u32,
    pace: Pace,
    stats: Option<StatsReport>,
    /// When there last were any.
    told: Option<Instant>,
}

impl Easel {
    /// An empty one, as of a camera that stands still.
    pub(crate) fn new(now: Instant) -> Self {
        Self {
            is_stale: true,
            changed: now.checked_sub(STILL).unwrap_or(now),
            making: None,
            last: None,
            finished: None,
            is_unsent: false,
            sent: None,
            outgoing: VecDeque::new(),
            n_sent: 0,
            n_shown: 0,
            pace: Pace::default(),
            stats: None,
            told: None,
        }
    }

    /// What is wished for has changed.
    pub(crate) fn change(&mut self, now: Instant) {
        self.is_stale = true;
        self.changed = now;
    }

    /// What is wished for has changed in a way that costs of rays change with it.
    pub(crate) fn change_kind(&mut self, now: Instant) {
        self.pace = Pace::default();
        self.change(now);
    }

    /// What is marked has changed.
    pub(crate) fn mark_again(&mut self) {
        self.is_unsent = true;
    }

    /// The page shows a picture.
    pub(crate) fn shown(&mut self, frame: u32) {
        // A page that answers for what it never got gains nothing.
        self.n_shown = self.n_shown.max(frame.saturating_add(1)).min(self.n_sent);
    }

    /// How long to wait before there is work, if nothing happens until then: no time if there is some.
    pub(crate) fn wait(&self, now: Instant) -> Option<Duration> {
        if !self.outgoing.is_empty() {
            return Some(Duration::ZERO);
        }
        let may_send = self.n_sent - self.n_shown < MOST_UNDER_WAY;
        if may_send && (self.is_stale || self.making.is_some() || self.is_unsent) {
            return Some(Duration::ZERO);
        }
        let is_smooth = self.finished.as_ref().is_some_and(|f| f.stage == Stage::Smooth);
        let is_still_at = self.changed + STILL;
        (!is_smooth && may_send).then(|| is_still_at.saturating_duration_since(now))
    }

    /// Does a turn of work. The bytes of a part of a picture, if there is something new to show.
    pub(crate) fn work(
        &mut self,
        wish: &Wish<'_>,
        highlight: &Highlight<'_>,
        now: Instant,
    ) -> Option<Vec<u8>> {
        if self.outgoing.is_empty() && self.n_sent - self.n_shown < MOST_UNDER_WAY {
            self.begin(wish, highlight, now);
            self.go_on();
            self.send(highlight);
        }
        self.outgoing.pop_front()
    }

    /// How fast the last picture was, once for each; of coarse ones a few times a second.
    pub(crate) fn take_stats(&mut self) -> Option<StatsReport> {
        self.stats.take()
    }

    /// The last finished picture, to be asked about its colours.
    pub(crate) fn last(&self) -> Option<&Exposure> {
        self.last.as_ref()
    }

    /// Begins the next picture if it is time for it.
    fn begin(&mut self, wish: &Wish<'_>, highlight: &Highlight<'_>, now: Instant) {
        let is_still = now.saturating_duration_since(self.changed) >= STILL;
        let under_way = self.making.as_ref().map(|making| making.stage);
        let done = self.finished.as_ref().map(|finished| finished.stage);
        let stage = match (self.is_stale, under_way) {
            // What was begun while moving is shown, or a fast hand would see nothing.
            (_, Some(Stage::Coarse)) => return,
            // Before it is known what a picture costs, there shall soon be one.
            (true, _) if !is_still || !self.pace.is_known() => Stage::Coarse,
            (true, _) => Stage::Sharp,
            (false, Some(_)) => return,
            (false, None) => match done {
                Some(Stage::Coarse) if is_still => Stage::Sharp,
                Some(Stage::Sharp) => Stage::Smooth,
                _ => return,
            },
        };
        self.is_stale = false;
        let size = self.size(wish, stage);
        let n_samples = match (stage, wish.mode) {
            (Stage::Smooth, Mode::Shaded) => SMOOTH[0],
            (Stage::Smooth, _) => SMOOTH[1],
            _ => 1,
        };
        let style = Style {
            mode: wish.mode,
            n_samples,
            seed: 1,
            background: BACKGROUND,
            legend: false,
            up: wish.up,
            light: None,
            draft: stage != Stage::Smooth,
        };
        let exposure = Exposure::new(wish.subject.clone(), wish.view.clone(), size, style);
        // While the camera moves nothing is pointed at, and every millisecond counts.
        let needs_seen = stage == Stage::Sharp || highlight.needs_seen();
        self.making = Some(Making {
            exposure: if needs_seen { exposure.keeping_seen() } else { exposure },
            view: wish.view.clone(),
            stage,
            begun: Instant::now(),
            spent: Duration::ZERO,
            n_rays_before: 0,
            next_shown: n_samples.min(4),
        });
    }

    /// The size of a picture: that of the screen, or what can be made in time.
    fn size(&mut self, wish: &Wish<'_>, stage: Stage) -> [u32; 2] {
        let window = wish.view.viewport().size;
        let n_pixels = window.x * window.y;
        let full = wish.ratio.min((MOST_PIXELS / n_pixels).sqrt());
        let scale = match stage {
            Stage::Sharp | Stage::Smooth => full,
            Stage::Coarse => self.pace.scale(n_pixels, full.min(1.0)),
        };
        (scale * window).round().max(DVec2::ONE).to_array().map(|side| side as u32)
    }

    /// Works on the picture that is under way, for a turn.
    fn go_on(&mut self) {
        let Some(making) = &mut self.making else { return };
        let mut is_sample_done = false;
        let start = Instant::now();
        while !is_sample_done && start.elapsed() < TURN {
            is_sample_done = making.exposure.step();
        }
        making.spent += start.elapsed();
        if !is_sample_done {
            return;
        }
        let [width, height] = making.exposure.size();
        let (seconds, n_rays) = (making.spent.as_secs_f64(), making.exposure.n_rays());
        let n_done = making.exposure.n_done();
        if making.stage != Stage::Coarse || self.told.is_none_or(|told| told.elapsed() >= TOLD) {
            self.told = Some(Instant::now());
            self.stats = Some(StatsReport {
                width,
                height,
                n_samples: n_done,
                rays_per_second: (n_rays - making.n_rays_before) as f64 / seconds.max(1e-9),
                seconds,
                work_per_ray: None,
            });
        }
        (making.spent, making.n_rays_before) = (Duration::ZERO, n_rays);
        if n_done < making.next_shown {
            return;
        }
        making.next_shown *= 2;
        let picture = making.exposure.picture();
        let seen = match &mut self.finished {
            // The same pixels show the same.
            Some(before) if making.stage == Stage::Smooth => std::mem::take(&mut before.seen),
            _ => making.exposure.take_seen(),
        };
        self.finished =
            Some(Finished { picture, view: making.view.clone(), stage: making.stage, seen });
        self.is_unsent = true;
        // Samples with all of the light cost more than coarse ones do.
        if making.stage != Stage::Smooth {
            self.pace.learn(f64::from(width) * f64::from(height), making.begun.elapsed());
        }
        if making.exposure.is_complete() {
            if let (Stage::Sharp | Stage::Smooth, Some(stats)) = (making.stage, &mut self.stats) {
                stats.work_per_ray = making.exposure.mean_work();
            }
            self.last = self.making.take().map(|making| making.exposure);
        }
    }

    /// Begins to send what has changed on the screen.
    fn send(&mut self, highlight: &Highlight<'_>) {
        if !self.is_unsent {
            return;
        }
        let Some(finished) = &self.finished else { return };
        self.is_unsent = false;
        let mut picture = finished.picture.clone();
        highlight.paint(&mut picture, &finished.seen, &finished.view);
        let size = [picture.width(), picture.height()];
        let before = self.sent.take().filter(|before| [before.width(), before.height()] == size);
        let part = match &before {
            None => [0, 0, size[0], size[1]],
            Some(before) => difference(before.pixels(), picture.pixels(), size[0]),
        };
        let is_last = finished.stage == Stage::Smooth && self.making.is_none();
        let stage = if is_last { 2 } else { u32::from(finished.stage != Stage::Coarse) };
        let head = FrameHead { frame: self.n_sent, size, part, stage, n_more: 0 };
        self.outgoing = head.in_pieces(picture.pixels(), MOST_BYTES).into();
        self.sent = Some(picture);
        self.n_sent += 1;
    }
}

/// The rectangle in which two pictures differ: left, top, width, height. Without any size if they are
/// the same.
fn difference(before: &[[u8; 4]], after: &[[u8; 4]], width: u32) -> [u32; 4] {
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
    fn the_rectangle_of_a_difference_is_the_smallest() {
        let before = vec![[0; 4]; 5 * 4];
        let changed = |places: &[usize]| {
            let mut after = before.clone();
            for &place in places {
                after[place] = [1; 4];
            }
            difference(&before, &after, 5)
        };
        assert_eq!(changed(&[]), [0; 4]);
        assert_eq!(changed(&[0]), [0, 0, 1, 1]);
        assert_eq!(changed(&[19]), [4, 3, 1, 1]);
        assert_eq!(changed(&[7, 11]), [1, 1, 2, 2]);
        assert_eq!(changed(&[3, 8, 11]), [1, 0, 3, 3]);
    }
}
