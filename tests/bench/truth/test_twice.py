"""Lines that stand twice: in two places of a request, and beyond those the transcript has."""

from collections.abc import Callable
from typing import Any

from loom_bench.truth.said import LinesTwice

LINE = "a line that is long enough to be told from others"
OTHER = "another line that stands nowhere but in its own place"


def test_once(court: Callable[..., Any]) -> None:
    """Distinct lines, short ones, the user's own and one twice in one block are no repetition."""
    made = court(LinesTwice())
    typed = made.user("what the user typed stands wherever the user typed it")
    read = made.call("Read", f"{LINE}\n}}\n{LINE}", file_path="/a/rather/long/path/of/a/file.py")
    again = made.call("Grep", f"{OTHER}\n}}", path="/a/rather/long/path/of/a/file.py")
    ruling = made.rule(typed, read, again, typed)
    assert ruling.sums["twice"] == 0
    assert ruling.sums["characters"] > 150


def test_twice_by_the_window(court: Callable[..., Any]) -> None:
    """A result shown again as text, numbered or quoted, counts once for each further place."""
    made = court(LinesTwice())
    read = made.call("Read", f"   1→{LINE}\n   2→{OTHER}", file_path="/a.py")
    ruling = made.rule(read, f"> {LINE}", f"  12→{LINE}")
    assert ruling.sums["twice"] == ruling.sums["again"] == 2 * len(LINE)
