//! Edge functions in f64: twice the area of a triangle of two corners and the ray or a third corner.
//!
//! The product of two f32 is exact in f64, so the signs are exact.

use glam::{DVec3, Vec3};

/// The edge functions of sheared corners, opposite each: exact in sign, because their products are exact.
#[inline(always)]
pub(crate) fn edge_functions(corners: [[f32; 2]; 3]) -> [f64; 3] {
    let [[ax, ay], [bx, by], [cx, cy]] = corners;
    let (ax, ay) = (f64::from(ax), f64::from(ay));
    let (bx, by) = (f64::from(bx), f64::from(by));
    let (cx, cy) = (f64::from(cx), f64::from(cy));
    [cx * by - cy * bx, ax * cy - ay * cx, bx * ay - by * ax]
}

/// `(b - a) x (c - a)` in f64: exact in sign and zero for corners of comparable size.
#[inline]
pub(crate) fn cross_f64(a: Vec3, b: Vec3, c: Vec3) -> DVec3 {
    let a = a.as_dvec3();
    (b.as_dvec3() - a).cross(c.as_dvec3() - a)
}

/// The sign of the edge function `q.x * p.y - q.y * p.x` as seen from a point moved by (e, e^2).
pub(crate) fn perturbed_sign(p: [f32; 2], q: [f32; 2]) -> i32 {
    let [px, py] = p.map(f64::from);
    let [qx, qy] = q.map(f64::from);
    let ahead = |x: f64, y: f64| i32::from(x > y) - i32::from(x < y);
    let exact = ahead(qx * py, qy * px);
    if exact != 0 {
        exact
    } else if q[1] != p[1] {
        ahead(qy, py)
    } else {
        ahead(px, qx)
    }
}
