//! Sections: the polylines in which a plane cuts a tree or a scene.

use engine::{SectionPlane, SectionPolyline};

use crate::{
    bvh::hitscan_bvh,
    call::entry,
    handle::kind,
    memory::{Caller, plain, zeros},
    options::{
        HITSCAN_NO_INSTANCE, SceneOptions, hitscan_instance_id, hitscan_query_options, id_of,
    },
    rays::point,
    scene::hitscan_scene,
    status::{Failure, hitscan_status, refused},
};

/// The polylines of a plane. Immutable.
pub struct hitscan_section {
    _opaque: [u8; 0],
}

/// The polylines in the layout of the header.
#[derive(Default)]
pub(crate) struct SectionValue {
    point_starts: Vec<usize>,
    triangle_starts: Vec<usize>,
    points: Vec<[f64; 3]>,
    triangles: Vec<u32>,
    closed: Vec<u8>,
    instances: Vec<hitscan_instance_id>,
}

kind!(hitscan_section, SectionValue, *b"hs_sects");

/// The polylines of a section, in the order of their least triangles, in a scene first by instance. The points of polyline i
/// are those from point_starts[i] up to but without point_starts[i + 1], and its triangles likewise: one for each segment, the
/// last segment of a closed polyline running back to its first point. The arrays are valid until the section is released.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hitscan_section_view {
    /// sizeof(hitscan_section_view), which the caller sets.
    pub size: usize,
    /// The number of polylines.
    pub n_polylines: usize,
    /// The number of points of all polylines.
    pub n_points: usize,
    /// The number of segments of all polylines.
    pub n_triangles: usize,
    /// n_polylines + 1 places in points.
    pub point_starts: *const usize,
    /// n_polylines + 1 places in triangles.
    pub triangle_starts: *const usize,
    /// x, y and z of each point.
    pub points: *const f64,
    /// The triangle of each segment.
    pub triangles: *const u32,
    /// 1 for each polyline that is closed, else 0.
    pub closed: *const u8,
    /// The instance of each polyline; HITSCAN_NO_INSTANCE for those of a tree.
    pub instances: *const hitscan_instance_id,
}

plain!(hitscan_section_view);
zeros!(hitscan_section_view);

impl SectionValue {
    fn new<'a>(
        polylines: impl Iterator<Item = (hitscan_instance_id, &'a SectionPolyline)>,
    ) -> Self {
        let mut value = Self { point_starts: vec![0], triangle_starts: vec![0], ..Self::default() };
        for (instance, polyline) in polylines {
            value.points.extend(polyline.points.iter().map(|point| point.to_array()));
            value.triangles.extend_from_slice(&polyline.triangles);
            value.point_starts.push(value.points.len());
            value.triangle_starts.push(value.triangles.len());
            value.closed.push(u8::from(polyline.is_closed));
            value.instances.push(instance);
        }
        value
    }
}

/// The plane of the caller.
fn plane(
    caller: &Caller,
    through: *const f64,
    normal: *const f64,
) -> Result<SectionPlane, Failure> {
    let (through, normal) = (point(caller, through, "point")?, point(caller, normal, "normal")?);
    SectionPlane::new(through, normal).map_err(|error| refused("normal", error))
}

/// Finds the polylines in which a plane cuts the surface, in the space of the mesh. They are closed where the surface is closed.
/// A corner in the plane counts as above it, where the normal points. The caller releases the section with
/// hitscan_section_release, and reads it by hitscan_section_get.
///
/// point and normal are three numbers each. The normal has any length but zero.
///
/// HITSCAN_INVALID_ARGUMENT: a normal that is zero, or a number that is not finite.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_section(
    bvh: *const hitscan_bvh,
    point: *const f64,
    normal: *const f64,
    section: *mut *mut hitscan_section,
) -> hitscan_status {
    entry!("hitscan_bvh_section", |caller| {
        let section = caller.out_handle(section, "section")?;
        let tree = caller.get(bvh, "bvh")?.tree();
        let polylines = tree.section(&plane(caller, point, normal)?);
        let polylines = polylines.iter().map(|polyline| (HITSCAN_NO_INSTANCE, polyline));
        section.write(SectionValue::new(polylines));
        Ok(())
    })
}

/// Finds the polylines in which a plane cuts the instances of a scene, in the world, as hitscan_bvh_section does. options may be
/// NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_section(
    scene: *const hitscan_scene,
    point: *const f64,
    normal: *const f64,
    options: *const hitscan_query_options,
    section: *mut *mut hitscan_section,
) -> hitscan_status {
    entry!("hitscan_scene_section", |caller| {
        let section = caller.out_handle(section, "section")?;
        let scene = caller.get(scene, "scene")?;
        let options = SceneOptions::read(caller, options)?;
        let parts = scene.section(&plane(caller, point, normal)?, &options.query());
        let polylines = parts.iter().map(|part| (id_of(part.instance), &part.polyline));
        section.write(SectionValue::new(polylines));
        Ok(())
    })
}

/// Writes where the polylines are. The caller sets view->size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_section_get(
    section: *const hitscan_section,
    view: *mut hitscan_section_view,
) -> hitscan_status {
    entry!("hitscan_section_get", |caller| {
        let section = caller.get(section, "section")?;
        let value = hitscan_section_view {
            size: 0,
            n_polylines: section.closed.len(),
            n_points: section.points.len(),
            n_triangles: section.triangles.len(),
            point_starts: section.point_starts.as_ptr(),
            triangle_starts: section.triangle_starts.as_ptr(),
            points: section.points.as_flattened().as_ptr(),
            triangles: section.triangles.as_ptr(),
            closed: section.closed.as_ptr(),
            instances: section.instances.as_ptr(),
        };
        caller.write_sized(view, &value, "view")
    })
}

/// Releases a section. NULL does nothing.
///
/// HITSCAN_INVALID_HANDLE: a section that is released already.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_section_release(section: *mut hitscan_section) -> hitscan_status {
    entry!("hitscan_section_release", |caller| caller.release(section, "section"))
}
