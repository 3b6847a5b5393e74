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
    """The results of the checks that a cut passed before it was applied.

    `protected` maps each partition but history to the sha256 of its stored state, which the cut did
    not change. `before` and `after` are the tokens of the request, `target` the most it may have
    after. `reusable` are the tokens at the front that the next request shares with the last one.
    `removed` counts texts that lost detail, each of which a page or journal record can bring back;
    `orphans` counts calls without a result and results without a call."""

    protected: dict[str, str]
    before: Tokens
    after: Tokens
    target: int
    reusable: int
    removed: int
    orphans: int = 0


class Compressed(Struct, frozen=True, tag="Compressed"):
    """A compression: `edits` of the stream, which leave the items before index `start` as they are.

    `level` names the level of compression. `thinking` is the id of the step that keeps its
    reasoning, 0 for none."""

    level: str
    edits: tuple[Edit, ...]
    start: int
    certificate: Certificate
    thinking: int = 0


class Renewed(Struct, frozen=True, tag="Renewed"):
    """A renewal: C_working rests in `snapshot`, `edits` fold the history, waiting changes of the
    head are shown.

    `shed` names the texts of memory and skills that the renewal left out. `beat` is the time, in
    seconds since the epoch, at which the world was last looked at before the snapshot."""

    generation: int
    edits: tuple[Edit, ...]
    snapshot: str
    certificate: Certificate
    shed: tuple[str, ...] = ()
    thinking: int = 0
    beat: float = 0.0


class Repaired(Struct, frozen=True, tag="Repaired", omit_defaults=True):
    """The journal was damaged, and was written anew from the commits that verified.

    `turn` is the highest number that a lost request may have had: the next request gets a higher
    one, so that no number is given twice. `requests` are the numbers that therefore no request of
    this journal has. `edits`, which change the stream from index `start` on, mark lost pages as
    lost where the window names them; `thinking` is the id of the step that keeps its reasoning."""

    turn: int
    requests: tuple[int, ...] = ()
    edits: tuple[Edit, ...] = ()
    start: int = 0
    thinking: int = 0


class Undone(Struct, frozen=True, tag="Undone"):
    """The window was set back to the one of request `to`. Entries `first` to `last` were undone,
    none when `last` < `first`.

    `window` is the whole window to go back to, since a fold keeps only the current one. `notice`
    tells the model. With `at` part of what followed the request is kept: the window is then the one
    after commit `at`."""

    to: int
    first: int
    last: int
    window: Window
    notice: Notice | None = None
    at: int = 0


def fold_repaired(window: Window, record: Repaired) -> Window:
    """Return the window after a repair; the next request gets a number above all that are lost."""
    if record.edits:
        window = _window_after_edits(window, record.edits, record.start, record.thinking, "repair")
    sent = window.sent
    more = max(record.turn - sent.turn, 0)
    sent = replace(sent, turn=sent.turn + more, cut_turn=sent.cut_turn + more)
    return replace(window, sent=sent)


def fold_compressed(window: Window, record: Compressed) -> Window:
    """Return the window after a compression."""
    level = record.level
    if window.sent.overflowed and window.sent.cut_turn == window.sent.turn:
        level = window.sent.level or level  # one that follows at once hides no refusal's
    return _window_after_edits(window, record.edits, record.start, record.thinking, level)


def fold_renewed(window: Window, record: Renewed) -> Window:
    """Return the window after a renewal: the texts it shed are gone, a new generation begins."""
    for key in record.shed:
        partition, _, name = key.partition(":")
        window = window.less(partition, name)
    window = _window_after_edits(window, record.edits, 0, record.thinking, "renewal")
    pins = tuple(pin for pin in window.history.pins if pin[1] == FOREVER)
    sent = replace(window.sent, generation=record.generation, shed=record.shed, renewed=True)
    return replace(window, history=replace(window.history, pins=pins), sent=sent)


def fold_undone(window: Window, record: Undone) -> Window:
    """Return the earlier window in the record, but with the current sizes, counters and reports of
    the provider, which cannot be undone."""
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
    """Return the window after a cut: `edits` applied to the stream, and all waiting changes of the
    head shown. Items before index `start` do not change; the step with the id `thinking` keeps its
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
    """Return how many items are equal at the front of two streams."""
    pairs = zip(before, after, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1] or pair[0] == pair[1], pairs))
