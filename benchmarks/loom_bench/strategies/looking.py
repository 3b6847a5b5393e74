"""How a model finds its way back in Loom: names that a request shows, answers of Loom's tools."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import loom
from loom.context.inputs import own_answer
from loom.inputs import Reply, ToolCall
from loom.providers.render.message import Message
from loom_bench.sessions.needle import message_texts

NAME = re.compile(r"\boutputs/[\w.-]*\w|\b[a-z]+_\d{4,}\b")

Ways = Mapping[str, Any]


def would_answer(context: loom.Context, tool: str, arguments: Ways) -> str:
    """The result of a call of one of Loom's tools as it would enter the window; nothing is
    committed."""
    engine = context._engine
    call = ToolCall("asked", tool, json.dumps(arguments, ensure_ascii=False))
    step = engine.ingest.reply(
        Reply((call,)), engine.window.history.next_id, engine.room.share(engine.window)
    )
    returned, *_ = own_answer(engine, engine.edits(), step, engine.tools[tool], call)
    return returned.outcome.text.body or ""


def named_in(request: Sequence[Message]) -> Iterator[tuple[str, str]]:
    """(line, name) for every name of a page or an entry that a line of the request shows."""
    for text in message_texts(request):
        for match in NAME.finditer(text):
            start = text.rfind("\n", 0, match.start()) + 1
            end = text.find("\n", match.end())
            yield text[start : end if end >= 0 else len(text)], match[0]
