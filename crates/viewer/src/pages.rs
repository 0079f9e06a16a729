//! What is served: the page, which is part of the program.

use crate::request::Refusal;

/// A file of the page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Page {
    pub(crate) kind: &'static str,
    pub(crate) text: &'static str,
}

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

/// All that there is.
const PAGES: [(&str, Page); 7] = [
    ("/", Page { kind: HTML, text: include_str!("page/index.html") }),
    ("/style.css", Page { kind: CSS, text: include_str!("page/style.css") }),
    ("/main.js", Page { kind: SCRIPT, text: include_str!("page/main.js") }),
    ("/connection.js", Page { kind: SCRIPT, text: include_str!("page/connection.js") }),
    ("/pointer.js", Page { kind: SCRIPT, text: include_str!("page/pointer.js") }),
    ("/panel.js", Page { kind: SCRIPT, text: include_str!("page/panel.js") }),
    ("/icon.svg", Page { kind: SVG, text: include_str!("page/icon.svg") }),
];

/// The file at a path.
///
/// # Errors
/// A path where nothing is.
pub(crate) fn at(path: &str) -> Result<Page, Refusal> {
    let found = PAGES.iter().find(|(name, _)| *name == path);
    found.map(|&(_, page)| page).ok_or(Refusal::Path)
}
