"""One session through one strategy: a request before each reply of the model, judged on the way.

A request that a provider would refuse, for its size or its order, is counted and shows the model
nothing. Nothing is mended: whoever makes unlawful requests has to know.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct, field, json

from loom_bench.errors import RAISES, said_of
from loom_bench.judge import EACH, DrivenFault, HeldSession, Judge, name_of, told_faults
from loom_bench.laws import broken
from loom_bench.moment import SHOWN, BenchMoment, judged_moments
from loom_bench.session import PressureSession, Wire
from loom_bench.strategy import OpenedStrategy, Strategy, budget_of
from loom_bench.wires import ReadWire, WireReader

REFUSED = 3  # reasons told of one request
MODEL = "any"  # a request names a model; the laws of the format do not depend on it


class DrivenSession(Struct):
    """What came of one session: sums by name, some faults, and what ended the strategy early.

    `broken` are judges that raised, by name, and what; nothing of them is in `sums`.
    """

    sums: Counter[str] = field(default_factory=Counter)
    faults: list[DrivenFault] = field(default_factory=list)
    failed: str = ""
    broken: dict[str, str] = field(default_factory=dict)


class DrivenRequest(Struct, frozen=True):
    """What a strategy sends, as it was when it gave it away, and why it would be refused."""

    messages: list[Wire] = []
    tools: list[Wire] = []
    refused: list[str] = []
    read: list[ReadWire] = []


def driven(
    session: PressureSession,
    strategy: Strategy,
    window: int,
    judges: Sequence[Judge],
    names: Sequence[str] = (),
) -> DrivenSession:
    """Drive a session through a window of so many tokens.

    What a strategy raises is in the outcome; from there on it shows the model nothing. What a judge
    raises is there too, by its name of `names`, or that of its class.
    """
    named = zip(names or map(name_of, judges), judges, strict=True)
    held = [HeldSession(name, judge, session) for name, judge in named]
    return _BenchDriver(session, strategy, window, held).run()


def cpu_seconds() -> float:
    """CPU time of this process, its threads, and its children that have ended."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


class _BenchDriver:
    """The drive while it runs. The strategy is given copies: it cannot change the session."""

    def __init__(
        self,
        session: PressureSession,
        strategy: Strategy,
        window: int,
        held: Sequence[HeldSession],
    ) -> None:
        self._session = session
        self._reader = WireReader()
        self._budget = budget_of(window, WireReader())
        self._looked = judged_moments(session, self._budget.room, self._reader)
        self._strategy = strategy
        self._opened: OpenedStrategy | None = None
        self._held = held
        self._tools: list[Wire] = []  # those of the last request
        self._given: list[Wire] = []
        self._before: list[Wire] = []
        self._found = DrivenSession()

    def run(self) -> DrivenSession:
        """Drive it to its end."""
        try:
            self._opened = OpenedStrategy(self._strategy, self._budget)
        except RAISES as error:  # whatever a strategy raises, the others go on
            self._fail(0, error)
        try:
            for at in self._session.moments():
                self._step(at)
        finally:
            self._end()
        return self._found

    def _step(self, at: int) -> None:
        new = self._session.messages[len(self._given) : at]
        self._given += json.decode(json.encode(new))
        sent = self._request(at)
        self._tools = sent.tools
        moment = BenchMoment(
            self._session,
            at,
            sent.messages,
            sent.tools,
            self._before,
            self._reader,
            self._budget.room,
            sent.refused,
            self._ask,
            sent.read,
            at in self._looked,
        )
        for judge in self._held:
            judge.look(moment)
        self._before = sent.messages

    def _request(self, at: int) -> DrivenRequest:
        """The request of a moment."""
        if self._found.failed or self._opened is None:
            return DrivenRequest(refused=["the strategy failed before"])
        began = cpu_seconds()
        try:
            messages, tools = self._opened.request(list(self._given)), self._opened.tools
            spent = cpu_seconds() - began
            # A copy: what a strategy does later to its own lists is not in this request.
            messages, tools = json.decode(json.encode((messages, tools)))
        except RAISES as error:  # whatever a strategy raises, the others go on
            self._fail(at, error)
            return DrivenRequest(refused=["the strategy failed"])
        self._found.sums["cpu_us"] += int(1e6 * spent)
        return self._checked(messages, tools)

    def _checked(self, messages: list[Wire], tools: list[Wire]) -> DrivenRequest:
        """A request, and why a provider would refuse it."""
        try:
            read = self._reader.read(messages)
            size = self._reader.declared(tools) + sum(one.tokens for one in read)
            for one in read:
                one.shown  # noqa: B018 — a message whose texts cannot be read is refused here
            sent = {"model": MODEL, "messages": messages, **({"tools": tools} if tools else {})}
            why = broken("openai", sent)[:REFUSED]
        except Exception as error:  # no messages at all: a provider would not take them
            why = [f"no chat messages: {said_of(error)}"]
            return DrivenRequest(messages, tools, why)
        room = self._budget.room
        if not all(isinstance(tool, dict) for tool in tools):
            why = ["tools: one is no object", *why]
        if size > room:
            why = [f"{size:,} tokens, {room:,} are allowed", *why]
        return DrivenRequest(messages, tools, why, read)

    def _ask(self, question: str) -> Iterator[str]:
        """The answers a model gets by the strategy's tools: none where it declared no tool."""
        if self._opened is None or self._found.failed or not self._tools:
            return
        answers: Iterator[str] | None = None
        while True:
            try:
                answers = iter(self._opened.ask(question)) if answers is None else answers
                # Some text that can be counted, whatever it was.
                text = str(next(answers)).encode("utf-8", "replace").decode()
            except StopIteration:
                return
            except RAISES as error:  # a way back that raises is none
                self._tell(f"ask: {said_of(error)}")
                return
            yield text

    def _end(self) -> None:
        kept = json.encode(self._session.messages[: len(self._given)])
        if json.encode(self._given) != kept:
            self._found.sums["altered"] += 1
            self._tell("the strategy changed messages it was given")
        if self._opened is not None:
            try:
                self._found.sums["rescued"] += self._opened.rescued
                self._opened.close()
            except RAISES as error:
                self._fail(len(self._given), error)
        for one in self._held:
            if one.raised:
                self._found.broken[one.name] = one.raised
            else:
                self._found.sums.update(one.sums)
        self._found.faults += told_faults(self._held)

    def _fail(self, at: int, error: BaseException) -> None:
        self._found.failed = f"message {at}: {said_of(error)}"

    def _tell(self, fault: str) -> None:
        """A fault of the strategy that no judge told."""
        if len(self._found.faults) < EACH:
            self._found.faults.append(DrivenFault("", len(self._given), fault[:SHOWN]))
