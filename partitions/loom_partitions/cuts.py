"""What a cut does to a window: the stream is rebuilt, the shelves settle, a new prefix begins."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from loom_partitions.decisions import Compressed, Renewed
from loom_partitions.edits import Edit, carried_out
from loom_partitions.message import Item
from loom_partitions.state import FOREVER, Window
from loom_partitions.stream import Stream


def compressed(window: Window, record: Compressed) -> Window:
    """The window after a compression."""
    return _cut(window, record.edits, record.start, record.thinking)


def renewed(window: Window, record: Renewed) -> Window:
    """The window after a renewal: what it shed is gone, a new generation begins."""
    for key in record.shed:
        partition, _, name = key.partition(":")
        window = replace(window, shared=-1, **{partition: getattr(window, partition).drop(name)})
    window = _cut(window, record.edits, 0, record.thinking)
    pins = tuple(pin for pin in window.pins if pin[1] == FOREVER)
    return replace(window, generation=record.generation, shed=record.shed, renewed=True, pins=pins)


def _cut(window: Window, edits: tuple[Edit, ...], start: int, thinking: int) -> Window:
    items = carried_out(window.stream, edits, start, thinking)
    shared = min(window.shared, _common(window.stream, items)) if window.settled else -1
    after = replace(
        window,
        stream=Stream.of(items, window.limits.run),
        shared=shared,
        stable=shared,
        system=window.system.settle(),
        memory=window.memory.settle(),
        skill=window.skill.settle(),
        tools=window.tools.settle(),
        cuts=window.cuts + 1,
        sent=False,
        placed=False,
        cut_turn=window.turn,
    )
    return replace(after, cut_tokens=after.tokens.total)


def _common(before: Iterable[Item], after: Iterable[Item]) -> int:
    """How many items at the front are the same."""
    shared = 0
    for one, two in zip(before, after, strict=False):
        if one is not two and one != two:
            break
        shared += 1
    return shared
