//! On small integer coordinates every operation of the definition is exact except the last division. So
//! the answers must equal those of integer arithmetic.

use hitscan::primitives::glam::Vec3;
use hitscan::{Faces, Hit, HitMode, HitOptions, Ray, Side, TriMesh};
use hitscan_testkit::{Rng, integer_box, integer_grid};

use crate::asking::{ALL_FACES, effort, every_bvh};

#[test]
fn hits_on_integer_triangles_are_those_of_integer_arithmetic() {
    let (n_seeds, mut n_hits) = (effort(200), 0);
    for seed in 0..n_seeds {
        let mut rng = Rng::new(41 + seed);
        let n = 1 + rng.below(60);
        let positions = (0..3 * n).map(|_| [0; 3].map(|_| rng.below(17) as f32 - 8.0));
        let triangles = (0..n as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let mesh = TriMesh::new(positions.collect::<Vec<_>>(), triangles).unwrap();
        let rays: Vec<Ray> = (0..200).map(|_| integer_ray(&mesh, &mut rng)).collect();
        for (name, bvh) in every_bvh(&mesh) {
            for ray in &rays {
                for faces in ALL_FACES {
                    let expected = exact_hits(&mesh, ray, faces);
                    let found =
                        bvh.all_hits(ray, &HitOptions { faces, mode: HitMode::EveryTriangle });
                    let bits = |hits: &[Hit]| hits.iter().map(Hit::to_bits).collect::<Vec<_>>();
                    assert_eq!(
                        bits(&found),
                        bits(&expected),
                        "{name}, seed {seed}, {faces:?}, {ray:?}: found {found:?}, expected {expected:?}"
                    );
                    n_hits += expected.len();
                }
            }
        }
    }
    assert!(n_hits > 250 * n_seeds as usize, "the rays hit too little: {n_hits}");
}

#[test]
fn a_line_through_the_inside_of_an_integer_box_crosses_it_twice_at_the_slabs() {
    for seed in 0..effort(40) {
        let mut rng = Rng::new(42 + seed);
        let size = [0; 3].map(|_| 1 + rng.below(6) as u32);
        let mesh = integer_box(size);
        let size = size.map(|x| x as f32);
        for (name, bvh) in every_bvh(&mesh) {
            for _ in 0..200 {
                let inside = size.map(|x| (1 + rng.below(2 * x as usize - 1)) as f32 / 2.0);
                let direction = integer_direction(&mut rng);
                let line = Ray::line(inside, direction);
                let (mut enter, mut exit) = (f32::NEG_INFINITY, f32::INFINITY);
                for axis in (0..3).filter(|&axis| direction[axis] != 0.0) {
                    let at_zero = -inside[axis] / direction[axis];
                    let at_size = (size[axis] - inside[axis]) / direction[axis];
                    enter = enter.max(at_zero.min(at_size));
                    exit = exit.min(at_zero.max(at_size));
                }
                let context = format!("{name}, {size:?}, seed {seed}, {line:?}");
                let once = bvh.all_hits(
                    &line,
                    &HitOptions { faces: Faces::Both, mode: HitMode::OncePerCrossing },
                );
                let crossings: Vec<_> = once.iter().map(|hit| (hit.t, hit.side)).collect();
                assert_eq!(crossings, [(enter, Side::Front), (exit, Side::Back)], "{context}");
                assert_eq!(bvh.count_crossings(&line, Faces::Both), 2, "{context}");
                // From inside, only the exit remains.
                let ray = line.with_range(0.0, f32::INFINITY);
                assert_eq!(bvh.count_crossings(&ray, Faces::Both), 1, "{context}");
                let closest = bvh.closest_hit(&ray, Faces::Both).expect("it is inside");
                assert_eq!((closest.t, closest.side), (exit, Side::Back), "{context}");
            }
        }
    }
}

#[test]
fn every_point_of_a_flat_grid_is_hit_once_and_by_all_triangles_that_hold_it() {
    const WIDTH: u32 = 7;
    const HEIGHT: u32 = 5;
    let mesh = integer_grid(WIDTH, HEIGHT);
    for (name, bvh) in every_bvh(&mesh) {
        for (i, j) in (0..=4 * WIDTH).flat_map(|i| (0..=4 * HEIGHT).map(move |j| (i, j))) {
            let (x, y) = (i as f32 / 4.0, j as f32 / 4.0);
            for zero in [0.0, -0.0] {
                let ray = Ray::new([x, y, 3.0], [zero, zero, -2.0]);
                let context = format!("{name}, ({x}, {y})");
                let closed = bvh.all_hits(&ray, &HitOptions::default());
                let expected = triangles_with(WIDTH, HEIGHT, i, j);
                let found: Vec<u32> = closed.iter().map(|hit| hit.triangle).collect();
                assert_eq!(found, expected, "{context}");
                assert!(
                    closed.iter().all(|hit| hit.t == 1.5 && hit.side == Side::Front),
                    "{context}"
                );
                for hit in &closed {
                    assert_eq!(mesh.point(hit).to_array(), [x, y, 0.0].map(f64::from), "{context}");
                }
                // On the rim of an open surface the edge rule may assign the point to no triangle.
                let is_inner = i % (4 * WIDTH) != 0 && j % (4 * HEIGHT) != 0;
                let once = bvh.all_hits(
                    &ray,
                    &HitOptions { faces: Faces::Both, mode: HitMode::OncePerCrossing },
                );
                assert!(once.len() == 1 || (!is_inner && once.is_empty()), "{context}: {once:?}");
            }
        }
    }
}

/// The triangles of [`integer_grid`] that hold the point `(i / 4, j / 4)`.
fn triangles_with(width: u32, height: u32, i: u32, j: u32) -> Vec<u32> {
    let mut triangles = Vec::new();
    for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
        let (Some(u), Some(v)) = (i.checked_sub(4 * x), j.checked_sub(4 * y)) else { continue };
        if u <= 4 && v <= 4 {
            let first = 2 * (y * width + x);
            // The diagonal goes from corner (0, 0) to (1, 1); the first triangle is below it.
            triangles.extend((v <= u).then_some(first));
            triangles.extend((v >= u).then_some(first + 1));
        }
    }
    triangles
}

/// A direction whose largest component is a power of two, so that its reciprocal and the shear are
/// exact.
fn integer_direction(rng: &mut Rng) -> Vec3 {
    loop {
        let direction = Vec3::from_array(
            [0; 3].map(|_| rng.pick(&[0.0, 0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0])),
        );
        if direction != Vec3::ZERO {
            return direction;
        }
    }
}

/// A ray from a half-integer point, one in two aimed back from an integer point of the mesh.
fn integer_ray(mesh: &TriMesh, rng: &mut Rng) -> Ray {
    let direction = integer_direction(rng);
    let origin = if rng.one_in(2) {
        rng.pick(mesh.positions()) - direction * rng.below(4) as f32
    } else {
        Vec3::from_array([0; 3].map(|_| rng.below(41) as f32 / 2.0 - 10.0))
    };
    let ray = Ray::new(origin, direction);
    let quarter = |rng: &mut Rng| rng.below(9) as f32 / 4.0;
    match rng.below(4) {
        0 => Ray::line(origin, direction),
        1 => ray.with_range(0.0, quarter(rng)),
        2 => ray.with_range(quarter(rng), 3.0),
        _ => ray,
    }
}

/// All hits on closed triangles by integer arithmetic, sorted; the quotients are rounded once.
fn exact_hits(mesh: &TriMesh, ray: &Ray, faces: Faces) -> Vec<Hit> {
    // In halves, so that origins are integers.
    let doubled = |p: Vec3| p.to_array().map(|x| (2.0 * x) as i64);
    let (o, d) = (doubled(ray.origin), ray.direction.to_array().map(|x| x as i64));
    let mut hits = Vec::new();
    for triangle in 0..mesh.triangles().len() as u32 {
        let [a, b, c] = mesh.corners(triangle).map(|corner| sub(doubled(corner), o));
        let n = cross(sub(b, a), sub(c, a));
        let slope = dot(n, d);
        let weights = [dot(d, cross(b, c)), dot(d, cross(c, a)), dot(d, cross(a, b))];
        let is_inside = weights.iter().all(|&w| w >= 0) || weights.iter().all(|&w| w <= 0);
        if slope == 0 || !is_inside {
            continue;
        }
        let sum: i64 = weights.iter().sum();
        let quotient = |p: i64, q: i64| p as f32 / q as f32 + 0.0;
        let hit = Hit {
            t: quotient(dot(n, a), 2 * slope),
            u: quotient(weights[1], sum),
            v: quotient(weights[2], sum),
            triangle,
            side: if slope < 0 { Side::Front } else { Side::Back },
        };
        if hit.t >= ray.t_min && hit.t <= ray.t_max && faces.accepts(hit.side) {
            hits.push(hit);
        }
    }
    hits.sort_by(Hit::cmp_along_ray);
    hits
}

fn sub(a: [i64; 3], b: [i64; 3]) -> [i64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: [i64; 3], b: [i64; 3]) -> i64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [i64; 3], b: [i64; 3]) -> [i64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
