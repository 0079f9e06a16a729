//! The constants and structs of Embree 4.4's interface, with one level of instances, as its releases are built.

use std::{
    ffi::{c_char, c_int, c_void},
    ptr,
};

/// The version whose interface this is: 4.4.0.
pub(crate) const VERSION: [isize; 3] = [4, 4, 0];

/// No geometry, primitive or instance.
pub const INVALID_ID: u32 = u32::MAX;

/// The results of calls.
pub mod error {
    #![allow(missing_docs, reason = "the names say it")]
    pub const NONE: u32 = 0;
    pub const UNKNOWN: u32 = 1;
    pub const INVALID_ARGUMENT: u32 = 2;
    pub const INVALID_OPERATION: u32 = 3;
    pub const OUT_OF_MEMORY: u32 = 4;
    pub const UNSUPPORTED_CPU: u32 = 5;
    pub const CANCELLED: u32 = 6;
}

/// Kinds of buffers.
pub mod buffer {
    #![allow(missing_docs, reason = "the names say it")]
    pub const INDEX: u32 = 0;
    pub const VERTEX: u32 = 1;
    pub const ATTRIBUTE: u32 = 2;
    pub const TRANSFORM: u32 = 23;
}

/// Formats of elements.
pub mod format {
    #![allow(missing_docs, reason = "the names say it")]
    pub const UINT: u32 = 0x5001;
    pub const UINT3: u32 = 0x5003;
    pub const UINT4: u32 = 0x5004;
    pub const FLOAT: u32 = 0x9001;
    pub const FLOAT3: u32 = 0x9003;
    pub const FLOAT16: u32 = 0x9010;
    pub const FLOAT3X4_ROW_MAJOR: u32 = 0x9134;
    pub const FLOAT3X4_COLUMN_MAJOR: u32 = 0x9234;
    pub const FLOAT4X4_COLUMN_MAJOR: u32 = 0x9244;
    pub const QUATERNION_DECOMPOSITION: u32 = 0xB001;
}

/// Kinds of geometries.
pub mod geometry_type {
    #![allow(missing_docs, reason = "the names say it")]
    pub const TRIANGLE: u32 = 0;
    pub const QUAD: u32 = 1;
    pub const USER: u32 = 120;
    pub const INSTANCE: u32 = 121;
    pub const INSTANCE_ARRAY: u32 = 122;
}

/// Build qualities.
pub mod quality {
    #![allow(missing_docs, reason = "the names say it")]
    pub const LOW: u32 = 0;
    pub const MEDIUM: u32 = 1;
    pub const HIGH: u32 = 2;
    pub const REFIT: u32 = 3;
}

/// Flags of a scene.
pub mod scene_flag {
    #![allow(missing_docs, reason = "the names say it")]
    pub const DYNAMIC: u32 = 1;
    pub const FILTER_FUNCTION_IN_ARGUMENTS: u32 = 8;
}

/// The flag of a query: the filter of its arguments is for all geometries.
pub const INVOKE_ARGUMENT_FILTER: u32 = 2;

/// An axis-aligned box.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Bounds {
    pub lower: [f32; 3],
    pub align0: f32,
    pub upper: [f32; 3],
    pub align1: f32,
}

/// The instance of a query while a ray is in it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct QueryContext {
    pub inst_id: [u32; 1],
    pub inst_prim_id: [u32; 1],
}

impl QueryContext {
    /// No instance.
    pub const NONE: Self = Self { inst_id: [INVALID_ID], inst_prim_id: [INVALID_ID] };
}

/// The arguments of a filter.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub struct FilterArguments {
    pub valid: *mut c_int,
    pub user: *mut c_void,
    pub context: *mut QueryContext,
    pub ray: *mut f32,
    pub hit: *mut f32,
    pub n: u32,
}

/// A filter: writes 0 to the place of a hit that it rejects.
pub type FilterFn = Option<unsafe extern "C" fn(arguments: *const FilterArguments)>;

/// The arguments of the callbacks of a user geometry. Those for occlusion have a ray where the others have a ray
/// and a hit.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub struct UserArguments {
    pub valid: *mut c_int,
    pub user: *mut c_void,
    pub prim_id: u32,
    pub context: *mut QueryContext,
    pub ray: *mut f32,
    pub n: u32,
    pub geom_id: u32,
}

/// A callback of a user geometry.
pub type UserFn = Option<unsafe extern "C" fn(arguments: *const UserArguments)>;

/// The arguments of a query with rays.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub struct QueryArguments {
    pub flags: u32,
    pub feature_mask: u32,
    pub context: *mut QueryContext,
    pub filter: FilterFn,
    pub user: UserFn,
}

/// The arguments of the callback for bounds.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub struct BoundsArguments {
    pub user: *mut c_void,
    pub prim_id: u32,
    pub time_step: u32,
    pub bounds: *mut Bounds,
}

/// The callback for bounds.
pub type BoundsFn = Option<unsafe extern "C" fn(arguments: *const BoundsArguments)>;

/// A ball in the space of a scene.
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct PointQuery {
    pub point: [f32; 3],
    pub time: f32,
    pub radius: f32,
}

/// The instance of a point query while it is in it.
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct PointQueryContext {
    pub world2inst: [[f32; 16]; 1],
    pub inst2world: [[f32; 16]; 1],
    pub inst_id: [u32; 1],
    pub inst_prim_id: [u32; 1],
    pub stack_size: u32,
}

/// The arguments of the callback of a point query.
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub struct PointQueryArguments {
    pub query: *mut PointQuery,
    pub user: *mut c_void,
    pub prim_id: u32,
    pub geom_id: u32,
    pub context: *mut PointQueryContext,
    pub similarity_scale: f32,
}

/// The callback of a point query: returns whether it made the radius smaller.
pub type PointQueryFn = Option<unsafe extern "C" fn(arguments: *mut PointQueryArguments) -> bool>;

/// The arguments of an interpolation.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub struct InterpolateArguments {
    pub geometry: *const c_void,
    pub prim_id: u32,
    pub u: f32,
    pub v: f32,
    pub buffer_type: u32,
    pub buffer_slot: u32,
    pub results: [*mut f32; 6],
    pub n_values: u32,
}

/// The arguments of many interpolations.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub struct InterpolateNArguments {
    pub geometry: *const c_void,
    pub valid: *const c_int,
    pub prim_ids: *const u32,
    pub u: *const f32,
    pub v: *const f32,
    pub n: u32,
    pub buffer_type: u32,
    pub buffer_slot: u32,
    pub results: [*mut f32; 6],
    pub n_values: u32,
}

/// A callback for errors.
pub type ErrorFn = Option<unsafe extern "C" fn(user: *mut c_void, code: u32, text: *const c_char)>;

/// A callback for memory: returns whether to go on.
pub type MemoryFn =
    Option<unsafe extern "C" fn(user: *mut c_void, bytes: isize, post: bool) -> bool>;

/// A callback for progress: returns whether to go on.
pub type ProgressFn = Option<unsafe extern "C" fn(user: *mut c_void, fraction: f64) -> bool>;

/// A pointer that only the program uses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opaque(pub(crate) *mut c_void);

impl Default for Opaque {
    fn default() -> Self {
        Self(ptr::null_mut())
    }
}

// SAFETY: the library never reads or writes what is behind it, and Embree's rules make programs ready for callbacks on any
// thread.
unsafe impl Send for Opaque {}
// SAFETY: as above.
unsafe impl Sync for Opaque {}

/// A function of the program with its pointer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Callback<F> {
    pub(crate) function: Option<F>,
    pub(crate) user: Opaque,
}

impl<F> Default for Callback<F> {
    fn default() -> Self {
        Self { function: None, user: Opaque::default() }
    }
}

const _: () = assert!(
    size_of::<FilterArguments>() == 48
        && size_of::<UserArguments>() == 48
        && size_of::<QueryArguments>() == 32
        && size_of::<PointQuery>() == 32
        && size_of::<PointQueryContext>() == 144
        && size_of::<PointQueryArguments>() == 48
        && size_of::<InterpolateArguments>() == 88
);
