"""What a strategy sends at a moment, and what it answers a model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from loom_bench.inspecting.questions import (
    NOTHING,
    SPENT,
    PressedSession,
    PressedWindow,
    request_at,
)
from loom_bench.moment import CALLS, SHARE
from loom_bench.scenarios import session_of
from loom_bench.session import PUBLIC
from loom_bench.strategy import OpenedStrategy, budget_of
from loom_bench.wires import WireReader

WINDOW = 8_192
END = len(session_of("needle", 1, PUBLIC).messages)


def pressed(strategy: str) -> PressedSession:
    """One long session."""
    return PressedSession("needle", 1, PUBLIC, strategy, WINDOW)


class Answering:
    """A window that tells what it is asked, at length."""

    def request(self, messages: Any) -> Any:
        """All."""
        return messages

    def ask(self, question: str) -> Iterator[str]:
        """The question, often."""
        yield f"{question} " * 5_000


def test_a_request_is_lawful_and_within_the_window() -> None:
    """Of a session ten times as large; the same object for every question about it."""
    request = request_at(pressed("tail"), END)
    assert request.refused == [] and request.tools == [] and request.messages
    assert WireReader().count(request.messages) <= budget_of(WINDOW, WireReader()).room
    assert request_at(pressed("tail"), END) is request


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


def test_an_answer_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """To a share of the room, as `loom bench run` cuts it; the texts of a call are the question."""
    window = PressedWindow(pressed("tail"), END)
    budget = budget_of(WINDOW, WireReader())
    monkeypatch.setattr(window, "_opened", OpenedStrategy(lambda _: Answering(), budget))
    answer = window.call("search", {"query": "port of", "in": "the gateway", "lines": 3})
    assert answer.startswith("port of the gateway port of the gateway")
    assert budget.room // SHARE // 2 < budget.reader.meter.text(answer) <= budget.room // SHARE
