"""The body of a request, as large as it may be.

A request that is too large is answered at once, and what is left of it read and dropped: a client
that still sends when its connection is closed sees no answer.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

# Bytes. Providers take less (Messages API: 32 MB, 2026), but a list that is longer than they take
# is what a window is for.
MOST = 64 << 20
TOO_LARGE = f"a request has at most {MOST:,} bytes (64 MiB)"


async def body_of(request: Request) -> bytes | None:
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
