//! Split triangles: a triangle in several leaves counts once, its parts cover it, and a refit keeps them.

use glam::{Mat3, Vec3};
use hitscan_bvh::{BuildOptions, BuildQuality, InvalidBvh, Isa, MeshBvh, RawBvh, RawBvhBuffers};
use hitscan_primitives::{
    Faces, Ray, TriMesh,
    generate::{self, SplitMix64},
};
use hitscan_testkit::{
    Oracle, RayHits, Rng, Tally, aimed_ray, answers_of, batch_answers_of, bundle, hard_rays,
};

use crate::{
    one_answer::QUALITIES_AND_LAYOUTS,
    support::{effort, needles},
};

/// Meshes whose needles the build splits.
fn split_meshes(random: &mut SplitMix64) -> Vec<(&'static str, TriMesh)> {
    let seed = random.next_u64();
    let city = generate::city(3000, seed).expect("a valid city");
    let turned = Mat3::from_euler(glam::EulerRot::XYZ, 0.4, 0.9, 0.3);
    // A fan around one vertex, so that many parts share corners.
    let mut rng = Rng::new(seed);
    let rim: Vec<Vec3> = (0..80).map(|_| 10.0 * rng.direction()).collect();
    let mut positions = vec![Vec3::ZERO];
    positions.extend(rim.iter().flat_map(|&p| [p, p + 0.05 * rng.direction()]));
    let mut fan: Vec<[u32; 3]> = (0..80).map(|i| [0, 1 + 2 * i, 2 + 2 * i]).collect();
    for i in 0..600u32 {
        let at = 5.0 * rng.in_cube();
        let first = positions.len() as u32;
        positions.extend([at, at + 0.1 * rng.in_cube(), at + 0.1 * rng.in_cube()]);
        fan.push([first, first + 1, first + 2 - 3 * (i % 50 / 49)]);
    }
    vec![
        ("needles", needles(random, 400)),
        ("few needles", needles(random, 24)),
        ("turned city", {
            let turned = city.positions().iter().map(|&p| turned * p);
            city.with_positions(turned).expect("the same number of positions")
        }),
        ("city", city),
        ("fan", TriMesh::new(positions, fan).expect("a valid mesh")),
    ]
}

fn hits(mesh: &TriMesh, rays: &[Ray]) -> Vec<RayHits> {
    let oracle = Oracle::new(mesh);
    rays.iter().map(|ray| oracle.hits(ray)).collect()
}

/// The first difference between a tree and the oracle, in single and batch queries.
fn difference(bvh: &MeshBvh, rays: &[Ray], hits: &[RayHits]) -> Option<String> {
    let mut tally = Tally::default();
    for faces in [Faces::Both, Faces::Front, Faces::Back] {
        let expected: Vec<RayHits> = hits.iter().map(|hits| hits.seen_by(faces)).collect();
        for (ray, expected) in rays.iter().zip(&expected) {
            tally.compare(ray, faces, &answers_of!(bvh, ray, faces), expected);
        }
        tally.compare_batch(rays, faces, &batch_answers_of!(bvh, rays, faces), &expected);
    }
    tally.first_difference()
}

fn rays_at(mesh: &TriMesh, rng: &mut Rng) -> Vec<Ray> {
    let mut rays: Vec<Ray> = (0..60).map(|_| aimed_ray(mesh, rng)).collect();
    rays.extend(hard_rays(mesh, 60, rng));
    rays.extend(bundle(mesh, rng));
    rays
}

#[test]
fn split_triangles_answer_like_whole_ones_to_the_last_bit() {
    let (mut random, mut rng) = (SplitMix64::new(50), Rng::new(50));
    for round in 0..effort(4) {
        for (name, mesh) in split_meshes(&mut random) {
            let rays = rays_at(&mesh, &mut rng);
            let hits = hits(&mesh, &rays);
            for (quality, layout) in QUALITIES_AND_LAYOUTS {
                let context = format!("{name}, round {round}, {quality:?}, {layout:?}");
                let options = BuildOptions { quality, layout, ..BuildOptions::default() };
                let bvh = MeshBvh::build(&mesh, &options);
                // Some small cities have hardly any cables. The parts of few needles may meet in one leaf.
                let may_be_whole = name.ends_with("city") || name.starts_with("few");
                assert!(bvh.stats().n_split > 0 || may_be_whole, "{context}: {:?}", bvh.stats());
                assert_eq!(bvh.validate(&mesh), Ok(()), "{context}");
                for isa in Isa::available() {
                    let found = difference(&bvh.clone().with_isa(isa), &rays, &hits);
                    assert_eq!(found, None, "{context}, {isa:?}");
                }
            }
        }
    }
}

#[test]
fn meshes_along_the_axes_and_scans_are_not_split() {
    let meshes = [
        generate::sphere(1.0, 20_000),
        generate::terrain(20_000, 1),
        generate::cuboid(20.0, 1.0, 3.0, 5),
        generate::torus(1.0, 0.1, 20_000),
        generate::grid(10.0, 1.0, 5000),
    ];
    for mesh in meshes {
        let mesh = mesh.expect("a valid mesh");
        for quality in BuildQuality::ALL {
            let options = BuildOptions { quality, ..BuildOptions::default() };
            let stats = MeshBvh::build(&mesh, &options).stats();
            assert_eq!((stats.n_split, stats.n_in_leaves), (0, stats.n_triangles), "{stats:?}");
        }
    }
}

#[test]
fn splits_lower_the_work_of_a_ray_and_stay_within_their_bound() {
    let mesh = generate::city(60_000, 1).expect("a valid city");
    for quality in BuildQuality::ALL {
        let bvh = MeshBvh::build(&mesh, &BuildOptions { quality, ..BuildOptions::default() });
        let stats = bvh.stats();
        assert!(stats.n_split > 0 && stats.n_in_leaves > stats.n_triangles, "{stats:?}");
        assert!(stats.n_in_leaves < stats.n_triangles * 11 / 10, "{stats:?}");
        let context = format!("{quality:?}: {stats:?}");
        // Not split, such trees cost 29 to 31.
        assert!(stats.sah_cost < 20.0, "{context}");
    }
}

/// A tree restored from the bytes of another one, after a change to its blocks.
fn restored(
    bvh: &MeshBvh,
    mesh: &TriMesh,
    change: impl FnOnce(&mut [u8]),
) -> Result<MeshBvh, String> {
    let raw = bvh.raw_parts();
    let mut blocks = raw.blocks.to_vec();
    change(&mut blocks);
    let stored = [&*raw.nodes, &blocks, &*raw.corners];
    let lengths = stored.map(<[u8]>::len);
    let n_triangles = mesh.triangles().len();
    let restore = || {
        let RawBvh { layout, built_cost, near_reach, .. } = raw;
        let mut buffers = RawBvhBuffers::new(layout, built_cost, near_reach, lengths, n_triangles)?;
        buffers.fill(|part, offset, bytes| {
            bytes.copy_from_slice(&stored[part][offset..][..bytes.len()]);
            Ok::<(), InvalidBvh>(())
        })?;
        buffers.into_bvh(mesh, Isa::detect())
    };
    restore().map_err(|error| error.to_string())
}

#[test]
fn a_restored_tree_has_the_same_splits_and_answers() {
    let (mut random, mut rng) = (SplitMix64::new(52), Rng::new(52));
    for (name, mesh) in split_meshes(&mut random) {
        let rays = rays_at(&mesh, &mut rng);
        let hits = hits(&mesh, &rays);
        for (quality, layout) in QUALITIES_AND_LAYOUTS {
            let options = BuildOptions { quality, layout, ..BuildOptions::default() };
            let bvh = MeshBvh::build(&mesh, &options);
            let restored = restored(&bvh, &mesh, |_| ()).expect("nothing was changed");
            assert_eq!(restored.stats(), bvh.stats(), "{name}");
            assert_eq!(difference(&restored, &rays, &hits), None, "{name}");
        }
    }
}

// Longer than 60 lines: both faults need the places of the parts, and the copies of a lane.
#[test]
fn validation_finds_a_lost_part_and_a_part_too_many() {
    /// Offsets of a full block's triangles, and the size of a block.
    const TRIANGLES: usize = 384;
    const BLOCK: usize = 416;
    let mesh = needles(&mut SplitMix64::new(53), 2000);
    let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    let raw = bvh.raw_parts();
    // The places of each triangle: block and lane.
    let mut places = vec![vec![]; mesh.triangles().len()];
    for (block, bytes) in raw.blocks.chunks(BLOCK).enumerate() {
        for (lane, bytes) in bytes[TRIANGLES..].chunks(4).enumerate() {
            let triangle = u32::from_ne_bytes(bytes.try_into().expect("four bytes"));
            if let Some(places) = places.get_mut(triangle as usize) {
                places.push((block, lane));
            }
        }
    }
    let split: Vec<usize> = (0..places.len()).filter(|&i| places[i].len() > 1).collect();
    assert!(split.len() > 20, "{}", split.len());
    let row = |(block, lane): (usize, usize), row: usize| {
        let at = BLOCK * block + 32 * row + 4 * lane;
        at..at + 4
    };
    let copy_lane = |blocks: &mut [u8], from, to| {
        for i in 0..BLOCK / 32 {
            blocks.copy_within(row(from, i), row(to, i).start);
        }
    };
    let rays = rays_at(&mesh, &mut Rng::new(53));
    let hits = hits(&mesh, &rays);
    let mut n_lost = 0;
    for &triangle in &split {
        for &place in &places[triangle] {
            let n_lanes = places.iter().flatten().filter(|other| other.0 == place.0).count();
            let last = (place.0, n_lanes - 1);
            if n_lanes == 1 {
                continue;
            }
            // The last lane of the block replaces the part, and becomes empty.
            let without = restored(&bvh, &mesh, |blocks| {
                copy_lane(blocks, last, place);
                for i in 0..BLOCK / 32 {
                    let is_index = 32 * i == TRIANGLES;
                    let empty = if is_index { u32::MAX } else { f32::NAN.to_bits() };
                    blocks[row(last, i)].copy_from_slice(&empty.to_ne_bytes());
                }
            });
            let error = match without {
                Err(error) => error,
                // The boxes of the other leaves cover this part as well.
                Ok(bvh) => {
                    assert_eq!(difference(&bvh, &rays, &hits), None);
                    continue;
                }
            };
            assert!(error.contains("do not cover") || error.contains("outside its box"), "{error}");
            n_lost += 1;
        }
        // Another triangle loses its lane to a further copy of the part.
        let (a, b) = (places[triangle][0], places[(triangle + 1) % places.len()][0]);
        assert!(restored(&bvh, &mesh, |blocks| copy_lane(blocks, a, b)).is_err());
    }
    assert!(n_lost > 20, "{n_lost}");
}

#[test]
fn a_refit_keeps_answers_and_splits() {
    let (mut random, mut rng) = (SplitMix64::new(51), Rng::new(51));
    for round in 0..effort(2) {
        for (name, mesh) in split_meshes(&mut random) {
            let size = mesh.bounds().extent().max_element();
            let turn = Mat3::from_rotation_y(0.7);
            let moves: [(&str, &dyn Fn(Vec3) -> Vec3); 5] = [
                ("not at all", &|p| p),
                ("turned", &|p| turn * p),
                ("bent", &|p| p + Vec3::new(0.1 * size * (p.z / size).sin(), 0.0, 0.0)),
                ("flattened", &|p| p.with_y(0.25)),
                ("larger", &|p| 2f32.powi(60) * p),
            ];
            for (quality, layout) in QUALITIES_AND_LAYOUTS {
                let options = BuildOptions { quality, layout, ..BuildOptions::default() };
                let mut bvh = MeshBvh::build(&mesh, &options);
                for (how, moved) in moves {
                    let context = format!("{name} {how}, round {round}, {quality:?}, {layout:?}");
                    let moved = mesh.positions().iter().map(|&p| moved(p));
                    let moved = mesh.with_positions(moved).expect("finite positions");
                    let report = bvh.refit(&moved).expect("the same triangles");
                    assert_eq!(bvh.validate(&moved), Ok(()), "{context}");
                    let rays = rays_at(&moved, &mut rng);
                    let found = difference(&bvh, &rays, &hits(&moved, &rays));
                    assert_eq!(found, None, "{context}");
                    if how == "not at all" {
                        assert!(report.degradation() < 1.01, "{context}: {report:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_hundred_refits_of_a_turning_city_do_not_lose_its_splits() {
    let mesh = generate::city(20_000, 3).expect("a valid city");
    for quality in BuildQuality::ALL {
        let options = BuildOptions { quality, ..BuildOptions::default() };
        let mut bvh = MeshBvh::build(&mesh, &options);
        for step in 1..=100 {
            let turn = Mat3::from_rotation_z(step as f32 * std::f32::consts::TAU / 100.0);
            let turned = mesh.positions().iter().map(|&p| turn * p);
            let turned = mesh.with_positions(turned).expect("finite positions");
            bvh.refit(&turned).expect("the same triangles");
        }
        let report = bvh.refit(&mesh).expect("the same triangles");
        assert!(report.degradation() < 1.01, "{quality:?}: {report:?}");
    }
}
