"""Who may talk to the proxy: programs of this machine, and no page in a browser."""

from __future__ import annotations

import re

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from loom.lazy import lazy_re

LOCAL = lazy_re(r"(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?", re.IGNORECASE)
FOREIGN = "loom serve answers programs on this machine alone"


class LocalOnly:
    """Refuses a Host that is not this machine's, as when a name was bound anew to it, and any
    Origin but its own: what a browser sends for a page."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = Headers(scope=scope)
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        own = all(origin == f"http://{host}" for host in hosts for origin in origins)
        fetched = {*headers.getlist("sec-fetch-site")} - {"none", "same-origin"}
        if len(hosts) != 1 or not LOCAL.fullmatch(hosts[0]) or not own or fetched:
            await PlainTextResponse(FOREIGN, 403)(scope, receive, send)
            return
        await self._app(scope, receive, send)
