"""Tables of the benchmarks: they fit the terminal, whatever they hold."""

from __future__ import annotations

import io

from rich.cells import cell_len
from rich.console import Console

from benchmarks.show import draw
from loom_bench.tables import table
from tests.kit.cases import all_cases


def drawn(heads: list[str], rows: list[list[object]], width: int) -> list[str]:
    """The lines of a table on a terminal so wide."""
    console = Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None)
    draw(table("Figures", heads, rows), console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


def test_a_table_that_fits_is_one() -> None:
    """Nothing is divided that has room."""
    lines = drawn(["kind", "loom"], [["right", 1.0]], 80)
    assert sum("Figures" in line for line in lines) == 1 and "(1 of" not in "".join(lines)


@all_cases("width", [40, 80, 100])
@all_cases("columns", [2, 7, 12])
def test_a_wide_table_is_divided(width: int, columns: int) -> None:
    """No line is wider than the terminal, every figure is there whole, under its head."""
    heads = ["strategy", *(f"shown as resolved{n}" for n in range(columns))]
    rows: list[list[object]] = [[name, *range(10_000, 10_000 + columns)] for name in ("a", "b")]
    rows.append(
        ["a name of a row that is long, and longer than any half of a terminal", *rows[0][1:]]
    )
    lines = drawn(heads, rows, width)
    assert max(map(cell_len, lines)) <= width
    text = "\n".join(lines)
    assert all(text.count(str(10_000 + n)) == 3 and f"resolved{n}" in text for n in range(columns))


def test_a_cell_that_is_too_wide_is_folded() -> None:
    """A sentence in a table takes several lines, and loses nothing."""
    said = " ".join(f"word{n}" for n in range(60))
    lines = drawn(["what", "said"], [["x", said]], 80)
    assert max(map(cell_len, lines)) <= 80
    assert all(f"word{n}" in "".join(lines) for n in range(60))
