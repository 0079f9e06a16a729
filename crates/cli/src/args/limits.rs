//! Limits of what is read, which protect the machine from files that are not what they seem.

use bytesize::ByteSize;
use clap::Args as ClapArgs;
use hitscan::{formats, obj};

/// What a file may take. The defaults are those of the libraries, beyond any file that is not made to do
/// harm.
#[derive(Clone, Copy, Debug, ClapArgs)]
#[command(next_help_heading = "Limits of what is read")]
pub(crate) struct LimitArgs {
    /// The largest file: 20GiB, 500MB, or a number of bytes.
    #[arg(long, value_name = "SIZE", hide_short_help = true, default_value_t = ByteSize(of_obj().max_file_bytes))]
    max_file: ByteSize,

    /// The longest statement of an OBJ file, with the lines that continue it.
    #[arg(long, value_name = "SIZE", hide_short_help = true, default_value_t = ByteSize(of_obj().max_statement_bytes))]
    max_statement: ByteSize,

    /// The most corners of a polygon.
    #[arg(long, value_name = "N", hide_short_help = true, default_value_t = of_obj().max_polygon_corners)]
    max_corners: u32,

    /// The most bytes of the material libraries of an OBJ file.
    #[arg(long, value_name = "SIZE", hide_short_help = true, default_value_t = ByteSize(of_obj().max_material_bytes))]
    max_materials: ByteSize,

    /// The most material libraries of an OBJ file.
    #[arg(long, value_name = "N", hide_short_help = true, default_value_t = of_obj().max_libraries)]
    max_libraries: u32,

    /// The most vertices, and triangles, that an STL, PLY or glTF file may be turned into.
    #[arg(long, value_name = "N", hide_short_help = true, default_value_t = of_other_formats().max_vertices)]
    max_vertices: u64,
}

fn of_obj() -> obj::LoadOptions {
    obj::LoadOptions::default()
}

fn of_other_formats() -> formats::LoadOptions {
    formats::LoadOptions::default()
}

impl LimitArgs {
    /// The most bytes of a cache file.
    pub(crate) fn of_cache(&self) -> u64 {
        self.max_file.as_u64()
    }

    pub(crate) fn of_obj(&self) -> obj::LoadOptions {
        obj::LoadOptions {
            max_file_bytes: self.max_file.as_u64(),
            max_statement_bytes: self.max_statement.as_u64(),
            max_polygon_corners: self.max_corners,
            max_material_bytes: self.max_materials.as_u64(),
            max_libraries: self.max_libraries,
            ..of_obj()
        }
    }

    pub(crate) fn of_other_formats(&self) -> formats::LoadOptions {
        formats::LoadOptions {
            max_file_bytes: self.max_file.as_u64(),
            max_polygon_corners: self.max_corners,
            max_vertices: self.max_vertices,
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

    // Sizes go through their text, and both readers take one flag for the file and for the corners.
    #[test]
    fn without_flags_the_limits_are_those_of_the_libraries() {
        let Line { limits } = Line::parse_from(["hitscan"]);
        assert_eq!(limits.of_obj(), of_obj());
        assert_eq!(limits.of_other_formats(), of_other_formats());
    }
}
