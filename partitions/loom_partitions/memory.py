"""C_memory: AGENTS.md files, notes, pinned lines. Never compressed; a renewal may leave some out.

`Saved` and `Recalled` tell of a memory that outlives the session; they change no window.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from loom_partitions.message import Notice, Text
from loom_partitions.shelf import Shelf

PINNED = "pinned"  # the key of the lines a host pinned: no renewal leaves them out


class Remembered(Struct, frozen=True, omit_defaults=True, tag="Remembered"):
    """A memory text was loaded or changed (an AGENTS.md, a note).

    `quoted`: it comes from a file found while the agent worked, and stands below the project's own.
    """

    key: str
    text: Text
    notice: Notice
    quoted: bool = False


class Forgotten(Struct, frozen=True, tag="Forgotten"):
    """A memory text is gone."""

    key: str
    notice: Notice


class Saved(Struct, frozen=True, tag="Saved"):
    """Something became a memory that outlives the session: its id and key, and where it is from."""

    id: int
    key: str
    source: str


class Recalled(Struct, frozen=True, tag="Recalled"):
    """Memories of earlier sessions were brought in."""

    ids: tuple[int, ...]


def _remembered(memory: Shelf, record: Remembered) -> Shelf:
    return memory.put(record.key, record.text, record.quoted)


def _forgotten(memory: Shelf, record: Forgotten) -> Shelf:
    return memory.drop(record.key)


CASES: dict[type, Callable[[Shelf, Any], Shelf]] = {
    Remembered: _remembered,
    Forgotten: _forgotten,
}
