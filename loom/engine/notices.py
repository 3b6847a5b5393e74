"""What Loom says at the end of a request: the dashboard, its changes, or nothing.

Its size is known before its values are: pressure is measured with the widest it can be.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from loom.compress.renew import CEILING
from loom.engine.pressure import rho
from loom.policy import Policy
from loom.providers.counts import Sizes
from loom.providers.counts.sizes import MESSAGE
from loom.providers.render import dashboard
from loom.providers.render.wording import CONTINUE
from loom_partitions.message import Notice, Step
from loom_partitions.records import Turned
from loom_partitions.window import Window, apply

DELTA_TOKENS = 40  # what one line between cuts may take
NOT_SHOWN_TOKENS = 40  # … and the line that counts what found no room
MINIMAL_TAIL = 240  # one line of history, one small digest, their overhead
LEAST_ROOM = 60  # what the surfaces get under the longest goal


class Notices:
    """Makes the notice of a turn, and says beforehand how large it may be.

    `beat()` is when the world was last looked at, in seconds since the epoch; 0 for never.
    """

    def __init__(self, policy: Policy, sizes: Sizes) -> None:
        self.policy = policy
        self.sizes = sizes
        self.beat: Callable[[], float] = lambda: 0.0
        self._widest: tuple[object, int] = (None, 0)

    def widest(self, window: Window) -> int:
        """Tokens of the whole dashboard at its widest, message overhead included."""
        state = (window.working, window.limits.capacity, window.sent.shed, shelved(window))
        if self._widest[0] != state:
            fit = self._fit(window)
            text = dashboard.block(
                window.working, dashboard.WIDEST, fit, window.sent.shed, handoff=True
            )
            self._widest = (state, self.sizes.message(text))
        return self._widest[1]

    def reserve(self, window: Window) -> int:
        """Tokens the notice of the next turn may take."""
        if self._whole(window, dashboard.mark(window.working, 0.0)):
            return self.widest(window)
        return DELTA_TOKENS + MESSAGE

    def turned(self, window: Window, tried: tuple[int, int]) -> tuple[Turned, Window]:
        """The record of a request with its notice, and the window they lead to."""
        notice, mark = self.make(window)
        record = Turned(window.sent.turn + 1, notice, mark, tried)
        return record, apply(window, record)

    def make(self, window: Window) -> tuple[Notice | None, str]:
        """(the notice, the mark): the dashboard after a cut, what changed, or nothing."""
        tokens = window.tokens.total + self.reserve(window)
        pressure = rho(tokens, window.limits)
        live = dashboard.Live(
            rho=pressure,
            budget=max(window.limits.capacity - tokens, 0),
            generation=window.sent.generation,
            step=window.history.next_id,
            heartbeat=time.strftime("%H:%M:%S", time.localtime(self.beat() or None)),
        )
        mark = dashboard.mark(window.working, pressure)
        changed = dashboard.changes(window.sent.mark, mark)
        last = window.history.stream.last
        if self._whole(window, mark):
            fit = self._fit(window)
            text = dashboard.block(
                window.working, live, fit, window.sent.shed, handoff=window.sent.renewed
            )
        elif changed:
            trim = dashboard.trimming(DELTA_TOKENS, self.sizes.count)
            text = dashboard.delta(window.working, live, changed, trim)
        elif isinstance(last, Step) and not last.outcomes:
            text = CONTINUE  # a request ends with something to answer
        else:
            return None, mark
        return Notice("working", text, self.sizes.message(text)), mark

    def _whole(self, window: Window, mark: str) -> bool:
        """True when all of it is told: after a cut, and when the goal changed."""
        return not window.sent.placed or "goal" in dashboard.changes(window.sent.mark, mark)

    def _fit(self, window: Window) -> dashboard.Fit:
        """The surfaces get C_working's share of the capacity, less what stands above them."""
        bare = dashboard.block(
            window.working, dashboard.WIDEST, lambda lines: [], window.sent.shed, handoff=True
        )
        share = int(window.limits.capacity * self.policy.working_share)
        head = self.sizes.message(bare) + NOT_SHOWN_TOKENS
        # Shelves that were filled when C_working was small must not leave a turn without room.
        most = int(window.limits.capacity * CEILING) - shelved(window) - MINIMAL_TAIL
        return dashboard.fitting(max(min(share, most) - head, LEAST_ROOM), self.sizes.count.many)


def shelved(window: Window) -> int:
    """Tokens of what no renewal sheds: instructions and tools, once they are settled."""
    return window.limits.head + window.system.settle().tokens + window.skill.tools.settle().tokens
