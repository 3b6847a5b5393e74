"""Columns of secrets: a table whose heading says `password`, in CSV, Markdown or as a database prints.

A heading is a line of cells of which one is such a name, and another says of whom or what; the
rows are the lines behind it with as many cells, until one has not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from loom.redact.likely import is_hand_made, is_made

# The words by which a heading of such a column is found, and how the cell may end.
_CELL = r"[ \"'*`]{0,4}(?:[,;|\t\n]|$)"
_CELLS = tuple(
    (word, re.compile(f"{word}{rest}{_CELL}"))
    for word, rest in (
        ("pass", "(?:word|wd|phrase|code)?"),
        ("pwd", ""),
        ("secret", ""),
        ("token", ""),
        ("key", "(?:(?<=[ _-]key)|(?<=apikey)|(?<=[ste]{2}key))"),
        ("credential", "s?"),
    )
)
HEADINGS = tuple(word for word, _ in _CELLS)
_NAME = re.compile(
    r"[\w -]*(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|key|credentials?)", re.IGNORECASE
)
_OWNER = re.compile(
    r".*(?:user|login|name|url|host|mail|account|service|site|system|role|env|id|app)", re.IGNORECASE
)
_FRAME = " \t\"'*`"
_RULED = re.compile(r"[-+|: =]+")  # the line between a heading and its rows
ROWS = 2_000  # of a table


def headings(folded: str) -> Iterator[int]:
    """The places in a text in small letters where the name of such a column ends a cell."""
    for word, cell in _CELLS:
        if word in folded:
            yield from (found.start() for found in cell.finditer(folded))


def columns(text: str, at: int) -> Iterator[tuple[int, int]]:
    """The places of the made values in the columns of secrets whose heading stands at `at`."""
    start = text.rfind("\n", 0, at) + 1
    stop = text.find("\n", at)
    heading = text[start : stop if stop >= 0 else len(text)]
    sign = next((one for one in "|\t;," if one in heading), "")
    if stop < 0 or not sign or len(heading) > 600:
        return
    cells = [cell.strip(_FRAME) for cell in heading.split(sign)]
    held = [number for number, cell in enumerate(cells) if cell and _NAME.fullmatch(cell)]
    owned = any(_OWNER.fullmatch(cell) for cell in cells)
    if not owned or not all(re.fullmatch(r"[\w .#/-]{0,40}", cell) for cell in cells):
        return
    line_at = stop + 1
    for _ in range(ROWS):
        end = text.find("\n", line_at)
        line = text[line_at : end if end >= 0 else len(text)]
        if not _RULED.fullmatch(line):
            if line.count(sign) < len(cells) - 1:
                break
            yield from _cells(line, line_at, sign, held)
        if end < 0:
            break
        line_at = end + 1


def _cells(line: str, at: int, sign: str, held: list[int]) -> Iterator[tuple[int, int]]:
    for number, cell in enumerate(line.split(sign)):
        value = cell.strip(_FRAME)
        if number in held and " " not in value and (is_made(value, 0.14, 7) or is_hand_made(value)):
            start = at + cell.index(value)
            yield start, start + len(value)
        at += len(cell) + 1
