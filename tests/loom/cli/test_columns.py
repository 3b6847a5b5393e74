from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from loom.cli.columns import RankedColumn, RankedRow, middle, ranked_table
from tests.kit.cases import all_cases

COLUMNS = (RankedColumn("first", 2, "a"), RankedColumn("second", 0, "b"), RankedColumn("c", 1, "c"))
ROWS = (
    RankedRow("a-long-name-of-a-session", {"a": "1", "b": "22,222", "c": "333"}),
    RankedRow("  below", {"b": "4"}, dim=True),
)


def shown(width: int, rows: Sequence[RankedRow] = ROWS) -> list[str]:
    """The lines of the table at a width."""
    return [text.plain for text in ranked_table("session", COLUMNS, rows, width)]


def test_all_stands_where_there_is_room() -> None:
    """Every column in its order, figures to the right, names whole."""
    assert shown(80) == [
        "session                   first  second    c",
        "a-long-name-of-a-session      1  22,222  333",
        "  below                               4",
    ]


@all_cases("width", range(1, 60))
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    """Also with wide signs and what cannot be seen."""
    rows = (*ROWS, RankedRow("文字" * 9, {"a": "1"}), RankedRow("\x1b[31m" * 4, {}))
    lines = shown(width, rows)
    assert all(cell_len(text) <= width and text.isprintable() for text in lines)


@given(st.text(max_size=40), st.integers(0, 40))
def test_a_middle_keeps_both_ends(text: str, width: int) -> None:
    """A text that fits stays; another is as wide as may be, begins and ends as it did."""
    made = middle(text, width)
    assert cell_len(made) <= width
    if "…" in made and made not in text and width > 4:
        front, _, end = made.partition("…")
        assert cell_len(front) <= width and cell_len(end) <= width
