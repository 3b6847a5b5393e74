"""A strategy keeps the messages of an agent within a window. What a third party writes is this:

    def newest(budget):
        def shorten(messages):
            kept = list(messages)
            while budget.count(kept) > budget.room:
                del kept[0]
            return kept
        return shorten

It is called once for a session with the tokens it may use, and returns what makes the next request
of all messages so far, both lists of OpenAI's chat messages. A strategy from which the model can
get something back returns an object instead, with the method `request` and what it has of the rest
of `KeptWindow`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct

from loom_bench.session import Wire
from loom_bench.wires import WireReader

REPLY = 2_000  # tokens kept for the model's reply, at most
SHARE = 4  # of a window at most a quarter is kept for the reply

Shorten = Callable[[Sequence[Wire]], Sequence[Wire]]


class WindowBudget(Struct, frozen=True):
    """The tokens of a window. `room` is what a request may have, `reply` is kept for the reply."""

    window: int
    reply: int
    reader: WireReader

    @property
    def room(self) -> int:
        """Tokens of a request at most, its tools among them."""
        return self.window - self.reply

    def count(self, messages: Sequence[Wire], tools: Sequence[Wire] = ()) -> int:
        """Tokens of messages, and of tools declared beside them, as every strategy is counted."""
        return self.reader.count(messages, tools)


class KeptWindow(Protocol):
    """The window of one session. All but `request` may be left out.

    Where a real model calls these tools (`loom_bench.inspecting`), it is answered by the method
    `call(tool, arguments)`, a text, or without one by `ask`, with the texts of its arguments.
    """

    @property
    def tools(self) -> Sequence[Wire]:
        """Tools that it adds to the agent's, as they are declared; they count."""

    def request(self, messages: Sequence[Wire]) -> Sequence[Wire]:
        """The messages of the next request, of all messages so far."""

    def ask(self, question: str) -> Iterable[str]:
        """What a model gets that misses something and asks for it: the answers of calls of these
        tools, one after another. The question says what is missed, never the text itself."""

    def close(self) -> None:
        """Give back what it holds."""

    @property
    def rescued(self) -> int:
        """Requests that had to be mended, as a harness would, to be lawful at all."""


Strategy = Callable[[WindowBudget], "KeptWindow | Shorten"]


def budget_of(window: int, reader: WireReader) -> WindowBudget:
    """The budget of a window of so many tokens."""
    return WindowBudget(window, min(REPLY, window // SHARE), reader)


class OpenedStrategy:
    """A strategy in use: what it leaves out of KeptWindow is nothing."""

    def __init__(self, strategy: Strategy, budget: WindowBudget) -> None:
        self._kept: Any = strategy(budget)
        self._request: Any = getattr(self._kept, "request", self._kept)
        self.close: Callable[[], None] = getattr(self._kept, "close", lambda: None)

    @property
    def tools(self) -> list[Wire]:
        """The tools it adds."""
        return list(getattr(self._kept, "tools", ()))

    @property
    def rescued(self) -> int:
        """Requests it had to mend."""
        return int(getattr(self._kept, "rescued", 0))

    def request(self, messages: Sequence[Wire]) -> list[Wire]:
        """The messages of the next request."""
        return list(self._request(messages))

    def ask(self, question: str) -> Iterator[str]:
        """The answers to a question; none where nothing can be asked."""
        yield from self._kept.ask(question) if hasattr(self._kept, "ask") else ()

    def call(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """The answer of a call as a model made it, "" where there is none."""
        if hasattr(self._kept, "call"):
            return str(self._kept.call(tool, arguments))
        question = " ".join(one for one in arguments.values() if isinstance(one, str))
        return str(next(self.ask(question), ""))
