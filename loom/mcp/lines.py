"""The lines of stdin: each that asks for something has an answer.

The SDK drops what is no message of the protocol, and a client waits for an answer that never comes.
So a line is looked at before the SDK has it: one no text can hold (a lone surrogate) is mended, a
batch (MCP 2025-03-26) is taken apart, and what is no request is refused by its id, where it has
one (JSON-RPC 2.0, 5.1).
"""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from io import TextIOWrapper
from typing import Any

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage

from loom.lazy import lazy_re
from loom.text import mended, one_line, printable

_ID = r'"id"\s*:\s*(?:(-?\d{1,40})|"([^"\\]*)")\s*'
_BEFORE = lazy_re(r"^\s*\{[^{}\[\]]*?" + _ID + "[,}]")
_BEHIND = lazy_re(_ID + r"(?:,[^{}\[\]]*)?\}\s*$")
CANCELLED = "notifications/cancelled"
PATIENCE = 30.0  # seconds for what is still answered when stdin has ended
WHY = 200  # characters of a refusal
NO_ID = "an id is a text or a whole number"
NOT_ONE = 'not a request: {"jsonrpc": "2.0", "id": …, "method": …, "params": {…}}'


class RequestLines:
    """The lines of stdin that are messages; the others are refused.

    `answering` is to be called with where answers go, before the first line is read. When stdin
    ends, what was asked is answered before this does: the SDK gives up what it works on then.
    """

    def __init__(self) -> None:
        self._file = anyio.wrap_file(TextIOWrapper(sys.stdin.buffer, "utf-8", errors="replace"))
        self._waiting: set[int | str] = set()
        self._answered = anyio.Event()
        self._outgoing: Any = None

    def answering(self, outgoing: Any) -> AnswerStream:
        """The stream of the answers, which are seen here."""
        self._outgoing = outgoing
        return AnswerStream(outgoing, self._done)

    async def __aiter__(self) -> AsyncIterator[str]:
        """Yield the messages."""
        async for line in self._file:
            for found in judged(line):
                if isinstance(found, str):
                    self._ask(json.loads(found))
                    yield found
                else:
                    await self._outgoing.send(SessionMessage(found))
        with anyio.move_on_after(PATIENCE):
            while self._waiting:
                await self._answered.wait()

    def _ask(self, message: dict[str, Any]) -> None:
        if "method" in message and "id" in message:
            self._waiting.add(message["id"])
        elif message.get("method") == CANCELLED:  # it has no answer
            self._done((message.get("params") or {}).get("requestId"))

    def _done(self, id: object) -> None:
        if isinstance(id, int | str):
            self._waiting.discard(id)
        self._answered.set()
        self._answered = anyio.Event()


class AnswerStream:
    """A stream of messages to the client that tells `done` of every answer in it."""

    def __init__(self, outgoing: Any, done: Callable[[object], None]) -> None:
        self._outgoing = outgoing
        self._done = done

    def __getattr__(self, name: str) -> Any:
        return getattr(self._outgoing, name)

    async def __aenter__(self) -> AnswerStream:
        await self._outgoing.__aenter__()
        return self

    async def __aexit__(self, *raised: Any) -> None:
        await self._outgoing.__aexit__(*raised)

    async def send(self, message: SessionMessage) -> None:
        """Send a message."""
        await self._outgoing.send(message)
        if not hasattr(message.message, "method"):
            self._done(getattr(message.message, "id", None))


def judged(line: str) -> Iterator[str | types.JSONRPCError]:
    """Yield the messages of a line as JSON, and a refusal for whatever is none."""
    if not line.strip("\ufeff \t\r\n"):
        return
    try:
        found = json.loads(line.lstrip("\ufeff"), strict=False)
    except (ValueError, RecursionError) as error:
        yield _refused(_told(line), types.PARSE_ERROR, f"no JSON: {one_line(str(error), WHY)}")
        return
    for one in found if isinstance(found, list) and found else [found]:
        yield _judged(one)


def _judged(found: Any) -> str | types.JSONRPCError:
    given = found.get("id") if isinstance(found, dict) else None
    id = given if isinstance(given, int | str) and not isinstance(given, bool) else None
    id = printable(id) if isinstance(id, str) else id
    if isinstance(found, dict) and "method" in found and "id" in found and id is None:
        return _refused(None, types.INVALID_REQUEST, NO_ID)
    try:
        text = json.dumps(mended(found))
        types.jsonrpc_message_adapter.validate_json(text, by_name=False)
    except (ValueError, RecursionError):
        params = isinstance(found, dict) and isinstance(found.get("method"), str)
        return _refused(id, types.INVALID_PARAMS if params else types.INVALID_REQUEST, NOT_ONE)
    return text


def _told(line: str) -> int | str | None:
    """The id of a line that cannot be read, where it stands before or behind all that is nested."""
    found = _BEFORE.search(line) or _BEHIND.search(line)
    return None if found is None else int(found[1]) if found[1] else found[2]


def _refused(id: int | str | None, code: int, why: str) -> types.JSONRPCError:
    return types.JSONRPCError(jsonrpc="2.0", id=id, error=types.ErrorData(code=code, message=why))
