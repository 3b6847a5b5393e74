import json
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from loom.reduce.structure import structural
from loom.reduce.structure.relevance import Objective
from loom.reduce.structure.values.decode import DEEPEST, TOO_DEEP, decode, minified
from loom.reduce.structure.values.objects import Sketch

REF = "outputs/api_0007.json"


def issues(count: int) -> list[dict[str, Any]]:
    """Records as an interface returns them: telling fields among prose, blobs and nested ones."""
    rng = Random(7)
    return [
        {
            "id": n,
            "node_id": "MDU6SXNz" * 8,
            "title": f"Parser loses case {n}",
            "state": "closed" if n % 10 == 0 else "open",
            "repository": "loom/loom",
            "user": {"login": f"u{n % 5}", "avatar_url": "https://a.example/" + "x" * 60},
            "body": "Steps to reproduce: run it and look. " * 8,
            "embedding": [rng.random() for _ in range(40)],
        }
        for n in range(count)
    ]


def shown(text: str) -> tuple[list[dict[str, Any]], int]:
    """The records of a list that are written, and how many its markers say are left out."""
    items = json.loads(text)["results"]
    left = sum(
        int(item.split()[1].replace(",", ""))
        for item in items
        if isinstance(item, str) and item.startswith("…") and item.split()[2] == "more"
    )
    return [item for item in items if isinstance(item, dict)], left


def test_an_identifier_and_a_list_of_five_hundred_are_both_kept() -> None:
    """Beside a short member a long list shows many records, all counted, with telling fields."""
    text = json.dumps({"id": "run_17", "results": issues(500)})
    found = structural(text, 2000, REF)
    assert json.loads(found.text)["id"] == "run_17"
    records, left = shown(found.text)
    assert len(records) >= 12
    assert len(records) + left == 500
    assert all({"id", "title"} <= record.keys() for record in records)
    assert "state: open 450, closed 50" in found.text
    assert "repository: loom/loom 500" in found.text
    assert not any(record == {} for record in records)


@settings(max_examples=20)
@given(count=st.integers(30, 400), odd=st.integers(0, 29), limit=st.integers(700, 4000))
def test_a_record_that_failed_is_kept(count: int, odd: int, limit: int) -> None:
    """The one record with an error is among those shown, wherever it stands."""
    records = issues(count)
    place = odd * count // 30
    records[place] |= {"error": "connection refused"}
    found = structural(json.dumps({"results": records}), limit, REF)
    kept, left = shown(found.text)
    assert any(record.get("id") == place for record in kept)
    assert len(kept) + left == count


def test_a_record_of_the_objective_is_kept() -> None:
    """A record whose prose shares a term with the objective comes before others."""
    records = issues(300)
    records[211]["body"] = "It happens in the scheduler when idle."
    text = json.dumps({"results": records})
    kept, _ = shown(structural(text, 1200, objective="why is the scheduler idle").text)
    assert any(record["id"] == 211 for record in kept)


def test_a_map_of_records_and_a_map_of_many_keys_are_lists_by_key() -> None:
    """Objects of like records show some with their keys and count the others."""
    for value in (
        {f"k{n}": one for n, one in enumerate(issues(100))},
        {f"k{n}": n for n in range(3000)},
    ):
        found = json.loads(structural(json.dumps(value), 1000, REF).text)
        assert "k0" in found
        assert any("more of" in str(told) for told in found.values())


def test_unknown_keys_never_become_empty_objects() -> None:
    """Where there is no room for a member's own members it becomes its count."""
    value = {f"part{n}": {f"key{m}": "word " * 9 for m in range(9)} for n in range(30)}
    value |= {f"other{n}": {"zz": [1, 2, 3] * 30} for n in range(9)}
    for limit in (200, 400, 900, 2000):
        assert "{}" not in structural(json.dumps(value), limit, REF).text


def test_blobs_shrink_to_their_length() -> None:
    """Encoded bytes are told by their length, so that words keep the room."""
    value = {"data": "QUJDRA9z" * 400, "name": "logo.png", "notes": "seen by the team " * 20}
    found = json.loads(structural(json.dumps(value), 600, REF).text)
    assert "3,200 chars" in found["data"] and len(found["data"]) < 60
    assert found["name"] == "logo.png"


def test_numbers_are_told_by_their_range() -> None:
    """A long list of numbers shows its first ones, its count, and its range."""
    found = json.loads(structural(json.dumps([*range(5000), -7]), 300, REF).text)
    assert found[:3] == [0, 1, 2]
    assert "5,001 numbers from -7 to 4999" in found[-2]


def test_what_is_not_quite_json_is_read() -> None:
    """Duplicate keys, NaN, large numbers, surrogates and a byte order mark do not break it."""
    for text in (
        '{"a":1,"a":2}',
        "[NaN]",
        "[1e400]",
        '["\\ud800"]',
        "\ufeff[1]",
        f"[{'9' * 5000}]",
    ):
        assert decode(text)[0]
        padded = (
            text[:-1] + ',"z":"' + "w" * 300 + '"}'
            if "{" in text
            else text[:-1] + ',"' + "w" * 300 + '"]'
        )
        json.loads(structural(padded, 200, REF).text)


def test_deep_nesting_is_pruned() -> None:
    """What is nested too deeply to be read keeps its upper levels."""
    sound, value = decode("[" * 5000 + "]" * 5000)
    assert sound
    for _ in range(DEEPEST - 1):
        (value,) = value
    assert value == TOO_DEEP
    assert not decode("[" * 5000 + "]" * 4999)[0]


def test_compact_keeps_what_stands_in_strings() -> None:
    """Only blanks between tokens go."""
    assert minified('{ "a b" : "c  \\" d" , "e":[ 1 , 2.0 ] }') == '{"a b":"c  \\" d","e":[1,2.0]}'


def test_the_work_is_linear() -> None:
    """Twice the records are at most little more than twice the visits, counted."""
    visits = []
    for count in (1000, 2000, 4000):
        sketch = Sketch(Objective(("parser",)))
        sketch.root({"results": issues(1) * count}, 2000, "…")
        visits.append(sketch.visits)
    assert visits[1] <= 2.1 * visits[0]
    assert visits[2] <= 2.1 * visits[1]
