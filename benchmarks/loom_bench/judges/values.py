"""Whether the newest value of what changes is known, and no older one stands as if it were current.

A value counts where it is told: on a line of the message that brought it, on a line that has a word
of the question too, and on any line that the session does not have, which is the strategy's own. An
older one is history where a message with a newer one stands behind it, or where a line says so. On
one line side by side, without such a word, nobody can tell them apart: that is stale.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from msgspec import Struct

from loom_bench.judge import LOW, MetricColumn, Ruled, judge
from loom_bench.judges.facts import found_by_asking
from loom_bench.judges.sights import (
    PAST,
    at_judged,
    content_words,
    is_past,
    lines_of,
    once_each,
    word_for_word,
)
from loom_bench.moment import BenchMoment, BenchRuling, stands
from loom_bench.session import ChangingValue, PressureSession

SENTENCES = re.compile(r"(?<=[.!?:;])\s+|\s*\([^()]*\)\s*")
SAID = 4  # words of a sentence at least that quotes another
NAMED = re.compile(r"\b[a-z]+_(\d{3,})\b")  # a name with a number, as of a step or a page
CHANGED = re.compile(rf"{PAST.pattern}|\bnow\b|\bchanged?\b", re.IGNORECASE)  # on a newer line


@judge(
    MetricColumn(
        "current", "values_held", "values", scored=True,
        about="things that change whose newest value stands or is got by asking, with no older "
        "one that stands as if it were current",
    ),
    MetricColumn(
        "stale", "values_stale", "values", LOW,
        about="things of which an older value stands as if it were current, or is answered",
    ),
)  # fmt: skip
def values(session: PressureSession) -> Ruled | None:
    """Looks for values at every cut and at the end; asks for a newest one that does not stand."""
    changing = session.owed(ChangingValue)
    lines = lines_of(session.messages) if changing else frozenset()
    return at_judged([_FollowedValue(session, one, lines).hold for one in changing])


class _Told(Struct, frozen=True):
    """A place that tells a value: number of the value; message and text; character and line."""

    number: int
    text: tuple[int, int]
    start: int
    line: str
    made: bool  # by the strategy: the line is none of the session's, and quotes none


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
        self._seen = once_each(
            lambda wire: [
                (number, sight, not self._is_quoted(sight.line))
                for number, one in enumerate(self._values)
                for sight in word_for_word(wire, one)
                if self._tells(sight.line)
            ]
        )

    def hold(self, moment: BenchMoment, ruling: BenchRuling) -> None:
        """Hold a request against the states that were brought so far."""
        count = sum(at < moment.at for at in self._brought)
        if not count:
            return
        newest, older = self._values[count - 1], self._values[: count - 1]
        told = [
            _Told(number, (place, sight.text), sight.start, sight.line, made)
            for place, found in enumerate(self._seen(moment.read))
            for number, sight, made in found
            if number < count
        ]
        new = [one for one in told if self._values[one.number] == newest]
        lies = [self._values[one.number] for one in told if self._is_stale(one, new, count)]
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

    def _is_stale(self, one: _Told, new: Sequence[_Told], count: int) -> bool:
        """True when an older value stands as if it were current."""
        value, newest = self._values[one.number], self._values[count - 1]
        later = range(one.number + 1, count)
        if value == newest or any(self._brings(one.line, number) for number in later):
            return False
        if not self._brings(one.line, one.number) and is_past(one.line, value):
            return False
        return not any(_follows(one, other) for other in new)

    def _brings(self, line: str, number: int) -> bool:
        """True when a line is one that brought that value, or quotes it whole."""
        return any(told in line for told in self._bringing[number])

    def _is_quoted(self, line: str) -> bool:
        """True on a line of the session, and on one that quotes what brought a value, or the
        sentence of it that tells the value."""
        if line in self._lines or any(map(partial(self._brings, line), range(len(self._values)))):
            return True
        brought = [told for lines in self._bringing for told in lines]
        parts = [part for part in SENTENCES.split(line) if any(map(part.count, self._values))]
        return bool(parts) and all(
            len(part.split()) >= SAID and any(part in told for told in brought) for part in parts
        )

    def _tells(self, line: str) -> bool:
        if line not in self._lines or any(line in lines for lines in self._bringing):
            return True
        return bool(self._words & content_words(line))


def _follows(one: _Told, newest: _Told) -> bool:
    """True when the newest value stands behind an older one, not side by side with it.

    Within one text that a strategy made nothing tells which holds, unless the line of the newest
    says that something changed, or both have names whose numbers tell their order (`step_0041`);
    lines that quote the session tell it by their order.
    """
    if newest.text != one.text:
        return newest.text > one.text
    first, second = _number(one.line), _number(newest.line)
    if first is not None and second is not None and first != second:
        return second > first
    if newest.line == one.line or newest.start < one.start:
        return False
    return not (one.made and newest.made) or CHANGED.search(newest.line) is not None


def _number(line: str) -> int | None:
    """The highest number of the names on a line, None without any."""
    return max(map(int, NAMED.findall(line)), default=None)
