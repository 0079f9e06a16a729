//! The memory of the caller: pointers to arguments, arrays with strides, options that may grow, answers.

use std::{
    ffi::{CStr, c_char},
    marker::PhantomData,
    mem::{MaybeUninit, align_of, size_of},
    ptr, slice,
};

use crate::{
    handle::{self, Kind},
    status::{Failure, HITSCAN_UNSUPPORTED, failure, invalid},
};

/// The most elements of an array of the caller, beyond which a count is a mistake.
pub(crate) const MAX_COUNT: usize = u32::MAX as usize;

/// The most elements of a batch that are copied at once.
const CHUNK: usize = 1 << 18;

/// The largest struct of options that a newer header may pass.
const MAX_OPTIONS: usize = 4096;

/// A type without padding at its end. All its bytes belong to its value.
///
/// # Safety
/// `repr(C)` or primitive; every pattern of bits in every field is a value of it.
pub(crate) unsafe trait Plain: Copy + 'static {}

/// Declares plain types.
macro_rules! plain {
    ($($name:ty),* $(,)?) => {
        // SAFETY: each is a number, an array of numbers, or a `repr(C)` struct of numbers, pointers and
        // optional function pointers.
        $(unsafe impl $crate::memory::Plain for $name {})*
    };
}
pub(crate) use plain;

plain!(u8, u16, u32, u64, i64, usize, f32, f64, *const f32, *const u32, *const usize);
// SAFETY: as its elements.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}

/// A struct of options: its first field is its size in bytes, and zeros are the defaults.
pub(crate) trait Options: Plain + Default {
    /// The size of the struct in the first version that had it.
    const FIRST_SIZE: usize;
}

/// Declares options whose defaults are zeros.
macro_rules! zeros {
    ($($name:ident),*) => {
        $(impl Default for $name {
            fn default() -> Self {
                // SAFETY: a plain type: numbers, pointers and optional functions.
                let zeros: Self = unsafe { std::mem::zeroed() };
                Self { size: size_of::<Self>(), ..zeros }
            }
        }

        impl $crate::memory::Options for $name {
            const FIRST_SIZE: usize = size_of::<Self>();
        })*
    };
}
pub(crate) use zeros;

/// The promise of the caller that pointers are what the header demands. Methods read and write behind
/// them after every check that is possible.
pub(crate) struct Caller(PhantomData<*const ()>);

impl Caller {
    /// # Safety
    /// While it lives, each pointer passed to its methods is NULL or points to memory of the stated type and
    /// length, or to a handle; nothing else writes to that memory, and memory for answers is not read.
    #[inline]
    pub(crate) unsafe fn new() -> Self {
        Self(PhantomData)
    }

    /// The value of a handle.
    #[inline]
    pub(crate) fn get<K: Kind>(&self, handle: *const K, name: &str) -> Result<&K::Value, Failure> {
        // SAFETY: the promise of `new`.
        unsafe { handle::get(handle, name) }
    }

    /// The value of a handle, for a change.
    #[expect(clippy::mut_from_ref, reason = "the caller promises that the handle is not in use")]
    pub(crate) fn get_mut<K: Kind>(
        &self,
        handle: *mut K,
        name: &str,
    ) -> Result<&mut K::Value, Failure> {
        // SAFETY: the promise of `new`.
        unsafe { handle::get_mut(handle, name) }
    }

    /// Releases a handle; NULL is none.
    pub(crate) fn release<K: Kind>(&self, handle: *mut K, name: &str) -> Result<(), Failure> {
        // SAFETY: the promise of `new`.
        unsafe { handle::release(handle, name) }
    }

    /// A value of the caller.
    #[inline]
    pub(crate) fn read<T: Plain>(&self, pointer: *const T, name: &str) -> Result<&T, Failure> {
        check(pointer, name)?;
        // SAFETY: neither NULL nor misaligned, and the promise of `new`.
        Ok(unsafe { &*pointer })
    }

    /// Memory for an answer.
    #[inline]
    #[expect(
        clippy::mut_from_ref,
        reason = "the caller promises that nothing else uses the memory"
    )]
    pub(crate) fn out<T: Plain>(
        &self,
        pointer: *mut T,
        name: &str,
    ) -> Result<&mut MaybeUninit<T>, Failure> {
        check(pointer, name)?;
        // SAFETY: neither NULL nor misaligned, and the promise of `new`.
        Ok(unsafe { &mut *pointer.cast::<MaybeUninit<T>>() })
    }

    /// Memory for an answer that the caller may not want: NULL is `None`.
    pub(crate) fn optional_out<T: Plain>(
        &self,
        pointer: *mut T,
        name: &str,
    ) -> Result<Option<&mut MaybeUninit<T>>, Failure> {
        if pointer.is_null() { Ok(None) } else { self.out(pointer, name).map(Some) }
    }

    /// Memory for a new handle.
    pub(crate) fn out_handle<K: Kind>(
        &self,
        pointer: *mut *mut K,
        name: &str,
    ) -> Result<HandleOut<'_, K>, Failure> {
        check(pointer, name)?;
        // SAFETY: neither NULL nor misaligned, and the promise of `new`.
        Ok(HandleOut(unsafe { &mut *pointer.cast::<MaybeUninit<*mut K>>() }))
    }

    /// An array of the caller. NULL is an array of none.
    pub(crate) fn array<T: Plain>(
        &self,
        pointer: *const T,
        n: usize,
        name: &str,
    ) -> Result<&[T], Failure> {
        if n == 0 {
            return Ok(&[]);
        }
        check_count(n, name)?;
        check(pointer, name)?;
        // SAFETY: neither NULL nor misaligned, not longer than memory can be, and the promise of `new`.
        Ok(unsafe { slice::from_raw_parts(pointer, n) })
    }

    /// An array of the caller whose elements lie `stride` bytes apart; 0 is no gap.
    pub(crate) fn strided<T: Plain>(
        &self,
        pointer: *const T,
        n: usize,
        stride: usize,
        name: &str,
    ) -> Result<Strided<'_, T>, Failure> {
        let stride = check_stride(pointer, n, stride, name)?;
        Ok(Strided { pointer, n, stride, caller: PhantomData })
    }

    /// Memory for `n` answers that lie `stride` bytes apart; 0 is no gap.
    pub(crate) fn strided_out<T: Plain>(
        &self,
        pointer: *mut T,
        n: usize,
        stride: usize,
        name: &str,
    ) -> Result<StridedOut<'_, T>, Failure> {
        let stride = check_stride(pointer, n, stride, name)?;
        Ok(StridedOut { pointer, n, stride, caller: PhantomData })
    }

    /// Options of the caller. NULL is the defaults, a shorter struct has defaults for what it lacks, and a
    /// longer one must have zeros there.
    #[inline]
    pub(crate) fn options<T: Options>(&self, pointer: *const T, name: &str) -> Result<T, Failure> {
        if pointer.is_null() {
            return Ok(T::default());
        }
        let size = self.size(pointer, T::FIRST_SIZE, name)?;
        if size == size_of::<T>() {
            // SAFETY: aligned, as `size` has checked, and the promise of `new`.
            return Ok(unsafe { pointer.read() });
        }
        let mut options = MaybeUninit::<T>::zeroed();
        // SAFETY: the caller's struct has `size` bytes, and ours has those that are copied.
        unsafe {
            let common = size.min(size_of::<T>());
            ptr::copy_nonoverlapping(pointer.cast::<u8>(), options.as_mut_ptr().cast(), common);
            let beyond = slice::from_raw_parts(pointer.cast::<u8>().add(common), size - common);
            if let Some(at) = beyond.iter().position(|&byte| byte != 0) {
                let message = format_args!(
                    "{name}: byte {} is set, which version {} of the library does not know; expected zeros",
                    common + at,
                    env!("CARGO_PKG_VERSION"),
                );
                return Err(failure(HITSCAN_UNSUPPORTED, message));
            }
            Ok(options.assume_init())
        }
    }

    /// [`options`](Self::options) that have no defaults, so NULL is a mistake.
    pub(crate) fn required<T: Options>(&self, pointer: *const T, name: &str) -> Result<T, Failure> {
        check(pointer, name)?;
        self.options(pointer, name)
    }

    /// Writes an answer that may grow: as much of it as the caller's struct holds, which its first field
    /// says, and zeros where that is longer. The first field stays.
    pub(crate) fn write_sized<T: Options>(
        &self,
        pointer: *mut T,
        value: &T,
        name: &str,
    ) -> Result<(), Failure> {
        const HEAD: usize = size_of::<usize>();
        let size = self.size(pointer, T::FIRST_SIZE, name)?;
        let common = size.min(size_of::<T>());
        // SAFETY: both structs have these bytes, and the caller's is memory for an answer.
        unsafe {
            let (from, to) = (ptr::from_ref(value).cast::<u8>(), pointer.cast::<u8>());
            ptr::copy_nonoverlapping(from.add(HEAD), to.add(HEAD), common - HEAD);
            ptr::write_bytes(to.add(common), 0, size - common);
        }
        Ok(())
    }

    /// The size that a struct of the caller has by its first field.
    fn size<T: Options>(
        &self,
        pointer: *const T,
        least: usize,
        name: &str,
    ) -> Result<usize, Failure> {
        check(pointer, name)?;
        // SAFETY: aligned, not NULL, and the promise of `new`.
        let size = unsafe { pointer.cast::<usize>().read() };
        if (least..=MAX_OPTIONS).contains(&size) {
            return Ok(size);
        }
        let expected = format_args!("sizeof of the struct, at least {least}").to_string();
        Err(invalid(name, format_args!("size {size}"), expected))
    }

    /// A text of the caller.
    pub(crate) fn text(&self, pointer: *const c_char, name: &str) -> Result<&str, Failure> {
        check(pointer, name)?;
        // SAFETY: not NULL, and the caller promises a zero at the end.
        let bytes = unsafe { CStr::from_ptr(pointer) };
        let at = |error: std::str::Utf8Error| format!("no UTF-8 at byte {}", error.valid_up_to());
        bytes.to_str().map_err(|error| invalid(name, at(error), "text in UTF-8"))
    }
}

/// Memory for a new handle.
pub(crate) struct HandleOut<'a, K: Kind>(&'a mut MaybeUninit<*mut K>);

impl<K: Kind> HandleOut<'_, K> {
    pub(crate) fn write(self, value: K::Value) {
        self.0.write(handle::new(value));
    }
}

/// An array of the caller with a stride.
pub(crate) struct Strided<'a, T> {
    pointer: *const T,
    n: usize,
    stride: usize,
    caller: PhantomData<&'a Caller>,
}

impl<'a, T: Plain> Strided<'a, T> {
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = T> + use<'a, T> {
        let (pointer, stride) = (self.pointer, self.stride);
        // SAFETY: the caller has `n` elements, each aligned, as `check_stride` has checked.
        (0..self.n).map(move |i| unsafe { pointer.byte_add(i * stride).read() })
    }

    /// Calls `answer` with the elements in order, in pieces of at most [`CHUNK`]: the index of the first, and
    /// the elements, in place if they have no gaps, else copied.
    pub(crate) fn for_each_chunk(
        &self,
        mut answer: impl FnMut(usize, &[T]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut copied = Vec::new();
        for start in (0..self.n).step_by(CHUNK) {
            let n = CHUNK.min(self.n - start);
            if self.stride == size_of::<T>() {
                // SAFETY: the elements have no gaps, and these lie in the array.
                answer(start, unsafe { slice::from_raw_parts(self.pointer.add(start), n) })?;
            } else {
                copied.clear();
                copied.extend(self.iter().skip(start).take(n));
                answer(start, &copied)?;
            }
        }
        Ok(())
    }
}

/// Memory for answers with a stride.
pub(crate) struct StridedOut<'a, T> {
    pointer: *mut T,
    n: usize,
    stride: usize,
    caller: PhantomData<&'a Caller>,
}

impl<T: Plain> StridedOut<'_, T> {
    /// Writes the answers from `start` on. There are at most as many as there is memory.
    pub(crate) fn write(&mut self, start: usize, values: impl Iterator<Item = T>) {
        for (i, value) in (start..self.n).zip(values) {
            // SAFETY: `i` is below `n`, and `check_stride` has checked pointer and stride.
            unsafe { self.pointer.byte_add(i * self.stride).write(value) };
        }
    }
}

/// Whether a pointer can be used.
#[inline]
fn check<T>(pointer: *const T, name: &str) -> Result<(), Failure> {
    if pointer.is_null() || !pointer.is_aligned() {
        return Err(unusable(pointer, name));
    }
    Ok(())
}

#[cold]
fn unusable<T>(pointer: *const T, name: &str) -> Failure {
    if pointer.is_null() {
        return invalid(name, "NULL", "a pointer");
    }
    let found = format_args!("address {:#x}", pointer.addr()).to_string();
    invalid(name, found, format_args!("a multiple of {}", align_of::<T>()))
}

fn check_count(n: usize, name: &str) -> Result<(), Failure> {
    if n > MAX_COUNT {
        return Err(invalid(
            name,
            format_args!("{n} elements"),
            format_args!("at most {MAX_COUNT}"),
        ));
    }
    Ok(())
}

/// The stride of an array in bytes, where 0 stands for the size of an element.
fn check_stride<T>(
    pointer: *const T,
    n: usize,
    stride: usize,
    name: &str,
) -> Result<usize, Failure> {
    let (size, align) = (size_of::<T>(), align_of::<T>());
    let stride = if stride == 0 { size } else { stride };
    if n == 0 {
        return Ok(stride);
    }
    check_count(n, name)?;
    check(pointer, name)?;
    if stride < size
        || !stride.is_multiple_of(align)
        || stride.checked_mul(n).is_none_or(|all| all > isize::MAX as usize)
    {
        let expected = format_args!("a multiple of {align}, at least {size}").to_string();
        return Err(invalid(
            name,
            format_args!("a stride of {stride} bytes for {n} elements"),
            expected,
        ));
    }
    Ok(stride)
}
