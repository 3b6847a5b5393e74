"""Notes on the parts of a recording that are not in the session: lost lines, copies, other
branches.

`Session.mended` holds the notes. `loss_summary` sums them up for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loom.errors import BadSession
from loom.reduce.lines import plural

LEFT_OUT = "left out"  # what ends the note on a line or message that is not in the session
COPY = "recorded before was dropped"
OTHERS = " left out of what is not the last one, as which the session is read"
PLACES = 10  # that are named of what was lost


def left_out_note(error: BadSession, place: str = "") -> str:
    """Return the note that a part of a recording could not be read. `place` says where the part
    was, for an error that does not name the place."""
    return f"{place}{error.why}: it was {LEFT_OUT}"


def copy_note(index: int, of: str) -> str:
    """Return the note that message number `index` was left out as a copy of the line with the id
    `of`."""
    return f"message {index}: a line {COPY} ({of})"


def loss_summary(notes: Iterable[str]) -> Iterator[str]:
    """Yield a sentence on lost places, one on copied lines, and the notes on other branches."""
    notes = list(notes)
    places = [note.partition(":")[0] for note in notes if note.endswith(LEFT_OUT)]
    if places:
        more = f" and {len(places) - PLACES:,} more" if len(places) > PLACES else ""
        kinds = {place.partition(" ")[0] for place in places}
        what = "line" if kinds == {"line"} else "line or message" if len(places) == 1 else "place"
        yield f"{plural(len(places), what)} lost: {', '.join(places[:PLACES])}{more}"
    if copies := sum(COPY in note for note in notes):
        yield f"{plural(copies, 'line')} recorded twice: each counts once"
    yield from (note for note in notes if note.endswith(OTHERS))
