//! Triangles of zero area in a scene: queries describe, find, pick and select them.

use std::sync::Arc;

use hitscan::glam::{DAffine3, DQuat, DVec2, DVec3};
use hitscan::picking::{
    Camera, Element, ElementKind, PickOptions, Picker, RegionMode, SelectOptions, SnapOptions,
    SnapTarget, View, Viewport,
};
use hitscan::primitives::generate;
use hitscan::scene::{
    Instance, InstanceId, Mesh, QueryOptions, Scene, SceneTriangle, WorldBox, WorldRay, WorldRegion,
};
use hitscan::{BuildOptions, Faces, TriMesh};
use hitscan_testkit::Rng;

/// A tetrahedron with a vertex in the exact middle of an edge on one side: triangle 5, a segment,
/// closes it.
fn stitched_tetrahedron() -> TriMesh {
    // Coordinates with few digits, so that the midpoint is exact.
    let short = |x: f64| (x * 4194304.0).round() / 4194304.0;
    let [a, b] = [[0.1, 0.2, 0.3], [1.3, 0.7, 0.1]].map(|p| DVec3::from_array(p.map(short)));
    let corners = [a, b, DVec3::new(0.4, 1.1, 0.2), DVec3::new(0.6, 0.5, 1.2), 0.5 * (a + b)];
    let triangles = vec![[0, 2, 4], [4, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3], [0, 4, 1]];
    let mesh = TriMesh::new(corners.map(|p| p.as_vec3()), triangles).expect("a valid mesh");
    assert!(mesh.is_degenerate(5) && mesh.n_degenerate() == 1);
    mesh
}

/// The segment alone.
fn segment() -> TriMesh {
    let whole = stitched_tetrahedron();
    TriMesh::new(whole.positions().iter().copied(), vec![[0, 4, 1]]).expect("a valid mesh")
}

fn placed(mesh: TriMesh, transform: DAffine3) -> (Scene, InstanceId) {
    let mut scene = Scene::new();
    let mesh = Arc::new(Mesh::new(mesh, &BuildOptions::default()));
    let id = scene.insert(Instance::new(mesh, transform)).expect("it is invertible");
    (scene, id)
}

/// Rotated, stretched, mirrored and far away: in the world the corners lie on a line up to rounding.
fn somewhere() -> DAffine3 {
    DAffine3::from_rotation_translation(
        DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 1.1),
        DVec3::new(1e5, -2e5, 3e5),
    ) * DAffine3::from_scale(DVec3::new(-2.0, 0.5, 3.0))
}

fn world(scene: &Scene, id: InstanceId, vertex: usize) -> DVec3 {
    let mesh = scene.get(id).and_then(|instance| instance.mesh.as_ref()).expect("it has a mesh");
    let position = mesh.tri_mesh().positions()[vertex].as_dvec3();
    scene.world_transform(id).expect("it is there").transform_point3(position)
}

#[test]
fn a_hit_has_no_normal_and_a_safe_origin() {
    let (scene, id) = placed(stitched_tetrahedron(), somewhere());
    let [a, b, c, d, _] = [0, 1, 2, 3, 4].map(|vertex| world(&scene, id, vertex));
    let mut rng = Rng::new(1);
    let options = QueryOptions::default();
    let (mut n_flat, mut n_again) = (0, 0);
    for _ in 0..20_000 {
        let mut unit = || f64::from(rng.unit());
        let origin = c.lerp(d, 0.2 + 0.6 * unit()).lerp(0.5 * (a + b), 0.2 + 0.3 * unit());
        let ray = WorldRay::new(origin, a.lerp(b, unit()) - origin);
        let hits = scene.all_hits(&ray, &options);
        assert!(!hits.is_empty(), "{ray:?} leaves the mesh");
        let Some(hit) = hits.iter().find(|hit| hit.triangle() == 5) else { continue };
        n_flat += 1;
        let details = scene.describe(hit).expect("it is there");
        assert_eq!((details.normal(), details.interpolated_normal()), (None, None));
        assert!(details.point().distance(ray.at(hit.t)) < 1e-4, "{ray:?}");
        // Also along the segment, where no offset leaves it.
        for direction in [rng.direction().as_dvec3(), b - a, a - b, -ray.direction] {
            let safe = details.safe_origin(direction);
            assert!(safe.offset > 0.0 && safe.offset < 1e-3, "{safe:?}");
            assert!((safe.point.distance(details.point()) - safe.offset).abs() < 1e-9, "{safe:?}");
            let again = |origin: DVec3| {
                let ray = WorldRay::new(origin, direction);
                scene.is_occluded_where(&ray, &options, |other| other.triangle() == 5)
            };
            n_again += usize::from(again(details.point()));
            assert!(!again(safe.point), "{direction} {safe:?}");
        }
        for direction in [DVec3::ZERO, DVec3::NAN, DVec3::INFINITY] {
            let safe = details.safe_origin(direction);
            assert_eq!((safe.point, safe.offset), (details.point(), 0.0));
        }
        // Of any length.
        let [long, short] = [1e300, 1e-300].map(|length| details.safe_origin(length * (b - c)));
        assert!(long.point.distance(short.point) < 1e-9 && long.offset > 0.0, "{long:?} {short:?}");
    }
    assert!(n_flat > 500 && n_again > 100, "{n_flat} hits, {n_again} met again");
}

#[test]
fn the_segment_is_near_and_touches_and_is_in_regions() {
    let (scene, id) = placed(segment(), somewhere());
    let options = QueryOptions::default();
    let (a, b) = (world(&scene, id, 0), world(&scene, id, 1));
    let across = (b - a).any_orthogonal_vector().normalize();
    let mut rng = Rng::new(2);
    for _ in 0..2000 {
        let on_it = a.lerp(b, f64::from(rng.unit()));
        let near = scene.closest_point(on_it + 0.25 * across, 1.0, &options).expect("it is near");
        assert!((near.distance - 0.25).abs() < 1e-9 && near.point.distance(on_it) < 1e-6);
        let all = [SceneTriangle { instance: id, triangle: 0 }];
        for (center, expected) in [(on_it, &all[..]), (on_it + 1e-6 * across, &[])] {
            let region = WorldRegion::Box(WorldBox::new(center - 1e-8, center + 1e-8));
            let mut found = vec![];
            scene.overlapping_into(&region, &options, &mut found);
            assert_eq!(found, expected, "{center}");
            let region = WorldRegion::Sphere { center, radius: 1e-8 };
            assert_eq!(scene.instances_overlapping(&region, &options).len(), expected.len());
        }
    }
    let around = WorldRegion::Sphere { center: 0.5 * (a + b), radius: 0.51 * a.distance(b) };
    assert_eq!(scene.instances_within(&around, &options), [id]);
    let half = WorldRegion::Sphere { center: a, radius: 0.51 * a.distance(b) };
    assert!(scene.instances_within(&half, &options).is_empty());
}

/// The segment before a camera, and a wall behind it or before it.
fn segment_and_wall(wall_z: f64) -> (Scene, InstanceId, InstanceId, View) {
    let (mut scene, id) = placed(segment(), DAffine3::IDENTITY);
    let wall = generate::cuboid(8.0, 8.0, 0.5, 0).expect("an ordinary size");
    let wall = Arc::new(Mesh::new(wall, &BuildOptions::default()));
    let place = DAffine3::from_translation(DVec3::new(0.0, 0.0, wall_z));
    let wall = scene.insert(Instance::new(wall, place)).expect("it is invertible");
    let camera = Camera::look_at([0.7, 0.4, 9.0], [0.7, 0.4, 0.0]);
    let view = camera.view(Viewport::from_size(800.0, 600.0)).expect("it looks somewhere");
    (scene, id, wall, view)
}

#[test]
fn the_segment_can_be_picked_and_snapped_to_from_both_sides() {
    let (scene, id, wall, view) = segment_and_wall(-3.0);
    let picker = Picker::new(&scene, &view);
    let middle = world(&scene, id, 4);
    let at = view.project(middle).expect("it is seen").pixel;
    for faces in [Faces::Both, Faces::Front, Faces::Back] {
        let query = QueryOptions { faces, ..QueryOptions::default() };
        let options = PickOptions {
            radius: 4.0,
            x_ray: true,
            query,
            ..PickOptions::for_kind(ElementKind::Face)
        };
        for offset in [DVec2::ZERO, DVec2::new(1.0, 2.0)] {
            let picks = picker.pick_all(at + offset, &options);
            let pick = picks.iter().find(|pick| pick.instance == id);
            let pick = pick.unwrap_or_else(|| panic!("{faces:?}, {offset}: {picks:?}"));
            assert_eq!(pick.element, Element::Face(0));
            assert!(pick.point.distance(middle) < 0.1, "{pick:?}");
        }
    }
    // The wall is under the cursor, so it ends a pick of faces; without the wall the pick finds the
    // segment.
    let alone = QueryOptions { ignore: &[wall], ..QueryOptions::default() };
    for kind in [ElementKind::Face, ElementKind::Object, ElementKind::Edge] {
        let options = PickOptions { radius: 4.0, query: alone, ..PickOptions::for_kind(kind) };
        let pick = picker.pick(at + DVec2::new(1.0, 2.0), &options);
        assert_eq!(pick.map(|pick| pick.instance), Some(id), "{kind:?}");
    }
    let snap = SnapOptions {
        radius: 4.0,
        targets: &[SnapTarget::Face],
        query: alone,
        ..SnapOptions::default()
    };
    let snap = picker.snap(at + DVec2::new(1.0, 2.0), &snap).expect("the segment is near");
    assert_eq!((snap.pick.instance, snap.pick.element), (id, Element::Face(0)));
}

#[test]
fn the_segment_is_selected_where_it_is_seen() {
    let (scene, id, _, view) = segment_and_wall(-3.0);
    let picker = Picker::new(&scene, &view);
    let [a, b, middle] =
        [0, 1, 4].map(|vertex| view.project(world(&scene, id, vertex)).expect("it is seen").pixel);
    let selects = |picker: &Picker<'_>, from: DVec2, to: DVec2, mode, visible_only, kind| {
        let options = SelectOptions { kind, mode, visible_only, ..SelectOptions::default() };
        let selected = picker.marquee(from, to, &options);
        selected.iter().any(|selected| selected.instance == id)
    };
    for kind in [ElementKind::Face, ElementKind::Object] {
        for visible_only in [false, true] {
            let selects = |from, to, mode| selects(&picker, from, to, mode, visible_only, kind);
            let around = DVec2::splat(3.0);
            assert!(selects(middle - around, middle + around, RegionMode::Touch), "{kind:?}");
            assert!(!selects(middle - around, middle + around, RegionMode::Enclose), "{kind:?}");
            let (min, max) = (a.min(b) - around, a.max(b) + around);
            assert!(selects(min, max, RegionMode::Enclose), "{kind:?}");
            let beside = middle + DVec2::new(20.0, 20.0) * (b - a).perp().signum();
            assert!(!selects(beside - around, beside + around, RegionMode::Touch), "{kind:?}");
        }
        // Behind the wall it exists, but is not visible.
        let (hidden, ..) = segment_and_wall(3.0);
        let picker = Picker::new(&hidden, &view);
        let (min, max) = (a.min(b) - 3.0, a.max(b) + 3.0);
        assert!(selects(&picker, min, max, RegionMode::Touch, false, kind));
        assert!(!selects(&picker, min, max, RegionMode::Touch, true, kind));
    }
}

#[test]
fn a_point_is_selected_where_it_is_seen() {
    let mesh = TriMesh::new([[0.7, 0.4, 0.1]; 3], vec![[0, 1, 2]]).expect("a valid mesh");
    let (scene, id) = placed(mesh, DAffine3::IDENTITY);
    let camera = Camera::look_at([0.0, 0.0, 9.0], [0.0, 0.0, 0.0]);
    let view = camera.view(Viewport::from_size(800.0, 600.0)).expect("it looks somewhere");
    let at = view.project(world(&scene, id, 0)).expect("it is seen").pixel;
    let picker = Picker::new(&scene, &view);
    for kind in [ElementKind::Face, ElementKind::Object] {
        for mode in [RegionMode::Touch, RegionMode::Enclose] {
            let options =
                SelectOptions { kind, mode, visible_only: true, ..SelectOptions::default() };
            assert_eq!(picker.marquee(at - 1.0, at + 1.0, &options).len(), 1, "{kind:?}, {mode:?}");
            assert!(picker.marquee(at + 1.0, at + 2.0, &options).is_empty(), "{kind:?}, {mode:?}");
        }
        let options = PickOptions { radius: 3.0, ..PickOptions::for_kind(kind) };
        let pick = picker.pick(at + 1.0, &options).expect("the point is near");
        assert_eq!(pick.instance, id);
    }
}
