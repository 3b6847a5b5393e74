"""A fixture for pytest, so that a harness's own tests hold its strategy against scenarios.

`pytest_plugins = ["loom_bench.plugin"]` in `conftest.py` brings it.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from loom_bench.floors import FlooredReport, floors_of


@pytest.fixture(scope="session")
def loom_bench() -> Callable[..., FlooredReport]:
    """Runs a strategy through scenarios and returns what to hold against floors: `floors_of`."""
    return floors_of
