"""`memory`: does recall bring back the messages that BEAM's questions need?"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from benchmarks.measures.recall.asked import (
    STRATEGIES,
    QuestionResult,
    figures,
    measure,
    memory_table,
    milliseconds,
)
from benchmarks.measures.recall.beam import conversations
from benchmarks.options import FromZero, Json, refuse, sizes
from benchmarks.show import Bar, end
from loom.search import semantic
from loom_bench.errors import BadBench

BUDGETS = "1000,2000,4000,8000,16000,32000"


def memory(
    *,
    data: Path,
    mode: Literal["lexical", "semantic", "both"] = "lexical",
    budgets: str = BUDGETS,
    limit: FromZero = 0,
    json: Json = False,
) -> int:
    """Ask recall for the evidence of BEAM's questions, and compare with plain BM25.

    Parameters
    ----------
    data
        The folder of BEAM's conversations, or the one it lies in.
    mode
        By words, by words and meaning (needs the extra `semantic`), or both.
    budgets
        Tokens an answer may have, separated by commas.
    limit
        At most this many conversations; 0 is all.
    """
    try:
        allowed = sizes("--budgets", budgets)
    except ValueError as error:
        return refuse(error)
    if mode != "lexical" and not semantic.available():
        return refuse(f"--mode {mode}: pip install '.[semantic]' in a checkout of Loom first")
    try:
        given = list(conversations(data))[: limit or None]
    except BadBench as error:
        return refuse(f"--data: {error}")
    if not any(one.questions for one in given):
        return refuse(f"--data {data}: no conversations there with questions about them")
    answered: list[QuestionResult] = []
    with Bar("asking", len(given)) as bar:
        for conversation in given:
            answered += measure(conversation, allowed, STRATEGIES[mode])
            bar.advance(1, conversation.name)
    report: dict[str, Any] = {
        "mode": mode,
        "conversations": len(given),
        "questions": len(answered),
        "milliseconds": milliseconds(answered),
    }
    report |= figures(answered, allowed)
    end(report, [] if json else [memory_table(answered, allowed)])
    return 0
