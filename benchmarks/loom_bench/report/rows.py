"""What is run, the rows that come of it, and how a report is read and written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, ValidationError, json

from loom.version import VERSION
from loom_bench.errors import BadBench
from loom_bench.judge import DrivenFault, MetricColumn
from loom_bench.session import PUBLIC

WINDOWS = (8_192, 32_000)
SEEDS = (1, 2, 3)


class BenchJob(Struct, frozen=True):
    """One session through one strategy at one window (tokens), held by judges."""

    scenario: str
    seed: int
    half: str
    strategy: str
    window: int
    judges: tuple[str, ...]


class BenchPlan(Struct, frozen=True):
    """Names of scenarios, strategies and judges; windows in tokens; seeds; the half of words."""

    scenarios: tuple[str, ...]
    strategies: tuple[str, ...]
    judges: tuple[str, ...]
    windows: tuple[int, ...] = WINDOWS
    seeds: tuple[int, ...] = SEEDS
    half: str = PUBLIC

    def jobs(self) -> Iterator[BenchJob]:
        """Every run; those of one session stand together, so that it is made once a worker."""
        for scenario in self.scenarios:
            for seed in self.seeds:
                for window in self.windows:
                    for strategy in self.strategies:
                        yield BenchJob(scenario, seed, self.half, strategy, window, self.judges)

    def __len__(self) -> int:
        """How many runs these are."""
        pairs = len(self.strategies) * len(self.windows)
        return pairs * len(self.scenarios) * len(self.seeds)


class BenchRow(Struct, frozen=True):
    """What came of one run: the sums of its judges by name, some faults, what ended it early.

    `session` is a digest of the session's messages. `broken` are judges that raised, by name, and
    what they raised; `unwritten` is what the scenario raised, so that nothing could be run.
    """

    job: BenchJob
    sums: dict[str, int]
    faults: tuple[DrivenFault, ...] = ()
    failed: str = ""
    session: str = ""
    broken: dict[str, str] = {}
    unwritten: str = ""


class BenchReport(Struct, frozen=True):
    """A run. `columns` are the figures that its judges give.

    `broken` has a sentence for each scenario and each judge that raised. The sessions of such a
    scenario are in no row, the columns of such a judge are left out.
    """

    version: str
    plan: BenchPlan
    columns: tuple[MetricColumn, ...]
    rows: tuple[BenchRow, ...]
    broken: tuple[str, ...] = ()

    def write(self, path: Path) -> None:
        """Write it as JSON."""
        path.write_bytes(self.encoded())

    def encoded(self) -> bytes:
        """The JSON that `read` reads."""
        return json.format(json.encode(self), indent=1)

    @classmethod
    def read(cls, path: Path) -> BenchReport:
        """Read one that was written. Raises BadBench for anything else."""
        if not path.is_file():  # a pipe would be waited for
            raise BadBench(f"{path} is no report of `loom bench run`: there is no such file")
        try:
            return json.decode(path.read_bytes(), type=cls)
        except (OSError, ValidationError, ValueError) as error:
            raise BadBench(f"{path} is no report of `loom bench run`: {error}") from error


def assembled(
    plan: BenchPlan, rows: Iterable[BenchRow], columns: Mapping[str, Sequence[MetricColumn]]
) -> BenchReport:
    """The report of rows; `columns` by the names of judges."""
    given = tuple(rows)
    broken = {name for row in given for name in row.broken}
    return BenchReport(
        VERSION,
        plan,
        tuple(column for name, of in columns.items() if name not in broken for column in of),
        tuple(row for row in given if not row.unwritten),
        tuple(dict.fromkeys(_broken(given))),
    )


def _broken(rows: Sequence[BenchRow]) -> Iterator[str]:
    """What each scenario raised, by seed, and the first that each judge did."""
    told: set[str] = set()
    for row in rows:
        job = row.job
        if row.unwritten:
            yield f"scenario {job.scenario}, seed {job.seed}: {row.unwritten}"
        for name, why in row.broken.items():
            if name not in told:
                told.add(name)
                yield (
                    f"judge {name}, its columns are left out: {job.scenario}, seed {job.seed},"
                    f" {job.strategy} at {job.window:,}, {why}"
                )
