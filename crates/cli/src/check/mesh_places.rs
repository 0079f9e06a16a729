//! Compares the queries about points and regions, and those with a filter, with brute force.

use std::ops::ControlFlow;
use std::sync::Arc;

use hitscan::glam::Vec3;
use hitscan::primitives::brute_force::{BruteForce, scaled};
use hitscan::{
    Aabb, ConvexRegion, Faces, Hit, HitMode, HitOptions, MeshBvh, Ray, Sphere, SurfacePoint,
    TriMesh, WindingTree,
};
use hitscan_oracle::{HostileRays, N_NEAREST, Oracle, RayHits};
use rayon::prelude::*;

use super::rays::FACES;
use super::tally::Tally;

/// A point or region of every query, with the answers of brute force.
#[derive(Debug)]
struct Place {
    point: Vec3,
    max_distance: f64,
    aabb: Aabb,
    sphere: Sphere,
    region: ConvexRegion,
    closest: Option<SurfacePoint>,
    closest_within: Option<SurfacePoint>,
    winding_number: f64,
    is_inside: bool,
    in_box: Vec<u32>,
    in_sphere: Vec<u32>,
    in_region: Vec<u32>,
    is_within_region: bool,
}

/// Places and rays of a mesh, with the answers of brute force.
#[derive(Debug)]
pub(crate) struct Places {
    places: Vec<Place>,
    rays: Vec<(Ray, Faces, RayHits)>,
}

/// The number of rays of a check for each place and each ray with a filter. A place costs about as much as
/// ten rays, and so does a ray with a filter in a tree.
pub(super) const RAYS_PER_PLACE: usize = 16;

impl Places {
    /// Scans all triangles for each place and ray: a sixteenth of `n_rays`, at the next rays of `stream`.
    pub(super) fn new(
        mesh: &TriMesh,
        oracle: &Oracle,
        stream: &mut HostileRays<'_>,
        n_rays: usize,
    ) -> Self {
        let n = n_rays.div_ceil(RAYS_PER_PLACE);
        let scan = BruteForce::new(mesh);
        let pairs = stream.next_rays(2 * n);
        let places = pairs.par_chunks_exact(2).with_max_len(1).enumerate();
        let places =
            places.map(|(i, pair)| Place::new(mesh, &scan, i, [pair[0], pair[1]])).collect();
        let rays = stream.next_rays(n);
        let rays = rays.into_par_iter().with_max_len(1).enumerate().map(|(i, ray)| {
            let faces = FACES[i % FACES.len()];
            (ray, faces, oracle.hits(&ray).seen_by(faces))
        });
        Self { places, rays: rays.collect() }
    }

    /// Compares the answers of a tree.
    pub(super) fn compare(&self, tree: &Arc<MeshBvh>) -> Tally {
        let winding = WindingTree::new(tree.clone());
        let places = self.places.par_iter().map(|place| place.compare(tree, &winding));
        let rays = self.rays.par_iter().map(|(ray, faces, hits)| filtered(tree, ray, *faces, hits));
        let mut sum = places.chain(rays).reduce(Tally::default, Tally::with);
        if !self.places.is_empty() {
            let mut visited = Vec::new();
            let _: ControlFlow<()> = tree.visit(
                |_| true,
                |triangle| {
                    visited.push(triangle);
                    ControlFlow::Continue(())
                },
            );
            visited.sort_unstable();
            let all: Vec<u32> = (0..tree.n_triangles() as u32).collect();
            sum.compare("visit", &"everything", &all, &visited);
        }
        sum
    }
}

impl Place {
    /// The place around the end of a ray: on a vertex, an edge or a face, inside, or far away. The second ray
    /// gives the size of the regions.
    fn new(mesh: &TriMesh, scan: &BruteForce<'_>, i: usize, [ray, other]: [Ray; 2]) -> Self {
        let end = |ray: &Ray, i: usize| match i % 2 {
            0 => ray.origin,
            _ => ray.origin + ray.direction,
        };
        let (point, corner) = (end(&ray, i), end(&other, i / 2));
        let closest = scan.closest_point(point, f64::INFINITY);
        let distance = closest.map_or(1.0, |closest| closest.distance);
        // Exactly at the surface, or short of it.
        let max_distance = [distance, distance.next_down(), 0.5 * distance][i % 3];
        let (min, max) = match i % 8 {
            0 => (point, corner),
            _ => (point.min(corner), point.max(corner)),
        };
        let radius = [distance as f32, point.distance(corner), 0.0][i % 3];
        // Some regions hold the whole mesh.
        let away =
            if i.is_multiple_of(5) { mesh.bounds().center() - point } else { corner - point };
        let planes = [away, ray.direction, other.direction].map(|normal| {
            let normal = normal.as_dvec3();
            normal.extend(-normal.dot(point.as_dvec3())).to_array()
        });
        let region = ConvexRegion::from_coefficients(planes.into_iter().take(1 + i % 3));
        let (aabb, sphere) = (Aabb { min, max }, Sphere { center: point, radius });
        let sum = scan.winding_sum(point);
        let scale = mesh.query_scale();
        let scaled_region = region.scaled(scale);
        let is_corner_in = |&p: &u32| {
            scaled_region.contains(scaled(mesh.positions()[p as usize], scale).as_dvec3())
        };
        Self {
            point,
            max_distance,
            closest,
            closest_within: scan.closest_point(point, max_distance),
            winding_number: sum.winding_number(),
            is_inside: sum.is_inside(),
            in_box: scan.overlapping_box(&aabb),
            in_sphere: scan.overlapping_sphere(&sphere),
            in_region: scan.overlapping_convex(&region),
            is_within_region: mesh.triangles().as_flattened().iter().all(is_corner_in),
            aabb,
            sphere,
            region,
        }
    }

    fn compare(&self, tree: &MeshBvh, winding: &WindingTree) -> Tally {
        let mut sum = Tally::default();
        let point = self.point;
        let bits = |point: Option<SurfacePoint>| point.as_ref().map(point_bits);
        let found = tree.closest_point(point, f64::INFINITY);
        sum.compare("closest_point", &point, &bits(self.closest), &bits(found));
        let case = (point, self.max_distance);
        let found = tree.closest_point(point, self.max_distance);
        sum.compare("closest_point", &case, &bits(self.closest_within), &bits(found));
        sum.compare("is_inside", &point, &self.is_inside, &winding.is_inside(point));
        let distance = self.closest.map(|closest| closest.distance);
        let signed = distance.map(|d| if self.is_inside && d > 0.0 { -d } else { d });
        let found = winding.signed_distance(point);
        let as_bits = |distance: Option<f64>| distance.map(f64::to_bits);
        sum.compare("signed_distance", &point, &as_bits(signed), &as_bits(found));
        for tolerance in [0.0, 1e-3] {
            let found = winding.winding_number(point, tolerance);
            let is_bounded = (found.value - self.winding_number).abs() <= found.max_error;
            let case = (point, tolerance, self.winding_number, found);
            sum.compare("winding_number", &case, &true, &is_bounded);
        }
        let mut triangles = Vec::new();
        tree.overlapping_box_into(&self.aabb, &mut triangles);
        sum.compare("box", &self.aabb, &self.in_box, &triangles);
        sum.compare("box", &self.aabb, &!self.in_box.is_empty(), &tree.overlaps_box(&self.aabb));
        tree.overlapping_sphere_into(&self.sphere, &mut triangles);
        sum.compare("sphere", &self.sphere, &self.in_sphere, &triangles);
        let found = tree.overlaps_sphere(&self.sphere);
        sum.compare("sphere", &self.sphere, &!self.in_sphere.is_empty(), &found);
        tree.overlapping_convex_into(&self.region, &mut triangles);
        sum.compare("convex", &self.region, &self.in_region, &triangles);
        let found = tree.overlaps_convex(&self.region);
        sum.compare("convex", &self.region, &!self.in_region.is_empty(), &found);
        let found = tree.is_within_convex(&self.region);
        sum.compare("within", &self.region, &self.is_within_region, &found);
        self.compare_visit(tree, &mut sum);
        sum
    }

    /// The triangles below the boxes that touch the own box: all that touch it, each once.
    fn compare_visit(&self, tree: &MeshBvh, sum: &mut Tally) {
        let Aabb { min, max } = self.aabb;
        let touches = |bounds: &Aabb| bounds.min.cmple(max).all() && min.cmple(bounds.max).all();
        let mut visited = Vec::new();
        let _: ControlFlow<()> = tree.visit(touches, |triangle| {
            visited.push(triangle);
            ControlFlow::Continue(())
        });
        visited.sort_unstable();
        let is_once = visited.windows(2).all(|pair| pair[0] != pair[1]);
        let is_complete = self.in_box.iter().all(|t| visited.binary_search(t).is_ok());
        sum.compare("visit", &self.aabb, &[true; 2], &[is_once, is_complete]);
    }
}

/// The rule of the queries with a filter: two of three triangles.
fn accepts(hit: &Hit) -> bool {
    hit.triangle % 3 != 1
}

/// Compares the queries with a filter, and the closest hit that counts its work.
fn filtered(tree: &MeshBvh, ray: &Ray, faces: Faces, hits: &RayHits) -> Tally {
    let mut sum = Tally::default();
    let case = (ray, faces);
    let accepted = |hits: &[Hit]| -> Vec<Hit> { hits.iter().copied().filter(accepts).collect() };
    let (every, once) = (accepted(&hits.every_triangle), accepted(&hits.once_per_crossing));
    let found = tree.closest_hit_where(ray, faces, accepts);
    sum.compare("closest_where", &case, &hit_bits(every.first()), &hit_bits(&found));
    let found = tree.is_occluded_where(ray, faces, accepts);
    sum.compare("any_where", &case, &!every.is_empty(), &found);
    let found = tree.count_crossings_where(ray, faces, accepts);
    sum.compare("crossings_where", &case, &once.len(), &found);
    let (found, _) = tree.closest_hit_with_work(ray, faces);
    sum.compare("with_work", &case, &hit_bits(hits.every_triangle.first()), &hit_bits(&found));
    let mut found = Vec::new();
    for (mode, all) in [(HitMode::EveryTriangle, &every), (HitMode::OncePerCrossing, &once)] {
        let options = HitOptions { faces, mode };
        tree.all_hits_where_into(ray, &options, accepts, &mut found);
        sum.compare("all_where", &(case, mode), &hit_bits(all), &hit_bits(&found));
        for n in N_NEAREST {
            tree.nearest_hits_where_into(ray, n, &options, accepts, &mut found);
            let first = hit_bits(all.iter().take(n));
            sum.compare("nearest_where", &(case, mode, n), &first, &hit_bits(&found));
        }
    }
    sum
}

/// The mesh with each vertex moved by up to a hundredth of the size, from which a refit leads back. `None` if
/// the mesh is too large for that.
pub(super) fn displaced(mesh: &TriMesh) -> Option<TriMesh> {
    let step = 0.01 * mesh.bounds().extent();
    let moved = mesh.positions().iter().enumerate().map(|(i, &position)| {
        let share = |factor: usize| ((i * factor) % 201) as f32 / 100.0 - 1.0;
        (position + step * Vec3::new(share(7), share(31), share(57))).to_array()
    });
    mesh.with_positions(moved.collect::<Vec<_>>()).ok()
}

/// Hits as bits, which tell -0.0 from 0.0.
fn hit_bits<'a>(hits: impl IntoIterator<Item = &'a Hit>) -> Vec<[u32; 5]> {
    hits.into_iter().map(Hit::to_bits).collect()
}

/// A point of a surface as bits.
fn point_bits(point: &SurfacePoint) -> (u32, [u64; 4], [u32; 2]) {
    let [x, y, z] = point.point.to_array().map(f64::to_bits);
    let weights = [point.u.to_bits(), point.v.to_bits()];
    (point.triangle, [x, y, z, point.distance.to_bits()], weights)
}

#[cfg(test)]
mod tests {
    use hitscan::primitives::generate;
    use hitscan::{BuildOptions, BuildQuality};

    use super::*;

    fn tally(mesh: &TriMesh, n_rays: usize, tree: MeshBvh) -> Tally {
        let mut stream = HostileRays::new(mesh, 1);
        Places::new(mesh, &Oracle::new(mesh), &mut stream, n_rays).compare(&Arc::new(tree))
    }

    #[test]
    fn a_correct_tree_shows_no_difference() {
        for mesh in [generate::torus(1.0, 0.25, 300).unwrap(), generate::soup(200, 3).unwrap()] {
            for quality in [BuildQuality::Fast, BuildQuality::High] {
                let options = BuildOptions { quality, ..BuildOptions::default() };
                let sum = tally(&mesh, 3200, MeshBvh::build(&mesh, &options));
                assert!(sum.first.is_empty(), "{:?}", sum.first);
                assert_eq!(sum.queries.len(), 15, "{:?}", sum.queries);
            }
        }
    }

    /// A mesh that lacks triangles stands for a kernel that loses them.
    #[test]
    fn lost_triangles_show_in_every_query_but_the_lists_of_the_visited() {
        let mesh = generate::sphere(1.0, 60).unwrap();
        let mut triangles = mesh.triangles().to_vec();
        triangles[..40].fill([0; 3]);
        let broken = TriMesh::from_vecs(mesh.positions().to_vec(), triangles).unwrap();
        let sum = tally(&mesh, 16_000, MeshBvh::build(&broken, &BuildOptions::default()));
        for (query, counts) in &sum.queries {
            let sees_all = ["visit", "within"].contains(query);
            assert!(counts.differences > 0 || sees_all, "{query}: {:?}", sum.queries);
        }
    }

    #[test]
    fn a_displaced_mesh_leads_back_by_a_refit() {
        let mesh = generate::torus(1.0, 0.25, 300).unwrap();
        let moved = displaced(&mesh).unwrap();
        assert!(moved.positions() != mesh.positions());
        let mut tree = MeshBvh::build(&moved, &BuildOptions::default());
        tree.refit(&mesh).unwrap();
        let sum = tally(&mesh, 1600, tree);
        assert!(sum.first.is_empty(), "{:?}", sum.first);
    }
}
