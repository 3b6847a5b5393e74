"""The owner of a conversation: the user of this machine who asks, and the key in the requests.

A conversation is known by its name and its owner, so whoever gives the name of another user's
conversation gets a conversation of their own. Of a key only a hash is kept.

Some keys are renewed while a session goes on; known by such a key, the session would fall apart. So
the key's account takes its place: the subject of a JSON Web Token (RFC 7519), or the beginning that
all keys of a subscription share (`ROTATING`). Nobody has checked what a token says of itself, so
this is done only where the system tells which user asks: that user could read their own sessions
anyway.

The user who asks is the owner of the socket at the other end of the connection. Linux tells the
owner of every TCP socket of its network namespace (Documentation/networking/proc_net_tcp of the
kernel, 2019). A socket that its process has closed is listed with user and inode 0, a user of
another namespace as the overflow user: neither tells who asks. Other systems tell nothing."""

from __future__ import annotations

import os
import re
import sys
from base64 import urlsafe_b64decode
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from msgspec import Struct, json
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from loom.lazy import lazy_re
from loom.providers.formats.wire import parse_json_object

TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
OVERFLOW = Path("/proc/sys/kernel/overflowuid")
MAP, WHOLE = Path("/proc/self/uid_map"), ["0", "0", "4294967295"]  # where every user is told apart
CONNECTION = "loom.connection"  # of a scope's state: what is known of its connection
LOCAL, REMOTE, USER, INODE = 1, 2, 7, 9  # columns
MAPPED = b"\0" * 10 + b"\xff\xff"  # before an address of version 4 in one of version 6
TOLD = sys.platform == "linux"  # systems that tell it
# Of who forwards for others: the one who connected is not the one who asks.
FORWARDED = frozenset({b"forwarded", b"x-forwarded-for", b"x-real-ip"})


def peer_user_id(scope: Mapping[str, Any]) -> int | None:
    """Return the id of this machine's user who sent a request, None if /proc does not tell it."""
    client, server = scope.get("client"), scope.get("server")
    if (
        not TOLD
        or not client
        or not server
        or any(name in FORWARDED for name, _ in scope["headers"])
    ):
        return None
    known: dict[str, int] = scope.get("state", {}).get(CONNECTION, {})
    try:
        if "uid" not in known:
            uid = _socket_user_id(
                f"{client[0]}", int(client[1]), f"{server[0]}", int(server[1] or 0)
            )
            if uid is None or uid == _overflow_user_id():
                return None
            known["uid"] = uid  # of a connection it stays the same, and reading takes 10 ms
        return known["uid"]
    except (OSError, ValueError):
        return None


def _socket_user_id(host: str, port: int, at_host: str, at_port: int) -> int | None:
    """Return the id of the user who owns the socket at `host` and `port` of a TCP connection to
    `at_host` and `at_port`. Return None if the system lists no such socket."""
    ends = {*zip(_table_addresses(host, port), _table_addresses(at_host, at_port), strict=True)}
    for table in filter(Path.exists, TABLES):
        for row in map(str.split, table.read_text().splitlines()[1:]):
            if (row[LOCAL], row[REMOTE]) in ends and row[INODE] != "0":
                return int(row[USER])
    return None


def _table_addresses(host: str, port: int) -> Iterator[str]:
    """Yield a host and port as the system's tables write them, for IPv4 and for IPv6: in
    hexadecimal digits, in this machine's byte order."""
    address = ip_address(host.removeprefix("::ffff:")).packed
    for form in (address, (MAPPED + address)[-16:]):
        words = (form[at : at + 4] for at in range(0, len(form), 4))
        yield f"{''.join(f'{int.from_bytes(one, sys.byteorder):08X}' for one in words)}:{port:04X}"


def _overflow_user_id() -> int | None:
    """Return the user id that stands for all users without an id of their own in this namespace,
    None if every user has an id."""
    whole = not MAP.exists() or MAP.read_text().split() == WHOLE
    return None if whole else int(OVERFLOW.read_text())


# Names of headers that hold a key end in one of these, and names of query parameters.
KEYS = ("authorization", "api-key", "apikey", "auth-token", "access-token", "subscription-key")
QUERIES = ("key", "api-key", "api_key", "access_token")
# Tokens of OAuth that are no JSON Web Tokens: of Claude subscriptions (Claude Code 2.1, "setup-
# token", 2026), of Google Cloud ("Token types", 2026).
ROTATING = ("sk-ant-oat", "ya29.")
NO_KEY, SIGN = "", "@"


class ConversationOwner(Struct, frozen=True):
    """The owner of a conversation. `uid` is the user id, None if the system does not tell it. `key`
    is a hash of the API keys in the requests, "" if they have none."""

    uid: int | None
    key: str = NO_KEY

    @property
    def own(self) -> bool:
        """True if the owner is the user whom the proxy runs as."""
        return self.uid is not None and self.uid == os.geteuid()

    @property
    def person(self) -> str:
        """The person who is told of notices, as a text: the user of this machine ("uid 1000"), or
        else the holder of the API keys ("key …")."""
        return f"uid {self.uid}" if self.uid is not None else f"key {self.key}"

    def of(self, name: str) -> str:
        """Return a name for this owner's conversation `name` that is unique among all owners; ""
        for "". The name is unchanged for the user whom the proxy runs as, without a key."""
        if not name or (self.own and self.key == NO_KEY and SIGN not in name):
            return name
        return f"{name}{SIGN}{_short_hash([self.uid, self.key])}"


def request_owner(request: Request) -> ConversationOwner:
    """Return the owner of a request: the user who sent it and the API keys in it."""
    uid = peer_user_id(request.scope)
    held = {_key_account(key, uid is not None) for key in _request_keys(request)}
    return ConversationOwner(uid, _short_hash(sorted(held)) if held else NO_KEY)


def _request_keys(request: Request) -> Iterator[str]:
    """Yield the API keys in a request's headers and query, without their scheme ("Bearer")."""
    for name, value in request.headers.items():
        if name.lower().endswith(KEYS) and value.strip():
            words = value.split()
            yield words[1] if len(words) == 2 else " ".join(words)  # less its scheme
    for name, value in request.query_params.multi_items():
        if name.lower() in QUERIES and value:
            yield value


def _key_account(key: str, known: bool) -> str:
    """Return the text that identifies an API key: the key itself or, if the user is `known` and the
    key is of a kind that is renewed, the key's account."""
    if not known:
        return key
    rotating = next((start for start in ROTATING if key.startswith(start)), "")
    return rotating or _token_subject(key) or key


def _token_subject(token: str) -> str:
    """Return the issuer and the subject of a JSON Web Token, as a JSON list; "" for other texts."""
    parts = token.split(".")
    if len(parts) != 3:
        return ""
    try:
        said = (
            parse_json_object(urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)).decode())
            or {}
        )
    except ValueError:
        return ""
    subject = said.get("sub")
    known = isinstance(subject, str) and subject
    return json.encode([str(said.get("iss")), subject]).decode() if known else ""


def _short_hash(value: object) -> str:
    """Return a hash of a value, which must fit into JSON, as 16 hexadecimal digits."""
    return blake2b(json.encode(value), digest_size=8).hexdigest()


HOST = lazy_re(r"(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?", re.IGNORECASE)
FOREIGN = "loom serve answers programs on this machine alone"


class LocalOnly:
    """An ASGI wrapper that answers only programs on this machine. A request is refused if its Host
    is another name (which may be bound to this machine's address), or if its Origin differs from
    its Host, as for pages of other sites in a browser."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the application, or refuse it with status 403."""
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
        if len(hosts) != 1 or not HOST.fullmatch(hosts[0]) or not own or fetched:
            await PlainTextResponse(FOREIGN, 403)(scope, receive, send)
            return
        await self._app(scope, receive, send)
