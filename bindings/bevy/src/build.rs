//! The tree of a mesh, and the task that builds or refits it.

use std::sync::Arc;

use hitscan::{BuildOptions, FaceRecords, TriMesh, glam::Vec3, scene};

use crate::{
    bevy_api::{AsyncComputeTaskPool, LeftOut, MeshData, TaskPool},
    source::{Copying, Triangles},
};

/// A mesh with its tree, which all entities of the asset share.
#[derive(Clone, Debug)]
pub(crate) struct BuiltMesh {
    pub(crate) mesh: Arc<scene::Mesh>,
    pub(crate) source: BuiltSource,
}

/// How the triangles of a tree relate to those of Bevy's mesh.
#[derive(Clone, Debug)]
pub(crate) struct BuiltSource {
    /// See [`Triangles::numbers`].
    numbers: Option<Arc<[u32]>>,
    pub(crate) n_dropped: usize,
    /// Whether the polygons that the caller gave do not fit the triangles.
    pub(crate) has_wrong_polygons: bool,
}

impl BuiltMesh {
    /// Lets the tree follow vertices that moved. Returns whether it shows the content now.
    pub(crate) fn follow(&mut self, data: &MeshData<'_>, vertices: Vec<u32>) -> bool {
        if vertices.is_empty() {
            return true;
        }
        let Some(moves) = self.moves(data, vertices) else { return false };
        Arc::make_mut(&mut self.mesh).edit(|mesh| mesh.move_vertices(moves)).is_ok()
    }

    /// The positions of vertices that moved; `None` if the content has another size than the tree.
    pub(crate) fn moves(
        &self,
        data: &MeshData<'_>,
        mut vertices: Vec<u32>,
    ) -> Option<Vec<(u32, [f32; 3])>> {
        let tri_mesh = self.mesh.tri_mesh();
        let n_triangles = match &self.source.numbers {
            // Some triangles were dropped, and a move may make them valid.
            Some(_) => return None,
            None => tri_mesh.triangles().len(),
        };
        if (tri_mesh.positions().len(), n_triangles) != (data.positions.len(), data.n_triangles()) {
            return None;
        }
        vertices.sort_unstable();
        vertices.dedup();
        let at = |vertex: u32| Some((vertex, *data.positions.get(vertex as usize)?));
        vertices.into_iter().map(at).collect()
    }

    /// The number of a triangle in Bevy's mesh.
    pub(crate) fn number(&self, triangle: u32) -> u32 {
        self.source.numbers.as_ref().map_or(triangle, |numbers| numbers[triangle as usize])
    }
}

/// The input of a task that builds or refits a tree.
pub(crate) struct Build {
    pub(crate) copied: Copying,
    /// The latest tree. If it has the same triangles, the task refits it.
    pub(crate) old: Option<BuiltMesh>,
    pub(crate) polygons: Option<Arc<[u32]>>,
    pub(crate) options: BuildOptions,
}

impl Build {
    pub(crate) fn run(self) -> Result<BuiltMesh, LeftOut> {
        let Triangles { mut tri_mesh, numbers, n_dropped } = self.copied.finish()?;
        let mut has_wrong_polygons = false;
        if let Some(counts) = self.polygons {
            let n_triangles: u64 = counts.iter().copied().map(u64::from).sum();
            has_wrong_polygons = n_triangles != tri_mesh.triangles().len() as u64;
            if !has_wrong_polygons {
                let records = FaceRecords::from_triangle_counts(counts.iter().copied());
                tri_mesh = tri_mesh.with_records(records).expect("the counts add up");
            }
        }
        let refitted = self.old.and_then(|old| refitted(old.mesh, &tri_mesh));
        let mesh = refitted.unwrap_or_else(|| Arc::new(scene::Mesh::new(tri_mesh, &self.options)));
        let source = BuiltSource { numbers: numbers.map(Arc::from), n_dropped, has_wrong_polygons };
        Ok(BuiltMesh { mesh, source })
    }
}

/// The old tree with new positions; `None` if the triangles differ or a rebuild pays. Equal positions, as after a
/// change of colours, return the old tree itself.
fn refitted(old: Arc<scene::Mesh>, new: &TriMesh) -> Option<Arc<scene::Mesh>> {
    let (was, is) = (old.tri_mesh(), new);
    let has_same_triangles = was.triangles() == is.triangles()
        && was.positions().len() == is.positions().len()
        && was.records() == is.records();
    if !has_same_triangles {
        return None;
    }
    let bits = |p: &Vec3| p.to_array().map(f32::to_bits);
    if was.positions().iter().map(bits).eq(is.positions().iter().map(bits)) {
        return Some(old);
    }
    let mut mesh = scene::Mesh::clone(&old);
    let report = mesh.refit(is.positions().iter().copied()).ok()?;
    (!report.rebuild_pays()).then(|| Arc::new(mesh))
}

/// The pool of the tasks. Apps without a `TaskPoolPlugin` get a default one.
pub(crate) fn background() -> &'static AsyncComputeTaskPool {
    AsyncComputeTaskPool::get_or_init(TaskPool::new)
}

/// Drops a tree in a task, because freeing hundreds of megabytes takes milliseconds.
pub(crate) fn drop_in_background(built: Option<BuiltMesh>) {
    if let Some(built) = built {
        background().spawn(async move { drop(built) }).detach();
    }
}
