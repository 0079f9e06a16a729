//! The options of all readers of meshes.

/// Selects what a reader keeps of a mesh file, and limits what the file may take.
///
/// Readers compare every count with its limit before they allocate memory for it.
///
/// ```
/// use hitscan_files::LoadOptions;
///
/// let geometry_only =
///     LoadOptions { records: false, attributes: false, materials: false, ..Default::default() };
/// assert_eq!(geometry_only.max_file_bytes, 16 << 30);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadOptions {
    /// Keep polygons, names, smoothing groups and source lines of the faces
    /// ([`TriMesh::records`](hitscan_primitives::TriMesh::records)). On by default.
    pub records: bool,
    /// Keep texture coordinates and normals
    /// ([`TriMesh::attributes`](hitscan_primitives::TriMesh::attributes)). On by default. Off, the reader
    /// of OBJ counts `vt` and `vn` statements without parsing them.
    pub attributes: bool,
    /// Keep materials, and read the material libraries of OBJ files. On by default.
    pub materials: bool,
    /// Store positions that f32 would round too coarsely relative to an offset in f64
    /// ([`TriMesh::offset`](hitscan_primitives::TriMesh::offset)), by the rule of
    /// [`recentre`](hitscan_primitives::recentre). On by default. Off, positions are rounded to f32, and the
    /// report says by how much.
    pub recentre: bool,
    /// The maximum size of the file, and of all glTF buffers beside it together, in bytes. For a compressed
    /// file, also the maximum uncompressed size. 16 GiB by default.
    pub max_file_bytes: u64,
    /// Compressed files: the maximum uncompressed size beyond [`EXPANSION`](Self::EXPANSION) bytes per
    /// compressed byte. A small file may expand 10,000 times. 64 MiB by default.
    pub max_expanded_bytes: u64,
    /// The maximum number of corners of one polygon. 2^24 by default.
    pub max_polygon_corners: u32,
    /// STL, PLY and glTF: the maximum number of vertices, and of triangles, in all meshes together. 2^26
    /// by default.
    pub max_vertices: u64,
    /// glTF: the maximum number of vertices, and of triangles, beyond one per three bytes of the buffers. A
    /// small file may refer to the same data a thousand times. 2^22 by default.
    pub max_repeated: u64,
    /// OBJ: the maximum length of one statement in bytes, including the lines that continue it. A file
    /// without line endings takes this much memory at once. 512 MiB by default.
    pub max_statement_bytes: u64,
    /// OBJ: the maximum size of all material libraries together, in bytes. 64 MiB by default.
    pub max_material_bytes: u64,
    /// OBJ: the maximum number of material libraries that the reader looks for. 256 by default.
    pub max_libraries: u32,
}

impl LoadOptions {
    /// The number of uncompressed bytes per compressed byte that every file may have. Meshes seldom have 20.
    pub const EXPANSION: u64 = 100;
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self {
            records: true,
            attributes: true,
            materials: true,
            recentre: true,
            max_file_bytes: 16 << 30,
            max_expanded_bytes: 64 << 20,
            max_polygon_corners: 1 << 24,
            max_vertices: 1 << 26,
            max_repeated: 1 << 22,
            max_statement_bytes: 512 << 20,
            max_material_bytes: 64 << 20,
            max_libraries: 256,
        }
    }
}

/// A limit of [`LoadOptions`] that a file can exceed with an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Limit {
    /// [`LoadOptions::max_file_bytes`].
    FileBytes,
    /// [`LoadOptions::max_expanded_bytes`].
    ExpandedBytes,
    /// [`LoadOptions::max_polygon_corners`].
    PolygonCorners,
    /// [`LoadOptions::max_vertices`].
    Vertices,
    /// [`LoadOptions::max_repeated`].
    Repeated,
    /// [`LoadOptions::max_statement_bytes`].
    StatementBytes,
}

impl Limit {
    /// The name of the option.
    pub const fn option(self) -> &'static str {
        match self {
            Self::FileBytes => "max_file_bytes",
            Self::ExpandedBytes => "max_expanded_bytes",
            Self::PolygonCorners => "max_polygon_corners",
            Self::Vertices => "max_vertices",
            Self::Repeated => "max_repeated",
            Self::StatementBytes => "max_statement_bytes",
        }
    }
}
