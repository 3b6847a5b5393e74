"""What is run: every scenario through every strategy at every window, for every seed."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

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
