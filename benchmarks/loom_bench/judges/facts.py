"""Whether an exact text that the model needs now stands in the request, or a call or two away."""

from __future__ import annotations

from functools import partial

from loom_bench.judge import LOW, MetricColumn, Ruled
from loom_bench.judges.asking import found_by_asking
from loom_bench.moment import BenchMoment, BenchRuling, stands
from loom_bench.obligations import FactDue
from loom_bench.session import PressureSession


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
