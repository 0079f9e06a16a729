//! A file in memory, whatever its format.

use std::{collections::HashMap, path::PathBuf, sync::Arc};

use glam::{DAffine3, DMat3, DVec3, Vec3};
use hitscan_files::{LoadOptions, ReadError, ReadErrorKind};
use hitscan_obj::ObjModel;
use hitscan_primitives::{
    CornerAttributes, FaceRecords, Material, Recentred, Recentring, Runs, TriMesh, recentre,
};

use crate::{
    Format, Instance, LoadReport, SceneNode,
    mesh_builder::{MeshBuilder, Name},
};

/// The contents of a mesh file.
///
/// OBJ, STL and PLY files have one mesh and one instance of it. glTF files have any number of both.
/// Polygons refer to materials by name: pass [`FaceRecords::material`] to [`material`](Self::material).
///
/// ```
/// use hitscan_formats::{Format, LoadOptions, parse};
///
/// let text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\no roof\nf 1 2 3\n";
/// let loaded = parse(text, "house.obj", Format::Obj, &LoadOptions::default())?;
/// let records = loaded.meshes[0].records().expect("the options keep records");
/// assert_eq!((records.object(0), records.material(0)), (Some("roof"), None));
/// # Ok::<(), hitscan_formats::ReadError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Loaded {
    /// The format of the file.
    pub format: Format,
    /// The meshes, each in its own space. The mesh of an OBJ, STL or PLY file far from the origin has an
    /// [offset](TriMesh::offset).
    pub meshes: Vec<TriMesh>,
    /// The instances of the meshes in the space of the scene. Their transforms take positions with the
    /// offset of the mesh.
    pub instances: Vec<Instance>,
    /// The same instances with their parents: the nodes of a glTF file that have a mesh at or below them.
    pub nodes: Vec<SceneNode>,
    /// The materials in the order of the file, or of the material libraries of an OBJ file. A name may
    /// occur twice; see [`material`](Self::material).
    pub materials: Vec<Material>,
    /// Base-colour textures that a glTF file holds itself: the index of the material, and the bytes of a
    /// PNG or JPEG file. Other textures are files, named by [`Material::map_kd`].
    pub embedded_textures: Vec<(usize, Arc<[u8]>)>,
    /// The material libraries or buffers that were read beside the file, with links resolved.
    pub files: Vec<PathBuf>,
    /// The parts of the file that the reader skipped or repaired.
    pub report: LoadReport,
    /// The name of the file in errors.
    name: String,
    options: LoadOptions,
}

/// The parts of [`Loaded`] that a reader fills.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    pub(crate) meshes: Vec<TriMesh>,
    pub(crate) instances: Vec<Instance>,
    pub(crate) nodes: Vec<SceneNode>,
    pub(crate) materials: Vec<Material>,
    pub(crate) embedded_textures: Vec<(usize, Arc<[u8]>)>,
    pub(crate) files: Vec<PathBuf>,
    pub(crate) report: LoadReport,
}

impl Parts {
    /// One mesh with one instance.
    pub(crate) fn of_one(mesh: TriMesh, report: LoadReport) -> Self {
        let instance = Instance { mesh: 0, transform: DAffine3::IDENTITY, name: None };
        let node =
            SceneNode { name: None, parent: None, mesh: Some(0), transform: DAffine3::IDENTITY };
        let (meshes, instances, nodes) = (vec![mesh], vec![instance], vec![node]);
        Self { meshes, instances, nodes, report, ..Self::default() }
    }

    /// The parts of a file of one mesh. `read` reads it once, or again relative to an offset.
    #[cfg(any(feature = "stl", feature = "ply"))]
    pub(crate) fn recentred<E>(
        options: &LoadOptions,
        read: impl FnMut(&mut Recentring) -> Result<(TriMesh, LoadReport), E>,
    ) -> Result<Self, E> {
        let read = recentre(options.recentre, read, |(mesh, _)| mesh.bounds())?;
        let Recentred { value: (mesh, mut report), offset, rounded_by } = read;
        report.rounded_by = rounded_by;
        Ok(Self::of_one(mesh.with_offset(offset), report))
    }

    pub(crate) fn of_obj(model: ObjModel) -> Self {
        let ObjModel { mesh, materials, report, library_files, .. } = model;
        let parts = Self::of_one(mesh, LoadReport::of_obj(report));
        Self { materials, files: library_files, ..parts }
    }
}

impl Loaded {
    pub(crate) fn new(parts: Parts, format: Format, name: &str, options: &LoadOptions) -> Self {
        let Parts { meshes, instances, nodes, materials, embedded_textures, files, report } = parts;
        let (name, options) = (name.to_owned(), options.clone());
        Self {
            format,
            meshes,
            instances,
            nodes,
            materials,
            embedded_textures,
            files,
            report,
            name,
            options,
        }
    }

    /// The material of a name. If several have it, the last one counts, because a later library
    /// overrides an earlier one. O(n).
    pub fn material(&self, name: &str) -> Option<&Material> {
        self.materials.iter().rev().find(|material| material.name == name)
    }

    /// Merges all instances into one mesh in the space of the scene, in their order.
    ///
    /// The mesh has an [offset](TriMesh::offset) if f32 would lose detail otherwise, unless
    /// [`LoadOptions::recentre`] is off. Rays for it then take `hitscan::scene::Mesh::local_ray`, and points that are answers
    /// take the offset; scenes do both themselves.
    ///
    /// The mesh of an OBJ, STL or PLY file is moved, not copied. For glTF the names of the nodes become the
    /// objects of the records. Triangles of mirrored instances are reversed, so that their front side stays
    /// outside.
    ///
    /// # Errors
    /// More vertices or triangles than [`LoadOptions::max_vertices`], or positions that are not finite in
    /// single precision.
    pub fn into_mesh(mut self) -> Result<TriMesh, ReadError> {
        if let ([_], [instance]) = (&self.meshes[..], &self.instances[..])
            && instance.transform == DAffine3::IDENTITY
            && instance.name.is_none()
        {
            return Ok(self.meshes.remove(0));
        }
        self.merged().map_err(|kind| ReadError::new(&self.name, None, kind))
    }

    fn merged(&self) -> Result<TriMesh, ReadErrorKind> {
        merge(&self.meshes, &self.instances, &self.options)
    }
}

/// One mesh of all instances in the space of their scene, as [`Loaded::into_mesh`] makes it.
///
/// # Errors
/// More vertices or triangles than [`LoadOptions::max_vertices`], or positions that are not finite in
/// single precision.
///
/// # Panics
/// If an instance has a mesh beyond `meshes`.
pub fn merge(
    meshes: &[TriMesh],
    instances: &[Instance],
    options: &LoadOptions,
) -> Result<TriMesh, ReadErrorKind> {
    check_merge(meshes, instances, options)?;
    let read = |recentring: &mut Recentring| merge_once(meshes, instances, options, recentring);
    let Recentred { value, offset, .. } = recentre(options.recentre, read, TriMesh::bounds)?;
    Ok(value.with_offset(offset))
}

fn check_merge(
    meshes: &[TriMesh],
    instances: &[Instance],
    options: &LoadOptions,
) -> Result<(), ReadErrorKind> {
    let (mut n_vertices, mut n_triangles) = (0, 0);
    for instance in instances {
        n_vertices += meshes[instance.mesh].positions().len() as u64;
        n_triangles += meshes[instance.mesh].triangles().len() as u64;
    }
    ReadErrorKind::check_vertices("vertices of the merged scene", n_vertices, options)?;
    ReadErrorKind::check_vertices("triangles of the merged scene", n_triangles, options)
}

/// [`merge`] relative to the offset of `recentring`.
fn merge_once(
    meshes: &[TriMesh],
    instances: &[Instance],
    options: &LoadOptions,
    recentring: &mut Recentring,
) -> Result<TriMesh, ReadErrorKind> {
    let mut builder = MeshBuilder::default();
    // Per mesh, because many instances may share it.
    let mut names: Vec<Vec<Name<'_>>> = meshes.iter().map(names_of).collect();
    // By address, because instances share the names.
    let mut nodes: HashMap<*const str, Name<'_>> = HashMap::new();
    for instance in instances {
        let mesh = &meshes[instance.mesh];
        let node = instance
            .name
            .as_deref()
            .map(|name| nodes.entry(name).or_insert_with(|| Name::new(Some(name))));
        let positions = mesh.positions().iter();
        // The identity keeps every bit, even the sign of zero.
        match instance.transform == DAffine3::IDENTITY && mesh.offset() == DVec3::ZERO {
            true => builder.positions.extend(positions.map(|p| recentring.local(p.as_dvec3()))),
            false => {
                let to_scene = instance.transform * DAffine3::from_translation(mesh.offset());
                let to_scene = |p: &Vec3| to_scene.transform_point3(p.as_dvec3());
                builder.positions.extend(positions.map(|p| recentring.local(to_scene(p))));
            }
        }
        add_instance(&mut builder, mesh, instance.transform, node, &mut names[instance.mesh]);
    }
    Ok(builder.finish(options)?)
}

/// The names in the records of a mesh.
fn names_of(mesh: &TriMesh) -> Vec<Name<'_>> {
    let names = mesh.records().map_or(&[][..], |records| records.names());
    names.iter().map(|name| Name::new(Some(name.as_str()))).collect()
}

/// Adds an instance of `mesh`, whose positions are the last of `builder`. `node` is the name of its node, and `names` are those in its records.
fn add_instance(
    builder: &mut MeshBuilder,
    mesh: &TriMesh,
    transform: DAffine3,
    mut node: Option<&mut Name<'_>>,
    names: &mut [Name<'_>],
) {
    let is_mirrored = transform.matrix3.determinant() < 0.0;
    let first_vertex = (builder.positions.len() - mesh.positions().len()) as u32;
    let is_identity = transform == DAffine3::IDENTITY;
    let to_normal: DMat3 = transform.matrix3.inverse().transpose();
    let turn = |[a, b, c]: [u32; 3]| if is_mirrored { [a, c, b] } else { [a, b, c] };

    let CornerAttributes { normals, normal_indices, uvs, uv_indices } = mesh.attributes();
    let normal = |n: &Vec3| match is_identity {
        true => *n,
        false => (to_normal * n.as_dvec3()).normalize_or(DVec3::ZERO).as_vec3(),
    };
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
        let mut name_index = |runs: &Runs<Option<u32>>, builder: &mut MeshBuilder| {
            let index = (*runs.get(polygon)?)?;
            builder.name_index(names.get_mut(index as usize)?)
        };
        let object = match &mut node {
            Some(name) => builder.name_index(name),
            None => name_index(records.objects(), builder),
        };
        let material = name_index(records.materials(), builder);
        builder.begin_polygon(object, material, records.lines().get(polygon));
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
