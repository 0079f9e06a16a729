//! What hitscan promises, tested across its crates: one binary, one module per subject.
//!
//! Every seed is fixed and named when a test fails. `HITSCAN_TEST_EFFORT=20` gives the randomised
//! tests twenty times as many seeds, 0.1 a tenth. Files of a folder `shared` beside the repository are used
//! where it exists; each such test has a twin with cases of its own that holds without it.

mod asking;
mod shared;

mod bad_obj;
mod batches;
mod broken_kernel;
mod concurrency;
mod construction;
mod exact_grid;
mod hostile_rays;
mod isa;
mod mutants;
mod one_answer;
mod picking;
mod properties;
mod real_meshes;
mod refit;
mod regression;
mod scene;
mod second_opinion;
mod seed_cuboid;
mod shared_types;
mod unsafe_code;
mod watertight;
mod zero_area;
