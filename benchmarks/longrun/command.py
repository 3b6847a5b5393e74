"""A long run: what of 13 rules and 30 facts a full window still shows, or has one call away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from cyclopts import Parameter
from rich.table import Table

from benchmarks.longrun.history import history
from benchmarks.longrun.judge import LOOM, PLACES, Judged, LongRunOutcome, driven, misses
from benchmarks.longrun.planted import KINDS, RULE
from benchmarks.measured import OTHER
from benchmarks.options import FromOne, refuse, sizes
from benchmarks.show import end, on_stderr
from loom.bench.errors import BadBench
from loom.bench.recorded.named import known
from loom.bench.recorded.verdicts import RECALL
from loom.bench.tables import table
from loom.providers.counts import counter_for

TOKENS = 313_000
CAPACITY = "100000"
HEADS = ("in the request", "one page_in", "one recall", "lost")  # of PLACES


def longrun(
    *,
    capacity: str = CAPACITY,
    seeds: FromOne = 3,
    tokens: FromOne = TOKENS,
    strategy: Annotated[list[str] | None, Parameter(consume_multiple=True, negative=())] = None,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Drive one long task through a window, and look for what was planted in it.

    Parameters
    ----------
    capacity
        Tokens of a request, reply not counted, separated by commas.
    seeds
        Histories, each from its own seed.
    tokens
        Tokens of a history.
    strategy
        Names of what is measured; without any, Loom and a plain tail.
    json
        No table, only the JSON line.
    """
    try:
        capacities = sizes("--capacity", capacity)
        names = known(strategy or (LOOM, OTHER), tell=on_stderr)
    except (ValueError, BadBench) as error:
        return refuse(error)
    if seeds < 1 or tokens < 1 or not names:
        return refuse("--seeds, --tokens, --strategy: one or more of each")
    outcomes: dict[int, dict[str, list[LongRunOutcome]]] = {}
    lengths, missed = [], list[dict[str, Any]]()
    for seed in range(1, seeds + 1):
        made = history(seed, tokens, counter_for())
        lengths.append(made.tokens)
        for size in capacities:
            for name in names:
                outcome = driven(made, name, size)
                outcomes.setdefault(size, {}).setdefault(name, []).append(outcome)
                on_stderr(f"seed {seed}, {name} at {size:,}: {said(outcome)}")
                if name == LOOM:
                    missed += (
                        {"seed": seed, "capacity": size, **told(one)} for one in misses(outcome)
                    )
    report: dict[str, Any] = {"tokens": lengths, "missed": missed}
    for size, found in outcomes.items():
        report[str(size)] = {name: figures(each) for name, each in found.items()}
    tables = [longrun_table(size, report[str(size)]) for size in outcomes]
    end(report, [] if json else tables, "" if json else "\n".join(map(miss_line, missed)))
    ours = (found[LOOM] for found in outcomes.values() if LOOM in found)
    return int(any(one for each in ours for outcome in each for one in misses(outcome)))


def told(miss: Judged) -> dict[str, Any]:
    """What was missed, how far away it is, how it came in, and where it rests."""
    item = miss.item
    return {
        "place": miss.place,
        "kind": item.kind,
        "about": item.about,
        "value": item.value,
        "from": " ".join(item.phrases),
        "rests": miss.rests,
        "named": list(miss.named),
    }


def miss_line(miss: dict[str, Any]) -> str:
    """The same as a sentence."""
    source = f" of {miss['from']}" if miss["from"] else ""
    shown = f", which the request names ({', '.join(miss['named'])})" if miss["named"] else ""
    where = f"rests in {miss['rests']}{source}{shown}" if miss["rests"] else "rests nowhere"
    far = "one recall away" if miss["place"] == RECALL else "lost"
    return (
        f"missed at {miss['capacity']:,}, seed {miss['seed']}: {miss['kind']},"
        f" {miss['about']} ({miss['value']}): {far}; {where}"
    )


def said(outcome: LongRunOutcome) -> str:
    """How many items are where, in words."""
    held = Counter(one.place for one in outcome.judged)
    return ", ".join(f"{held[place]} {place}" for place in PLACES)


def counted(judged: Iterable[Judged]) -> dict[str, int]:
    """Items by where they are."""
    held = Counter(one.place for one in judged)
    return {place: held[place] for place in PLACES}


def figures(outcomes: Sequence[LongRunOutcome]) -> dict[str, Any]:
    """Where rules and facts are, facts also by their kind, summed over seeds."""
    judged = [one for outcome in outcomes for one in outcome.judged]
    facts = [one for one in judged if one.item.kind != RULE]
    return {
        "rules": counted(one for one in judged if one.item.kind == RULE),
        "facts": counted(facts),
        "by_kind": {
            kind: counted(one for one in facts if one.item.kind == kind)
            for kind in KINDS
            if kind != RULE
        },
        "requests": [outcome.tokens for outcome in outcomes],
    }


def longrun_table(capacity: int, report: dict[str, Any]) -> Table:
    """A row for rules, for facts and for each kind of fact; columns say where they are."""
    rows = []
    for name, found in report.items():
        groups = {"rules": found["rules"], "facts": found["facts"], **found["by_kind"]}
        for group, held in groups.items():
            rows.append([f"{name}, {group}", sum(held.values()), *(held[one] for one in PLACES)])
    heads = ["", "planted", *HEADS]
    return table(f"A long run at {capacity:,} tokens", heads, rows)
