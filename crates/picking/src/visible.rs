//! The visible elements of a selection, decided by rays.
//!
//! [`Picker::select`](crate::Picker::select) defines which rays decide. An element is visible if one of
//! them finds it, so their order is free: cheap rays that find many elements come first. Pixel centres are
//! searched coarse to fine, and only where a hidden element may be.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use glam::{DVec2, DVec3, Vec4Swizzles};
use hitscan_scene::{QueryOptions, SceneHit};

use crate::{
    element::{Element, ElementKind},
    near_pixel::Feature,
    own_pixels::OwnPixels,
    parallel,
    picker::Picker,
    pixel_centers::{CenterRange, PixelCenters},
    progress::Stage,
    screen_map::ScreenMap,
    screen_region::ScreenRegion,
    sight::Look,
    visible_samples::{InstanceElements, Sampling, VisibleSamples},
};

/// The minimum number of rays through pixel centres before the search looks again what is hidden.
const MIN_CENTERS: usize = 1 << 14;

/// The number of rays that look for an object in its rectangle before those through its triangles.
const N_ROUNDS: u32 = 2;

/// The width and height in pixels of a cell in which rectangles overlap or not.
const CELL: u32 = 8;

/// The maximum number of rectangles at a pixel, in the mean, for a search of each on its own. Its rays are about
/// a fourth as expensive as those that look for all objects (bench `picking`).
const MAX_OVERLAP: u64 = 8;

/// The maximum number of elements whose samples are in memory at a time.
const MAX_ELEMENTS: usize = 1 << 18;

/// The number of elements that one thread takes at a time.
const CHUNK: usize = 256;

/// Removes hidden elements from a selection; see [`Picker::select`] for the rule.
pub(crate) struct VisibleFilter<'a> {
    samples: VisibleSamples<'a>,
    kind: ElementKind,
    selection: Vec<InstanceElements<'a>>,
    /// For each element of the selection, whether a ray has found it.
    is_visible: Vec<Vec<bool>>,
    /// For each instance of the selection, the number of elements that no ray has found.
    n_hidden: Vec<usize>,
    /// For each slot of the scene, the index of its instance in the selection.
    group_of_slot: Vec<u32>,
}

/// An element of the selection.
#[derive(Clone, Copy)]
struct ElementIndex {
    group: u32,
    element: u32,
}

/// An instance with hidden elements, and a rectangle of the screen that holds every pixel whose ray may hit it.
#[derive(Clone, Copy)]
struct HiddenRectangle {
    group: u32,
    min: DVec2,
    max: DVec2,
}

/// The samples of some elements.
#[derive(Default)]
struct Samples {
    looks: Vec<Look>,
    /// The element of each look.
    owners: Vec<ElementIndex>,
    /// Visible elements that need no look.
    visible: Vec<ElementIndex>,
    /// Elements with more samples.
    unfinished: Vec<ElementIndex>,
}

const NO_GROUP: u32 = u32::MAX;

impl<'a> VisibleFilter<'a> {
    pub(crate) fn new(
        picker: &'a Picker<'a>,
        region: &'a ScreenRegion,
        kind: ElementKind,
        query: &'a QueryOptions<'a>,
        selection: Vec<InstanceElements<'a>>,
    ) -> Self {
        let viewport = picker.view.viewport();
        let samples = VisibleSamples {
            sight: picker.sight(query),
            region,
            min: region.min().max(viewport.min),
            max: region.max().min(viewport.max()),
        };
        let n_slots = selection.iter().map(|group| group.instance.index as usize + 1).max();
        let mut group_of_slot = vec![NO_GROUP; n_slots.unwrap_or(0)];
        for (index, group) in (0..).zip(&selection) {
            group_of_slot[group.instance.index as usize] = index;
        }
        let n_hidden: Vec<usize> = selection.iter().map(|group| group.elements.len()).collect();
        let is_visible = n_hidden.iter().map(|&n| vec![false; n]).collect();
        Self { samples, kind, selection, is_visible, n_hidden, group_of_slot }
    }

    /// The selection without hidden elements; any if the callback cancelled.
    pub(crate) fn visible(mut self, stage: Stage<'_>) -> Vec<InstanceElements<'a>> {
        match self.kind {
            ElementKind::Object => self.search_objects(stage),
            ElementKind::Face => {
                // Samples find what pixel centres far apart miss. A finer grid costs four times as much for
                // each hidden element, but fewer are left by then.
                self.search_centers(&self.centers(16), stage.part(0.0, 0.05));
                self.search_centers(&self.centers(8), stage.part(0.05, 0.1));
                self.search_samples(stage.part(0.1, 0.7));
                self.search_all_centers(stage.part(0.7, 1.0));
            }
            ElementKind::Edge | ElementKind::Vertex => self.search_samples(stage),
        }
        for (group, is_visible) in self.selection.iter_mut().zip(self.is_visible) {
            let mut is_visible = is_visible.into_iter();
            group.elements.retain(|_| is_visible.next() == Some(true));
        }
        self.selection.retain(|group| !group.elements.is_empty());
        self.selection
    }

    fn set_visible(&mut self, at: ElementIndex) {
        let is_visible = &mut self.is_visible[at.group as usize][at.element as usize];
        if !*is_visible {
            *is_visible = true;
            self.n_hidden[at.group as usize] -= 1;
        }
    }

    /// Finds objects where their rectangles on the screen say.
    fn search_objects(&mut self, stage: Stage<'_>) {
        for round in 0..N_ROUNDS {
            if !stage.goes_on(round as usize, 10) {
                return;
            }
            self.search_rectangles(round);
        }
        let [first, second] = [stage.part(0.2, 0.6), stage.part(0.6, 1.0)];
        let hidden = self.hidden_rectangles();
        if self.is_mostly_disjoint(&hidden) {
            self.search_own_pixels(&hidden, first);
            self.search_samples(second);
        } else {
            self.search_samples(first);
            self.search_all_centers(second);
        }
    }

    /// Finds objects at a pixel centre in the rectangle of each hidden one, another in each round.
    fn search_rectangles(&mut self, round: u32) {
        let VisibleSamples { sight, region, .. } = self.samples;
        let centers = self.centers(1);
        let looks: Vec<Look> = self
            .hidden_rectangles()
            .iter()
            .filter_map(|hidden| centers.spread(&centers.within(hidden.min, hidden.max), round))
            .filter(|&pixel| region.contains(pixel))
            .map(|pixel| Look { pixel, distance: None })
            .collect();
        let found = sight.answers(&looks, |_, hit| hit.and_then(|hit| self.element_of(hit)));
        found.into_iter().flatten().for_each(|found| self.set_visible(found));
    }

    /// Whether few rectangles overlap at a pixel in the mean, so that a search of each on its own needs few more
    /// rays than one of all pixels.
    fn is_mostly_disjoint(&self, hidden: &[HiddenRectangle]) -> bool {
        let cells = self.centers(CELL);
        let ranges: Vec<CenterRange> =
            hidden.iter().map(|hidden| cells.within(hidden.min, hidden.max)).collect();
        cells.mean_overlap_is_at_most(MAX_OVERLAP, &ranges)
    }

    /// Finds objects at all pixel centres of their rectangles.
    fn search_own_pixels(&mut self, hidden: &[HiddenRectangle], stage: Stage<'_>) {
        let own = OwnPixels::new(self.samples);
        let n_done = AtomicUsize::new(0);
        let found = parallel::map(hidden, |&HiddenRectangle { group, min, max }| {
            let id = self.selection[group as usize].instance;
            if !stage.goes_on(n_done.fetch_add(1, Ordering::Relaxed), hidden.len()) {
                return None;
            }
            own.show(id, min, max).then_some(ElementIndex { group, element: 0 })
        });
        found.into_iter().flatten().for_each(|found| self.set_visible(found));
    }

    /// Finds elements at all pixel centres, except those of the grids with strides of 8 and 16.
    fn search_all_centers(&mut self, stage: Stage<'_>) {
        let VisibleSamples { min, max, .. } = self.samples;
        self.search_centers(&self.centers(4), stage.part(0.0, 0.1));
        self.search_centers(&self.centers(2), stage.part(0.1, 0.3));
        let rest = PixelCenters::except_coarser(min, max, &[2, 4]);
        self.search_centers(&rest, stage.part(0.3, 1.0));
    }

    /// Every `stride`-th pixel centre of the region in both directions.
    fn centers(&self, stride: u32) -> PixelCenters {
        PixelCenters::in_rectangle(self.samples.min, self.samples.max, stride)
    }

    /// Finds elements at the pixel centres of a grid, where an instance with hidden elements may be.
    fn search_centers(&mut self, centers: &PixelCenters, stage: Stage<'_>) {
        let VisibleSamples { sight, region, .. } = self.samples;
        let hidden: Vec<(usize, CenterRange)> = self
            .hidden_rectangles()
            .iter()
            .map(|hidden| (hidden.group as usize, centers.within(hidden.min, hidden.max)))
            .collect();
        let n_bands = if hidden.is_empty() { 0 } else { centers.n_bands() };
        let mut looks = vec![];
        for band in 0..n_bands {
            let ranges = hidden.iter().filter(|&&(group, _)| self.n_hidden[group] > 0);
            centers.for_each_in_band(band, ranges.map(|(_, range)| range), |pixel| {
                if region.contains(pixel) {
                    looks.push(Look { pixel, distance: None });
                }
            });
            if looks.len() >= MIN_CENTERS || band + 1 == n_bands {
                if !stage.goes_on(band as usize, n_bands as usize) {
                    return;
                }
                for hit in sight.first_hits(&looks).iter().flatten() {
                    if let Some(found) = self.element_of(hit) {
                        self.set_visible(found);
                    }
                }
                looks.clear();
            }
        }
    }

    /// The instances with hidden elements.
    fn hidden_rectangles(&self) -> Vec<HiddenRectangle> {
        let hidden = (0u32..).zip(&self.n_hidden).filter(|&(_, &n_hidden)| n_hidden > 0);
        let hidden: Vec<u32> = hidden.map(|(group, _)| group).collect();
        parallel::map(&hidden, |&group| {
            let (min, max) = self.screen_bounds(&self.selection[group as usize]);
            HiddenRectangle { group, min, max }
        })
    }

    /// A rectangle of the screen that holds every pixel whose ray may hit an instance.
    fn screen_bounds(&self, group: &InstanceElements<'_>) -> (DVec2, DVec2) {
        let view = self.samples.sight.view;
        let map = &group.projected.map;
        let bounds = group.projected.bvh.bounds();
        // More than the f32 rounding of a ray in the space of the mesh, which is 114 * 2^-24 of the largest
        // coordinate.
        let pad = f64::from(bounds.max_abs_coordinate()) / f64::from(1 << 13)
            + f64::from(f32::MIN_POSITIVE);
        let corners = [bounds.min.as_dvec3() - pad, bounds.max.as_dvec3() + pad];
        let (mut min, mut max) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
        let mut min_w = f64::INFINITY;
        for corner in 0..8 {
            let pick = |axis: usize| corners[corner >> axis & 1][axis];
            let image = map.project(DVec3::new(pick(0), pick(1), pick(2)));
            // The image of a box that reaches behind the camera is unbounded.
            if !(image.near > 0.0 && image.w > 0.0) {
                return (self.samples.min, self.samples.max);
            }
            (min, max) = (min.min(image.pixel()), max.max(image.pixel()));
            min_w = min_w.min(image.w);
        }
        // A pixel more than the rounding of the projection, and of the origin of a ray in world space.
        let max_abs_pixel = min.abs().max(max.abs()).max_element();
        let ScreenMap { x, y, w, .. } = view.map();
        let shift = view.origin().abs().max_element() * f64::EPSILON;
        let slope = x.xyz().length().max(y.xyz().length()) + max_abs_pixel * w.xyz().length();
        let margin = 1.0 + 1e-9 * max_abs_pixel + 16.0 * shift * slope / min_w;
        (min - margin, max + margin)
    }

    /// The element of the selection that a hit is on.
    fn element_of(&self, hit: &SceneHit) -> Option<ElementIndex> {
        let group = *self.group_of_slot.get(hit.instance.index as usize)?;
        let InstanceElements { projected, elements, .. } = self.selection.get(group as usize)?;
        let element = match self.kind {
            ElementKind::Face => Element::Face(projected.mesh.polygon_of(hit.triangle())),
            _ => Element::Object,
        };
        let element = elements.binary_search(&element).ok()? as u32;
        Some(ElementIndex { group, element })
    }

    /// Finds hidden elements at their samples: the first of each, then twice as many in each round.
    fn search_samples(&mut self, stage: Stage<'_>) {
        let mut pending = vec![];
        for (group, is_visible) in (0..).zip(&self.is_visible) {
            let hidden = (0..).zip(is_visible).filter(|&(_, &is_visible)| !is_visible);
            pending.extend(hidden.map(|(element, _)| ElementIndex { group, element }));
        }
        let mut range = 0..1;
        // The first round looks at every element, and later ones at few.
        let mut round = stage.part(0.0, 0.9);
        while !pending.is_empty() {
            let mut unfinished = vec![];
            for (n, elements) in pending.chunks(MAX_ELEMENTS).enumerate() {
                if !round.goes_on(n * MAX_ELEMENTS, pending.len()) {
                    return;
                }
                unfinished.extend(self.search_samples_of(elements, &range));
            }
            pending = unfinished;
            range = range.end..2 * range.end + 1;
            round = stage.part(0.9, 1.0);
        }
    }

    /// Looks at the samples of elements with indices in `range`. Returns the hidden elements that have
    /// more samples.
    fn search_samples_of(
        &mut self,
        elements: &[ElementIndex],
        range: &Range<usize>,
    ) -> Vec<ElementIndex> {
        let mut samples = Samples::default();
        for chunk in parallel::map_chunks(elements, CHUNK, |chunk| self.samples_of(chunk, range)) {
            samples.looks.extend(chunk.looks);
            samples.owners.extend(chunk.owners);
            samples.visible.extend(chunk.visible);
            samples.unfinished.extend(chunk.unfinished);
        }
        let Samples { looks, owners, visible, mut unfinished } = samples;
        let seen = self
            .samples
            .sight
            .answers(&looks, |index, hit| self.is_found(owners[index], &looks[index], hit));
        let found = owners.into_iter().zip(seen).filter(|&(_, seen)| seen).map(|(owner, _)| owner);
        for at in visible.into_iter().chain(found) {
            self.set_visible(at);
        }
        unfinished.retain(|at| !self.is_visible[at.group as usize][at.element as usize]);
        unfinished
    }

    fn samples_of(&self, elements: &[ElementIndex], range: &Range<usize>) -> Samples {
        let mut samples = Samples::default();
        for &at in elements {
            let group = &self.selection[at.group as usize];
            let element = group.elements[at.element as usize];
            let sampling = self.samples.append(group, element, range, |look| {
                samples.looks.push(look);
                samples.owners.push(at);
            });
            match sampling {
                Sampling::Decided(true) => samples.visible.push(at),
                Sampling::Looks(true) => samples.unfinished.push(at),
                Sampling::Decided(false) | Sampling::Looks(false) => {}
            }
        }
        samples
    }

    /// Whether a look finds an element, given the first hit.
    fn is_found(&self, at: ElementIndex, look: &Look, first: Option<&SceneHit>) -> bool {
        let group = &self.selection[at.group as usize];
        let element = group.elements[at.element as usize];
        let feature = match element {
            Element::Vertex(vertex) => Feature::Vertex(vertex),
            Element::Edge(edge) => Feature::Edge(edge),
            Element::Face(polygon) => {
                let polygon_of = |hit: &SceneHit| group.projected.mesh.polygon_of(hit.triangle());
                return first.is_some_and(|hit| {
                    hit.instance == group.instance && polygon_of(hit) == polygon
                });
            }
            Element::Object => return first.is_some_and(|hit| hit.instance == group.instance),
        };
        self.samples.sight.is_visible_behind(first, look, group.instance, feature)
    }
}

#[cfg(test)]
mod tests;
