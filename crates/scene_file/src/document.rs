//! The TOML of a scene file, as the reader takes it.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use toml::Spanned;

/// The contents of a scene file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Document {
    /// Mesh files by name. Their paths are relative to the scene file, at or below its folder.
    #[serde(default)]
    pub(crate) meshes: BTreeMap<String, Spanned<MeshEntry>>,
    /// The instances. Parents precede their children.
    #[serde(default)]
    pub(crate) instances: Vec<Spanned<Record>>,
}

/// A mesh: a path, or a table with the index of the mesh in a file of several.
#[derive(Debug)]
pub(crate) struct MeshEntry {
    pub(crate) file: PathBuf,
    pub(crate) mesh: Option<usize>,
}

/// An instance in a scene file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Record {
    pub(crate) id: Option<Spanned<u64>>,
    pub(crate) name: Option<Spanned<String>>,
    pub(crate) mesh: Option<Spanned<String>>,
    pub(crate) parent: Option<Spanned<Parent>>,
    pub(crate) translation: Option<[f64; 3]>,
    /// A quaternion x, y, z, w of any length.
    pub(crate) rotation: Option<[f64; 4]>,
    pub(crate) scale: Option<Scale>,
    /// A matrix, column by column.
    pub(crate) matrix: Option<Spanned<[f64; 16]>>,
    pub(crate) layers: Option<Spanned<Vec<u32>>>,
    #[serde(default)]
    pub(crate) hidden: bool,
    #[serde(default)]
    pub(crate) locked: bool,
}

/// An instance as the parent of another.
#[derive(Debug)]
pub(crate) enum Parent {
    Name(String),
    Id(u64),
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Scale {
    Uniform(f64),
    PerAxis([f64; 3]),
}

impl<'de> Deserialize<'de> for MeshEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entry;

        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Table {
            file: PathBuf,
            mesh: Option<usize>,
        }

        impl<'de> Visitor<'de> for Entry {
            type Value = MeshEntry;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a path, or { file = \"truck.glb\", mesh = 1 }")
            }

            fn visit_str<E: Error>(self, file: &str) -> Result<MeshEntry, E> {
                Ok(MeshEntry { file: file.into(), mesh: None })
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<MeshEntry, A::Error> {
                let Table { file, mesh } = Table::deserialize(MapAccessDeserializer::new(map))?;
                Ok(MeshEntry { file, mesh })
            }
        }

        deserializer.deserialize_any(Entry)
    }
}

impl<'de> Deserialize<'de> for Parent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reference;

        impl Visitor<'_> for Reference {
            type Value = Parent;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name or the id of an instance")
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<Parent, E> {
                Ok(Parent::Name(name.to_owned()))
            }

            fn visit_i64<E: Error>(self, id: i64) -> Result<Parent, E> {
                let id = u64::try_from(id);
                id.map(Parent::Id).map_err(|_| E::custom("found a negative id; expected 0 or more"))
            }

            fn visit_u64<E: Error>(self, id: u64) -> Result<Parent, E> {
                Ok(Parent::Id(id))
            }
        }

        deserializer.deserialize_any(Reference)
    }
}
