#!/usr/bin/env python3
"""Draws the plots of assets/plots from the tables of benches/record.

docs/book/plots.py            writes them
docs/book/plots.py --check    fails if a plot differs from its record
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RECORDS = ROOT / "benches/record"
PLOTS = ROOT / "assets/plots"

ZEN4 = "2026-11-27-amd-epyc-five-scenes"
XEON = "2026-11-28-intel-xeon-every-configuration"
BUILDS = "2026-11-26-intel-xeon-builds"
LEAKS = "2026-11-23-amd-epyc-leaks"

# Sizes in pixels of the picture.
WIDTH, LABELS, BAR, ROW, TITLE = 480, 200, 14, 24, 30
OURS, THEIRS, INK, GRID = "#d9480f", "#94a3b8", "#1f2933", "#d5dbe3"


@dataclass
class Row:
    """A bar with its label, and the range of the repetitions."""

    label: str
    value: float
    text: str
    low: float | None = None
    high: float | None = None

    @property
    def is_ours(self) -> bool:
        """Whether the bar is hitscan's."""
        return self.label.startswith("hitscan")


@dataclass
class Panel:
    """Bars with one scale."""

    title: str
    rows: list[Row]
    mark: float | None = None
    """A value with a line through all bars."""


def table(record: str, heading: str | None = None) -> list[list[str]]:
    """Return the cells of the first table of a record, or of the first one below a heading."""
    text = (RECORDS / record / "README.md").read_text(encoding="utf-8")
    if heading is not None:
        _, found, text = text.partition(f"### {heading}")
        if not found:
            sys.exit(f"benches/record/{record}/README.md: found no heading that begins with {heading!r}")
    rows = re.search(r"^(\|.*\n)+", text, re.MULTILINE)
    if rows is None:
        sys.exit(f"benches/record/{record}/README.md: found no table")
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in rows[0].splitlines()]
    return [cells[0], *cells[2:]]


def with_range(label: str, cell: str) -> Row | None:
    """Return a row from a cell such as `1.31, 1.31 to 1.32`."""
    numbers = [float(number) for number in re.findall(r"\d+\.\d+", cell)]
    if not numbers:
        return None
    return Row(label, numbers[0], f"{numbers[0]:.2f}", numbers[1], numbers[2])


def speed(record: str) -> list[Panel]:
    """Return rays, one by one and many at once, relative to Embree."""
    rows = table(record, "Rows of the README")[1:]
    panels = []
    batch_names = {
        "Embree, default": "Embree, packets of 16",
        "Embree, packets without the flag": "Embree, without the flag",
    }
    for column, title in ((1, "single rays"), (2, "many rays at once")):
        names = {"Embree, fastest configuration of each cell": "Embree, fastest in each cell"}
        if column == 2:
            names |= batch_names
        found = [with_range(names.get(row[0], row[0]), row[column]) for row in rows]
        bars = [bar for bar in found if bar]
        bars.sort(key=lambda bar: -bar.value)
        panels.append(Panel(f"{title}, as multiples of Embree's single rays", bars, mark=1.0))
    return panels


def builds() -> list[Panel]:
    """Return the triangles that a build takes in a second."""
    header, *rows = table(BUILDS)
    mean = header.index("mean")
    names = {"`Balanced`": "hitscan, Balanced", "`Fast`": "hitscan, Fast", "`High`": "hitscan, High"}
    bars = [Row(names.get(row[0], row[0]), float(row[mean]), row[mean]) for row in rows]
    bars.sort(key=lambda bar: -bar.value)
    return [Panel("million triangles built in a second, mean of five scenes", bars)]


def leaks() -> list[Panel]:
    """Return the share of rays that pass through closed meshes."""
    names = {
        "hitscan avx512": "hitscan",
        "embree medium": "Embree, default",
        "embree robust": "Embree, robust",
        "obvhs cwbvh medium": "obvhs",
        "parry3d": "parry3d",
        "bvh nearest": "bvh",
    }
    bars = []
    for name, aimed, *_ in table(LEAKS)[1:]:
        if name in names:
            lost, total = (int(number) for number in aimed.split(" of "))
            bars.append(
                Row(names[name], 100 * lost / total, "none" if lost == 0 else f"{100 * lost / total:.2g} %")
            )
    bars.sort(key=lambda bar: bar.value)
    return [Panel("share of rays that closed meshes lose, of 15.7 million", bars)]


def draw(panels: list[Panel], name: str) -> str:
    """Return a picture in SVG."""
    height = sum(TITLE + ROW * len(panel.rows) + 10 for panel in panels) + 4
    size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="system-ui, sans-serif" font-size="13">',
        f"<title>{escape(name)}</title>",
        f'<rect width="{WIDTH}" height="{height}" rx="6" fill="#fff"/>',
    ]
    y = 0.0
    for panel in panels:
        scale = (WIDTH - LABELS - 60) / max(row.high or row.value for row in panel.rows)
        parts.append(
            f'<text x="12" y="{y + 21:g}" fill="{INK}" font-weight="600">{escape(panel.title)}</text>'
        )
        y += TITLE
        if panel.mark is not None:
            x = LABELS + panel.mark * scale
            parts.append(f'<path d="M{x:.1f} {y:g}V{y + ROW * len(panel.rows):g}" stroke="{GRID}"/>')
        for row in panel.rows:
            parts.extend(bar(row, y, scale))
            y += ROW
        y += 10
    return "\n".join([*parts, "</svg>", ""])


def bar(row: Row, y: float, scale: float) -> list[str]:
    """Return the elements of a bar."""
    middle, base = y + ROW / 2, y + ROW / 2 + 4.5
    color, weight = (OURS, ' font-weight="600"') if row.is_ours else (THEIRS, "")
    width, end = max(row.value * scale, 1), LABELS + (row.high or row.value) * scale
    ink = f'fill="{INK}"{weight}'
    parts = [
        f'<text x="{LABELS - 8}" y="{base:g}" text-anchor="end" {ink}>{escape(row.label)}</text>',
        f'<rect x="{LABELS}" y="{middle - BAR / 2:g}" width="{width:.1f}" height="{BAR}" fill="{color}"/>',
        f'<text x="{end + 7:.1f}" y="{base:g}" {ink}>{escape(row.text)}</text>',
    ]
    if row.low is not None and row.high is not None and row.high > row.low:
        low, high, top = LABELS + row.low * scale, LABELS + row.high * scale, middle - 3
        mark = f"M{low:.1f} {middle:g}H{high:.1f}M{low:.1f} {top:g}v6M{high:.1f} {top:g}v6"
        parts.append(f'<path d="{mark}" stroke="{INK}"/>')
    return parts


def main() -> None:
    """Write or check each plot."""
    plots = {
        "speed-zen4": (speed(ZEN4), "Speed of hitscan and other engines on an AMD EPYC"),
        "speed-xeon": (speed(XEON), "Speed of hitscan and other engines on an Intel Xeon"),
        "builds-xeon": (builds(), "Speed of builds on an Intel Xeon"),
        "lost-rays": (leaks(), "Rays that closed meshes lose"),
    }
    for name, (panels, title) in plots.items():
        path = PLOTS / f"{name}.svg"
        text = draw(panels, title)
        if "--check" not in sys.argv[1:]:
            path.write_text(text, encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != text:
            sys.exit(f"assets/plots/{name}.svg: differs from its record; run docs/book/plots.py")


if __name__ == "__main__":
    main()
