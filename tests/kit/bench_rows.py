"""Reports of `loom_bench` made by hand."""

from collections.abc import Mapping

from loom_bench.judge import HIGH, LOW, DrivenFault, MetricColumn
from loom_bench.report.rows import BenchPlan, BenchReport, BenchRow

COLUMNS = (
    MetricColumn("refused", "refused", "requests", LOW, about="requests refused"),
    MetricColumn("kept", "facts_held", "facts", HIGH, scored=True, about="facts kept"),
    MetricColumn("cost", "micro_dollars", "requests", LOW, "$/M", about="dollars"),
    MetricColumn("calls", "facts_calls", "facts", LOW, "", about="calls"),
    MetricColumn("cpu", "cpu_us", "requests", LOW, "us", about="CPU time"),
    MetricColumn("odd", "odd", "", "", "", about="neither good nor bad"),
)
Sums = Mapping[str, int]


def report_made(
    sums: Mapping[str, Sums],
    *,
    seeds: tuple[int, ...] = (1, 2, 3),
    scenarios: tuple[str, ...] = ("one", "two"),
    windows: tuple[int, ...] = (8192,),
    failed: str = "",
) -> BenchReport:
    """Each strategy with the same sums in every run; `failed` names one whose runs all fail."""
    judges = ("made",)
    plan = BenchPlan(scenarios, tuple(sums), judges, windows, seeds)
    rows = tuple(
        BenchRow(
            job,
            {"requests": 10, "facts": 4, **sums[job.strategy]},
            (DrivenFault("facts", 3, f"facts: {job.strategy} lost one"),),
            "message 2: RuntimeError: no more" if job.strategy == failed else "",
        )
        for job in plan.jobs()
    )
    return BenchReport("0", plan, COLUMNS, rows)


def sums_of(kept: int = 4, cost: int = 1_000, **more: int) -> dict[str, int]:
    """Sums of one run: facts that are kept of four, and dollars for a million runs."""
    return {"facts_held": kept, "micro_dollars": cost, **more}
