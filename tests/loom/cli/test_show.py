import io
import json
from collections.abc import Sequence

import pytest
from rich.cells import cell_len

from loom.cli.columns import RankedColumn, RankedRow, ranked_table
from loom.cli.show import bar, emit, line
from tests.kit.cases import all_cases


def test_a_stream_without_the_signs_gets_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines and JSON are written to an ASCII stream without an error, and lose no meaning."""
    raw = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(raw, encoding="ascii"))
    line("ρ 0.83 → é " + bar(0.5, 2))
    emit({"ρ": "→\ud800"})
    import sys

    sys.stdout.flush()
    first, _, rest = raw.getvalue().decode("ascii").partition("\n")
    assert first == "rho 0.83 -> ? #."
    assert json.loads(rest) == {"ρ": "→\ud800"}


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
