"""One session through one strategy: a request before each reply of the model, judged on the way.

A request that a provider would refuse, for its size or its order, is counted and shows the model
nothing. Nothing is mended: whoever makes unlawful requests has to know.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct, field, json

from loom.bench.judge import Judge
from loom.bench.moment import BenchMoment
from loom.bench.session import PressureSession, Wire
from loom.bench.strategy import OpenedStrategy, Strategy, budget_of
from loom.bench.wires import ReadWire, WireReader
from loom.providers.formats.laws import broken

FAULTS = 12  # that are kept of one session, in words
REFUSED = 3  # reasons told of one request
MODEL = "any"  # a request names a model; the laws of the format do not depend on it


class DrivenSession(Struct):
    """What came of one session: sums by name, some faults, and what ended the strategy early."""

    sums: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    failed: str = ""


class DrivenRequest(Struct, frozen=True):
    """What a strategy sends, as it was when it gave it away, and why it would be refused."""

    messages: list[Wire] = []
    tools: list[Wire] = []
    refused: list[str] = []
    read: list[ReadWire] = []


def driven(
    session: PressureSession, strategy: Strategy, window: int, judges: Sequence[Judge]
) -> DrivenSession:
    """Drive a session through a window of so many tokens.

    What a strategy raises is in the outcome; from there on it shows the model nothing.
    """
    return _BenchDriver(session, strategy, window, judges).run()


class _BenchDriver:
    """The drive while it runs. The strategy is given copies: it cannot change the session."""

    def __init__(
        self, session: PressureSession, strategy: Strategy, window: int, judges: Sequence[Judge]
    ) -> None:
        self._session = session
        self._reader = WireReader()
        self._budget = budget_of(window, WireReader())
        self._strategy = strategy
        self._opened: OpenedStrategy | None = None
        opened = [judge.open(session) for judge in judges]
        self._judges = [judge for judge in opened if judge is not None]
        self._given: list[Wire] = []
        self._before: list[Wire] = []
        self._found = DrivenSession()

    def run(self) -> DrivenSession:
        """Drive it to its end."""
        try:
            self._opened = OpenedStrategy(self._strategy, self._budget)
        except Exception as error:  # whatever a strategy raises, the others go on
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
        )
        for judge in self._judges:
            ruling = judge(moment)
            if ruling is not None:
                self._found.sums.update(ruling.sums)
                self._tell(at, ruling.faults)
        self._before = sent.messages

    def _request(self, at: int) -> DrivenRequest:
        """The request of a moment."""
        if self._found.failed or self._opened is None:
            return DrivenRequest(refused=["the strategy failed before"])
        began = time.process_time()
        try:
            messages = self._opened.request(list(self._given))
            spent = time.process_time() - began
            # A copy: what a strategy does later to its own lists is not in this request.
            messages, tools = json.decode(json.encode((messages, self._opened.tools)))
        except Exception as error:  # whatever a strategy raises, the others go on
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
            why = [f"no chat messages: {type(error).__name__}: {error}"]
            return DrivenRequest(messages, tools, why)
        room = self._budget.room
        if not all(isinstance(tool, dict) for tool in tools):
            why = ["tools: one is no object", *why]
        if size > room:
            why = [f"{size:,} tokens, {room:,} are allowed", *why]
        return DrivenRequest(messages, tools, why, read)

    def _ask(self, question: str) -> Iterator[str]:
        if self._opened is None or self._found.failed:
            return
        try:
            for answer in self._opened.ask(question):
                # Some text that can be counted, whatever it was.
                yield str(answer).encode("utf-8", "replace").decode()
        except Exception as error:  # a way back that raises is none
            self._tell(len(self._given), [f"ask: {type(error).__name__}: {error}"])

    def _end(self) -> None:
        kept = json.encode(self._session.messages[: len(self._given)])
        if json.encode(self._given) != kept:
            self._found.sums["altered"] += 1
            self._tell(len(self._given), ["the strategy changed messages it was given"])
        if self._opened is not None:
            self._found.sums["rescued"] += self._opened.rescued
            try:
                self._opened.close()
            except Exception as error:
                self._fail(len(self._given), error)

    def _fail(self, at: int, error: Exception) -> None:
        self._found.failed = f"message {at}: {type(error).__name__}: {error}"

    def _tell(self, at: int, faults: Sequence[str]) -> None:
        room = FAULTS - len(self._found.faults)
        self._found.faults += [f"message {at}: {fault}" for fault in faults[: max(room, 0)]]
