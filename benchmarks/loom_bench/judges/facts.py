"""What requests cost and which a provider would refuse; whether facts stand in them or come by
asking; and answers.

Each call costs one more request: the same messages, most of them in the provider's cache, and the
answers so far behind them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from loom.providers.prices import prices_of
from loom.replay.cost import front_share
from loom_bench.judge import HIGH, LOW, MetricColumn, Ruled
from loom_bench.moment import BenchMoment, BenchRuling, stands
from loom_bench.session import FactDue, PressureSession, TruthAsked, Wire
from loom_bench.simulated.questions import RIGHT, questions
from loom_bench.simulated.reading import read
from loom_bench.simulated.state import Truth
from loom_bench.wires import ReadWire

MODEL = "claude-sonnet-4"  # a model whose cache costs extra to write
PRICES = prices_of(MODEL)  # dollars for a million tokens, so millionths of a dollar for one


class CostJudge:
    """Bills each request as if nothing ever expired from the cache; a refused one is not billed.

    What a model spends on asking is counted by the judges that ask, under the same names.
    """

    columns = (
        MetricColumn(
            "tokens", "tokens", "billed", LOW, "tokens",
            about="tokens of a request, its tools among them, on average",
        ),
        MetricColumn(
            "with asking", "tokens_with_asking", "billed", LOW, "tokens",
            about="the same and the requests that follow when the model asks for what it misses",
        ),
        MetricColumn(
            "cached", "reused", "tokens", HIGH,
            about="of the tokens, what the request begins with as the one before did",
        ),
        MetricColumn(
            "cost", "micro_dollars", "billed", LOW, "$/M",
            about=f"dollars for the input of a million requests and for asking, as {MODEL} costs",
        ),
        MetricColumn(
            "cpu", "cpu_us", "billed", LOW, "us", about="CPU time of a request, microseconds"
        ),
    )  # fmt: skip

    def open(self, session: PressureSession) -> Ruled:
        """What rules on the requests of one session."""
        return _CachedPrompt().rule


class _CachedPrompt:
    """The prompt that the provider has from the request before."""

    def __init__(self) -> None:
        self._tools: Sequence[Wire] = ()
        self._before: list[ReadWire] = []

    def rule(self, moment: BenchMoment) -> BenchRuling | None:
        """Bill one request."""
        if moment.refused:
            return None
        reused = self._reused(moment)
        ruling = BenchRuling()
        ruling.sums["billed"] += 1
        ruling.sums["tokens"] += moment.tokens
        ruling.sums["tokens_with_asking"] += moment.tokens
        ruling.sums["reused"] += reused
        ruling.sums["cuts"] += moment.cut
        dollars = PRICES.read * reused + PRICES.write * (moment.tokens - reused)
        ruling.sums["micro_dollars"] += round(dollars)
        self._tools, self._before = moment.tools, moment.read
        return ruling

    def _reused(self, moment: BenchMoment) -> int:
        """Tokens at the front of the prompt that the request before began with; tools lead."""
        if moment.tools != self._tools:
            return 0
        reused = moment.tool_tokens if self._before else 0
        for old, new in zip(self._before, moment.read, strict=False):
            if old is not new:
                return reused + int(front_share(old.message, new.message) * new.tokens)
            reused += new.tokens
        return reused


class LawfulJudge:
    """Counts requests, and those a provider would refuse.

    It counts in no score: whoever keeps nothing sends lawful requests, and a refused one shows the
    model nothing, which the scored columns tell.
    """

    columns = (
        MetricColumn(
            "refused", "refused", "requests", LOW,
            about="requests that a provider would refuse: too large, a call without its result, "
            "none at all because the strategy failed",
        ),
    )  # fmt: skip

    def open(self, session: PressureSession) -> Ruled:
        """What rules on the requests of one session."""
        return _lawful


def _lawful(moment: BenchMoment) -> BenchRuling:
    ruling = BenchRuling()
    ruling.sums["requests"] += 1
    if moment.refused:
        ruling.sums["refused"] += 1
        ruling.faults.append("refused: " + "; ".join(moment.refused))
    return ruling


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
