//! The interval of rays without bounds.

use hitscan::Ray;

/// The interval of rays without bounds in their file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DefaultRange {
    /// The minimum `t` of a hit.
    pub t_min: f32,
    /// The maximum `t` of a hit.
    pub t_max: f32,
}

/// The ray of a row of numbers: origin, direction and, in a row of eight, the bounds.
pub(super) fn ray_of(numbers: &[f32], default: DefaultRange) -> Ray {
    let ray = Ray::new([numbers[0], numbers[1], numbers[2]], [numbers[3], numbers[4], numbers[5]]);
    match numbers {
        [.., t_min, t_max] if numbers.len() == 8 => ray.with_range(*t_min, *t_max),
        _ => ray.with_range(default.t_min, default.t_max),
    }
}
