//! Queries of a tree without a ray: closest points, regions.

use engine::{Aabb, ConvexRegion, Sphere, SurfacePoint};

use crate::{
    bvh::hitscan_bvh,
    bvh_lists::ListOut,
    bvh_rays::resize,
    call::entry,
    memory::{Caller, plain},
    rays::{HITSCAN_NO_TRIANGLE, point},
    status::{Failure, hitscan_status, invalid},
};

/// The closest point of a surface. If there is none, distance = INFINITY and triangle = HITSCAN_NO_TRIANGLE.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct hitscan_surface_point {
    /// The point, in the space of the mesh.
    pub point: [f64; 3],
    /// The distance.
    pub distance: f64,
    /// The triangle.
    pub triangle: u32,
    /// The weight of the second corner.
    pub u: f32,
    /// The weight of the third corner.
    pub v: f32,
    /// 0.
    pub reserved: u32,
}

plain!(hitscan_surface_point);

impl hitscan_surface_point {
    fn new(found: Option<SurfacePoint>) -> Self {
        match found {
            None => Self {
                point: [0.0; 3],
                distance: f64::INFINITY,
                triangle: HITSCAN_NO_TRIANGLE,
                u: 0.0,
                v: 0.0,
                reserved: 0,
            },
            Some(SurfacePoint { triangle, point, u, v, distance }) => {
                Self { point: point.to_array(), distance, triangle, u, v, reserved: 0 }
            }
        }
    }
}

/// A distance of the caller: not negative and not NaN.
pub(crate) fn check_distance(distance: f64, name: &str) -> Result<(), Failure> {
    match distance >= 0.0 {
        true => Ok(()),
        false => Err(invalid(name, distance, "a number that is not negative")),
    }
}

/// Writes the point of the surface that is closest to a point, within max_distance, which may be INFINITY.
/// Takes no memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_closest_point(
    bvh: *const hitscan_bvh,
    point: *const f32,
    max_distance: f64,
    closest: *mut hitscan_surface_point,
) -> hitscan_status {
    entry!("hitscan_bvh_closest_point", |caller| {
        let tree = caller.get(bvh, "bvh")?.tree();
        let closest = caller.out(closest, "closest")?;
        let point = self::point(caller, point, "point")?;
        check_distance(max_distance, "max_distance")?;
        closest.write(hitscan_surface_point::new(tree.closest_point(point, max_distance)));
        Ok(())
    })
}

/// Writes the closest point of each point, on all threads, in the order of the points. A point that is not finite
/// has none. Any order of the points is fast. Strides are in bytes; 0 is no gap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_closest_point_batch(
    bvh: *const hitscan_bvh,
    points: *const f32,
    n_points: usize,
    point_stride: usize,
    max_distance: f64,
    closest: *mut hitscan_surface_point,
    closest_stride: usize,
) -> hitscan_status {
    entry!("hitscan_bvh_closest_point_batch", |caller| {
        let tree = caller.get(bvh, "bvh")?.tree();
        let points = caller.strided::<[f32; 3]>(points.cast(), n_points, point_stride, "points")?;
        let mut closest = caller.strided_out(closest, n_points, closest_stride, "closest")?;
        check_distance(max_distance, "max_distance")?;
        let mut found = Vec::new();
        points.for_each_chunk(|start, points| {
            resize(&mut found, points.len())?;
            tree.closest_point_batch(points, &[max_distance], &mut found);
            closest.write(start, found.iter().copied().map(hitscan_surface_point::new));
            Ok(())
        })
    })
}

/// Writes the triangles that touch a box, ascending: as many as capacity, and their number to n_triangles, which
/// may be greater. triangles may be NULL if capacity is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_overlapping_box(
    bvh: *const hitscan_bvh,
    min: *const f32,
    max: *const f32,
    triangles: *mut u32,
    capacity: usize,
    n_triangles: *mut usize,
) -> hitscan_status {
    entry!("hitscan_bvh_overlapping_box", |caller| {
        let tree = caller.get(bvh, "bvh")?.tree();
        let list = triangles_out(caller, triangles, capacity, n_triangles)?;
        let [min, max] = [point(caller, min, "min")?, point(caller, max, "max")?];
        let region = Aabb::new(min, max);
        write_triangles(list, |triangles| tree.overlapping_box_into(&region, triangles));
        Ok(())
    })
}

/// Writes the triangles that touch a ball, ascending, as hitscan_bvh_overlapping_box does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_overlapping_sphere(
    bvh: *const hitscan_bvh,
    center: *const f32,
    radius: f32,
    triangles: *mut u32,
    capacity: usize,
    n_triangles: *mut usize,
) -> hitscan_status {
    entry!("hitscan_bvh_overlapping_sphere", |caller| {
        let tree = caller.get(bvh, "bvh")?.tree();
        let list = triangles_out(caller, triangles, capacity, n_triangles)?;
        check_distance(f64::from(radius), "radius")?;
        let region = Sphere::new(point(caller, center, "center")?, radius);
        write_triangles(list, |triangles| tree.overlapping_sphere_into(&region, triangles));
        Ok(())
    })
}

/// Writes the triangles that touch a convex region, such as a frustum, ascending, as hitscan_bvh_overlapping_box
/// does. The region is the points with a x + b y + c z + d >= 0 for each plane (a, b, c, d).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_overlapping_convex(
    bvh: *const hitscan_bvh,
    planes: *const f64,
    n_planes: usize,
    triangles: *mut u32,
    capacity: usize,
    n_triangles: *mut usize,
) -> hitscan_status {
    entry!("hitscan_bvh_overlapping_convex", |caller| {
        let tree = caller.get(bvh, "bvh")?.tree();
        let list = triangles_out(caller, triangles, capacity, n_triangles)?;
        let region = convex(caller, planes, n_planes)?;
        write_triangles(list, |triangles| tree.overlapping_convex_into(&region, triangles));
        Ok(())
    })
}

/// The planes of the caller as a region.
pub(crate) fn convex(
    caller: &Caller,
    planes: *const f64,
    n_planes: usize,
) -> Result<ConvexRegion, Failure> {
    let planes = caller.array::<[f64; 4]>(planes.cast(), n_planes, "planes")?;
    if let Some(i) = planes.iter().position(|plane| plane.iter().any(|x| !x.is_finite())) {
        return Err(invalid(
            "planes",
            format_args!("plane {i} is {:?}", planes[i]),
            "finite numbers",
        ));
    }
    Ok(ConvexRegion::from_coefficients(planes.iter().copied()))
}

fn triangles_out(
    caller: &Caller,
    triangles: *mut u32,
    capacity: usize,
    n_triangles: *mut usize,
) -> Result<ListOut<'_, u32>, Failure> {
    ListOut::new(caller, triangles, capacity, n_triangles, ["triangles", "n_triangles"])
}

fn write_triangles(list: ListOut<'_, u32>, find: impl FnOnce(&mut Vec<u32>)) {
    let mut triangles = Vec::new();
    find(&mut triangles);
    list.write(triangles.len(), triangles.iter().copied());
}
