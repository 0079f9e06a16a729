//! `hitscan page`: writes a page with a mesh, its tree and the engine in WebAssembly.
//!
//! The npm package builds the template, because this program does not need a compiler for WebAssembly.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use base64::{engine::general_purpose::STANDARD, write::EncoderWriter};
use hitscan::cache::{self, BuiltMesh};

use crate::args::PageArgs;
use crate::load::build_mesh_for_cache;
use crate::messages;
use crate::output::Target;
use crate::process::{Outcome, set_threads};

/// The places of a template, in their order.
const ABOUT: &str = "<!--HITSCAN-ABOUT-->";
const MESH: &str = "<!--HITSCAN-MESH-->";
/// The place that the package has filled.
const ENGINE: &str = "<!--HITSCAN-ENGINE-->";

/// The variable with the file of the template.
const VARIABLE: &str = "HITSCAN_PAGE";

pub(crate) fn run(args: &PageArgs) -> anyhow::Result<Outcome> {
    let template = read_template(args.template.clone(), std::env::var_os(VARIABLE))?;
    set_threads(args.engine.threads)?;
    let mut target = Target::open(Some(&args.output))?.keeping(args.clobber.no_clobber)?;
    let (built, inputs) = build_mesh_for_cache(&args.file, &args.output, &args.engine)?;
    let n_triangles = built.mesh.triangles().len();
    // A page to send keeps no paths of this machine.
    let built = BuiltMesh { source: None, remarks: Vec::new(), ..built };
    write_page(&template, &args.file, &built, &mut target)?;
    target.finish(&inputs)?;
    messages::line(format_args!("{n_triangles} triangles in {}", args.output.display()));
    Ok(Outcome::Done)
}

/// A template, cut at its places.
struct Template {
    before: String,
    between: String,
    after: String,
}

fn read_template(flag: Option<PathBuf>, variable: Option<OsString>) -> anyhow::Result<Template> {
    let Some(path) = flag.or_else(|| variable.map(PathBuf::from)) else {
        bail!(
            "page: no template; run `npm install hitscan`, or `npm run build` in bindings/web, and pass \
             its dist/page.html as --template FILE or {VARIABLE}=FILE"
        );
    };
    let name = path.display();
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("{name}: cannot read the template"))?;
    let parts = text.split_once(ABOUT).and_then(|(before, rest)| {
        rest.split_once(MESH).map(|(between, after)| Template {
            before: before.to_owned(),
            between: between.to_owned(),
            after: after.to_owned(),
        })
    });
    match parts {
        Some(template) if !template.after.contains(ENGINE) => Ok(template),
        _ => bail!(
            "{name}: not the template of a page; pass dist/page.html of the npm package, as `npm run \
             build` writes it"
        ),
    }
}

fn write_page(
    template: &Template,
    file: &Path,
    built: &BuiltMesh,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    out.write_all(template.before.as_bytes())?;
    out.write_all(about(file).as_bytes())?;
    out.write_all(template.between.as_bytes())?;
    let mut encoder = EncoderWriter::new(&mut *out, &STANDARD);
    cache::write(built, &mut encoder)?;
    encoder.finish()?;
    drop(encoder);
    out.write_all(template.after.as_bytes())?;
    Ok(())
}

/// The name of the file as JSON, which cannot end a script element.
fn about(file: &Path) -> String {
    let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
    let made = concat!("hitscan ", env!("CARGO_PKG_VERSION"));
    serde_json::json!({ "name": name, "made": made }).to_string().replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_end_the_script() {
        let text = about(Path::new("a/<!--<script>.obj"));
        assert!(!text.contains('<'), "{text}");
        let json: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
        assert_eq!(json["name"], "<!--<script>.obj");
    }

    #[test]
    fn without_a_template_the_error_says_how_to_get_one() {
        let Err(error) = read_template(None, None) else { panic!("there is no template") };
        assert!(error.to_string().contains("npm install hitscan"), "{error}");
    }
}
