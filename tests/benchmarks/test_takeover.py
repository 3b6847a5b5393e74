"""Takeover: a text is asked for labelled items, and each way of keeping a window is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.takeover.command import WAYS, takeover
from benchmarks.takeover.labels import TakeoverItem, plain
from tests.benchmarks.test_carryover import session

ITEM = TakeoverItem("a-1", "why", "?", (("not the Lock", "no lock"), ("a race",)), ("the lock",))


@pytest.mark.parametrize(
    ("text", "answered", "misled"),
    [
        ("", False, False),
        ("It was a race,\n> not the\n>   lock.", True, False),
        ("no lock", False, False),
        ("It was the lock.", False, True),
        ("It was the lock. No: a race, no lock.", True, False),
    ],
)
def test_an_item_is_answered_by_one_alternative_of_each_group(
    text: str, answered: bool, misled: bool
) -> None:
    """Case, blanks and the marks of quotes do not count; what is wrong misleads alone."""
    assert ITEM.answered(plain(text)) == answered
    assert ITEM.misled(plain(text)) == misled


def test_each_way_is_asked_for_the_items(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was read long ago is one call away in Loom, and gone where only the newest stays."""
    rows = session()
    (tmp_path / "s").mkdir()
    written = "\n".join(json.dumps(row) for row in rows)
    (tmp_path / "s" / "abcdefgh-1.jsonl").write_text(written)
    asked = {"id": "1", "kind": "exact", "question": "What did value_2_9 in part2.py say?"}
    newest = {"id": "2", "kind": "state", "question": "What was read last, part29.py?"}
    items = [
        {**asked, "evidence": [["value_2_9 = 9"]], "age": 54},
        {**newest, "evidence": [["value_29_9 = 9"]], "age": 0},
    ]
    (tmp_path / "labels").mkdir()
    lines = "\n".join(json.dumps(item) for item in items)
    (tmp_path / "labels" / "abcdefgh.jsonl").write_text(lines)
    told = tmp_path / "details.jsonl"
    assert not takeover(
        data=tmp_path / "labels",
        sessions=[tmp_path / "s"],
        capacity="4096",
        workers=1,
        json=True,
        details=told,
    )
    report = json.loads(capsys.readouterr().out)["4096"]
    assert set(report) == set(WAYS)
    assert report["loom"]["near"] == 2 > report["loom"]["old"] + report["loom"]["new"] == 1
    assert report["newest"]["near"] == report["newest"]["new"] == 1
    assert report["summary"]["resident"] == 0 < report["summary"]["characters"]
    assert len(told.read_text().splitlines()) == 2 * len(WAYS)
