"""Cuts: what the engine chose to take out, and what that does to a window.

A cut rebuilds the stream and settles the shelves; a new prefix begins."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile

from msgspec import Struct
from msgspec.structs import replace

from loom_partitions.edits import Edit, apply_edits
from loom_partitions.history import FOREVER
from loom_partitions.limits import Tokens
from loom_partitions.message import Item, Notice
from loom_partitions.state import Window
from loom_partitions.stream import Stream

# Of what was sent, what stands whatever is undone.
LASTING = (
    "turn", "generation", "samples", "redacted", "unredacted", "delivered", "beside", "held",
    "reported", "times",
)  # fmt: skip


class Certificate(Struct, frozen=True):
    """The evidence, collected before a cut is applied, that the cut keeps the laws.

    `protected` maps each partition but history to the sha256 of its stored state. `before` and
    `after` are the tokens of the request, `target` is the limit for `after`. `reusable` is how many
    tokens at the front the next request shares with the last one. `removed` counts the texts that
    were shortened or removed. `orphans` counts calls without a result and results without a call.
    """

    protected: dict[str, str]
    before: Tokens
    after: Tokens
    target: int
    reusable: int
    removed: int
    orphans: int = 0


class Compressed(Struct, frozen=True, tag="Compressed"):
    """The history was compressed by `edits`, which change the stream from index `start` on. `level`
    names the level of compression. `thinking` is the id of the step that keeps its reasoning, 0 for
    none."""

    level: str
    edits: tuple[Edit, ...]
    start: int
    certificate: Certificate
    thinking: int = 0


class Renewed(Struct, frozen=True, tag="Renewed"):
    """The window was renewed. `snapshot` names the page with C_working as it was; `edits` replace
    history by digests. Changed instructions, memory and skills are shown from now on.

    `generation` is the number of the new window. `shed` names the texts of memory and skills that
    were left out to save room. `beat` is the last time before the snapshot, in seconds since 1970,
    at which the engine looked for outside changes."""

    generation: int
    edits: tuple[Edit, ...]
    snapshot: str
    certificate: Certificate
    shed: tuple[str, ...] = ()
    thinking: int = 0
    beat: float = 0.0


class Repaired(Struct, frozen=True, tag="Repaired", omit_defaults=True):
    """The journal was damaged, and was written anew from its valid commits.

    `turn` is the highest number that a lost request may have had. `requests` are the numbers that
    no request of this journal has. `edits` mark lost pages in the stream, from index `start` on.
    `thinking` is the id of the step that keeps its reasoning, 0 for none."""

    turn: int
    requests: tuple[int, ...] = ()
    edits: tuple[Edit, ...] = ()
    start: int = 0
    thinking: int = 0


class Undone(Struct, frozen=True, tag="Undone"):
    """The window was set back to the state it had at request `to`. The entries `first` to `last`
    were undone; `last` < `first` means no entries.

    `window` is the earlier window. `notice` is the text that tells the model. `at` is 0, or the
    number of a commit after the request: `window` is then the window after this commit."""

    to: int
    first: int
    last: int
    window: Window
    notice: Notice | None = None
    at: int = 0


def fold_repaired(window: Window, record: Repaired) -> Window:
    """Return the window after a repair. Its next request gets a number above `record.turn`."""
    if record.edits:
        window = _window_after_edits(window, record.edits, record.start, record.thinking, "repair")
    sent = window.sent
    more = max(record.turn - sent.turn, 0)
    # Later requests get higher numbers than the lost ones: no number is given twice.
    sent = replace(sent, turn=sent.turn + more, cut_turn=sent.cut_turn + more)
    return replace(window, sent=sent)


def fold_compressed(window: Window, record: Compressed) -> Window:
    """Return the window after a compression."""
    level = record.level
    if window.sent.overflowed and window.sent.cut_turn == window.sent.turn:
        level = window.sent.level or level  # one that follows at once hides no refusal's
    return _window_after_edits(window, record.edits, record.start, record.thinking, level)


def fold_renewed(window: Window, record: Renewed) -> Window:
    """Return the window after a renewal, without the texts in `shed` and without pins that end."""
    for key in record.shed:
        partition, _, name = key.partition(":")
        window = window.less(partition, name)
    window = _window_after_edits(window, record.edits, 0, record.thinking, "renewal")
    pins = tuple(pin for pin in window.history.pins if pin[1] == FOREVER)
    sent = replace(window.sent, generation=record.generation, shed=record.shed, renewed=True)
    return replace(window, history=replace(window.history, pins=pins), sent=sent)


def fold_undone(window: Window, record: Undone) -> Window:
    """Return the record's earlier window, with today's sizes, counters and provider reports."""
    now, then = window.sent, record.window
    history = replace(then.history, next_id=window.history.next_id)
    if record.notice is not None:
        history = history.append(record.notice)
    sent = replace(
        then.sent,
        **{name: getattr(now, name) for name in LASTING},
        shared=-1,
        stable=len(then.history.stream),  # the request gone back to held them so
        known=-1,
        turned=False,
        cuts=now.cuts + 1,
        cut_turn=now.turn,
        level="undo",
    )
    after = replace(then, history=history, limits=window.limits, config=window.config, sent=sent)
    return replace(after, sent=replace(sent, cut_tokens=after.tokens.total))


def _window_after_edits(
    window: Window, edits: tuple[Edit, ...], start: int, thinking: int, level: str
) -> Window:
    """Return the window after a cut: `edits` change the stream from index `start` on, and changed
    instructions, memory and skills are shown. `thinking` is the id of the step that keeps its
    reasoning, 0 for none."""
    before, sent = window.history.stream, window.sent
    items = apply_edits(before, edits, start, thinking)
    skill = window.skill.settle(items)
    stays = window.settled and skill.bodies.shown == window.skill.bodies.shown
    shared = min(sent.shared, _common_front_length(before, items)) if stays else -1
    after = replace(
        window,
        history=replace(window.history, stream=Stream.of(items, window.limits.run)),
        system=window.system.settle(),
        memory=window.memory.settle(),
        skill=skill,
    )
    cut = replace(
        sent,
        shared=shared,
        stable=shared,
        cuts=sent.cuts + 1,
        made=False,
        placed=False,
        cut_turn=sent.turn,
        cut_tokens=after.tokens.total,
        level=level,
        ahead=0,
    )
    return replace(after, sent=cut)


def _common_front_length(before: Iterable[Item], after: Iterable[Item]) -> int:
    """Return how many items at the beginning of two streams are equal."""
    pairs = zip(before, after, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1] or pair[0] == pair[1], pairs))
