//! Hills made of noise.

use glam::DVec3;

use crate::TriMesh;

use super::error::{GenerateError, check_count};
use super::grid;
use super::rng::{mixed, unit_from_bits};

/// Edge length of the terrain.
const EXTENT: f64 = 1000.0;
/// Octaves of noise, each with half the height and half the wavelength of the one before.
const N_OCTAVES: u32 = 8;
/// Lattice cells of the first octave along the terrain.
const FIRST_FREQUENCY: f64 = 4.0;
/// Height of the first octave.
const FIRST_AMPLITUDE: f64 = 80.0;

/// Hills over a square of 1000 x 1000 about the origin, with the front upwards (+y) and heights
/// within about 160 of zero.
///
/// A regular grid, lifted by eight octaves of value noise (Perlin, "An Image Synthesizer", 1985,
/// has the idea of summing octaves). The number of triangles is as near to `n_triangles` as for
/// [`grid`](super::grid()).
///
/// # Errors
/// Fewer than 2 or too many triangles.
pub fn terrain(n_triangles: usize, seed: u64) -> Result<TriMesh, GenerateError> {
    check_count(n_triangles, grid::MIN_TRIANGLES)?;
    let (n_x, n_z) = grid::cells(n_triangles, 1.0);
    let parts = grid::cell_mesh(n_x, n_z, |x, z| {
        DVec3::new(EXTENT * x, height(seed, x, z), EXTENT * z).as_vec3()
    });
    parts.into_mesh_with_areas()
}

/// The height over a point of the unit square about the origin.
fn height(seed: u64, x: f64, z: f64) -> f64 {
    let (mut sum, mut frequency, mut amplitude) = (0.0, FIRST_FREQUENCY, FIRST_AMPLITUDE);
    for octave in 0..u64::from(N_OCTAVES) {
        let lattice_seed = mixed(seed.wrapping_add(octave));
        // Shifted to positive numbers: lattice points are whole numbers.
        sum += amplitude * value_noise(lattice_seed, frequency * (x + 1.0), frequency * (z + 1.0));
        frequency *= 2.0;
        amplitude *= 0.5;
    }
    sum
}

/// Smooth noise in `[-1, 1]` with a random value at each lattice point, for `x, z >= 0`.
fn value_noise(seed: u64, x: f64, z: f64) -> f64 {
    let (i, k) = (x as u64, z as u64);
    let (u, w) = (fade(x - i as f64), fade(z - k as f64));
    let value = |i: u64, k: u64| 2.0 * unit_from_bits(mixed(seed ^ mixed(i | k << 32))) - 1.0;
    let near = value(i, k) + u * (value(i + 1, k) - value(i, k));
    let far = value(i, k + 1) + u * (value(i + 1, k + 1) - value(i, k + 1));
    near + w * (far - near)
}

/// Perlin's quintic ("Improving Noise", 2002): from 0 to 1 with zero slope and curvature at the ends.
fn fade(x: f64) -> f64 {
    x * x * x * (x * (6.0 * x - 15.0) + 10.0)
}
