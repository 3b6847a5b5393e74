"""Signals: each tells one occurrence under an id that no other has."""

from __future__ import annotations

import hashlib
from base64 import b32encode
from collections.abc import Callable, Iterable
from typing import Protocol

from msgspec import Struct

from loom.errors import BadInput
from loom.text import one_line
from loom_partitions.surfaces import URGENCIES

ID_CHARS = 80  # what the event surface keeps of an id; two longer ones could become one
KIND_CHARS = 40
SUMMARY_CHARS = 200  # what the event surface shows of an event


class Signal(Struct, frozen=True):
    """One occurrence: the same one has the same `id` wherever it is met, a new one a new id.

    `kind` is "files", "process", "memory", "disk", "timer", "inbox", "heartbeat" (a fault of the
    watching itself) or a word of a host's own source. `summary` is one line of at most
    `SUMMARY_CHARS` characters, none of them a control character. `urgency` is low, normal, high
    or critical. `taken` is called when the sink has it. Raises BadInput for anything else.
    """

    id: str
    kind: str
    summary: str
    urgency: str = "normal"
    taken: Callable[[], None] | None = None

    def __post_init__(self) -> None:
        check(self.id, self.urgency)
        _check_line("kind", self.kind, KIND_CHARS)
        _check_line("summary", self.summary, SUMMARY_CHARS)


class Source(Protocol):
    """A part of the world that is watched.

    `look` tells what has happened since the look before, and does not wait. It is called by one
    thread at a time; what it raises becomes a signal, and it is called again later.
    """

    name: str

    def look(self) -> Iterable[Signal]:
        """Return the signals since the look before."""
        ...


def fingerprint(kind: str, *marks: object) -> str:
    """An id of what tells one occurrence from another: `files-` and 8 letters and digits, which
    are fewer tokens than the same bits in hexadecimal."""
    digest = hashlib.blake2b(digest_size=5)
    for mark in marks:
        data = str(mark).encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(data) + data)  # ("ab", "c") is not ("a", "bc")
    return f"{kind}-{b32encode(digest.digest()).decode().lower()}"


def occurred(kind: str, summary: str, urgency: str, *marks: object) -> Signal:
    """The signal of an occurrence that `marks` tell from every other; the summary is cut to fit."""
    line = one_line(summary, SUMMARY_CHARS) or kind
    return Signal(fingerprint(kind, *marks), kind, line, urgency)


def check(id: str, urgency: str, id_chars: int = ID_CHARS) -> None:
    """Raise BadInput for an id that is no line of 1 to `id_chars` characters, or no urgency."""
    _check_line("id", id, id_chars)
    if urgency not in URGENCIES:
        raise BadInput(f"{urgency!r:.80} is no urgency; one of {', '.join(URGENCIES)}")


def checked_text(text: str) -> str:
    """`text` as the line a signal shows, with nothing cut; raises BadInput when it is too long."""
    line = one_line(text, len(text) + 1)
    if not line:
        raise BadInput("a signal needs a text: one line that says what happened")
    if len(line) > SUMMARY_CHARS:
        raise BadInput(
            f"a signal is one line of at most {SUMMARY_CHARS} characters, and this one has"
            f" {len(line):,}: put the whole in a file, and name the file in the signal"
        )
    return line


def _check_line(what: str, text: str, limit: int) -> None:
    if not text or one_line(text, limit) != text:
        raise BadInput(
            f"the {what} of a signal is one line of 1 to {limit} characters without control"
            f" characters, not {one_line(repr(text), 60)} ({len(text):,} characters)"
        )
