"""A request at one moment of a session, as judges look at it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from msgspec import Struct, field

from loom.bench.session import PressureSession, Wire
from loom.bench.wires import WireReader, texts
from loom.providers.render.message import Message

CALLS = 3  # that a model makes for one thing it misses, at most
SHARE = 4  # of the room at most a quarter is taken by one answer
SHOWN = 300  # characters of a fault that is told


class BenchRuling(Struct):
    """What a judge found in one request: sums by name, and some faults in words."""

    sums: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def held(self, name: str, whether: bool, fault: str = "") -> None:
        """Count one `name`, and one `name_held` when it holds, else its fault."""
        self.sums[name] += 1
        self.sums[f"{name}_held"] += whether
        if not whether and fault:
            self.faults.append(f"{name}: {fault}"[:SHOWN])


class ShownLine(Struct, frozen=True):
    """A text of a request. `kind` is `said`, `call` (name and arguments) or `result`."""

    role: str
    kind: str
    text: str


class BenchMoment:
    """One request. `at` messages stand before it, `before` is the request before this one.

    `refused` says why a provider would not take it: it then shows the model nothing.
    """

    def __init__(
        self,
        session: PressureSession,
        at: int,
        request: Sequence[Wire],
        tools: Sequence[Wire],
        before: Sequence[Wire],
        reader: WireReader,
        room: int,
        refused: Sequence[str],
        asking: Callable[[str], Iterator[str]],
    ) -> None:
        self.session = session
        self.at = at
        self.request = list(request)
        self.tools = list(tools)
        self.room = room
        self.refused = list(refused)
        self.cut = list(before) != self.request[: len(before)]
        self._reader = reader
        self._asking = asking
        self._answers: dict[str, list[str]] = {}

    @property
    def last(self) -> bool:
        """True for the request that follows the session."""
        return self.at == len(self.session.messages)

    @cached_property
    def messages(self) -> list[Message]:
        """The request as roles and blocks; empty when it was refused."""
        return [] if self.refused else self._reader.messages(self.request)

    @cached_property
    def tokens(self) -> int:
        """Tokens of the request, its tools among them."""
        return self._reader.count(self.request, self.tools)

    @cached_property
    def shown(self) -> list[ShownLine]:
        """The texts of the request, in order; none when it was refused."""
        return [] if self.refused else [one for wire in self.request for one in _shown(wire)]

    @cached_property
    def flat(self) -> list[str]:
        """The same texts with runs of blanks as one."""
        return [" ".join(one.text.split()) for one in self.shown]

    def holds(self, text: str) -> bool:
        """True when a text stands in the request, runs of blanks counting as one."""
        wanted = " ".join(text.split())
        return any(wanted in one for one in self.flat)

    def asked(self, question: str) -> list[str]:
        """The answers a model gets that asks: of a few calls, each cut to a share of the room."""
        known = self._answers.get(question)
        if known is None:
            known = self._answers[question] = []
            if not self.refused:
                for _, answer in zip(range(CALLS), self._asking(question), strict=False):
                    known.append(self._bounded(answer))
        return known

    def _bounded(self, answer: str) -> str:
        """An answer, its end cut where it is larger than a window would take."""
        most = self.room // SHARE
        while answer and (size := self._reader.meter.text(answer)) > most:
            answer = answer[: int(len(answer) * most / size * 0.98)]
        return answer


def _shown(wire: Wire) -> Iterator[ShownLine]:
    role = str(wire.get("role", ""))
    kind = "result" if role == "tool" else "said"
    yield from (ShownLine(role, kind, text) for text in texts(wire) if text)
    for call in wire.get("tool_calls") or ():
        function = call.get("function", {})
        said = f"{function.get('name', '')} {function.get('arguments', '')}"
        yield ShownLine(role, "call", said)
