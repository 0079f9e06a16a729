//! OBJ files that are large in one direction.

use std::fmt::Write;
use std::io;

/// A text with its number of triangles.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) text: Vec<u8>,
    pub(crate) n_triangles: usize,
}

const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";

/// Texts whose length grows with `n` alone.
pub(crate) fn texts(n: usize) -> Vec<Case> {
    [statements(n), library_statements(n), polygons(n)].into_iter().flatten().collect()
}

fn case(name: &'static str, n_triangles: usize, text: String) -> Case {
    Case { name, text: text.into(), n_triangles }
}

/// A line for each number below `n`.
fn lines(n: usize, line: impl Fn(usize) -> String) -> String {
    (0..n).map(line).collect()
}

/// Statements that stand many times, or are long.
fn statements(n: usize) -> Vec<Case> {
    vec![
        case("groups", n, TRIANGLE.to_owned() + &lines(n, |i| format!("g group{i}\nf 1 2 3\n"))),
        case(
            "alternating groups",
            n,
            TRIANGLE.to_owned() + &lines(n, |i| format!("g {}\nf 1 2 3\n", i % 2)),
        ),
        case(
            "objects without faces",
            1,
            TRIANGLE.to_owned() + &lines(n, |i| format!("o object{i}\n")) + "f 1 2 3\n",
        ),
        case(
            "unknown materials",
            n,
            TRIANGLE.to_owned() + &lines(n, |i| format!("usemtl m{i}\nf 1 2 3\n")),
        ),
        case(
            "smoothing groups",
            n,
            TRIANGLE.to_owned() + &lines(n, |i| format!("s {i}\nf 1 2 3\n")),
        ),
        case(
            "comments",
            1,
            TRIANGLE.to_owned() + &lines(n, |i| format!("# comment {i}\n")) + "f 1 2 3\n",
        ),
        case("one long comment", 1, format!("{TRIANGLE}#{}\nf 1 2 3\n", "long ".repeat(n))),
        case("empty lines", 1, format!("{TRIANGLE}{}f 1 2 3\n", "\r\n".repeat(n))),
        case("continuations", 1, format!("{TRIANGLE}f 1 {} 2 3\n", "\\\n".repeat(n))),
        case(
            "unknown words",
            1,
            TRIANGLE.to_owned() + &lines(n, |i| format!("word{i} 1 2 3\n")) + "f 1 2 3\n",
        ),
        case(
            "one long number",
            1,
            format!("v 0 0 0.{}\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "1".repeat(n)),
        ),
        case("lines", 0, TRIANGLE.to_owned() + "l" + &" 1 2 3".repeat(n)),
        case("coincident triangles", n, TRIANGLE.to_owned() + &"f 1 2 3\n".repeat(n)),
        case("bad texture indices", n, TRIANGLE.to_owned() + &"f 1/7 2/8 3/9\n".repeat(n)),
    ]
}

/// Names of material libraries.
fn library_statements(n: usize) -> Vec<Case> {
    vec![
        case(
            "libraries",
            1,
            TRIANGLE.to_owned() + &lines(n, |i| format!("mtllib l{i}.mtl\n")) + "f 1 2 3\n",
        ),
        case(
            "one library again and again",
            1,
            TRIANGLE.to_owned() + &"mtllib materials\n".repeat(n) + "f 1 2 3\n",
        ),
        case(
            "a library of many names",
            1,
            format!("{TRIANGLE}mtllib{}\nf 1 2 3\n", " x".repeat(n)),
        ),
        case(
            "a large library",
            1,
            format!("mtllib materials{n}\n{TRIANGLE}f 1 2 3\n#{}\n", " ".repeat(20 * n)),
        ),
    ]
}

/// One polygon of `n` corners that is hard to cut into triangles.
fn polygons(n: usize) -> Vec<Case> {
    let is_odd = |turn: f64| (turn * n as f64).round() as usize % 2 == 1;
    vec![
        // On a grid, because otherwise a small polygon would be convex and a large one not quite.
        case(
            "a circle",
            n - 2,
            polygon(n, |turn| circle(turn, 1.0).map(|x| (x * 1024.0).round() / 1024.0)),
        ),
        case(
            "a star",
            n - 2,
            polygon(n, |turn| circle(turn, if is_odd(turn) { 0.5 } else { 1.0 })),
        ),
        case(
            "a spiky star",
            n - 2,
            polygon(n, |turn| circle(turn, if is_odd(turn) { 1e-4 } else { 1.0 })),
        ),
        case(
            "a comb",
            n - 2,
            polygon(n, |turn| {
                let end = 1.0 - 1.0 / n as f64;
                if turn == 0.0 {
                    [0.0, -1.0]
                } else if turn >= end {
                    [1.0, -1.0]
                } else {
                    [turn, f64::from(is_odd(turn))]
                }
            }),
        ),
        case(
            "a spiral",
            n - 2,
            polygon(n, |turn| {
                // Outwards on one arm and back on the other.
                let (along, side) =
                    if turn < 0.5 { (2.0 * turn, 0.0) } else { (2.0 - 2.0 * turn, 0.01) };
                circle(10.0 * along, 0.1 + along + side)
            }),
        ),
        case("a polygon in a line", n - 2, polygon(n, |turn| [turn, 0.0])),
        case("a polygon in a point", n - 2, polygon(n, |_| [0.5, 0.5])),
        case(
            "a polygon that goes to and fro",
            n - 2,
            polygon(n, |turn| [f64::from(is_odd(turn)), turn]),
        ),
        case(
            "a polygon that crosses itself",
            n - 2,
            polygon(n, |turn| circle(turn * (n / 2) as f64 + 0.1 * turn, 1.0)),
        ),
    ]
}

fn circle(turn: f64, radius: f64) -> [f64; 2] {
    let (sin, cos) = (turn * std::f64::consts::TAU).sin_cos();
    [radius * cos, radius * sin]
}

/// A face over points along an outline.
fn polygon(n: usize, point: impl Fn(f64) -> [f64; 2]) -> String {
    let points = lines(n, |i| {
        let [x, y] = point(i as f64 / n as f64);
        format!("v {x:.9} {y:.9} 0\n")
    });
    let mut text = points + "f";
    (1..=n).for_each(|i| write!(text, " {i}").expect("it is a String"));
    text + "\n"
}

/// The library of a name: a small one, or one of the size in its name.
pub(crate) fn libraries(name: &str) -> io::Result<Vec<u8>> {
    let size: usize = name.trim_start_matches("materials").parse().unwrap_or(1);
    match name {
        "x" => Err(io::ErrorKind::NotFound.into()),
        _ if name.contains(' ') => Err(io::ErrorKind::NotFound.into()),
        _ => Ok((0..size).flat_map(|i| format!("newmtl m{i}\nKd 1 0 0\n").into_bytes()).collect()),
    }
}
