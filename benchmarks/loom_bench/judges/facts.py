"""What requests cost and which a provider would refuse; whether facts stand in them or come by
asking; and answers.

Each call costs one more request: the same messages, most of them in the provider's cache, and the
answers so far behind them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from loom.providers.prices import prices_of
from loom_bench.judge import HIGH, LOW, MetricColumn, Ruled, judge
from loom_bench.moment import BenchMoment, BenchRuling, stands
from loom_bench.plain_list import front_share
from loom_bench.session import FactDue, PressureSession, TruthAsked, Wire
from loom_bench.simulated.questions import RIGHT, questions
from loom_bench.simulated.reading import read
from loom_bench.wires import ReadWire

# A model whose cache costs extra to write.
PRICES = prices_of(
    "claude-sonnet-4"
)  # dollars for a million tokens, so millionths of a dollar for one


@judge(
    MetricColumn(
        "tokens", "tokens", "billed", LOW, "tokens",
        about="mean tokens of a request, tools included, by one counter for all",
    ),
    MetricColumn(
        "with asking", "tokens_with_asking", "billed", LOW, "tokens",
        about="tokens, and those of the requests that follow when the model asks for what it "
        "misses: the same messages and the answers behind them",
    ),
    MetricColumn(
        "cached", "reused", "tokens", HIGH,
        about="of the tokens, the share that begins the request just as it began the one before",
    ),
    MetricColumn(
        "cost", "micro_dollars", "billed", LOW, "$/M",
        about="dollars for the input of a million such requests and of those that ask for what is"
        " missing, as claude-sonnet-4 costs, cached tokens at their own price",
    ),
    MetricColumn(
        "cpu", "cpu_us", "billed", LOW, "us",
        about="CPU time of a request and its tools, in microseconds, threads and ended child "
        "processes included; the only column that another machine shows otherwise",
    ),
)  # fmt: skip
def cost(session: PressureSession) -> Ruled:
    """Bills each request as if nothing ever expired from the cache; a refused one is not billed.

    What a model spends on asking is counted by the judges that ask, under the same names.
    """
    tools: Sequence[Wire] = ()  # these two are the prompt that the provider has from before
    before: list[ReadWire] = []

    def rule(moment: BenchMoment) -> BenchRuling | None:
        nonlocal tools, before
        if moment.refused:
            return None
        reused = _reused(moment, tools, before)
        tools, before = moment.tools, moment.read
        dollars = PRICES.read * reused + PRICES.write * (moment.tokens - reused)
        sums = Counter(
            billed=1,
            tokens=moment.tokens,
            tokens_with_asking=moment.tokens,
            reused=reused,
            cuts=int(moment.cut),
            micro_dollars=round(dollars),
        )
        return BenchRuling(sums)

    return rule


def _reused(moment: BenchMoment, tools: Sequence[Wire], before: Sequence[ReadWire]) -> int:
    """Tokens at the front of the prompt that the request before began with; tools lead."""
    if moment.tools != tools:
        return 0
    reused = moment.tool_tokens if before else 0
    for old, new in zip(before, moment.read, strict=False):
        if old is not new:
            return reused + int(front_share(old.message, new.message) * new.tokens)
        reused += new.tokens
    return reused


@judge(
    MetricColumn(
        "refused", "refused", "requests", LOW,
        about="requests a provider would refuse: too large, a call without its result, none as "
        "the strategy failed. They show the model nothing, so every scored column counts "
        "them as lost",
    ),
)  # fmt: skip
def lawful(session: PressureSession) -> Ruled:
    """Counts requests, and those a provider would refuse.

    It counts in no score: whoever keeps nothing sends lawful requests, and a refused one shows the
    model nothing, which the scored columns tell.
    """

    def rule(moment: BenchMoment) -> BenchRuling:
        if not moment.refused:
            return BenchRuling(Counter(requests=1))
        why = ["refused: " + "; ".join(moment.refused)]
        return BenchRuling(Counter(requests=1, refused=1), why)

    return rule


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


@judge(
    MetricColumn(
        "shown", "facts_shown", "facts",
        about="facts that stand in the request when they are needed",
    ),
    MetricColumn(
        "kept", "facts_held", "facts", scored=True,
        about="facts that stand in the request when they are needed, or that the model gets back "
        "by asking",
    ),
    MetricColumn(
        "learned", "facts_learned", "facts", LOW,
        about="facts that the strategy itself put into the request after it was asked for them: "
        "not shown, to be asked for again",
    ),
    MetricColumn(
        "calls", "facts_calls", "facts", LOW, "",
        about="calls a model makes for each fact; 0 for a strategy from which nothing can be "
        "asked, so never marked",
    ),
)  # fmt: skip
def facts(session: PressureSession) -> Ruled:
    """Looks for each fact that is due: in the request, else in the answers to its question."""
    owed: list[FactDue] = session.owed(FactDue)
    asked: set[str] = set()  # values that a model had to ask for

    def rule(moment: BenchMoment) -> BenchRuling:
        ruling = BenchRuling()
        for fact in owed:
            if moment.at not in fact.due:
                continue
            shown = moment.holds(fact.value)
            learned = shown and fact.value in asked and _made(moment, fact.value)
            held = shown = shown and not learned
            if not shown:
                asked.add(fact.value)
                before = ruling.sums["asks"]
                right = partial(stands, fact.value)
                held = found_by_asking(moment, fact.question, right, ruling)
                ruling.sums["facts_calls"] += ruling.sums["asks"] - before
            ruling.sums.update(facts_learned=int(learned), facts_shown=int(shown))
            ruling.held("facts", held, f"{fact.question} {fact.value} is lost")
        return ruling

    return rule


def _made(moment: BenchMoment, value: str) -> bool:
    """True when a value stands in no message of the session that the request still holds."""
    before = moment.session.messages[: moment.at]
    return not any(
        any(stands(value, line.flat) for line in one.shown) and wire in before
        for wire, one in zip(moment.request, moment.read, strict=True)
    )


@judge(
    MetricColumn(
        "answers", "answers_held", "answers", scored=True,
        about="questions about a simulated session (what was changed, what fails, what is "
        "forbidden, …) that the request answers rightly",
    ),
    MetricColumn(
        "lies", "answers_lies", "answers", LOW,
        about="answers that are worse than none: what was mended told as broken, what was taken "
        "back told as standing",
    ),
)  # fmt: skip
def answers(session: PressureSession) -> Ruled | None:
    """Asks at the moments that a session names. A refused request answers nothing."""
    truths = {one.at: one.truth for one in session.owed(TruthAsked)}

    def rule(moment: BenchMoment) -> BenchRuling | None:
        if moment.at not in truths:
            return None
        ruling = BenchRuling()
        asked = questions(truths[moment.at])
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

    return rule if truths else None
