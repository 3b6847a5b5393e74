"""The window of another agent: its guides, its history, and a summary when it is full."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import json

from benchmarks.measures.guides.loading_rules import LoadingRules
from benchmarks.measures.guides.shown_guides import ShownGuides
from benchmarks.measures.guides.work import WorkCall
from loom.compress.prefix import common
from loom.providers.counts.sizes import CALL, MESSAGE, RESULT

SUMMARY = "The work so far was summed up here. " * 12  # it holds no rule: favourable to none


class PeerWindow:
    """The requests an agent with some loading rules would send, in at most `capacity` tokens.

    `over` counts those that are larger all the same, as guides are loaded whatever the window;
    `sent` and `reused` are bytes.
    """

    def __init__(
        self,
        rules: LoadingRules,
        system: str,
        goal: str,
        capacity: int,
        count: Callable[[str], int],
    ) -> None:
        self.rules = rules
        self.capacity = capacity
        self.over = self.sent = self.reused = 0
        self._count = count
        self._first = [system, goal]
        self._history: list[str] = []
        self._before: list[bytes] = []

    def take(self, call: WorkCall) -> None:
        """A call is made, with what it loads; before it the history is summed up where it must."""
        new = [call.arguments, call.result]
        if self._tokens(new) > self.capacity:
            self.rules.compacted()
            self._history = [SUMMARY, *_headed(self.rules.nested)]
        self._history += [*new, *_headed(self.rules.touched(call.tool, call.file))]

    def request(self) -> ShownGuides:
        """The guides of the next request, which is compared with the one before."""
        self.over += self._tokens() > self.capacity
        self._compare()
        shown = ShownGuides()
        for path, text in (self.rules.loaded | self.rules.nested).items():
            shown.add(path, text)
        return shown

    def _messages(self) -> list[str]:
        return [*self._first, *_headed(self.rules.loaded), *self._history]

    def _tokens(self, more: Sequence[str] = ()) -> int:
        over = MESSAGE + (CALL + RESULT) // 2
        return sum(self._count(text) + over for text in (*self._messages(), *more))

    def _compare(self) -> None:
        now = [json.encode(text) for text in self._messages()]
        for old, new in zip(self._before, now, strict=False):
            self.reused += len(common(old, new))
            if old != new:
                break
        self.sent += sum(map(len, now))
        self._before = now


def _headed(guides: dict[str, str]) -> list[str]:
    return [f"Contents of {path}:\n\n{text}" for path, text in guides.items()]
