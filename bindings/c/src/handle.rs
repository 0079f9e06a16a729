//! Handles: opaque pointers that know their kind, and whether they are released.
//!
//! A handle points to a slot, whose first word tells the kind. A released slot is never returned to the
//! allocator. It waits behind [`QUARANTINE`] others of its kind before a new handle takes it, so that a call
//! with a released handle reads memory of this module and reports the mistake.

use std::{
    cell::UnsafeCell,
    collections::VecDeque,
    mem::MaybeUninit,
    ptr::NonNull,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::status::{Failure, HITSCAN_INVALID_HANDLE, failure};

/// The number of released handles of a kind that are always reported.
const QUARANTINE: usize = 256;

/// The first word of a released slot.
const RELEASED: u64 = 0x6465_7361_656c_6572;

/// A kind of handle. The type that implements it is the opaque type of the header.
pub(crate) trait Kind: Sized + 'static {
    /// The name of the type in the header.
    const NAME: &'static str;
    /// The first word of a slot.
    const MAGIC: u64;
    /// What a handle holds.
    type Value: Send + Sync + 'static;

    fn pool() -> &'static Pool<Self::Value>;
}

/// Declares a kind of handle: `kind!(hitscan_mesh, Value, *b"hs_mesh_")`.
macro_rules! kind {
    ($name:ident, $value:ty, $magic:expr) => {
        impl $crate::handle::Kind for $name {
            const NAME: &'static str = stringify!($name);
            const MAGIC: u64 = u64::from_le_bytes($magic);
            type Value = $value;

            fn pool() -> &'static $crate::handle::Pool<$value> {
                static POOL: $crate::handle::Pool<$value> = $crate::handle::Pool::new();
                &POOL
            }
        }
    };
}
pub(crate) use kind;

/// The kinds of handles by their first words, for messages.
const NAMES: [(u64, &str); 7] = [
    (u64::from_le_bytes(*b"hs_mesh_"), "a hitscan_mesh"),
    (u64::from_le_bytes(*b"hs_bvh__"), "a hitscan_bvh"),
    (u64::from_le_bytes(*b"hs_lists"), "a hitscan_hit_lists"),
    (u64::from_le_bytes(*b"hs_sects"), "a hitscan_section"),
    (u64::from_le_bytes(*b"hs_scene"), "a hitscan_scene"),
    (u64::from_le_bytes(*b"hs_view_"), "a hitscan_view"),
    (u64::from_le_bytes(*b"hs_remov"), "a hitscan_removed"),
];

/// The memory behind a handle.
#[repr(C, align(16))]
pub(crate) struct Slot<V> {
    magic: AtomicU64,
    value: UnsafeCell<MaybeUninit<V>>,
}

/// The released slots of one kind, the oldest first.
pub(crate) struct Pool<V> {
    released: Mutex<VecDeque<NonNull<Slot<V>>>>,
}

// SAFETY: the queue owns its slots, which no other code uses, and a mutex guards it.
unsafe impl<V: Send> Sync for Pool<V> {}

impl<V> Pool<V> {
    pub(crate) const fn new() -> Self {
        Self { released: Mutex::new(VecDeque::new()) }
    }

    fn take(&self) -> Option<NonNull<Slot<V>>> {
        let mut released = self.released.lock().unwrap_or_else(PoisonError::into_inner);
        if released.len() > QUARANTINE { released.pop_front() } else { None }
    }

    fn put(&self, slot: NonNull<Slot<V>>) {
        self.released.lock().unwrap_or_else(PoisonError::into_inner).push_back(slot);
    }
}

/// A new handle, which owns `value`.
pub(crate) fn new<K: Kind>(value: K::Value) -> *mut K {
    let slot = K::pool().take().unwrap_or_else(|| {
        let slot =
            Slot { magic: AtomicU64::new(RELEASED), value: UnsafeCell::new(MaybeUninit::uninit()) };
        NonNull::from(Box::leak(Box::new(slot)))
    });
    // SAFETY: the slot is new or comes from the pool, so nothing else refers to it.
    unsafe {
        (*slot.as_ref().value.get()).write(value);
        slot.as_ref().magic.store(K::MAGIC, Ordering::Release);
    }
    slot.as_ptr().cast()
}

/// The value of a handle.
///
/// # Safety
/// The pointer is NULL, or points to a handle of any kind, released or not, or to 16 readable bytes. No
/// other thread changes or releases the handle while the reference lives.
#[inline]
pub(crate) unsafe fn get<'a, K: Kind>(
    handle: *const K,
    argument: &str,
) -> Result<&'a K::Value, Failure> {
    let slot = handle.cast::<Slot<K::Value>>();
    if slot.is_null() || !slot.is_aligned() {
        return Err(wrong::<K>(argument, None, slot.is_null()));
    }
    // SAFETY: it is aligned, and the caller promises that its first word can be read.
    let magic = unsafe { (*slot).magic.load(Ordering::Acquire) };
    if magic != K::MAGIC {
        return Err(wrong::<K>(argument, Some(magic), false));
    }
    // SAFETY: the word says that the value is of this kind and alive; the caller keeps it so.
    Ok(unsafe { (*(*slot).value.get()).assume_init_ref() })
}

/// [`get`] for a change.
///
/// # Safety
/// As [`get`], and no other reference to the value lives.
pub(crate) unsafe fn get_mut<'a, K: Kind>(
    handle: *mut K,
    argument: &str,
) -> Result<&'a mut K::Value, Failure> {
    // SAFETY: the same promise.
    unsafe { get::<K>(handle, argument)? };
    let slot = handle.cast::<Slot<K::Value>>();
    // SAFETY: `get` has checked the slot, and the caller has the only reference.
    Ok(unsafe { (*(*slot).value.get()).assume_init_mut() })
}

/// Drops the value of a handle. NULL is allowed, as in `free`.
///
/// # Safety
/// As [`get_mut`].
pub(crate) unsafe fn release<K: Kind>(handle: *mut K, argument: &str) -> Result<(), Failure> {
    let Some(slot) = NonNull::new(handle.cast::<Slot<K::Value>>()) else { return Ok(()) };
    // SAFETY: the same promise.
    unsafe { get::<K>(handle, argument)? };
    // SAFETY: `get` has checked the slot.
    let head = unsafe { slot.as_ref() };
    let (relaxed, acquired) = (Ordering::Relaxed, Ordering::AcqRel);
    if let Err(found) = head.magic.compare_exchange(K::MAGIC, RELEASED, acquired, relaxed) {
        return Err(wrong::<K>(argument, Some(found), false));
    }
    // SAFETY: the exchange succeeds in one thread only, and the caller has no other reference.
    unsafe { (*head.value.get()).assume_init_drop() };
    K::pool().put(slot);
    Ok(())
}

#[cold]
fn wrong<K: Kind>(argument: &str, magic: Option<u64>, is_null: bool) -> Failure {
    let found = match magic {
        None if is_null => "NULL",
        None => "a misaligned pointer",
        Some(RELEASED) => "a released handle",
        Some(magic) => NAMES
            .iter()
            .find(|(other, _)| *other == magic)
            .map_or("no handle of hitscan", |(_, name)| name),
    };
    failure(HITSCAN_INVALID_HANDLE, format_args!("{argument}: {found}; expected a {}", K::NAME))
}
