//! What is asked by pointing: hovering, clicks and regions, and what is selected by them.

use std::collections::BTreeSet;

use hitscan::glam::DVec2;
use hitscan::picking::{
    Pick, PickOptions, Picker, RegionMode, ScreenRegion, SelectOptions, Selected,
};

use super::Session;
use crate::command::{Place, Question};
use crate::protocol::{SelectionReport, ToPage};
use crate::report;

/// So many selected elements are named.
const MOST_NAMED: usize = 50;

impl Session {
    fn options(&self) -> PickOptions<'static> {
        PickOptions { x_ray: self.x_ray, ..PickOptions::for_kind(self.element.into()) }
    }

    pub(super) fn hover(&mut self, pixel: DVec2, number: u32) -> ToPage {
        let Some(view) = self.view() else { return ToPage::Hover { number, pick: None } };
        let pick = Picker::new(self.subject.scene(), &view).pick(pixel, &self.options());
        self.hover_over(pick.map(|pick| selected(&pick)));
        let report = pick.map(|pick| {
            report::of_pick(self.subject.scene(), &pick, 1, self.pick_command(pixel, 1))
        });
        ToPage::Hover { number, pick: report }
    }

    pub(super) fn hover_over(&mut self, element: Option<Selected>) {
        if self.hovered != element {
            self.hovered = element;
            self.easel.mark_again();
        }
    }

    pub(super) fn click(&mut self, pixel: DVec2, extend: bool) -> ToPage {
        let Some(view) = self.view() else { return ToPage::Selection(SelectionReport::default()) };
        let options = self.options();
        let picker = Picker::new(self.subject.scene(), &view);
        let pick = self.clicks.click(&picker, pixel, &options);
        let report = pick.map(|pick| {
            let click = click_number(&picker, pixel, &options, &pick);
            let command = self.pick_command(pixel, click);
            report::of_pick(self.subject.scene(), &pick, click, command)
        });
        let report = SelectionReport { pick: report, ..SelectionReport::default() };
        self.select_only(pick.iter().map(selected).collect(), extend, report)
    }

    fn pick_command(&self, at: DVec2, click: usize) -> String {
        self.command(&Place::Pixel { at, click, x_ray: self.x_ray })
    }

    fn command(&self, place: &Place<'_>) -> String {
        let question = Question {
            file: &self.model.file,
            camera: &self.orbit.camera(),
            window: self.window,
            element: self.element,
            hidden: &self.hidden,
        };
        question.command(place)
    }

    pub(super) fn select(
        &mut self,
        region: Option<ScreenRegion>,
        place: &Place<'_>,
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
        let command = Some(self.command(place));
        self.select_only(found, extend, SelectionReport { command, ..SelectionReport::default() })
    }

    /// Selects these, beside what was selected before or instead of it; an element that was is not
    /// selected any more if it is the only one that is added.
    pub(super) fn select_only(
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
        self.easel.mark_again();
        let scene = self.subject.scene();
        let first = self.selection.iter().take(MOST_NAMED);
        ToPage::Selection(SelectionReport {
            n: self.selection.len(),
            first: first.map(|s| report::in_words(scene, s.instance, s.element)).collect(),
            ..report
        })
    }
}

fn selected(pick: &Pick) -> Selected {
    Selected { instance: pick.instance, element: pick.element }
}

/// Which click at a pixel picks this, from 1: the first picks what is seen, those that follow what
/// [`Picker::pick_all`] has beside it.
fn click_number(
    picker: &Picker<'_>,
    pixel: DVec2,
    options: &PickOptions<'_>,
    pick: &Pick,
) -> usize {
    let first = picker.pick(pixel, options).map(|first| selected(&first));
    if first == Some(selected(pick)) {
        return 1;
    }
    let all = picker.pick_all(pixel, options);
    let others = all.iter().map(selected).filter(|&other| Some(other) != first);
    let before = others.take_while(|&other| other != selected(pick)).count();
    usize::from(first.is_some()) + before + 1
}
