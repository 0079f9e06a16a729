//! Tests of the command line that run the program.

mod bad_input;
mod cache_files;
mod casting;
mod checking;
mod converting;
mod fields;
mod formats;
mod full_disk;
mod measuring;
mod mesh_files;
mod mutants;
mod npy;
mod open_edges;
mod output_formats;
mod picking;
mod pictures;
mod points;
mod ray_files;
mod render;
mod results;
mod scenes;
mod seed_cuboid;
mod streams;
mod support;
mod viewing;
mod zero_area;
