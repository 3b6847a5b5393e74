"""Whether the rules that hold stand in the request, and those that were lifted do not.

A rule stands word for word, or where a line has all of its content words. A rule that was taken
back may stand as history: on a line that says so, or before the message that takes it back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loom_bench.judge import LOW, MetricColumn, Ruled
from loom_bench.judges.sights import (
    NOT,
    PAST,
    FoundOnce,
    Sight,
    content_words,
    flat_lines,
    in_other_words,
    is_past,
    word_for_word,
)
from loom_bench.moment import BenchMoment, BenchRuling
from loom_bench.obligations import StandingRule
from loom_bench.session import PressureSession
from loom_bench.wires import ReadWire, texts

EVERY = 10  # requests; rules are looked for after each cut too
Place = tuple[int, int, int]  # message of the request, text of it, character


class RulesJudge:
    """Looks for rules at every cut, at every tenth request and at the end."""

    columns = (
        MetricColumn(
            "rules", "rules_held", "rules", scored=True,
            about="rules that hold and stand in the request",
        ),
        MetricColumn(
            "lifted", "lifted", "rules_lifted", LOW,
            about="rules that were taken back and stand as if they still held",
        ),
    )  # fmt: skip

    def open(self, session: PressureSession) -> Ruled | None:
        """What rules on the requests of one session."""
        rules = session.owed(StandingRule)
        return _RuleBook(session, rules).rule if rules else None


class _RuleBook:
    """The rules of one session and where messages have them."""

    def __init__(self, session: PressureSession, rules: Sequence[StandingRule]) -> None:
        self._rules = rules
        self._words = [content_words(rule.text) for rule in rules]
        self._lifting = [
            [] if rule.until is None else list(texts(session.messages[rule.until]))
            for rule in rules
        ]
        self._seen = FoundOnce(self._look)
        self._lifts = FoundOnce(self._look_lifted)
        self._requests = 0

    def rule(self, moment: BenchMoment) -> BenchRuling | None:
        """Hold a request against the rules."""
        self._requests += 1
        if not moment.judged and self._requests % EVERY:
            return None
        ruling = BenchRuling()
        seen, lifts = self._seen.each(moment.read), self._lifts.each(moment.read)
        for number, rule in enumerate(self._rules):
            if rule.at >= moment.at:
                continue
            if rule.until is None or rule.until >= moment.at:
                ruling.held("rules", any(one[number] for one in seen), f"{rule.text} is lost")
                continue
            ruling.sums["rules_lifted"] += 1
            as_held = [
                [one for one in each[number] if not is_past(one.line, rule.text)] for each in seen
            ]
            last = _last(as_held)
            if last > max(_last([one[number] for one in lifts]), (-1, 0, 0)):
                ruling.sums["lifted"] += 1
                ruling.faults.append(f"lifted: {rule.text} stands as if it held")
        return ruling

    def _look(self, wire: ReadWire) -> list[list[Sight]]:
        """For each rule where a message has it."""
        return [
            [*word_for_word(wire, rule.text), *in_other_words(wire, words)]
            for rule, words in zip(self._rules, self._words, strict=True)
        ]

    def _look_lifted(self, wire: ReadWire) -> list[list[Sight]]:
        """For each rule where a message says that it is taken back."""
        return [
            [*_taken_back(wire, words - {NOT}), *_ends(wire, lifting)] if lifting else []
            for words, lifting in zip(self._words, self._lifting, strict=True)
        ]


def _unmarked(found: Sequence[Sight], rule: StandingRule) -> list[Sight]:
    """Those on lines that do not say that the rule is past."""
    return [one for one in found if not is_past(one.line, rule.text)]


def _taken_back(wire: ReadWire, words: frozenset[str]) -> Iterator[Sight]:
    """Lines with half the words of a rule that say that something is past."""
    for number, shown in enumerate(wire.shown):
        low = shown.flat.lower()
        if 2 * sum(word in low for word in words) < len(words) or not PAST.search(low):
            continue
        for start, line in zip(*flat_lines(shown.text), strict=True):
            if 2 * len(words & content_words(line)) >= len(words) and PAST.search(line):
                yield Sight(number, start, shown.kind, line)


def _ends(wire: ReadWire, said: Sequence[str]) -> list[Sight]:
    """Where the texts of the message that takes a rule back end."""
    return [
        Sight(sight.text, sight.start + len(text), sight.kind, sight.line)
        for text in said
        for sight in word_for_word(wire, text)
    ]


def _last(found: Sequence[Sequence[Sight]]) -> Place:
    """The last place in a request."""
    places = [(at, one.text, one.start) for at, sights in enumerate(found) for one in sights]
    return max(places, default=(-1, 0, 0))
