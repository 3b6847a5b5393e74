"""Replies that the client was shown in another form than the model made them.

A client is shown one message for several replies, without the calls of Loom's tools. A file beside
the journal keeps which reply each such message stands for: the journal has only the replies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

from msgspec import Raw, json

from loom.providers.formats.wire import Wire, content_text
from loom.redact import Redactor
from loom.serve.chains import append_json_lines, comparable_message

SPLICED = "spliced.jsonl"


class SplicedReplies:
    """A table from the key (`reply_key`) of a message that the client was shown to the model's own
    reply."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / SPLICED
        self._known = dict(self._read_file())

    def with_model_replies(self, items: Sequence[Wire]) -> list[Wire]:
        """Return a client's list with the model's replies in place of the messages shown to the
        client."""
        known = (self._known.get(reply_key(one), one) for one in items)
        return [one for one in known if one is not None]

    def add(self, given: Wire, last: Wire | None, redactor: Redactor) -> None:
        """Note that the client lists `given` where the model made the reply `last`. If `last` is
        None, `given` is dropped from lists."""
        key, kept = reply_key(given), json.encode(last).decode()
        self._known[key] = last
        # On the disk as in the journal: without secrets.
        append_json_lines(self._path, [key, Raw(redactor(kept).encode())])

    def _read_file(self) -> Iterator[tuple[str, Wire | None]]:
        """Yield (key of a shown message, the model's reply or None) for each complete line of the
        file."""
        for line in self._path.read_bytes().splitlines() if self._path.is_file() else ():
            try:
                key, last = json.decode(line, type=tuple[str, dict[str, Any] | None])
            except ValueError:  # cut off by a kill
                continue
            yield key, last


def is_same_beginning(before: list[Wire], items: list[Wire]) -> bool:
    """Return True if two lists are equal up to and including the first reply of `items`."""
    first = next((at for at, one in enumerate(items, 1) if reply_key(one)), 0)
    return first > 0 and comparable_message(items[:first]) == comparable_message(before[:first])


def reply_key(message: Wire) -> str:
    """Return a key that finds a reply in a list: a hash of its text and its call ids or, for an
    item with an id, this id and a hash of its content. Return "" for a message that is no reply."""
    if "type" in message and isinstance(message.get("id"), str):
        held = [message.get(key) for key in ("content", "call_id", "name", "summary")]
        said = blake2b(json.encode(comparable_message(held), order="deterministic"), digest_size=8)
        return f"item {message['id']} {said.hexdigest()}"
    calls = [one.get("id") for one in message.get("tool_calls") or () if isinstance(one, dict)]
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    calls += [one.get("id") for one in blocks if isinstance(one, dict) and "input" in one]
    if message.get("role") != "assistant":
        return ""
    # A hash: on the disk it says nothing of what was said.
    return blake2b(json.encode([content_text(content), calls]), digest_size=16).hexdigest()
