"""The client's transcript of a session: messages that the workspace lacks are added to it.

A file in the workspace records how many bytes of the transcript were read. The messages after them
are added in order. Calls whose results are in the workspace already are known by their ids."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from loom.disk import open_private_file, plain_descriptor
from loom.errors import LoomError
from loom.inputs import Event, Reasoning, Reply, Result, Speech, User
from loom.live import Context
from loom.replay.importers import RecordedMessage, Talk
from loom.replay.importers.claude_code import IMPORTER
from loom.replay.importers.lawful_order import mend_order

FOLLOWED = "transcript.json"
MOST = 2_000_000  # bytes that are read at once, the newest; what is before is not
FULL = 0.85  # ρ from which the window is renewed: no request is made here that would see to it
_OWN = ("isSidechain", "isMeta", "isCompactSummary", "isApiErrorMessage")  # lines of the client's

Line = tuple[int, dict[str, Any]]  # where it begins in the file, in bytes, and what it says


def catch_up(ctx: Context, place: Path, path: object) -> None:
    """Add the new messages of the transcript `path` to the context, without those that raise an
    error. The position read up to is saved first, so no message is added twice."""
    if not isinstance(path, str):
        return
    try:
        lines, end = _new_lines(path, _bytes_read(place, path))
    except (OSError, ValueError):
        return
    until = _unfinished_from(lines)
    made, flags = place / f"{FOLLOWED}.new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    with os.fdopen(open_private_file(made, flags), "w") as file:
        json.dump({"path": path, "to": lines[until][0] if until < len(lines) else end}, file)
    made.replace(place / FOLLOWED)
    said = [value for _, value in lines[:until]]
    items = tuple(RecordedMessage(Path(path), 0, at, value) for at, value in enumerate(said))
    for event in mend_order(IMPORTER.events(Talk(Path(path).stem, items), []))[0]:
        with suppress(LoomError):  # one that it cannot take is left out
            _take_event(ctx, event)


def _bytes_read(place: Path, path: str) -> int:
    """Return how many bytes of the transcript `path` were read before."""
    try:
        known = json.loads((place / FOLLOWED).read_bytes())
        return int(known["to"]) if known["path"] == path else 0
    except (OSError, ValueError, LookupError, TypeError):
        return 0


def _new_lines(path: str, start: int) -> tuple[list[Line], int]:
    """Return a pair (messages after byte `start`, byte after the last full line)."""
    with os.fdopen(plain_descriptor(path), "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if not 0 <= start <= size:  # it was written anew
            start = 0
        at = file.seek(max(start, size - MOST))
        data = file.read(MOST)
    if at > start:  # it begins in a line
        before, end, data = data.partition(b"\n")
        at += len(before + end)
    lines: list[Line] = []
    for line in data.split(b"\n")[:-1]:
        with suppress(ValueError, RecursionError):
            value = json.loads(line)
            if _is_talk(value):
                lines.append((at, value))
        at += len(line) + 1
    return lines, at


def _is_talk(value: object) -> bool:
    if not isinstance(value, dict) or value.get("type") not in ("user", "assistant"):
        return False
    message = value.get("message")
    return isinstance(message, dict) and not any(value.get(mark) for mark in _OWN)


def _unfinished_from(lines: list[Line]) -> int:
    """Return the index of the first line of the last reply if the reply may be incomplete, else
    `len(lines)`."""
    said = ((at, value) for at, (_, value) in enumerate(lines) if value["type"] == "assistant")
    replies = {at: value["message"].get("id") for at, value in said}
    if not replies:
        return len(lines)
    last = max(replies)
    first = min(at for at, id in replies.items() if id == replies[last])
    called, given = (
        {str(one.get(key)) for _, value in lines[first:] for one in _content_blocks(value, kind)}
        for kind, key in (("tool_use", "id"), ("tool_result", "tool_use_id"))
    )
    return first if last + 1 == len(lines) or called - given else len(lines)


def _content_blocks(value: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    content = value["message"].get("content")
    blocks = content if isinstance(content, list) else []
    return [one for one in blocks if isinstance(one, dict) and one.get("type") == kind]


def _take_event(ctx: Context, event: Event) -> None:
    """Add an event to the context, less the calls and results it has already. Raises LoomError."""
    if isinstance(event, Reply):
        known = ctx._engine.workspace.index.calls
        parts = tuple(
            part
            for part in event.parts
            if not isinstance(part, Reasoning)
            and not (isinstance(part, Speech) and not part.text.strip())
            and getattr(part, "id", "") not in known
        )
        if parts:
            if ctx.window.history.open_calls:
                ctx.abandon()
            renew_if_full(ctx)
            ctx.reply(replace(event, parts=parts, prompt_tokens=0))
    elif isinstance(event, Result) and event.call_id in ctx.window.history.open_calls:
        ctx.result(event.call_id, event.text, error=event.error)
    elif isinstance(event, User):
        ctx.user(event.text)


def renew_if_full(ctx: Context) -> None:
    """Renew the window if its ρ is above `FULL`."""
    if ctx.pressure.rho > FULL:
        ctx.renew()
