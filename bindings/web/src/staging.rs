//! Arrays on their way in: JavaScript asks for room, writes, and calls the function that takes them.

use std::cell::RefCell;

use hitscan_primitives::{Ray, glam::Vec3};

use crate::failure::fail_for_memory;

thread_local! {
    static POSITIONS: RefCell<Vec<Vec3>> = const { RefCell::new(Vec::new()) };
    static INDICES: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
    static TRIANGLES: RefCell<Vec<[u32; 3]>> = const { RefCell::new(Vec::new()) };
    static RAYS: RefCell<Vec<Ray>> = const { RefCell::new(Vec::new()) };
    static NUMBERS: RefCell<Vec<f64>> = const { RefCell::new(Vec::new()) };
    static BYTES: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static NAME: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
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

#[unsafe(no_mangle)]
extern "C" fn stage_positions(n: usize) -> usize {
    POSITIONS.with(|slot| stage(slot, "positions", n, Vec3::ZERO))
}

#[unsafe(no_mangle)]
extern "C" fn stage_triangles(n: usize) -> usize {
    TRIANGLES.with(|slot| stage(slot, "triangles", n, [0; 3]))
}

#[unsafe(no_mangle)]
extern "C" fn stage_indices(n: usize) -> usize {
    INDICES.with(|slot| stage(slot, "indices", n, 0))
}

#[unsafe(no_mangle)]
extern "C" fn stage_rays(n: usize) -> usize {
    RAYS.with(|slot| stage(slot, "rays", n, Ray::new([0.0; 3], [0.0; 3])))
}

#[unsafe(no_mangle)]
extern "C" fn stage_numbers(n: usize) -> usize {
    NUMBERS.with(|slot| stage(slot, "numbers", n, 0.0))
}

#[unsafe(no_mangle)]
extern "C" fn stage_bytes(n: usize) -> usize {
    BYTES.with(|slot| stage(slot, "bytes", n, 0))
}

#[unsafe(no_mangle)]
extern "C" fn stage_name(n: usize) -> usize {
    NAME.with(|slot| stage(slot, "name", n, 0))
}

pub(crate) fn positions() -> Vec<Vec3> {
    POSITIONS.take()
}

pub(crate) fn triangles() -> Vec<[u32; 3]> {
    TRIANGLES.take()
}

pub(crate) fn indices() -> Vec<u32> {
    INDICES.take()
}

/// The rays. [`keep_rays`] returns their memory for the next batch.
pub(crate) fn rays() -> Vec<Ray> {
    RAYS.take()
}

pub(crate) fn keep_rays(rays: Vec<Ray>) {
    RAYS.set(rays);
}

pub(crate) fn numbers() -> Vec<f64> {
    NUMBERS.take()
}

pub(crate) fn keep_numbers(numbers: Vec<f64>) {
    NUMBERS.set(numbers);
}

pub(crate) fn bytes() -> Vec<u8> {
    BYTES.take()
}

pub(crate) fn name() -> String {
    String::from_utf8_lossy(&NAME.take()).into_owned()
}

/// Frees the memory that waits for the next batch.
#[unsafe(no_mangle)]
extern "C" fn stage_free() {
    RAYS.take();
    NUMBERS.take();
}
