use super::*;
use crate::closest_point::closest_point_on_triangle;
use crate::generate::SplitMix64;

fn vector(random: &mut SplitMix64) -> DVec3 {
    DVec3::from_array([0; 3].map(|_| random.range(-1.0, 1.0)))
}

fn cast(origin: [f64; 3], direction: [f64; 3], radius: f64) -> SphereCast {
    SphereCast::new(WorldRay::new(origin, direction), radius).expect("a valid ball")
}

const CORNERS: [DVec3; 3] = [DVec3::ZERO, DVec3::new(4.0, 0.0, 0.0), DVec3::new(0.0, 4.0, 0.0)];

#[test]
fn the_first_contact_is_on_the_face_an_edge_or_a_vertex() {
    let down = [0.0, 0.0, -2.0];
    let contact = |origin, radius| cast(origin, down, radius).intersect(CORNERS);
    let face = contact([1.0, 1.0, 9.0], 1.0).expect("above the face");
    assert_eq!((face.t, face.feature), (4.0, TriangleFeature::Face));
    assert_eq!((face.point, face.normal), (DVec3::new(1.0, 1.0, 0.0), DVec3::Z));
    // Beside an edge by 3 with a radius of 5: 4 above the plane.
    let edge = contact([2.0, -3.0, 9.0], 5.0).expect("above the edge");
    assert_eq!((edge.t, edge.feature), (2.5, TriangleFeature::Edge(0)));
    assert_eq!(
        (edge.point, edge.normal.distance(DVec3::new(0.0, -0.6, 0.8)) < 1e-15),
        (DVec3::new(2.0, 0.0, 0.0), true)
    );
    let vertex = contact([-3.0, 0.0, 9.0], 5.0).expect("above the vertex");
    assert_eq!((vertex.t, vertex.feature), (2.5, TriangleFeature::Vertex(0)));
    assert_eq!(contact([7.0, 0.0, 9.0], 5.0).map(|c| c.feature), Some(TriangleFeature::Vertex(1)));
    assert_eq!(contact([0.0, 7.0, 9.0], 5.0).map(|c| c.feature), Some(TriangleFeature::Vertex(2)));
    assert_eq!(contact([5.0, 5.0, 9.0], 4.5).map(|c| c.feature), Some(TriangleFeature::Edge(1)));
    assert_eq!(contact([-1.0, 2.0, 9.0], 2.0).map(|c| c.feature), Some(TriangleFeature::Edge(2)));
    assert_eq!(contact([-3.0, 0.0, 9.0], 2.9), None);
}

#[test]
fn a_ball_that_starts_on_or_in_the_surface_touches_at_t_min() {
    let start = |z: f64, direction: f64| {
        let ray = WorldRay::new([1.0, 1.0, z], [0.0, 0.0, direction]).with_range(-3.0, 9.0);
        let ray = WorldRay { origin: ray.at(3.0), ..ray };
        let cast = SphereCast::new(ray, 1.0).expect("a valid ball");
        cast.intersect(CORNERS).map(|contact| (contact.t, contact.normal))
    };
    assert_eq!(start(0.5, 1.0), Some((-3.0, DVec3::Z)));
    assert_eq!(start(1.0, -1.0), Some((-3.0, DVec3::Z)));
    assert_eq!(start(-0.25, 1.0), Some((-3.0, DVec3::NEG_Z)));
    // The contact is the centre.
    assert_eq!(start(0.0, 2.0), Some((-3.0, DVec3::NEG_Z)));
    assert_eq!(start(1.001, 1.0), None);
    assert_eq!(start(2.0, -1.0), Some((-2.0, DVec3::Z)));
}

/// The distance of the centre at `t` from the triangle.
fn distance(cast: &SphereCast, t: f64, corners: [DVec3; 3]) -> f64 {
    closest_point_on_triangle(corners, cast.ray().at(t)).distance_squared.sqrt()
}

#[test]
fn at_the_contact_the_distance_is_the_radius_and_never_less_before() {
    let mut random = SplitMix64::new(7);
    let (mut n_contacts, mut features) = (0, [0; 3]);
    for round in 0..6000 {
        let [a, b, mut c] = [0; 3].map(|_| vector(&mut random));
        if round % 3 == 0 {
            // A needle or a cap, or a segment.
            let thin = [1e-3, 1e-6, 1e-9, 1e-13, 0.0][round / 3 % 5];
            c = a + random.range(-0.2, 1.2) * (b - a) + thin * c;
        }
        let corners = [a, b, c];
        let target = a + random.unit() * (b - a) + 0.4 * random.unit() * (c - a);
        let away = [0.5, 2.0, 100.0][round % 3] * vector(&mut random);
        let radius = [1e-4, 0.05, 0.3, 3.0][round % 4];
        let ray = WorldRay::new(target + away, -0.7 * away + 0.2 * radius * vector(&mut random));
        let cast = SphereCast::new(ray, radius).expect("a valid ball");
        let scale = 1.0 + radius + away.length();
        let found = cast.intersect(corners);
        // On the way the distance is convex. Its least value decides.
        let (mut low, mut high) = (0.0, 10.0);
        for _ in 0..200 {
            let (left, right) = (low + (high - low) * 0.45, low + (high - low) * 0.55);
            if distance(&cast, left, corners) < distance(&cast, right, corners) {
                high = right;
            } else {
                low = left;
            }
        }
        let least = distance(&cast, low, corners);
        let Some(found) = found else {
            assert!(least > radius - 1e-12 * scale, "round {round} misses by {least}");
            continue;
        };
        n_contacts += 1;
        match found.feature {
            TriangleFeature::Face => features[0] += 1,
            TriangleFeature::Edge(_) => features[1] += 1,
            TriangleFeature::Vertex(_) => features[2] += 1,
        }
        let at = distance(&cast, found.t, corners);
        assert!(at < radius + 1e-12 * scale, "round {round}: {at} at {}", found.t);
        assert!(found.t == 0.0 || at > radius - 1e-12 * scale, "round {round}: {at}");
        for step in 0..if found.t > 0.0 { 20 } else { 0 } {
            let before = distance(&cast, found.t * f64::from(step) / 20.0, corners);
            assert!(before > radius - 1e-12 * scale, "round {round}: {before} before");
        }
        assert!((found.normal.length() - 1.0).abs() < 1e-14);
    }
    assert!(n_contacts > 3000 && features.iter().all(|&n| n > 200), "{n_contacts} {features:?}");
}

#[test]
fn a_larger_box_is_entered_no_later() {
    let mut random = SplitMix64::new(8);
    let mut n_entered = 0;
    for round in 0..4000 {
        let mut direction = vector(&mut random);
        direction[round % 3] *= [0.0, 1e-310, 1e-12, 1.0][round / 3 % 4];
        let origin = vector(&mut random) - 5.0 * direction;
        let radius = random.unit();
        let cast = cast(origin.to_array(), direction.to_array(), radius);
        let (p, q) = (3.0 * vector(&mut random), 3.0 * vector(&mut random));
        let (min, max) = (p.min(q), p.max(q));
        let grown = |share: f64| share * DVec3::from_array([0; 3].map(|_| random.unit()));
        let [below, above] = [1e-16, 1e-3].map(grown);
        let (inner, outer) = (cast.growth(3.0), cast.growth(3.0 + 1e-15));
        let enter = cast.enter(min, max, inner);
        if !enter.is_nan() {
            n_entered += 1;
            assert!(cast.enter(min - below, max + above, outer) <= enter, "round {round}");
        }
    }
    assert!(n_entered > 400, "{n_entered}");
}

#[test]
fn a_contact_is_never_before_the_box_and_scales_by_powers_of_two() {
    let mut random = SplitMix64::new(9);
    for round in 0..2000 {
        let corners = [0; 3].map(|_| vector(&mut random));
        let origin = 3.0 * vector(&mut random);
        let direction = 0.3 * vector(&mut random) - origin;
        let cast = cast(origin.to_array(), direction.to_array(), random.unit());
        let Some(found) = cast.intersect(corners) else { continue };
        let [a, b, c] = corners;
        let enter = cast.enter(a.min(b).min(c), a.max(b).max(c), cast.growth(1.0));
        assert!(enter <= found.t, "round {round}");
        let scale = 2f64.powi(round - 1000);
        if (1e-60..1e60).contains(&scale) {
            let scaled = cast.scaled(scale).intersect(corners.map(|corner| scale * corner));
            let expected = TriangleContact { point: scale * found.point, ..found };
            assert_eq!(scaled, Some(expected), "round {round}");
        }
    }
}

#[test]
fn every_bad_argument_is_named() {
    let ray = WorldRay::new([0.0; 3], [0.0, 0.0, 1.0]);
    for (radius, shown) in [(-1.0, "-1"), (f64::NAN, "NaN"), (f64::INFINITY, "inf")] {
        let error = SphereCast::new(ray, radius).expect_err("a bad radius").to_string();
        assert_eq!(error, format!("radius {shown} is negative or not finite; expected 0 or more"));
    }
    let zero = SphereCast::new(WorldRay::new([0.0; 3], [0.0; 3]), 1.0);
    assert!(matches!(zero, Err(SphereCastError::Ray(RayError::Direction(_)))));
    let tiny = SphereCast::new(WorldRay::new([0.0; 3], [1e-250, 0.0, 0.0]), 1.0);
    assert!(matches!(tiny, Err(SphereCastError::Direction(_))));
    assert_eq!(SphereCast::new(ray, -0.0).map(|cast| cast.radius().to_bits()), Ok(0));
}

#[test]
fn a_tiny_ball_touches_the_face_of_a_sliver_when_it_gets_there() {
    // The foot of the perpendicular on the face moved along the sliver, by more than the radius: the ball went on into the face. By
    // 60 digits the contacts are at these `t`.
    let first = (
        [
            [-24.341407775878906, -6.050348281860352, 9.263448715209961],
            [-14.457409858703613, -3.5597453117370605, 5.127816200256348],
            [-13.55886459350586, -3.333326816558838, 4.751849174499512],
        ],
        [-14.42696762084961, -3.5520739555358887, 5.115077972412109],
        [56.68903732299805, 0.0, 0.0],
        5.668903732299805e-8,
        2.4582977417320116e-8,
    );
    // Here an edge is nearer than the foot as it was computed.
    let second = (
        [
            [-2.4947243, -0.8655987, 7.3528585],
            [-4.0084634, -1.8049486, 14.122365],
            [-10.712165, -5.9649267, 44.10161],
        ]
        .map(|corner: [f32; 3]| corner.map(f64::from)),
        [-4.409343242645264, -2.0537142753601074, 15.915117263793945],
        [-1.8495879173278809, 0.2406907081604004, 10.013399124145508],
        6.150891113281251e-8,
        -9.157_788_614_388_599e-8,
    );
    for (corners, origin, direction, radius, expected) in [first, second] {
        let ray = WorldRay::new(origin, direction).with_range(-0.5, 0.75);
        let cast = SphereCast::new(ray, radius).expect("a valid ball");
        let contact = cast.intersect(corners.map(DVec3::from_array)).expect("it is ahead");
        assert!((contact.t - expected).abs() < 1e-11, "{} {expected}", contact.t);
        assert_eq!(contact.feature, TriangleFeature::Face);
    }
}
