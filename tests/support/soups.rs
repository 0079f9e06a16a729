//! Triangle soups: triangles without a surface, of every kind that has broken a builder or a kernel.

use hitscan_primitives::glam::Vec3;

use crate::shapes::unshared;
use crate::{Rng, Shape};

/// The common property of a soup's triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SoupKind {
    /// Of all sizes, anywhere in a cube.
    Random,
    /// One corner within 2^-10 to 2^-24 of the opposite edge.
    Slivers,
    /// Copies of a few triangles, their corners rotated or their winding flipped.
    Duplicates,
    /// A third of them points, lines, or with a repeated corner.
    ZeroArea,
    /// Integer coordinates, so that many corners, edges and planes coincide.
    Grid,
    /// In planes across an axis, with flat boxes.
    AxisPlanes,
    /// Small, and 10^3 to 10^7 of their extents away from the origin.
    Offset,
    /// Scaled by 2^-60 to 2^60.
    Scaled,
    /// Every coordinate with an independent magnitude between 1e-30 and 1e30.
    Wild,
    /// Coordinates of random bits, as long as they are finite.
    Bits,
    /// One triangle, repeated.
    Stack,
    /// Around one vertex, neighbours share their edge.
    Fan,
    /// 10^3 to 10^5 times longer than wide, along an axis or not.
    LongThin,
    /// Each twice as far away as the one before.
    Exponential,
    /// Clusters of small triangles and needles, whose sizes and distances from zero differ by up to 2^40.
    MixedScales,
    /// All corners on one line, exactly or up to rounding.
    Line,
    /// A bumpy height field with shared vertices: every inner edge has two triangles.
    HeightField,
}

impl SoupKind {
    /// All kinds.
    pub const ALL: [Self; 17] = [
        Self::Random,
        Self::Slivers,
        Self::Duplicates,
        Self::ZeroArea,
        Self::Grid,
        Self::AxisPlanes,
        Self::Offset,
        Self::Scaled,
        Self::Wild,
        Self::Bits,
        Self::Stack,
        Self::Fan,
        Self::LongThin,
        Self::Exponential,
        Self::MixedScales,
        Self::Line,
        Self::HeightField,
    ];
}

/// A soup of 1 to `max_triangles` triangles of a random kind, or in one case of four a mix of several.
/// Small soups are as frequent as large ones.
pub fn soup(rng: &mut Rng, max_triangles: usize) -> Shape {
    let n = (max_triangles as f32 + 0.5).powf(rng.unit()).round().max(1.0) as usize;
    if n < 3 || !rng.one_in(4) {
        let kind = rng.pick(&SoupKind::ALL);
        return soup_of(kind, rng, n);
    }
    let kinds = [0; 3].map(|_| rng.pick(&SoupKind::ALL));
    let mut corners = Vec::with_capacity(n);
    for kind in kinds {
        corners.extend(corners_of(kind, rng, n.div_ceil(3)));
    }
    // Mixes the ids of the kinds, because otherwise ties between kinds would always have the same
    // winner.
    for i in (1..corners.len()).rev() {
        corners.swap(i, rng.below(i + 1));
    }
    Shape {
        name: format!("mix of {kinds:?}, {} triangles", corners.len()),
        mesh: unshared(&corners),
    }
}

/// A soup of `n` triangles of a kind.
pub fn soup_of(kind: SoupKind, rng: &mut Rng, n: usize) -> Shape {
    let corners = corners_of(kind, rng, n);
    Shape { name: format!("{kind:?}, {n} triangles"), mesh: unshared(&corners) }
}

fn corners_of(kind: SoupKind, rng: &mut Rng, n: usize) -> Vec<[Vec3; 3]> {
    match kind {
        SoupKind::Fan => fan(rng, n),
        SoupKind::HeightField => height_field(rng, n),
        SoupKind::Duplicates => duplicates(rng, n),
        SoupKind::Stack => vec![random(rng); n],
        SoupKind::Offset => {
            let offset = rng.direction() * 10f32.powf(rng.between(3.0, 7.0));
            (0..n).map(|_| random(rng).map(|p| p + offset)).collect()
        }
        SoupKind::Scaled => {
            let scale = (rng.below(121) as f32 - 60.0).exp2();
            (0..n).map(|_| random(rng).map(|p| p * scale)).collect()
        }
        SoupKind::Line => {
            let (start, along) = (rng.in_cube(), axis_or_any(rng));
            // Small integer multiples: the sums stay on the line as exactly as f32 permits.
            (0..n).map(|_| [0; 3].map(|_| start + along * rng.below(64) as f32)).collect()
        }
        SoupKind::MixedScales => mixed_scales(rng, n),
        SoupKind::Exponential => {
            let along = axis_or_any(rng);
            let step = (100.0 / n as f32).min(1.0);
            let size = |i: usize| (i as f32 * step - 50.0).exp2();
            (0..n).map(|i| random(rng).map(|p| (p + along) * size(i))).collect()
        }
        _ => (0..n).map(|_| single(kind, rng)).collect(),
    }
}

/// A triangle of a kind whose triangles are independent.
fn single(kind: SoupKind, rng: &mut Rng) -> [Vec3; 3] {
    match kind {
        SoupKind::Slivers => {
            let [a, b, _] = random(rng);
            let gap = rng.power_of_two(-24.0, -10.0);
            [a, b, a.lerp(b, rng.unit()) + rng.direction() * gap * (b - a).length()]
        }
        SoupKind::ZeroArea => {
            let [a, b, c] = random(rng);
            rng.pick(&[
                [a, a, a],
                [a, b, b],
                [a, b, 0.5 * a + 0.5 * b],
                [a, b, c],
                [b, c, a],
                [c, a, b],
            ])
        }
        SoupKind::Grid => [0; 3].map(|_| {
            let integer = |rng: &mut Rng| rng.below(13) as f32 - 6.0;
            Vec3::new(integer(rng), integer(rng), integer(rng))
        }),
        SoupKind::AxisPlanes => {
            let (axis, height) = (rng.below(3), rng.below(5) as f32 - 2.0);
            random(rng).map(|mut p| {
                p[axis] = height;
                p
            })
        }
        SoupKind::Wild => [0; 3].map(|_| {
            let mut wild = || rng.pick(&[-1.0, 1.0]) * 10f32.powf(rng.between(-30.0, 30.0));
            Vec3::new(wild(), wild(), wild())
        }),
        SoupKind::Bits => [0; 3].map(|_| {
            let mut finite = || loop {
                let x = f32::from_bits(rng.bits());
                if x.is_finite() {
                    return x;
                }
            };
            Vec3::new(finite(), finite(), finite())
        }),
        SoupKind::LongThin => {
            let (a, length) = (rng.in_cube(), rng.power_of_two(-3.0, 3.0));
            let along = axis_or_any(rng) * length;
            let width = length * 10f32.powf(rng.between(-5.0, -3.0));
            [a, a + along, a + along * rng.unit() + rng.direction() * width]
        }
        _ => random(rng),
    }
}

fn random(rng: &mut Rng) -> [Vec3; 3] {
    let (middle, size) = (rng.in_cube(), rng.power_of_two(-8.0, 0.0));
    [0; 3].map(|_| middle + rng.in_cube() * size)
}

/// Clusters, one in sixteen of the triangles a needle from one cluster to another.
fn mixed_scales(rng: &mut Rng, n: usize) -> Vec<[Vec3; 3]> {
    let clusters: Vec<(Vec3, f32)> = (0..1 + rng.below(4))
        .map(|_| {
            let size = rng.power_of_two(-20.0, 20.0);
            // Around zero, beside it, or so far away that few bits are left for its triangles.
            let distance = rng.pick(&[0.0, 1.0, 16.0, 65536.0]) * size;
            (rng.in_cube() * distance, size)
        })
        .collect();
    (0..n)
        .map(|_| {
            let (middle, size) = rng.pick(&clusters);
            let [a, b, c] = random(rng).map(|p| middle + p * size);
            let (other, size) = rng.pick(&clusters);
            if rng.one_in(16) { [a, b, other + rng.in_cube() * size] } else { [a, b, c] }
        })
        .collect()
}

fn axis_or_any(rng: &mut Rng) -> Vec3 {
    let any = rng.direction();
    rng.pick(&[Vec3::X, Vec3::Y, Vec3::Z, -Vec3::Z, any, any])
}

fn duplicates(rng: &mut Rng, n: usize) -> Vec<[Vec3; 3]> {
    let originals: Vec<[Vec3; 3]> = (0..n.div_ceil(8)).map(|_| random(rng)).collect();
    (0..n)
        .map(|_| {
            let [a, b, c] = rng.pick(&originals);
            rng.pick(&[[a, b, c], [b, c, a], [c, a, b], [c, b, a], [a, c, b]])
        })
        .collect()
}

fn fan(rng: &mut Rng, n: usize) -> Vec<[Vec3; 3]> {
    let hub = rng.in_cube() * 0.1;
    let rim: Vec<Vec3> = (0..=n)
        .map(|i| {
            let angle = std::f32::consts::TAU * i as f32 / n as f32;
            Vec3::new(angle.cos(), angle.sin(), rng.between(-0.2, 0.2))
        })
        .collect();
    rim.windows(2).map(|pair| [hub, pair[0], pair[1]]).collect()
}

fn height_field(rng: &mut Rng, n: usize) -> Vec<[Vec3; 3]> {
    let side = ((n as f32 / 2.0).sqrt().ceil() as usize).max(1);
    let bump = rng.pick(&[0.0, 0.01, 0.2]);
    let points: Vec<Vec3> = (0..(side + 1) * (side + 1))
        .map(|i| {
            let (x, y) = ((i % (side + 1)) as f32, (i / (side + 1)) as f32);
            Vec3::new(x / side as f32 - 0.5, y / side as f32 - 0.5, bump * rng.between(-1.0, 1.0))
        })
        .collect();
    let at = |x: usize, y: usize| points[y * (side + 1) + x];
    let cells = (0..side * side).map(|i| (i % side, i / side));
    let pairs = cells.flat_map(|(x, y)| {
        let (a, b, c, d) = (at(x, y), at(x + 1, y), at(x + 1, y + 1), at(x, y + 1));
        [[a, b, c], [a, c, d]]
    });
    pairs.take(n).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_every_size_is_a_mesh_of_that_size() {
        let mut rng = Rng::new(3);
        for kind in SoupKind::ALL {
            for n in [1, 2, 3, 17, 1000] {
                assert_eq!(soup_of(kind, &mut rng, n).mesh.triangles().len(), n, "{kind:?}");
            }
        }
    }

    #[test]
    fn a_seed_gives_the_same_soup_again() {
        let make = || soup(&mut Rng::new(99), 500);
        let (first, second) = (make(), make());
        assert_eq!(first.name, second.name);
        assert_eq!(first.mesh, second.mesh);
    }

    #[test]
    fn only_the_kinds_without_area_have_none() {
        let mut rng = Rng::new(4);
        let n_degenerate = |kind, rng: &mut Rng| soup_of(kind, rng, 100).mesh.n_degenerate();
        assert!(n_degenerate(SoupKind::ZeroArea, &mut rng) > 30);
        assert_eq!(n_degenerate(SoupKind::Random, &mut rng), 0);
    }
}
