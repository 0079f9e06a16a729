//! The rays of the caller.

/// A ray in the space of the mesh.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// The origin.
    pub origin: [f64; 3],
    /// The direction, of any length.
    pub direction: [f64; 3],
    /// The range of `t`.
    pub t_min: f64,
    /// See [`t_min`](Self::t_min).
    pub t_max: f64,
    /// The only side to hit: 1 the front, 2 the back, 0 both.
    pub side: u32,
    /// The distance by which the corners of the other library may differ from those of the mesh in f32.
    pub slack: f64,
}
