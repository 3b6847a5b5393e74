"""What a call that is answered here leads to."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from loom_partitions.message import Reduction
from loom_partitions.records import Record


class Answer(Struct, frozen=True):
    """The result of such a call, its reduced form, and the records it leads to.

    `marked`: the text holds notes of Loom's own, with the session's mark; the rest shows none.
    """

    text: str
    reduction: Reduction
    error: bool = False
    records: tuple[Record, ...] = ()
    marked: bool = False


def reduction(name: str, args: dict[str, Any], said: str, ref: str = "") -> Reduction:
    """The reduced form of an answer."""
    return Reduction(name, args, said, said[:100], ref)
