"""What came of a run: its rows, the figures of them, and how strategies compare."""

from loom_bench.report.rows import BenchReport, BenchRow

__all__ = ["BenchReport", "BenchRow"]
