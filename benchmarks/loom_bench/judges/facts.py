"""Whether facts stand in the request when they are due, or come by asking; and answers.

Each call costs one more request: the same messages, most of them in the provider's cache, and the
answers so far behind them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from loom_bench.judge import LOW, MetricColumn, Ruled
from loom_bench.judges.cost import PRICES
from loom_bench.moment import BenchMoment, BenchRuling, stands
from loom_bench.session import FactDue, PressureSession, TruthAsked
from loom_bench.simulated.questions import RIGHT, questions
from loom_bench.simulated.reading import read
from loom_bench.simulated.state import Truth


def found_by_asking(
    moment: BenchMoment, question: str, answers: Callable[[str], bool], ruling: BenchRuling
) -> bool:
    """True when one of the answers to a question is what `answers` wants; counts what it costs.

    `answers` is given each answer with runs of blanks as one.
    """
    behind = 0
    for answer in moment.asked(question):
        before, behind = behind, behind + moment.size(answer)
        ruling.sums["asks"] += 1
        ruling.sums["ask_tokens"] += moment.tokens + behind
        ruling.sums["tokens_with_asking"] += moment.tokens + behind
        dollars = PRICES.read * (moment.tokens + before) + PRICES.write * (behind - before)
        ruling.sums["micro_dollars"] += round(dollars)
        if answers(" ".join(answer.split())):
            return True
    return False


class FactsJudge:
    """Looks for each fact that is due: in the request, else in the answers to its question."""

    columns = (
        MetricColumn(
            "shown", "facts_shown", "facts",
            about="facts that stand in the request at the moment they are needed",
        ),
        MetricColumn(
            "kept", "facts_held", "facts", scored=True,
            about="facts that stand there, or that the model gets back when it asks for them",
        ),
        MetricColumn(
            "learned", "facts_learned", "facts", LOW,
            about="facts that the strategy put into the request itself after it was asked for "
            "them: these have to be asked for again",
        ),
        MetricColumn(
            "calls", "facts_calls", "facts", LOW, "",
            about="calls a model makes for a fact that does not stand there, for each fact",
        ),
    )  # fmt: skip

    def open(self, session: PressureSession) -> Ruled:
        """What rules on the requests of one session."""
        return _DueFacts(session).rule


class _DueFacts:
    """The facts of one session by the moments they are due, and those that were asked for."""

    def __init__(self, session: PressureSession) -> None:
        self._due: dict[int, list[FactDue]] = {}
        for fact in session.owed(FactDue):
            for at in fact.due:
                self._due.setdefault(at, []).append(fact)
        self._asked: set[str] = set()

    def rule(self, moment: BenchMoment) -> BenchRuling | None:
        """Rule on one request."""
        due = self._due.get(moment.at)
        if due is None:
            return None
        ruling = BenchRuling()
        for fact in due:
            shown = moment.holds(fact.value)
            learned = shown and fact.value in self._asked and _made(moment, fact.value)
            ruling.sums["facts_learned"] += learned
            shown = shown and not learned
            ruling.sums["facts_shown"] += shown
            held = shown or self._found(moment, fact, ruling)
            ruling.held("facts", held, f"{fact.question} {fact.value} is lost")
        return ruling

    def _found(self, moment: BenchMoment, fact: FactDue, ruling: BenchRuling) -> bool:
        """True when one of the answers to the question holds the value; counts the calls."""
        self._asked.add(fact.value)
        before = ruling.sums["asks"]
        found = found_by_asking(moment, fact.question, partial(stands, fact.value), ruling)
        ruling.sums["facts_calls"] += ruling.sums["asks"] - before
        return found


def _made(moment: BenchMoment, value: str) -> bool:
    """True when a value stands in no message of the session that the request still holds."""
    before = moment.session.messages[: moment.at]
    return not any(
        any(stands(value, line.flat) for line in one.shown) and wire in before
        for wire, one in zip(moment.request, moment.read, strict=True)
    )


class AnswersJudge:
    """Asks at the moments that a session names. A refused request answers nothing."""

    columns = (
        MetricColumn(
            "answers", "answers_held", "answers", scored=True,
            about="questions about the session that the request answers rightly",
        ),
        MetricColumn(
            "lies", "answers_lies", "answers", LOW,
            about="questions with an answer worse than none: resolved shown as open and the like",
        ),
    )  # fmt: skip

    def open(self, session: PressureSession) -> Ruled | None:
        """What rules on the requests of one session."""
        truths: dict[int, Truth] = {one.at: one.truth for one in session.owed(TruthAsked)}
        if not truths:
            return None
        return lambda moment: _ruled(moment, truths[moment.at]) if moment.at in truths else None


def _ruled(moment: BenchMoment, truth: Truth) -> BenchRuling:
    ruling = BenchRuling()
    asked = questions(truth)
    if moment.refused:
        ruling.sums["answers"] += len(asked)
        return ruling
    reading = read(moment.messages)
    for question in asked:
        given = question.answer(reading)
        right = question.verdict(given) == RIGHT
        lie = "" if right else question.lies.get(given, "")
        ruling.sums["answers_lies"] += bool(lie)
        said = f"{question.kind} {question.about}: {given} for {question.right} {lie}"
        ruling.held("answers", right, said.rstrip())
    return ruling
