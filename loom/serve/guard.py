"""Who may talk to the proxy: programs of this machine, and no page in a browser."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

LOCAL = frozenset({"127.0.0.1", "localhost", "::1"})
FOREIGN = "loom serve answers programs on this machine alone"


class LocalOnly:
    """Refuses a Host that is not this machine's, as when a name was bound anew to it, and any
    Origin but its own: what a browser sends for a page."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request, or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        fetched = headers.get("sec-fetch-site", "none")
        own = origin is None or origin == f"http://{host}"
        if _name(f"//{host}") not in LOCAL or not own or fetched in ("cross-site", "same-site"):
            await PlainTextResponse(FOREIGN, 403)(scope, receive, send)
            return
        await self._app(scope, receive, send)


def _name(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""
