//! Buffers: memory of the program or of the library, and views of it.

use std::{alloc::Layout, ffi::c_void, ptr, sync::Arc};

use crate::{
    abi::{error, format},
    call::{call, call_or, release},
    device::{self, Charge, Device},
    error::{Outcome, failure, invalid, refused},
    handle::{self, Handle, Magic},
    reports::Reports,
};

/// Memory that geometries read.
#[repr(C)]
#[derive(Debug)]
pub struct Buffer {
    magic: Magic,
    device: Arc<Device>,
    data: *mut u8,
    n_bytes: usize,
    /// What the library has allocated.
    owned: Option<(Layout, Charge)>,
}

// SAFETY: `repr(C)` with the magic first.
unsafe impl Handle for Buffer {
    const NAME: &'static str = "RTCBuffer";
    const MAGIC: u64 = u64::from_le_bytes(*b"rtBuffer");

    fn reports(&self) -> &Reports {
        self.device.reports()
    }
}

// SAFETY: the library reads the memory only in commits and interpolations, during which Embree's rules forbid programs to
// write to it.
unsafe impl Send for Buffer {}
// SAFETY: as above.
unsafe impl Sync for Buffer {}

/// Programs may read a vertex by 16 bytes, beyond its end.
const PADDING: usize = 16;

impl Buffer {
    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    /// New memory of zeros.
    pub(crate) fn new(device: Arc<Device>, n_bytes: usize) -> Outcome<Self> {
        let layout = n_bytes.checked_add(PADDING).map(|size| Layout::from_size_align(size, 64));
        let Some(Ok(layout)) = layout else {
            return Err(invalid("byteSize", n_bytes, "fewer bytes than there are addresses"));
        };
        let charge = Charge::new(device.clone(), layout.size())?;
        // SAFETY: the size is not zero.
        let data = unsafe { std::alloc::alloc_zeroed(layout) };
        if data.is_null() {
            let text = format_args!("byteSize: no memory for {n_bytes} bytes");
            return Err(failure(error::OUT_OF_MEMORY, text));
        }
        let owned = Some((layout, charge));
        Ok(Self { magic: Magic::of::<Self>(), device, data, n_bytes, owned })
    }

    /// Memory of the program.
    pub(crate) fn shared(device: Arc<Device>, data: *mut c_void, n_bytes: usize) -> Self {
        Self { magic: Magic::of::<Self>(), device, data: data.cast(), n_bytes, owned: None }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if let Some((layout, _)) = &self.owned {
            // SAFETY: it was allocated with this layout.
            unsafe { std::alloc::dealloc(self.data, *layout) };
        }
    }
}

/// The elements of a buffer that a geometry reads.
#[derive(Clone, Debug)]
pub(crate) struct View {
    buffer: Arc<Buffer>,
    offset: usize,
    stride: usize,
    pub(crate) n: usize,
    pub(crate) format: u32,
}

/// The bytes of an element, if geometries may read such ones.
fn element_size(format: u32) -> Option<usize> {
    match format {
        format::UINT..=format::UINT4 => Some(4 * (format - format::UINT + 1) as usize),
        format::FLOAT..=format::FLOAT16 => Some(4 * (format - format::FLOAT + 1) as usize),
        format::FLOAT3X4_ROW_MAJOR | format::FLOAT3X4_COLUMN_MAJOR => Some(48),
        format::FLOAT4X4_COLUMN_MAJOR => Some(64),
        _ => None,
    }
}

/// The bytes from the first element to the last and to its stride, if they fit into memory. Elements may overlap, as in Embree.
pub(crate) fn bytes_of(format: u32, stride: usize, n: usize) -> Outcome<usize> {
    let Some(size) = element_size(format) else {
        return Err(invalid(
            "format",
            format_args!("{format:#x}"),
            "UINT, FLOAT or a matrix 3 x 4",
        ));
    };
    if stride == 0 || !stride.is_multiple_of(4) {
        return Err(refused("byteStride", stride, "a multiple of 4, above 0"));
    }
    let limit = isize::MAX as usize;
    let before = stride.checked_mul(n.saturating_sub(1));
    let all =
        before.and_then(|before| before.checked_add(if n == 0 { 0 } else { size.max(stride) }));
    let all = all.filter(|&all| all <= limit && n <= u32::MAX as usize);
    all.ok_or_else(|| invalid("itemCount", n, "fewer elements than fit into memory, below 2^32"))
}

impl View {
    pub(crate) fn new(
        buffer: Arc<Buffer>,
        format: u32,
        offset: usize,
        stride: usize,
        n: usize,
    ) -> Outcome<Self> {
        bytes_of(format, stride, n)?;
        if !offset.is_multiple_of(4) || !buffer.data.addr().is_multiple_of(4) {
            return Err(refused("byteOffset", offset, "an address that is a multiple of 4"));
        }
        // The last element may end before its stride does.
        let size = element_size(format).unwrap_or_default();
        let end = if n == 0 { 0 } else { (n - 1) * stride + size };
        if offset.checked_add(end).is_none_or(|end| end > buffer.n_bytes) {
            let found = format_args!("{n} elements from byte {offset}, {stride} bytes apart");
            let expected = format_args!("at most the {} bytes of the buffer", buffer.n_bytes);
            return Err(invalid("buffer", found, expected));
        }
        if n > 0 && buffer.data.is_null() {
            return Err(invalid("ptr", "NULL", "a pointer to the elements"));
        }
        Ok(Self { buffer, offset, stride, n, format })
    }

    /// The first element.
    pub(crate) fn data(&self) -> *mut c_void {
        self.buffer.data.wrapping_add(self.offset).cast()
    }

    /// The number of values of an element that is a vector.
    pub(crate) fn n_values(&self) -> usize {
        element_size(self.format).unwrap_or_default() / 4
    }

    /// The first numbers of element `i`.
    pub(crate) fn floats<const N: usize>(&self, i: usize) -> [f32; N] {
        assert!(i < self.n && N <= self.n_values(), "element {i} of {}", self.n);
        let at = self.data().cast::<u8>().wrapping_add(i * self.stride);
        // SAFETY: `new` has compared the view with the size of the buffer, whose memory the program keeps alive.
        unsafe { at.cast::<[f32; N]>().read_unaligned() }
    }

    /// The first indices of element `i`.
    pub(crate) fn indices<const N: usize>(&self, i: usize) -> [u32; N] {
        self.floats::<N>(i).map(f32::to_bits)
    }

    /// Number `value` of element `i`.
    pub(crate) fn float(&self, i: usize, value: usize) -> f32 {
        assert!(i < self.n && value < self.n_values(), "value {value} of element {i}");
        let at = self.data().cast::<u8>().wrapping_add(i * self.stride + 4 * value);
        // SAFETY: as in `floats`.
        unsafe { at.cast::<f32>().read_unaligned() }
    }
}

/// Creates a buffer of zeros.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcNewBuffer(device: *const Device, n_bytes: usize) -> *mut Buffer {
    device::make("rtcNewBuffer", device, |device| Buffer::new(device, n_bytes))
}

/// As rtcNewBuffer, because there is one memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcNewBufferHostDevice(
    device: *const Device,
    n_bytes: usize,
) -> *mut Buffer {
    device::make("rtcNewBufferHostDevice", device, |device| Buffer::new(device, n_bytes))
}

/// Creates a buffer of the program's memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcNewSharedBuffer(
    device: *const Device,
    data: *mut c_void,
    n_bytes: usize,
) -> *mut Buffer {
    device::make("rtcNewSharedBuffer", device, |device| Ok(Buffer::shared(device, data, n_bytes)))
}

/// As rtcNewSharedBuffer, because there is one memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcNewSharedBufferHostDevice(
    device: *const Device,
    data: *mut c_void,
    n_bytes: usize,
) -> *mut Buffer {
    device::make("rtcNewSharedBufferHostDevice", device, |device| {
        Ok(Buffer::shared(device, data, n_bytes))
    })
}

/// Does nothing, because there is one memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcCommitBuffer(buffer: *const Buffer) {
    call("rtcCommitBuffer", buffer, |_| Ok(()));
}

/// Returns the memory of a buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcGetBufferData(buffer: *const Buffer) -> *mut c_void {
    call_or("rtcGetBufferData", buffer, ptr::null_mut(), |buffer| Ok(buffer.data.cast()))
}

/// As rtcGetBufferData, because there is one memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcGetBufferDataDevice(buffer: *const Buffer) -> *mut c_void {
    call_or("rtcGetBufferDataDevice", buffer, ptr::null_mut(), |buffer| Ok(buffer.data.cast()))
}

/// Counts one more handle of a buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcRetainBuffer(buffer: *const Buffer) {
    call("rtcRetainBuffer", buffer, |buffer| {
        handle::retain(buffer);
        Ok(())
    });
}

/// Counts one handle of a buffer less.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcReleaseBuffer(buffer: *const Buffer) {
    release("rtcReleaseBuffer", buffer);
}
