"""A request as the model reads it: a row of units, each with its bytes, its tokens, its digest.

Every API reads its request into the same units, in canonical JSON (sorted keys; cache marks, item
ids and the way texts are split over messages left out). The digest after a unit is that of every
byte before it, so that reasoning can be bound to what stood before it, and a prompt cache finds
the longest prefix it has seen.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Collection, Iterable, Iterator
from typing import Any, NamedTuple

from toktok import batch_count

KEY = b"loopback"
FRAME = 4  # tokens around a unit: 3 a message and 1 a role, as the OpenAI cookbook counts
_counted: dict[str, int] = {}


def canonical(value: Any) -> str:
    """JSON with sorted keys and no blanks."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def tokens_of(text: str) -> int:
    """o200k tokens of a text."""
    if text not in _counted:
        sent = text.encode("utf-8", "replace").decode()
        _counted[text] = batch_count([sent], "o200k_base", threads=1)[0]
    return _counted[text]


class Unit(NamedTuple):
    """One piece of a prompt. `sign` is opaque reasoning given back with it, `marked` a cache mark.
    `place` is where it stands in the request: the number of its message, and of its part. `seen`
    are the tokens of what is no text: an image, a document; a unit of it alone has no frame."""

    kind: str  # tool, system, text, media, thought, call, result
    role: str
    value: Any
    texts: tuple[str, ...]
    sign: str = ""
    marked: bool = False
    place: tuple[int, int] = (-1, -1)
    seen: int = 0

    @property
    def content(self) -> str:
        """What a signature on this unit signs."""
        return canonical(self.value)


def declared(tools: Iterable[Any]) -> Iterator[Unit]:
    """Tools as units of a prompt: their names and schemas."""
    for tool in tools:
        value = [tool.name, tool.schema]
        yield Unit("tool", "", value, (canonical(value),))


class Prompt:
    """The units of a request in order, with running digests and token sums."""

    def __init__(self, units: Iterable[Unit]) -> None:
        self.units = tuple(units)
        self.digests: list[bytes] = []
        self.sums: list[int] = []
        digest, total = b"", 0
        for unit in self.units:
            data = canonical((unit.kind, unit.role, unit.value))
            digest = hashlib.blake2b(digest + data.encode("utf-8", "surrogatepass")).digest()
            total += FRAME * (unit.kind != "media") + sum(map(tokens_of, unit.texts)) + unit.seen
            self.digests.append(digest)
            self.sums.append(total)

    @property
    def tokens(self) -> int:
        """o200k tokens of it all, frames included."""
        return self.sums[-1] if self.sums else 0

    def before(self, number: int) -> bytes:
        """The digest of all that stands before a unit."""
        return self.digests[number - 1] if number else b""

    @property
    def end(self) -> bytes:
        """The digest of it all."""
        return self.before(len(self.units))

    def extended(self, *units: Unit) -> Prompt:
        """The prompt with units after it."""
        return Prompt((*self.units, *units))


def seal(content: str, prefix: bytes) -> str:
    """A signature: one code over the content alone, one over the content and what precedes it."""
    data = content.encode("utf-8", "surrogatepass")
    own = hmac.digest(KEY, data, "sha256")[:12]
    tied = hmac.digest(KEY, prefix + data, "sha256")[:12]
    return base64.b64encode(own + tied).decode()


def broken(signature: str, content: str, prefix: bytes) -> str:
    """What is wrong with a signature: `""`, `"forged"`, or `"moved"` after another prefix."""
    try:
        data = base64.b64decode(signature, validate=True)
    except (binascii.Error, ValueError):
        return "forged"
    real = base64.b64decode(seal(content, prefix))
    if len(data) != 24 or not hmac.compare_digest(data[:12], real[:12]):
        return "forged"
    return "" if data == real else "moved"


def check_signatures(
    prompt: Prompt, running: int, bound: Collection[tuple[str, bytes]], stand_ins: Collection[str]
) -> tuple[Unit | None, frozenset[tuple[str, bytes]]]:
    """The first unit whose reasoning is not accepted, and what is bound to its place from now on.

    Reasoning must be genuine, and stand after the very words it was given after. Of the turn
    `running` (-1 for none), the last reply of a tool loop that goes on, it must be genuine only:
    the provider demands it whatever became of its prefix. Once accepted so, it is bound to that
    prefix, as all that was thought after it is.
    """
    new = set()
    for number, unit in enumerate(prompt.units):
        if not unit.sign or (unit.kind == "call" and unit.sign in stand_ins):
            continue
        prefix = prompt.before(number)
        wrong = broken(unit.sign, unit.content, prefix)
        moved = wrong == "moved" and (unit.place[0] == running or (unit.sign, prefix) in bound)
        if wrong and not moved:
            return unit, frozenset()
        if moved:
            new.add((unit.sign, prefix))
    return None, frozenset(new)


def encrypted(content: str, prefix: bytes) -> str:
    """Reasoning nobody but the server can read, with its signature."""
    hidden = base64.b64encode(content.encode("utf-8", "surrogatepass")).decode()
    return f"gAAAA{hidden}.{seal(canonical(content), prefix)}"


def decrypted(opaque: str) -> tuple[str, str]:
    """The content and the signature of `encrypted`; two empty texts when it is none."""
    hidden, _, signature = opaque.removeprefix("gAAAA").partition(".")
    try:
        return base64.b64decode(hidden, validate=True).decode("utf-8", "surrogatepass"), signature
    except (binascii.Error, ValueError):
        return "", ""
