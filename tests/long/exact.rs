//! Triangles and planes in integers, without rounding, and without the predicates that they check.

use std::ops::{Add, Mul, Sub};

use hitscan::glam::DVec3;
use num_bigint::BigInt;

/// The corners of a triangle.
pub(crate) type Corners = [DVec3; 3];

/// An integer of any size, or of 128 bits where the numbers permit.
trait Integer:
    Clone + Ord + Default + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self>
{
    /// `value * 2^shift`.
    fn shifted(value: i64, shift: u32) -> Self;
}

impl Integer for i128 {
    fn shifted(value: i64, shift: u32) -> Self {
        Self::from(value) << shift
    }
}

impl Integer for BigInt {
    fn shifted(value: i64, shift: u32) -> Self {
        Self::from(value) << shift
    }
}

type Vector<N> = [N; 3];

/// Whether two triangles have a point in common, by separating axes. Two convex sets have none exactly if an axis across a face
/// of their difference separates them; that has a normal among those tried here, also where it is flat, a line or a point.
pub(crate) fn overlap(a: &Corners, b: &Corners) -> bool {
    match to_integers([a[0], a[1], a[2], b[0], b[1], b[2]]) {
        Integers::Few([a, b, c, d, e, f]) => overlap_of([a, b, c], [d, e, f]),
        Integers::Any([a, b, c, d, e, f]) => overlap_of([a, b, c], [d, e, f]),
    }
}

/// Whether two triangles lie in one plane, or one of them has no area.
pub(crate) fn is_flat(a: &Corners, b: &Corners) -> bool {
    match to_integers([a[0], a[1], a[2], b[0], b[1], b[2]]) {
        Integers::Few([a, b, c, d, e, f]) => is_flat_of([a, b, c], [d, e, f]),
        Integers::Any([a, b, c, d, e, f]) => is_flat_of([a, b, c], [d, e, f]),
    }
}

/// The sign of `normal . (corner - point)` for each corner.
pub(crate) fn sides(corners: &Corners, point: DVec3, normal: DVec3) -> [i8; 3] {
    let places = to_integers([corners[0], corners[1], corners[2], point]);
    match (places, to_integers([normal])) {
        (Integers::Few(places), Integers::Few(normal)) => sides_of(&places, &normal[0]),
        (places, normal) => sides_of(&places.wide(), &normal.wide()[0]),
    }
}

/// Points times a power of two.
enum Integers<const COUNT: usize> {
    /// Below 2^29: products of four, with some sums, stay below 2^127.
    Few([Vector<i128>; COUNT]),
    Any([Vector<BigInt>; COUNT]),
}

impl<const COUNT: usize> Integers<COUNT> {
    fn wide(self) -> [Vector<BigInt>; COUNT] {
        match self {
            Self::Few(points) => points.map(|point| point.map(BigInt::from)),
            Self::Any(points) => points,
        }
    }
}

fn to_integers<const COUNT: usize>(points: [DVec3; COUNT]) -> Integers<COUNT> {
    let parts = points.map(|point| point.to_array().map(mantissa_and_exponent));
    let used = || parts.iter().flatten().filter(|(mantissa, _)| *mantissa != 0);
    let least = used().map(|&(_, exponent)| exponent).min().unwrap_or(0);
    let bits = |&(mantissa, exponent): &(i64, i32)| {
        (64 - mantissa.unsigned_abs().leading_zeros()) as i32 + exponent - least
    };
    if used().map(bits).max().unwrap_or(0) < 29 {
        Integers::Few(parts.map(|part| integers(part, least)))
    } else {
        Integers::Any(parts.map(|part| integers(part, least)))
    }
}

fn integers<N: Integer>(parts: [(i64, i32); 3], least: i32) -> Vector<N> {
    parts.map(|(mantissa, exponent)| match mantissa {
        0 => N::default(),
        _ => N::shifted(mantissa, (exponent - least) as u32),
    })
}

/// The number as `mantissa * 2^exponent` with an odd mantissa, or 0.
fn mantissa_and_exponent(x: f64) -> (i64, i32) {
    if x == 0.0 {
        return (0, 0);
    }
    let bits = x.to_bits();
    let (biased, fraction) = ((bits >> 52 & 0x7ff) as i32, (bits & ((1 << 52) - 1)) as i64);
    let (mantissa, exponent) =
        if biased == 0 { (fraction, -1074) } else { (fraction | 1 << 52, biased - 1075) };
    let zeros = mantissa.trailing_zeros();
    let mantissa = mantissa >> zeros;
    (if x < 0.0 { -mantissa } else { mantissa }, exponent + zeros as i32)
}

fn minus<N: Integer>(p: &Vector<N>, q: &Vector<N>) -> Vector<N> {
    [0, 1, 2].map(|i| p[i].clone() - q[i].clone())
}

fn cross<N: Integer>(p: &Vector<N>, q: &Vector<N>) -> Vector<N> {
    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| p[i].clone() * q[j].clone() - p[j].clone() * q[i].clone())
}

fn dot<N: Integer>(p: &Vector<N>, q: &Vector<N>) -> N {
    let [x, y, z] = [0, 1, 2].map(|i| p[i].clone() * q[i].clone());
    x + y + z
}

fn is_zero<N: Integer>(vector: &Vector<N>) -> bool {
    vector.iter().all(|x| *x == N::default())
}

fn edges<N: Integer>([a, b, c]: &[Vector<N>; 3]) -> [Vector<N>; 3] {
    [minus(b, a), minus(c, b), minus(a, c)]
}

fn overlap_of<N: Integer>(a: [Vector<N>; 3], b: [Vector<N>; 3]) -> bool {
    let separates = |axis: &Vector<N>| {
        let [of_a, of_b] = [&a, &b].map(|corners| {
            let mut along = [0, 1, 2].map(|i| dot(axis, &corners[i]));
            along.sort_unstable();
            along
        });
        of_a[2] < of_b[0] || of_b[2] < of_a[0]
    };
    let (of_a, of_b) = (edges(&a), edges(&b));
    let normals = [cross(&of_a[0], &of_a[1]), cross(&of_b[0], &of_b[1])];
    if normals.iter().any(separates) {
        return false;
    }
    let across = of_a.iter().flat_map(|p| of_b.iter().map(move |q| cross(p, q)));
    let across: Vec<Vector<N>> = across.collect();
    if across.iter().any(separates) {
        return false;
    }
    let all = || of_a.iter().chain(&of_b);
    if let Some(normal) = normals.iter().chain(&across).find(|normal| !is_zero(normal)) {
        // In space the axes so far are all. In a plane the normals of edges are missing.
        let is_plane = all().all(|edge| dot(normal, edge) == N::default());
        return !(is_plane && all().any(|edge| separates(&cross(normal, edge))));
    }
    let between = minus(&a[0], &b[0]);
    match all().find(|edge| !is_zero(edge)) {
        // On one line, or on two parallel ones.
        Some(edge) => !separates(edge) && !separates(&cross(edge, &cross(&between, edge))),
        None => is_zero(&between),
    }
}

fn is_flat_of<N: Integer>(a: [Vector<N>; 3], b: [Vector<N>; 3]) -> bool {
    let [normal, other] = [&a, &b].map(|corners| {
        let [p, q, _] = edges(corners);
        cross(&p, &q)
    });
    let is_in_plane = |corner: &Vector<N>| dot(&normal, &minus(corner, &a[0])) == N::default();
    is_zero(&normal) || is_zero(&other) || b.iter().all(is_in_plane)
}

fn sides_of<N: Integer>([a, b, c, point]: &[Vector<N>; 4], normal: &Vector<N>) -> [i8; 3] {
    [a, b, c].map(|corner| dot(normal, &minus(corner, point)).cmp(&N::default()) as i8)
}
