"""Loom renewed at a boundary: the same past, in a window of so many tokens of history.

A context is replayed once; at each boundary its workspace is copied, and each copy is renewed, so
no renewal sees what another one left.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

import loom
from loom.context import Context
from loom.inputs import Event, Reply
from loom.replay.feed import feed
from loom_bench.carried.items import CarriedItem, ShownTexts, rendered
from loom_bench.carried.named import LISTING, behind, names

WINDOW = 200_000  # tokens of the context the sessions are replayed in
REPLY = 8_192
SMALL_REPLY = 256  # … and of the copies that are resized: only the capacity matters there
OVER = 1.05  # of the asked tokens, what a renewed history may hold
PROBES = 6  # sizes that are tried where a window can only be resized
LEAST = 700  # tokens: the smallest capacity that is tried


class RenewedWindow(Struct, frozen=True):
    """A renewed window: tokens its history takes, its texts, and the texts one page-in away.

    `deeper` are those that stand behind a listing the window names: two page-ins.
    """

    tokens: int
    shown: ShownTexts
    near: ShownTexts
    deeper: ShownTexts

    def holds(self, item: CarriedItem) -> bool:
        """True when the item is resident."""
        return self.shown.holds(item)

    def reaches(self, item: CarriedItem) -> bool:
        """True when the item is resident, or stands on a page or entry a rendered line names."""
        return self.holds(item) or self.near.holds(item)

    def lists(self, item: CarriedItem) -> bool:
        """… or on a page or entry that a listing names which the window names."""
        return self.reaches(item) or self.deeper.holds(item)


class Past:
    """A session replayed up to one boundary after another."""

    def __init__(self, folder: Path, events: Sequence[Event]) -> None:
        self._folder = folder
        self._left = list(reversed(events))
        self._context = loom.open(
            folder / "past",
            window=WINDOW + REPLY,
            reply=REPLY,
            policy=loom.Policy(own_tools=False),
            durable=False,
        )
        self._copies = 0

    def until(self, at: int) -> None:
        """Feed every event before message `at`."""
        while self._left and self._left[-1].index < at:
            event = self._left.pop()
            if isinstance(event, Reply):
                self._context.turn()
            feed(self._context, event)

    def renewed(self, history: int, *, look: bool = False) -> RenewedWindow:
        """A copy renewed to at most `history` tokens; `look` also reads the pages it names.

        Where no size leads to so few tokens, the smallest window that was reached.
        """
        with self._copy() as context:
            renew = getattr(context, "renew", None)
            if callable(renew):
                renew(history=history)
                return _window(context, look=look)
        size = self._size_for(history)
        with self._copy() as context:
            _shrink(context, size)
            return _window(context, look=look)

    def close(self) -> None:
        """Close the replayed context."""
        self._context.close()

    def _size_for(self, history: int) -> int:
        """The capacity that leads to the most tokens of history within the bound, by bisection."""
        low_water = self._context.window.limits.low_water
        protected = self._context.window.tokens.protected
        low, high = max(history, LEAST), int((protected + history) / low_water * 2)
        best = (-1, low)
        size = int((protected + history) / low_water)
        for _ in range(PROBES):
            taken = self._taken(size)
            if taken <= history * OVER:
                best, low = max(best, (taken, size)), size
            else:
                high = size
            size = (low + high) // 2
        return best[1]

    def _taken(self, size: int) -> int:
        with self._copy() as context:
            try:
                _shrink(context, size)
            except loom.OverCapacity:
                return 0
            return context.window.tokens.history

    @contextmanager
    def _copy(self) -> Iterator[Context]:
        """A context of its own on a copy of the workspace, its calls answered."""
        self._copies += 1
        folder = self._folder / f"copy-{self._copies}"
        shutil.copytree(self._folder / "past", folder)
        try:
            with loom.open(folder, policy=loom.Policy(own_tools=False), durable=False) as context:
                context.abandon()
                yield context
        finally:
            shutil.rmtree(folder)


@contextmanager
def past(events: Sequence[Event]) -> Iterator[Past]:
    """The replay of a session in a folder that is gone afterwards."""
    with TemporaryDirectory(prefix="loom-carryover-") as folder:
        made = Past(Path(folder), events)
        try:
            yield made
        finally:
            made.close()


def _shrink(context: Context, capacity: int) -> None:
    context.resize(capacity + SMALL_REPLY, SMALL_REPLY)
    context.turn()


def _window(context: Context, *, look: bool) -> RenewedWindow:
    texts = rendered(context.turn().messages)
    tokens = context.window.tokens.history
    if not look:
        return RenewedWindow(tokens, ShownTexts(texts), ShownTexts(), ShownTexts())
    near = names(texts)
    listed = behind(context, (name for name in near if name.startswith(LISTING)))
    far = names(listed) - near
    return RenewedWindow(
        tokens,
        ShownTexts(texts),
        ShownTexts(behind(context, near)),
        ShownTexts(behind(context, far)),
    )
