"""What a strategy sends at the moments of a session, and what it answers a model that asks back."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from threading import Lock
from typing import Any

from msgspec import Struct, json

from loom_bench.drive import driven
from loom_bench.inspecting.questions import questions_of
from loom_bench.judge import MetricColumn, Ruled
from loom_bench.moment import CALLS, SHARE, BenchMoment
from loom_bench.scenarios import session_of
from loom_bench.session import PressureSession, Wire
from loom_bench.strategies import STRATEGIES
from loom_bench.strategy import OpenedStrategy, budget_of
from loom_bench.wires import WireReader

SPENT = "no further calls are answered: answer now"
NOTHING = "nothing was found"
DRIVEN = 8  # sessions whose requests are kept, for the samples that ask about them
_DRIVING = Lock()  # samples come at once: one drives, the others wait for what it finds


class PressedSession(Struct, frozen=True):
    """A session as a strategy (by its name) shows it in a window of so many tokens."""

    scenario: str
    seed: int
    half: str
    strategy: str
    window: int


class PressedRequest(Struct, frozen=True):
    """A request, the tools beside it, and why a provider would refuse it."""

    messages: list[Wire]
    tools: list[Wire]
    refused: list[str]


class RequestKeeper:
    """A judge that keeps the requests of some moments, and counts nothing."""

    columns: Sequence[MetricColumn] = ()

    def __init__(self, moments: Collection[int]) -> None:
        self.kept: dict[int, PressedRequest] = {}
        self._moments = moments

    def open(self, session: PressureSession) -> Ruled:
        """Look at each request."""
        return self._look

    def _look(self, moment: BenchMoment) -> None:
        if moment.at in self._moments:
            sent = PressedRequest(moment.request, moment.tools, moment.refused)
            self.kept[moment.at] = sent


def request_at(about: PressedSession, at: int) -> PressedRequest:
    """The request of a moment at which something is asked. Raises BadBench for a name of none."""
    with _DRIVING:
        return _requests(about)[at]


@lru_cache(DRIVEN)
def _requests(about: PressedSession) -> Mapping[int, PressedRequest]:
    session = session_of(about.scenario, about.seed, about.half)
    keeper = RequestKeeper({one.at for one in questions_of(session)})
    driven(session, STRATEGIES.get(about.strategy), about.window, [keeper])
    return keeper.kept


class PressedWindow:
    """The window of a strategy at a moment, for one question; made when a model calls a tool.

    It answers CALLS calls, each at the length that `loom bench run` allows.
    """

    def __init__(self, about: PressedSession, at: int) -> None:
        self.calls = 0
        self._about = about
        self._at = at
        self._budget = budget_of(about.window, WireReader())
        self._opened: OpenedStrategy | None = None

    def call(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """The answer of a call. Raises what the strategy raises."""
        if self.calls == CALLS:
            return SPENT
        self.calls += 1
        if self._opened is None:
            self._opened = self._driven()
        answer = self._opened.call(tool, arguments)
        most, text = self._budget.room // SHARE, self._budget.reader.meter.text
        while answer and (size := text(answer)) > most:
            answer = answer[: int(len(answer) * most / size * 0.98)]
        return answer or NOTHING

    def close(self) -> None:
        """Close the window, if it was made."""
        if self._opened is not None:
            self._opened.close()

    def _driven(self) -> OpenedStrategy:
        session = session_of(self._about.scenario, self._about.seed, self._about.half)
        opened = OpenedStrategy(STRATEGIES.get(self._about.strategy), self._budget)
        for at in session.moments():
            if at <= self._at:
                opened.request(json.decode(json.encode(session.messages[:at])))
        return opened
