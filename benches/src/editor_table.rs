//! The cost of a mouse movement in an editor: hover, snap and marquee over 5,000 instances of a mesh of 5,800
//! triangles at 2560 by 1440, most of them partly hidden.
//!
//! Prints one line per operation: the median and the range of several runs.

use std::collections::BTreeSet;
use std::hint::black_box;
use std::time::Instant;

use hitscan::glam::DVec2;
use hitscan::picking::{
    Element, ElementKind, PickOptions, Picker, ScreenRegion, SelectOptions, Selected, SnapOptions,
    View,
};
use hitscan::primitives::generate::SplitMix64;
use hitscan::scene::{InstanceId, QueryOptions, Scene};

use crate::editor;

/// The number of runs of a marquee, and of cursor positions of a hover.
const N_MARQUEES: usize = 9;
const N_CURSORS: usize = 2000;

/// Prints the table. `filter` is a part of the name of the operations to run; the name of each begins with
/// `editor: `. `is_test` runs each operation once.
///
/// # Panics
/// If an answer is wrong.
pub fn run(filter: Option<&str>, is_test: bool) {
    let (scene, view) = (editor::scene(), editor::view());
    let picker = Picker::new(&scene, &view);
    check(&picker, is_test);

    println!("{:<52} {:>10} {:>12} {:>12} {:>12}", "operation", "found", "median", "min", "max");
    let run = |name: &str, n_runs: usize, operation: &mut dyn FnMut() -> usize| {
        let name = format!("editor: {name}");
        if filter.is_none_or(|filter| name.contains(filter)) {
            measure(&name, if is_test { 1 } else { n_runs }, operation);
        }
    };
    let regions = [
        ("full window", [0.0, 0.0], [2560.0, 1440.0]),
        ("half window", [640.0, 360.0], [1920.0, 1080.0]),
        ("400 x 200", [1000.0, 700.0], [1400.0, 900.0]),
    ];
    for (kind, visible_only, region) in [
        (ElementKind::Object, false, 0),
        (ElementKind::Object, true, 0),
        (ElementKind::Object, true, 1),
        (ElementKind::Face, false, 2),
        (ElementKind::Face, true, 2),
        (ElementKind::Vertex, true, 2),
        (ElementKind::Edge, true, 2),
    ] {
        let (name, corner, opposite) = regions[region];
        let visible = if visible_only { ", visible only" } else { "" };
        let name = format!("marquee {kind:?} in {name}{visible}").to_lowercase();
        let options = SelectOptions { kind, visible_only, ..SelectOptions::default() };
        run(&name, N_MARQUEES, &mut || picker.marquee(corner, opposite, &options).len());
    }

    let mut rng = SplitMix64::new(2);
    let mut cursor = || DVec2::new(rng.range(200.0, 2360.0), rng.range(200.0, 1240.0));
    for kind in [ElementKind::Object, ElementKind::Face, ElementKind::Edge, ElementKind::Vertex] {
        let options = PickOptions::for_kind(kind);
        let name = format!("hover {kind:?}").to_lowercase();
        run(&name, N_CURSORS, &mut || picker.pick(cursor(), &options).iter().len());
    }
    let options = SnapOptions::default();
    run("snap", N_CURSORS, &mut || picker.snap(cursor(), &options).iter().len());
}

/// Prints the times of an operation, which returns how many elements it found.
fn measure(name: &str, n_runs: usize, operation: &mut dyn FnMut() -> usize) {
    let mut found = 0;
    let mut times: Vec<f64> = (0..n_runs)
        .map(|_| {
            let start = Instant::now();
            found = black_box(operation());
            1e6 * start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let time = |i: usize| match times[i] {
        us if us < 1e3 => format!("{us:.1} us"),
        us => format!("{:.2} ms", us / 1e3),
    };
    let (median, min, max) = (time(n_runs / 2), time(0), time(n_runs - 1));
    println!("{name:<52} {found:>10} {median:>12} {min:>12} {max:>12}");
}

/// Compares selections with the definition, ray by ray, and hovers with all elements at the cursor.
fn check(picker: &Picker<'_>, is_test: bool) {
    let size = if is_test { DVec2::new(40.0, 30.0) } else { DVec2::new(320.0, 180.0) };
    let center = DVec2::new(1280.0, 720.0);
    let region = ScreenRegion::rectangle(center - size, center + size).expect("it is finite");
    let small = ScreenRegion::rectangle(center, center + 20.0).expect("it is finite");
    for (kind, region) in [(ElementKind::Object, region), (ElementKind::Face, small)] {
        let options = SelectOptions { kind, ..SelectOptions::default() };
        let all: BTreeSet<Selected> = picker.select(&region, &options).into_iter().collect();
        let options = SelectOptions { visible_only: true, ..options };
        let visible: BTreeSet<Selected> = picker.select(&region, &options).into_iter().collect();
        let at_centers = at_centers(picker, &region, kind);
        let expected = all.into_iter().filter(|&selected| {
            at_centers.contains(&selected) || is_visible_at_middle(picker, &region, selected)
        });
        assert_eq!(visible, expected.collect(), "visible elements of {kind:?}");
    }
    let mut rng = SplitMix64::new(1);
    for kind in [ElementKind::Edge, ElementKind::Vertex] {
        for _ in 0..20 {
            let cursor = DVec2::new(rng.range(0.0, 2560.0), rng.range(0.0, 1440.0));
            let options = PickOptions::for_kind(kind);
            let found = picker.pick(cursor, &options).map(|pick| pick.pixel_distance);
            let query = QueryOptions::default();
            let all = picker.pick_all(cursor, &options);
            let nearest = all.iter().find(|pick| picker.is_visible(pick.point, &query));
            let nearest = nearest.map_or(f64::INFINITY, |pick| pick.pixel_distance);
            assert!(found.unwrap_or(f64::INFINITY) <= nearest, "{kind:?} at {cursor}");
        }
    }
}

/// The elements that single rays through the pixel centres of a region hit first.
fn at_centers(picker: &Picker<'_>, region: &ScreenRegion, kind: ElementKind) -> BTreeSet<Selected> {
    let mut found = BTreeSet::new();
    let (min, max) = (region.min().floor(), region.max());
    let mut pixel = min + 0.5;
    while pixel.y <= max.y {
        found.extend(first_at(picker, pixel, kind));
        pixel.x += 1.0;
        if pixel.x > max.x {
            pixel = DVec2::new(min.x + 0.5, pixel.y + 1.0);
        }
    }
    found
}

fn first_at(picker: &Picker<'_>, pixel: DVec2, kind: ElementKind) -> Option<Selected> {
    let hit = picker.scene().closest_hit(&picker.view().ray(pixel), &QueryOptions::default())?;
    let element = match kind {
        ElementKind::Face => Element::Face(hit.triangle()),
        _ => Element::Object,
    };
    Some(Selected { instance: hit.instance, element })
}

/// Whether a ray through the middle of one of the element's triangles hits it first: of the first 16 with
/// their middle in the region for an object.
fn is_visible_at_middle(picker: &Picker<'_>, region: &ScreenRegion, selected: Selected) -> bool {
    let triangles = match selected.element {
        Element::Face(triangle) => triangle..triangle + 1,
        _ => 0..editor::N_TRIANGLES,
    };
    let middles = triangles.filter_map(|triangle| {
        middle(picker.scene(), picker.view(), region, selected.instance, triangle)
    });
    middles.take(16).any(|pixel| first_at(picker, pixel, selected.element.kind()) == Some(selected))
}

/// The middle of a triangle on the screen, or a point near a corner, if it is in the region.
fn middle(
    scene: &Scene,
    view: &View,
    region: &ScreenRegion,
    instance: InstanceId,
    triangle: u32,
) -> Option<DVec2> {
    let mesh = scene.get(instance)?.mesh.as_deref()?;
    let world = scene.world_transform(instance)?;
    let corners = mesh.tri_mesh().corners(triangle).map(|corner| {
        let seen = view.project(world.transform_point3(corner.as_dvec3()));
        seen.expect("the scene lies between the planes").pixel
    });
    let middle = corners.iter().sum::<DVec2>() / 3.0;
    let toward_corners = corners.iter().map(|&corner| middle.lerp(corner, 0.9));
    [middle].into_iter().chain(toward_corners).find(|&pixel| region.contains(pixel))
}
