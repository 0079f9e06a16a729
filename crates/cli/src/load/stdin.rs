//! A mesh on standard input, under the name `-`.

use std::io::{self, IsTerminal, Read};
use std::path::Path;
use std::sync::OnceLock;

use anyhow::{Context, bail};

/// The name of standard input in messages.
pub(crate) const NAME: &str = "<stdin>";

/// Whether a path of an input names standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    is_dash(path)
}

/// Whether a path is `-`, which stands for a standard stream.
pub(crate) fn is_dash(path: &Path) -> bool {
    path == Path::new("-")
}

/// All bytes of standard input. Later calls return them again, because a command may read its mesh twice.
///
/// # Errors
/// A terminal; a stream that cannot be read; more than `limit` bytes, which `flag` raises.
pub(crate) fn bytes(limit: u64, flag: &str) -> anyhow::Result<&'static [u8]> {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    if let Some(bytes) = BYTES.get() {
        return Ok(bytes);
    }
    let stdin = io::stdin();
    if stdin.is_terminal() {
        bail!("{NAME}: is a terminal; expected a mesh, as in `zcat model.ply.gz | hitscan info -`");
    }
    let mut bytes = Vec::new();
    let read = stdin.lock().take(limit.saturating_add(1)).read_to_end(&mut bytes);
    read.with_context(|| format!("{NAME}: cannot be read"))?;
    if bytes.len() as u64 > limit {
        bail!(
            "{NAME}: {} bytes or more; expected at most {limit}; {flag} raises the limit",
            bytes.len()
        );
    }
    Ok(BYTES.get_or_init(|| bytes))
}
