//! Extreme rays against a box of integer corners and a flat grid, whose answers are known: through every
//! tree and through brute force.

use hitscan::primitives::WatertightRay;
use hitscan::primitives::glam::Vec3;
use hitscan::{Faces, Ray, TriMesh, brute_force};
use hitscan_testkit::{
    Oracle, Rng, Shape, batch_answers_of, closed_shapes, integer_box, integer_grid, invalid_rays,
    rays_from_inside,
};
use serde_json::Value;

use crate::asking::{check_everything, effort, every_bvh};
use crate::shared::{number, read_json, shared, vector};

/// The expected closest hit.
#[derive(Clone, Debug)]
enum Expect {
    /// At this `t`.
    Hit(f64),
    /// None.
    Miss,
    /// At one of these, or, by a convention of the ray caster, none.
    OneOf(Vec<f64>, bool),
    /// None, or anywhere in the mesh's plane: the ray runs in it.
    Coplanar,
}

const INF: f32 = f32::INFINITY;

// Longer than 60 lines: one table with a row per ray.
#[test]
fn hostile_rays_get_their_known_answers() {
    // The box is [0, 3] x [0, 3] x [0, 2]. The definition decides all of these cases: intervals and
    // triangles are closed, and t is in units of the direction.
    let mesh = integer_box([3, 3, 2]);
    let mut cases: Vec<(String, Ray, Expect)> = Vec::new();
    let mut case = |name: &str, ray: Ray, expect: Expect| cases.push((name.into(), ray, expect));
    let hit = Expect::Hit;
    let down = |z: f32| Ray::new([0.6, 1.7, 3.0], [0.0, 0.0, z]);

    case("plain", down(-1.0), hit(1.0));
    case("not a unit vector", down(-4.0), hit(0.25));
    for exponent in [-149, -126, -120, -60, -40, 40, 60, 126, 127] {
        let length = 2f64.powi(exponent);
        let t = 1.0 / length;
        let expect = if t <= f64::from(f32::MAX) { hit(t) } else { Expect::Miss };
        case(&format!("direction 2^{exponent}"), down(-length as f32), expect);
    }
    case("interval ends before", down(-1.0).with_range(0.0, 0.999), Expect::Miss);
    case("interval ends on it", down(-1.0).with_range(0.0, 1.0), hit(1.0));
    case("interval starts on it", down(-1.0).with_range(1.0, INF), hit(1.0));
    case("interval of one number", down(-1.0).with_range(1.0, 1.0), hit(1.0));
    case("interval starts past it", down(-1.0).with_range(1.001, INF), hit(3.0));
    case("interval past everything", down(-1.0).with_range(3.5, INF), Expect::Miss);
    case("interval behind", down(1.0).with_range(-2.0, 0.0), hit(-1.0));
    case("a line", Ray::line([0.6, 1.7, 1.0], [0.0, 0.0, -1.0]), hit(-1.0));
    case("only infinity", down(-1.0).with_range(INF, INF), Expect::Miss);
    case("the box is behind", down(1.0), Expect::Miss);

    let ray = |origin: [f32; 3], direction: [f32; 3]| Ray::new(origin, direction);
    case("on a face, outwards", ray([0.6, 1.7, 2.0], [0.0, 0.0, 1.0]), hit(0.0));
    case("on a face, inwards", ray([0.6, 1.7, 2.0], [0.0, 0.0, -1.0]), hit(0.0));
    case("on an edge", ray([3.0, 1.5, 2.0], [-1.0, 0.0, -1.0]), hit(0.0));
    case("on a vertex", ray([3.0, 3.0, 2.0], [1.0, 1.0, 1.0]), hit(0.0));
    case("inside, at a vertex", ray([1.5, 1.5, 1.0], [1.5, 1.5, 1.0]), hit(1.0));
    case("inside, at an edge", ray([1.5, 1.5, 1.0], [1.5, 1.5, 0.0]), hit(1.0));
    case("inside, at a diagonal", ray([1.5, 1.5, 1.0], [0.0, 0.0, 1.0]), hit(1.0));
    case("through two vertices", ray([-3.0, -3.0, -2.0], [3.0, 3.0, 2.0]), hit(1.0));
    case("touching an edge", ray([-1.0, 1.5, 1.0], [1.0, 0.0, 1.0]), hit(1.0));
    case("past an edge", ray([-1.0, 1.5, 1.01], [1.0, 0.0, 1.0]), Expect::Miss);
    case("parallel, outside", ray([-1.0, -0.001, 1.0], [1.0, 0.0, 0.0]), Expect::Miss);
    case("from 1e6 away", ray([1.5, 1.5, 1e6], [0.0, 0.0, -1.0]), hit(1e6 - 2.0));
    case("from 1e20 away", ray([1.5, 1.5, 1e20], [0.0, 0.0, -1.0]), hit(1e20));

    // Along every axis, both ways, with both signs of zero. The rays run through the middle of a
    // triangle, the diagonal of a square, grid lines of the faces, and in a face of the box, where they
    // hit its rim.
    let size = [3.0, 3.0, 2.0];
    for axis in 0..3 {
        for (sign, zero) in [(1.0, 0.0), (1.0, -0.0), (-1.0, 0.0), (-1.0, -0.0)] {
            let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
            let places = [
                (0.3, 0.6),
                (0.5, 0.5),
                (1.0, 0.5),
                (1.0, 1.0),
                (0.5, 0.0),
                (0.0, 0.0),
                (2.0, 2.0),
            ];
            for (y, z) in places {
                let mut direction = [zero; 3];
                direction[axis] = sign;
                let mut origin = [0.0; 3];
                (origin[j], origin[k]) = (y, z);
                origin[axis] = if sign > 0.0 { -2.0 } else { size[axis] + 2.0 };
                let name = format!("axis {axis}, sign {sign}, zero {zero:?}, at ({y}, {z})");
                case(&name, ray(origin, direction), hit(2.0));
            }
        }
    }
    for (what, ray) in invalid_rays([0.6, 1.7, 3.0].into(), [0.6, 1.7, 0.0].into()) {
        case(&what, ray, Expect::Miss);
        case(&format!("{what}, inside"), Ray { origin: ray.origin - 2.0, ..ray }, Expect::Miss);
    }
    assert!(cases.len() > 150);
    check(&mesh, &cases, 0.0);
}

#[test]
fn rays_at_and_in_a_flat_grid_get_their_known_answers() {
    let mesh = integer_grid(5, 5);
    let mut cases = Vec::new();
    for (i, j) in (0..=20).flat_map(|i| (0..=20).map(move |j| (i, j))) {
        let origin = [i as f32 / 4.0, j as f32 / 4.0, 2.0];
        for zero in [0.0, -0.0] {
            let ray = Ray::new(origin, [zero, -zero, -1.0]);
            cases.push((format!("at {origin:?}"), ray, Expect::Hit(2.0)));
            let in_plane = Ray::new([origin[0], origin[1], 0.0], [1.0, zero, zero]);
            cases.push((format!("in the plane, {origin:?}"), in_plane, Expect::Miss));
            let diagonal = Ray::new([origin[0] - 9.0, origin[1] - 9.0, zero], [1.0, 1.0, -zero]);
            cases.push((format!("in the plane, diagonal, {origin:?}"), diagonal, Expect::Miss));
        }
    }
    check(&mesh, &cases, 0.0);
}

#[test]
fn tiny_directions_have_one_answer() {
    // Their reciprocals are beyond f32. The replacement must not lose a node with a hit.
    let corners = [[-1.0, -1.0, 1.0], [0.0, -1.0, 1.0], [0.0, 1.0, 1.0]];
    let mesh = TriMesh::new(corners, vec![[0, 1, 2]; 9]).expect("a valid mesh");
    let along_z = |exponent: i32| Ray::new([0.0; 3], [0.0, 0.0, 2f64.powi(exponent) as f32]);
    let rays: Vec<Ray> = (-149..=-90).map(along_z).collect();
    for (name, bvh) in every_bvh(&mesh) {
        let hit = bvh.closest_hit(&along_z(-112), Faces::Both);
        assert_eq!(hit.map(|hit| hit.t), Some(2f32.powi(112)), "{name}");
    }
    check_everything(&Shape { name: "a stack".into(), mesh }, &rays, "none");
    for shape in closed_shapes(40) {
        let mut rng = Rng::new(43);
        let mut rays = rays_from_inside(&shape.mesh, &mut rng);
        for ray in &mut rays {
            let exponent = -149.0 + 60.0 * rng.unit();
            ray.direction *= exponent.exp2() / ray.direction.abs().max_element();
            if rng.one_in(4) {
                *ray = Ray::line(ray.origin, ray.direction);
            }
        }
        check_everything(&shape, &rays, 43);
    }
}

#[test]
fn a_triangle_behind_the_origin_whose_t_rounds_to_zero_is_not_hit() {
    let s = 2f32.powi(-36);
    let corners = [[-s, -s, -s], [s, -s, -s], [0.0, s, -s]];
    let mesh = TriMesh::new(corners, vec![[0, 1, 2]; 9]).expect("a valid mesh");
    let away = Ray::new([0.0; 3], [0.0, 0.0, 2f32.powi(114)]);
    let line = away.with_range(-1.0, 1.0);
    for (name, bvh) in every_bvh(&mesh) {
        assert_eq!(bvh.closest_hit(&away, Faces::Both), None, "{name}");
        assert!(!bvh.is_occluded(&away, Faces::Both), "{name}");
        let hit = bvh.closest_hit(&line, Faces::Both);
        assert_eq!(hit.map(|hit| hit.t.to_bits()), Some(0), "{name}");
    }
    let rays: Vec<Ray> = [away, line].into_iter().cycle().take(64).collect();
    check_everything(&Shape { name: "behind".into(), mesh }, &rays, "none");
}

#[test]
fn numbers_at_the_ends_of_f32_have_one_answer_without_nan_or_negative_zero() {
    let finite = [
        0.0,
        -0.0,
        f32::from_bits(1),
        -f32::from_bits(12345),
        f32::MIN_POSITIVE,
        -1e-30,
        1e-12,
        -1.0,
        1.0,
        3.0,
        1e12,
        -1e19,
        1e30,
        f32::MAX,
        f32::MIN,
    ];
    let (n_seeds, mut n_hits) = (effort(60), 0);
    for seed in 44..44 + n_seeds {
        let mut rng = Rng::new(seed);
        // Some meshes use neighbouring numbers only, so that more rays hit.
        let start = rng.below(finite.len() - 4);
        let near = if rng.one_in(3) { &finite[..] } else { &finite[start..start + 5] };
        let point = |rng: &mut Rng, from: &[f32]| Vec3::from_array([0; 3].map(|_| rng.pick(from)));
        let n = 1 + rng.below(40);
        let positions: Vec<Vec3> = (0..3 * n).map(|_| point(&mut rng, near)).collect();
        let triangles = (0..n as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let mesh = TriMesh::from_vecs(positions, triangles).expect("finite");
        let mut with_others = finite.to_vec();
        with_others.extend([f32::NAN, f32::INFINITY, f32::NEG_INFINITY]);
        let rays: Vec<Ray> = (0..300)
            .map(|i| {
                let from = if i % 8 == 0 { &with_others[..] } else { near };
                let origin = point(&mut rng, from);
                let direction = if rng.one_in(2) {
                    rng.pick(mesh.positions()) - origin
                } else {
                    point(&mut rng, if i % 8 == 1 { &with_others } else { &finite })
                };
                let ray = Ray::new(origin, direction);
                if rng.one_in(3) { Ray::line(origin, direction) } else { ray }
            })
            .collect();
        let oracle = Oracle::new(&mesh);
        for hit in rays.iter().flat_map(|ray| oracle.hits(ray).every_triangle) {
            let is_plain = |x: f32| x.is_finite() && x.to_bits() != (-0.0f32).to_bits();
            assert!([hit.t, hit.u, hit.v].map(is_plain) == [true; 3], "seed {seed}: {hit:?}");
            assert!(hit.u >= 0.0 && hit.v >= 0.0 && hit.u <= 1.0 && hit.v <= 1.0, "{hit:?}");
            n_hits += 1;
        }
        check_everything(&Shape { name: "the ends of f32".into(), mesh }, &rays, seed);
    }
    assert!(n_hits > 100 * n_seeds, "{n_hits}");
}

#[test]
fn a_corner_that_is_not_finite_is_a_miss() {
    // No mesh holds such a corner; the reference test is public.
    let ray = WatertightRay::new(&Ray::line([0.0; 3], [0.1, 0.2, 1.0])).expect("it is valid");
    let corners = [[-1.0, -1.0, 1.0], [1.0, -1.0, 1.0], [0.0, 2.0, 1.0]].map(Vec3::from_array);
    assert!(ray.intersect(corners).is_some());
    for bad in [f32::NAN, INF, -INF] {
        for at in 0..512 {
            // Any of the nine coordinates.
            let mut corners = corners;
            for i in (0..9).filter(|i| at >> i & 1 == 1) {
                corners[i / 3][i % 3] = bad;
            }
            assert_eq!(ray.intersect(corners).is_none(), at > 0, "{corners:?}");
        }
    }
}

#[test]
fn the_shared_hostile_rays_get_their_known_answers() {
    let Some(path) = shared("hostile-rays.json") else { return };
    let file = read_json(&path);
    let list = |value: &Value| value.as_array().expect("a list").clone();
    let mut n_rays = 0;
    for (name, mesh) in file["meshes"].as_object().expect("meshes by name") {
        let index = |value: &Value| value.as_u64().expect("an index") as u32;
        let positions: Vec<[f32; 3]> = list(&mesh["vertices"]).iter().map(vector).collect();
        let triangles =
            list(&mesh["triangles"]).iter().map(|t| [0, 1, 2].map(|i| index(&t[i]))).collect();
        let mesh = TriMesh::new(positions, triangles).expect("a mesh");
        let rays = list(&file["rays"]).into_iter().filter(|ray| ray["mesh"] == name.as_str());
        let cases: Vec<(String, Ray, Expect)> = rays
            .map(|case| {
                let ray = Ray::new(vector(&case["origin"]), vector(&case["dir"]))
                    .with_range(number(&case["tmin"]) as f32, number(&case["tmax"]) as f32);
                (case["name"].to_string(), ray, Expect::from_json(&case["expect"]))
            })
            .collect();
        n_rays += cases.len();
        check(&mesh, &cases, 1e-5);
    }
    assert_eq!(n_rays, list(&file["rays"]).len());
}

impl Expect {
    fn from_json(value: &Value) -> Self {
        match value.as_str() {
            // A query cannot return an error; a miss is what remains.
            Some("miss" | "miss_or_error") => return Self::Miss,
            Some("coplanar") => return Self::Coplanar,
            Some(unknown) => panic!("{unknown}"),
            None => (),
        }
        let (kind, answer) = value.as_object().and_then(|map| map.iter().next()).expect("one key");
        match kind.as_str() {
            "hit" => Self::Hit(number(answer)),
            "hit_or_miss" => Self::OneOf(vec![number(answer)], true),
            "one_of" => {
                Self::OneOf(answer.as_array().expect("a list").iter().map(number).collect(), false)
            }
            unknown => panic!("{unknown}"),
        }
    }

    /// Whether a closest hit at `t` is right, to a share of `max(|t| * length, 4)` along the ray; to
    /// the last bit if that share is 0.
    fn accepts(&self, t: Option<f32>, length: f64, tolerance: f64) -> bool {
        let is_near = |expected: f64| {
            t.is_some_and(|t| {
                let error = (f64::from(t) - expected).abs() * length;
                t.to_bits() == (expected as f32).to_bits()
                    || error < tolerance * (expected.abs() * length).max(4.0)
            })
        };
        match self {
            Self::Hit(expected) => is_near(*expected),
            Self::Miss => t.is_none(),
            Self::OneOf(expected, or_miss) => {
                expected.iter().any(|&t| is_near(t)) || (*or_miss && t.is_none())
            }
            Self::Coplanar => t.is_none_or(f32::is_finite),
        }
    }
}

fn check(mesh: &TriMesh, cases: &[(String, Ray, Expect)], tolerance: f64) {
    let rays: Vec<Ray> = cases.iter().map(|(_, ray, _)| *ray).collect();
    let judge = |asked: &str, i: usize, t: Option<f32>| {
        let (name, ray, expect) = &cases[i];
        let length = ray.direction.as_dvec3().length();
        assert!(
            expect.accepts(t, length, tolerance),
            "{asked}: {name}, {ray:?}: hit at {t:?}, expected {expect:?}"
        );
    };
    for (i, ray) in rays.iter().enumerate() {
        judge("brute force", i, brute_force::closest_hit(mesh, ray, Faces::Both).map(|hit| hit.t));
    }
    for (name, bvh) in every_bvh(mesh) {
        let batch = batch_answers_of!(bvh, &rays, Faces::Both);
        for (i, ray) in rays.iter().enumerate() {
            let closest = bvh.closest_hit(ray, Faces::Both);
            judge(&name, i, closest.map(|hit| hit.t));
            judge(&format!("{name}, batch"), i, batch.closest[i].map(|hit| hit.t));
            let occluded = bvh.is_occluded(ray, Faces::Both);
            assert_eq!(occluded, closest.is_some(), "{name}: {}, {ray:?}", cases[i].0);
            assert_eq!(batch.occluded[i], occluded, "{name}, batch: {}, {ray:?}", cases[i].0);
        }
    }
}
