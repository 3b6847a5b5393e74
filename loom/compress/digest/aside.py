"""What `git stash` does to changes: set aside, and brought back by a pop; not lost, not reverted.

Such an `undo` fact has one of four words as its `came`. The words join what a changed file is told
with.
"""

from __future__ import annotations

from msgspec.structs import replace

from loom.reduce.deeds import ALL_ASIDE, ASIDE, BACK, DELETED, DROPPED, LOST, REVERTED
from loom_partitions.message import Fact

STASHED = (ASIDE, ALL_ASIDE, BACK, DROPPED)
PERHAPS = "perhaps "  # of a file that was written: a new one stays where it is
_SHOWN = (
    f"{PERHAPS}{ASIDE}",
    ASIDE,
    BACK,
    DROPPED,
)  # as they stand
_BEFORE = "; what was changed before: "
_JOINT = ", "


def stashed(fact: Fact, came: str) -> Fact:
    """A changed file as a stash command leaves it: committed changes stay as they are."""
    swaps = (fact.refs or "?").split()
    if fact.came in (REVERTED, DELETED, LOST) or all(swap.startswith("!") for swap in swaps):
        return fact
    note = note_of(fact.came)
    if came in (BACK, DROPPED):
        return replace(fact, came=fact.came.removesuffix(note) + came) if _is_aside(note) else fact
    shown = ASIDE if came == ALL_ASIDE or fact.kind == "edit" else f"{PERHAPS}{ASIDE}"
    base = _base(fact.came)
    return replace(fact, came=f"{base}{_JOINT if base else ''}{shown}")


def noted(came: str, now: str) -> str:
    """The outcome told of a file, with the note on a stash that it has `now`."""
    return _base(came) + now.removeprefix(_base(now))


def since(before: str, now: str) -> str:
    """The outcome told of an edit made behind changes that are set aside, and still are."""
    note = note_of(before)
    return f"{now}{_BEFORE}{note}" if _is_aside(note) else now


def note_of(came: str) -> str:
    """The words on a stash in what came of a file; "" without any."""
    return next((word for word in _SHOWN if came.endswith(word)), "")


def _is_aside(note: str) -> bool:
    return note.endswith(ASIDE)


def _base(came: str) -> str:
    return came.removesuffix(note_of(came)).removesuffix(_BEFORE).removesuffix(_JOINT)
