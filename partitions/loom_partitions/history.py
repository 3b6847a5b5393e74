"""C_history: what was said and done, in order, and what of it was brought back. The only partition
that compression touches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from loom_partitions.message import (
    Fact,
    Item,
    Outcome,
    PagedIn,
    Step,
    Thought,
    UserTurn,
    thought_tokens,
)
from loom_partitions.stream import Stream

FAULTS = 32  # page faults remembered
FOREVER = 1 << 53  # an entry no session reaches: a pin until then outlives renewals
INTERRUPTED = 1_024  # calls whose real results may still come


class PageFault(Struct, frozen=True, array_like=True):
    """A text was brought back: part `part` of the page or entry `ref`. `entry` is the id of the
    newest entry at that time."""

    ref: str
    part: str
    entry: int


class History(Struct, frozen=True):
    """The history partition: the stream of entries and notices. `next_id` is the id of the next
    entry.

    `waiting` is the id of the step that has calls without results, 0 for none. `interrupted` lists
    the ids of calls for which Loom wrote a text in place of the missing result. `faults` are the
    last page faults. A pin (entry, until) keeps the entry from being shortened until the entry
    `until` comes."""

    stream: Stream = Stream()
    next_id: int = 1
    waiting: int = 0
    interrupted: tuple[str, ...] = ()
    faults: tuple[PageFault, ...] = ()
    pins: tuple[tuple[int, int], ...] = ()

    @property
    def open_calls(self) -> tuple[str, ...]:
        """The ids of the calls that have no result yet."""
        step = self.waiting_step
        return step.open if step else ()

    @property
    def waiting_step(self) -> Step | None:
        """The step that has calls without results. None means that no call waits."""
        return self.step(self.waiting) if self.waiting else None

    def step(self, id: int) -> Step:
        """Return the step with this id. Raises StopIteration when there is none."""
        return next(
            item for item in reversed(self.stream) if isinstance(item, Step) and item.id == id
        )

    def append(self, item: Item) -> History:
        """Return the history with one more item at its end."""
        return replace(self, stream=self.stream.append(item))


class Heard(Struct, frozen=True, omit_defaults=True, tag="Heard"):
    """A message of the user arrived. `key` is the host's name for the message, "" for none.

    With a `call`, the message is the late result of the call with this id."""

    turn: UserTurn
    key: str = ""
    call: str = ""


class Replied(Struct, frozen=True, tag="Replied"):
    """The model `model` replied. `step` holds the reply; the results of its calls come later."""

    step: Step
    model: str = ""


class Rethought(Struct, frozen=True, tag="Rethought"):
    """The host gave reasoning for the step with the id `step`, which was not sent yet. `thoughts`
    replace the step's thoughts, in order; thoughts left over go before all parts."""

    step: int
    thoughts: tuple[Thought, ...]


class Returned(Struct, frozen=True, tag="Returned"):
    """The result of a call arrived. `tokens` is by how much the step grows. `facts` are all facts
    of the step; an empty tuple leaves its facts as they were."""

    step: int
    outcome: Outcome
    tokens: int
    facts: tuple[Fact, ...] = ()


class Brought(Struct, frozen=True, omit_defaults=True, tag="Brought"):
    """A text that had left the window, or had been shortened, is shown again.

    Without a `step`, `what` becomes an entry of its own: lines that Loom read ahead, or an image or
    document from a result. `step` is the id of a step not sent yet; the lines are shown after the
    results of this step. With `at`, the lines replace the preview of its result number `at`."""

    what: UserTurn | PagedIn
    step: int = 0
    at: int | None = None

    @property
    def turn(self) -> UserTurn | None:
        """The new entry. None means that the text became part of a step."""
        return self.what if isinstance(self.what, UserTurn) else None

    @property
    def ref(self) -> str:
        """The name of the page or entry that has the whole text, "" for media from a result."""
        return self.what.source if isinstance(self.what, UserTurn) else self.what.ref

    @property
    def ahead(self) -> int:
        """The number of tokens that Loom read ahead, 0 when the text was asked for."""
        if isinstance(self.what, UserTurn):
            return self.what.tokens * self.what.ahead
        return self.what.text.tokens if self.at is None else 0


class Faulted(Struct, frozen=True, tag="Faulted"):
    """Part `part` of the page or entry `ref`, `tokens` tokens long, was read back from disk."""

    ref: str
    part: str
    tokens: int


class Pinned(Struct, frozen=True, tag="Pinned"):
    """The entry is not shortened until the entry with the id `until` comes, or the window is
    renewed.

    `until` is FOREVER for a pin by the host, which a renewal does not end. `until` is 0 to unpin.
    """

    entry: int
    until: int


class Answered(Struct, frozen=True, tag="Answered"):
    """The host's model summed up the folded entries of a digest. `page` is the digest's page;
    `lines` is the summary."""

    page: str
    lines: tuple[str, ...]


class CarriedOn(Struct, frozen=True, tag="CarriedOn"):
    """The workspace continues another session from a snapshot, known by `sha256` and `generation`.

    New entries get ids from `next_id` on. `errors` are the ids of recent steps of that session that
    failed."""

    sha256: str
    generation: int
    next_id: int
    errors: tuple[int, ...] = ()


def pinned_entries(history: History) -> frozenset[int]:
    """Return the ids of the entries that the host pinned without an end."""
    return frozenset(entry for entry, until in history.pins if until == FOREVER)


def _fold_heard(history: History, record: Heard) -> History:
    after = _append_turn(history, record.turn)
    if not record.call:
        return after
    left = [*history.interrupted]
    left.remove(record.call)  # an id may be interrupted more than once: each result takes one away
    return replace(after, interrupted=tuple(left))


def _append_turn(history: History, turn: UserTurn) -> History:
    return replace(history.append(turn), next_id=turn.id + 1)


def _fold_replied(history: History, record: Replied) -> History:
    step = record.step
    waiting = step.id if step.open else 0
    return replace(history.append(step), next_id=step.id + 1, waiting=waiting)


def _fold_rethought(history: History, record: Rethought) -> History:
    step, told = history.step(record.step), iter(record.thoughts)
    placed = [next(told, part) if isinstance(part, Thought) else part for part in step.parts]
    parts = (*told, *placed)
    tokens = step.tokens + thought_tokens(parts) - thought_tokens(step.parts)
    step = replace(step, parts=parts, tokens=tokens)
    return replace(history, stream=history.stream.amend(step))


def _fold_returned(history: History, record: Returned) -> History:
    step = history.waiting_step
    if step is None or step.id != record.step:
        raise KeyError(record.outcome.call_id)
    outcome = record.outcome
    left = tuple(filter(outcome.call_id.__ne__, step.open))  # there may be thousands
    step = replace(
        step,
        outcomes=(*step.outcomes, outcome),
        open=left,
        tokens=step.tokens + record.tokens,
        facts=record.facts or step.facts,
    )
    gone = (outcome.call_id,) if outcome.stand_in else ()
    return replace(
        history,
        interrupted=(*history.interrupted, *gone)[-INTERRUPTED:],
        stream=history.stream.amend(step),
        waiting=step.id if left else 0,
    )


def _fold_brought(history: History, record: Brought) -> History:
    if isinstance(record.what, UserTurn):
        return _append_turn(history, record.what)
    step, at, text = history.step(record.step), record.at, record.what.text
    if at is None:
        beside = (*step.beside, record.what)
        step = replace(step, beside=beside, tokens=step.tokens + text.tokens)
    else:
        short = step.outcomes[at]
        outcomes = (*step.outcomes[:at], replace(short, text=text), *step.outcomes[at + 1 :])
        tokens = step.tokens + text.tokens - short.text.tokens
        step = replace(step, outcomes=outcomes, tokens=tokens)
    return replace(history, stream=history.stream.amend(step))


def _fold_faulted(history: History, record: Faulted) -> History:
    fault = PageFault(record.ref, record.part, history.next_id - 1)
    return replace(history, faults=(*history.faults, fault)[-FAULTS:])


def _fold_pinned(history: History, record: Pinned) -> History:
    """Return the history with the record's pin, or without any pin on its entry when `until` has
    come."""
    alive = (pin for pin in history.pins if pin[1] >= history.next_id and pin[0] != record.entry)
    mine = ((record.entry, record.until),) if record.until >= history.next_id else ()
    return replace(history, pins=(*alive, *mine))


CASES: dict[type, Callable[[History, Any], History]] = {
    CarriedOn: lambda history, record: replace(history, next_id=max(record.next_id, 1)),
    Heard: _fold_heard,
    Replied: _fold_replied,
    Rethought: _fold_rethought,
    Returned: _fold_returned,
    Brought: _fold_brought,
    Faulted: _fold_faulted,
    Pinned: _fold_pinned,
    Answered: lambda history, record: replace(
        history, stream=history.stream.with_summary(record.page, record.lines)
    ),
}
