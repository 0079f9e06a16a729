//! How far does a gizmo drag an object, along a plane or along an axis?
//!
//! `cargo run --example gizmo`

use hitscan::glam::DVec3;
use hitscan::picking::{Camera, View, Viewport};

/// The movement in a plane from one cursor position to another: the grabbed point stays under the cursor.
/// `None` where the cursor is above the horizon of the plane.
fn drag_along_plane(
    view: &View,
    pivot: DVec3,
    normal: DVec3,
    from: [f64; 2],
    to: [f64; 2],
) -> Option<DVec3> {
    let point = |pixel| {
        let ray = view.ray(pixel);
        Some(ray.at(ray.intersect_plane(pivot, normal)?))
    };
    Some(point(to)? - point(from)?)
}

/// The movement along an axis from one cursor position to another. `None` where the cursor looks along
/// the axis, or beyond its vanishing point.
fn drag_along_axis(
    view: &View,
    pivot: DVec3,
    axis: DVec3,
    from: [f64; 2],
    to: [f64; 2],
) -> Option<DVec3> {
    let position = |pixel| Some(view.ray(pixel).closest_to_line(pivot, axis)?.line_t);
    Some((position(to)? - position(from)?) * axis)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Far from the origin, where f32 has no fractions.
    let pivot = DVec3::new(1.0e7 + 0.37, 0.37, -1.0e7);
    let camera = Camera::look_at(pivot + DVec3::new(3.0, 4.0, 12.0), pivot);
    let view = camera.view(Viewport::from_size(1280.0, 720.0))?;

    // The cursor follows a point of the ground that moves by exactly (2, 0, 1).
    let moved = pivot + DVec3::new(2.0, 0.0, 1.0);
    let pixel = |point: DVec3| view.project(point).map(|seen| seen.pixel.to_array());
    let (from, to) = (pixel(pivot), pixel(moved));
    let (from, to) = from.zip(to).ok_or("the camera sees both points")?;
    let step = drag_along_plane(&view, pivot, DVec3::Y, from, to).ok_or("it looks down")?;
    println!("along the ground: {step:.6}");
    assert!(step.distance(DVec3::new(2.0, 0.0, 1.0)) < 1e-6);

    // Along the x axis only the part of the movement in its direction counts.
    let step = drag_along_axis(&view, pivot, DVec3::X, from, to).ok_or("it looks across")?;
    println!("along the x axis: {step:.6}");
    assert!(step.y == 0.0 && step.z == 0.0);

    // Above the horizon the ground has no point under the cursor: leave the object where it is.
    let above = drag_along_plane(&view, pivot, DVec3::Y, from, [640.0, -2000.0]);
    println!("above the horizon: {above:?}");
    assert_eq!(above, None);
    Ok(())
}
