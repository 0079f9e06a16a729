//! The header of a PLY file: the encoding and the elements.

use hitscan_files::ReadErrorKind;

use crate::{
    LoadReport,
    error_at::{ErrorAt, Position, quoted},
};

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
    I64,
    U64,
    F32,
    F64,
    /// A word of text that is skipped, or a number if it is needed.
    Unknown,
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
            "int64" => Self::I64,
            "uint64" => Self::U64,
            "float" | "float32" => Self::F32,
            "double" | "float64" => Self::F64,
            _ => return None,
        })
    }

    /// The size in a binary file, in bytes.
    pub(super) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 | Self::Unknown => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
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
    /// Counts the lines that are no statement, which some programs write without `comment`, and the types
    /// that PLY does not define.
    pub(super) report: LoadReport,
}

impl Header {
    // Longer than 60 lines, because it is one flat match with an arm per kind of line.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, ErrorAt> {
        let mut encoding = None;
        let mut elements: Vec<Element> = Vec::new();
        let mut report = LoadReport::default();
        let mark = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let (mut at, mut line) = (mark, 0);
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
                    let (name, properties) = (printable(name), Vec::new());
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
                    let is_text = encoding == Some(Encoding::Text);
                    let known = property(rest, is_text).ok_or_else(|| {
                        wrong("`property TYPE NAME` or `property list TYPE TYPE NAME`")
                    })?;
                    if known.scalar == Scalar::Unknown {
                        let type_name = rest[rest.len() - 2].as_bytes();
                        report.add_named("properties of the type", type_name, 1, Some(line));
                    }
                    element.properties.push(known);
                }
                (_, ["end_header"]) => break,
                (_, [word, ..]) => {
                    report.add_named("header lines", word.as_bytes(), 1, Some(line));
                    unknown.add(line, text);
                }
            }
        }
        let no_format = ReadErrorKind::syntax("no `format`", "one in the header");
        let encoding = encoding.ok_or_else(|| Position::Line(line).error(no_format))?;
        // A header whose lines end with CR alone may be followed by data that begin with the byte of LF.
        let has_lf = bytes[mark..at - 1].contains(&b'\n');
        if encoding != Encoding::Text && !has_lf && bytes[..at].ends_with(b"\r\n") {
            at -= 1;
        }
        Ok(Self { encoding, elements, len: at, n_lines: line, report })
    }

    /// The same header with CR LF at its end instead of CR, or CR instead of CR LF.
    pub(super) fn with_other_end(&self, bytes: &[u8]) -> Option<Self> {
        let len = match (&bytes[..self.len], bytes.get(self.len)) {
            ([.., b'\r', b'\n'], _) => self.len - 1,
            ([.., b'\r'], Some(b'\n')) => self.len + 1,
            _ => return None,
        };
        Some(Self { len, ..self.clone() })
    }
}

/// A name that can be printed: escaped, and cut to 60 characters.
fn printable(name: &str) -> String {
    name.escape_debug().take(60).collect()
}

/// The lines that are no statement, with the error for the first and for the last.
#[derive(Debug, Default)]
struct Unknown {
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

/// A property. In text, its values may have a type that PLY does not define.
fn property(words: &[&str], is_text: bool) -> Option<Property> {
    let scalar = |name| match Scalar::of_name(name) {
        None if is_text => Some(Scalar::Unknown),
        known => known,
    };
    match *words {
        ["list", length, item, name] => {
            let list = Scalar::of_name(length)?;
            if matches!(list, Scalar::F32 | Scalar::F64) {
                return None;
            }
            Some(Property { name: printable(name), scalar: scalar(item)?, list: Some(list) })
        }
        ["list", ..] => None,
        [item, name] => Some(Property { name: printable(name), scalar: scalar(item)?, list: None }),
        _ => None,
    }
}
