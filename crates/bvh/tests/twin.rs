//! The hierarchy against its brute-force twin, on small random soups.

use hitscan_bvh::{BuildOptions, BuildQuality, Isa, Layout, MeshBvh};
use hitscan_primitives::{Faces, Hit, HitMode, Ray, TriMesh, brute_force};

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// In [-1, 1).
    fn signed(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    fn point(&mut self) -> [f32; 3] {
        [self.signed(), self.signed(), self.signed()]
    }

    /// On a coarse grid, so that edges, planes and ties are met exactly.
    fn grid_point(&mut self) -> [f32; 3] {
        [0; 3].map(|_| self.below(5) as f32 - 2.0)
    }
}

fn soup(random: &mut Random, n: usize) -> TriMesh {
    let on_grid = random.below(2) == 0;
    let n_points = n + 2;
    let points: Vec<[f32; 3]> =
        (0..n_points).map(|_| if on_grid { random.grid_point() } else { random.point() }).collect();
    let triangles = (0..n).map(|_| [0; 3].map(|_| random.below(n_points) as u32)).collect();
    TriMesh::new(points, triangles).expect("a valid soup")
}

fn ray(random: &mut Random, mesh: &TriMesh) -> Ray {
    let origin = if random.below(2) == 0 { random.grid_point() } else { random.point() };
    let [a, b, c] = mesh.corners(random.below(mesh.triangles().len()) as u32);
    let target = match random.below(4) {
        0 => a,
        1 => 0.5 * (a + b),
        2 => (a + b + c) / 3.0,
        _ => random.grid_point().into(),
    };
    let ray = match random.below(4) {
        0 => Ray::segment(origin, target),
        1 => Ray::line(origin, target - glam::Vec3::from_array(origin)),
        2 => {
            let mut direction = [0.0, -0.0, 0.0];
            direction[random.below(3)] = if random.below(2) == 0 { 1.0 } else { -1.0 };
            Ray::new(target.to_array(), direction)
        }
        _ => {
            let far = 10f32.powi(random.below(7) as i32);
            let [x, y, z] = origin.map(|x| x * far);
            Ray::new([x, y, z], [target.x - x, target.y - y, target.z - z])
        }
    };
    if random.below(4) == 0 { ray.with_range(0.25, 1.25) } else { ray }
}

fn bits(hits: &[Hit]) -> Vec<[u32; 5]> {
    hits.iter().map(Hit::to_bits).collect()
}

/// Layouts and qualities know nothing of each other.
const QUALITIES_AND_LAYOUTS: [(BuildQuality, Layout); 4] = [
    (BuildQuality::Fast, Layout::Full),
    (BuildQuality::Balanced, Layout::Full),
    (BuildQuality::High, Layout::Full),
    (BuildQuality::Balanced, Layout::Compact),
];

#[test]
fn every_query_equals_the_scan_to_the_last_bit() {
    let mut random = Random(1);
    for round in 0..150 {
        let n = 1 + random.below([3, 40, 400][round % 3]);
        let mesh = soup(&mut random, n);
        let rays: Vec<Ray> = (0..60).map(|_| ray(&mut random, &mesh)).collect();
        for (quality, layout) in QUALITIES_AND_LAYOUTS {
            let options = BuildOptions { quality, layout, ..BuildOptions::default() };
            let bvh = MeshBvh::build(&mesh, &options);
            assert_eq!(bvh.validate(&mesh), Ok(()));
            for isa in Isa::available() {
                let bvh = bvh.clone().with_isa(isa);
                for ray in &rays {
                    let context =
                        format!("round {round}, {quality:?}, {layout:?}, {isa:?}, {ray:?}");
                    for faces in [Faces::Both, Faces::Front, Faces::Back] {
                        let expected = brute_force::closest_hit(&mesh, ray, faces);
                        let found = bvh.closest_hit(ray, faces);
                        assert_eq!(
                            found.map(|hit| hit.to_bits()),
                            expected.map(|hit| hit.to_bits()),
                            "{context}"
                        );
                        assert_eq!(bvh.is_occluded(ray, faces), expected.is_some(), "{context}");
                        for mode in [HitMode::Closed, HitMode::Once] {
                            let expected = brute_force::all_hits(&mesh, ray, faces, mode);
                            let found = bvh.all_hits(ray, faces, mode);
                            assert_eq!(bits(&found), bits(&expected), "{context}");
                            let mut nearest = vec![];
                            bvh.nearest_hits(ray, faces, mode, 3, &mut nearest);
                            let n = expected.len().min(3);
                            assert_eq!(bits(&nearest), bits(&expected[..n]), "{context}");
                        }
                    }
                }
            }
        }
    }
}

/// Rays from near one point to near another: most bundles are walked as packets.
fn bundle(random: &mut Random, mesh: &TriMesh) -> Vec<Ray> {
    let [a, b, c] = mesh.corners(random.below(mesh.triangles().len()) as u32);
    let target = [a, b, 0.5 * (a + b), (a + b + c) / 3.0][random.below(4)];
    let far = [1.0, 3.0, 30.0, 3000.0][random.below(4)];
    let origin = far * glam::Vec3::from_array(random.point());
    let one_origin = random.below(2) == 0;
    let spread = [0.0, 1e-6, 1e-2, 0.1][random.below(4)];
    (0..64)
        .map(|_| {
            let from = if one_origin {
                origin
            } else {
                origin + 0.1 * glam::Vec3::from_array(random.point())
            };
            let to = target + spread * glam::Vec3::from_array(random.point());
            match random.below(8) {
                0 => Ray::segment(from, to),
                1 => Ray::new(from, to - from).with_range(0.25, 1.25),
                _ => Ray::new(from, to - from),
            }
        })
        .collect()
}

#[test]
fn batches_equal_single_rays_to_the_last_bit() {
    let mut random = Random(2);
    for round in 0..300 {
        let n = 1 + random.below([3, 40, 1000][round % 3]);
        let mesh = soup(&mut random, n);
        let mut rays: Vec<Ray> = (0..3).flat_map(|_| bundle(&mut random, &mesh)).collect();
        rays.extend((0..40).map(|_| ray(&mut random, &mesh)));
        for isa in Isa::available() {
            let bvh = MeshBvh::build(&mesh, &BuildOptions { isa, ..BuildOptions::default() });
            for faces in [Faces::Both, Faces::Front, Faces::Back] {
                let (mut hits, mut occluded) = (vec![None; rays.len()], vec![false; rays.len()]);
                bvh.closest_hits(&rays, faces, &mut hits);
                bvh.are_occluded(&rays, faces, &mut occluded);
                for (i, ray) in rays.iter().enumerate() {
                    let context = format!("round {round}, {isa:?}, {faces:?}, ray {i}, {ray:?}");
                    let single = bvh.closest_hit(ray, faces);
                    let bits = |hit: Option<Hit>| hit.map(|hit| hit.to_bits());
                    assert_eq!(bits(hits[i]), bits(single), "{context}");
                    assert_eq!(occluded[i], single.is_some(), "{context}");
                }
            }
        }
    }
}
