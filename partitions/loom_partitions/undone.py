"""Going back: the window as it stood at an earlier request, in place of the one of now.

What happened in between stays in the journal, and so do its numbers: entries, requests, cuts and
generations go on counting, so no name ever means two things.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from loom_partitions.message import Notice
from loom_partitions.state import Window


class Undone(Struct, frozen=True, tag="Undone"):
    """The work after request `to` was undone: entries `first` to `last`, none when `last` is less.

    `window` is the one request `to` was made of, as far as it is taken back: the record says it
    whole, since a fold has no other windows than its own. `notice` tells the model. Where `at` is
    not 0 some of what followed the request stands, and the window is the one behind that commit.
    """

    to: int
    first: int
    last: int
    window: Window
    notice: Notice | None = None
    at: int = 0


def undone(window: Window, record: Undone) -> Window:
    """The earlier window, with what no undoing changes: sizes, counters, what a provider said."""
    now, then = window.sent, record.window
    history = replace(then.history, next_id=window.history.next_id)
    if record.notice is not None:
        history = history.append(record.notice)
    sent = replace(
        then.sent,
        turn=now.turn,
        shared=-1,
        stable=len(then.history.stream),  # the request gone back to held them so
        known=-1,
        turned=False,
        cuts=now.cuts + 1,
        cut_turn=now.turn,
        generation=now.generation,
        samples=now.samples,
        redacted=now.redacted,
        unredacted=now.unredacted,
        delivered=now.delivered,
        beside=now.beside,
        held=now.held,
        reported=now.reported,
        times=now.times,
        level="undo",
    )
    after = replace(then, history=history, limits=window.limits, config=window.config, sent=sent)
    return replace(after, sent=replace(sent, cut_tokens=after.tokens.total))
