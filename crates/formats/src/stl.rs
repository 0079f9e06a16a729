//! STL: triangles that share no vertices.

mod binary;
mod solids;
mod text;

use hitscan_files::LoadOptions;
use hitscan_primitives::{Recentring, TriMesh};

use crate::{LoadReport, error_at::ErrorAt, loaded::Parts};
use solids::Solids;

pub(crate) fn parse(bytes: &[u8], options: &LoadOptions) -> Result<Parts, ErrorAt> {
    Parts::recentred(options, |recentring| parse_once(bytes, options, recentring))
}

/// [`parse`] relative to the offset of `recentring`.
fn parse_once(
    bytes: &[u8],
    options: &LoadOptions,
    recentring: &mut Recentring,
) -> Result<(TriMesh, LoadReport), ErrorAt> {
    let mut solids = Solids::new(options, recentring);
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if !binary::is_exact(bytes) && text::is_text(text) {
        text::read(text, &mut solids)?;
    } else {
        binary::read(bytes, &mut solids)?;
    }
    solids.finish()
}
