"""The policies side by side: what each keeps of what later calls needed, and what it costs.

A trial is a preset with the score ageing by steps (as documented) or on a logarithmic scale. A cost
unit is a million tokens at the plain price, as in `benchmarks.measures.cost`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, get_args, get_type_hints

from msgspec.structs import replace
from rich.table import Table

from benchmarks.measures.cost.bill import units
from loom.compress.worth.fitted import fitted
from loom.policy import PRESETS, Policy
from loom.replay.cost import Bill
from loom_bench.fit.objective import Row, added, mean_request, share
from loom_bench.fit.replay import Candidate
from loom_bench.tables import table

AGEINGS: tuple[str, ...] = get_args(get_type_hints(Policy)["ageing"])
ROUNDED = 4


def trials() -> dict[str, Candidate]:
    """Every preset with both ways a score ages, by name."""
    return {
        f"{name}, {ageing}": Candidate(fitted(), replace(policy, ageing=ageing))
        for name, policy in PRESETS.items()
        for ageing in AGEINGS
    }


def figures(rows: Sequence[Row], capacities: Sequence[int]) -> dict[str, dict[str, Any]]:
    """By capacity: needs and the share resident, tokens of a request, cuts and their cost."""
    return {
        str(capacity): {
            "needs": sums.needs,
            "resident": round(share(sums), ROUNDED),
            "mean_request": round(mean_request(sums)),
            "cuts": sums.cuts,
            "levels": dict(Counter(sums.levels).most_common()),
            "units": round(units(Bill(sent=sums.sent, reused=sums.reused)), ROUNDED),
            "failed": sums.failed,
        }
        for capacity, sums in zip(capacities, added(rows), strict=True)
    }


def policies_table(report: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Table:
    """A row for each policy and capacity."""
    rows = [
        [name, size, *(str(found[of]) for of in ("resident", "mean_request", "cuts", "units")),
         " ".join(f"{level} {times}" for level, times in found["levels"].items())]
        for name, sizes_found in report.items()
        for size, found in sizes_found.items()
    ]  # fmt: skip
    heads = ["policy", "capacity", "resident", "mean request", "cuts", "units", "levels"]
    return table("Policies", heads, rows)
