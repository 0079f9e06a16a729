//! Three f64 at once: a point or a direction of the world.

/// The operations on three f64 of an instruction set.
pub(crate) trait ThreeLanes: Copy {
    /// Three f64.
    type Three: Copy;

    fn load_three(self, values: &[f64; 3]) -> Self::Three;
    fn store_three(self, lanes: Self::Three) -> [f64; 3];
    fn splat_three(self, value: f64) -> Self::Three;
    fn add_three(self, a: Self::Three, b: Self::Three) -> Self::Three;
    fn sub_three(self, a: Self::Three, b: Self::Three) -> Self::Three;
    fn mul_three(self, a: Self::Three, b: Self::Three) -> Self::Three;
    fn div_three(self, a: Self::Three, b: Self::Three) -> Self::Three;
    /// `b` where `a` is NaN.
    fn max_three(self, a: Self::Three, b: Self::Three) -> Self::Three;
    fn abs_three(self, a: Self::Three) -> Self::Three;
    /// The magnitude with its sign changed where that of `sign` is negative.
    fn xor_sign_three(self, magnitude: Self::Three, sign: Self::Three) -> Self::Three;
    /// Both rounded to f32, and two f32 behind them: a ray as it lies in memory.
    fn narrow_ray(
        self,
        origin: Self::Three,
        direction: Self::Three,
        t_min: f32,
        t_max: f32,
    ) -> [f32; 8];
}

/// The items of [`ThreeLanes`] where no register holds three f64.
macro_rules! three_in_an_array {
    () => {
        type Three = [f64; 3];

        #[inline(always)]
        fn narrow_ray(self, o: [f64; 3], d: [f64; 3], t_min: f32, t_max: f32) -> [f32; 8] {
            let ([ox, oy, oz], [dx, dy, dz]) = (o.map(|x| x as f32), d.map(|x| x as f32));
            [ox, oy, oz, dx, dy, dz, t_min, t_max]
        }
        operations! {
            fn load_three(values: &[f64; 3]) -> [f64; 3] = *values;
            fn store_three(lanes: [f64; 3]) -> [f64; 3] = lanes;
            fn splat_three(value: f64) -> [f64; 3] = [value; 3];
            fn add_three(a: [f64; 3], b: [f64; 3]) -> [f64; 3] = [0, 1, 2].map(|i| a[i] + b[i]);
            fn sub_three(a: [f64; 3], b: [f64; 3]) -> [f64; 3] = [0, 1, 2].map(|i| a[i] - b[i]);
            fn mul_three(a: [f64; 3], b: [f64; 3]) -> [f64; 3] = [0, 1, 2].map(|i| a[i] * b[i]);
            fn div_three(a: [f64; 3], b: [f64; 3]) -> [f64; 3] = [0, 1, 2].map(|i| a[i] / b[i]);
            fn max_three(a: [f64; 3], b: [f64; 3]) -> [f64; 3] =
                [0, 1, 2].map(|i| if a[i] > b[i] { a[i] } else { b[i] });
            fn abs_three(a: [f64; 3]) -> [f64; 3] = a.map(f64::abs);
            fn xor_sign_three(magnitude: [f64; 3], sign: [f64; 3]) -> [f64; 3] =
                [0, 1, 2].map(|i| {
                    let sign_bit = sign[i].to_bits() & (1 << 63);
                    f64::from_bits(magnitude[i].to_bits() ^ sign_bit)
                });
        }
    };
}

pub(super) use three_in_an_array;
