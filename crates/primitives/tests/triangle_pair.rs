//! Two triangles against exact fractions.

use hitscan_primitives::{
    generate::SplitMix64, glam::DVec3, triangle_crossing, triangle_distance,
    triangles_intersect_improperly, triangles_overlap,
};
use num_rational::BigRational;

type Corners = [DVec3; 3];

/// The number of cases, by the variable of `hitscan_testkit::effort`, which depends on this crate.
fn effort(n: u32) -> u32 {
    let factor = std::env::var("HITSCAN_TEST_EFFORT").map_or(1.0, |factor| {
        factor.parse::<f64>().expect("HITSCAN_TEST_EFFORT is a number such as 20 or 0.1")
    });
    ((f64::from(n) * factor) as u32).max(1)
}

/// Whether two triangles have a common point: whether there are weights of at least 0 and with the sum 1 on each side
/// that give the same point. Gauss leaves the free weights, Fourier and Motzkin eliminate them. It shares nothing with the
/// predicates.
fn overlap_by_fractions(a: &Corners, b: &Corners) -> bool {
    let always = [exact(0.0), exact(0.0), exact(0.0), exact(1.0)];
    have_common_point(a, b, &always)
}

fn exact(x: f64) -> BigRational {
    BigRational::from_float(x).expect("finite")
}

/// Whether two triangles have a common point `x` with `c . x + d > 0`, for `[c, d]`.
fn have_common_point(a: &Corners, b: &Corners, condition: &[BigRational; 4]) -> bool {
    let (zero, one) = (exact(0.0), exact(1.0));
    // Rows of five equations: six weights and the constant.
    let mut rows: Vec<Vec<BigRational>> = (0..3)
        .map(|axis| {
            let of_a = a.iter().map(|p| exact(p[axis]));
            of_a.chain(b.iter().map(|p| -exact(p[axis]))).chain([zero.clone()]).collect()
        })
        .collect();
    for ones in [0..3, 3..6] {
        let weight = |i| if ones.contains(&i) || i == 6 { one.clone() } else { zero.clone() };
        rows.push((0..7).map(weight).collect());
    }
    let pivots = eliminate(&mut rows);
    if rows[pivots.len()..].iter().any(|row| row[6] != zero) {
        return false;
    }
    let free: Vec<usize> = (0..6).filter(|column| !pivots.contains(column)).collect();
    // Each weight as the constant and the factors of the free ones; all must be at least 0.
    let at_least_zero: Vec<Sum> = (0..6)
        .map(|weight| match pivots.iter().position(|&pivot| pivot == weight) {
            Some(row) => {
                let factors = free.iter().map(|&column| -rows[row][column].clone());
                std::iter::once(rows[row][6].clone()).chain(factors).collect()
            }
            None => {
                let factor =
                    |&column: &usize| if column == weight { one.clone() } else { zero.clone() };
                std::iter::once(zero.clone()).chain(free.iter().map(factor)).collect()
            }
        })
        .collect();
    // The condition of each corner of `a`, times its weight.
    let at_corner = |corner: &DVec3| {
        let products = (0..3).map(|axis| condition[axis].clone() * exact(corner[axis]));
        products.fold(condition[3].clone(), |sum, product| sum + product)
    };
    let more_than_zero = (0..=free.len()).map(|i| {
        let terms = (0..3).map(|corner| at_corner(&a[corner]) * at_least_zero[corner][i].clone());
        terms.fold(zero.clone(), |sum, term| sum + term)
    });
    let more_than_zero = (more_than_zero.collect(), true);
    let conditions = at_least_zero.into_iter().map(|sum| (sum, false));
    is_solvable(conditions.chain([more_than_zero]).collect())
}

/// Whether two triangles have a common point that is on none of their shared corners and edges, by fractions: one that lies to
/// either side of the only corner along an axis, or off the line through the only edge, or beyond one of its ends.
fn intersect_improperly_by_fractions(a: &Corners, b: &Corners) -> bool {
    let mut shared: Vec<DVec3> = a.iter().copied().filter(|corner| b.contains(corner)).collect();
    shared.dedup();
    if shared.len() > 1 && shared.last() == shared.first() {
        shared.pop();
    }
    let vector = |p: DVec3| p.to_array().map(exact);
    let dot = |p: &[BigRational; 3], q: &[BigRational; 3]| {
        let products = (0..3).map(|axis| p[axis].clone() * q[axis].clone());
        products.fold(exact(0.0), |sum, product| sum + product)
    };
    // `direction . (x - point) > 0`.
    let beyond = |direction: [BigRational; 3], point: DVec3| {
        let height = -dot(&direction, &vector(point));
        let [x, y, z] = direction;
        have_common_point(a, b, &[x, y, z, height])
    };
    let along_axes = || DVec3::AXES.into_iter().flat_map(|axis| [axis, -axis]).map(vector);
    let minus = |p: DVec3, q: DVec3| {
        let (p, q) = (vector(p), vector(q));
        [0, 1, 2].map(|axis: usize| p[axis].clone() - q[axis].clone())
    };
    let cross = |p: &[BigRational; 3], q: &[BigRational; 3]| {
        [0, 1, 2].map(|i| {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            p[j].clone() * q[k].clone() - p[k].clone() * q[j].clone()
        })
    };
    match shared[..] {
        [] => overlap_by_fractions(a, b),
        [p] => along_axes().any(|axis| beyond(axis, p)),
        [p, q] => {
            let along = minus(q, p);
            let off = along_axes().map(|axis| cross(&axis, &along)).any(|axis| beyond(axis, p));
            off || beyond(along.clone(), q) || beyond(along.map(|x| -x), p)
        }
        _ => cross(&minus(a[1], a[0]), &minus(a[2], a[0])).iter().any(|x| *x != exact(0.0)),
    }
}

/// A constant and the factor of each variable.
type Sum = Vec<BigRational>;

/// Reduces five equations of six weights after Gauss. Returns the weight that each row determines.
fn eliminate(rows: &mut [Vec<BigRational>]) -> Vec<usize> {
    let zero = BigRational::from_float(0.0).expect("finite");
    let mut pivots = vec![];
    let mut rank = 0;
    for column in 0..6 {
        let Some(pivot) = (rank..5).find(|&row| rows[row][column] != zero) else { continue };
        rows.swap(rank, pivot);
        let scale = rows[rank][column].clone();
        rows[rank].iter_mut().for_each(|x| *x /= scale.clone());
        for row in (0..5).filter(|&row| row != rank) {
            let factor = rows[row][column].clone();
            if factor != zero {
                for i in 0..7 {
                    let product = factor.clone() * rows[rank][i].clone();
                    rows[row][i] -= product;
                }
            }
        }
        pivots.push(column);
        rank += 1;
    }
    pivots
}

/// Whether values of the variables make all sums at least 0, and those with `true` more than 0, after Fourier and Motzkin.
fn is_solvable(mut conditions: Vec<(Sum, bool)>) -> bool {
    let zero = exact(0.0);
    for variable in (1..conditions[0].0.len()).rev() {
        let (mut next, mut lower, mut upper) = (vec![], vec![], vec![]);
        for (row, is_strict) in conditions {
            match row[variable].cmp(&zero) {
                std::cmp::Ordering::Equal => next.push((row, is_strict)),
                std::cmp::Ordering::Greater => lower.push((row, is_strict)),
                std::cmp::Ordering::Less => upper.push((row, is_strict)),
            }
        }
        for (above, above_is_strict) in &lower {
            for (below, below_is_strict) in &upper {
                let (p, q) = (above[variable].clone(), -below[variable].clone());
                let sum = |i: usize| q.clone() * above[i].clone() + p.clone() * below[i].clone();
                next.push(((0..variable).map(sum).collect(), *above_is_strict || *below_is_strict));
            }
        }
        conditions = next;
    }
    conditions
        .iter()
        .all(|(row, is_strict)| if *is_strict { row[0] > zero } else { row[0] >= zero })
}

/// A pair of triangles with a hard relation: on a grid, in a plane, with shared corners, a rounding apart.
fn hard_pair(random: &mut SplitMix64, round: u32) -> [Corners; 2] {
    let side = [2, 3, 5, 9][random.below(4) as usize];
    let mut grid = || DVec3::from_array([0; 3].map(|_| random.below(side) as f64));
    let [mut a, mut b] = [0; 2].map(|_| [0; 3].map(|_| grid()));
    let mut unit = || random.range(-1.0, 1.0);
    match round % 8 {
        // On the grid: most coincidences are exact.
        0..3 => {}
        // In one plane, which rounding turns.
        3 => {
            let [u, v, at] = [0; 3].map(|_| DVec3::new(unit(), unit(), unit()));
            for corner in a.iter_mut().chain(&mut b) {
                *corner = at + corner.x * u + corner.y * v;
            }
        }
        // A corner of one about in the other.
        4 => {
            let s = unit().abs();
            let t = (1.0 - s) * unit().abs();
            b[0] = a[0] + s * (a[1] - a[0]) + t * (a[2] - a[0]);
        }
        // An edge about through an edge.
        5 => {
            a = a.map(|p| p + 0.1 * DVec3::new(unit(), unit(), unit()));
            let on_edge = a[0].lerp(a[1], unit().abs());
            b[1] = on_edge + (on_edge - b[0]) * unit().abs();
        }
        // About on one line.
        6 => {
            let (at, along) =
                (DVec3::new(unit(), unit(), unit()), DVec3::new(unit(), unit(), unit()));
            for corner in a.iter_mut().chain(&mut b) {
                *corner = at + corner.x * along;
            }
        }
        // Numbers of very different size.
        _ => {
            for corner in a.iter_mut().chain(&mut b) {
                let size = [1.0, 1e-20, 1e30, 1e-80][corner.x as usize % 4];
                *corner = size * (*corner + 1e-8 * DVec3::new(unit(), unit(), unit()));
            }
        }
    }
    [a, b]
}

#[test]
fn triangles_overlap_exactly_as_fractions_say() {
    let mut random = SplitMix64::new(45);
    let mut counts = [[0; 2]; 8];
    for round in 0..effort(1600) {
        let [a, b] = hard_pair(&mut random, round);
        let expected = overlap_by_fractions(&a, &b);
        counts[round as usize % 8][usize::from(expected)] += 1;
        for (a, b) in [(a, b), (b, a), ([a[1], a[2], a[0]], [b[1], b[0], b[2]])] {
            assert_eq!(triangles_overlap(a, b), expected, "round {round}: {a:?} {b:?}");
            let distance = triangle_distance(a, b).distance_squared;
            assert_eq!(distance == 0.0, expected, "round {round}: {a:?} {b:?}");
            assert!(expected || triangle_crossing(a, b).is_none(), "round {round}: {a:?} {b:?}");
        }
    }
    assert!(counts.iter().flatten().all(|&n| n >= effort(1600) / 200), "{counts:?}");
}

#[test]
fn triangles_intersect_improperly_exactly_as_fractions_say() {
    let mut random = SplitMix64::new(48);
    let mut counts = [[0; 2]; 4];
    for round in 0..effort(560) {
        let [a, mut b] = hard_pair(&mut random, round % 7);
        let n_shared = (round / 7 % 4) as usize;
        b[..n_shared].copy_from_slice(&a[..n_shared]);
        if n_shared == 2 && random.below(2) == 0 {
            // In one plane, exactly if the coordinates are few digits.
            b[2] = a[0] + random.below(3) as f64 * (a[2] - a[0]) - (a[1] - a[0]);
        }
        if n_shared == 1 && random.below(3) == 0 {
            b[1] = a[0] + 0.5 * (a[2] - a[0]);
        }
        let expected = intersect_improperly_by_fractions(&a, &b);
        counts[n_shared][usize::from(expected)] += 1;
        for (a, b) in [(a, b), (b, a), ([a[1], a[2], a[0]], [b[1], b[0], b[2]])] {
            let found = triangles_intersect_improperly(a, b);
            assert_eq!(found, expected, "round {round}: {a:?} {b:?}");
        }
    }
    assert!(counts.iter().flatten().all(|&n| n >= effort(560) / 200), "{counts:?}");
}

/// The distance between points of two triangles with random weights, some of them 0.
fn sampled_distance(random: &mut SplitMix64, triangles: [Corners; 2]) -> f64 {
    let [on_a, on_b] = triangles.map(|[a, b, c]| {
        let zeros = random.below(7);
        let weight = |i: u64, x: f64| if zeros & (1 << i) == 0 { x } else { 0.0 };
        let [x, y, z] = [0, 1, 2].map(|i| weight(i, random.unit() + 1e-9));
        (x * a + y * b + z * c) / (x + y + z)
    });
    on_a.distance(on_b)
}

#[test]
fn no_points_of_two_triangles_are_nearer_than_their_distance() {
    let mut random = SplitMix64::new(46);
    for round in 0..effort(2000) {
        // Rounds of hard pairs, without those of very different size.
        let [a, mut b] = hard_pair(&mut random, round / 7 * 8 + round % 7);
        let apart = [0.0, 1e-6, 1.0, 100.0][random.below(4) as usize];
        b = b.map(|p| p + apart);
        let found = triangle_distance(a, b);
        let distance = found.distance_squared.sqrt();
        let [on_a, on_b] = found.points;
        let squared = on_a.distance_squared(on_b);
        assert!(squared == found.distance_squared || squared < 1e-300, "round {round}");
        // Each point lies on its own triangle.
        assert!(triangle_distance(a, [on_a; 3]).distance_squared.sqrt() < 1e-13, "round {round}");
        assert!(triangle_distance([on_b; 3], b).distance_squared.sqrt() < 1e-12, "round {round}");
        for _ in 0..100 {
            let other = sampled_distance(&mut random, [a, b]);
            assert!(other > distance * (1.0 - 1e-9) - 1e-12, "round {round}: {other} {distance}");
        }
        let swapped = triangle_distance(b, a).distance_squared.sqrt();
        assert!((swapped - distance).abs() <= 1e-9 * distance + 1e-12, "round {round}");
    }
}

#[test]
fn crossings_lie_in_both_planes_and_join_at_shared_edges_to_the_last_bit() {
    let mut random = SplitMix64::new(47);
    let (mut n_segments, mut n_joined) = (0, 0);
    for round in 0..effort(4000) {
        let mut point = || DVec3::from_array([0; 3].map(|_| random.range(-1.0, 1.0)));
        let ([a, b, c, d], other) = ([0; 4].map(|_| point()), [0; 3].map(|_| point()));
        let plane = |[a, b, c]: Corners, p: DVec3| (b - a).cross(c - a).dot(p - a).abs();
        let [one, two] = [[a, b, c], [b, a, d]].map(|triangle| {
            let crossing = triangle_crossing(triangle, other);
            assert_eq!(crossing.is_some(), triangles_overlap(triangle, other), "round {round}");
            for end in crossing.into_iter().flatten() {
                assert!(plane(triangle, end) < 1e-13 && plane(other, end) < 1e-13, "round {round}");
            }
            n_segments += u32::from(crossing.is_some());
            crossing
        });
        // Where the shared edge crosses the other triangle, both segments end.
        if triangles_overlap([a, b, b], other) {
            let [Some(one), Some(two)] = [one, two] else { panic!("round {round}: no segment") };
            let join = |end: DVec3| two.contains(&end);
            assert!(one.into_iter().any(join), "round {round}: {one:?} {two:?}");
            n_joined += 1;
        }
    }
    assert!(
        n_segments > effort(4000) / 8 && n_joined > effort(4000) / 40,
        "{n_segments} {n_joined}"
    );
}

#[test]
fn a_crossing_is_the_whole_common_segment_and_there_is_none_in_one_plane() {
    let floor = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]].map(DVec3::from_array);
    let crossing = |b: [[f64; 3]; 3]| {
        let found = triangle_crossing(floor, b.map(DVec3::from_array))?;
        let mut ends = found.map(|end| end.to_array());
        ends.sort_by(|a, b| a.partial_cmp(b).expect("finite"));
        Some(ends)
    };
    // An edge in the plane, which reaches out on both sides.
    let wall = crossing([[-1.0, 1.0, 0.0], [9.0, 1.0, 0.0], [0.0, 1.0, 5.0]]);
    assert_eq!(wall, Some([[0.0, 1.0, 0.0], [3.0, 1.0, 0.0]]));
    // A corner in a corner, and on the boundary.
    let touching = crossing([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [2.0, 1.0, 1.0]]);
    assert_eq!(touching, Some([[0.0; 3]; 2]));
    let touching = crossing([[2.0, 2.0, 0.0], [1.0, 1.0, 1.0], [2.0, 1.0, 1.0]]);
    assert_eq!(touching, Some([[2.0, 2.0, 0.0]; 2]));
    // In the plane, without area, and apart.
    assert_eq!(crossing([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), None);
    assert_eq!(crossing([[1.0, 1.0, -1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 0.0]]), None);
    assert_eq!(crossing([[5.0, 5.0, -1.0], [5.0, 6.0, 1.0], [5.0, 5.0, 1.0]]), None);
}
