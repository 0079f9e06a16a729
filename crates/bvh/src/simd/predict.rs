//! An array element chosen by a jump instead of an address.

use super::lanes::LANES;

/// `values[index % LANES]`, by a jump for each index.
///
/// The processor predicts the jump and continues with the element before it knows the index. A load would
/// wait for it. If the prediction fails, that costs more than the load.
///
/// Not for WebAssembly, where the assembly that keeps the jumps apart does not exist.
#[inline(always)]
pub(crate) fn predicted(values: &[u32; LANES], index: usize) -> u32 {
    const { assert!(LANES == 8, "an arm for each lane") };
    let values = reloaded(values);
    // The compiler makes equal arms one load, so each ends in a different comment, which costs nothing.
    // `std::hint::black_box(())` did not keep them apart (callgrind: no jump was left).
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
    match index % LANES {
        0 => arm!(0),
        1 => arm!(1),
        2 => arm!(2),
        3 => arm!(3),
        4 => arm!(4),
        5 => arm!(5),
        6 => arm!(6),
        _ => arm!(7),
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
