"""The window, and the only code that changes one.

Theory of operation
-------------------
The window is a fold: `apply(window, record)` over an append-only journal. It is a value; every
version shares structure with the one before. It holds resident text only: whatever a cut removed
is gone from here and rests in a page or a journal record.

A request is `head ⊕ stream`. The head is what the shelves *show* (system, skill and tools,
memory). The stream is the history with notices frozen where they were sent. Between cuts only
appends happen, so each request begins with every byte of the one before. Three flags carry that:

    sent    a request of this cut was made; from now on shelf changes stand as notices
    placed  the dashboard has been placed since the last cut; later turns append deltas
    turned  nothing has come in since the last request: asking again gives the same one

A cut (Compressed, Renewed) rebuilds the stream, settles the shelves, and clears them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from msgspec.structs import replace

from loom_partitions import records as r
from loom_partitions import working as w
from loom_partitions.cuts import compressed, renewed
from loom_partitions.limits import Sample
from loom_partitions.message import Text
from loom_partitions.shelf import Shelf
from loom_partitions.state import FAULTS, INTERRUPTED, SAMPLES, Fault, Window
from loom_partitions.working import Working

__all__ = ["CASES", "QUIET", "Window", "apply", "fold"]


def apply(window: Window, record: r.Record) -> Window:
    """The window after a record. Pure; an unknown record type raises KeyError."""
    after = CASES[type(record)](window, record)
    if after.turned and type(record) not in QUIET:
        return replace(after, turned=False)
    return after


def fold(records: Iterable[r.Record], window: Window | None = None) -> Window:
    """The window after all records."""
    window = window or Window()
    for record in records:
        window = apply(window, record)
    return window


def _opened(window: Window, record: r.Opened) -> Window:
    working = replace(window.working, depth=record.depth)
    return replace(
        window,
        limits=record.limits,
        policy=record.policy,
        model=record.model,
        encoding=record.encoding,
        key=record.key,
        working=working,
        budget=record.budget,
    )


def _shelf_change(shelf_name: str, change: Callable[[Shelf, Any], Shelf]) -> Any:
    """A case for records that put on or drop from one shelf."""

    def case(window: Window, record: Any) -> Window:
        shelf = change(getattr(window, shelf_name), record)
        if window.sent:
            stream = window.stream.append(record.notice)
            return replace(window, stream=stream, **{shelf_name: shelf})
        return replace(window, shared=-1, **{shelf_name: shelf.settle()})

    return case


def _activated(window: Window, record: r.SkillActivated) -> Window:
    return _used(_shelf_change("skill", _put)(window, record), record)


def _used(window: Window, record: r.SkillActivated | r.SkillUsed) -> Window:
    before = (key for key in window.used if key != record.key)
    return replace(window, used=(*before, record.key))


def _put(shelf: Shelf, record: Any) -> Shelf:
    return shelf.put(record.key, record.text)


def _drop(shelf: Shelf, record: Any) -> Shelf:
    return shelf.drop(record.key)


def _declare(shelf: Shelf, record: r.Declared) -> Shelf:
    return shelf.put(record.name, record.text)


def _heard(window: Window, record: r.Heard | r.Belated) -> Window:
    return replace(
        window,
        stream=window.stream.append(record.turn),
        next_id=record.turn.id + 1,
        finished=False,
        overflowed=False,
    )


def _replied(window: Window, record: r.Replied) -> Window:
    step = record.step
    return replace(
        window,
        stream=window.stream.append(step),
        next_id=step.id + 1,
        waiting=step.id if step.open else 0,
        overflowed=False,
        finished=False,
    )


def _returned(window: Window, record: r.Returned) -> Window:
    step = window.waiting_step
    if step is None or step.id != record.step:
        raise KeyError(record.outcome.call_id)
    outcome = record.outcome
    left = tuple(call for call in step.open if call != outcome.call_id)
    step = replace(
        step,
        outcomes=(*step.outcomes, outcome),
        open=left,
        tokens=step.tokens + record.tokens,
        facts=record.facts or step.facts,
    )
    working = w.failed(window.working, step.id) if outcome.error else window.working
    gone = (outcome.call_id,) if outcome.stand_in else ()
    return replace(
        window,
        interrupted=(*window.interrupted, *gone)[-INTERRUPTED:],
        stream=window.stream.amend(step),
        waiting=step.id if left else 0,
        working=working,
        overflowed=False,
    )


def _belated(window: Window, record: r.Belated) -> Window:
    # An id may be interrupted more than once: each result takes one away.
    at = window.interrupted.index(record.call_id)
    left = (*window.interrupted[:at], *window.interrupted[at + 1 :])
    return replace(_heard(window, record), interrupted=left)


def _prefetched(window: Window, record: r.Prefetched) -> Window:
    stream = window.stream.append(record.turn)
    return replace(window, stream=stream, next_id=record.turn.id + 1)


def _metered(window: Window, record: r.Metered) -> Window:
    sample = Sample(record.tokens, record.prompt_tokens, record.model)
    return replace(
        window,
        samples=(*window.samples, sample)[-SAMPLES:],
        limits=replace(window.limits, scale=record.scale),
    )


def _working(change: Callable[[Working, Any], Working]) -> Any:
    """A case for records that change C_working alone."""
    return lambda window, record: replace(window, working=change(window.working, record))


def _tasked(window: Window, record: r.Tasked) -> Window:
    return replace(window, working=replace(window.working, goal=record.goal), finished=False)


def _resized(window: Window, record: r.Resized) -> Window:
    return replace(window, limits=record.limits, model=record.model, overflowed=False)


def _noted(working: Working, record: r.Noted) -> Working:
    text: Text | None = record.text if record.text.size else None
    return replace(working, scratchpad=text)


def _turned(window: Window, record: r.Turned) -> Window:
    stream = window.stream
    if record.notice is not None:
        stream = stream.append(record.notice)
    window = replace(window, stream=stream, requested="")
    return replace(
        window,
        asked=window.tokens.total,
        known=window.shared,
        shared=len(stream),
        turn=record.turn,
        sent=True,
        placed=True,
        turned=True,
        mark=record.mark,
        shed=(),
        renewed=False,
        tried=record.tried,
    )


def _signalled(window: Window, record: r.Signalled) -> Window:
    event = replace(record.event, at=window.turn)
    return replace(window, working=w.signalled(window.working, event))


def _requested(window: Window, record: r.Requested) -> Window:
    return replace(window, requested=record.what)


def _faulted(window: Window, record: r.Faulted) -> Window:
    fault = Fault(record.ref, record.part, window.next_id - 1)
    return replace(window, faults=(*window.faults, fault)[-FAULTS:])


def _spawned(window: Window, record: r.Spawned) -> Window:
    children = (*window.working.children, w.Child(record.child, record.goal))
    return replace(window, working=replace(window.working, children=children))


def _joined(window: Window, record: r.Joined) -> Window:
    left = tuple(one for one in window.working.children if one.name != record.child)
    return replace(window, working=replace(window.working, children=left))


def _delivered(window: Window, record: r.Delivered) -> Window:
    return replace(window, delivered=True)


def _answered(window: Window, record: r.Answered) -> Window:
    return replace(window, stream=window.stream.told(record.page, record.lines))


def _pinned(window: Window, record: r.Pinned) -> Window:
    """A pin until an entry that has come already lets go of it."""
    alive = (pin for pin in window.pins if pin[1] >= window.next_id and pin[0] != record.entry)
    mine = ((record.entry, record.until),) if record.until >= window.next_id else ()
    return replace(window, pins=(*alive, *mine))


def _overflowed(window: Window, record: r.Overflowed) -> Window:
    limits = window.limits
    if 0 < record.limit < limits.window:
        # A window not much larger than the reply leaves no room to ask: the reply gives way.
        reply = min(limits.reply, record.limit // 4)
        limits = replace(limits, window=record.limit, reply=reply, stated=record.limit)
    elif not record.limit and window.asked > 2 * window.tokens.protected:
        # It lies below what was asked for. A request of little history says nothing about it.
        limits = replace(limits, refused=window.asked)
    return replace(window, overflowed=True, limits=limits)


def _finished(window: Window, record: r.Finished) -> Window:
    """C_working is cleared, but for agents at work: their results are still to be joined."""
    was = window.working
    kept = Working(goal=was.goal, depth=was.depth, outcome=record.outcome, children=was.children)
    return replace(window, working=kept, finished=True)


def _unchanged(window: Window, record: Any) -> Window:
    return window


CASES: dict[type, Callable[[Window, Any], Window]] = {
    r.Opened: _opened,
    r.Tasked: _tasked,
    r.Instructed: _shelf_change("system", _put),
    r.Declared: _shelf_change("tools", _declare),
    r.Remembered: _shelf_change("memory", _put),
    r.Forgotten: _shelf_change("memory", _drop),
    r.SkillActivated: _activated,
    r.SkillDropped: _shelf_change("skill", _drop),
    r.SkillUsed: _used,
    r.Saved: _unchanged,
    r.Recalled: _unchanged,
    r.Heard: _heard,
    r.Replied: _replied,
    r.Returned: _returned,
    r.Belated: _belated,
    r.Prefetched: _prefetched,
    r.Planned: _working(lambda working, record: replace(working, plan=record.items)),
    r.Progressed: _working(lambda working, record: replace(working, progress=record.text)),
    r.Noted: _working(_noted),
    r.Questioned: _working(lambda working, record: w.questioned(working, record.id, record.text)),
    r.Evidenced: _working(lambda working, record: w.evidenced(working, record.evidence)),
    r.Signalled: _signalled,
    r.Acknowledged: _working(
        lambda working, record: w.acknowledged(
            working, record.id, record.disposition, record.summary, record.urgency
        )
    ),
    r.Requested: _requested,
    r.Metered: _metered,
    r.Overflowed: _overflowed,
    r.Resized: _resized,
    r.Finished: _finished,
    r.Redacted: _unchanged,
    r.Compressed: compressed,
    r.Renewed: renewed,
    r.Turned: _turned,
    r.Marked: lambda window, record: replace(window, mark=record.mark),
    r.Faulted: _faulted,
    r.Pinned: _pinned,
    r.Answered: _answered,
    r.Spawned: _spawned,
    r.Joined: _joined,
    r.Delivered: _delivered,
}

# Records after which the request made last is still the right one.
QUIET = {r.Turned, r.Faulted, r.Pinned, r.Metered, r.Redacted, r.Answered}
