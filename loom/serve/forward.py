"""Send requests on to a provider, and its answers back to the client, both unchanged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http.cookiejar import DefaultCookiePolicy

import httpx2
from starlette.requests import Request

# Between two machines alone (RFC 9110, 7.6.1; the header Connection names more), or made anew for
# each.
HOPS = frozenset(
    {
        b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization",
        b"proxy-connection", b"te", b"trailer", b"transfer-encoding", b"upgrade", b"host",
        b"content-length", b"accept-encoding", b"expect",
    }
)  # fmt: skip
OURS = b"x-loom-"
ENCODED = frozenset({b"content-encoding", b"content-length"})
# As they came: what their bytes mean is between the two sides (RFC 9110, 5.5).
Headers = Sequence[tuple[bytes, bytes]]


def provider_client(timeout: httpx2.Timeout) -> httpx2.AsyncClient:
    """Return an HTTP client for requests to providers, without headers or cookies of its own."""
    # Clients that do not read their answers could use up a limit of connections.
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=20)
    client = httpx2.AsyncClient(timeout=timeout, limits=limits, follow_redirects=False)
    client.headers.clear()
    # A cookie would reach the provider with another client's requests.
    client.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    return client


def refusal_error(response: httpx2.Response) -> httpx2.HTTPStatusError:
    """Return an exception with the text of a provider's error response."""
    asked = httpx2.Request("POST", "")
    return httpx2.HTTPStatusError(response.text[:2_000], request=asked, response=response)


class Upstream:
    """The providers. `bases` maps a format to its provider's address, `client` sends requests."""

    def __init__(self, bases: Mapping[str, str], client: httpx2.AsyncClient) -> None:
        self._bases = bases
        self._client = client

    def base(self, format: str) -> str:
        """Return the address of the provider for a format ("anthropic", "openai")."""
        return self._bases[format]

    async def send(
        self, request: Request, format: str, body: bytes, *, made: bool = False
    ) -> httpx2.Response:
        """Send `body` to the provider, with the path and headers of a client's request. Return the
        response, its body not read yet. If the proxy `made` the body, the request's headers about
        length and content coding are left out."""
        path = request.scope.get("raw_path") or request.url.path.encode()  # as it was encoded
        url = self._bases[format].rstrip("/") + path.decode("latin-1").partition("?")[0]
        if request.url.query:
            url += f"?{request.url.query}"
        headers = [*_end_to_end_headers(request.headers.raw), (b"accept-encoding", b"identity")]
        if made:
            headers = [one for one in headers if one[0] not in ENCODED]
        asked = self._client.build_request(request.method, url, headers=headers, content=body)
        return await self._client.send(asked, stream=True)


def _end_to_end_headers(headers: Headers) -> Headers:
    """Return the headers without those that concern only the connection to the proxy."""
    held = [(name.lower(), value) for name, value in headers]
    named = {one.strip().lower() for name, value in held if name == b"connection"
             for one in value.split(b",")}  # fmt: skip
    out = HOPS | named
    return [(name, value) for name, value in held if not (name in out or name.startswith(OURS))]


def client_headers(response: httpx2.Response, *, whole: bool = False) -> Headers:
    """Return the headers of a provider's response that go to the client. If the body was read
    `whole`, the headers about its length and content coding are left out."""
    out = ENCODED if whole else frozenset[bytes]()
    return [(name, value) for name, value in _end_to_end_headers(response.headers.raw)
            if name not in out]  # fmt: skip


def error_body(text: str, kind: str = "api_error") -> dict[str, object]:
    """Return the JSON body of a response for an error of the proxy, in a shape that all clients
    show."""
    return {"type": "error", "error": {"type": kind, "message": f"loom serve: {text}"}}
