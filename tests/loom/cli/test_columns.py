from collections.abc import Sequence

from rich.cells import cell_len

from loom.cli.columns import RankedColumn, RankedRow, ranked_table
from tests.kit.cases import all_cases

COLUMNS = (RankedColumn("first", 2, "a"), RankedColumn("second", 0, "b"), RankedColumn("c", 1, "c"))
ROWS = (
    RankedRow("a-long-name-of-a-session", {"a": "1", "b": "22,222", "c": "333"}),
    RankedRow("  below", {"b": "4"}, dim=True),
)


def shown(width: int, rows: Sequence[RankedRow] = ROWS) -> list[str]:
    """The lines of the table at a width."""
    return [text.plain for text in ranked_table("session", COLUMNS, rows, width)]


@all_cases("width", range(1, 60))
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    """Also with wide signs and what cannot be seen."""
    rows = (*ROWS, RankedRow("文字" * 9, {"a": "1"}), RankedRow("\x1b[31m" * 4, {}))
    lines = shown(width, rows)
    assert all(cell_len(text) <= width and text.isprintable() for text in lines)
