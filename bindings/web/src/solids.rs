//! Questions about solids: balls along rays, sections, and pairs of meshes.

use hitscan_bvh::MeshPair;
use hitscan_primitives::{
    MeshPairError, SectionPlane, SectionPolyline, SphereCast, SphereContact, TriMesh,
    TriangleFeature,
    glam::{DAffine3, DVec3},
};
use hitscan_scene::Mesh;

use crate::{
    failure::{fail, fail_with},
    mesh::in_file,
    objects::{self, Object, with_built, with_scene},
    output,
    rays::{INVALID_RAY, world_ray},
    scene::number_of,
    scene_arguments::{query_options, transform},
};

/// The numbers of a contact: `t`, point, normal, triangle, feature, and the instance.
const CONTACT_NUMBERS: usize = 10;

/// The ball of the ray of the numbers 0 to 7 and the radius of number 8. [`INVALID_RAY`] and an error if the ray is invalid.
fn cast() -> Result<SphereCast, u32> {
    let ray = world_ray(std::array::from_fn(output::read));
    SphereCast::new(ray, output::read(8)).map_err(|error| {
        fail_with(&error);
        INVALID_RAY
    })
}

fn contact_numbers(contact: &SphereContact, instance: f64) -> [f64; CONTACT_NUMBERS] {
    let [x, y, z] = contact.point.to_array();
    let [a, b, c] = contact.normal.to_array();
    let feature = match contact.feature {
        TriangleFeature::Face => 0,
        TriangleFeature::Edge(edge) => 1 + edge,
        TriangleFeature::Vertex(corner) => 4 + corner,
    };
    [contact.t, x, y, z, a, b, c, contact.triangle.into(), feature.into(), instance]
}

/// The contacts of the ball of the numbers 0 to 8 as f64, ten each: the first one, all with `which` 1, or with 2 none.
/// 1 and their number as number 0 (with `which` 2, whether there is any); [`INVALID_RAY`] for an invalid ray.
#[unsafe(no_mangle)]
extern "C" fn bvh_sphere_cast(bvh: u32, which: u32) -> u32 {
    let cast = match cast() {
        Ok(cast) => cast,
        Err(invalid) => return invalid,
    };
    with_built(bvh, |mesh| {
        let offset = mesh.tri_mesh().offset();
        let local = moved(&cast, offset);
        if which == 2 {
            return put_any(mesh.bvh().sphere_cast_any(&local));
        }
        let mut contacts = match which {
            0 => mesh.bvh().sphere_cast(&local).into_iter().collect(),
            _ => mesh.bvh().sphere_cast_all(&local),
        };
        for contact in &mut contacts {
            contact.point = DVec3::from_array(in_file(mesh.tri_mesh(), contact.point));
        }
        put_contacts(contacts.iter().map(|contact| contact_numbers(contact, -1.0)))
    })
}

/// [`bvh_sphere_cast`] in a scene.
#[unsafe(no_mangle)]
extern "C" fn scene_sphere_cast(scene: u32, which: u32, layers: u32, flags: u32) -> u32 {
    let cast = match cast() {
        Ok(cast) => cast,
        Err(invalid) => return invalid,
    };
    let options = query_options(0, 0, layers, flags);
    with_scene(scene, |scene| {
        let found = match which {
            0 => scene.sphere_cast(&cast, &options).into_iter().collect(),
            1 => scene.sphere_cast_all(&cast, &options),
            _ => return put_any(scene.sphere_cast_any(&cast, &options)),
        };
        let numbers = |found: &hitscan_scene::SceneContact| {
            contact_numbers(&found.contact, number_of(found.instance))
        };
        put_contacts(found.iter().map(numbers))
    })
}

/// The cast relative to an offset.
fn moved(cast: &SphereCast, offset: DVec3) -> SphereCast {
    if offset == DVec3::ZERO {
        return *cast;
    }
    let mut ray = *cast.ray();
    ray.origin -= offset;
    SphereCast::new(ray, cast.radius()).unwrap_or(*cast)
}

fn put_any(any: bool) -> u32 {
    output::write(0, &[f64::from(u8::from(any))]);
    1
}

fn put_contacts(contacts: impl Iterator<Item = [f64; CONTACT_NUMBERS]>) -> u32 {
    let doubles: Vec<f64> = contacts.flatten().collect();
    output::write(0, &[(doubles.len() / CONTACT_NUMBERS) as f64]);
    output::put_doubles(doubles);
    1
}

/// The plane of the numbers 0 to 5, a point and a normal, relative to an offset. 0 and an error if it is none.
fn plane(offset: DVec3) -> Result<SectionPlane, u32> {
    let [x, y, z, a, b, c]: [f64; 6] = std::array::from_fn(output::read);
    // Before the offset, so that an error names the point of the caller.
    let plane = SectionPlane::new([x, y, z], [a, b, c]).map_err(|error| fail_with(&error))?;
    if offset == DVec3::ZERO {
        return Ok(plane);
    }
    SectionPlane::new(plane.point() - offset, [a, b, c]).map_err(|error| fail_with(&error))
}

/// The section of the plane of the numbers 0 to 5. 1 and the number of polylines as number 0; each is in the answer's f64 by
/// [`put_polylines`].
#[unsafe(no_mangle)]
extern "C" fn bvh_section(bvh: u32) -> u32 {
    with_built(bvh, |mesh| {
        let tri_mesh = mesh.tri_mesh();
        match plane(tri_mesh.offset()) {
            Ok(plane) => {
                let polylines = mesh.bvh().section(&plane);
                put_polylines(polylines.iter().map(|polyline| (polyline, -1.0)), |point| {
                    in_file(tri_mesh, point)
                })
            }
            Err(failed) => failed,
        }
    })
}

/// [`bvh_section`] of a scene.
#[unsafe(no_mangle)]
extern "C" fn scene_section(scene: u32, layers: u32, flags: u32) -> u32 {
    with_scene(scene, |scene| match plane(DVec3::ZERO) {
        Ok(plane) => {
            let parts = scene.section(&plane, &query_options(0, 0, layers, flags));
            let polylines = parts.iter().map(|part| (&part.polyline, number_of(part.instance)));
            put_polylines(polylines, |point| point.to_array())
        }
        Err(failed) => failed,
    })
}

/// Stores polylines as f64: for each the instance, whether it is closed, the numbers of points and of triangles, then the
/// points and the triangles.
fn put_polylines<'a>(
    polylines: impl Iterator<Item = (&'a SectionPolyline, f64)>,
    point: impl Fn(DVec3) -> [f64; 3],
) -> u32 {
    let (mut doubles, mut n) = (Vec::new(), 0);
    for (polyline, instance) in polylines {
        n += 1;
        doubles.extend([instance, f64::from(u8::from(polyline.is_closed))]);
        doubles.extend([polyline.points.len() as f64, polyline.triangles.len() as f64]);
        doubles.extend(polyline.points.iter().flat_map(|&at| point(at)));
        doubles.extend(polyline.triangles.iter().map(|&triangle| f64::from(triangle)));
    }
    output::write(0, &[f64::from(n)]);
    output::write(1, &[doubles.len() as f64]);
    output::put_doubles(doubles);
    1
}

/// The transform from the positions of a mesh, whose offset comes first.
fn after_offset(transform: DAffine3, mesh: &TriMesh) -> DAffine3 {
    match mesh.offset() {
        DVec3::ZERO => transform,
        offset => transform * DAffine3::from_translation(offset),
    }
}

/// Asks about two trees. The transform of the numbers 0 to 15 takes the second to the coordinates of the first.
fn ask(
    first: u32,
    second: u32,
    ask: impl FnOnce(MeshPair<'_>) -> Result<u32, MeshPairError>,
) -> u32 {
    let Some(matrix) = transform(0) else {
        return fail(
            "transform: the last row is not 0, 0, 0, 1; pass an affine matrix of 16 numbers, column by column",
        );
    };
    let (Some(Object::Built(first)), Some(Object::Built(second))) =
        (objects::get(first), objects::get(second))
    else {
        return fail("bvh: there is no such tree");
    };
    let meshes: [&Mesh; 2] = [&first, &second];
    let places = [
        after_offset(DAffine3::IDENTITY, first.tri_mesh()),
        after_offset(matrix, second.tri_mesh()),
    ];
    let pair = MeshPair::placed(meshes.map(Mesh::bvh), places);
    pair.and_then(ask).unwrap_or_else(|error| fail_with(&error))
}

/// Whether two trees overlap: 1 and number 0.
#[unsafe(no_mangle)]
extern "C" fn bvh_overlaps_mesh(first: u32, second: u32) -> u32 {
    ask(first, second, |pair| Ok(put_any(pair.overlaps())))
}

/// 1 + the number of words: the triangles of each pair that overlaps.
#[unsafe(no_mangle)]
extern "C" fn bvh_overlapping_mesh(first: u32, second: u32) -> u32 {
    ask(first, second, |pair| {
        let mut words = output::words();
        words.extend_from_slice(pair.overlapping_triangles().as_flattened());
        Ok(1 + output::put_words(words))
    })
}

/// 1 and the number of segments as number 0, eight f64 each: two triangles and two points.
#[unsafe(no_mangle)]
extern "C" fn bvh_mesh_crossings(first: u32, second: u32) -> u32 {
    ask(first, second, |pair| {
        let crossings = pair.crossings();
        output::write(0, &[crossings.len() as f64]);
        let numbers = crossings.iter().flat_map(|found| {
            let [[a, b, c], [d, e, f]] = found.segment.map(|end| end.to_array());
            let [first, second] = found.triangles.map(f64::from);
            [first, second, a, b, c, d, e, f]
        });
        output::put_doubles(numbers.collect());
        Ok(1)
    })
}

/// 1 and numbers 0 to 8: the distance, two triangles, two points. 2 if it is beyond the maximum.
#[unsafe(no_mangle)]
extern "C" fn bvh_mesh_distance(first: u32, second: u32, max_distance: f64) -> u32 {
    ask(first, second, |pair| {
        let Some(found) = pair.distance(max_distance)? else { return Ok(2) };
        let [first, second] = found.triangles.map(f64::from);
        output::write(0, &[found.distance, first, second]);
        output::write(3, found.points.map(|point| point.to_array()).as_flattened());
        Ok(1)
    })
}
