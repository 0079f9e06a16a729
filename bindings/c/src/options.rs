//! The options of queries.

use engine::{
    Faces, HitMode, HitOptions,
    scene::{InstanceId, QueryOptions},
};

use crate::{
    memory::{Caller, Options, plain},
    status::{Failure, invalid},
};

/// The sides of triangles that a ray may hit.
pub type hitscan_faces = u32;

/// Both sides.
pub const HITSCAN_FACES_BOTH: hitscan_faces = 0;
/// The sides from which the corners run counter-clockwise.
pub const HITSCAN_FACES_FRONT: hitscan_faces = 1;
/// The sides from which the corners run clockwise.
pub const HITSCAN_FACES_BACK: hitscan_faces = 2;

/// What a list of hits holds where a ray meets an edge or a vertex that triangles share.
pub type hitscan_hit_mode = u32;

/// Every triangle that the ray meets.
pub const HITSCAN_EVERY_TRIANGLE: hitscan_hit_mode = 0;
/// Each crossing of the surface once.
pub const HITSCAN_ONCE_PER_CROSSING: hitscan_hit_mode = 1;

/// The options of queries of a mesh. All zeros but the size are the defaults, and so is NULL.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hitscan_hit_options {
    /// sizeof(hitscan_hit_options)
    pub size: usize,
    /// The sides of triangles that a ray may hit.
    pub faces: hitscan_faces,
    /// What a list of hits holds at edges and vertices.
    pub mode: hitscan_hit_mode,
}

/// An instance of a scene. It names the same instance in every clone of the scene, and no other one later.
pub type hitscan_instance_id = u64;

/// No instance.
pub const HITSCAN_NO_INSTANCE: hitscan_instance_id = u64::MAX;

/// The options of queries of a scene. All zeros but the size are the defaults, and so is NULL.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hitscan_query_options {
    /// sizeof(hitscan_query_options)
    pub size: usize,
    /// The sides of triangles that a ray may hit.
    pub faces: hitscan_faces,
    /// What a list of hits holds at edges and vertices.
    pub mode: hitscan_hit_mode,
    /// The query skips instances that share no bit with this mask. 0 stands for all layers.
    pub layers: u32,
    /// 1 to include hidden instances.
    pub include_hidden: u32,
    /// 1 to include locked instances.
    pub include_locked: u32,
    /// 0.
    pub reserved: u32,
    /// Instances that the query skips, with their descendants. May be NULL.
    pub ignore: *const hitscan_instance_id,
    /// The number of ignored instances.
    pub n_ignore: usize,
}

plain!(hitscan_hit_options, hitscan_query_options);

impl Default for hitscan_hit_options {
    fn default() -> Self {
        Self { size: size_of::<Self>(), faces: 0, mode: 0 }
    }
}

impl Options for hitscan_hit_options {
    const FIRST_SIZE: usize = size_of::<Self>();
}

impl Default for hitscan_query_options {
    fn default() -> Self {
        Self {
            size: size_of::<Self>(),
            faces: 0,
            mode: 0,
            layers: 0,
            include_hidden: 0,
            include_locked: 0,
            reserved: 0,
            ignore: std::ptr::null(),
            n_ignore: 0,
        }
    }
}

impl Options for hitscan_query_options {
    const FIRST_SIZE: usize = size_of::<Self>();
}

pub(crate) fn faces(faces: hitscan_faces) -> Result<Faces, Failure> {
    match faces {
        HITSCAN_FACES_BOTH => Ok(Faces::Both),
        HITSCAN_FACES_FRONT => Ok(Faces::Front),
        HITSCAN_FACES_BACK => Ok(Faces::Back),
        other => Err(invalid("options.faces", other, "HITSCAN_FACES_BOTH, _FRONT or _BACK")),
    }
}

fn mode(mode: hitscan_hit_mode) -> Result<HitMode, Failure> {
    match mode {
        HITSCAN_EVERY_TRIANGLE => Ok(HitMode::EveryTriangle),
        HITSCAN_ONCE_PER_CROSSING => Ok(HitMode::OncePerCrossing),
        other => {
            Err(invalid("options.mode", other, "HITSCAN_EVERY_TRIANGLE or _ONCE_PER_CROSSING"))
        }
    }
}

/// A flag of the caller: 0 or 1.
pub(crate) fn flag(value: u32, name: &str) -> Result<bool, Failure> {
    match value {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(invalid(name, other, "0 or 1")),
    }
}

/// The options of a query of a mesh.
#[inline(always)]
pub(crate) fn hit_options(
    caller: &Caller,
    options: *const hitscan_hit_options,
) -> Result<HitOptions, Failure> {
    if options.is_null() { Ok(HitOptions::default()) } else { read_hit_options(caller, options) }
}

fn read_hit_options(
    caller: &Caller,
    options: *const hitscan_hit_options,
) -> Result<HitOptions, Failure> {
    let options = caller.options(options, "options")?;
    Ok(HitOptions { faces: faces(options.faces)?, mode: mode(options.mode)? })
}

/// The options of a query of a scene, with the list of instances to ignore.
#[derive(Default)]
pub(crate) struct SceneOptions {
    ignore: Vec<InstanceId>,
    others: QueryOptions<'static>,
}

impl SceneOptions {
    #[inline]
    pub(crate) fn read(
        caller: &Caller,
        options: *const hitscan_query_options,
    ) -> Result<Self, Failure> {
        if options.is_null() {
            return Ok(Self::default());
        }
        Self::of(caller, &caller.options(options, "options")?)
    }

    /// An empty list of ignored instances takes no memory.
    pub(crate) fn of(caller: &Caller, options: &hitscan_query_options) -> Result<Self, Failure> {
        let ignore = caller.array(options.ignore, options.n_ignore, "options.ignore")?;
        let others = QueryOptions {
            faces: faces(options.faces)?,
            mode: mode(options.mode)?,
            layers: if options.layers == 0 { u32::MAX } else { options.layers },
            ignore: &[],
            include_hidden: flag(options.include_hidden, "options.include_hidden")?,
            include_locked: flag(options.include_locked, "options.include_locked")?,
        };
        Ok(Self { ignore: ignore.iter().copied().map(instance_id).collect(), others })
    }

    pub(crate) fn query(&self) -> QueryOptions<'_> {
        QueryOptions { ignore: &self.ignore, ..self.others }
    }
}

/// The number of an instance, as one word.
pub(crate) fn id_of(instance: InstanceId) -> hitscan_instance_id {
    u64::from(instance.generation) << 32 | u64::from(instance.index)
}

/// The instance of a number. Scenes report one that they do not hold.
pub(crate) fn instance_id(id: hitscan_instance_id) -> InstanceId {
    InstanceId { index: id as u32, generation: (id >> 32) as u32 }
}
