//! Hover, click and region messages, and the selection.

use std::collections::BTreeSet;

use hitscan::glam::DVec2;
use hitscan::picking::{
    Pick, PickOptions, Picker, RegionMode, ScreenRegion, SelectOptions, Selected,
};

use super::Session;
use crate::command_line::{CommandLine, Query};
use crate::protocol::{SelectionReport, ToPage};
use crate::report;

/// Maximum number of selected elements that a report describes.
const MAX_NAMED: usize = 50;

impl Session {
    fn options(&self) -> PickOptions<'static> {
        PickOptions { x_ray: self.x_ray, ..PickOptions::for_kind(self.element.into()) }
    }

    pub(super) fn hover(&mut self, pixel: DVec2, id: u32) -> ToPage {
        let Some(view) = self.view() else { return ToPage::Hover { id, pick: None } };
        let pick = Picker::new(self.subject.scene(), &view).pick(pixel, &self.options());
        self.hover_over(pick.map(|pick| selected(&pick)));
        let report = pick.map(|pick| {
            report::of_pick(self.subject.scene(), &pick, 1, self.pick_command(pixel, 1))
        });
        ToPage::Hover { id, pick: report }
    }

    pub(super) fn hover_over(&mut self, element: Option<Selected>) {
        if self.hovered != element {
            self.hovered = element;
            self.renderer.invalidate_highlight();
        }
    }

    pub(super) fn click(&mut self, pixel: DVec2, extend: bool) -> ToPage {
        let Some(view) = self.view() else { return ToPage::Selection(SelectionReport::default()) };
        let options = self.options();
        let picker = Picker::new(self.subject.scene(), &view);
        let pick = self.clicks.click(&picker, pixel, &options);
        let report = pick.map(|pick| {
            let click = click_index(&picker, pixel, &options, &pick);
            let command = self.pick_command(pixel, click);
            report::of_pick(self.subject.scene(), &pick, click, command)
        });
        let report = SelectionReport { pick: report, ..SelectionReport::default() };
        self.set_selection(pick.iter().map(selected).collect(), extend, report)
    }

    fn pick_command(&self, at: DVec2, click: usize) -> String {
        self.command(&Query::Pixel { at, click, x_ray: self.x_ray })
    }

    fn command(&self, query: &Query<'_>) -> String {
        let command = CommandLine {
            file: &self.model.file,
            camera: &self.orbit.camera(),
            window: self.window,
            element: self.element,
            hidden: &self.hidden,
        };
        command.for_query(query)
    }

    pub(super) fn select(
        &mut self,
        region: Option<ScreenRegion>,
        query: &Query<'_>,
        enclose: bool,
        extend: bool,
    ) -> ToPage {
        let options = SelectOptions {
            kind: self.element.into(),
            mode: if enclose { RegionMode::Enclose } else { RegionMode::Touch },
            visible_only: !self.x_ray,
            query: self.options().query,
        };
        self.clicks.reset();
        let found = self.view().zip(region).map_or_else(BTreeSet::new, |(view, region)| {
            let picker = Picker::new(self.subject.scene(), &view);
            picker.select(&region, &options).into_iter().collect()
        });
        let command = Some(self.command(query));
        self.set_selection(found, extend, SelectionReport { command, ..SelectionReport::default() })
    }

    /// Replaces the selection, or extends it. Extending by a single element that is already
    /// selected removes that element.
    pub(super) fn set_selection(
        &mut self,
        mut found: BTreeSet<Selected>,
        extend: bool,
        report: SelectionReport,
    ) -> ToPage {
        if extend {
            let single = (found.len() == 1).then(|| found.first().copied()).flatten();
            if single.is_some_and(|single| self.selection.remove(&single)) {
                found.clear();
            }
            self.selection.append(&mut found);
        } else {
            self.selection = found;
        }
        self.renderer.invalidate_highlight();
        let scene = self.subject.scene();
        let first = self.selection.iter().take(MAX_NAMED);
        ToPage::Selection(SelectionReport {
            n: self.selection.len(),
            first: first.map(|s| report::describe(scene, s.instance, s.element)).collect(),
            ..report
        })
    }
}

fn selected(pick: &Pick) -> Selected {
    Selected { instance: pick.instance, element: pick.element }
}

/// Index of the click that picks this, from 1. The first click picks the visible element; further
/// clicks follow the order of [`Picker::pick_all`].
fn click_index(picker: &Picker<'_>, pixel: DVec2, options: &PickOptions<'_>, pick: &Pick) -> usize {
    let first = picker.pick(pixel, options).map(|first| selected(&first));
    if first == Some(selected(pick)) {
        return 1;
    }
    let all = picker.pick_all(pixel, options);
    let others = all.iter().map(selected).filter(|&other| Some(other) != first);
    let before = others.take_while(|&other| other != selected(pick)).count();
    usize::from(first.is_some()) + before + 1
}
