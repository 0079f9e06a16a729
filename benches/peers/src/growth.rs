//! The same hills with more and more triangles: the time of a ray against the size of the mesh.

use hitscan_benches::{RayKind, Scene};

use crate::Error;
use crate::compare::{self, Comparison, Plan};
use crate::engines::Contender;

/// The first size.
const SMALLEST: usize = 1000;

/// The factor between two sizes.
const FACTOR: usize = 4;

/// Compares some engines on a terrain of 1000 triangles, 4000, and so on, up to `largest`, with primary
/// and random rays. The caller is in a pool of one thread.
pub(crate) fn measure(
    contenders: &[Contender],
    plan: &Plan,
    largest: usize,
) -> Result<Vec<Comparison>, Error> {
    let plan = Plan { kinds: vec![RayKind::Primary, RayKind::Random], ..plan.clone() };
    let compared = sizes(largest).map(|n_triangles| {
        let scene = Scene::terrain(n_triangles)?;
        eprintln!("growth: {n_triangles} triangles");
        Ok(compare::compare(&scene, contenders, &plan))
    });
    compared.collect()
}

fn sizes(largest: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(SMALLEST), |size| size.checked_mul(FACTOR))
        .take_while(move |size| *size <= largest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_run_from_a_thousand_to_sixteen_million() {
        let sizes: Vec<usize> = sizes(16_384_000).collect();
        assert_eq!((sizes.len(), sizes[0], sizes[7]), (8, 1000, 16_384_000));
        assert_eq!(super::sizes(999).count(), 0);
    }
}
