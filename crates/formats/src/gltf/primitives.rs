//! Converting the primitives of a mesh.

use std::collections::{HashMap, HashSet};

use glam::{Vec2, Vec3};
use hitscan_files::ReadErrorKind;
use hitscan_primitives::{CornerAttributes, TriMesh};

use super::{
    accessor::{AccessorAt, Source, at},
    deforming::{Deforming, Vertices, wrong_count},
    document::{Mesh, Primitive},
    extensions::{DRACO, compressed},
    faults::Faults,
    lenient::Index,
    materials,
    pose::{Moved, Pose},
};
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
    /// The number of values that moved vertices.
    n_deforming: u64,
    /// The accessors of positions that earlier meshes have.
    of_earlier_meshes: HashSet<usize>,
    pub(super) faults: Faults,
}

/// The positions, normals or texture coordinates of the primitives.
#[derive(Debug)]
struct Channel {
    what: &'static str,
    what_if_shared: &'static str,
    /// The number of values of all meshes.
    n: u64,
    /// The index of the first value in the current mesh by accessor and [`Pose::key`], because primitives may
    /// share both.
    first: HashMap<(usize, Vec<usize>), u32>,
}

impl Channel {
    fn new(what: &'static str, what_if_shared: &'static str) -> Self {
        Self { what, what_if_shared, n: 0, first: HashMap::new() }
    }

    /// Appends the values of an accessor, or those at the indices `used`, unless the mesh has them. Returns
    /// the index of the first, and whether they are new.
    fn read<const N: usize, T>(
        &mut self,
        source: Source<'_>,
        accessor: AccessorAt<'_>,
        pose: &[usize],
        used: Option<&[u32]>,
        values: &mut Vec<T>,
        convert: impl Fn([f32; N]) -> T,
    ) -> Result<(u32, bool), ReadErrorKind> {
        let first = values.len() as u32;
        if used.is_none()
            && let Some(&first) = self.first.get(&(accessor.index, pose.to_vec()))
        {
            return Ok((first, false));
        }
        let n = used.map_or(accessor.count(), <[u32]>::len);
        self.n = self.n.saturating_add(n as u64);
        source.check(self.what, self.what_if_shared, self.n)?;
        let read = source.floats::<N>(accessor, used)?;
        values.extend(read.into_iter().map(convert));
        if used.is_none() {
            self.first.insert((accessor.index, pose.to_vec()), first);
        }
        Ok((first, true))
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

/// A primitive of triangles with its accessors.
struct Triangles<'a> {
    primitive: &'a Primitive<'a>,
    path: String,
    mode: Mode,
    positions: AccessorAt<'a>,
    normals: Option<AccessorAt<'a>>,
    uvs: Option<AccessorAt<'a>>,
    indices: Option<AccessorAt<'a>>,
}

/// The ways in which indices make triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Triangles,
    Strip,
    Fan,
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
            Mode::Strip if triangle % 2 == 1 => [triangle + 1, triangle, triangle + 2],
            Mode::Strip => [triangle, triangle + 1, triangle + 2],
            Mode::Fan => [0, triangle + 1, triangle + 2],
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
    pub(super) fn new(source: Source<'a>) -> Self {
        Self {
            source,
            positions: Channel::new("vertices", "vertices of primitives that share data"),
            normals: Channel::new("normals", "normals of primitives that share data"),
            uvs: Channel::new(
                "texture coordinates",
                "texture coordinates of primitives that share data",
            ),
            n_triangles: 0,
            n_deforming: 0,
            of_earlier_meshes: HashSet::new(),
            faults: Faults::default(),
        }
    }

    /// Reads the mesh with an index in a pose.
    pub(super) fn read(
        &mut self,
        index: usize,
        mesh: &'a Mesh<'a>,
        pose: &Pose,
        report: &mut LoadReport,
    ) -> Result<TriMesh, ReadErrorKind> {
        let mut draft = Draft {
            builder: MeshBuilder::default(),
            not_finite: HashSet::new(),
            object: Name::new(mesh.name.0.as_deref()),
            materials: HashMap::new(),
        };
        for channel in [&mut self.positions, &mut self.normals, &mut self.uvs] {
            channel.first.clear();
        }
        for i in 0..mesh.primitives.len() {
            let primitive = mesh.primitives.get(Index(i), "");
            let primitive = primitive.map_err(at(format_args!("meshes[{index}]")))?;
            let path = format!("meshes[{index}].primitives[{i}]");
            if let Some(triangles) = self.triangles(primitive, path, report)? {
                self.add(&mut draft, &triangles, pose, report)?;
            }
        }
        self.of_earlier_meshes.extend(self.positions.first.keys().map(|(accessor, _)| accessor));
        Ok(draft.builder.finish(self.source.options)?)
    }

    /// The accessors of a primitive at the path `path`; `None` if it has no triangles.
    fn triangles(
        &mut self,
        primitive: &'a Primitive<'a>,
        path: String,
        report: &mut LoadReport,
    ) -> Result<Option<Triangles<'a>>, ReadErrorKind> {
        let mode = match primitive.mode.map_or(4, |mode| mode.0) {
            0..=3 => {
                report.add("primitives of points or lines", 1);
                return Ok(None);
            }
            4 => Mode::Triangles,
            5 => Mode::Strip,
            6 => Mode::Fan,
            mode => {
                let found = format!("{path}.mode: {mode}");
                return Err(ReadErrorKind::syntax(found, "a mode from 0 to 6"));
            }
        };
        let Some(positions) = primitive.attributes.get("POSITION") else {
            report.add("primitives without POSITION", 1);
            return Ok(None);
        };
        let source = self.source;
        let positions = source.accessor(positions, format_args!("{path}.attributes.POSITION"))?;
        let indices = primitive.indices;
        let indices = indices.map(|index| source.accessor(index, format_args!("{path}.indices")));
        let indices = indices.transpose()?;
        let is_stored = positions.has_bytes() && indices.is_none_or(|indices| indices.has_bytes());
        if primitive.extensions.has(DRACO) && !is_stored {
            return Err(at(path)(compressed(DRACO)));
        }
        ReadErrorKind::check_vertices("vertices", positions.count() as u64, source.options)?;
        let mut attribute = |name: &str| {
            let index = primitive.attributes.get(name).filter(|_| source.options.attributes)?;
            let path = format!("{path}.attributes.{name}");
            match source.accessor(index, &path) {
                Ok(accessor) if accessor.count() == positions.count() => Some(accessor),
                Ok(accessor) => {
                    self.faults.add(&wrong_count(accessor, positions.count(), &path));
                    None
                }
                Err(error) => {
                    self.faults.add(&error);
                    None
                }
            }
        };
        let (normals, uvs) = (attribute("NORMAL"), attribute("TEXCOORD_0"));
        Ok(Some(Triangles { primitive, path, mode, positions, normals, uvs, indices }))
    }

    fn add(
        &mut self,
        draft: &mut Draft<'_>,
        triangles: &Triangles<'a>,
        pose: &Pose,
        report: &mut LoadReport,
    ) -> Result<(), ReadErrorKind> {
        let corners = self.corners(triangles, report)?;
        let key = pose.key(triangles.primitive);
        let used = self.selection(triangles, &key, &corners);
        let [first_vertex, first_normal, first_uv] =
            self.read_values(draft, triangles, pose, &key, used.as_deref())?;
        let material = self.material(triangles);
        let root = self.source.root;
        let material_name = || Name::new(material.map(|index| materials::name(root, index)));
        let material_name = draft.materials.entry(material).or_insert_with(material_name);
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

    /// The index of the material; `None` for one that does not exist.
    fn material(&mut self, triangles: &Triangles<'_>) -> Option<usize> {
        let Index(index) = triangles.primitive.material.0?;
        if index < self.source.root.materials.len() {
            return Some(index);
        }
        let path = format!("{}.material", triangles.path);
        self.faults.add(&self.source.root.materials.get(Index(index), path).err()?);
        None
    }

    /// The corners of a primitive, after all checks.
    fn corners(
        &mut self,
        triangles: &Triangles<'_>,
        report: &mut LoadReport,
    ) -> Result<Corners, ReadErrorKind> {
        let n = triangles.positions.count();
        let n_indices = triangles.indices.map_or(n, |indices| indices.count());
        let n_triangles = match triangles.mode {
            Mode::Triangles => n_indices / 3,
            _ => n_indices.saturating_sub(2),
        };
        self.n_triangles = self.n_triangles.saturating_add(n_triangles as u64);
        let what_if_shared = "triangles of primitives that share data";
        self.source.check("triangles", what_if_shared, self.n_triangles)?;
        let path = &triangles.path;
        let indices: Vec<u32> = match triangles.indices {
            None => (0..n as u32).collect(),
            Some(indices) => {
                let indices = self.source.integers::<1>(indices, None);
                indices.map_err(at(format_args!("{path}.indices")))?.into_iter().flatten().collect()
            }
        };
        if triangles.mode == Mode::Triangles {
            report.add("indices after the last triangle", (indices.len() % 3) as u64);
        }
        let corners = Corners { mode: triangles.mode, indices, n_triangles };
        for (triangle, of_triangle) in corners.iter().enumerate() {
            if let Some(index) = of_triangle.into_iter().find(|&index| index as usize >= n) {
                let found = format!("{path}.indices: index {index} of triangle {triangle}");
                return Err(ReadErrorKind::syntax(found, format!("less than its {n} vertices")));
            }
        }
        Ok(corners)
    }

    /// The sorted vertices to read, or `None` for all.
    ///
    /// Exporters may put the vertices of many meshes into one accessor. The first mesh gets all of them, and
    /// each later primitive those that it uses.
    fn selection(
        &self,
        triangles: &Triangles<'_>,
        key: &[usize],
        corners: &Corners,
    ) -> Option<Vec<u32>> {
        let positions = triangles.positions;
        let is_partial = self.of_earlier_meshes.contains(&positions.index)
            && !self.positions.first.contains_key(&(positions.index, key.to_vec()))
            && 3 * corners.n_triangles < positions.count();
        is_partial.then(|| corners.used())
    }

    /// Reads the positions, normals and texture coordinates that the mesh does not have yet. Returns the index
    /// of the first of each.
    fn read_values(
        &mut self,
        draft: &mut Draft<'_>,
        triangles: &Triangles<'a>,
        pose: &Pose,
        key: &[usize],
        used: Option<&[u32]>,
    ) -> Result<[Option<u32>; 3], ReadErrorKind> {
        let (source, builder, path) = (self.source, &mut draft.builder, &triangles.path);
        let vertices =
            Vertices { primitive: triangles.primitive, path, n: triangles.positions.count(), used };
        let mut deforming = Deforming { source, n: &mut self.n_deforming };
        let values = &mut builder.positions;
        let (first_vertex, are_new) = self
            .positions
            .read(source, triangles.positions, key, used, values, Vec3::from_array)
            .map_err(at(format_args!("{path}.attributes.POSITION")))?;
        if are_new {
            let values = &mut values[first_vertex as usize..];
            pose.apply(vertices, Moved::Positions, values, &mut deforming)?;
            for (vertex, position) in (first_vertex..).zip(values) {
                if !position.is_finite() {
                    draft.not_finite.insert(vertex);
                    *position = Vec3::ZERO;
                }
            }
        }
        let (mut first_normal, mut first_uv) = (None, None);
        if let Some(normals) = triangles.normals {
            let values = &mut builder.attributes.normals;
            let n_before = values.len();
            let read = self.normals.read(source, normals, key, used, values, Vec3::from_array);
            let read = read.map_err(at(format_args!("{path}.attributes.NORMAL")));
            let read = read.and_then(|(first, are_new)| {
                if are_new {
                    let values = &mut values[first as usize..];
                    pose.apply(vertices, Moved::Normals, values, &mut deforming)?;
                }
                Ok(first)
            });
            first_normal = self.faults.tolerate(read)?;
            if first_normal.is_none() {
                values.truncate(n_before);
                self.normals.first.remove(&(normals.index, key.to_vec()));
            }
        }
        if let Some(uvs) = triangles.uvs {
            // In glTF v grows downwards, and in `TriMesh` upwards.
            let flipped = |[u, v]: [f32; 2]| Vec2::new(u, 1.0 - v);
            let values = &mut builder.attributes.uvs;
            let read = self.uvs.read(source, uvs, &[], used, values, flipped);
            let read = read.map_err(at(format_args!("{path}.attributes.TEXCOORD_0")));
            first_uv = self.faults.tolerate(read)?.map(|(first, _)| first);
        }
        Ok([Some(first_vertex), first_normal, first_uv])
    }
}
