"""A fixture for pytest, so that a harness's own tests hold its strategy against scenarios.

In `conftest.py`:

    pytest_plugins = ["loom_bench.plugin"]

In a test:

    def test_it_keeps_facts(loom_bench):
        report = loom_bench(my_strategy, scenarios=["needle"], windows=[8_192], seeds=[1, 2])
        report.floor(kept=0.9, refused=0)
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from loom_bench.floors import FlooredReport, floors_of


@pytest.fixture(scope="session")
def loom_bench() -> Callable[..., FlooredReport]:
    """Runs a strategy through scenarios and returns what to hold against floors: `floors_of`."""
    return floors_of
