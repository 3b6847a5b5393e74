"""A strategy that learned the public wording by heart gains nothing on the other half."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from loom_bench.drive import driven
from loom_bench.judges import JUDGES
from loom_bench.scenarios import session_of
from loom_bench.session import HELD_OUT, PUBLIC, FactDue, PressureSession, Wire
from loom_bench.strategy import Shorten, Strategy, WindowBudget
from loom_bench.wires import texts
from tests.kit.cases import all_cases, some

SCENARIOS = ("needle", "flood", "parallel")
LEARNED, TRIED, WINDOW = range(1, 4), 11, 8_192
LONGEST = 200  # characters of a line that is noted
PHRASE = 2  # words of a phrase that is known again


@cache
def phrases(line: str) -> frozenset[tuple[str, ...]]:
    """Words of a line that follow one another."""
    words = re.findall(r"[^\W\d_]{3,}", line.lower())
    return frozenset(tuple(words[at : at + PHRASE]) for at in range(len(words) - PHRASE + 1))


def lines(messages: Sequence[Wire]) -> Iterator[str]:
    """The lines of what was said and returned."""
    yield from (line for one in messages for text in texts(one) for line in text.splitlines())


def by_heart(scenario: str) -> set[tuple[str, ...]]:
    """Phrases of public lines that bring a fact, and of no other line there."""
    brought, others = set[tuple[str, ...]](), set[tuple[str, ...]]()
    for seed in LEARNED:
        session = session_of(scenario, seed, PUBLIC)
        values = [fact.value for fact in session.owed(FactDue)]
        for line in lines(session.messages):
            told = any(value in line for value in values)
            (brought if told else others).update(phrases(line))
    return brought - others


def memorising(known: set[tuple[str, ...]]) -> Strategy:
    """The newest messages, behind a note of every line with a phrase that is known by heart."""

    def strategy(budget: WindowBudget) -> Shorten:
        def shorten(messages: Sequence[Wire]) -> list[Wire]:
            found = [
                line
                for line in dict.fromkeys(lines(messages))
                if len(line) < LONGEST and phrases(line) & known
            ]
            note: list[Wire] = [{"role": "user", "content": "\n".join(["Notes:", *found[-40:]])}]
            start, room = len(messages), budget.room - budget.count(note)
            while start and (room := room - budget.count([messages[start - 1]])) > 0:
                start -= 1
            kept = list(messages[start:])
            while kept and kept[0]["role"] == "tool":
                del kept[0]
            return note + kept

        return shorten

    return strategy


def kept(session: PressureSession, known: set[tuple[str, ...]]) -> float:
    """The share of facts a memorising strategy keeps."""
    sums = driven(session, memorising(known), WINDOW, [JUDGES.get("facts")]).sums
    return sums["facts_held"] / sums["facts"]


@all_cases("scenario", some(SCENARIOS, 1))
def test_what_is_known_by_heart_is_worth_nothing_in_other_words(scenario: str) -> None:
    """It gains on a public session it never saw; in other words not a third of that, by chance."""
    known = by_heart(scenario)
    public, other = (session_of(scenario, TRIED, half) for half in (PUBLIC, HELD_OUT))
    gained = kept(public, known) - kept(public, set())
    assert gained > 0.2
    assert kept(other, known) - kept(other, set()) < gained / 3
