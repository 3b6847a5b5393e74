"""Whether the newest value of what changes is known, and no older one stands as if it were current.

A value counts where it is told: on a line of the message that brought it, on a line that has a word
of the question too, and on any line that the session does not have, which is the strategy's own. An
older one is history where a message with a newer one stands behind it, or where a line says so. On
one line side by side, without such a word, nobody can tell them apart: that is stale.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from loom_bench.judge import LOW, MetricColumn, Ruled, judge
from loom_bench.judges.facts import found_by_asking
from loom_bench.judges.sights import (
    PAST,
    Sight,
    at_judged,
    content_words,
    is_past,
    lines_of,
    once_each,
    word_for_word,
)
from loom_bench.moment import BenchMoment, BenchRuling, stands
from loom_bench.session import ChangingValue, PressureSession
from loom_bench.wires import ReadWire

SENTENCES = re.compile(r"(?<=[.!?:;])\s+|\s*\([^()]*\)\s*")
SAID = 4  # words of a sentence at least that quotes another
NAMED = re.compile(r"\b[a-z]+_(\d{3,})\b")  # a name with a number, as of a step or a page
CHANGED = re.compile(rf"{PAST.pattern}|\bnow\b|\bchanged?\b", re.IGNORECASE)  # on a newer line


@judge(
    MetricColumn(
        "current", "values_held", "values", scored=True,
        about="things that change whose newest value stands or comes by asking, with no older one"
        " that stands as if it were current",
    ),
    MetricColumn(
        "stale", "values_stale", "values", LOW,
        about="those of which an older value does stand so, or is what asking gives",
    ),
)  # fmt: skip
def values(session: PressureSession) -> Ruled | None:
    """Looks for values at the judged moments; asks for a newest one that does not stand."""
    changing = session.owed(ChangingValue)
    lines = lines_of(session.messages) if changing else frozenset()
    return at_judged([_FollowedValue(session, one, lines).hold for one in changing])


class _Told(Struct, frozen=True):
    """A place that tells a value: the value's number, the place, and whose words they are.

    The line has the words of messages that brought the values `brings`; the strategy `made` it when
    it is none of the session's and quotes none.
    """

    number: int
    sight: Sight
    brings: frozenset[int]
    made: bool


class _FollowedValue:
    """One thing that changes, and where messages tell its values."""

    def __init__(
        self, session: PressureSession, value: ChangingValue, lines: frozenset[str]
    ) -> None:
        self._question = value.question
        self._brought = [at for at, _ in value.states]
        self._values = [one for _, one in value.states]
        self._words = content_words(value.question)
        self._lines = lines
        self._bringing = [lines_of([session.messages[at]]) for at in self._brought]
        self._seen = once_each(lambda wire: [*self._look(wire)])

    def hold(self, moment: BenchMoment, ruling: BenchRuling) -> None:
        """Hold a request against the states that were brought so far."""
        count = sum(at < moment.at for at in self._brought)
        if not count:
            return
        newest, older = self._values[count - 1], self._values[: count - 1]
        told = [
            (at, one)
            for at, found in enumerate(self._seen(moment.read))
            for one in found
            if one.number < count
        ]
        new = [(at, one) for at, one in told if self._values[one.number] == newest]
        lies = [
            self._values[one.number]
            for at, one in told
            if self._values[one.number] != newest
            and not self._is_history(one, count)
            and not any(_follows(at, one, *other) for other in new)
        ]
        shown = bool(new)
        if not shown and not lies:

            def answers(flat: str) -> bool:
                lies.extend(one for one in older if stands(one, flat) and not is_past(flat, one))
                return stands(newest, flat)

            shown = found_by_asking(moment, self._question, answers, ruling)
            lies = [] if shown else lies
        ruling.sums["values_stale"] += bool(lies)
        why = f"{lies[0]} stands for {newest}" if lies else f"{newest} is lost"
        ruling.held("values", shown and not lies, f"{self._question} {why}")

    def _is_history(self, one: _Told, count: int) -> bool:
        """True when the line of an older value brings a newer one too, or says that it is past."""
        if any(one.number < number < count for number in one.brings):
            return True
        return one.number not in one.brings and is_past(one.sight.line, self._values[one.number])

    def _look(self, wire: ReadWire) -> Iterator[_Told]:
        for number, value in enumerate(self._values):
            for sight in word_for_word(wire, value):
                line = sight.line
                own = line in self._lines
                brings = frozenset(
                    at for at, lines in enumerate(self._bringing) if any(map(line.count, lines))
                )
                bare = not any(line in self._bringing[at] for at in brings)
                if own and bare and self._words.isdisjoint(content_words(line)):
                    continue
                yield _Told(number, sight, brings, not (own or brings or self._is_quoted(line)))

    def _is_quoted(self, line: str) -> bool:
        """True on a line whose sentences that tell a value are of messages that brought one."""
        brought = [told for lines in self._bringing for told in lines]
        parts = [part for part in SENTENCES.split(line) if any(map(part.count, self._values))]
        return bool(parts) and all(
            len(part.split()) >= SAID and any(part in told for told in brought) for part in parts
        )


def _follows(place: int, one: _Told, at: int, newest: _Told) -> bool:
    """True when the newest value stands behind an older one, not side by side with it.

    Within one text that a strategy made nothing tells which holds, unless the line of the newest
    says that something changed, or both have names whose numbers tell their order (`step_0041`);
    lines that quote the session tell it by their order.
    """
    old, new = one.sight, newest.sight
    if (at, new.text) != (place, old.text):
        return (at, new.text) > (place, old.text)
    first, second = _number(old.line), _number(new.line)
    if first is not None and second is not None and first != second:
        return second > first
    if new.line == old.line or new.start < old.start:
        return False
    return not (one.made and newest.made) or CHANGED.search(new.line) is not None


def _number(line: str) -> int | None:
    """The highest number of the names on a line, None without any."""
    return max(map(int, NAMED.findall(line)), default=None)
