//! Limits of what is read, which protect the machine from files that are not what they seem.

use bytesize::ByteSize;
use clap::Args as ClapArgs;
use hitscan::LoadOptions;
use hitscan::formats::Limit;

/// What a file may take. The defaults are those of the libraries, beyond any file that is not made to do
/// harm.
#[derive(Clone, Copy, Debug, ClapArgs)]
#[command(next_help_heading = "Limits of what is read")]
pub(crate) struct LimitArgs {
    /// The largest file: 20GiB, 500MB, or a number of bytes.
    #[arg(long, value_name = "SIZE", hide_short_help = true, default_value_t = ByteSize(defaults().max_file_bytes))]
    max_file: ByteSize,

    /// The longest statement of an OBJ file, with the lines that continue it.
    #[arg(long, value_name = "SIZE", hide_short_help = true, default_value_t = ByteSize(defaults().max_statement_bytes))]
    max_statement: ByteSize,

    /// The most corners of a polygon.
    #[arg(long, value_name = "N", hide_short_help = true, default_value_t = defaults().max_polygon_corners)]
    max_corners: u32,

    /// The most bytes of the material libraries of an OBJ file.
    #[arg(long, value_name = "SIZE", hide_short_help = true, default_value_t = ByteSize(defaults().max_material_bytes))]
    max_materials: ByteSize,

    /// The most material libraries of an OBJ file.
    #[arg(long, value_name = "N", hide_short_help = true, default_value_t = defaults().max_libraries)]
    max_libraries: u32,

    /// The most vertices, and triangles, that an STL, PLY or glTF file may be turned into.
    #[arg(long, value_name = "N", hide_short_help = true, default_value_t = defaults().max_vertices)]
    max_vertices: u64,
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
            max_file_bytes: self.max_file.as_u64(),
            max_polygon_corners: self.max_corners,
            max_vertices: self.max_vertices,
            max_statement_bytes: self.max_statement.as_u64(),
            max_material_bytes: self.max_materials.as_u64(),
            max_libraries: self.max_libraries,
            ..defaults()
        }
    }

    /// The flag that raises a limit.
    pub(crate) fn flag(limit: Limit) -> &'static str {
        match limit {
            Limit::FileBytes => "--max-file",
            Limit::PolygonCorners => "--max-corners",
            Limit::Vertices => "--max-vertices",
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
