"""The built-in strategies: within the limit, and what they leave."""

import json

from hypothesis import given
from hypothesis import strategies as st

from loom.bench.reduction.strategies import STRATEGIES, ReductionRequest, there
from tests.kit.cases import all_cases

TEXTS = {
    "log": "\n".join(f"line {at} of the log" for at in range(400)),
    "json": json.dumps([{"id": at, "note": "n" * 30} for at in range(200)]),
}
BUILT_IN = [name for name in STRATEGIES if there(name)]


@all_cases("name", BUILT_IN)
@all_cases("kind", TEXTS)
def test_reduced(name: str, kind: str) -> None:
    """A short text is left; a long one fits the limit, and the time is told."""
    reduce = STRATEGIES[name]
    assert reduce(ReductionRequest("short", 5, "a_page")).text == "short" or name == "head_tail"
    answer = reduce(ReductionRequest(TEXTS[kind], 1_000, "a_page", "line 200"))
    assert 0 < len(answer.text) <= 1_000
    assert answer.ms >= 0 and answer.busy >= 0


@given(st.text(min_size=1), st.integers(1, 100))
def test_plain_cuts(text: str, limit: int) -> None:
    """The plain cuts stay within any limit a text is above."""
    for name in ("head", "head_tail"):
        if len(text) > limit:
            assert len(STRATEGIES[name](ReductionRequest(text, limit)).text) <= limit


def test_head_and_tail() -> None:
    """Both ends are there."""
    text = STRATEGIES["head_tail"](ReductionRequest(TEXTS["log"], 200)).text
    assert text.startswith("line 0 of") and text.endswith("line 399 of the log")
