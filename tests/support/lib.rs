//! What the tests of the workspace share: seeded meshes and rays of every kind that has broken a
//! ray caster, a twin that answers every query by definition, and the comparison to the last bit.
//!
//! Only [`hitscan_primitives`] is known here, so any crate of the workspace can use it in its tests.
//!
//! ```
//! use hitscan_primitives::Faces;
//! use hitscan_testkit::{Answers, Rng, Twin, aimed_ray, soup};
//!
//! let mut rng = Rng::new(7);
//! let shape = soup(&mut rng, 200);
//! let twin = Twin::new(&shape.mesh);
//! let ray = aimed_ray(&shape.mesh, &mut rng);
//! let expected = twin.answers(&ray).seen_by(Faces::Front);
//! assert_eq!(expected.difference(&Answers::by_brute_force(&shape.mesh, &ray, Faces::Front)), None);
//! ```

#![forbid(unsafe_code)]

mod compare;
mod effort;
mod inside;
mod mutants;
mod naive;
mod rays;
mod rng;
mod shapes;
mod soups;
mod stitched;

pub use compare::{Answers, N_NEAREST};
pub use effort::effort;
#[doc(hidden)]
pub use hitscan_primitives::HitMode;
pub use inside::{inside_point, rays_from_inside, rays_from_outside, surface_points};
pub use mutants::Mutants;
pub use naive::{BothFaces, Twin};
pub use rays::{RayKind, aimed_ray, hard_rays, invalid_rays};
pub use rng::Rng;
pub use shapes::{Shape, closed_shapes, degenerate_shapes, integer_box, integer_grid};
pub use soups::{SoupKind, soup, soup_of};
pub use stitched::{StitchedKind, smallest_leak, stitched, stitched_shapes};
