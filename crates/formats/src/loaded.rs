//! Loading a file of any format.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use glam::{DAffine3, DMat3, DVec3, Vec3};
use hitscan_primitives::{CornerAttributes, FaceRecords, Material, Runs, TriMesh};

use crate::{
    Format, FormatError, FormatErrorKind, Instance,
    error::Mistake,
    mesh_builder::{MeshBuilder, Name},
    report::Report,
};

/// Limits that are checked before memory is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadOptions {
    /// The largest file, and all buffers beside it together, in bytes. 16 GiB by default.
    pub max_file_bytes: u64,
    /// The most corners of one polygon. 2^24 by default.
    pub max_polygon_corners: u32,
    /// The most vertices, and triangles, that a file may be turned into: a small glTF file may name
    /// the same data a thousand times. 2^26 by default.
    pub max_vertices: u64,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self { max_file_bytes: 16 << 30, max_polygon_corners: 1 << 24, max_vertices: 1 << 26 }
    }
}

impl LoadOptions {
    /// The most vertices and triangles, all of which a mesh can number.
    pub(crate) fn vertex_limit(&self) -> u64 {
        self.max_vertices.min(TriMesh::MAX_TRIANGLES as u64)
    }
}

/// What was loaded.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Loaded {
    /// The meshes, each in its own space. STL and PLY files have one.
    pub meshes: Vec<TriMesh>,
    /// Where they are: in STL and PLY files the one mesh as it is.
    pub instances: Vec<Instance>,
    /// The materials, by the names in the records of the meshes.
    pub materials: Vec<Material>,
    /// The files that were read beside the one that was named, without links.
    pub files: Vec<PathBuf>,
    pub(crate) report: Report,
}

/// Loads a file, whose format is told by how it begins and, where that leaves a doubt, by its name.
///
/// # Errors
/// A file that cannot be read, that is of none of the formats, or whose contents are wrong; see
/// [`FormatErrorKind`].
pub fn load(path: impl AsRef<Path>, options: &LoadOptions) -> Result<Loaded, FormatError> {
    let path = path.as_ref();
    let load = || -> Result<Loaded, Mistake> {
        let bytes = hitscan_files::read(path, options.max_file_bytes)?;
        let format = Format::of_start(&bytes, bytes.len() as u64).or_else(|| Format::of_name(path));
        let format = format.ok_or_else(|| {
            let start = crate::error::quoted(&bytes[..bytes.len().min(16)]);
            FormatErrorKind::wrong(format!("starts with {start}"), "STL, PLY or glTF")
        })?;
        parse_bytes(&bytes, format, path.parent(), options)
    };
    load().map_err(|mistake| mistake.in_file(&path.to_string_lossy()))
}

/// Loads a file of a format from memory; `name` stands for the file in errors. No file is touched: a glTF
/// file that names buffers of its own is an error.
///
/// # Errors
/// As [`load`].
pub fn parse(
    bytes: &[u8],
    name: &str,
    format: Format,
    options: &LoadOptions,
) -> Result<Loaded, FormatError> {
    parse_bytes(bytes, format, None, options).map_err(|mistake| mistake.in_file(name))
}

#[cfg_attr(
    not(all(feature = "stl", feature = "ply", feature = "gltf")),
    allow(unused_variables, reason = "what the formats use that are left out")
)]
fn parse_bytes(
    bytes: &[u8],
    format: Format,
    folder: Option<&Path>,
    options: &LoadOptions,
) -> Result<Loaded, Mistake> {
    match format {
        #[cfg(feature = "stl")]
        Format::Stl => crate::stl::parse(bytes, options),
        #[cfg(feature = "ply")]
        Format::Ply => crate::ply::parse(bytes, options),
        #[cfg(feature = "gltf")]
        Format::Gltf => crate::gltf::parse(bytes, folder, options),
        #[cfg(not(all(feature = "stl", feature = "ply", feature = "gltf")))]
        left_out => Err(FormatErrorKind::LeftOut { format: left_out.name() }.into()),
    }
}

impl Loaded {
    /// One mesh as it is, at one place.
    #[cfg(any(feature = "stl", feature = "ply"))]
    pub(crate) fn of_one(mesh: TriMesh, report: Report) -> Self {
        let instance = Instance { mesh: 0, transform: DAffine3::IDENTITY, name: None };
        Self { meshes: vec![mesh], instances: vec![instance], report, ..Self::default() }
    }

    /// How many things were left out.
    pub fn n_ignored(&self) -> u64 {
        self.report.n()
    }

    /// What they are: a line per kind, for people.
    pub fn remarks(&self) -> Vec<String> {
        self.report.lines()
    }

    /// All instances as one mesh in the space of the scene, in their order. Its objects are the nodes. Where
    /// a transform mirrors, triangles are turned round, so that their front stays outside.
    ///
    /// # Errors
    /// More vertices or triangles than the options allow, and positions that are not finite in single
    /// precision.
    pub fn flattened(&self, options: &LoadOptions) -> Result<TriMesh, FormatError> {
        let flattened = || -> Result<TriMesh, Mistake> {
            if let ([mesh], [instance]) = (&self.meshes[..], &self.instances[..])
                && instance.transform == DAffine3::IDENTITY
                && instance.name.is_none()
            {
                return Ok(mesh.clone());
            }
            let (mut n_vertices, mut n_triangles) = (0, 0);
            for instance in &self.instances {
                n_vertices += self.meshes[instance.mesh].positions().len() as u64;
                n_triangles += self.meshes[instance.mesh].triangles().len() as u64;
            }
            let limit = options.vertex_limit();
            for (what, found) in [("vertices", n_vertices), ("triangles", n_triangles)] {
                if found > limit {
                    return Err(FormatErrorKind::TooLarge { what, found, limit }.into());
                }
            }
            let mut builder = MeshBuilder::default();
            // Of each mesh, however many instances have it.
            let mut names: Vec<Vec<Name<'_>>> = self.meshes.iter().map(names_of).collect();
            // By their addresses, since instances share them.
            let mut nodes: HashMap<*const str, Name<'_>> = HashMap::new();
            for instance in &self.instances {
                let mesh = &self.meshes[instance.mesh];
                let node = instance
                    .name
                    .as_deref()
                    .map(|name| nodes.entry(name).or_insert_with(|| Name::new(Some(name))));
                add_instance(
                    &mut builder,
                    mesh,
                    instance.transform,
                    node,
                    &mut names[instance.mesh],
                );
            }
            Ok(builder.finish()?)
        };
        flattened().map_err(|mistake| mistake.in_file("the scene as one mesh"))
    }
}

/// The names in the records of a mesh.
fn names_of(mesh: &TriMesh) -> Vec<Name<'_>> {
    let names = mesh.records().map_or(&[][..], |records| &records.names);
    names.iter().map(|name| Name::new(Some(name.as_str()))).collect()
}

/// Adds a mesh at its place, with the name of its node if that has one; `names` are those in its records.
fn add_instance(
    builder: &mut MeshBuilder,
    mesh: &TriMesh,
    transform: DAffine3,
    mut node: Option<&mut Name<'_>>,
    names: &mut [Name<'_>],
) {
    let is_mirrored = transform.matrix3.determinant() < 0.0;
    let first_vertex = builder.positions.len() as u32;
    let place = |p: &Vec3| transform.transform_point3(p.as_dvec3()).as_vec3();
    builder.positions.extend(mesh.positions().iter().map(place));
    let to_normal: DMat3 = transform.matrix3.inverse().transpose();
    let turn = |[a, b, c]: [u32; 3]| if is_mirrored { [a, c, b] } else { [a, b, c] };

    let CornerAttributes { normals, normal_indices, uvs, uv_indices } = mesh.attributes();
    let normal = |n: &Vec3| (to_normal * n.as_dvec3()).normalize_or(DVec3::ZERO).as_vec3();
    let first_normal = builder.attributes.normals.len() as u32;
    builder.attributes.normals.extend(normals.iter().map(normal));
    let first_uv = builder.attributes.uvs.len() as u32;
    builder.attributes.uvs.extend(uvs);
    let moved = |corners: Option<&[u32; 3]>, first: u32| {
        const NONE: u32 = CornerAttributes::NONE;
        let corners = turn(corners.copied().unwrap_or([NONE; 3]));
        corners.map(|index| if index == NONE { NONE } else { index + first })
    };

    let one_each = FaceRecords::one_triangle_each(mesh.triangles().len() as u32);
    let records = mesh.records().unwrap_or(&one_each);
    for polygon in 0..records.n_polygons() as u32 {
        let mut place = |runs: &Runs<Option<u32>>, builder: &mut MeshBuilder| {
            let index = (*runs.get(polygon)?)?;
            builder.place(names.get_mut(index as usize)?)
        };
        let object = match &mut node {
            Some(name) => builder.place(name),
            None => place(&records.objects, builder),
        };
        let material = place(&records.materials, builder);
        builder.begin_polygon(object, material, records.lines.get(polygon));
        for triangle in records.triangles_of(polygon) {
            let triangle = triangle as usize;
            builder.add_triangle(
                turn(mesh.triangles()[triangle].map(|vertex| vertex + first_vertex)),
                moved(normal_indices.get(triangle), first_normal),
                moved(uv_indices.get(triangle), first_uv),
            );
        }
    }
}
