"""A request at one moment of a session, as judges look at it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate, islice

from msgspec import Struct, field

from loom.providers.render.message import Message
from loom_bench.session import PressureSession, Wire
from loom_bench.wires import ReadWire, ShownLine, WireReader

CALLS = 3  # that a model makes for one thing it misses, at most
SHARE = 4  # of the room at most a quarter is taken by one answer
LOOKS = 14  # moments of a session at which everything is looked for, beside its end
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


class BenchMoment(Struct, dict=True):
    """One request. `at` messages stand before it, `before` is the request before this one."""

    session: PressureSession
    at: int
    request: Sequence[Wire]
    tools: Sequence[Wire]
    before: Sequence[Wire]
    reader: WireReader
    room: int
    refused: Sequence[str]  # why a provider would not take it: it then shows the model nothing
    asking: Callable[[str], Iterator[str]]
    known: Sequence[ReadWire] | None = None  # its messages, where they were read before
    judged: bool = True  # everything is looked for, as session and room say, never the strategy
    answers: dict[str, list[str]] = field(default_factory=dict)  # to the questions so far

    @cached_property
    def cut(self) -> bool:
        """True when it is not the request before with more behind it."""
        return list(self.before) != list(self.request[: len(self.before)])

    @property
    def last(self) -> bool:
        """True for the request that follows the session."""
        return self.at == len(self.session.messages)

    @cached_property
    def read(self) -> list[ReadWire]:
        """The messages of the request, read; none when it was refused."""
        if self.refused:
            return []
        return self.reader.read(self.request) if self.known is None else list(self.known)

    @cached_property
    def messages(self) -> list[Message]:
        """The request as roles and blocks; empty when it was refused."""
        return [one.message for one in self.read]

    @cached_property
    def tokens(self) -> int:
        """Tokens of the request, its tools among them; 0 when it was refused."""
        return self.tool_tokens + sum(one.tokens for one in self.read)

    @cached_property
    def tool_tokens(self) -> int:
        """Tokens of the tools the strategy declares; 0 when the request was refused."""
        return 0 if self.refused else self.reader.declared(self.tools)

    @cached_property
    def shown(self) -> list[ShownLine]:
        """The texts of the request, in order; none when it was refused."""
        return [text for one in self.read for text in one.shown]

    @cached_property
    def flat(self) -> list[str]:
        """The same texts with runs of blanks as one."""
        return [one.flat for one in self.shown]

    def holds(self, text: str) -> bool:
        """True when a text stands in the request, runs of blanks counting as one."""
        return any(stands(text, one) for one in self.flat)

    def size(self, text: str) -> int:
        """Tokens of a text."""
        return self.reader.meter.text(text)

    def asked(self, question: str) -> list[str]:
        """The answers a model gets that asks: of a few calls, each cut to a share of the room."""
        if question not in self.answers:
            given: Iterable[str] = () if self.refused else islice(self.asking(question), CALLS)
            self.answers[question] = [bounded(one, self.room, self.size) for one in given]
        return self.answers[question]


def bounded(answer: str, room: int, count: Callable[[str], int]) -> str:
    """An answer, its end cut where it is larger than a share of the room."""
    most = room // SHARE
    while answer and (size := count(answer)) > most:
        answer = answer[: int(len(answer) * most / size * 0.98)]
    return answer


def judged_moments(session: PressureSession, room: int, reader: WireReader) -> frozenset[int]:
    """Return the end and at most LOOKS moments, evenly spread, whose messages outgrow the room."""
    sizes = [0, *accumulate(one.tokens for one in reader.read(session.messages))]
    full = [at for at in session.moments() if sizes[at] > room]
    step = max(len(full) / LOOKS, 1)
    picked = {full[int(number * step)] for number in range(min(LOOKS, len(full)))}
    return frozenset(picked | {len(session.messages)})


def stands(text: str, flat: str) -> bool:
    """True when a text stands in a flat one: `8443` does not stand in `18443`."""
    wanted = " ".join(text.split())
    return wanted in flat and standing(wanted).search(flat) is not None


@lru_cache(maxsize=4096)
def standing(wanted: str) -> re.Pattern[str]:
    """What finds a text, its runs of blanks as one, where it is no part of a longer word."""
    wanted = " ".join(wanted.split())
    before = r"(?<!\w)" if wanted[:1].isalnum() else ""
    after = r"(?!\w)" if wanted[-1:].isalnum() else ""
    return re.compile(before + re.escape(wanted) + after)
