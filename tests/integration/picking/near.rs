//! Picking and snapping within a radius against a search over everything on the screen.

use hitscan::picking::{
    ClickCycle, Element, ElementKind, Pick, PickOptions, Picker, Polylines, SnapOptions, SnapTarget,
};
use hitscan::primitives::glam::{DAffine3, DVec2, DVec3};
use hitscan::scene::{InstanceId, Scene};
use hitscan_testkit::Rng;

use crate::asking::{effort, is_whole_effort};

use super::making::{Eye, STYLES, ids, part, scene};
use super::twin::{elements, in_camera, is_hidden};

/// An element near the cursor, as the oracle finds it.
#[derive(Clone, Debug)]
struct Candidate {
    instance: InstanceId,
    element: Element,
    distance: f64,
    /// In camera space.
    point: DVec3,
    vertices: Vec<u32>,
}

/// The point of a segment in camera space whose pixel is nearest to a given one.
fn nearest(eye: &Eye, shape: &[DVec3], cursor: DVec2) -> Option<DVec3> {
    let seen = eye.between_planes(shape);
    let (&a, rest) = seen.split_first()?;
    // A plane that cuts the segment does so both ways, so two of the points are equal.
    let distance = |b: &&DVec3| b.distance(a);
    let b = rest.iter().max_by(|b, c| distance(b).total_cmp(&distance(c)));
    Some(nearest_of_seen(eye, a, b.copied().unwrap_or(a), cursor))
}

/// The same for a segment between the planes.
fn nearest_of_seen(eye: &Eye, a: DVec3, b: DVec3, cursor: DVec2) -> DVec3 {
    let (from, to) = (eye.pixel(a), eye.pixel(b));
    let share = (cursor - from).dot(to - from) / (to - from).length_squared();
    let s = if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) };
    // The point of the segment that this pixel shows.
    let u = if eye.style.is_parallel() { s } else { s * a.z / (b.z + s * (a.z - b.z)) };
    a + u * (b - a)
}

/// All elements within the radius, nearest first.
fn candidates(
    scene: &Scene,
    eye: &Eye,
    target: SnapTarget,
    cursor: DVec2,
    radius: f64,
) -> Vec<Candidate> {
    let kind = if target == SnapTarget::Vertex { ElementKind::Vertex } else { ElementKind::Edge };
    let mut found = vec![];
    for instance in ids(scene) {
        let positions = in_camera(scene, instance, eye);
        for (vertices, _) in elements(part(scene, instance).0, kind) {
            let shape: Vec<DVec3> = vertices.iter().map(|&i| positions[i as usize]).collect();
            let point = match target {
                SnapTarget::EdgeMidpoint => {
                    let middle = shape[0].midpoint(shape[1]);
                    eye.is_between_planes(middle).then_some(middle)
                }
                _ => nearest(eye, &shape, cursor),
            };
            let Some(point) = point else { continue };
            let distance = eye.pixel(point).distance(cursor);
            let element = match vertices.as_slice() {
                [vertex] => Element::Vertex(*vertex),
                [a, b] => Element::Edge([*a, *b]),
                _ => unreachable!("vertices and edges alone"),
            };
            if distance <= radius {
                found.push(Candidate { instance, element, distance, point, vertices });
            }
        }
    }
    found.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.point.z.total_cmp(&b.point.z)));
    found
}

/// Whether a candidate is visible; `None` if rounding decides.
fn is_seen(scene: &Scene, eye: &Eye, candidate: &Candidate) -> Option<bool> {
    let pixel = eye.pixel(candidate.point);
    let viewport = eye.viewport;
    if pixel.cmplt(viewport.min).any() || pixel.cmpgt(viewport.max()).any() {
        return Some(false);
    }
    let (mesh, _) = part(scene, candidate.instance);
    let own = |vertex: &u32| mesh.positions()[*vertex as usize];
    let at_corner = candidate.vertices.iter().map(own).find(|&corner| {
        let world = part(scene, candidate.instance).1;
        let at = eye.in_camera_space(world.transform_point3(corner.as_dvec3()));
        at.distance(candidate.point) < 1e-9
    });
    let hidden = is_hidden(scene, eye, candidate.point, |id, triangle| {
        let corners = mesh_corners(scene, id, triangle);
        id == candidate.instance
            && match at_corner {
                Some(corner) => corners.contains(&corner),
                None => candidate.vertices.iter().map(own).all(|own| corners.contains(&own)),
            }
    });
    hidden.map(|hidden| !hidden)
}

fn mesh_corners(
    scene: &Scene,
    id: InstanceId,
    triangle: u32,
) -> [hitscan::primitives::glam::Vec3; 3] {
    part(scene, id).0.corners(triangle)
}

/// Asserts that the pick is the first of the oracle's list, or as near as the first.
fn agrees(pick: Option<Pick>, list: &[Candidate], eye: &Eye) -> bool {
    match (pick, list.first()) {
        (None, None) => true,
        (Some(pick), Some(first)) => {
            let same = list
                .iter()
                .take_while(|other| other.distance <= first.distance + 1e-5)
                .find(|other| (other.instance, other.element) == (pick.instance, pick.element));
            same.is_some_and(|same| {
                // The oracle rounds as well, at 10^7 and seen from near.
                (pick.pixel_distance - same.distance).abs() < 1e-5
                    && eye.in_camera_space(pick.point).distance(same.point) < 1e-5
            })
        }
        _ => false,
    }
}

#[test]
fn picks_and_snaps_are_those_nearest_on_the_screen() {
    let (mut n_picked, mut n_hidden, mut n_unsure) = (0, 0, 0);
    for seed in 0..effort(60) {
        let mut rng = Rng::new(seed);
        let origin = if rng.one_in(2) { DVec3::ZERO } else { DVec3::new(1e7, 1e7, -1e7) };
        let scene = scene(&mut rng, origin);
        let style = rng.pick(&STYLES);
        let eye = Eye::random(&mut rng, style, origin, 400.0);
        let view = eye.view(false);
        let picker = Picker::new(&scene, &view);
        for _ in 0..4 {
            let (cursor, radius) = (eye.random_pixel(&mut rng), f64::from(rng.between(5.0, 40.0)));
            for target in [SnapTarget::Vertex, SnapTarget::EdgeMidpoint, SnapTarget::Edge] {
                let told = format!("seed {seed}, {target:?} at {cursor} within {radius}, {eye:?}");
                let all = candidates(&scene, &eye, target, cursor, radius);
                let snap = |x_ray| {
                    let targets = &[target];
                    let options = SnapOptions { targets, radius, x_ray, ..SnapOptions::default() };
                    picker.snap(cursor, &options).map(|snap| snap.pick)
                };
                let through = snap(true);
                assert!(agrees(through, &all, &eye), "{told}: {through:?} of {all:?}");
                let answers: Vec<Option<bool>> =
                    all.iter().map(|candidate| is_seen(&scene, &eye, candidate)).collect();
                let first = answers.iter().position(|answer| *answer != Some(false));
                let seen = snap(false);
                match first {
                    Some(first) if answers[first].is_none() => n_unsure += 1,
                    Some(first) => {
                        n_picked += 1;
                        n_hidden += usize::from(first > 0);
                        assert!(agrees(seen, &all[first..], &eye), "{told}: {seen:?} of {all:?}");
                    }
                    None => assert_eq!(seen, None, "{told}"),
                }
            }
        }
    }
    assert!(
        !is_whole_effort() || (n_picked > 50 && n_hidden > 10),
        "{n_picked} picked, {n_hidden} behind others"
    );
    assert!(
        !is_whole_effort() || n_unsure * 3 < n_picked,
        "{n_unsure} of {n_picked} are a matter of rounding"
    );
}

/// An element under the cursor comes first, and a vertex before an edge before a face.
#[test]
fn snaps_keep_their_priorities() {
    let mut n_snaps = [0; 4];
    for seed in 0..effort(100) {
        let mut rng = Rng::new(seed);
        let scene = scene(&mut rng, DVec3::ZERO);
        let eye = Eye::random(&mut rng, STYLES[1], DVec3::ZERO, 400.0);
        let view = eye.view(false);
        let picker = Picker::new(&scene, &view);
        let cursor = eye.random_pixel(&mut rng);
        let options = SnapOptions { x_ray: true, radius: 6.0, ..SnapOptions::default() };
        let alone = |&target: &SnapTarget| {
            let targets = &[target];
            picker.snap(cursor, &SnapOptions { targets, ..options })
        };
        let expected = options.targets.iter().find_map(alone);
        let snap = picker.snap(cursor, &options);
        assert_eq!(snap, expected, "seed {seed}");
        if let Some(snap) = snap {
            let place = options.targets.iter().position(|&target| target == snap.target);
            n_snaps[place.expect("it is one of them")] += 1;
        }
    }
    assert!(
        !is_whole_effort() || (n_snaps[0] > 0 && n_snaps[2] > 0 && n_snaps[3] > 0),
        "{n_snaps:?}"
    );
}

/// Repeated clicks cycle through the elements under the cursor, in the order of the ray.
#[test]
fn clicks_cycle_through_the_elements_under_the_cursor() {
    let mut longest = 0;
    for seed in 0..effort(60) {
        let mut rng = Rng::new(seed);
        let scene = scene(&mut rng, DVec3::ZERO);
        let eye = Eye::random(&mut rng, STYLES[3], DVec3::ZERO, 400.0);
        let view = eye.view(false);
        let picker = Picker::new(&scene, &view);
        let cursor = eye.viewport.center();
        for kind in [ElementKind::Object, ElementKind::Face] {
            let options = PickOptions::for_kind(kind);
            let all = picker.pick_all(cursor, &options);
            assert!(all.is_sorted_by(|a, b| a.distance <= b.distance), "seed {seed}");
            let mut clicks = ClickCycle::default();
            let mut click = || clicks.click(&picker, cursor, &options);
            let picked: Vec<Element> =
                (0..2 * all.len()).filter_map(|_| click()).map(|pick| pick.element).collect();
            let expected: Vec<Element> =
                all.iter().cycle().take(2 * all.len()).map(|pick| pick.element).collect();
            assert_eq!(picked, expected, "seed {seed}");
            // A click a few pixels away continues; one far away starts again.
            let mut clicks = ClickCycle::default();
            clicks.click(&picker, cursor, &options);
            let again = clicks.clone().click(&picker, cursor + 0.01, &options);
            let there = clicks.click(&picker, cursor + 20.0, &options);
            assert_eq!(there, picker.pick(cursor + 20.0, &options), "seed {seed}");
            if all.len() > 1 {
                assert_eq!(again.map(|pick| pick.element), Some(all[1].element), "seed {seed}");
            }
            longest = longest.max(all.len());
        }
    }
    assert!(!is_whole_effort() || longest >= 4);
}

/// A face or object near the cursor is picked at its nearest visible point.
#[test]
fn a_face_beside_the_cursor_is_picked_by_its_outline() {
    let mut n_beside = 0;
    for seed in 0..effort(100) {
        let mut rng = Rng::new(seed);
        let scene = scene(&mut rng, DVec3::ZERO);
        let style = rng.pick(&STYLES);
        let eye = Eye::random(&mut rng, style, DVec3::ZERO, 400.0);
        let view = eye.view(false);
        let picker = Picker::new(&scene, &view);
        let cursor = eye.random_pixel(&mut rng);
        let options =
            PickOptions { radius: 30.0, x_ray: true, ..PickOptions::for_kind(ElementKind::Object) };
        let pick = picker.pick(cursor, &options);
        let under = picker.pick(cursor, &PickOptions::default());
        if under.is_some() {
            assert_eq!(pick, under, "seed {seed}");
            continue;
        }
        // Nothing is under the cursor, so the nearest point of each triangle is on one of its sides.
        let mut least = f64::INFINITY;
        for id in ids(&scene) {
            let positions = in_camera(&scene, id, &eye);
            for corners in part(&scene, id).0.triangles() {
                let shape = corners.map(|i| positions[i as usize]);
                let seen = eye.between_planes(&shape);
                for i in 0..seen.len() {
                    let (a, b) = (seen[i], seen[(i + 1) % seen.len()]);
                    let point = nearest_of_seen(&eye, a, b, cursor);
                    least = least.min(eye.pixel(point).distance(cursor));
                }
            }
        }
        match pick {
            Some(pick) => {
                n_beside += 1;
                assert!(
                    (pick.pixel_distance - least).abs() < 1e-6,
                    "seed {seed}: {pick:?} {least}"
                );
            }
            None => assert!(least > 30.0 - 1e-6, "seed {seed}: {least}"),
        }
    }
    assert!(!is_whole_effort() || n_beside > 5);
}

/// Points and polylines, picked by their nearest point on the screen; also hidden ones if the caller
/// asks.
#[test]
fn polylines_are_picked_by_their_distance_on_the_screen() {
    let mut n_picked = 0;
    for seed in 0..effort(100) {
        let mut rng = Rng::new(seed);
        let style = rng.pick(&STYLES);
        let eye = Eye::random(&mut rng, style, DVec3::ZERO, 400.0);
        let view = eye.view(false);
        let points: Vec<[f32; 3]> = (0..300).map(|_| (4.0 * rng.in_cube()).to_array()).collect();
        let cloud = Polylines::from_points(points.clone()).expect("all is finite");
        let cursor = eye.random_pixel(&mut rng);
        let place = DAffine3::IDENTITY;
        let mut near: Vec<(f64, u32)> = vec![];
        for (i, point) in (0u32..).zip(&points) {
            let at = eye.in_camera_space(DVec3::from(point.map(f64::from)));
            let distance = eye.pixel(at).distance(cursor);
            if eye.is_between_planes(at) && distance <= 25.0 {
                near.push((distance, i));
            }
        }
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        let pick = cloud.pick(&view, &place, cursor, 25.0);
        assert_eq!(pick.map(|pick| pick.item), near.first().map(|near| near.1), "seed {seed}");
        n_picked += usize::from(pick.is_some());
        let first = near.first().map(|near| near.1);
        let next = cloud.pick_where(&view, &place, cursor, 25.0, |pick| Some(pick.item) != first);
        assert_eq!(next.map(|pick| pick.item), near.get(1).map(|near| near.1), "seed {seed}");
    }
    assert!(!is_whole_effort() || n_picked > 20);
    let error = Polylines::from_points([[0.0, f32::NAN, 0.0]]).unwrap_err().to_string();
    assert!(error.starts_with("point 0: position [0.0, NaN, 0.0]"), "{error}");
}
