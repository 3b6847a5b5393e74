"""Loom as a strategy, and how a model finds its way back in it.

A model that misses something looks at the names that stand in the request beside the words it asks
with, and has the newest two read to it; else it recalls with its question. Each answer is the
tool's own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import loom
from loom.context.inputs import own_answer_records
from loom.inputs import Reply, ToolCall
from loom.policy import PRESETS
from loom.providers.render.message import Message
from loom.search.terms import sought_terms
from loom_bench.session import Wire
from loom_bench.sessions.needle import message_texts
from loom_bench.strategy import WindowBudget

NAME = re.compile(r"\boutputs/[\w.-]*\w|\b[a-z]+_\d{4,}\b")
NAMED = 2  # names that are asked for before a recall

Ways = Mapping[str, Any]


def would_answer(context: loom.Context, tool: str, arguments: Ways) -> str:
    """The result of a call of one of Loom's tools as it would enter the window; nothing is
    committed."""
    engine = context._engine
    call = ToolCall("asked", tool, json.dumps(dict(arguments), ensure_ascii=False))
    step = engine.ingest.reply(
        Reply((call,)), engine.window.history.next_id, engine.room.share(engine.window)
    )
    returned, *_ = own_answer_records(engine, engine.edits(), step, engine.tools[tool], call)
    return returned.outcome.text.body or ""


def named_in(request: Sequence[Message]) -> Iterator[tuple[str, str]]:
    """(line, name) for every name of a page or an entry that a line of the request shows."""
    for text in message_texts(request):
        for line in text.split("\n"):
            yield from ((line, match[0]) for match in NAME.finditer(line))


class LoomKeptWindow:
    """The window of Loom at one of its policies."""

    rescued = 0

    def __init__(self, budget: WindowBudget, preset: str) -> None:
        self._folder = TemporaryDirectory(prefix="loom-bench-")
        self._context = loom.open(
            Path(self._folder.name) / "workspace",
            window=budget.window,
            reply=budget.reply,
            policy=PRESETS[preset],
            durable=False,
        )
        self._turn: Any = None
        self.tools: list[Wire] = []

    def request(self, messages: Sequence[Wire]) -> list[Wire]:
        """The messages of the next request."""
        self._turn = self._context.sync(messages, "openai")
        sent = self._turn.request("openai")
        self.tools = list(sent.get("tools", ()))
        return list(sent["messages"])

    def ask(self, question: str) -> Iterator[str]:
        """Two names that stand beside words of the question, then a recall."""
        words = set(sought_terms(question).words)
        scored = [
            (len(words & set(sought_terms(line).words)), at, name)
            for at, (line, name) in enumerate(named_in(self._turn.messages))
        ]
        fitting = sorted((one for one in scored if one[0] * 2 >= len(words)), reverse=True)
        for name in list(dict.fromkeys(name for _, _, name in fitting))[:NAMED]:
            yield self.call("page_in", {"ref": name})
        yield self.call("recall", {"query": question})

    def call(self, tool: str, arguments: Ways) -> str:
        """What the tool answers; nothing is committed, so `note` and the like keep nothing."""
        return would_answer(self._context, tool, arguments)

    def close(self) -> None:
        """Close the workspace and remove it."""
        self._context.close()
        self._folder.cleanup()
