//! Selections against the definition: one ray at a time, through every pixel centre and every sample.

use std::{
    collections::BTreeSet,
    ops::ControlFlow,
    sync::{Arc, Mutex},
};

use glam::DAffine3;
use hitscan_bvh::BuildOptions;
use hitscan_primitives::generate::{self, SplitMix64};
use hitscan_scene::{Instance, InstanceId, Mesh, QueryOptions, Scene, SceneHit};

use super::*;
use crate::{
    camera::{Camera, Projection},
    clip::ClippedPolygon,
    in_region::{RegionMode, RegionSearch},
    projected_mesh::ProjectedMesh,
    screen_frustum::ScreenFrustum,
    screen_map::ScreenPoint,
    select::{SelectOptions, Selected},
    test_scenes::TestScene,
    view::View,
    viewport::Viewport,
};

/// The rule of [`Picker::select`] in the plainest form.
struct Definition<'a> {
    picker: &'a Picker<'a>,
    region: &'a ScreenRegion,
    query: &'a QueryOptions<'a>,
    min: DVec2,
    max: DVec2,
}

impl Definition<'_> {
    fn select(&self, options: &SelectOptions<'_>) -> Vec<Selected> {
        let view = self.picker.view;
        let at_centers = self.at_centers(options.kind);
        let mut selected = vec![];
        let everything = ScreenFrustum::new(view.map(), self.region.min(), self.region.max());
        self.picker.for_each_mesh_in(&everything, self.query, |instance, to_view, mesh| {
            let map = view.map().in_local_space(&to_view);
            let projected = ProjectedMesh { mesh: mesh.tri_mesh(), bvh: mesh.bvh(), map };
            let search = RegionSearch::new(projected, self.region, options.mode);
            let elements = search.elements(options.kind);
            let group = InstanceElements { instance, to_view, projected, elements: vec![] };
            for element in elements {
                let is_visible = match element {
                    Element::Edge(_) | Element::Vertex(_) => self.is_thin_visible(&group, element),
                    _ => {
                        at_centers.contains(&Selected { instance, element })
                            || self.is_visible_at_middles(&group, element)
                    }
                };
                selected.extend(is_visible.then_some(Selected { instance, element }));
            }
        });
        selected.sort();
        selected
    }

    fn element_of(&self, kind: ElementKind, hit: &SceneHit) -> Selected {
        let instance = self.picker.scene.get(hit.instance).expect("it was hit");
        let mesh = instance.mesh.as_deref().expect("it was hit").tri_mesh();
        let element = match kind {
            ElementKind::Face => Element::Face(mesh.polygon_of(hit.triangle())),
            _ => Element::Object,
        };
        Selected { instance: hit.instance, element }
    }

    fn at_centers(&self, kind: ElementKind) -> BTreeSet<Selected> {
        let mut found = BTreeSet::new();
        let first = (self.min - 0.5).ceil() + 0.5;
        for row in 0..1000 {
            for column in 0..1000 {
                let pixel = first + DVec2::new(f64::from(column), f64::from(row));
                if self.contains(pixel) {
                    let hit =
                        self.picker.scene.closest_hit(&self.picker.view.ray(pixel), self.query);
                    found.extend(hit.map(|hit| self.element_of(kind, &hit)));
                } else if pixel.x > self.max.x {
                    break;
                }
            }
        }
        found
    }

    fn is_visible_at_middles(&self, group: &InstanceElements<'_>, element: Element) -> bool {
        let InstanceElements { instance, projected, .. } = group;
        let middle = |&triangle: &u32| self.middle(projected, triangle);
        let triangles: Vec<u32> = match element {
            Element::Face(polygon) => projected.mesh.triangles_of(polygon).collect(),
            _ => (0..projected.mesh.triangles().len() as u32)
                .filter(|triangle| middle(triangle).is_some())
                .take(16)
                .collect(),
        };
        if triangles.iter().all(|&triangle| projected.mesh.is_degenerate(triangle)) {
            return triangles
                .into_iter()
                .any(|triangle| self.is_thin_visible(group, thin(projected, triangle)));
        }
        triangles.iter().filter_map(middle).any(|pixel| {
            let hit = self.picker.scene.closest_hit(&self.picker.view.ray(pixel), self.query);
            hit.map(|hit| self.element_of(element.kind(), &hit))
                == Some(Selected { instance: *instance, element })
        })
    }

    fn middle(&self, projected: &ProjectedMesh<'_>, triangle: u32) -> Option<DVec2> {
        let corners = projected.clipped(triangle).pixels();
        let middle = corners.iter().sum::<DVec2>() / corners.len() as f64;
        let toward_corners = corners.iter().map(|&corner| middle.lerp(corner, 0.9));
        [middle].into_iter().chain(toward_corners).find(|&pixel| self.contains(pixel))
    }

    fn contains(&self, pixel: DVec2) -> bool {
        pixel.cmpge(self.min).all() && pixel.cmple(self.max).all() && self.region.contains(pixel)
    }

    fn is_thin_visible(&self, group: &InstanceElements<'_>, element: Element) -> bool {
        let projected = &group.projected;
        match element {
            Element::Vertex(vertex) => {
                self.is_point_visible(group, &projected.vertex(vertex), Feature::Vertex(vertex))
            }
            Element::Edge(edge) => {
                let clipped = ClippedPolygon::new(
                    &projected.map,
                    &edge.map(|vertex| projected.vertex(vertex)),
                );
                let [a, b] = clipped.points() else { return false };
                let samples = samples_along(a, b, self.min, self.max);
                samples.iter().any(|at| self.is_point_visible(group, at, Feature::Edge(edge)))
            }
            _ => unreachable!("it has an area"),
        }
    }

    fn is_point_visible(
        &self,
        group: &InstanceElements<'_>,
        at: &ScreenPoint,
        feature: Feature,
    ) -> bool {
        const TOLERANCE: f64 = 1.0 / (1 << 20) as f64;
        let InstanceElements { instance, to_view, projected, .. } = group;
        let view: &View = self.picker.view;
        if !self.contains(at.pixel()) {
            return false;
        }
        let point = view.origin() + to_view.transform_point3(at.point);
        let ray = view.ray(at.pixel());
        let distance = (point - ray.origin).dot(ray.direction);
        let ray = ray.with_range(0.0, distance * (1.0 - 0.5 * TOLERANCE));
        let hides = |hit: &SceneHit| {
            let scene = self.picker.scene;
            let mesh = scene.get(hit.instance).and_then(|hit| hit.mesh.as_deref()).expect("hit");
            let world = scene.mesh_to_world(hit.instance).expect("hit");
            let extent = f64::from(mesh.tri_mesh().bounds().max_abs_coordinate());
            let extent = (world.matrix3.abs() * DVec3::splat(extent)).max_element();
            let is_own =
                hit.instance == *instance && feature.is_in_triangle(projected.mesh, hit.triangle());
            hit.t < distance - TOLERANCE * (distance + extent) && !is_own
        };
        distance <= 0.0 || !self.picker.scene.is_occluded_where(&ray, self.query, hides)
    }
}

fn thin(projected: &ProjectedMesh<'_>, triangle: u32) -> Element {
    let [a, b, c] = projected.mesh.triangles()[triangle as usize];
    let position = |vertex: u32| projected.mesh.positions()[vertex as usize].as_dvec3();
    let length = |[a, b]: [u32; 2]| position(a).distance_squared(position(b));
    let mut longest = [a, a];
    for side in [[a, b], [b, c], [c, a]] {
        if length(side) > length(longest) {
            longest = side;
        }
    }
    if length(longest) == 0.0 { Element::Vertex(a) } else { Element::Edge(longest) }
}

fn samples_along(a: &ScreenPoint, b: &ScreenPoint, min: DVec2, max: DVec2) -> Vec<ScreenPoint> {
    let (from, along) = (a.pixel(), b.pixel() - a.pixel());
    let (to_min, to_max) = ((min - from) / along, (max - from) / along);
    let (mut start, mut end) = (0.0f64, 1.0f64);
    for axis in 0..2 {
        start = start.max(to_min[axis].min(to_max[axis]));
        end = end.min(to_min[axis].max(to_max[axis]));
    }
    if start > end {
        return vec![];
    }
    let n = ((end - start) * along.length()).min((max - min).length()).ceil().max(1.0);
    let at = |i: u32| {
        let s = start + (f64::from(i) + 0.5) / n * (end - start);
        a.lerp(b, s * a.w / (b.w + s * (a.w - b.w)))
    };
    (0..n as u32).map(at).collect()
}

#[test]
fn visible_elements_are_those_of_the_definition() {
    let mut n_found = [0; 4];
    let mut n_hidden = [0; 4];
    for seed in 0..60 {
        let mut rng = SplitMix64::new(seed);
        let test = TestScene::random(&mut rng);
        let ignore: Vec<InstanceId> = test.random_ignored(&mut rng);
        let query = test.random_query(&mut rng, &ignore);
        let region = test.random_region(&mut rng);
        let picker = Picker::new(&test.scene, &test.view);
        let viewport = test.view.viewport();
        let (min, max) = (region.min().max(viewport.min), region.max().min(viewport.max()));
        let definition = Definition { picker: &picker, region: &region, query: &query, min, max };
        let kinds =
            [ElementKind::Object, ElementKind::Face, ElementKind::Edge, ElementKind::Vertex];
        for (i, kind) in kinds.into_iter().enumerate() {
            let mode = if rng.below(4) == 0 { RegionMode::Enclose } else { RegionMode::Touch };
            let options = SelectOptions { kind, mode, visible_only: true, query };
            let selected = picker.select(&region, &options);
            let expected = definition.select(&options);
            assert_eq!(selected, expected, "seed {seed}, {options:?}");
            let all = picker.select(&region, &SelectOptions { visible_only: false, ..options });
            n_found[i] += selected.len();
            n_hidden[i] += all.len() - selected.len();
        }
    }
    assert!(n_found.iter().chain(&n_hidden).all(|&n| n > 25), "{n_found:?}, {n_hidden:?}");
}

/// Boards behind a wall, moved by so little that some show less than a pixel beside it. They overlap at each
/// pixel, or stand side by side. The search takes another way in each case.
#[test]
fn objects_behind_a_wall_are_those_of_the_definition() {
    let mesh = |size: [f64; 2]| {
        let [x, y] = size.map(|size| size as f32);
        let mesh = generate::cuboid(x, y, 0.01, 0).expect("an ordinary size");
        Arc::new(Mesh::new(mesh, &BuildOptions::default()))
    };
    let mut rng = SplitMix64::new(1);
    for (n, size, is_apart) in [(40, 6.0, false), (60, 0.5, true), (0, 1.0, true)] {
        let mut scene = Scene::new();
        let (wall, board) = (mesh([6.0, 6.0]), mesh([size; 2]));
        let at = |x: f64, y: f64, z: f64| DAffine3::from_translation(DVec3::new(x, y, z));
        scene.insert(Instance::new(wall, at(0.0, 0.0, 1.0))).expect("a translation");
        for i in 0..n {
            let share = 2.0 * f64::from(i) / f64::from(n) - 1.0;
            let (x, y) = if is_apart {
                (3.3 * share, 2.0 * (f64::from(i % 7) - 3.0))
            } else {
                (0.05 * share, rng.range(-0.05, 0.05))
            };
            let place = at(x, y, -0.02 * f64::from(i));
            scene.insert(Instance::new(board.clone(), place)).expect("a translation");
        }
        let mut camera = Camera::look_at([0.0, 0.0, 10.0], [0.0; 3]);
        (camera.projection, camera.far) = (Projection::Orthographic { height: 8.0 }, 20.0);
        let view = camera.view(Viewport::from_size(200.0, 200.0)).expect("it looks somewhere");
        let picker = Picker::new(&scene, &view);
        let (min, max) = (DVec2::ZERO, DVec2::splat(200.0));
        let region = ScreenRegion::rectangle(min, max).expect("it is finite");
        let query = QueryOptions::default();
        let definition = Definition { picker: &picker, region: &region, query: &query, min, max };
        let options = SelectOptions { visible_only: true, ..SelectOptions::default() };
        let visible = picker.select(&region, &options);
        assert_eq!(visible, definition.select(&options), "{n} boards");
        let is_split = visible.len() > 5 && visible.len() + 5 < scene.len();
        assert!(is_split || n == 0, "{} of {}", visible.len(), scene.len());

        let mut selection = vec![];
        let everything = ScreenFrustum::new(view.map(), min, max);
        picker.for_each_mesh_in(&everything, &query, |instance, to_view, mesh| {
            let map = view.map().in_local_space(&to_view);
            let projected = ProjectedMesh { mesh: mesh.tri_mesh(), bvh: mesh.bvh(), map };
            let elements = vec![Element::Object];
            selection.push(InstanceElements { instance, to_view, projected, elements });
        });
        let filter = VisibleFilter::new(&picker, &region, ElementKind::Object, &query, selection);
        assert_eq!(filter.is_mostly_disjoint(&filter.hidden_rectangles()), is_apart, "{n} boards");
    }
}

#[test]
fn a_selection_reports_its_progress_and_stops_when_told() {
    let mesh = Arc::new(Mesh::new(generate::sphere(1.0, 3000).unwrap(), &BuildOptions::default()));
    let mut scene = Scene::new();
    for x in [-1.5, 0.0, 1.5] {
        let place = DAffine3::from_translation([x, 0.0, 0.0].into());
        scene.insert(Instance::new(mesh.clone(), place)).unwrap();
    }
    let view =
        Camera::look_at([0.0, 0.0, 9.0], [0.0; 3]).view(Viewport::from_size(300.0, 200.0)).unwrap();
    let picker = Picker::new(&scene, &view);
    let region = ScreenRegion::rectangle([0.0, 0.0], [300.0, 200.0]).unwrap();
    let kinds = [ElementKind::Object, ElementKind::Face, ElementKind::Edge, ElementKind::Vertex];
    for (kind, visible_only) in kinds.into_iter().flat_map(|kind| [(kind, true), (kind, false)]) {
        let options = SelectOptions { kind, visible_only, ..SelectOptions::default() };
        let reports = Mutex::new(vec![]);
        let note = |share| {
            reports.lock().unwrap().push(share);
            ControlFlow::Continue(())
        };
        let selected = picker.select_with_progress(&region, &options, &note);
        assert_eq!(selected.as_ref().ok(), Some(&picker.select(&region, &options)), "{kind:?}");
        let reports = reports.into_inner().unwrap();
        assert!(reports.is_sorted() && reports.len() >= 3, "{kind:?} {reports:?}");
        assert!(reports.iter().all(|share| (0.0..=1.0).contains(share)), "{kind:?} {reports:?}");
        for stop in 0..reports.len() {
            let n_calls = AtomicUsize::new(0);
            let stop_late = |_| match n_calls.fetch_add(1, Ordering::Relaxed) >= stop {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            };
            let stopped = picker.select_with_progress(&region, &options, &stop_late);
            assert!(stopped.is_err(), "{kind:?} {stop}");
            assert_eq!(n_calls.into_inner(), stop + 1, "{kind:?}: a call after the stop");
        }
    }
}
