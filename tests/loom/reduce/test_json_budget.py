import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from loom.reduce.json_budget import (
    BRANCH,
    compact_json,
    count_label,
    head_within,
    json_string,
    json_within,
)

TEXT = st.text(st.characters(codec=None), max_size=60)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(TEXT, inner, max_size=6),
    max_leaves=25,
)
ROOTS = st.lists(JSON, max_size=8) | st.dictionaries(TEXT, JSON, max_size=8)


def written(value: Any, room: int, marker: str = "") -> str:
    """`value` within a room that has place for it."""
    made = json_within(value, room, marker)
    assert made is not None
    return made


@given(ROOTS, st.integers(30, 300))
def test_written_json_parses_and_keeps_its_room(value: Any, room: int) -> None:
    """Any value is valid JSON of its own kind, or its count, and UTF-8 can hold it."""
    text = written(value, room)
    assert len(text) <= room
    assert isinstance(json.loads(text), type(value) | str)
    assert text.encode()


@given(ROOTS, st.integers(40, 200))
def test_the_marker_is_always_last(value: Any, room: int) -> None:
    """A marker is the last item, or the last member under a key the object does not use."""
    back = json.loads(written(value, room, "rest on a page"))
    last = back[-1] if isinstance(back, list) else list(back.values())[-1]
    assert last == "rest on a page"
    if isinstance(value, dict):
        assert list(back)[-1] not in value


def test_a_giant_leaves_room_for_its_siblings() -> None:
    """A long string is cut, says its true length, and the small members stay whole."""
    back = json.loads(written({"id": 1, "body": "x" * 50_000, "tail": [1, 2, 3]}, 200))
    assert (back["id"], back["tail"]) == (1, [1, 2, 3])
    assert back["body"].endswith("… (50,000 chars)")
    assert len(back["body"]) > 100


def test_items_left_out_are_counted() -> None:
    """An array keeps its first items and says how many more there are."""
    back = json.loads(written(list(range(1000)), 100))
    assert back[: len(back) - 1] == list(range(len(back) - 1))
    assert back[-1] == f"… {1000 - (len(back) - 1)} more"


def test_a_few_items_in_full_rather_than_many_in_shreds() -> None:
    """Records of an array are dropped from the end before they are cut too short to read."""
    rows = [{"title": f"t{n}", "snippet": "s" * 300, "url": "u" * 60} for n in range(50)]
    back = json.loads(written(rows, 600))[:-1]
    assert len(back) >= 2
    assert all(list(row) == ["title", "snippet", "url"] for row in back)
    assert all(len(json.dumps(row)) >= BRANCH / 2 for row in back)


def test_depth_is_limited() -> None:
    """A container below the depth limit is shown as its count."""
    deep: Any = ["x" * 9_000]
    for _ in range(9):
        deep = {"a": deep}
    assert written(deep, 200).endswith('{"a":"{1 key}"}}}}}}')
    endless: Any = []
    for _ in range(100_000):
        endless = [endless]
    assert written({"id": 1, "deep": endless}, 200).startswith('{"id":1,')
    assert (count_label([1]), count_label([]), count_label({"a": 1})) == (
        "[1 item]",
        "[0 items]",
        "{1 key}",
    )


def test_literals() -> None:
    """Numbers beyond a double and lone surrogates stay valid JSON."""
    assert [compact_json(value) for value in (None, True, 1.5)] == ["null", "true", "1.5"]
    assert json.loads(written([float("inf"), float("-inf")], 60)) == [
        float("inf"),
        float("-inf"),
    ]
    assert json_string("a\ud800é") == '"a\\ud800é"'


@given(TEXT, st.integers(2, 40))
def test_head_is_the_longest_that_fits(text: str, room: int) -> None:
    """The head fits its room, and one character more would not."""
    taken = head_within(text, room)
    assert text.startswith(taken)
    assert len(json_string(taken)) <= room
    assert taken == text or len(json_string(text[: len(taken) + 1])) > room
