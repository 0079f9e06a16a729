//! Counted traversal: the same answers, and the same counts with every instruction set.

use hitscan_bvh::{BuildOptions, BuildQuality, Isa, MeshBvh, TraversalStats};
use hitscan_primitives::{
    Faces, Ray, TriMesh,
    generate::{self, SplitMix64},
};

fn rays(n: usize) -> Vec<Ray> {
    let mut rng = SplitMix64::new(5);
    let mut point = |size: f64| [(); 3].map(|()| rng.range(-size, size) as f32);
    (0..n)
        .map(|i| {
            // Near and far origins, and lines that start behind their origin.
            let ray = Ray::new(point(if i % 3 == 0 { 50.0 } else { 1.5 }), point(1.0));
            if i % 5 == 0 { ray.with_range(-100.0, 100.0) } else { ray }
        })
        .collect()
}

#[test]
fn counting_changes_no_answer_and_no_instruction_set_changes_a_count() {
    for mesh in [generate::soup(3000, 3).unwrap(), generate::torus(1.0, 0.25, 5000).unwrap()] {
        for quality in [BuildQuality::Fast, BuildQuality::High] {
            let bvh = MeshBvh::build(&mesh, &BuildOptions { quality, ..Default::default() });
            let others: Vec<MeshBvh> =
                Isa::available().into_iter().map(|isa| bvh.clone().with_isa(isa)).collect();
            let mut most = TraversalStats::default();
            for ray in rays(2000) {
                let (hit, work) = bvh.closest_hit_with_work(&ray, Faces::Both);
                assert_eq!(hit, bvh.closest_hit(&ray, Faces::Both), "{ray:?}");
                for other in &others {
                    let answer = other.closest_hit_with_work(&ray, Faces::Both);
                    assert_eq!(answer, (hit, work), "{:?}, {ray:?}", other.isa());
                }
                most.nodes = most.nodes.max(work.nodes);
                most.triangles = most.triangles.max(work.triangles);
            }
            assert!(most.nodes > 3 && most.triangles > 8, "{most:?}");
        }
    }
}

#[test]
fn a_ray_tests_only_the_triangles_near_it() {
    // Triangles in a row: a ray across the row tests few of them, a ray along it tests all.
    let corners = |i: usize| {
        let z = i as f32;
        [[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]]
    };
    let triangles = (0..64).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let mesh = TriMesh::new((0..64).flat_map(corners), triangles).unwrap();
    let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    let work = |origin: [f32; 3], direction: [f32; 3]| {
        bvh.closest_hit_with_work(&Ray::new(origin, direction), Faces::Both).1
    };
    assert_eq!(work([9.0, 9.0, 9.0], [1.0, 0.0, 0.0]).blocks, 0);
    assert_eq!(work([0.2, 0.2, -1.0], [0.0, 0.0, 0.0]), TraversalStats::default());
    let first = work([0.2, 0.2, -1.0], [0.0, 0.0, 1.0]);
    assert!(first.triangles > 0 && first.triangles <= 16, "{first:?}");
    // Beside all triangles, but within their boxes.
    assert_eq!(work([0.9, 0.9, -1.0], [0.0, 0.0, 1.0]).triangles, 64);
}
