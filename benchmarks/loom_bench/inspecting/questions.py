"""What a model is asked about a session at a moment, and what answers its calls."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from random import Random
from threading import Lock
from typing import Any

from msgspec import Struct, json

from loom_bench.drive import driven
from loom_bench.judge import MetricColumn, Ruled
from loom_bench.moment import CALLS, BenchMoment, bounded, stands
from loom_bench.scenarios import session_of
from loom_bench.session import (
    ChangingValue,
    CommandFailure,
    FactDue,
    PressureSession,
    StandingRule,
    Wire,
)
from loom_bench.strategies import STRATEGIES
from loom_bench.strategy import OpenedStrategy, budget_of
from loom_bench.wires import WireReader

VALUE = "{} Answer with the exact value alone, or with UNKNOWN."
RULE = "Does this rule hold now? “{}” Answer with YES, with NO if it was taken back, or UNKNOWN."
RUN = (
    "How did `{}` end when it ran last? Answer with PASSED, or with the exact line that says what"
    " failed, or with UNKNOWN."
)
YES, NO, PASSED = "YES", "NO", "PASSED"


class PressureQuestion(Struct, frozen=True):
    """A question at a moment (so many messages stand before it).

    `kind` is `fact`, `value` (one that changed), `rule`, `lifted` (a rule that was taken back),
    `failing` or `passing` (a command). No answer may hold a text of `wrong`.
    """

    kind: str
    at: int
    text: str
    right: str
    wrong: tuple[str, ...] = ()


def questions_of(session: PressureSession, most: int = 0) -> list[PressureQuestion]:
    """The questions of a session, the same each time: `most` of them, 0 for all.

    Of facts wherever they are due; of the rest at the end.
    """
    end = len(session.messages)
    changing = session.owed(ChangingValue)
    found = [
        *_facts(session.owed(FactDue), changing),
        *(_value(one, end) for one in changing),
        *_rules(session.owed(StandingRule), end),
        *_runs(session.owed(CommandFailure), end),
    ]
    asked = list({(one.at, one.text): one for one in found}.values())
    if 0 < most < len(asked):
        asked = Random(f"{session.scenario} {session.seed} {session.half}").sample(asked, most)
    return sorted(asked, key=lambda one: (one.at, one.kind, one.text))


def is_right(question: PressureQuestion, answer: str) -> bool:
    """True for an answer that holds what is right and nothing that is wrong, in either case."""
    flat = " ".join(answer.split()).lower()
    held = stands(question.right.lower(), flat)
    return held and not any(stands(one.lower(), flat) for one in question.wrong)


def _facts(
    facts: Iterable[FactDue], changing: Iterable[ChangingValue]
) -> Iterator[PressureQuestion]:
    states = {one.question: one.states for one in changing}
    for fact in facts:
        for at in fact.due:
            values = [value for since, value in states.get(fact.question, ()) if since < at]
            kind = "value" if len(values) > 1 else "fact"
            yield _asked(kind, at, fact.question, fact.value, values)


def _value(changing: ChangingValue, end: int) -> PressureQuestion:
    values = [value for _, value in changing.states]
    return _asked("value", end, changing.question, values[-1], values)


def _asked(
    kind: str, at: int, question: str, right: str, values: Iterable[str]
) -> PressureQuestion:
    wrong = (one for one in dict.fromkeys(values) if not stands(one.lower(), right.lower()))
    return PressureQuestion(kind, at, VALUE.format(question), right, tuple(wrong))


def _rules(rules: Iterable[StandingRule], end: int) -> Iterator[PressureQuestion]:
    for rule in rules:
        held = rule.until is None
        kind, right = ("rule", YES) if held else ("lifted", NO)
        wrong = tuple({YES, NO, "UNKNOWN"} - {right})
        yield PressureQuestion(kind, end, RULE.format(rule.text), right, tuple(sorted(wrong)))


def _runs(failures: Iterable[CommandFailure], end: int) -> Iterator[PressureQuestion]:
    by_command: dict[str, list[CommandFailure]] = {}
    for one in failures:
        by_command.setdefault(one.command, []).append(one)
    for command, runs in by_command.items():
        # (message, what it shows, or "" for a pass)
        ends = [(one.at, one.says) for one in runs]
        ends += [(one.resolved, "") for one in runs if one.resolved is not None]
        _, says = max(ends)
        if {one.says for one in runs if one.resolved is None} != {says} - {""}:
            continue  # one command line of several things: how it ended is not one answer
        others = tuple(sorted({one.says for one in runs} - {says}))
        wrong = (*others, PASSED) if says else others
        kind = "failing" if says else "passing"
        yield PressureQuestion(kind, end, RUN.format(command), says or PASSED, wrong)


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

    messages: Sequence[Wire]
    tools: Sequence[Wire]
    refused: Sequence[str]


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
        return bounded(answer, self._budget.room, self._budget.reader.meter.text) or NOTHING

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
