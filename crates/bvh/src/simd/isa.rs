//! The choice of an instruction set at run time.

use super::lanes::{Kernel, KernelFn, Simd};
#[cfg(target_arch = "aarch64")]
use super::neon;
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
use super::scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use super::wasm;
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};

/// An instruction set that this machine can run. Holding one proves that it can.
///
/// The answers are the same for all of them, to the last bit; only the speed differs.
///
/// ```
/// use hitscan_bvh::{BuildOptions, Isa};
///
/// // Every machine can run the scalar kernels.
/// let isa = Isa::from_name("scalar").expect("every machine has it");
/// assert_eq!(BuildOptions { isa, ..BuildOptions::default() }.isa.name(), "scalar");
/// assert_eq!(Isa::available().first(), Some(&Isa::detect()));
/// ```
#[derive(Clone, Copy)]
pub struct Isa(Token);

#[derive(Clone, Copy)]
enum Token {
    #[cfg(target_arch = "x86_64")]
    Avx512(avx512::Avx512),
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Avx2),
    #[cfg(target_arch = "aarch64")]
    Neon(neon::Neon),
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd128(wasm::Simd128),
    #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
    Scalar(scalar::Scalar),
}

impl Isa {
    /// The fastest one of this machine.
    pub fn detect() -> Self {
        Self::available()[0]
    }

    /// All that this machine can run, fastest first. The last is `scalar`, which every machine has; only a
    /// WebAssembly module with SIMD leaves it out, because two sets of kernels are twice the download.
    pub fn available() -> Vec<Self> {
        let mut available = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            available.extend(avx512::Avx512::detect().map(|token| Self(Token::Avx512(token))));
            available.extend(avx2::Avx2::detect().map(|token| Self(Token::Avx2(token))));
        }
        #[cfg(target_arch = "aarch64")]
        available.extend(neon::Neon::detect().map(|token| Self(Token::Neon(token))));
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        available.extend(wasm::Simd128::detect().map(|token| Self(Token::Simd128(token))));
        #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
        available.push(Self(Token::Scalar(scalar::Scalar)));
        available
    }

    /// The instruction set of that [`name`](Isa::name), if this machine can run it.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::available().into_iter().find(|isa| isa.name() == name)
    }

    /// The name. `avx512` needs AVX-512F, VL and DQ besides `avx2`. `avx2` needs AVX2, FMA, BMI1, BMI2 and
    /// LZCNT. `neon` needs NEON. `simd128` needs a WebAssembly module that was compiled with this feature.
    /// `scalar` needs nothing.
    pub fn name(self) -> &'static str {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Token::Avx512(_) => "avx512",
            #[cfg(target_arch = "x86_64")]
            Token::Avx2(_) => "avx2",
            #[cfg(target_arch = "aarch64")]
            Token::Neon(_) => "neon",
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Token::Simd128(_) => "simd128",
            #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
            Token::Scalar(_) => "scalar",
        }
    }

    /// Runs `kernel` as compiled for this instruction set. Call it once per query or batch.
    #[inline(always)]
    pub(crate) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        self.call::<Run, _, _, _, _>(kernel, (), (), ())
    }

    /// [`run`](Self::run) for a kernel whose arguments are passed in registers.
    #[inline(always)]
    pub(crate) fn call<K: KernelFn<A, B, C, D>, A, B, C, D>(
        self,
        a: A,
        b: B,
        c: C,
        d: D,
    ) -> K::Output {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Token::Avx512(token) => token.call::<K, A, B, C, D>(a, b, c, d),
            #[cfg(target_arch = "x86_64")]
            Token::Avx2(token) => token.call::<K, A, B, C, D>(a, b, c, d),
            #[cfg(target_arch = "aarch64")]
            Token::Neon(token) => token.call::<K, A, B, C, D>(a, b, c, d),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Token::Simd128(token) => token.call::<K, A, B, C, D>(a, b, c, d),
            #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
            Token::Scalar(token) => token.call::<K, A, B, C, D>(a, b, c, d),
        }
    }
}

/// Runs a [`Kernel`], which is the only argument.
struct Run;

impl<K: Kernel> KernelFn<K, (), (), ()> for Run {
    type Output = K::Output;

    #[inline(always)]
    fn run<S: Simd>(simd: S, kernel: K, (): (), (): (), (): ()) -> K::Output {
        kernel.run(simd)
    }
}

impl Default for Isa {
    fn default() -> Self {
        Self::detect()
    }
}

impl PartialEq for Isa {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Isa {}

impl std::fmt::Debug for Isa {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
