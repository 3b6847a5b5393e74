"""The body of a request, as large as it may be, and the object it holds.

A request that is too large is answered at once, and what is left of it read and dropped: a client
that still sends when its connection is closed sees no answer.

JSON that most programs write and read is not all of it strict: a lone surrogate (RFC 8259, 8.2), a
NaN, a byte order mark, a line break in a text. Such a body is mended, and says so.
"""

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
    """The body of a request, None for one that is too large. Raises ClientDisconnect."""
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
    """The object a body holds, None for another value; and whether it had to be mended.

    Raises ValueError.
    """
    plain = decode_body(data, encoding, MOST)
    try:
        found, strict = msgspec.json.decode(plain), True
    except (ValueError, RecursionError):
        found, strict = _decode_leniently(plain), False
    return (found if isinstance(found, dict) else None), not strict


def content_coding(request: Request) -> str:
    """The codings of a body, of all the headers that name some (RFC 9110, 5.3)."""
    return ", ".join(request.headers.getlist("content-encoding"))


def strict_body(request: Request, body: bytes) -> bytes | None:
    """A JSON object that is not strict (a lone surrogate) as one that is: no provider reads the
    other. None for any other body."""
    with suppress(ValueError, RecursionError):
        plain = decode_body(body, content_coding(request), MOST)
        if plain.lstrip().startswith(b"{"):
            given, mended = decode_object(plain)
            return msgspec.json.encode(given) if given is not None and mended else None
    return None


def json_object(data: bytes) -> Wire | None:
    """The object a body of a provider's holds, None for anything else."""
    try:
        return decode_object(data)[0]
    except ValueError:
        return None


def _decode_leniently(data: bytes) -> Any:
    try:
        text = data.decode(json.detect_encoding(data), "replace").removeprefix("\ufeff")
        return encodable_value(json.loads(text, strict=False))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"it is no JSON ({type(error).__name__})") from None


class EarlyResponse(JSONResponse):
    """An answer that is whole before the request is; it ends when that has ended."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the answer, and read the rest of the request."""
        head = {"type": "http.response.start", "status": self.status_code}
        await send({**head, "headers": self.raw_headers})
        await send({"type": "http.response.body", "body": self.body, "more_body": True})
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.body", "body": b""})


def model_counter(body: Wire) -> Counter:
    """The counter for the model of a request."""
    model = body.get("model")
    return _cached_counter(model if isinstance(model, str) else "")


_cached_counter = lru_cache(maxsize=64)(counter_for)
