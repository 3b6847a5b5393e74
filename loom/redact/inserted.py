"""Secrets in rows of SQL: `INSERT INTO users (name, password) VALUES ('bob', '…')`.

The names of the columns tell which of a row's values are secrets; rows follow until one has another
number of values.
"""

from __future__ import annotations

from collections.abc import Iterator

from loom.lazy import lazy_re
from loom.redact.likely import is_hand_made, is_made

_VALUES = lazy_re(r"values\s{0,8}\(")
_WIDE = 640  # characters of the names of columns, to the rows
_NAMES = lazy_re(r"\((?P<names>[^()'\n]{1,600}+)\)\s{0,8}values\s{0,8}(?=\()")
_ROW = lazy_re(r"\s{0,80}\((?P<row>(?:[^()']|'(?:[^'\\\n]|''|\\.){0,2000}+'){1,4000}+)\)\s{0,8},?")
_VALUE = lazy_re(r"""[ \n\t]*(?:[nNeE]?'(?P<text>(?:[^'\\]|''|\\.)*+)'|[^,']*+)[^,]*+(?:,|$)""")
_SECRET = lazy_re(
    r"(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|_key|apikey|credentials?)(?:_plain)?$"
)


def inserted(text: str, folded: str) -> Iterator[tuple[int, int]]:
    """The places of the made values in the columns of secrets; `folded`: it in small letters."""
    for rows in _VALUES.finditer(folded):
        start = folded.rfind("(", max(rows.start() - _WIDE, 0), rows.start())
        found = _NAMES.match(folded, start) if start >= 0 else None
        if found is None or found.end() != rows.end() - 1:
            continue
        names = [name.strip(' \t\n`"[]') for name in found["names"].split(",")]
        held = frozenset(at for at, name in enumerate(names) if _SECRET.search(name))
        if held:
            yield from _rows(text, found.end(), held, len(names))


def _rows(text: str, at: int, held: frozenset[int], size: int) -> Iterator[tuple[int, int]]:
    """The places of the made values in the rows that begin at `at`."""
    while (row := _ROW.match(text, at)) is not None:
        values = list(_VALUE.finditer(text, row.start("row"), row.end("row")))
        values = [one for one in values if one.end() > one.start()]
        if len(values) != size:
            return
        for number in held:
            value = values[number]["text"]
            if value and " " not in value and (is_made(value, 0.14, 7) or is_hand_made(value)):
                yield values[number].span("text")
        at = row.end()
