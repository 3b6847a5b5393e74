"""The room of a window: the tokens of what may not leave it, and the tokens left beside that.

How much of a result is shown is decided in four steps. The rule of its tool may shorten it
(`reduce.rules`). `WindowRoom.results` says how many tokens it may take as it comes in.
`CountedTexts.bounded` makes a preview of a result that takes more. Before the request,
`ReadAhead.lengthened_previews` shows a preview longer where there is room."""

from __future__ import annotations

from collections.abc import Callable, Collection
from math import ceil
from operator import attrgetter

from msgspec.structs import replace

from loom.compress.blame import over_capacity_error, pinned_in_window
from loom.compress.layout_parts import layout_part_tokens
from loom.policy import Policy
from loom.providers.counts.message_sizes import MESSAGE, RESULT
from loom.session.counted_texts import part_tokens
from loom.session.notices import MINIMAL_TAIL, Notices
from loom_partitions.limits import CEILING, Budget, Limits
from loom_partitions.message import Outcome, Step, UserTurn
from loom_partitions.window import Window

_TOKENS: Callable[[Outcome], int] = attrgetter("text.tokens")
LEAST_RESULT = 60  # tokens every result gets, whatever its siblings took
BESIDE = 32  # tokens of a result beside its text: its message, the id of its call


class WindowRoom:
    """Tells how many tokens a window has for new entries. `own()` returns the names of Loom's
    tools."""

    def __init__(self, notices: Notices, own: Callable[[], Collection[str]] = tuple) -> None:
        self._notices = notices
        self._own = own

    def needs(self, after: Window) -> dict[str, int]:
        """Return partition → tokens of what cannot leave the window `after`. The key "tail" has the
        tokens of the smallest possible history with Loom's own words."""
        return {
            "system": after.system.settle().tokens,
            "memory": after.memory.settle().tokens,
            "skill": after.skill.settle().tokens,
            "working": self._notices.widest_tokens(after),
            "history": sum(entry.tokens for entry in pinned_in_window(after))
            if after.history.pins
            else 0,
            "tail": after.limits.head + MINIMAL_TAIL,
        }

    def free(self, after: Window) -> int:
        """Return the tokens left beside what cannot leave the window; below 0 for too few."""
        return int(after.limits.capacity * CEILING) - sum(self.needs(after).values())

    def newest(self, after: Window) -> int:
        """Return the tokens for new entries right after a renewal, less the entries since the last
        reply."""
        return self.free(after) - sum(entry.tokens for entry in after.history.stream.unanswered)

    def media(self, window: Window) -> int:
        """Return the tokens for images and documents, 0 if the size of a step is limited."""
        budget = window.config.budget
        bounded = self._notices.policy.layout.recent_tokens or (budget and budget.step_tokens)
        return 0 if bounded else self.newest(window)

    def message(self, window: Window) -> int:
        """Return how many tokens a user's message may take: its share of the window or, if more,
        what a fresh window has for new entries."""
        return max(self.share(window), self.newest(window))

    def results(self, window: Window, step: Step | None = None) -> int:
        """Return how many tokens the results of one step may take: their share of the window or, if
        more, `whole_tokens`."""
        return max(self.share(window, step), self.whole_tokens(window, step))

    def whole_tokens(self, window: Window, step: Step | None = None) -> int:
        """Return up to how many tokens the results of one step are shown in full: what is free in
        the current window or, if more, in a fresh window; with a limit on recent steps, their
        share."""
        if self._notices.policy.layout.recent_tokens or window.config.budget:
            return self.share(window, step)
        taken = sum(map(_TOKENS, step.outcomes)) if step else 0
        free = int(window.limits.capacity * self._notices.policy.auto_at) - window.tokens.total
        free -= self._notices.widest_tokens(window)
        return max(free, self.newest(window)) + taken

    def share(self, window: Window, step: Step | None = None) -> int:
        """Return the tokens that one text, or all results of one step, may always take."""
        return step_room(window.config.budget, self._notices.policy, window.limits, step)

    def check(self, after: Window) -> None:
        """Raise OverCapacity if what cannot leave the window is too large. Skills of clients are
        not counted."""
        after = replace(after, skill=after.skill.own)
        needs = self.needs(after)
        excess = ceil(sum(needs.values()) - after.limits.capacity * CEILING)
        if excess > 0:
            del needs["tail"]
            raise over_capacity_error(after, needs, excess, self._own())


def waiting_media_tokens(window: Window) -> int:
    """Return the tokens of images and documents among the results of the step with open calls."""
    total = 0
    for entry in window.history.stream.entries_back:
        if not isinstance(entry, UserTurn):
            break
        total += entry.text.tokens if entry.text.media is not None and entry.source else 0
    return total


def next_result_room(step: Step, share: int, beside: int = 0) -> int:
    """Return how many tokens a step's next result may take: `share` less the step's other results,
    less `beside` for the attachments of these results, less an equal part for each other open call.
    """
    used = beside + sum(map(_TOKENS, step.outcomes)) + len(step.outcomes) * (RESULT + MESSAGE)
    part = max(share // max(len(step.calls), 1), LEAST_RESULT)
    waiting = max(len(step.open) - 1, 0) * part
    return max(share - used - waiting, LEAST_RESULT)


def step_room(
    budget: Budget | None, policy: Policy, limits: Limits, step: Step | None = None
) -> int:
    """Return how many tokens one text, or all results of one step, may take: the policy's share of
    the capacity, but no more than the layout and the budget's `step_tokens` allow."""
    share = int(limits.capacity * policy.tuning.step_share)
    if policy.layout.recent_tokens:
        recent = layout_part_tokens(policy, limits, policy.layout.recent_tokens)
        if step is not None:  # its reply, and what every result takes beside its text
            recent -= MESSAGE + sum(map(part_tokens, step.parts)) + BESIDE * len(step.calls)
        share = max(min(share, recent), 0)
    return min(share, budget.step_tokens) if budget and budget.step_tokens else share
