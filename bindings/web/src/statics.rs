//! Statics of a thread that nothing drops.
//!
//! A thread that JavaScript starts has no entry in the list of threads where the standard library notes what to drop at
//! its end. The module, or its thread, ends with its memory anyway.

use std::{cell::RefCell, mem::ManuallyDrop, ops::Deref, thread::LocalKey};

/// A value that nothing drops.
pub(crate) struct Kept<T>(ManuallyDrop<RefCell<T>>);

impl<T> Kept<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(ManuallyDrop::new(RefCell::new(value)))
    }
}

impl<T> Deref for Kept<T> {
    type Target = RefCell<T>;

    fn deref(&self) -> &RefCell<T> {
        &self.0
    }
}

/// The methods that the standard library has for a static with a `RefCell`.
pub(crate) trait PerThread<T: 'static> {
    fn take(&'static self) -> T
    where
        T: Default;
    fn set(&'static self, value: T);
    fn with_borrow<R>(&'static self, run: impl FnOnce(&T) -> R) -> R;
    fn with_borrow_mut<R>(&'static self, run: impl FnOnce(&mut T) -> R) -> R;
}

impl<T: 'static> PerThread<T> for LocalKey<Kept<T>> {
    #[inline]
    fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(|kept| kept.take())
    }

    #[inline]
    fn set(&'static self, value: T) {
        drop(self.with(|kept| kept.replace(value)));
    }

    #[inline]
    fn with_borrow<R>(&'static self, run: impl FnOnce(&T) -> R) -> R {
        self.with(|kept| run(&kept.borrow()))
    }

    #[inline]
    fn with_borrow_mut<R>(&'static self, run: impl FnOnce(&mut T) -> R) -> R {
        self.with(|kept| run(&mut kept.borrow_mut()))
    }
}
