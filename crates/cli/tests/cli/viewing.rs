//! The errors of `view` before it serves the page. A browser test covers the page.

use std::net::TcpListener;

use crate::support::{cuboid, file, folder, hitscan};

#[test]
fn an_invalid_file_is_an_error_at_once() {
    let folder = folder();
    hitscan("view nothing.obj --no-open").expect_error(&["nothing.obj"]);
    let broken = file(folder.path(), "broken.obj", "v 0 0 0\nf 1 2 3\n");
    hitscan(&format!("view {broken} --no-open")).expect_error(&["broken.obj:2"]);
    let up = format!("view {} --no-open --up 0,0,0", cuboid());
    hitscan(&up).expect_error(&["--up: found a vector without a direction"]);
    hitscan(&format!("view {} --no-open --port 65536", cuboid())).expect_code(2);
}

#[test]
fn an_error_names_a_taken_port() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let view = format!("view {} --no-open --port {port}", cuboid());
    hitscan(&view).expect_error(&[&format!("port {port}")]);
}
