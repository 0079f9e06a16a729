//! Values that are read from JSON although they, or their neighbours, break the rules of glTF.

use std::{borrow::Cow, fmt, marker::PhantomData};

use hitscan_files::ReadErrorKind;
use serde::{
    Deserialize, Deserializer,
    de::{Error, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

/// The longest part of a text that an error quotes, in characters.
const MAX_QUOTED: usize = 200;

/// An index, a count or a size: a whole number from 0 on, which may be written as 3.0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Index(pub(super) usize);

impl<'de> Deserialize<'de> for Index {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Number;
        impl Visitor<'_> for Number {
            type Value = Index;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number from 0 on")
            }

            fn visit_u64<E: Error>(self, value: u64) -> Result<Index, E> {
                // No file has so many parts, so the largest index is as wrong as one beyond it.
                Ok(Index(usize::try_from(value).unwrap_or(usize::MAX)))
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<Index, E> {
                match value >= 0.0 && value.fract() == 0.0 {
                    true => Ok(Index(value as usize)),
                    false => Err(E::invalid_value(serde::de::Unexpected::Float(value), &self)),
                }
            }
        }
        deserializer.deserialize_any(Number)
    }
}

/// A value that no ray sees: one of the wrong type is `None`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lenient<T>(pub(super) Option<T>);

impl<T> Default for Lenient<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Lenient<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?;
        Ok(Self(serde_json::from_str(raw.get()).ok()))
    }
}

/// The number of elements of an array; 0 for anything else.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Count(pub(super) u64);

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let elements = Lenient::<Vec<IgnoredAny>>::deserialize(deserializer)?.0;
        Ok(Self(elements.map_or(0, |elements| elements.len() as u64)))
    }
}

/// The type of the elements of a list.
pub(super) trait Element {
    /// The name of one, for errors.
    const ONE: &'static str;
    /// The name of the list in the JSON.
    const MANY: &'static str;
}

/// The elements of an array, or the errors of those that cannot be parsed.
#[derive(Debug)]
pub(super) struct List<T>(Vec<Result<T, Box<str>>>);

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Element> List<T> {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The elements that were parsed, with their indices.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &T)> {
        self.0.iter().enumerate().filter_map(|(i, element)| Some((i, element.as_ref().ok()?)))
    }

    /// The element that the value at the path `at` refers to.
    pub(super) fn get(
        &self,
        Index(index): Index,
        at: impl fmt::Display,
    ) -> Result<&T, ReadErrorKind> {
        match self.0.get(index) {
            Some(Ok(element)) => Ok(element),
            Some(Err(error)) => {
                let found = format!("{}[{index}]{error}", T::MANY);
                Err(ReadErrorKind::syntax(found, format!("a {} of glTF 2.0", T::ONE)))
            }
            None => {
                let expected = match self.len() {
                    0 => format!("a file with {}", T::MANY),
                    n => format!("an index below {n}, their number"),
                };
                let found = match index {
                    usize::MAX => format!("{at}: no index"),
                    index => format!("{at}: {} {index} does not exist", T::ONE),
                };
                Err(ReadErrorKind::syntax(found, expected))
            }
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Elements<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Elements<T> {
            type Value = List<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array")
            }

            fn visit_unit<E: Error>(self) -> Result<List<T>, E> {
                Ok(List::default())
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<List<T>, A::Error> {
                let mut elements = Vec::new();
                while let Some(raw) = seq.next_element::<&RawValue>()? {
                    // `serde` would also take the members of a structure from an array, in their order.
                    elements.push(match raw.get().starts_with('{') {
                        true => parse(raw),
                        false => Err(": no object".into()),
                    });
                }
                Ok(List(elements))
            }
        }
        deserializer.deserialize_any(Elements(PhantomData))
    }
}

/// Parses a value. The error begins with the path of the place in the value.
pub(super) fn parse<'de, T: Deserialize<'de>>(raw: &'de RawValue) -> Result<T, Box<str>> {
    serde_json::from_str(raw.get()).or_else(|_| {
        // Once more with the path, which valid values need not pay for.
        let mut json = serde_json::Deserializer::from_str(raw.get());
        serde_path_to_error::deserialize(&mut json).map_err(|error| {
            let path = match error.path().to_string() {
                path if path == "." => String::new(),
                path if path.starts_with('[') => path,
                path => format!(".{path}"),
            };
            // Without the line and column, which count from the start of the value.
            let what = error.inner().to_string();
            let what = what.split(" at line ").next().unwrap_or_default();
            format!("{}: {}", printable(&path), printable(what)).into()
        })
    })
}

/// Text of a file as errors and reports print it: escaped and cut.
pub(super) fn printable(text: &str) -> String {
    let mut chars = text.chars().flat_map(|c| match c.is_control() {
        true => c.escape_default().collect::<Vec<_>>(),
        false => vec![c],
    });
    let mut cut: String = chars.by_ref().take(MAX_QUOTED).collect();
    if chars.next().is_some() {
        cut.push_str("...");
    }
    cut
}

/// The extensions of an element by name.
#[derive(Debug, Default)]
pub(super) struct Extensions<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Extensions<'a> {
    /// The value of an extension of the element at the path `at`.
    pub(super) fn get<T: Deserialize<'a>>(
        &self,
        name: &str,
        at: impl fmt::Display,
    ) -> Result<Option<T>, ReadErrorKind> {
        let Some((_, raw)) = self.0.iter().find(|(of, _)| of == name) else { return Ok(None) };
        let found = |error| format!("{at}.extensions.{name}{error}");
        match parse(raw) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(ReadErrorKind::syntax(found(error), "what the extension describes")),
        }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.names().any(|of| of == name)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| &**name)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Extensions<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Extensions<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut extensions = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    extensions.push(entry);
                }
                Ok(Extensions(extensions))
            }
        }
        let raw = <&'de RawValue>::deserialize(deserializer)?;
        // Anything but an object has no names.
        let mut json = serde_json::Deserializer::from_str(raw.get());
        Ok(json.deserialize_map(Object).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_may_have_a_point() {
        let index = |text| serde_json::from_str::<Index>(text).ok().map(|index| index.0);
        assert_eq!([index("3"), index("3.0"), index("3e2")], [Some(3), Some(3), Some(300)]);
        assert_eq!([index("-1"), index("3.5"), index("\"3\""), index("null")], [None; 4]);
        assert_eq!(index("1e99"), Some(usize::MAX));
    }

    #[test]
    fn printed_text_is_short_and_has_no_control_characters() {
        assert_eq!(printable("a\nb\u{1b}é"), "a\\nb\\u{1b}é");
        assert_eq!(printable(&"é".repeat(1000)).chars().count(), MAX_QUOTED + 3);
    }
}
