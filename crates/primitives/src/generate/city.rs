//! A city, with large triangles next to tiny ones.

use std::f64::consts::FRAC_1_SQRT_2;

use glam::DVec3;

use crate::TriMesh;

use super::error::{GenerateError, check_count};
use super::parts::Parts;
use super::rng::SplitMix64;
use super::sphere;

/// Distance between the centres of two lots.
const LOT_PITCH: f64 = 40.0;
/// The approximate number of triangles of a lot: a tower with its ledges and windows.
const LOT_TRIANGLES: usize = 4000;
/// Height of a floor.
const FLOOR_HEIGHT: f64 = 3.5;
/// Distance between the centres of two windows.
const WINDOW_PITCH: f64 = 2.5;
/// Triangles of a box.
const BOX_TRIANGLES: usize = 12;
/// Segments of a sagging cable.
const CABLE_SEGMENTS: u32 = 12;

/// A city of exactly `n_triangles`: towers with ledges and windows, spheres on roofs, thin cables from
/// roof to roof and clutter in the streets, on a ground of two triangles.
///
/// A benchmark for rays in every direction through a scene of mixed sizes: edges are from 0.03 to the
/// whole city long. The number of lots, 40 x 40 each, grows with the triangles: 256 for a million.
/// The ground is y = 0 and centred at the origin. Boxes and spheres are closed, with their front
/// outside. Cables are open tubes, and up to 11 loose triangles fill the count.
///
/// # Errors
/// Fewer than 2 or too many triangles.
pub fn city(n_triangles: usize, seed: u64) -> Result<TriMesh, GenerateError> {
    check_count(n_triangles, 2)?;
    let n_side = n_lots_per_side(n_triangles);
    let half_extent = 0.5 * LOT_PITCH * n_side as f64;
    let mut city = City {
        parts: Parts::with_capacity(n_triangles / 3 * 2, n_triangles),
        rng: SplitMix64::new(seed),
    };
    city.add_ground(half_extent);
    let n_lots = n_side * n_side;
    for lot in 0..n_lots {
        let x = LOT_PITCH * ((lot % n_side) as f64 + 0.5) - half_extent;
        let z = LOT_PITCH * ((lot / n_side) as f64 + 0.5) - half_extent;
        // Each lot takes its share of the remaining triangles, so that rounding does not add up.
        let n_left = n_triangles - city.n_triangles();
        city.add_lot(DVec3::new(x, 0.0, z), city.n_triangles() + n_left / (n_lots - lot));
    }
    city.add_litter(half_extent, n_triangles);
    Ok(city.parts.into_mesh())
}

fn n_lots_per_side(n_triangles: usize) -> usize {
    let n_lots = n_triangles as f64 / LOT_TRIANGLES as f64;
    (n_lots.sqrt() + 0.5) as usize + usize::from(n_lots < 0.25)
}

struct City {
    parts: Parts,
    rng: SplitMix64,
}

impl City {
    fn n_triangles(&self) -> usize {
        self.parts.triangles.len()
    }

    fn add_ground(&mut self, half_extent: f64) {
        let corners = [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)];
        let corners = corners.map(|(x, z)| (half_extent * DVec3::new(x, 0.0, z)).as_vec3());
        self.parts.positions.extend(corners);
        self.parts.triangles.extend([[0, 2, 1], [1, 2, 3]]);
    }

    /// Adds a tower with its details, until the city has between `end - 11` and `end` triangles.
    fn add_lot(&mut self, center: DVec3, end: usize) {
        let is_high = self.rng.unit() < 0.2;
        let n_floors = if is_high { 15 + self.rng.below(30) } else { 3 + self.rng.below(9) };
        let n_tiers = 1 + self.rng.below(3).min(n_floors / 4);
        let mut half = DVec3::new(self.rng.range(6.0, 13.0), 0.0, self.rng.range(6.0, 13.0));
        let mut base = center;
        let mut tiers = Vec::new();
        for tier in 0..n_tiers {
            let n_tier_floors = n_floors * (tier + 1) / n_tiers - n_floors * tier / n_tiers;
            tiers.push(Tier { base, half, n_floors: n_tier_floors });
            self.add_box(base, half, FLOOR_HEIGHT * n_tier_floors as f64, end);
            base.y += FLOOR_HEIGHT * n_tier_floors as f64;
            half *= self.rng.range(0.6, 0.9);
        }
        self.add_roof(base, half, end);
        for tier in &tiers {
            self.add_ledges(tier, end);
        }
        for tier in &tiers {
            self.add_windows(tier, end);
        }
        while self.n_triangles() + BOX_TRIANGLES <= end {
            self.add_clutter(center, end);
        }
    }

    /// A sphere in the middle of a roof and cables to roofs and streets around.
    fn add_roof(&mut self, roof: DVec3, half: DVec3, end: usize) {
        let n_sphere = 80 << self.rng.below(5);
        let radius = self.rng.range(1.0, 0.7 * half.x.clamp(2.0, 9.0));
        if self.n_triangles() + n_sphere <= end {
            sphere::add_sphere(&mut self.parts, roof + 1.2 * radius * DVec3::Y, radius, n_sphere);
        }
        for _ in 0..1 + self.rng.below(4) {
            let to = roof
                + DVec3::new(
                    self.rng.range(-1.5, 1.5) * LOT_PITCH,
                    -self.rng.range(0.0, 0.7) * roof.y,
                    self.rng.range(-1.5, 1.5) * LOT_PITCH,
                );
            // Taut cables are single prisms, as long as they are thin.
            let n_segments = if self.rng.unit() < 0.5 { 1 } else { CABLE_SEGMENTS };
            self.add_cable(roof + DVec3::Y, to, n_segments, end);
        }
    }

    /// A slab around each floor.
    fn add_ledges(&mut self, tier: &Tier, end: usize) {
        let half = tier.half + DVec3::new(0.25, 0.0, 0.25);
        for floor in 1..=tier.n_floors {
            let y = FLOOR_HEIGHT * floor as f64 - 0.15;
            self.add_box(tier.base + y * DVec3::Y, half, 0.3, end);
        }
    }

    /// Boxes on all four walls, on most places.
    fn add_windows(&mut self, tier: &Tier, end: usize) {
        for floor in 0..tier.n_floors {
            let y = FLOOR_HEIGHT * floor as f64 + 1.0;
            for (along, out) in [(DVec3::X, DVec3::Z), (DVec3::Z, DVec3::X)] {
                let n_windows = (2.0 * tier.half.dot(along) / WINDOW_PITCH) as u64;
                for side in [-1.0, 1.0] {
                    let wall = tier.base + y * DVec3::Y + side * tier.half.dot(out) * out;
                    for window in 0..n_windows {
                        let place = window as f64 - 0.5 * (n_windows as f64 - 1.0);
                        if self.rng.unit() < 0.85 {
                            let middle = wall + WINDOW_PITCH * place * along;
                            self.add_box(middle, 0.7 * along + 0.1 * out, 1.6, end);
                        }
                    }
                }
            }
        }
    }

    /// A small box somewhere on the lot.
    fn add_clutter(&mut self, center: DVec3, end: usize) {
        let reach = 0.5 * LOT_PITCH;
        let place = DVec3::new(self.rng.range(-reach, reach), 0.0, self.rng.range(-reach, reach));
        // Small things are more common than large ones.
        let size = self.rng.unit();
        let size = 0.05 + 1.5 * size * size * size;
        let half =
            DVec3::new(size * self.rng.range(0.3, 1.0), 0.0, size * self.rng.range(0.3, 1.0));
        let height = size * self.rng.range(0.5, 2.0);
        self.add_box(center + place, half, height, end);
    }

    /// A box on its base, unless it would go beyond `end`.
    fn add_box(&mut self, base: DVec3, half: DVec3, height: f64, end: usize) {
        if self.n_triangles() + BOX_TRIANGLES > end {
            return;
        }
        let first = self.parts.next_vertex();
        for corner in 0..8 {
            let pick = |bit: u32, low: f64, high: f64| {
                if corner & bit == 0 { low } else { high }
            };
            let offset = DVec3::new(
                pick(1, -half.x, half.x),
                pick(2, 0.0, height),
                pick(4, -half.z, half.z),
            );
            self.parts.positions.push((base + offset).as_vec3());
        }
        self.parts.triangles.extend(BOX.map(|corners| corners.map(|corner| first + corner)));
    }

    /// A tube of three sides along a parabola, unless it would go beyond `end`.
    fn add_cable(&mut self, from: DVec3, to: DVec3, n_segments: u32, end: usize) {
        if self.n_triangles() + 6 * n_segments as usize > end {
            return;
        }
        let along = to - from;
        let sag = if n_segments == 1 { 0.0 } else { 0.1 * (along.x.abs() + along.z.abs()) };
        let across = DVec3::new(-along.z, 0.0, along.x).normalize_or(DVec3::X);
        let radius = self.rng.range(0.015, 0.04);
        let first = self.parts.next_vertex();
        for i in 0..=n_segments {
            let share = f64::from(i) / f64::from(n_segments);
            let mut middle = from + share * along;
            // The lowest cable hangs over the street, not under it.
            middle.y = (middle.y - 4.0 * sag * share * (1.0 - share)).max(0.3);
            let (side, down) = (radius * across, radius * FRAC_1_SQRT_2 * DVec3::Y);
            let corners = [middle + side - down, middle + 2.0 * down, middle - side - down];
            self.parts.positions.extend(corners.map(|corner| corner.as_vec3()));
        }
        for i in 0..n_segments {
            for side in 0..3 {
                let (a, b) = (first + 3 * i + side, first + 3 * i + (side + 1) % 3);
                self.parts.triangles.extend([[a, b, a + 3], [b, b + 3, a + 3]]);
            }
        }
    }

    /// Loose triangles above the ground until there are `end`.
    fn add_litter(&mut self, half_extent: f64, end: usize) {
        while self.n_triangles() < end {
            let x = self.rng.range(-half_extent, half_extent);
            let z = self.rng.range(-half_extent, half_extent);
            let first = self.parts.next_vertex();
            let corners = [(0.0, 0.1), (0.3, 0.2), (0.1, 0.4)];
            let corners = corners.map(|(dx, y)| DVec3::new(x + dx, y, z + dx * dx).as_vec3());
            self.parts.positions.extend(corners);
            self.parts.triangles.push([first, first + 1, first + 2]);
        }
    }
}

/// A part of a tower between two setbacks.
struct Tier {
    base: DVec3,
    half: DVec3,
    n_floors: u64,
}

/// The faces -x, +x, -y, +y, -z, +z of a box. Corner `i` has the larger x, y or z if bit 1, 2 or 4 of `i`
/// is set.
#[rustfmt::skip]
const BOX: [[u32; 3]; 12] = [
    [0, 4, 6], [0, 6, 2],
    [1, 3, 7], [1, 7, 5],
    [0, 1, 5], [0, 5, 4],
    [2, 6, 7], [2, 7, 3],
    [0, 2, 3], [0, 3, 1],
    [4, 5, 7], [4, 7, 6],
];
