"""Checks of a rendered window: rules, constraints, values that are no longer true, facts.

A sentence stands when the window holds it word for word, runs of blanks counting as one, or when
one line holds all its content words. A value that was superseded is shown as current when it
stands, unmarked, behind every place of the newest one, or when the newest one stands nowhere: an
older copy before a newer one is history. It is marked by a word of MARKS in its line or in the
first line of its text, or by the newest value in the same line.

A fact is resident, or on a page or entry that a rendered line names, or in what `recall` answers to
its question (or in the places it names): else it is lost to the model, wherever it rests.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct, field

from benchmarks.pressure.script import Script
from loom.bench.carried.items import rendered
from loom.bench.carried.named import behind, names
from loom.bench.sessions.grammar import PlantedFact
from loom.context import Context
from loom.text import one_line

RESIDENT, PAGE_IN, RECALL, LOST = "resident", "page_in", "recall", "lost"
WHERE = (RESIDENT, PAGE_IN, RECALL, LOST)
MARKS = re.compile(
    r"\b(?:superseded|outdated|obsolete|stale|replaced|formerly|previously|older|no longer"
    r"|changed (?:since|later|to))\b",
    re.IGNORECASE,
)
LINE_SHOWN = 200  # characters of a line that is told of
LINE_MOST = 2_000  # characters: in a longer line words far apart say nothing together
_WORD = re.compile(r"\w+")
# Words that carry nothing: a line may leave them out.
EMPTY = frozenset(
    re.findall(
        r"\w+",
        "a an and any are as at be before but by do does else even every for from go has have he"
        " her his i if in into is it its let me my of on or out s she so that the their them then"
        " they this to t d up us was we were what when whenever who will with would you your",
    )
)


class Verdicts(Struct):
    """Sums over the moments of one run, or of many. `broken` tells what did not hold."""

    rules: int = 0
    rules_kept: int = 0
    constraints: int = 0
    constraints_kept: int = 0
    topics: int = 0
    stale: int = 0
    facts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(WHERE, 0))
    renewals: int = 0
    cuts: int = 0
    broken: list[str] = field(default_factory=list)
    errors: int = 0

    def add(self, other: Verdicts) -> None:
        """Take in the sums of another run."""
        for name in self.__struct_fields__:
            if name == "facts":
                for where in WHERE:
                    self.facts[where] += other.facts[where]
            else:
                setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def failed(self) -> int:
        """Promises that did not hold."""
        missing = self.rules - self.rules_kept + self.constraints - self.constraints_kept
        return missing + self.stale + self.facts[LOST] + self.errors


class View:
    """A rendered window as its texts, in order, and as lines."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = [text for text in texts if text]
        self._flat = [" ".join(text.split()) for text in self.texts]
        self.lines = [
            (line, bool(MARKS.search(text.partition("\n")[0])))
            for text in self.texts
            for line in text.split("\n")
        ]

    def holds(self, value: str) -> bool:
        """True when a value stands in one text."""
        return any(value in text for text in self._flat)

    def says(self, sentence: str) -> bool:
        """True when a sentence stands: word for word, or its content words in one line."""
        flat = " ".join(sentence.split())
        if self.holds(flat):
            return True
        wanted = content(flat)
        short = (line for line, _ in self.lines if len(line) <= LINE_MOST)
        return bool(wanted) and any(wanted <= words(line) for line in short)

    def stale(self, old: Iterable[str], now: str) -> str:
        """The line in which a value that is no longer true stands as if it were; "" for none."""
        newest = max((at for at, (line, _) in enumerate(self.lines) if now in line), default=-1)
        for value in old:
            for line, marked in self.lines[newest + 1 :]:
                if value in line and not marked and not MARKS.search(line):
                    return line
        return ""


def words(text: str) -> frozenset[str]:
    """The words of a text, lower case."""
    return frozenset(word.lower() for word in _WORD.findall(text))


def content(sentence: str) -> frozenset[str]:
    """The words of a sentence without which it says something else; negations are among them."""
    return words(sentence) - EMPTY


def judge(context: Context, script: Script, at: int) -> Verdicts:
    """Check the window as it stands after move `at` of a script."""
    view = View(rendered(context.turn().messages))
    verdicts = Verdicts()
    rules = [text for number, text in script.rules if number <= at]
    constraints = [text for number, text in script.constraints if number <= at]
    for text in rules:
        verdicts.rules += 1
        verdicts.rules_kept += _told(view.says(text), f"move {at}: rule gone: {text}", verdicts)
    for text in constraints:
        verdicts.constraints += 1
        why = f"move {at}: constraint gone: {text}"
        verdicts.constraints_kept += _told(view.says(text), why, verdicts)
    asked = [fact for number, fact in script.facts if number <= at]
    for topic in script.topics:
        told = [fact for number, fact in topic.states if number <= at]
        if told:
            _judge_topic(view, told, at, verdicts)
            asked.append(told[-1])
    _judge_facts(context, view, asked, at, verdicts)
    return verdicts


def _told(held: bool, why: str, verdicts: Verdicts) -> bool:
    if not held:
        verdicts.broken.append(why)
    return held


def _judge_topic(view: View, told: Sequence[PlantedFact], at: int, verdicts: Verdicts) -> None:
    now = told[-1]
    verdicts.topics += 1
    line = view.stale([fact.value for fact in told[:-1]], now.value)
    if line:
        verdicts.stale += 1
        verdicts.broken.append(f"move {at}: not {now.value}, but: {one_line(line, LINE_SHOWN)}")


def _judge_facts(
    context: Context, view: View, asked: Sequence[PlantedFact], at: int, verdicts: Verdicts
) -> None:
    near: View | None = None
    for fact in asked:
        where = RESIDENT
        if not view.holds(fact.value):
            near = near or View(list(behind(context, names(view.texts))))
            where = PAGE_IN if near.holds(fact.value) else _recalled(context, fact)
        verdicts.facts[where] += 1
        if where == LOST:
            verdicts.broken.append(f"move {at}: lost, {fact.value}: {fact.question}")


def _recalled(context: Context, fact: PlantedFact) -> str:
    answer = context.recall(fact.question)
    if View([answer]).holds(fact.value):
        return RECALL
    heads = [line for line in answer.split("\n") if not line.startswith(" ")]
    return RECALL if View(list(behind(context, names(heads)))).holds(fact.value) else LOST


def moments(script: Script, count: int = 5) -> list[int]:
    """The numbers of the moves after which a script is judged, the last one among them."""
    last = len(script.moves) - 1
    return sorted({last * part // count for part in range(2, count)} | {last})
