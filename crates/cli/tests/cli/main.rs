//! What the command line promises, tested by running the program.

mod bad_input;
mod casting;
mod checking;
mod measuring;
mod mesh_files;
mod picking;
mod ray_files;
mod render;
mod results;
mod seed_cuboid;
mod support;
