//! Tests of the behaviour of hitscan across its crates: one binary, one module per subject.
//!
//! Seeds are fixed, and a failing test prints its seed. `HITSCAN_TEST_EFFORT=20` multiplies the number
//! of seeds of the randomised tests by 20. Some tests read files of a folder `shared` beside the
//! repository. A test with generated cases covers the same claim where that folder is missing.

mod asking;
mod editing;
mod shared;

mod bad_obj;
mod batches;
mod concurrency;
mod construction;
mod digest;
mod edits;
mod exact_grid;
mod hostile_rays;
mod isa;
mod links;
mod module_arrows;
mod mutants;
mod names;
mod one_answer;
mod oracle_detects_errors;
mod picking;
mod properties;
mod real_meshes;
mod recent_rays;
mod recentred_bindings;
mod refit;
mod regression;
mod scene;
mod seed_cuboid;
mod shared_types;
mod sizes;
mod topology;
mod watertight;
mod zero_area;
