//! A mesh with its tree.

use std::{
    ops::ControlFlow,
    path::PathBuf,
    sync::{Arc, PoisonError, RwLock, atomic::Ordering},
};

use hitscan::{
    BuildQuality, LoadOptions, MeshBvh,
    cache::{self, BuiltMesh},
    glam::{DVec3, Vec3},
    scene,
};
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::{exceptions::PyValueError, prelude::*};

use crate::{
    batch::{cancellable, detached},
    errors::{bug, io_error, text_of, value_error},
    memory,
    mesh::{Mesh, bounds_in_file},
    options::build_options,
    pool::{NoFork, Threads},
    rays::points,
};

/// The bytes of a mesh with its tree, per triangle, at most: 110 in the tree, as much for the build, and the
/// copy of the mesh.
const BYTES_PER_TRIANGLE: u64 = 256;

/// A mesh with its tree. A change replaces both; queries that run keep the old ones.
#[pyclass(frozen, module = "hitscan._hitscan")]
pub(crate) struct Bvh {
    built: RwLock<Built>,
    /// The offset of the mesh, which a change keeps.
    pub(crate) offset: DVec3,
}

#[derive(Clone)]
struct Built {
    mesh: Arc<scene::Mesh>,
    quality: BuildQuality,
}

impl Bvh {
    fn of(built: Built) -> Self {
        let offset = built.mesh.tri_mesh().offset();
        Self { built: RwLock::new(built), offset }
    }

    fn built(&self) -> Built {
        self.built.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn mesh(&self) -> Arc<scene::Mesh> {
        self.built().mesh
    }

    /// A tree of a build quality.
    pub(crate) fn with_mesh(mesh: Arc<scene::Mesh>, quality: BuildQuality) -> Self {
        Self::of(Built { mesh, quality })
    }

    /// Changes mesh and tree, on all threads and without the interpreter.
    pub(crate) fn change<T: Send>(
        &self,
        py: Python<'_>,
        change: impl FnOnce(&mut scene::Mesh) -> T + Send,
    ) -> PyResult<T> {
        let pool = Threads::new(None)?.pool()?;
        Ok(py.detach(|| {
            // A forked child would find the lock closed and the tree half changed.
            let _whole = NoFork::new();
            // Nothing else reads the tree while it changes, unless a query or an answer holds it. This thread takes the
            // lock, because one of the pool might take up a second change meanwhile, and wait for itself.
            let mut built = self.built.write().unwrap_or_else(PoisonError::into_inner);
            let mesh = Arc::make_mut(&mut built.mesh);
            pool.install(|| change(mesh))
        }))
    }

    fn from_cache(built: BuiltMesh) -> PyResult<Self> {
        let quality = built.quality;
        let mesh = scene::Mesh::from_built(built.mesh, built.bvh);
        Ok(Self::of(Built { mesh: Arc::new(mesh.map_err(|error| value_error(&error))?), quality }))
    }

    fn to_cache(&self) -> BuiltMesh {
        let Built { mesh, quality } = self.built();
        BuiltMesh { quality, ..BuiltMesh::new(mesh.tri_mesh().clone(), mesh.bvh().clone()) }
    }
}

/// Construction and files.
#[pymethods]
impl Bvh {
    #[new]
    #[pyo3(signature = (mesh, quality, layout, isa, threads))]
    fn new(
        py: Python<'_>,
        mesh: &Mesh,
        quality: &str,
        layout: &str,
        isa: Option<&str>,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let options = build_options(quality, layout, isa)?;
        let tri_mesh = &*mesh.mesh;
        let n = tri_mesh.triangles().len();
        let bytes = BYTES_PER_TRIANGLE.saturating_mul(n as u64);
        memory::check(&format!("the tree of {n} triangles"), bytes)?;
        let to_build = mesh.mesh.clone();
        let bvh = cancellable(py, threads, move |cancel| {
            MeshBvh::build_with_progress(&to_build, &options, &|_| match cancel
                .load(Ordering::Relaxed)
            {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            })
        })?;
        // A cancelled build has raised the interrupt above.
        let bvh = bvh.map_err(|_| bug("a build was cancelled without an interrupt"))?;
        Self::from_cache(BuiltMesh {
            quality: options.quality,
            ..BuiltMesh::new(tri_mesh.clone(), bvh)
        })
    }

    /// Reads a cache file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf, max_bytes: Option<u64>) -> PyResult<Self> {
        let limit = max_bytes.unwrap_or(LoadOptions::default().max_file_bytes);
        // The file and its content, and the winding tree of some queries.
        let bytes = std::fs::metadata(&path).map_or(0, |about| about.len());
        if bytes <= limit {
            let what = format!("the tree of {}", path.display());
            memory::check(&what, bytes.saturating_mul(2))?;
        }
        let built = detached(py, None, || cache::load_within(&path, limit))?;
        Self::from_cache(built.map_err(|error| match &error.kind {
            cache::CacheErrorKind::Io(io) => io_error(io, text_of(&error)),
            cache::CacheErrorKind::TooLarge { .. } => {
                PyValueError::new_err(format!("{error}; max_bytes raises the limit"))
            }
            _ => value_error(&error),
        })?)
    }

    /// Writes a cache file.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let built = self.to_cache();
        let saved = detached(py, None, || cache::save(&built, &path))?;
        saved.map_err(|error| match &error.kind {
            cache::CacheErrorKind::Io(io) => io_error(io, error.to_string()),
            _ => value_error(&error),
        })
    }

    /// The bytes of a cache file, as a new array of uint8.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let built = self.to_cache();
        let mut bytes = Vec::new();
        detached(py, None, || cache::write(&built, &mut bytes))?
            .map_err(|error| value_error(&error))?;
        Ok(PyArray1::from_vec(py, bytes))
    }

    /// Reads the bytes of a cache file, and checks them.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: PyReadonlyArray1<'_, u8>) -> PyResult<Self> {
        let bytes = data.as_slice()?;
        let built = detached(py, None, || cache::read(bytes, "the pickled tree"))?;
        Self::from_cache(built.map_err(|error| value_error(&error))?)
    }

    /// The same tree, which later changes of this one do not reach. O(1).
    fn snapshot(&self) -> Self {
        Self::of(self.built())
    }

    /// Moves the vertices. Returns whether building anew would pay.
    fn refit(&self, py: Python<'_>, positions: PyReadonlyArray2<'_, f32>) -> PyResult<bool> {
        let positions = points(&positions)?;
        let report = self.change(py, |mesh| {
            mesh.refit(positions.iter().map(|&point| Vec3::from_array(point)))
        })?;
        Ok(report.map_err(|error| value_error(&error))?.rebuild_pays())
    }
}

/// Properties.
#[pymethods]
impl Bvh {
    #[getter(mesh)]
    fn mesh_of(&self) -> Mesh {
        Mesh { mesh: Arc::new(self.mesh().tri_mesh().clone()) }
    }

    #[getter]
    fn n_triangles(&self) -> usize {
        self.mesh().bvh().n_triangles()
    }

    #[getter]
    fn bounds(&self) -> [[f64; 3]; 2] {
        bounds_in_file(self.mesh().tri_mesh())
    }

    /// The point that the tree is relative to.
    #[getter]
    fn offset(&self) -> [f64; 3] {
        self.offset.to_array()
    }

    #[getter]
    fn has_offset(&self) -> bool {
        self.offset != DVec3::ZERO
    }

    #[getter]
    fn isa(&self) -> &'static str {
        self.mesh().bvh().isa().name()
    }

    /// The bytes of the tree.
    #[getter]
    fn nbytes(&self, py: Python<'_>) -> PyResult<usize> {
        let mesh = self.mesh();
        detached(py, Some(1), || mesh.bvh().stats().bytes)
    }

    /// The bytes of the mesh's positions and triangles.
    #[getter]
    fn mesh_nbytes(&self) -> usize {
        let mesh = self.mesh();
        size_of_val(mesh.tri_mesh().positions()) + size_of_val(mesh.tri_mesh().triangles())
    }

    #[getter]
    fn quality(&self) -> &'static str {
        match self.built().quality {
            BuildQuality::Fast => "fast",
            BuildQuality::Balanced => "balanced",
            BuildQuality::High => "high",
        }
    }

    #[getter]
    fn layout(&self) -> &'static str {
        match self.mesh().bvh().layout() {
            hitscan::Layout::Compact => "compact",
            hitscan::Layout::Full | hitscan::Layout::Auto => "full",
        }
    }
}
