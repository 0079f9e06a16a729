//! The files of the page, compiled into the program.

use crate::request::Refusal;

/// A file of the page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asset {
    pub(crate) content_type: &'static str,
    pub(crate) text: &'static str,
}

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

/// All files by path. The server serves nothing else.
const ASSETS: [(&str, Asset); 8] = [
    ("/", Asset { content_type: HTML, text: include_str!("page/index.html") }),
    ("/style.css", Asset { content_type: CSS, text: include_str!("page/style.css") }),
    ("/main.js", Asset { content_type: SCRIPT, text: include_str!("page/main.js") }),
    ("/connection.js", Asset { content_type: SCRIPT, text: include_str!("page/connection.js") }),
    ("/pointer.js", Asset { content_type: SCRIPT, text: include_str!("page/pointer.js") }),
    ("/panel.js", Asset { content_type: SCRIPT, text: include_str!("page/panel.js") }),
    ("/objects.js", Asset { content_type: SCRIPT, text: include_str!("page/objects.js") }),
    ("/icon.svg", Asset { content_type: SVG, text: include_str!("page/icon.svg") }),
];

/// Returns the file at a path.
///
/// # Errors
/// [`Refusal::Path`] if the page has no such file.
pub(crate) fn find(path: &str) -> Result<Asset, Refusal> {
    let found = ASSETS.iter().find(|(name, _)| *name == path);
    found.map(|&(_, asset)| asset).ok_or(Refusal::Path)
}
