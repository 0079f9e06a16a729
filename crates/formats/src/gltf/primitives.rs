//! Converting the primitives of a mesh.

use std::collections::{HashMap, HashSet, hash_map::Entry};

use glam::{Vec2, Vec3};
use gltf::{
    Accessor, Semantic,
    mesh::{Mode, Primitive},
};
use hitscan_files::{Limit, LoadOptions, ReadErrorKind};
use hitscan_primitives::{CornerAttributes, TriMesh};

use super::{accessor, buffers::Buffers, materials};
use crate::{
    LoadReport,
    mesh_builder::{MeshBuilder, Name},
};

/// Reads meshes, and counts the values and triangles of all of them.
#[derive(Debug)]
pub(super) struct MeshReader<'a> {
    source: Source<'a>,
    positions: Channel,
    normals: Channel,
    uvs: Channel,
    n_triangles: u64,
    /// The accessors of positions that earlier meshes have.
    of_earlier_meshes: HashSet<usize>,
}

/// The buffers, and the limits of what is read from them.
#[derive(Clone, Copy, Debug)]
struct Source<'a> {
    buffers: &'a Buffers<'a>,
    /// The total length of the buffers.
    n_bytes: u64,
    options: &'a LoadOptions,
}

impl Source<'_> {
    /// Compares a number of values or triangles with the limits, before memory is allocated for them.
    fn check(
        self,
        what: &'static str,
        what_if_shared: &'static str,
        found: u64,
    ) -> Result<(), ReadErrorKind> {
        /// The minimum number of bytes of a vertex or triangle, so that a file without sharing stays below.
        const MIN_BYTES: u64 = 3;
        ReadErrorKind::check_vertices(what, found, self.options)?;
        let limit = (self.n_bytes / MIN_BYTES).saturating_add(self.options.max_repeated);
        if found <= limit {
            return Ok(());
        }
        let raised_by = Some(Limit::Repeated);
        Err(ReadErrorKind::TooLarge { what: what_if_shared, found, limit, raised_by })
    }
}

/// The positions, normals or texture coordinates of the primitives.
#[derive(Debug)]
struct Channel {
    what: &'static str,
    what_if_shared: &'static str,
    /// The number of values of all meshes.
    n: u64,
    /// By accessor, the index of its first value in the current mesh, because primitives may share it.
    first: HashMap<usize, u32>,
}

impl Channel {
    fn new(what: &'static str, what_if_shared: &'static str) -> Self {
        Self { what, what_if_shared, n: 0, first: HashMap::new() }
    }

    /// Appends the values of an accessor, or those at the indices `used`, unless the mesh has them. Returns
    /// the index of the first.
    fn read<const N: usize, T>(
        &mut self,
        source: Source<'_>,
        accessor: &Accessor<'_>,
        used: Option<&[u32]>,
        values: &mut Vec<T>,
        convert: impl Fn([f32; N]) -> T,
    ) -> Result<u32, ReadErrorKind> {
        let first = values.len() as u32;
        if used.is_none() {
            match self.first.entry(accessor.index()) {
                Entry::Occupied(first) => return Ok(*first.get()),
                Entry::Vacant(entry) => _ = entry.insert(first),
            }
        }
        let n = used.map_or(accessor.count(), <[u32]>::len);
        self.n = self.n.saturating_add(n as u64);
        source.check(self.what, self.what_if_shared, self.n)?;
        let read = accessor::floats::<N>(accessor, source.buffers, used)?;
        values.extend(read.into_iter().map(convert));
        Ok(first)
    }
}

/// A mesh under construction.
#[derive(Debug)]
struct Draft<'n> {
    builder: MeshBuilder,
    /// The vertices that are not finite. They keep their index; their triangles are skipped.
    not_finite: HashSet<u32>,
    object: Name<'n>,
    materials: HashMap<Option<usize>, Name<'n>>,
}

/// The accessors of a primitive.
struct Attributes<'g> {
    positions: Accessor<'g>,
    normals: Option<Accessor<'g>>,
    uvs: Option<Accessor<'g>>,
}

/// The corners of the triangles of a primitive.
struct Corners {
    mode: Mode,
    indices: Vec<u32>,
    n_triangles: usize,
}

impl Corners {
    fn of(&self, triangle: usize) -> [u32; 3] {
        let positions_in_list = match self.mode {
            Mode::Triangles => [3 * triangle, 3 * triangle + 1, 3 * triangle + 2],
            // Every other triangle of a strip has the opposite winding.
            Mode::TriangleStrip if triangle % 2 == 1 => [triangle + 1, triangle, triangle + 2],
            Mode::TriangleStrip => [triangle, triangle + 1, triangle + 2],
            _ => [0, triangle + 1, triangle + 2],
        };
        positions_in_list.map(|i| self.indices[i])
    }

    fn iter(&self) -> impl Iterator<Item = [u32; 3]> {
        (0..self.n_triangles).map(|triangle| self.of(triangle))
    }

    /// The vertices that triangles use, sorted.
    fn used(&self) -> Vec<u32> {
        let mut used: Vec<u32> = self.iter().flatten().collect();
        used.sort_unstable();
        used.dedup();
        used
    }
}

impl<'a> MeshReader<'a> {
    pub(super) fn new(buffers: &'a Buffers<'a>, options: &'a LoadOptions) -> Self {
        Self {
            source: Source { buffers, n_bytes: buffers.n_bytes(), options },
            positions: Channel::new("vertices", "vertices of primitives that share data"),
            normals: Channel::new("normals", "normals of primitives that share data"),
            uvs: Channel::new(
                "texture coordinates",
                "texture coordinates of primitives that share data",
            ),
            n_triangles: 0,
            of_earlier_meshes: HashSet::new(),
        }
    }

    pub(super) fn read(
        &mut self,
        mesh: &gltf::Mesh<'_>,
        report: &mut LoadReport,
    ) -> Result<TriMesh, ReadErrorKind> {
        let mut draft = Draft {
            builder: MeshBuilder::default(),
            not_finite: HashSet::new(),
            object: Name::new(mesh.name()),
            materials: HashMap::new(),
        };
        for channel in [&mut self.positions, &mut self.normals, &mut self.uvs] {
            channel.first.clear();
        }
        for primitive in mesh.primitives() {
            let mode = primitive.mode();
            if !matches!(mode, Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan) {
                report.add("primitives of points or lines", 1);
                continue;
            }
            report.add("morph targets", primitive.morph_targets().count() as u64);
            let positions = primitive.get(&Semantic::Positions).ok_or_else(|| {
                let found = format!("a primitive of mesh {} without POSITION", mesh.index());
                ReadErrorKind::syntax(found, "it")
            })?;
            let n_vertices = positions.count() as u64;
            ReadErrorKind::check_vertices("vertices", n_vertices, self.source.options)?;
            let attributes = Attributes {
                normals: attribute(&primitive, &Semantic::Normals, positions.count())?,
                uvs: attribute(&primitive, &Semantic::TexCoords(0), positions.count())?,
                positions,
            };
            self.add(&mut draft, &primitive, &attributes, report)?;
        }
        self.of_earlier_meshes.extend(self.positions.first.keys());
        Ok(draft.builder.finish(self.source.options)?)
    }

    fn add(
        &mut self,
        draft: &mut Draft<'_>,
        primitive: &Primitive<'_>,
        attributes: &Attributes<'_>,
        report: &mut LoadReport,
    ) -> Result<(), ReadErrorKind> {
        let corners = self.corners(primitive, attributes.positions.count(), report)?;
        let used = self.selection(attributes, &corners);
        let [first_vertex, first_normal, first_uv] =
            self.read_values(draft, attributes, used.as_deref())?;
        let material = primitive.material();
        let material_name = || Name::new(materials::name(&material));
        let material_name = draft.materials.entry(material.index()).or_insert_with(material_name);
        for corners in corners.iter() {
            let corners = match &used {
                Some(used) => corners.map(|vertex| used.partition_point(|&v| v < vertex) as u32),
                None => corners,
            };
            let from = |first: Option<u32>| match first {
                Some(first) => corners.map(|vertex| vertex + first),
                None => [CornerAttributes::NONE; 3],
            };
            let vertices = from(first_vertex);
            if vertices.iter().any(|vertex| draft.not_finite.contains(vertex)) {
                report.add("triangles at a vertex that is not finite", 1);
                continue;
            }
            let object = draft.builder.name_index(&mut draft.object);
            let material = draft.builder.name_index(material_name);
            draft.builder.begin_polygon(object, material, None);
            draft.builder.add_triangle(vertices, from(first_normal), from(first_uv));
        }
        Ok(())
    }

    /// The corners of a primitive of `n` vertices, after all checks.
    fn corners(
        &mut self,
        primitive: &Primitive<'_>,
        n: usize,
        report: &mut LoadReport,
    ) -> Result<Corners, ReadErrorKind> {
        let n_indices = primitive.indices().map_or(n, |indices| indices.count());
        let n_triangles = match primitive.mode() {
            Mode::Triangles => n_indices / 3,
            _ => n_indices.saturating_sub(2),
        };
        self.n_triangles = self.n_triangles.saturating_add(n_triangles as u64);
        let what_if_shared = "triangles of primitives that share data";
        self.source.check("triangles", what_if_shared, self.n_triangles)?;
        let indices = match primitive.indices() {
            None => (0..n as u32).collect(),
            Some(indices) => accessor::integers(&indices, self.source.buffers)?,
        };
        if primitive.mode() == Mode::Triangles {
            report.add("indices after the last triangle", (indices.len() % 3) as u64);
        }
        let corners = Corners { mode: primitive.mode(), indices, n_triangles };
        for (triangle, of_triangle) in corners.iter().enumerate() {
            if let Some(index) = of_triangle.into_iter().find(|&index| index as usize >= n) {
                let found = format!("index {index} of triangle {triangle} of a primitive");
                return Err(ReadErrorKind::syntax(found, format!("less than its {n} vertices")));
            }
        }
        Ok(corners)
    }

    /// The sorted vertices to read, or `None` for all.
    ///
    /// Exporters may put the vertices of many meshes into one accessor. The first mesh gets all of them, and
    /// each later primitive those that it uses.
    fn selection(&self, attributes: &Attributes<'_>, corners: &Corners) -> Option<Vec<u32>> {
        let Attributes { positions, normals, uvs } = attributes;
        let accessors = [Some(positions), normals.as_ref(), uvs.as_ref()];
        let is_sparse = accessors.into_iter().flatten().any(|a| a.sparse().is_some());
        let is_partial = self.of_earlier_meshes.contains(&positions.index())
            && !self.positions.first.contains_key(&positions.index())
            && 3 * corners.n_triangles < positions.count()
            && !is_sparse;
        is_partial.then(|| corners.used())
    }

    /// Reads the positions, normals and texture coordinates that the mesh does not have yet. Returns the index
    /// of the first of each.
    fn read_values(
        &mut self,
        draft: &mut Draft<'_>,
        attributes: &Attributes<'_>,
        used: Option<&[u32]>,
    ) -> Result<[Option<u32>; 3], ReadErrorKind> {
        let (source, builder) = (self.source, &mut draft.builder);
        let (n_before, positions) = (builder.positions.len(), &mut builder.positions);
        let first_vertex = self.positions.read(
            source,
            &attributes.positions,
            used,
            positions,
            Vec3::from_array,
        )?;
        for (vertex, position) in positions.iter_mut().enumerate().skip(n_before) {
            if !position.is_finite() {
                draft.not_finite.insert(vertex as u32);
                *position = Vec3::ZERO;
            }
        }
        let (normals, uvs) = (&mut builder.attributes.normals, &mut builder.attributes.uvs);
        let first_normal = attributes
            .normals
            .as_ref()
            .map(|accessor| self.normals.read(source, accessor, used, normals, Vec3::from_array));
        // In glTF v grows downwards, and in `TriMesh` upwards.
        let flipped = |[u, v]: [f32; 2]| Vec2::new(u, 1.0 - v);
        let first_uv = attributes
            .uvs
            .as_ref()
            .map(|accessor| self.uvs.read(source, accessor, used, uvs, flipped));
        Ok([Some(first_vertex), first_normal.transpose()?, first_uv.transpose()?])
    }
}

/// An attribute of the `n` vertices, if the primitive has it.
fn attribute<'g>(
    primitive: &Primitive<'g>,
    semantic: &Semantic,
    n: usize,
) -> Result<Option<Accessor<'g>>, ReadErrorKind> {
    let Some(accessor) = primitive.get(semantic) else { return Ok(None) };
    if accessor.count() != n {
        let found = format!("{} {} of a primitive", accessor.count(), semantic.to_string());
        return Err(ReadErrorKind::syntax(found, format!("one for each of its {n} vertices")));
    }
    Ok(Some(accessor))
}
