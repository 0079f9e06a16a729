//! Arrays on their way in: JavaScript asks for room, writes, and calls the function that takes them.

use std::cell::RefCell;

use hitscan_primitives::{Ray, glam::Vec3};

use crate::{
    failure::fail_for_memory,
    statics::{Kept, PerThread},
};

/// Arrays on their way in: the memory of each, the export that makes room, and the function that takes
/// the array.
macro_rules! staged {
    ($($slot:ident: $item:ty = $zero:expr, $stage:ident, $take:ident;)*) => {
        thread_local! {
            $(static $slot: Kept<Vec<$item>> = const { Kept::new(Vec::new()) };)*
        }
        $(
            #[unsafe(no_mangle)]
            extern "C" fn $stage(n: usize) -> usize {
                $slot.with(|slot| stage(slot, stringify!($take), n, $zero))
            }

            pub(crate) fn $take() -> Vec<$item> {
                $slot.take()
            }
        )*
    };
}

staged! {
    POSITIONS: Vec3 = Vec3::ZERO, stage_positions, positions;
    TRIANGLES: [u32; 3] = [0; 3], stage_triangles, triangles;
    INDICES: u32 = 0, stage_indices, indices;
    RAYS: Ray = Ray::new([0.0; 3], [0.0; 3]), stage_rays, rays;
    NUMBERS: f64 = 0.0, stage_numbers, numbers;
    BYTES: u8 = 0, stage_bytes, bytes;
    NAME: u8 = 0, stage_name, name;
}

/// Makes room for `n` elements and returns its address, or 0 if the memory cannot grow.
fn stage<T: Clone>(slot: &RefCell<Vec<T>>, what: &str, n: usize, zero: T) -> usize {
    let mut room = slot.take();
    room.clear();
    if n > room.capacity() {
        room = Vec::new();
        if room.try_reserve_exact(n).is_err() {
            return fail_for_memory(what, n.saturating_mul(size_of::<T>())) as usize;
        }
    }
    room.resize(n, zero);
    let address = room.as_ptr().addr();
    slot.replace(room);
    address
}

/// The number of positions that a query answers at a time, so that its answers take little memory.
pub(crate) const POINTS_AT_ONCE: usize = 4096;

/// Keeps the memory of [`rays`] for the next batch.
pub(crate) fn keep_rays(rays: Vec<Ray>) {
    RAYS.set(rays);
}

/// Keeps the memory of [`numbers`] for the next batch.
pub(crate) fn keep_numbers(numbers: Vec<f64>) {
    NUMBERS.set(numbers);
}

/// Frees the memory that waits for the next batch.
#[unsafe(no_mangle)]
extern "C" fn stage_free() {
    RAYS.take();
    NUMBERS.take();
}
