"""Conversations whose requests name none, known by their lists.

A list is of the conversation all of which it goes on from, its instructions, its wire API and its
key alike. One that begins as another did and goes on otherwise is a conversation of its own,
whatever its user meant, so that nothing of the one can be recalled in the other. The same list once
more, before an answer to it is known, is a request sent again. Of a conversation the whole of its
list is kept, by a hash, in a file too, so that a proxy that was killed knows it.

Of a client's list some replies are not as the model made them: several were shown as one, less the
calls answered here. They are kept beside the journal, which has none of what was shown.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from secrets import token_hex
from threading import Lock
from typing import Any

from msgspec import DecodeError, Raw, Struct, json

from loom.disk import private_file
from loom.providers.formats.wire import Wire, text_of
from loom.redact import Redactor
from loom.serve.dialects import MARK
from loom.serve.owners import ConversationOwner

SHARE = 16_000  # conversations of one user that are known; he displaces his own alone
# What differs in a message as it was given and as it is listed, or listed twice.
GIVEN = "input"  # of a call
PASSED_OVER = frozenset({MARK, "id", "status", "annotations", "logprobs", "refusal", "index"})


class Listed(Struct, array_like=True, frozen=True):
    """The list of a conversation as it was seen last, and which user's the conversation is."""

    chain: str
    name: str
    uid: int | None = None


class Chains:
    """The lists of conversations, by their hashes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._chains: dict[str, Listed] = {}
        self._names: dict[str, Listed] = {}
        self._users: dict[int | None, dict[str, None]] = {}  # names, the one seen last at the end
        lines = path.read_bytes().splitlines() if path.is_file() else []
        for line in lines:
            with suppress(DecodeError):  # cut off by a kill
                self._know(json.decode(line, type=Listed))
        if len(lines) > len(self._names):
            fresh = path.with_suffix(".new")
            fresh.unlink(missing_ok=True)
            _write(fresh, *self._names.values())
            fresh.replace(path)

    def name_of(self, items: list[Wire], beside: bytes, owner: ConversationOwner) -> str:
        """The conversation a list is of, a new one where it goes on from none; it is known then.

        `beside` is what two lists must have alike to be of one conversation.
        """
        chains = [*_chains(items, beside)]
        found = next(filter(None, map(self._chains.get, reversed(chains))), None)
        name = found.name if found else f"list-{token_hex(8)}"
        self._seen(name, chains, owner)
        return name

    def replied(
        self, name: str, items: list[Wire], beside: bytes, owner: ConversationOwner
    ) -> None:
        """A conversation's list as its client will have it now, with the reply it was given."""
        self._seen(name, [*_chains(items, beside)], owner)

    def _seen(self, name: str, chains: list[str], owner: ConversationOwner) -> None:
        if not chains:
            return
        seen = Listed(chains[-1], name, owner.uid)
        with self._lock:
            new = self._names.get(name) != seen
            self._know(seen)
            if new:
                _write(self._path, seen)

    def _know(self, seen: Listed) -> None:
        """Know a conversation by this list alone, and forget the oldest beyond its user's share."""
        self._forget(seen.name)
        self._names[seen.name] = self._chains[seen.chain] = seen
        own = self._users.setdefault(seen.uid, {})
        own[seen.name] = None
        if len(own) > SHARE:
            self._forget(next(iter(own)))

    def _forget(self, name: str) -> None:
        held = self._names.pop(name, None)
        if held is not None:
            del self._users[held.uid][name]
            if self._chains.get(held.chain) is held:
                del self._chains[held.chain]


def _write(path: Path, *lines: object) -> None:
    """Write values at the end of a file, a line each, at once."""
    with os.fdopen(private_file(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT), "wb") as file:
        file.write(b"".join(json.encode(one) + b"\n" for one in lines))


def _chains(items: list[Wire], beside: bytes) -> Iterator[str]:
    before = blake2b(beside, digest_size=16).digest()
    for item in items:
        said = json.encode(plain(item), order="deterministic")
        before = blake2b(before + said, digest_size=16).digest()
        yield before.hex()


def plain(value: Any) -> Any:
    """A message without what differs where it is sent again; a text is the same as its one part.

    What a tool is given is as it is, whatever its members are called.
    """
    if isinstance(value, dict):
        kept = {key: one for key, one in value.items() if key not in PASSED_OVER}
        return {key: one if key == GIVEN else plain(one) for key, one in kept.items()}
    if isinstance(value, list):
        if len(value) == 1 and isinstance(value[0], dict) and isinstance(value[0].get("text"), str):
            return value[0]["text"]
        return [*map(plain, value)]
    return value


def goes_on(before: list[Wire], items: list[Wire]) -> bool:
    """True for a list that begins as another did, the first reply included: it was cut short or
    edited behind that."""
    first = next((at for at, one in enumerate(items, 1) if shown(one)), 0)
    return first > 0 and plain(items[:first]) == plain(before[:first])


def shown(message: Wire) -> str:
    """A key that tells a reply in a list from others, of its words and the ids of its calls; for an
    item of its own of its id and those, for some providers repeat ids. "" for any other message."""
    if "type" in message and isinstance(message.get("id"), str):
        held = [message.get(key) for key in ("content", "call_id", "name", "summary")]
        said = blake2b(json.encode(plain(held), order="deterministic"), digest_size=8)
        return f"item {message['id']} {said.hexdigest()}"
    calls = [one.get("id") for one in message.get("tool_calls") or () if isinstance(one, dict)]
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    calls += [one.get("id") for one in blocks if isinstance(one, dict) and "input" in one]
    if message.get("role") != "assistant":
        return ""
    # A hash: on the disk it says nothing of what was said.
    return blake2b(json.encode([text_of(content), calls]), digest_size=16).hexdigest()


SPLICED = "spliced.jsonl"


class SplicedReplies:
    """The replies a client was shown, by their keys, each with what stands for it."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / SPLICED
        self._known = dict(self._read())

    def listed(self, items: Sequence[Wire]) -> list[Wire]:
        """A client's list as the model knows it."""
        known = (self._known.get(shown(one), one) for one in items)
        return [one for one in known if one is not None]

    def add(self, given: Wire, last: Wire | None, redactor: Redactor) -> None:
        """Know a message as the last of its replies, or as part of one (None)."""
        key, kept = shown(given), json.encode(last).decode()
        self._known[key] = last
        # On the disk as in the journal: without secrets.
        _write(self._path, [key, Raw(redactor(kept).encode())])

    def _read(self) -> Iterator[tuple[str, Wire | None]]:
        for line in self._path.read_bytes().splitlines() if self._path.is_file() else ():
            try:
                key, last = json.decode(line, type=tuple[str, dict[str, Any] | None])
            except ValueError:  # cut off by a kill
                continue
            yield key, last
