"""`seeds`: the figures of the design documents."""

from __future__ import annotations

from benchmarks.measures.documented import seeds as documented
from benchmarks.options import Json
from benchmarks.show import end


def seeds(*, json: Json = False) -> int:
    """Reproduce the figures of the design documents through the real engine."""
    report, tables = documented.figures()
    end(report, [] if json else tables)
    return int(bool(documented.missed(report)))
