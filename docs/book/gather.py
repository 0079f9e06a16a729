#!/usr/bin/env python3
"""Gathers the pages of docs/book/SUMMARY.md into a source folder for mdBook.

    docs/book/gather.py FOLDER [LIVE]

Pages keep their places in the repository, so links between them stay as they are. A link to any other file
leads to the repository on the web. The file LIVE is embedded in the first page.
"""

from __future__ import annotations

import re
import shutil
import sys
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SUMMARY = ROOT / "docs/book/SUMMARY.md"
REPOSITORY = "https://github.com/hitscan/hitscan"

LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\[\]]*\])*\])\(([^()\s]+)\)")
FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
LIVE_MARK = re.compile(r"<!-- The book has the live page here: .*? -->\n")
# The page turns and zooms by the same gestures that scroll the book, so it waits for a click.
LIVE = """\
<div class="live">
<input type="checkbox" id="live-start"><label for="live-start">Click to turn and to pick</label>
<iframe src="live.html" title="A city to turn and to pick in" loading="lazy"></iframe>
</div>

hitscan runs in this page, in WebAssembly. Click a face, and click again for what lies behind.
`hitscan page city.obj -o city.html` made it, as one file to send.

"""


def pages() -> dict[str, Path]:
    """Return the pages by their links in SUMMARY.md, in order."""
    links = [link[2] for link in LINK.finditer(SUMMARY.read_text(encoding="utf-8"))]
    return {link: (SUMMARY.parent / link).resolve() for link in links}


def in_book(page: Path, folder: Path, link: re.Match[str]) -> str:
    """Return the link of a page as the book has it, and copy the picture that it shows."""
    text, target = link.groups()
    path, hash_sign, anchor = target.partition("#")
    if ":" in path or not path:
        return link[0]
    file = (page.parent / path).resolve()
    if not file.exists():
        sys.exit(f"{page.relative_to(ROOT)}: the link {target!r} names no file")
    place = file.relative_to(ROOT).as_posix()
    if text.startswith("!"):
        copy = folder / place
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
    elif file not in pages().values():
        path = f"{REPOSITORY}/{'tree' if file.is_dir() else 'blob'}/main/{place}"
    elif file.name == "README.md":
        # mdBook makes it the index of its folder.
        path = path.removesuffix("README.md") + "index.md"
    return f"{text}({path}{hash_sign}{anchor})"


def main() -> None:
    """Write SUMMARY.md and the pages."""
    folder = Path(sys.argv[1])
    live = sys.argv[2] if len(sys.argv) > 2 else None
    folder.mkdir(parents=True)
    summary = SUMMARY.read_text(encoding="utf-8")
    for link, page in pages().items():
        place = page.relative_to(ROOT)
        summary = summary.replace(f"({link})", f"({place.as_posix()})")
        text = page.read_text(encoding="utf-8")
        if live is not None:
            text = LIVE_MARK.sub(LIVE, text)
        # The odd parts are code.
        parts = FENCED.split(text)
        to_book = partial(in_book, page, folder)
        parts[::2] = [LINK.sub(to_book, part) for part in parts[::2]]
        copy = folder / place
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text("".join(parts), encoding="utf-8")
    (folder / "SUMMARY.md").write_text(summary, encoding="utf-8")
    if live is not None:
        shutil.copyfile(live, folder / "live.html")


if __name__ == "__main__":
    main()
