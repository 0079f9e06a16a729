//! What a ray meets: hits, sides, and which of them a query asks for.

use std::cmp::Ordering;

/// A hit of a ray on a triangle of a mesh.
///
/// The point is `(1 - u - v) * A + u * B + v * C` for the triangle's corners `A`, `B`, `C` in the
/// order of the mesh. The hits of a ray are ordered by `(t, triangle)`; the closest hit is the least.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Where on the ray, in units of its direction. Always finite, never -0.0.
    pub t: f32,
    /// Weight of the triangle's second corner.
    pub u: f32,
    /// Weight of the triangle's third corner.
    pub v: f32,
    /// The triangle, by its place in the mesh.
    pub triangle: u32,
    /// The side that the ray came from.
    pub side: Side,
}

impl Hit {
    /// A hit on triangle number `triangle` of a mesh.
    #[inline]
    pub fn new(triangle: u32, hit: TriangleHit) -> Self {
        Self { t: hit.t, u: hit.u, v: hit.v, triangle, side: hit.side }
    }

    /// Orders hits along a ray: by `t`, then by triangle.
    #[inline]
    pub fn cmp_along_ray(&self, other: &Self) -> Ordering {
        self.t.total_cmp(&other.t).then(self.triangle.cmp(&other.triangle))
    }

    /// All fields as bits: equal exactly when the hits are the same to the last bit.
    pub fn to_bits(&self) -> [u32; 5] {
        [self.t.to_bits(), self.u.to_bits(), self.v.to_bits(), self.triangle, self.side as u32]
    }
}

/// A hit of a ray on a single triangle; see [`Hit`] for the fields.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TriangleHit {
    /// Where on the ray, in units of its direction.
    pub t: f32,
    /// Weight of the second corner.
    pub u: f32,
    /// Weight of the third corner.
    pub v: f32,
    /// The side that the ray came from.
    pub side: Side,
}

/// A side of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Seen from here, the corners run counter-clockwise.
    Front,
    /// Seen from here, the corners run clockwise.
    Back,
}

/// Which sides of the triangles a query sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Faces {
    /// Both sides.
    #[default]
    Both,
    /// Front faces only: what is counter-clockwise seen from the origin.
    Front,
    /// Back faces only.
    Back,
}

impl Faces {
    /// Whether a hit on `side` counts.
    #[inline]
    pub fn accepts(self, side: Side) -> bool {
        match self {
            Self::Both => true,
            Self::Front => side == Side::Front,
            Self::Back => side == Side::Back,
        }
    }
}

/// Which hits a query for all hits returns where the ray meets an edge or a vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum HitMode {
    /// Every triangle that the ray meets, its edges and vertices included: both at a shared edge.
    #[default]
    Closed,
    /// Each crossing of the surface once, by a half-open edge rule that both neighbours evaluate
    /// alike. A silhouette that is touched counts 0 or 2 times, so the number of hits along a ray
    /// through a closed mesh has the right parity.
    Once,
}
