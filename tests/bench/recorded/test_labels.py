"""Labels read from beside a session, and resolved against its events."""

from collections.abc import Callable
from pathlib import Path

from loom_bench.recorded.labels import Label, far, needs_of
from tests.kit.cases import all_cases

Recording = Callable[..., Path]


@all_cases(
    ("label", "measured"),
    [
        (Label(1, "edit_old", "x", distance_tokens=8_000), False),
        (Label(1, "edit_old", "x", distance_tokens=8_001), True),
        (Label(1, "ident", "x", distance_tokens=9_000), True),
        (Label(1, "reread", "x", distance_tokens=9_000), False),
        (Label(1, "reread", "x", distance_tokens=9_000, same_content=True), True),
        (Label(1, "other", "x", distance_tokens=9_000), False),
    ],
)
def test_far(label: Label, measured: bool) -> None:
    """Only known kinds more than 8,000 tokens back are measured, rereads if nothing changed."""
    assert far(label) is measured


def test_needs_of(recording: Recording) -> None:
    """A need knows its reply, what held it and what names that; one nobody showed is left out."""
    session, needs = needs_of(recording(filler=2))
    [need] = needs
    assert session.events[need.at].index == 7
    [holder] = need.holders
    assert session.events[holder.at].index == 2
    assert holder.phrases == ("app/parser.go",)
    assert need.query == "/repo/app/parser.go"
