//! The header of a PLY file: the encoding and the elements.

use hitscan_files::ReadErrorKind;

use crate::error_at::{ErrorAt, Position, quoted};

/// The encoding of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Text,
    LittleEndian,
    BigEndian,
}

impl Encoding {
    fn named(name: &str) -> Option<Self> {
        match name {
            "ascii" => Some(Self::Text),
            "binary_little_endian" => Some(Self::LittleEndian),
            "binary_big_endian" => Some(Self::BigEndian),
            _ => None,
        }
    }
}

/// A number type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    fn of_name(name: &str) -> Option<Self> {
        Some(match name {
            "char" | "int8" => Self::I8,
            "uchar" | "uint8" => Self::U8,
            "short" | "int16" => Self::I16,
            "ushort" | "uint16" => Self::U16,
            "int" | "int32" => Self::I32,
            "uint" | "uint32" => Self::U32,
            "float" | "float32" => Self::F32,
            "double" | "float64" => Self::F64,
            _ => return None,
        })
    }

    /// The size in a binary file, in bytes.
    pub(super) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }
}

/// A property of an element.
#[derive(Clone, Debug)]
pub(super) struct Property {
    pub(super) name: String,
    pub(super) scalar: Scalar,
    /// The type of the length, for a list.
    pub(super) list: Option<Scalar>,
}

/// An element type with `n` elements.
#[derive(Clone, Debug)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) n: u64,
    pub(super) properties: Vec<Property>,
    /// The line of the header that declares it.
    pub(super) line: u64,
}

#[derive(Clone, Debug)]
pub(super) struct Header {
    pub(super) encoding: Encoding,
    pub(super) elements: Vec<Element>,
    /// The length of the header in bytes, and in lines.
    pub(super) len: usize,
    pub(super) n_lines: u64,
    /// The number of lines that are no statement, which some programs write without `comment`.
    pub(super) n_unknown: u64,
}

impl Header {
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, ErrorAt> {
        let mut encoding = None;
        let mut elements: Vec<Element> = Vec::new();
        let (mut at, mut line) = (0, 0);
        let mut unknown = Unknown::default();
        loop {
            line += 1;
            let Some((text, next)) = next_line(bytes, at) else {
                let error = Position::Line(line)
                    .error(ReadErrorKind::syntax("the end of the file", "`end_header`"));
                return Err(unknown.first.take().unwrap_or(error));
            };
            at = next;
            let wrong = |expected: &str| {
                Position::Line(line).error(ReadErrorKind::syntax(quoted(text), expected))
            };
            let statement = String::from_utf8_lossy(text);
            let words: Vec<&str> = statement.split_ascii_whitespace().collect();
            match (line, &words[..]) {
                (1, ["ply"]) => {}
                (1, _) => return Err(wrong("`ply`")),
                (_, [] | ["comment" | "obj_info", ..]) => {}
                (_, ["format", name, "1.0"]) if encoding.is_none() => {
                    let expected = "ascii, binary_little_endian or binary_big_endian";
                    encoding = Some(Encoding::named(name).ok_or_else(|| wrong(expected))?);
                }
                (_, ["format", ..]) => return Err(wrong("one `format ascii 1.0` or the like")),
                (_, ["element", name, n]) => {
                    let n = n.parse().map_err(|_| wrong("a number of elements"))?;
                    let (name, properties) = ((*name).to_owned(), Vec::new());
                    elements.push(Element { name, n, properties, line });
                }
                (_, ["element", ..]) => return Err(wrong("`element NAME NUMBER`")),
                (_, ["property", rest @ ..]) => {
                    // The line before may be a damaged `element`.
                    if unknown.last_line + 1 == line
                        && let Some(error) = unknown.last.take()
                    {
                        return Err(error);
                    }
                    let element =
                        elements.last_mut().ok_or_else(|| wrong("`element` before it"))?;
                    element.properties.push(property(rest).ok_or_else(|| {
                        wrong("`property TYPE NAME` or `property list TYPE TYPE NAME`")
                    })?);
                }
                (_, ["end_header"]) => break,
                _ => unknown.add(line, text),
            }
        }
        let no_format = ReadErrorKind::syntax("no `format`", "one in the header");
        let encoding = encoding.ok_or_else(|| Position::Line(line).error(no_format))?;
        check_properties(&elements)?;
        Ok(Self { encoding, elements, len: at, n_lines: line, n_unknown: unknown.n })
    }
}

/// Refuses elements without properties, because reading them would only take time.
fn check_properties(elements: &[Element]) -> Result<(), ErrorAt> {
    let Some(empty) = elements.iter().find(|e| e.properties.is_empty() && e.n > 0) else {
        return Ok(());
    };
    let found = format!("element {} without properties", empty.name);
    Err(Position::Line(empty.line).error(ReadErrorKind::syntax(found, "at least one")))
}

/// The lines that are no statement, with the error for the first and for the last.
#[derive(Debug, Default)]
struct Unknown {
    n: u64,
    first: Option<ErrorAt>,
    last: Option<ErrorAt>,
    last_line: u64,
}

impl Unknown {
    fn add(&mut self, line: u64, text: &[u8]) {
        let error = || {
            let expected = "format, element, property, comment or end_header";
            Position::Line(line).error(ReadErrorKind::syntax(quoted(text), expected))
        };
        self.n += 1;
        self.first.get_or_insert_with(error);
        (self.last, self.last_line) = (Some(error()), line);
    }
}

/// The line at the offset `at` without its ending, and the offset of the next line.
fn next_line(bytes: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
    let len = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'))?;
    let ending = if rest[len..].starts_with(b"\r\n") { 2 } else { 1 };
    Some((&rest[..len], at + len + ending))
}

fn property(words: &[&str]) -> Option<Property> {
    match *words {
        ["list", length, item, name] => {
            let list = Scalar::of_name(length)?;
            if matches!(list, Scalar::F32 | Scalar::F64) {
                return None;
            }
            Some(Property {
                name: name.to_owned(),
                scalar: Scalar::of_name(item)?,
                list: Some(list),
            })
        }
        [scalar, name] => {
            Some(Property { name: name.to_owned(), scalar: Scalar::of_name(scalar)?, list: None })
        }
        _ => None,
    }
}
