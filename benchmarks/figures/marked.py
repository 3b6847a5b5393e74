"""Put figures into Markdown: what stands between two marks is replaced, everything else stays.

`<!-- figure NAME -->94 %<!-- /figure -->` holds one number, within a line. `<!-- figures RUN -->`
and `<!-- /figures -->` on lines of their own hold a table of all figures of a run.
"""

from __future__ import annotations

import re
from pathlib import Path

from benchmarks.figures.known import FIGURES, RUNS, command_of
from benchmarks.figures.measured import ROOT, Measured

ONE = re.compile(r"(<!-- figure (\w+) -->)(.*?)(<!-- /figure -->)")
TABLE = re.compile(
    r"^(<!-- figures (\w+) -->\n)((?:(?!<!-- figures ).*\n)*?)(<!-- /figures -->)", re.MULTILINE
)


def pages() -> list[Path]:
    """The Markdown files that may state figures."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def filled(text: str, figures: Measured, place: str = "") -> str:
    """The text with every figure as measured. Raises ValueError for a name nobody measures."""

    def number(found: re.Match[str]) -> str:
        if found[2] not in figures:
            raise ValueError(f"{place}: {found[1]}: no figure has this name; see known.py")
        return f"{found[1]}{figures[found[2]]['shown']}{found[4]}"

    def table(found: re.Match[str]) -> str:
        if found[2] not in RUNS:
            raise ValueError(f"{place}: {found[1].strip()}: no run has this name; see known.py")
        return found[1] + rows(found[2], figures) + found[4]

    return TABLE.sub(table, ONE.sub(number, text))


def rows(run: str, figures: Measured) -> str:
    """The table of a run's figures, with its command above."""
    head = [f"`{command_of(run)}`", "", "| what | measured |", "|---|---|"]
    told = [one for one in FIGURES if one.run == run and one.name in figures]
    lines = [f"| {one.about} | {figures[one.name]['shown']} |" for one in told]
    return "\n".join(["", *head, *lines, "", ""])


def fill(figures: Measured) -> list[str]:
    """Write the figures into every page; returns the pages that changed."""
    changed = []
    for page in pages():
        before = page.read_text("utf-8")
        after = filled(before, figures, str(page.relative_to(ROOT)))
        if after != before:
            page.write_text(after, "utf-8")
            changed.append(str(page.relative_to(ROOT)))
    return changed
