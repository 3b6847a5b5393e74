"""Questions about what is true, answered from the request alone by a reader that takes no hints."""

from __future__ import annotations

from loom_bench.judge import LOW, MetricColumn, Ruled
from loom_bench.moment import BenchMoment, BenchRuling
from loom_bench.obligations import TruthAsked
from loom_bench.session import PressureSession
from loom_bench.simulated.questions import RIGHT, questions
from loom_bench.simulated.reading import read
from loom_bench.simulated.state import Truth


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
