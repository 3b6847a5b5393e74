"""What a model is asked about a session, with the right answer and those that held before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random

from msgspec import Struct

from loom_bench.moment import stands
from loom_bench.obligations import ChangingValue, CommandFailure, FactDue, StandingRule
from loom_bench.session import PressureSession

VALUE = "{} Answer with the exact value alone, or with UNKNOWN."
RULE = "Does this rule hold now? “{}” Answer with YES, with NO if it was taken back, or UNKNOWN."
RUN = (
    "How did `{}` end when it ran last? Answer with PASSED, or with the exact line that says what"
    " failed, or with UNKNOWN."
)
YES, NO, PASSED = "YES", "NO", "PASSED"


class PressureQuestion(Struct, frozen=True):
    """A question at a moment (so many messages stand before it).

    `kind` is `fact`, `value` (one that changed), `rule`, `lifted` (a rule that was taken back),
    `failing` or `passing` (a command). No answer may hold a text of `wrong`.
    """

    kind: str
    at: int
    text: str
    right: str
    wrong: tuple[str, ...] = ()


def questions_of(session: PressureSession, most: int = 0) -> list[PressureQuestion]:
    """The questions of a session, the same each time: `most` of them, 0 for all.

    Of facts wherever they are due; of the rest at the end.
    """
    end = len(session.messages)
    changing = session.owed(ChangingValue)
    found = [
        *_facts(session.owed(FactDue), changing),
        *(_value(one, end) for one in changing),
        *_rules(session.owed(StandingRule), end),
        *_runs(session.owed(CommandFailure), end),
    ]
    asked = list({(one.at, one.text): one for one in found}.values())
    if 0 < most < len(asked):
        asked = Random(f"{session.scenario} {session.seed} {session.half}").sample(asked, most)
    return sorted(asked, key=lambda one: (one.at, one.kind, one.text))


def is_right(question: PressureQuestion, answer: str) -> bool:
    """True for an answer that holds what is right and nothing that is wrong, in either case."""
    flat = " ".join(answer.split()).lower()
    held = stands(question.right.lower(), flat)
    return held and not any(stands(one.lower(), flat) for one in question.wrong)


def _facts(
    facts: Iterable[FactDue], changing: Iterable[ChangingValue]
) -> Iterator[PressureQuestion]:
    states = {one.question: one.states for one in changing}
    for fact in facts:
        for at in fact.due:
            values = [value for since, value in states.get(fact.question, ()) if since < at]
            kind = "value" if len(values) > 1 else "fact"
            yield _asked(kind, at, fact.question, fact.value, values)


def _value(changing: ChangingValue, end: int) -> PressureQuestion:
    values = [value for _, value in changing.states]
    return _asked("value", end, changing.question, values[-1], values)


def _asked(
    kind: str, at: int, question: str, right: str, values: Iterable[str]
) -> PressureQuestion:
    wrong = (one for one in dict.fromkeys(values) if not stands(one.lower(), right.lower()))
    return PressureQuestion(kind, at, VALUE.format(question), right, tuple(wrong))


def _rules(rules: Iterable[StandingRule], end: int) -> Iterator[PressureQuestion]:
    for rule in rules:
        held = rule.until is None
        kind, right = ("rule", YES) if held else ("lifted", NO)
        wrong = tuple({YES, NO, "UNKNOWN"} - {right})
        yield PressureQuestion(kind, end, RULE.format(rule.text), right, tuple(sorted(wrong)))


def _runs(failures: Iterable[CommandFailure], end: int) -> Iterator[PressureQuestion]:
    by_command: dict[str, list[CommandFailure]] = {}
    for one in failures:
        by_command.setdefault(one.command, []).append(one)
    for command, runs in by_command.items():
        # (message, what it shows, or "" for a pass)
        ends = [(one.at, one.says) for one in runs]
        ends += [(one.resolved, "") for one in runs if one.resolved is not None]
        _, says = max(ends)
        if {one.says for one in runs if one.resolved is None} != {says} - {""}:
            continue  # one command line of several things: how it ended is not one answer
        others = tuple(sorted({one.says for one in runs} - {says}))
        wrong = (*others, PASSED) if says else others
        kind = "failing" if says else "passing"
        yield PressureQuestion(kind, end, RUN.format(command), says or PASSED, wrong)
