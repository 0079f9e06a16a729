//! Trees: building, refitting, and cache files.

use std::{
    ffi::{c_char, c_int, c_void},
    ops::ControlFlow,
    sync::Arc,
};

use engine::{
    BuildOptions, BuildQuality, Layout, MeshBvh,
    cache::{self, BuiltMesh},
    scene,
};

use crate::{
    call::entry,
    handle::kind,
    memory::{plain, zeros},
    mesh::{MeshValue, hitscan_mesh, hitscan_positions, read_positions},
    status::{
        Failure, HITSCAN_CANCELLED, HITSCAN_READ, HITSCAN_WRITE, failure, hitscan_status, invalid,
        refused,
    },
};

/// A mesh with its tree. Threads may query it at once. Only hitscan_bvh_refit, hitscan_bvh_update and
/// hitscan_bvh_release change it, and they need it for themselves.
pub struct hitscan_bvh {
    _opaque: [u8; 0],
}

/// A mesh with its tree, and the quality of that tree.
pub(crate) struct BvhValue {
    pub(crate) mesh: Arc<scene::Mesh>,
    quality: BuildQuality,
}

kind!(hitscan_bvh, BvhValue, *b"hs_bvh__");

impl BvhValue {
    #[inline]
    pub(crate) fn tree(&self) -> &MeshBvh {
        self.mesh.bvh()
    }
}

/// The time to spend on a better tree. Answers are the same for all.
pub type hitscan_quality = u32;

/// For most uses.
pub const HITSCAN_QUALITY_BALANCED: hitscan_quality = 0;
/// For meshes that change often.
pub const HITSCAN_QUALITY_FAST: hitscan_quality = 1;
/// For meshes with many queries.
pub const HITSCAN_QUALITY_HIGH: hitscan_quality = 2;

/// The layout of the leaves of a tree. Answers are the same for all.
pub type hitscan_layout = u32;

/// Full up to 2^26 triangles, compact beyond.
pub const HITSCAN_LAYOUT_AUTO: hitscan_layout = 0;
/// The fastest: some 70 bytes per triangle.
pub const HITSCAN_LAYOUT_FULL: hitscan_layout = 1;
/// The smallest: some 35 bytes per triangle.
pub const HITSCAN_LAYOUT_COMPACT: hitscan_layout = 2;

/// Receives the fraction done, from 0 to 1 and never falling. Any thread may call it, but only one at a time.
/// A result other than 0 stops the call, which then returns HITSCAN_CANCELLED.
pub type hitscan_progress = Option<unsafe extern "C" fn(done: f32, user: *mut c_void) -> c_int>;

/// The options of a build. All zeros but the size are the defaults, and so is NULL.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hitscan_build_options {
    /// sizeof(hitscan_build_options)
    pub size: usize,
    /// The time to spend on a better tree.
    pub quality: hitscan_quality,
    /// The layout of the leaves.
    pub layout: hitscan_layout,
    /// A callback for progress; may be NULL.
    pub progress: hitscan_progress,
    /// The argument of the callback.
    pub user: *mut c_void,
}

/// The properties of a tree.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hitscan_bvh_info {
    /// sizeof(hitscan_bvh_info), which the caller sets.
    pub size: usize,
    /// The number of triangles.
    pub n_triangles: usize,
    /// The bytes that the tree takes, beside the mesh.
    pub n_bytes: usize,
    /// The number of nodes of up to eight children.
    pub n_nodes: usize,
    /// The nodes on the longest path from the root.
    pub depth: usize,
    /// The expected cost of a ray, in visits of nodes.
    pub cost: f32,
    /// HITSCAN_LAYOUT_FULL or HITSCAN_LAYOUT_COMPACT.
    pub layout: hitscan_layout,
}

plain!(hitscan_build_options, hitscan_bvh_info);
zeros!(hitscan_build_options, hitscan_bvh_info);

/// A callback for progress that any thread may call.
pub(crate) struct Progress {
    callback: hitscan_progress,
    user: *mut c_void,
    turn: std::sync::Mutex<()>,
}

// SAFETY: the header tells the caller that any thread calls the callback, and a mutex lets one in at a time.
unsafe impl Sync for Progress {}

impl Progress {
    pub(crate) fn new(callback: hitscan_progress, user: *mut c_void) -> Self {
        Self { callback, user, turn: std::sync::Mutex::default() }
    }

    pub(crate) fn report(&self, done: f32) -> ControlFlow<()> {
        let Some(callback) = self.callback else { return ControlFlow::Continue(()) };
        let _turn = self.turn.lock();
        // SAFETY: the caller's function takes these arguments.
        match unsafe { callback(done, self.user) } {
            0 => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    }
}

/// The failure of a call that its callback stopped.
pub(crate) fn cancelled() -> Failure {
    failure(HITSCAN_CANCELLED, "options.progress: the callback stopped the call")
}

/// Builds the tree of a mesh, on all threads.
///
/// options may be NULL. The tree holds a copy of the mesh, so the mesh may be released. The caller releases
/// the tree with hitscan_bvh_release. The environment variable RAYON_NUM_THREADS bounds the threads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_build(
    mesh: *const hitscan_mesh,
    options: *const hitscan_build_options,
    bvh: *mut *mut hitscan_bvh,
) -> hitscan_status {
    entry!("hitscan_bvh_build", |caller| {
        let bvh = caller.out_handle(bvh, "bvh")?;
        let mesh = caller.get(mesh, "mesh")?;
        let options = caller.options(options, "options")?;
        let progress = Progress::new(options.progress, options.user);
        let build = build_options(&options)?;
        let value = match mesh {
            MeshValue::Own(mesh) => mesh.clone(),
            MeshValue::OfTree(mesh) => mesh.tri_mesh().clone(),
        };
        let tree = MeshBvh::build_with_progress(&value, &build, &|done| progress.report(done));
        let tree = tree.map_err(|_| cancelled())?;
        let mesh = scene::Mesh::from_built(value, tree).map_err(|error| refused("mesh", error))?;
        bvh.write(BvhValue { mesh: Arc::new(mesh), quality: build.quality });
        Ok(())
    })
}

fn build_options(options: &hitscan_build_options) -> Result<BuildOptions, Failure> {
    let quality = match options.quality {
        HITSCAN_QUALITY_BALANCED => BuildQuality::Balanced,
        HITSCAN_QUALITY_FAST => BuildQuality::Fast,
        HITSCAN_QUALITY_HIGH => BuildQuality::High,
        other => {
            return Err(invalid(
                "options.quality",
                other,
                "HITSCAN_QUALITY_BALANCED, _FAST or _HIGH",
            ));
        }
    };
    let layout = match options.layout {
        HITSCAN_LAYOUT_AUTO => Layout::Auto,
        HITSCAN_LAYOUT_FULL => Layout::Full,
        HITSCAN_LAYOUT_COMPACT => Layout::Compact,
        other => {
            return Err(invalid("options.layout", other, "HITSCAN_LAYOUT_AUTO, _FULL or _COMPACT"));
        }
    };
    Ok(BuildOptions { quality, layout, ..BuildOptions::default() })
}

/// Releases a tree. NULL does nothing. Scenes with the tree stay valid.
///
/// HITSCAN_INVALID_HANDLE: a tree that is released already.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_release(bvh: *mut hitscan_bvh) -> hitscan_status {
    entry!("hitscan_bvh_release", |caller| caller.release(bvh, "bvh"))
}

/// Makes a snapshot of a tree with its mesh, without a copy. Later edits and refits of either do not change the other;
/// the first one copies both. So a snapshot from before an edit undoes it. The caller releases it with
/// hitscan_bvh_release.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_clone(
    bvh: *const hitscan_bvh,
    snapshot: *mut *mut hitscan_bvh,
) -> hitscan_status {
    entry!("hitscan_bvh_clone", |caller| {
        let snapshot = caller.out_handle(snapshot, "snapshot")?;
        let BvhValue { mesh, quality } = caller.get(bvh, "bvh")?;
        snapshot.write(BvhValue { mesh: mesh.clone(), quality: *quality });
        Ok(())
    })
}

/// Makes a handle for the mesh of a tree, without a copy. The caller releases it with hitscan_mesh_release.
/// It keeps its positions when the tree is refitted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_mesh(
    bvh: *const hitscan_bvh,
    mesh: *mut *mut hitscan_mesh,
) -> hitscan_status {
    entry!("hitscan_bvh_mesh", |caller| {
        let mesh = caller.out_handle(mesh, "mesh")?;
        mesh.write(MeshValue::OfTree(caller.get(bvh, "bvh")?.mesh.clone()));
        Ok(())
    })
}

/// Writes the properties of a tree. The caller sets info->size. The call visits all nodes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_get_info(
    bvh: *const hitscan_bvh,
    info: *mut hitscan_bvh_info,
) -> hitscan_status {
    entry!("hitscan_bvh_get_info", |caller| {
        let tree = caller.get(bvh, "bvh")?.tree();
        let stats = tree.stats();
        let value = hitscan_bvh_info {
            size: 0,
            n_triangles: stats.n_triangles,
            n_bytes: stats.bytes,
            n_nodes: stats.n_nodes,
            depth: stats.depth,
            cost: stats.sah_cost,
            layout: match tree.layout() {
                Layout::Compact => HITSCAN_LAYOUT_COMPACT,
                Layout::Full | Layout::Auto => HITSCAN_LAYOUT_FULL,
            },
        };
        caller.write_sized(info, &value, "info")
    })
}

/// Moves the vertices of a tree to new positions, in the order of the mesh and in its space. Many times
/// cheaper than a build, and answers stay exact.
///
/// rebuild_pays receives 1 once a new build would pay; it may be NULL. Scenes and meshes that share the tree
/// keep the old positions. No other thread may use the tree meanwhile.
///
/// HITSCAN_INVALID_ARGUMENT: another number of positions than the mesh has, or one that is not finite.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_refit(
    bvh: *mut hitscan_bvh,
    positions: *const hitscan_positions,
    rebuild_pays: *mut u32,
) -> hitscan_status {
    entry!("hitscan_bvh_refit", |caller| {
        let bvh = caller.get_mut(bvh, "bvh")?;
        let rebuild_pays = caller.optional_out(rebuild_pays, "rebuild_pays")?;
        let positions = read_positions(caller, positions)?;
        let report = Arc::make_mut(&mut bvh.mesh)
            .refit(positions)
            .map_err(|error| refused("positions", error))?;
        if let Some(rebuild_pays) = rebuild_pays {
            rebuild_pays.write(u32::from(report.rebuild_pays()));
        }
        Ok(())
    })
}

/// Writes a tree with its mesh to a cache file, whole or not at all. path is UTF-8.
///
/// HITSCAN_WRITE: a path that cannot be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_save(
    bvh: *const hitscan_bvh,
    path: *const c_char,
) -> hitscan_status {
    entry!("hitscan_bvh_save", |caller| {
        let bvh = caller.get(bvh, "bvh")?;
        let path = caller.text(path, "path")?;
        let (mesh, tree) = (bvh.mesh.tri_mesh().clone(), bvh.tree().clone());
        let built = BuiltMesh { quality: bvh.quality, ..BuiltMesh::new(mesh, tree) };
        cache::save(&built, path)
            .map_err(|error| failure(HITSCAN_WRITE, format_args!("path: {error}")))
    })
}

/// Reads a tree with its mesh from a cache file, and checks all of it. path is UTF-8. The caller releases the
/// tree with hitscan_bvh_release.
///
/// HITSCAN_READ: a file that differs from what hitscan_bvh_save or the program hitscan writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_load(
    path: *const c_char,
    bvh: *mut *mut hitscan_bvh,
) -> hitscan_status {
    entry!("hitscan_bvh_load", |caller| {
        let bvh = caller.out_handle(bvh, "bvh")?;
        let path = caller.text(path, "path")?;
        bvh.write(load_cache(path)?);
        Ok(())
    })
}

fn load_cache(path: &str) -> Result<BvhValue, Failure> {
    let failed =
        |error: &dyn std::fmt::Display| failure(HITSCAN_READ, format_args!("path: {error}"));
    let BuiltMesh { mesh, bvh, quality, .. } = cache::load(path).map_err(|error| failed(&error))?;
    let mesh = scene::Mesh::from_built(mesh, bvh).map_err(|error| failed(&error))?;
    Ok(BvhValue { mesh: Arc::new(mesh), quality })
}
