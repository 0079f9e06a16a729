//! From boxes to the shape of a wide tree.

use std::ops::ControlFlow;

use super::{
    binary_tree::PreorderTree,
    box_source::{BoxSource, write_boxes},
    clusters::{Clusters, forests},
    collapse::{CostModel, WideTree, collapse},
    ploc::{join_forests, root_boxes},
    preset::Preset,
    prim_box::PrimBox,
    progress::Progress,
    repeats::{count_objects, drop_repeats, name_objects},
    window::Window,
};
use crate::{box3::Box3, options::BuildQuality, platform::parallel, simd::Isa, widths::MAX_DEPTH};

/// A wide tree and the order of its primitives; `None` if the build was cancelled.
///
/// There is at least one primitive. The tree is the same for every `isa`, and its depth is at most [`MAX_DEPTH`].
pub(crate) fn shape(
    source: BoxSource<'_>,
    quality: BuildQuality,
    isa: Isa,
    progress: &Progress<'_>,
) -> Option<(WideTree, Vec<u32>)> {
    shape_by(&Preset::of(quality, source.n), source, isa, progress)
}

/// [`shape`] of some thousand boxes at most, quickly and without other threads: an edit must not wait for them. `max_abs` is
/// their largest coordinate.
pub(crate) fn shape_of_few(boxes: &[Box3], max_abs: f32, isa: Isa) -> (WideTree, Vec<u32>) {
    shape_alone(&Preset::of_few(), boxes, max_abs, isa)
}

/// [`shape_of_few`] with one box in each leaf.
pub(crate) fn shape_of_singles(boxes: &[Box3], max_abs: f32, isa: Isa) -> (WideTree, Vec<u32>) {
    shape_alone(&Preset::of_singles(), boxes, max_abs, isa)
}

fn shape_alone(preset: &Preset, boxes: &[Box3], max_abs: f32, isa: Isa) -> (WideTree, Vec<u32>) {
    let write = |prims: &[u32], slots: &mut [_]| write_boxes(prims, slots, |i| boxes[i as usize]);
    let source = BoxSource { n: boxes.len(), max_abs, write: &write };
    let progress = Progress::new(boxes.len(), &|_| ControlFlow::Continue(()));
    let built = parallel::alone(|| shape_by(preset, source, isa, &progress));
    built.expect("the callback never cancels")
}

fn shape_by(
    preset: &Preset,
    source: BoxSource<'_>,
    isa: Isa,
    progress: &Progress<'_>,
) -> Option<(WideTree, Vec<u32>)> {
    shallow(preset, source, isa, progress, |tree, boxes, cost| {
        let wide = collapse(&tree, boxes, cost, isa);
        (wide, tree.order)
    })
}

/// [`shape`] where several primitives may stand for one of `n_objects`. Returns the order of the objects, where
/// a leaf holds each of its objects once. `object` returns the object of a primitive, and whether it has several.
pub(super) fn shape_of_objects(
    source: BoxSource<'_>,
    n_objects: usize,
    object: impl Fn(u32) -> (u32, bool),
    quality: BuildQuality,
    isa: Isa,
    progress: &Progress<'_>,
) -> Option<(WideTree, Vec<u32>)> {
    shallow(&Preset::of(quality, n_objects), source, isa, progress, |mut tree, boxes, cost| {
        let n_repeats = name_objects(&mut tree, &object);
        count_objects(&mut tree, &n_repeats);
        let mut wide = collapse(&tree, boxes, cost, isa);
        let order = drop_repeats(&mut wide, &tree.order, &n_repeats);
        (wide, order)
    })
}

/// The wide tree by all steps of a preset or, if that is deeper than [`MAX_DEPTH`], by fewer. `finish` makes it
/// from a binary tree and, if the tree took shape in a [`Window`], the boxes of its nodes.
fn shallow(
    preset: &Preset,
    source: BoxSource<'_>,
    isa: Isa,
    progress: &Progress<'_>,
    finish: impl Fn(PreorderTree, Option<&[Box3]>, &CostModel) -> (WideTree, Vec<u32>),
) -> Option<(WideTree, Vec<u32>)> {
    let window = Window::of(source);
    let mapped = |prims: &[u32], boxes: &mut [Box3]| {
        (source.write)(prims, boxes);
        if let Some(window) = &window {
            boxes.iter_mut().for_each(|one| *one = window.map(*one));
        }
    };
    let shaping = if window.is_some() { BoxSource { write: &mapped, ..source } } else { source };
    let finish = |tree: PreorderTree| {
        let boxes = window.is_some().then(|| tree.boxes_of(source));
        finish(tree, boxes.as_deref(), &preset.cost)
    };
    let tree = preset.best(shaping, isa, progress).filter(|_| !progress.is_cancelled())?;
    let (wide, order) = finish(tree);
    if wide.depth <= MAX_DEPTH {
        return Some((wide, order));
    }
    // Rounds or reinsertion made the tree too deep. Without them the builder's bound on the depth holds.
    let plain = preset.top_down(shaping, isa, false, progress);
    (!progress.is_cancelled()).then(|| finish(plain))
}

impl Preset {
    /// The binary tree by all steps of the preset; `None` if the build was cancelled.
    fn best(
        &self,
        source: BoxSource<'_>,
        isa: Isa,
        progress: &Progress<'_>,
    ) -> Option<PreorderTree> {
        match &self.clustering {
            Some(clustering) if self.n_rounds > 0 => {
                let forests = forests(source, clustering, self.n_rounds, isa, progress);
                if progress.is_cancelled() {
                    return None;
                }
                let mut top = self.binned.build(&mut root_boxes(&forests), progress);
                self.reinsertion.run(&mut top, progress);
                (!progress.is_cancelled()).then(|| join_forests(&top, &forests))
            }
            _ => Some(self.top_down(source, isa, true, progress)),
        }
    }

    /// The binary tree by binned SAH, from the root down to clusters or primitives.
    fn top_down(
        &self,
        source: BoxSource<'_>,
        isa: Isa,
        reinsert: bool,
        progress: &Progress<'_>,
    ) -> PreorderTree {
        let mut clusters =
            self.clustering.as_ref().map(|clustering| Clusters::new(source, clustering, isa));
        progress.advance(clusters.as_ref().map_or(0, |clusters| source.n - clusters.boxes.len()));
        let mut boxes = match &mut clusters {
            Some(clusters) => std::mem::take(&mut clusters.boxes),
            None => parallel::collect(source.n, |i| PrimBox::new(source.of(i as u32), i as u32)),
        };
        let mut tree = self.binned.build(&mut boxes, progress);
        drop(boxes);
        if reinsert {
            self.reinsertion.run(&mut tree, progress);
        }
        let mut preorder = PreorderTree::new(&tree);
        drop(tree);
        if let Some(clusters) = clusters {
            clusters.expand(&mut preorder);
        }
        preorder
    }
}
