"""The fold: `apply(window, record)`, the only code that changes a window.

Theory of operation
-------------------
The window is a fold over an append-only journal. A window is a value; every version shares
structure with the one before. It holds resident text only: a text that a cut removed is gone from
the window and rests in a page or a journal record.

Each partition's file says what a record does to the partition (its CASES); this file says only
what a record does to several parts (SEVERAL). Both together let a record change these parts:

    Remembered Sifted Synced → nothing
    Answered Faulted Pinned Rethought → history
    Beside Informed Redacted Requested SentAgain → sent
    SkillUsed → skill
    Acknowledged Evidenced Noted Planned Progressed Questioned Resulted Signalled Spawned → working
    Brought Heard Turned → history sent
    CarriedOn → history working
    Overflowed → limits sent
    Finished HandedOver Tasked → working sent
    Metered Replied → history limits sent
    Returned → history working sent
    Resized → limits sent config
    Opened → working limits config
    Compressed Renewed Repaired Shelved → system memory skill history sent
    Undone → system memory skill history working sent

Every record but the QUIET ones also sets `sent.turned` to False: the last request is out of date.

A request is `head ⊕ stream`. The head is what the shelves *show* (system, skill and tools,
memory). The stream is the history, with notices frozen where they were sent. Between cuts only
appends happen, so each request begins with every byte of the one before; once a request was made,
a change of the head waits on its shelf and stands in the stream as a notice. A cut (Compressed,
Renewed) rebuilds the stream and settles the shelves."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, get_args

from msgspec.structs import replace

from loom_partitions import history, sent, skill, working
from loom_partitions import records as r
from loom_partitions.cuts import fold_compressed, fold_renewed, fold_repaired, fold_undone
from loom_partitions.edits import edits_for_journal
from loom_partitions.state import Window

__all__ = ["CASES", "QUIET", "SEVERAL", "Window", "apply", "fold", "records_for_journal"]

# Records after which the request made last is still the right one.
QUIET = {r.Turned, r.SentAgain, r.Faulted, r.Pinned, r.Metered, r.Redacted, r.Answered, r.Sifted}


def apply(window: Window, record: r.Record) -> Window:
    """Return the window after a record. Raises KeyError for an unknown type of record."""
    kind = type(record)
    parts = {name: case(getattr(window, name), record) for name, case in CASES[kind]}
    if window.sent.turned and kind not in QUIET:
        parts["sent"] = replace(parts.get("sent", window.sent), turned=False)
    if parts:
        window = replace(window, **parts)
    return SEVERAL[kind][1](window, record) if kind in SEVERAL else window


def fold(records: Iterable[r.Record], window: Window | None = None) -> Window:
    """Return the window after all records, applied in order to `window` (None: an empty window)."""
    window = window or Window()
    for record in records:
        window = apply(window, record)
    return window


def _fold_shelved(window: Window, record: r.Shelved) -> Window:
    """Return the window after a text of the system, memory or skill partition was stored or
    removed."""
    name = "skill" if record.partition == "tools" else record.partition
    part = getattr(window, name).take(record)
    if window.sent.made:
        return replace(window, history=window.history.append(record.notice), **{name: part})
    items = (window.history.stream,) if name == "skill" else ()  # it shows some of its texts
    return replace(window, sent=replace(window.sent, shared=-1), **{name: part.settle(*items)})


def _fold_opened(window: Window, record: r.Opened) -> Window:
    return replace(window, limits=record.limits, config=record)


def _fold_resized(window: Window, record: r.Resized) -> Window:
    config, sent = replace(window.config, model=record.model), window.sent
    if record.ways is not None:
        config = replace(config, ways=record.ways, files=record.files)
    if record.model != window.config.model:
        sent = replace(sent, accepted=(0, ""))
    sent = replace(sent, limited=(sent.limited[0], 0, 0))
    return replace(window, limits=record.limits, config=config, sent=sent)


def _fold_metered(window: Window, record: r.Metered) -> Window:
    window = replace(window, limits=replace(window.limits, scale=record.scale))
    if not record.media:
        return window
    stream = window.history.stream.with_media_tokens(dict(record.media))
    more = stream.totals.total - window.history.stream.totals.total
    sent = replace(window.sent, asked=window.sent.asked + more)
    return replace(window, history=replace(window.history, stream=stream), sent=sent)


def _fold_overflowed(window: Window, record: r.Overflowed) -> Window:
    limits, sent, asked = window.limits, window.sent, window.sent.asked
    limits = replace(limits, doubted=limits if record.taken else None)
    if 0 < record.limit < limits.window:
        # A window not much larger than the reply leaves no room to ask: the reply gives way.
        reply = min(limits.reply, record.limit // 4)
        before = sent.limited[1:] if limits.stated else (limits.window, limits.reply)
        sent = replace(sent, limited=(sent.turn, *before))
        limits = replace(limits, window=record.limit, reply=reply, stated=record.limit)
    elif record.media is not None:
        limits = replace(limits, media=record.media.within(limits.media or record.media))
    elif not record.limit and asked > 2 * window.tokens.protected:
        # It lies below what was asked for. A request of little history says nothing about it.
        limits = replace(limits, refused=asked)
        sent = sent if limits.stated else replace(sent, limited=(sent.turn, 0, 0))
    return replace(window, limits=limits, sent=sent)


def _fold_replied(window: Window, record: r.Replied) -> Window:
    limits, (most, model) = window.limits, window.sent.accepted
    if limits.doubted is not None:  # tried once: what is refused from now on is believed
        limits, most = replace(limits.doubted, scale=limits.scale), 0
    else:
        most = most if model == record.model else 0
        size, (_, wide, reply) = window.sent.reported - window.sent.held, window.sent.limited
        if 0 < limits.stated < size and limits.window < wide:  # more was taken than it stated
            limits = replace(limits, window=wide, reply=reply, stated=0, refused=0)
    accepted = (max(most, window.sent.asked), record.model)
    return replace(window, limits=limits, sent=replace(window.sent, accepted=accepted))


def records_for_journal(window: Window, records: Iterable[r.Record]) -> list[r.Record]:
    """Return the records as the journal stores them: each new digest refers to the facts of older
    digests instead of repeating them."""
    said: list[r.Record] = []
    for at, record in enumerate(rest := [*records]):
        if isinstance(record, r.Compressed | r.Renewed):
            said.append(
                replace(record, edits=edits_for_journal(record.edits, window.history.stream))
            )
        else:
            said.append(record)
        if any(isinstance(later, r.Compressed | r.Renewed) for later in rest[at + 1 :]):
            window = apply(window, record)
    return said


def _fold_signalled(window: Window, record: r.Signalled) -> Window:
    event = replace(record.event, at=window.sent.turn)
    return replace(window, working=working.add_event(window.working, event))


def _fold_turned(window: Window, record: r.Turned) -> Window:
    if record.notice is not None:
        window = replace(window, history=window.history.append(record.notice))
    made = replace(
        window.sent,
        requested="",
        asked=window.tokens.total,
        known=window.sent.shared,
        shared=len(window.history.stream),
        turn=record.turn,
        made=True,
        placed=window.sent.placed or record.notice is not None,  # behind a pause there is none
        turned=True,
        told=record.told,
        shed=(),
        renewed=False,
        tried=record.tried,
        reported=0,
        hourly=0,
        times=1,
    )
    return replace(window, sent=made)


Case = Callable[[Any, Any], Any]  # of a part and a record, what the part is after it
_PARTS: tuple[tuple[str, dict[type, Case]], ...] = (
    ("skill", skill.CASES),
    ("history", history.CASES),
    ("working", working.CASES),
    ("sent", sent.CASES),
)
_CUT = ("system", "memory", "skill", "history", "sent")
# What needs more than one part, or changes it for another: the parts it may change, and how.
SEVERAL: dict[type, tuple[tuple[str, ...], Callable[[Window, Any], Window]]] = {
    r.Opened: (("limits", "config"), _fold_opened),
    r.Resized: (("limits", "sent", "config"), _fold_resized),
    r.Metered: (("history", "limits", "sent"), _fold_metered),
    r.Overflowed: (("limits", "sent"), _fold_overflowed),
    r.Replied: (("limits", "sent"), _fold_replied),
    r.Signalled: (("working",), _fold_signalled),
    r.Shelved: (_CUT, _fold_shelved),
    r.Compressed: (_CUT, fold_compressed),
    r.Renewed: (_CUT, fold_renewed),
    r.Repaired: (_CUT, fold_repaired),
    r.Turned: (("history", "sent"), _fold_turned),
    r.Undone: ((*_CUT, "working"), fold_undone),
}
# By record, the case of every part it touches by itself.
CASES: dict[type, tuple[tuple[str, Case], ...]] = {
    kind: tuple((name, cases[kind]) for name, cases in _PARTS if kind in cases)
    for kind in get_args(r.Record)
}
