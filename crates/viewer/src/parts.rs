//! Named parts of meshes: the objects, groups and materials of a file.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use hitscan::picking::Selected;
use hitscan::primitives::{Aabb, Runs};
use hitscan::scene::{InstanceId, Mesh, Scene};
use hitscan::{FaceRecords, TriMesh};

/// The kind of name that a part has in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum PartKind {
    Object,
    Group,
    Material,
}

impl PartKind {
    pub(crate) const ALL: [Self; 3] = [Self::Object, Self::Group, Self::Material];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Group => "group",
            Self::Material => "material",
        }
    }

    fn runs(self, records: &FaceRecords) -> &Runs<Option<u32>> {
        match self {
            Self::Object => records.objects(),
            Self::Group => records.groups(),
            Self::Material => records.materials(),
        }
    }
}

/// The polygons of an instance that share a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Part {
    pub(crate) instance: InstanceId,
    pub(crate) kind: PartKind,
    /// Index of the name in the records of the mesh; `None` for polygons without a name.
    pub(crate) name: Option<u32>,
}

/// An element, or a named part of a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Item {
    Element(Selected),
    Part(Part),
}

impl Item {
    pub(crate) fn instance(&self) -> InstanceId {
        match self {
            Self::Element(selected) => selected.instance,
            Self::Part(part) => part.instance,
        }
    }
}

/// The polygons of a part.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PartPolygons {
    pub(crate) name: Option<u32>,
    /// Ranges of polygons, in order.
    pub(crate) ranges: Vec<Range<u32>>,
    pub(crate) n_triangles: usize,
    /// Bounds in the mesh's own space.
    pub(crate) bounds: Aabb,
}

/// The parts of a mesh of one kind, in the order of the file.
#[derive(Clone, Debug, Default)]
pub(crate) struct MeshParts {
    parts: Vec<PartPolygons>,
    /// Index in `parts` of each name.
    indices: HashMap<Option<u32>, usize>,
}

impl MeshParts {
    fn new(mesh: &TriMesh, kind: PartKind) -> Self {
        let Some(records) = mesh.records() else { return Self::default() };
        let mut parts = Self::default();
        let runs: Vec<(u32, Option<u32>)> =
            kind.runs(records).iter().map(|(start, name)| (start, *name)).collect();
        let n_polygons = records.n_polygons() as u32;
        let first = runs.first().map_or(n_polygons, |&(start, _)| start).min(n_polygons);
        parts.add(mesh, None, 0..first);
        for (index, &(start, name)) in runs.iter().enumerate() {
            let end = runs.get(index + 1).map_or(n_polygons, |&(start, _)| start);
            let known = name.filter(|&name| (name as usize) < records.names().len());
            parts.add(mesh, known, start..end.min(n_polygons));
        }
        parts
    }

    fn add(&mut self, mesh: &TriMesh, name: Option<u32>, polygons: Range<u32>) {
        if polygons.is_empty() {
            return;
        }
        let index = *self.indices.entry(name).or_insert_with(|| {
            let (ranges, bounds) = (vec![], Aabb::EMPTY);
            self.parts.push(PartPolygons { name, ranges, n_triangles: 0, bounds });
            self.parts.len() - 1
        });
        let first = mesh.triangles_of(polygons.start).start;
        let triangles = first..mesh.triangles_of(polygons.end - 1).end;
        let part = &mut self.parts[index];
        part.n_triangles += triangles.len();
        for corner in triangles.flat_map(|triangle| mesh.corners(triangle)) {
            part.bounds = part.bounds.grown(corner);
        }
        part.ranges.push(polygons);
    }

    pub(crate) fn all(&self) -> &[PartPolygons] {
        &self.parts
    }
}

/// The named parts of all instances of a scene.
#[derive(Clone, Debug, Default)]
pub(crate) struct SceneParts {
    /// The parts of each instance's mesh by kind, in the order of [`PartKind::ALL`].
    meshes: HashMap<InstanceId, Arc<[MeshParts; 3]>>,
    has_objects: bool,
}

impl SceneParts {
    /// Finds the parts of each mesh once. O(triangles).
    pub(crate) fn new(scene: &Scene) -> Self {
        let mut by_mesh: HashMap<*const Mesh, Arc<[MeshParts; 3]>> = HashMap::new();
        let mut meshes = HashMap::new();
        for (id, instance) in scene.iter() {
            let Some(mesh) = &instance.mesh else { continue };
            let parts = by_mesh.entry(Arc::as_ptr(mesh)).or_insert_with(|| {
                Arc::new(PartKind::ALL.map(|kind| MeshParts::new(mesh.tri_mesh(), kind)))
            });
            meshes.insert(id, parts.clone());
        }
        let has_objects = by_mesh.values().any(|parts| parts[0].parts.len() > 1);
        Self { meshes, has_objects }
    }

    /// Whether any mesh holds several objects.
    pub(crate) fn has_objects(&self) -> bool {
        self.has_objects
    }

    /// The parts of an instance of one kind; empty if its file has no records.
    pub(crate) fn of_instance(&self, id: InstanceId, kind: PartKind) -> &[PartPolygons] {
        self.meshes.get(&id).map_or(&[], |parts| parts[kind as usize].all())
    }

    /// The part that a polygon belongs to. `None` if the mesh is no more than one part of this kind
    /// without a name.
    pub(crate) fn of_polygon(
        &self,
        scene: &Scene,
        instance: InstanceId,
        polygon: u32,
        kind: PartKind,
    ) -> Option<Part> {
        let records = scene.get(instance)?.mesh.as_deref()?.tri_mesh().records()?;
        let parts = self.meshes.get(&instance)?;
        let parts = &parts[kind as usize];
        let name = kind.runs(records).get(polygon).copied().flatten();
        let name = name.filter(|name| parts.indices.contains_key(&Some(*name)));
        let is_whole = match kind {
            // A single object is the instance itself.
            PartKind::Object => parts.parts.len() < 2,
            PartKind::Group | PartKind::Material => name.is_none() && parts.parts.len() < 2,
        };
        (!is_whole).then_some(Part { instance, kind, name })
    }

    /// The polygons of a part.
    pub(crate) fn polygons(&self, part: &Part) -> Option<&PartPolygons> {
        let parts = &self.meshes.get(&part.instance)?[part.kind as usize];
        parts.parts.get(*parts.indices.get(&part.name)?)
    }
}

/// The name of a part in its file.
pub(crate) fn name_of<'a>(scene: &'a Scene, part: &Part) -> Option<&'a str> {
    let records = scene.get(part.instance)?.mesh.as_deref()?.tri_mesh().records()?;
    records.names().get(part.name? as usize).map(String::as_str)
}

/// Names of an instance and its named ancestors, outermost first.
pub(crate) fn path_of(scene: &Scene, id: InstanceId) -> Vec<String> {
    let names = scene.path(id).into_iter().filter_map(|id| scene.get(id)?.name.clone());
    names.map(|name| name.to_string()).collect()
}

#[cfg(test)]
mod tests {
    use hitscan::PolygonProperties;
    use hitscan::glam::DAffine3;
    use hitscan::scene::Instance;

    use super::*;

    #[test]
    fn parts_collect_all_runs_of_a_name() {
        let cube = hitscan::generate::cuboid(2.0, 2.0, 2.0, 0).unwrap();
        let names = ["a", "b"].map(str::to_owned).to_vec();
        let mut properties = PolygonProperties { names, ..Default::default() };
        for (start, name) in [(1, Some(0)), (2, Some(1)), (4, Some(0)), (5, None)] {
            properties.objects.push(start, name);
        }
        let records =
            FaceRecords::from_triangle_counts([2; 6]).with_properties(properties).unwrap();
        let cube = TriMesh::from_vecs(cube.positions().to_vec(), cube.triangles().to_vec());
        let cube = cube.unwrap().with_records(records).unwrap();
        let mesh = Arc::new(Mesh::new(cube, &Default::default()));
        let mut scene = Scene::new();
        let id = scene.insert(Instance::new(mesh, DAffine3::IDENTITY)).unwrap();
        let parts = SceneParts::new(&scene);
        assert!(parts.has_objects());
        let objects = parts.of_instance(id, PartKind::Object);
        let found: Vec<_> = objects.iter().map(|part| (part.name, &part.ranges[..])).collect();
        // The name 7 does not exist, so its polygon has no name.
        assert_eq!(
            found,
            [(None, &[0..1, 5..6][..]), (Some(0), &[1..2, 4..5][..]), (Some(1), &[2..4][..]),]
        );
        assert_eq!(objects.iter().map(|part| part.n_triangles).sum::<usize>(), 12);
        for polygon in 0..6 {
            let part = parts.of_polygon(&scene, id, polygon, PartKind::Object).unwrap();
            let polygons = parts.polygons(&part).unwrap();
            assert!(polygons.ranges.iter().any(|range| range.contains(&polygon)));
        }
        // No polygon has a material.
        assert_eq!(parts.of_polygon(&scene, id, 3, PartKind::Material), None);
    }
}
