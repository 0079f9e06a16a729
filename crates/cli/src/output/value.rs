//! The values of fields.

use serde::{Serialize, Serializer};

/// The value of a field.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    /// The hit has no such fact.
    None,
    F32(f32),
    F64(f64),
    Index(u64),
    Name(&'a str),
    Vector([f64; 3]),
    Pair([f64; 2]),
    Indices([u32; 3]),
    /// Names from the outermost parent on; `None` for an instance without a name.
    Path(Vec<Option<&'a str>>),
}

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::None => serializer.serialize_none(),
            Self::F32(x) => x.serialize(serializer),
            Self::F64(x) => x.serialize(serializer),
            Self::Index(i) => i.serialize(serializer),
            Self::Name(name) => name.serialize(serializer),
            Self::Vector(v) => v.serialize(serializer),
            Self::Pair(v) => v.serialize(serializer),
            Self::Indices(i) => i.serialize(serializer),
            Self::Path(path) => path.serialize(serializer),
        }
    }
}

/// A path as one name, `/` between the parts.
pub(crate) fn joined(path: &[Option<&str>]) -> String {
    path.iter().map(|name| name.unwrap_or_default()).collect::<Vec<_>>().join("/")
}
