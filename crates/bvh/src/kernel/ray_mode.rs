//! The three modes of a ray: what its kernels may take for granted.

/// A mode that is known at compile time. Every mode gives the same answers.
pub(crate) trait RayMode {
    /// Whether the ray may start far from the mesh. Then the box test shifts its origin away from each plane.
    const FAR: bool;
    /// Whether, besides, its origin may be huge, its direction tiny, or its `t_min` negative.
    const ROBUST: bool;
}

/// An ordinary ray that starts near the mesh.
pub(crate) struct Fast;

impl RayMode for Fast {
    const FAR: bool = false;
    const ROBUST: bool = false;
}

/// An ordinary ray that may start far from the mesh.
pub(crate) struct FastFar;

impl RayMode for FastFar {
    const FAR: bool = true;
    const ROBUST: bool = false;
}

/// Any valid ray.
pub(crate) struct Robust;

impl RayMode for Robust {
    const FAR: bool = true;
    const ROBUST: bool = true;
}
