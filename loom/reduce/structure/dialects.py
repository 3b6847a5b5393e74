"""Table dialects: rows and cells parted by commas, tabs, pipes, or blanks."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence

from msgspec import Struct

from loom.lazy import lazy_re

SAMPLE = 60  # rows that tell how a text is parted

_GAP = lazy_re(r" {2,}|\t")
_RULE = lazy_re(r"\s*\|?[\s:|+=-]{3,}\|?\s*$")
NUMBER = lazy_re(r"[-+]?[$€£]?\d[\d,_]*(?:\.\d+)?(?:[eE][-+]?\d+)?\s?(?:%|[KMGT]i?B?|ms|s)?$")
_STAMP = lazy_re(r"\d{4}[-/.]\d\d[-/.]\d\d|\d\d:\d\d")


class Dialect(Struct, frozen=True):
    """How rows are parted: `mark` is a character, "|" for Markdown, "" for wide blanks."""

    name: str
    mark: str
    width: int


def dialect_of(lines: Sequence[str]) -> Dialect | None:
    """The dialect of a sample of lines that are a table with a header; else None."""
    sample = [line for line in lines if line.strip()][:SAMPLE]
    if len(sample) < 4:
        return None
    if all(line.lstrip().startswith("|") for line in sample) and _RULE.match(sample[1]):
        return Dialect("Markdown", "|", len(_cells(sample[0], "|")))
    for name, mark in (("CSV", ","), ("TSV", "\t"), ("CSV", ";")):
        rows = _sampled(sample, mark)
        width = len(rows[0]) if rows else 0
        # A last row may be cut by the sample.
        even = sum(len(row) == width for row in rows) + 1
        if (
            width > 1
            and len(rows) > 3
            and even * 10 >= 9 * len(rows)
            and _names(_parted(sample[0], mark))
        ):
            return Dialect(name, mark, width)
    return _aligned(sample)


def _aligned(sample: Sequence[str]) -> Dialect | None:
    """A table whose columns are parted by two blanks or, under a header in capitals, by one."""
    header = sample[0].strip()
    names, words = _GAP.split(header), header.split()
    capital = header == header.upper() and header != header.lower()
    if len(words) < 3 or len(header) > 300:
        return None
    parted = sum(abs(len(_GAP.split(line.strip())) - len(names)) < 2 for line in sample)
    if len(names) > 2 and (capital or len(names) > 3) and parted * 10 >= 8 * len(sample):
        return Dialect("aligned columns", "", len(names)) if _names(names) else None
    filled = sum(len(line.split()) >= len(words) for line in sample)
    if capital and filled * 10 >= 9 * len(sample):
        return Dialect("aligned columns", " ", len(words))
    return None


def _names(cells: Sequence[str]) -> bool:
    """True when cells can be the names of columns: short, different, no numbers."""
    told = [cell.strip().strip("\"'") for cell in cells]
    filled = [cell for cell in told if cell]
    if any(_STAMP.search(cell) for cell in filled):
        return False  # a log whose times have commas
    numbers = sum(bool(NUMBER.match(cell)) for cell in filled)
    short = all(len(cell) <= 60 and cell.count(" ") <= 4 for cell in told)
    return short and len(filled) * 2 > len(told) and not numbers and len(set(filled)) == len(filled)


def _sampled(sample: Sequence[str], mark: str) -> list[list[str]]:
    """The rows of a sample; quoted cells may go over several of its lines."""
    if not any('"' in line for line in sample):
        return [line.split(mark) for line in sample]
    try:
        lines = [line.replace("\0", " ") + "\n" for line in sample]
        return [row for row in csv.reader(lines, delimiter=mark) if row]
    except csv.Error:
        return []


def _parted(line: str, mark: str) -> list[str]:
    """The cells of one line of a sample."""
    if '"' not in line:
        return line.split(mark)
    try:
        return next(csv.reader([line], delimiter=mark), [])
    except csv.Error:
        return line.split(mark)


def _cells(line: str, mark: str, width: int = 0) -> list[str]:
    """The cells of a line that is parted by pipes or blanks."""
    if mark == "|":
        return [cell.strip() for cell in line.strip().strip("|").split("|")]
    if mark == " ":
        return line.split(None, max(0, width - 1))
    return _GAP.split(line.strip())


def rows_of(lines: Sequence[str], dialect: Dialect) -> Iterator[tuple[int, list[str]]]:
    """The rows with the place of the line each starts at; the header is the first.

    A quoted cell may go over several lines; quotes that never end are taken as they are.
    """
    if dialect.mark in (",", "\t", ";"):
        if '"' in "".join(lines[:1]) or any('"' in line for line in lines):
            yield from _quoted(lines, dialect.mark)
            return
        for at, line in enumerate(lines):
            if line.strip():
                yield at, line.split(dialect.mark)
        return
    for at, line in enumerate(lines):
        if line.strip() and not _RULE.match(line):
            yield at, _cells(line, dialect.mark, dialect.width)


def _quoted(lines: Sequence[str], mark: str) -> Iterator[tuple[int, list[str]]]:
    """Rows with quoted cells."""
    reader = csv.reader((line.replace("\0", " ") + "\n" for line in lines), delimiter=mark)
    before = 0
    while True:
        try:
            row = next(reader, None)
        except csv.Error:  # a cell beyond the limit of the reader
            row = [""]
        if row is None:
            return
        if any(cell.strip() for cell in row):
            yield before, row
        before = reader.line_num
