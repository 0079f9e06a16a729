//! Objects on their way between threads, which have one memory.
//!
//! Each thread is an instance of the module with a stack and statics of its own, so handles are those of a thread. An
//! object goes to another one by its place in a list. The thread that takes it shares it, as a scene shares a tree:
//! until it lets go, an edit elsewhere changes a copy, and `object_free` frees nothing.
//!
//! The main thread of a page must not wait for another thread. It tries the lock again instead, which every thread
//! holds for a few instructions only.

use std::{
    hint,
    sync::{Mutex, TryLockError},
};

use crate::{
    failure::{fail, fail_for_memory},
    objects::{self, Object},
};

static SHARED: Mutex<Vec<Option<Object>>> = Mutex::new(Vec::new());

/// Calls a function with the list. It must not abort.
fn with_shared<T>(change: impl FnOnce(&mut Vec<Option<Object>>) -> T) -> T {
    loop {
        match SHARED.try_lock() {
            Ok(mut shared) => return change(&mut shared),
            Err(TryLockError::Poisoned(shared)) => return change(&mut shared.into_inner()),
            Err(TryLockError::WouldBlock) => hint::spin_loop(),
        }
    }
}

/// Offers an object to other threads. Returns 1 + its place, or 0 and an error.
#[unsafe(no_mangle)]
extern "C" fn object_share(handle: u32) -> u32 {
    let Some(object) = objects::get(handle) else {
        return fail("there is no such object");
    };
    let place = with_shared(|shared| {
        if let Some(place) = shared.iter().position(Option::is_none) {
            shared[place] = Some(object);
            return Some(place);
        }
        shared.try_reserve(1).ok()?;
        shared.push(Some(object));
        Some(shared.len() - 1)
    });
    place.map_or_else(|| fail_for_memory("threads", size_of::<Object>()), |place| place as u32 + 1)
}

/// A handle of this thread for an offered object; 0 and an error if there is none.
#[unsafe(no_mangle)]
extern "C" fn object_of_share(share: u32) -> u32 {
    let object = with_shared(|shared| shared.get((share as usize).wrapping_sub(1))?.clone());
    object.map_or_else(|| fail("the object is no longer shared"), objects::insert)
}

/// Ends an offer. Threads that took the object keep it.
#[unsafe(no_mangle)]
extern "C" fn share_free(share: u32) {
    // The object ends behind the lock, because that may take long.
    drop(with_shared(|shared| shared.get_mut((share as usize).wrapping_sub(1))?.take()));
}

/// Memory for the statics and the stack of a new thread, which keeps it: its address, a multiple of 16; 0 and an error
/// without memory.
#[unsafe(no_mangle)]
extern "C" fn thread_memory(n_bytes: usize) -> usize {
    let mut memory: Vec<u128> = Vec::new();
    let n = n_bytes.div_ceil(size_of::<u128>());
    if memory.try_reserve_exact(n).is_err() {
        return fail_for_memory("threads", n_bytes) as usize;
    }
    memory.resize(n, 0);
    memory.leak().as_ptr().addr()
}

/// The size of the memory. A thread that has not grown it may hold a view of an older size.
#[cfg(target_family = "wasm")]
#[unsafe(no_mangle)]
extern "C" fn memory_pages() -> usize {
    std::arch::wasm32::memory_size::<0>()
}
