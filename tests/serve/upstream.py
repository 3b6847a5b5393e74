"""A provider on the loopback, behind starlette and uvicorn, that real coding agents can talk to.

It speaks Anthropic's Messages, and OpenAI's Chat Completions and Responses, streamed or whole. What
it says is scripted: `script(request, n)` gets the request as it was recorded and the number of
model requests before it, and returns a text, a `Line` (see `said`), an `Answer` (the same with
usage, a cut, or a slow stream) or a `Refused`.

    ls = said("", ("Bash", {"command": "ls"}))
    with Upstream(lambda request, n: ls if n < 3 else "Done.") as up:
        claude(up.url, home, "look around")
        assert not up.faults and len(up.asked) == 4

Requests that break a law of `loom_bench.laws` are refused with the provider's own error
and noted in `faults`. Fields the laws do not know are let through.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from typing import Any, NamedTuple, Self

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from loom.serve.running import bind_port
from loom_bench.laws import broken
from tests.kit.scripted_server import said
from tests.providers.serving import (
    chat_replies,
    messages_replies,
    messages_wording,
    openai_errors,
    responses_replies,
)
from tests.providers.serving.api import Asked, Turn, Usage
from tests.providers.serving.prompt import Prompt, Unit
from tests.providers.serving.script import Line
from tests.serve.proxied import PromptServer

# By path: the format whose laws hold, what makes the replies, the provider's wording of an error.
APIS: dict[str, tuple[str, Any, Any]] = {
    "/v1/messages": ("anthropic", messages_replies, messages_wording.refused),
    "/v1/chat/completions": ("openai", chat_replies, openai_errors.refused),
    "/v1/responses": ("responses", responses_replies, openai_errors.refused),
}
COUNT = "/v1/messages/count_tokens"
# A tool of a namespace is scripted as `namespace.tool`; Responses sends the two apart.
SPACED = re.compile(r'"name": "(\w+)\.(\w+)"')
MID_SYSTEM = "mid-conversation-system"


class Recorded(NamedTuple):
    """A request as it came: header names in lower case, the body parsed ({} for none)."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: dict[str, Any]
    size: int  # bytes of the body

    @property
    def tools(self) -> list[str]:
        """The names of the tools it offers; a tool of the provider's own by its type."""
        named = (tool.get("function", tool) for tool in self.body.get("tools") or ())
        return [str(tool.get("name") or tool.get("type")) for tool in named]


class Answer(NamedTuple):
    """A reply and how it is delivered.

    `usage` is (prompt tokens, reply tokens) to report, by default a quarter of the bytes. The
    connection breaks after `cut` events of a stream; each event waits for `pause` seconds.
    """

    line: Line
    usage: tuple[int, int] | None = None
    cut: int | None = None
    pause: float = 0.0


class Refused(NamedTuple):
    """An error in place of a reply."""

    status: int
    body: Any
    headers: dict[str, str] | None = None


Scripted = Callable[[Recorded, int], "Answer | Refused | Line | str"]


class CutStream(Exception):
    """Ends a response in its middle: the server closes the connection on it."""


def too_long(size: int, limit: int) -> Refused:
    """Anthropic's 400 for a prompt of `size` tokens where `limit` fit."""
    refusal = messages_wording.refused(f"prompt is too long: {size} tokens > {limit} maximum")
    return Refused(refusal.status, refusal.body)


def limited(seconds: int) -> Refused:
    """A rate limit that is over after so many seconds: 429 with `retry-after`."""
    error = {"type": "rate_limit_error", "message": "Number of requests has exceeded your limit"}
    return Refused(429, {"type": "error", "error": error}, {"retry-after": str(seconds)})


def overloaded() -> Refused:
    """Anthropic's 529."""
    error = {"type": "overloaded_error", "message": "Overloaded"}
    return Refused(529, {"type": "error", "error": error})


class Upstream:
    """The server, from `with` on. `url` is Anthropic's base, `v1` that of OpenAI's clients."""

    def __init__(self, script: Scripted) -> None:
        self.script = script
        self.requests: list[Recorded] = []
        self.faults: list[str] = []
        self._socket = bind_port(0)
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self.v1 = f"{self.url}/v1"
        app = Starlette(routes=[Route("/{path:path}", self._answer, methods=["GET", "POST"])])
        config = uvicorn.Config(app, log_level="critical", lifespan="off", ws="none")
        self._server = PromptServer(config, self._socket)

    def __enter__(self) -> Self:
        self._server.__enter__()
        return self

    def __exit__(self, *raised: object) -> None:
        self._server.force_exit = True
        self._server.__exit__()

    @property
    def asked(self) -> list[Recorded]:
        """The requests for a reply, in their order."""
        return [request for request in self.requests if request.path in APIS]

    async def _answer(self, request: Request) -> Response:
        data = await request.body()
        headers = dict(request.headers)
        path, query = request.url.path, request.url.query
        body = json.loads(data) if data else {}
        recorded = Recorded(request.method, path, query, headers, body, len(data))
        n = len(self.asked)
        self.requests.append(recorded)
        if path == COUNT:
            return JSONResponse({"input_tokens": len(data) // 4})
        if path not in APIS:
            return Response(status_code=200 if path == "/" else 404)
        format, _, refused = APIS[path]
        if found := broken(format, _plain(recorded, format)):
            self.faults += found
            refusal = refused("; ".join(found))
            return JSONResponse(refusal.body, refusal.status)
        answer = self.script(recorded, n)
        if isinstance(answer, Refused):
            return JSONResponse(answer.body, answer.status, answer.headers)
        if isinstance(answer, str):
            answer = said(answer)
        return _replied(recorded, answer if isinstance(answer, Answer) else Answer(answer), n)


def _plain(request: Recorded, format: str) -> dict[str, Any]:
    """The body without what this provider takes and the laws of a plain request do not know.

    Anthropic has a beta for messages of role "system" between the others; OpenAI takes an empty
    content beside calls.
    """
    body = request.body
    if format == "anthropic" and MID_SYSTEM in request.headers.get("anthropic-beta", ""):
        kept = [message for message in body["messages"] if message.get("role") != "system"]
        return {**body, "messages": kept}
    if format == "openai":
        return {**body, "messages": [_bare(message) for message in body["messages"]]}
    return body


def _bare(message: dict[str, Any]) -> dict[str, Any]:
    unsaid = message.get("tool_calls") and message.get("content") == ""
    return {**message, "content": None} if unsaid else message


def _replied(request: Recorded, answer: Answer, n: int) -> Response:
    replies = APIS[request.path][1]
    turn = _turn(request, answer, n)
    if not turn.asked.stream:
        return JSONResponse(replies.reply(turn))

    async def events() -> AsyncIterator[str]:
        for number, event in enumerate(replies.events(turn)):
            if number == answer.cut:
                raise CutStream
            await asyncio.sleep(answer.pause)
            yield SPACED.sub(r'"namespace": "\1", "name": "\2"', event)

    return StreamingResponse(events(), media_type="text/event-stream")


def _turn(request: Recorded, answer: Answer, n: int) -> Turn:
    """What the makers of replies work from. Ids are unique to the request's number."""
    body = request.body
    calls = (call._replace(id=f"{n:04}x{at}") for at, call in enumerate(answer.line.calls))
    line = answer.line._replace(calls=tuple(calls))
    prompt, output = answer.usage or (request.size // 4, len(repr(line)) // 4)
    # Signatures of thinking are sealed over the end of a prompt: the whole body stands for it.
    whole = Prompt([Unit("text", "user", body, ())])
    asked = Asked(str(body["model"]), whole, (), 0, bool(body.get("stream")), body)
    return Turn(asked, line, Usage(prompt, 0, 0, output), f"{n:06}", {})
