"""Texts with keys, in a fixed order: how the system, memory and skill partitions are stored.

C_system holds the harness's instructions and examples, C_memory holds AGENTS.md files, notes and
pinned lines; both are one shelf each, never compressed. A renewal may leave texts of memory out.

A request between cuts must begin with every byte of the request before. So a change after the first
request does not alter what is *shown*: the change waits in `current` (and stands in the stream as a
notice) until the next cut settles the shelf."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from loom_partitions.message import Notice, Text

ShelfName = Literal["system", "memory", "skill", "tools"]
PINNED = "pinned"  # in memory, the key of the lines a host pinned: no renewal leaves them out


class Shelved(Struct, frozen=True, omit_defaults=True, tag="Shelved"):
    """A text was stored in a partition of keyed texts, in place of the text with the same `key`.
    Without a `text`, the text with that key was removed.

    `partition` is system (instructions, examples), memory (an AGENTS.md, notes), skill (the list of
    skills, their bodies), or tools (JSON schema documents by tool name). `quoted` and `said` are as
    in `ShelfText`. `notice` tells the model of the change until the next cut."""

    partition: ShelfName
    key: str
    notice: Notice
    text: Text | None = None
    quoted: bool = False
    said: bool = False


class ShelfText(Struct, frozen=True, omit_defaults=True):
    """One text of a partition of keyed texts.

    `quoted` is True when the text is shown as a quote, `said` when it is shown as a message in the
    user's role. With an `entry`, the text is shown inside the entry of that id (as the result of
    `call`, if given) as long as the entry shows it whole."""

    key: str
    text: Text
    quoted: bool = False
    said: bool = False
    entry: int = 0
    call: str = ""

    @property
    def behind(self) -> bool:
        """True for a text that is shown in a message of its own, after the first system message."""
        return self.quoted or self.said


class Shelf(Struct, frozen=True):
    """The keyed texts of one partition. `current` are the texts stored now. `shown` are the texts
    that requests show until the next cut, and `tokens` is their number of tokens. Immutable."""

    current: tuple[ShelfText, ...] = ()
    shown: tuple[ShelfText, ...] = ()
    tokens: int = 0

    def get(self, key: str) -> Text | None:
        """Return the stored text under `key`. None means that there is none."""
        return next((held.text for held in self.current if held.key == key), None)

    def is_quoted(self, key: str) -> bool:
        """Return True when the stored text under `key` is shown as a quote."""
        return any(held.key == key and held.quoted for held in self.current)

    def take(self, record: Shelved) -> Shelf:
        """Return the shelf with the record's text stored under its key, or removed when it has no
        text."""
        if record.text is None:
            return self.drop(record.key)
        return self.keep(ShelfText(record.key, record.text, record.quoted, record.said))

    def keep(self, made: ShelfText) -> Shelf:
        """Return the shelf with `made` stored, in place of any text with the same key."""
        if self.get(made.key) is None:
            return Shelf((*self.current, made), self.shown, self.tokens)
        kept = tuple(made if held.key == made.key else held for held in self.current)
        return Shelf(kept, self.shown, self.tokens)

    def drop(self, key: str) -> Shelf:
        """Return the shelf without the stored text under `key`."""
        kept = tuple(held for held in self.current if held.key != key)
        return Shelf(kept, self.shown, self.tokens)

    def settle(self) -> Shelf:
        """Return the shelf with all stored texts shown. Call it only at a cut or before the first
        request."""
        if self.shown is self.current:
            return self
        return Shelf(self.current, self.current, sum(held.text.tokens for held in self.current))

    @property
    def settled(self) -> bool:
        """True when the shown texts equal the stored texts."""
        return self.shown == self.current
