"""What becomes of the changes of a file when a command takes them back, or puts them aside."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from loom.reduce.deeds import GONE, RESTORED, REVERTED, STASHED
from loom_partitions.message import Fact

LAST = ", what came after the commit "  # and then what became of that


def undone(fact: Fact, now: Fact, swaps: Sequence[str]) -> Fact:
    """The changes of one file after what was made of them; what was stashed may come back."""
    if now.came == RESTORED:
        if fact.came == STASHED:
            return replace(fact, came="", at=now.at, refs="?")
        return replace(fact, came=fact.came.removesuffix(f"{LAST}{STASHED}"))
    if now.came == STASHED and fact.came in GONE:
        return fact
    kept = [one for one in swaps if one.startswith("!")]  # committed, so not taken back
    if now.came not in (REVERTED, STASHED) or not kept:
        return replace(fact, came=now.came, at=now.at, refs="")
    if len(kept) < len(swaps):
        came = f"{fact.came}{LAST}{now.came}"
        return replace(fact, came=came, at=now.at, refs=" ".join(kept))
    return fact
