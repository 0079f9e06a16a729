//! Interpolation of positions and attributes on a primitive.

use std::ffi::c_int;

use crate::{
    abi::{InterpolateArguments, InterpolateNArguments, buffer},
    buffer::View,
    call::{call, report},
    error::{Outcome, invalid},
    geometry::{Geometry, Kind},
};

/// The corners that a point lies between: the first one, those along u and v, and the weights of the latter.
struct Corners {
    indices: [u32; 3],
    u: f32,
    v: f32,
    /// Of the derivatives, on the second half of a quad.
    sign: f32,
}

/// The buffer of the values, and the corners of a primitive.
fn corners(geometry: &Geometry, prim_id: u32, [u, v]: [f32; 2]) -> Outcome<Corners> {
    geometry.expect_kind(geometry.kind.is_mesh(), "triangles or quads")?;
    let index = geometry.view(buffer::INDEX, 0).filter(|view| (prim_id as usize) < view.n);
    let Some(index) = index else {
        return Err(invalid("primID", prim_id, "a primitive of the geometry"));
    };
    let prim = prim_id as usize;
    if geometry.kind == Kind::Triangles {
        return Ok(Corners { indices: index.indices(prim), u, v, sign: 1.0 });
    }
    let [a, b, c, d] = index.indices::<4>(prim);
    Ok(if u + v <= 1.0 {
        Corners { indices: [a, b, d], u, v, sign: 1.0 }
    } else {
        Corners { indices: [c, d, b], u: 1.0 - u, v: 1.0 - v, sign: -1.0 }
    })
}

fn values(geometry: &Geometry, kind: u32, slot: u32, n: u32) -> Outcome<View> {
    if !matches!(kind, buffer::VERTEX | buffer::ATTRIBUTE) {
        return Err(invalid("bufferType", kind, "VERTEX or VERTEX_ATTRIBUTE"));
    }
    let view = geometry.view(kind, slot);
    let view = view.ok_or_else(|| invalid("bufferSlot", slot, "a buffer that is set"))?;
    if n as usize > view.n_values() {
        return Err(invalid("valueCount", n, format_args!("at most {}", view.n_values())));
    }
    Ok(view)
}

impl Corners {
    /// Value number `i`, and its derivatives along u and v.
    fn value(&self, view: &View, i: usize) -> Outcome<[f32; 3]> {
        let n = view.n;
        if let Some(&corner) = self.indices.iter().find(|&&corner| corner as usize >= n) {
            return Err(invalid(
                "primID",
                format_args!("index {corner}"),
                format_args!("below {n}"),
            ));
        }
        let [a, b, c] = self.indices.map(|corner| view.float(corner as usize, i));
        let [u, v] = [b - a, c - a];
        let value = (1.0 - self.u - self.v) * a + self.u * b + self.v * c;
        Ok([value, self.sign * u, self.sign * v])
    }
}

/// Writes `n` values and their derivatives, each `step` places apart.
///
/// # Safety
/// Each place that is not NULL has room for the values.
unsafe fn write(
    corners: &Corners,
    view: &View,
    results: [*mut f32; 6],
    (first, step, n): (usize, usize, usize),
) -> Outcome<()> {
    for i in 0..n {
        let [value, u, v] = corners.value(view, i)?;
        for (place, value) in results.into_iter().zip([value, u, v, 0.0, 0.0, 0.0]) {
            if !place.is_null() {
                // SAFETY: the promise of the caller.
                unsafe { place.add(first + i * step).write(value) };
            }
        }
    }
    Ok(())
}

/// Interpolates on one primitive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcInterpolate(arguments: *const InterpolateArguments) {
    // SAFETY: the rules of Embree.
    let Some(arguments) = (unsafe { arguments.as_ref() }) else {
        report(None, "rtcInterpolate", &invalid("args", "NULL", "arguments"));
        return;
    };
    let &InterpolateArguments {
        prim_id, u, v, buffer_type, buffer_slot, results, n_values, ..
    } = arguments;
    call("rtcInterpolate", arguments.geometry.cast::<Geometry>(), |geometry| {
        let corners = corners(geometry, prim_id, [u, v])?;
        let view = values(geometry, buffer_type, buffer_slot, n_values)?;
        // SAFETY: the rules of Embree.
        unsafe { write(&corners, &view, results, (0, 1, n_values as usize)) }
    });
}

/// Interpolates on many primitives. The values of one point are `N` places apart.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcInterpolateN(arguments: *const InterpolateNArguments) {
    // SAFETY: the rules of Embree.
    let Some(arguments) = (unsafe { arguments.as_ref() }) else {
        report(None, "rtcInterpolateN", &invalid("args", "NULL", "arguments"));
        return;
    };
    let &InterpolateNArguments { buffer_type, buffer_slot, results, n_values, n, .. } = arguments;
    call("rtcInterpolateN", arguments.geometry.cast::<Geometry>(), |geometry| {
        let view = values(geometry, buffer_type, buffer_slot, n_values)?;
        for i in 0..n as usize {
            // SAFETY: the rules of Embree.
            let (is_valid, prim_id, at) = unsafe {
                let valid: *const c_int = arguments.valid;
                let is_valid = valid.is_null() || valid.add(i).read() != 0;
                let at = [arguments.u.add(i).read(), arguments.v.add(i).read()];
                (is_valid, arguments.prim_ids.add(i).read(), at)
            };
            if is_valid {
                let corners = corners(geometry, prim_id, at)?;
                // SAFETY: the rules of Embree.
                unsafe { write(&corners, &view, results, (i, n as usize, n_values as usize))? };
            }
        }
        Ok(())
    });
}
