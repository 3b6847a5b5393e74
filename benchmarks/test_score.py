"""What scoring costs: the worth of every unit of a life."""

from __future__ import annotations

from typing import Any

import pytest

from loom.compress.worth.fitted import constants_of
from loom.compress.worth.worth import AGEING, Worths
from loom.engine import Engine
from loom.engine.survey import REMEMBERED

ROUNDS = 10


@pytest.mark.benchmark(group="score")
@pytest.mark.parametrize("ageing", AGEING)
def test_score(benchmark: Any, engine: Engine, steps: int, ageing: str) -> None:
    """All units of the catalog, with the relevance of each to the focus."""
    window, catalog, fitted = engine.window, engine.survey.catalog(), constants_of(engine.policy)
    capacity = window.limits.capacity
    worths = benchmark.pedantic(
        Worths, args=(catalog, window.working, fitted, capacity, ageing), rounds=ROUNDS
    )
    assert len(catalog.units) > min(steps, REMEMBERED) / 2  # of a session opened again no more
    assert any(worths.of(key) > 0 for key in catalog.units)
    benchmark.extra_info["units"] = len(catalog.units)
