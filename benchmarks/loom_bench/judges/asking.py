"""What a model spends that asks for what it misses, and whether it gets it.

Each call costs one more request: the same messages, most of them in the provider's cache, and the
answers so far behind them.
"""

from __future__ import annotations

from collections.abc import Callable

from loom_bench.judges.priced import PRICES
from loom_bench.moment import BenchMoment, BenchRuling


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
