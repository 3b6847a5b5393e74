"""Lines that stand twice: in two places of a request, and beyond those the transcript has."""

from collections.abc import Callable
from typing import Any

from loom_bench.truth.said import LinesTwice

LINE = "a line that is long enough to be told from others"
OTHER = "another line that stands nowhere but in its own place"


def test_twice_by_the_window(court: Callable[..., Any]) -> None:
    """A result shown again as text, numbered or quoted, counts once for each further place."""
    made = court(LinesTwice())
    read = made.call("Read", f"   1→{LINE}\n   2→{OTHER}", file_path="/a.py")
    ruling = made.rule(read, f"> {LINE}", f"  12→{LINE}")
    assert ruling.sums["twice"] == ruling.sums["again"] == 2 * len(LINE)
