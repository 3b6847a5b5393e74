"""Cuts: what the engine chose to take out, and what that does to a window.

The stream is rebuilt, the shelves settle, a new prefix begins.
"""

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
    """What was checked before a cut was applied.

    `protected` maps each protected partition to the sha256 of its stored state, equal before and
    after. `before` and `after` are tokens of the request, `target` what the cut had to reach,
    `reusable` the tokens of the prefix the next request shares with the last one, `removed` how
    many texts lost detail, each of them resolvable to a page or a journal record.
    """

    protected: dict[str, str]
    before: Tokens
    after: Tokens
    target: int
    reusable: int
    removed: int
    orphans: int = 0


class Compressed(Struct, frozen=True, tag="Compressed"):
    """A cut: `edits` from item `start` of the stream on.

    `thinking` is the entry whose opaque reasoning stays, 0 for none.
    """

    level: str
    edits: tuple[Edit, ...]
    start: int
    certificate: Certificate
    thinking: int = 0


class Renewed(Struct, frozen=True, tag="Renewed"):
    """A fresh window: C_working rests in `snapshot`, history is folded, shelves are settled.

    `beat` is when the world was last looked at, in seconds since the epoch, as the snapshot says.
    """

    generation: int
    edits: tuple[Edit, ...]
    snapshot: str
    certificate: Certificate
    shed: tuple[str, ...] = ()
    thinking: int = 0
    beat: float = 0.0


class Repaired(Struct, frozen=True, tag="Repaired", omit_defaults=True):
    """The journal was damaged, and made anew of what of it verified.

    `turn` is the highest number a lost request may have had: the next one goes on after it, so no
    number is given twice. `requests` are numbers that no request of this journal has for that.
    `edits`, from item `start` of the stream on, say of pages that are lost that they are, where the
    window names them; `thinking` is the entry whose opaque reasoning stays.
    """

    turn: int
    requests: tuple[int, ...] = ()
    edits: tuple[Edit, ...] = ()
    start: int = 0
    thinking: int = 0


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


def fold_repaired(window: Window, record: Repaired) -> Window:
    """The window after a repair: numbers go on behind those that are lost."""
    if record.edits:
        window = _window_after_edits(window, record.edits, record.start, record.thinking, "repair")
    sent = window.sent
    more = max(record.turn - sent.turn, 0)
    sent = replace(sent, turn=sent.turn + more, cut_turn=sent.cut_turn + more)
    return replace(window, sent=sent)


def fold_compressed(window: Window, record: Compressed) -> Window:
    """The window after a compression."""
    level = record.level
    if window.sent.overflowed and window.sent.cut_turn == window.sent.turn:
        level = window.sent.level or level  # one that follows at once hides no refusal's
    return _window_after_edits(window, record.edits, record.start, record.thinking, level)


def fold_renewed(window: Window, record: Renewed) -> Window:
    """The window after a renewal: what it shed is gone, a new generation begins."""
    for key in record.shed:
        partition, _, name = key.partition(":")
        window = window.less(partition, name)
    window = _window_after_edits(window, record.edits, 0, record.thinking, "renewal")
    pins = tuple(pin for pin in window.history.pins if pin[1] == FOREVER)
    sent = replace(window.sent, generation=record.generation, shed=record.shed, renewed=True)
    return replace(window, history=replace(window.history, pins=pins), sent=sent)


def fold_undone(window: Window, record: Undone) -> Window:
    """The earlier window, with what no undoing changes: sizes, counters, what a provider said."""
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
    """Return the window after edits. `start` is the number of the first item of the stream they
    change, `thinking` the id of the step whose reasoning stays, 0 for none."""
    before, sent = window.history.stream, window.sent
    items = apply_edits(before, edits, start, thinking)
    skill = window.skill.settle(items)
    stays = window.settled and skill.bodies.shown == window.skill.bodies.shown
    shared = min(sent.shared, _common_front(before, items)) if stays else -1
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


def _common_front(before: Iterable[Item], after: Iterable[Item]) -> int:
    """How many items at the front are the same."""
    pairs = zip(before, after, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1] or pair[0] == pair[1], pairs))
