"""The loopback server: four APIs on one port, a scripted model behind them, a record of it all.

Whether a request is lawful the laws of `loom_bench.laws` say; that the reasoning in it
was thought here, after the very same words, the rules of each API.

A session is an API key. Its place in the script, its prompt cache and the ids it was given are the
server's; everything else a reply is made from stands in the request. A step is over when its reply
was delivered to the last byte, so an aborted stream is answered the same way again.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection
from threading import Lock, Thread
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from loom_bench.laws import broken
from tests.providers.serving import (
    chat_replies,
    chat_rules,
    gemini_replies,
    gemini_rules,
    messages_replies,
    messages_rules,
    responses_replies,
    responses_rules,
)
from tests.providers.serving.api import Asked, Refusal, Turn, Usage
from tests.providers.serving.caching import Cache
from tests.providers.serving.gemini_rules import refused as google_refused
from tests.providers.serving.messages_wording import refused as anthropic_refused
from tests.providers.serving.openai_errors import refused as openai_refused
from tests.providers.serving.prompt import tokens_of
from tests.providers.serving.script import Script
from tests.providers.serving.wire import Http

GOOGLE = re.compile(r"/v1(?:beta)?/models/([^/:]+):(generateContent|streamGenerateContent)")
PATHS = {"/v1/chat/completions": "chat", "/v1/responses": "responses", "/v1/messages": "messages"}
RULES: dict[str, Any] = {
    "chat": chat_rules,
    "responses": responses_rules,
    "messages": messages_rules,
    "gemini": gemini_rules,
}
# The format whose laws hold, and the wording of a refusal.
LAWS: dict[str, tuple[str, Any]] = {
    "chat": ("openai", openai_refused),
    "responses": ("responses", openai_refused),
    "messages": ("anthropic", anthropic_refused),
    "gemini": ("gemini", google_refused),
}
REPLIES: dict[str, Any] = {
    "chat": chat_replies,
    "responses": responses_replies,
    "messages": messages_replies,
    "gemini": gemini_replies,
}


class Exchange(NamedTuple):
    """One request and what became of it. `tokens` and `read` are the server's own count."""

    api: str
    key: str
    body: dict[str, Any]
    status: int
    answer: Any
    tokens: int = 0
    read: int = 0
    streamed: bool = False
    whole: bool = True


class Session:
    """What the server keeps of one API key."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.step = 0
        self.cache = Cache()
        self.items: dict[str, Any] = {}


class Server:
    """Four providers on 127.0.0.1. Context limit and count as given; `url` once it is made. Its
    count of a prompt is `hidden + ratio x (o200k tokens)`; a request whose count and reply limit
    together exceed `limit` is refused: `too_long` is "stated", "unstated" or "413"."""

    def __init__(
        self,
        *,
        limit: int = 10**9,
        ratio: float = 1.0,
        hidden: int = 0,
        too_long: str = "stated",
        seed: object = 0,
        steps: int = 5,
        avoid: Collection[str] = (),
        rare: Collection[str] = (),
    ) -> None:
        self.limit, self.ratio, self.hidden, self.too_long = limit, ratio, hidden, too_long
        self.script = Script(str(seed), steps, tuple(avoid), tuple(rare))
        self.exchanges: list[Exchange] = []
        self.faults: list[str] = []  # what the laws found
        self._sessions: dict[str, Session] = {}
        self._failures: list[tuple[int, Any]] = []
        self._breaks: list[tuple[int, bool]] = []
        self._lock = Lock()
        self._http = Http(self)
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        self._thread = Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def fail_next(self, status: int, body: Any) -> None:
        """Answer the next request with this error, whatever it asks."""
        self._failures.append((status, body))

    def break_next(self, events: int, *, clean: bool = False) -> None:
        """End the next streamed reply after that many events: hang up, or (`clean`) just end."""
        self._breaks.append((events, clean))

    @property
    def refused(self) -> list[Exchange]:
        """The requests that were refused."""
        return [exchange for exchange in self.exchanges if exchange.status >= 400]

    @property
    def accepted(self) -> list[Exchange]:
        """The requests that were answered."""
        return [exchange for exchange in self.exchanges if exchange.status < 400]

    @property
    def reuse(self) -> float:
        """The share of prompt tokens that came from the prompt cache."""
        total = sum(exchange.tokens for exchange in self.accepted)
        return sum(exchange.read for exchange in self.accepted) / max(total, 1)

    def stop(self) -> None:
        """Close every connection and wait for their threads."""
        self._http.shutdown()
        self._http.hang_up()
        self._http.server_close()
        self._thread.join()

    # One request

    def answer(self, path: str, headers: Any, data: bytes) -> tuple[Exchange, Turn | None]:
        """What became of a request, and the turn to answer (None when it was refused)."""
        api, model, streamed = _route(path)
        key, body = "", {}
        try:
            key = _key(api, headers)
            body = _parsed(api, data)
            if self._failures:
                raise Refusal(*self._failures.pop(0))
            with self._lock:
                turn = self._turn(api, key, body, model, streamed)
        except Refusal as refusal:
            return self._recorded(Exchange(api, key, body, refusal.status, refusal.body)), None
        usage = turn.usage
        exchange = Exchange(api, key, body, 200, None, usage.total, usage.read, turn.asked.stream)
        return exchange, turn

    def _turn(self, api: str, key: str, body: Any, model: str, streamed: bool) -> Turn:
        session = self._sessions.setdefault(key, Session(self.script))
        format, refused = LAWS[api]
        form = gemini_rules.lawful_form(body, model) if api == "gemini" else body
        if found := broken(format, form):
            self.faults += found
            raise refused("; ".join(found))
        asked: Asked = RULES[api].read(body, model, session.items)
        asked = asked._replace(stream=asked.stream or streamed)
        count = self.hidden + round(self.ratio * asked.prompt.tokens)
        if count + asked.most > self.limit:
            raise self._too_long(api, asked, count)
        session.items.setdefault("bound", set()).update(asked.bound)
        line = session.script.line(session.step, asked.tools, broken=REPLIES[api].BROKEN)
        read, write = session.cache.used(asked.prompt, marks=api == "messages")
        scale = count / max(asked.prompt.tokens, 1)
        said = (line.thought, line.text, *(call.arguments for call in line.calls))
        usage = Usage(count, int(read * scale), int(write * scale), sum(map(tokens_of, said)))
        name = hashlib.sha256(f"{key}/{session.step}".encode()).hexdigest()[:16]
        return Turn(asked, line, usage, name, session.items)

    def _too_long(self, api: str, asked: Asked, count: int) -> Refusal:
        if self.too_long == "413":
            return Refusal(413, "Request Entity Too Large")
        stated = self.too_long == "stated"
        refusal: Refusal = RULES[api].too_long(asked, count, self.limit, stated=stated)
        return refusal

    def replies(self, exchange: Exchange) -> Any:
        """What makes the replies of this exchange's API."""
        return REPLIES[exchange.api]

    def delivered(self, exchange: Exchange, answer: Any, *, whole: bool = True) -> None:
        """Note a reply that was sent; only a whole one ends the step."""
        with self._lock:
            if whole:
                self._sessions[exchange.key].step += 1
        self._recorded(exchange._replace(answer=answer, whole=whole))

    def breaking(self) -> tuple[int, bool]:
        """After how many events this stream is to break (-1 for never), and whether cleanly."""
        return self._breaks.pop(0) if self._breaks else (-1, False)

    def _recorded(self, exchange: Exchange) -> Exchange:
        self.exchanges.append(exchange)
        return exchange


def _route(path: str) -> tuple[str, str, bool]:
    parts = urlsplit(path)
    if google := GOOGLE.fullmatch(parts.path):
        return "gemini", google[1], google[2] == "streamGenerateContent"
    return PATHS.get(parts.path, ""), "", False


def _key(api: str, headers: Any) -> str:
    """The API key, from where each provider has it; raises Refusal without one."""
    if not api:
        raise openai_refused("Invalid URL", status=404)
    key = (headers.get("authorization") or "").removeprefix("Bearer ")
    missing = openai_refused("You didn't provide an API key.", status=401)
    if api == "messages":
        key = headers.get("x-api-key") or key
        missing = anthropic_refused("x-api-key header is required", "authentication_error", 401)
        if not headers.get("anthropic-version"):
            raise anthropic_refused("anthropic-version: header is required")
    elif api == "gemini":
        key = headers.get("x-goog-api-key") or ""
        missing = google_refused(
            "Method doesn't allow unregistered callers", 403, "PERMISSION_DENIED"
        )
    if not key:
        raise missing
    return key


def _parsed(api: str, data: bytes) -> dict[str, Any]:
    try:
        body = json.loads(data)
    except ValueError as error:
        raise openai_refused("We could not parse the JSON body of your request.") from error
    return body if isinstance(body, dict) else {}
