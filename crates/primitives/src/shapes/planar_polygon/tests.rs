use super::*;
use crate::generate::SplitMix64;

/// A square of side 4 about the origin of the plane orthogonal to an axis.
fn square(axis: Axis) -> PlanarPolygon {
    PlanarPolygon::new(
        [[-2.0, -2.0], [2.0, -2.0], [2.0, 2.0], [-2.0, 2.0]].map(|xy| in_plane(axis, xy, 0.0)),
    )
    .unwrap()
}

fn in_plane(axis: Axis, [x, y]: [f32; 2], height: f32) -> [f32; 3] {
    match axis {
        Axis::X => [height, x, y],
        Axis::Y => [y, height, x],
        Axis::Z => [x, y, height],
    }
}

/// A ring in the plane z = 0.
fn flat(corners: &[[f32; 2]]) -> PlanarPolygon {
    PlanarPolygon::new(corners.iter().map(|&[x, y]| [x, y, 0.0])).unwrap()
}

fn locate(polygon: &PlanarPolygon, x: f64, y: f64) -> PolygonRegion {
    polygon.locate([x, y, 0.0])
}

#[test]
fn every_grid_point_of_a_square_is_right_in_every_plane() {
    // The seed's rule fails for its centre, above and below it and on its diagonals, and in every plane
    // that contains the z axis.
    for axis in Axis::ALL {
        for (i, j) in (-7..=7).flat_map(|i| (-7..=7).map(move |j| (i, j))) {
            let at = [0.5 * i as f32, 0.5 * j as f32];
            let ray = Ray::new(in_plane(axis, at, 3.0), in_plane(axis, [0.0, 0.0], -2.0));
            let hit = square(axis).intersect(&ray, Faces::Both);
            let distance = i32::max(i32::abs(i), i32::abs(j));
            assert_eq!(hit.is_some(), distance <= 4, "{axis:?} {at:?}");
            let Some(hit) = hit else { continue };
            assert_eq!((hit.t, hit.side), (1.5, Side::Front));
            assert_eq!(hit.point.as_vec3().to_array(), in_plane(axis, at, 0.0));
            assert_eq!(hit.on_boundary, distance == 4, "{axis:?} {at:?}");
        }
    }
}

#[test]
fn the_plane_is_met_within_the_closed_interval_only() {
    let polygon = square(Axis::Z);
    let up = Ray::new([1.0, 1.0, 3.0], [0.0, 0.0, 1.0]);
    assert_eq!(polygon.intersect(&up, Faces::Both), None);
    let down = Ray::new([1.0, 1.0, 3.0], [0.0, 0.0, -1.0]);
    assert!(polygon.intersect(&down.with_range(3.0, 3.0), Faces::Both).is_some());
    assert_eq!(polygon.intersect(&down.with_range(0.0, 2.9), Faces::Both), None);
    let on_it = Ray::new([1.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
    let hit = polygon.intersect(&on_it, Faces::Both).unwrap();
    assert_eq!((hit.t.to_bits(), hit.side), (0, Side::Back));
    assert_eq!(polygon.intersect(&on_it, Faces::Front), None);
    assert_eq!(polygon.intersect(&down, Faces::Back), None);
}

#[test]
fn a_ray_in_the_plane_is_a_miss_also_in_a_tilted_one() {
    let in_it = Ray::new([-3.0, 0.0, 0.5], [1.0, 0.0, 0.0]);
    assert_eq!(square(Axis::Y).intersect(&in_it, Faces::Both), None);
    // Rings in the plane y = 3 x, exactly; coordinates of very different sizes, so that the sum
    // of their products is not exact.
    let mut rng = SplitMix64::new(9);
    let mut number = || {
        let digits = rng.range(-1e6, 1e6).round() as f32;
        digits * 2f32.powi(rng.below(40) as i32 - 30)
    };
    let mut n_polygons = 0;
    for _ in 0..20_000 {
        let mut corner = || {
            let x = number();
            [x, 3.0 * x, number()]
        };
        let ring: [[f32; 3]; 7] = std::array::from_fn(|_| corner());
        let (origin, x) = (corner(), number());
        let Ok(polygon) = PlanarPolygon::new(ring) else { continue };
        n_polygons += 1;
        for direction in [[1.0, 3.0, 0.0], [0.0, 0.0, 1.0], [x, 3.0 * x, 1.0]] {
            let line = Ray::line(origin, direction);
            assert_eq!(polygon.intersect(&line, Faces::Both), None, "{ring:?} {line:?}");
        }
    }
    assert!(n_polygons > 10_000, "{n_polygons}");
}

#[test]
fn concave_rings_and_corners_on_a_line_are_right() {
    // An L whose first three corners lie on a line, and whose inner corner is concave.
    let ring = [[0.0, 0.0], [2.0, 0.0], [4.0, 0.0], [4.0, 1.0], [1.0, 1.0], [1.0, 4.0], [0.0, 4.0]];
    for shift in 0..ring.len() {
        let mut ring = ring;
        ring.rotate_left(shift);
        let polygon = flat(&ring);
        assert_eq!(polygon.plane().unit_normal(), DVec3::Z);
        for (x, y, expected) in [
            (0.5, 0.5, PolygonRegion::Inside),
            (3.0, 0.5, PolygonRegion::Inside),
            (0.5, 3.0, PolygonRegion::Inside),
            // At the height of corners.
            (0.5, 1.0, PolygonRegion::Inside),
            (-0.5, 1.0, PolygonRegion::Outside),
            (5.0, 1.0, PolygonRegion::Outside),
            (-0.5, 4.0, PolygonRegion::Outside),
            (2.0, 2.0, PolygonRegion::Outside),
            (1.0, 1.0, PolygonRegion::Boundary),
            (2.0, 1.0, PolygonRegion::Boundary),
            (1.0, 2.0, PolygonRegion::Boundary),
            (0.0, 0.0, PolygonRegion::Boundary),
            (0.0, 4.0, PolygonRegion::Boundary),
            (-1.0, 0.0, PolygonRegion::Outside),
            (5.0, 0.0, PolygonRegion::Outside),
        ] {
            assert_eq!(locate(&polygon, x, y), expected, "shift {shift}: {x} {y}");
        }
    }
}

#[test]
fn a_peak_that_touches_the_counting_line_counts_for_nothing() {
    let crown =
        flat(&[[0.0, 0.0], [6.0, 0.0], [6.0, 4.0], [4.0, 1.0], [3.0, 2.0], [2.0, 1.0], [0.0, 4.0]]);
    // To the right of this point the line touches the peak at (3, 2) and crosses two slopes.
    assert_eq!(locate(&crown, 1.0, 2.0), PolygonRegion::Inside);
    assert_eq!(locate(&crown, 2.0, 2.0), PolygonRegion::Outside);
    assert_eq!(locate(&crown, 3.0, 2.0), PolygonRegion::Boundary);
    assert_eq!(locate(&crown, 1.0, 1.0), PolygonRegion::Inside);
    assert_eq!(locate(&crown, -1.0, 4.0), PolygonRegion::Outside);
}

#[test]
fn holes_are_open_and_their_edges_belong_to_the_polygon() {
    let hole = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]];
    let mut backwards = hole;
    backwards.reverse();
    for hole in [hole, backwards] {
        let polygon = square(Axis::Z).with_hole(hole).unwrap();
        assert_eq!(polygon.rings().count(), 2);
        assert_eq!(locate(&polygon, 0.0, 0.0), PolygonRegion::Outside);
        assert_eq!(locate(&polygon, 1.5, 0.0), PolygonRegion::Inside);
        assert_eq!(locate(&polygon, -1.5, 1.0), PolygonRegion::Inside);
        assert_eq!(locate(&polygon, 1.0, 0.5), PolygonRegion::Boundary);
        let island = hole.map(|[x, y, z]| [0.5 * x, 0.5 * y, z]);
        let polygon = polygon.with_hole(island).unwrap();
        assert_eq!(locate(&polygon, 0.0, 0.0), PolygonRegion::Inside);
    }
}

#[test]
fn neighbours_share_every_point_of_an_edge_between_them() {
    // Two random quadrilaterals that share a slanted edge cover its neighbourhood: every point between
    // belongs to one of them.
    let (p, q) = ([0.1, -1.3], [0.7, 2.1]);
    let left = flat(&[p, q, [-3.0, 1.0], [-2.0, -1.0]]);
    let right = flat(&[q, p, [3.0, -1.0], [2.0, 1.0]]);
    let mut rng = SplitMix64::new(2);
    for _ in 0..10_000 {
        let s = rng.range(0.05, 0.95);
        let along = |i: usize| f64::from(p[i]) + s * (f64::from(q[i]) - f64::from(p[i]));
        let regions = [locate(&left, along(0), along(1)), locate(&right, along(0), along(1))];
        let n_inside = regions.iter().filter(|&&r| r == PolygonRegion::Inside).count();
        let n_boundary = regions.iter().filter(|&&r| r == PolygonRegion::Boundary).count();
        assert!((n_inside, n_boundary) == (1, 0) || n_boundary == 2, "{s}: {regions:?}");
    }
}

#[test]
fn a_ring_crossing_itself_follows_the_even_odd_rule() {
    let star = flat(&[[0.0, 3.0], [-1.8, -2.4], [2.9, 0.9], [-2.9, 0.9], [1.8, -2.4]]);
    assert_eq!(locate(&star, 0.0, 0.0), PolygonRegion::Outside);
    assert_eq!(locate(&star, 0.0, 2.0), PolygonRegion::Inside);
}

#[test]
fn points_that_are_not_flat_or_no_ring_are_refused() {
    let bent = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.01], [0.0, 1.0, 0.0]];
    let error = PlanarPolygon::new(bent).unwrap_err();
    assert!(matches!(error, PolygonError::NotPlanar { ring: 0, .. }), "{error}");
    let rounded = bent.map(|[x, y, z]| [x, y, 1e-3 * z]);
    assert!(PlanarPolygon::new(rounded).is_ok());
    // Far from the origin rounding to f32 alone bends it, in steps of 1/16.
    let far = |i: u8, y: f32| [1e6 + 0.3 * f32::from(i), y, 0.3 * f32::from(i)];
    let far = [far(0, 0.0), far(1, 0.0), far(2, 0.0), far(3, 0.0), far(3, 1.0), far(0, 1.0)];
    assert!(PlanarPolygon::new(far).is_ok());
    let near = far.map(|[x, y, z]| [x - 1e6, y, z]);
    assert!(matches!(PlanarPolygon::new(near), Err(PolygonError::NotPlanar { .. })));

    let two = PlanarPolygon::new([[0.0; 3], [1.0; 3]]).unwrap_err();
    assert_eq!(two.to_string(), "ring 0 has 2 corners, expected at least 3");
    let line = PlanarPolygon::new([[0.1; 3], [1.3; 3], [2.7; 3], [0.3; 3]]).unwrap_err();
    assert_eq!(line, PolygonError::NoArea);
    let nan = PlanarPolygon::new([[0.0; 3], [f32::NAN; 3], [1.0; 3]]).unwrap_err();
    assert!(matches!(nan, PolygonError::NonFiniteCorner { corner: 1, .. }));
    let hole = [[0.0, 0.0, 0.5], [1.0, 0.0, 0.5], [0.0, 1.0, 0.5]];
    let error = square(Axis::Z).with_hole(hole).unwrap_err();
    assert!(matches!(error, PolygonError::NotPlanar { ring: 1, corner: 0, .. }));
    assert!(square(Axis::Z).with_hole([[0.0; 3]; 2]).is_err());
}

#[test]
fn size_and_length_of_the_direction_do_not_matter() {
    for size in [1e-30, 1e-6, 1e6, 1e30] {
        let ring = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [2.0, 1.0], [0.0, 4.0]];
        let polygon = flat(&ring.map(|xy| xy.map(|c| c * size)));
        for (x, y, is_hit) in [(2.0, 0.5, true), (2.0, 2.0, false)] {
            let ray = Ray::new([x * size, y * size, size], [0.0, 0.0, -0.5 * size]);
            let hit = polygon.intersect(&ray, Faces::Both);
            assert_eq!(hit.is_some(), is_hit, "{size}");
            assert!(hit.is_none_or(|hit| hit.t == 2.0));
        }
    }
}

#[test]
fn a_ring_that_runs_out_and_back_has_no_area() {
    // Its sum is zero up to rounding, because coordinates differ in size.
    let mut rng = SplitMix64::new(12);
    let mut n_rounded = 0;
    for _ in 0..1000 {
        let way: [Vec3; 5] = std::array::from_fn(|_| {
            Vec3::from_array(std::array::from_fn(|_| {
                rng.range(-1.0, 1.0) as f32 * 2f32.powi(rng.below(30) as i32 - 15)
            }))
        });
        let ring = way.into_iter().chain(way.into_iter().rev().skip(1));
        assert_eq!(PlanarPolygon::new(ring.clone()).unwrap_err(), PolygonError::NoArea);
        let sum = newell_normal(&ring.collect::<Vec<_>>());
        n_rounded += u32::from(sum != DVec3::ZERO);
    }
    assert!(n_rounded > 100, "{n_rounded}");
}

#[test]
fn a_hair_is_a_polygon() {
    let hair = flat(&[[0.0, 0.0], [1.0, 0.0], [0.5, 1e-20]]);
    let hit = hair.intersect(&Ray::new([0.5, 1e-21, 1.0], [0.0, 0.0, -1.0]), Faces::Both);
    assert_eq!(hit.map(|hit| (hit.t, hit.on_boundary)), Some((1.0, false)));
}

#[test]
fn invalid_rays_and_points_are_outside() {
    let polygon = square(Axis::Z);
    let ray = Ray::new([f32::NAN, 0.0, 1.0], [0.0, 0.0, -1.0]);
    assert_eq!(polygon.intersect(&ray, Faces::Both), None);
    assert_eq!(polygon.locate([f64::NAN, 0.0, 0.0]), PolygonRegion::Outside);
}

#[test]
fn the_box_of_a_bent_polygon_holds_its_plane() {
    // The plane passes between the corners, which are bent by less than the tolerance.
    let corners =
        [[0.0, 0.0, 0.5e-4], [1.0, 0.0, -0.5e-4], [1.0, 1.0, 0.5e-4], [0.0, 1.0, -0.5e-4]];
    let polygon = PlanarPolygon::new(corners).expect("within the tolerance");
    let bounds = polygon.bounds();
    assert!(corners.iter().all(|&corner| bounds.contains(corner.into())));
    assert!(bounds.max.z >= 1.5e-4 && bounds.max.z < 2e-4, "{bounds:?}");
    assert_eq!((bounds.min.x, bounds.max.y), (0.0, 1.0));
    // A hole may bend the other way: its hits lie in the plane all the same.
    let mut random = SplitMix64::new(45);
    for _ in 0..1000 {
        let target = [random.unit() as f32, random.unit() as f32, 0.0];
        let hit = polygon.intersect(&Ray::segment([0.3, 0.2, 5.0], target), Faces::Both);
        let Some(hit) = hit else { continue };
        assert!(bounds.contains(hit.point.as_vec3()), "{hit:?}");
    }
}
