"""The scripted model: it sees a request and nothing else, and answers with the next calls.

Theory of operation ------------------- A script (`loom.cli.demo.script`) is a generator: it yields
a `Move` (what to say, what to call) and is sent what the calls brought, as `Seen`s. What it is sent
is read from the *rendered request*, as a model would: a result may stand there whole, as a preview
that names its page, as one line, or not at all. So the script's decisions (how many lines to ask
for next, what to grep, what to page in) follow from what the window shows, and the same window
always leads to the same reply.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Sequence
from typing import Any

from msgspec import Struct

from loom.inputs import Reply, Speech, ToolCall
from loom.lazy import lazy_re

REST = lazy_re(r"(?:rest in|→) (outputs/[\w.-]+\w)")  # how a window names a page


class Move(Struct, frozen=True):
    """One step: what the agent says and calls. No calls ends the session.

    `doing` is the number of the plan's item at hand; `note` replaces the scratchpad unless empty.
    """

    say: str
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    doing: int = 0
    note: str = ""


class SeenResult(Struct, frozen=True):
    """One result as the request shows it: its text, and the page that holds more ("" if whole)."""

    text: str
    page: str = ""
    gone: bool = False


Script = Generator[Move, tuple[SeenResult, ...], None]


class ScriptedAgent:
    """Plays a script, one reply a request."""

    def __init__(self, script: Callable[[], Script]) -> None:
        self._script = script()
        self._asked: tuple[str, ...] = ()
        self._count = 0
        self._started = False
        self.move = Move("")

    def reply(self, messages: Sequence[dict[str, Any]]) -> Reply:
        """The reply to a request in Chat Completions' shape."""
        if self._started:
            self.move = self._script.send(seen(messages, self._asked))
        else:
            self.move, self._started = next(self._script), True
        calls = []
        for name, arguments in self.move.calls:
            self._count += 1
            calls.append(ToolCall(f"call_{self._count:04d}", name, json.dumps(arguments)))
        self._asked = tuple(call.id for call in calls)
        return Reply((Speech(self.move.say), *calls))


def seen(messages: Sequence[dict[str, Any]], asked: Sequence[str]) -> tuple[SeenResult, ...]:
    """Return the results of those calls as a request shows them, newest messages first."""
    found: dict[str, SeenResult] = {}
    pages: list[str] = []
    for message in reversed(messages):
        text = str(message.get("content") or "")
        if message["role"] == "tool":
            rest = REST.search(text)
            found.setdefault(message["tool_call_id"], SeenResult(text, rest[1] if rest else ""))
        elif message["role"] == "user":
            pages += reversed(REST.findall(text))
    lost = SeenResult("", pages[0] if pages else "", gone=True)
    return tuple(found.get(id, lost) for id in asked)
