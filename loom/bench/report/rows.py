"""The rows of a run, one for each session, strategy and window, as they are written down."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct, ValidationError, json

from loom.bench.errors import BadBench
from loom.bench.judge import MetricColumn
from loom.bench.plan import BenchJob, BenchPlan


class BenchRow(Struct, frozen=True):
    """What came of one run: the sums of its judges by name, some faults, what ended it early."""

    job: BenchJob
    sums: dict[str, int]
    faults: tuple[str, ...] = ()
    failed: str = ""


class BenchReport(Struct, frozen=True):
    """A run. `columns` are the figures that its judges give."""

    version: str
    plan: BenchPlan
    columns: tuple[MetricColumn, ...]
    rows: tuple[BenchRow, ...]

    def write(self, path: Path) -> None:
        """Write it as JSON."""
        path.write_bytes(self.encoded())

    def encoded(self) -> bytes:
        """The JSON that `read` reads."""
        return json.format(json.encode(self), indent=1)

    @classmethod
    def read(cls, path: Path) -> BenchReport:
        """Read one that was written. Raises BadBench for anything else."""
        try:
            return json.decode(path.read_bytes(), type=cls)
        except (OSError, ValidationError, ValueError) as error:
            raise BadBench(f"{path} is no report of `loom bench run`: {error}") from error
