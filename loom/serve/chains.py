"""Conversations whose requests name none, known by their lists.

A list is of the conversation all of which it goes on from, its instructions, its wire API and its
key alike. One that begins as another did and goes on otherwise is a conversation of its own,
whatever its user meant, so that nothing of the one can be recalled in the other. The same list once
more, before an answer to it is known, is a request sent again. What was seen is kept in a file, by
hashes alone, so that a proxy that was killed knows it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from secrets import token_hex
from threading import Lock
from typing import Any

from msgspec import DecodeError, Struct, json

from loom.disk import private_file
from loom.providers.formats.wire import Wire
from loom.serve.dialects import MARK

MOST = 200_000  # beginnings that are remembered
# What differs in a message as it was given and as it is listed, or listed twice.
GIVEN = "input"  # of a call
PASSED_OVER = frozenset({MARK, "id", "status", "annotations", "logprobs", "refusal", "index"})


class Beginning(Struct, array_like=True):
    """A beginning of a list, and the conversation it is of."""

    chain: str
    name: str


class Chains:
    """The beginnings of lists, by their hashes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._names: dict[str, str] = {}
        self._last: dict[str, str] = {}  # by conversation the longest that was seen
        for line in path.read_bytes().splitlines() if path.is_file() else ():
            try:
                held = json.decode(line, type=Beginning)
            except DecodeError:  # cut off by a kill
                continue
            self._know(held)

    def name_of(self, items: list[Wire], beside: bytes) -> str:
        """The conversation a list is of, a new one where it goes on from none; it is known then.

        `beside` is what two lists must have alike to be of one conversation.
        """
        chains = [*_chains(items, beside)]
        known = ((self._names.get(chain, ""), chain) for chain in reversed(chains))
        found = next((name for name, at in known if name and self._last.get(name) == at), "")
        name = found or f"list-{token_hex(8)}"
        self._seen(name, chains)
        return name

    def replied(self, name: str, items: list[Wire], beside: bytes) -> None:
        """A conversation's list as its client will have it now, with the reply it was given."""
        self._seen(name, [*_chains(items, beside)])

    def _seen(self, name: str, chains: list[str]) -> None:
        with self._lock:
            self._keep([Beginning(one, name) for one in chains if self._names.get(one) != name])
            if chains:
                self._last[name] = chains[-1]

    def _know(self, held: Beginning) -> None:
        self._names.pop(held.chain, None)
        self._names[held.chain] = held.name
        self._last[held.name] = held.chain
        while len(self._names) > MOST:
            del self._names[next(iter(self._names))]

    def _keep(self, fresh: list[Beginning]) -> None:
        for one in fresh:
            self._know(one)
        if fresh:
            descriptor = private_file(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            try:
                os.write(descriptor, b"".join(json.encode(one) + b"\n" for one in fresh))
            finally:
                os.close(descriptor)


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
