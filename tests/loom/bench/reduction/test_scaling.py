"""How the growth of a time is told: counted work stands for the clock here."""

import json

import pytest

from loom.bench.reduction.scaling import KINDS, power, scaling, steps, texts, timed
from loom.bench.reduction.strategies import ReductionRequest, ReductionResult
from tests.kit.cases import all_cases

SIZES = (0.01, 0.02, 0.04)  # megabytes


def linear(asked: ReductionRequest) -> ReductionResult:
    """A millisecond for each 1,000 characters."""
    return ReductionResult("", 0.0, len(asked.text) / 1_000)


def quadratic(asked: ReductionRequest) -> ReductionResult:
    """A millisecond for each 1,000 characters, as often as there are so many."""
    return ReductionResult("", 0.0, (len(asked.text) / 1_000) ** 2)


@all_cases("kind", KINDS)
def test_texts(kind: str) -> None:
    """The same each time, of the sizes asked for, the smaller the beginning of the larger."""
    assert texts(kind, []) == []
    small, large = texts(kind, [5_000, 20_000])
    assert [small, large] == texts(kind, [5_000, 20_000])
    assert 5_000 <= len(small) < 10_000 and 20_000 <= len(large) < 60_000
    assert large.startswith(small[:4_000])
    if kind == "json":
        assert json.loads(small)[0] == json.loads(large)[0]


def test_growth() -> None:
    """A linear strategy steps by two with the power 1, a quadratic one by four with 2."""
    told: list[None] = []
    grown = scaling(
        {"linear": linear, "quadratic": quadratic}, SIZES, 100, lambda: told.append(None)
    )
    assert len(told) == 2 * len(KINDS)
    csv = {name: found["kinds"]["csv"] for name, found in grown.items()}
    assert csv["linear"]["steps"] == pytest.approx([2, 2], abs=0.1)
    assert csv["linear"]["power"] == pytest.approx(1, abs=0.1)
    assert csv["quadratic"]["power"] == pytest.approx(2, abs=0.1)
    assert grown["quadratic"]["worst_step"] > 3.5


def test_instants() -> None:
    """Times too short to tell, and times that are not there, give no step and no power."""
    assert steps([]) == []
    assert steps([0.1, 0.4, None, 80.0]) == [None, None, None]
    assert power([0.1, 0.4, None, 80.0], (1, 2, 4, 8)) is None


def test_errors_end_it() -> None:
    """After an error, or too long a time, nothing larger is asked."""

    def fails(asked: ReductionRequest) -> ReductionResult:
        if len(asked.text) > 15:
            raise ValueError("too large")
        return ReductionResult("", 0.0, 30_000.0)

    assert timed(fails, ["x" * 10, "x" * 20], 5) == ([30_000.0, None], [])
    assert timed(fails, ["x" * 20, "x" * 10], 5) == ([None, None], ["ValueError: too large"])
