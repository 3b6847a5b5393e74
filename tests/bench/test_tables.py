"""Tables of the benchmarks: they fit the terminal, whatever they hold."""

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
