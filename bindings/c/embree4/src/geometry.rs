//! Geometries: what a program says of each. `geometry_calls` has the calls.

use std::{
    any::Any,
    ffi::c_void,
    fmt, ptr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering},
    },
};

use engine::glam::{DAffine3, DMat3, DVec3};

use crate::{
    abi::{
        BoundsFn, FilterFn, INVALID_ID, PointQueryFn, UserFn, buffer, format, geometry_type,
        quality,
    },
    buffer::View,
    device::Device,
    error::{Outcome, invalid, not_now, refused, unsupported},
    handle::{Handle, Magic},
    reports::{Reports, lock},
};

/// The kinds that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Triangles,
    Quads,
    User,
    Instance,
    InstanceArray,
}

impl Kind {
    pub(crate) fn new(code: u32) -> Outcome<Self> {
        Ok(match code {
            geometry_type::TRIANGLE => Self::Triangles,
            geometry_type::QUAD => Self::Quads,
            geometry_type::USER => Self::User,
            geometry_type::INSTANCE => Self::Instance,
            geometry_type::INSTANCE_ARRAY => Self::InstanceArray,
            2 => return Err(unsupported("type: RTC_GEOMETRY_TYPE_GRID")),
            8 => return Err(unsupported("type: RTC_GEOMETRY_TYPE_SUBDIVISION")),
            15..=49 | 58..=60 => return Err(unsupported("type: a curve")),
            50..=52 => return Err(unsupported("type: points")),
            other => return Err(invalid("type", other, "a type of geometry")),
        })
    }

    pub(crate) fn is_mesh(self) -> bool {
        matches!(self, Self::Triangles | Self::Quads)
    }

    pub(crate) fn is_instances(self) -> bool {
        matches!(self, Self::Instance | Self::InstanceArray)
    }
}

/// A scene that instances place. Scenes hold geometries, so geometries know scenes by this alone.
pub(crate) trait Instanced: fmt::Debug + Send + Sync {
    /// What its last commit has made.
    fn committed(&self) -> Option<Arc<dyn Any + Send + Sync>>;
    /// Where that is, to see whether there was another commit.
    fn address(&self) -> usize;
}

/// A part of a scene.
#[repr(C)]
#[derive(Debug)]
pub struct Geometry {
    magic: Magic,
    device: Arc<Device>,
    pub(crate) kind: Kind,
    user_data: AtomicPtr<c_void>,
    is_enabled: AtomicBool,
    /// Grows with every change, so that a scene sees whether it is up to date.
    version: AtomicU64,
    state: Mutex<State>,
}

// SAFETY: `repr(C)` with the magic first.
unsafe impl Handle for Geometry {
    const NAME: &'static str = "RTCGeometry";
    const MAGIC: u64 = u64::from_le_bytes(*b"rtGeomet");

    fn reports(&self) -> &Reports {
        self.device.reports()
    }
}

/// What calls have set.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) is_committed: bool,
    pub(crate) mask: u32,
    pub(crate) quality: u32,
    pub(crate) index: Option<View>,
    pub(crate) vertex: Option<View>,
    pub(crate) attributes: Vec<Option<View>>,
    pub(crate) intersect_filter: FilterFn,
    pub(crate) occluded_filter: FilterFn,
    pub(crate) takes_argument_filter: bool,
    pub(crate) point_query: PointQueryFn,
    pub(crate) n_user_prims: u32,
    pub(crate) bounds: BoundsFn,
    pub(crate) intersect: UserFn,
    pub(crate) occluded: UserFn,
    pub(crate) scenes: Vec<Arc<dyn Instanced>>,
    pub(crate) transform: DAffine3,
    pub(crate) transforms: Option<View>,
}

impl Geometry {
    pub(crate) fn new(device: Arc<Device>, kind: Kind) -> Self {
        let state = State {
            is_committed: false,
            mask: 1,
            quality: quality::MEDIUM,
            index: None,
            vertex: None,
            attributes: vec![],
            intersect_filter: None,
            occluded_filter: None,
            takes_argument_filter: false,
            point_query: None,
            n_user_prims: 0,
            bounds: None,
            intersect: None,
            occluded: None,
            scenes: vec![],
            transform: DAffine3::IDENTITY,
            transforms: None,
        };
        Self {
            magic: Magic::of::<Self>(),
            device,
            kind,
            user_data: AtomicPtr::new(ptr::null_mut()),
            is_enabled: AtomicBool::new(true),
            version: AtomicU64::new(0),
            state: Mutex::new(state),
        }
    }

    pub(crate) fn shared_device(&self) -> &Arc<Device> {
        &self.device
    }

    pub(crate) fn state(&self) -> State {
        lock(&self.state).clone()
    }

    /// Reads the state in place.
    pub(crate) fn with<T>(&self, read: impl FnOnce(&State) -> T) -> T {
        read(&lock(&self.state))
    }

    pub(crate) fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// Changes the state; the program has to commit the geometry after.
    pub(crate) fn change(&self, change: impl FnOnce(&mut State) -> Outcome<()>) -> Outcome<()> {
        let mut state = lock(&self.state);
        change(&mut state)?;
        state.is_committed = false;
        self.version.fetch_add(1, Ordering::AcqRel);
        Ok(())
    }

    /// Changes callbacks, which needs no commit of the geometry.
    pub(crate) fn change_callbacks(&self, change: impl FnOnce(&mut State)) -> Outcome<()> {
        change(&mut lock(&self.state));
        self.version.fetch_add(1, Ordering::AcqRel);
        Ok(())
    }

    pub(crate) fn commit(&self) -> Outcome<()> {
        let mut state = lock(&self.state);
        if self.kind == Kind::InstanceArray {
            check_instance_array(&state)?;
        }
        state.is_committed = true;
        self.version.fetch_add(1, Ordering::AcqRel);
        Ok(())
    }

    pub(crate) fn is_enabled(&self) -> bool {
        self.is_enabled.load(Ordering::Acquire)
    }

    pub(crate) fn enable(&self, enable: bool) {
        if self.is_enabled.swap(enable, Ordering::AcqRel) != enable {
            self.version.fetch_add(1, Ordering::AcqRel);
        }
    }

    #[inline]
    pub(crate) fn user_data(&self) -> *mut c_void {
        self.user_data.load(Ordering::Acquire)
    }

    pub(crate) fn set_user_data(&self, data: *mut c_void) {
        self.user_data.store(data, Ordering::Release);
    }

    pub(crate) fn expect_kind(&self, is_expected: bool, expected: &str) -> Outcome<()> {
        if is_expected {
            return Ok(());
        }
        Err(not_now(format_args!("geometry: {:?}; expected {expected}", self.kind)))
    }

    /// The view that a call names, if it is set.
    pub(crate) fn view(&self, kind: u32, slot: u32) -> Option<View> {
        self.with(|state| match kind {
            buffer::INDEX if slot == 0 => state.index.clone(),
            buffer::VERTEX if slot == 0 => state.vertex.clone(),
            buffer::TRANSFORM if slot == 0 => state.transforms.clone(),
            buffer::ATTRIBUTE => state.attributes.get(slot as usize).cloned().flatten(),
            _ => None,
        })
    }

    /// Sets a view, if geometries of this kind have such one.
    pub(crate) fn set_view(&self, kind: u32, slot: u32, view: View) -> Outcome<()> {
        self.check_view(kind, slot, view.format)?;
        self.change(|state| {
            let n = state.attributes.len();
            let place = match kind {
                buffer::VERTEX => &mut state.vertex,
                buffer::TRANSFORM => &mut state.transforms,
                buffer::ATTRIBUTE => state.attributes.get_mut(slot as usize).ok_or_else(|| {
                    invalid("slot", slot, format_args!("fewer than the {n} vertex attributes"))
                })?,
                _ => &mut state.index,
            };
            *place = Some(view);
            Ok(())
        })
    }

    fn check_view(&self, kind: u32, slot: u32, found: u32) -> Outcome<()> {
        let expected: &[u32] = match (self.kind, kind) {
            (Kind::Triangles, buffer::INDEX) => &[format::UINT3],
            (Kind::Quads, buffer::INDEX) => &[format::UINT4],
            (Kind::Triangles | Kind::Quads, buffer::VERTEX) => &[format::FLOAT3],
            (Kind::InstanceArray, buffer::INDEX) => &[format::UINT],
            (Kind::InstanceArray, buffer::TRANSFORM) => &[
                format::FLOAT3X4_ROW_MAJOR,
                format::FLOAT3X4_COLUMN_MAJOR,
                format::FLOAT4X4_COLUMN_MAJOR,
            ],
            (Kind::Triangles | Kind::Quads, buffer::ATTRIBUTE) => {
                if (format::FLOAT..=format::FLOAT16).contains(&found) {
                    return Ok(());
                }
                return Err(refused("format", format_args!("{found:#x}"), "FLOAT to FLOAT16"));
            }
            (of, kind) => {
                let found = format_args!("{kind} for {of:?}").to_string();
                return Err(invalid("type", found, "a kind of buffer that the geometry has"));
            }
        };
        if slot > 0 {
            return Err(unsupported(format_args!("slot {slot}: motion blur")));
        }
        if expected.contains(&found) {
            return Ok(());
        }
        let expected: Vec<String> = expected.iter().map(|format| format!("{format:#x}")).collect();
        Err(refused("format", format_args!("{found:#x}"), expected.join(" or ")))
    }

    /// A buffer of the program has changed.
    pub(crate) fn update_view(&self, kind: u32, slot: u32) -> Outcome<()> {
        if self.view(kind, slot).is_none() {
            let found = format_args!("{kind}, slot {slot}").to_string();
            return Err(invalid("type", found, "a buffer that is set"));
        }
        self.change(|_| Ok(()))
    }
}

fn check_instance_array(state: &State) -> Outcome<()> {
    let n = state.transforms.as_ref().map_or(0, |view| view.n);
    match &state.index {
        None if state.scenes.len() > 1 => {
            Err(not_now("several instanced scenes need an index buffer"))
        }
        Some(index) if index.n < n => {
            let found = format_args!("{} indices for {n} transforms", index.n);
            Err(not_now(format_args!("{found}; expected as many")))
        }
        _ => Ok(()),
    }
}

/// An instance of an instance geometry.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub(crate) scene: Arc<dyn Instanced>,
    pub(crate) prim_id: u32,
    pub(crate) transform: DAffine3,
}

impl State {
    /// The number of instances.
    pub(crate) fn n_instances(&self, kind: Kind) -> usize {
        match kind {
            Kind::Instance => usize::from(!self.scenes.is_empty()),
            Kind::InstanceArray => self.transforms.as_ref().map_or(0, |view| view.n),
            _ => 0,
        }
    }

    /// The transform of an instance.
    pub(crate) fn transform_of(&self, kind: Kind, prim_id: u32) -> Option<DAffine3> {
        match (kind, &self.transforms) {
            (Kind::Instance, _) => (prim_id == 0).then_some(self.transform),
            (Kind::InstanceArray, Some(view)) if (prim_id as usize) < view.n => {
                Some(array_transform(view, prim_id as usize))
            }
            _ => None,
        }
    }

    /// The instances of a geometry, without those of an array that name no scene.
    pub(crate) fn instances(&self, kind: Kind) -> impl Iterator<Item = Placed> + '_ {
        let n = self.n_instances(kind) as u32;
        (0..n).filter_map(move |prim_id| {
            let scene = match &self.index {
                Some(index) if kind == Kind::InstanceArray => {
                    index.indices::<1>(prim_id as usize)[0]
                }
                _ => 0,
            };
            if scene == INVALID_ID {
                return None;
            }
            let scene = self.scenes.get(scene as usize)?.clone();
            Some(Placed { scene, prim_id, transform: self.transform_of(kind, prim_id)? })
        })
    }
}

fn array_transform(view: &View, i: usize) -> DAffine3 {
    if view.format == format::FLOAT4X4_COLUMN_MAJOR {
        return transform_from(view.format, &view.floats::<16>(i));
    }
    transform_from(view.format, &view.floats::<12>(i))
}

/// The transform with these numbers, by a format for 12 or 16 of them.
pub(crate) fn transform_from(format: u32, numbers: &[f32]) -> DAffine3 {
    let at = |row: usize, column: usize| {
        f64::from(match format {
            format::FLOAT3X4_ROW_MAJOR => numbers[4 * row + column],
            format::FLOAT3X4_COLUMN_MAJOR => numbers[3 * column + row],
            _ => numbers[4 * column + row],
        })
    };
    let column = |i| DVec3::new(at(0, i), at(1, i), at(2, i));
    let matrix3 = DMat3::from_cols(column(0), column(1), column(2));
    DAffine3 { matrix3, translation: column(3) }
}

/// The numbers of a transform in a format, and how many there are.
pub(crate) fn transform_to(format: u32, transform: &DAffine3) -> Option<([f32; 16], usize)> {
    let columns = [
        transform.matrix3.x_axis,
        transform.matrix3.y_axis,
        transform.matrix3.z_axis,
        transform.translation,
    ];
    let mut numbers = [0.0; 16];
    numbers[15] = 1.0;
    for (i, column) in columns.into_iter().enumerate() {
        for (row, value) in column.to_array().into_iter().enumerate() {
            let place = match format {
                format::FLOAT3X4_ROW_MAJOR => 4 * row + i,
                format::FLOAT3X4_COLUMN_MAJOR => 3 * i + row,
                format::FLOAT4X4_COLUMN_MAJOR => 4 * i + row,
                _ => return None,
            };
            numbers[place] = value as f32;
        }
    }
    Some((numbers, if format == format::FLOAT4X4_COLUMN_MAJOR { 16 } else { 12 }))
}
