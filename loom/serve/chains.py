"""Conversations whose requests name none: they are recognized by their message lists.

A list belongs to the conversation whose whole last list it continues, with the same instructions,
wire API and key. A list with the same beginning and another continuation begins a conversation of
its own, whatever its user meant, so that nothing of one conversation can be recalled in another.
The same list again, before its answer is noted, is a request sent again. A hash of each
conversation's last list is kept in a file, so that a proxy that was killed recognizes it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from secrets import token_hex
from threading import Lock
from typing import Any

from msgspec import DecodeError, Struct, json

from loom.disk import open_private_file
from loom.providers.formats.wire import Wire
from loom.serve.conversation_owners import ConversationOwner
from loom.serve.dialects import MARK

SHARE = 16_000  # conversations of one user that are known; he displaces his own alone
# What differs in a message as it was given and as it is listed, or listed twice.
GIVEN = "input"  # of a call
PASSED_OVER = frozenset({MARK, "id", "status", "annotations", "logprobs", "refusal", "index"})


class ListRecord(Struct, array_like=True, frozen=True):
    """A line in the file of a ListChains: the hash of a conversation's last message list (`chain`),
    the conversation's `name`, and the id of the user who owns it (`uid`)."""

    chain: str
    name: str
    uid: int | None = None


class ListChains:
    """A table, kept in the file `path`, from the hash of a conversation's last message list to the
    conversation."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._chains: dict[str, ListRecord] = {}
        self._names: dict[str, ListRecord] = {}
        self._users: dict[int | None, dict[str, None]] = {}  # names, the one seen last at the end
        lines = path.read_bytes().splitlines() if path.is_file() else []
        for line in lines:
            with suppress(DecodeError):  # cut off by a kill
                self._remember(json.decode(line, type=ListRecord))
        if len(lines) > len(self._names):
            fresh = path.with_suffix(".new")
            fresh.unlink(missing_ok=True)
            append_json_lines(fresh, *self._names.values())
            fresh.replace(path)

    def conversation_name(self, items: list[Wire], beside: bytes, owner: ConversationOwner) -> str:
        """Return the name of the conversation that a message list continues, or a new name.
        Remember the list as the conversation's last. `beside` are more bytes that must be equal
        (API, owner, instructions)."""
        chains = [*_prefix_hashes(items, beside)]
        found = next(filter(None, map(self._chains.get, reversed(chains))), None)
        name = found.name if found else f"list-{token_hex(8)}"
        self._note_list(name, chains, owner)
        return name

    def replied(
        self, name: str, items: list[Wire], beside: bytes, owner: ConversationOwner
    ) -> None:
        """Remember, for the conversation `name`, the messages (`items`) that its client will list
        after a reply, the reply included. `beside` is as in `conversation_name`."""
        self._note_list(name, [*_prefix_hashes(items, beside)], owner)

    def _note_list(self, name: str, chains: list[str], owner: ConversationOwner) -> None:
        """Remember a conversation's last list, in memory and in the file. `chains` are the hashes
        of the list's beginnings, the last hash that of the whole list."""
        if not chains:
            return
        seen = ListRecord(chains[-1], name, owner.uid)
        with self._lock:
            new = self._names.get(name) != seen
            self._remember(seen)
            if new:
                append_json_lines(self._path, seen)

    def _remember(self, seen: ListRecord) -> None:
        """Replace the conversation's hash by the hash in `seen`. Forget the user's oldest
        conversations beyond `SHARE`."""
        self._forget(seen.name)
        self._names[seen.name] = self._chains[seen.chain] = seen
        own = self._users.setdefault(seen.uid, {})
        own[seen.name] = None
        if len(own) > SHARE:
            self._forget(next(iter(own)))

    def _forget(self, name: str) -> None:
        """Forget the hash of the conversation `name`."""
        held = self._names.pop(name, None)
        if held is not None:
            del self._users[held.uid][name]
            if self._chains.get(held.chain) is held:
                del self._chains[held.chain]


def append_json_lines(path: Path, *lines: object) -> None:
    """Append each value to a file as a line of JSON, with a single write."""
    with os.fdopen(open_private_file(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT), "wb") as file:
        file.write(b"".join(json.encode(one) + b"\n" for one in lines))


def _prefix_hashes(items: list[Wire], beside: bytes) -> Iterator[str]:
    """Yield a hash, made with the bytes `beside`, for each beginning of a list: for its first
    message, for its first two, and so on."""
    before = blake2b(beside, digest_size=16).digest()
    for item in items:
        said = json.encode(comparable_message(item), order="deterministic")
        before = blake2b(before + said, digest_size=16).digest()
        yield before.hex()


def comparable_message(value: Any) -> Any:
    """Return a message without what may differ when it is sent again (ids, cache marks, status).
    The input of a tool call is kept whole. A content that is one text part becomes its text."""
    if isinstance(value, dict):
        kept = {key: one for key, one in value.items() if key not in PASSED_OVER}
        return {key: one if key == GIVEN else comparable_message(one) for key, one in kept.items()}
    if isinstance(value, list):
        if len(value) == 1 and isinstance(value[0], dict) and isinstance(value[0].get("text"), str):
            return value[0]["text"]
        return [*map(comparable_message, value)]
    return value
