"""A summary by whoever writes one: at FULL all but the newest RECENT gives way to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from loom_bench.session import Wire
from loom_bench.strategy import Shorten, WindowBudget

FULL, RECENT = 0.85, 0.2  # of the room: when a summary is made, what it leaves as it is
HEADING = "[Summary of the conversation so far]\n"

Write = Callable[[Sequence[Wire]], str]  # takes messages, returns a summary of them


def summarise(budget: WindowBudget, write: Write) -> Shorten:
    """The strategy `functools.partial(summarise, write=…)`: your model writes the summaries.

    `write` is given the summary before, as a message of the user, and what came since. Its answer
    is cut at an eighth of the room. Instructions of the harness stay at the head.
    """
    start, summary = 0, ""

    def shorten(messages: Sequence[Wire]) -> list[Wire]:
        nonlocal start, summary
        lead = next((at for at, one in enumerate(messages) if one["role"] != "system"), 0)
        start = max(start, lead)
        before = [{"role": "user", "content": HEADING + summary}] if summary else []
        sent = [*messages[:lead], *before, *messages[start:]]
        if budget.count(sent) <= FULL * budget.room:
            return sent
        recent = _recent(messages, start, budget)
        if recent == start:
            return sent
        summary = _cut(write([*before, *messages[start:recent]]), budget)
        start = recent
        made = {"role": "user", "content": HEADING + summary}
        return [*messages[:lead], made, *messages[start:]]

    return shorten


def _recent(messages: Sequence[Wire], start: int, budget: WindowBudget) -> int:
    """Where the newest messages begin that stay: RECENT of the room, no result without its call."""
    at, used = len(messages), 0
    while at > start and (used := used + budget.count([messages[at - 1]])) <= RECENT * budget.room:
        at -= 1
    while at < len(messages) and messages[at]["role"] == "tool":
        at += 1
    newest = len(messages) - 1
    while newest > start and messages[newest]["role"] == "tool":
        newest -= 1
    return min(at, newest)  # the last call and its results stay, whatever their size


def _cut(text: str, budget: WindowBudget) -> str:
    most = budget.room // 8
    while (size := budget.count([{"role": "user", "content": text}])) > most:
        text = text[: int(len(text) * most / size * 0.98)]
    return text
