//! Picks against the definition: all candidates within the radius, in order.

use hitscan_primitives::{
    SectionPlane, Side,
    generate::{self, SplitMix64},
};
use hitscan_scene::Instance;

use super::*;
use crate::{Camera, Projection, RegionMode, SelectOptions, Viewport, test_scenes::TestScene};

#[test]
fn the_nearest_element_is_the_first_visible_candidate_within_the_radius() {
    let (mut n_found, mut n_hidden) = (0, 0);
    for seed in 0..60 {
        let mut rng = SplitMix64::new(seed);
        let test = TestScene::random(&mut rng);
        let ignore = test.random_ignored(&mut rng);
        let query = test.random_query(&mut rng, &ignore);
        let picker = Picker::new(&test.scene, &test.view);
        for _ in 0..20 {
            let cursor = test.random_pixel(&mut rng);
            let radius = [0.0, 1.0, 8.0, 30.0, f64::INFINITY][rng.below(5) as usize];
            let x_ray = rng.below(4) == 0;
            for target in [SearchTarget::Vertex, SearchTarget::EdgeMidpoint, SearchTarget::Edge] {
                let found = picker.nearest(cursor, target, radius, x_ray, &query);
                let all = picker.candidates(cursor, target, radius, &query);
                let is_visible = |candidate: &&Candidate| {
                    x_ray || picker.is_candidate_visible(candidate, &query)
                };
                let expected = all.iter().find(is_visible);
                let expected = expected.map(|candidate| picker.pick_of_candidate(candidate));
                assert_eq!(found, expected, "seed {seed}, {target:?} within {radius} of {cursor}");
                n_found += usize::from(found.is_some());
                n_hidden += usize::from(found.is_none() && !all.is_empty());
            }
        }
    }
    assert!(n_found > 500 && n_hidden > 20, "{n_found}, {n_hidden}");
}

/// The lowest height of a point over planes, which are given by point and unit normal.
fn height(planes: &[(DVec3, DVec3)], point: DVec3) -> f64 {
    let heights = planes.iter().map(|&(on, normal)| normal.dot(point - on));
    heights.fold(f64::INFINITY, f64::min)
}

fn clipped(view: &View, planes: &[(DVec3, DVec3)]) -> View {
    let plane = |&(on, normal): &(DVec3, DVec3)| SectionPlane::new(on, normal).expect("a normal");
    let planes: Vec<SectionPlane> = planes.iter().map(plane).collect();
    view.clone().with_clipping_planes(&planes).expect("at most six")
}

#[test]
fn a_hover_finds_the_first_surface_that_no_clipping_plane_hides() {
    // Hits of the whole scene, hits behind a hidden surface, and rays without any shown surface.
    let mut counts = [0; 3];
    for seed in 0..80 {
        let mut rng = SplitMix64::new(seed);
        let test = TestScene::random(&mut rng);
        let center = test.view.ray(test.view.viewport().center());
        let mut vector = |limit: f64| DVec3::from_array([(); 3].map(|()| rng.range(-limit, limit)));
        let planes: Vec<(DVec3, DVec3)> = (0..1 + seed as usize % 6)
            .map(|_| {
                let on = center.origin + 8.0 * center.direction + vector(3.0);
                let (normal, to_eye) = (vector(1.0).normalize(), center.origin - on);
                // Half of the scenes lose what is near the eye.
                let is_far = seed % 2 == 0 && normal.dot(to_eye) > 0.0;
                (on, if is_far { -normal } else { normal })
            })
            .collect();
        let view = clipped(&test.view, &planes);
        let (picker, query) = (Picker::new(&test.scene, &view), QueryOptions::default());
        for _ in 0..40 {
            let cursor = test.random_pixel(&mut rng);
            let hits = test.scene.all_hits(&test.view.ray(cursor), &query);
            let heights: Vec<f64> =
                hits.iter().map(|hit| height(&planes, test.view.ray(cursor).at(hit.t))).collect();
            let first = heights.iter().position(|&height| height >= 0.0);
            let until = first.map_or(hits.len(), |first| first + 1);
            // Rounding decides about surfaces in a plane.
            if heights[..until].iter().any(|height| height.abs() < 1e-5) {
                continue;
            }
            let found = picker.pick(cursor, &PickOptions::default());
            let found = found.and_then(|pick| pick.hit).map(|hit| (hit.instance, hit.triangle()));
            let expected = first.map(|first| (hits[first].instance, hits[first].triangle()));
            assert_eq!(found, expected, "seed {seed}, {cursor}");
            let kind = match first {
                Some(0) => 0,
                Some(_) => 1,
                None => 2,
            };
            counts[kind] += usize::from(kind != 2 || !hits.is_empty());
        }
    }
    assert!(counts.iter().all(|&n| n > 20), "{counts:?}");
}

/// A cube from -1 to 1, seen along -z, with the half at positive `axis` hidden.
fn half_cube(axis: DVec3) -> (Scene, View) {
    let cube = generate::cuboid(2.0, 2.0, 2.0, 0).expect("a cube");
    let mut scene = Scene::new();
    let cube = Mesh::new(cube, &Default::default());
    scene.insert(Instance::new(cube.into(), DAffine3::IDENTITY)).expect("it is finite");
    let mut camera = Camera::look_at([0.0, 0.0, 9.0], [0.0; 3]);
    (camera.near, camera.far) = (0.1, 100.0);
    camera.projection = Projection::Orthographic { height: 4.0 };
    let view = camera.view(Viewport::from_size(400.0, 400.0)).expect("it looks at the cube");
    let view = clipped(&view, &[(DVec3::ZERO, -axis)]);
    (scene, view)
}

#[test]
fn a_hidden_half_is_neither_found_nor_in_the_way() {
    let (scene, view) = half_cube(DVec3::Z);
    let picker = Picker::new(&scene, &view);
    let pick = picker.pick([210.0, 230.0], &PickOptions::default()).expect("the back is there");
    assert!(pick.point.z == -1.0 && (pick.distance - 9.9).abs() < 1e-6, "{pick:?}");
    assert_eq!(pick.hit.map(|hit| hit.local.side), Some(Side::Back));
    let query = QueryOptions::default();
    assert!(picker.is_visible([0.1, 0.1, -0.5], &query));
    assert!(!picker.is_visible([0.1, 0.1, 0.5], &query));
    assert!(!picker.is_visible([0.1, 0.1, -1.5], &query));
    assert_eq!(picker.pick_all([210.0, 230.0], &PickOptions::default()).len(), 1);
    // The vertex of the shown half, not the hidden one in front of it.
    let vertex = picker.pick([299.0, 299.0], &PickOptions::for_kind(ElementKind::Vertex));
    assert_eq!(vertex.map(|pick| pick.point), Some(DVec3::new(1.0, -1.0, -1.0)));
    // An edge ends at the plane, so no point of it lies beyond.
    let edge = picker.pick([299.0, 200.0], &PickOptions::for_kind(ElementKind::Edge));
    assert!(edge.is_some_and(|pick| pick.point.z <= 0.0));
}

#[test]
fn a_marquee_counts_the_part_that_is_shown() {
    let (scene, view) = half_cube(DVec3::X);
    let picker = Picker::new(&scene, &view);
    let select = |kind, mode, [x0, x1]: [f64; 2]| {
        let options = SelectOptions { kind, mode, ..SelectOptions::default() };
        picker.marquee([x0, 50.0], [x1, 350.0], &options).len()
    };
    use ElementKind::{Face, Object, Vertex};
    use RegionMode::{Enclose, Touch};
    let (all, left, right) = ([50.0, 350.0], [50.0, 201.0], [205.0, 350.0]);
    for (region, object, n_faces, n_vertices) in
        [(all, 1, 10, 4), (left, 1, 10, 4), (right, 0, 0, 0)]
    {
        for mode in [Touch, Enclose] {
            assert_eq!(select(Object, mode, region), object, "{mode:?} in {region:?}");
            assert_eq!(select(Face, mode, region), n_faces, "{mode:?} in {region:?}");
            assert_eq!(select(Vertex, mode, region), n_vertices, "{mode:?} in {region:?}");
        }
    }
    // A part of the shown half is outside.
    assert_eq!(
        (select(Object, Touch, [150.0, 350.0]), select(Object, Enclose, [150.0, 350.0])),
        (1, 0)
    );
    let visible = SelectOptions { kind: Face, visible_only: true, ..SelectOptions::default() };
    assert_eq!(picker.marquee([50.0, 50.0], [350.0, 350.0], &visible).len(), 2);
}

#[test]
fn seven_clipping_planes_are_an_error_and_a_view_without_them_has_its_rays() {
    let (_, view) = half_cube(DVec3::X);
    let plane = SectionPlane::new([0.0; 3], [1.0, 0.0, 0.0]).expect("a normal");
    let error = view.clone().with_clipping_planes(&[plane; 7]).unwrap_err();
    assert_eq!(error.to_string(), "view: 7 clipping planes; use at most 6");
    let unclipped = view.with_clipping_planes(&[]).expect("none");
    assert_eq!(
        (unclipped.ray([1.0, 1.0]).t_min, unclipped.ray([1.0, 1.0]).is_valid()),
        (0.0, true)
    );
}
