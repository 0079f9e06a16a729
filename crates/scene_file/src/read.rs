//! Reads the text of a scene file.

use std::collections::HashMap;
use std::error::Error;
use std::ops::Range;
use std::sync::Arc;

use glam::{DAffine3, DMat4, DQuat, DVec3, DVec4};
use hitscan_scene::{Instance, InstanceId, Mesh, Scene};

use crate::MeshFile;
use crate::document::{Document, Parent, Record, Scale};
use crate::error::{SceneFileError, SceneFileErrorKind};

/// A mesh, or the reason why it cannot be read.
pub type MeshResult = Result<Arc<Mesh>, Box<dyn Error + Send + Sync>>;

/// Reads the text of a scene file. Errors call the file `name`. `load` returns the mesh that an entry of
/// `[meshes]` names.
///
/// # Errors
/// Text that is no scene, and a mesh that `load` cannot read, with the line.
pub fn parse(
    text: &str,
    name: &str,
    load: &mut dyn FnMut(&MeshFile) -> MeshResult,
) -> Result<Scene, SceneFileError> {
    let at = |span: Range<usize>| {
        let line = text[..span.start.min(text.len())].matches('\n').count() + 1;
        format!("{name}, line {line}")
    };
    let document: Document = toml::from_str(text).map_err(|error| {
        let location = error.span().map_or_else(|| name.to_owned(), &at);
        let message = error.message().trim_end().replace('\n', ", ");
        SceneFileErrorKind::Text(message).at(location)
    })?;
    let mut builder = Builder::default();
    for (name, entry) in &document.meshes {
        let file = MeshFile { path: entry.get_ref().file.clone(), mesh: entry.get_ref().mesh };
        let mesh = load(&file).map_err(|reason| {
            SceneFileErrorKind::Mesh { name: name.clone(), reason }.at(at(entry.span()))
        })?;
        builder.meshes.insert(name, mesh);
    }
    for record in &document.instances {
        let (span, record) = (record.span(), record.get_ref());
        builder.add(record).map_err(|Mistake { at: inner, kind }| {
            kind.at(at(inner.unwrap_or_else(|| span.clone())))
        })?;
    }
    let Builder { mut scene, orders, .. } = builder;
    if !orders.is_empty() {
        let renumbered = scene.renumber(|id| orders[&id]);
        renumbered.map_err(|error| SceneFileErrorKind::from(error).at(name))?;
    }
    Ok(scene)
}

/// A mistake in a record, with its span if it is in one field.
struct Mistake {
    at: Option<Range<usize>>,
    kind: SceneFileErrorKind,
}

impl Mistake {
    fn new(at: impl Into<Option<Range<usize>>>, text: impl Into<String>) -> Self {
        Self { at: at.into(), kind: SceneFileErrorKind::Text(text.into()) }
    }
}

/// The scene up to an instance of the file.
#[derive(Default)]
struct Builder<'a> {
    scene: Scene,
    meshes: HashMap<&'a str, Arc<Mesh>>,
    /// The instance of a name; `None` if several have it.
    names: HashMap<&'a str, Option<InstanceId>>,
    ids: HashMap<u64, InstanceId>,
    /// The ids by instance, in a file with ids.
    orders: HashMap<InstanceId, u64>,
}

impl<'a> Builder<'a> {
    fn add(&mut self, record: &'a Record) -> Result<(), Mistake> {
        if let Some(id) = &record.id {
            if self.ids.contains_key(id.get_ref()) {
                let text =
                    format!("found a second instance of id {}; expected unique ids", id.get_ref());
                return Err(Mistake::new(id.span(), text));
            }
            // The next instance of the scene has the following order.
            if i64::try_from(*id.get_ref()).is_err() {
                return Err(Mistake::new(
                    id.span(),
                    "found an id beyond 2^63; expected a smaller one",
                ));
            }
        }
        if record.id.is_some() == self.orders.is_empty() && !self.scene.is_empty() {
            let text = "found instances with and without an id; expected an id in all or in none";
            return Err(Mistake::new(None, text));
        }
        let instance = self.instance(record)?;
        let id = self.scene.insert(instance);
        let id = id.map_err(|error| Mistake { at: None, kind: error.into() })?;
        if let Some(order) = &record.id {
            self.ids.insert(*order.get_ref(), id);
            self.orders.insert(id, *order.get_ref());
        }
        if let Some(name) = &record.name {
            let first = self.names.insert(name.get_ref(), Some(id));
            if first.is_some() && record.id.is_none() {
                let text = format!(
                    "found a second instance `{}`; expected unique names, or an id in each instance",
                    name.get_ref()
                );
                return Err(Mistake::new(name.span(), text));
            } else if first.is_some() {
                self.names.insert(name.get_ref(), None);
            }
        }
        Ok(())
    }

    fn instance(&self, record: &Record) -> Result<Instance, Mistake> {
        let mesh = record.mesh.as_ref().map(|name| {
            let mesh = self.meshes.get(name.get_ref().as_str()).cloned();
            mesh.ok_or_else(|| {
                let text =
                    format!("there is no mesh `{}`; name one under [meshes]", name.get_ref());
                Mistake::new(name.span(), text)
            })
        });
        let parent = record.parent.as_ref().map(|parent| {
            let found = self.parent(parent.get_ref());
            found.map_err(|text| Mistake::new(parent.span(), text))
        });
        let layers = record.layers.as_ref().map_or(Ok(1), |layers| {
            layers.get_ref().iter().try_fold(0u32, |bits, &layer| match layer {
                0..32 => Ok(bits | 1 << layer),
                _ => Err(Mistake::new(
                    layers.span(),
                    format!("found layer {layer}; expected 0 to 31"),
                )),
            })
        })?;
        Ok(Instance {
            mesh: mesh.transpose()?,
            transform: transform(record)?,
            parent: parent.transpose()?,
            name: record.name.as_ref().map(|name| name.get_ref().as_str().into()),
            layers,
            hidden: record.hidden,
            locked: record.locked,
        })
    }

    fn parent(&self, parent: &Parent) -> Result<InstanceId, String> {
        let (found, what) = match parent {
            Parent::Name(name) => match self.names.get(name.as_str()) {
                Some(None) => {
                    return Err(format!(
                        "there are several instances `{name}`; name the parent by its id"
                    ));
                }
                found => (found.copied().flatten(), format!("`{name}`")),
            },
            Parent::Id(id) => (self.ids.get(id).copied(), format!("of id {id}")),
        };
        found.ok_or_else(|| {
            format!("there is no instance {what} before this one; expected parents first")
        })
    }
}

fn transform(record: &Record) -> Result<DAffine3, Mistake> {
    if let Some(matrix) = &record.matrix {
        let mistake = |text: &str| Mistake::new(matrix.span(), text);
        if record.translation.is_some() || record.rotation.is_some() || record.scale.is_some() {
            return Err(mistake(
                "found a matrix beside translation, rotation or scale; expected one or the other",
            ));
        }
        let matrix = DMat4::from_cols_array(matrix.get_ref());
        if matrix.row(3) != DVec4::W {
            return Err(mistake(
                "the last row of the matrix is not 0, 0, 0, 1; expected a matrix column by column",
            ));
        }
        return Ok(DAffine3::from_mat4(matrix));
    }
    let rotation = DVec4::from(record.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]));
    // The square of a very large or small length overflows or underflows.
    let scaled = || (rotation / rotation.abs().max_element()).try_normalize();
    let Some(rotation) = rotation.try_normalize().or_else(scaled) else {
        let text = "the rotation is zero or not finite; expected a quaternion";
        return Err(Mistake::new(None, text));
    };
    let scale = match record.scale {
        None => DVec3::ONE,
        Some(Scale::Uniform(scale)) => DVec3::splat(scale),
        Some(Scale::PerAxis(scale)) => scale.into(),
    };
    let translation = record.translation.unwrap_or_default().into();
    let rotation = DQuat::from_vec4(rotation);
    Ok(DAffine3::from_scale_rotation_translation(scale, rotation, translation))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Scene, SceneFileError> {
        parse(text, "test", &mut |_| Err("there is no mesh".into()))
    }

    #[test]
    fn a_rotation_may_have_any_length() {
        let transform = |rotation| {
            let scene = read(&format!("[[instances]]\nrotation = {rotation}\n"))?;
            let (_, instance) = scene.iter().next().expect("one instance");
            Ok::<_, SceneFileError>(instance.transform)
        };
        let expected = transform("[0, 3, 0, 4]").expect("ordinary numbers");
        for rotation in ["[0, 3e200, 0, 4e200]", "[0, 3e-200, 0, 4e-200]"] {
            let found = transform(rotation).expect("a valid rotation");
            assert!(found.abs_diff_eq(expected, 1e-15), "{rotation}: {found}");
        }
        for rotation in ["[0, 0, 0, 0]", "[0, inf, 0, 1]", "[0, nan, 0, 1]"] {
            assert!(transform(rotation).is_err(), "{rotation}");
        }
    }

    #[test]
    fn a_parent_is_named_by_its_name_or_id() {
        let text =
            "[[instances]]\nid = 9\nname = 'a'\n[[instances]]\nid = 2\nname = 'a'\nparent = 9\n";
        let scene = read(text).expect("ids make equal names unique");
        let child = scene.by_insertion_order(2).expect("the second instance");
        assert_eq!(scene.path(child).len(), 2);
        assert_eq!(scene.get(child).and_then(|child| child.parent), scene.by_insertion_order(9));
    }

    #[test]
    fn an_error_names_the_line() {
        let head = "[[instances]]\nid = 1\nname = 'a'\n[[instances]]\n";
        for (tail, expected) in [
            ("name = 'a'", "test, line 4: found instances with and without an id"),
            ("id = 1", "test, line 5: found a second instance of id 1"),
            ("id = -1", "test, line 5: "),
            ("id = 2\nparent = 3", "test, line 6: there is no instance of id 3 before this one"),
            ("id = 2\nparent = 'b'", "test, line 6: there is no instance `b` before this one"),
            ("id = 2\nparent = 2.5", "test, line 6: "),
            ("id = 2\nname = 'a'\n[[instances]]\nid = 3\nparent = 'a'", "several instances `a`"),
            ("id = 2\nmesh = 'm'", "there is no mesh `m`; name one under [meshes]"),
            ("id = 2\n[meshes]\nm = { file = 'a.glb', index = 1 }", "unknown field `index`"),
            ("id = 2\n[meshes]\nm = 'a.glb'", "test, line 7: mesh `m`: there is no mesh"),
        ] {
            let error = read(&format!("{head}{tail}\n")).expect_err("it is wrong").to_string();
            assert!(error.contains(expected), "{tail}: {error}");
        }
    }
}
