//! The format of an output: the flag, or else the extension of the file.

use std::io::IsTerminal;
use std::path::Path;

use anyhow::bail;
use hitscan::Format;

use crate::args::{OutputFormat, SectionFormat};

/// The formats that a command writes.
pub(crate) struct Formats<F: 'static> {
    /// The name of the command.
    command: &'static str,
    /// The format of each extension.
    by_extension: &'static [(&'static str, F)],
    /// The format of standard output, and of names without an extension.
    default: F,
    /// The end of the error about another extension.
    hint: &'static str,
}

/// The formats of the results of `cast`.
pub(crate) const RESULTS: Formats<OutputFormat> = Formats {
    command: "cast",
    by_extension: &[
        ("txt", OutputFormat::Text),
        ("ndjson", OutputFormat::Ndjson),
        ("jsonl", OutputFormat::Ndjson),
        ("csv", OutputFormat::Csv),
        ("npz", OutputFormat::Npz),
    ],
    default: OutputFormat::Text,
    hint: ", or choose the format by --format",
};

/// The formats of the results of `points`.
pub(crate) const POINTS: Formats<OutputFormat> = Formats { command: "points", ..RESULTS };

/// The formats of the polylines of `section`.
pub(crate) const SECTIONS: Formats<SectionFormat> = Formats {
    command: "section",
    by_extension: &[
        ("txt", SectionFormat::Text),
        ("ndjson", SectionFormat::Ndjson),
        ("jsonl", SectionFormat::Ndjson),
        ("csv", SectionFormat::Csv),
        ("obj", SectionFormat::Obj),
        ("svg", SectionFormat::Svg),
    ],
    default: SectionFormat::Text,
    hint: ", or choose the format by --format",
};

/// The formats of the meshes of `make` and `convert`.
pub(crate) const MESHES: Formats<Format> = Formats {
    command: "hitscan",
    by_extension: &[
        ("obj", Format::Obj),
        ("stl", Format::Stl),
        ("ply", Format::Ply),
        ("glb", Format::Gltf),
    ],
    default: Format::Obj,
    hint: "",
};

/// The only format of the pictures of `render` is PNG.
pub(crate) const PICTURES: Formats<()> =
    Formats { command: "render", by_extension: &[("png", ())], default: (), hint: "" };

impl<F: Copy> Formats<F> {
    /// The format of the flag, or else of the output's extension, whose case is free.
    ///
    /// # Errors
    /// An extension of no format of this command.
    pub(crate) fn choose(&self, flag: Option<F>, output: Option<&Path>) -> anyhow::Result<F> {
        let extension = output.and_then(Path::extension);
        let (None, Some(extension)) = (flag, extension) else {
            return Ok(flag.unwrap_or(self.default));
        };
        let known =
            self.by_extension.iter().find(|(known, _)| extension.eq_ignore_ascii_case(known));
        match (known, output) {
            (Some((_, format)), _) => Ok(*format),
            (None, path) => {
                let names: Vec<String> =
                    self.by_extension.iter().map(|(known, _)| format!(".{known}")).collect();
                bail!(
                    "{}: {} cannot write .{} files; use a name that ends in {}{}",
                    path.unwrap_or(Path::new("")).display(),
                    self.command,
                    extension.display(),
                    names.join(", "),
                    self.hint
                );
            }
        }
    }
}

/// The format of the results of rays or points, and whether they go to a terminal, where a progress bar would
/// disturb them.
///
/// # Errors
/// An extension of no format, and binary output to a terminal.
pub(super) fn of_results(
    formats: &Formats<OutputFormat>,
    flag: Option<OutputFormat>,
    json: bool,
    output: Option<&Path>,
) -> anyhow::Result<(OutputFormat, bool)> {
    let format = formats.choose(flag.or(json.then_some(OutputFormat::Ndjson)), output)?;
    if format == OutputFormat::Npz {
        check_binary("npz", output)?;
    }
    Ok((format, output.is_none() && std::io::stdout().is_terminal()))
}

/// Checks that binary output does not go to a terminal.
///
/// # Errors
/// Standard output that is a terminal, without an output file.
pub(super) fn check_binary(what: &str, output: Option<&Path>) -> anyhow::Result<()> {
    if output.is_none() && std::io::stdout().is_terminal() {
        bail!("refusing to write binary {what} to a terminal; use -o FILE or redirect stdout");
    }
    Ok(())
}

/// The extensions of formats that are no cache files.
const OTHER_FORMATS: [&str; 14] = [
    "obj", "mtl", "stl", "ply", "gltf", "glb", "toml", "png", "txt", "csv", "ndjson", "jsonl",
    "npy", "npz",
];

/// Checks the name of a cache file. It may be any but that of another format.
///
/// # Errors
/// An extension of another format.
pub(crate) fn check_cache_name(path: &Path) -> anyhow::Result<()> {
    let extension = path.extension().unwrap_or_default();
    if OTHER_FORMATS.iter().any(|other| extension.eq_ignore_ascii_case(other)) {
        bail!(
            "{}: build writes cache files, not .{} files; use a name that ends in .hitscan",
            path.display(),
            extension.display()
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_of_a_mesh_is_its_format() {
        let of = |name: &str| MESHES.choose(None, Some(Path::new(name)));
        for (name, format) in [
            ("a.obj", Format::Obj),
            ("a.b.STL", Format::Stl),
            ("./a.ply", Format::Ply),
            ("a.GLB", Format::Gltf),
            ("/dev/stdout", Format::Obj),
        ] {
            assert_eq!(of(name).ok(), Some(format), "{name}");
        }
        for name in ["a.gltf", "a.hitscan", "a.obj.gz"] {
            let error = of(name).expect_err(name).to_string();
            assert!(error.starts_with(&format!("{name}: ")) && error.contains(".glb"), "{error}");
        }
        assert_eq!(MESHES.choose(None, None).ok(), Some(Format::Obj));
    }

    #[test]
    fn the_flag_comes_before_the_extension_and_the_extension_before_the_default() {
        let of = |flag, name: &str| RESULTS.choose(flag, Some(Path::new(name))).ok();
        for (name, format) in [
            ("hits.npz", OutputFormat::Npz),
            ("HITS.CSV", OutputFormat::Csv),
            ("a.csv/hits", OutputFormat::Text),
            ("hits.jsonl", OutputFormat::Ndjson),
            ("hits.txt", OutputFormat::Text),
        ] {
            assert_eq!(of(None, name), Some(format), "{name}");
            assert_eq!(of(Some(OutputFormat::Csv), name), Some(OutputFormat::Csv), "{name}");
        }
        assert_eq!(RESULTS.choose(None, None).ok(), Some(OutputFormat::Text));
        assert_eq!(of(None, "hits.parquet"), None);
        assert_eq!(of(Some(OutputFormat::Csv), "hits.parquet"), Some(OutputFormat::Csv));
    }
}
