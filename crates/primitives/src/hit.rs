//! Hits of rays on triangles, the sides of a triangle, and the choice between them in a query.

use std::cmp::Ordering;

/// A hit of a ray on a triangle of a mesh.
///
/// The point is `(1 - u - v) * A + u * B + v * C` for the triangle's corners `A`, `B`, `C` in the
/// order of the mesh. The hits of a ray are ordered by `(t, triangle)`, and the closest hit is the
/// first in that order.
///
/// ```
/// use hitscan_primitives::{Faces, Ray, Side, brute_force, generate};
///
/// let mesh = generate::cuboid(2.0, 2.0, 2.0, 0).expect("sizes are positive");
/// let ray = Ray::new([0.5, 0.25, 5.0], [0.0, 0.0, -2.0]);
/// let hit = brute_force::closest_hit(&mesh, &ray, Faces::Both).expect("the ray meets the cuboid");
/// assert_eq!((hit.t, hit.side), (2.0, Side::Front));
/// assert_eq!(mesh.point(&hit).to_array(), [0.5, 0.25, 1.0]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The position on the ray, in units of its direction. Always finite, never -0.0.
    pub t: f32,
    /// The weight of the triangle's second corner, from 0 to 1.
    pub u: f32,
    /// The weight of the triangle's third corner, from 0 to 1. `u + v` exceeds 1 by rounding at most,
    /// because each weight is rounded once.
    pub v: f32,
    /// The index of the triangle in [`TriMesh::triangles`](crate::TriMesh::triangles).
    pub triangle: u32,
    /// The side that the ray came from. It means little for a
    /// [triangle of zero area](crate::TriMesh::is_degenerate).
    pub side: Side,
}

impl Hit {
    /// The hit of a mesh, from the index of a triangle and the hit on it.
    #[inline]
    pub fn new(triangle: u32, hit: TriangleHit) -> Self {
        Self { t: hit.t, u: hit.u, v: hit.v, triangle, side: hit.side }
    }

    /// Orders hits along a ray: by `t`, then by triangle.
    #[inline]
    pub fn cmp_along_ray(&self, other: &Self) -> Ordering {
        self.t.total_cmp(&other.t).then(self.triangle.cmp(&other.triangle))
    }

    /// All fields as bits. Two hits with equal bits are the same to the last bit.
    pub fn to_bits(&self) -> [u32; 5] {
        [self.t.to_bits(), self.u.to_bits(), self.v.to_bits(), self.triangle, self.side as u32]
    }
}

/// A hit of a ray on a single triangle; see [`Hit`] for the fields.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TriangleHit {
    /// The position on the ray, in units of its direction.
    pub t: f32,
    /// The weight of the second corner.
    pub u: f32,
    /// The weight of the third corner.
    pub v: f32,
    /// The side that the ray came from.
    pub side: Side,
}

/// A side of a triangle, by the winding of its corners in the mesh's own space.
///
/// A scene reports the same side for a mirrored instance, although the mirrored corners wind the other
/// way: the outside of a closed mesh stays its front.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Seen from here, the corners run counter-clockwise.
    Front,
    /// Seen from here, the corners run clockwise.
    Back,
}

/// The sides of triangles that a query reports; see [`Side`]. A ray passes through the other side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Faces {
    /// Both sides.
    #[default]
    Both,
    /// Front faces only: corners that run counter-clockwise seen from the ray's origin.
    Front,
    /// Back faces only: corners that run clockwise seen from the ray's origin.
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

/// The hits that a query for all hits returns where the ray meets a shared edge or vertex.
///
/// Away from edges and vertices both modes return the same hits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum HitMode {
    /// Every triangle that the ray meets. Triangles are closed sets, so their edges and vertices belong
    /// to them: a ray through an edge of two triangles hits both.
    #[default]
    EveryTriangle,
    /// Each crossing of the surface once, by a half-open edge rule that all neighbours evaluate alike
    /// ([`WatertightRay::owns_crossing`](crate::WatertightRay::owns_crossing), after Edelsbrunner and
    /// Mücke, "Simulation of Simplicity", 1990). A ray that touches a silhouette hits it 0 or 2
    /// times. The number of hits along a line through a closed mesh is therefore even.
    OncePerCrossing,
}

/// The hits that a query for a list of hits returns. A query for one hit, or for whether there is one,
/// takes [`Faces`] alone, because the modes agree there.
///
/// ```
/// use hitscan_primitives::{Faces, HitMode, HitOptions, Ray, TriMesh, brute_force};
///
/// // A square of two triangles, and a ray through the diagonal that they share.
/// let corners = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 2.0, 0.0], [0.0, 2.0, 0.0]];
/// let square = TriMesh::new(corners, vec![[0, 1, 2], [0, 2, 3]])?;
/// let ray = Ray::new([1.0, 1.0, 5.0], [0.0, 0.0, -1.0]);
/// let hits = |options| brute_force::all_hits(&square, &ray, &options).len();
/// assert_eq!(hits(HitOptions::default()), 2);
/// assert_eq!(hits(HitOptions { faces: Faces::Both, mode: HitMode::OncePerCrossing }), 1);
/// # Ok::<(), hitscan_primitives::MeshError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct HitOptions {
    /// The sides of triangles that a ray may hit.
    pub faces: Faces,
    /// The hits where the ray meets a shared edge or vertex.
    pub mode: HitMode,
}
