//! The instances and faces that a tab hides.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use hitscan::scene::{InstanceId, Mesh, Scene};
use hitscan::{BuildOptions, BuildQuality, FaceRecords, TriMesh};

/// The instances and faces that a tab hides, by the index of the instance in the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Hidden {
    pub(crate) instances: BTreeSet<u64>,
    faces: BTreeMap<u64, HiddenFaces>,
}

/// The hidden faces of an instance.
#[derive(Clone, Debug, PartialEq)]
struct HiddenFaces {
    is_hidden: Vec<bool>,
    n_hidden: usize,
}

/// How much of an instance or part is visible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visibility {
    Hidden,
    Partial,
    Full,
}

impl Hidden {
    /// Hides polygons of an instance whose mesh has `n_polygons`.
    pub(crate) fn hide_faces(
        &mut self,
        instance: u64,
        n_polygons: usize,
        polygons: impl IntoIterator<Item = u32>,
    ) {
        let new = || HiddenFaces { is_hidden: vec![false; n_polygons], n_hidden: 0 };
        let faces = self.faces.entry(instance).or_insert_with(new);
        for polygon in polygons {
            if let Some(is_hidden) = faces.is_hidden.get_mut(polygon as usize) {
                faces.n_hidden += usize::from(!*is_hidden);
                *is_hidden = true;
            }
        }
    }

    /// Shows polygons of an instance.
    pub(crate) fn show_faces(&mut self, instance: u64, polygons: impl IntoIterator<Item = u32>) {
        let Some(faces) = self.faces.get_mut(&instance) else { return };
        for polygon in polygons {
            if let Some(is_hidden) = faces.is_hidden.get_mut(polygon as usize) {
                faces.n_hidden -= usize::from(*is_hidden);
                *is_hidden = false;
            }
        }
        if faces.n_hidden == 0 {
            self.faces.remove(&instance);
        }
    }

    /// Shows everything.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(crate) fn is_face_hidden(&self, instance: u64, polygon: u32) -> bool {
        let faces = self.faces.get(&instance);
        faces.is_some_and(|faces| faces.is_hidden.get(polygon as usize).is_some_and(|&is| is))
    }

    /// Whether any face of an instance is hidden by itself.
    pub(crate) fn has_hidden_faces(&self, instance: u64) -> bool {
        self.faces.contains_key(&instance)
    }

    /// Number of faces that are hidden by themselves.
    pub(crate) fn n_faces(&self) -> usize {
        self.faces.values().map(|faces| faces.n_hidden).sum()
    }

    /// How much of some polygons of a visible instance is visible.
    pub(crate) fn visibility(&self, instance: u64, ranges: &[Range<u32>]) -> Visibility {
        let Some(faces) = self.faces.get(&instance) else { return Visibility::Full };
        let polygons = ranges.iter().cloned().flatten();
        let hidden = polygons.map(|polygon| faces.is_hidden.get(polygon as usize) == Some(&true));
        let (mut any, mut all) = (false, true);
        for is_hidden in hidden {
            (any, all) = (any | is_hidden, all & is_hidden);
        }
        match (any, all) {
            (false, _) => Visibility::Full,
            (true, true) => Visibility::Hidden,
            (true, false) => Visibility::Partial,
        }
    }

    /// Hidden faces as ranges, by instance. Includes no instance that is hidden as a whole.
    pub(crate) fn face_ranges(&self) -> Vec<(u64, Vec<Range<u32>>)> {
        let visible = self.faces.iter().filter(|(instance, _)| !self.instances.contains(instance));
        let ranges = |(&instance, faces): (&u64, &HiddenFaces)| {
            let mut ranges: Vec<Range<u32>> = vec![];
            for polygon in (0..).zip(&faces.is_hidden).filter(|(_, is)| **is).map(|(n, _)| n) {
                match ranges.last_mut() {
                    Some(last) if last.end == polygon => last.end += 1,
                    _ => ranges.push(polygon..polygon + 1),
                }
            }
            (instance, ranges)
        };
        visible.map(ranges).collect()
    }
}

/// The meshes of a tab that lack the hidden faces.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReducedMeshes(BTreeMap<u64, ReducedMesh>);

#[derive(Clone, Debug)]
struct ReducedMesh {
    faces: HiddenFaces,
    mesh: Arc<Mesh>,
    /// Index in the whole mesh of each triangle.
    triangles: Vec<u32>,
}

impl ReducedMeshes {
    /// The scene without what is hidden. Builds a new mesh for each instance whose hidden faces
    /// changed since the last call: O(n log n) for its n triangles.
    pub(crate) fn apply(&mut self, hidden: &Hidden, mut scene: Scene) -> Scene {
        self.0.retain(|instance, reduced| hidden.faces.get(instance) == Some(&reduced.faces));
        let ids: Vec<InstanceId> = scene.iter().map(|(id, _)| id).collect();
        for id in ids {
            let Some(order) = scene.insertion_order(id) else { continue };
            if hidden.instances.contains(&order) {
                scene.set_hidden(id, true).expect("it is in the scene");
            }
            let whole = scene.get(id).and_then(|instance| instance.mesh.clone());
            let (Some(faces), Some(whole)) = (hidden.faces.get(&order), whole) else { continue };
            let reduced =
                self.0.entry(order).or_insert_with(|| ReducedMesh::new(whole.tri_mesh(), faces));
            scene.set_mesh(id, Some(reduced.mesh.clone())).expect("it is in the scene");
        }
        scene
    }

    /// The index in the whole mesh of a triangle of the reduced scene.
    pub(crate) fn whole_triangle(&self, instance: u64, triangle: u32) -> u32 {
        let reduced = self.0.get(&instance);
        let whole = reduced.and_then(|reduced| reduced.triangles.get(triangle as usize));
        whole.copied().unwrap_or(triangle)
    }
}

impl ReducedMesh {
    fn new(whole: &TriMesh, faces: &HiddenFaces) -> Self {
        let is_hidden = |polygon: u32| faces.is_hidden.get(polygon as usize) == Some(&true);
        let part = whole.part(|polygon| !is_hidden(polygon));
        // Hiding is interactive, so a fast build matters more than the last rays per second.
        let options = BuildOptions { quality: BuildQuality::Fast, ..BuildOptions::default() };
        Self {
            faces: faces.clone(),
            mesh: Arc::new(Mesh::new(part.mesh, &options)),
            triangles: part.triangles,
        }
    }
}

/// Number of polygons of a mesh.
pub(crate) fn n_polygons(mesh: &TriMesh) -> usize {
    mesh.records().map_or(mesh.triangles().len(), FaceRecords::n_polygons)
}

#[cfg(test)]
mod tests {
    use hitscan::glam::DAffine3;
    use hitscan::scene::Instance;

    use super::*;

    fn cube_scene() -> Scene {
        let cube = hitscan::generate::cuboid(2.0, 2.0, 2.0, 0).unwrap();
        let mut scene = Scene::new();
        let mesh = Arc::new(Mesh::new(cube, &BuildOptions::default()));
        scene.insert(Instance::new(mesh, DAffine3::IDENTITY)).unwrap();
        scene
    }

    #[test]
    fn hidden_faces_are_counted_once_and_listed_as_ranges() {
        let mut hidden = Hidden::default();
        hidden.hide_faces(3, 12, [0, 4, 5, 4, 99]);
        assert_eq!(hidden.n_faces(), 3);
        assert_eq!(hidden.face_ranges(), [(3, vec![0..1, 4..6])]);
        let visibility = |ranges: &[Range<u32>]| hidden.visibility(3, ranges);
        assert_eq!(visibility(&[4..6]), Visibility::Hidden);
        assert_eq!(visibility(&[4..7]), Visibility::Partial);
        assert_eq!(visibility(&[6..12]), Visibility::Full);
        hidden.instances.insert(3);
        assert_eq!(hidden.face_ranges(), []);
        hidden.show_faces(3, [0, 1, 4, 5, 5]);
        assert!(!hidden.has_hidden_faces(3) && hidden.n_faces() == 0);
    }

    #[test]
    fn a_reduced_mesh_is_built_once_and_maps_triangles_back() {
        let scene = cube_scene();
        let (id, _) = scene.iter().next().unwrap();
        let n_polygons = n_polygons(scene.get(id).unwrap().mesh.as_ref().unwrap().tri_mesh());
        let mut hidden = Hidden::default();
        hidden.hide_faces(0, n_polygons, 0..n_polygons as u32 - 1);
        let mut reduced = ReducedMeshes::default();
        let mesh_of = |scene: &Scene| scene.get(id).unwrap().mesh.clone().unwrap();
        let first = mesh_of(&reduced.apply(&hidden, scene.clone()));
        let n_left = first.tri_mesh().triangles().len();
        assert!(n_left > 0 && n_left <= 2);
        assert_eq!(reduced.whole_triangle(0, n_left as u32 - 1), 11);
        let again = mesh_of(&reduced.apply(&hidden, scene.clone()));
        assert!(Arc::ptr_eq(&first, &again));
        hidden.show_faces(0, [0]);
        let other = mesh_of(&reduced.apply(&hidden, scene.clone()));
        assert!(other.tri_mesh().triangles().len() > n_left);
        hidden.clear();
        let whole = mesh_of(&reduced.apply(&hidden, scene.clone()));
        assert!(Arc::ptr_eq(&whole, &mesh_of(&scene)));
    }
}
