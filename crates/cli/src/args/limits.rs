//! Limits of what is read, which protect the machine from files that are not what they seem.

use bytesize::ByteSize;
use clap::Args as ClapArgs;
use hitscan::{formats, obj};

/// What a file may take. The defaults are beyond any file that is not made to do harm.
#[derive(Clone, Copy, Debug, Default, ClapArgs)]
#[command(next_help_heading = "Limits of what is read")]
pub(crate) struct LimitArgs {
    /// The largest file: 20GiB, 500MB, or a number of bytes [default: 16GiB].
    #[arg(long, value_name = "SIZE", hide_short_help = true)]
    max_file: Option<ByteSize>,

    /// The longest statement of an OBJ file, with the lines that continue it [default: 512MiB].
    #[arg(long, value_name = "SIZE", hide_short_help = true)]
    max_statement: Option<ByteSize>,

    /// The most corners of a polygon [default: 16777216].
    #[arg(long, value_name = "N", hide_short_help = true)]
    max_corners: Option<u32>,

    /// The most bytes of the material libraries of an OBJ file [default: 64MiB].
    #[arg(long, value_name = "SIZE", hide_short_help = true)]
    max_materials: Option<ByteSize>,

    /// The most material libraries of an OBJ file [default: 256].
    #[arg(long, value_name = "N", hide_short_help = true)]
    max_libraries: Option<u32>,

    /// The most vertices, and triangles, that an STL, PLY or glTF file may be turned into [default:
    /// 67108864].
    #[arg(long, value_name = "N", hide_short_help = true)]
    max_vertices: Option<u64>,
}

impl LimitArgs {
    pub(crate) fn of_obj(&self) -> obj::LoadOptions {
        let defaults = obj::LoadOptions::default();
        obj::LoadOptions {
            max_file_bytes: bytes(self.max_file, defaults.max_file_bytes),
            max_statement_bytes: bytes(self.max_statement, defaults.max_statement_bytes),
            max_polygon_corners: self.max_corners.unwrap_or(defaults.max_polygon_corners),
            max_material_bytes: bytes(self.max_materials, defaults.max_material_bytes),
            max_libraries: self.max_libraries.unwrap_or(defaults.max_libraries),
            ..defaults
        }
    }

    pub(crate) fn of_other_formats(&self) -> formats::LoadOptions {
        let defaults = formats::LoadOptions::default();
        formats::LoadOptions {
            max_file_bytes: bytes(self.max_file, defaults.max_file_bytes),
            max_polygon_corners: self.max_corners.unwrap_or(defaults.max_polygon_corners),
            max_vertices: self.max_vertices.unwrap_or(defaults.max_vertices),
        }
    }
}

fn bytes(given: Option<ByteSize>, default: u64) -> u64 {
    given.map_or(default, |size| size.as_u64())
}
