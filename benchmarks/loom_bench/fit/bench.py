"""The bench: trials run over sessions in processes that keep what they have read and counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from types import TracebackType
from typing import Self

from msgspec import json

from loom_bench.fit.objective import Row, objective
from loom_bench.fit.replay import Candidate, replayed

Wanted = tuple[Candidate, Sequence[Path]]


class Bench:
    """Runs trials; one that ran on a session is not run on it again.

    `tell` is called with how many replays were done.
    """

    def __init__(
        self, capacities: Sequence[int], workers: int, tell: Callable[[int], None] = lambda _: None
    ) -> None:
        self.capacities = tuple(capacities)
        self._tell = tell
        self._rows: dict[tuple[bytes, Path], Row] = {}
        self._pool = (
            ProcessPoolExecutor(workers, mp_context=get_context("spawn")) if workers > 1 else None
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def run(self, wanted: Iterable[Wanted]) -> None:
        """Run trials on sessions: a session goes to one worker with all that is wanted of it."""
        jobs: dict[Path, dict[bytes, Candidate]] = {}
        for trial, paths in wanted:
            name = _name(trial)
            for path in paths:
                if (name, path) not in self._rows:
                    jobs.setdefault(path, {})[name] = trial
        for path, rows in self._answers({path: list(jobs[path].values()) for path in jobs}):
            self._rows |= {(n, path): row for n, row in zip(jobs[path], rows, strict=True)}
            self._tell(len(rows) * len(self.capacities))

    def rows(self, trial: Candidate, paths: Sequence[Path]) -> list[Row]:
        """The sums of each session, run when they were not."""
        self.run([(trial, paths)])
        name = _name(trial)
        return [self._rows[name, path] for path in paths]

    def objective(self, trial: Candidate, paths: Sequence[Path]) -> float:
        """The objective over sessions."""
        return objective(self.rows(trial, paths), self.capacities)

    def _answers(self, jobs: Mapping[Path, list[Candidate]]) -> Iterator[tuple[Path, list[Row]]]:
        if self._pool is None:
            for path, trials in jobs.items():
                yield path, replayed(path, trials, self.capacities)
            return
        running = {
            self._pool.submit(replayed, path, jobs[path], self.capacities): path
            for path in sorted(jobs, key=lambda path: (-path.stat().st_size, path))
        }
        for future in as_completed(running):
            yield running[future], future.result()


def _name(trial: Candidate) -> bytes:
    return json.encode(trial, order="sorted")
