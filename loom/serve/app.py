"""The proxy as an ASGI application."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
from anyio.to_thread import run_sync
from msgspec import DecodeError, json
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from loom.errors import LoomError
from loom.policy import Policy
from loom.providers.formats.wire import Wire
from loom.serve.conversations import OWN, ServedConversations, SmallWindow, counter
from loom.serve.dialects import ANTHROPIC, DIALECTS, WireApi
from loom.serve.exchange import Exchange
from loom.serve.forward import Upstream, answered
from loom.serve.guard import LocalOnly
from loom.serve.identity import named
from loom.serve.kinds import Purpose, asked
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
                exchange = await self._exchange(request, dialect, body, stack)
                if exchange is None:
                    return await self._passed(request, body)
                self.counts[exchange.asked.kind.value] += 1
                return await exchange.answer(stack)
        except httpx2.TransportError as error:
            return _told(error, 502)
        except SmallWindow as error:
            self.counts["refused"] += 1
            return _told(error)
        except (LoomError, OSError) as error:
            # A list that cannot be managed is the provider's to judge, not ours to refuse.
            self.counts["unmanaged"] += 1
            print(f"loom serve: passed on as it came: {error}", file=sys.stderr)
            return await self._passed(request, body)

    async def _exchange(
        self, request: Request, dialect: WireApi | None, body: bytes, stack: AsyncExitStack
    ) -> Exchange | None:
        """The exchange of a conversation's request; None for any other."""
        given = _object(body) if dialect is not None else None
        taken = dialect.take(given) if dialect is not None and given is not None else None
        if dialect is None or given is None or taken is None:
            self.counts["other"] += 1
            return None
        said, held = named(request.headers, given), self._conversations
        known = asked(request.headers, given, taken, held.knows_tools(said))
        if known.kind is Purpose.SIDE:
            self.counts["side"] += 1
            return None
        name = said or await run_sync(held.chains.name_of, taken.items)
        fixed = await run_sync(dialect.fixed, given, taken, counter(given))
        opened = held.of(name, fixed, bool(given.get("tools")))
        conversation = await run_sync(opened.__enter__)
        stack.callback(opened.__exit__, None, None, None)
        chains = None if said else held.chains
        return Exchange(
            request, self._upstream, dialect, given, taken, known, fixed, conversation, chains
        )

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
        """What the proxy is and has done; no name of a conversation."""
        held = self._conversations
        return JSONResponse(
            {
                "loom": VERSION,
                "window": held.window,
                "open": len(held.names),
                "requests": self.counts,
            }
        )


def _object(body: bytes) -> Wire | None:
    try:
        found = json.decode(body)
    except (DecodeError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _format(request: Request) -> str:
    """Whose API a path is of: Anthropic's by its header or path, else OpenAI's."""
    path = request.url.path
    of_anthropic = "anthropic-version" in request.headers or path.startswith(ANTHROPIC.path)
    return "anthropic" if of_anthropic or path == "/" else "openai"


def _told(error: Exception, status: int = 400) -> Response:
    """An error of the proxy's own, in a shape clients of either provider show."""
    text = f"loom serve: {error}"
    print(text, file=sys.stderr)
    kind = "invalid_request_error" if status < 500 else "api_error"
    return JSONResponse({"type": "error", "error": {"type": kind, "message": text}}, status)


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
    opening: dict[str, Any] = {} if redact else {"redact": None}
    conversations = ServedConversations(folder, window, policy, **opening)
    http = client or httpx2.AsyncClient(timeout=UNBOUND, follow_redirects=False)
    proxy = Proxy(conversations, Upstream(bases, http))

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await http.aclose()
            await run_sync(conversations.close)

    routes = [
        Route(HEALTH, proxy.health),
        Route("/{path:path}", proxy.__call__, methods=METHODS),
    ]
    return Starlette(routes=routes, lifespan=lifespan, middleware=[Middleware(LocalOnly)])
