//! An array element chosen by branches instead of an address.

use super::lanes::LANES;

/// The element of the first lane in `mask`, which has at least one, by three branches that halve the lanes.
///
/// The processor predicts the branches and continues with the element before it knows the mask. A load would
/// wait for it. If a prediction fails, that costs more than the load.
///
/// With one jump through a table of eight addresses instead, camera rays took 2 to 5 % more time, shadow rays 5
/// to 8 % (Zen 4).
///
/// Elsewhere, as in WebAssembly, the assembly that keeps the branches apart does not exist. There it loads.
#[inline(always)]
pub(crate) fn predicted(values: &[u32; LANES], mask: u32) -> u32 {
    const { assert!(LANES == 8, "an arm for each lane") };
    if cfg!(not(any(target_arch = "x86_64", target_arch = "aarch64"))) {
        return values[mask.trailing_zeros() as usize % LANES];
    }
    let values = reloaded(values);
    // The compiler makes equal arms one load, so each ends in a different comment, which costs nothing.
    // `std::hint::black_box(())` did not keep them apart (callgrind: no branch was left).
    macro_rules! arm {
        ($index:literal) => {{
            #[allow(unused_mut, reason = "only the assembly writes it")]
            let mut value = values[$index] as usize;
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            // SAFETY: the assembly is a comment.
            unsafe {
                std::arch::asm!(
                    concat!("/* {0} of lane ", $index, " */"),
                    inout(reg) value,
                    options(pure, nomem, nostack, preserves_flags)
                );
            }
            value as u32
        }};
    }
    let is_among = |lanes: u32| mask & lanes != 0;
    if is_among(0x0f) {
        match (is_among(0x03), is_among(0x01), is_among(0x04)) {
            (true, true, _) => arm!(0),
            (true, false, _) => arm!(1),
            (false, _, true) => arm!(2),
            (false, _, false) => arm!(3),
        }
    } else {
        match (is_among(0x30), is_among(0x10), is_among(0x40)) {
            (true, true, _) => arm!(4),
            (true, false, _) => arm!(5),
            (false, _, true) => arm!(6),
            (false, _, false) => arm!(7),
        }
    }
}

/// The same reference, to values that the compiler does not know to be in a register. To take an element out
/// of a vector register takes three times as long as to load it, and the next node waits for it.
#[inline(always)]
fn reloaded(values: &[u32; LANES]) -> &[u32; LANES] {
    #[allow(unused_mut, reason = "only the assembly writes it")]
    let mut pointer = std::ptr::from_ref(values);
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    #[expect(clippy::pointers_in_nomem_asm_block, reason = "the assembly is a comment")]
    // SAFETY: as above.
    unsafe {
        std::arch::asm!(
            "/* {0} */",
            inout(reg) pointer,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    // SAFETY: this is the pointer to `values`.
    unsafe { &*pointer }
}
