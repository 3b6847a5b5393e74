"""Compares the client's window with Loom's: the things in use in each, and the price of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from loom.replay.lost.loom_window import GONE, IN_VIEW, PLACES
from loom.replay.lost.losses import SessionLoss
from loom.report.loss_sentences import and_list, dollars_text, loss_sums

LOOM = ("Loom, as large", "Loom, small")


class WindowComparison(Struct, frozen=True):
    """One window of a comparison: the client's own, or a window that Loom would have had.

    `room` is the largest size in tokens in any session, `least` the smallest; both are 0 for the
    client's window. `places` counts the things in use at each of PLACES. `back` counts the texts
    fetched again that this window would have shown. `mean` is the average size of a request in
    tokens. `dollars` is the price of the input, with the client's summaries."""

    name: str
    room: int
    least: int
    places: tuple[int, ...]
    back: int
    mean: int
    dollars: float


def window_comparisons(found: Sequence[SessionLoss]) -> tuple[WindowComparison, ...]:
    """Return three comparisons over compacted sessions: the client's window, a Loom window of the
    same size, and a small Loom window."""
    every = [each for one in found for each in one.compactions]
    client, *others = {one.client for one in found}
    name, added = "The clients" if others else client or "The client", loss_sums(every)
    made = []
    for at, called in enumerate((name, *LOOM)):
        inputs = [one.inputs[at] for one in found]
        places: tuple[int, ...] = (added.things - added.lost, 0, 0, added.lost)
        back = 0
        if at:
            where = Counter(thing.loom[at - 1] for one in every for thing in one.things)
            places = tuple(where[place] for place in PLACES)
            back = sum(call.loom[at - 1] == IN_VIEW for one in every for call in one.back)
        mean = sum(one.sent for one in inputs) // max(sum(one.requests for one in inputs), 1)
        dollars = sum(one.dollars for one in inputs)
        rooms = [one.room for one in inputs]
        paid = dollars if at else dollars + added.written
        made.append(WindowComparison(called, max(rooms), min(rooms), places, back, mean, paid))
    return tuple(made)


def kept_sentence(found: Sequence[SessionLoss]) -> str:
    """Return a sentence on what a small Loom window would have kept and what its input would have
    cost, "" if nothing was in use."""
    some = [one for one in found if one.compactions]
    every = [each for one in some for each in one.compactions]
    if not any(one.things for one in every):
        return ""
    own, _, small = window_comparisons(some)
    things, behind = sum(small.places), small.places[PLACES.index(GONE)]
    rest = things - small.places[0] - behind
    told = [f"{_share_words(small.places[0], things)} in view"] + [f"{behind} gone"] * bool(behind)
    told += [f"{rest} behind a call or a search"] * bool(rest)
    room, session = f"{small.room:,} tokens", "the whole session"
    if len(some) > 1:
        room = f"up to {room}" if small.least < small.room else room
        session = "all these sessions"
    return (
        f"Loom, with room for {room} beside instructions and tools, would have had"
        f" {and_list(told)}; the input of {session} would have cost"
        f" {dollars_text(small.dollars)} in place of {dollars_text(own.dollars)}."
    )


def _share_words(n: int, of: int) -> str:
    """Return words for `n` of `of` things: "3 of 5", "all 5", or "it" for a single thing."""
    return f"{n} of {of}" if n < of else f"all {of}" if of > 1 else "it"
