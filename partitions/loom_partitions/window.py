"""The fold: `apply(window, record)`, the only code that changes a window.

Theory of operation
-------------------
The window is a fold over an append-only journal. It is a value; every version shares structure
with the one before. It holds resident text only: whatever a cut removed is gone from here and
rests in a page or a journal record.

Each partition's file says what a record does to it (its CASES); here stands only what touches more
than one. A request is `head ⊕ stream`. The head is what the shelves *show* (system, skill and
tools, memory). The stream is the history with notices frozen where they were sent. Between cuts
only appends happen, so each request begins with every byte of the one before; once a request was
made, a change of the head waits on its shelf and stands in the stream as a notice. A cut
(Compressed, Renewed) rebuilds the stream and settles the shelves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from msgspec.structs import replace

from loom_partitions import history, memory, sent, skill, system, working
from loom_partitions import records as r
from loom_partitions.cuts import compressed, renewed, repaired
from loom_partitions.edits import lean
from loom_partitions.state import Window
from loom_partitions.undone import undone

__all__ = ["CASES", "QUIET", "Window", "apply", "fold", "recorded"]

Case = Callable[[Window, Any], Window]

# Records after which the request made last is still the right one.
QUIET = {
    r.Turned,
    r.SentAgain,
    r.Faulted,
    r.Pinned,
    r.Metered,
    r.Redacted,
    r.Answered,
    r.Retired,
    r.Promoted,
}


def apply(window: Window, record: r.Record) -> Window:
    """The window after a record. Pure; an unknown record type raises KeyError."""
    after = window
    for case in CASES[type(record)]:
        after = case(after, record)
    if after.sent.turned and type(record) not in QUIET:
        return replace(after, sent=replace(after.sent, turned=False))
    return after


def fold(records: Iterable[r.Record], window: Window | None = None) -> Window:
    """The window after all records."""
    window = window or Window()
    for record in records:
        window = apply(window, record)
    return window


def _own(name: str, change: Callable[[Any, Any], Any]) -> Case:
    """A case for what a record does to one part of the window alone."""
    return lambda window, record: replace(window, **{name: change(getattr(window, name), record)})


def _head(name: str, change: Callable[[Any, Any], Any]) -> Case:
    """A case for a change in front of the stream."""

    def case(window: Window, record: Any) -> Window:
        part = change(getattr(window, name), record)
        if window.sent.made:
            return replace(window, history=window.history.append(record.notice), **{name: part})
        items = (window.history.stream,) if name == "skill" else ()  # it shows some of its texts
        return replace(window, sent=replace(window.sent, shared=-1), **{name: part.settle(*items)})

    return case


def _opened(window: Window, record: r.Opened) -> Window:
    return replace(window, limits=record.limits, config=record)


def _resized(window: Window, record: r.Resized) -> Window:
    config, sent = replace(window.config, model=record.model), window.sent
    if record.ways is not None:
        config = replace(config, ways=record.ways, files=record.files)
    if record.model != window.config.model:
        sent = replace(sent, accepted=(0, ""))
    sent = replace(sent, limited=(sent.limited[0], 0, 0))
    return replace(window, limits=record.limits, config=config, sent=sent)


def _metered(window: Window, record: r.Metered) -> Window:
    window = replace(window, limits=replace(window.limits, scale=record.scale))
    if not record.media:
        return window
    stream = window.history.stream.charged(dict(record.media))
    more = stream.totals.total - window.history.stream.totals.total
    sent = replace(window.sent, asked=window.sent.asked + more)
    return replace(window, history=replace(window.history, stream=stream), sent=sent)


def _overflowed(window: Window, record: r.Overflowed) -> Window:
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


def _replied(window: Window, record: r.Replied) -> Window:
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


def recorded(window: Window, records: Iterable[r.Record]) -> list[r.Record]:
    """Records as a journal holds them: a cut tells the facts of its digest by those before.

    They fold to the same window as the records themselves do.
    """
    said: list[r.Record] = []
    for at, record in enumerate(rest := [*records]):
        if isinstance(record, r.Compressed | r.Renewed):
            said.append(replace(record, edits=lean(record.edits, window.history.stream)))
        else:
            said.append(record)
        if any(isinstance(later, r.Compressed | r.Renewed) for later in rest[at + 1 :]):
            window = apply(window, record)
    return said


def _signalled(window: Window, record: r.Signalled) -> Window:
    event = replace(record.event, at=window.sent.turn)
    return replace(window, working=working.signalled(window.working, event))


def _turned(window: Window, record: r.Turned) -> Window:
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


def _cases() -> dict[type, tuple[Case, ...]]:
    """By record, the cases of every part it touches, in their order."""
    found: dict[type, tuple[Case, ...]] = dict.fromkeys(UNCHANGED, ())
    for name, module in (("system", system), ("memory", memory), ("skill", skill)):
        for kind, change in module.CASES.items():
            shown = "notice" in kind.__struct_fields__
            found[kind] = ((_head if shown else _own)(name, change),)
    for name, module in (("history", history), ("working", working), ("sent", sent)):
        for kind, change in module.CASES.items():
            found[kind] = (*found.get(kind, ()), _own(name, change))
    for kind, case in SEVERAL.items():
        found[kind] = (*found.get(kind, ()), case)
    return found


# What is told for the journal's sake.
UNCHANGED = (r.Saved, r.Recalled, r.Retired, r.Promoted, r.Synced)
# What needs or changes more than one part.
SEVERAL: dict[type, Case] = {
    r.Opened: _opened,
    r.Resized: _resized,
    r.Metered: _metered,
    r.Overflowed: _overflowed,
    r.Replied: _replied,
    r.Signalled: _signalled,
    r.Compressed: compressed,
    r.Renewed: renewed,
    r.Repaired: repaired,
    r.Turned: _turned,
    r.Undone: undone,
}
CASES = _cases()
