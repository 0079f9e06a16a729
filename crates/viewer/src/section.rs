//! The section of a tab: a plane that cuts the model away from a side, up to a share of its size.

use hitscan::SectionPlane;
use hitscan::glam::DVec3;
use hitscan_render::{Framing, Subject};

use crate::protocol::Side;

/// A plane with its coefficients, which the command line repeats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Section {
    pub(crate) from: Side,
    /// The share of the model's extent that the plane cuts away, from 0 to 1.
    pub(crate) share: f64,
    /// a, b, c and d of the points with `a x + b y + c z + d >= 0`, which stay.
    pub(crate) coefficients: [f64; 4],
    pub(crate) plane: SectionPlane,
}

impl Section {
    /// The section of a model that cuts a share of it away from a side. `None` for a model without triangles.
    pub(crate) fn new(subject: &Subject, up: DVec3, from: Side, share: f64) -> Option<Self> {
        let share = share.clamp(0.0, 1.0);
        let [min, max] = subject.world_bounds()?;
        let outward = direction(up, from);
        // The extent of the box along the direction.
        let middle = outward.dot(0.5 * min + 0.5 * max);
        let half = outward.abs().dot(0.5 * max - 0.5 * min);
        let height = middle + half * (1.0 - 2.0 * share);
        let [a, b, c] = (-outward).to_array();
        let coefficients = [a, b, c, height].map(|number| number + 0.0);
        let plane = SectionPlane::from_coefficients(coefficients).ok()?;
        Some(Self { from, share, coefficients, plane })
    }
}

/// The direction from the model to a side, of unit length.
fn direction(up: DVec3, side: Side) -> DVec3 {
    let corner = Framing { up, ..Framing::default() };
    let front = Framing { azimuth_degrees: 0.0, elevation_degrees: 0.0, ..corner };
    let axes = |framing: Framing| framing.axes().unwrap_or([DVec3::X, DVec3::Y, DVec3::Z]);
    let [right, up, back] = axes(front);
    match side {
        Side::Front => back,
        Side::Back => -back,
        Side::Right => right,
        Side::Left => -right,
        Side::Top => up,
        Side::Bottom => -up,
        Side::Corner => axes(corner)[2],
    }
}
