"""The real SDKs, pointed at the server: one way to ask, whatever the API."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import anthropic
import httpx2
import openai
from google import genai

from tests.providers.serving.server import Server

APIS = ("openai", "responses", "anthropic", "gemini")
MODELS = {
    "openai": "gpt-5",
    "responses": "gpt-5",
    "anthropic": "claude-sonnet-5",
    "gemini": "gemini-3-pro",
}
REFUSED = (openai.APIStatusError, anthropic.APIStatusError, genai.errors.ClientError)
# A connection that breaks: the SDKs' own error, or that of the library beneath them.
BROKEN = (openai.APIConnectionError, anthropic.APIConnectionError, httpx2.TransportError)
Ask = Callable[..., Any]
WALKED = 16
# Nothing is encrypted on the loopback: no client needs to read the certificates first.
UNENCRYPTED: dict[str, Any] = {"verify": False}


def _unwalked(request: dict[str, Any], name: str) -> dict[str, Any]:
    """The request with a long list put into the body as it is, which is the same bytes. The openai
    SDK tries every member of its unions on every item, 0.1 s for 60 of them."""
    if len(request[name]) <= WALKED:
        return request
    return {**request, name: [], "extra_body": {name: request[name]}}


def _of_gemini(server: Server, key: str) -> genai.Client:
    plain = {"client_args": UNENCRYPTED, "async_client_args": UNENCRYPTED}
    return genai.Client(api_key=key, http_options={"base_url": server.url, **plain})


def _ask(api: str, client: Any, models: Any) -> Ask:
    """The SDK's own method for a request of `turn.request(api)`; `stream=True` streams."""

    def gemini(*, stream: bool = False, **request: Any) -> Any:
        method = models.generate_content_stream if stream else models.generate_content
        return method(**request)

    def chat(*, stream: bool = False, **request: Any) -> Any:
        usage = {"stream_options": {"include_usage": True}} if stream else {}
        request = _unwalked(request, "messages") | usage
        return client.chat.completions.create(**request, stream=stream)

    def responses(**request: Any) -> Any:
        return client.responses.create(**_unwalked(request, "input"))

    def messages(**request: Any) -> Any:
        return client.messages.create(**request)

    asks = {"gemini": gemini, "openai": chat, "responses": responses, "anthropic": messages}
    return asks[api]


@contextmanager
def connected(server: Server, api: str, key: str = "key") -> Iterator[tuple[Ask, Any]]:
    """A way to ask, and the SDK's client behind it; closed afterwards. Nothing is retried."""
    common: dict[str, Any] = {"api_key": key, "max_retries": 0}
    if api == "gemini":
        with _of_gemini(server, key) as google:
            yield _ask(api, google, google.models), google
    elif api == "anthropic":
        common["http_client"] = anthropic.DefaultHttpxClient(**UNENCRYPTED)
        with anthropic.Anthropic(base_url=server.url, **common) as claude:
            yield _ask(api, claude, None), claude
    else:
        common["http_client"] = openai.DefaultHttpxClient(**UNENCRYPTED)
        with openai.OpenAI(base_url=f"{server.url}/v1", **common) as client:
            yield _ask(api, client, None), client


@asynccontextmanager
async def aconnected(server: Server, api: str, key: str = "key") -> AsyncIterator[tuple[Ask, Any]]:
    """The same of the asynchronous clients: asking gives an awaitable."""
    common: dict[str, Any] = {"api_key": key, "max_retries": 0}
    if api == "gemini":
        with _of_gemini(server, key) as google:
            async with google.aio as later:
                yield _ask(api, later, later.models), later
    elif api == "anthropic":
        common["http_client"] = anthropic.DefaultAsyncHttpxClient(**UNENCRYPTED)
        async with anthropic.AsyncAnthropic(base_url=server.url, **common) as claude:
            yield _ask(api, claude, None), claude
    else:
        common["http_client"] = openai.DefaultAsyncHttpxClient(**UNENCRYPTED)
        async with openai.AsyncOpenAI(base_url=f"{server.url}/v1", **common) as client:
            yield _ask(api, client, None), client
