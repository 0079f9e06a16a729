//! Properties of all meshes and rays, by proptest, which shrinks a failing case.
//!
//! The cases follow from fixed seeds, and no file keeps them. A failure prints its smallest case, which
//! then becomes a named test in `regression.rs`.

use hitscan::obj::write;
use hitscan::primitives::glam::{Vec2, Vec3};
use hitscan::{
    BuildOptions, BuildQuality, CornerAttributes, Faces, Hit, HitMode, HitOptions, Layout, MeshBvh,
    Ray, Side, TriMesh, brute_force,
};
use hitscan::{Format, LoadOptions, parse};
use hitscan_testkit::{BatchAnswers, Shape, batch_answers_of, bits};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::asking::{ALL_FACES, check_everything, effort};

/// Runs a property on `n` cases, times `HITSCAN_TEST_EFFORT`.
fn for_all<S: Strategy>(
    seed: u8,
    n: u64,
    strategy: S,
    holds: impl Fn(S::Value) -> Result<(), TestCaseError>,
) {
    let config = Config { cases: effort(n) as u32, failure_persistence: None, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]);
    TestRunner::new_with_rng(config, rng)
        .run(&strategy, holds)
        .unwrap_or_else(|error| panic!("{error}"));
}

/// Any finite number, often a small integer or fraction, so that many values coincide.
fn coordinate() -> impl Strategy<Value = f32> {
    let special = [
        -0.0,
        f32::MIN_POSITIVE,
        1e-45,
        f32::MAX,
        f32::MIN,
        1e-30,
        1e30,
        1.1e12,
        9e-13,
        16_777_216.0,
    ];
    prop_oneof![
        8 => (-4i8..=4).prop_map(f32::from),
        4 => (-64i8..=64).prop_map(|n| f32::from(n) / 16.0),
        4 => -1f32..1.0,
        1 => select(special.to_vec()),
        1 => any::<u32>().prop_map(|bits| {
            let number = f32::from_bits(bits);
            if number.is_finite() { number } else { 0.0 }
        }),
    ]
}

/// Integers and numbers between -1 and 1: their products stay far from the ends of f32.
fn ordinary_coordinate() -> impl Strategy<Value = f32> {
    prop_oneof![
        (-4i8..=4).prop_map(f32::from),
        (-64i8..=64).prop_map(|n| f32::from(n) / 16.0),
        -1f32..1.0
    ]
}

fn point<C: Strategy<Value = f32>>(coordinate: fn() -> C) -> impl Strategy<Value = Vec3> {
    [coordinate(), coordinate(), coordinate()].prop_map(Vec3::from)
}

/// Up to 30 triangles over up to 20 shared vertices, some of them without area.
fn mesh<C: Strategy<Value = f32> + 'static>(
    coordinate: fn() -> C,
) -> impl Strategy<Value = TriMesh> {
    prop::collection::vec(point(coordinate), 1..20).prop_flat_map(|positions| {
        let n = positions.len() as u32;
        let triangles = prop::collection::vec([0..n, 0..n, 0..n], 0..30);
        triangles.prop_map(move |triangles| {
            TriMesh::new(positions.iter().copied(), triangles).expect("finite, and in range")
        })
    })
}

/// A ray between two points; each is a vertex of the mesh, a midpoint of two, or arbitrary.
fn ray_at<C: Strategy<Value = f32> + 'static>(
    mesh: &TriMesh,
    coordinate: fn() -> C,
) -> impl Strategy<Value = Ray> + use<C> {
    let positions = mesh.positions().to_vec();
    let place = move || {
        let vertex = select(positions.clone());
        prop_oneof![
            vertex.clone(),
            (vertex.clone(), vertex).prop_map(|(a, b)| 0.5 * a + 0.5 * b),
            point(coordinate),
        ]
    };
    let aimed = (place(), place()).prop_map(|(from, to)| Ray::segment(from, to));
    let any = (place(), point(coordinate)).prop_map(|(from, along)| Ray::new(from, along));
    let along_axis = (place(), 0..3usize, coordinate()).prop_map(|(from, axis, length)| {
        let mut direction = Vec3::splat(-0.0);
        direction[axis] = length;
        Ray::line(from, direction)
    });
    let range = prop_oneof![
        4 => Just(None),
        1 => (coordinate(), coordinate()).prop_map(Some),
        1 => Just(Some((f32::NEG_INFINITY, f32::INFINITY))),
    ];
    (prop_oneof![2 => aimed, 1 => any, 1 => along_axis], range).prop_map(|(ray, range)| match range
    {
        None => ray,
        Some((t_min, t_max)) => ray.with_range(t_min, t_max),
    })
}

fn mesh_and_rays<C: Strategy<Value = f32> + 'static>(
    coordinate: fn() -> C,
) -> impl Strategy<Value = (TriMesh, Vec<Ray>)> {
    mesh(coordinate).prop_flat_map(move |mesh| {
        let rays = prop::collection::vec(ray_at(&mesh, coordinate), 1..24);
        (Just(mesh), rays)
    })
}

fn all_hits(mesh: &TriMesh, ray: &Ray, mode: HitMode) -> Vec<Hit> {
    MeshBvh::build(mesh, &BuildOptions::default())
        .all_hits(ray, &HitOptions { faces: Faces::Both, mode })
}

#[test]
fn any_mesh_and_rays_have_one_answer() {
    for_all(1, 1500, mesh_and_rays(coordinate), |(mesh, rays)| {
        check_everything(&Shape { name: format!("{mesh:?}"), mesh }, &rays, "proptest");
        Ok(())
    });
}

#[test]
fn triangles_in_another_order_are_the_same_triangles() {
    let case = mesh_and_rays(coordinate).prop_flat_map(|(mesh, rays)| {
        let order: Vec<u32> = (0..mesh.triangles().len() as u32).collect();
        (Just(mesh), Just(rays), Just(order).prop_shuffle())
    });
    for_all(2, 1500, case, |(mesh, rays, order)| {
        let triangles = order.iter().map(|&old| mesh.triangles()[old as usize]).collect();
        let shuffled =
            TriMesh::new(mesh.positions().iter().copied(), triangles).expect("as before");
        for (ray, mode) in
            rays.iter().zip([HitMode::EveryTriangle, HitMode::OncePerCrossing].into_iter().cycle())
        {
            let mut found = all_hits(&shuffled, ray, mode);
            found.iter_mut().for_each(|hit| hit.triangle = order[hit.triangle as usize]);
            found.sort_by(Hit::cmp_along_ray);
            prop_assert_eq!(bits(&found), bits(&all_hits(&mesh, ray, mode)), "{:?}", ray);
        }
        Ok(())
    });
}

#[test]
fn a_power_of_two_changes_nothing() {
    let case = (mesh_and_rays(ordinary_coordinate), -100i32..100);
    for_all(3, 1500, case, |((mesh, rays), exponent)| {
        let factor = (exponent as f32).exp2();
        let is_exact = |v: Vec3| (v * factor) / factor == v && (v * factor).is_finite();
        prop_assume!(mesh.positions().iter().all(|&p| is_exact(p)));
        let scaled = mesh.with_positions(mesh.positions().iter().map(|&p| p * factor));
        let scaled = scaled.expect("the same number, all finite");
        for ray in rays.iter().filter(|ray| is_exact(ray.origin) && is_exact(ray.direction)) {
            let (origin, direction) = (ray.origin * factor, ray.direction * factor);
            let scaled_ray = Ray { origin, direction, ..*ray };
            for mode in [HitMode::EveryTriangle, HitMode::OncePerCrossing] {
                let found = all_hits(&scaled, &scaled_ray, mode);
                prop_assert_eq!(bits(&found), bits(&all_hits(&mesh, ray, mode)), "{:?}", ray);
            }
        }
        Ok(())
    });
}

#[test]
fn a_mirror_image_is_hit_from_the_other_side() {
    let case = (mesh_and_rays(coordinate), 0..3usize);
    for_all(4, 1500, case, |((mesh, rays), axis)| {
        let mirror = |mut v: Vec3| {
            v[axis] = -v[axis];
            v
        };
        let mirrored = mesh.with_positions(mesh.positions().iter().map(|&p| mirror(p)));
        let mirrored = mirrored.expect("the same number, all finite");
        for ray in &rays {
            let (origin, direction) = (mirror(ray.origin), mirror(ray.direction));
            let mut found =
                all_hits(&mirrored, &Ray { origin, direction, ..*ray }, HitMode::EveryTriangle);
            for hit in &mut found {
                hit.side = if hit.side == Side::Front { Side::Back } else { Side::Front };
            }
            let expected = all_hits(&mesh, ray, HitMode::EveryTriangle);
            prop_assert_eq!(bits(&found), bits(&expected), "{:?}", ray);
        }
        Ok(())
    });
}

#[test]
fn a_batch_in_two_pieces_is_the_batch() {
    let case = mesh_and_rays(coordinate)
        .prop_flat_map(|(mesh, rays)| (Just(mesh), 0..=rays.len(), Just(rays)));
    for_all(5, 600, case, |(mesh, cut, rays)| {
        let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
        for faces in ALL_FACES {
            let whole = batch_answers_of!(bvh, &rays, faces);
            let [first, second] =
                [&rays[..cut], &rays[cut..]].map(|rays| batch_answers_of!(bvh, rays, faces));
            let closest = |batch: &BatchAnswers| -> Vec<_> {
                batch.closest.iter().map(|hit| hit.map(|hit| hit.to_bits())).collect()
            };
            prop_assert_eq!(closest(&whole), [closest(&first), closest(&second)].concat());
            prop_assert_eq!(whole.occluded, [first.occluded, second.occluded].concat());
            prop_assert_eq!(whole.crossings, [first.crossings, second.crossings].concat());
            prop_assert_eq!(
                bits(&whole.every_triangle.hits),
                [bits(&first.every_triangle.hits), bits(&second.every_triangle.hits)].concat()
            );
            prop_assert_eq!(
                bits(&whole.once_per_crossing.hits),
                [bits(&first.once_per_crossing.hits), bits(&second.once_per_crossing.hits)]
                    .concat()
            );
        }
        Ok(())
    });
}

#[test]
fn a_written_mesh_is_read_back_to_the_bit() {
    let uv = || [coordinate(), coordinate()].prop_map(Vec2::from);
    let case = mesh(coordinate).prop_flat_map(move |mesh| {
        let n = mesh.triangles().len();
        let index = || prop_oneof![4 => 0..3u32, 1 => Just(CornerAttributes::NONE)];
        let indices = move || prop::collection::vec([index(), index(), index()], n..=n);
        let uvs = prop::collection::vec(uv(), 3..=3);
        let normals = prop::collection::vec(point(coordinate), 3..=3);
        (Just(mesh), uvs, indices(), normals, indices())
    });
    for_all(6, 1500, case, |(mesh, uvs, uv_indices, normals, normal_indices)| {
        let attributes = CornerAttributes { normals, normal_indices, uvs, uv_indices };
        let mesh = mesh.with_attributes(attributes).expect("the same number, all in range");
        let mut text = Vec::new();
        write(&mesh, &mut text).expect("memory takes all of it");
        let again = parse(&text, "again.obj", Format::Obj, &LoadOptions::default());
        let again = again.expect("our own text").into_mesh().expect("one mesh");
        prop_assert_eq!(again.triangles(), mesh.triangles());
        let numbers = |mesh: &TriMesh| -> Vec<u32> {
            let CornerAttributes { normals, uvs, .. } = mesh.attributes();
            let vectors = mesh.positions().iter().chain(normals).flat_map(|v| v.to_array());
            vectors.chain(uvs.iter().flat_map(|uv| uv.to_array())).map(f32::to_bits).collect()
        };
        prop_assert_eq!(numbers(&again), numbers(&mesh));
        for triangle in 0..mesh.triangles().len() as u32 {
            let of = |mesh: &TriMesh| {
                (mesh.attributes().uvs_of(triangle), mesh.attributes().normals_of(triangle))
            };
            prop_assert_eq!(of(&again), of(&mesh), "triangle {}", triangle);
        }
        Ok(())
    });
}

#[test]
fn a_refit_answers_as_a_rebuild() {
    let case = mesh_and_rays(coordinate).prop_flat_map(|(mesh, rays)| {
        let n = mesh.positions().len();
        let from = prop::collection::vec(point(coordinate), n..=n);
        let options = (select(BuildQuality::ALL.to_vec()), select(Layout::ALL.to_vec()));
        (Just(mesh), Just(rays), from, options)
    });
    for_all(7, 1500, case, |(mesh, rays, from, (quality, layout))| {
        let before = mesh.with_positions(from).expect("the same number, all finite");
        let options = BuildOptions { quality, layout, ..Default::default() };
        let mut bvh = MeshBvh::build(&before, &options);
        bvh.refit(&mesh).expect("the same number of triangles");
        prop_assert_eq!(bvh.validate(&mesh), Ok(()));
        for ray in &rays {
            for mode in [HitMode::EveryTriangle, HitMode::OncePerCrossing] {
                let found = bvh.all_hits(ray, &HitOptions { faces: Faces::Both, mode });
                let expected =
                    brute_force::all_hits(&mesh, ray, &HitOptions { faces: Faces::Both, mode });
                prop_assert_eq!(bits(&found), bits(&expected), "{:?}", ray);
            }
        }
        Ok(())
    });
}
