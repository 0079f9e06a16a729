#!/usr/bin/env python3
"""Fails if a link of a built book leads nowhere: a file or an anchor that is not in the book.

    docs/book/check_links.py FOLDER

Links to the web are not followed.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# The page for printing repeats all pages in one, with links that mdBook rewrites.
SKIPPED = {"print.html", "404.html", "toc.html", "live.html"}


class Page(HTMLParser):
    """The anchors and links of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep what a tag names, and what it links to."""
        for name, value in attrs:
            if name == "id" and value:
                self.anchors.add(value)
            elif name in ("href", "src") and value is not None:
                self.links.append(value)


def main() -> None:
    """Print each broken link."""
    root = Path(sys.argv[1]).resolve()
    pages = {path: Page(path) for path in sorted(root.rglob("*.html")) if path.name not in SKIPPED}
    n_links = 0
    broken = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            n_links += 1
            file = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if file.is_dir():
                file /= "index.html"
            if not file.is_file():
                broken.append(f"{path.relative_to(root)}: {link}: no such file")
            elif parts.fragment and file in pages and unquote(parts.fragment) not in pages[file].anchors:
                broken.append(f"{path.relative_to(root)}: {link}: no such anchor")
    if broken:
        sys.exit("\n".join(broken))
    print(f"{n_links} links of {len(pages)} pages lead somewhere")


if __name__ == "__main__":
    main()
