//! The table of an editor ([`hitscan_benches::editor_table`]). Then marquee, snap and pick by a radius, at
//! 1920 by 1080. The scene has ten thousand instances of fifty
//! meshes, about ten million triangles.

use std::collections::BTreeSet;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use criterion::{Criterion, criterion_group};
use hitscan::BuildOptions;
use hitscan::glam::{DAffine3, DQuat, DVec2, DVec3};
use hitscan::picking::{
    Camera, ElementKind, PickOptions, Picker, RegionMode, ScreenRegion, SelectOptions, SnapOptions,
    View, Viewport,
};
use hitscan::primitives::generate::{self, SplitMix64};
use hitscan::scene::{Instance, InstanceId, Mesh, Scene};

/// Fifty meshes of unit size and about a thousand triangles, at ten thousand places.
fn scene() -> Scene {
    let meshes: Vec<Arc<Mesh>> = (0..50)
        .map(|i| {
            let n = 400 + 24 * i;
            let mesh = match i % 3 {
                0 => generate::sphere(1.0, n),
                1 => generate::torus(0.8, 0.3, n),
                _ => generate::cuboid(1.0, 1.5, 1.2, 3),
            };
            Arc::new(Mesh::new(mesh.expect("ordinary sizes"), &BuildOptions::default()))
        })
        .collect();
    let mut rng = SplitMix64::new(1);
    let mut scene = Scene::new();
    for i in 0..10_000 {
        let mut number = |reach: f64| rng.range(-reach, reach);
        let turn = DQuat::from_xyzw(number(1.0), number(1.0), number(1.0), number(1.0));
        let place = DVec3::new(number(150.0), number(15.0), number(150.0));
        let transform = DAffine3::from_rotation_translation(turn.normalize(), place);
        let instance = Instance::new(meshes[i % meshes.len()].clone(), transform);
        scene.insert(instance).expect("a turn can be undone");
    }
    scene
}

/// The whole scene, seen from above one corner.
fn view() -> View {
    let camera = Camera::look_at([-180.0, 90.0, -180.0], [0.0, -10.0, 0.0]);
    camera.view(Viewport::from_size(1920.0, 1080.0)).expect("the camera looks at the scene")
}

/// A quarter of the picture.
fn marquee() -> ScreenRegion {
    ScreenRegion::rectangle([480.0, 270.0], [1440.0, 810.0]).expect("it is finite")
}

/// Selecting objects and selecting faces must find the same objects.
fn check(picker: &Picker<'_>) {
    let select = |kind| {
        let options = SelectOptions { kind, ..SelectOptions::default() };
        let selected = picker.select(&marquee(), &options);
        selected.iter().map(|selected| selected.instance).collect::<BTreeSet<InstanceId>>()
    };
    let objects = select(ElementKind::Object);
    assert_eq!(objects, select(ElementKind::Face));
    eprintln!("{} of {} objects in the marquee", objects.len(), picker.scene().len());
}

fn picking(c: &mut Criterion) {
    let (scene, view) = (scene(), view());
    let picker = Picker::new(&scene, &view);
    check(&picker);
    let region = marquee();
    let mut group = c.benchmark_group("picking");
    group.sample_size(20).measurement_time(Duration::from_secs(5));
    for mode in [RegionMode::Touch, RegionMode::Enclose] {
        let options = SelectOptions { mode, ..SelectOptions::default() };
        group.bench_function(format!("objects in a quarter, {mode:?}").to_lowercase(), |b| {
            b.iter(|| picker.select(black_box(&region), &options));
        });
    }
    let options = SelectOptions { visible_only: true, ..SelectOptions::default() };
    group.bench_function("visible objects in a quarter", |b| {
        b.iter(|| picker.select(black_box(&region), &options));
    });

    let mut rng = SplitMix64::new(2);
    let pixels: Vec<DVec2> =
        (0..1024).map(|_| DVec2::new(rng.range(0.0, 1920.0), rng.range(0.0, 1080.0))).collect();
    let mut next = pixels.iter().cycle();
    let mut pixel = || *next.next().expect("a cycle");
    let options = PickOptions::default();
    group
        .bench_function("pick an object", |b| b.iter(|| picker.pick(black_box(pixel()), &options)));
    let options = PickOptions::for_kind(ElementKind::Vertex);
    group.bench_function("pick a vertex within 8 pixels", |b| {
        b.iter(|| picker.pick(black_box(pixel()), &options));
    });
    let options = SnapOptions::default();
    group.bench_function("snap within 8 pixels", |b| {
        b.iter(|| picker.snap(black_box(pixel()), &options));
    });
}

criterion_group!(benches, picking);

/// The table of an editor, then the measurements of criterion. An argument chooses among both.
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let filter = arguments.iter().find(|argument| !argument.starts_with('-')).map(String::as_str);
    let is_for_criterion = arguments.iter().any(|argument| argument.contains("baseline"));
    if !is_for_criterion && filter.is_none_or(|filter| filter.starts_with("editor")) {
        let is_test = arguments.iter().any(|argument| argument == "--test");
        let filter = filter.filter(|filter| *filter != "editor");
        hitscan_benches::editor_table::run(filter, is_test);
    }
    if filter.is_none_or(|filter| !filter.starts_with("editor")) {
        benches();
        Criterion::default().configure_from_args().final_summary();
    }
}
