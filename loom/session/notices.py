"""What Loom says at the end of a request: the dashboard (a summary of C_working and the budget), a
line with its changes, or nothing.

Its size is known before its values: ρ is measured with the widest notice there can be."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection

from msgspec.structs import replace

from loom.policy import Policy
from loom.providers.counts import MessageSizes
from loom.providers.counts.message_sizes import MESSAGE
from loom.providers.render import dashboard
from loom.providers.render.dashboard import REDACTED
from loom.providers.render.dashboard_state import dashboard_changes, dashboard_state
from loom.providers.render.render import has_page_in_tool
from loom.providers.render.wording import CONTINUE, CUT_SHORT, CUT_TIMES, handoff_line
from loom.session.meter import window_provider
from loom_partitions.limits import CEILING
from loom_partitions.message import Detail, Digest, Notice, Step
from loom_partitions.records import Turned
from loom_partitions.window import Window, apply

DELTA_TOKENS = 40  # what one line between cuts may take, of ρ and errors alone …
PLAN_TOKENS = 120  # … and with a plan that changed: cut short, what it said before would hold
SECRETS_TOKENS = 48  # … and more where it tells that secrets are marked
NOT_SHOWN_TOKENS = 40  # … and the line that counts what found no room
MINIMAL_TAIL = 240  # one line of history, one small digest, their overhead
PAUSING = "anthropic"  # the format whose provider pauses a turn
LEAST_ROOM = 60  # what the surfaces get under the longest goal
WIDEST_HANDOFF = handoff_line(dashboard.WIDEST.generation, left=True)


class Notices:
    """Makes the notice at the end of a request, and says beforehand how large it may be.

    `beat()` returns the time of the last heartbeat in seconds since the epoch; for 0 (never),
    `clock` gives the time."""

    def __init__(
        self, policy: Policy, sizes: MessageSizes, clock: Callable[[], float] = time.time
    ) -> None:
        self._clock = clock
        self.policy = policy
        self.sizes = sizes
        self.beat: Callable[[], float] = lambda: 0.0
        self._widest: tuple[object, int] = (None, 0)
        self._reserve: tuple[Window | None, int] = (None, 0)

    def widest_tokens(self, window: Window) -> int:
        """Return the tokens of the largest possible dashboard, as a message of its own."""
        sent = window.sent
        state = (
            window.working,
            window.limits.capacity,
            sent.shed,
            sent.redacted,
            unshed_tokens(window),
        )
        if self._widest[0] != state:
            text = dashboard_block(
                window, widest_live_values(window), self._surface_fit(window), WIDEST_HANDOFF
            )
            self._widest = (state, self.sizes.message(text))
        return self._widest[1]

    def reserve(self, window: Window) -> int:
        """Return the largest number of tokens that the notice of the next request may take."""
        if self._reserve[0] is not window:
            changed = dashboard_changes(
                window.sent.told, dashboard_state(window.working, widest_live_values(window))
            )
            whole = _is_dashboard_due(window, changed)
            made = self.widest_tokens(window) if whole else _line_token_limit(changed) + MESSAGE
            self._reserve = (window, made)
        return self._reserve[1]

    def turn_record(self, window: Window, tried: tuple[int, int]) -> tuple[Turned, Window]:
        """Return (the record of a request with its notice, the window after it). `tried` is (number
        of levels that were tried and found no cut, the window's tokens at that time)."""
        notice, now = self.turn_notice(window)
        record = Turned(window.sent.turn + 1, notice, now, tried)
        return record, apply(window, record)

    def turn_notice(self, window: Window) -> tuple[Notice | None, str]:
        """Return (notice, state). The notice is the whole dashboard after a cut or with a new goal,
        else a line of changes, or None without changes. The state is the model's knowledge of the
        dashboard after the notice."""
        if is_paused(window):
            return None, window.sent.told
        live, mark = self._live_values(window), window.config.mark
        now = dashboard_state(window.working, live)
        changed = dashboard_changes(window.sent.told, now)
        last = window.history.stream.last
        if _is_dashboard_due(window, changed):
            handed = _handoff_line(window) if window.sent.renewed else ""
            text = dashboard_block(window, live, self._surface_fit(window), handed)
        elif changed:
            trim = dashboard.trim_to_room(_line_token_limit(changed), self.sizes.count)
            text = dashboard.dashboard_delta(window.working, live, changed, trim, mark)
        else:
            now = window.sent.told
            if not isinstance(last, Step) or last.outcomes:
                return None, now
            text = _ask_for_reply_line(window)  # a request ends with something to answer
        return Notice("working", text, self.sizes.message(text)), now

    def values(self, window: Window, beat: float | None = None) -> dashboard.Dashboard:
        """Return the dashboard's values. `beat` is the time of the last heartbeat in seconds since
        the epoch; None: look up the time."""
        live, working = self._live_values(window), window.working
        return dashboard.Dashboard(
            rho=live.rho,
            token_budget=live.budget,
            goal_progress=working.progress,
            error_count=dashboard.error_count(working, live),
            depth=working.depth,
            last_hb_ts=self.beat() or self._clock() if beat is None else beat,
            interrupt_requested=working.interrupt,
        )

    def _live_values(self, window: Window) -> dashboard.LiveValues:
        """Return the dashboard's values that change with every request, such as ρ."""
        from loom.session.pressure import rho

        tokens = window.tokens.total + self.reserve(window)
        return dashboard.LiveValues(
            rho=rho(tokens, window.limits),
            budget=max(window.limits.room - window.limits.scale.bound(tokens), 0),
            generation=window.sent.generation,
            step=window.history.next_id,
            heartbeat=time.strftime("%H:%M:%S", time.localtime(self.beat() or self._clock())),
            redacted=window.sent.redacted,
        )

    def _surface_fit(self, window: Window) -> dashboard.Fit:
        """Return a function that cuts the surfaces of C_working to their room in the dashboard."""
        bare = dashboard_block(window, widest_live_values(window), lambda lines: [], WIDEST_HANDOFF)
        share = int(window.limits.capacity * self.policy.tuning.working_share)
        head = self.sizes.message(bare) + NOT_SHOWN_TOKENS
        # Shelves that were filled when C_working was small must not leave a turn without room.
        most = int(window.limits.capacity * CEILING) - unshed_tokens(window) - MINIMAL_TAIL
        room = max(min(share, most) - head, LEAST_ROOM)
        return dashboard.fit_to_room(room, self.sizes.count.many, page_in=has_page_in_tool(window))


def dashboard_block(
    window: Window, live: dashboard.LiveValues, fit: dashboard.Fit, handoff: str
) -> str:
    """Return the text of a window's dashboard. `live` are the values that change with every
    request. `fit` cuts the surfaces of C_working to their room. `handoff` is the line that a
    renewal adds."""
    return dashboard.dashboard_block(
        window.working, live, fit, window.sent.shed, handoff=handoff, mark=window.config.mark
    )


def is_paused(window: Window) -> bool:
    """True when the provider will continue the last reply. Only results of the reply's calls may
    follow."""
    last = window.history.stream.last
    if not (isinstance(last, Step) and last.paused):
        return False
    formats = window_provider(window).formats
    return not formats or PAUSING in formats


def widest_live_values(window: Window) -> dashboard.LiveValues:
    """Return the dashboard's changing values (ρ, budget …) at their longest as text."""
    return replace(dashboard.WIDEST, redacted=window.sent.redacted)


def _handoff_line(window: Window) -> str:
    """Return the line that tells after a renewal what left the window, and how the model brings
    back what left."""
    entries = window.history.stream.entries
    left = any(isinstance(one, Digest) or one.detail >= Detail.REDUCED for one in entries)
    declared = {held.key for held in window.skill.tools.current}
    generation = window.sent.generation
    back = {name: name in declared for name in ("page_in", "recall")}
    return handoff_line(generation, left=left, ways=window.config.ways, **back)


def _ask_for_reply_line(window: Window) -> str:
    """Return the line that asks the model for a reply, for a request that would otherwise end with
    the model's own words."""
    times = 0
    for entry in window.history.stream.entries_back:
        if not (isinstance(entry, Step) and entry.cut) or times == CUT_TIMES:
            break
        times += 1
    said = CONTINUE if times < 2 else CUT_SHORT
    return said.format(mark=window.config.mark, times=times)


def _is_dashboard_due(window: Window, changed: Collection[str]) -> bool:
    """True after a cut or with a new goal, when the whole dashboard is shown. `changed` names the
    changed values."""
    return not window.sent.placed or "goal" in changed


def _line_token_limit(changed: Collection[str]) -> int:
    """Return the most tokens that a line of changes may take. `changed` names the values."""
    room = PLAN_TOKENS if "plan" in changed else DELTA_TOKENS
    return room + SECRETS_TOKENS * (REDACTED in changed)


def unshed_tokens(window: Window) -> int:
    """Return the tokens that no renewal removes: instructions, tools, words about the mark."""
    return window.limits.head + window.system.settle().tokens + window.skill.tools.settle().tokens
