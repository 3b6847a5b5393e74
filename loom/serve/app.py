"""The proxy as an ASGI application."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
from anyio.to_thread import run_sync
from msgspec import json
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from loom.policy import Policy
from loom.providers.formats.wire import Wire
from loom.serve.chains import plain
from loom.serve.conversations import OWN, ServedConversations, SmallWindow, counter, offered
from loom.serve.dialects import ANTHROPIC, DIALECTS, Taken, WireApi
from loom.serve.exchange import ODD, Exchange
from loom.serve.forward import Upstream, answered, asking, error_body, json_object
from loom.serve.guard import LocalOnly
from loom.serve.identity import named
from loom.serve.kinds import Purpose, asked
from loom.text import one_line
from loom.version import VERSION

HEALTH = "/loom/health"
# Requests one cut makes room for: a client's tools and instructions stand in each of them too, so a
# prefix that is written anew is dear, and what is kept is a smaller part of what is sent.
SERVED = 16
COUNTED = ("main", "side", "summary", "other", "refused", "unmanaged")
UNBOUND = httpx2.Timeout(30.0, read=None)  # a model may think for long
METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]


class Proxy:
    """Answers requests of clients: a conversation's with its window, any other as it came."""

    def __init__(self, conversations: ServedConversations, upstream: Upstream) -> None:
        self._conversations = conversations
        self._upstream = upstream
        self.counts = dict.fromkeys(COUNTED, 0)

    async def __call__(self, request: Request) -> Response:
        """The answer to a request."""
        try:
            body = await request.body()
        except ClientDisconnect:
            return Response(status_code=499)
        dialect = DIALECTS.get(request.url.path) if request.method == "POST" else None
        try:
            async with AsyncExitStack() as stack:
                ready = await self._ready(request, dialect, body, stack)
                if ready is None:
                    return await self._passed(request, body)
                return await ready[0].answer(*ready[1], stack)
        except httpx2.TransportError as error:
            where = f"{self._upstream.base(_format(request))} cannot be asked ({error})"
            return _told(f"{where}: `loom serve --anthropic` and `--openai` name another", 502)
        except SmallWindow as error:
            self.counts["refused"] += 1
            return _told(error)

    async def _ready(
        self, request: Request, dialect: WireApi | None, body: bytes, stack: AsyncExitStack
    ) -> tuple[Exchange, tuple[Wire, int]] | None:
        """The exchange of a conversation's request, and what to send; None for a request that goes
        on as it came. Raises SmallWindow."""
        try:
            exchange = await self._exchange(request, dialect, body, stack)
            if exchange is None:
                return None
            made = await exchange.made()
        except SmallWindow:
            raise
        except (*ODD, OSError) as error:
            # A list that cannot be managed is the provider's to judge, not ours to refuse.
            self.counts["unmanaged"] += 1
            print(f"loom serve: passed on as it came: {one_line(str(error), 300)}", file=sys.stderr)
            return None
        self.counts[exchange.asked.kind.value] += 1
        return exchange, made

    async def _exchange(
        self, request: Request, dialect: WireApi | None, body: bytes, stack: AsyncExitStack
    ) -> Exchange | None:
        """The exchange of a conversation's request; None for any other."""
        given = json_object(body) if dialect is not None else None
        taken = dialect.take(given) if dialect is not None and given is not None else None
        if dialect is None or given is None or taken is None:
            self.counts["other"] += 1
            return None
        said, held = named(request.headers, given), self._conversations
        known = asked(request.headers, given, taken, held.knows_tools(said))
        if known.kind is Purpose.SIDE:
            self.counts["side"] += 1
            return None
        beside = _beside(request, dialect, given, taken)
        name = said or await run_sync(held.chains.name_of, taken.items, beside)
        fixed = await run_sync(dialect.fixed, given, taken, counter(given))
        opened = held.of(name, fixed, offered(given))
        conversation = await run_sync(opened.__enter__)
        stack.callback(opened.__exit__, None, None, None)
        chains = None if said else held.chains
        return Exchange(
            request, self._upstream, dialect, given, taken, known, fixed, conversation, chains,
            beside,
        )  # fmt: skip

    async def _passed(self, request: Request, body: bytes) -> Response:
        """The answer of the provider to a request as it came."""
        format = _format(request)
        response = await self._upstream.send(request, format, body)

        async def content() -> AsyncIterator[bytes]:
            try:
                async for data in response.aiter_raw():
                    yield data
            finally:
                await response.aclose()

        made = StreamingResponse(content(), response.status_code)
        made.raw_headers = [
            (name.encode("latin-1"), value.encode("latin-1")) for name, value in answered(response)
        ]
        return made

    async def health(self, request: Request) -> Response:
        """Answer with the version, the window and counts of requests; no name of a conversation."""
        held = self._conversations
        return JSONResponse(
            {
                "loom": VERSION,
                "window": held.window,
                "open": len(held.names),
                "requests": self.counts,
            }
        )


def _beside(request: Request, dialect: WireApi, body: Wire, taken: Taken) -> bytes:
    """The bytes two lists of one conversation have alike: of wire API, key and instructions."""
    keys = [request.headers.get(name) for name in ("authorization", "x-api-key")]
    told = [body.get(name) for name in (*dialect.extra, "user", "prompt_cache_key")]
    return json.encode([dialect.format, keys, plain(told), plain(taken.lead)])


def _format(request: Request) -> str:
    """Whose API a path is of: Anthropic's by its header or path, else OpenAI's."""
    path = request.url.path
    of_anthropic = "anthropic-version" in request.headers or path.startswith(ANTHROPIC.path)
    return "anthropic" if of_anthropic or path == "/" else "openai"


def _told(error: object, status: int = 400) -> Response:
    print(f"loom serve: {error}", file=sys.stderr)
    kind = "invalid_request_error" if status < 500 else "api_error"
    return JSONResponse(error_body(str(error), kind), status)


def application(
    folder: Path,
    bases: Mapping[str, str],
    window: int,
    *,
    own_tools: bool = True,
    redact: bool = True,
    client: httpx2.AsyncClient | None = None,
) -> Starlette:
    """The proxy over conversations below a folder; `bases` are the providers' addresses by
    format."""
    policy = Policy(own_tools=OWN if own_tools else False, served=SERVED, plenty=SERVED)
    # A client lists everything again: what a power cut takes since the last turn comes once more.
    opening: dict[str, Any] = {"durable": "turn"} | ({} if redact else {"redact": None})
    conversations = ServedConversations(folder, window, policy, **opening)
    http = client or asking(UNBOUND)
    proxy = Proxy(conversations, Upstream(bases, http))

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        await run_sync(counter({}), "the first count loads a vocabulary")
        try:
            yield
        finally:
            await http.aclose()
            await run_sync(conversations.close)

    routes = [
        Route(HEALTH, proxy.health),
        Route("/{path:path}", proxy.__call__, methods=METHODS),
    ]
    app = Starlette(routes=routes, lifespan=lifespan, middleware=[Middleware(LocalOnly)])
    app.state.counts = proxy.counts
    return app
