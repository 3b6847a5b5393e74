"""A provider on the loopback whose model a test scripts, and that refuses what is unlawful.

The server of `tests/providers/serving` (four APIs by their own paths, streamed or whole, the
providers' real errors, a token limit, a prompt cache, a record of all exchanges) with a model that
is a function: `script(messages, step)` gets the list of the request as it was sent, and the number
of replies this API key was given whole; it returns `said(...)`, or a text. A request that is made
again after a broken stream or a refusal gets the same reply, with the same ids.

    with ScriptedServer(lambda messages, step: said("", ("read", {"path": "a.py"}))) as server:
        client = openai.OpenAI(base_url=server.v1, api_key="any", max_retries=0)

A test asserts `server.refused == []`: each is an `Exchange` with its body, status and answer. What
the laws of `loom_bench.laws` found stands in `faults`.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

from tests.providers.serving.api import Turn
from tests.providers.serving.script import Call, Line, Tool
from tests.providers.serving.server import Server

Wire = dict[str, Any]
# The messages of a request and the number of the step, to what the model says.
Scripted = Callable[[list[Wire], int], Line | str]
LISTS = {"chat": "messages", "responses": "input", "messages": "messages", "gemini": "contents"}


def said(text: str, *calls: tuple[str, Mapping[str, Any] | str], thought: str = "") -> Line:
    """A reply: its text, its calls as (tool, arguments), what was thought before them."""
    made = (
        Call("", name, given if isinstance(given, str) else json.dumps(given))
        for name, given in calls
    )
    return Line(thought, text, tuple(made), final=not calls)


class ScriptedServer(Server):
    """The server with a script for a model; arguments beside it are those of `Server`.

    `url` is its address, `v1` the base of OpenAI's client; `limit` its context length in tokens,
    `too_long` how it says so. `break_next`, `fail_next`, `exchanges`, `refused`, `accepted`: there.
    """

    def __init__(self, script: Scripted, **server: Any) -> None:
        self._scripted = script
        self._asked: tuple[str, list[Wire]] = ("", [])
        super().__init__(**server)
        self.script: Any = self  # whoever has `line` is one

    @property
    def v1(self) -> str:
        """The base of OpenAI's client."""
        return f"{self.url}/v1"

    @property
    def bodies(self) -> list[Wire]:
        """The requests that were answered whole, in their order."""
        return [exchange.body for exchange in self.accepted if exchange.whole]

    def line(self, step: int, tools: Sequence[Tool], *, broken: bool) -> Line:
        """What the model says to the request that is being answered."""
        key, messages = self._asked
        line = self._scripted(messages, step)
        if isinstance(line, str):
            return said(line)
        ids = (
            hashlib.sha256(f"{key}/{step}/{number}".encode()).hexdigest()[:24]
            for number in range(len(line.calls))
        )
        calls = (call._replace(id=id) for call, id in zip(line.calls, ids, strict=True))
        return line._replace(calls=tuple(calls))

    def _turn(self, api: str, key: str, body: Any, model: str, streamed: bool) -> Turn:
        given = body.get(LISTS[api])
        listed = given if isinstance(given, list) else [{"role": "user", "content": given}]
        self._asked = key, listed
        return super()._turn(api, key, body, model, streamed)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.stop()
