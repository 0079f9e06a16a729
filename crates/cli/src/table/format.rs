//! The formats of tables, and how to recognize them.

use clap::ValueEnum;

use super::npy;

/// A format of files of rays or points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TableFormat {
    /// Comma-separated values.
    Csv,
    /// One JSON value per line.
    #[value(alias = "jsonl")]
    Ndjson,
    /// A NumPy array.
    Npy,
}

impl TableFormat {
    /// The format of a file extension, without its dot.
    pub(super) fn of_extension(extension: &str) -> Option<Self> {
        match extension.to_ascii_lowercase().as_str() {
            "csv" => Some(Self::Csv),
            "ndjson" | "jsonl" => Some(Self::Ndjson),
            "npy" => Some(Self::Npy),
            _ => None,
        }
    }

    /// The format of a file that starts with these bytes. Text that starts with neither a
    /// brace nor a bracket is CSV.
    pub(super) fn of_first_bytes(start: &[u8]) -> Self {
        let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
        if start.starts_with(npy::MAGIC) {
            Self::Npy
        } else if text.starts_with(b"{") || text.starts_with(b"[") {
            Self::Ndjson
        } else {
            Self::Csv
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_bytes_give_the_format() {
        let of = TableFormat::of_first_bytes;
        assert_eq!(of(b"\x93NUMPY\x01\x00"), TableFormat::Npy);
        assert_eq!(of(b"\xef\xbb\xbf\n {\"origin\""), TableFormat::Ndjson);
        assert_eq!(of(b"[1,2,3]"), TableFormat::Ndjson);
        assert_eq!(of(b"ox,oy,oz,dx,dy,dz\n"), TableFormat::Csv);
    }
}
