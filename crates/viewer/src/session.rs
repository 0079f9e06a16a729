//! The state of a tab as a function of its messages.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hitscan::glam::{DVec2, DVec3};
use hitscan::picking::{PickOptions, Picker, ScreenRegion, View, Viewport};
use hitscan_render::{Legend, Mode, Subject};

use crate::command_line::Query;
use crate::frame_renderer::{FrameRenderer, FrameRequest};
use crate::hidden::{Hidden, ReducedMeshes};
use crate::highlight::Highlight;
use crate::model::ShownModel;
use crate::orbit::Orbit;
use crate::parts::Item;
use crate::protocol::{
    ElementName, FromPage, ModelReport, NamedColor, RampReport, SelectionReport, Side, StateReport,
    ToPage,
};
use crate::section::Section;

mod hiding;
mod listing;
mod picking;

/// Limits of a window's sides, in pixels.
const WINDOW_SIDE: [f64; 2] = [16.0, 8192.0];

/// Maximum drag in one message, in pixels.
const MAX_DRAG: f64 = 1e4;

/// Maximum number of names in a legend.
const MAX_LEGEND_NAMES: usize = 50;

/// The state of a tab.
#[derive(Debug)]
pub(crate) struct Session {
    shown: Arc<ShownModel>,
    version: u64,
    /// The model's subject, without what this tab hides.
    subject: Subject,
    hidden: Hidden,
    reduced: ReducedMeshes,
    orbit: Orbit,
    /// Window size in pixels: a default until the page sends its own.
    window: DVec2,
    is_sized: bool,
    ratio: f64,
    mode: Mode,
    element: ElementName,
    x_ray: bool,
    /// Whether borders between faces are drawn.
    edges: bool,
    section: Option<Section>,
    selection: BTreeSet<Item>,
    /// Open edges of the selected object, in world space.
    open_edges: Vec<[DVec3; 2]>,
    hovered: Option<Item>,
    /// The position of the first of several clicks at one pixel, and the latest pick there.
    last_click: Option<(DVec2, Item)>,
    renderer: FrameRenderer,
}

impl Session {
    /// Creates the state of a new tab, and its first messages.
    pub(crate) fn new(shown: Arc<ShownModel>, version: u64, now: Instant) -> (Self, Vec<ToPage>) {
        let window = DVec2::new(1280.0, 720.0);
        let subject = shown.model.subject.clone();
        let mut session = Self {
            version,
            hidden: Hidden::default(),
            reduced: ReducedMeshes::default(),
            orbit: Orbit::around(&subject, shown.model.up, window.x / window.y),
            window,
            is_sized: false,
            ratio: 1.0,
            mode: Mode::default(),
            element: ElementName::default(),
            x_ray: false,
            edges: false,
            section: None,
            selection: BTreeSet::new(),
            open_edges: vec![],
            hovered: None,
            last_click: None,
            renderer: FrameRenderer::new(now),
            subject,
            shown,
        };
        let selection = session.set_selection(BTreeSet::new(), false, SelectionReport::default());
        let messages = vec![
            session.model_report(),
            session.state_report(),
            session.list_report(),
            session.visibility_report(),
            selection,
        ];
        (session, messages)
    }

    /// Switches to a reloaded model and keeps the camera.
    pub(crate) fn replace(
        &mut self,
        shown: Arc<ShownModel>,
        version: u64,
        now: Instant,
    ) -> Vec<ToPage> {
        self.subject = shown.model.subject.clone();
        self.orbit.keep_view_of(&self.subject, self.aspect());
        (self.shown, self.version) = (shown, version);
        self.set_section(self.section.map(|section| section.from), self.section_share());
        self.reduced = ReducedMeshes::default();
        self.last_click = None;
        self.hidden.clear();
        self.hovered = None;
        let selection = self.set_selection(BTreeSet::new(), false, SelectionReport::default());
        self.renderer.invalidate_costs(now);
        vec![
            self.model_report(),
            self.state_report(),
            self.list_report(),
            self.visibility_report(),
            selection,
            ToPage::Problem { text: None },
        ]
    }

    /// Applies a message of the page and returns the replies.
    // Longer than 60 lines, because it is one flat match with a short arm per message.
    pub(crate) fn handle(&mut self, message: FromPage, now: Instant) -> Vec<ToPage> {
        match message {
            FromPage::Resize { width, height, ratio } => {
                self.resize(DVec2::new(width, height), ratio, now);
                vec![]
            }
            FromPage::Orbit { dx, dy } => self.move_camera(now, |orbit| orbit.rotate(drag(dx, dy))),
            FromPage::Pan { dx, dy } => {
                let height = self.window.y;
                self.move_camera(now, |orbit| orbit.pan(drag(dx, dy), height))
            }
            FromPage::Zoom { factor, x, y } => {
                let pivot = self.pivot(DVec2::new(x, y));
                self.move_camera(now, |orbit| orbit.zoom(factor.clamp(0.02, 50.0), Some(pivot)))
            }
            FromPage::Frame { all } => {
                self.frame(all);
                self.move_camera(now, |_| ())
            }
            FromPage::Look { from } => self.move_camera(now, |orbit| orbit.look_from(from)),
            FromPage::Projection { orthographic } => {
                self.move_camera(now, |orbit| orbit.set_orthographic(orthographic));
                vec![self.state_report()]
            }
            // X-ray replaces the colours of any mode, so choosing a mode ends it.
            FromPage::Mode { mode } => self.set_colors(mode, false, now),
            FromPage::XRay { on } => self.set_colors(self.mode, on, now),
            FromPage::Edges { on } => {
                self.edges = on;
                self.renderer.invalidate_highlight();
                vec![self.state_report()]
            }
            FromPage::Section { from, share } => {
                self.set_section(from, share);
                self.last_click = None;
                self.hover_over(None);
                self.renderer.invalidate_costs(now);
                vec![self.state_report()]
            }
            FromPage::Element { element } => {
                self.element = element;
                self.last_click = None;
                self.hover_over(None);
                vec![self.state_report()]
            }
            FromPage::Hover { x, y, id } => vec![self.hover(DVec2::new(x, y), id)],
            FromPage::Leave => {
                self.hover_over(None);
                vec![]
            }
            FromPage::Click { x, y, extend } => vec![self.click(DVec2::new(x, y), extend)],
            FromPage::Marquee { from, to, enclose, extend } => {
                let (from, to) = (from.into(), to.into());
                let query = Query::Marquee { from, to, enclose, visible: !self.x_ray };
                vec![self.select(ScreenRegion::rectangle(from, to).ok(), &query, enclose, extend)]
            }
            FromPage::Lasso { outline, enclose, extend } => {
                let outline: Vec<DVec2> = outline.into_iter().map(DVec2::from).collect();
                let query = Query::Lasso { outline: &outline, enclose, visible: !self.x_ray };
                let region = ScreenRegion::lasso(outline.iter().copied()).ok();
                vec![self.select(region, &query, enclose, extend)]
            }
            FromPage::Clear => {
                vec![self.set_selection(BTreeSet::new(), false, SelectionReport::default())]
            }
            FromPage::Hide => self.hide(now),
            FromPage::Isolate => self.isolate(now),
            FromPage::ShowAll => {
                self.hidden.clear();
                self.apply_hidden(now)
            }
            FromPage::SelectEntry { entry, extend } => self.select_entry(entry, extend),
            FromPage::ToggleEntry { entry } => self.toggle_entry(entry, now),
            FromPage::Shown { frame } => {
                self.renderer.acknowledge(frame);
                vec![]
            }
        }
    }

    /// Limits and takes the size of the page's window. The first one frames the model.
    fn resize(&mut self, size: DVec2, ratio: f64, now: Instant) {
        let side = |side: f64| side.clamp(WINDOW_SIDE[0], WINDOW_SIDE[1]).round();
        let window = DVec2::new(side(size.x), side(size.y));
        let ratio = ratio.clamp(0.5, 4.0);
        if (window, ratio) != (self.window, self.ratio) {
            (self.window, self.ratio) = (window, ratio);
            self.camera_changed(now);
        }
        if !self.is_sized {
            self.is_sized = true;
            self.orbit.frame(&self.subject, self.aspect());
            self.renderer = FrameRenderer::new(now);
        }
    }

    /// Changes the camera. The page gets a new frame, and no reply.
    fn move_camera(&mut self, now: Instant, change: impl FnOnce(&mut Orbit)) -> Vec<ToPage> {
        change(&mut self.orbit);
        self.camera_changed(now);
        vec![]
    }

    fn set_colors(&mut self, mode: Mode, x_ray: bool, now: Instant) -> Vec<ToPage> {
        (self.mode, self.x_ray) = (mode, x_ray);
        self.last_click = None;
        self.renderer.invalidate_costs(now);
        vec![self.state_report()]
    }

    /// Time until there is work without further messages; `None` if only a message can cause work.
    pub(crate) fn time_until_work(&self, now: Instant) -> Option<Duration> {
        if self.is_sized { self.renderer.time_until_work(now) } else { None }
    }

    /// Renders for one time slice. Returns messages, and a chunk of a frame if one is ready.
    pub(crate) fn render_slice(&mut self, now: Instant) -> (Vec<ToPage>, Option<Vec<u8>>) {
        let Some(view) = self.view().filter(|_| self.is_sized) else { return (vec![], None) };
        let request = FrameRequest {
            subject: &self.subject,
            view: &view,
            mode: if self.x_ray { Mode::Glass } else { self.mode },
            up: self.shown.model.up,
            ratio: self.ratio,
        };
        let highlight = Highlight {
            scene: self.subject.scene(),
            parts: &self.shown.parts,
            selection: &self.selection,
            hovered: self.hovered,
            edges: self.edges,
            open_edges: &self.open_edges,
        };
        let bytes = self.renderer.render_slice(&request, &highlight, now);
        let mut messages = vec![];
        if let Some(stats) = self.renderer.take_stats() {
            messages.push(ToPage::Stats(stats));
            if stats.work_per_ray.is_some()
                && let Some(render) = self.renderer.last_render()
            {
                messages.push(legend(render.legend()));
            }
        }
        (messages, bytes)
    }

    fn aspect(&self) -> f64 {
        self.window.x / self.window.y
    }

    /// The view, which the section clips.
    fn view(&self) -> Option<View> {
        let view =
            self.orbit.camera().view(Viewport::from_size(self.window.x, self.window.y)).ok()?;
        let planes = self.section.map(|section| section.plane);
        view.with_clipping_planes(planes.as_slice()).ok()
    }

    /// Cuts a share of the model away from a side; what is hidden does not move the plane.
    fn set_section(&mut self, from: Option<Side>, share: f64) {
        let model = &self.shown.model;
        self.section = from.and_then(|from| Section::new(&model.subject, model.up, from, share));
        self.subject.set_section(self.section.map(|section| section.plane));
    }

    fn section_share(&self) -> f64 {
        self.section.map_or(0.5, |section| section.share)
    }

    /// Resets state that depends on the camera: repeated clicks, hover and frame.
    fn camera_changed(&mut self, now: Instant) {
        self.last_click = None;
        self.hovered = None;
        self.renderer.invalidate(now);
    }

    fn frame(&mut self, all: bool) {
        let highlight = Highlight {
            scene: self.subject.scene(),
            parts: &self.shown.parts,
            selection: &self.selection,
            hovered: None,
            edges: false,
            open_edges: &[],
        };
        let corners = highlight.corners();
        if all || corners.is_empty() {
            self.orbit.frame(&self.subject, self.aspect());
            return;
        }
        let min = corners.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let max = corners.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        self.orbit.frame_ball(0.5 * (min + max), 0.5 * min.distance(max), self.aspect());
    }

    /// Pivot of a zoom: the surface at a pixel, or else a point at the target's depth.
    fn pivot(&self, pixel: DVec2) -> DVec3 {
        let pick = self.view().and_then(|view| {
            Picker::new(self.subject.scene(), &view).pick(pixel, &PickOptions::default())
        });
        pick.map_or_else(
            || self.orbit.on_target_plane((2.0 * pixel - self.window) / self.window.y),
            |pick| pick.point,
        )
    }

    fn model_report(&self) -> ToPage {
        let model = &self.shown.model;
        ToPage::Model(ModelReport {
            file: model.file.clone(),
            n_triangles: model.subject.n_triangles(),
            n_instances: model.subject.instances().len(),
            reading_seconds: model.reading.as_secs_f64(),
            building_seconds: model.building.as_secs_f64(),
            version: self.version,
        })
    }

    fn state_report(&self) -> ToPage {
        ToPage::State(StateReport {
            mode: self.mode,
            element: self.element,
            x_ray: self.x_ray,
            edges: self.edges,
            section: self.section.map(|section| section.from),
            section_share: self.section_share(),
            orthographic: self.orbit.is_orthographic(),
            n_hidden_instances: self.hidden.instances.len(),
            n_hidden_faces: self.hidden.n_faces(),
        })
    }
}

/// Converts and limits a drag.
fn drag(dx: f64, dy: f64) -> DVec2 {
    DVec2::new(dx, dy).clamp(DVec2::splat(-MAX_DRAG), DVec2::splat(MAX_DRAG))
}

fn legend(legend: Legend) -> ToPage {
    let hex = |[red, green, blue]: [u8; 3]| format!("#{red:02x}{green:02x}{blue:02x}");
    match legend {
        Legend::None => ToPage::Legend { title: vec![], ramp: None, names: vec![] },
        Legend::Ramp(ramp) => {
            let colors = (0..=12).map(|n| hex((ramp.ramp)(n as f32 / 12.0))).collect();
            let report = RampReport { colors, ends: ramp.ends };
            ToPage::Legend { title: ramp.title, ramp: Some(report), names: vec![] }
        }
        Legend::Names(names) => {
            let named = names.into_iter().take(MAX_LEGEND_NAMES);
            let names = named.map(|(name, color)| NamedColor { name, color: hex(color) }).collect();
            ToPage::Legend { title: vec![], ramp: None, names }
        }
    }
}

#[cfg(test)]
mod part_tests;
#[cfg(test)]
mod tests;
