"""What Loom says at the end of a request: the dashboard, its changes, or nothing.

Its size is known before its values are: pressure is measured with the widest it can be.
"""

from __future__ import annotations

import time

from loom.config import Policy
from loom.measure import Sizes
from loom.pressure import rho
from loom.render import dashboard
from loom.render.wording import CONTINUE
from partitions.message import Notice, Step
from partitions.window import Window

DELTA_TOKENS = 120  # what the changed surfaces may take between cuts


class Notices:
    """Makes the notice of a turn, and says beforehand how large it may be."""

    def __init__(self, policy: Policy, sizes: Sizes) -> None:
        self.policy = policy
        self.sizes = sizes
        self._widest: tuple[object, int] = (None, 0)
        self._reserve: tuple[object, int] = (None, 0)

    def widest(self, window: Window) -> int:
        """Tokens of the whole dashboard at its widest, message overhead included."""
        state = (window.working, window.limits.capacity, window.shed)
        if self._widest[0] != state:
            text = dashboard.block(window.working, dashboard.WIDEST, self._fit(window), window.shed)
            self._widest = (state, self.sizes.message(text))
        return self._widest[1]

    def reserve(self, window: Window) -> int:
        """Tokens the notice of the next turn may take."""
        if not window.placed:
            return self.widest(window)
        if self._reserve[0] is not window.working:
            text = dashboard.delta(window.working, dashboard.WIDEST, fit=self._fit(window, "delta"))
            self._reserve = (window.working, self.sizes.message(text))
        return self._reserve[1]

    def make(self, window: Window) -> tuple[Notice | None, str]:
        """(the notice, the mark): the dashboard after a cut, what changed, or nothing."""
        tokens = window.tokens.total + self.reserve(window)
        pressure = rho(tokens, window.limits)
        live = dashboard.Live(
            rho=pressure,
            budget=max(window.limits.capacity - tokens, 0),
            generation=window.generation,
            step=window.next_id,
            heartbeat=time.strftime("%H:%M:%S"),
        )
        mark = dashboard.mark(window.working, pressure)
        last = window.stream.last
        if not window.placed:
            text = dashboard.block(window.working, live, self._fit(window), window.shed)
        elif mark != window.mark:
            changed = dashboard.changes(window.mark, mark)
            text = dashboard.delta(window.working, live, changed, self._fit(window, "delta"))
        elif isinstance(last, Step) and not last.outcomes:
            text = CONTINUE  # a request ends with something to answer
        else:
            return None, mark
        return Notice("working", text, self.sizes.message(text)), mark

    def _fit(self, window: Window, form: str = "block") -> dashboard.Fit:
        """The surfaces get their share of the capacity; between cuts a small part of it."""
        room = int(window.limits.capacity * self.policy.working_share)
        if form == "delta":
            room = min(room, DELTA_TOKENS)
        return dashboard.fitting(room, self.sizes.count.many)
