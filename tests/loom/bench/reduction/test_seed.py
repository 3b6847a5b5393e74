"""The seed's reduction, as it is described: what it keeps, drops and says of it."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from loom.bench.reduction.seed import BODY, MARK, compact
from tests.kit.cases import all_cases

LIMIT = 300


def objects(count: int, **more: Any) -> list[dict[str, Any]]:
    """Objects with known and unknown fields."""
    return [{"id": at, "name": f"n{at}", "secret": "x" * 20, **more} for at in range(count)]


def test_short() -> None:
    """A text within the limit is not touched."""
    assert compact("", LIMIT) == ""
    assert compact('{"secret": 1}', LIMIT) == '{"secret": 1}'


def test_list() -> None:
    """Of a list as many first items as fit, known fields only, and not a word of the rest."""
    text = compact(json.dumps(objects(50)), LIMIT)
    kept = json.loads(text)
    assert kept == [{"id": at, "name": f"n{at}"} for at in range(len(kept))]
    assert len(text) <= LIMIT < len(json.dumps([*kept, {"id": 50, "name": "n50"}]))


def test_items() -> None:
    """Of an object with items the same, and with a total it says how many are shown."""
    known = json.loads(compact(json.dumps({"total_count": 50, "items": objects(50)}), LIMIT))
    assert known["note"] == f"showing {len(known['items'])} of 50"
    silent = json.loads(compact(json.dumps({"items": objects(50)}), LIMIT))
    assert isinstance(silent, list)


@all_cases(
    ("value", "left"),
    [
        ({"id": 7, "results": [1] * 500}, {"id": 7}),
        ([{"secret": at} for at in range(30)], [{}] * 30),
        ({"body": "b" * 900}, None),
        ({"owner": {"login": "ann", "id": 1}, "more": "x" * 500}, {"owner": "ann"}),
    ],
)
def test_silent_loss(value: Any, left: Any) -> None:
    """What it does not know is gone; nested objects with a login become it; a body is cut."""
    text = compact(json.dumps(value), LIMIT)
    if left is None:
        assert text == json.dumps(value)[: LIMIT - len(MARK)] + MARK
    else:
        assert json.loads(text) == left
    assert len(json.loads(compact(json.dumps({"body": "b" * 9_000}), 4_000))["body"]) == BODY


def test_head() -> None:
    """No JSON, a list of other things, or one item that is too large: the head, with a mark."""
    for text in ("x" * 900, json.dumps([1] * 900), json.dumps([{"name": "n" * 900}])):
        assert compact(text, LIMIT) == text[: LIMIT - len(MARK)] + MARK


@given(st.text(max_size=80), st.integers(1, 60))
def test_bounded(text: str, limit: int) -> None:
    """Never more than the limit."""
    assert len(compact(text, limit)) <= limit
