"""Columns of secrets: a table whose heading says `password`, in CSV, Markdown or of a database.

A heading is a line of cells of which one is such a name, and another says of whom or what; the
rows are the lines behind it with as many cells, until one has not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import re2

from loom.lazy import lazy_re
from loom.redact.likely import is_hand_made, is_made

# A cell that may be of such a heading; in bytes, one for each character.
_CELL = re2.compile(
    rb"(?i)(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|(?:[ _-]|api|[ste]{2})key"
    rb"|credentials?)[ \"'*`]{0,4}[,;|\t\n]"
)
_NAME = lazy_re(
    r"[\w -]*(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|key|credentials?)", re.IGNORECASE
)
_OWNER = lazy_re(
    r".*(?:user|login|name|url|host|mail|account|service|site|system|role|env|id|app)",
    re.IGNORECASE,
)
_FRAME = " \t\"'*`"
_RULED = lazy_re(r"[-+|: =]+")  # the line between a heading and its rows
_PLAIN = lazy_re(r"[\w .#/-]{0,40}")
WIDE = 600  # characters of a heading


def columns(text: str) -> Iterator[tuple[int, int]]:
    """The places of the made values in columns of secrets."""
    done = 0
    for cell in _CELL.finditer(text.encode("latin-1", "replace")):
        at = cell.start()
        stop = text.find("\n", at, at + WIDE)
        if at < done or stop < 0:
            continue
        line = text[text.rfind("\n", max(at - WIDE, 0), at) + 1 : stop]
        sign = next((one for one in "|\t;," if one in line), "")
        cells = [one.strip(_FRAME) for one in line.split(sign)] if sign else []
        if any(map(_OWNER.fullmatch, cells)) and all(map(_PLAIN.fullmatch, cells)):
            held = {number for number, one in enumerate(cells) if _NAME.fullmatch(one)}
            done = stop + 1
            while done < len(text):
                stop = (text.find("\n", done) + 1 or len(text) + 1) - 1
                row = text[done:stop]
                if not _RULED.fullmatch(row):
                    if row.count(sign) < len(cells) - 1:
                        break
                    yield from _cells(row, done, sign, held)
                done = stop + 1


def _cells(row: str, at: int, sign: str, held: set[int]) -> Iterator[tuple[int, int]]:
    for number, cell in enumerate(row.split(sign)):
        value = cell.strip(_FRAME)
        if number in held and " " not in value and (is_made(value, 0.14, 7) or is_hand_made(value)):
            start = at + cell.index(value)
            yield start, start + len(value)
        at += len(cell) + 1
