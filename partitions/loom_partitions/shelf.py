"""Keyed texts in a fixed order: how the system, memory and skill partitions are stored.

C_system holds instructions and examples the harness gives, C_memory AGENTS.md files, notes and
pinned lines; both are a shelf each, never compressed. A renewal may leave texts of memory out.

A request between cuts must begin with every byte of the one before, so a change after the first
request does not move what is *shown*: it waits in `current` (and stands in the stream as a
notice) until the next cut settles it.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from loom_partitions.message import Notice, Text

ShelfName = Literal["system", "memory", "skill", "tools"]
PINNED = "pinned"  # in memory, the key of the lines a host pinned: no renewal leaves them out


class Shelved(Struct, frozen=True, omit_defaults=True, tag="Shelved"):
    """A text came onto a shelf, in place of the one with its key; without a `text` that one left.

    The `partition` is system (instructions, examples), memory (an AGENTS.md, notes), skill (the
    list, bodies), or tools: JSON schema documents by the tools' names, in the skill partition.
    `quoted` and `said` are those of `Held`. `notice` tells the model of it between cuts.
    """

    partition: ShelfName
    key: str
    notice: Notice
    text: Text | None = None
    quoted: bool = False
    said: bool = False


class ShelfText(Struct, frozen=True, omit_defaults=True):
    """One text on a shelf, under its key.

    `quoted`: it is of a lower standing than the shelf, and is shown quoted behind the head. `said`:
    it came as a message of the user's role, and is shown as one there. With an `entry` it is shown
    where it came in (as the result of the `call`, if there is one) while that stands whole.
    """

    key: str
    text: Text
    quoted: bool = False
    said: bool = False
    entry: int = 0
    call: str = ""

    @property
    def behind(self) -> bool:
        """True for a text with a message of its own behind the head."""
        return self.quoted or self.said


class Shelf(Struct, frozen=True):
    """`current` is what is stored, `shown` what the head of the request holds."""

    current: tuple[ShelfText, ...] = ()
    shown: tuple[ShelfText, ...] = ()
    tokens: int = 0

    def get(self, key: str) -> Text | None:
        """The stored text under `key`."""
        return next((held.text for held in self.current if held.key == key), None)

    def is_quoted(self, key: str) -> bool:
        """True when a text stands under `key` that is quoted."""
        return any(held.key == key and held.quoted for held in self.current)

    def take(self, record: Shelved) -> Shelf:
        """Store a record's text, or drop what stands under its key."""
        if record.text is None:
            return self.drop(record.key)
        return self.keep(ShelfText(record.key, record.text, record.quoted, record.said))

    def keep(self, made: ShelfText) -> Shelf:
        """Store a text in the place of an older one with its key, or at the end."""
        if self.get(made.key) is None:
            return Shelf((*self.current, made), self.shown, self.tokens)
        kept = tuple(made if held.key == made.key else held for held in self.current)
        return Shelf(kept, self.shown, self.tokens)

    def drop(self, key: str) -> Shelf:
        """Store nothing under `key`."""
        kept = tuple(held for held in self.current if held.key != key)
        return Shelf(kept, self.shown, self.tokens)

    def settle(self) -> Shelf:
        """Show what is stored. Only a cut, or the time before the first request, may do this."""
        if self.shown is self.current:
            return self
        return Shelf(self.current, self.current, sum(held.text.tokens for held in self.current))

    @property
    def settled(self) -> bool:
        """True when what is shown is what is stored."""
        return self.shown == self.current
