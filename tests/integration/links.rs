//! Links between the pages of the repository: the file is there, and so is the heading.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn each_link_of_a_page_leads_to_a_file_and_a_heading() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut faults = Vec::new();
    let mut n_links = 0;
    for page in pages(&root) {
        let text = fs::read_to_string(&page).expect("a page");
        for link in links(&text) {
            n_links += 1;
            if let Some(fault) = fault_of(&page, &text, &link) {
                let name = page.strip_prefix(&root).expect("it is below").display();
                faults.push(format!("{name}: {link}: {fault}"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(n_links > 100, "{n_links}");
}

#[test]
fn a_link_without_a_file_or_heading_is_a_fault() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/speed.md");
    let text = "# A title, `code` & more\n[a](#a-title-code--more) [b](#b) [c](names.md#types) [d](names.md#t) \
        ![e](e.png) [f](https://example.org)\n```\n[g](g)\n# h\n```\n[h](#h)\n";
    let faults: Vec<_> =
        links(text).into_iter().filter(|link| fault_of(&page, text, link).is_some()).collect();
    assert_eq!(faults, ["#b", "names.md#t", "e.png", "#h"]);
}

#[test]
fn the_book_has_each_page_of_the_documentation() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let summary = fs::read_to_string(docs.join("book/SUMMARY.md")).expect("the contents");
    let in_book: BTreeSet<PathBuf> = links(&summary)
        .iter()
        .map(|link| fs::canonicalize(docs.join("book").join(link)).expect("the page is there"))
        .collect();
    for page in pages(&docs) {
        let page = fs::canonicalize(page).expect("it was found");
        assert!(
            in_book.contains(&page) || page.ends_with("book/SUMMARY.md"),
            "docs/book/SUMMARY.md lacks {}",
            page.display()
        );
    }
}

/// The Markdown files below a folder.
fn pages(folder: &Path) -> Vec<PathBuf> {
    const FOREIGN: [&str; 5] = ["target", "node_modules", "dist", ".git", ".venv"];
    let mut open = vec![folder.to_owned()];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_symlink() || FOREIGN.iter().any(|name| path.ends_with(name)) {
                continue;
            }
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|end| end == "md") {
                found.push(path);
            }
        }
    }
    found
}

/// The lines of a page that are no code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// The targets of the links within the repository.
fn links(text: &str) -> Vec<String> {
    let text: String = prose(text).flat_map(|line| [line, "\n"]).collect();
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let inside =
        targets.filter(|target| !target.contains(':') && !target.contains(char::is_whitespace));
    inside.map(str::to_owned).collect()
}

/// What is wrong with a link of a page.
fn fault_of(page: &Path, text: &str, link: &str) -> Option<&'static str> {
    let (path, heading) = link.split_once('#').unwrap_or((link, ""));
    let file = page.parent().expect("a page is in a folder").join(path);
    let other = match path {
        "" => text.to_owned(),
        _ if !file.exists() => return Some("no such file"),
        _ if heading.is_empty() => return None,
        _ => fs::read_to_string(&file).expect("headings are in text files"),
    };
    let has_heading = prose(&other)
        .filter_map(|line| line.strip_prefix('#')?.trim_start_matches('#').strip_prefix(' '))
        .any(|title| anchor(title) == heading);
    (!has_heading).then_some("no such heading")
}

/// The anchor of a heading, as GitHub and mdBook make it.
fn anchor(title: &str) -> String {
    let is_kept = |&c: &char| c.is_alphanumeric() || "-_ ".contains(c);
    title.trim().chars().filter(is_kept).collect::<String>().to_lowercase().replace(' ', "-")
}
