//! The operations of the kernels: eight lanes of f32, and eight of f64. The rays of packets may have more lanes.

use hitscan_primitives::{EdgeFunctions, WatertightRay};

use super::three::ThreeLanes;

/// The lanes of a register of f32, as kernels see it.
pub(crate) const LANES: usize = 8;

/// The size in bytes of a cache line, as prefetches see it.
pub(crate) const CACHE_LINE: usize = 64;

/// The bits that [`Simd::least_lane`] compares: those of the one x86 instruction that finds a minimum.
pub(crate) const ORDER_BITS: u32 = 16;

/// Arithmetic on lanes of f32.
///
/// The value is a token: it exists only on machines with the instructions. Every operation rounds as the
/// scalar operation does, so a kernel gives the same bits under every implementation. The one exception
/// is [`approx_mul_add`](Self::approx_mul_add).
pub(crate) trait Lanes: Copy {
    /// A register of f32.
    type F: Copy;
    /// As many truth values.
    type M: Copy;

    fn splat(self, value: f32) -> Self::F;

    fn add(self, a: Self::F, b: Self::F) -> Self::F;
    fn sub(self, a: Self::F, b: Self::F) -> Self::F;
    fn mul(self, a: Self::F, b: Self::F) -> Self::F;
    fn div(self, a: Self::F, b: Self::F) -> Self::F;
    /// `a < b ? a : b` per lane.
    fn min(self, a: Self::F, b: Self::F) -> Self::F;
    /// `a > b ? a : b` per lane.
    fn max(self, a: Self::F, b: Self::F) -> Self::F;
    fn abs(self, a: Self::F) -> Self::F;
    /// `a * b + c`, rounded once or twice. For filters only.
    #[inline(always)]
    fn approx_mul_add(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F {
        self.add(self.mul(a, b), c)
    }
    /// `magnitude` with its sign flipped where `sign` has its sign bit set.
    fn xor_sign(self, magnitude: Self::F, sign: Self::F) -> Self::F;

    /// `a <= b`; false for NaN.
    fn le(self, a: Self::F, b: Self::F) -> Self::M;
    /// Not `a < b`; true for NaN.
    fn not_lt(self, a: Self::F, b: Self::F) -> Self::M;
    /// `a == b`; false for NaN.
    fn eq(self, a: Self::F, b: Self::F) -> Self::M;
    fn and(self, a: Self::M, b: Self::M) -> Self::M;
    /// `a` where `mask` is false, `b` where it is true.
    fn select(self, mask: Self::M, a: Self::F, b: Self::F) -> Self::F;
    /// Bit `i` is lane `i`.
    fn movemask(self, mask: Self::M) -> u32;

    /// The sign bits: bit `i` is that of lane `i`.
    fn sign_bits(self, lanes: Self::F) -> u32;
    /// The inverse of [`movemask`](Self::movemask); bits beyond the lanes do not count.
    fn mask_from_bits(self, bits: u32) -> Self::M;

    /// `a >= b`; false for NaN.
    #[inline(always)]
    fn ge(self, a: Self::F, b: Self::F) -> Self::M {
        self.le(b, a)
    }
}

/// An instruction set: operations on [`LANES`] lanes.
pub(crate) trait Simd: Lanes + ThreeLanes {
    /// Whether [`compress`](Self::compress) costs less than the branches that it replaces.
    const COMPRESSES: bool = false;
    /// Whether [`prefetch`](Self::prefetch) does anything.
    const HAS_PREFETCH: bool = false;

    /// Eight f64.
    type D: Copy;

    /// The lanes for the rays of a packet: sixteen with AVX-512, else [`LANES`].
    type Rays: Lanes;
    /// The number of octets of [`LANES`] lanes in a register of [`Rays`](Self::Rays).
    const OCTETS: usize;

    fn rays(self) -> Self::Rays;
    /// Octet `octet` of a register.
    fn octet(self, lanes: <Self::Rays as Lanes>::F, octet: usize) -> Self::F;
    /// The register with another octet.
    fn with_octet(
        self,
        lanes: <Self::Rays as Lanes>::F,
        octet: usize,
        value: Self::F,
    ) -> <Self::Rays as Lanes>::F;

    /// Runs `kernel` as compiled for this instruction set. On x86-64 this is a function call, wherever the
    /// caller is.
    fn vectorize<K: KernelOn<Self>>(self, kernel: K) -> K::Output;

    /// [`vectorize`](Self::vectorize) for a kernel whose arguments are passed in registers.
    fn call<K: KernelFn<A, B, C, D>, A, B, C, D>(self, a: A, b: B, c: C, d: D) -> K::Output;

    fn load(self, values: &[f32; LANES]) -> Self::F;
    fn store(self, lanes: Self::F) -> [f32; LANES];

    fn load_wide(self, values: &[f64; LANES]) -> Self::D;
    /// Each lane as f64, which is exact.
    fn widen(self, lanes: Self::F) -> Self::D;
    /// Each lane rounded to f32.
    fn narrow(self, lanes: Self::D) -> Self::F;
    fn add_wide(self, a: Self::D, b: Self::D) -> Self::D;
    fn sub_wide(self, a: Self::D, b: Self::D) -> Self::D;
    fn mul_wide(self, a: Self::D, b: Self::D) -> Self::D;
    fn div_wide(self, a: Self::D, b: Self::D) -> Self::D;
    fn abs_wide(self, a: Self::D) -> Self::D;
    /// `a <= b` as bits: bit `i` is lane `i`; false for NaN.
    fn le_wide(self, a: Self::D, b: Self::D) -> u32;

    /// [`WatertightRay::edge_functions`], to the last bit.
    #[inline(always)]
    fn edge_functions(self, ray: &WatertightRay, corners: [[f32; 3]; 3]) -> EdgeFunctions {
        ray.edge_functions(corners)
    }

    /// The lanes with the same bits, as bits.
    fn eq_bits(self, a: Self::F, b: Self::F) -> u32;
    /// Loads any bits, without interpretation.
    fn load_bits(self, values: &[u32; LANES]) -> Self::F;
    /// The first four lanes as bits.
    fn to_bits_low(self, lanes: Self::F) -> [u32; 4];
    /// All lanes as bits.
    fn to_bits(self, lanes: Self::F) -> [u32; LANES];
    /// `(a & mask) | bits`, bit by bit.
    fn and_or(self, a: Self::F, mask: Self::F, bits: Self::F) -> Self::F;
    /// The lanes whose bit is set in `mask`, moved to the front; zeros behind.
    fn compress(self, mask: u32, lanes: Self::F) -> Self::F;
    /// [`compress`](Self::compress), but with anything behind.
    #[inline(always)]
    fn move_to_front(self, mask: u32, lanes: Self::F) -> Self::F {
        self.compress(mask, lanes)
    }
    /// Keys of the lanes whose bit is set in `mask`, moved to the front; zeros behind. A key is
    /// `(lane & key_mask) | index`. The mask clears the low three bits.
    #[inline(always)]
    fn compress_keys(self, mask: u32, lanes: Self::F, key_mask: Self::F) -> Self::F {
        self.compress(mask, self.and_or(lanes, key_mask, self.load_bits(&INDICES)))
    }
    /// The first four lanes sorted as unsigned integers, descending. The other lanes are unspecified.
    fn sort_four_descending(self, lanes: Self::F) -> Self::F;
    /// All lanes sorted as unsigned integers, descending.
    #[inline(always)]
    fn sort_eight_descending(self, lanes: Self::F) -> Self::F {
        let mut keys = self.to_bits(lanes);
        for &(i, j) in EIGHT.into_iter().flatten() {
            (keys[i], keys[j]) = (keys[i].max(keys[j]), keys[i].min(keys[j]));
        }
        self.load_bits(&keys)
    }
    /// The lane of `mask`, which has some, with the smallest number in the upper [`ORDER_BITS`] of its bits; the
    /// first of equals.
    #[inline(always)]
    fn least_lane(self, mask: Self::M, lanes: Self::F) -> usize {
        let (mask, bits) = (self.movemask(mask), self.to_bits(lanes));
        let mut least = u32::MAX;
        for lane in 0..LANES {
            let key = bits[lane] & !(u32::MAX >> ORDER_BITS) | lane as u32;
            least = if mask >> lane & 1 == 1 { least.min(key) } else { least };
        }
        least as usize % LANES
    }
    /// Lane `i` of the result is the lane of `table` at the index in the low three bits of lane `i` of
    /// `indices`.
    fn permute(self, table: Self::F, indices: Self::F) -> Self::F;

    /// The transpose: lane `i` of row `j` becomes lane `j` of row `i`.
    #[inline(always)]
    fn transpose(self, rows: [Self::F; LANES]) -> [Self::F; LANES] {
        let mut columns = [[0.0; LANES]; LANES];
        for j in 0..LANES {
            let row = self.store(rows[j]);
            for i in 0..LANES {
                columns[i][j] = row[i];
            }
        }
        let mut transposed = rows;
        for i in 0..LANES {
            transposed[i] = self.load(&columns[i]);
        }
        transposed
    }

    /// The transpose of the first three numbers of each row: lane `i` of row `j` is number `j` of row `i`.
    #[inline(always)]
    fn transpose_points(self, rows: [&[f32; 4]; LANES]) -> [Self::F; 3] {
        [0, 1, 2].map(|j| self.load(&rows.map(|row| row[j])))
    }

    /// One lane in all lanes.
    #[inline(always)]
    fn splat_lane<const LANE: u32>(self, lanes: Self::F) -> Self::F {
        self.permute(lanes, self.load_bits(&[LANE; LANES]))
    }

    /// Prefetches `N` cache lines from `address` on. A hint, for any address.
    #[inline(always)]
    fn prefetch<const N: usize>(self, address: *const u8) {
        let _ = address;
    }
}

/// The index of each lane.
const INDICES: [u32; LANES] = [0, 1, 2, 3, 4, 5, 6, 7];

/// A sorting network for eight lanes: six layers, with the minimum number of comparisons.
const EIGHT: [&[(usize, usize)]; 6] = [
    &[(0, 2), (1, 3), (4, 6), (5, 7)],
    &[(0, 4), (1, 5), (2, 6), (3, 7)],
    &[(0, 1), (2, 3), (4, 5), (6, 7)],
    &[(2, 4), (3, 5)],
    &[(1, 4), (3, 6)],
    &[(1, 2), (3, 4), (5, 6)],
];

/// The items of [`Simd`] for packets whose rays stand in [`LANES`] lanes as well.
macro_rules! rays_in_eight_lanes {
    () => {
        type Rays = Self;
        const OCTETS: usize = 1;

        #[inline(always)]
        fn rays(self) -> Self {
            self
        }
        #[inline(always)]
        fn octet(self, lanes: Self::F, _: usize) -> Self::F {
            lanes
        }
        #[inline(always)]
        fn with_octet(self, _: Self::F, _: usize, value: Self::F) -> Self::F {
            value
        }
    };
}

/// Methods of one expression, a line each: what an instruction set calls its operations.
macro_rules! operations {
    ($(fn $name:ident($($argument:ident: $type:ty),+) -> $output:ty = $value:expr;)+) => {
        $(
            #[inline(always)]
            fn $name(self, $($argument: $type),+) -> $output {
                $value
            }
        )+
    };
}

pub(super) use {operations, rays_in_eight_lanes};

/// A computation that is compiled once for each instruction set.
///
/// `run` and everything it calls per lane must be `#[inline(always)]`. A function left out of line is
/// compiled without the instruction set; for a leaf test that costs 25 to 35 % of all speed.
pub(crate) trait Kernel {
    type Output;
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

/// A [`Kernel`] with arguments, which are passed in registers. The fields of a kernel are passed in memory.
pub(crate) trait KernelFn<A, B, C, D> {
    type Output;
    fn run<S: Simd>(simd: S, a: A, b: B, c: C, d: D) -> Self::Output;
}

/// A [`Kernel`], or a part of one that keeps lanes and is called out of line.
pub(crate) trait KernelOn<S: Simd> {
    type Output;
    fn run_on(self, simd: S) -> Self::Output;
}

impl<K: Kernel, S: Simd> KernelOn<S> for K {
    type Output = K::Output;

    #[inline(always)]
    fn run_on(self, simd: S) -> K::Output {
        self.run(simd)
    }
}

#[cfg(test)]
mod tests {
    use hitscan_primitives::generate::SplitMix64;

    use super::{Kernel, LANES, Lanes, Simd};
    use crate::Isa;

    /// Sorts the lanes by both networks.
    struct Sort([u32; LANES]);

    impl Kernel for Sort {
        type Output = ([u32; 4], [u32; LANES]);

        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> Self::Output {
            let lanes = simd.load_bits(&self.0);
            let four = simd.to_bits_low(simd.sort_four_descending(lanes));
            (four, simd.to_bits(simd.sort_eight_descending(lanes)))
        }
    }

    /// Transposes rows of numbers.
    struct Transpose([[f32; LANES]; LANES]);

    impl Kernel for Transpose {
        type Output = [[f32; LANES]; LANES];

        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> Self::Output {
            simd.transpose(self.0.map(|row| simd.load(&row))).map(|row| simd.store(row))
        }
    }

    /// The smallest lane among those of a mask.
    struct Least(u32, [u32; LANES]);

    impl Kernel for Least {
        type Output = usize;

        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> usize {
            simd.least_lane(simd.mask_from_bits(self.0), simd.load_bits(&self.1))
        }
    }

    /// The results of all operations on the lanes of packets, and of the same on eight lanes, octet by octet.
    struct OnRays([[[f32; LANES]; 2]; 3]);

    impl Kernel for OnRays {
        type Output = [Vec<u32>; 2];

        #[inline(always)]
        fn run<S: Simd>(self, s: S) -> Self::Output {
            let Self(rows) = self;
            let r = s.rays();
            let whole = rows.map(|octets| {
                (0..S::OCTETS).fold(r.splat(f32::NAN), |lanes, octet| {
                    s.with_octet(lanes, octet, s.load(&octets[octet]))
                })
            });
            let (lanes, masks) = operations(r, whole, S::OCTETS * LANES);
            let mut outputs = [vec![], vec![]];
            for octet in 0..S::OCTETS {
                let of_octet = |mask: &u32| mask >> (LANES * octet) & 0xff;
                outputs[0].extend(lanes.iter().flat_map(|&lanes| s.to_bits(s.octet(lanes, octet))));
                outputs[0].extend(masks.iter().map(of_octet));
                let (lanes, masks) =
                    operations(s, rows.map(|octets| s.load(&octets[octet])), LANES);
                outputs[1].extend(lanes.iter().flat_map(|&lanes| s.to_bits(lanes)));
                outputs[1].extend(masks);
            }
            outputs
        }
    }

    /// The results of all operations but the approximate one: lanes, and masks as bits.
    #[inline(always)]
    fn operations<L: Lanes>(l: L, [a, b, c]: [L::F; 3], n_lanes: usize) -> (Vec<L::F>, Vec<u32>) {
        let chosen = l.mask_from_bits(0b1010_0110_1100_0101);
        let masks =
            [l.le(a, b), l.not_lt(a, b), l.eq(a, b), l.ge(a, b), l.and(l.le(a, b), l.le(b, c))];
        let lanes = [
            l.add(a, b),
            l.sub(a, b),
            l.mul(a, b),
            l.div(a, b),
            l.min(a, b),
            l.max(a, b),
            l.abs(a),
            l.xor_sign(a, b),
            l.select(l.le(a, b), a, c),
            l.splat(7.0),
        ];
        let chosen = l.movemask(chosen);
        assert_eq!(chosen, 0b1010_0110_1100_0101 & u32::MAX >> (32 - n_lanes));
        let mut masks: Vec<u32> = masks.into_iter().map(|mask| l.movemask(mask)).collect();
        masks.push(l.sign_bits(a));
        (lanes.to_vec(), masks)
    }

    #[test]
    fn the_lanes_of_packets_give_the_same_bits_as_eight_lanes() {
        const SPECIAL: [f32; 6] = [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1e-40];
        let mut rng = SplitMix64::new(3);
        for _ in 0..2000 {
            let mut number = || match rng.next_u64() as usize % 24 {
                special @ 0..6 => SPECIAL[special],
                small @ 6..10 => small as f32,
                _ => rng.range(-10.0, 10.0) as f32,
            };
            let rows = [(); 3].map(|()| [(); 2].map(|()| [(); LANES].map(|()| number())));
            for isa in Isa::available() {
                let [whole, octets] = isa.run(OnRays(rows));
                assert_eq!(whole, octets, "{isa:?} {rows:?}");
            }
        }
    }

    #[test]
    fn a_transpose_swaps_rows_and_lanes_on_every_instruction_set() {
        let rows: [[f32; LANES]; LANES] =
            std::array::from_fn(|j| std::array::from_fn(|i| (LANES * j + i) as f32));
        let expected = std::array::from_fn(|i| std::array::from_fn(|j| rows[j][i]));
        for isa in Isa::available() {
            assert_eq!(isa.run(Transpose(rows)), expected, "{isa:?}");
        }
    }

    #[test]
    fn the_least_lane_is_the_first_of_the_mask_with_the_least_upper_half() {
        let mut rng = SplitMix64::new(1);
        for case in 0..20_000 {
            let mask = 1 + (rng.next_u64() % 255) as u32;
            let lanes: [u32; LANES] = std::array::from_fn(|_| {
                let high = rng.next_u64() as u32 % [3, 1 << 15][case % 2];
                (high << 16) | (rng.next_u64() as u32 % (1 << 16))
            });
            let of_mask = (0..LANES).filter(|lane| mask >> lane & 1 == 1);
            let expected = of_mask.min_by_key(|&lane| lanes[lane] >> 16).unwrap();
            for isa in Isa::available() {
                assert_eq!(isa.run(Least(mask, lanes)), expected, "{isa:?} {mask:08b} {lanes:x?}");
            }
        }
    }

    #[test]
    fn sorting_networks_sort_on_every_instruction_set() {
        // A network that sorts all sequences of zeros and ones sorts everything (Knuth, The Art of
        // Computer Programming, volume 3, 1973).
        for isa in Isa::available() {
            for ones in 0..256u32 {
                let keys = std::array::from_fn(|lane| ones >> lane & 1);
                let (four, eight) = isa.run(Sort(keys));
                let (mut first, mut all) = ([keys[0], keys[1], keys[2], keys[3]], keys);
                first.sort_unstable_by(|a, b| b.cmp(a));
                all.sort_unstable_by(|a, b| b.cmp(a));
                assert_eq!((four, eight), (first, all), "{isa:?} {ones:08b}");
            }
        }
    }
}
