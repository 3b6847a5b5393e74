"""What a strategy sends at a moment, and what it answers a model."""

from __future__ import annotations

from loom_bench.inspecting.questions import (
    NOTHING,
    SPENT,
    PressedSession,
    PressedWindow,
    request_at,
)
from loom_bench.moment import CALLS
from loom_bench.scenarios import session_of
from loom_bench.session import PUBLIC

WINDOW = 8_192
END = len(session_of("needle", 1, PUBLIC).messages)


def pressed(strategy: str) -> PressedSession:
    """One long session."""
    return PressedSession("needle", 1, PUBLIC, strategy, WINDOW)


def test_calls_of_looms_tools() -> None:
    """They are answered as the model made them, so many of them, each within its share."""
    names = {one["function"]["name"] for one in request_at(pressed("loom"), END).tools}
    assert {"page_in", "recall"} <= names
    window = PressedWindow(pressed("loom"), END)
    try:
        [fact] = [o for o in session_of("needle", 1, PUBLIC).obligations if "tax" in o.question]
        assert fact.value in window.call("recall", {"query": fact.question})
        assert window.call("page_in", {"ref": "outputs/nothing"})
        for _ in range(CALLS - 2):
            assert window.call("recall", {"query": "tax"}) != SPENT
        assert window.call("recall", {"query": fact.question}) == SPENT
        assert window.calls == CALLS
    finally:
        window.close()


def test_a_strategy_without_answers() -> None:
    """It says that there is nothing; a window that nobody asked is closed without being made."""
    window = PressedWindow(pressed("tail"), END)
    assert window.call("recall", {"query": "tax"}) == NOTHING
    window.close()
    PressedWindow(pressed("nobody"), END).close()
