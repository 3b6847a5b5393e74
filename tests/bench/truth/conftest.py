"""Sessions made by hand, told to a judge event by event, and requests cut from them."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from loom.inputs import Event, Reply, Result, Speech, ToolCall, User
from loom.providers.render.message import Message, TextBlock
from loom_bench.plain_list import message_of
from loom_bench.truth import FollowedSession
from loom_bench.truth.shown import Ruling, TranscriptJudge


class Court:
    """A judge, the session it follows, and the messages of that session."""

    def __init__(self, judge: TranscriptJudge) -> None:
        self._followed = FollowedSession(judge)
        self.messages: list[Message] = []
        self._calls = 0

    def take(self, *events: Event) -> slice:
        """Take in events; returns where their messages are."""
        start = len(self.messages)
        for event in events:
            self._followed.take(event)
            self.messages.append(message_of(event, {f"c{self._calls}": self._tool(event)}))
        return slice(start, len(self.messages))

    def call(self, name: str, result: str, *, error: bool = False, **given: Any) -> slice:
        """A reply of one call and its result."""
        self._calls += 1
        self._name = name
        call = ToolCall(f"c{self._calls}", name, json.dumps(given))
        return self.take(Reply((call,)), Result(call.id, result, error))

    def user(self, text: str) -> slice:
        """A message of the user."""
        return self.take(User(text))

    def says(self, text: str) -> slice:
        """A reply without a call."""
        return self.take(Reply((Speech(text),)))

    def rule(self, *parts: slice | str) -> Ruling:
        """The ruling on a request: messages of the session, and texts under the user's role."""
        request: list[Message] = []
        for part in parts:
            made = [Message("user", (TextBlock(part),))] if isinstance(part, str) else None
            request += made if made is not None else self.messages[part]
        return self._followed.rule(request)

    def _tool(self, event: Event) -> str:
        return self._name if isinstance(event, Result) else ""


@pytest.fixture
def court() -> Callable[[TranscriptJudge], Court]:
    """A court for a judge."""
    return Court
