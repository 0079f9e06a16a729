//! Marquee and lasso against an oracle that cuts every element in camera space.

use std::collections::BTreeSet;
use std::sync::Arc;

use hitscan::BuildOptions;
use hitscan::picking::{
    Element, ElementKind, Pick, PickOptions, Picker, Polylines, RegionMode, ScreenRegion,
    SelectOptions, Selected, SnapOptions,
};
use hitscan::primitives::glam::{DAffine3, DVec2, DVec3};
use hitscan::scene::{Instance, Mesh, Scene};
use hitscan_testkit::{Rng, soup};

use crate::asking::{effort, is_whole_effort};

use super::making::{Eye, STYLES, ids, part, scene, vector};
use super::twin::{elements, in_camera, measure};

pub(super) const KINDS: [ElementKind; 4] =
    [ElementKind::Object, ElementKind::Face, ElementKind::Edge, ElementKind::Vertex];

/// A region as the oracle sees it: triangles that do not overlap.
pub(super) struct Outline {
    pub(super) region: ScreenRegion,
    pub(super) wedges: Vec<[DVec2; 3]>,
}

/// A rectangle.
pub(super) fn marquee(rng: &mut Rng, eye: &Eye) -> Outline {
    let (a, b) = (eye.random_pixel(rng), eye.random_pixel(rng));
    let (c, d) = (DVec2::new(a.x, b.y), DVec2::new(b.x, a.y));
    let region = ScreenRegion::rectangle(a, b).expect("it is finite");
    Outline { region, wedges: vec![[a, c, b], [a, b, d]] }
}

/// A star around a pixel, with arms of random length: concave in most cases.
pub(super) fn lasso(rng: &mut Rng, eye: &Eye) -> Outline {
    let center = eye.random_pixel(rng);
    let n = 5 + rng.below(8);
    let outline: Vec<DVec2> = (0..n)
        .map(|i| {
            let angle = (i as f64 + 0.8 * f64::from(rng.unit())) / n as f64 * std::f64::consts::TAU;
            let radius = f64::from(rng.between(0.05, 0.7)) * eye.viewport.size.y;
            center + radius * DVec2::from_angle(angle)
        })
        .collect();
    let wedges = (0..n).map(|i| [center, outline[i], outline[(i + 1) % n]]).collect();
    let region = ScreenRegion::lasso(outline).expect("it has corners enough");
    Outline { region, wedges }
}

/// The oracle's verdict; `None` if rounding decides.
fn selects(eye: &Eye, outline: &Outline, mode: RegionMode, shape: &[DVec3]) -> Option<bool> {
    let inside = outline.wedges.iter().map(|&wedge| eye.in_wedge(shape, wedge));
    let share =
        inside.map(|part| measure(&part, shape.len())).sum::<f64>() / measure(shape, shape.len());
    match mode {
        // An outline without area: rare, and useless here.
        _ if share.is_nan() => None,
        // A point on the border of two wedges is in both.
        RegionMode::Touch if share > 1e-12 => Some(true),
        RegionMode::Touch => (share == 0.0).then_some(false),
        RegionMode::Enclose if share > 1.0 - 1e-11 => Some(true),
        RegionMode::Enclose => (share < 1.0 - 1e-6).then_some(false),
    }
}

/// The elements that a region certainly selects, and those where rounding decides.
pub(super) fn expected(
    scene: &Scene,
    eye: &Eye,
    outline: &Outline,
    kind: ElementKind,
    mode: RegionMode,
) -> (BTreeSet<Selected>, BTreeSet<Selected>) {
    let (mut certain, mut unsure) = (BTreeSet::new(), BTreeSet::new());
    for instance in ids(scene) {
        let positions = in_camera(scene, instance, eye);
        for (name, shapes) in elements(part(scene, instance).0, kind) {
            let answers: Vec<Option<bool>> = shapes
                .iter()
                .map(|corners| {
                    let shape: Vec<DVec3> =
                        corners.iter().map(|&i| positions[i as usize]).collect();
                    selects(eye, outline, mode, &shape)
                })
                .collect();
            // One certain part decides, or else all parts together.
            let (decides, rest) = match mode {
                RegionMode::Touch => (Some(true), Some(false)),
                RegionMode::Enclose => (Some(false), Some(true)),
            };
            let answer = if answers.contains(&decides) {
                decides
            } else if answers.iter().all(|&answer| answer == rest) {
                rest
            } else {
                None
            };
            let element = match (kind, name.as_slice()) {
                (ElementKind::Face, &[face]) => Element::Face(face),
                (ElementKind::Edge, &[a, b]) => Element::Edge([a, b]),
                (ElementKind::Vertex, &[vertex]) => Element::Vertex(vertex),
                _ => Element::Object,
            };
            let selected = Selected { instance, element };
            match answer {
                Some(true) => drop(certain.insert(selected)),
                Some(false) => {}
                None => drop(unsure.insert(selected)),
            }
        }
    }
    (certain, unsure)
}

fn check(make: fn(&mut Rng, &Eye) -> Outline, mode: RegionMode) {
    let (mut n_selected, mut n_unsure) = (0, 0);
    for seed in 0..effort(60) {
        let mut rng = Rng::new(seed);
        let origin = if rng.one_in(2) { DVec3::ZERO } else { DVec3::new(-1e7, 2e6, 1e7) };
        let scene = scene(&mut rng, origin);
        let style = rng.pick(&STYLES);
        let eye = Eye::random(&mut rng, style, origin, 500.0);
        let view = eye.view(false);
        let outline = make(&mut rng, &eye);
        for kind in KINDS {
            let options = SelectOptions { kind, mode, ..SelectOptions::default() };
            let selected = Picker::new(&scene, &view).select(&outline.region, &options);
            assert!(selected.is_sorted(), "seed {seed}");
            let selected: BTreeSet<Selected> = selected.into_iter().collect();
            let (certain, unsure) = expected(&scene, &eye, &outline, kind, mode);
            let missed: Vec<_> = certain.difference(&selected).collect();
            let wrong: Vec<_> =
                selected.iter().filter(|s| !certain.contains(s) && !unsure.contains(s)).collect();
            assert!(
                missed.is_empty() && wrong.is_empty(),
                "seed {seed}, {kind:?}, {mode:?}, {eye:?}: missed {missed:?}, wrong {wrong:?}"
            );
            n_selected += certain.len();
            n_unsure += unsure.len();
        }
    }
    assert!(
        !is_whole_effort() || n_selected > 100,
        "the cases select {n_selected} elements: not worth a test"
    );
    assert!(
        !is_whole_effort() || n_unsure * 20 < n_selected,
        "{n_unsure} of {n_selected} were left out"
    );
}

#[test]
fn a_marquee_touches_the_elements_of_the_oracle() {
    check(marquee, RegionMode::Touch);
}

#[test]
fn a_marquee_encloses_the_elements_of_the_oracle() {
    check(marquee, RegionMode::Enclose);
}

#[test]
fn a_lasso_touches_the_elements_of_the_oracle() {
    check(lasso, RegionMode::Touch);
}

#[test]
fn a_lasso_encloses_the_elements_of_the_oracle() {
    check(lasso, RegionMode::Enclose);
}

/// Polylines and points are cut like the segments and points of meshes.
#[test]
fn polylines_are_selected_like_the_oracle() {
    let mut n_selected = 0;
    for seed in 0..effort(60) {
        let mut rng = Rng::new(seed);
        let style = rng.pick(&STYLES);
        let eye = Eye::random(&mut rng, style, DVec3::ZERO, 500.0);
        let view = eye.view(false);
        let lines: Vec<Vec<[f32; 3]>> = (0..20)
            .map(|_| {
                let start = 4.0 * rng.in_cube();
                (0..rng.below(6)).map(|_| (start + rng.in_cube()).to_array()).collect()
            })
            .collect();
        let wires = Polylines::new(lines.clone()).expect("all is finite");
        let outline = if rng.one_in(2) { marquee } else { lasso }(&mut rng, &eye);
        for mode in [RegionMode::Touch, RegionMode::Enclose] {
            let selected = wires.select(&view, &DAffine3::IDENTITY, &outline.region, mode);
            for (item, line) in (0u32..).zip(&lines) {
                let at: Vec<DVec3> = line
                    .iter()
                    .map(|p| eye.in_camera_space(DVec3::from(p.map(f64::from))))
                    .collect();
                let pieces: Vec<&[DVec3]> =
                    if at.len() == 1 { vec![&at] } else { at.windows(2).collect() };
                let answers = pieces.iter().map(|piece| selects(&eye, &outline, mode, piece));
                let answers: Vec<bool> = answers.map(|answer| answer.unwrap_or(true)).collect();
                let expected = match mode {
                    RegionMode::Touch => answers.contains(&true),
                    RegionMode::Enclose => !answers.is_empty() && !answers.contains(&false),
                };
                assert_eq!(selected.contains(&item), expected, "seed {seed}, {mode:?}, {item}");
                n_selected += usize::from(expected);
            }
        }
    }
    assert!(!is_whole_effort() || n_selected > 50);
}

/// A query does not select the instances that it excludes, and indices stay the same.
#[test]
fn excluded_instances_are_not_selected() {
    let mut rng = Rng::new(11);
    let mut scene = scene(&mut rng, DVec3::ZERO);
    let ids = ids(&scene);
    let eye = Eye::random(&mut rng, STYLES[0], DVec3::ZERO, 500.0);
    let view = eye.view(false);
    let all = ScreenRegion::rectangle([-1e5, -1e5], [1e5, 1e5]).unwrap();
    let options = SelectOptions::default();
    let before = Picker::new(&scene, &view).select(&all, &options);
    assert!(before.len() >= 2);
    let (hidden, locked) = (before[0].instance, before[1].instance);
    scene.set_hidden(hidden, true).unwrap();
    scene.set_locked(locked, true).unwrap();
    let after = Picker::new(&scene, &view).select(&all, &options);
    assert_eq!(after, before[2..]);
    let mut with_both = SelectOptions::default();
    (with_both.query.include_hidden, with_both.query.include_locked) = (true, true);
    assert_eq!(Picker::new(&scene, &view).select(&all, &with_both), before);
    let mut ignoring = with_both;
    ignoring.query.ignore = &ids;
    assert_eq!(Picker::new(&scene, &view).select(&all, &ignoring), []);
}

/// Meshes with coordinates of every size, and cameras among them: an answer without a panic.
#[test]
fn hostile_meshes_are_picked_without_a_panic() {
    for seed in 0..effort(40) {
        let mut rng = Rng::new(seed);
        let mut scene = Scene::new();
        for _ in 0..3 {
            let mesh = Arc::new(Mesh::new(soup(&mut rng, 60).mesh, &BuildOptions::default()));
            let place = DAffine3::from_translation(vector(&mut rng));
            // A scene refuses meshes that are too large for the world.
            let _ = scene.insert(Instance::new(mesh, place));
        }
        let style = rng.pick(&STYLES);
        let eye = Eye::random(&mut rng, style, DVec3::ZERO, 60.0);
        let view = eye.view(false);
        let picker = Picker::new(&scene, &view);
        let outline = if rng.one_in(2) { marquee } else { lasso }(&mut rng, &eye);
        for kind in KINDS {
            let touched = SelectOptions { kind, ..SelectOptions::default() };
            let all = picker.select(&outline.region, &touched);
            for (mode, visible_only) in [
                (RegionMode::Touch, true),
                (RegionMode::Enclose, false),
                (RegionMode::Enclose, true),
            ] {
                let options = SelectOptions { mode, visible_only, ..touched };
                let some = picker.select(&outline.region, &options);
                assert!(some.iter().all(|element| all.contains(element)), "seed {seed}, {kind:?}");
            }
            let cursor = eye.random_pixel(&mut rng);
            let options = PickOptions { radius: 20.0, ..PickOptions::for_kind(kind) };
            let picks = picker.pick_all(cursor, &options);
            if let Some(pick) = picker.pick(cursor, &options) {
                let is_it = |other: &Pick| other.element == pick.element;
                assert!(picks.iter().any(is_it), "seed {seed}, {kind:?}");
            }
        }
        picker.snap(eye.random_pixel(&mut rng), &SnapOptions::default());
    }
}
