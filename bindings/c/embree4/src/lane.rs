//! A ray with its hit in a packet of the program: field after field, and in each the rays of the packet.

use std::mem::MaybeUninit;

use engine::{Ray, glam::Vec3};

/// The fields in front of a packet, one number of 32 bits per ray each.
mod field {
    pub(super) const ORIGIN: usize = 0;
    pub(super) const T_NEAR: usize = 3;
    pub(super) const DIRECTION: usize = 4;
    pub(super) const T_FAR: usize = 8;
    pub(super) const MASK: usize = 9;
    pub(super) const HIT: usize = 12;
}

/// The largest packet.
pub(crate) const MAX_WIDTH: usize = 16;

/// A hit as its numbers stand in memory: the normal, u, v, and the ids of primitive, geometry and instance.
pub(crate) type HitWords = [u32; 9];

/// Memory for a ray, in one line of the cache.
#[repr(align(32))]
pub(crate) struct RayMemory(MaybeUninit<Ray>);

impl RayMemory {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self(MaybeUninit::uninit())
    }
}

/// One ray of a packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lane {
    base: *mut u32,
    n: usize,
    lane: usize,
}

impl Lane {
    /// # Safety
    /// While it lives, `base` points to a packet of `n` rays, with hits unless the query is for occlusion, and
    /// `lane` is below `n`. Nothing but the callbacks of the query uses this ray.
    #[inline(always)]
    pub(crate) unsafe fn new(base: *mut f32, n: usize, lane: usize) -> Self {
        Self { base: base.cast(), n, lane }
    }

    /// The packet.
    pub(crate) fn base(self) -> *mut f32 {
        self.base.cast()
    }

    /// The number of rays of the packet.
    pub(crate) fn n(self) -> usize {
        self.n
    }

    /// The place in the packet.
    pub(crate) fn index(self) -> usize {
        self.lane
    }

    /// Reads one number. Volatile, because a load of two numbers that the program has just written waits for both stores.
    #[inline(always)]
    fn get(self, field: usize) -> u32 {
        // SAFETY: the promise of `new`.
        unsafe { self.base.add(field * self.n + self.lane).read_volatile() }
    }

    /// Writes one number. Volatile, because for a store of two numbers the compiler would load both at once.
    #[inline(always)]
    fn set(self, field: usize, value: u32) {
        // SAFETY: the promise of `new`.
        unsafe { self.base.add(field * self.n + self.lane).write_volatile(value) }
    }

    #[inline(always)]
    fn vector(self, field: usize) -> Vec3 {
        let [x, y, z] = [0, 1, 2].map(|axis| f32::from_bits(self.get(field + axis)));
        Vec3::new(x, y, z)
    }

    fn set_vector(self, field: usize, value: Vec3) {
        for (axis, value) in value.to_array().into_iter().enumerate() {
            self.set(field + axis, value.to_bits());
        }
    }

    #[inline(always)]
    pub(crate) fn ray(self) -> Ray {
        Ray {
            origin: self.vector(field::ORIGIN),
            direction: self.vector(field::DIRECTION),
            t_min: f32::from_bits(self.get(field::T_NEAR)),
            t_max: self.t_far(),
        }
    }

    /// Writes the ray to `memory`. On x86 by one store, because a kernel loads it whole, and would wait for several.
    #[inline(always)]
    pub(crate) fn ray_in(self, memory: &mut RayMemory) -> &Ray {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx") {
            // SAFETY: AVX is there.
            unsafe { self.write_by_one_store(memory) };
            // SAFETY: it is written.
            return unsafe { memory.0.assume_init_ref() };
        }
        memory.0.write(self.ray())
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx")]
    fn write_by_one_store(self, memory: &mut RayMemory) {
        use std::arch::x86_64::{__m256, _mm256_setr_ps};
        let Ray { origin: o, direction: d, t_min, t_max } = self.ray();
        let row = _mm256_setr_ps(o.x, o.y, o.z, d.x, d.y, d.z, t_min, t_max);
        let to: *mut __m256 = memory.0.as_mut_ptr().cast();
        // SAFETY: a ray is eight f32 in this order, and its memory is aligned. Volatile, because the compiler makes two
        // stores of another one.
        unsafe { to.write_volatile(row) };
    }

    /// Replaces origin and direction, and returns those before.
    pub(crate) fn swap_line(self, [origin, direction]: [Vec3; 2]) -> [Vec3; 2] {
        let before = [self.vector(field::ORIGIN), self.vector(field::DIRECTION)];
        self.set_vector(field::ORIGIN, origin);
        self.set_vector(field::DIRECTION, direction);
        before
    }

    #[inline(always)]
    pub(crate) fn t_far(self) -> f32 {
        f32::from_bits(self.get(field::T_FAR))
    }

    #[inline(always)]
    pub(crate) fn set_t_far(self, t: f32) {
        self.set(field::T_FAR, t.to_bits());
    }

    #[inline(always)]
    pub(crate) fn mask(self) -> u32 {
        self.get(field::MASK)
    }

    /// Writes the hit of the ray.
    #[inline(always)]
    pub(crate) fn set_hit(self, words: &HitWords) {
        for (i, &word) in words.iter().enumerate() {
            self.set(field::HIT + i, word);
        }
    }
}
