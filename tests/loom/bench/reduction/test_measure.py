"""The figures of a strategy: what counts as kept, valid, within the limit."""

from collections.abc import Callable
from pathlib import Path

import pytest

from loom.bench.reduction.material import large
from loom.bench.reduction.measure import all_reduced, figures, is_json
from loom.bench.reduction.strategies import ReductionRequest, ReductionResult, Strategy
from loom.providers.counts import counter_for
from tests.kit.cases import all_cases

LIMIT = 2_000


def measured(path: Path, strategy: Strategy) -> dict[str, object]:
    """The figures of a strategy over a recording."""
    told: list[None] = []
    results = large([path], LIMIT)
    made = all_reduced(strategy, results, LIMIT, counter_for(), lambda: told.append(None))
    assert len(told) == len(results)
    return figures(made)


def test_nothing() -> None:
    """Of nothing there are no shares."""
    found = figures([])
    assert found["errors"] == 0
    assert found["json_valid"] is found["needles_kept"] is found["ms_median"] is None


def test_whole(recording: Callable[..., Path]) -> None:
    """The whole text keeps all, is too long, and names no page."""
    found = measured(recording(), lambda asked: ReductionResult(asked.text, 1.0, 1.0, (asked.ref,)))
    assert found["needles_kept"] == found["json_valid"] == 1.0
    assert found["over_limit"] == 2 and found["pointer"] == 0.0


def test_head(recording: Callable[..., Path]) -> None:
    """A head keeps one needle of three, breaks the JSON, and points where it says so."""
    cut = lambda asked: ReductionResult(asked.text[:1_900] + asked.ref, 1.0, 1.0, (asked.ref,))  # noqa: E731
    found = measured(recording(), cut)
    assert found["needles_kept"] == pytest.approx(1 / 3, abs=1e-4)
    assert found["ident_kept"] == 0.5 and found["edit_old_kept"] == 0.0
    assert found["json_valid"] == 0.0 and found["pointer"] == 1.0


def test_tail_of_one(recording: Callable[..., Path]) -> None:
    """A needle that stood in two results is kept when one of them still holds it."""
    found = measured(recording(), lambda asked: ReductionResult(asked.text[-500:], 1.0, 1.0))
    assert found["edit_old_kept"] == 1.0 and found["ident_kept"] == 0.0


def test_errors(recording: Callable[..., Path]) -> None:
    """A result a strategy fails on has lost its needles; the others are measured."""

    def fails(asked: ReductionRequest) -> ReductionResult:
        if asked.text.startswith("["):
            raise RecursionError("too deep")
        return ReductionResult(asked.text, 1.0, 1.0)

    found = measured(recording(), fails)
    assert found["errors"] == 1 and found["json_valid"] == 0.0 and found["needles_kept"] == 1.0


@all_cases(
    ("text", "valid"),
    [
        ("", False),
        ("{}", True),
        (' [1, "a"]\n', True),
        ('"a text"', True),
        ("[1]\n… 3 more", False),
        ("[NaN]", False),
        ("[" * 100_000, False),
    ],
)
def test_is_json(text: str, valid: bool) -> None:
    """One JSON value and nothing beside it."""
    assert is_json(text) is valid
