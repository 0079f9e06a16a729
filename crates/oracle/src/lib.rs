//! Brute-force answers, hostile rays and a comparison to the last bit.
//!
//! The command `hitscan check` and the tests of the workspace use this crate to test a tree. An
//! [`Oracle`] scans all triangles, [`HostileRays`] makes rays of every kind that has broken a ray
//! caster, and a [`Tally`] counts the answers that differ. The crate knows no tree: [`answers_of!`]
//! asks any value that has the queries of a `MeshBvh`.
//!
//! ```
//! use hitscan_oracle::{Answers, HostileRays, Oracle, Tally};
//! use hitscan_primitives::{Faces, generate};
//!
//! let mesh = generate::cuboid(2.0, 3.0, 4.0, 1)?;
//! let oracle = Oracle::new(&mesh);
//! let mut tally = Tally::default();
//! for ray in HostileRays::new(&mesh, 7).next_rays(100) {
//!     // A tree would stand here: `answers_of!(tree, &ray, Faces::Front)`.
//!     let found = Answers::by_brute_force(&mesh, &ray, Faces::Front);
//!     let expected = oracle.hits(&ray).seen_by(Faces::Front);
//!     tally.compare(&ray, Faces::Front, &found, &expected);
//! }
//! assert_eq!(tally.first_difference(), None);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Modules
//!
//! A module imports only modules of its row or of rows below it. A test compares the table with the sources.
//!
//! | module | holds | imports |
//! |---|---|---|
//! | `rays` | streams of hostile rays | `bundle`, `oracle`, `ray_kind`, `rng` |
//! | `bundle` | rays that a batch may take as packets | `ray_kind`, `rng` |
//! | `ray_kind` | one ray of every kind that has broken a ray caster | `rng` |
//! | `mutants` | damaged copies of files | `rng` |
//! | `rng` | seeded numbers | |
//! | `effort` | the number of cases that randomised tests try | |
//! | `tally` | the comparison: counts, and the first difference | `answers`, `oracle` |
//! | `oracle` | all hits of a ray, by a second and simpler scan of all triangles | |
//! | `answers` | the answers of a tree; macros fill it from any type with the queries of `MeshBvh` | |

#![forbid(unsafe_code)]

mod oracle;

mod answers;
mod tally;

mod effort;
mod rng;

mod mutants;

mod ray_kind;

mod bundle;
mod rays;

#[doc(hidden)]
pub use hitscan_primitives::{HitMode, HitOptions};

pub use answers::{Answers, BatchAnswers, HitRuns, N_NEAREST, NearestHits, bits};
pub use bundle::{BUNDLE, bundle};
pub use effort::effort;
pub use mutants::Mutants;
pub use oracle::{Oracle, RayHits};
pub use ray_kind::RayKind;
pub use rays::{HostileRays, aimed_ray, hard_rays, invalid_rays};
pub use rng::Rng;
pub use tally::{Difference, N_SHOWN, Query, Tally};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
