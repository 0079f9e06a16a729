//! Balls along rays, sections, and scenes of both, against brute force and exact sides.

use hitscan::brute_force::BruteForce;
use hitscan::glam::{DVec3, Vec3};
use hitscan::scene::{QueryOptions, SceneBruteForce, WorldRay};
use hitscan::{
    BuildOptions, BuildQuality, Isa, Layout, MeshBvh, SectionPlane, SectionPolyline, SphereCast,
    TriMesh,
};
use hitscan_testkit::{Rng, Shape, SoupKind, closed_shapes, soup_of, stitched_shapes};
use rayon::prelude::*;

use crate::exact;
use crate::making::{random_ray, random_scene, random_triangle, world_corners};
use crate::tally::{Part, Tally};

const UNITS: usize = 44;
const MESHES: usize = 250;
const CASTS: usize = 400;
const PLANES: usize = 250;
const SCENES: usize = 250;
const QUESTIONS_OF_SCENE: usize = 20;

/// Kinds whose coordinates have no more digits than a product of two in f64, after any scaling.
const KINDS: [SoupKind; 11] = [
    SoupKind::Random,
    SoupKind::Slivers,
    SoupKind::Duplicates,
    SoupKind::ZeroArea,
    SoupKind::Grid,
    SoupKind::AxisPlanes,
    SoupKind::Stack,
    SoupKind::Fan,
    SoupKind::LongThin,
    SoupKind::Line,
    SoupKind::HeightField,
];

/// A mesh of few triangles.
pub(crate) struct Subject {
    pub(crate) name: String,
    pub(crate) mesh: TriMesh,
    /// Whether every edge has an even number of triangles.
    is_closed: bool,
}

/// The closed meshes to choose from.
pub(crate) fn closed_subjects() -> Vec<Shape> {
    let mut shapes = closed_shapes(24);
    shapes.extend(stitched_shapes(24, 45));
    shapes
}

/// A closed mesh, an open part of one, or a soup of any kind, at a scale between 2^-60 and 2^60 half of the time.
pub(crate) fn subject(closed: &[Shape], rng: &mut Rng) -> Subject {
    let choice = rng.below(8);
    let (name, mesh) = if choice < 4 {
        let Shape { name, mesh } = &closed[rng.below(closed.len())];
        (name.clone(), mesh.clone())
    } else {
        let (kind, n) = (rng.pick(&KINDS), 1 + rng.below(24));
        let Shape { name, mesh } = soup_of(kind, rng, n);
        (name, mesh)
    };
    let mesh = if choice == 3 { opened(&mesh, rng) } else { mesh };
    let exponent = if rng.one_in(2) { 0 } else { rng.below(121) as i32 - 60 };
    let scale = 2f32.powi(exponent);
    let scaled = mesh.with_positions(mesh.positions().iter().map(|&p| p * scale));
    let mesh = scaled.expect("scaled positions are finite");
    Subject { name: format!("{name}, 2^{exponent}"), mesh, is_closed: choice < 3 }
}

fn opened(mesh: &TriMesh, rng: &mut Rng) -> TriMesh {
    let kept = mesh.triangles().iter().copied().filter(|_| !rng.one_in(4)).collect();
    TriMesh::from_vecs(mesh.positions().to_vec(), kept).expect("the triangles of a mesh")
}

/// A tree of any quality, layout and instruction set.
pub(crate) fn tree(mesh: &TriMesh, rng: &mut Rng) -> MeshBvh {
    let (quality, layout) = (rng.pick(&BuildQuality::ALL), rng.pick(&Layout::ALL));
    MeshBvh::build(mesh, &BuildOptions { quality, layout, isa: rng.pick(&Isa::available()) })
}

/// A part with `n` meshes or scenes in each unit, shared out over all threads.
pub(crate) fn part(
    name: &'static str,
    promise: &'static str,
    first_seed: u64,
    n: usize,
    check: impl Fn(&mut Rng, &mut Tally) + Sync + Send + 'static,
) -> Part {
    let run = move |unit: usize| {
        let of_seed = |i: usize| {
            let seed = first_seed + (unit * n + i) as u64;
            let (mut rng, mut tally) = (Rng::new(seed), Tally::default());
            check(&mut rng, &mut tally);
            if let Some(wrong) = &mut tally.first_wrong {
                *wrong = format!("seed {seed}: {wrong}");
            }
            tally
        };
        (0..n).into_par_iter().map(of_seed).sum()
    };
    Part { name, promise, n_units: UNITS, run: Box::new(run) }
}

/// Balls along rays.
pub(crate) fn sphere_casts() -> Part {
    let closed = closed_subjects();
    part(
        "solids, sphere casts",
        "the first, any and all contacts of a ball along a ray, alone and in batches, are those of brute force to the last bit, \
         and at the first contact the ball touches its triangle; meshes of 1 to 100 triangles, closed, open, or none, in tangency, \
         scales 2^-60 to 2^60; a ray is a cast; seeds from 90,000,000 on",
        90_000_000,
        MESHES,
        move |rng, tally| {
            let Subject { name, mesh, .. } = subject(&closed, rng);
            let bvh = tree(&mesh, rng);
            *tally = Tally::of_mesh([&bvh]);
            if mesh.triangles().is_empty() {
                return;
            }
            let casts: Vec<SphereCast> = (0..CASTS).filter_map(|_| ball(&mesh, rng)).collect();
            let mut batch = vec![None; casts.len()];
            bvh.sphere_cast_batch(&casts, &mut batch);
            let scan = BruteForce::new(&mesh);
            for (cast, of_batch) in casts.iter().zip(batch) {
                let expected = scan.sphere_cast_all(cast);
                let first = bvh.sphere_cast(cast);
                tally.n_rays += 1;
                tally.n_hits += u64::from(first.is_some());
                let is_same = first == expected.first().copied()
                    && of_batch == first
                    && bvh.sphere_cast_any(cast) == first.is_some()
                    && bvh.sphere_cast_all(cast) == expected;
                if !is_same {
                    tally.wrong(|| format!("{name}: {first:?}, {cast:?}"));
                } else if !touches(&mesh, cast, first) {
                    let corners = first.map(|found| mesh.corners(found.triangle));
                    tally.wrong(|| format!("{name} touches {corners:?}: {first:?}, {cast:?}"));
                }
            }
        },
    )
}

/// A ball that goes from anywhere to near the mesh, or along an axis of a grid, with a radius of any size or of the grid.
fn ball(mesh: &TriMesh, rng: &mut Rng) -> Option<SphereCast> {
    let size = mesh.bounds().max_abs_coordinate();
    let near = |rng: &mut Rng| {
        let [a, b, c] = mesh.corners(rng.below(mesh.triangles().len()) as u32);
        let inside = a.lerp(b, rng.unit()).lerp(c, rng.unit());
        let on_it = rng.pick(&[a, a.lerp(b, 0.5), inside]);
        on_it + rng.pick(&[0.0, 1e-6, 0.1, 0.5, 1.0, 2.0, 1e4]) * size * rng.in_cube()
    };
    let (from, to) = (near(rng), near(rng));
    let axis = rng.pick(&Vec3::AXES) * rng.pick(&[size, -size]);
    // Beside a corner by whole units of a grid, so that the ball is tangent to what it passes.
    let beside = mesh.corners(rng.below(mesh.triangles().len()) as u32)[0] - 3.0 * axis
        + rng.pick(&Vec3::AXES) * size * rng.pick(&[0.25, 0.5, 1.0]);
    let (origin, direction) =
        rng.pick(&[(from, to - from), (from, to - from), (from, axis), (beside, axis)]);
    let (t_min, t_max) = rng.pick(&[
        (0.0, f64::INFINITY),
        (0.0, 1.0),
        (f64::NEG_INFINITY, f64::INFINITY),
        (-0.5, 0.75),
    ]);
    let radius = rng.pick(&[0.0, 1e-9, 1e-4, 0.01, 0.1, 0.25, 0.5, 1.0, 3.0]) * f64::from(size);
    let ray = WorldRay::new(origin.as_dvec3(), direction.as_dvec3()).with_range(t_min, t_max);
    SphereCast::new(ray, radius).ok()
}

/// Whether the ball is as far from the point of its contact as its radius, or begins nearer, and whether the point is on the triangle.
fn touches(mesh: &TriMesh, cast: &SphereCast, found: Option<hitscan::SphereContact>) -> bool {
    let Some(found) = found else { return true };
    if cast.radius() == 0.0 {
        return true;
    }
    // Near 1, so that no square leaves the range of f64.
    let unit = 1.0 / f64::from(mesh.bounds().max_abs_coordinate());
    let (center, point) = (cast.ray().at(found.t) * unit, found.point * unit);
    let [a, b, c] = mesh.corners(found.triangle).map(|corner| corner.as_dvec3() * unit);
    let off = point.distance(a + found.u * (b - a) + found.v * (c - a));
    let is_within = found.u >= 0.0 && found.v >= 0.0 && found.u + found.v <= 1.0 + 1e-15;
    let (radius, from) = (cast.radius() * unit, cast.ray().origin * unit);
    let slack = 1e-12 * (1.0 + radius + from.length() + center.length());
    let distance = center.distance(point);
    let starts_there = found.t == cast.ray().t_min;
    is_within
        && off <= slack
        && distance <= radius + slack
        && (starts_there || distance >= radius - slack)
}

/// Sections by planes.
pub(crate) fn sections() -> Part {
    let closed = closed_subjects();
    part(
        "solids, sections",
        "the polylines of a section are those of brute force to the last bit; only triangles with corners on both sides are cut, \
         by the signs of integers, and each of them that does not only touch; closed meshes have closed polylines; planes \
         through corners, edges and faces; meshes as for sphere casts; a ray is a section; seeds from 91,000,000 on",
        91_000_000,
        MESHES,
        move |rng, tally| {
            let Subject { name, mesh, is_closed } = subject(&closed, rng);
            let bvh = tree(&mesh, rng);
            *tally = Tally::of_mesh([&bvh]);
            if mesh.triangles().is_empty() {
                return;
            }
            let scan = BruteForce::new(&mesh);
            for _ in 0..PLANES {
                let Some(plane) = plane(&mesh, rng) else { continue };
                let found = bvh.section(&plane);
                tally.n_rays += 1;
                tally.n_hits += u64::from(!found.is_empty());
                let is_open = is_closed && found.iter().any(|polyline| !polyline.is_closed);
                if found != scan.section(&plane) || is_open || !cuts_exactly(&mesh, &plane, &found)
                {
                    tally.wrong(|| format!("{name}: {plane:?}"));
                }
            }
        },
    )
}

/// A plane through up to three corners or across an axis, or any.
fn plane(mesh: &TriMesh, rng: &mut Rng) -> Option<SectionPlane> {
    let corner = |rng: &mut Rng| {
        let corners = mesh.corners(rng.below(mesh.triangles().len()) as u32);
        rng.pick(&corners).as_dvec3()
    };
    let point = match rng.below(4) {
        0 => mesh.bounds().center().as_dvec3(),
        1 => 0.5 * (corner(rng) + corner(rng)),
        _ => corner(rng),
    };
    let normal = match rng.below(4) {
        0 => DVec3::AXES[rng.below(3)],
        1 => (corner(rng) - point).cross(corner(rng) - point),
        2 => DVec3::new(1.0, f64::from(rng.below(3) as u32) - 1.0, 1.0),
        _ => rng.direction().as_dvec3(),
    };
    SectionPlane::new(point, normal * rng.pick(&[1.0, -1.0, 1e-3])).ok()
}

/// Whether the polylines have exactly the triangles with a corner below the plane and one above it or in it, but those that
/// only touch it or whose segment is shorter than a rounding.
fn cuts_exactly(mesh: &TriMesh, plane: &SectionPlane, found: &[SectionPolyline]) -> bool {
    let mut cut: Vec<u32> = found.iter().flat_map(|polyline| polyline.triangles.clone()).collect();
    cut.sort_unstable();
    (0..mesh.triangles().len() as u32).all(|triangle| {
        let corners = mesh.corners(triangle).map(|corner| corner.as_dvec3());
        let sides = exact::sides(&corners, plane.point(), plane.normal());
        let is_across = sides.iter().any(|&side| side < 0) && sides.iter().any(|&side| side >= 0);
        match cut.binary_search(&triangle) {
            Ok(_) => is_across,
            Err(_) => !is_across || may_be_a_point(&corners, sides, plane),
        }
    })
}

/// Whether the segment of a triangle may be a point: where one corner alone is in the plane or within a rounding of it, two
/// corners are one, or the ends of the segment are nearer than a rounding.
fn may_be_a_point(corners: &[DVec3; 3], sides: [i8; 3], plane: &SectionPlane) -> bool {
    let [a, b, c] = *corners;
    let size = a.abs().max(b.abs()).max(c.abs()).max_element();
    let area = ((b - a) / size).cross((c - a) / size).length();
    let is_lone = |i: &usize| (0..3).all(|j| *i == j || (sides[*i] >= 0) != (sides[j] >= 0));
    let lone = (0..3).find(is_lone).expect("the plane cuts the triangle");
    let height = plane.normal().dot(corners[lone] - plane.point()) / plane.normal().length();
    let touches = height.abs() < 1e-13 * (size + plane.point().length());
    touches || a == b || b == c || c == a || area < 1e-7
}

/// Balls, sections and near instances in scenes.
pub(crate) fn scenes() -> Part {
    part(
        "solids, scenes",
        "contacts of balls along rays, instances that touch one or are near it, and sections of scenes of 6 instances, groups and \
         mirrored, sheared and stretched ones are those of the loop over all instances to the last bit; a ray is a question; \
         seeds from 92,000,000 on",
        92_000_000,
        SCENES,
        |rng, tally| {
            let far = if rng.one_in(2) { DVec3::ZERO } else { rng.in_cube().as_dvec3() * 1e7 };
            let scene = random_scene(rng, 6, far);
            tally.n_meshes += 1;
            let scan = SceneBruteForce::new(&scene);
            let options = QueryOptions::default();
            let ids: Vec<_> = scene.iter().map(|(id, _)| id).collect();
            for question in 0..QUESTIONS_OF_SCENE {
                let Some((id, triangle)) = random_triangle(&scene, rng) else { return };
                let [a, b, c] = world_corners(&scene, id, triangle);
                let size = (b - a).length().max((c - a).length());
                let (is_found, is_same) = if question == 0 {
                    let id = rng.pick(&ids);
                    let (found, near) = (
                        scene.instances_touching(id, &options),
                        scene.instances_near(id, size, &options),
                    );
                    let is_same = found == scan.instances_touching(id, &options)
                        && near == scan.instances_near(id, size, &options);
                    (!found.is_empty(), is_same)
                } else if question % 4 == 1 {
                    let any = rng.direction().as_dvec3();
                    let normal = rng.pick(&[DVec3::X, any]);
                    let Ok(plane) = SectionPlane::new(a, normal) else { continue };
                    let found = scene.section(&plane, &options);
                    (!found.is_empty(), found == scan.section(&plane, &options))
                } else {
                    let radius = rng.pick(&[0.0, 1e-6, 0.01, 0.5, 3.0, 20.0]) * size;
                    let ray = random_ray(&scene, rng);
                    let Ok(cast) = SphereCast::new(ray, radius) else { continue };
                    let all = scene.sphere_cast_all(&cast, &options);
                    let first = scene.sphere_cast(&cast, &options);
                    let is_same = all == scan.sphere_cast_all(&cast, &options)
                        && first == all.first().copied()
                        && scene.sphere_cast_any(&cast, &options) == first.is_some();
                    (first.is_some(), is_same)
                };
                tally.n_rays += 1;
                tally.n_hits += u64::from(is_found);
                if !is_same {
                    tally.wrong(|| format!("question {question} about {triangle} of {id:?}"));
                }
            }
        },
    )
}
