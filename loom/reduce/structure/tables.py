"""Tables as text: CSV, TSV, Markdown, columns aligned with blanks.

What stays: the header, the first and last rows, the rows with the least and the greatest value of
each numeric column, rows that fail, are rare or match the objective, and under them, for every
column, its range or its commonest values, counted over all rows.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct

from loom.lazy import lazy_re
from loom.reduce.lines import counted
from loom.reduce.structure.dialects import NUMBER, SAMPLE, dialect_of, rows_of
from loom.reduce.structure.lines.excerpt import NUMBERS, CandidateLine, excerpt, split
from loom.reduce.structure.lines.line_templates import mask
from loom.reduce.structure.relevance import ERROR, Fields, Objective, narrowed, severity
from loom.text import cut, one_line

VALUES = 200  # different values of a column that are counted
ODD = 30  # rows shown for a rare value
RARE = 50  # one row in so many is rare
NAMED = 4  # values of a column that are named
COLUMNS = 60  # columns that are told
CELL = 24  # characters of a value

_PLAIN = lazy_re(r"[-+]?[\d.]+(?:[eE][-+]?\d+)?")


class Column(Struct):
    """Statistics of a column. Rows are counted from 1, the header not among them."""

    name: str
    numeric: bool
    numbers: int = 0
    least: float = math.inf
    greatest: float = -math.inf
    at: tuple[int, int] = (0, 0)
    told: tuple[str, str] = ("", "")
    values: Counter[str] = Counter()
    crowded: bool = False


def reduce_table(text: str, limit: int, ref: str, objective: Objective) -> str | None:
    """The telling rows of a table and the counts of its columns; None when it is no table."""
    lines = split(text)
    dialect = dialect_of(lines[: 4 * SAMPLE])
    if dialect is None:
        return None
    rows = list(rows_of(lines, dialect))
    if len(rows) < 3:
        return None
    header = [one_line(cell.strip(), 40) for cell in rows[0][1]]
    columns = _measure(header, rows[1:])
    what = (
        f"table ({dialect.name}) of {len(rows) - 1:,} rows, {len(header)} columns, "
        f"{len(text):,} characters"
    )
    closing = _closing(columns, len(rows) - 1, limit * 2 // 5, objective)
    found = _candidates(lines, rows, columns, objective)
    return excerpt(found, what, limit, ref, NUMBERS, closing)


def _measure(header: Sequence[str], rows: Sequence[tuple[int, list[str]]]) -> list[Column]:
    """The ranges and values of the columns over all rows."""
    sample = [row for _, row in rows[:: max(1, len(rows) // SAMPLE)]]
    columns = []
    for at, name in enumerate(header[:COLUMNS]):
        cells = [row[at].strip() for row in sample if at < len(row) and row[at].strip()]
        numeric = sum(bool(NUMBER.match(cell)) for cell in cells)
        columns.append(
            Column(
                name or f"column {at + 1}", numeric * 5 >= 4 * max(1, len(cells)), values=Counter()
            )
        )
    # Column by column, because counting and converting a list is one call.
    for at, column in enumerate(columns):
        cells = [row[at].strip() if at < len(row) else "" for _, row in rows]
        column.values = Counter(cells)
        column.crowded = len(column.values) > VALUES
        if column.crowded:
            column.values = Counter()
        if column.numeric:
            _range(column, cells)
    return columns


def _range(column: Column, cells: Sequence[str]) -> None:
    """The least and the greatest number of a column, and their rows."""
    numbers = [_value(cell) for cell in cells]
    told = [value for value in numbers if value is not None]
    if told:
        column.numbers, column.least, column.greatest = len(told), min(told), max(told)
        least, greatest = numbers.index(column.least), numbers.index(column.greatest)
        column.at = (least + 1, greatest + 1)
        column.told = (cells[least], cells[greatest])


def _value(cell: str) -> float | None:
    """The number a cell starts with, in its unit, or None."""
    try:
        value = float(cell)
        return value if math.isfinite(value) else None
    except ValueError:
        found = NUMBER.match(cell) and _PLAIN.search(cell.replace(",", "").replace("_", ""))
    try:
        return float(found[0]) if found else None
    except ValueError:
        return None


def _candidates(
    lines: Sequence[str],
    rows: Sequence[tuple[int, list[str]]],
    columns: Sequence[Column],
    objective: Objective,
) -> Iterator[CandidateLine]:
    """The rows that may be shown, some of them for several reasons."""
    starts = [at for at, _ in rows]

    def line(row: int, worth: float, note: str = "") -> CandidateLine:
        return CandidateLine(starts[row] + 1, lines[starts[row]], worth, note)

    last = len(starts) - 1
    yield line(0, 100)
    for row in range(1, min(last, 40) + 1):
        yield line(row, 90 - 2 * row)
    for again in range(min(3, last)):
        yield line(last - again, 86 - 4 * again)
    for rank, column in enumerate(sorted(columns, key=_plainness)):
        if column.numeric and column.numbers > 1 and column.least < column.greatest:
            name = cut(column.name, CELL)
            yield line(column.at[0], 95 - 2 * rank, f"  [least {name}]")
            yield line(column.at[1], 96 - 2 * rank, f"  [greatest {name}]")
    odd = 0
    for at, noun, few in _rare(columns, last):
        for row in range(1, last + 1):
            cells = rows[row][1]
            cell = cells[at].strip() if at < len(cells) else ""
            if odd < ODD and (cell if noun == "value" else mask(cell)) in few:
                yield line(row, 87 - 2.0 * odd)
                odd += 1
    objective = narrowed(objective, lines)
    failing = matched = 0
    for row in range(1, last + 1):
        told = lines[starts[row]]
        if objective.words and (score := objective.matches(told)):
            yield line(row, max(92 + min(score, 4) - 1.5 * matched, 10.0))
            matched += 1
        if failing < 60 and row < 50_000 and severity(told[:300]) == ERROR:
            yield line(row, 80 - 3.0 * failing)
            failing += 1


def _plainness(column: Column) -> int:
    """Columns of measured values before counters and identifiers, which are all different."""
    return int(column.crowded and column.greatest - column.least + 1 == column.numbers)


def _closing(columns: Sequence[Column], rows: int, room: int, objective: Objective) -> str:
    """One line for each column that fits: its range, or its commonest values."""
    fields = Fields(objective)
    ranked = sorted(range(len(columns)), key=lambda at: (-fields.worth(columns[at].name), at))
    told: dict[int, str] = {}
    left = room - len("columns:\n")
    apart: list[str] = []  # columns in which every row is different
    for at in ranked:
        line = _told(columns[at], rows)
        if not line:
            apart.append(cut(columns[at].name, 40))
        elif len(line) + 3 <= left:
            told[at] = "  " + line
            left -= len(line) + 3
    lines = [told[at] for at in sorted(told)]
    different = f"  all or mostly different: {', '.join(apart)}"
    if apart and len(different) <= left:
        lines.append(different)
    return "\n".join(["columns:", *lines]) if lines else ""


def _told(column: Column, rows: int) -> str:
    """`price: 0.99 to 1,999 in 1,200 numbers`, `status: 3 values: open 10, …`; "" for nothing."""
    name = cut(column.name, 40)
    if column.numeric and column.numbers:
        least, greatest = (cut(cell, CELL) for cell in column.told)
        return f"{name}: {least} to {greatest} in {column.numbers:,} numbers"
    if column.crowded:
        return ""
    noun, values = _categories(column, rows)
    if len(values) * 2 > rows:
        return ""
    common = values.most_common(NAMED)
    counts = ", ".join(f"{one_line(value, CELL) or '(empty)'} {times:,}" for value, times in common)
    more = ", …" if len(values) > NAMED else ""
    return f"{name}: {counted(len(values), noun)}: {counts}{more}"


def _categories(column: Column, rows: int) -> tuple[str, Counter[str]]:
    """The values of a column, or what they look like (`Up # hours`) when most differ."""
    if len(column.values) * 4 <= rows:
        return "value", column.values
    forms: Counter[str] = Counter()
    for value, times in column.values.items():
        forms[mask(value)] += times
    return "form", forms


def _rare(columns: Sequence[Column], rows: int) -> Iterator[tuple[int, str, set[str]]]:
    """The columns of few values, whether these are values or forms, and the rare ones."""
    for at, column in enumerate(columns):
        if column.crowded or column.numeric:
            continue
        noun, values = _categories(column, rows)
        few = {value for value, times in values.items() if times <= max(1, rows // RARE)}
        if few and 1 < len(values) <= 12 and len(few) < len(values):
            yield at, noun, few
