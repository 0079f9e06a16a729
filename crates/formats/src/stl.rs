//! STL: triangles that share no vertices.

mod binary;
mod solids;
mod text;

use hitscan_files::LoadOptions;

use crate::{error_at::ErrorAt, loaded::Parts};
use solids::Solids;

pub(crate) fn parse(bytes: &[u8], options: &LoadOptions) -> Result<Parts, ErrorAt> {
    let mut solids = Solids::new(options);
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if !binary::is_exact(bytes) && text::is_text(text) {
        text::read(text, &mut solids)?;
    } else {
        binary::read(bytes, &mut solids)?;
    }
    let (mesh, report) = solids.finish()?;
    Ok(Parts::of_one(mesh, report))
}
