"""What becomes of the changes of a file when a command takes them back."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from loom.reduce.deeds import REVERTED
from loom_partitions.message import Fact

LAST = ", what came after the commit "  # and then what became of that


def undone(fact: Fact, now: Fact, swaps: Sequence[str]) -> Fact:
    """The changes of one file after they were taken back, deleted or moved."""
    kept = [one for one in swaps if one.startswith("!")]  # committed, so not taken back
    if now.came != REVERTED or not kept:
        return replace(fact, came=now.came, at=now.at, refs="")
    if len(kept) < len(swaps):
        came = f"{fact.came}{LAST}{now.came}"
        return replace(fact, came=came, at=now.at, refs=" ".join(kept))
    return fact
