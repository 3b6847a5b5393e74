"""Secrets in tables: in CSV, Markdown or a database's output, below a heading such as `password`.

A heading is a line of cells, one with such a name and another that says of whom or what (`user`,
`host`). Its rows are the lines behind it, up to a line with fewer cells.

In SQL, `INSERT INTO users (name, password) VALUES ('bob', '…')`, the names of the columns tell
which values of a row are secrets; the rows end where one has another number of values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from loom.lazy import lazy_re
from loom.redact.likely_secrets import is_hand_made, is_random_looking

# The words by which a heading of such a column is found, and how the cell may end.
_CELL = r"[ \"'*`]{0,4}(?:[,;|\t\n]|$)"
_CELLS = tuple(
    (word, lazy_re(f"{word}{rest}{_CELL}", re.IGNORECASE))
    for word, rest in (
        ("pass", "(?:word|wd|phrase|code)?"),
        ("pwd", ""),
        ("secret", ""),
        ("token", ""),
        ("key", "(?:(?<=[ _-]key)|(?<=apikey)|(?<=[ste]{2}key))"),
        ("credential", "s?"),
    )
)
VALUES = "values"
HEADINGS = (VALUES, *(word for word, _ in _CELLS))
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


_Cells = tuple[str, int, tuple[int, ...]]


class _Heading(NamedTuple):
    """The line of a table that names its columns, at positions `start` to `end`. `sign` is the
    character between cells, `cells` the number of cells, `held` the numbers of the columns with
    secrets, from 0."""

    start: int
    end: int
    sign: str
    cells: int
    held: tuple[int, ...]


def column_secrets(text: str, places: Mapping[str, Sequence[int]]) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each value that looks like a secret in a table column named like
    `password`. `places` maps each word of `HEADINGS` to the positions where it begins in the text.
    """
    yield from _sql_secrets(text, places.get(VALUES, ()))
    found: dict[int, _Heading] = {}
    known: dict[str, _Cells | None] = {}  # texts repeat themselves
    for word, cell in _CELLS:
        for at in places.get(word, ()):
            if cell.match(text, at) and (heading := _heading_at(text, at, known)) is not None:
                found[heading.start] = heading
    starts = sorted(found)
    for start, stop in pairwise((*starts, len(text))):
        yield from _row_secrets(text, found[start], stop)


def _heading_at(text: str, at: int, known: dict[str, _Cells | None]) -> _Heading | None:
    """Return the heading whose line contains position `at`; None if that line is no heading.
    `known` is a cache from a line to the result of `_read_heading`."""
    start = text.rfind("\n", max(at - WIDE, 0), at) + 1
    stop = text.find("\n", at, at + WIDE)
    if (start == 0 and at > WIDE) or stop < 0:
        return None
    line = text[start:stop]
    if line not in known:
        known[line] = _read_heading(line)
    cells = known[line]
    return _Heading(start, stop, *cells) if cells else None


def _read_heading(line: str) -> _Cells | None:
    """Return (the character between cells, the number of cells, the numbers of columns with
    secrets) for a table's heading, None for any other line."""
    sign = next((one for one in "|\t;," if one in line), "")
    if not sign:
        return None
    cells = [cell.strip(_FRAME) for cell in line.split(sign)]
    held = tuple(number for number, cell in enumerate(cells) if cell and _NAME.fullmatch(cell))
    if not any(map(_OWNER.fullmatch, cells)) or not all(map(_PLAIN.fullmatch, cells)):
        return None
    return sign, len(cells), held


def _row_secrets(text: str, heading: _Heading, stop: int) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each secret in the rows below a heading, up to position `stop`."""
    at = heading.end + 1
    while at < stop:
        end = text.find("\n", at)
        end = end if end >= 0 else len(text)
        line = text[at:end]
        if not _RULED.fullmatch(line):
            if line.count(heading.sign) < heading.cells - 1:
                return
            yield from _cell_secrets(line, at, heading.sign, heading.held)
        at = end + 1


def _cell_secrets(
    line: str, at: int, sign: str, held: tuple[int, ...]
) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each secret in one row, whose text `line` begins at position `at`.
    `sign` and `held` are as in `_Heading`."""
    for number, cell in enumerate(line.split(sign)):
        value = cell.strip(_FRAME)
        if (
            number in held
            and " " not in value
            and (is_random_looking(value, 0.14, 7) or is_hand_made(value))
        ):
            start = at + cell.index(value)
            yield start, start + len(value)
        at += len(cell) + 1


_WIDE = 640  # characters of the names of columns, to the rows
_NAMES = lazy_re(
    r"\((?P<names>[^()'\n]{1,600}+)\)\s{0,8}(?P<values>values)\s{0,8}(?=\()", re.IGNORECASE
)
_ROW = lazy_re(r"\s{0,80}\((?P<row>(?:[^()']|'(?:[^'\\\n]|''|\\.){0,2000}+'){1,4000}+)\)\s{0,8},?")
_VALUE = lazy_re(r"""[ \n\t]*(?:[nNeE]?'(?P<text>(?:[^'\\]|''|\\.)*+)'|[^,']*+)[^,]*+(?:,|$)""")
_SECRET = lazy_re(
    r"(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|_key|apikey|credentials?)(?:_plain)?$",
    re.IGNORECASE,
)


def _sql_secrets(text: str, places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each secret in the SQL INSERT statements of a text. `places` are the
    positions where the word `values` begins."""
    for at in places:
        start = text.rfind("(", max(at - _WIDE, 0), at)
        found = _NAMES.match(text, start) if start >= 0 else None
        if found is None or found.start("values") != at:
            continue
        names = [name.strip(' \t\n`"[]') for name in found["names"].split(",")]
        held = frozenset(number for number, name in enumerate(names) if _SECRET.search(name))
        if held:
            yield from _sql_row_secrets(text, found.end(), held, len(names))


def _sql_row_secrets(
    text: str, at: int, held: frozenset[int], size: int
) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each secret in the rows of an INSERT statement, which begin at position
    `at`. `held` are the numbers of the columns with secrets; `size` is the number of all columns.
    """
    while (row := _ROW.match(text, at)) is not None:
        values = list(_VALUE.finditer(text, row.start("row"), row.end("row")))
        values = [one for one in values if one.end() > one.start()]
        if len(values) != size:
            return
        for number in held:
            value = values[number]["text"]
            if (
                value
                and " " not in value
                and (is_random_looking(value, 0.14, 7) or is_hand_made(value))
            ):
                yield values[number].span("text")
        at = row.end()
