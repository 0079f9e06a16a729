//! The values of fields.

use serde::Serialize;

/// The value of a field.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Value<'a> {
    /// The hit or point has no such fact.
    None,
    Bool(bool),
    F32(f32),
    F64(f64),
    Index(u64),
    Name(&'a str),
    /// A vector in single precision.
    Single([f32; 3]),
    Vector([f64; 3]),
    Pair([f64; 2]),
    Indices([u32; 3]),
    /// Names from the outermost parent on; `None` for an instance without a name.
    Path(Vec<Option<&'a str>>),
}

impl Value<'_> {
    /// The value in words; `None` for no value.
    pub(crate) fn in_words(&self) -> Option<String> {
        Some(match self {
            Self::None => return None,
            Self::Bool(is) => is.to_string(),
            Self::F32(x) => format!("{x:?}"),
            Self::F64(x) => format!("{x:?}"),
            Self::Index(i) => i.to_string(),
            Self::Name(name) => quoted(name),
            Self::Single([x, y, z]) => format!("{x:?} {y:?} {z:?}"),
            Self::Vector([x, y, z]) => format!("{x:?} {y:?} {z:?}"),
            Self::Pair([u, v]) => format!("{u:?} {v:?}"),
            Self::Indices([a, b, c]) => format!("{a} {b} {c}"),
            Self::Path(path) => {
                let names: Vec<String> = path.iter().flatten().map(|name| quoted(name)).collect();
                if names.is_empty() {
                    return None;
                }
                names.join(" / ")
            }
        })
    }
}

/// A name in quotes, with control characters escaped.
pub(crate) fn quoted(name: &str) -> String {
    format!("{name:?}")
}

/// A path as one name, `/` between the parts.
pub(crate) fn joined(path: &[Option<&str>]) -> String {
    path.iter().map(|name| name.unwrap_or_default()).collect::<Vec<_>>().join("/")
}
