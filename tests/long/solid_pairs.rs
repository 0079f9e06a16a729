//! Two meshes, and one with itself, against brute force and integers.

use std::collections::BTreeSet;

use hitscan::brute_force::scaled;
use hitscan::glam::{DAffine3, DMat3, DQuat, DVec3};
use hitscan::primitives::{PairBruteForce, PairSpace};
use hitscan::{MeshPair, TriMesh};
use hitscan_testkit::{Rng, Shape};

use crate::exact::{self, Corners};
use crate::solids::{Subject, closed_subjects, part, subject, tree};
use crate::tally::{Part, Tally};

const PAIRS: usize = 600;

/// Overlap, crossings and self-intersections.
pub(crate) fn pairs() -> Part {
    let closed = closed_subjects();
    part(
        "solids, pairs of triangles",
        "two placed meshes overlap, and cross, in the pairs of triangles that integers without rounding say, and have the segments \
         of brute force to the last bit; so does one mesh with itself; coplanar, touching and doubled triangles, scales \
         2^-60 to 2^60, affine transforms, singular ones too; a ray is a pair of triangles whose boxes meet, one that hits is a pair that \
         overlaps; seeds from 93,000,000 on",
        93_000_000,
        PAIRS,
        move |rng, tally| {
            let (first, second, transforms) = placed_pair(&closed, rng);
            let name = || format!("{} and {}, {transforms:?}", first.name, second.name);
            let (first, second) = (&first.mesh, &second.mesh);
            let bvhs = [tree(first, rng), tree(second, rng)];
            *tally = Tally::of_mesh(&bvhs);
            let pair = MeshPair::placed([&bvhs[0], &bvhs[1]], transforms).expect("finite");
            let scan = PairBruteForce::new([first, second], transforms).expect("finite");
            let space = PairSpace::new([first.bounds(), second.bounds()], transforms);
            let space = space.expect("finite");
            let corners = [placed(first, &space, 0), placed(second, &space, 1)];
            let (mut overlapping, mut crossing) = (Vec::new(), Vec::new());
            for (i, a) in corners[0].iter().enumerate() {
                for (j, b) in corners[1].iter().enumerate().filter(|(_, b)| boxes_meet(a, b)) {
                    tally.n_rays += 1;
                    if exact::overlap(a, b) {
                        overlapping.push([i as u32, j as u32]);
                        if !exact::is_flat(a, b) {
                            crossing.push([i as u32, j as u32]);
                        }
                    }
                }
            }
            tally.n_hits += overlapping.len() as u64;
            let crossings = pair.crossings();
            let is_right = pair.overlapping_triangles() == overlapping
                && scan.overlapping_triangles() == overlapping
                && pair.overlaps() != overlapping.is_empty()
                && crossings == scan.crossings()
                && crossings.iter().map(|found| found.triangles).eq(crossing);
            if !is_right {
                tally.wrong(name);
            }
            let found = bvhs[0].self_intersections();
            let is_right = found == PairBruteForce::self_intersections(first)
                && bvhs[0].has_self_intersections() != found.is_empty()
                && apart_pairs_are_exact(first, &found, tally);
            if !is_right {
                tally.wrong(|| format!("{} with itself", name()));
            }
        },
    )
}

/// Whether the triangles that share no corner intersect exactly where integers say.
fn apart_pairs_are_exact(mesh: &TriMesh, found: &[[u32; 2]], tally: &mut Tally) -> bool {
    let corners = placed(mesh, &PairSpace::of_one(mesh.bounds()), 0);
    let found: BTreeSet<[u32; 2]> = found.iter().copied().collect();
    let mut is_right = true;
    for (j, b) in corners.iter().enumerate() {
        for (i, a) in corners[..j].iter().enumerate() {
            if boxes_meet(a, b) && !a.iter().any(|corner| b.contains(corner)) {
                tally.n_rays += 1;
                is_right &= exact::overlap(a, b) == found.contains(&[i as u32, j as u32]);
            }
        }
    }
    is_right
}

/// The distance of two meshes.
pub(crate) fn distances() -> Part {
    let closed = closed_subjects();
    part(
        "solids, distances",
        "the distance of two placed meshes, its triangles and points are those of brute force to the last bit, for four maxima; it is 0 \
         exactly where they overlap, and else the distance of its points; meshes and transforms as for pairs; a ray is a \
         question; seeds from 94,000,000 on",
        94_000_000,
        4 * PAIRS,
        move |rng, tally| {
            let (first, second, transforms) = placed_pair(&closed, rng);
            let bvhs = [tree(&first.mesh, rng), tree(&second.mesh, rng)];
            *tally = Tally::of_mesh(&bvhs);
            let pair = MeshPair::placed([&bvhs[0], &bvhs[1]], transforms).expect("finite");
            let meshes = [&first.mesh, &second.mesh];
            let scan = PairBruteForce::new(meshes, transforms).expect("finite");
            let whole = scan.distance(f64::INFINITY).expect("a valid maximum");
            let overlaps = scan.overlaps();
            let distance = whole.map_or(1.0, |found| found.distance);
            for max in [f64::INFINITY, 0.0, distance, distance * rng.pick(&[0.5, 0.999_999, 1.5])] {
                let found = pair.distance(max).expect("a valid maximum");
                tally.n_rays += 1;
                tally.n_hits += u64::from(found.is_some());
                // The whole distance, unless the maximum is less.
                let expected = whole.filter(|found| found.distance <= max);
                let is_right = found == expected
                    && found.is_none_or(|found| (found.distance == 0.0) == overlaps)
                    && found.is_none_or(|found| {
                        let [p, q] = found.points;
                        let apart = (p / distance.max(1e-300) - q / distance.max(1e-300)).length();
                        let size = p.abs().max(q.abs()).max_element() / distance.max(1e-300);
                        overlaps || (apart - 1.0).abs() <= 1e-12 + 1e-15 * size
                    });
                if !is_right {
                    tally.wrong(|| {
                        format!("{}, {}: {transforms:?}, {max}: {found:?}", first.name, second.name)
                    });
                }
            }
        },
    )
}

/// Two meshes with transforms that bring them near each other.
fn placed_pair(closed: &[Shape], rng: &mut Rng) -> (Subject, Subject, [DAffine3; 2]) {
    let (first, second) = (subject(closed, rng), subject(closed, rng));
    let size = |subject: &Subject| {
        let largest = f64::from(subject.mesh.bounds().max_abs_coordinate());
        if largest > 0.0 { 2f64.powi(largest.log2().round() as i32) } else { 1.0 }
    };
    let (size, other) = (size(&first), size(&second));
    let mut transform = transform(rng);
    transform.matrix3 *= size / other;
    transform.translation *= size;
    // Corner at corner, half of the time.
    if rng.one_in(2) && !first.mesh.triangles().is_empty() && !second.mesh.triangles().is_empty() {
        let [to, from] = [&first.mesh, &second.mesh].map(|mesh| {
            let corners = mesh.corners(rng.below(mesh.triangles().len()) as u32);
            rng.pick(&corners).as_dvec3()
        });
        transform.translation = to - transform.matrix3 * from;
    }
    let both = match rng.below(3) {
        0 => {
            let place = self::transform(rng);
            [place, place * transform]
        }
        _ => [DAffine3::IDENTITY, transform],
    };
    (first, second, both)
}

/// Whole turns, mirrors and stretches, or any.
fn transform(rng: &mut Rng) -> DAffine3 {
    let vector = |rng: &mut Rng| rng.in_cube().as_dvec3();
    let matrix3 = match rng.below(8) {
        0..3 => DMat3::IDENTITY,
        3 => DMat3::from_cols(DVec3::Y, -DVec3::X, DVec3::Z),
        4 => DMat3::from_diagonal(DVec3::new(1.0, -2.0, 0.5)),
        5 => DMat3::from_diagonal(DVec3::new(1.0, 1.0, 0.0)),
        6 => DMat3::from_diagonal(vector(rng)),
        _ => DMat3::from_quat(DQuat::from_axis_angle(rng.direction().as_dvec3().normalize(), 1.0)),
    };
    let shift = vector(rng);
    let translation = rng.pick(&[DVec3::ZERO, (2.0 * shift).round(), shift, 0.1 * shift]);
    DAffine3 { matrix3, translation }
}

/// The triangles of a mesh in pair space.
fn placed(mesh: &TriMesh, space: &PairSpace, index: usize) -> Vec<Corners> {
    let scale = mesh.query_scale();
    let corners = |triangle: u32| {
        space.corners(index, mesh.corners(triangle).map(|corner| scaled(corner, scale)))
    };
    (0..mesh.triangles().len() as u32).map(corners).collect()
}

fn boxes_meet(a: &Corners, b: &Corners) -> bool {
    let least = |[p, q, r]: &Corners| p.min(*q).min(*r);
    let most = |[p, q, r]: &Corners| p.max(*q).max(*r);
    (least(a).cmple(most(b)) & least(b).cmple(most(a))).all()
}
