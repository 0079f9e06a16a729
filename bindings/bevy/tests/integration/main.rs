//! Headless apps with a real schedule: events against the built-in backend, assets, poses, queries.

mod assets;
mod editor;
mod events;
mod filters;
mod harness;
mod lines;
mod plugins;
mod pointers;
mod poses;
mod queries;
mod reflection;
mod scene_filter;
mod sculpting;
#[cfg(feature = "multi_threaded")]
mod side_by_side;

#[path = "../../examples/editor/headless.rs"]
mod headless;
#[path = "../../examples/editor/script.rs"]
#[allow(dead_code, reason = "the example uses all of it")]
mod script;
#[path = "../../examples/editor/tools.rs"]
mod tools;
#[path = "../../examples/editor/world.rs"]
#[allow(dead_code, reason = "the example uses all of it")]
mod world;
