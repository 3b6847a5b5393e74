"""Reasoning stays bound to what it was thought about.

Theory of operation
-------------------
A provider's opaque reasoning answers a prefix: the tools, the instructions and all messages before
it. Sent back after anything of that has changed, it is refused, or it misleads. Nothing in one
request shows it, so the requests of a session are checked in their order.

A request is a head and a row of atoms (blocks, parts, items, whole messages in Chat Completions);
each atom extends a rolling hash, so a hash stands for everything up to it. A reasoning block that
was never seen behind this hash is lawful only if it is new: the whole request before is a prefix
of what stands before it, as for the reply to that request. Then the hash is noted; from then on
the block is lawful behind it, and nowhere else.

Some providers demand the reasoning of the reply whose results are just being returned, and do not
bind it. There the new place is noted as well: the request was taken with it, and until the next
cut every request has it there.

Cache marks are no part of a prefix. Messages that are the same objects as before, or equal, are
hashed once.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode
from collections.abc import Callable, Iterator, Mapping
from hashlib import blake2b
from typing import Any, NamedTuple

from msgspec import json

from loom_bench.laws.walk import Object, objects, shared

# Whose reasoning in an open tool loop is demanded and not bound (documentation of extended
# thinking with tools, and of thought signatures).
DEMANDED = frozenset({"anthropic", "gemini"})
# What Google gives for calls that never had a signature: as text, as its bytes, and as the bytes
# that JSON writes as that text.
_WORDS = ("skip_thought_signature_validator", "context_engineering_is_the_way_to_go")
PLACEHOLDERS = frozenset(
    form for word in _WORDS for form in (word, word.encode(), urlsafe_b64decode(word))
)

# (what extends the hash, the reasoning it is, None for anything else)
Atom = tuple[object, object]


class PrefixReading(NamedTuple):
    """How a format is read: where the messages stand, what is before them, their atoms.

    `speaks` is whether the model said a message, `calls` whether it called a tool in it.
    """

    key: str
    head: Callable[[Object], object]
    atoms: Callable[[Object], Iterator[Atom]]
    speaks: Callable[[Object], bool]
    calls: Callable[[Object], bool]


class Place(NamedTuple):
    """A reasoning block: its message and atom, what it is, the hash of all before it."""

    message: int
    atom: int
    reasoning: bytes
    before: bytes


class Bound:
    """The law for the requests of one session. `visited` counts the messages hashed so far."""

    def __init__(self, format: str) -> None:
        """Raises KeyError for a format that cannot be read."""
        self.visited = 0
        self._read = READINGS[format]
        self._demanded = format in DEMANDED
        self._head: object = None
        self._messages: list[Any] = []
        self._ends: list[int] = []  # atoms up to and with each message
        self._chain: list[bytes] = [b""]  # hash after each number of atoms
        self._astray: list[Place] = []
        self._known: dict[bytes, set[bytes]] = {}
        self._sent: tuple[int, bytes] | None = None  # atoms and hash of the request before

    def check(self, request: Mapping[str, Any]) -> list[str]:
        """The reasoning of this request that stands behind another prefix than its own."""
        given = request.get(self._read.key)
        messages = list(given) if isinstance(given, list | tuple) else []
        head = self._read.head(request)
        same = shared(self._messages, messages) if head == self._head else 0
        self._back_to(same)
        if head != self._head:
            self._head, self._chain = head, [_hash(b"", head)]
        new: list[Place] = []
        for message in messages[same:]:
            new += self._add(message)
        self._judge(new)
        self._sent = len(self._chain) - 1, self._chain[-1]
        return [f"message {at}: its reasoning answered another prefix" for at, *_ in self._astray]

    def _back_to(self, number: int) -> None:
        del self._messages[number:]
        del self._ends[number:]
        del self._chain[(self._ends[-1] if self._ends else 0) + 1 :]
        self._astray = [place for place in self._astray if place.message < number]

    def _add(self, message: Any) -> Iterator[Place]:
        self.visited += 1
        for value, reasoning in self._read.atoms(message) if isinstance(message, Mapping) else ():
            before = self._chain[-1]
            if reasoning is not None:
                at = len(self._messages), len(self._chain) - 1
                yield Place(*at, _hash(b"", reasoning), before)
            self._chain.append(_hash(before, value))
        self._messages.append(message)
        self._ends.append(len(self._chain) - 1)

    def _judge(self, new: list[Place]) -> None:
        for place in new:
            known = self._known.setdefault(place.reasoning, set())
            if place.before in known:
                continue
            if self._answers(place):
                known.add(place.before)
            else:
                self._astray.append(place)
        if self._astray and self._demanded and (last := self._looping()) is not None:
            for place in self._astray:
                if place.message == last:
                    self._known[place.reasoning].add(place.before)
            self._astray = [place for place in self._astray if place.message != last]

    def _answers(self, place: Place) -> bool:
        """True when all of the last request stands before a block, as before a reply to it."""
        if self._sent is None:
            return True
        count, hash = self._sent
        return count <= place.atom and self._chain[count] == hash

    def _looping(self) -> int | None:
        """The message of the reply whose results come last, None outside a tool loop."""
        for at in range(len(self._messages) - 1, -1, -1):
            if self._read.speaks(self._messages[at]):
                return at if self._read.calls(self._messages[at]) else None
        return None


def _hash(before: bytes, value: object) -> bytes:
    data = json.encode(value, enc_hook=repr, order="deterministic")
    return blake2b(before + data, digest_size=16).digest()


def _bare(block: Any) -> Any:
    """A block without its cache mark, and without those of blocks inside."""
    if not isinstance(block, Mapping):
        return block
    kept = {key: value for key, value in block.items() if key != "cache_control"}
    if isinstance(kept.get("content"), list):
        kept["content"] = [_bare(inner) for inner in kept["content"]]
    return kept


def _blocks(content: object) -> list[Any]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [_bare(block) for block in objects(content)]


def _openai(message: Object) -> Iterator[Atom]:
    given = objects(message.get("reasoning_details"))
    details = [one for one in given if any(one.get(key) for key in ("signature", "data"))]
    plain = {**message, "content": _blocks(message.get("content"))}
    yield plain, details or None


def _responses(item: Object) -> Iterator[Atom]:
    reasoning = item.get("type") == "reasoning"
    yield item, (item.get("encrypted_content") or item.get("id")) if reasoning else None


def _anthropic(message: Object) -> Iterator[Atom]:
    role = message.get("role")
    for block in _blocks(message.get("content")):
        kind = block.get("type")
        field = {"thinking": "signature", "redacted_thinking": "data"}.get(str(kind))
        signed = block.get(field) if field else None
        yield (role, block), [kind, signed] if signed else None


def _gemini(content: Object) -> Iterator[Atom]:
    role = content.get("role")
    for part in objects(content.get("parts")):
        signature = part.get("thought_signature")
        opaque = isinstance(signature, bytes | str) and signature not in PLACEHOLDERS
        yield (role, part), signature if opaque else None


def _holds(key: str, kind: str) -> Callable[[Object], bool]:
    """Test for blocks under `key` of a kind: by their type, or by a field of that name."""
    return lambda message: any(
        block.get("type") == kind or block.get(kind) is not None
        for block in objects(message.get(key))
    )


def _role(name: str) -> Callable[[Object], bool]:
    return lambda message: message.get("role") == name


def _config(request: Object) -> object:
    config = request.get("config")
    held = config if isinstance(config, Mapping) else {}
    return [held.get("system_instruction"), held.get("tools")]


def _under(*keys: str) -> Callable[[Object], object]:
    return lambda request: [
        [_bare(item) for item in value] if isinstance(value := request.get(key), list) else value
        for key in keys
    ]


READINGS: dict[str, PrefixReading] = {
    "openai": PrefixReading(
        "messages",
        _under("tools"),
        _openai,
        _role("assistant"),
        lambda message: bool(message.get("tool_calls")),
    ),
    "responses": PrefixReading(
        "input",
        _under("instructions", "tools"),
        _responses,
        lambda item: item.get("type") in ("reasoning", "function_call"),
        lambda item: item.get("type") == "function_call",
    ),
    "anthropic": PrefixReading(
        "messages",
        _under("system", "tools"),
        _anthropic,
        _role("assistant"),
        _holds("content", "tool_use"),
    ),
    "gemini": PrefixReading(
        "contents", _config, _gemini, _role("model"), _holds("parts", "function_call")
    ),
}
