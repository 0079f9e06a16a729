//! What to read, and how much of it.

/// What to read from a file, and the limits that are checked before memory is taken.
///
/// ```
/// use hitscan_obj::LoadOptions;
///
/// let geometry_only =
///     LoadOptions { records: false, attributes: false, materials: false, ..Default::default() };
/// # let _ = geometry_only;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadOptions {
    /// Keep polygons, names, smoothing groups and source lines of the faces
    /// ([`TriMesh::records`](hitscan_primitives::TriMesh::records)). On by default.
    pub records: bool,
    /// Keep texture coordinates and normals
    /// ([`TriMesh::attributes`](hitscan_primitives::TriMesh::attributes)). Off, `vt` and `vn`
    /// statements are counted but not looked into. On by default.
    pub attributes: bool,
    /// Read the material libraries. On by default.
    pub materials: bool,
    /// The largest file, in bytes. 16 GiB by default.
    pub max_file_bytes: u64,
    /// The longest statement in bytes, with the lines that continue it and their endings: what a file
    /// without line endings may take of memory. 512 MiB by default.
    pub max_statement_bytes: u64,
    /// The most corners of one face. 2^24 by default.
    pub max_polygon_corners: u32,
    /// The most bytes of all material libraries together. 64 MiB by default.
    pub max_material_bytes: u64,
    /// The most material library names that are looked for. 256 by default.
    pub max_libraries: u32,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self {
            records: true,
            attributes: true,
            materials: true,
            max_file_bytes: 16 << 30,
            max_statement_bytes: 512 << 20,
            max_polygon_corners: 1 << 24,
            max_material_bytes: 64 << 20,
            max_libraries: 256,
        }
    }
}
