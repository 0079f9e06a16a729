//! What the command line promises, tested by running the program.

mod bad_input;
mod cache_files;
mod casting;
mod checking;
mod formats;
mod measuring;
mod mesh_files;
mod mutants;
mod picking;
mod ray_files;
mod render;
mod results;
mod seed_cuboid;
mod support;
mod viewing;
mod zero_area;
