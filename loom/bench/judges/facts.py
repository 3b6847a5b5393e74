"""Whether an exact text that the model needs now stands in the request, or a call or two away."""

from __future__ import annotations

from functools import partial

from loom.bench.judge import LOW, MetricColumn, Ruled
from loom.bench.judges.asking import found_by_asking
from loom.bench.moment import BenchMoment, BenchRuling, stands
from loom.bench.obligations import FactDue
from loom.bench.session import PressureSession


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
            "calls", "facts_calls", "facts", LOW, "",
            about="calls a model makes for a fact that does not stand there, for each fact",
        ),
    )  # fmt: skip

    def open(self, session: PressureSession) -> Ruled:
        """What rules on the requests of one session."""
        due: dict[int, list[FactDue]] = {}
        for fact in session.owed(FactDue):
            for at in fact.due:
                due.setdefault(at, []).append(fact)
        return lambda moment: _ruled(moment, due[moment.at]) if moment.at in due else None


def _ruled(moment: BenchMoment, due: list[FactDue]) -> BenchRuling:
    ruling = BenchRuling()
    for fact in due:
        shown = moment.holds(fact.value)
        ruling.sums["facts_shown"] += shown
        held = shown or _found(moment, fact, ruling)
        ruling.held("facts", held, f"{fact.question} {fact.value} is lost")
    return ruling


def _found(moment: BenchMoment, fact: FactDue, ruling: BenchRuling) -> bool:
    """True when one of the answers to the question holds the value; counts the calls."""
    before = ruling.sums["asks"]
    found = found_by_asking(moment, fact.question, partial(stands, fact.value), ruling)
    ruling.sums["facts_calls"] += ruling.sums["asks"] - before
    return found
