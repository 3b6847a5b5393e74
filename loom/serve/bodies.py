"""The body of a request: read up to a size, and decoded to a JSON object.

A request that is too large is answered at once, and the rest of it read and dropped: a client that
still sends when its connection is closed would not see the answer.

Many programs write and read JSON that is not strict: with a lone surrogate (RFC 8259, 8.2), a NaN,
a byte order mark, a line break in a text. Such a body is mended, and the caller is told."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import lru_cache
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from loom.providers.counts import Counter, counter_for
from loom.providers.formats.wire import Wire
from loom.serve.codings import decode_body
from loom.text import encodable_value

# Bytes. Providers take less (Messages API: 32 MB, 2026), but a list that is longer than they take
# is what a window is for.
MOST = 64 << 20
TOO_LARGE = f"a request has at most {MOST:,} bytes (64 MiB)"


async def read_body(request: Request) -> bytes | None:
    """Return a request's body; None if it has more than `MOST` bytes. Raises ClientDisconnect."""
    said = request.headers.get("content-length", "")
    if said.isdigit() and int(said) > MOST:
        return None
    held = bytearray()
    async for part in request.stream():
        held += part
        if len(held) > MOST:
            return None
    return bytes(held)


def decode_object(data: bytes, encoding: str = "") -> tuple[Wire | None, bool]:
    """Return (the JSON object in a body, whether it was mended because it was not strict JSON). The
    object is None for JSON of another type. `encoding` is the content-encoding header. Raises
    ValueError for a body that cannot be read."""
    plain = decode_body(data, encoding, MOST)
    try:
        found, strict = msgspec.json.decode(plain), True
    except (ValueError, RecursionError):
        found, strict = _decode_leniently(plain), False
    return (found if isinstance(found, dict) else None), not strict


def content_coding(request: Request) -> str:
    """Return a request's content-encoding headers, joined by commas (RFC 9110, 5.3)."""
    return ", ".join(request.headers.getlist("content-encoding"))


def strict_body(request: Request, body: bytes) -> bytes | None:
    """Return a JSON object that is not strict (it has a lone surrogate) as the strict JSON that
    providers demand. Return None for any other body."""
    with suppress(ValueError, RecursionError):
        plain = decode_body(body, content_coding(request), MOST)
        if plain.lstrip().startswith(b"{"):
            given, mended = decode_object(plain)
            return msgspec.json.encode(given) if given is not None and mended else None
    return None


def json_object(data: bytes) -> Wire | None:
    """Return the JSON object that a provider's body holds, None if it holds no object."""
    try:
        return decode_object(data)[0]
    except ValueError:
        return None


def _decode_leniently(data: bytes) -> Any:
    """Return the value of JSON that is not strict, changed to fit into strict JSON. Raises
    ValueError for bytes that are no JSON."""
    try:
        text = data.decode(json.detect_encoding(data), "replace").removeprefix("\ufeff")
        return encodable_value(json.loads(text, strict=False))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"it is no JSON ({type(error).__name__})") from None


class EarlyResponse(JSONResponse):
    """A response that is sent before the whole request has arrived."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the response, then read and drop the rest of the request."""
        head = {"type": "http.response.start", "status": self.status_code}
        await send({**head, "headers": self.raw_headers})
        await send({"type": "http.response.body", "body": self.body, "more_body": True})
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.body", "body": b""})


def model_counter(body: Wire) -> Counter:
    """Return the token counter for the model that a request names."""
    model = body.get("model")
    return _cached_counter(model if isinstance(model, str) else "")


_cached_counter = lru_cache(maxsize=64)(counter_for)
