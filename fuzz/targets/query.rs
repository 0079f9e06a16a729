//! Any numbers as a mesh and rays: every tree equals the oracle to the last bit, built or refitted,
//! alone and in batches. The input chooses quality, layout and instruction set.

#![no_main]

use hitscan::primitives::brute_force;
use hitscan::primitives::glam::Vec3;
use hitscan::{Aabb, BuildOptions, BuildQuality, Faces, Layout, MeshBvh, Ray, Sphere, TriMesh};
use hitscan_fuzz::{Bytes, ONE_THREAD, bounded, check_rays};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| bounded(data.len(), || ONE_THREAD.install(|| check(&mut Bytes(data)))));

fn check(bytes: &mut Bytes<'_>) {
    let n_vertices = 3 + bytes.below(30);
    let positions: Vec<Vec3> = (0..n_vertices).map(|_| bytes.position()).collect();
    let triangles: Vec<[u32; 3]> =
        (0..bytes.below(64)).map(|_| [0; 3].map(|_| bytes.below(n_vertices) as u32)).collect();
    let mesh = TriMesh::new(positions.iter().copied(), triangles).expect("finite, and in range");
    let rays: Vec<Ray> = (0..1 + bytes.below(12)).map(|_| bytes.ray(&positions)).collect();

    // Refitted from the tree of another pose.
    let moved = positions.iter().map(|&p| if bytes.below(4) == 0 { bytes.position() } else { p });
    let moved = mesh.with_positions(moved).expect("the same number, all finite");
    let quality = BuildQuality::ALL[bytes.below(3)];
    let layout = Layout::ALL[bytes.below(2)];
    let mut tree = MeshBvh::build(&moved, &BuildOptions { quality, layout, ..Default::default() });
    tree.refit(&mesh).expect("the same number of triangles");
    tree.validate(&mesh).unwrap_or_else(|broken| panic!("refitted: {broken}"));
    for ray in &rays {
        let found = tree.closest_hit(ray, Faces::Both).map(|hit| hit.to_bits());
        let expected = brute_force::closest_hit(&mesh, ray, Faces::Both);
        assert_eq!(found, expected.map(|hit| hit.to_bits()), "refitted, {ray:?}");
    }

    let mut found = Vec::new();
    for _ in 0..3 {
        let (point, corner) = (bytes.position(), bytes.position());
        let distance = f64::from(bytes.number());
        let nearest = tree.closest_point(point, distance);
        assert_eq!(nearest, brute_force::closest_point(&mesh, point, distance), "{point}");
        let aabb = Aabb { min: point.min(corner), max: point.max(corner) };
        tree.overlapping_box_into(&aabb, &mut found);
        assert_eq!(found, brute_force::overlapping_box(&mesh, &aabb), "{aabb:?}");
        let sphere = Sphere { center: point, radius: bytes.number() };
        tree.overlapping_sphere_into(&sphere, &mut found);
        assert_eq!(found, brute_force::overlapping_sphere(&mesh, &sphere), "{sphere:?}");
    }
    check_rays(mesh, &rays);
}
