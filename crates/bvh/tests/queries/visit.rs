//! Traversal with the caller's tests.

use std::ops::ControlFlow;

use glam::Vec3;
use hitscan_bvh::{BoxBvh, BuildOptions, BuildQuality, MeshBvh};
use hitscan_primitives::{Aabb, TriMesh, generate::SplitMix64};

use crate::support::{built, effort, grid_point, needles, point, scaled_by, soup};

fn distance(bounds: &Aabb, point: Vec3) -> f64 {
    let nearest = point.clamp(bounds.min, bounds.max);
    nearest.as_dvec3().distance(point.as_dvec3())
}

fn triangle_box(mesh: &TriMesh, triangle: u32) -> Aabb {
    Aabb::from_points(mesh.corners(triangle))
}

/// A traversal over triangles or boxes, as `visit_nearest_first` of both.
type Walk<'a> = dyn Fn(
        f64,
        &mut dyn FnMut(&Aabb) -> f64,
        &mut dyn FnMut(u32) -> ControlFlow<u32, f64>,
    ) -> ControlFlow<u32>
    + 'a;

/// Checks a traversal over items with these boxes; it never finds empty boxes.
fn check(walk: &Walk<'_>, boxes: &[Aabb], random: &mut SplitMix64, context: &str) {
    let all: Vec<u32> = (0..boxes.len() as u32).collect();
    let occupied: Vec<u32> =
        all.iter().copied().filter(|&i| !boxes[i as usize].is_empty()).collect();
    let mut seen = vec![];
    let end = walk(0.0, &mut |_| 0.0, &mut |number| {
        seen.push(number);
        ControlFlow::Continue(0.0)
    });
    seen.sort_unstable();
    assert!(end.is_continue() && seen == occupied, "{context}: {seen:?}");

    for _ in 0..20 {
        let size = boxes.iter().fold(Aabb::EMPTY, |all, aabb| {
            if aabb.is_empty() || !aabb.extent().is_finite() { all } else { all.union(*aabb) }
        });
        let size = if size.is_empty() { 1.0 } else { size.max_abs_coordinate() };
        let p = if random.below(2) == 0 { size * point(random) } else { grid_point(random) };
        // The traversal finds every box that contains the point.
        let mut holding = vec![];
        let mut test = |bounds: &Aabb| if bounds.contains(p) { 0.0 } else { f64::NAN };
        let _ = walk(0.0, &mut test, &mut |number| {
            holding.push(number);
            ControlFlow::Continue(0.0)
        });
        for (number, aabb) in boxes.iter().enumerate() {
            let missed = aabb.contains(p) && !holding.contains(&(number as u32));
            assert!(!missed, "{context}: {number} holds {p}");
        }
        // It finds the nearest box, and the minimum index if several are equally near.
        let by_distance = |number: u32| (distance(&boxes[number as usize], p), number);
        let mut nearest = (f64::INFINITY, u32::MAX);
        let _ = walk(f64::INFINITY, &mut |bounds| distance(bounds, p), &mut |number| {
            let found = by_distance(number);
            nearest = if found < nearest { found } else { nearest };
            ControlFlow::Continue(nearest.0)
        });
        let by_scan = occupied.iter().map(|&number| by_distance(number));
        let by_scan = by_scan.fold((f64::INFINITY, u32::MAX), |a, b| if b < a { b } else { a });
        assert_eq!(nearest, by_scan, "{context}: {p}");
    }
    // The first break ends the traversal and is its result.
    let mut n_found = 0;
    let end = walk(0.0, &mut |_| 0.0, &mut |number| {
        n_found += 1;
        ControlFlow::Break(number)
    });
    assert_eq!((n_found, end.is_break()), (occupied.len().min(1), !occupied.is_empty()));
}

#[test]
fn a_traversal_of_a_mesh_loses_no_triangle() {
    let mut random = SplitMix64::new(10);
    for round in 0..effort(60) {
        let exponent = [0, 0, -140, 125, 41][round % 5];
        let mesh = scaled_by(&soup(&mut random, [1, 30, 500][round % 3]), exponent);
        let bvh = built(&mesh, round);
        let boxes: Vec<Aabb> =
            (0..mesh.triangles().len() as u32).map(|i| triangle_box(&mesh, i)).collect();
        let context = format!("round {round}, 2^{exponent}");
        let walk: &Walk<'_> =
            &|limit, distance, found| bvh.visit_nearest_first(limit, distance, found);
        check(walk, &boxes, &mut random, &context);
        let mut n_found = 0;
        let _: ControlFlow<()> = bvh.visit(
            |_| true,
            |_| {
                n_found += 1;
                ControlFlow::Continue(())
            },
        );
        assert_eq!(n_found, boxes.len(), "{context}");
    }
}

#[test]
fn a_traversal_of_split_triangles_finds_each_once_by_its_points() {
    let mut random = SplitMix64::new(13);
    for round in 0..effort(30) {
        let exponent = [0, 0, -140, 125, 41][round % 5];
        let mesh = scaled_by(&needles(&mut random, [40, 500][round % 2]), exponent);
        let bvh = built(&mesh, round);
        // Of few triangles, all parts may come together in one leaf.
        assert!(mesh.triangles().len() < 100 || bvh.stats().n_split > 0, "round {round}");
        let n = mesh.triangles().len() as u32;
        let mut found = vec![];
        let _: ControlFlow<()> = bvh.visit(
            |_| true,
            |triangle| {
                found.push(triangle);
                ControlFlow::Continue(())
            },
        );
        found.sort_unstable();
        assert!(found.iter().copied().eq(0..n), "round {round}: {found:?}");
        for triangle in 0..n {
            let [a, b, c] = mesh.corners(triangle).map(|corner| corner.as_dvec3());
            let (u, v) = (random.unit(), random.unit());
            let p = (a + u * (b - a) + v * (1.0 - u) * (c - a)).as_vec3();
            let mut n_found = 0;
            let _: ControlFlow<()> = bvh.visit(
                |bounds| bounds.contains(p),
                |other| {
                    n_found += usize::from(other == triangle);
                    ControlFlow::Continue(())
                },
            );
            assert_eq!(n_found, 1, "round {round}: {triangle} at {p}");
        }
    }
}

#[test]
fn a_nearest_first_traversal_tests_few_triangles() {
    let mesh = hitscan_primitives::generate::sphere(1.0, 20_000).expect("a valid sphere");
    let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    let p = Vec3::new(1.1, 0.3, -0.2);
    let (mut n_found, mut nearest) = (0, f64::INFINITY);
    let _: ControlFlow<()> = bvh.visit_nearest_first(
        f64::INFINITY,
        |bounds| distance(bounds, p),
        |triangle| {
            n_found += 1;
            nearest = nearest.min(distance(&triangle_box(&mesh, triangle), p));
            ControlFlow::Continue(nearest)
        },
    );
    assert!(n_found < 200, "{n_found}");
}

fn random_box(random: &mut SplitMix64) -> Aabb {
    let a = if random.below(2) == 0 { grid_point(random) } else { point(random) };
    let b = a + 0.2 * (point(random) + Vec3::ONE);
    match random.below(12) {
        0 => Aabb::EMPTY,
        1 => Aabb::new(a, b.with_y(f32::NAN)),
        2 => Aabb::new(a, b.with_z(f32::INFINITY)),
        3 => Aabb::new(Vec3::NEG_INFINITY, b),
        4 => Aabb::new(b + Vec3::ONE, a),
        5..=7 => Aabb::new(a, a),
        _ => Aabb::new(a, b),
    }
}

#[test]
fn a_traversal_of_boxes_loses_none() {
    let mut random = SplitMix64::new(11);
    for round in 0..effort(100) {
        let n = [0, 1, 9, 100, 1000][round % 5];
        let scale = 2f32.powi([0, -149, 125, 60][round % 4]);
        let scaled = |aabb: Aabb| {
            if scale == 1.0 { aabb } else { Aabb::new(aabb.min * scale, aabb.max * scale) }
        };
        let boxes: Vec<Aabb> = (0..n).map(|_| scaled(random_box(&mut random))).collect();
        let mut bvh = BoxBvh::build(&boxes, BuildQuality::ALL[round % 3]);
        assert_eq!(bvh.n_boxes(), n);
        let context = format!("round {round}, scale {scale:e}");
        let walk: &Walk<'_> =
            &|limit, distance, found| bvh.visit_nearest_first(limit, distance, found);
        check(walk, &boxes, &mut random, &context);

        let moved: Vec<Aabb> = boxes
            .iter()
            .map(|aabb| {
                let by = scale * point(&mut random);
                Aabb::new(aabb.min + by, aabb.max + by)
            })
            .collect();
        bvh.refit(&moved).expect("the same number of boxes");
        let walk: &Walk<'_> =
            &|limit, distance, found| bvh.visit_nearest_first(limit, distance, found);
        check(walk, &moved, &mut random, &format!("{context}, moved"));
        assert!(bvh.refit(&vec![Aabb::EMPTY; n + 1]).is_err());
    }
}

#[test]
fn boxes_all_in_one_place_make_a_tree() {
    let boxes = vec![Aabb::new([1.0; 3], [1.0; 3]); 5000];
    let bvh = BoxBvh::build(&boxes, BuildQuality::Balanced);
    let mut n_found = 0;
    let _: ControlFlow<()> = bvh.visit(
        |_| true,
        |_| {
            n_found += 1;
            ControlFlow::Continue(())
        },
    );
    assert_eq!((n_found, bvh.bounds()), (5000, boxes[0]));
}
