//! Selections of visible elements against a picture that the oracle draws, at four times the resolution.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hitscan::BuildOptions;
use hitscan::picking::{
    Camera, Element, ElementKind, Picker, Projection, RegionMode, ScreenRegion, SelectOptions,
    Selected, Viewport,
};
use hitscan::primitives::generate;
use hitscan::primitives::glam::{DAffine3, DMat3, DVec2, DVec3};
use hitscan::scene::{Instance, InstanceId, Mesh, QueryOptions, Scene};
use hitscan_testkit::Rng;

use crate::asking::{effort, is_whole_effort};

use super::making::{Eye, STYLES, ids, part, scene};
use super::regions::{Outline, expected, lasso, marquee};
use super::twin::{elements, in_camera, is_hidden};

/// The instance and triangle that each sample of the picture shows.
struct IdBuffer {
    /// Samples along each side of a pixel; with 1 they are the centres.
    fine: usize,
    size: [usize; 2],
    ids: Vec<Option<(InstanceId, u32)>>,
}

/// Draws a scene: polygons cut at the planes, a depth for each sample.
fn draw(scene: &Scene, eye: &Eye, fine: usize) -> IdBuffer {
    let size = [eye.viewport.size.x as usize * fine, eye.viewport.size.y as usize * fine];
    let mut depths = vec![f64::INFINITY; size[0] * size[1]];
    let mut ids = vec![None; size[0] * size[1]];
    for (id, _) in scene.iter() {
        let positions = in_camera(scene, id, eye);
        for (triangle, corners) in (0u32..).zip(part(scene, id).0.triangles()) {
            let seen = eye.between_planes(&corners.map(|i| positions[i as usize]));
            for i in 2..seen.len() {
                let fan = [seen[0], seen[i - 1], seen[i]];
                fill(eye, fan, fine, size, |sample, depth| {
                    if depth < depths[sample] {
                        depths[sample] = depth;
                        ids[sample] = Some((id, triangle));
                    }
                });
            }
        }
    }
    IdBuffer { fine, size, ids }
}

/// Calls `found` with the samples in a triangle and their depths.
fn fill(
    eye: &Eye,
    triangle: [DVec3; 3],
    fine: usize,
    size: [usize; 2],
    mut found: impl FnMut(usize, f64),
) {
    let at = triangle.map(|p| (eye.pixel(p) - eye.viewport.min) * fine as f64);
    let area = (at[1] - at[0]).perp_dot(at[2] - at[0]);
    let low = at[0].min(at[1]).min(at[2]).max(DVec2::ZERO);
    let high = at[0].max(at[1]).max(at[2]).min(DVec2::new(size[0] as f64, size[1] as f64));
    for y in low.y as usize..high.y.ceil() as usize {
        for x in low.x as usize..high.x.ceil() as usize {
            let p = DVec2::new(x as f64 + 0.5, y as f64 + 0.5);
            let weight = |i: usize| {
                let (a, b) = (at[(i + 1) % 3], at[(i + 2) % 3]);
                (b - a).perp_dot(p - a) / area
            };
            let weights = [weight(0), weight(1), weight(2)];
            if weights.iter().all(|&w| w >= 0.0) {
                // Without perspective the depth is linear on the screen; with perspective its inverse
                // is.
                let sum = |f: &dyn Fn(f64) -> f64| {
                    (0..3).map(|i| weights[i] * f(triangle[i].z)).sum::<f64>()
                };
                let depth =
                    if eye.style.is_parallel() { sum(&|z| z) } else { 1.0 / sum(&|z| 1.0 / z) };
                found(y * size[0] + x, depth);
            }
        }
    }
}

impl IdBuffer {
    /// The elements that the region shows: in any sample, and in all samples of a whole pixel.
    fn elements(
        &self,
        scene: &Scene,
        eye: &Eye,
        outline: &Outline,
        kind: ElementKind,
    ) -> (BTreeSet<Selected>, BTreeSet<Selected>) {
        let element = |(instance, triangle): (InstanceId, u32)| {
            let records = part(scene, instance).0.records();
            let element = match kind {
                ElementKind::Face => {
                    Element::Face(records.map_or(triangle, |records| records.polygon(triangle)))
                }
                _ => Element::Object,
            };
            Selected { instance, element }
        };
        let mut any = BTreeSet::new();
        let mut in_pixel: BTreeMap<(usize, usize, Selected), usize> = BTreeMap::new();
        for y in 0..self.size[1] {
            for x in 0..self.size[0] {
                let Some(id) = self.ids[y * self.size[0] + x] else { continue };
                let sample = DVec2::new(x as f64 + 0.5, y as f64 + 0.5) / self.fine as f64;
                if outline.region.contains(eye.viewport.min + sample) {
                    any.insert(element(id));
                    *in_pixel.entry((x / self.fine, y / self.fine, element(id))).or_default() += 1;
                }
            }
        }
        let whole = in_pixel.into_iter().filter(|&(_, n)| n == self.fine * self.fine);
        let whole = whole.map(|((_, _, selected), _)| selected).collect();
        (any, whole)
    }
}

/// Whether the region shows some point of an element, as far as random points of it can tell.
fn is_seen_somewhere(scene: &Scene, eye: &Eye, outline: &Outline, selected: &Selected) -> bool {
    let mut rng = Rng::new(1);
    let positions = in_camera(scene, selected.instance, eye);
    let (mesh, _) = part(scene, selected.instance);
    let polygon = |t: u32| mesh.records().map_or(t, |records| records.polygon(t));
    // The parts of the element that lie in the region, as triangles.
    let mut pieces = vec![];
    for (t, corners) in (0u32..).zip(mesh.triangles()) {
        if matches!(selected.element, Element::Face(face) if face != polygon(t)) {
            continue;
        }
        for &wedge in &outline.wedges {
            let piece = eye.in_wedge(&corners.map(|i| positions[i as usize]), wedge);
            pieces.extend((2..piece.len()).map(|i| (t, [piece[0], piece[i - 1], piece[i]])));
        }
    }
    (0..50_000).any(|_| {
        let (triangle, [a, b, c]) = rng.pick(&pieces);
        let (u, v) = (f64::from(rng.unit()), f64::from(rng.unit()));
        let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
        let point = a + u * (b - a) + v * (c - a);
        let own = |id, t| id == selected.instance && t == triangle;
        is_hidden(scene, eye, point, own) != Some(true)
    })
}

#[test]
fn visible_objects_and_faces_are_those_of_an_id_buffer() {
    let (mut n_seen, mut n_hidden, mut n_small) = (0, 0, 0);
    for seed in 0..effort(30) {
        let mut rng = Rng::new(seed);
        let origin = if rng.one_in(2) { DVec3::ZERO } else { DVec3::new(1e7, -1e7, 1e7) };
        let scene = scene(&mut rng, origin);
        let style = rng.pick(&STYLES);
        let eye = Eye::random(&mut rng, style, origin, 120.0);
        let view = eye.view(false);
        let outline = if rng.one_in(2) { marquee } else { lasso }(&mut rng, &eye);
        let (buffer, centers) = (draw(&scene, &eye, 4), draw(&scene, &eye, 1));
        for kind in [ElementKind::Object, ElementKind::Face] {
            let options = SelectOptions { kind, visible_only: true, ..SelectOptions::default() };
            let selected = Picker::new(&scene, &view).select(&outline.region, &options);
            let selected: BTreeSet<Selected> = selected.into_iter().collect();
            let (any, whole) = buffer.elements(&scene, &eye, &outline, kind);
            let told = format!("seed {seed}, {kind:?}, {eye:?}");
            let missed: Vec<_> = whole.difference(&selected).collect();
            assert!(missed.is_empty(), "{told}: not selected {missed:?}");
            // An element in no sample is smaller than a pixel, and yet visible.
            let (at_centers, _) = centers.elements(&scene, &eye, &outline, kind);
            for small in selected.difference(&any) {
                n_small += 1;
                assert!(
                    at_centers.contains(small) || is_seen_somewhere(&scene, &eye, &outline, small),
                    "{told}: {small:?} is not seen"
                );
            }
            n_seen += any.len();
            let through = SelectOptions { visible_only: false, ..options };
            let through = Picker::new(&scene, &view).select(&outline.region, &through);
            n_hidden += through.len() - selected.len();
            // An enclosed visible element passes both tests.
            let enclose = SelectOptions { mode: RegionMode::Enclose, ..options };
            let enclosed = Picker::new(&scene, &view).select(&outline.region, &enclose);
            let (certain, unsure) = expected(&scene, &eye, &outline, kind, RegionMode::Enclose);
            for both in &enclosed {
                assert!(certain.contains(both) || unsure.contains(both), "{told}: {both:?}");
                assert!(selected.contains(both), "{told}: {both:?} is not seen");
            }
            for both in certain.intersection(&whole) {
                assert!(enclosed.contains(both), "{told}: {both:?}");
            }
        }
    }
    assert!(
        !is_whole_effort() || (n_seen > 200 && n_hidden > 200 && n_small > 0),
        "{n_seen}, {n_hidden}, {n_small}"
    );
}

/// A vertex is visible if nothing is before it; an edge if that holds for one of its points.
// Longer than 60 lines: vertices and edges share the scene, the view and the rule of what is seen.
#[test]
fn visible_edges_and_vertices_are_those_with_a_free_line_of_sight() {
    let (mut n_seen, mut n_hidden) = (0, 0);
    for seed in 0..effort(15) {
        let mut rng = Rng::new(seed);
        let origin = if rng.one_in(2) { DVec3::ZERO } else { DVec3::new(1e7, -1e7, 1e7) };
        let scene = scene(&mut rng, origin);
        let style = rng.pick(&STYLES);
        let eye = Eye::random(&mut rng, style, origin, 120.0);
        let view = eye.view(false);
        let outline = marquee(&mut rng, &eye);
        let select = |kind| {
            let options = SelectOptions { kind, visible_only: true, ..SelectOptions::default() };
            Picker::new(&scene, &view).select(&outline.region, &options)
        };
        let vertices: BTreeSet<Selected> = select(ElementKind::Vertex).into_iter().collect();
        let edges: BTreeSet<Selected> = select(ElementKind::Edge).into_iter().collect();
        for instance in ids(&scene) {
            let positions = in_camera(&scene, instance, &eye);
            let (mesh, _) = part(&scene, instance);
            let holds = |triangle: u32, vertices: &[u32]| {
                let corners = mesh.corners(triangle);
                vertices.iter().all(|&v| corners.contains(&mesh.positions()[v as usize]))
            };
            // Whether the region shows a point of an element; `None` if rounding decides.
            let seen = |point: DVec3, vertices: &[u32]| {
                let is_in =
                    eye.is_between_planes(point) && outline.region.contains(eye.pixel(point));
                if !is_in {
                    return Some(false);
                }
                let own = |id, t| id == instance && holds(t, vertices);
                is_hidden(&scene, &eye, point, own).map(|hidden| !hidden)
            };
            for (name, _) in elements(mesh, ElementKind::Vertex) {
                let element = Element::Vertex(name[0]);
                let is_selected = vertices.contains(&Selected { instance, element });
                let Some(expected) = seen(positions[name[0] as usize], &name) else { continue };
                assert_eq!(is_selected, expected, "seed {seed}, {eye:?}, {instance} {element:?}");
                (n_seen, n_hidden) =
                    (n_seen + usize::from(expected), n_hidden + usize::from(!expected));
            }
            // There are too many edges to test all: some of them, each at many points.
            let all = elements(mesh, ElementKind::Edge);
            for _ in 0..10 {
                let name = &all[rng.below(all.len())].0;
                let [a, b] = [positions[name[0] as usize], positions[name[1] as usize]];
                let element = Element::Edge([name[0], name[1]]);
                let is_selected = edges.contains(&Selected { instance, element });
                let answers: Vec<Option<bool>> =
                    (1..40).map(|i| seen(a.lerp(b, f64::from(i) / 40.0), name)).collect();
                if answers.iter().all(|&answer| answer == Some(false)) {
                    // It may be seen between these points, but only for less than a step.
                    let step = eye.pixel(a).distance(eye.pixel(b)) / 40.0;
                    let planes = eye.is_between_planes(a) && eye.is_between_planes(b);
                    let told = format!("seed {seed}, {eye:?}, {instance} {element:?}");
                    assert!(
                        !is_selected || !planes || step > 0.5 || at_its_end(&eye, &outline, a, b),
                        "{told}"
                    );
                } else if longest_run(&answers) as f64 * eye.pixel(a).distance(eye.pixel(b)) / 40.0
                    > 2.0
                {
                    assert!(is_selected, "seed {seed}, {eye:?}, {instance} {element:?}");
                }
            }
        }
    }
    assert!(
        !is_whole_effort() || (n_seen > 100 && n_hidden > 100),
        "{n_seen} seen, {n_hidden} not"
    );
}

/// Whether one end of an edge is in the region, which may show only this end.
fn at_its_end(eye: &Eye, outline: &Outline, a: DVec3, b: DVec3) -> bool {
    [a, b].into_iter().any(|end| outline.region.contains(eye.pixel(end)))
}

/// The maximum number of neighbours in a list that are certainly visible.
fn longest_run(answers: &[Option<bool>]) -> usize {
    answers.split(|&answer| answer != Some(true)).map(<[_]>::len).max().unwrap_or(0)
}

/// An element that covers no pixel centre is visible if nothing is before it.
#[test]
fn an_element_smaller_than_a_pixel_is_visible_unless_hidden() {
    let mesh = |mesh| Arc::new(Mesh::new(mesh, &BuildOptions::default()));
    let speck = mesh(generate::sphere(0.002, 200).expect("an ordinary size"));
    let wall = mesh(generate::cuboid(1.0, 1.0, 0.1, 0).expect("an ordinary size"));
    // A unit is a hundred pixels; the specks are at the corners of pixels.
    let mut camera = Camera::look_at([0.0, 0.0, 10.0], [0.0; 3]);
    (camera.projection, camera.far) = (Projection::Orthographic { height: 4.0 }, 20.0);
    let view = camera.view(Viewport::from_size(400.0, 400.0)).expect("it looks somewhere");
    let mut scene = Scene::new();
    let mut insert = |mesh: &Arc<Mesh>, at: [f64; 3]| {
        let place = DAffine3::from_translation(at.into());
        scene.insert(Instance::new(mesh.clone(), place)).expect("a translation")
    };
    let wall = insert(&wall, [0.0, 0.0, 1.0]);
    let behind = insert(&speck, [0.2, 0.3, 0.0]);
    let free = [insert(&speck, [0.8, 0.3, 0.0]), insert(&speck, [-1.3, 1.1, 0.0])];
    let region = ScreenRegion::rectangle([0.0, 0.0], [400.0, 400.0]).expect("it is finite");
    let select = |kind, visible_only| {
        let options = SelectOptions { kind, visible_only, ..SelectOptions::default() };
        Picker::new(&scene, &view).select(&region, &options)
    };
    let objects: Vec<InstanceId> =
        select(ElementKind::Object, true).iter().map(|selected| selected.instance).collect();
    assert_eq!(objects, [wall, free[0], free[1]]);
    let faces = select(ElementKind::Face, true);
    let n_of = |id| faces.iter().filter(|selected| selected.instance == id).count();
    assert_eq!(n_of(behind), 0);
    // The front half of a sphere of 200, without the triangles that are visible only from the side.
    assert!((80..=120).contains(&n_of(free[0])), "{}", n_of(free[0]));
    assert!(select(ElementKind::Face, false).len() > 600);
}

/// Vertices of a plane seen at a slope of one to ten thousand. Nothing hides them, and rounding must not
/// either: a surface at the place of a point does not hide it.
#[test]
fn a_grazing_view_hides_no_vertex_of_a_plane() {
    let mut rng = Rng::new(1);
    for _ in 0..effort(20) {
        let axis = rng.direction().as_dvec3();
        let turn = DMat3::from_axis_angle(axis, 3.0 * f64::from(rng.unit()));
        let grid = generate::grid(10.0, 10.0, 200).expect("an ordinary size");
        // Rotated in the mesh itself, so that no coordinate is a round number.
        let turned = grid.positions().iter().map(|p| (turn * p.as_dvec3()).as_vec3().to_array());
        let grid = grid.with_positions(turned).expect("the same number of positions");
        let n_vertices = grid.positions().len();
        let positions = grid.positions().to_vec();
        let mut scene = Scene::new();
        let mesh = Arc::new(Mesh::new(grid, &BuildOptions::default()));
        scene.insert(Instance::new(mesh, DAffine3::IDENTITY)).expect("it is at the origin");
        let eye = turn * DVec3::new(0.3, 0.0015, 15.0);
        let mut camera = Camera::look_at(eye, turn * DVec3::new(0.1, 0.0, 0.0));
        camera.up = turn * DVec3::Y;
        let view = camera.view(Viewport::from_size(1600.0, 900.0)).expect("it looks somewhere");
        let picker = Picker::new(&scene, &view);
        let region = ScreenRegion::rectangle([0.0, 0.0], [1600.0, 900.0]).expect("it is finite");
        let kind = ElementKind::Vertex;
        let options = SelectOptions { kind, visible_only: true, ..SelectOptions::default() };
        assert_eq!(picker.select(&region, &options).len(), n_vertices);
        // From above, every vertex is a visible point of the surface.
        let above = Camera::look_at(turn * DVec3::new(0.2, 30.0, 0.1), turn * DVec3::ZERO);
        let above = Camera { up: turn * DVec3::X, ..above }.view(view.viewport());
        let above = above.expect("it looks somewhere");
        let picker = Picker::new(&scene, &above);
        for position in positions {
            assert!(picker.is_visible(position.as_dvec3(), &QueryOptions::default()));
        }
    }
}

/// Close to a surface of a large mesh, f32 rounds by more than a millionth of the distance.
#[test]
fn a_point_of_a_large_mesh_is_seen_from_close_by() {
    let mut rng = Rng::new(2);
    let mesh = generate::sphere(700.0, 2000).expect("an ordinary size");
    let mut scene = Scene::new();
    let mesh = Arc::new(Mesh::new(mesh, &BuildOptions::default()));
    let instance = Instance::new(mesh.clone(), DAffine3::IDENTITY);
    let id = scene.insert(instance).expect("it is at the origin");
    for _ in 0..effort(200) {
        let triangle = rng.below(mesh.tri_mesh().triangles().len()) as u32;
        let [a, b, c] = mesh.tri_mesh().corners(triangle).map(|corner| corner.as_dvec3());
        let normal = mesh.tri_mesh().unit_normal(triangle).expect("it has an area");
        let target = (a + b + c) / 3.0;
        let eye = target + 0.3 * (normal + 0.5 * rng.in_cube().as_dvec3());
        let camera = Camera { up: b - a, near: 0.01, ..Camera::look_at(eye, target) };
        let view = camera.view(Viewport::from_size(800.0, 600.0)).expect("it looks somewhere");
        let picker = Picker::new(&scene, &view);
        assert!(picker.is_visible(target, &QueryOptions::default()), "{id} {triangle} from {eye}");
        // The other side of the sphere is invisible through the ground.
        assert!(!picker.is_visible(-target, &QueryOptions::default()));
    }
}
