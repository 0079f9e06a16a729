//! Queries with many hits, in little memory.

// The limit is one of the address space, and its size is that of Linux with the C library of GNU.
#![cfg(all(target_os = "linux", target_env = "gnu"))]

use std::fmt::Write as _;
use std::process::Command;

use crate::support::{file, folder};

/// Hits of all rays at once would take several times the limit.
#[test]
fn all_hits_are_written_as_they_are_found() {
    let folder = folder();
    let (n_layers, n_rays) = (20_000, 150);
    let mut mesh = String::new();
    for layer in 0..n_layers {
        writeln!(mesh, "v -1 -1 {layer}\nv 1 -1 {layer}\nv 0 1 {layer}\nf -3 -2 -1").unwrap();
    }
    file(folder.path(), "layers.obj", mesh);
    let rays = "0,0,-1,0,0,1\n".repeat(n_rays);
    file(folder.path(), "rays.csv", format!("ox,oy,oz,dx,dy,dz\n{rays}"));
    for format in ["csv", "npz"] {
        let cast = "cast layers.obj --rays rays.csv --all --fields t --threads 1";
        let shell = format!("ulimit -v 200000 && exec \"$0\" {cast} -o hits.{format}");
        let run = Command::new("sh")
            .args(["-c", &shell, env!("CARGO_BIN_EXE_hitscan")])
            // The allocator reserves 64 MB for each of these.
            .env("MALLOC_ARENA_MAX", "1")
            .current_dir(folder.path())
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&run.stderr);
        assert_eq!(run.status.code(), Some(0), "{format}: {errors}");
    }
    let hits = std::fs::read_to_string(folder.path().join("hits.csv")).unwrap();
    assert_eq!(hits.lines().count(), 1 + n_layers * n_rays);
}
