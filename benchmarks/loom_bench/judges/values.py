"""Whether the newest value of what changes is known, and no older one stands as if it were current.

A value counts where it is told: on a line of the message that brought it, on a line that has a word
of the question too, and on any line that the session does not have, which is the strategy's own. An
older one is history where a message with a newer one stands behind it, or where a line says so. On
one line side by side, without such a word, nobody can tell them apart: that is stale.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from loom_bench.judge import LOW, MetricColumn, Ruled
from loom_bench.judges.facts import found_by_asking
from loom_bench.judges.sights import (
    PAST,
    FoundOnce,
    Sight,
    at_judged,
    content_words,
    is_past,
    lines_of,
    word_for_word,
)
from loom_bench.moment import BenchMoment, BenchRuling, stands
from loom_bench.session import ChangingValue, PressureSession
from loom_bench.wires import ReadWire

SENTENCES = re.compile(r"(?<=[.!?:;])\s+|\s*\([^()]*\)\s*")
SAID = 4  # words of a sentence at least that quotes another
NAMED = re.compile(r"\b[a-z]+_(\d{3,})\b")  # a name with a number, as of a step or a page
CHANGED = re.compile(rf"{PAST.pattern}|\bnow\b|\bchanged?\b", re.IGNORECASE)  # on a newer line


class ValuesJudge:
    """Looks for values at every cut and at the end; asks for a newest one that does not stand."""

    columns = (
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

    def open(self, session: PressureSession) -> Ruled | None:
        """What rules on the requests of one session."""
        changing = session.owed(ChangingValue)
        lines = lines_of(session.messages) if changing else frozenset()
        return at_judged([_FollowedValue(session, one, lines) for one in changing])


class _Told(Struct, frozen=True):
    """A place that tells a value: number of the value, the place, and whose words they are."""

    number: int
    sight: Sight
    made: bool  # by the strategy: the line is none of the session's, and quotes none


class _FollowedValue:
    """One thing that changes, and where messages tell its values."""

    def __init__(
        self, session: PressureSession, value: ChangingValue, lines: frozenset[str]
    ) -> None:
        self._question = value.question
        self._states = value.states
        self._words = content_words(value.question)
        self._lines = lines
        self._bringing = [lines_of([session.messages[at]]) for at, _ in value.states]
        self._seen = FoundOnce(self._look)

    def rule(self, moment: BenchMoment, ruling: BenchRuling) -> None:
        """Hold a request against the states that were brought so far."""
        count = sum(at < moment.at for at, _ in self._states)
        if not count:
            return
        newest = self._states[count - 1][1]
        told = [
            (place, one)
            for place, found in enumerate(self._seen.each(moment.read))
            for one in found
            if one.number < count
        ]
        new = [(place, one) for place, one in told if self._states[one.number][1] == newest]
        stale = next((one for place, one in told if self._is_stale(place, one, new, count)), None)
        shown, lie = bool(new), "" if stale is None else self._states[stale.number][1]
        if not shown and not lie:
            shown, lie = self._asked(moment, count, ruling)
        ruling.sums["values_stale"] += bool(lie)
        why = f"{lie} stands for {newest}" if lie else f"{newest} is lost"
        ruling.held("values", shown and not lie, f"{self._question} {why}")

    def _is_stale(
        self, place: int, one: _Told, new: Sequence[tuple[int, _Told]], count: int
    ) -> bool:
        """True when an older value stands as if it were current."""
        value, newest = self._states[one.number][1], self._states[count - 1][1]
        later = range(one.number + 1, count)
        if value == newest or any(self._brings(one.sight.line, number) for number in later):
            return False
        brought = self._brings(one.sight.line, one.number)
        if not brought and is_past(one.sight.line, value):
            return False
        return not any(_follows(place, one, at, other) for at, other in new)

    def _brings(self, line: str, number: int) -> bool:
        """True when a line is one that brought that value, or quotes it whole."""
        return any(told in line for told in self._bringing[number])

    def _look(self, wire: ReadWire) -> list[_Told]:
        return [
            _Told(number, sight, not self._is_quoted(sight))
            for number, (_, value) in enumerate(self._states)
            for sight in word_for_word(wire, value)
            if self._tells(sight)
        ]

    def _is_quoted(self, sight: Sight) -> bool:
        """True on a line of the session, and on one that quotes what brought a value, or the
        sentence of it that tells the value."""
        brought = [line for lines in self._bringing for line in lines]
        if sight.line in self._lines or any(line in sight.line for line in brought):
            return True
        values = [value for _, value in self._states]
        parts = [part for part in SENTENCES.split(sight.line) if any(map(part.count, values))]
        return bool(parts) and all(
            len(part.split()) >= SAID and any(part in line for line in brought) for part in parts
        )

    def _tells(self, sight: Sight) -> bool:
        if sight.line not in self._lines:
            return True
        if any(sight.line in lines for lines in self._bringing):
            return True
        return bool(self._words & content_words(sight.line))

    def _asked(self, moment: BenchMoment, count: int, ruling: BenchRuling) -> tuple[bool, str]:
        """Whether asking gives the newest value; else the older one that it gives, if any."""
        newest = self._states[count - 1][1]
        lies: list[str] = []

        def answers(flat: str) -> bool:
            lies.extend(self._older_in(flat, count))
            return stands(newest, flat)

        found = found_by_asking(moment, self._question, answers, ruling)
        return found, "" if found or not lies else lies[0]

    def _older_in(self, flat: str, count: int) -> Iterator[str]:
        for _, value in self._states[: count - 1]:
            if stands(value, flat) and not is_past(flat, value):
                yield value


def _follows(place: int, one: _Told, at: int, other: _Told) -> bool:
    """True when the newest value stands behind an older one, not side by side with it.

    Within one text that a strategy made nothing tells which holds, unless the line of the newest
    says that something changed, or both have names whose numbers tell their order (`step_0041`);
    lines that quote the session tell it by their order.
    """
    if (at, other.sight.text) != (place, one.sight.text):
        return (at, other.sight.text) > (place, one.sight.text)
    first, second = _number(one.sight.line), _number(other.sight.line)
    if first is not None and second is not None and first != second:
        return second > first
    if other.sight.line == one.sight.line or other.sight.start < one.sight.start:
        return False
    return not (one.made and other.made) or CHANGED.search(other.sight.line) is not None


def _number(line: str) -> int | None:
    """The highest number of the names on a line, None without any."""
    return max(map(int, NAMED.findall(line)), default=None)
