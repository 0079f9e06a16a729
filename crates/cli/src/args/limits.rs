//! Limits of the readers, which protect the machine from hostile files.

use bytesize::ByteSize;
use clap::Args as ClapArgs;
use hitscan::LoadOptions;
use hitscan::formats::Limit;

use super::values::{bytes, whole};

/// The limits of a file. The defaults of the libraries admit every ordinary file.
#[derive(Clone, Copy, Debug, ClapArgs)]
#[command(next_help_heading = "Limits of the readers")]
pub(crate) struct LimitArgs {
    /// Refuse larger files: 20GiB, 500MB, or a number of bytes.
    #[arg(long, value_name = "SIZE", value_parser = bytes, hide_short_help = true, default_value_t = ByteSize(defaults().max_file_bytes))]
    max_file: ByteSize,

    /// Refuse compressed files with more uncompressed bytes, beyond 100 per compressed byte.
    #[arg(long, value_name = "SIZE", value_parser = bytes, hide_short_help = true, default_value_t = ByteSize(defaults().max_expanded_bytes))]
    max_expanded: ByteSize,

    /// Refuse longer OBJ statements, continuation lines included.
    #[arg(long, value_name = "SIZE", value_parser = bytes, hide_short_help = true, default_value_t = ByteSize(defaults().max_statement_bytes))]
    max_statement: ByteSize,

    /// Refuse polygons with more corners.
    #[arg(long, value_name = "N", hide_short_help = true, default_value_t = defaults().max_polygon_corners, value_parser = whole::<u32>(0, u32::MAX.into()))]
    max_corners: u32,

    /// Refuse OBJ files with more bytes of material libraries.
    #[arg(long, value_name = "SIZE", value_parser = bytes, hide_short_help = true, default_value_t = ByteSize(defaults().max_material_bytes))]
    max_materials: ByteSize,

    /// Refuse OBJ files with more material libraries.
    #[arg(long, value_name = "N", hide_short_help = true, default_value_t = defaults().max_libraries, value_parser = whole::<u32>(0, u32::MAX.into()))]
    max_libraries: u32,

    /// Refuse STL, PLY and glTF files with more vertices or triangles.
    #[arg(long, value_name = "N", hide_short_help = true, default_value_t = defaults().max_vertices, value_parser = whole::<u64>(0, u64::MAX))]
    max_vertices: u64,

    /// Refuse glTF files that repeat more vertices or triangles through shared accessors.
    #[arg(long, value_name = "N", hide_short_help = true, default_value_t = defaults().max_repeated, value_parser = whole::<u64>(0, u64::MAX))]
    max_repeated: u64,

    /// Round positions far from the origin to single precision, instead of storing them relative to an
    /// offset that keeps their details.
    #[arg(long, hide_short_help = true)]
    no_recentre: bool,
}

fn defaults() -> LoadOptions {
    LoadOptions::default()
}

impl LimitArgs {
    /// The maximum size of a cache file in bytes.
    pub(crate) fn of_cache(&self) -> u64 {
        self.max_file.as_u64()
    }

    pub(crate) fn load_options(&self) -> LoadOptions {
        LoadOptions {
            recentre: !self.no_recentre,
            max_file_bytes: self.max_file.as_u64(),
            max_expanded_bytes: self.max_expanded.as_u64(),
            max_polygon_corners: self.max_corners,
            max_vertices: self.max_vertices,
            max_repeated: self.max_repeated,
            max_statement_bytes: self.max_statement.as_u64(),
            max_material_bytes: self.max_materials.as_u64(),
            max_libraries: self.max_libraries,
            ..defaults()
        }
    }

    /// The flag for a limit.
    pub(crate) fn flag(limit: Limit) -> &'static str {
        match limit {
            Limit::FileBytes => "--max-file",
            Limit::ExpandedBytes => "--max-expanded",
            Limit::PolygonCorners => "--max-corners",
            Limit::Vertices => "--max-vertices",
            Limit::Repeated => "--max-repeated",
            Limit::StatementBytes => "--max-statement",
            _ => limit.option(),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        limits: LimitArgs,
    }

    // The sizes of the defaults are printed and parsed again.
    #[test]
    fn without_flags_the_limits_are_those_of_the_libraries() {
        let Line { limits } = Line::parse_from(["hitscan"]);
        assert_eq!(limits.load_options(), defaults());
    }
}
