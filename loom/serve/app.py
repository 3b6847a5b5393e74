"""The proxy as an ASGI application. It decides which requests go through a conversation's window,
and which are passed on unchanged."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
from anyio.to_thread import run_sync
from msgspec import json, to_builtins
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from loom.context.opening_arguments import checked_token_number
from loom.errors import BadInput, LoomError
from loom.policy import Policy, Tuning
from loom.serve.bodies import (
    TOO_LARGE,
    EarlyResponse,
    content_coding,
    decode_object,
    model_counter,
    read_body,
    strict_body,
)  # fmt: skip
from loom.serve.chains import comparable_message
from loom.serve.conversation_owners import ConversationOwner, LocalOnly, request_owner
from loom.serve.conversations import OWN, ServedConversations, may_offer_own_tools
from loom.serve.dialects import ANTHROPIC, DIALECTS, SMALL
from loom.serve.exchange import ODD, Exchange
from loom.serve.forward import Upstream, client_headers, error_body, provider_client
from loom.serve.recent_table import RecentTable
from loom.serve.request_purpose import Purpose, classify_request, conversation_name
from loom.serve.served_notices import SECRETS, print_complaint
from loom.version import VERSION

HEALTH = "/loom/health"
# Requests one cut makes room for: a client's tools and instructions stand in each of them too, so a
# prefix that is written anew is dear, and what is kept is a smaller part of what is sent.
SERVED = 16
PERSONS = 1_024  # whose requests are counted; who asked longest ago is forgotten
COUNTED = ("main", "inside", "side", "summary", "other", "refused", "unmanaged")
UNBOUND = httpx2.Timeout(30.0, read=None)  # a model may think for long
AS_IT_CAME = "passed on as it came: "
MENDED = "a body held what no text can (a lone surrogate, a NaN); it went on mended"
KEPT = "its provider keeps the list (previous_response_id, conversation), or it has none"
METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]


class Proxy:
    """An ASGI endpoint for clients' requests. A request of a conversation is answered through that
    conversation's window. Any other request is passed on unchanged.

    A WebSocket is refused with status 426: it is the only status after which Codex asks by HTTP."""

    def __init__(self, conversations: ServedConversations, upstream: Upstream) -> None:
        self._conversations = conversations
        self._upstream = upstream
        self._notices = conversations.notices
        self.counts = dict.fromkeys(COUNTED, 0)
        self._of_persons = RecentTable[str, dict[str, int]](PERSONS)

    async def __call__(self, request: Request) -> Response:
        """Return the response to a client's request."""
        if request.headers.get("upgrade", "").lower() == "websocket":
            return Response("Ask by HTTP.", 426, {"upgrade": "HTTP/1.1", "connection": "upgrade"})
        try:
            owner = await run_sync(request_owner, request)  # while the one who asks is connected
            body = await read_body(request)
        except ClientDisconnect:
            return Response(status_code=499)
        if body is None:
            print_complaint(TOO_LARGE)
            return EarlyResponse(error_body(TOO_LARGE, "request_too_large"), 413)
        try:
            async with AsyncExitStack() as stack:
                exchange = await self._open_exchange(request, owner, body, stack)
                if exchange is None:
                    return await self._pass_on(request, body)
                return await exchange.answer(stack)
        except httpx2.TransportError as error:
            # What is told of a request that cannot be written quotes its headers.
            why = type(error).__name__ if isinstance(error, httpx2.LocalProtocolError) else error
            where = f"{self._upstream.base(_api_format(request))} cannot be asked ({why})"
            return _error_response(
                f"{where}: `loom serve --anthropic` and `--openai` name another", 502
            )
        except Exception as error:  # whose text and traceback may hold what a message says
            if isinstance(error, BadInput) and error.kind == SMALL:
                self._count_request(owner, "refused")
                return _error_response(str(error))
            print_complaint(_describe_error(error))
            return _error_response("this request failed inside the proxy", 500)

    def _count_request(self, owner: ConversationOwner, kind: str) -> None:
        """Add one to the count of a kind of request (one of `COUNTED`), for all requests and for
        the person who sent it."""
        for counts in (self.counts, self._of_persons.seen(owner.person, dict.fromkeys(COUNTED, 0))):
            counts[kind] += 1

    async def _open_exchange(
        self, request: Request, owner: ConversationOwner, body: bytes, stack: AsyncExitStack
    ) -> Exchange | None:
        """Return the exchange that answers a conversation's request, with the body for the provider
        made. Return None for a request to be passed on unchanged. The conversation stays open until
        `stack` is closed. Raises BadInput for a window that is too small."""
        dialect = DIALECTS.get(request.url.path) if request.method == "POST" else None
        if dialect is None:
            self._count_request(owner, "other")
            return None
        try:
            given, mended = await run_sync(decode_object, body, content_coding(request))
        except ValueError as error:
            self._tell_notice(request, owner, "body", f"its body cannot be read: {error}")
            return None
        try:
            taken = dialect.take(given) if given is not None else None
            if given is None or taken is None:
                self._tell_notice(request, owner, "list", KEPT)
                return None
            if mended:
                self._tell_notice(request, owner, "mended", MENDED, unmanaged=False)
            said, held = owner.of(conversation_name(request.headers, given)), self._conversations
            known = classify_request(
                request.headers, dialect, given, taken, held.has_client_tools(said)
            )
            if known.kind is Purpose.SIDE:
                self._count_request(owner, "side")
                return None
            # What two lists of one conversation have alike: wire API, owner and instructions.
            told = [given.get(name) for name in (*dialect.extra, "user", "prompt_cache_key")]
            beside = json.encode(
                [dialect.format, owner, comparable_message(told), comparable_message(taken.lead)]
            )
            name = said or await run_sync(held.chains.conversation_name, taken.items, beside, owner)
            fixed = await run_sync(dialect.fixed, given, taken, model_counter(given))
            opened = held.of(name, owner, fixed, may_offer_own_tools(given))
            conversation = await run_sync(opened.__enter__)
            stack.callback(opened.__exit__, None, None, None)
            exchange = Exchange(
                request, self._upstream, known, conversation,
                partial(self._count_request, owner, "inside"),
                None if said else held.chains, beside,
            )  # fmt: skip
            await exchange.make(fixed)
        except (*ODD, OSError) as error:
            if getattr(error, "kind", "") == SMALL:
                raise
            # A list that cannot be managed is the provider's to judge, not ours to refuse.
            self._tell_notice(request, owner, type(error).__name__, _describe_error(error))
            return None
        self._count_request(owner, known.kind.value)
        return exchange

    def _tell_notice(
        self,
        request: Request,
        owner: ConversationOwner,
        kind: str,
        text: str,
        *,
        unmanaged: bool = True,
    ) -> None:
        """Add a notice for a request's owner, under the conversation that the request names. If
        `unmanaged` is True, also count the request as passed on unchanged."""
        if unmanaged:
            self._count_request(owner, "unmanaged")
            text = AS_IT_CAME + text
        name = conversation_name(request.headers, {}) or request.url.path
        self._notices.tell(owner.person, name, kind, text, unmanaged=unmanaged)

    async def _pass_on(self, request: Request, body: bytes) -> Response:
        """Send a request to the provider as it came (a lone surrogate in its JSON is mended), and
        return the provider's response."""
        format, plain = _api_format(request), await run_sync(strict_body, request, body)
        response = await self._upstream.send(
            request, format, body if plain is None else plain, made=plain is not None
        )

        async def content() -> AsyncIterator[bytes]:
            try:
                async for data in response.aiter_raw():
                    yield data
            finally:
                await response.aclose()

        made = StreamingResponse(content(), response.status_code)
        made.raw_headers = [*client_headers(response)]
        return made

    async def health(self, request: Request) -> Response:
        """Return a response with the version, the window and, for the person who asks, the number
        of open conversations, the counts of requests, and the notices."""
        owner, held = await run_sync(request_owner, request), self._conversations
        counts = self._of_persons.get(owner.person) or dict.fromkeys(COUNTED, 0)
        return JSONResponse(
            {
                "loom": VERSION,
                "window": held.window,
                "open": held.count_open(owner),
                "requests": counts,
                "notices": to_builtins(self._notices.of(owner.person)),
            }
        )


def _api_format(request: Request) -> str:
    """Return the API format of a request: "anthropic", or "openai" for all else."""
    path = request.url.path
    of_anthropic = "anthropic-version" in request.headers or path.startswith(ANTHROPIC.path)
    return "anthropic" if of_anthropic or path == "/" else "openai"


def _error_response(text: str, status: int = 400) -> Response:
    """Return a response for an error of the proxy, secrets replaced, and print it to stderr."""
    text = SECRETS(text)
    print_complaint(text)
    kind = "invalid_request_error" if status < 500 else "api_error"
    return JSONResponse(error_body(text, kind), status)


def _describe_error(error: Exception) -> str:
    """Return a text with an error's type, what this type means, and the line of code that raised
    it. The error's own text is left out: it may quote a message of the conversation."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    at = f" at {Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace else ""
    if isinstance(error, BadInput) and error.kind:
        at += f", {error.kind}"
    means = (type(error).__doc__ or "").strip().partition("\n")[0]
    told = means if isinstance(error, LoomError) else getattr(error, "strerror", None)
    return f"{type(error).__name__}{at}{f': {told}' if told else ''}"


def application(
    folder: Path,
    bases: Mapping[str, str],
    window: int,
    *,
    own_tools: bool = True,
    redact: bool = True,
    project: str = "",
    client: httpx2.AsyncClient | None = None,
) -> Starlette:
    """Return the proxy as an ASGI application. Its conversations are workspaces below `folder`.
    `bases` maps a format to its provider's address. `window` is in tokens. `project` is the working
    folder of the proxy's client, "" if unknown. `client` sends the requests to providers; None
    makes an HTTP client. Raises LoomError for a bad `window`."""
    checked_token_number("window", window)
    tuning = Tuning(served=SERVED, plenty=SERVED)
    policy = Policy(own_tools=OWN if own_tools else False, tuning=tuning)
    opening: dict[str, Any] = {} if redact else {"redact": None}
    conversations = ServedConversations(folder, window, policy, project, **opening)
    http = client or provider_client(UNBOUND)
    proxy = Proxy(conversations, Upstream(bases, http))

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        await run_sync(model_counter({}), "the first count loads a vocabulary")
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
