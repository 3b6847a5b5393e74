"""Long-term memory measured: does recall bring back the messages a question needs?

Each conversation of BEAM goes through a real context whose window holds a third of it at most; then
each question is a query, and recall answers it within a budget of tokens.

A message came back when at least half of its tokens did. A token did when its word stands in the
answer within a run of eight words of the message: a single word proves nothing, and a run is found
wherever the answer begins and ends its passages. A figure is the mean over questions of the share
of their evidence messages that came back.

Beside it stands plain BM25 over the same messages, k1 1.2, b 0.75, lower-cased words, the best on
as long as they fit; what does not fit is passed over. `bm25` takes whole messages, `bm25_passages`
pieces of at most 120 words: of 60, 100, 120 and 150 words that size brought back most at 1,000 and
2,000 tokens (0.445 against 0.423, 0.431 and 0.425 at 1,000), and none is better at every budget.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean, median
from tempfile import TemporaryDirectory

from msgspec import Struct
from rich.table import Table

import loom
from benchmarks.measures.recall.beam import (
    ENOUGH,
    BeamMessage,
    Conversation,
    EvidenceMatch,
    Plain,
    passages,
)
from loom.providers.counts import counter_for
from loom.search import semantic
from loom_bench.tables import table

WINDOW = 32_000
ENCODING = "o200k_base"
HALVES = ("odd", "even")  # conversations by their numbers: a constant must hold on both
ROUNDED = 3
WARM = 4  # recalls that are not measured: each embeds a part of what is new
# Mode → what is compared.
STRATEGIES = {
    "lexical": ("bm25", "bm25_passages", "loom"),
    "semantic": ("bm25", "bm25_passages", "semantic"),
    "both": ("bm25", "bm25_passages", "loom", "semantic"),
}
Strategy = Callable[[str, int], str]  # query and budget → answer
Shares = Mapping[int, Mapping[str, float]]  # budget → strategy → share of the evidence, 0 to 1


class QuestionResult(Struct, frozen=True):
    """The evidence that came back for one question, and seconds each recall took, by strategy."""

    half: str
    shares: Shares
    seconds: Mapping[str, Sequence[float]]


def told(context: loom.Context, messages: Iterable[BeamMessage]) -> None:
    """Let a context live through a conversation."""
    for message in messages:
        if message.role == "user":
            context.user(message.content)
        else:
            context.turn()
            context.reply(message.content)


def measure(
    conversation: Conversation, budgets: Sequence[int], strategies: Sequence[str]
) -> list[QuestionResult]:
    """Ask every question of a conversation within every budget. Raises ImportError without the
    extra `semantic` when that is asked for.
    """
    count = counter_for("", ENCODING)
    recalled = EvidenceMatch(count)
    texts = {message.id: message.content for message in conversation.messages}
    with (
        TemporaryDirectory(prefix="loom-memory-") as folder,
        loom.open(
            folder,
            window=WINDOW,
            policy=loom.Policy(own_tools=False, encoding=ENCODING),
            durable=False,
        ) as context,
    ):
        told(context, conversation.messages)

        def recall(query: str, budget: int) -> str:
            return context.recall(query, tokens=budget)

        ways: dict[str, Strategy] = dict.fromkeys(strategies, recall)
        ways["bm25"] = Plain(list(texts.values()), count)
        ways["bm25_passages"] = Plain(passages(texts.values()), count)
        shares: list[dict[int, dict[str, float]]] = [
            {budget: {} for budget in budgets} for _ in conversation.questions
        ]
        seconds: dict[str, list[float]] = {}
        for name in strategies:
            context.memory.use_embedder(semantic.MiniLM() if name == "semantic" else None)
            for _ in range(WARM if name == "semantic" else 1):
                recall("what comes first is indexed", budgets[0])
            for question, share in zip(conversation.questions, shares, strict=True):
                for budget in budgets:
                    start = time.perf_counter()
                    answer = ways[name](question.text, budget)
                    seconds.setdefault(name, []).append(time.perf_counter() - start)
                    assert count(answer) <= budget * 1.01, (name, count(answer), budget)
                    share[budget][name] = fmean(
                        recalled.share(texts[id], answer) >= ENOUGH for id in question.evidence
                    )
    number = int("".join(filter(str.isdigit, conversation.name)) or "0")
    half = HALVES[number % 2 == 0]
    return [QuestionResult(half, share, seconds) for share in shares]


def figures(
    answered: Sequence[QuestionResult], budgets: Sequence[int]
) -> dict[str, dict[str, float]]:
    """Budget → strategy → mean share of the evidence that came back."""
    return {
        str(budget): {
            name: round(fmean(one.shares[budget][name] for one in answered), ROUNDED)
            for name in answered[0].shares[budget]
        }
        for budget in budgets
        if answered
    }


def memory_table(answered: Sequence[QuestionResult], budgets: Sequence[int]) -> Table:
    """A row for each strategy and half of the conversations, a column for each budget."""
    groups = {half: [one for one in answered if one.half == half] for half in HALVES}
    rows = []
    for group, members in {"all": answered, **groups}.items():
        found = figures(members, budgets)
        for name in found[str(budgets[0])] if members else ():
            cells = [f"{found[str(budget)][name]:.3f}" for budget in budgets]
            rows.append([f"{name}, {group}", *cells])
    heads = ["tokens", *(f"{budget:,}" for budget in budgets)]
    return table("Evidence brought back", heads, rows)


def milliseconds(answered: Sequence[QuestionResult]) -> dict[str, float]:
    """Median time of a recall, by strategy."""
    names = answered[0].seconds
    return {
        name: round(1_000 * median(s for one in answered for s in one.seconds[name]), 1)
        for name in names
    }
