//! The list of objects that the page shows.

use std::collections::HashMap;

use hitscan::glam::DVec3;
use hitscan::picking::{Element, Selected};
use hitscan::scene::{InstanceId, Scene};

use crate::parts::{Item, Part, PartKind, SceneParts, name_of, path_of};

/// The page lists no more objects.
const MAX_ENTRIES: usize = 5000;

/// An object of the list.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) item: Item,
    pub(crate) name: String,
    pub(crate) n_triangles: usize,
}

/// The objects of a scene: the instances, or the objects of a mesh that holds several.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entries {
    entries: Vec<Entry>,
    indices: HashMap<Item, usize>,
    /// Number of objects beyond the end of the list.
    pub(crate) n_more: usize,
}

impl Entries {
    /// Lists the objects of these instances in the order of the file.
    pub(crate) fn new(scene: &Scene, instances: &[InstanceId], parts: &SceneParts) -> Self {
        let mut list = Self::default();
        for &instance in instances {
            let Some(mesh) = scene.get(instance).and_then(|instance| instance.mesh.as_deref())
            else {
                continue;
            };
            let path = path_of(scene, instance).join(" / ");
            let objects = parts.of_instance(instance, PartKind::Object);
            if objects.len() < 2 {
                let item = Item::Element(Selected { instance, element: Element::Object });
                let object = objects.first().and_then(|object| {
                    name_of(scene, &Part { instance, kind: PartKind::Object, name: object.name })
                });
                let order = scene.insertion_order(instance).unwrap_or_default();
                let name = match (path.is_empty(), object) {
                    (false, _) => path,
                    (true, Some(object)) => object.to_owned(),
                    (true, None) => format!("instance {order}"),
                };
                list.add(item, name, mesh.tri_mesh().triangles().len());
                continue;
            }
            for object in objects {
                let part = Part { instance, kind: PartKind::Object, name: object.name };
                let name = name_of(scene, &part).unwrap_or("(without a name)");
                let name =
                    if path.is_empty() { name.to_owned() } else { format!("{path} / {name}") };
                list.add(Item::Part(part), name, object.n_triangles);
            }
        }
        list
    }

    fn add(&mut self, item: Item, name: String, n_triangles: usize) {
        if self.entries.len() == MAX_ENTRIES {
            self.n_more += 1;
            return;
        }
        self.indices.insert(item, self.entries.len());
        self.entries.push(Entry { item, name, n_triangles });
    }

    pub(crate) fn all(&self) -> &[Entry] {
        &self.entries
    }

    /// The position of an item in the list.
    pub(crate) fn index_of(&self, item: &Item) -> Option<usize> {
        self.indices.get(item).copied()
    }
}

/// The exact bounds in world space of some triangles of an instance. O(triangles).
pub(crate) fn world_bounds(
    scene: &Scene,
    instance: InstanceId,
    triangles: impl Iterator<Item = u32>,
) -> Option<[DVec3; 2]> {
    let mesh = scene.get(instance)?.mesh.as_deref()?.tri_mesh();
    let world = scene.mesh_to_world(instance)?;
    let corners = triangles.flat_map(|triangle| mesh.corners(triangle));
    corners.map(|corner| world.transform_point3(corner.as_dvec3())).fold(None, |bounds, p| {
        let [min, max] = bounds.unwrap_or([p, p]);
        Some([min.min(p), max.max(p)])
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hitscan::glam::DAffine3;
    use hitscan::scene::{Instance, Mesh};

    use super::*;

    #[test]
    fn the_list_is_bounded_and_names_every_object() {
        let cube = hitscan::generate::cuboid(2.0, 2.0, 2.0, 0).unwrap();
        let cube = Arc::new(Mesh::new(cube, &Default::default()));
        let mut scene = Scene::new();
        for n in 0..MAX_ENTRIES + 7 {
            let name = (n > 0).then(|| format!("cube {n}").into());
            let transform = DAffine3::from_translation([n as f64, 0.0, 0.0].into());
            scene.insert(Instance { name, ..Instance::new(cube.clone(), transform) }).unwrap();
        }
        let mut ids: Vec<InstanceId> = scene.iter().map(|(id, _)| id).collect();
        ids.sort_unstable_by_key(|&id| scene.insertion_order(id));
        let list = Entries::new(&scene, &ids, &SceneParts::new(&scene));
        assert_eq!((list.all().len(), list.n_more), (MAX_ENTRIES, 7));
        assert_eq!((&*list.all()[0].name, &*list.all()[2].name), ("instance 0", "cube 2"));
        assert_eq!(list.index_of(&list.all()[9].item), Some(9));
        let bounds = world_bounds(&scene, ids[3], 0..12).unwrap();
        assert_eq!(bounds, [DVec3::new(2.0, -1.0, -1.0), DVec3::new(4.0, 1.0, 1.0)]);
    }
}
