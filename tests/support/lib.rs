//! Seeded meshes for the tests of the workspace, with the [oracle](hitscan_oracle) and its rays.
//!
//! The crate knows only [`hitscan_primitives`] and the oracle, so any crate of the workspace can use it
//! in its tests.
//!
//! ```
//! use hitscan_primitives::Faces;
//! use hitscan_testkit::{Answers, Oracle, Rng, Tally, aimed_ray, soup};
//!
//! let mut rng = Rng::new(7);
//! let shape = soup(&mut rng, 200);
//! let oracle = Oracle::new(&shape.mesh);
//! let ray = aimed_ray(&shape.mesh, &mut rng);
//! let found = Answers::by_brute_force(&shape.mesh, &ray, Faces::Both);
//! let mut tally = Tally::default();
//! tally.compare(&ray, Faces::Both, &found, &oracle.hits(&ray));
//! assert_eq!(tally.first_difference(), None);
//! ```

#![forbid(unsafe_code)]

mod inside;
mod shapes;
mod soups;
mod stitched;

pub use hitscan_oracle::{
    Answers, BUNDLE, BatchAnswers, HostileRays, Mutants, Oracle, RayHits, RayKind, Rng, Tally,
    aimed_ray, answers_of, batch_answers_of, bits, bundle, effort, hard_rays, invalid_rays,
};
pub use inside::{inside_point, rays_from_inside, rays_from_outside, surface_points};
pub use shapes::{Shape, closed_shapes, degenerate_shapes, integer_box, integer_grid};
pub use soups::{SoupKind, soup, soup_of};
pub use stitched::{StitchedKind, smallest_leak, stitched, stitched_shapes};

/// Pages of the repository; the file that they load is named from the repository's root.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../README.md")]
    mod readme {}
    #[doc = include_str!("../../docs/guide/rust.md")]
    mod rust {}
    #[doc = include_str!("../../docs/guide/editors.md")]
    mod editors {}
}
