//! Pairs of meshes: overlap, crossings and distance. Intersections of a mesh with itself.

use engine::{MeshDistance, MeshPair, TriangleCrossing};

use crate::{
    bvh::hitscan_bvh,
    bvh_lists::ListOut,
    call::entry,
    memory::{Caller, plain},
    rays::HITSCAN_NO_TRIANGLE,
    scene::transform,
    status::{Failure, hitscan_status, refused},
};

/// A segment in which a triangle of a first mesh and one of a second cross, in the space of the first.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct hitscan_mesh_crossing {
    /// The triangle of each mesh.
    pub triangles: [u32; 2],
    /// The ends, equal where the triangles touch in a point.
    pub segment: [[f64; 3]; 2],
}

/// The nearest points of two meshes, in the space of the first. If none are within the maximum, distance = INFINITY and the
/// triangles are HITSCAN_NO_TRIANGLE.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct hitscan_mesh_distance {
    /// The distance, 0 exactly if the meshes overlap.
    pub distance: f64,
    /// The nearest point of each mesh.
    pub points: [[f64; 3]; 2],
    /// The triangle of each point.
    pub triangles: [u32; 2],
}

/// Two triangles, of a first and a second mesh.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct hitscan_triangle_pair {
    /// The triangle of each mesh.
    pub triangles: [u32; 2],
}

plain!(hitscan_mesh_crossing, hitscan_mesh_distance, hitscan_triangle_pair);

impl From<TriangleCrossing> for hitscan_mesh_crossing {
    fn from(found: TriangleCrossing) -> Self {
        Self { triangles: found.triangles, segment: found.segment.map(|end| end.to_array()) }
    }
}

impl hitscan_mesh_distance {
    fn new(found: Option<MeshDistance>) -> Self {
        found.map_or(
            Self {
                distance: f64::INFINITY,
                points: [[0.0; 3]; 2],
                triangles: [HITSCAN_NO_TRIANGLE; 2],
            },
            |found| Self {
                distance: found.distance,
                points: found.points.map(|point| point.to_array()),
                triangles: found.triangles,
            },
        )
    }
}

/// The two meshes of the caller.
fn pair<'a>(
    caller: &'a Caller,
    first: *const hitscan_bvh,
    second: *const hitscan_bvh,
    to_first: *const f64,
) -> Result<MeshPair<'a>, Failure> {
    let (first, second) = (caller.get(first, "first")?, caller.get(second, "second")?);
    let to_first = transform(caller, to_first)?;
    MeshPair::new(first.tree(), second.tree(), to_first)
        .map_err(|error| refused("transform", error))
}

/// Writes 1 if two meshes have a point in common, else 0. Exact.
///
/// transform takes the second mesh to the space of the first: twelve numbers, as in hitscan_instance; NULL is none.
///
/// HITSCAN_INVALID_ARGUMENT: a transform that is not finite.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_overlaps_mesh(
    first: *const hitscan_bvh,
    second: *const hitscan_bvh,
    transform: *const f64,
    overlaps: *mut u8,
) -> hitscan_status {
    entry!("hitscan_bvh_overlaps_mesh", |caller| {
        let overlaps = caller.out(overlaps, "overlaps")?;
        overlaps.write(u8::from(pair(caller, first, second, transform)?.overlaps()));
        Ok(())
    })
}

/// Writes the pairs of triangles with a point in common, ascending: as many as capacity, and their number to n_pairs, which may
/// be greater. pairs may be NULL if capacity is 0. The rest is as in hitscan_bvh_overlaps_mesh.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_overlapping_mesh(
    first: *const hitscan_bvh,
    second: *const hitscan_bvh,
    transform: *const f64,
    pairs: *mut hitscan_triangle_pair,
    capacity: usize,
    n_pairs: *mut usize,
) -> hitscan_status {
    entry!("hitscan_bvh_overlapping_mesh", |caller| {
        let list = ListOut::new(caller, pairs, capacity, n_pairs, ["pairs", "n_pairs"])?;
        let found = pair(caller, first, second, transform)?.overlapping_triangles();
        let pairs = found.iter().map(|&triangles| hitscan_triangle_pair { triangles });
        list.write(found.len(), pairs);
        Ok(())
    })
}

/// Writes the segments in which triangles of two meshes cross, in the order of the pairs, as hitscan_bvh_overlapping_mesh does.
/// Pairs in one plane have none. Segments of neighbouring triangles join to the last bit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_mesh_crossings(
    first: *const hitscan_bvh,
    second: *const hitscan_bvh,
    transform: *const f64,
    crossings: *mut hitscan_mesh_crossing,
    capacity: usize,
    n_crossings: *mut usize,
) -> hitscan_status {
    entry!("hitscan_bvh_mesh_crossings", |caller| {
        let names = ["crossings", "n_crossings"];
        let list = ListOut::new(caller, crossings, capacity, n_crossings, names)?;
        let found = pair(caller, first, second, transform)?.crossings();
        list.write(found.len(), found.into_iter().map(hitscan_mesh_crossing::from));
        Ok(())
    })
}

/// Writes the distance of two meshes and their nearest points, if it is within max_distance, which may be INFINITY. The rest is
/// as in hitscan_bvh_overlaps_mesh.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_mesh_distance(
    first: *const hitscan_bvh,
    second: *const hitscan_bvh,
    transform: *const f64,
    max_distance: f64,
    distance: *mut hitscan_mesh_distance,
) -> hitscan_status {
    entry!("hitscan_bvh_mesh_distance", |caller| {
        let distance = caller.out(distance, "distance")?;
        let found = pair(caller, first, second, transform)?.distance(max_distance);
        let found = found.map_err(|error| refused("max_distance", error))?;
        distance.write(hitscan_mesh_distance::new(found));
        Ok(())
    })
}

/// Writes the pairs of triangles of one mesh that intersect beyond the corners and edges they share, ascending: as many as
/// capacity, and their number to n_pairs, which may be greater. pairs may be NULL if capacity is 0.
///
/// Corners are shared by position, without a tolerance. Touching counts, and so do doubled triangles and triangles folded
/// onto each other. Exact.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_self_intersections(
    bvh: *const hitscan_bvh,
    pairs: *mut hitscan_triangle_pair,
    capacity: usize,
    n_pairs: *mut usize,
) -> hitscan_status {
    entry!("hitscan_bvh_self_intersections", |caller| {
        let tree = caller.get(bvh, "bvh")?.tree();
        let list = ListOut::new(caller, pairs, capacity, n_pairs, ["pairs", "n_pairs"])?;
        let found = tree.self_intersections();
        let pairs = found.iter().map(|&triangles| hitscan_triangle_pair { triangles });
        list.write(found.len(), pairs);
        Ok(())
    })
}

/// Writes 1 if hitscan_bvh_self_intersections has a pair, else 0. Ends at the first one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_has_self_intersections(
    bvh: *const hitscan_bvh,
    intersects: *mut u8,
) -> hitscan_status {
    entry!("hitscan_bvh_has_self_intersections", |caller| {
        let tree = caller.get(bvh, "bvh")?.tree();
        let intersects = caller.out(intersects, "intersects")?;
        intersects.write(u8::from(tree.has_self_intersections()));
        Ok(())
    })
}
