"""The tables of the reduction benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.table import Table

from benchmarks.measures.reduction.scaling import KINDS
from loom_bench.tables import table

# Figure → its column.
COLUMNS = {
    "mean_tokens": "tokens",
    "json_valid": "JSON",
    "needles_kept": "needles",
    "edit_old_kept": "edit_old",
    "ident_kept": "ident",
    "pointer": "pointer",
    "ms_median": "ms",
    "ms_p95": "p95",
    "ms_max": "max",
    "over_limit": "over",
    "errors": "errors",
}


def tables(report: dict[str, Any]) -> list[Table]:
    """Tables of what is left of the results, a row for each strategy; then how its time grows."""
    rows = [
        [name, *(cell(found[figure]) for figure in COLUMNS)]
        for name, found in report["strategies"].items()
    ]
    title = (
        f"Reduction of {report['results']:,} results to {report['limit']:,} characters "
        f"({report['json_results']} JSON, {report['needles']} needles)"
    )
    made = [table(title, ["strategy", *COLUMNS.values()], rows)]
    return [*made, _growth(report["scaling"], report["megabytes"])] if report["scaling"] else made


def _growth(scaling: dict[str, Any], megabytes: Sequence[float]) -> Table:
    """Milliseconds by kind and size, the ratio to the size before in brackets, and the power."""
    rows = []
    for name, found in scaling.items():
        for kind in KINDS:
            one = found["kinds"][kind]
            cells = [cell(one["ms"][0])]
            for ms, step in zip(one["ms"][1:], one["steps"], strict=True):
                cells.append(cell(ms) if step is None else f"{cell(ms)} ({step:.1f}×)")
            rows.append([f"{name} {kind}", *cells, cell(one["power"])])
        blank = [""] * (len(megabytes) - 1)
        rows.append(
            [f"{name} worst step", cell(found["worst_step"]), *blank, cell(found["worst_power"])]
        )
    heads = ["ms", *(f"{size:g} MB" for size in megabytes), "power"]
    return table("Processor time by size", heads, rows)


def cell(value: object) -> str:
    """A figure as a table shows it; "–" of nothing."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:,.3f}" if value < 100 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
